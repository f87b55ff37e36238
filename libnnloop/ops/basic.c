// SPDX-License-Identifier: MIT
/*
 * The graph's ends, Input, Const and OUTPUT, and the Sink, which the library puts at the end of a
 * graph with loops.
 */
#include "plan/lower.h"
#include "ops.h"
#include "plan/plan.h"

#include <errno.h>

static const struct nn_attr_spec input_attrs[] = {
	{ .name = "outputs", .type = NN_ATTR_INT },
	{ 0 }
};

/* What they are was said at append. */
static int check_nothing(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)graph;
	(void)node;
	(void)opaque;
	return 0;
}

const struct nn_op nn_op_input = {
	.name = "Input",
	.outputs = NN_ANY_NUMBER,
	.attrs = input_attrs,
	.flags = NN_OP_FREE,
	.check = check_nothing,
};

const struct nn_op nn_op_const = {
	.name = "Const",
	.outputs = 1,
	.flags = NN_OP_FREE,
	.check = check_nothing,
};

/* What was not computed in its place already (memory.c) is copied there. */
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
	.flags = NN_OP_MIXED_LEVELS,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.check = check_nothing,
	.lower = lower_output,
};

const struct nn_op nn_op_sink = {
	.name = "Sink",
	.flags = NN_OP_MIXED_LEVELS | NN_OP_FREE,
	.max_inputs = NN_ANY_NUMBER,
	.check = check_nothing,
};
