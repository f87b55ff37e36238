// SPDX-License-Identifier: MIT
/*
 * Transposes bytes whose rows or columns are a multiple of eight, 128 pixels at a time, for
 * transpose.c (transpose_8bytes.h says which matrices).
 *
 *	input    pixel 0: |cccccccc dddddddd eeeeeeee|	24 channels, eight bytes a unit
 *	         pixel 1: |cccccccc dddddddd eeeeeeee|
 *	planes   0: |pixel 0's c, pixel 1's c, ...|	8 vectors each, 16 pixels in a vector
 *	         1: |pixel 0's d, pixel 1's d, ...|
 *	output   row 0: |first c of pixel 0, of pixel 1, ...|	each plane becomes eight rows
 *
 * Sixteen columns of eight bytes fill a vector, so that 16 rows are 16 vectors then. More columns
 * are done by 128 bytes, of which the last end where the row does. Rows with at most 64 bytes are
 * spread to the next power of two first, several in a vector.
 *
 * Planes take 12 packets for 16 rows with 24 columns, 28 with 48, and 48 with 80, 96 or 128; and
 * each plane takes 20 to become rows. That is 6.5 packets for 128 bytes with 24 columns, 7.2 with
 * 48 or 80, 6.5 with 96.
 */
#include "dsp/hvx/move/copy_loops.h"
#include "dsp/hvx/move/transpose_8bytes.h"
#include "dsp/hvx/move/transpose_loops.h"

#define PLANE		(8 * VECTOR)
#define GROUPS		(TRANSPOSE_PIXELS / 16)

/* Offsets in scratch memory; behind the last plane one more may be read. */
#define SPREAD_ROWS	0
#define PLANES		(SPREAD_ROWS + TRANSPOSE_PIXELS * 64)
#define COPIED_ROWS	(PLANES + 17 * PLANE)

_Static_assert(COPIED_ROWS + (TRANSPOSE_PIXELS + 1) * VECTOR <= TRANSPOSE_SCRATCH, "room for all");

/* Makes eight planes of rows of at most 64 bytes. */
static void make_eight_planes(const struct matrix *matrix, const uint8_t *from, uint8_t *planes)
{
	uint8_t *rows = matrix->scratch + SPREAD_ROWS;
	const struct transpose_groups groups = {
		.from = rows,
		.to = planes,
		.from_next = VECTOR,
		.to_next = PLANE,
		.to_adjust = VECTOR - 8 * PLANE,
		.count = GROUPS,
		.unit = -8,
	};

	nn_spread_vectors(rows, from, matrix->control, 2 * matrix->columns, TRANSPOSE_PIXELS / 2);
	nn_transpose_groups_back(&groups);
}

static void take_eight_planes(const struct matrix *matrix, const uint8_t *planes, uint8_t *to)
{
	uint8_t *rows = matrix->scratch + SPREAD_ROWS;
	const struct transpose_groups groups = {
		.from = planes,
		.to = rows,
		.from_next = PLANE,
		.to_next = VECTOR,
		.from_adjust = VECTOR - 8 * PLANE,
		.count = GROUPS,
		.unit = -8,
	};

	nn_transpose_groups_forth(&groups);
	nn_gather_vectors(to, rows, matrix->control, 2 * matrix->rows, TRANSPOSE_PIXELS / 2);
}

void nn_transpose_from_8bytes(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
			      uint32_t first, uint32_t end)
{
	const uint32_t columns = matrix->columns;
	uint8_t *planes = matrix->scratch + PLANES, *copied = matrix->scratch + COPIED_ROWS;

	/* Rows that are shorter than a vector are loaded with bytes behind them. */
	if (columns < VECTOR && from + TRANSPOSE_PIXELS * columns + VECTOR > matrix->from_end) {
		nn_copy_vectors(copied, from, columns);
		from = copied;
	}
	for (; first < end; first += VECTOR) {
		uint32_t skipped = 0;

		if (columns == 24) {
			nn_transpose_threes(from, planes, 4 * columns, GROUPS, *matrix->control);
		} else if (columns <= 64) {
			make_eight_planes(matrix, from, planes);
		} else {
			if (columns > VECTOR && first > columns - VECTOR)
				skipped = first - (columns - VECTOR);
			nn_transpose_sixteens(from + first - skipped, planes, matrix->from_pitch,
					      GROUPS);
		}
		nn_transpose_planes(planes + skipped / 8 * PLANE, to + first * matrix->to_pitch,
				    matrix->to_pitch, min_u32(end - first, VECTOR) / 8);
	}
}

void nn_transpose_to_8bytes(const struct matrix *matrix, const uint8_t *from, uint8_t *to,
			    bool are_last)
{
	const uint32_t rows = matrix->rows;
	uint8_t *planes = matrix->scratch + PLANES;
	uint8_t *made = are_last ? matrix->scratch + COPIED_ROWS : to;

	nn_transpose_to_planes(from, planes, matrix->from_pitch, rows / 8);
	if (rows == 24)
		nn_transpose_from_threes(planes, made, 4 * rows, GROUPS, *matrix->control);
	else if (rows <= 64)
		take_eight_planes(matrix, planes, made);
	else
		nn_transpose_from_sixteens(planes, made, rows, GROUPS);
	/* Behind the last row nothing may be written. */
	if (are_last)
		nn_copy_steps(to, made, VECTOR, VECTOR, rows);
}
