/* SPDX-License-Identifier: MIT */
/*
 * COPY of small blocks that lie side by side in the input and have gaps between them in the output,
 * as the inputs of a Concat of few channels have. copy.c calls it; the loops are in copy_loops.S.
 */
#ifndef NN_COPY_SCATTER_H
#define NN_COPY_SCATTER_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/move/copy_blocks.h"

/*
 * Tells whether nn_copy_scatter() takes fewer packets for `count` blocks than one block after
 * another.
 */
bool nn_copy_should_scatter(const struct nn_call *call, uint32_t count);

struct block_range nn_copy_scatter(const struct nn_call *call, uint8_t *to, const uint8_t *from,
				   uint32_t count);

/* Arguments of the loops below; copy_loops.S knows the members' offsets. */
struct copy_scatter_vectors {
	HVX_Vector control[2];	/* of vdelta */
	HVX_Vector mask[2];	/* bytes that are stored are all ones */
	uint8_t *to;		/* aligned */
	const uint8_t *from;
	uint32_t to_step, from_step;	/* a multiple of 128; any */
	uint32_t count;		/* at least 1 */
} __attribute__((aligned(VECTOR)));

#define COPY_SCATTER_SCRATCH	sizeof(struct copy_scatter_vectors)

/*
 * Make `count` times a vector from as many bytes of the input, in two packets; or two vectors side
 * by side, in three.
 */
void nn_copy_scatter_one(const struct copy_scatter_vectors *vectors);
void nn_copy_scatter_two(const struct copy_scatter_vectors *vectors);

#endif
