/* SPDX-License-Identifier: MIT */
/*
 * A window's sum as AVERAGE_POOL_FLOAT defines it: for the portable kernel, and for the vector one
 * where its integers cannot tell.
 */
#ifndef NN_AVERAGE_FLOAT_H
#define NN_AVERAGE_FLOAT_H

#include "dsp/kernels/numbers.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/window.h"

/* Returns by how much a window's sum is divided. */
static inline uint32_t average_count(const struct nn_window_params *params,
				     const struct pool_window *window)
{
	if (params->count_padding)
		return params->kernel_h * params->kernel_w;
	return (window->bottom - window->top) * (window->right - window->left);
}

/* NN_AVERAGE_EXACT: what the sum of q(a) is multiplied with. */
static inline float average_scale(const struct nn_average_float_params *params, uint32_t count)
{
	return params->scale_input / (params->scale_output * (float)count);
}

/* The result of a mean in steps of the output, unclamped. Not for NN_AVERAGE_EXACT. */
static inline int32_t average_round(const struct nn_average_float_params *params, float steps,
				    int32_t zero_point)
{
	if (params->order == NN_AVERAGE_ZERO_POINT)
		return round_float(steps + (float)zero_point);
	return round_float(steps) + zero_point;
}

/*
 * The sum of channel c of an image in float32, before the division. Reports progress; returns what
 * a report did. Not for NN_AVERAGE_EXACT.
 */
int nn_average_float_sum(struct progress *progress, const uint8_t *image,
			 const struct pool_window *window, uint32_t c, float *sum);

#endif
