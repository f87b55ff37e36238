/* SPDX-License-Identifier: MIT */
/*
 * Vectors of 128 results of the same scales, in assembly (requantize_vectors.S), which requantize.c
 * calls. C and assembly include it.
 */
#ifndef NN_REQUANTIZE_VECTORS_H
#define NN_REQUANTIZE_VECTORS_H

#define REQUANTIZE_LANE		(5 * 128)
#define REQUANTIZE_STEPS	(5 * 128 + 16)
#define REQUANTIZE_FROM_TO	(5 * 128 + 24)
#define REQUANTIZE_COUNT_ROW	(5 * 128 + 32)

#ifndef __ASSEMBLER__
#include <stddef.h>

#include "dsp/hvx/common/vector.h"

/* Arguments of the loops; the assembly knows the members' offsets. */
struct requantize_vectors {
	HVX_Vector flags;	/* its own */

	/*
	 * The zero point << 16 and a half, and a bit more unless scales are exact. Where the
	 * product's fraction, that added, is below `ties`, it may be a tie; for exact scales this
	 * is `odd`, of halfwords: whether the zero point is.
	 */
	HVX_Vector more;
	HVX_Vector tie_or_odd;
	HVX_Vector out_min, out_max;	/* bytes */

	const int32_t *lane[4];	/* of 32 sums each: NN_SCALE_MULTIPLIER */
	uint32_t from_step, to_step;	/* bytes to the next */
	const uint8_t *from;	/* 128 sums */
	uint8_t *to;
	uint32_t count;		/* at least 1 */
	uint32_t row_bytes;	/* from one row of the scales to the next */
} __attribute__((aligned(VECTOR)));

_Static_assert(offsetof(struct requantize_vectors, lane) == REQUANTIZE_LANE &&
	       offsetof(struct requantize_vectors, from_step) == REQUANTIZE_STEPS &&
	       offsetof(struct requantize_vectors, from) == REQUANTIZE_FROM_TO &&
	       offsetof(struct requantize_vectors, count) == REQUANTIZE_COUNT_ROW,
	       "as the assembly has it");

/*
 * Requantize all vectors and return 0; or up to one in which a product may be a tie, and return how
 * many are left to do, that one included.
 */
uint32_t nn_requantize_uint8(struct requantize_vectors *vectors);
uint32_t nn_requantize_int8(struct requantize_vectors *vectors);

/* Requantize all vectors and return 0, where NN_SCALE_EXACT is the scale in all lanes. */
uint32_t nn_requantize_exact_uint8(struct requantize_vectors *vectors);
uint32_t nn_requantize_exact_int8(struct requantize_vectors *vectors);
#endif

#endif
