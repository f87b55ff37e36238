/* SPDX-License-Identifier: MIT */
/*
 * Means of 2x2 elements with stride 2 in assembly, straight from the input, for AVERAGE_POOL and
 * AVERAGE_POOL_FLOAT; 3x3 with stride 1 have the same loop. C and assembly include it.
 * average_2x2s2.c plans the calls; average_pool.c, average_pool_float.c and average_3x3s1.c make
 * them.
 *
 * With S the sum of a window's bytes, after `flip`, a mean is bits 32 and up of S * multiplier +
 * base, saturated to 8 bits and clamped. The multiplier is below 2^32; base has the zero points, a
 * half, and what else the caller adds.
 */
#ifndef NN_AVERAGE_2X2S2_H
#define NN_AVERAGE_2X2S2_H

/* Offsets of the members of struct average_loop. */
#define AVERAGE_TO	0
#define AVERAGE_TO_STEP	4
#define AVERAGE_ROUNDS	8
#define AVERAGE_ROWS	12	/* two addresses */
#define AVERAGE_BESIDE	20
#define AVERAGE_STEP	24
#define AVERAGE_DEAL	28
#define AVERAGE_LOW	32
#define AVERAGE_HIGH	36
#define AVERAGE_BASE_LOW	40
#define AVERAGE_BASE_HIGH	44
#define AVERAGE_FLIP	48
#define AVERAGE_FLIP_OUT	52
#define AVERAGE_MIN	56
#define AVERAGE_MAX	60
#define AVERAGE_TIE	64
#define AVERAGE_EVEN	68
#define AVERAGE_ODD	72
#define AVERAGE_PARTS	76
#define AVERAGE_MARKS	80
#define AVERAGE_COUNT	84
#define AVERAGE_NEXT	88
#define AVERAGE_TO_NEXT	92

#define AVERAGE_LEAST	3	/* vectors */
#define AVERAGE_PART	14	/* vectors of a part; fewer in the first, two more in the last */

#ifndef __ASSEMBLER__

#include <stdbool.h>
#include <stdint.h>
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"

struct average_loop {
	uint8_t *to;		/* 128 bytes a vector, */
	uint32_t to_step;	/* so many bytes apart */
	uint32_t rounds;	/* vectors less two, at least one; of the first part */
	const uint8_t *row[2];
	uint32_t beside;	/* where a vector's second 128 bytes of a row are, from its first */
	uint32_t step;		/* bytes from a vector's first to the next one's */
	/*
	 * With 0 both 128 bytes of a row are added as they are; with -channels even and odd pixels
	 * are taken out of them. 3x3: the step of `beside`.
	 */
	uint32_t deal;
	uint32_t low, high;	/* halves of the multiplier, both twice */
	uint32_t base_low;	/* 16 bits of the base */
	int32_t base_high;
	/*
	 * Bytes, four times each: what makes bytes unsigned, and results signed; unsigned results'
	 * clamp.
	 */
	uint32_t flip, flip_out, min, max;
	/* The next ones are for nn_average_2x2s2_ties() only. */
	uint32_t tie;		/* fractions below, of 16 bits, may be ties; twice */
	uint32_t even, odd;	/* bytes that have marks: of even means and of odd ones */
	/*
	 * The parts of a row, of AVERAGE_PART vectors each; the first has `rounds`, the last two
	 * more.
	 */
	uint32_t parts;
	uint8_t *marks;		/* two vectors for a part, row after row; aligned */
	/* The next ones are for all loops. */
	uint32_t count;		/* of output rows, at least 1; of 3x3: 1 */
	uint32_t next, to_next;	/* from behind a row's last vector to the next row */
};

_Static_assert(sizeof(struct average_loop) == AVERAGE_TO_NEXT + 4, "as the assembly has it");

void nn_average_2x2s2(const struct average_loop *loop);

/*
 * Compute the same with two windows, three or five of fewer than 64 channels in a vector: `step`
 * and `beside` are a pixel's bytes, and `to_step` those of as many pixels as windows.
 */
