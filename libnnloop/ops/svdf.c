// SPDX-License-Identifier: MIT
/*
 * SVDF: filters over time. Each of `filters` makes a number of each input, its feature, and keeps
 * the last `memory` of them in a Variable, which this operator assigns itself. It computes as
 * TensorFlow Lite's kernel of 8 bits with a state of 16 bits does.
 *
 *	the Variable: the features of `memory` steps, the oldest first
 *	┌───────────────────────────────────────────────┬────────────────────┐
 *	│ features of a step │ ...                      │ weights of x times x │
 *	└───────────────────────────────────────────────┴────────────────────┘
 *	     times the weights of time, and of these the sums of each unit's filters
 *
 * Filter f is one of unit f % units, so all elements of a unit are as far apart as there are units.
 *
 * docs/operators.md:
 * | `SVDF` | a Variable's output int16 `[rows, memory * filters]`, which is changed, x int8 `[rows,
 * inputs]`; constants: weights of x int8 `[filters, inputs]`, weights of time int16 `[memory, filters]`,
 * bias int32 `[units]` | | int8 `[rows, units]` |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

#include "dsp/program/pack.h"

enum { STATE, X, WEIGHTS, TIME, BIAS, INPUTS };

static int check_constant(struct nn_node *node, uint32_t i, enum nn_data_type type, uint32_t rank,
			  const char *what)
{
	const struct nn_value *value = node->inputs[i];
	const struct nn_tensor_info *info = &value->info;

	if (!nn_value_is_const(value) || info->type != type || info->zero_point || info->scales ||
	    info->rank != rank)
		return nn_node_fail(node, -EINVAL,
				    "%s must be a constant of %s with %u dimensions, one scale and zero "
				    "point 0", what, nn_data_type_name(type), rank);
	if (type != NN_INT32 && !(info->scale > 0))
		return nn_node_fail(node, -EINVAL, "%s must have a scale", what);
	return 0;
}

static int check_constants(struct nn_node *node)
{
	const struct nn_tensor_info *weights = &node->inputs[WEIGHTS]->info;
	const struct nn_tensor_info *time = &node->inputs[TIME]->info;
	const struct nn_tensor_info *bias = &node->inputs[BIAS]->info;
	int error = check_constant(node, WEIGHTS, NN_INT8, 2, "the weights of x");

	if (!error)
		error = check_constant(node, TIME, NN_INT16, 2, "the weights of time");
	if (!error)
		error = check_constant(node, BIAS, NN_INT32, 1, "the bias");
	if (error)
		return error;
	if (time->dims[1] != weights->dims[0] || weights->dims[0] % bias->dims[0])
		return nn_node_fail(node, -EINVAL,
				    "there are weights of x for %u filters, weights of time for %u, and a "
				    "bias for %u units", weights->dims[0], time->dims[1], bias->dims[0]);
	return 0;
}

static int check_values(struct nn_node *node)
{
	const struct nn_value *variable = node->inputs[STATE];
	const struct nn_tensor_info *state = &variable->info, *x = &node->inputs[X]->info;
	const struct nn_tensor_info *weights = &node->inputs[WEIGHTS]->info;
	const struct nn_tensor_info *time = &node->inputs[TIME]->info;

	if (!nn_node_has(variable->node, NN_OP_STATE))
		return nn_node_fail(node, -EINVAL, "input 0 must be a Variable, not node %u (%s)",
				    variable->node->id, variable->node->op_name);
	if (x->type != NN_INT8 || x->rank != 2 || !(x->scale > 0) ||
	    x->dims[1] != weights->dims[1])
		return nn_node_fail(node, -EINVAL,
				    "x must be int8 with a scale, [rows, %u] as its weights are",
				    weights->dims[1]);
	if (state->type != NN_INT16 || state->zero_point || !(state->scale > 0) ||
	    state->rank != 2 || state->dims[1] != (uint64_t)time->dims[0] * time->dims[1])
		return nn_node_fail(node, -EINVAL,
				    "the Variable must be int16 with a scale and zero point 0, [rows, %llu] "
				    "as the weights of time are",
				    (unsigned long long)time->dims[0] * time->dims[1]);
	if (state->level != x->level || state->dims[0] != x->dims[0])
		return nn_node_fail(node, -EINVAL,
				    "x, %u rows of level %u, does not fit the Variable, %u rows of level %u",
				    x->dims[0], x->level, state->dims[0], state->level);
	return 0;
}

static int find_scale(struct nn_node *node, float real, struct nn_fixed *by)
{
	if (!(real < 0x1p30f))
		return nn_node_fail(node, -EOPNOTSUPP, "the scales of inputs, weights and output "
				    "differ too much");
	*by = nn_pack_fixed(real);
	return 0;
}

static int check_svdf(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *state = &node->inputs[STATE]->info;
	const struct nn_tensor_info *x = &node->inputs[X]->info;
	const struct nn_tensor_info *weights = &node->inputs[WEIGHTS]->info;
	const struct nn_tensor_info *time = &node->inputs[TIME]->info;
	struct nn_svdf_params *params = nn_node_make_state(node, sizeof(*params));
	struct nn_tensor_info *output = &node->outputs[0].info;
	uint32_t dims[2] = { x->dims[0] };
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	error = check_constants(node);
	if (!error)
		error = check_values(node);
	if (error)
		return error;
	nn_node_default_quantization(node, 0, x);
	if (output->type != NN_INT8 || output->scales || !(output->scale > 0))
		return nn_node_fail(node, -EINVAL, "the output must be int8 with one scale");
	dims[1] = node->inputs[BIAS]->info.dims[0];
	params->rank = weights->dims[0] / dims[1];
	params->memory = time->dims[0];
	error = find_scale(node, x->scale * weights->scale / state->scale, &params->feature);
	if (!error)
		error = find_scale(node, state->scale * time->scale / output->scale,
				   &params->output);
	return error ? error : nn_node_infer_shape(node, 0, x, 2, dims);
}

static struct nn_weights weights_of(const struct nn_node *node)
{
	const struct nn_value *value = node->inputs[WEIGHTS];

	return (struct nn_weights){
		.data = value->node->data,
		.outputs = value->info.dims[0],
		.kernel_h = 1,
		.kernel_w = 1,
		.inputs = value->info.dims[1],
		.stride_output = value->info.dims[1],
		.stride_input = 1,
	};
}

static uint64_t count_biases(const struct nn_node *node)
{
	return (uint64_t)nn_pack_lanes(node->inputs[WEIGHTS]->info.dims[0]) +
	       nn_pack_lanes(node->inputs[BIAS]->info.dims[0]);
}

static void fill_weights(void *to, const struct nn_node *node)
{
	const struct nn_weights weights = weights_of(node);

	nn_pack_conv2d(to, &weights);
}

static void fill_time(void *to, const struct nn_node *node)
{
	memcpy(to, node->inputs[TIME]->node->data, nn_info_bytes(&node->inputs[TIME]->info));
}

/* Writes what x's zero point makes in the sums of features, and the bias of the units. */
static void fill_bias(void *to, const struct nn_node *node)
{
	const struct nn_weights weights = weights_of(node);
	const struct nn_outputs outputs = {
		.weights = &weights,
		.zero_point = node->inputs[X]->info.zero_point,
		.least = INT8_MIN,
		.greatest = INT8_MAX,
		.lanes = nn_pack_lanes(weights.outputs),
		.used = weights.outputs,
	};
	const uint32_t units = node->inputs[BIAS]->info.dims[0];
	int32_t *bias = to;

	nn_pack_outputs(bias, NULL, &outputs);
	bias += outputs.lanes;
	memset(bias, 0, nn_pack_lanes(units) * sizeof(*bias));
	memcpy(bias, node->inputs[BIAS]->node->data, units * sizeof(*bias));
}

