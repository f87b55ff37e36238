/* SPDX-License-Identifier: MIT */
/*
 * Pools, MAX_POOL and AVERAGE_POOL: the checks, the part of a window that is not padding, and the
 * portable kernels' way over the output.
 */
#ifndef NN_POOL_H
#define NN_POOL_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

/* Everything but what AVERAGE_POOL has in addition, and that MAX_POOL has one type. */
enum nn_program_reason nn_pool_check(const struct nn_call *call);
/* The same of tensors of other types, as of 8 bits or INT16. */
enum nn_program_reason nn_pool_check_of(const struct nn_call *call,
					bool (*is_type)(const struct nn_tensor *tensor));

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

/* The work of one row of a window, in one channel, in units of progress. */
static inline uint32_t pool_row_work(const struct nn_call *call, const struct pool_window *window)
{
	uint32_t pixel_work = 16 + stride_work(call->input[0].pitch);

	return 64 + NN_PAGE_WORK + (window->right - window->left) * pixel_work;
}

/* Makes all channels of one pixel of row `row`, from `out` on. */
typedef int nn_pool_pixel(struct progress *progress, uint32_t row,
			  const struct pool_window *window, uint8_t *out);

int nn_pool_portable(const struct nn_call *call, nn_pool_pixel *pixel);

/*
 * With vectors, sums or extremes of a row of windows are in scratch memory: those of one window fit it
 * where its width times the channels are at most MOST_IN_WIDTH.
 */
#define MOST_IN_WIDTH	65280

static inline bool pool_fits(const struct nn_call *call)
{
	return (uint64_t)call->op->window.kernel_w * call->output[0].dims[3] <= MOST_IN_WIDTH;
}

#endif
