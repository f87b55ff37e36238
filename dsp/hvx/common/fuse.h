/* SPDX-License-Identifier: MIT */
/*
 * Operators whose work a kernel does beside its own (nn_call_fuses() in dsp/program/kernels.h): TABLE, ADD
 * and ADD_FLOAT, in place of its results, a piece at a time, while these are near.
 */
#ifndef NN_FUSE_H
#define NN_FUSE_H

#include "dsp/kernels/progress.h"
#include "dsp/hvx/elementwise/add.h"

#define FUSE_MOST	2	/* operators: a sum, and a function of it */

struct fused_step {
	const struct nn_call *call;
	bool is_elsewhere[2];	/* of operands: their pixels lie apart, and not in place */
	/* Of sums: the same of a piece, in which only what they look at is filled in. */
	struct nn_call piece;
	union {
		struct add add;
		struct add_float add_float;
	};
};

struct fusion {
	uint32_t count;
	uint32_t scratch_size;	/* taken from the end of the call's */
	/* For pixels of an operand that is elsewhere, and what it is to come to one; 0: none is. */
	uint8_t *stage;
	uint32_t stage_size, stage_work;
	uint32_t pixel;		/* bytes of one */
	struct fused_step step[FUSE_MOST];
};

/* What comes behind a call. False: nothing does, and *join is not to be used. */
bool nn_fuse_settle(struct fusion *fusion, const struct nn_call *call);

/*
 * All of that on `bytes` bytes of results, at `at`, side by side. They belong to `out` in the
 * call's output: there, unless pixels lie apart in that. Returns what a report of progress did.
 */
int nn_fuse_run(struct fusion *fusion, struct progress *progress, uint8_t *at, const uint8_t *out,
		uint32_t bytes);

#endif