void nn_average_2x2s2_two(const struct average_loop *loop);
void nn_average_2x2s2_three(const struct average_loop *loop);
void nn_average_2x2s2_five(const struct average_loop *loop);

/*
 * Computes means of 3x3 elements with stride 1. Each step adds up what is at row[0], row[1] and
 * row[0] + beside; a window is the sums of the step before, this one and the next. The addresses
 * begin one step before the first window.
 */
void nn_average_3x3s1(const struct average_loop *loop);

/*
 * Computes the same as nn_average_2x2s2(), and a part's marks: a halfword for each even mean, with
 * a bit for each vector of the part in which the mean's fraction is below `tie`; then a vector for
 * odd means.
 */
void nn_average_2x2s2_ties(const struct average_loop *loop);

/* The plan of a call: which windows the assembly computes, and how. */
struct plan_2x2s2 {
	struct average_loop loop;
	uint32_t most;		/* windows of a row that are made so, from its first on; of the */
	uint32_t whole;		/* row that average_2x2s2_row() has been told of */
	uint32_t left;		/* windows whose vectors go on in the next row */
	uint32_t shifted;	/* vectors of several windows, the last of which goes on; or 0 */
	uint32_t runs;		/* of the loop for a row */
	uint32_t vectors;	/* of pow2 ones in the first run; 0: wide ones */
	uint32_t together;	/* pow2 windows of a vector */
	uint32_t work;		/* of a run, as progress.h counts it */
	uint32_t end;		/* rows before this are made together, but those cut above */
	void (*make)(const struct average_loop *loop);
};

/* Returns a loop for sums of `area` elements: all but addresses and steps. */
struct average_loop nn_average_loop(const struct nn_call *call, uint32_t multiplier, uint32_t area,
				    uint64_t more);

/*
 * Fills in *plan, but `make` and `end`, for means that are the sum of q() times multiplier / 2^32,
 * rounded after `more` / 2^32 is added. Returns false if windows are not 2x2 with stride 2, or rows
 * too long.
 */
bool nn_average_2x2s2_settle(struct plan_2x2s2 *plan, const struct nn_call *call,
			     uint32_t multiplier, uint64_t more);

/*
 * Fills in `make` and `end`, too; `make` may be a loop that computes several windows which lie in
 * one vector.
 */
bool nn_average_2x2s2_settle_any(struct plan_2x2s2 *plan, const struct nn_call *call,
				 uint32_t multiplier);

/*
 * Returns how many windows of the output's row y are made so: 0 if one of their rows is not in the
 * input.
 */
static inline uint32_t average_2x2s2_row(struct plan_2x2s2 *plan, const struct nn_call *call,
				    uint32_t y)
{
	const struct nn_window_params *window = &call->op->window;
	uint32_t last = call->input[0].dims[1] - 1, top = y * window->stride_h - window->pad_top;

	/* The index of a row before the first is below 0, which wraps. */
	if (top >= last)
		return 0;
	if (plan->left) {
		plan->whole = plan->most;
		if (top + 1 == last || y + 1 == call->output[0].dims[1])
			plan->whole -= plan->left;
	}
	return plan->whole;
}

/*
 * Returns how many rows from y on, which average_2x2s2_row() has been told of, are made together.
 */
static inline uint32_t average_2x2s2_rows(const struct plan_2x2s2 *plan, uint32_t y)
{
	uint32_t rows = y < plan->end ? plan->end - y : 1;

	while ((uint64_t)rows * plan->work > NN_TILE)
		rows /= 2;
	return rows;
}

/*
 * Sets addresses and rounds, of one part, for one of the runs for `rows` rows of an image's output
 * from y on, which go to `out`.
 */
void nn_average_2x2s2_run(struct plan_2x2s2 *plan, const struct nn_call *call, uint32_t run,
			  const uint8_t *image, uint32_t y, uint32_t rows, uint8_t *out);

/*
 * Computes the last windows of a row whose vectors must not reach into the next row, by way of
 * scratch memory.
 */
void nn_average_2x2s2_last(struct plan_2x2s2 *plan, const struct nn_call *call,
			   const uint8_t *image, uint32_t y, uint8_t *out);

#endif

#endif
