/* SPDX-License-Identifier: MIT */
/* The bits of a float32. */
#ifndef NN_FLOAT_BITS_H
#define NN_FLOAT_BITS_H

#include <stdbool.h>
#include <stdint.h>

union float_bits {
	float value;
	uint32_t bits;
};

static inline uint32_t bits_of_float(float x)
{
	return (union float_bits){ .value = x }.bits;
}

/* Comparisons by bits: the compiler's own of the DSP may take what is no number for one. */
static inline bool float_is_number(float x)
{
	return (bits_of_float(x) & 0x7fffffff) <= 0x7f800000;
}

#endif
