// SPDX-License-Identifier: MIT
/*
 * MAX_POOL: input and output the same 8-bit type, [N, H, W, C] and [N, OH, OW, C]. The greatest a
 * that is not padding, clamped to [out_min, out_max]. The zero points are not used. Each window has
 * one element at least: pad < kernel, and dsp/program/kernels.h says where it may begin.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"

enum nn_program_reason nn_max_pool_check(const struct nn_call *call)
{
	if (call->input[0].type != call->output[0].type)
		return NN_REASON_OPERAND;
	return nn_pool_check(call);
}

static int max_pixel(struct progress *progress, uint32_t row, const struct pool_window *window,
		     uint8_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *input = &call->input[0];
	uint32_t channels = input->dims[3], row_work = pool_row_work(call, window);
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

/* The width of a window times the channels can be 65,280 with vectors. */
bool nn_max_pool_has_vectors(const struct nn_call *call)
{
	return pool_fits(call);
}

int nn_max_pool_portable(const struct nn_call *call)
{
	return nn_pool_portable(call, max_pixel);
}
