/* SPDX-License-Identifier: MIT */
/*
 * The part of a pool's window that is not padding.
 */
#ifndef NN_POOL_H
#define NN_POOL_H

#include "../kernels.h"

/* Rows top .. bottom - 1 and columns left .. right - 1 of the input; never empty. */
struct pool_window {
	uint32_t top, bottom, left, right;
};

static inline void pool_window_axis(uint32_t out, uint32_t stride, uint32_t pad, uint32_t kernel,
				    uint32_t size, uint32_t *begin, uint32_t *end)
{
	uint32_t padded = out * stride;		/* below size + pad, so no overflow */

	*begin = padded < pad ? 0 : padded - pad;
	*end = padded + kernel - pad;		/* pad < kernel */
	if (*end > size)
		*end = size;
}

static inline struct pool_window pool_window(const struct nn_call *call, uint32_t oy, uint32_t ox)
{
	const struct nn_window_params *params = &call->op->window;
	const struct nn_tensor *input = &call->input[0];
	struct pool_window window;

	pool_window_axis(oy, params->stride_h, params->pad_top, params->kernel_h, input->dims[1],
			 &window.top, &window.bottom);
	pool_window_axis(ox, params->stride_w, params->pad_left, params->kernel_w, input->dims[2],
			 &window.left, &window.right);
	return window;
}

/* (multiplier + count / 2) / count. */
static inline uint32_t average_multiplier(uint32_t multiplier, uint32_t count)
{
	return (multiplier + count / 2) / count;
}

#endif
