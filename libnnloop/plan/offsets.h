/* SPDX-License-Identifier: MIT */
/*
 * Offsets for blocks of memory that are each needed for some time only, so that those that are
 * never needed at the same time can share it. Graphs and tensors are not known here (memory.c
 * knows them).
 *
 * This is best fit, simulated ahead of time. A sweep over the time gives each block, when it is
 * first needed, the lowest of the smallest free stretches that it fits into, and makes it one free
 * stretch with its free neighbours after its last use. If there is none it fits into, it begins
 * with the free stretch at the end of the memory, or right there, and the memory grows. Best fit is
 * Knuth's (The Art of Computer Programming, volume 1, section 2.5); the sweep over lifetimes that
 * are known ahead is what "Linear Scan Register Allocation" (Poletto and Sarkar, 1999) does for
 * registers, which all have one size.
 *
 * The least memory cannot be found in reasonable time: that is dynamic storage allocation, which is
 * NP-complete (Garey and Johnson, SR2). A chain, each block of which is needed until the next one
 * is there, gets as much as any two neighbours need if they are of one size.
 *
 * n blocks cost n log n.
 */
#ifndef NN_OFFSETS_H
#define NN_OFFSETS_H

#include <stdint.h>

struct nn_lifetime {
	uint64_t size;			/* 0 is legal */
	uint32_t first_use, last_use;	/* any clock; both included, so first_use <= last_use */
	uint64_t offset;		/* the result */
};

/*
 * Sets the offset of each block, and *bytes to the end of the memory that all of them need. Blocks
 * of the same first use are placed in the order in which they are listed. An offset is as aligned
 * as all sizes are. -EOVERFLOW: that end is above 2^64; -ENOMEM.
 */
int nn_assign_offsets(struct nn_lifetime *blocks, uint32_t count, uint64_t *bytes);

#endif
