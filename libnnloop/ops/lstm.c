// SPDX-License-Identifier: MIT
/*
 * LSTM: a recurrent layer over a sequence. It computes as TensorFlow Lite's kernel of 8 bits with a
 * state of 16 bits does; the state comes in and goes out, so that a Variable can keep it.
 *
 * docs/operators.md:
 * | `LSTM` | x int8 `[rows, steps, inputs]`, last output int8 `[rows, cells]`, cell state int16
 * `[rows, cells]`; constants: weights of x int8 `[cells, inputs]` and of the last output int8 `[cells,
 * cells]` and bias int32 `[cells]`, each of input gate, forget gate, new values, output gate |
 * `cell_clip` (0: none): the state's limit, in its steps | int8 `[rows, steps, cells]`, scale, zero point
 * of the last output; last output and cell state as they are then |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

#include "dsp/program/pack.h"

#define GATES 4
#define LANES 32	/* cells of a gate that are side by side */

enum { X, LAST, CELL, WEIGHTS, LAST_WEIGHTS = WEIGHTS + GATES, BIAS = LAST_WEIGHTS + GATES,
       INPUTS = BIAS + GATES };
enum { OUTPUT, NEW_LAST, NEW_CELL, OUTPUTS };

static const char *const gate_names[GATES] = { "input gate", "forget gate", "new values", "output gate" };

static int check_constant(struct nn_node *node, uint32_t i, enum nn_data_type type, uint32_t rank,
			  uint32_t rows, uint32_t columns, const char *what)
{
	const struct nn_value *value = node->inputs[i];
	const struct nn_tensor_info *info = &value->info;

	if (!nn_value_is_const(value) || info->type != type || info->zero_point || info->scales ||
	    info->rank != rank || info->dims[0] != rows || (rank == 2 && info->dims[1] != columns))
		return nn_node_fail(node, -EINVAL,
				    "%s of the %s must be a constant of %s, %u x %u, with zero point 0",
				    what, gate_names[(i - WEIGHTS) % GATES], nn_data_type_name(type),
				    rows, columns);
	if (type == NN_INT8 && !(info->scale > 0))
		return nn_node_fail(node, -EINVAL, "%s of the %s must have a scale", what,
				    gate_names[(i - WEIGHTS) % GATES]);
	return 0;
}

static int check_constants(struct nn_node *node, uint32_t cells)
{
	uint32_t inputs = node->inputs[X]->info.dims[2];
	int error = 0;

	for (uint32_t g = 0; g < GATES && !error; g++) {
		error = check_constant(node, WEIGHTS + g, NN_INT8, 2, cells, inputs,
				       "the weights of x");
		if (!error)
			error = check_constant(node, LAST_WEIGHTS + g, NN_INT8, 2, cells, cells,
					       "the weights of the last output");
		if (!error)
			error = check_constant(node, BIAS + g, NN_INT32, 1, cells, 1, "the bias");
	}
	return error;
}

/* A scale of sums. 0 or the error. */
static int find_scale(struct nn_node *node, float real, struct nn_fixed *by)
{
	if (!(real > 0) || !(real < 0x1p14f))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs, weights and output differ too much");
	*by = nn_pack_fixed(real);
	return 0;
}

