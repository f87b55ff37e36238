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
 *	NN_MATMUL_FIXED	8 bit: nn_fixed_multiply_up(acc, by) of dsp/program/fixed.h + zero point, clamped, as
 *			TensorFlow Lite's own kernels
 *	NN_MATMUL_SUM	INT32: acc
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define PIECE		256u	/* products between two looks at the work done */
#define PRODUCT_WORK	16
#define RESULT_WORK	96

/*
 * An input as it is multiplied: elements from one index of each dimension to the next, 0 where it
 * is used for all.
 */
struct side {
	const struct nn_tensor *tensor;
	int32_t flip, zero;
	uint32_t outer, inner;	/* what M or P, and K, are of it */
	uint64_t outer_step, inner_step, steps[NN_MAX_RANK];
};

/* inner_is_last: where K is. */
static struct side side_of(const struct nn_tensor *tensor, int32_t zero, bool inner_is_last)
{
	struct side side = { .tensor = tensor, .flip = flip_of(tensor), .zero = zero };
	uint32_t last = tensor->rank - 1;
	uint64_t step = (uint64_t)tensor->dims[last] * tensor->dims[last - 1];

	side.outer = tensor->dims[inner_is_last ? last - 1 : last];
	side.inner = tensor->dims[inner_is_last ? last : last - 1];
	side.outer_step = inner_is_last ? tensor->dims[last] : 1;
	side.inner_step = inner_is_last ? 1 : tensor->dims[last];
	for (uint32_t i = last - 1; i-- > 0;) {
		side.steps[i] = tensor->dims[i] == 1 ? 0 : step;
		step *= tensor->dims[i];
	}
	return side;
}

static struct side side_a(const struct nn_call *call)
{
	return side_of(&call->input[0], call->op->matmul.zero_a, !call->op->matmul.transpose_a);
}

static struct side side_b(const struct nn_call *call)
{
	return side_of(&call->input[1], call->op->matmul.zero_b, call->op->matmul.transpose_b);
}

static bool goes_with(const struct nn_tensor *input, const struct nn_tensor *output)
{
	if (input->rank != output->rank || !has_rows_for(input, output))
		return false;
	for (uint32_t i = 1; i + 2 < output->rank; i++) {
		if (input->dims[i] != output->dims[i] && input->dims[i] != 1)
			return false;
	}
	return true;
}

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
	struct side left, right;

	if (!operands_are(call, 2, 1) || !is_8bit(a) || !is_8bit(b) ||
	    (!is_8bit(output) && output->type != NN_TYPE_INT32))
		return NN_REASON_OPERAND;
	if (output->rank < 3 || !goes_with(a, output) || !goes_with(b, output))
		return NN_REASON_SHAPE;
	if (!params_are_valid(call))
		return NN_REASON_PARAMETER;
	left = side_a(call);
	right = side_b(call);
	if (left.inner != right.inner || left.outer != output->dims[output->rank - 2] ||
	    right.outer != output->dims[output->rank - 1])
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

static int sum_products(struct progress *progress, const struct side *a, const uint8_t *from_a,
			const struct side *b, const uint8_t *from_b, int32_t *sum)
{
	uint32_t work = PRODUCT_WORK + stride_work(a->inner_step) + stride_work(b->inner_step);
	uint32_t acc = 0;

	for (uint32_t k = 0; k < a->inner; k++) {
		int32_t x = load_8bit(from_a + k * a->inner_step, a->flip) - a->zero;
		int32_t y = load_8bit(from_b + k * b->inner_step, b->flip) - b->zero;
		int ret = k % PIECE ? 0 : progress_add(progress, 2 * NN_PAGE_WORK + work *
							min_u32(a->inner - k, PIECE));

		if (ret)
			return ret;
		acc += (uint32_t)(x * y);
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
		result = cut_int(nn_fixed_multiply_up(sum, params->by)) + output->zero_point;
	output->data[at] = clamp_int(result, call->op->out_min, call->op->out_max);
}

/* The product of one pair of matrices, to element `at` of the output and those behind it. */
static int multiply(struct progress *progress, const struct side *a, const uint8_t *from_a,
		    const struct side *b, const uint8_t *from_b, uint64_t at)
{
	for (uint32_t m = 0; m < a->outer; m++) {
		for (uint32_t p = 0; p < b->outer; p++) {
			int32_t sum;
			int ret = progress_add(progress, RESULT_WORK);

			if (!ret)
				ret = sum_products(progress, a, from_a + m * a->outer_step, b,
						   from_b + p * b->outer_step, &sum);
			if (ret)
				return ret;
			store(progress->call, at++, sum);
		}
	}
	return 0;
}

int nn_matmul_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const struct side a = side_a(call), b = side_b(call);
	const uint64_t size = (uint64_t)a.outer * b.outer;
	const uint8_t *from_a = call->input[0].data, *from_b = call->input[1].data;
	uint32_t index[NN_MAX_RANK] = { 0 };
	struct progress progress = { .call = call };
	uint64_t matrices = 1;

	for (uint32_t i = 0; i + 2 < output->rank; i++)
		matrices *= output->dims[i];
	for (uint64_t n = 0; n < matrices; n++) {
		int ret = multiply(&progress, &a, from_a, &b, from_b, n * size);

		if (ret)
			return ret;
		/* Go on to the next pair; indices count like digits. */
		for (uint32_t d = output->rank - 2; d-- > 0;) {
			from_a += a.steps[d];
			from_b += b.steps[d];
			if (++index[d] < output->dims[d])
				break;
			from_a -= a.steps[d] * index[d];
			from_b -= b.steps[d] * index[d];
			index[d] = 0;
		}
	}
	return 0;
}
