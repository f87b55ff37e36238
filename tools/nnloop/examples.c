// SPDX-License-Identifier: MIT
/*
 * Example inputs of a model in float, for nnloop quantize: files as nnloop run reads them, folders of
 * them, and .npz archives where there are several inputs. Pixels and samples become real numbers.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "examples.h"
#include "import/zip.h"
#include "npy.h"

#define MOST_INPUTS (sizeof(((struct examples *)NULL)->infos) / sizeof(struct nn_tensor_info))

int examples_init(struct examples *examples, const struct nn_graph *graph,
		  const struct pixels *pixels)
{
	uint32_t count = nn_graph_get_input_count(graph);

	*examples = (struct examples){ .input_count = count, .pixels = pixels };
	if (count > MOST_INPUTS)
		return fail("the model has %u inputs, which are too many", count);
	for (uint32_t i = 0; i < count; i++)
		nn_graph_get_input_info(graph, i, &examples->infos[i]);
	return 0;
}

void examples_free(struct examples *examples)
{
	for (uint32_t i = 0; i < examples->count; i++)
		free(examples->files[i]);
	free(examples->files);
}

uint32_t examples_rows(const struct examples *examples, uint32_t input)
{
	uint32_t rows = examples->infos[input].dims[0];

	return rows == NN_VARIABLE ? 1 : rows;
}

/* ---- Files and folders ---- */

static int add_file(struct examples *examples, const char *folder, const char *name)
{
	size_t size = strlen(folder) + strlen(name) + 2;
	char *path = malloc(size);

	if (path && examples->count == examples->room) {
		uint32_t room = examples->room ? 2 * examples->room : 64;
		char **files = realloc(examples->files, room * sizeof(*files));

		if (!files) {
			free(path);
			return fail("out of memory");
		}
		examples->files = files;
		examples->room = room;
	}
	if (!path)
		return fail("out of memory");
	snprintf(path, size, "%s%s%s", folder, *folder ? "/" : "", name);
	examples->files[examples->count++] = path;
	return 0;
}

/* Not hidden files, and not folders in the folder. */
static int add_folder(struct examples *examples, const char *path)
{
	struct dirent **entries;
	int count = scandir(path, &entries, NULL, alphasort), status = 0;
	uint32_t before = examples->count;

	if (count < 0)
		return fail("cannot read %s: %s", path, strerror(errno));
	for (int i = 0; i < count; i++) {
		const struct dirent *entry = entries[i];

		if (!status && entry->d_name[0] != '.' && entry->d_type != DT_DIR)
			status = add_file(examples, path, entry->d_name);
		free(entries[i]);
	}
	free(entries);
	if (!status && examples->count == before)
		return fail("there are no files in %s", path);
	return status;
}

int examples_add(struct examples *examples, const char *path)
{
	struct stat about;

	if (stat(path, &about))
		return fail("cannot open %s: %s", path, strerror(errno));
	return S_ISDIR(about.st_mode) ? add_folder(examples, path) : add_file(examples, "", path);
}

/* ---- Real numbers ---- */

/* Has items of bytes or samples become items of float32. */
static int make_real(struct items *items, const struct nn_tensor_info *info,
		     const struct picture_shape *shape, const struct pixels *pixels)
{
	uint64_t count = items->count * items->item_bytes / nn_data_type_size(items->info.type);
	float *reals = malloc(count * sizeof(*reals) + 1);

	if (!reals)
		return fail("out of memory");
	for (uint64_t i = 0; i < count; i++) {
		uint64_t area = shape ? (uint64_t)shape->height * shape->width : 1, from = i;
		uint32_t c;

		if (!shape) {
			reals[i] = ((const int16_t *)(const void *)items->data)[i] / 32768.0f;
			continue;
		}
		c = shape->channels_first ? i / area % shape->channels : i % shape->channels;
		if (pixels->blue_first && shape->channels == 3)
			from += (2 - 2 * (int64_t)c) * (int64_t)(shape->channels_first ? area : 1);
		reals[i] = (float)((items->data[from] * pixels->scale - pixels->mean[c]) /
				   pixels->deviation[c]);
	}
	free(items->data);
	items->data = (uint8_t *)reals;
	items->item_bytes *= sizeof(*reals) / nn_data_type_size(items->info.type);
	items->info = *info;
	return 0;
}

/* A picture or sound of what the input would be if it took bytes or samples. */
static int read_as(struct items *items, const struct nn_tensor_info *info,
		   const struct examples *examples, const char *path, enum nn_data_type type)
{
	bool channels_first = !examples->pixels->layout || !strcmp(examples->pixels->layout, "nchw");
	struct nn_tensor_info own = *info;
	struct picture_shape shape;
	bool is_picture = type == NN_UINT8;
	int status;

	own.type = type;
	if (is_picture && !takes_pictures(&own, channels_first, &shape))
		return fail("%s is a picture, and input %s takes none", path, items_name(items));
	status = items_init(items, &own, false);
	items->resize = is_picture;
	if (!status)
		status = items_add(items, path, channels_first);
	return status ? status : make_real(items, info, is_picture ? &shape : NULL, examples->pixels);
}

