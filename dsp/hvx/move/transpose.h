/* SPDX-License-Identifier: MIT */
/*
 * The matrix into which transpose.c makes each TRANSPOSE, its tiles, and the functions that
 * transpose them (transpose_tile.c, transpose_rgb.c).
 */
#ifndef NN_TRANSPOSE_H
#define NN_TRANSPOSE_H

#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/vector.h"

/* A matrix whose rows become columns. A pitch is the bytes between the beginnings of two rows. */
struct matrix {
	uint32_t rows, columns;		/* of the input */
	uint64_t from_pitch;		/* of the input's rows, */
	uint64_t to_pitch;		/* and of the output's, which were columns */
	uint32_t size;			/* of an element: 1, 2, 4 or 8 bytes */
	uint32_t count;			/* elements of a vector */
	const uint8_t *from_end;	/* nothing may be read from there on, */
	uint8_t *to_end;		/* and nothing written */
	uint8_t *scratch;		/* TRANSPOSE_SCRATCH bytes, aligned to 128 */
	/*
	 * The control that spreads rows to the next power of two bytes, if rows of the input or the
	 * output lie side by side and have fewer elements than a vector.
	 */
	const HVX_Vector *control;
};

/*
 * A tile of at most as many rows, and columns, as a vector has elements. Not both are fewer than
 * that, unless `columns` are. Its matrix's rows, or columns in the output, need not lie side by
 * side.
 */
struct tile {
	const uint8_t *from;
	uint8_t *to;
	uint32_t rows, columns;
};

/* Scratch memory that is enough for any tile. */
#define TRANSPOSE_SCRATCH	((4 * VECTOR + 2) * VECTOR)

struct progress;

/*
 * Transposes a matrix that another operator wants so, in scratch memory of TRANSPOSE_SCRATCH and a
 * vector more. Returns what a report of progress did.
 */
int nn_transpose_matrix(struct progress *progress, struct matrix *matrix, const uint8_t *from,
			uint8_t *to);

/* The bits of the least power of two that is as many or more, and more than 1. */
static inline uint32_t transpose_bits(uint32_t count)
{
	return count < 3 ? 1 : 32 - __builtin_clz(count - 1);
}

void nn_transpose_tile(const struct matrix *matrix, const struct tile *tile);

/*
 * Transpose three rows, or columns, that lie side by side; the other dimension is `tiles` times as
 * many elements as a vector has.
 */
void nn_transpose_three_rows(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
			     uint32_t tiles);
void nn_transpose_three_columns(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
				uint32_t tiles);

/*
 * Transposes eight rows, or columns, that lie side by side, in the same way: a tile is a group of
 * vectors, all of which are aligned. Pitches are below 2^28.
 */
void nn_transpose_eight(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
			uint32_t tiles, bool are_rows);

#endif
