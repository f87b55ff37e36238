// SPDX-License-Identifier: MIT
/* Opens models, of whichever format, as graphs. */
#include <string.h>

#include "metadata.h"
#include "nnloop.h"

static int import(const char *path, const struct nn_import_options *options, struct model *model)
{
	struct file file;
	int status;

	if (strcmp(path, "-")) {
		if (nn_graph_import_file_with(model->graph, path, options, &model->format))
			return model_fail_import(model->graph, path, NULL, &model->refusal);
		return 0;
	}
	status = file_read(path, &file);
	if (status)
		return status;
	if (nn_graph_import_with(model->graph, file.data, file.size, options, &model->format))
		status = model_fail_import(model->graph, path, &file, &model->refusal);
	file_free(&file);
	return status;
}

int model_try(const char *path, const struct given *given, struct model *model)
{
	const struct nn_import_options options = {
		.shapes = given->shapes,
		.shape_count = given->shape_count,
		.values = given->values,
		.value_count = given->value_count,
		.signature = given->signature,
		.integers_only = given->integers_only,
	};
	int status;

	*model = (struct model) { 0 };
	if (nn_graph_create(&model->graph))
		return fail("out of memory");
	status = import(path, &options, model);
	model->channels_first = model->format == NN_MODEL_ONNX;
	return status;
}

int model_open(const char *path, const struct given *given, struct model *model)
{
	int status = model_try(path, given, model);

	if (model->refusal == MODEL_MANY_REASONS)
		print_refusals(stderr, model->graph);
	if (model->graph && !given->quiet)
		open_dims_note(model->graph);
	return status;
}

void model_read_metadata(const struct model *model, const char *path, struct metadata *metadata)
{
	*metadata = (struct metadata) { 0 };
	if (model->format == NN_MODEL_TFLITE && strcmp(path, "-"))
		metadata_read(path, metadata);
}

void model_close(struct model *model)
{
	nn_graph_destroy(model->graph);
}
