/* SPDX-License-Identifier: MIT */
/*
 * The loops of ADD and ADD_FLOAT in assembly (add_vectors.S, add_float_vectors.S), for add.c and
 * add_float.c: vectors of 128 sums. C and assembly include it.
 */
#ifndef NN_ADD_VECTORS_H
#define NN_ADD_VECTORS_H

/* Offsets of the members of struct add_vectors. */
#define ADD_A		0
#define ADD_B		4
#define ADD_TO		8
#define ADD_COUNT	12
#define ADD_HIGH	16
#define ADD_LOW		20
#define ADD_SHIFT	24
#define ADD_BASE	28
#define ADD_FLIP_A	32
#define ADD_FLIP_B	36
#define ADD_MIN		40
#define ADD_MAX		44
#define ADD_FRACTIONS	48
#define ADD_TIE	52
#define ADD_KEPT	56

#define ADD_LOW_BITS	7	/* of a multiplier, in `low` */

#ifndef __ASSEMBLER__

#include <stdint.h>

struct add_vectors {
	const uint8_t *a, *b;	/* at any address, as `to` */
	uint8_t *to;		/* may be a or b */
	uint32_t count;		/* of vectors, at least 3 */
	uint32_t high, low;	/* multipliers' bits: a's in the low halfword, b's in the high */
	uint32_t shift;		/* less 16: 0 .. 7 */
	int32_t base;		/* is added to each sum: sums with it fit 32 bits */
	uint32_t flip_a, flip_b;	/* makes bytes unsigned; four times, as min and max */
	uint32_t min, max;
	/*
	 * For nn_add_tie_* only: where fractions go, aligned to 128, and below which they may be
	 * ties, twice the halfword.
	 */
	uint8_t *fractions;
	uint32_t tie;
	uint8_t *kept;		/* for nn_add_tie_kept_*: where a copy of a goes */
};

_Static_assert(sizeof(struct add_vectors) == ADD_KEPT + 4, "as the assembly has it");

void nn_add_vectors_u8(const struct add_vectors *vectors);
void nn_add_vectors_s8(const struct add_vectors *vectors);

/*
 * Compute the same, and say which vectors have a sum that may be a tie, whose fraction, in steps of
 * 2^-16, is below `tie`: bit i of what is returned is for the vectors i, i + 16, ... The fractions
 * are left behind, two vectors for each: halfwords of the odd elements and then of the even ones,
 * in either the first of 64 and the first of the next 64 side by side.
 */
uint32_t nn_add_tie_vectors_u8(const struct add_vectors *vectors);
uint32_t nn_add_tie_vectors_s8(const struct add_vectors *vectors);

/*
 * Compute the same where all addresses are aligned to 128, with a copy of a, which results may
 * overwrite.
 */
uint32_t nn_add_tie_kept_u8(const struct add_vectors *vectors);
uint32_t nn_add_tie_kept_s8(const struct add_vectors *vectors);

#endif

#endif
