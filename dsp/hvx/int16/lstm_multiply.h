/* SPDX-License-Identifier: MIT */
/*
 * The products of some rows with the weights of blocks of 32 cells, in assembly, for
 * lstm_products.c.
 *
 *	weights	| input gate | forget gate | new values | output gate |	of a block, `gate_bytes` each
 *	bias	| 32 words   | 32 words    | 32 words   | 32 words    |
 *	sums	the same
 */
#ifndef NN_LSTM_MULTIPLY_H
#define NN_LSTM_MULTIPLY_H

#include "dsp/hvx/common/vector.h"

/*
 * Makes the sums of `blocks` blocks of one row, which is gate_bytes / 32 bytes long, a multiple of 8;
 * 4 bytes past it are read, too. `zero`: the weights' zero, in all bytes.
 */
void lstm_multiply_one(const uint8_t *weights, uint32_t gate_bytes, const uint8_t *row,
		       uint32_t blocks, const int32_t *bias, int32_t *sums, HVX_Vector zero);

/*
 * The same of two rows, one behind the other. `counts`: the blocks, and from bit 16 on those that
 * lie between the sums of the first row and those of the second. `first` and `second` are added to the
 * sums of a row.
 */
void lstm_multiply_two(const uint8_t *weights, uint32_t gate_bytes, const uint8_t *rows,
		       uint32_t counts, const int32_t *bias, int32_t *sums, HVX_Vector first,
		       HVX_Vector second);

#endif
