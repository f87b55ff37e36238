// SPDX-License-Identifier: MIT
/*
 * SOFTMAX_INT16: input and output INT16, same dimensions, of which there are two or more, the last
 * at most 65535 long; and tables INT16 [1026], packed: 513 entries of e^x from -10 to 0, and 513 of
 * 1 / (1 + x) from 0 to 1, in steps of 2^-15. place(table, v) is between entries v / 2^7 + 256 and
 * the next, at v modulo 2^7 in steps of 2^-7, to the nearest, ties up. For each vector along the
 * last dimension, with the functions of dsp/program/fixed.h, `cut` to 16 bits, and bits = the
 * number of bits of sum:
 *
 *	power = place(e^x, cut(multiply(x - max, by) + 32767))
 *	sum of powers, at least 1
 *	whole = sum * 2^(31 - bits) / 2^14 to the nearest, ties up, less 3 * 2^15
 *	power * place(1 / (1 + x), cut(whole)) / 2^(bits - 1), to the nearest, ties up, clamped
 *
 * In place. As TensorFlow Lite's own kernels do it.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/softmax_int16.h"

#define MOST_ELEMENTS	65535	/* whose powers' sum fits 31 bits */
#define DIFFERENCE_BITS	17
#define ELEMENT_WORK	64

enum nn_program_reason nn_softmax_int16_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *tables = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !is_int16(input) || !is_int16(output) ||
	    !is_constant(tables, NN_TYPE_INT16))
		return NN_REASON_OPERAND;
	if (!same_dims(input, output) || output->rank < 2 ||
	    tables->dims[0] != 2 * SOFTMAX_INT16_PLACES ||
	    output->dims[output->rank - 1] > MOST_ELEMENTS)
		return NN_REASON_SHAPE;
	if (!nn_fixed_fits(call->op->softmax_int16.by, DIFFERENCE_BITS) || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

static int softmax_vector(struct progress *progress, const int16_t *from, int16_t *to,
			  uint32_t length)
{
	const struct nn_call *call = progress->call;
	const int16_t *tables = (const int16_t *)call->input[1].data;
	int32_t max = INT16_MIN, sum = 0;
	struct softmax_int16_sum scale;
	int ret = progress_add(progress, ELEMENT_WORK);

	for (uint32_t i = 0; i < length && !ret; i++) {
		max = from[i] > max ? from[i] : max;
		ret = progress_add(progress, ELEMENT_WORK);
	}
	for (uint32_t i = 0; i < length && !ret; i++) {
		int32_t x = nn_fixed_multiply(from[i] - max, call->op->softmax_int16.by);

		to[i] = (int16_t)softmax_int16_place(tables, x + INT16_MAX);
		sum += to[i];
		ret = progress_add(progress, ELEMENT_WORK);
	}
	scale = softmax_int16_sum_of(tables, sum);
	for (uint32_t i = 0; i < length && !ret; i++) {
		int64_t half = scale.shift ? 1ll << (scale.shift - 1) : 0;
		int64_t y = ((int64_t)to[i] * scale.inverse + half) >> scale.shift;

		to[i] = (int16_t)clamp_int((int32_t)y, call->op->out_min, call->op->out_max);
		ret = progress_add(progress, ELEMENT_WORK);
	}
	return ret;
}

int nn_softmax_int16_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t length = output->dims[output->rank - 1];
	struct progress progress = { .call = call };

	for (uint64_t i = 0; i < output->bytes / 2; i += length) {
		int ret = softmax_vector(&progress, (const int16_t *)call->input[0].data + i,
					 (int16_t *)output->data + i, length);

		if (ret)
			return ret;
	}
	return 0;
}

/* Shorter vectors take less one element after another. */
#define LEAST_LENGTH	12u

bool nn_softmax_int16_has_vectors(const struct nn_call *call)
{
	return call->output[0].dims[call->output[0].rank - 1] >= LEAST_LENGTH;
}
