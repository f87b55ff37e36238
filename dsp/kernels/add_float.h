/* SPDX-License-Identifier: MIT */
/*
 * ADD_FLOAT's definition, element by element (add_float.c), for the portable kernel, and for the
 * vector one where its integers cannot tell.
 */
#ifndef NN_ADD_FLOAT_H
#define NN_ADD_FLOAT_H

#include "dsp/kernels/numbers.h"

/* The numbers of a call that all its elements have in common. */
struct float_sum {
	const struct nn_add_float_params *params;
	int32_t zero_a, zero_b, zero_output;
	float ratio_a, ratio_b, base;	/* NN_ADD_FUSED */
};

static inline struct float_sum float_sum_of(const struct nn_call *call,
					    const struct nn_add_float_params *params)
{
	struct float_sum sum = {
		.params = params,
		.zero_a = call->input[0].zero_point,
		.zero_b = call->input[1].zero_point,
		.zero_output = call->output[0].zero_point,
	};

	sum.ratio_a = sum.params->scale_a / sum.params->scale_output;
	sum.ratio_b = sum.params->scale_b / sum.params->scale_output;
	sum.base = (float)sum.zero_output -
		   __builtin_fmaf((float)sum.zero_a, sum.ratio_a, (float)sum.zero_b * sum.ratio_b);
	return sum;
}

/*
 * Tells whether the vector kernel's integers can tell what sums are: where neither scale is too
 * far from the output's. Scale b may be negative.
 */
static inline bool add_float_is_in_integers(const struct nn_add_float_params *params)
{
	float scale_b = __builtin_fabsf(params->scale_b);

	return is_usual_scale(params->scale_a) && is_usual_scale(scale_b) &&
	       is_usual_scale(params->scale_output) &&
	       params->scale_a < 0x1p20f * params->scale_output &&
	       scale_b < 0x1p20f * params->scale_output;
}

/* The sum in float32, in steps of the scale by which the caller divides. */
static inline float add_dequantized(const struct float_sum *sum, int32_t a, int32_t b)
{
	return (float)(a - sum->zero_a) * sum->params->scale_a +
	       (float)(b - sum->zero_b) * sum->params->scale_b;
}

/* The result without the clamp. */
static inline int32_t add_fused(const struct float_sum *sum, int32_t a, int32_t b)
{
	return round_float(__builtin_fmaf((float)a, sum->ratio_a,
					  __builtin_fmaf((float)b, sum->ratio_b, sum->base)));
}

#endif
