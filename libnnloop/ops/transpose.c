// SPDX-License-Identifier: MIT
/*
 * Transpose: the dimensions of a row in another order.
 *
 * docs/operators.md:
 * | `Transpose` | x | `perm`: output dimension i is input dimension `perm[i]`; `perm[0]` is 0 |
 * as x |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

static int check_transpose(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_attr *perm = nn_node_get_attr(node, "perm");
	int64_t order[NN_MAX_RANK] = { 0 };
	uint32_t dims[NN_MAX_RANK], i, seen = 0;
	int error;

	(void)graph;
	(void)opaque;
	if (!perm || (perm->type == NN_ATTR_INTS ? perm->count : 1) != from->rank)
		return nn_node_fail(node, -EINVAL, "needs perm with %u numbers", from->rank);
	nn_node_get_ints(node, "perm", from->rank, order);
	for (i = 0; i < from->rank; i++) {
		if (order[i] < 0 || order[i] >= from->rank || (seen & (1u << order[i])))
			return nn_node_fail(node, -EINVAL,
					    "perm is not an order of the dimensions 0 to %u",
					    from->rank - 1);
		seen |= 1u << order[i];
		dims[i] = from->dims[order[i]];
	}
	if (order[0])
		return nn_node_fail(node, -EOPNOTSUPP,
				    "cannot move dimension 0, which counts rows");
	error = nn_node_keep_quantization(node, 0, from);
	return error ? error : nn_node_infer_shape(node, 0, from, from->rank, dims);
}

static int lower_transpose(struct nn_lowering *lowering, struct nn_node *node)
{
	int64_t order[NN_MAX_RANK] = { 0 };
	struct nn_program_op *op;
	uint32_t i;
	int error;

	error = nn_lower_unary(lowering, node, NN_OPCODE_TRANSPOSE, node->inputs[0],
			       &node->outputs[0], &op);
	if (error)
		return error;
	nn_node_get_ints(node, "perm", NN_MAX_RANK, order);
	for (i = 0; i < node->outputs[0].info.rank; i++)
		op->transpose.permutation[i] = order[i];
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "perm", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ 0 }
};

const struct nn_op nn_op_transpose = {
	.name = "Transpose",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_transpose,
	.lower = lower_transpose,
};
