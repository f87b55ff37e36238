// SPDX-License-Identifier: MIT
/*
 * AveragePool: the mean of each window, channel by channel.
 *
 * docs/operators.md:
 * | `AveragePool` | x | as `MaxPool`, `count_padding` (0: padding is not part of the mean) |
 * 8-bit; scale and zero point as x unless given |
 */
#include "check.h"
#include "ops.h"
#include "pooling.h"

#include <errno.h>

#include "dsp/pack.h"

static int check_average_pool(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct nn_tensor_info *output = &node->outputs[0].info;
	struct nn_window_params *window;
	int error;

	(void)graph;
	(void)opaque;
	error = nn_pooling_check(node);
	if (error)
		return error;
	window = node->state;
	window->count_padding = nn_node_get_attr_int(node, "count_padding", 0) != 0;
	error = nn_node_need_8bit(node, output, "output");
	if (error)
		return error;
	if (nn_pack_average_pool_params(window, node->inputs[0]->info.scale, output->scale))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "input scale / output scale must be between 2^-20 and 8");
	return 0;
}

static int lower_average_pool(struct nn_lowering *lowering, struct nn_node *node)
{
	return nn_pooling_lower(lowering, node, NN_OPCODE_AVERAGE_POOL);
}

static const struct nn_attr_spec attrs[] = {
	NN_WINDOW_ATTRS,
	NN_KERNEL_ATTR,
	{ .name = "count_padding", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_average_pool = {
	.name = "AveragePool",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_average_pool,
	.lower = lower_average_pool,
};
