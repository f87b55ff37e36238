/* SPDX-License-Identifier: MIT */
/*
 * Operands of float32: any bits, or numbers of a size that results of functions are not all infinite
 * or 0 of.
 */
#ifndef FLOATS_H
#define FLOATS_H

#include "../large-call.h"
#include "../random-call.h"

/* Operand i gets such numbers, in place of random bits; now and then it keeps a few of these. */
static inline void make_numbers(uint32_t i)
{
	float *x = (float *)call.input[i].data;

	for (uint32_t k = 0; k < call.input[i].bytes / sizeof(*x); k++) {
		if (random_below(64))
			x[k] = (float)random_range(-4000, 4000) / (float)(1u << random_below(20));
	}
}

static inline void random_floats(uint32_t i, uint32_t rank, const uint32_t *dims)
{
	random_input(i, NN_TYPE_FLOAT32, rank, dims);
	if (random_below(4))
		make_numbers(i);
}

static inline void random_float_constant(uint32_t i, uint32_t elements)
{
	random_constant(i, NN_TYPE_FLOAT32, elements);
	if (random_below(8))
		make_numbers(i);
}

static inline void random_float_output(uint32_t rank, const uint32_t *dims)
{
	random_output(NN_TYPE_FLOAT32, rank, dims);
	call.output[0].zero_point = 0;
}

#endif
