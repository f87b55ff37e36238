/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3, stride 1 and an output as wide as the input, straight from
 * the image. nn_depthwise_conv2d_hvx() tries nn_depthwise_run_images() before anything else. C and
 * assembly include this file.
 *
 * A position is 128 bytes of the output's rows, the same bytes of each row. Sums and results are
 * made down all rows of one position, then of the next.
 *
 *	a row of bytes	|   0 .. 127   |  128 .. 255  |  256 .. 383  |
 *	row 0		|  position 0  |  position 1  |  position 2  |
 *	row 1		|      |       |      |       |      |       |
 *	row 2		|      v       |      v       |      v       |
 *
 * The window's left and right columns are the same bytes, one pixel before and one behind.
 */
#ifndef NN_DEPTHWISE_IMAGE_H
#define NN_DEPTHWISE_IMAGE_H

/* Offsets of the members of struct depthwise_image. The two of a pair are loaded together. */
#define IMAGE_WEIGHTS		0	/* four addresses */
#define IMAGE_PERIOD		16
#define IMAGE_PERIOD_PADDING	16
#define IMAGE_CHANNELS_STEP	24
#define IMAGE_CENTER_LEFT	32
#define IMAGE_RIGHT_COUNT	40
#define IMAGE_COUNT		44
#define IMAGE_ROW_STEP_ROWS	48
#define IMAGE_BIAS_SCALES	56
#define IMAGE_OFFSET_LIMIT	64
#define IMAGE_MIN_MAX		72
#define IMAGE_SUMS		80
#define IMAGE_SCALED		84
#define IMAGE_NEXT_STEP		88
#define IMAGE_TIES_OUT_STEP	96
#define IMAGE_OUT_PITCH		104
#define IMAGE_UNTIL_BOX		112
#define IMAGE_ROWS		120

/* The number of vectors of sums before the first that mean nothing. */
#define IMAGE_SUMS_BEFORE	6

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "dsp/hvx/depthwise/layer.h"
#include "dsp/hvx/common/requant.h"
#include "dsp/hvx/common/vector.h"

struct depthwise_image {
	const int32_t *weights[4];	/* as in struct depthwise_job */
	uint32_t period_bytes;
	const uint8_t *padding;		/* an aligned vector of it */
	uint32_t channels;

	/*
	 * Positions: where the first one's window has its center in the first row, how far it is to
	 * the next position, and how many there are. The first may have padding as its left column,
	 * and the last as its right one: 0 or 1.
	 */
	uint32_t step;
	const uint8_t *center;
	uint32_t is_left, is_right;
	uint32_t count;
	uint32_t row_step;		/* of the input */
	uint32_t in_rows;		/* at least 2; above and below them is padding */

	uint32_t bias_bytes, scales_bytes;	/* as in struct depthwise_job */
	uint32_t offset, limit, min, max;	/* the same */
	int32_t *sums;			/* IMAGE_SUMS_BEFORE of them, [count][in_rows * 4 + 1] */
	const int32_t *scaled;		/* the sums of the first row of output */
	uint32_t next_sums;		/* from its second row's sums to the next position's */
	uint32_t sum_step;		/* bytes from a row's last sums to the next row's first */
	HVX_Vector *ties;		/* [count]: see rounding_fixup.h */
	uint32_t out_step;		/* to the next position */
	uint8_t *out;
	uint32_t pitch;			/* to the next row */

	/*
	 * While a position is summed up, the next one's right column is asked for (l2fetch), the
	 * one that it does not share with the position before, as long as the next center is below
	 * `until`: that is behind the last position, or is that one if its right column is padding.
	 * `box`: fetch_column_box() of one.
	 */
	const uint8_t *until;
	uint32_t box;

	uint32_t rows;			/* of output */
} __attribute__((aligned(8)));

_Static_assert(offsetof(struct depthwise_image, padding) == IMAGE_PERIOD_PADDING + 4 &&
		       offsetof(struct depthwise_image, count) == IMAGE_COUNT &&
		       offsetof(struct depthwise_image, bias_bytes) == IMAGE_BIAS_SCALES &&
		       offsetof(struct depthwise_image, until) == IMAGE_UNTIL_BOX &&
		       offsetof(struct depthwise_image, rows) == IMAGE_ROWS,
	       "as the assembly has it");

/*
 * Make four vectors of 32 sums for each row of input of each position, and behind those one vector
 * that means nothing.
 */
void nn_depthwise_sum_image_u8(const struct depthwise_image *image);
void nn_depthwise_sum_image_s8(const struct depthwise_image *image);

/*
 * Make results of the sums, 128 for each row of each position. Read the sums of one row too many.
 */
void nn_depthwise_scale_image_u8(const struct depthwise_image *image);
void nn_depthwise_scale_image_s8(const struct depthwise_image *image);

/*
 * Makes results of the sums, and those that may be ties once more, exactly. All of `job` but where
 * inputs are matters here. 5x5.c calls it, too.
 */
void nn_depthwise_finish_positions(const struct depthwise *d, const struct depthwise_image *job,
				const struct finish *finish);

/*
 * Does all images, if it can: then `done` is true. Scratch memory is used from d->rows on. What is
 * returned is that of progress_add().
 */
int nn_depthwise_run_images(struct depthwise *d, bool *done);

#endif

#endif
