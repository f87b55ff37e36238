// SPDX-License-Identifier: MIT
/*
 * Cast: integers of another type, as they are stored: the low bits of each; to bool, whether it is
 * not 0.
 *
 * docs/operators.md:
 * | `Cast` | x of integers or bool | | type of integers or bool; scale and zero point |
 */
#include <errno.h>

#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

static int check_cast(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_tensor_info *to = &node->outputs[0].info;

	(void)graph;
	(void)opaque;
	if (!nn_type_is_integer(from->type))
		return nn_node_fail(node, -EINVAL, "the input must be of integers, not %s",
				    nn_data_type_name(from->type));
	if (!nn_type_is_integer(to->type))
		return nn_node_fail(node, -EINVAL, "the output must be given a type of integers");
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int lower_cast(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;

	return nn_lower_unary(lowering, node, NN_OPCODE_CONVERT, node->inputs[0],
			      &node->outputs[0], &op);
}

const struct nn_op nn_op_cast = {
	.name = "Cast",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = (const struct nn_attr_spec[]){ { 0 } },
	.check = check_cast,
	.lower = lower_cast,
};
