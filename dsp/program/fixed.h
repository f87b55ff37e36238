/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Multiplication of integers by real numbers as TensorFlow Lite's own kernels do it (gemmlowp's
 * fixed-point arithmetic): a real number is a multiplier and a power of two. Library and kernels
 * share it; dsp/program/pack.h makes the multipliers.
 */
#ifndef NN_FIXED_H
#define NN_FIXED_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/program/nn_program.h"

/* value / 2^bits to the nearest, ties away from 0. bits at most 62, |value| at most 2^62. */
static inline int64_t nn_divide_away(int64_t value, uint32_t bits)
{
	int64_t half = bits ? 1ll << (bits - 1) : 0;

	return value < 0 ? -((half - value) >> bits) : (value + half) >> bits;
}

/* Whether nn_fixed_multiply() can do it, and loses nothing of values below 2^bits. */
static inline bool nn_fixed_fits(struct nn_fixed by, int bits)
{
	return by.multiplier != INT32_MIN && by.exponent >= -31 && by.exponent + bits <= 31;
}

/* The first step of those below. */
static inline int64_t nn_fixed_high(int32_t value, struct nn_fixed by, uint32_t left)
{
	int64_t product = (int64_t)(int32_t)((uint32_t)value << left) * by.multiplier;
	int64_t high = (product + (1ll << 30)) >> 31;

	/* The only greater product is INT32_MIN squared. */
	return high > INT32_MAX ? INT32_MAX : high;
}

/*
 *	high = value * 2^max(exponent, 0) * multiplier / 2^31, to the nearest, ties up
 *	high / 2^max(-exponent, 0), to the nearest, ties away from 0
 *
 * The exponent is -31 .. 30. Of value * 2^exponent only the low 32 bits count, so it should fit.
 */
static inline int32_t nn_fixed_multiply(int32_t value, struct nn_fixed by)
{
	uint32_t left = by.exponent > 0 ? by.exponent : 0;

	return (int32_t)nn_divide_away(nn_fixed_high(value, by, left), left - by.exponent);
}

/*
 * The same, but for the second rounding: ties up, as in their fully connected layers of int16 without
 * a bias and, of eight channels at a time, transposed convolutions on x86.
 */
static inline int32_t nn_fixed_multiply_up(int32_t value, struct nn_fixed by)
{
	uint32_t left = by.exponent > 0 ? by.exponent : 0, right = left - by.exponent;
	int64_t half = right ? 1ll << (right - 1) : 0;

	return (int32_t)((nn_fixed_high(value, by, left) + half) >> right);
}

/*
 * The product of a sum of 64 bits and the real number multiplier / 2^shift, where the multiplier
 * has 15 bits and shift is 1 .. 62: to the nearest, ties up; its low 32 bits. Likewise of a sum of
 * 32 bits and a multiplier of 31.
 */
static inline int32_t nn_fixed_multiply_sum(int64_t sum, int32_t multiplier, int32_t shift)
{
	uint64_t product = (uint64_t)sum * (uint64_t)(int64_t)multiplier;

	return (int32_t)((int64_t)(product + (1ull << (shift - 1))) >> shift);
}

/* a * b / 2^31 to the nearest, ties up; and value * 2^bits, cut off at 32 bits. */
static inline int32_t nn_fixed_product(int32_t a, int32_t b)
{
	return (int32_t)(((int64_t)a * b + (1ll << 30)) >> 31);
}

static inline int32_t nn_fixed_raise(int32_t value, uint32_t bits)
{
	int64_t wide = (int64_t)value * (1ll << bits);

	return (int32_t)(wide < INT32_MIN ? INT32_MIN : wide > INT32_MAX ? INT32_MAX : wide);
}

/*
 * 1 / the root of value, of 1 if that is less: five steps of Newton's method, x = (3 - v * x^2) *
 * x / 2 from 1 on, in numbers of 28 bits behind the point, for which v is value times an even power
 * of two that makes it at most 2.
 */
static inline struct nn_fixed nn_fixed_inverse_root(int32_t value)
{
	const int32_t half_three = 3 << 27, half_root_2 = 1518500250;
	int32_t shift = 11, pairs, half, x = 1 << 28;

	if (value <= 1)
		return (struct nn_fixed){ .multiplier = INT32_MAX };
	for (; value >= 1 << 29; shift++)
		value /= 4;
	pairs = (__builtin_clz(value) - 1) / 2 - 1;
	value <<= 2 * pairs;
	shift -= pairs;
	half = (int32_t)nn_divide_away(value >> 1, 1);
	for (int i = 0; i < 5; i++) {
		int32_t cube = nn_fixed_raise(nn_fixed_product(nn_fixed_product(x, x), x), 6);

		x = nn_fixed_raise(nn_fixed_product(half_three, x) - nn_fixed_product(half, cube),
				   3);
	}
	x = nn_fixed_product(x, half_root_2);
	return shift < 0 ? (struct nn_fixed){ .multiplier = x << -shift } :
			   (struct nn_fixed){ .multiplier = x, .exponent = -shift };
}

/* CONV2D_INT16 adds it to shifts of what is rounded once, with a multiplier of 31 bits. */
#define NN_ROUNDED_ONCE 64

/* RESCALE of sums adds it to exponents whose second rounding is with ties up. */
#define NN_TIES_UP 128

#endif
