// SPDX-License-Identifier: MIT
/*
 * FloatBinary: a function of two elements of float32, which are broadcast; comparisons make bool.
 *
 * docs/operators.md:
 * | `FloatBinary` | a, b float32, broadcast, of which one may be a constant | `function` (required:
 * `Add`, `Sub`, `Mul`, `Div`, `Min`, `Max`, `Pow`, `PRelu`, `SquaredDifference`, `Mod`; `Equal`, `Less`,
 * `LessOrEqual`, `Greater`, `GreaterOrEqual`) | float32; of comparisons bool |
 */
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

static const char *const functions[NN_FLOAT_TWO_FUNCTIONS] = {
	[NN_FLOAT_ADD] = "Add",
	[NN_FLOAT_SUB] = "Sub",
	[NN_FLOAT_MUL] = "Mul",
	[NN_FLOAT_DIV] = "Div",
	[NN_FLOAT_MIN] = "Min",
	[NN_FLOAT_MAX] = "Max",
	[NN_FLOAT_PRELU] = "PRelu",
	[NN_FLOAT_POWER] = "Pow",
	[NN_FLOAT_SQUARED_DIFFERENCE] = "SquaredDifference",
	[NN_FLOAT_MODULO] = "Mod",
	[NN_FLOAT_EQUAL] = "Equal",
	[NN_FLOAT_LESS] = "Less",
	[NN_FLOAT_LESS_OR_EQUAL] = "LessOrEqual",
	[NN_FLOAT_GREATER] = "Greater",
	[NN_FLOAT_GREATER_OR_EQUAL] = "GreaterOrEqual",
};

static int find_function(const struct nn_node *node)
{
	const char *name = nn_node_get_string(node, "function", "");

	for (int i = 0; i < NN_FLOAT_TWO_FUNCTIONS; i++) {
		if (!strcmp(functions[i], name))
			return i;
	}
	return -1;
}

static int check_float_binary(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct nn_float_binary_params *params = nn_node_make_state(node, sizeof(*params));
	struct nn_tensor_info *to = &node->outputs[0].info;
	int function = find_function(node);

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	if (node->inputs[0]->info.type != NN_FLOAT32 || node->inputs[1]->info.type != NN_FLOAT32)
		return nn_node_fail(node, -EINVAL, "needs inputs of float32");
	if (function < 0)
		return nn_node_fail(node, -EINVAL, "has no function \"%s\"",
				    nn_node_get_string(node, "function", ""));
	params->function = function;
	nn_node_default_quantization(node, 0, &(struct nn_tensor_info){
		.type = function >= NN_FLOAT_EQUAL ? NN_BOOL : NN_FLOAT32 });
	if (to->type != (function >= NN_FLOAT_EQUAL ? NN_BOOL : NN_FLOAT32))
		return nn_node_fail(node, -EINVAL, "makes %s", function >= NN_FLOAT_EQUAL ?
							       "bool" : "float32");
	if (function < NN_FLOAT_EQUAL && nn_binary_is_plain(node))
		node->may_overwrite = 3;
	return nn_infer_broadcast(node);
}

static int lower_float_binary(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_two(lowering, node, NN_OPCODE_FLOAT_BINARY, &op);

	if (!error)
		op->float_binary = *(const struct nn_float_binary_params *)node->state;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_float_binary = {
	.name = "FloatBinary",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_float_binary,
	.lower = lower_float_binary,
};
