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

/* Whether scratch memory has room for the rows that one window spans. */
bool nn_depthwise_conv2d_fits(const struct nn_call *call);

/* Whether it has for those of a window that is not dilated, of so many outputs, and for copies. */
bool nn_depthwise_conv2d_slice_fits(const struct nn_call *call, uint32_t outputs);

#endif
