/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's vector kernels and the rule of which calls have them
 * (nn_depthwise_conv2d_has_vectors()) agree on how much there is room for.
 */
#ifndef NN_KERNEL_DEPTHWISE_CONV2D_H
#define NN_KERNEL_DEPTHWISE_CONV2D_H

#include "dsp/kernels/checks.h"

#define NN_LEAST_SLICE	32u

/*
 * Outputs of a depthwise convolution that can be made by themselves, about `most` of them (128, or
 * NN_LEAST_SLICE): whole inputs, each with `repeat` outputs, and whole vectors of constants; or all
 * of them, if these are fewer.
 */
static inline uint32_t depthwise_slice(uint32_t outputs, uint32_t repeat, uint32_t most)
{
	uint32_t twos = min_u32(__builtin_ctz(repeat), __builtin_ctz(most));
	uint64_t slice = (uint64_t)most * (repeat >> twos);

	return slice < outputs ? slice : outputs;
}

#define NN_DEPTHWISE_SPANNED	163840u	/* bytes in scratch memory */
#define NN_DEPTHWISE_WORDS	2048u	/* of a window, of four weights each */

/* Tells whether there is room for so many rows and columns; one or two rows more are read. */
static inline bool depthwise_rows_fit(uint64_t rows, uint64_t columns, uint32_t outputs,
				      uint32_t room)
{
	return (rows + 2) * (columns * outputs + 256) <= room;
}

/*
 * Tells whether scratch memory has room for the rows that one window spans. What is dilated reads
 * into the next row.
 */
static inline bool nn_depthwise_conv2d_fits(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;

	return depthwise_rows_fit((uint32_t)window->kernel_h * window->dilation_h,
				  (window->kernel_w - 1u) * window->dilation_w + 1,
				  call->output[0].dims[3], NN_DEPTHWISE_SPANNED);
}

static inline bool nn_depthwise_conv2d_has_words(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;

	return window->kernel_h * ((window->kernel_w + 3u) / 4) <= NN_DEPTHWISE_WORDS;
}

/*
 * Tells whether it has room for those of a window that is not dilated, of so many outputs, and for
 * copies.
 */
static inline bool nn_depthwise_conv2d_slice_fits(const struct nn_call *call, uint32_t outputs)
{
	const struct nn_window_params *window = &call->op->window;

	return depthwise_rows_fit(window->kernel_h, window->kernel_w, outputs,
				  NN_DEPTHWISE_SPANNED / 3);
}

#endif
