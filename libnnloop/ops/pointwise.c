// SPDX-License-Identifier: MIT
/*
 * Operators that make each element of their output from the elements at the same place in their
 * inputs.
 */
#include "plan/lower.h"
#include "ops.h"
#include "plan/plan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "dsp/pack.h"

/* ---- Add */

static int check_add(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	struct nn_tensor_info *output = &node->outputs[0].info;
	const char *activation = nn_node_get_string(node, "activation", "none");
	struct nn_add_params *params = nn_pool_alloc(&graph->preparing->pool, sizeof(*params));
	char text[2][NN_SHAPE_TEXT];
	int error;

	(void)opaque;
	if (!params)
		return nn_graph_no_memory(graph);
	node->state = params;
	error = nn_node_need_8bit(node, a, "first input");
	if (error)
		return error;
	error = nn_node_need_8bit(node, b, "second input");
	if (error)
		return error;
	error = nn_node_need_8bit(node, output, "output");
	if (error)
		return error;
	if (a->rank != b->rank || a->level != b->level ||
	    memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims)))
		return nn_node_fail(node, -EINVAL,
				    "the inputs must have the same shape and level, not %s and %s",
				    nn_info_format_shape(a, text[0], sizeof(text[0])),
				    nn_info_format_shape(b, text[1], sizeof(text[1])));
	if (!strcmp(activation, "relu") || !strcmp(activation, "relu6"))
		node->clamp_min = fmaxf(node->clamp_min, 0);
	else if (strcmp(activation, "none"))
		return nn_node_fail(node, -EINVAL, "activation is none, relu or relu6, not \"%s\"",
				    activation);
	if (!strcmp(activation, "relu6"))
		node->clamp_max = fminf(node->clamp_max, 6);
	if (nn_pack_add_params(params, a->scale, b->scale, output->scale))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	return nn_node_infer_shape(node, 0, a, a->rank, a->dims);
}

static int lower_add(struct nn_lowering *lowering, struct nn_node *node)
{
	int a = nn_lower_value(lowering, node->inputs[0]);
	int b = nn_lower_value(lowering, node->inputs[1]);
	int output = nn_lower_value(lowering, &node->outputs[0]);
	struct nn_program_op *op;

	if (a < 0 || b < 0 || output < 0)
		return -ENOMEM;
	op = nn_lower_op(lowering, node, NN_OPCODE_ADD);
	if (!op)
		return -ENOMEM;
	op->input[0] = a;
	op->input[1] = b;
	op->output[0] = output;
	op->add = *(const struct nn_add_params *)node->state;
	nn_lower_clamp(op, node);
	return 0;
}

