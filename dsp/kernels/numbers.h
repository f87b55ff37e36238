/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic that several portable kernels share.
 */
#ifndef NN_NUMBERS_H
#define NN_NUMBERS_H

#include <stdint.h>

#include "../kernels.h"

static inline int32_t clamp_int(int32_t value, int32_t low, int32_t high)
{
	return value < low ? low : value > high ? high : value;
}

/*
 * An element of an 8-bit tensor; flip is 0x80 for INT8 and 0 for UINT8: (x ^ flip) - flip extends
 * the sign.
 */
static inline int32_t flip_of(const struct nn_tensor *tensor)
{
	return tensor->type == NN_TYPE_INT8 ? 0x80 : 0;
}

static inline int32_t load_8bit(const uint8_t *data, int32_t flip)
{
	return (*data ^ flip) - flip;
}

/*
 * requant() of dsp/kernels.h without the clamp: the nearest integer to fl(fl(acc) * scale), ties to
 * even, + zero point. Adding 1.5 * 2^23 leaves the rounded integer in the low bits of the sum.
 */
static inline int32_t requant(int32_t acc, float scale, int32_t zero_point)
{
	const float magic = 12582912.0f, limit = 131072.0f;	/* past any clamp of 8 or 16 bits */
	union {
		float value;
		int32_t bits;
	} sum, base = { .value = magic };
	float product = (float)acc * scale;

	/* Written so that a NaN, of a scale that is none, becomes a number. */
	product = product > -limit ? product : -limit;
	product = product < limit ? product : limit;
	sum.value = product + magic;
	return sum.bits - base.bits + zero_point;
}

#endif
