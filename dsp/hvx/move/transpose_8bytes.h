/* SPDX-License-Identifier: MIT */
/*
 * TRANSPOSE of bytes whose rows, or columns, are a multiple of eight that is no power of two, as
 * images with so many channels: 128 pixels at a time, first by units of eight bytes, then by bytes,
 * or the way back. transpose.c calls it.
 *
 * Between the two there is a plane for each eight channels, with 128 pixels of eight bytes each.
 */
#ifndef NN_TRANSPOSE_8BYTES_H
#define NN_TRANSPOSE_8BYTES_H

#include "dsp/hvx/move/transpose.h"

#define TRANSPOSE_PIXELS	128u
#define TRANSPOSE_COLUMNS	512u	/* at a time, or fewer */

static inline bool transpose_are_8bytes(uint32_t channels)
{
	return channels % 8 == 0 && channels > 16 && channels & (channels - 1);
}

/* Tell whether columns, or rows, are such channels, and there are enough pixels. */
static inline bool transpose_has_8bytes_columns(const struct matrix *matrix)
{
	uint32_t columns = matrix->columns;

	return transpose_are_8bytes(columns) && columns % VECTOR && matrix->size == 1 &&
	       matrix->rows >= TRANSPOSE_PIXELS &&
	       (columns > VECTOR || matrix->from_pitch == columns);
}

static inline bool transpose_has_8bytes_rows(const struct matrix *matrix)
{
	uint32_t rows = matrix->rows;

	return transpose_are_8bytes(rows) && rows < VECTOR && matrix->size == 1 &&
	       matrix->columns >= TRANSPOSE_PIXELS && matrix->to_pitch == rows;
}

/*
 * Transpose TRANSPOSE_PIXELS pixels of the matrix: columns `first`, a multiple of 128, to `end` -
 * 1; or the way back all rows, where `are_last` says that they are the last pixels, or less than a
 * vector is behind them.
 */
void nn_transpose_from_8bytes(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
			      uint32_t first, uint32_t end);
void nn_transpose_to_8bytes(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
			    bool are_last);

/*
 * Makes `count` times 16 rows to 16 planes of eight aligned vectors each, a vector of each plane at
 * a time: 48 packets. 128 bytes are read from each row's beginning on.
 */
void nn_transpose_sixteens(const uint8_t *from, uint8_t *to, uint32_t from_pitch, uint32_t count);

/*
 * Makes rows of 24 bytes to three planes: a control spreads the four rows that are in 128 bytes to
 * 32 bytes each. 12 packets.
 */
void nn_transpose_threes(const uint8_t *from, uint8_t *to, uint32_t from_pitch, uint32_t count,
			 HVX_Vector control);

/*
 * Makes `count` planes of eight aligned vectors to eight times as many rows of 128 bytes, of any
 * alignment. One plane more is read. 20 packets each.
 */
void nn_transpose_planes(const uint8_t *from, uint8_t *to, uint32_t to_pitch, uint32_t count);

/*
 * The ways back. 128 bytes are stored at once, also of shorter rows: the next store overwrites what
 * is too much. They take 57 packets for 16 rows, or 12 with 24 bytes; 20 for a plane, where four
 * vectors before the first plane are overwritten.
 */
void nn_transpose_from_sixteens(const uint8_t *from, uint8_t *to, uint32_t to_pitch,
				uint32_t count);
void nn_transpose_from_threes(const uint8_t *from, uint8_t *to, uint32_t to_pitch, uint32_t count,
			      HVX_Vector control);
void nn_transpose_to_planes(const uint8_t *from, uint8_t *to, uint32_t from_pitch, uint32_t count);

#endif
