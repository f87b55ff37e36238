// SPDX-License-Identifier: MIT
/*
 * MATMUL: a and b 8 bit, any types; output 8 bit or INT32; all of one rank, 3 or more. Matrices,
 * which the last two dimensions are, a's [M, K] (with transpose_a [K, M]) and b's [K, P] (with
 * transpose_b [P, K]), are multiplied; the output's are [M, P]. In each dimension before these an
 * input is as long as the output, or 1 long and used for all of it; in dimension 0 with level 0,
 * whatever the output's level.
 *
 *	acc = sum over k of (a[m, k] - zero_a) * (b[k, p] - zero_b)
 *
 * The zero points are the parameters, which are values of their tensor's type, not the tensors'.
 *
 *	NN_MATMUL_FLOAT	8 bit: requant(acc, scale)
 *	NN_MATMUL_FIXED	8 bit: nn_fixed_multiply(acc, by) of dsp/program/fixed.h + zero point, clamped, as
 *			TensorFlow Lite's own kernels
 *	NN_MATMUL_SUM	INT32: acc
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/matmul.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define PIECE		256u	/* products between two looks at the work done */
#define PRODUCT_WORK	16
#define RESULT_WORK	96

static bool params_are_valid(const struct nn_call *call)
{
	const struct nn_matmul_params *params = &call->op->matmul;
	const int32_t low_a = -flip_of(&call->input[0]), low_b = -flip_of(&call->input[1]);
	bool is_sum = params->form == NN_MATMUL_SUM;

	if (params->transpose_a > 1 || params->transpose_b > 1 || params->zero_a < low_a ||
	    params->zero_a > low_a + 255 || params->zero_b < low_b ||
	    params->zero_b > low_b + 255 || params->form >= NN_MATMUL_FORMS ||
	    is_sum == is_8bit(&call->output[0]))
		return false;
	if (is_sum)
		return true;
	if (params->form == NN_MATMUL_FLOAT ? !is_scale(params->scale) :
					      !nn_fixed_fits(params->by, 0))
		return false;
	return clamp_is_valid(call);
}

enum nn_program_reason nn_matmul_check(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !is_8bit(a) || !is_8bit(b) ||
	    (!is_8bit(output) && output->type != NN_TYPE_INT32))
		return NN_REASON_OPERAND;
	if (!matmul_shapes_fit(call))
		return NN_REASON_SHAPE;
	if (!params_are_valid(call))
		return NN_REASON_PARAMETER;
	return matmul_sizes_fit(call) ? NN_REASON_NONE : NN_REASON_SHAPE;
}

/* The sum of `count` products; steps are known not to change. */
static uint32_t sum_piece(const struct matmul_side *a, const uint8_t *from_a,
			  const struct matmul_side *b, const uint8_t *from_b, uint32_t count)
{
	uint64_t step_a = a->inner_step, step_b = b->inner_step;
	int32_t flip_a = a->flip, flip_b = b->flip, zero_a = a->zero, zero_b = b->zero;
	uint32_t sum = 0;

	for (uint32_t k = 0; k < count; k++, from_a += step_a, from_b += step_b)
		sum += (uint32_t)((load_8bit(from_a, flip_a) - zero_a) *
				  (load_8bit(from_b, flip_b) - zero_b));
	return sum;
}

static int sum_products(struct progress *progress, const struct matmul_side *a,
			const uint8_t *from_a, const struct matmul_side *b, const uint8_t *from_b,
			int32_t *sum)
{
	uint32_t work = PRODUCT_WORK + stride_work(a->inner_step) + stride_work(b->inner_step);
	uint32_t acc = 0;

	for (uint32_t k = 0; k < a->inner; k += PIECE) {
		uint32_t count = min_u32(a->inner - k, PIECE);
		int ret = progress_add(progress, 2 * NN_PAGE_WORK + work * count);

		if (ret)
			return ret;
		acc += sum_piece(a, from_a + k * a->inner_step, b, from_b + k * b->inner_step,
				 count);
	}
	*sum = (int32_t)acc;
	return 0;
}

static void store(const struct nn_call *call, uint64_t at, int32_t sum)
{
	const struct nn_matmul_params *params = &call->op->matmul;
	const struct nn_tensor *output = &call->output[0];
	int32_t result;

	if (params->form == NN_MATMUL_SUM) {
		((int32_t *)output->data)[at] = sum;
		return;
	}
	if (params->form == NN_MATMUL_FLOAT)
		result = requant(sum, params->scale, output->zero_point);
	else
		result = cut_int(nn_fixed_multiply(sum, params->by)) + output->zero_point;
	output->data[at] = clamp_int(result, call->op->out_min, call->op->out_max);
}

static int make_element(struct progress *progress, const struct matmul_side *a,
			const uint8_t *from_a, const struct matmul_side *b, const uint8_t *from_b,
			uint64_t at)
{
	int32_t sum;
	int ret = progress_add(progress, RESULT_WORK);

	if (!ret)
		ret = sum_products(progress, a, from_a, b, from_b, &sum);
	if (!ret)
		store(progress->call, at, sum);
	return ret;
}

int nn_matmul_portable(const struct nn_call *call)
{
	return matmul_each(call, make_element);
}

/*
 * Fewer products than LEAST_PRODUCTS take longer with vectors than one after another, and columns
 * longer than MOST_INNER do not fit scratch memory.
 */
#define LEAST_PRODUCTS	1024u
#define MOST_INNER	3072u

bool nn_matmul_has_vectors(const struct nn_call *call)
{
	const struct matmul_side a = matmul_left(call), b = matmul_right(call);
	const struct nn_matmul_params *params = &call->op->matmul;
	uint64_t products = (uint64_t)a.outer * a.inner * b.outer;

	/* Others are none that dsp/program/pack.h makes of scales below 1. */
	if (params->form == NN_MATMUL_FIXED &&
	    (params->by.multiplier < 1 << 30 || params->by.exponent > 0))
		return false;
	return products >= LEAST_PRODUCTS && a.inner <= MOST_INNER;
}
