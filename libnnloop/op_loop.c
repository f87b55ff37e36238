// SPDX-License-Identifier: MIT
/*
 * Built-in loop-control nodes.
 */
#include "ops.h"
#include "plan.h"

#include <errno.h>

/* ---- BatchLoop: hands its partition `step` rows of a batch at a time, the last pass ragged */

static int check_batch_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *first = &node->inputs[0]->info;
	int64_t step = nn_node_get_attr_int(node, "step", 0);
	uint32_t i;
	int error;

	(void)graph;
	(void)opaque;
	if (step < 1 || step > UINT32_MAX)
		return nn_node_fail(node, -EINVAL, "step must be at least 1");
	for (i = 0; i < node->output_count; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (info->dims[0] != first->dims[0] || info->level != first->level)
			return nn_node_fail(node, -EINVAL, "input %u has %u rows, but input 0 has %u", i,
					    info->dims[0], first->dims[0]);
		error = nn_node_set_output_view(node, i, i);
		if (error)
			return error;
	}
	return nn_node_set_max_rows(node, step < first->dims[0] ? step : first->dims[0]);
}

static int execute_batch_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	uint32_t step = nn_node_get_attr_int(node, "step", 0), left;
	struct nn_tensor batch;
	int error;

	(void)opaque;
	error = nn_node_get_input(node, 0, &batch);
	if (error)
		return error;
	left = batch.info.dims[0] - nn_loopstack_get_prev_batches(graph);
	return nn_loopstack_push(graph, node, left < step ? left : step, batch.info.dims[0]);
}

static const struct nn_attr_spec batch_loop_attrs[] = {
	{ .name = "step", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_batch_loop = {
	.name = "BatchLoop",
	.flags = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = batch_loop_attrs,
	.check = check_batch_loop,
	.execute = execute_batch_loop,
};
