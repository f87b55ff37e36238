/* SPDX-License-Identifier: MIT */
/*
 * The products of an LSTM's rows with its weights, for the vector kernel.
 */
#ifndef NN_LSTM_PRODUCTS_H
#define NN_LSTM_PRODUCTS_H

#include <stdint.h>

/* Inputs of a row are a multiple of so many, as the weights have them: those past the last are 0. */
#define LSTM_STEP	8u

struct lstm_products {
	const uint8_t *weights;		/* of gates of 32 cells, one after the other */
	const int32_t *bias;
	uint32_t length;		/* of a row, in bytes */
	uint32_t blocks;		/* of 32 cells */
	uint32_t zero;			/* of the weights */
};

/*
 * Makes the sums of `count` blocks of each of `rows` rows, LSTM_LANES for each block. Rows are `length` bytes after one another,
 * at a multiple of LSTM_STEP, and 128 bytes past the last one can be read.
 */
void lstm_multiply(const struct lstm_products *products, uint32_t first, uint32_t count,
		   const uint8_t *x, uint32_t rows, int32_t *sums);

#endif
