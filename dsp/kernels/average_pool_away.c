// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL_AWAY: input and output of one type, 8 bit, and one zero point, [N, H, W, C] and [N,
 * OH, OW, C]. The mean of the stored integers of the window that are not padding, to the nearest,
 * ties away from 0, clamped. As TensorFlow Lite's own kernels do it.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"

enum nn_program_reason nn_average_pool_away_check(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	enum nn_program_reason reason = nn_pool_check(call);

	if (reason)
		return reason;
	if (input->type != output->type)
		return NN_REASON_OPERAND;
	if (window->multiplier || window->shift || window->count_padding ||
	    input->zero_point != output->zero_point)
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/* Sums are below 2^24: a window has less than 2^16 elements. */
static int average_pixel(struct progress *progress, uint32_t row,
			 const struct pool_window *window, uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *input = &call->input[0];
	int32_t count = (window->bottom - window->top) * (window->right - window->left);
	uint32_t row_work = pool_row_work(call, window);
	int32_t flip = flip_of(input);

	for (uint32_t c = 0; c < input->dims[3]; c++) {
		int32_t sum = 0;

		for (uint32_t y = window->top; y < window->bottom; y++) {
			int ret = progress_add(progress, row_work);

			if (ret)
				return ret;
			for (uint32_t x = window->left; x < window->right; x++)
				sum += load_8bit(pixel_at(input, row, y, x) + c, flip);
		}
		out[c] = clamp_int(divide_away(sum, count), call->op->out_min, call->op->out_max);
	}
	return 0;
}

/* The width of a window times the channels can be 65,280 with vectors. */
bool nn_average_pool_away_has_vectors(const struct nn_call *call)
{
	return pool_fits(call);
}

int nn_average_pool_away_portable(const struct nn_call *call)
{
	return nn_pool_portable(call, average_pixel);
}
