/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Multiplication by a real number that is an integer and a shift, as TensorFlow Lite's own kernels
 * do it for integers of 8 and 16 bits: multiplier / 2^31 * 2^shift, the multiplier 31 bits long.
 */
#ifndef NN_FIXED_POINT_H
#define NN_FIXED_POINT_H

#include <stdint.h>

/* The upper half of 2 * a * b, to the nearest, ties up. */
static inline int32_t fixed_multiply_high(int32_t a, int32_t b)
{
	if (a == INT32_MIN && b == INT32_MIN)
		return INT32_MAX;
	return (int32_t)(((int64_t)a * b + (1ll << 30)) >> 31);
}

/* value / 2^bits, to the nearest, ties away from 0; bits at most 31. */
static inline int32_t fixed_divide(int32_t value, uint32_t bits)
{
	int32_t mask = (int32_t)((1ull << bits) - 1);

	return (value >> bits) + ((value & mask) > (mask >> 1) + (value < 0));
}

/* Rounded twice. shift is -31 .. 30; with more than 0, bits that value * 2^shift has above 32 are
 * lost. */
static inline int32_t fixed_multiply(int32_t value, int32_t multiplier, int32_t shift)
{
	if (shift > 0)
		return fixed_multiply_high((int32_t)((uint32_t)value << shift), multiplier);
	return fixed_divide(fixed_multiply_high(value, multiplier), (uint32_t)-shift);
}

/*
 * Of a sum of 64 bits: multiplier has 15 bits, and real = multiplier / 2^shift, shift in 1 .. 62.
 * To the nearest, ties up; the low 32 bits.
 */
static inline int32_t fixed_multiply_sum(int64_t sum, int32_t multiplier, int32_t shift)
{
	uint64_t product = (uint64_t)sum * (uint64_t)(int64_t)multiplier;

	return (int32_t)((int64_t)(product + (1ull << (shift - 1))) >> shift);
}

#endif
