/* SPDX-License-Identifier: MIT */
/*
 * The rounding fixup of AVERAGE_POOL_FLOAT's 2x2 means, in assembly: finds those that
 * nn_average_2x2s2_ties() marked as possible ties, and computes them as the operator is defined.
 * average_pool_float.c calls it. C and assembly include it.
 *
 * The quotient of the sum and four times the output's scale is that of its quarter and the scale.
 */
#ifndef NN_AVERAGE_TIES_H
#define NN_AVERAGE_TIES_H

#ifndef __ASSEMBLER__

#include <stdint.h>
#include "dsp/hvx/pool/average_2x2s2.h"

/* The members are in the order in which the assembly loads them. */
struct average_ties {
	/*
	 * The elements of the first window, added in this order, but the last two first, for
	 * columns.
	 */
	const uint8_t *element[4];
	int32_t zero;			/* the elements' zero point */
	float scale;			/* the first three are multiplied with it, the last with */
	float scale_third, scale_last;	/* that goes to the third, or to all others; or 0 */
	float divisor, inverse, rest;	/* 1 / divisor is inverse + rest */
	float zero_before;		/* a zero point before the result is rounded, or 0 */
	float round;			/* added, which leaves an integer in the last bits; */
	int32_t zero_after;		/* added to these */
	int32_t min, max;
};

_Static_assert(sizeof(struct average_ties) == 64, "as the assembly has it");

/* One mean: its elements' offset from those of the first mean, and where its result goes. */
struct average_tie {
	uint32_t offset;
	uint8_t *to;
};

/*
 * Lists the means that `marks` say, the two vectors of one part, whose first vector's results go to
 * `to` and whose first elements are `offset` bytes behind those of the first mean. If there are
 * any, an entry that is none follows them. Returns where the next entry would go. The marks are
 * overwritten.
 */
struct average_tie *nn_average_ties_list(const struct average_loop *loop, uint8_t *marks,
					 struct average_tie *list, uint8_t *to, uint32_t offset);

/* Compute the listed means, at least one. Input bytes are unsigned or signed. */
void nn_average_ties_u8(const struct average_ties *ties, struct average_tie *list, uint32_t count);
void nn_average_ties_s8(const struct average_ties *ties, struct average_tie *list, uint32_t count);

#endif

#endif
