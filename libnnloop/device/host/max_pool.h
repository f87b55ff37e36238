/* SPDX-License-Identifier: MIT */
/* MAX_POOL on the host, all channels of a pixel at a time. */
#ifndef NN_HOST_MAX_POOL_H
#define NN_HOST_MAX_POOL_H

#include <string.h>

#include "dsp/kernels/numbers.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/window.h"
#include "kernels.h"

#define MOST_CHANNELS	256u	/* at a time */

static void take_greatest(uint8_t *restrict greatest, const uint8_t *from, uint32_t count,
			  uint8_t flip)
{
	for (uint32_t i = 0; i < count; i++) {
		uint8_t value = from[i] ^ flip;

		greatest[i] = value > greatest[i] ? value : greatest[i];
	}
}

/* Channels c .. c + count - 1. They are compared as they would be as UINT8. */
static int max_channels(struct progress *progress, uint32_t row, const struct pool_window *window,
			uint8_t *out, uint32_t c, uint32_t count)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *input = &call->input[0];
	int32_t flip = flip_of(input), low = call->op->out_min, high = call->op->out_max;
	uint8_t greatest[MOST_CHANNELS] = { 0 };

	for (uint32_t y = window->top; y < window->bottom; y++) {
		int ret = progress_add(progress, pool_row_work(call, window));

		if (ret)
			return ret;
		for (uint32_t x = window->left; x < window->right; x++)
			take_greatest(greatest, pixel_at(input, row, y, x) + c, count, flip);
	}
	for (uint32_t i = 0; i < MOST_CHANNELS; i++)
		greatest[i] = clamp_int(greatest[i] - flip, low, high);
	memcpy(out + c, greatest, count);
	return 0;
}

static int max_pixel(struct progress *progress, uint32_t row, const struct pool_window *window,
		     uint8_t *out)
{
	uint32_t channels = progress->call->input[0].dims[3];

	for (uint32_t c = 0; c < channels; c += MOST_CHANNELS) {
		int ret = max_channels(progress, row, window, out, c,
				       min_u32(channels - c, MOST_CHANNELS));

		if (ret)
			return ret;
	}
	return 0;
}

static int run_max_pool(const struct nn_call *call)
{
	return nn_pool_portable(call, max_pixel);
}

static int max_pool(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	return nn_host_run_parts(call, begin, end, run_max_pool);
}

#define max_pool_units	nn_call_parts

#endif
