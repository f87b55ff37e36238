/* SPDX-License-Identifier: MIT */
/*
 * Blocks of bytes that have a step, as COPY moves them (copy.c). Whoever else moves such blocks
 * makes a call of them.
 */
#ifndef NN_COPY_H
#define NN_COPY_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

#define COPY_MOST_BLOCK	4096u	/* bytes: memmove() serves larger blocks as well */

/*
 * Moves the blocks that the parameters of `call` say, of at most COPY_MOST_BLOCK bytes, but from
 * `from` to `to`: its offsets and rows do not count. Nothing outside of its input 0 is read, and
 * nothing outside of its output 0 is written; bytes of the output between and behind the blocks
 * are written as they are. dst_stride is at least a block where there is more than one.
 */
int nn_copy_strided(struct progress *progress, const struct nn_call *call, uint8_t *to,
		    const uint8_t *from);

#endif
