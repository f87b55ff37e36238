// SPDX-License-Identifier: MIT
/*
 * Continue: says at the end of each iteration of a WhileLoop whether that goes on.
 *
 * What it takes is looked at when the iteration has ended. It has a copy of it where that could be
 * another one by then.
 *
 * docs/operators.md:
 * | `Continue` | bool, one element | `loop`: the WhileLoop, where the input is made outside of it |
 * none |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops/support/handing.h"
#include "ops.h"

#include <errno.h>

/* Whether the value is still in its place at the end of the iteration. */
static bool stays(const struct nn_value *root)
{
	return root->storage == NN_STORAGE_NONE && !root->persistent && !nn_value_is_const(root);
}

static int check_continue(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct nn_value *value = node->inputs[0], *root = nn_value_root(value);
	const struct nn_node *lcn = node->scope->lcn;

	(void)graph;
	(void)opaque;
	if (lcn->op != &nn_op_while_loop)
		return nn_node_fail(node, -EINVAL,
				    "is in the loop of node %u (%s), which is no WhileLoop", lcn->id,
				    lcn->op_name);
	if (value->info.type != NN_BOOL || !nn_info_is_single(&value->info))
		return nn_node_fail(node, -EINVAL, "needs a condition that is bool, of one element");
	node->hidden = nn_node_alloc(node, 1, sizeof(*node->hidden));
	if (!node->hidden)
		return -ENOMEM;
	node->hidden_count = 1;
	node->hidden[0].node = node;
	node->hidden[0].info = value->info;
	if (stays(root)) {
		node->hidden[0].storage = NN_STORAGE_ALIAS;
		node->hidden[0].base = root;
	}
	return 0;
}

static int lower_continue(struct nn_lowering *lowering, struct nn_node *node)
{
	if (node->hidden[0].storage == NN_STORAGE_ALIAS)
		return 0;
	return nn_lower_copy(lowering, node, node->inputs[0], &node->hidden[0]);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "loop", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_continue = {
	.name = "Continue",
	.flags = NN_OP_CONTINUES,
	.min_inputs = 1,
	.max_inputs = 1,
	.attrs = attrs,
	.check = check_continue,
	.lower = lower_continue,
};
