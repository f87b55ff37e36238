// SPDX-License-Identifier: MIT
/*
 * Select: of two tensors, each element from the one or the other.
 *
 * docs/operators.md:
 * | `Select` | condition, bool; a, b of the same type and quantization; all broadcast | | as a: its
 * element where the condition holds, else that of b |
 */
#include <errno.h>

#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

static int check_select(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *condition = &node->inputs[0]->info;
	const struct nn_tensor_info *a = &node->inputs[1]->info, *b = &node->inputs[2]->info;
	int error;

	(void)graph;
	(void)opaque;
	if (condition->type != NN_BOOL)
		return nn_node_fail(node, -EINVAL, "the condition must be of bool, not %s",
				    nn_data_type_name(condition->type));
	if (!nn_info_same_quantization(a, b))
		return nn_node_fail(node, -EINVAL,
				    "what it selects from has different types or quantizations");
	if (a->scales)
		return nn_node_fail(node, -EOPNOTSUPP, "an input has more than one scale");
	error = nn_node_keep_quantization(node, 0, a);
	return error ? error : nn_infer_broadcast(node);
}

static int lower_select(struct nn_lowering *lowering, struct nn_node *node)
{
	int b = nn_lower_value(lowering, node->inputs[2]), error;
	struct nn_program_op *op;

	error = b < 0 ? b : nn_lower_two(lowering, node, NN_OPCODE_SELECT, &op);
	if (!error)
		op->input[2] = b;
	return error;
}

const struct nn_op nn_op_select = {
	.name = "Select",
	.min_inputs = 3,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = (const struct nn_attr_spec[]){ { 0 } },
	.check = check_select,
	.lower = lower_select,
};
