/* SPDX-License-Identifier: MIT */
/*
 * ADD's vectors of 128 sums, in assembly. C and assembly include it.
 */
#ifndef NN_ADD_VECTORS_H
#define NN_ADD_VECTORS_H

/* Where struct add_vectors has what. */
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

#define ADD_LOW_BITS	7	/* of a multiplier, in `low` */

#ifndef __ASSEMBLER__

#include <stdint.h>

struct add_vectors {
	const uint8_t *a, *b;	/* at any address, as `to` */
	uint8_t *to;		/* may be a or b */
	uint32_t count;		/* of vectors, at least 3 */
	uint32_t high, low;	/* the multipliers' bits: a's in the low halfword, b's in the high one */
	uint32_t shift;		/* less 16: 0 .. 7 */
	int32_t base;		/* is added to each sum: sums with it fit 32 bits */
	uint32_t flip_a, flip_b;	/* makes bytes unsigned; as min and max, four times the byte */
	uint32_t min, max;
};

_Static_assert(sizeof(struct add_vectors) == ADD_MAX + 4, "as the assembly has it");

void nn_add_vectors_u8(const struct add_vectors *vectors);
void nn_add_vectors_s8(const struct add_vectors *vectors);

#endif

#endif
