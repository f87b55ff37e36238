/* SPDX-License-Identifier: MIT */
/*
 * COPY of small blocks that lie side by side in the input and apart in the output, as concatenation
 * of few channels has them: by vectors of the output.
 */
#ifndef NN_COPY_SPREAD_H
#define NN_COPY_SPREAD_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/move/copy_blocks.h"

/* Whether that is less work for `count` blocks. */
bool nn_copy_should_spread(const struct nn_call *call, uint32_t count);

struct block_range nn_copy_spread(const struct nn_call *call, uint8_t *to, const uint8_t *from,
				  uint32_t count);

/* What the assembly is given; it knows where everything is. */
struct copy_spread_vectors {
	HVX_Vector control[2];	/* of vdelta */
	HVX_Vector mask[2];	/* bytes that are stored are all ones */
	uint8_t *to;		/* aligned */
	const uint8_t *from;
	uint32_t to_step, from_step;	/* a multiple of 128; any */
	uint32_t count;		/* at least 1 */
} __attribute__((aligned(VECTOR)));

#define COPY_SPREAD_SCRATCH	sizeof(struct copy_spread_vectors)

/* `count` times a vector from as many bytes, in two packets; or two side by side, in three. */
void nn_copy_spread_one(const struct copy_spread_vectors *vectors);
void nn_copy_spread_two(const struct copy_spread_vectors *vectors);

#endif
