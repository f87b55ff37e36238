/* SPDX-License-Identifier: MIT */
/*
 * Reductions of elements side by side, of 32 results at a time (rows.c), for reduce.c.
 *
 *	|a0 a1 a2 ...|b0 b1 b2 ...|c0 ...	row a has the elements of one result
 */
#ifndef NN_REDUCE_ROWS_H
#define NN_REDUCE_ROWS_H

#include <stdint.h>
#include "dsp/hvx/common/vector.h"

#define REDUCE_ROWS	32u

enum reduce_kind {
	REDUCE_SUMS,
	REDUCE_SQUARES,
	REDUCE_MOST,
	REDUCE_LEAST,
};

/*
 * Makes a word of each of `rows` (1 .. 32) rows of `count` bytes, which are unsigned after `flip`:
 * the sum of all, or of their squares, or an extreme. `work` has room for as many vectors as there
 * are words.
 */
void nn_reduce_rows(const uint8_t *from, uint32_t rows, uint32_t count, int32_t flip,
		    enum reduce_kind kind, uint8_t (*work)[VECTOR], uint32_t words[REDUCE_ROWS]);

/* Packs 32 such words to bytes. */
void nn_reduce_pack(const uint32_t words[REDUCE_ROWS], uint8_t *bytes);

/* Brings 128 words to the order 0 4 8 .., 2 6 10 .., 1 5 9 .., 3 7 11 .. */
void nn_reduce_deal(const uint32_t *from, uint32_t *to);

#endif
