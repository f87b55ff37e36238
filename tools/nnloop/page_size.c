// SPDX-License-Identifier: MIT
/*
 * How large the pages are that a reader of any size is given: a model is imported for one size, that
 * in which all of its pages have room.
 */
#include "nnloop.h"

#define MOST_SIZE 4096	/* pixels of a page's side: of images that Proposal knows (docs/reader.md) */

/* Whether nobody has said how large a dimension of the graph's only input is. */
static bool is_open(const struct nn_graph *graph, uint32_t dim)
{
	struct nn_open_dim open;

	for (uint32_t i = 0; !nn_graph_get_open_dim(graph, i, &open); i++) {
		if (open.dim == dim)
			return !open.given && open.size != NN_VARIABLE;
	}
	return false;
}

/* Makes a size as large as a picture, if that is larger; none is larger than a page may be. */
static int add_size(const char *path, uint32_t *height, uint32_t *width)
{
	struct picture picture;
	struct file file;
	int status;

	status = file_read_first(path, &file);
	if (status)
		return status;
	if (!picture_is(&file)) {
		file_free(&file);
		return fail("%s is no picture", path);
	}
	status = picture_read(&file, 1, 255, &picture);
	if (!status) {
		*height = picture.height > *height ? picture.height : *height;
		*width = picture.width > *width ? picture.width : *width;
		picture_free(&picture);
	}
	file_free(&file);
	return status;
}

int page_size_give(const struct nn_graph *graph, char *const *paths, uint32_t count,
		   struct given *given)
{
	struct nn_import_shape *shape = &given->shapes[given->shape_count];
	uint32_t height = 1, width = 1;
	struct nn_tensor_info info;

	if (nn_graph_get_input_count(graph) != 1 || nn_graph_get_input_info(graph, 0, &info) ||
	    info.rank != 4 || !is_open(graph, 2) || !is_open(graph, 3) || !count)
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		int status = add_size(paths[i], &height, &width);

		if (status)
			return status;
	}
	*shape = (struct nn_import_shape) { .rank = 4, .dims = { 1, info.dims[1] } };
	shape->dims[2] = height < MOST_SIZE ? height : MOST_SIZE;
	shape->dims[3] = width < MOST_SIZE ? width : MOST_SIZE;
	given->shape_count++;
	return 0;
}
