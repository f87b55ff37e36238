/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3 and stride 2, straight from the image: 128 channels of a
 * pixel down its rows, or of two side by side, then of a pixel right of it. depthwise_conv2d.c
 * calls nn_depthwise_run_pixels(), and 3x3s2_narrow.c the rest. C and assembly include this file.
 *
 *	128 channels	|  pixel x  | x + 1 | x + 2 |	a window's columns, in three rows of input
 *	or two pixels	| end of x, start of x + 2 | ...	`apart` bytes between the two
 *	sums		[pixel][row of output][4]: channels 0 4 8 .., 2 6 .., 1 5 .., 3 7 ..
 */
#ifndef NN_DEPTHWISE_PIXELS_H
#define NN_DEPTHWISE_PIXELS_H

#define PIXELS_MOST_ROWS	64	/* at a time */

/*
 * Offsets of the members of struct depthwise_pixels; the scalars are counted from PIXELS_SCALARS.
 */
#define PIXELS_MULTIPLIER	(12 * 128)
#define PIXELS_IS_FIRST		(24 * 128)
#define PIXELS_SCALARS		(25 * 128)
#define PIXELS_COLUMN		0	/* three addresses */
#define PIXELS_FIRST_STEP	12
#define PIXELS_ROW_STEP		16
#define PIXELS_LAST_STEP	20
#define PIXELS_STEP		24
#define PIXELS_COUNT		28
#define PIXELS_ROWS		32
#define PIXELS_SUMS		36
#define PIXELS_TIES		40
#define PIXELS_OUT		44
#define PIXELS_OUT_STEP		48
#define PIXELS_PITCH		52
#define PIXELS_OFFSET		56
#define PIXELS_MIN		60
#define PIXELS_MAX		64
#define PIXELS_LIMIT		68
#define PIXELS_APART		72
#define PIXELS_PADDING		76
#define PIXELS_LEFT_RIGHT	80	/* loaded together */

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "dsp/hvx/depthwise/layer.h"
#include "dsp/hvx/common/vector.h"

/*
 * Sums and results of `count` vectors, down `rows` rows of output. Constants are of 128 channels in
 * the order that sums have: four vectors of channels 0, 4, 8, ..., 2, 6, ..., 1, 5, ... and 3, 7,
 * .... A word of weights has those of three columns: w0 w1 w2 0 for even channels, w0 w1 0 w2 for
 * odd ones.
 */
struct depthwise_pixels {
	HVX_Vector weights[12];		/* [kernel_h][4] */
	HVX_Vector multiplier[4], shift[4], bias[4];
	HVX_Vector is_first;		/* all ones in lanes of the first of two pixels */

	/*
	 * Columns: where those of the first pixel are in the first row of input, and how many bytes
	 * it is from there to the next row, from row to row and from the row before the last one to
	 * the last, so that those two may be padding, elsewhere. When `left_at` pixels are left to
	 * do, the next has padding as its left column, and when `right_at` are as its right one.
	 */
	const uint8_t *column[3];
	uint32_t first_step, row_step, last_step;
	uint32_t pixel_step;
	uint32_t count;			/* of pixels, at least 1 */
	uint32_t rows;			/* of output, at least 3 */
	HVX_Vector *sums;		/* [count][rows][4] */
	HVX_Vector *ties;		/* [count]: see rounding_fixup.h */
	uint8_t *out;
	uint32_t out_step, pitch;	/* to the next pixel, to the next row */
	uint32_t offset, min, max, limit;	/* as in struct depthwise_job */
	uint32_t apart;			/* bytes between two pixels' columns; 0: of one pixel */
	const uint8_t *padding;
	uint32_t left_at, right_at;	/* 0: never */
} __attribute__((aligned(VECTOR)));

_Static_assert(offsetof(struct depthwise_pixels, column) == PIXELS_SCALARS &&
		       offsetof(struct depthwise_pixels, is_first) == PIXELS_IS_FIRST &&
		       offsetof(struct depthwise_pixels, left_at) ==
			       PIXELS_SCALARS + PIXELS_LEFT_RIGHT,
	       "as the assembly has it");

void nn_depthwise_sum_pixels_u8(const struct depthwise_pixels *pixels);
void nn_depthwise_sum_pixels_s8(const struct depthwise_pixels *pixels);

/*
 * Make the same sums, without padding left and right, of vectors of two pixels, or of as many as
 * have their columns at one of two distances: `two_pixels` where the second pixel's columns are one
 * pixel behind the first one's, `far_pixels` where they are further on.
 */
void nn_depthwise_sum_two_pixels_u8(const struct depthwise_pixels *pixels);
void nn_depthwise_sum_two_pixels_s8(const struct depthwise_pixels *pixels);
void nn_depthwise_sum_far_pixels_u8(const struct depthwise_pixels *pixels);
void nn_depthwise_sum_far_pixels_s8(const struct depthwise_pixels *pixels);

/*
 * Make results of the sums: 128 bytes each, of which later ones may overwrite some. Read the sums
 * of two rows too many.
 */
void nn_depthwise_scale_pixels_u8(const struct depthwise_pixels *pixels);
void nn_depthwise_scale_pixels_s8(const struct depthwise_pixels *pixels);

/* Whether this layer's kernel, stride and padding are what these functions are for. */
bool nn_depthwise_is_halved(const struct depthwise *d);

/* The number of rows at a time, such that all parts are about as high. */
static inline uint32_t pixel_rows(const struct depthwise *d)
{
	return even_part(d->call->output[0].dims[1], PIXELS_MOST_ROWS);
}

/* Fills in what is the same for all vectors of one pixel each. */
void nn_depthwise_settle_pixels(struct depthwise_pixels *pixels, const struct depthwise *d);

/* Fills in the constants of the 128 channels from `channel` on. */
void nn_depthwise_list_pixels(struct depthwise_pixels *pixels, const struct depthwise *d,
			      uint32_t channel);

/*
 * Sets the distances between rows of input, for `rows` rows of output from y on, with a row of
 * padding where one is needed. Returns where the first row of input begins.
 */
static inline const uint8_t *place_rows(struct depthwise_pixels *pixels, const struct depthwise *d,
				       const uint8_t *image, const uint8_t *padding_row, uint32_t y,
				       uint32_t rows)
{
	const struct nn_tensor *input = &d->call->input[0];
	uint32_t first = 2 * y - d->window.pad_top, last = first + 2 * rows;
	uint32_t pitch = input->dims[2] * d->channels;

	pixels->rows = rows;
	pixels->first_step = pixels->row_step = pixels->last_step = pitch;
	if (last == input->dims[1])
		pixels->last_step = padding_row - (image + (last - 1) * pitch);
	if (first != UINT32_MAX)
		return image + first * pitch;
	pixels->first_step = image - padding_row;
	return padding_row;
}

/* Sets where the window's columns are, of which the first is at `from`. */
static inline void place_columns(struct depthwise_pixels *pixels, const uint8_t *from,
				uint32_t channels)
{
	for (uint32_t k = 0; k < 3; k++)
		pixels->column[k] = from + k * channels;
}

/* Makes sums and results of channels from `channel` on. */
void nn_depthwise_run_pixel_job(const struct depthwise *d, const struct depthwise_pixels *pixels,
				uint32_t channel);

/*
 * Does the first columns of an image, as many as this can, perhaps none; `done` of them are done.
 * What is returned is that of progress_add().
 */
int nn_depthwise_run_pixels(struct depthwise *d, const uint8_t *image, uint8_t *out,
			    uint32_t *done);

#endif

#endif
