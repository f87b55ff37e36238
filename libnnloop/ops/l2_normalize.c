// SPDX-License-Identifier: MIT
/*
 * L2Normalize: each element over the root of the sum of squares along the last dimension, in the
 * integers of TensorFlow Lite's own kernels.
 *
 * docs/operators.md:
 * | `L2Normalize` | x, 8-bit, of 2 dimensions or more | | of x's type; scale 1/128, zero point 0, for
 * uint8 128 |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

#define MOST_ELEMENTS 33025 /* whose squares sum up to 31 bits */

static int check_l2_normalize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct nn_tensor_info *to = &node->outputs[0].info;
	struct nn_tensor_info made = { .type = from->type, .scale = 1.0f / 128 };
	int error = nn_node_need_8bit(node, from, "input");

	(void)graph;
	(void)opaque;
	if (error)
		return error;
	made.zero_point = from->type == NN_UINT8 ? 128 : 0;
	nn_node_default_quantization(node, 0, &made);
	if (!nn_info_same_quantization(to, &made))
		return nn_node_fail(node, -EINVAL,
				    "makes what its input is of, with a scale of 1/128 and zero "
				    "point %d", made.zero_point);
	if (from->rank < 2)
		return nn_node_fail(node, -EINVAL, "needs 2 dimensions or more, the first are rows");
	if (from->dims[from->rank - 1] > MOST_ELEMENTS)
		return nn_node_fail(node, -EOPNOTSUPP, "normalizes %d elements at most",
				    MOST_ELEMENTS);
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int lower_l2_normalize(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_L2_NORMALIZE, node->inputs[0],
				   &node->outputs[0], &op);

	if (!error)
		nn_lower_limits(op, node);
	return error;
}

const struct nn_op nn_op_l2_normalize = {
	.name = "L2Normalize",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = check_l2_normalize,
	.lower = lower_l2_normalize,
};
