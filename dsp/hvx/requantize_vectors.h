/* SPDX-License-Identifier: MIT */
/*
 * Vectors of 128 results of the same scales, in assembly.
 */
#ifndef NN_REQUANTIZE_VECTORS_H
#define NN_REQUANTIZE_VECTORS_H

#include <stddef.h>

#include "vector.h"

/* The assembly knows where everything is. */
struct requantize_vectors {
	HVX_Vector flags;	/* its own */
	HVX_Vector multiplier[4], shift[4], max[4], min[4];	/* as in struct requant */

	/*
	 * The zero point << 16 and a half, and a bit more; where the product's fraction, that
	 * added, is below `unsure`, it was near a half.
	 */
	HVX_Vector more, unsure;
	HVX_Vector out_min, out_max;	/* bytes */

	const uint8_t *from;	/* 128 sums */
	uint8_t *to;
	uint32_t from_step, to_step;	/* bytes to the next */
	uint32_t count;		/* at least 1 */
} __attribute__((aligned(VECTOR)));

_Static_assert(offsetof(struct requantize_vectors, from) == 21 * VECTOR, "as the assembly has it");

/*
 * All vectors, and 0. Or up to one in which a product was near a half: how many were left to do, that
 * one included.
 */
uint32_t nn_requantize_uint8(struct requantize_vectors *vectors);
uint32_t nn_requantize_int8(struct requantize_vectors *vectors);

#endif
