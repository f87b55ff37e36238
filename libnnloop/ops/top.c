// SPDX-License-Identifier: MIT
/*
 * Top: where along the last dimension the greatest or least elements are, in their order.
 *
 * docs/operators.md:
 * | `Top` | x of integers, bool or float32, of 2 dimensions or more | `count` (required): how many; `least` (0; 1:
 * the least) | int64 unless int32 is given: the indices, of equal elements the first one first |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static int check_top(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct nn_tensor_info *to = &node->outputs[0].info;
	struct nn_top_params *top = nn_node_make_state(node, sizeof(*top));
	int64_t count = nn_node_get_attr_int(node, "count", 0);
	uint32_t dims[NN_MAX_RANK];

	(void)graph;
	(void)opaque;
	if (!top)
		return -ENOMEM;
	if (from->rank < 2)
		return nn_node_fail(node, -EINVAL,
				    "needs 2 dimensions or more, the first are rows");
	if (count < 1 || count > from->dims[from->rank - 1] ||
	    from->dims[from->rank - 1] > INT32_MAX)
		return nn_node_fail(node, -EINVAL, "count %" PRId64 " is not 1 to %" PRIu32, count,
				    from->dims[from->rank - 1]);
	if ((to->type && to->type != NN_INT32 && to->type != NN_INT64) || to->scale || to->scales ||
	    to->zero_point)
		return nn_node_fail(node, -EINVAL, "makes plain numbers of int32 or int64");
	if (!to->type)
		to->type = NN_INT64;
	top->least = nn_node_get_attr_int(node, "least", 0);
	memcpy(dims, from->dims, sizeof(dims));
	dims[from->rank - 1] = count;
	return nn_node_infer_shape(node, 0, from, from->rank, dims);
}

static int lower_top(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_TOP, node->inputs[0],
				   &node->outputs[0], &op);

	if (!error)
		op->top = *(const struct nn_top_params *)node->state;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "count", .type = NN_ATTR_INT },
	{ .name = "least", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_top = {
	.name = "Top",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_top,
	.lower = lower_top,
};
