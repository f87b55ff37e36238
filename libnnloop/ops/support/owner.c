// SPDX-License-Identifier: MIT
/*
 * The owner output of loops (owner.h).
 */
#include "owner.h"

#include "emit.h"

static bool has_owner(const struct nn_node *node)
{
	return node->output_count > node->input_count;
}

int nn_owner_set(struct nn_node *node)
{
	struct nn_tensor_info info = { .type = NN_INT32, .rank = 1, .dims = { 1 } };

	return has_owner(node) ? nn_node_set_output(node, node->input_count, &info, NN_LEVEL_OWN)
			       : 0;
}

int nn_owner_lower(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;

	if (!has_owner(node))
		return 0;
	return nn_lower_unary(lowering, node, NN_OPCODE_ROW_NUMBERS, node->inputs[0],
			      &node->outputs[node->input_count], &op);
}
