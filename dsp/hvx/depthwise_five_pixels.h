/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5 and stride 2, straight from the image: 128 channels of a
 * pixel down its rows, or of two side by side, then of a pixel right of it. C and assembly include
 * it.
 */
#ifndef NN_DEPTHWISE_FIVE_PIXELS_H
#define NN_DEPTHWISE_FIVE_PIXELS_H

/* Where struct depthwise_five_pixels has what. */
#define FIVE_PIXELS_IS_FIRST	(28 * 128)
#define FIVE_PIXELS_SCALARS	(29 * 128)
#define FIVE_PIXELS_COLUMN	0	/* six addresses; after FIVE_PIXELS_SCALARS, as all below */
#define FIVE_PIXELS_STEPS	24
#define FIVE_PIXELS_FIRST_STEP	28
#define FIVE_PIXELS_SUMS	32
#define FIVE_PIXELS_ROUNDS	36
#define FIVE_PIXELS_COUNT	40
#define FIVE_PIXELS_STEP	44

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "depthwise.h"
#include "vector.h"

struct depthwise_five_pixels {
	/*
	 * Of even channels, then of odd ones, each two vectors in the order of depthwise_pixels.h:
	 * four columns of each row, then the fifth column's first four rows, and its fifth, which
	 * is in the byte that its channel has among four.
	 */
	HVX_Vector weights[2][7][2];
	HVX_Vector is_first;		/* all ones in lanes of the first of two pixels */
	const uint8_t *column[6];	/* of the first place, in its first row of input */
	const int32_t *steps;		/* from the second row to the third, and so on */
	int32_t first_step;		/* from the first one to the second */
	HVX_Vector *sums;		/* [count][rows][4]; of odd channels from the third on */
	uint32_t rounds;		/* rows of output and 2: each reads two rows of input */
	uint32_t count;			/* of places, at least 1 */
	uint32_t step;			/* bytes from place to place */
} __attribute__((aligned(VECTOR)));

_Static_assert(offsetof(struct depthwise_five_pixels, column) == FIVE_PIXELS_SCALARS &&
		       offsetof(struct depthwise_five_pixels, step) ==
			       FIVE_PIXELS_SCALARS + FIVE_PIXELS_STEP,
	       "as the assembly has it");

/* Sums of even channels, or odd ones. Reads a row of input too many, for which there is a step. */
void nn_depthwise_sum_five_even_u8(const struct depthwise_five_pixels *five);
void nn_depthwise_sum_five_even_s8(const struct depthwise_five_pixels *five);
void nn_depthwise_sum_five_odd_u8(const struct depthwise_five_pixels *five);
void nn_depthwise_sum_five_odd_s8(const struct depthwise_five_pixels *five);

/* The same where vectors are of two pixels side by side. */
void nn_depthwise_sum_five_two_even_u8(const struct depthwise_five_pixels *five);
void nn_depthwise_sum_five_two_even_s8(const struct depthwise_five_pixels *five);
void nn_depthwise_sum_five_two_odd_u8(const struct depthwise_five_pixels *five);
void nn_depthwise_sum_five_two_odd_s8(const struct depthwise_five_pixels *five);

/*
 * Does all of an image, if this can: then `done` is true. Scratch memory is used from d->rows on.
 * What is returned is that of progress.
 */
int nn_depthwise_run_five_pixels(struct depthwise *d, const uint8_t *image, uint8_t *out,
				 bool *done);

#endif

#endif
