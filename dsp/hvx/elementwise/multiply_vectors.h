/* SPDX-License-Identifier: MIT */
/*
 * Vectors of products of 128 elements by 128 others, scaled, in assembly (multiply_vectors.S),
 * which binary.c calls. C and assembly include it.
 */
#ifndef NN_MULTIPLY_VECTORS_H
#define NN_MULTIPLY_VECTORS_H

/* Offsets of the members of struct multiply_vectors; scalars are counted from MULTIPLY_SCALARS. */
#define MULTIPLY_SCALARS	(2 * 128)
#define MULTIPLY_FLIPS		0	/* pairs are loaded together */
#define MULTIPLY_ZEROS		8
#define MULTIPLY_FACTORS	16
#define MULTIPLY_MULTIPLIER_MORE	24
#define MULTIPLY_TIE_MIN	32
#define MULTIPLY_MAX_COUNT	40
#define MULTIPLY_INPUTS		48
#define MULTIPLY_TO		56

/* The most by which a product can be shifted to the left: seven bits of each factor. */
#define MULTIPLY_MOST_SHIFT	14

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "dsp/hvx/common/vector.h"

/*
 * Arguments of the loops. Numbers are those of a byte, a halfword or a word, as often as a word has
 * them.
 */
struct multiply_vectors {
	HVX_Vector flags, nowhere;	/* its own */
	uint32_t flip[2];		/* bytes: 0x80 for INT8 */
	uint32_t zero[2];		/* halfwords: that of a flipped byte, times factor */
	uint32_t factor[2];		/* bytes: 2^0 .. 2^7; together they are the shift */
	uint32_t multiplier;		/* as of struct requant */
	uint32_t more, ties;		/* as of struct requantize_vectors */
	uint32_t out_min, out_max;	/* bytes */
	uint32_t count;			/* at least 1 */
	const uint8_t *from[2];
	uint8_t *to;
} __attribute__((aligned(VECTOR)));

_Static_assert(offsetof(struct multiply_vectors, to) == MULTIPLY_SCALARS + MULTIPLY_TO,
	       "as the assembly has it");

/*
 * Multiply all vectors and return 0; or up to one in which a product may be a tie, and return how
 * many are left to do, that one included, of which nothing is stored.
 */
uint32_t nn_multiply_uint8(struct multiply_vectors *vectors);
uint32_t nn_multiply_int8(struct multiply_vectors *vectors);

#endif

#endif
