// SPDX-License-Identifier: MIT
/*
 * Last: leaves a loop with the value of one of its Variables when it has ended, which is the initial
 * value if it had no iteration.
 *
 * docs/operators.md:
 * | `Last` | a Variable's output | | as the Variable, in the scope around its loop; one with the
 * loop's rows has the rows of a full pass, and counts none |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

/* Whether a Variable has the rows of its own loop. */
static bool has_own_rows(const struct nn_value *variable)
{
	return variable->info.level && variable->info.level == nn_node_level(variable->node);
}

static int check_last(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_value *variable = node->inputs[0];
	struct nn_tensor_info rows = variable->info;
	int error;

	(void)graph;
	(void)opaque;
	if (!nn_node_has(variable->node, NN_OP_STATE))
		return nn_node_fail(node, -EINVAL, "takes a Variable, not node %u (%s)",
				    variable->node->id, variable->node->op_name);
	/* One that persists has a value from the beginning on. */
	if (variable->node->runs_in == variable->node->scope && !nn_node_persists(variable->node) &&
	    variable->node->scope->lcn->may_skip)
		return nn_node_fail(
			node, -EINVAL,
			"takes the Variable of node %u, which is set in its loop, but that may have no iteration: make its initial value outside of the loop",
			variable->node->id);
	if (has_own_rows(variable))
		rows.level = 0;
	error = nn_node_keep_quantization(node, 0, &variable->info);
	return error ? error : nn_node_infer_shape(node, 0, &rows, rows.rank, rows.dims);
}

static int lower_last(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_value *variable = node->inputs[0];
	struct nn_copy_params copy = { .count = 1, .block = nn_info_bytes(&variable->info) };

	if (!has_own_rows(variable))
		return nn_lower_copy(lowering, node, variable, &node->outputs[0]);
	if (!copy.block)
		return 0;
	return nn_lower_copy_tensor(lowering, node, nn_lower_whole(lowering, variable),
				    nn_lower_flat(lowering, &node->outputs[0]), &copy);
}

const struct nn_op nn_op_last = {
	.name = "Last",
	.flags = NN_OP_EXIT,
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = check_last,
	.lower = lower_last,
};
