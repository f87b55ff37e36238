// SPDX-License-Identifier: MIT
/* Opens models, of whichever format, as graphs. */
#include "nnloop.h"

int model_try(const char *path, struct model *model)
{
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
	if (nn_graph_import(model->graph, file.data, file.size, &format))
		status = model_fail_import(model->graph, &file, &model->refusal);
	model->format = format;
	model->channels_first = format == NN_MODEL_ONNX;
free_file:
	file_free(&file);
	return status;
}

int model_open(const char *path, struct model *model)
{
	int status = model_try(path, model);

	if (model->refusal == MODEL_MANY_REASONS)
		print_refusals(stderr, model->graph);
	return status;
}

void model_close(struct model *model)
{
	nn_graph_destroy(model->graph);
}
