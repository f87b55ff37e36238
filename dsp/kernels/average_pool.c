// SPDX-License-Identifier: MIT
/*
 * AVERAGE_POOL: input and output 8 bit, any two types, [N, H, W, C] and [N, OH, OW, C]. With count
 * = the window's elements that are not padding (or kernel_h * kernel_w if count_padding) and m =
 * (multiplier + count / 2) / count: floor((floor(64 * sum of q(a) * m / 2^32) + 2^(shift - 33)) /
 * 2^(shift - 32)) + zero point, clamped. multiplier in [2^30, 2^31), shift in 33 .. 62:
 * nn_pack_average_pool_params().
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"

enum nn_program_reason nn_average_pool_check(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	enum nn_program_reason reason = nn_pool_check(call);

	if (reason)
		return reason;
	if (window->multiplier < 1 << 30 || window->shift < 33 || window->shift > 62 ||
	    window->count_padding > 1)
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
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
	uint32_t row_work = pool_row_work(call, window);
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

/* The width of a window times the channels can be 65,280 with vectors. */
bool nn_average_pool_has_vectors(const struct nn_call *call)
{
	return pool_fits(call);
}

int nn_average_pool_portable(const struct nn_call *call)
{
	return nn_pool_portable(call, average_pixel);
}
