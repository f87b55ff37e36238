/* SPDX-License-Identifier: MIT */
/*
 * SOFTMAX_INT16's places in tables, and what powers are multiplied by, for its portable and its
 * vector kernel.
 */
#ifndef NN_SOFTMAX_INT16_H
#define NN_SOFTMAX_INT16_H

#include "dsp/kernels/numbers.h"

#define SOFTMAX_INT16_PLACES	513	/* in each table */

static inline int32_t softmax_int16_place(const int16_t *table, int32_t value)
{
	int32_t v = clamp_int(value, INT16_MIN, INT16_MAX), at = 256 + (v >> 7);

	return (int16_t)(table[at] + (((table[at + 1] - table[at]) * (v & 127) + 64) >> 7));
}

/* A power is multiplied by `inverse`, and divided by 2^shift. */
struct softmax_int16_sum {
	int32_t inverse;
	uint32_t shift;
};

static inline struct softmax_int16_sum softmax_int16_sum_of(const int16_t *tables, int32_t sum)
{
	uint32_t bits;
	int32_t whole;

	sum = sum < 1 ? 1 : sum;
	bits = 32 - __builtin_clz(sum);
	whole = (int32_t)((((int64_t)sum << (31 - bits)) + (1 << 13)) >> 14);
	return (struct softmax_int16_sum){
		.inverse = softmax_int16_place(tables + SOFTMAX_INT16_PLACES,
					       whole - 3 * (1 << 15)),
		.shift = bits - 1,
	};
}

#endif
