/* SPDX-License-Identifier: MIT */
/*
 * Divisions of many numbers of float32 by one, whose inverse is found once. The DSP has no instruction
 * that divides.
 */
#ifndef NN_FLOAT_DIVIDE_H
#define NN_FLOAT_DIVIDE_H

#include "dsp/kernels/float.h"

#define FLOAT_LEAST_USUAL	0x21800000u	/* 2^-60 */
#define FLOAT_GREATEST_USUAL	0x5d800000u	/* 2^60 */

/* A magnitude that is neither so small nor so great that a step of a division loses bits. */
static inline bool float_is_usual(float x)
{
	return (bits_of_float(x) & 0x7fffffff) - FLOAT_LEAST_USUAL <=
	       FLOAT_GREATEST_USUAL - FLOAT_LEAST_USUAL;
}

struct float_divisor {
	float value, inverse;	/* the inverse is rounded to nearest */
	bool is_usual;		/* and not all of its digits are ones */
};

static inline struct float_divisor float_divisor_of(float value)
{
	return (struct float_divisor){
		.value = value,
		.inverse = 1 / value,
		.is_usual = float_is_usual(value) && (~bits_of_float(value) & 0x7fffff),
	};
}

/*
 * x / by, rounded to nearest. What is left of x, which is exact, makes a quotient that is one of the two
 * nearest, and then the nearest (Markstein). Hosts have an instruction for it.
 */
static inline float float_divide(float x, const struct float_divisor *by)
{
#ifdef __hexagon__
	float quotient = x * by->inverse;

	if (by->is_usual && float_is_usual(x)) {
		quotient = float_fused(float_fused(-quotient, by->value, x), by->inverse, quotient);
		return float_fused(float_fused(-quotient, by->value, x), by->inverse, quotient);
	}
#endif
	return x / by->value;
}

#endif
