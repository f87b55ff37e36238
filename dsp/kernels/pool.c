// SPDX-License-Identifier: MIT
/*
 * MAX_POOL and AVERAGE_POOL.
 */
#include "checks.h"
#include "numbers.h"
#include "pool.h"
#include "progress.h"
#include "window.h"

static enum nn_program_reason check_pool(const struct nn_call *call)
{
	enum nn_program_reason reason;

	if (!operands_are(call, 1, 1) || !is_8bit(&call->input[0]) || !is_8bit(&call->output[0]))
		return NN_REASON_OPERAND;
	reason = check_window(call);
	if (reason)
		return reason;
	if (call->input[0].dims[3] != call->output[0].dims[3])
		return NN_REASON_SHAPE;
	if (call->op->window.dilation_h != 1 || call->op->window.dilation_w != 1 ||
	    !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

enum nn_program_reason nn_max_pool_check(const struct nn_call *call)
{
	if (call->input[0].type != call->output[0].type)
		return NN_REASON_OPERAND;
	return check_pool(call);
}

enum nn_program_reason nn_average_pool_check(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	enum nn_program_reason reason = check_pool(call);

	if (reason)
		return reason;
	if (window->multiplier < 1 << 30 || window->shift < 33 || window->shift > 62 ||
	    window->count_padding > 1)
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/* Of one row of a window, in one channel. */
static uint32_t window_row_work(const struct nn_call *call, const struct pool_window *window)
{
	uint32_t pixel_work = 16 + stride_work(call->input[0].dims[3]);

	return 64 + NN_PAGE_WORK + (window->right - window->left) * pixel_work;
}

static int max_pixel(struct progress *progress, uint32_t row, const struct pool_window *window,
		     uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *input = &call->input[0];
	uint32_t channels = input->dims[3], row_work = window_row_work(call, window);
	int32_t flip = flip_of(input);

	for (uint32_t c = 0; c < channels; c++) {
		int32_t max = INT32_MIN;

		for (uint32_t y = window->top; y < window->bottom; y++) {
			int ret = progress_add(progress, row_work);

			if (ret)
				return ret;
			for (uint32_t x = window->left; x < window->right; x++) {
				int32_t a = load_8bit(pixel_at(input, row, y, x) + c, flip);

				max = a > max ? a : max;
			}
		}
		out[c] = clamp_int(max, call->op->out_min, call->op->out_max);
	}
	return 0;
}

static int average_pixel(struct progress *progress, uint32_t row,
			 const struct pool_window *window, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0];
	uint32_t channels = input->dims[3];
	uint32_t area = (window->bottom - window->top) * (window->right - window->left);
	uint32_t count = params->count_padding ? params->kernel_h * params->kernel_w : area;
	uint32_t multiplier = average_multiplier(params->multiplier, count);
	uint32_t row_work = window_row_work(call, window);
	int32_t flip = flip_of(input);

	for (uint32_t c = 0; c < channels; c++) {
		int32_t sum = -(int32_t)area * input->zero_point;
		int64_t scaled;

		for (uint32_t y = window->top; y < window->bottom; y++) {
			int ret = progress_add(progress, row_work);

			if (ret)
				return ret;
			for (uint32_t x = window->left; x < window->right; x++)
				sum += load_8bit(pixel_at(input, row, y, x) + c, flip);
		}
		scaled = ((int64_t)sum * 64 * multiplier) >> 32;
		scaled = (scaled + ((1ll << (params->shift - 32)) >> 1)) >> (params->shift - 32);
		scaled += call->output[0].zero_point;
		scaled = scaled < call->op->out_min ? call->op->out_min : scaled;
		scaled = scaled > call->op->out_max ? call->op->out_max : scaled;
		out[c] = (uint8_t)scaled;
	}
	return 0;
}

typedef int pool_pixel(struct progress *progress, uint32_t row, const struct pool_window *window,
		       uint8_t *out);

static int pool(const struct nn_call *call, pool_pixel *pixel)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	uint8_t *out = output->data;

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		for (uint32_t oy = 0; oy < output->dims[1]; oy++) {
			for (uint32_t ox = 0; ox < output->dims[2]; ox++, out += output->dims[3]) {
				struct pool_window window = pool_window(call, oy, ox);
				int ret = progress_add(&progress, 500);

				ret = ret ? ret : pixel(&progress, row, &window, out);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

int nn_max_pool_portable(const struct nn_call *call)
{
	return pool(call, max_pixel);
}

int nn_average_pool_portable(const struct nn_call *call)
{
	return pool(call, average_pixel);
}
