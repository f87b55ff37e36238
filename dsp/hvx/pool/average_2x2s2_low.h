/* SPDX-License-Identifier: MIT */
/*
 * Means of 2x2 in float32 where both scales are equal, so that a quarter of them are half an
 * integer: all are made by vectors, from the lowest bits of float32's sums (float_low.h).
 * average_pool_float.c calls it.
 */
#ifndef NN_AVERAGE_2X2S2_LOW_H
#define NN_AVERAGE_2X2S2_LOW_H

#include "dsp/hvx/common/float_low.h"
#include "dsp/hvx/pool/average_2x2s2.h"

struct average_low {
	struct low_scale scale;
	bool in_columns;	/* the sums of two columns are added up, not one by one in rows */
	uint32_t zero_in, zero_out;	/* zero points of unsigned bytes */
};

/*
 * Makes a row's vectors from `at` to `end` of a loop, `offset` bytes behind the loop's first ones
 * and to `to`. Returns `end`, or the first vector that has a mean with a critical sum: that vector's
 * marks are stored as nn_average_2x2s2_ties() stores them.
 */
uint32_t nn_average_2x2s2_low(const struct average_loop *loop, const struct average_low *low,
			      uint32_t offset, uint8_t *to, uint32_t at, uint32_t end);

#endif
