// SPDX-License-Identifier: MIT
/*
 * MaxPool: the greatest element of each window, channel by channel.
 *
 * docs/operators.md:
 * | `MaxPool` | x, 8-bit or int16 | `kernel` (required: H,W), `stride` (1,1), `padding` | as x |
 */
#include "ops/support/check.h"
#include "ops.h"
#include "ops/support/pooling.h"

#include <errno.h>

#define VECTOR 128	/* bytes */

static int check_max_pool(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	int error;

	(void)graph;
	(void)opaque;
	error = nn_pooling_check(node);
	if (error)
		return error;
	if (!nn_info_same_quantization(&node->outputs[0].info, &node->inputs[0]->info))
		return nn_node_fail(node, -EINVAL, "cannot change type or quantization");
	if (node->inputs[0]->info.type == NN_INT16)
		return nn_node_need_scale(node, &node->inputs[0]->info, "input");
	/* Where all its vectors are full, pixels stay where they are: dsp/hvx/pool/max_pool.c. */
	if (node->inputs[0]->info.dims[3] % VECTOR == 0) {
		node->may_be_strided = true;
		node->may_read_strided = 1;
		node->gathers = 0;
		node->scatters = false;
	}
	return 0;
}

static int lower_max_pool(struct nn_lowering *lowering, struct nn_node *node)
{
	if (node->inputs[0]->info.type == NN_INT16)
		return nn_pooling_lower_int16(lowering, node, false);
	return nn_pooling_lower(lowering, node, NN_OPCODE_MAX_POOL);
}

static const struct nn_attr_spec attrs[] = {
	NN_WINDOW_ATTRS,
	NN_KERNEL_ATTR,
	{ 0 }
};

const struct nn_op nn_op_max_pool = {
	.name = "MaxPool",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_max_pool,
	.lower = lower_max_pool,
};
