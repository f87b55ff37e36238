// SPDX-License-Identifier: MIT
/*
 * Integers: arithmetic of integers as they are stored, and logic of bools.
 *
 * docs/operators.md:
 * | `Integers` | a, b of one type of integers or bool, broadcast | `function` (required: `add`,
 * `sub`, `mul`, `div`, `floor_div`, `mod`, `floor_mod`, `min`, `max`, `and`, `or`, `xor`)
 * | of the same type; quantization as a unless given |
 */
#include <errno.h>
#include <string.h>

#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

static const char *const functions[] = {
	[NN_INTEGERS_ADD] = "add",	       [NN_INTEGERS_SUB] = "sub",
	[NN_INTEGERS_MUL] = "mul",	       [NN_INTEGERS_DIV] = "div",
	[NN_INTEGERS_FLOOR_DIV] = "floor_div", [NN_INTEGERS_MOD] = "mod",
	[NN_INTEGERS_FLOOR_MOD] = "floor_mod", [NN_INTEGERS_MIN] = "min",
	[NN_INTEGERS_MAX] = "max",	       [NN_INTEGERS_AND] = "and",
	[NN_INTEGERS_OR] = "or",	       [NN_INTEGERS_XOR] = "xor",
};

static int check_integers(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	struct nn_integers_params *params = nn_node_make_state(node, sizeof(*params));
	const char *word = nn_node_get_string(node, "function", "");
	uint32_t i = 0;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	while (i < sizeof(functions) / sizeof(*functions) && strcmp(word, functions[i]))
		i++;
	if (i == sizeof(functions) / sizeof(*functions))
		return nn_node_fail(node, -EINVAL, "there is no function \"%s\"", word);
	params->function = i;
	if (!nn_type_is_integer(a->type) || a->type != b->type)
		return nn_node_fail(node, -EINVAL,
				    "the inputs must be of one type of integers, not %s and %s",
				    nn_data_type_name(a->type), nn_data_type_name(b->type));
	nn_node_default_quantization(node, 0, a);
	if (node->outputs[0].info.type != a->type)
		return nn_node_fail(node, -EINVAL, "cannot make %s of %s",
				    nn_data_type_name(node->outputs[0].info.type),
				    nn_data_type_name(a->type));
	return nn_infer_broadcast(node);
}

int nn_lower_integers(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_integers_params *params = node->state;
	struct nn_program_op *op;
	int error = nn_lower_two(lowering, node, NN_OPCODE_INTEGERS, &op);

	if (!error)
		op->integers = *params;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_integers = {
	.name = "Integers",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_integers,
	.lower = nn_lower_integers,
};
