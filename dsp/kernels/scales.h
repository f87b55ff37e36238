/* SPDX-License-Identifier: MIT */
/*
 * Packed scales: what the rows of enum nn_scale_row have for one of them.
 */
#ifndef NN_SCALES_H
#define NN_SCALES_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/program/nn_program.h"

/*
 * The greatest multiplier that, rounded to its upper half, is not 2^31; beyond it NN_SCALES_WIDE.
 */
#define MOST_HIGH	0x7fff7fff

struct scale_words {
	int32_t bits;		/* the scale itself */
	int32_t multiplier, shift, greatest, exact;
};

static inline struct scale_words describe_scale(float scale)
{
	const union {
		float value;
		uint32_t bits;
	} number = { scale };
	const uint32_t mantissa = (number.bits & 0x7fffff) | 0x800000;
	const int32_t exponent = (int32_t)(number.bits >> 23) - 150;
	const int32_t shift = exponent < -71 ? -31 : exponent > -10 ? 30 : exponent + 40;
	/* The distance by which the mantissa is to be shifted to the right to be scale * 2^16. */
	const int32_t right = -16 - exponent;
	const bool is_exact = right >= 8 && right <= 23 && !(mantissa & ((1u << right) - 1));

	return (struct scale_words){
		.bits = (int32_t)number.bits,
		.multiplier = (int32_t)(mantissa << 7),
		.shift = shift,
		.greatest = INT32_MAX >> (shift < 0 ? 0 : shift),
		.exact = is_exact ? (int32_t)(mantissa >> right) : 0,
	};
}

/* The NN_SCALES_* of a scale, whose sums are at most `reach` in magnitude. */
static inline uint32_t describe_flags(const struct scale_words *words, uint32_t reach)
{
	const int32_t small = 0x37800000;	/* 2^-16, a float32; no scale is negative */

	return (words->exact ? 0 : NN_SCALES_INEXACT) |
	       (reach > (uint32_t)words->greatest ? NN_SCALES_CLAMPED : 0) |
	       (words->shift < 0 ? NN_SCALES_ROUGH : 0) |
	       (words->bits < small ? NN_SCALES_SMALL : 0) |
	       (words->multiplier > MOST_HIGH ? NN_SCALES_WIDE : 0);
}

#endif
