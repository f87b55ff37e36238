// SPDX-License-Identifier: MIT
/*
 * See transpose_eights.h.
 *
 * Sixteen columns of eight bytes fill a vector, and 16 rows are 16 vectors then. What has more columns
 * is done by 128 bytes, of which the last end where the row does. Rows with at most 64 bytes are spread
 * to the next power of two first, several in a vector.
 *
 * For 16 rows with 24 columns these are 12 packets, with 48 28, and 48 with 80, 96 or 128; and each
 * plane has 20. That is 6.5 packets for 128 bytes with 24 columns, 7.2 with 48 or 80, 6.5 with 96.
 */
#include "copy_loops.h"
#include "transpose_eights.h"
#include "transpose_loops.h"

#define PLANE		(8 * VECTOR)
#define GROUPS		(EIGHTS_ROWS / 16)

/* Where in scratch memory what is; behind the last plane one more may be read. */
#define SPREAD_ROWS	(17 * PLANE)
#define COPIED_ROWS	(SPREAD_ROWS + EIGHTS_ROWS * 64)

_Static_assert(COPIED_ROWS + EIGHTS_ROWS * VECTOR <= TRANSPOSE_SCRATCH, "room for all of them");

bool nn_transpose_has_eights(const struct matrix *matrix)
{
	uint32_t columns = matrix->columns;

	return matrix->size == 1 && columns % 8 == 0 && columns > 16 && columns % VECTOR &&
	       columns & (columns - 1) && matrix->rows >= EIGHTS_ROWS &&
	       matrix->from_pitch < 1u << 28 && matrix->to_pitch < 1u << 28 &&
	       (columns > VECTOR || matrix->from_pitch == columns);
}

/* 64 bytes of each row, or what there is, to eight planes. */
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

	nn_spread_vectors(rows, from, matrix->control, 2 * matrix->columns, EIGHTS_ROWS / 2);
	nn_transpose_groups_back(&groups);
}

void nn_transpose_eights(const struct matrix *matrix, const uint8_t *from, uint8_t *to)
{
	const uint32_t columns = matrix->columns, from_pitch = matrix->from_pitch;
	uint8_t *planes = matrix->scratch, *copied = planes + COPIED_ROWS;

	/* Only rows that are shorter than a vector have something behind them read. */
	if (columns < VECTOR && from + EIGHTS_ROWS * columns + VECTOR > matrix->from_end) {
		nn_copy_vectors(copied, from, columns);
		from = copied;
	}
	for (uint32_t done = 0; done < columns; done += VECTOR) {
		uint32_t first = columns > VECTOR ? min_u32(done, columns - VECTOR) : 0;

		if (columns == 24)
			nn_transpose_threes(from, planes, 4 * columns, GROUPS, *matrix->control);
		else if (columns <= 64)
			make_eight_planes(matrix, from, planes);
		else
			nn_transpose_sixteens(from + first, planes, from_pitch, GROUPS);
		nn_transpose_planes(planes + (done - first) / 8 * PLANE, to + done * matrix->to_pitch,
				    matrix->to_pitch, min_u32(columns - done, VECTOR) / 8);
	}
}
