// SPDX-License-Identifier: MIT
/*
 * WhileLoop: a loop-control node that goes on while a condition is true. Input 0 is that before the
 * first iteration, and the loop has none if it is false; behind each iteration it is what the node
 * Continue in the loop takes.
 *
 * docs/operators.md:
 * | `WhileLoop` | condition: bool, one element; then 0 or more, levels may mix | `most` (required):
 * iterations at most; `strict` (0): more are an error; `squeeze` (0) | output i: one row of the loop's
 * level, row itercount mod B of input i + 1, which has B rows; with `squeeze` that row without
 * dimension 0 |
 */
#include "ops/support/emit.h"
#include "ops/support/handing.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>

static int check_while_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *condition = &node->inputs[0]->info;
	int64_t most = nn_node_get_attr_int(node, "most", 0);
	int error;

	(void)graph;
	(void)opaque;
	if (most < 1 || most > UINT32_MAX)
		return nn_node_fail(node, -EINVAL, "needs most, from 1 to %u", UINT32_MAX);
	if (condition->type != NN_BOOL || !nn_info_is_single(condition))
		return nn_node_fail(node, -EINVAL, "needs a condition that is bool, of one element");
	if (!node->scope->condition)
		return nn_node_fail(
			node, -EINVAL,
			"has no Continue in its loop, which says whether that goes on");
	node->may_skip = true;
	node->most_rows = node->most_trips = most;
	error = nn_hand_out_set(node, 1);
	return error ? error : nn_node_set_max_rows(node, 1);
}

/* Whether a condition is true; *error if nobody can look at it. */
static bool is_true(struct nn_graph *graph, struct nn_node *node, struct nn_value *condition,
		    int *error)
{
	const uint8_t *data = nn_graph_locate(graph, condition);

	*error = data ? 0 : nn_node_fail(node, -EOPNOTSUPP, "cannot look at its condition");
	return data && *data;
}

int nn_while_loop_fail(struct nn_node *node)
{
	return nn_node_fail(node, -ERANGE,
			    "the condition of the loop is still true behind %" PRIu32
			    " iterations, which is most",
			    (uint32_t)nn_node_get_attr_int(node, "most", 1));
}

/* The end of an iteration. */
static int end_iteration(struct nn_graph *graph, struct nn_node *node, struct nn_loopcounts *counts,
			 void *opaque)
{
	uint32_t most = nn_node_get_attr_int(node, "most", 1);
	int error;

	(void)opaque;
	if (!is_true(graph, node, &node->scope->condition->hidden[0], &error))
		counts->total_batches = 0;
	else if (counts->prev_batches + 1 >= most && nn_node_get_attr_int(node, "strict", 0))
		error = nn_while_loop_fail(node);
	return error ? error : nn_loopend_default(graph, node, counts, NULL);
}

static int execute_while_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	int error;

	(void)opaque;
	if (!nn_loopstack_get_itercount(graph) && !is_true(graph, node, node->inputs[0], &error)) {
		if (!error)
			nn_loop_skip(graph);
		return error;
	}
	return nn_loopstack_push_withfunc(graph, node, 1, nn_node_get_attr_int(node, "most", 1),
					  end_iteration, NULL);
}

static int lower_while_loop(struct nn_lowering *lowering, struct nn_node *node)
{
	return nn_hand_out_lower(lowering, node, 1);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "most", .type = NN_ATTR_INT },
	{ .name = "strict", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "squeeze", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_while_loop = {
	.name = "WhileLoop",
	.flags = NN_NODE_FLAG_LCN | NN_OP_BODY | NN_OP_MIXED_LEVELS | NN_OP_LOOKS_ONCE,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.kept_inputs = 1,
	.outputs = NN_ANY_NUMBER,
	.attrs = attrs,
	.check = check_while_loop,
	.execute = execute_while_loop,
	.lower = lower_while_loop,
};
