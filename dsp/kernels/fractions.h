/* SPDX-License-Identifier: MIT */
/*
 * Functions of fractions of 16 bits, as gemmlowp defines them: a number with n whole bits is
 * v / 2^(15 - n). dsp/hvx/int16/fractions.h has them for vectors.
 */
#ifndef NN_FRACTIONS_H
#define NN_FRACTIONS_H

#include <stdint.h>

#include "dsp/kernels/numbers.h"
#include "dsp/program/fixed.h"

/* a * b / 2^15 to the nearest, ties up. */
static inline int32_t fraction_product(int32_t a, int32_t b)
{
	int32_t product = (a * b + (1 << 14)) >> 15;

	return product > INT16_MAX ? INT16_MAX : product;
}

/* v / 2^bits to the nearest, ties away from 0. */
static inline int32_t fraction_divide(int32_t v, uint32_t bits)
{
	return (int32_t)nn_divide_away(v, bits);
}

static inline int32_t fraction_clamp(int32_t v)
{
	return clamp_int(v, INT16_MIN, INT16_MAX);
}

/*
 * e^a for a of `whole` bits, at most 0; the result has none. From -1/4 on a series around -1/8;
 * what lies below that is a product of powers of e.
 */
static inline int32_t fraction_exp(int32_t a, uint32_t whole)
{
	/* e^-1/4, e^-1/2, e^-1 ... e^-16 */
	static const int16_t powers[] = { 25520, 19875, 12055, 4435, 600, 11, 0 };
	const int32_t quarter = 1 << (13 - whole), middle = 28918 /* e^-1/8 */;
	const int32_t third = 10923;
	int32_t in_quarter = (a & (quarter - 1)) - quarter, rest = in_quarter - a;
	int32_t x = in_quarter * (1 << whole) + (1 << 12);
	int32_t x2 = fraction_product(x, x), x3 = fraction_product(x2, x);
	int32_t x4 = fraction_divide(fraction_product(x2, x2), 2);
	int32_t terms = fraction_divide(fraction_product(x4 + x3, third) + x2, 1);
	int32_t result = fraction_clamp(middle + fraction_product(middle, x + terms));

	if (!a)
		return INT16_MAX;
	if (whole > 5 && a < -(1 << (20 - whole)))
		return 0;
	for (uint32_t i = 0; i < 7; i++) {
		if (rest & quarter << i)
			result = fraction_product(result, powers[i]);
	}
	return result;
}

/*
 * 2 / (1 + x), x a fraction from 0 to 1, with two whole bits: three steps of Newton's method for
 * half of the denominator.
 */
static inline int32_t fraction_invert(int32_t x)
{
	int32_t half = (x + INT16_MAX + 1) / 2;
	int32_t y = 23130 + fraction_product(half, -15420);	/* 48/17 - 32/17 * half */

	for (uint32_t i = 0; i < 3; i++) {
		int32_t error = (1 << 13) - fraction_product(half, y);

		y += fraction_clamp(fraction_product(y, error) * 4);
	}
	return y;
}

/* 1 / (1 + e^-a) of a number with `whole` bits; the result has none. */
static inline int32_t fraction_sigmoid(int32_t a, uint32_t whole)
{
	int32_t below = a > 0 ? -a : a, result;

	if (!a)
		return 1 << 14;
	result = fraction_clamp(fraction_invert(fraction_exp(below, whole)) * 2);
	return a > 0 ? result : INT16_MAX - result;
}

/* The hyperbolic tangent of a number with `whole` bits; the result has none. */
static inline int32_t fraction_tanh(int32_t a, uint32_t whole)
{
	int32_t below = a < 0 ? a : -a, result;

	if (!a)
		return 0;
	result = fraction_clamp((fraction_invert(fraction_exp(below, whole + 1)) - (1 << 13)) * 4);
	return a < 0 ? -result : result;
}

#endif
