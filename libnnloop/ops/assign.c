// SPDX-License-Identifier: MIT
/*
 * Assign: changes a Variable (variable.c says how that goes).
 *
 * docs/operators.md:
 * | `Assign` | a Variable's output, new value | | as the new value |
 */
#include "ops/support/alias.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

static int check_assign(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_value *variable = node->inputs[0], *value = node->inputs[1];
	char text[2][NN_SHAPE_TEXT];

	(void)graph;
	(void)opaque;
	if (!nn_node_has(variable->node, NN_OP_STATE))
		return nn_node_fail(node, -EINVAL, "input 0 must be a Variable, not node %u (%s)",
				    variable->node->id, variable->node->op_name);
	if (!nn_info_same_quantization(&variable->info, &value->info))
		return nn_node_fail(node, -EINVAL,
				    "the value has another type or quantization than the variable");
	if (variable->info.level != value->info.level || variable->info.rank != value->info.rank ||
	    memcmp(variable->info.dims, value->info.dims,
		   value->info.rank * sizeof(*value->info.dims)))
		return nn_node_fail(
			node, -EINVAL,
			"the value, %s of level %u, does not fit the variable, %s of level %u",
			nn_info_format_shape(&value->info, text[0], sizeof(text[0])),
			value->info.level,
			nn_info_format_shape(&variable->info, text[1], sizeof(text[1])),
			variable->info.level);
	nn_node_default_quantization(node, 0, &value->info);
	nn_node_alias(node, 0, 1);
	return nn_node_infer_shape(node, 0, &value->info, value->info.rank, value->info.dims);
}

static int lower_assign(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_value *variable = node->inputs[0], *value = node->inputs[1];
	int error = 0;

	/* Its output is another name of the value, or a copy if that is a variable itself. */
	if (node->outputs[0].storage != NN_STORAGE_ALIAS)
		error = nn_lower_copy(lowering, node, value, &node->outputs[0]);
	if (!error && value != variable)
		error = nn_lower_copy(lowering, node, value, variable);
	return error;
}

const struct nn_op nn_op_assign = {
	.name = "Assign",
	.flags = NN_OP_ASSIGNS | NN_OP_MIXED_LEVELS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.check = check_assign,
	.lower = lower_assign,
};