static const struct nn_attr_spec add_attrs[] = {
	{ .name = "activation", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_add = {
	.name = "Add",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = add_attrs,
	.check = check_add,
	.lower = lower_add,
};

/* ---- Requantize: int32 by the operator of that name, 8 bit by a table */

static int check_requantize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int error;

	(void)graph;
	(void)opaque;
	error = nn_node_need_8bit(node, &node->outputs[0].info, "output");
	if (error)
		return error;
	if (from->type == NN_INT32)
		error = nn_node_need_scale(node, from, "input");
	else
		error = nn_node_need_8bit(node, from, "input");
	if (error)
		return error;
	if (from->type == NN_INT32 &&
	    (from->zero_point || (from->scales && from->axis != from->rank - 1)))
		return nn_node_fail(
			node, -EINVAL,
			"an int32 input must have zero point 0 and scales of the last dimension");
	if (from->type != NN_INT32 && from->scales)
		return nn_node_fail(node, -EOPNOTSUPP, "an 8-bit input must have one scale");
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static double identity(double x, const void *opaque)
{
	(void)opaque;
	return x;
}

static int lower_requantize(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	uint32_t count = from->scales ? from->scale_count : 1, i;
	struct nn_program_op *op;
	int input, output, scale;
	void *data;

	if (from->type != NN_INT32)
		return nn_lower_table(lowering, node, identity, NULL);

	input = nn_lower_value(lowering, node->inputs[0]);
	output = nn_lower_value(lowering, &node->outputs[0]);
	scale = nn_lower_constant(lowering, NN_TYPE_FLOAT32, count, &data);
	if (input < 0 || output < 0 || scale < 0)
		return -ENOMEM;
	for (i = 0; data && i < count; i++) {
		float s = (from->scales ? from->scales[i] : from->scale) /
			  node->outputs[0].info.scale;

		if (!isnormal(s))
			return nn_node_fail(node, -EINVAL,
					    "input scale / output scale is not a normal number");
		((float *)data)[i] = s;
	}
	op = nn_lower_op(lowering, node, NN_OPCODE_REQUANTIZE);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->input[1] = scale;
	op->output[0] = output;
	nn_lower_clamp(op, node);
	return 0;
}

const struct nn_op nn_op_requantize = {
	.name = "Requantize",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = check_requantize,
	.lower = lower_requantize,
};

/* ---- Functions of one 8-bit element: tables */

static int check_function(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int error;

	(void)graph;
	(void)opaque;
	error = nn_node_need_8bit(node, from, "input");
	if (error)
		return error;
	nn_node_default_quantization(node, 0, from);
	error = nn_node_need_8bit(node, &node->outputs[0].info, "output");
	if (error)
		return error;
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

struct clamp {
	double min, max;
};

static double clamp(double x, const void *opaque)
{
	const struct clamp *limits = opaque;

	return fmin(fmax(x, limits->min), limits->max);
}

static double sigmoid(double x, const void *opaque)
{
	(void)opaque;
	return 1 / (1 + exp(-x));
}

static double hyperbolic_tangent(double x, const void *opaque)
{
	(void)opaque;
	return tanh(x);
}

static int lower_clamp(struct nn_lowering *lowering, struct nn_node *node)
{
	struct clamp limits = { .min = 0, .max = INFINITY };

	if (nn_node_is(node, NN_OP_RELU6))
		limits.max = 6;
	if (nn_node_is(node, NN_OP_CLAMP)) {
		limits.min = nn_node_get_float(node, "min", -INFINITY);
		limits.max = nn_node_get_float(node, "max", INFINITY);
		if (!(limits.min <= limits.max))
			return nn_node_fail(node, -EINVAL, "min must not exceed max");
	}
	return nn_lower_table(lowering, node, clamp, &limits);
}

static int lower_sigmoid(struct nn_lowering *lowering, struct nn_node *node)
{
	return nn_lower_table(lowering, node, sigmoid, NULL);
}

static int lower_tanh(struct nn_lowering *lowering, struct nn_node *node)
{
	return nn_lower_table(lowering, node, hyperbolic_tangent, NULL);
}

static const struct nn_attr_spec clamp_attrs[] = {
	{ .name = "min", .type = NN_ATTR_FLOAT },
	{ .name = "max", .type = NN_ATTR_FLOAT },
	{ 0 }
};

#define FUNCTION(op_name, op_attrs, op_lower) { \
	.name = op_name, \
	.min_inputs = 1, \
	.max_inputs = 1, \
	.outputs = 1, \
	.attrs = op_attrs, \
	.check = check_function, \
	.lower = op_lower, \
}

const struct nn_op nn_op_relu = FUNCTION("Relu", NULL, lower_clamp);
const struct nn_op nn_op_relu6 = FUNCTION("Relu6", NULL, lower_clamp);
const struct nn_op nn_op_clamp = FUNCTION("Clamp", clamp_attrs, lower_clamp);
const struct nn_op nn_op_sigmoid = FUNCTION("Sigmoid", NULL, lower_sigmoid);
const struct nn_op nn_op_tanh = FUNCTION("Tanh", NULL, lower_tanh);
