/* SPDX-License-Identifier: MIT */
/* Conversion of 8-bit numbers to float32, for the host's kernels. */
#ifndef NN_HOST_NUMBERS_H
#define NN_HOST_NUMBERS_H

#include "dsp/kernels/numbers.h"

static inline void load_numbers(float *to, const uint8_t *from, uint64_t count, int32_t flip)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] = (float)load_8bit(&from[i], flip);
}

static inline void fill_numbers(float *to, float value, uint64_t count)
{
	for (uint64_t i = 0; i < count; i++)
		to[i] = value;
}

#endif
