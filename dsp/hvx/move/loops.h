/* SPDX-License-Identifier: MIT */
/*
 * Moves of bytes by nested loops: what MOVE and TRANSPOSE are, and whatever else moves blocks that
 * have more than one step. For all indices of all loops
 *
 *	to[sum of index[i] * loop[i].to + b] = from[sum of index[i] * loop[i].from + b],  b < block
 */
#ifndef NN_LOOPS_H
#define NN_LOOPS_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

#define MOST_LOOPS	(NN_MAX_RANK + 1)

struct loop {
	uint32_t count;
	int64_t from, to;		/* bytes from an index to the next */
};

/*
 * Loops from the outermost to the innermost one. A step in the output is at least as long as
 * everything that is inside of it, so that no byte is written twice.
 */
struct loops {
	uint32_t rank, block;
	struct loop loop[MOST_LOOPS];
};

/* Adds a loop inside of those that are there; where it continues the last one it becomes a part. */
void nn_loops_add(struct loops *loops, uint32_t count, int64_t from, int64_t to);

/* Ends the loops with a block, of which an innermost loop is a part if its blocks lie together. */
void nn_loops_end(struct loops *loops, uint32_t block);

/*
 * Moves all of it. Nothing outside of the call's input 0 is read, and nothing outside of its output
 * 0 is written; bytes that no index reaches are written as they are.
 */
int nn_loops_run(struct progress *progress, const struct loops *loops, uint8_t *to,
		 const uint8_t *from);

#endif
