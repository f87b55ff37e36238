// SPDX-License-Identifier: MIT
/* What every command does with a model that is open. */
#include <stdlib.h>
#include <string.h>

#include "model.h"
#include "nnloop.h"

int model_fail_import(const struct nn_graph *graph, const struct file *file)
{
	const struct nn_error *error = nn_graph_error(graph);
	const char *looks = file_looks_like(file);

	if (looks && !strcmp(looks, "text"))
		return fail("%s is no model: it looks like text, and as a graph: %s", file->path,
			    error->text);
	if (looks && strcmp(looks, "an ONNX model") && strcmp(looks, "a text graph"))
		return fail("%s is no model: it looks like %s; the model comes first, then its inputs",
			    file->path, looks);
	if (error->node)
		return fail("node %u: %s: %s (%s)", error->node, error->op, error->text,
			    file->path);
	return fail("graph: %s (%s)", error->text, file->path);
}

uint32_t *model_rows(const struct model *model, uint32_t rows)
{
	uint32_t count = nn_graph_get_input_count(model->graph);
	uint32_t *result = calloc(count + 1, sizeof(*result));

	if (!result) {
		fail("out of memory");
		return NULL;
	}
	for (uint32_t i = 0; i < count; i++) {
		struct nn_tensor_info info;

		nn_graph_get_input_info(model->graph, i, &info);
		result[i] = info.dims[0] != NN_VARIABLE ? info.dims[0] : rows;
	}
	return result;
}

int model_prepare(const struct model *model, struct nn_device *device, const uint32_t *rows,
		  uint32_t step, uint32_t flags)
{
	const struct nn_prepare_options options = {
		.step = step,
		.flags = flags,
		.input_rows = rows,
		.input_count = nn_graph_get_input_count(model->graph),
	};

	return nn_graph_prepare(model->graph, device, &options) ? fail_graph(model->graph) : 0;
}
