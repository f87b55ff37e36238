/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3 and stride 2, straight from the image: 128 channels of a
 * pixel down its rows, or of two side by side, then of a pixel right of it. C and assembly include
 * it.
 */
#ifndef NN_DEPTHWISE_PIXELS_H
#define NN_DEPTHWISE_PIXELS_H

/* Where struct depthwise_pixels has what; the scalars after PIXELS_SCALARS. */
#define PIXELS_MULTIPLIER	(12 * 128)
#define PIXELS_SCALARS		(24 * 128)
#define PIXELS_COLUMN		0	/* three addresses */
#define PIXELS_FIRST_STEP	12
#define PIXELS_ROW_STEP		16
#define PIXELS_LAST_STEP	20
#define PIXELS_STEP		24
#define PIXELS_COUNT		28
#define PIXELS_ROWS		32
#define PIXELS_SUMS		36
#define PIXELS_UNSURE		40
#define PIXELS_OUT		44
#define PIXELS_OUT_STEP		48
#define PIXELS_PITCH		52
#define PIXELS_OFFSET		56
#define PIXELS_MIN		60
#define PIXELS_MAX		64
#define PIXELS_LIMIT		68
#define PIXELS_CHANNELS		72
#define PIXELS_BOUNDARY		76
#define PIXELS_LEFT_RIGHT	80	/* loaded together */
#define PIXELS_PADDING		88

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "depthwise.h"
#include "vector.h"

/*
 * Constants are of 128 channels in the order that sums have: four vectors of channels 0, 4, 8, ...,
 * 2, 6, ..., 1, 5, ... and 3, 7, .... Weights of even channels have their third byte 0 where odd
 * ones have the fourth.
 */
struct depthwise_pixels {
	HVX_Vector weights[12];		/* [kernel_h][4] */
	HVX_Vector multiplier[4], shift[4], bias[4];

	/*
	 * Where the columns of the first pixel are in the first row of input, and how many bytes it
	 * is from there to the next row, from row to row and from the row before the last one
	 * to the last, so that those two may be padding, elsewhere. When `left_at` pixels are left
	 * to do, the next has padding as its left column, and when `right_at` are as its right one.
	 */
	const uint8_t *column[3];
	uint32_t first_step, row_step, last_step;
	uint32_t pixel_step;
	uint32_t count;			/* of pixels, at least 1 */
	uint32_t rows;			/* of output, at least 3 */
	HVX_Vector *sums;		/* [count][rows][4] */
	HVX_Vector *unsure;		/* [count]: see depthwise_unsure.h */
	uint8_t *out;
	uint32_t out_step, pitch;	/* to the next pixel, to the next row */
	uint32_t offset, min, max, limit;	/* as of struct depthwise_job */
	uint32_t channels;
	uint32_t boundary;		/* lanes of the first of two pixels; 0: they are of one */
	uint32_t left_at, right_at;	/* 0: never */
	const uint8_t *padding;
} __attribute__((aligned(VECTOR)));

_Static_assert(offsetof(struct depthwise_pixels, column) == PIXELS_SCALARS &&
		       offsetof(struct depthwise_pixels, padding) ==
			       PIXELS_SCALARS + PIXELS_PADDING,
	       "as the assembly has it");

void nn_depthwise_sum_pixels_u8(const struct depthwise_pixels *pixels);
void nn_depthwise_sum_pixels_s8(const struct depthwise_pixels *pixels);

/* The same where vectors are of two pixels side by side, without padding left and right. */
void nn_depthwise_sum_two_pixels_u8(const struct depthwise_pixels *pixels);
void nn_depthwise_sum_two_pixels_s8(const struct depthwise_pixels *pixels);

/*
 * Sums to results: 128 bytes each, of which later ones may overwrite some. Reads the sums of two
 * rows too many.
 */
void nn_depthwise_scale_pixels_u8(const struct depthwise_pixels *pixels);
void nn_depthwise_scale_pixels_s8(const struct depthwise_pixels *pixels);

/*
 * The first columns of an image, as many as this can do, perhaps none; `done` of them are done.
 * What is returned is that of progress.
 */
int nn_depthwise_run_pixels(struct depthwise *d, const uint8_t *image, uint8_t *out,
			    uint32_t *done);

#endif

#endif
