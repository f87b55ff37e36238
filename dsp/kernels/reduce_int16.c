// SPDX-License-Identifier: MIT
/*
 * REDUCE_INT16: input INT16, a row of which is [outer, count, inner]; output INT16 with the same
 * rows, [outer, inner]: of each `count` elements one. Zero points are 0, or of extremes the same;
 * count 1 .. 65535. Clamped:
 *
 *	NN_REDUCE_INT16_MAX, _MIN	the greatest, the least
 *	NN_REDUCE_INT16_MEAN_WHOLE	sum / count without its fraction
 *	NN_REDUCE_INT16_MEAN_AWAY	float32(sum) / count * scale to the nearest, ties away from 0,
 *					each operation in float32, rounded to nearest, ties to even
 *	NN_REDUCE_INT16_MEAN_FIXED	nn_fixed_multiply(sum, by) / count, to the nearest, ties away
 *					from 0; |sum| * 2^exponent fits 31 bits
 *	NN_REDUCE_INT16_MEAN_SCALED	nn_fixed_multiply(sum, by), likewise
 *
 * As TensorFlow Lite's own kernels do it.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define MOST_ELEMENTS	65535
#define RESULT_WORK	(512 + NN_PAGE_WORK)
#define ELEMENT_WORK	24

/* The elements that there are of a tensor in a row. */
static uint64_t row_length(const struct nn_tensor *tensor)
{
	return tensor->row_bytes / 2;
}

enum nn_program_reason nn_reduce_int16_check(const struct nn_call *call)
{
	const struct nn_reduce_int16_params *params = &call->op->reduce_int16;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];

	if (!operands_are(call, 1, 1) || input->type != NN_TYPE_INT16 ||
	    output->type != NN_TYPE_INT16 || input->zero_point != output->zero_point ||
	    (input->zero_point && params->form != NN_REDUCE_INT16_MAX &&
	     params->form != NN_REDUCE_INT16_MIN))
		return NN_REASON_OPERAND;
	if (params->form >= NN_REDUCE_INT16_FORMS || !params->count ||
	    params->count > MOST_ELEMENTS || !params->inner || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	if (params->form == NN_REDUCE_INT16_MEAN_AWAY && !is_scale(params->scale))
		return NN_REASON_PARAMETER;
	if ((params->form == NN_REDUCE_INT16_MEAN_FIXED ||
	     params->form == NN_REDUCE_INT16_MEAN_SCALED) &&
	    !nn_fixed_fits(params->by, 48 - __builtin_clz(params->count)))
		return NN_REASON_PARAMETER;
	if (!same_rows(input, output) ||
	    row_length(input) != row_length(output) * params->count ||
	    row_length(output) % params->inner)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

static int32_t finish(const struct nn_reduce_int16_params *params, int32_t sum, int32_t most,
		      int32_t least)
{
	int32_t count = params->count;

	switch (params->form) {
	case NN_REDUCE_INT16_MAX:
		return most;
	case NN_REDUCE_INT16_MIN:
		return least;
	case NN_REDUCE_INT16_MEAN_WHOLE:
		return sum / count;
	case NN_REDUCE_INT16_MEAN_AWAY:
		return round_away((float)sum / (float)count * params->scale);
	case NN_REDUCE_INT16_MEAN_SCALED:
		return nn_fixed_multiply(sum, params->by);
	default:
		return divide_away(nn_fixed_multiply(sum, params->by), count);
	}
}

/* Results of `inner` elements that lie one behind the other. */
static int reduce_block(struct progress *progress, const int16_t *from, int16_t *to)
{
	const struct nn_call *call = progress->call;
	const struct nn_reduce_int16_params *params = &call->op->reduce_int16;
	uint32_t work = ELEMENT_WORK + stride_work(2 * (uint64_t)params->inner);

	for (uint32_t i = 0; i < params->inner; i++) {
		int32_t sum = 0, most = INT16_MIN, least = INT16_MAX;
		int ret = progress_add(progress, RESULT_WORK);

		for (uint32_t k = 0; k < params->count && !ret; k++) {
			int32_t a = from[(uint64_t)k * params->inner + i];

			sum += a;
			most = a > most ? a : most;
			least = a < least ? a : least;
			ret = progress_add(progress, work);
		}
		if (ret)
			return ret;
		to[i] = (int16_t)clamp_int(finish(params, sum, most, least), call->op->out_min,
					   call->op->out_max);
	}
	return 0;
}

int nn_reduce_int16_portable(const struct nn_call *call)
{
	const struct nn_reduce_int16_params *params = &call->op->reduce_int16;
	const int16_t *from = (const int16_t *)call->input[0].data;
	struct progress progress = { .call = call };
	int16_t *to = (int16_t *)call->output[0].data;

	for (uint64_t i = 0; i < call->output[0].bytes / 2; i += params->inner) {
		int ret = reduce_block(&progress, from + i * params->count, to + i);

		if (ret)
			return ret;
	}
	return 0;
}

/* One element after another takes less than vectors of so few do. */
#define LEAST_COUNT	8u	/* side by side, of one result */
#define LEAST_INNER	4u

bool nn_reduce_int16_has_vectors(const struct nn_call *call)
{
	const struct nn_reduce_int16_params *params = &call->op->reduce_int16;

	return params->inner == 1 ? params->count >= LEAST_COUNT : params->inner >= LEAST_INNER;
}
