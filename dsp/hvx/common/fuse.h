/* SPDX-License-Identifier: MIT */
/*
 * Fused operators: TABLE, ADD and ADD_FLOAT, whose work a convolution does beside its own
 * (nn_call_fuses() in dsp/program/kernels.h), in place of its results, a piece at a time, while
 * these are in the L2 cache. conv2d_run_layer() settles them, and runs them behind each group of
 * pixels.
 *
 *	CONV2D -> results in memory -> ADD -> the same memory -> TABLE -> the same memory
 */
#ifndef NN_FUSE_H
#define NN_FUSE_H

#include "dsp/kernels/progress.h"
#include "dsp/hvx/elementwise/add.h"

#define FUSE_MOST	2	/* operators: a sum, and a function of it */

/* One of these operators. */
struct fused_step {
	const struct nn_call *call;
	bool is_elsewhere[2];	/* of operands: their pixels have a pitch, and not in place */
	/* A sum's call for one piece, in which only the members that sums look at are filled in. */
	struct nn_call piece;
	union {
		struct add add;
		struct add_float add_float;
	};
};

struct fusion {
	uint32_t count;
	uint32_t scratch_size;	/* taken from the end of the call's */
	/* Memory for an operand's pixels that are elsewhere, and the work of one; 0: none is. */
	uint8_t *stage;
	uint32_t stage_size, stage_work;
	uint32_t pixel;		/* bytes of one */
	struct fused_step step[FUSE_MOST];
};

/* Describes what is fused with a call. False: nothing is, and *fusion is not to be used. */
bool nn_fuse_settle(struct fusion *fusion, const struct nn_call *call);

/*
 * Does that work on `bytes` bytes of results, at `at`, side by side. They belong to `out` in the
 * call's output: there, unless pixels have a pitch in that. Returns what a report of progress did.
 */
int nn_fuse_run(struct fusion *fusion, struct progress *progress, uint8_t *at, const uint8_t *out,
		uint32_t bytes);

#endif
