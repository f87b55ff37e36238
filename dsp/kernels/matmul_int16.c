// SPDX-License-Identifier: MIT
/*
 * MATMUL_INT16: MATMUL of dsp/kernels/matmul.c with more than 8 bits: a and b INT16 or 8 bit, one of
 * them INT16 at least; output INT16 or 8 bit. Shapes are MATMUL's, the zero points that are
 * subtracted are parameters, too, and sums have 64 bits.
 *
 *	acc = sum over k of (a[m, k] - zero_a) * (b[k, p] - zero_b)
 *
 *	NN_MATMUL_INT16_FIXED	nn_fixed_multiply_sum(acc, by.multiplier, -by.exponent) of
 *				dsp/program/fixed.h, as TensorFlow Lite's own kernels do it: the
 *				multiplier is 0 .. 2^15 - 1, the exponent -62 .. -1
 *	NN_MATMUL_INT16_ONCE	nn_fixed_round_sum(acc, by), acc * by to the nearest, ties to even:
 *				the multiplier is not below 0, the exponent -31 .. 30
 *
 * The result is cut to 18 bits; the output's zero point is added, and it is clamped.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/matmul.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define PIECE		256u	/* products between two looks at the work done */
#define PRODUCT_WORK	24
#define RESULT_WORK	128

static bool is_operand(const struct nn_tensor *tensor)
{
	return is_8bit(tensor) || tensor->type == NN_TYPE_INT16;
}

static bool is_zero_of(const struct nn_tensor *tensor, int32_t zero)
{
	int32_t low = tensor->type == NN_TYPE_INT16 ? INT16_MIN : -flip_of(tensor);
	int32_t range = tensor->type == NN_TYPE_INT16 ? UINT16_MAX : UINT8_MAX;

	return zero >= low && zero <= low + range;
}

static bool params_are_valid(const struct nn_call *call)
{
	const struct nn_matmul_params *params = &call->op->matmul;
	const struct nn_fixed *by = &params->by;

	if (params->transpose_a > 1 || params->transpose_b > 1 ||
	    !is_zero_of(&call->input[0], params->zero_a) ||
	    !is_zero_of(&call->input[1], params->zero_b) || by->multiplier < 0)
		return false;
	if (params->form == NN_MATMUL_INT16_FIXED)
		return by->multiplier < 1 << 15 && by->exponent >= -62 && by->exponent <= -1;
	return params->form == NN_MATMUL_INT16_ONCE && by->exponent >= -31 && by->exponent <= 30;
}

enum nn_program_reason nn_matmul_int16_check(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !is_operand(a) || !is_operand(b) ||
	    (is_8bit(a) && is_8bit(b)) || !is_operand(output))
		return NN_REASON_OPERAND;
	if (!matmul_shapes_fit(call))
		return NN_REASON_SHAPE;
	if (!params_are_valid(call) || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return matmul_sizes_fit(call) ? NN_REASON_NONE : NN_REASON_SHAPE;
}

static int32_t load_element(const struct matmul_side *side, const uint8_t *at)
{
	if (side->tensor->type == NN_TYPE_INT16)
		return *(const int16_t *)at - side->zero;
	return load_8bit(at, side->flip) - side->zero;
}

static int sum_products(struct progress *progress, const struct matmul_side *a,
			const uint8_t *from_a, const struct matmul_side *b, const uint8_t *from_b,
			int64_t *sum)
{
	uint32_t work = PRODUCT_WORK + stride_work(a->inner_step) + stride_work(b->inner_step);
	uint64_t acc = 0;

	for (uint32_t k = 0; k < a->inner;) {
		uint32_t count = min_u32(a->inner - k, PIECE);
		int ret = progress_add(progress, 2 * NN_PAGE_WORK + work * count);

		if (ret)
			return ret;
		k += count;
		for (; count; count--, from_a += a->inner_step, from_b += b->inner_step)
			acc += (uint64_t)((int64_t)load_element(a, from_a) *
					  load_element(b, from_b));
	}
	*sum = (int64_t)acc;
	return 0;
}

static void store(const struct nn_call *call, uint64_t at, int64_t sum)
{
	const struct nn_matmul_params *params = &call->op->matmul;
	const struct nn_tensor *output = &call->output[0];
	int32_t result = params->form == NN_MATMUL_INT16_FIXED ?
				 nn_fixed_multiply_sum(sum, params->by.multiplier,
						       -params->by.exponent) :
				 nn_fixed_round_sum(sum, params->by);

	result = clamp_int(cut_int(result) + output->zero_point, call->op->out_min,
			   call->op->out_max);
	if (output->type == NN_TYPE_INT16)
		((int16_t *)output->data)[at] = (int16_t)result;
	else
		output->data[at] = (uint8_t)result;
}

static int make_element(struct progress *progress, const struct matmul_side *a,
			const uint8_t *from_a, const struct matmul_side *b, const uint8_t *from_b,
			uint64_t at)
{
	int64_t sum;
	int ret = progress_add(progress, RESULT_WORK);

	if (!ret)
		ret = sum_products(progress, a, from_a, b, from_b, &sum);
	if (!ret)
		store(progress->call, at, sum);
	return ret;
}

int nn_matmul_int16_portable(const struct nn_call *call)
{
	return matmul_each(call, make_element);
}

/*
 * Fewer products than LEAST_PRODUCTS take longer with vectors than one after another, and columns
 * longer than MOST_INNER do not fit scratch memory; nobody multiplies by 2^MOST_EXPONENT or more.
 */
#define LEAST_PRODUCTS	2048u
#define MOST_INNER	1024u
#define MOST_EXPONENT	15

bool nn_matmul_int16_has_vectors(const struct nn_call *call)
{
	const struct matmul_side a = matmul_left(call), b = matmul_right(call);

	return (uint64_t)a.outer * a.inner * b.outer >= LEAST_PRODUCTS && a.inner <= MOST_INNER &&
	       call->op->matmul.by.exponent < MOST_EXPONENT;
}