int examples_find_pixels(const struct examples *examples, float factors[3], float terms[3],
			 uint32_t *channels, uint32_t *axis)
{
	const struct pixels *pixels = examples->pixels;
	bool channels_first = !pixels->layout || !strcmp(pixels->layout, "nchw");
	struct nn_tensor_info info = examples->infos[0];
	struct picture_shape shape;
	bool is_same = true;

	if (examples->input_count != 1 || info.type != NN_FLOAT32)
		return fail("--uint8-input is for a model with one input of float32");
	info.type = NN_UINT8;
	if (!takes_pictures(&info, channels_first, &shape))
		return fail("--uint8-input is for a model whose input takes pictures");
	for (int c = 0; c < 3; c++) {
		factors[c] = (float)(pixels->scale / pixels->deviation[c]);
		terms[c] = (float)(-pixels->mean[c] / pixels->deviation[c]);
		is_same &= factors[c] == factors[0] && terms[c] == terms[0];
	}
	*channels = is_same ? 1 : shape.channels;
	*axis = shape.channels_first ? info.rank - 3 : info.rank - 1;
	return 0;
}

/* ---- Files ---- */

static int read_one(const struct examples *examples, const char *path, struct items *items)
{
	const struct nn_tensor_info *info = &examples->infos[0];
	bool is_float = info->type == NN_FLOAT32;
	struct file file;
	int status = file_read(path, &file);

	if (status)
		return status;
	if (is_float && picture_is(&file))
		status = read_as(items, info, examples, path, NN_UINT8);
	else if (is_float && sound_is(&file))
		status = read_as(items, info, examples, path, NN_INT16);
	else
		status = items_add(items, path, true);
	file_free(&file);
	return status;
}

/* Whether an entry of an archive is the array of an input. */
static bool is_array(const struct zip_entry *entry, const char *name)
{
	size_t length = strlen(name);

	return entry->name_size == length + 4 && !memcmp(entry->name, name, length) &&
	       !memcmp(entry->name + length, ".npy", 4);
}

static int read_entry(const struct examples *examples, const struct file *file, uint32_t input,
		      struct items *items)
{
	const char *name = examples->infos[input].name ? examples->infos[input].name : "";
	struct file array = { .path = file->path };
	struct zip_entry entry;
	struct zip zip;

	if (!zip_open(&zip, file->data, file->size))
		return fail("%s is no readable archive", file->path);
	while (zip_next(&zip, &entry)) {
		if (!is_array(&entry, name))
			continue;
		if (!entry.data)
			return fail("%s: the array %s is compressed; write it with numpy.savez()",
				    file->path, name);
		array.data = (uint8_t *)entry.data;
		array.size = entry.size;
		return items_add_npy(items, &array);
	}
	return fail("%s has no array of the name %s, which is an input of the model", file->path, name);
}

static int read_archive(const struct examples *examples, const char *path, struct items *items)
{
	struct file file;
	int status = file_read(path, &file);

	if (!status && !zip_is(file.data, file.size))
		status = fail("the model has %u inputs: %s is to be an archive of arrays by their names (numpy.savez(FILE, NAME=ARRAY, ...))",
			      examples->input_count, path);
	for (uint32_t i = 0; i < examples->input_count && !status; i++)
		status = read_entry(examples, &file, i, &items[i]);
	file_free(&file);
	return status;
}

int examples_read(const struct examples *examples, const char *path, struct items *items,
		  uint64_t *count)
{
	int status = 0;

	for (uint32_t i = 0; i < examples->input_count && !status; i++)
		status = items_init(&items[i], &examples->infos[i], false);
	if (status)
		return status;
	if (examples->input_count == 1 && !file_has_suffix(path, ".npz"))
		status = read_one(examples, path, items);
	else
		status = read_archive(examples, path, items);
	for (uint32_t i = 0; i < examples->input_count && !status; i++) {
		uint32_t rows = examples_rows(examples, i);

		if (!items[i].count || items[i].count % rows)
			return fail("%s has %" PRIu64 " items, and an example of input %s has %u", path,
				    items[i].count, items_name(&items[i]), rows);
		if (i && items[i].count / rows != *count)
			return fail("%s has %" PRIu64 " examples of input %s, and %" PRIu64 " of others",
				    path, items[i].count / rows, items_name(&items[i]), *count);
		*count = items[i].count / rows;
	}
	return status;
}
