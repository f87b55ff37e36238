/* SPDX-License-Identifier: MIT */
/*
 * The scaling of CONV2D_INT16's sums, for its portable kernel, and for what the vector kernel has
 * no quicker way for.
 */
#ifndef NN_CONV2D_INT16_H
#define NN_CONV2D_INT16_H

#include "dsp/program/fixed.h"
#include "dsp/kernels/numbers.h"

/* Each of several channels has one output, which is of that alone. */
static inline bool conv2d_int16_is_depthwise(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	uint32_t channels = call->input[0].dims[3];

	return channels > 1 && call->output[0].dims[3] == channels &&
	       call->input[1].dims[0] ==
		       (uint64_t)channels * window->kernel_h * window->kernel_w;
}

static inline int32_t conv2d_int16_scale(int64_t acc, const int32_t scale[2])
{
	if (scale[0] < 1 << 15)
		return nn_fixed_multiply_sum(acc, scale[0], clamp_int(scale[1], 1, 62));
	if (scale[1] >= NN_ROUNDED_ONCE)
		return nn_fixed_multiply_sum((int32_t)acc, scale[0],
					     clamp_int(scale[1] - NN_ROUNDED_ONCE, 1, 62));
	return nn_fixed_multiply_up((int32_t)acc,
				    (struct nn_fixed){ scale[0], clamp_int(scale[1], -31, 30) });
}

#endif
