// SPDX-License-Identifier: MIT
/*
 * RESCALE: input and output 8 bit or INT16, any types, same dimensions. nn_fixed_multiply() of q(a)
 * and by, where q(a) is below 0 by_below instead, plus the output's zero point, clamped. Exponents
 * are -31 .. 14. In place, if the types have one size. Or the input is INT32 with zero point 0, and
 * scale INT32 [2 * C] packed, C the last dimension, of two or more: multiplier and exponent of each
 * index of it, and those of the operator are 0. An exponent that is NN_TIES_UP more than -31 .. 30
 * is for nn_fixed_multiply_up() instead. Scales that are out of range make results unspecified. As
 * TensorFlow Lite's own kernels do it.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

static bool is_type(const struct nn_tensor *tensor)
{
	return is_8bit(tensor) || is_int16(tensor);
}

static bool is_scale_in_range(const struct nn_fixed *by)
{
	return by->exponent >= -31 && by->exponent <= 14;
}

enum nn_program_reason nn_rescale_check(const struct nn_call *call)
{
	const struct nn_rescale_params *params = &call->op->rescale;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	bool is_sum = input->type == NN_TYPE_INT32;

	if (!operands_are(call, is_sum ? 2 : 1, 1) || !is_type(output) ||
	    (is_sum ? !is_constant(&call->input[1], NN_TYPE_INT32) : !is_type(input)))
		return NN_REASON_OPERAND;
	if (!same_dims(input, output) ||
	    (is_sum && (output->rank < 2 ||
			call->input[1].dims[0] != 2ull * output->dims[output->rank - 1])))
		return NN_REASON_SHAPE;
	if (is_sum && (input->zero_point || params->by.multiplier || params->by_below.multiplier))
		return NN_REASON_PARAMETER;
	if (!is_scale_in_range(&params->by) || !is_scale_in_range(&params->by_below) ||
	    !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

static int32_t load(const struct nn_tensor *tensor, uint64_t i)
{
	if (tensor->type == NN_TYPE_INT16)
		return ((const int16_t *)tensor->data)[i];
	return load_8bit(&tensor->data[i], flip_of(tensor));
}

static void store(const struct nn_call *call, uint64_t i, int32_t value)
{
	const struct nn_tensor *output = &call->output[0];

	/* Larger values are clamped so that the zero point can be added. */
	value = clamp_int(value, -(1 << 20), 1 << 20);
	value = clamp_int(value + output->zero_point, call->op->out_min, call->op->out_max);
	if (output->type == NN_TYPE_INT16)
		((int16_t *)output->data)[i] = (int16_t)value;
	else
		output->data[i] = (uint8_t)value;
}

/* Each index of the last dimension by a scale of its own. */
static int rescale_sums(const struct nn_call *call, uint64_t count)
{
	const int32_t *input = (const int32_t *)call->input[0].data;
	const int32_t *scale = (const int32_t *)call->input[1].data;
	uint32_t channels = call->input[1].dims[0] / 2, c = 0;
	struct nn_fixed by;
	bool is_up;

	for (uint64_t i = 0; i < count; i++) {
		int ret = progress_element(call, i);

		if (ret)
			return ret;
		is_up = scale[2 * c + 1] >= NN_TIES_UP - 31;
		by.multiplier = scale[2 * c];
		by.exponent = clamp_int(scale[2 * c + 1] - (is_up ? NN_TIES_UP : 0), -31, 30);
		store(call, i, is_up ? nn_fixed_multiply_up(input[i], by) :
				       nn_fixed_multiply(input[i], by));
		c = c + 1 < channels ? c + 1 : 0;
	}
	return 0;
}

int nn_rescale_portable(const struct nn_call *call)
{
	const struct nn_rescale_params *params = &call->op->rescale;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t count = output->bytes / nn_type_size(output->type);

	if (input->type == NN_TYPE_INT32)
		return rescale_sums(call, count);
	for (uint64_t i = 0; i < count; i++) {
		int32_t q = load(input, i) - input->zero_point;
		const struct nn_fixed *by = q < 0 ? &params->by_below : &params->by;
		int ret = progress_element(call, i);

		if (ret)
			return ret;
		store(call, i, nn_fixed_multiply(q, *by));
	}
	return 0;
}
