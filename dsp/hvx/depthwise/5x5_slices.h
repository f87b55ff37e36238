/* SPDX-License-Identifier: MIT */
/*
 * Slices of a DEPTHWISE_CONV2D with a kernel of 5x5: the state that all slices of an image have in
 * common (5x5_slices.c), and how scratch memory is divided for them (5x5_divide.c).
 */
#ifndef NN_DEPTHWISE_FIVE_SLICES_H
#define NN_DEPTHWISE_FIVE_SLICES_H

#include "dsp/hvx/depthwise/5x5.h"

/* An image, how scratch memory is divided, and the part that is done at a time. */
struct slices {
	struct five_rows rows;
	const uint8_t *image;
	uint8_t *out;
	uint32_t width, height, pitch;		/* of the input; bytes of a row */
	uint32_t out_width, out_height;
	uint32_t stride;
	uint32_t channels;			/* of the slice */
	uint32_t last_channels;			/* of the last one, if it does not overlap, or 0 */
	bool is_whole;				/* the slice is all channels */
	uint8_t *padding;			/* 128 bytes */
	uint8_t *memory, *stage;		/* [rows of input][row_bytes], its first pair */
	uint32_t columns, out_rows;		/* of output, at a time */

	/* The part: where it is in the output, and where its rows and columns of input begin. */
	uint32_t x, y, count_x, count_y;
	int32_t in_x, in_y;
	uint32_t above, inside, all;	/* rows of padding, of the image, and with those below */
	int32_t left, right, count;	/* whole pairs begin, and end; all pairs */
	bool is_half_left, is_half_right;	/* beside these are pairs with one of padding */
};

/* Bytes that a row has room for before its first pair, and that are written behind its last. */
#define SLICE_MORE_BYTES	(3 * VECTOR)

/* Returns the pairs of columns that `out_columns` columns of output need. */
static inline uint64_t pairs_of(const struct slices *slices, uint32_t out_columns)
{
	return out_columns + (slices->stride == 2 ? 2 : 4);
}

static inline uint64_t row_bytes_of(const struct slices *slices, uint32_t out_columns)
{
	uint32_t more = slices->is_whole || slices->channels < VECTOR ? SLICE_MORE_BYTES : 0;

	return round_up(pairs_of(slices, out_columns) * 2 * slices->channels + more, VECTOR);
}

/*
 * Divides scratch memory for slices whose channels are known: columns and rows of output at a time,
 * and where all is. False if a few columns do not fit.
 */
bool nn_depthwise_divide_slices(struct slices *slices);

#endif
