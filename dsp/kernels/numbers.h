/* SPDX-License-Identifier: MIT */
/*
 * Arithmetic that several portable kernels share.
 */
#ifndef NN_NUMBERS_H
#define NN_NUMBERS_H

#include <stdint.h>

#include "dsp/program/kernels.h"

static inline int32_t clamp_int(int32_t value, int32_t low, int32_t high)
{
	return value < low ? low : value > high ? high : value;
}

/*
 * A usual scale is one for which the error bounds of vector kernels' integers hold, and no result on
 * the way leaves float32's range.
 */
static inline bool is_usual_scale(float scale)
{
	return scale >= 0x1p-64f && scale <= 0x1p64f;
}

/* Far more than a byte can tell apart, and what a sum with a zero point has room for. */
static inline int32_t cut_int(int32_t value)
{
	return clamp_int(value, -(1 << 17), 1 << 17);
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

/* An element of a tensor of 8 bits or INT16. */
static inline int32_t load_quantized(const struct nn_tensor *tensor, const uint8_t *at)
{
	return tensor->type == NN_TYPE_INT16 ? *(const int16_t *)at :
					       load_8bit(at, flip_of(tensor));
}

static inline void store_quantized(const struct nn_tensor *tensor, uint8_t *at, int32_t value)
{
	if (tensor->type == NN_TYPE_INT16)
		*(int16_t *)at = (int16_t)value;
	else
		*at = (uint8_t)value;
}

/*
 * The nearest integer, ties to even, or one past any clamp of 8 or 16 bits. Adding 1.5 * 2^23
 * leaves the rounded integer in the low bits of the sum.
 */
static inline int32_t round_float(float value)
{
	const float magic = 12582912.0f, limit = 131072.0f;
	union {
		float value;
		int32_t bits;
	} sum, base = { .value = magic };

	/* Written so that a NaN, of scales that are none, becomes a number. */
	value = value > -limit ? value : -limit;
	value = value < limit ? value : limit;
	sum.value = value + magic;
	return sum.bits - base.bits;
}

/* The same, ties away from 0. */
static inline int32_t round_away(float value)
{
	int32_t near = round_float(value);
	float rest = value - (float)near;

	if (rest == 0.5f && value > 0)
		return near + 1;
	return rest == -0.5f && value < 0 ? near - 1 : near;
}

/* sum / count to the nearest, ties away from 0. |sum| + count / 2 must fit. */
static inline int32_t divide_away(int32_t sum, int32_t count)
{
	return sum < 0 ? -((count / 2 - sum) / count) : (sum + count / 2) / count;
}

/* requant() of dsp/program/kernels.h without the clamp. */
static inline int32_t requant(int32_t acc, float scale, int32_t zero_point)
{
	return round_float((float)acc * scale) + zero_point;
}

/* Positive and normal. */
static inline bool is_scale(float scale)
{
	return scale >= __FLT_MIN__ && scale <= __FLT_MAX__;
}

#endif
