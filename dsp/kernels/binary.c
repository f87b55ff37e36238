// SPDX-License-Identifier: MIT
/*
 * BINARY: two inputs and an output of 8 bit or INT16, any types, which are broadcast as
 * dsp/kernels/broadcast.h says; or one input is FLOAT32, packed, and the other INT16. A function of
 * two elements a and b, clamped; of INT16 one of the first seven:
 *
 * ADD, SUB, MUL, DIV, MIN, MAX, PRELU: with x = q(a) * scale_a and y = q(b) * scale_b, or what is
 * of FLOAT32 as it is, rint(f / scale_output) + zero point, where f is x + y, x - y, x * y, x / y,
 * the lesser, the greater, or x where it is not below 0 and else x * y. All in float32, each
 * operation rounded to nearest, ties to even; what is no number becomes the least one. This is
 * ONNX's DequantizeLinear, the operator and QuantizeLinear as ONNX Runtime computes them.
 *
 * ADD_SHIFTED: as opcode ADD, with the parameters `add`. ADD_FUSED: as opcode ADD_FLOAT, fused.
 *
 * MUL_ONCE: rint(q(a) * q(b) * scale_output) + zero point, with one float32 multiplication, as
 * XNNPACK multiplies. MUL_FUSED: rint(q(a) * q(b) * scale_output + zero point), rounded to float32
 * after either step, which is ONNX Runtime's QLinearMul.
 *
 * With nn_fixed_multiply() of dsp/program/fixed.h, as TensorFlow Lite's own kernels:
 *
 * PRELU_FIXED: q(a) by by[0] where it is not below 0, else q(a) * q(b) by by[1]; + zero point.
 *
 * SQUARED_DIFFERENCE_FIXED: the square of (q(a) * 2^7 by by[0]) - (q(b) * 2^7 by by[1]), by by[2];
 * + zero point.
 */
#include "dsp/kernels/binary.h"
#include "dsp/kernels/broadcast.h"
#include "dsp/kernels/progress.h"

/* Bits of what is rescaled: q() has 8 and a sign, and a square of differences must fit in 30. */
#define PRODUCT_BITS	16
#define DIFFERENCE_BITS	15

/* Functions whose definition is in float32 alone. */
static bool is_of_reals(const struct nn_binary_params *params)
{
	return params->function <= NN_BINARY_PRELU;
}

static bool has_16_bits(const struct nn_call *call)
{
	return !is_8bit(&call->input[0]) || !is_8bit(&call->input[1]) ||
	       !is_8bit(&call->output[0]);
}

/* Operands of which one is a constant of floats are otherwise of 16 bits. */
static bool are_operands(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];

	if (!is_quantized(&call->output[0]))
		return false;
	if (a->type == NN_TYPE_FLOAT32 && a->packed)
		return b->type == NN_TYPE_INT16;
	if (b->type == NN_TYPE_FLOAT32 && b->packed)
		return a->type == NN_TYPE_INT16;
	return is_quantized(a) && is_quantized(b);
}

static bool params_are_valid(const struct nn_binary_params *params)
{
	switch (params->function) {
	case NN_BINARY_ADD:
	case NN_BINARY_SUB:
	case NN_BINARY_MUL:
	case NN_BINARY_DIV:
	case NN_BINARY_MIN:
	case NN_BINARY_MAX:
	case NN_BINARY_PRELU:
	case NN_BINARY_ADD_FUSED:
		return is_scale(params->scale_a) && is_scale(params->scale_b) &&
		       is_scale(params->scale_output);
	case NN_BINARY_ADD_SHIFTED:
		return add_is_valid(&params->add);
	case NN_BINARY_MUL_ONCE:
	case NN_BINARY_MUL_FUSED:
		return is_scale(params->scale_output);
	case NN_BINARY_PRELU_FIXED:
		return nn_fixed_fits(params->by[0], PRODUCT_BITS) &&
		       nn_fixed_fits(params->by[1], PRODUCT_BITS);
	case NN_BINARY_SQUARED_DIFFERENCE_FIXED:
		return params->by[0].exponent <= 0 && params->by[1].exponent <= 0 &&
		       nn_fixed_fits(params->by[0], DIFFERENCE_BITS) &&
		       nn_fixed_fits(params->by[1], DIFFERENCE_BITS) &&
		       nn_fixed_fits(params->by[2], 2 * DIFFERENCE_BITS);
	}
	return false;
}

