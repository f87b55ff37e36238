/* SPDX-License-Identifier: MIT */
/*
 * COPY of small blocks that have gaps between them in the input and lie side by side in the output,
 * as a range of channels does. copy.c calls it; the loops are in copy_loops.S.
 */
#ifndef NN_COPY_GATHER_H
#define NN_COPY_GATHER_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/move/copy_blocks.h"

/*
 * Tells whether nn_copy_gather() takes fewer packets for `count` blocks than the `others` that
 * another way takes.
 */
bool nn_copy_should_gather(const struct nn_copy_params *copy, uint32_t count, uint32_t others);

struct block_range nn_copy_gather(const struct nn_copy_params *copy, uint8_t *to,
				  const uint8_t *from, uint32_t count);

/*
 * Moves `count` times `bytes` bytes: a delta network with this control takes them out of the
 * aligned 128 bytes around `from` to where they belong, from `to` on, where the last may be the
 * first bytes of the next aligned vector. Nothing else is stored. Steps are multiples of 128. It
 * takes a packet each, or two where the bytes come into two vectors.
 */
void nn_gather(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
	       uint32_t bytes, uint32_t count, HVX_Vector control);

#endif
