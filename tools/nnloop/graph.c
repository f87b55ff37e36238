// SPDX-License-Identifier: MIT
/* Opens models, of whichever format, as graphs. */
#include "nnloop.h"

int model_try(const char *path, const struct given *given, struct model *model)
{
	const struct nn_import_options options = {
		.shapes = given->shapes,
		.shape_count = given->shape_count,
		.values = given->values,
		.value_count = given->value_count,
	};
	enum nn_model_format format;
	struct file file;
	int status;

	*model = (struct model) { 0 };
	status = file_read(path, &file);
	if (status)
		return status;
	if (nn_graph_create(&model->graph)) {
		status = fail("out of memory");
		goto free_file;
	}
	if (nn_graph_import_with(model->graph, file.data, file.size, &options, &format))
		status = model_fail_import(model->graph, &file, &model->refusal);
	model->format = format;
	model->channels_first = format == NN_MODEL_ONNX;
free_file:
	file_free(&file);
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

void model_close(struct model *model)
{
	nn_graph_destroy(model->graph);
}
