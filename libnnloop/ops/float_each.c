// SPDX-License-Identifier: MIT
/*
 * FloatEach: a function of each element of float32.
 *
 * docs/operators.md:
 * | `FloatEach` | x float32 | `function` (required: as ONNX calls it, or `clamp`, `rsqrt`, `square`),
 * `alpha`, `beta` (its own) | float32 |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

/* Functions by name, and what their parameters are where nobody says; of others they are 0. */
static const struct function {
	const char *name;
	enum nn_float_function number;
	float alpha, beta;
} functions[] = {
	{ "Abs", NN_FLOAT_ABS, 0, 0 },
	{ "Acos", NN_FLOAT_ARC_COSINE, 0, 0 },
	{ "Acosh", NN_FLOAT_AREA_COSINE, 0, 0 },
	{ "Asin", NN_FLOAT_ARC_SINE, 0, 0 },
	{ "Asinh", NN_FLOAT_AREA_SINE, 0, 0 },
	{ "Atan", NN_FLOAT_ARC_TANGENT, 0, 0 },
	{ "Atanh", NN_FLOAT_AREA_TANGENT, 0, 0 },
	{ "Ceil", NN_FLOAT_CEIL, 0, 0 },
	{ "Celu", NN_FLOAT_CELU, 1, 0 },
	{ "Cos", NN_FLOAT_COSINE, 0, 0 },
	{ "Cosh", NN_FLOAT_HYPERBOLIC_COSINE, 0, 0 },
	{ "Elu", NN_FLOAT_ELU, 1, 0 },
	{ "Erf", NN_FLOAT_ERROR, 0, 0 },
	{ "Exp", NN_FLOAT_EXPONENTIAL, 0, 0 },
	{ "Floor", NN_FLOAT_FLOOR, 0, 0 },
	{ "Gelu", NN_FLOAT_GELU, 0, 0 },
	{ "GeluTanh", NN_FLOAT_GELU_TANH, 0, 0 },
	{ "HardSigmoid", NN_FLOAT_HARD_SIGMOID, 0.2f, 0.5f },
	{ "HardSwish", NN_FLOAT_HARD_SWISH, 0, 0 },
	{ "LeakyRelu", NN_FLOAT_LEAKY, 0.01f, 0 },
	{ "Log", NN_FLOAT_LOGARITHM, 0, 0 },
	{ "Mish", NN_FLOAT_MISH, 0, 0 },
	{ "Neg", NN_FLOAT_NEGATE, 0, 0 },
	{ "Reciprocal", NN_FLOAT_RECIPROCAL, 0, 0 },
	{ "Relu", NN_FLOAT_CLAMP, 0, __builtin_inff() },
	{ "Round", NN_FLOAT_ROUND, 0, 0 },
	{ "Selu", NN_FLOAT_SELU, 1.67326319217681884765625f, 1.05070102214813232421875f },
	{ "Shrink", NN_FLOAT_SHRINK, 0.5f, 0 },
	{ "Sigmoid", NN_FLOAT_SIGMOID, 0, 0 },
	{ "Sign", NN_FLOAT_SIGN, 0, 0 },
	{ "Sin", NN_FLOAT_SINE, 0, 0 },
	{ "Sinh", NN_FLOAT_HYPERBOLIC_SINE, 0, 0 },
	{ "Softplus", NN_FLOAT_SOFTPLUS, 0, 0 },
	{ "Softsign", NN_FLOAT_SOFTSIGN, 0, 0 },
	{ "Sqrt", NN_FLOAT_SQUARE_ROOT, 0, 0 },
	{ "Swish", NN_FLOAT_SWISH, 1, 0 },
	{ "Tan", NN_FLOAT_TANGENT, 0, 0 },
	{ "Tanh", NN_FLOAT_TANH, 0, 0 },
	{ "ThresholdedRelu", NN_FLOAT_THRESHOLD, 1, 0 },
	{ "clamp", NN_FLOAT_CLAMP, -__builtin_inff(), __builtin_inff() },
	{ "rsqrt", NN_FLOAT_RECIPROCAL_ROOT, 0, 0 },
	{ "square", NN_FLOAT_SQUARE, 0, 0 },
};

static const struct function *find_function(const struct nn_node *node)
{
	const char *name = nn_node_get_string(node, "function", "");

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!strcmp(functions[i].name, name))
			return &functions[i];
	}
	return NULL;
}

static int check_float_each(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct nn_float_each_params *params = nn_node_make_state(node, sizeof(*params));
	const struct function *function = find_function(node);
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	error = nn_node_need_float(node);
	if (error)
		return error;
	if (!function)
		return nn_node_fail(node, -EINVAL, "has no function \"%s\"",
				    nn_node_get_string(node, "function", ""));
	params->function = function->number;
	params->alpha = nn_node_get_float(node, "alpha", function->alpha);
	params->beta = nn_node_get_float(node, "beta", function->beta);
	if (params->alpha != params->alpha || params->beta != params->beta)
		return nn_node_fail(node, -EINVAL, "alpha and beta must be numbers");
	node->may_overwrite = 1;
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, from, from->rank, from->dims);
}

/* Before it is checked: bounds that are none, and other functions, limit nothing. */
static struct nn_limits get_float_each_limits(const struct nn_node *node)
{
	const struct function *function = find_function(node);
	struct nn_limits limits = { 1, 0 };

	if (!function || function->number != NN_FLOAT_CLAMP)
		return limits;
	limits.min = nn_node_get_float(node, "alpha", function->alpha);
	limits.max = nn_node_get_float(node, "beta", function->beta);
	return limits.min <= limits.max ? limits : (struct nn_limits){ 1, 0 };
}

static int lower_float_each(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_FLOAT_EACH, node->inputs[0],
				   &node->outputs[0], &op);

	if (!error)
		op->float_each = *(const struct nn_float_each_params *)node->state;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "alpha", .type = NN_ATTR_FLOAT },
	{ .name = "beta", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_float_each = {
	.name = "FloatEach",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_float_each,
	.get_limits = get_float_each_limits,
	.lower = lower_float_each,
};