/* Finds the device's numbers; a gate's sum is in steps of 2^-12, and its result of 2^-15. */
static int find_params(struct nn_node *node, struct nn_lstm_params *params)
{
	int64_t clip = nn_node_get_attr_int(node, "cell_clip", 0);
	int exponent, error;

	/* A power of two is half of one in the form of frexpf(). */
	if (frexpf(node->inputs[CELL]->info.scale, &exponent) != 0.5f || exponent < -14 ||
	    exponent - 1 + 15 > NN_LSTM_CELL_BITS)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the cell state's scale must be a power of two, 2^-15 to 2^%d",
				    NN_LSTM_CELL_BITS - 15);
	params->cell_bits = exponent - 1 + 15;
	if (clip < 0 || clip > INT16_MAX)
		return nn_node_fail(node, -EINVAL, "cell_clip must be 0 to %d", INT16_MAX);
	params->cell_clip = clip;
	for (uint32_t g = 0; g < GATES; g++) {
		float of_x = node->inputs[WEIGHTS + g]->info.scale * node->inputs[X]->info.scale;
		float of_last = node->inputs[LAST_WEIGHTS + g]->info.scale *
				node->inputs[LAST]->info.scale;

		error = find_scale(node, of_x / 0x1p-12f, &params->input[g]);
		if (!error)
			error = find_scale(node, of_last / 0x1p-12f, &params->last[g]);
		if (error)
			return error;
	}
	return find_scale(node, 0x1p-15f / node->outputs[OUTPUT].info.scale * 0x1p-15f,
			  &params->output);
}

static int check_lstm(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *x = &node->inputs[X]->info, *last = &node->inputs[LAST]->info;
	const struct nn_tensor_info *cell = &node->inputs[CELL]->info;
	struct nn_lstm_params *params = nn_node_make_state(node, sizeof(*params));
	uint32_t dims[3];
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	if (x->type != NN_INT8 || x->rank != 3 || !(x->scale > 0))
		return nn_node_fail(node, -EINVAL, "x must be int8 with a scale, [rows, steps, inputs]");
	if (last->type != NN_INT8 || last->rank != 2 || !(last->scale > 0))
		return nn_node_fail(node, -EINVAL,
				    "the last output must be int8 with a scale, [rows, cells]");
	if (cell->type != NN_INT16 || cell->zero_point || cell->rank != 2 ||
	    cell->dims[1] != last->dims[1])
		return nn_node_fail(node, -EINVAL,
				    "the cell state must be int16 with zero point 0, [rows, cells], as many "
				    "cells as the last output has");
	error = check_constants(node, last->dims[1]);
	dims[0] = x->dims[0];
	dims[1] = x->dims[1];
	dims[2] = last->dims[1];
	if (!error)
		error = nn_node_keep_quantization(node, OUTPUT, last);
	if (!error)
		error = nn_node_infer_shape(node, OUTPUT, x, 3, dims);
	dims[1] = last->dims[1];
	if (!error)
		error = nn_node_keep_quantization(node, NEW_LAST, last);
	if (!error)
		error = nn_node_infer_shape(node, NEW_LAST, x, 2, dims);
	if (!error)
		error = nn_node_keep_quantization(node, NEW_CELL, cell);
	if (!error)
		error = nn_node_infer_shape(node, NEW_CELL, x, 2, dims);
	return error ? error : find_params(node, params);
}

/* The weights of up to LANES cells of a gate. */
static struct nn_weights weights_of(const struct nn_node *node, uint32_t input, uint32_t cell)
{
	const struct nn_value *value = node->inputs[input];
	uint32_t cells = value->info.dims[0], inputs = value->info.dims[1];

	return (struct nn_weights){
		.data = (const int8_t *)value->node->data + (uint64_t)cell * inputs,
		.outputs = cells - cell < LANES ? cells - cell : LANES,
		.kernel_h = 1,
		.kernel_w = 1,
		.inputs = inputs,
		.stride_output = inputs,
		.stride_input = 1,
	};
}

static uint64_t block_bytes(const struct nn_node *node, uint32_t input)
{
	return nn_pack_conv2d_size(LANES, 1, 1, node->inputs[input]->info.dims[1]);
}

static uint32_t blocks_of(const struct nn_node *node)
{
	return (node->inputs[LAST]->info.dims[1] + LANES - 1) / LANES;
}

/* Writes the weights of 32 cells of each gate, and then of the next ones. */
static void fill_weights(uint8_t *to, const struct nn_node *node, uint32_t input)
{
	for (uint32_t b = 0; b < blocks_of(node); b++) {
		for (uint32_t g = 0; g < GATES; g++) {
			const struct nn_weights weights = weights_of(node, input + g, LANES * b);

			nn_pack_conv2d(to, &weights);
			to += block_bytes(node, input);
		}
	}
}

