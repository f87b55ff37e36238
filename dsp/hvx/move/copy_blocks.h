/* SPDX-License-Identifier: MIT */
/*
 * Blocks that lie apart in memory, and what aligned vectors have of them, one vector after another.
 * Only small blocks: `step`, from one to the next, is at most 256.
 */
#ifndef NN_COPY_BLOCKS_H
#define NN_COPY_BLOCKS_H

#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/delta.h"

#define MOST_BLOCK_STEP	(2 * VECTOR)

/* Blocks that are copied as a whole: `first` to `end` - 1. Of those beside them, parts may be. */
struct block_range {
	uint32_t first, end;
};

/* After 2^this blocks vectors begin at the same place of a block again. */
static inline uint32_t block_bits(uint32_t step)
{
	return 7 - (uint32_t)__builtin_ctz(step | VECTOR);
}

/* Where a vector is. */
struct blocks_at {
	HVX_Vector place;	/* of each byte behind its block's beginning, less than step */
	uint32_t block, step;
	uint32_t next;		/* VECTOR modulo step */
};

/* `by` is less than step. */
static inline void blocks_move(struct blocks_at *at, uint32_t by)
{
	HVX_VectorPred is_over = Q6_Q_vcmp_gt_VubVub(at->place, splat_b(at->step - by - 1));

	at->place = Q6_Vb_vadd_VbVb(at->place, splat_b(by));
	at->place = Q6_Vb_condnac_QVbVb(is_over, at->place, splat_b(at->step));
}

/* Of a vector that begins `behind` bytes, less than step, behind a block's beginning. */
static inline struct blocks_at blocks_at(uint32_t block, uint32_t step, uint32_t behind)
{
	struct blocks_at at = { delta_places(), block, step, VECTOR };
	uint32_t part = step;

	while (part < VECTOR)
		part *= 2;
	/* Modulo step. What is less than `part` becomes more when that is taken away. */
	for (; part >= step; part /= 2) {
		at.place = Q6_Vub_vmin_VubVub(at.place, Q6_Vb_vsub_VbVb(at.place, splat_b(part)));
		at.next = min_u32(at.next, at.next - part);
	}
	blocks_move(&at, behind);
	return at;
}

/* The bytes of blocks in a vector. */
struct blocks_part {
	HVX_VectorPred is_here;
	HVX_Vector before;	/* how many are at a place and before it */
	uint32_t count;
};

/* Of this vector; `at` is then the next. */
static inline struct blocks_part blocks_next(struct blocks_at *at)
{
	struct blocks_part part;

	part.is_here = Q6_Q_vcmp_gt_VubVub(splat_b(at->block), at->place);
	part.before = Q6_Vb_prefixsum_Q(part.is_here);
	part.count = (uint32_t)Q6_R_vextract_VR(part.before, VECTOR - 4) >> 24;
	blocks_move(at, at->next);
	return part;
}

#endif
