// SPDX-License-Identifier: MIT
/*
 * OUTPUT: what an execution gives.
 *
 * docs/operators.md:
 * | `OUTPUT` | 1 or more tensors | | none. Exactly one in a graph |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

/* Outputs that were not computed in their place already (plan/memory.c) are copied there. */
static int lower_output(struct nn_lowering *lowering, struct nn_node *node)
{
	uint32_t slot;
	int error;

	for (slot = 0; slot < node->input_count; slot++) {
		struct nn_value *value = node->inputs[slot], *root = nn_value_root(value);

		if (root->storage == NN_STORAGE_OUTPUT && root->slot == slot)
			continue;
		error = nn_lower_copy_to_output(lowering, node, value, slot);
		if (error)
			return error;
	}
	return 0;
}

const struct nn_op nn_op_output = {
	.name = "OUTPUT",
	.flags = NN_OP_END | NN_OP_MIXED_LEVELS,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.check = nn_check_nothing,
	.lower = lower_output,
};
