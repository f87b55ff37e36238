// SPDX-License-Identifier: MIT
/*
 * REQUANTIZE: input INT32 with zero point 0, output 8 bit, same dimensions, C the last; scales of
 * nn_pack_repeated_lanes(C) lanes, or as many as one output has, for all. requant(a, scale). In
 * place.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/requantize.h"

enum nn_program_reason nn_requantize_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *scale = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || input->type != NN_TYPE_INT32 || !is_scales(scale) ||
	    !is_8bit(output))
		return NN_REASON_OPERAND;
	if (!same_dims(input, output))
		return NN_REASON_SHAPE;
	if (scale->dims[1] != repeated_lanes(requantize_period(call)))
		return NN_REASON_SHAPE;
	if (input->zero_point || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

int nn_requantize_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const int32_t *input = (const int32_t *)call->input[0].data;
	const float *scale = (const float *)call->input[1].data;
	uint32_t channels = requantize_period(call), channel = 0;

	for (uint64_t i = 0; i < output->bytes; i++) {
		int ret = progress_element(call, i);

		if (ret)
			return ret;
		output->data[i] = clamp_int(requant(input[i], scale[channel], output->zero_point),
					    call->op->out_min, call->op->out_max);
		if (++channel == channels)
			channel = 0;
	}
	return 0;
}
