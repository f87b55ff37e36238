/* SPDX-License-Identifier: MIT */
/*
 * COPY of small blocks that lie apart in the input and side by side in the output, as a range of
 * channels does: by vectors.
 */
#ifndef NN_COPY_GATHER_H
#define NN_COPY_GATHER_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/move/copy_blocks.h"

/* Whether that is less work for `count` blocks, which take `others` packets otherwise. */
bool nn_copy_should_gather(const struct nn_copy_params *copy, uint32_t count, uint32_t others);

struct block_range nn_copy_gather(const struct nn_copy_params *copy, uint8_t *to,
				  const uint8_t *from, uint32_t count);

/*
 * `count` times `bytes` bytes, which a delta network whose control is `control` takes out of the
 * aligned 128 bytes around `from` to where they belong, from `to` on, where the last may be the
 * first ones of the next aligned vector. Nothing else is stored. Steps are multiples of 128. A
 * packet each, or two where they come into two vectors.
 */
void nn_gather(uint8_t *to, const uint8_t *from, uint32_t to_step, uint32_t from_step,
	       uint32_t bytes, uint32_t count, HVX_Vector control);

#endif
