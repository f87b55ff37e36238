/* SPDX-License-Identifier: MIT */
/*
 * Which bytes of an aligned vector belong to blocks that have gaps between them, for one vector
 * after another. copy_gather.c and copy_scatter.c make the controls and masks of their vectors from
 * this.
 *
 *	block 16, step 24:  bbbbbbbbbbbbbbbb........bbbbbbbbbbbbbbbb........bbbb
 *	a vector:                 bbbbbbbbbb........bbbbbbbbbbbbbbbb........bbbb ...
 *	its struct blocks_at:     6, 7, 8 .. 22, 23, 0, 1 .. 23, 0, 1 ...
 *
 * The blocks are small: `step`, from the beginning of one to that of the next, is at most 256.
 */
#ifndef NN_COPY_BLOCKS_H
#define NN_COPY_BLOCKS_H

#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/delta.h"

#define MOST_BLOCK_STEP	(2 * VECTOR)

/*
 * Blocks `first` to `end` - 1 have been copied as a whole. Parts of the blocks before and behind
 * them may have been copied, too.
 */
struct block_range {
	uint32_t first, end;
};

/* Every 2^(what is returned) blocks, a vector begins at the same byte of a block again. */
static inline uint32_t block_bits(uint32_t step)
{
	return 7 - (uint32_t)__builtin_ctz(step | VECTOR);
}

/* The position of a vector among blocks. */
struct blocks_at {
	HVX_Vector index;	/* each byte's index from its block's beginning, < step */
	uint32_t block, step;
	uint32_t next;		/* VECTOR modulo step */
};

/* Moves the position by less than a step. */
static inline void blocks_move(struct blocks_at *at, uint32_t by)
{
	HVX_VectorPred is_over = Q6_Q_vcmp_gt_VubVub(at->index, splat_b(at->step - by - 1));

	at->index = Q6_Vb_vadd_VbVb(at->index, splat_b(by));
	at->index = Q6_Vb_condnac_QVbVb(is_over, at->index, splat_b(at->step));
}

/*
 * The position of a vector that begins `behind` bytes, less than step, behind a block's beginning.
 */
static inline struct blocks_at blocks_at(uint32_t block, uint32_t step, uint32_t behind)
{
	struct blocks_at at = { delta_indices(), block, step, VECTOR };
	uint32_t part = step;

	while (part < VECTOR)
		part *= 2;
	/*
	 * The bytes' indices modulo step: the minimum keeps a number less than `part`, which wraps
	 * to a greater one when `part` is taken away.
	 */
	for (; part >= step; part /= 2) {
		at.index = Q6_Vub_vmin_VubVub(at.index, Q6_Vb_vsub_VbVb(at.index, splat_b(part)));
		at.next = min_u32(at.next, at.next - part);
	}
	blocks_move(&at, behind);
	return at;
}

/* The bytes of a vector that belong to blocks. */
struct blocks_part {
	HVX_VectorPred is_here;
	HVX_Vector before;	/* how many of them are at or before each byte */
	uint32_t count;
};

/* Returns the part of the vector at `at`, and moves `at` to the next vector. */
static inline struct blocks_part blocks_next(struct blocks_at *at)
{
	struct blocks_part part;

	part.is_here = Q6_Q_vcmp_gt_VubVub(splat_b(at->block), at->index);
	part.before = Q6_Vb_prefixsum_Q(part.is_here);
	part.count = (uint32_t)Q6_R_vextract_VR(part.before, VECTOR - 4) >> 24;
	blocks_move(at, at->next);
	return part;
}

#endif