enum nn_program_reason nn_binary_check(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !are_operands(call))
		return NN_REASON_OPERAND;
	if (!goes_with(a, output) || !goes_with(b, output))
		return NN_REASON_SHAPE;
	if (!params_are_valid(&call->op->binary) || !clamp_is_valid(call) ||
	    (has_16_bits(call) && !is_of_reals(&call->op->binary)))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/*
 * Sums take scales that are not too far apart, or from 1; products, quotients and slopes scales of
 * 2^-40 to 2^40. All other functions have vectors; 16 bits have none.
 */
bool nn_binary_has_vectors(const struct nn_call *call)
{
	const struct nn_binary_params *params = &call->op->binary;
	struct nn_add_float_params scales = binary_scales(params);

	if (has_16_bits(call))
		return false;
	switch (params->function) {
	case NN_BINARY_ADD:
	case NN_BINARY_SUB:
	case NN_BINARY_ADD_FUSED:
		return add_float_is_in_integers(&scales);
	case NN_BINARY_MUL:
	case NN_BINARY_DIV:
	case NN_BINARY_PRELU:
		/* Integers cannot tell of other scales. */
		return nn_binary_is_moderate(params->scale_a) &&
		       nn_binary_is_moderate(params->scale_b) &&
		       nn_binary_is_moderate(params->scale_output);
	}
	return true;
}

#define ELEMENT_WORK	192	/* most of it is divisions, which the DSP has no instruction for */

/* The real number that an element stands for. */
static float real_of(const struct nn_tensor *tensor, const uint8_t *at, float scale)
{
	if (tensor->type == NN_TYPE_FLOAT32)
		return *(const float *)at;
	return (float)(load_quantized(tensor, at) - tensor->zero_point) * scale;
}

/* The same where an operand has 16 bits. */
static int binary_of_16_bits(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	const struct nn_binary_params *params = &call->op->binary;
	uint32_t size = nn_type_size(output->type);
	struct progress progress = { .call = call };
	struct broadcast walk;

	broadcast_begin(&walk, call, 2);
	for (uint64_t i = 0; i < output->bytes; i += size) {
		float x = real_of(a, walk.at[0], params->scale_a);
		float y = real_of(b, walk.at[1], params->scale_b);
		int32_t whole = round_float(compute_float(params->function, x, y) /
					    params->scale_output);
		int ret = progress_add(&progress, ELEMENT_WORK);

		if (ret)
			return ret;
		store_quantized(output, output->data + i,
			      clamp_int(whole + output->zero_point, call->op->out_min,
					call->op->out_max));
		broadcast_next(&walk);
	}
	return 0;
}

int nn_binary_portable(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	const struct nn_binary_params *params = &call->op->binary;
	const struct nn_add_float_params in_float = binary_scales(params);
	const struct float_sum sum = float_sum_of(call, &in_float);
	struct broadcast walk;
	struct progress progress = { .call = call };
	int32_t flip_a = flip_of(a), flip_b = flip_of(b), result;

	if (has_16_bits(call))
		return binary_of_16_bits(call);
	broadcast_begin(&walk, call, 2);
	for (uint64_t i = 0; i < output->bytes; i++) {
		int ret = progress_add(&progress, ELEMENT_WORK);

		if (ret)
			return ret;
		result = compute_binary(params, &sum, load_8bit(walk.at[0], flip_a) - a->zero_point,
				 load_8bit(walk.at[1], flip_b) - b->zero_point);
		output->data[i] = clamp_int(result + output->zero_point, call->op->out_min,
					    call->op->out_max);
		broadcast_next(&walk);
	}
	return 0;
}
