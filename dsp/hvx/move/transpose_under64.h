/* SPDX-License-Identifier: MIT */
/*
 * TRANSPOSE of 33 to 63 rows of bytes, such as images of 7x7 pixels, whose columns become rows that
 * lie side by side. transpose.c calls it; the loops are in transpose_under64_loops.S.
 */
#ifndef NN_TRANSPOSE_UNDER64_H
#define NN_TRANSPOSE_UNDER64_H

#include "dsp/hvx/move/transpose.h"
#include "dsp/hvx/move/transpose_loops.h"

/* Tells whether a matrix is such: 128 columns are done at a time, so it must have as many. */
static inline bool transpose_has_under64_rows(const struct matrix *matrix)
{
	return matrix->rows < VECTOR / 2 && matrix->rows > VECTOR / 4 && matrix->size == 1 &&
	       matrix->columns >= VECTOR && matrix->to_pitch == matrix->rows &&
	       matrix->from_pitch < 1u << 24;
}

/* The arguments of all steps. */
struct transpose_under64 {
	/*
	 * Groups in the input: those of the first rows, which have one vector more than the others;
	 * and the others.
	 */
	struct transpose_groups more, fewer;
	struct transpose_groups second;	/* in scratch memory */
	void (*make_more)(const struct transpose_groups *groups);
	void (*make_fewer)(const struct transpose_groups *groups);
};

void nn_transpose_under64_settle(struct transpose_under64 *few, const struct matrix *matrix);

/*
 * Transposes 128 columns; `are_last` says that behind them there is no room for the rest of a
 * vector that has two rows.
 */
void nn_transpose_under64(struct transpose_under64 *few, const struct matrix *matrix,
			  const uint8_t *from, uint8_t *to, bool are_last);

/*
 * Make the three steps of groups of which only so many vectors are loaded, at any alignment; the
 * others may have any bytes.
 */
void nn_transpose_load_4(const struct transpose_groups *groups);
void nn_transpose_load_5(const struct transpose_groups *groups);
void nn_transpose_load_6(const struct transpose_groups *groups);
void nn_transpose_load_7(const struct transpose_groups *groups);
void nn_transpose_load_8(const struct transpose_groups *groups);

#endif
