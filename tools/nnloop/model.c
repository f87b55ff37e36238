// SPDX-License-Identifier: MIT
/* What every command does with a model that is open. */
#include "model.h"
#include "nnloop.h"

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
