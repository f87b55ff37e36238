// SPDX-License-Identifier: MIT
/*
 * CountLoop: a loop-control node that only counts. Each output goes round the rows of its input.
 *
 * docs/operators.md:
 * | `CountLoop` | 1 or more, levels may mix | `current`, `total` (required); `owner` (0) |
 * output i: `current` rows of the loop's level; row r of a pass is row (prev_batches + r) mod B
 * of input i, which has B rows |
 */
#include "ops/support/emit.h"
#include "ops.h"
#include "ops/support/owner.h"

#include <errno.h>

static int check_count_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	int64_t current = nn_node_get_attr_int(node, "current", -1),
		total = nn_node_get_attr_int(node, "total", -1);
	uint32_t i;
	int error;

	(void)graph;
	(void)opaque;
	if (current < 0 || current > UINT32_MAX || total < 0 || total > UINT32_MAX)
		return nn_node_fail(node, -EINVAL, "needs current and total, from 0 to %u",
				    UINT32_MAX);
	for (i = 0; i < node->input_count; i++) {
		error = nn_node_set_output(node, i, &node->inputs[i]->info, NN_LEVEL_OWN);
		if (error)
			return error;
	}
	error = nn_owner_set(node);
	if (error)
		return error;
	return nn_node_set_max_rows(node, current);
}

static int execute_count_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)opaque;
	return nn_loopstack_push(graph, node, nn_node_get_attr_int(node, "current", 0),
				 nn_node_get_attr_int(node, "total", 0));
}

static int lower_count_loop(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	uint32_t i;
	int error;

	for (i = 0; i < node->input_count; i++) {
		error = nn_lower_unary(lowering, node, NN_OPCODE_ROTATE_ROWS, node->inputs[i],
				       &node->outputs[i], &op);
		if (error)
			return error;
	}
	return nn_owner_lower(lowering, node);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "current", .type = NN_ATTR_INT },
	{ .name = "total", .type = NN_ATTR_INT },
	{ .name = "owner", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_count_loop = {
	.name = "CountLoop",
	.flags = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC | NN_OP_BODY | NN_OP_MIXED_LEVELS,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = attrs,
	.check = check_count_loop,
	.execute = execute_count_loop,
	.lower = lower_count_loop,
};
