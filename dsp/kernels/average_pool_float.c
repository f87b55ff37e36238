// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL_FLOAT: input and output 8 bit or INT16, any two types, [N, H, W, C] and [N, OH, OW,
 * C]. count = the window's elements that are not padding (or kernel_h * kernel_w if count_padding).
 * Everything in float32, where each operation rounds to nearest, ties to even, as rint() does.
 *
 * rint(sum of q(a) * scale_input / count / scale_output) + zero point, clamped. The products are
 * added one after the other, without those of padding,
 *
 *	NN_AVERAGE_COLUMNS	down each column of the window, then the columns' sums
 *	NN_AVERAGE_ROWS		row after row
 *	NN_AVERAGE_QUARTERS	element i, row after row, to the i % 4th of four sums, but the last
 *				(number of elements) % 4; then (sum 0 + sum 2) + (sum 1 + sum 3),
 *				and to that what is left
 *
 * NN_AVERAGE_EXACT: rint(float32(sum of q(a)) * (scale_input / (scale_output * count))) + zero
 * point, clamped.
 *
 * NN_AVERAGE_ZERO_POINT: the products are added row after row, and the zero point is before it is
 * rounded: rint(sum of q(a) * scale_input / count / scale_output + zero point), clamped. Where that
 * is odd, ties go the other way.
 *
 * Where one of the types is INT16, the order is one of the first three.
 *
 * The first three are ONNX Runtime's DequantizeLinear, AveragePool or GlobalAveragePool, and
 * QuantizeLinear; the others are its QLinearGlobalAveragePool and QLinearAveragePool.
 */
#include "dsp/kernels/average_float.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

#define MOST_COLUMNS	255

static bool has_16_bits(const struct nn_call *call)
{
	return !is_8bit(&call->input[0]) || !is_8bit(&call->output[0]);
}

enum nn_program_reason nn_average_pool_float_check(const struct nn_call *call)
{
	const struct nn_average_float_params *params = &call->op->average_float;
	enum nn_program_reason reason = nn_pool_check_of(call, is_quantized);

	if (reason)
		return reason;
	if (params->window.count_padding > 1 || params->window.multiplier ||
	    params->window.shift || !is_scale(params->scale_input) ||
	    !is_scale(params->scale_output) || params->order >= NN_AVERAGE_ORDERS ||
	    (has_16_bits(call) && params->order > NN_AVERAGE_QUARTERS))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

int nn_average_float_sum(struct progress *progress, const uint8_t *image,
			 const struct pool_window *window, uint32_t c, float *sum)
{
	const struct nn_call *call = progress->call;
	const struct nn_average_float_params *params = &call->op->average_float;
	const struct nn_tensor *input = &call->input[0];
	uint32_t columns = window->right - window->left;
	uint32_t area = (window->bottom - window->top) * columns;
	uint32_t row_work = pool_row_work(call, window), i = 0, parts = 1;
	uint32_t size = nn_type_size(input->type);
	float part[MOST_COLUMNS + 1], rest[3], total;

	if (params->order == NN_AVERAGE_COLUMNS)
		parts = columns;
	else if (params->order == NN_AVERAGE_QUARTERS)
		parts = 4;
	for (uint32_t k = 0; k < parts; k++)
		part[k] = 0;

	for (uint32_t y = window->top; y < window->bottom; y++) {
		const uint8_t *from =
			image + c * size +
			((uint64_t)y * input->dims[2] + window->left) * input->pitch;
		int ret = progress_add(progress, row_work);

		if (ret)
			return ret;
		for (uint32_t x = 0; x < columns; x++, i++, from += input->pitch) {
			float value = (float)(load_quantized(input, from) - input->zero_point) *
				      params->scale_input;

			if (parts == 1)
				part[0] += value;
			else if (params->order == NN_AVERAGE_COLUMNS)
				part[x] += value;
			else if (i < area / 4 * 4)
				part[i % 4] += value;
			else
				rest[i % 4] = value;
		}
	}
	if (params->order == NN_AVERAGE_QUARTERS) {
		total = (part[0] + part[2]) + (part[1] + part[3]);
		for (uint32_t k = 0; k < area % 4; k++)
			total += rest[k];
	} else {
		total = 0;
		for (uint32_t k = 0; k < parts; k++)
			total += part[k];
	}
	*sum = total;
	return 0;
}

/* The sum of q(a), which fits: a window has less than 2^16 elements. */
static int sum_exactly(struct progress *progress, uint32_t row, const struct pool_window *window,
		       uint32_t c, int32_t *sum)
{
	const struct nn_tensor *input = &progress->call->input[0];
	uint32_t row_work = pool_row_work(progress->call, window);
	int32_t flip = flip_of(input);

	*sum = 0;
	for (uint32_t y = window->top; y < window->bottom; y++) {
		int ret = progress_add(progress, row_work);

		if (ret)
			return ret;
		for (uint32_t x = window->left; x < window->right; x++)
			*sum += load_8bit(pixel_at(input, row, y, x) + c, flip) -
				input->zero_point;
	}
	return 0;
}

static int average_pixel(struct progress *progress, uint32_t row,
			 const struct pool_window *window, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_average_float_params *params = &call->op->average_float;
	uint32_t count = average_count(&params->window, window);
	bool is_exact = params->order == NN_AVERAGE_EXACT;
	const uint8_t *image = pixel_at(&call->input[0], row, 0, 0);
	float scale = average_scale(params, count), sum = 0;
	const struct nn_tensor *output = &call->output[0];
	int32_t zero_point = output->zero_point, exact = 0, result;

	for (uint32_t c = 0; c < call->input[0].dims[3]; c++) {
		int ret = is_exact ? sum_exactly(progress, row, window, c, &exact)
				   : nn_average_float_sum(progress, image, window, c, &sum);

		if (ret)
			return ret;
		if (is_exact)
			result = round_float((float)exact * scale) + zero_point;
		else
			result = average_round(params, sum / (float)count / params->scale_output,
					       zero_point);
		store_quantized(output, out + c * nn_type_size(output->type),
			      clamp_int(result, call->op->out_min, call->op->out_max));
	}
	return 0;
}

/*
 * The width of a window times the channels can be 65,280 with vectors, and scales are 2^-64
 * to 2^64. 16 bits have no vectors.
 */
bool nn_average_pool_float_has_vectors(const struct nn_call *call)
{
	return !has_16_bits(call) && pool_fits(call) &&
	       is_usual_scale(call->op->average_float.scale_input) &&
	       is_usual_scale(call->op->average_float.scale_output);
}

int nn_average_pool_float_portable(const struct nn_call *call)
{
	return nn_pool_portable(call, average_pixel);
}
