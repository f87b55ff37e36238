/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * Rescaling in integers as TensorFlow Lite's own kernels do it (gemmlowp's fixed-point arithmetic):
 * multipliers of 31 bits, and two roundings. Library and kernels share it.
 */
#ifndef NN_FIXED_H
#define NN_FIXED_H

#include <stdbool.h>
#include <stdint.h>

#include "nn_program.h"

/* value / 2^bits to the nearest, ties away from 0. */
static inline int64_t nn_divide_away(int64_t value, int bits)
{
	int64_t half = bits ? 1ll << (bits - 1) : 0;

	return value < 0 ? -((half - value) >> bits) : (value + half) >> bits;
}

/* Whether nn_rescale() has room for values below 2^bits. */
static inline bool nn_fixed_fits(struct nn_fixed by, int bits)
{
	int64_t size = by.multiplier < 0 ? -(int64_t)by.multiplier : by.multiplier;

	return size < 1ll << 31 && by.exponent >= -4096 && by.exponent + bits <= 31;
}

/*
 *	high = value * 2^max(exponent, 0) * multiplier / 2^31, to the nearest, ties up
 *	high / 2^max(-exponent, 0), to the nearest, ties away from 0
 */
static inline int64_t nn_rescale(int64_t value, struct nn_fixed by)
{
	int left = by.exponent > 0 ? by.exponent : 0, right = left - by.exponent;
	int64_t high = (value * (1ll << left) * by.multiplier + (1ll << 30)) >> 31;

	return right > 31 ? 0 : nn_divide_away(high, right);
}

#endif