/* A constant that fill() writes. Returns the program's number of it or -errno. */
static int lower_constant(struct nn_lowering *lowering, const struct nn_node *node,
			  enum nn_type type, uint64_t elements, uint32_t size, nn_fill_fp fill)
{
	int error = nn_lower_filled(lowering, elements * size, fill, node);

	return error ? error : nn_lower_part(lowering, type, 0, 1, elements);
}

static int lower_svdf(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_weights weights = weights_of(node);
	const struct nn_tensor_info *time = &node->inputs[TIME]->info;
	int x = nn_lower_value(lowering, node->inputs[X]), state, output, constants[3];
	struct nn_program_op *op;

	if (x < 0)
		return x;
	state = nn_lower_value(lowering, node->inputs[STATE]);
	if (state < 0)
		return state;
	output = nn_lower_value(lowering, &node->outputs[0]);
	if (output < 0)
		return output;
	constants[0] = lower_constant(lowering, node, NN_TYPE_UINT8,
				      nn_pack_conv2d_size(weights.outputs, 1, 1, weights.inputs), 1,
				      fill_weights);
	if (constants[0] < 0)
		return constants[0];
	nn_lower_zero_point(lowering, constants[0], 128);
	constants[1] = lower_constant(lowering, node, NN_TYPE_INT16,
				      (uint64_t)time->dims[0] * time->dims[1], sizeof(int16_t),
				      fill_time);
	if (constants[1] < 0)
		return constants[1];
	constants[2] = lower_constant(lowering, node, NN_TYPE_INT32, count_biases(node),
				      sizeof(int32_t), fill_bias);
	if (constants[2] < 0)
		return constants[2];
	op = nn_lower_op(lowering, node, NN_OPCODE_SVDF);
	if (!op)
		return -ENOMEM;
	op->input[0] = x;
	op->input[1] = state;
	for (uint32_t i = 0; i < 3; i++)
		op->input[2 + i] = constants[i];
	op->output[0] = output;
	op->output[1] = state;
	op->svdf = *(const struct nn_svdf_params *)node->state;
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ 0 }
};

const struct nn_op nn_op_svdf = {
	.name = "SVDF",
	.flags = NN_OP_ASSIGNS,
	.min_inputs = INPUTS,
	.max_inputs = INPUTS,
	.outputs = 1,
	.attrs = attrs,
	.check = check_svdf,
	.lower = lower_svdf,
};