static void fill_input_weights(void *to, const struct nn_node *node)
{
	fill_weights(to, node, WEIGHTS);
}

static void fill_last_weights(void *to, const struct nn_node *node)
{
	fill_weights(to, node, LAST_WEIGHTS);
}

/* Writes the bias of x's sums, in the order of the weights, and that of the others. */
static void fill_bias(void *to, const struct nn_node *node)
{
	int32_t *bias = to;

	for (uint32_t part = 0; part < 2; part++) {
		uint32_t input = part ? LAST_WEIGHTS : WEIGHTS;
		const struct nn_tensor_info *from = &node->inputs[part ? LAST : X]->info;

		for (uint32_t b = 0; b < blocks_of(node); b++) {
			for (uint32_t g = 0; g < GATES; g++) {
				const struct nn_weights weights = weights_of(node, input + g, LANES * b);
				const int32_t *own = node->inputs[BIAS + g]->node->data;
				const struct nn_outputs outputs = {
					.weights = &weights,
					.bias = part ? NULL : own + LANES * b,
					.zero_point = from->zero_point,
					.least = INT8_MIN,
					.greatest = INT8_MAX,
					.lanes = LANES,
					.used = weights.outputs,
				};

				nn_pack_outputs(bias, NULL, &outputs);
				bias += LANES;
			}
		}
	}
}

static int lower_weights(struct nn_lowering *lowering, const struct nn_node *node, uint32_t input,
			 nn_fill_fp fill)
{
	uint64_t bytes = (uint64_t)blocks_of(node) * GATES * block_bytes(node, input);
	int tensor = nn_lower_filled(lowering, bytes, fill, node);

	if (!tensor)
		tensor = nn_lower_part(lowering, NN_TYPE_UINT8, 0, 1, bytes);
	if (tensor >= 0)
		nn_lower_zero_point(lowering, tensor, 128);
	return tensor;
}

static int lower_lstm(struct nn_lowering *lowering, struct nn_node *node)
{
	uint64_t words = 2ull * blocks_of(node) * GATES * LANES;
	int inputs[6], outputs[OUTPUTS];
	struct nn_program_op *op;
	int error;

	for (uint32_t i = 0; i < 3; i++) {
		inputs[i] = nn_lower_value(lowering, node->inputs[i]);
		if (inputs[i] < 0)
			return inputs[i];
	}
	for (uint32_t i = 0; i < OUTPUTS; i++) {
		outputs[i] = nn_lower_value(lowering, &node->outputs[i]);
		if (outputs[i] < 0)
			return outputs[i];
	}
	inputs[3] = lower_weights(lowering, node, WEIGHTS, fill_input_weights);
	if (inputs[3] < 0)
		return inputs[3];
	inputs[4] = lower_weights(lowering, node, LAST_WEIGHTS, fill_last_weights);
	if (inputs[4] < 0)
		return inputs[4];
	error = nn_lower_filled(lowering, words * sizeof(int32_t), fill_bias, node);
	if (error)
		return error;
	inputs[5] = nn_lower_part(lowering, NN_TYPE_INT32, 0, 1, words);
	if (inputs[5] < 0)
		return inputs[5];
	op = nn_lower_op(lowering, node, NN_OPCODE_LSTM);
	if (!op)
		return -ENOMEM;
	for (uint32_t i = 0; i < 6; i++)
		op->input[i] = inputs[i];
	for (uint32_t i = 0; i < OUTPUTS; i++)
		op->output[i] = outputs[i];
	op->lstm = *(const struct nn_lstm_params *)node->state;
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "cell_clip", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_lstm = {
	.name = "LSTM",
	.min_inputs = INPUTS,
	.max_inputs = INPUTS,
	.outputs = OUTPUTS,
	.attrs = attrs,
	.check = check_lstm,
	.lower = lower_lstm,
};
