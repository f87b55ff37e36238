/* SPDX-License-Identifier: MIT */
/*
 * TRANSPOSE of 33 to 63 rows of bytes, such as images of 7x7 pixels, whose columns become rows that
 * lie side by side.
 */
#ifndef NN_TRANSPOSE_FEW_H
#define NN_TRANSPOSE_FEW_H

#include "dsp/hvx/move/transpose.h"
#include "dsp/hvx/move/transpose_loops.h"

/* 128 columns at a time, so that there are as many. */
static inline bool transpose_has_few_rows(const struct matrix *matrix)
{
	return matrix->rows < VECTOR / 2 && matrix->rows > VECTOR / 4 && matrix->size == 1 &&
	       matrix->columns >= VECTOR && matrix->to_pitch == matrix->rows &&
	       matrix->from_pitch < 1u << 24;
}

/* Groups of eight vectors. */
struct transpose_few {
	/* In the input, those of the first rows, which have one more than the others; and these. */
	struct transpose_groups more, fewer;
	struct transpose_groups second;	/* in scratch memory */
	void (*make_more)(const struct transpose_groups *groups);
	void (*make_fewer)(const struct transpose_groups *groups);
};

void nn_transpose_few_settle(struct transpose_few *few, const struct matrix *matrix);

/* 128 columns; `are_last`: behind them less may be written than 128 bytes have beside two rows. */
void nn_transpose_few(struct transpose_few *few, const struct matrix *matrix, const uint8_t *from,
		      uint8_t *to, bool are_last);

/* Of so many of a group's vectors, of any alignment, that there are; the others are anything. */
void nn_transpose_four(const struct transpose_groups *groups);
void nn_transpose_five(const struct transpose_groups *groups);
void nn_transpose_six(const struct transpose_groups *groups);
void nn_transpose_seven(const struct transpose_groups *groups);
void nn_transpose_all_eight(const struct transpose_groups *groups);

#endif
