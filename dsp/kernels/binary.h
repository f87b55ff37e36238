/* SPDX-License-Identifier: MIT */
/*
 * BINARY's definition, element by element (binary.c), for the portable kernel, and for the vector
 * one where its integers cannot tell.
 */
#ifndef NN_BINARY_H
#define NN_BINARY_H

#include "dsp/program/fixed.h"
#include "dsp/kernels/add_float.h"
#include "dsp/kernels/numbers.h"

/* Returns the parameters for float_sum_of(), whose sum this refers to. */
static inline struct nn_add_float_params binary_scales(const struct nn_binary_params *params)
{
	return (struct nn_add_float_params){
		.scale_a = params->scale_a,
		.scale_b = params->scale_b,
		.scale_output = params->scale_output,
	};
}

/*
 * Tells whether results with this scale are 257 / 2^24 off at most for each rounding, because none
 * on the way leaves float32's range.
 */
static inline bool nn_binary_is_moderate(float scale)
{
	return scale >= 0x1p-40f && scale <= 0x1p40f;
}

static inline float compute_float(uint32_t function, float x, float y)
{
	switch (function) {
	case NN_BINARY_ADD:
		return x + y;
	case NN_BINARY_SUB:
		return x - y;
	case NN_BINARY_MUL:
		return x * y;
	case NN_BINARY_DIV:
		return x / y;
	case NN_BINARY_MIN:
		return x < y ? x : y;
	case NN_BINARY_MAX:
		return x > y ? x : y;
	default:
		return x < 0 ? x * y : x;
	}
}

/* The result without zero point and clamp, of elements less their zero points. */
static inline int32_t compute_binary(const struct nn_binary_params *params,
				     const struct float_sum *sum, int32_t a, int32_t b)
{
	float zero = (float)sum->zero_output;
	int64_t difference;

	switch (params->function) {
	case NN_BINARY_ADD_SHIFTED:
		return (a * params->add.multiplier_a + b * params->add.multiplier_b +
			(int32_t)(1u << (params->add.shift - 1))) >>
		       params->add.shift;
	case NN_BINARY_ADD_FUSED:
		return add_fused(sum, a + sum->zero_a, b + sum->zero_b) - sum->zero_output;
	case NN_BINARY_MUL_ONCE:
		return round_float((float)(a * b) * params->scale_output);
	case NN_BINARY_MUL_FUSED:
		return round_float((float)(a * b) * params->scale_output + zero) -
		       sum->zero_output;
	case NN_BINARY_PRELU_FIXED:
		return cut_int(a < 0 ? nn_fixed_multiply(a * b, params->by[1]) :
				   nn_fixed_multiply(a, params->by[0]));
	case NN_BINARY_SQUARED_DIFFERENCE_FIXED:
		difference = nn_fixed_multiply(a * 128, params->by[0]) -
			     nn_fixed_multiply(b * 128, params->by[1]);
		return cut_int(
			nn_fixed_multiply((int32_t)(difference * difference), params->by[2]));
	default:
		return round_float(compute_float(params->function, (float)a * params->scale_a,
						 (float)b * params->scale_b) /
				   params->scale_output);
	}
}

#endif
