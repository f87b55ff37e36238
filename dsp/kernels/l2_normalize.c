// SPDX-License-Identifier: MIT
/*
 * L2_NORMALIZE: input and output 8 bit, one type, same dimensions. For each vector along the last
 * dimension, of 33025 elements at most, with q(x) = x - zero point and r = 1 / the root of the sum
 * of q(x)^2, as nn_fixed_inverse_root() of dsp/program/fixed.h has it, in 1/128, clamped:
 *
 *	INT8	nn_fixed_multiply(q(x), 2^7 * r) + zero point
 *	UINT8	nn_fixed_multiply(2^7 * q(x), r) + zero point
 *
 * as TensorFlow Lite's own kernels do it.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define MOST_ELEMENTS	33025u	/* whose squares sum up to 31 bits */
#define ELEMENT_WORK	32
#define VECTOR_WORK	512

enum nn_program_reason nn_l2_normalize_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];

	if (!operands_are(call, 1, 1) || !is_8bit(input) || output->type != input->type)
		return NN_REASON_OPERAND;
	if (!same_dims(input, output) || output->rank < 2 ||
	    output->dims[output->rank - 1] > MOST_ELEMENTS)
		return NN_REASON_SHAPE;
	return clamp_is_valid(call) ? NN_REASON_NONE : NN_REASON_PARAMETER;
}

static int normalize_vector(struct progress *progress, const uint8_t *from, uint8_t *to,
			    uint32_t length)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *input = &call->input[0];
	int32_t flip = flip_of(input), squares = 0;
	bool is_signed = input->type == NN_TYPE_INT8;
	int ret = progress_add(progress, VECTOR_WORK);
	struct nn_fixed by;

	for (uint32_t i = 0; i < length && !ret; i++) {
		int32_t q = load_8bit(&from[i], flip) - input->zero_point;

		squares += q * q;
		ret = progress_add(progress, ELEMENT_WORK);
	}
	by = nn_fixed_inverse_root(squares);
	by.exponent += is_signed ? 7 : 0;
	for (uint32_t i = 0; i < length && !ret; i++) {
		int32_t q = load_8bit(&from[i], flip) - input->zero_point;
		int32_t whole = nn_fixed_multiply(is_signed ? q : q * 128, by);

		to[i] = clamp_int(whole + call->output[0].zero_point, call->op->out_min,
				  call->op->out_max);
		ret = progress_add(progress, ELEMENT_WORK);
	}
	return ret;
}

int nn_l2_normalize_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t length = output->dims[output->rank - 1];
	struct progress progress = { .call = call };

	for (uint64_t i = 0; i < output->bytes; i += length) {
		int ret = normalize_vector(&progress, &call->input[0].data[i], &output->data[i],
					   length);

		if (ret)
			return ret;
	}
	return 0;
}
