/* SPDX-License-Identifier: MIT */
/*
 * Sizes of packed constants; the layouts are described in dsp/program/pack.h.
 */
#ifndef NN_WEIGHTS_H
#define NN_WEIGHTS_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/program/nn_program.h"

/* Lanes of outputs' constants: one for each, or with the first ones again behind the last. */
static inline uint64_t weight_lanes(uint32_t outputs)
{
	return ((uint64_t)outputs + 31) / 32 * 32;
}

static inline uint64_t repeated_lanes(uint32_t outputs)
{
	return ((uint64_t)outputs + 63) / 32 * 32;
}

/* Bytes of a kernel row of one output: kernel_w * inputs, rounded up to a multiple of 8. */
static inline uint64_t conv2d_row_length(uint32_t kernel_w, uint32_t inputs)
{
	return ((uint64_t)kernel_w * inputs + 7) / 8 * 8;
}

/*
 * Whether windows are dilated so far that most of what one spans is not its own, and too much for
 * scratch memory: their inputs are copied row by row of each window, not with what is between.
 */
static inline bool conv2d_is_wide(const struct nn_window_params *window, uint32_t channels)
{
	uint64_t rows = (window->kernel_h - 1ull) * window->dilation_h + 1;
	uint64_t columns = (window->kernel_w - 1ull) * window->dilation_w + 1;

	return window->dilation_w > 1 && rows * columns * channels > 64 << 10;
}

/* 2^63 where there are so many that nobody has them: past 2^64 a product would be small again. */
static inline uint64_t conv2d_weight_bytes(uint32_t outputs, uint32_t kernel_h, uint32_t kernel_w,
					   uint32_t inputs)
{
	uint64_t rows = weight_lanes(outputs) * kernel_h;
	uint64_t row = conv2d_row_length(kernel_w, inputs);

	return rows > UINT32_MAX || row > UINT32_MAX ? 1ull << 63 : rows * row;
}

/*
 * Returns where the weight of output m at position k of a kernel row is within the 32 outputs' row.
 */
static inline uint64_t conv2d_weight_offset(uint32_t m, uint32_t k)
{
	return (uint64_t)(k / 4) * 128 + m % 32 * 4 + k % 4;
}

static inline uint64_t depthwise_weight_bytes(uint32_t outputs, uint32_t kernel_h,
					      uint32_t kernel_w)
{
	return repeated_lanes(outputs) * kernel_h * ((kernel_w + 3) / 4 * 4);
}

#endif
