/* SPDX-License-Identifier: MIT */
/*
 * The kernels of float32 tensors share this. Host and DSP make the same bits of the same operands:
 *
 * - a sum has one accumulator for each result, whose products are added in the order that the
 *   definition has, each by a fused multiplication and addition, which rounds once;
 * - an operation of float32 rounds to nearest, ties to even; subnormal numbers are kept;
 * - what float32 has no operation for is computed in double, by operations that both have
 *   (dsp/kernels/reals.h), and rounded once;
 * - a result that is no number has the bits FLOAT_NOT_A_NUMBER, whatever processors make of it.
 */
#ifndef NN_FLOAT_H
#define NN_FLOAT_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/float_bits.h"

#define FLOAT_NOT_A_NUMBER 0x7fc00000u

/* A result, with the bits that all devices have. */
static inline float float_result(float x)
{
	return float_is_number(x) ? x : (union float_bits){ .bits = FLOAT_NOT_A_NUMBER }.value;
}

/* a * b + sum, rounded once. */
static inline float float_fused(float a, float b, float sum)
{
#ifdef __hexagon__
	return __builtin_HEXAGON_F2_sffma(sum, a, b);
#else
	return __builtin_fmaf(a, b, sum);
#endif
}

/* An order of all numbers as integers, -0 below 0. */
static inline int32_t float_key(float x)
{
	int32_t bits = (int32_t)bits_of_float(x);

	return bits ^ (bits >> 31 & 0x7fffffff);
}

/* The greater of two, and the lesser; what is no number is both. */
static inline float float_greater(float a, float b)
{
	if (!float_is_number(a) || !float_is_number(b))
		return (union float_bits){ .bits = FLOAT_NOT_A_NUMBER }.value;
	return float_key(a) < float_key(b) ? b : a;
}

static inline float float_lesser(float a, float b)
{
	if (!float_is_number(a) || !float_is_number(b))
		return (union float_bits){ .bits = FLOAT_NOT_A_NUMBER }.value;
	return float_key(b) < float_key(a) ? b : a;
}

/* x within the bounds; what is no number stays so. */
static inline float float_clamp(float x, float low, float high)
{
	if (!float_is_number(x))
		return float_result(x);
	if (float_key(x) < float_key(low))
		return low;
	return float_key(x) > float_key(high) ? high : x;
}

static inline bool is_float(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_FLOAT32;
}

/* Bounds of a clamp, of which either may be infinite. */
static inline bool float_bounds_are_valid(float low, float high)
{
	return float_is_number(low) && float_is_number(high) && float_key(low) <= float_key(high);
}

#endif
