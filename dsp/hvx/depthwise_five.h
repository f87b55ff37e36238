/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5 and stride 1 down, from rows of input in scratch memory:
 * 128 bytes of a row down all rows, then the same of another place, which has the same channels. C
 * and assembly include it.
 */
#ifndef NN_DEPTHWISE_FIVE_H
#define NN_DEPTHWISE_FIVE_H

/* Where struct depthwise_five has what. */
#define FIVE_COLUMNS		0	/* five addresses */
#define FIVE_ROW_BYTES		20
#define FIVE_SUMS		24
#define FIVE_WEIGHTS		28
#define FIVE_COUNT		32
#define FIVE_ROUNDS		36
#define FIVE_NEXT_ROUNDS	40
#define FIVE_JUMP		44

/* Rows of output at once at most, and bytes that they need: at d->job_memory. */
#define FIVE_MOST_ROWS		64
#define FIVE_BYTES		((28 + 64 + 8 + 2 * 4 * (FIVE_MOST_ROWS + 4) + 4) * 128)

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "depthwise.h"
#include "vector.h"

struct depthwise_five {
	const uint8_t *column[5];	/* of the first place, in its first row of input */
	uint32_t row_bytes;

	/*
	 * Four vectors of 32 sums for each round, which is a row of input: those of the row of
	 * output that it ends. The first four rounds end none.
	 */
	HVX_Vector *sums;

	/*
	 * 14 of lanes 0 to 63 and 14 of the others, two of 32 lanes each time: first four columns
	 * of the kernel's rows 3 to 0, then the fifth column of its first four rows, and of the
	 * fifth, in the word's highest byte, and four columns of that row.
	 */
	const HVX_Vector *weights;

	/*
	 * Places, rounds of the first one and of each other one, and what is added to a column's
	 * address behind a place's last row to have it in the next place's first one. Of a place
	 * whose first rows are the last ones of the place before, as padding is, these need not be
	 * rounds.
	 */
	uint32_t count, rounds, next_rounds, jump;
};

_Static_assert(offsetof(struct depthwise_five, row_bytes) == FIVE_ROW_BYTES &&
		       offsetof(struct depthwise_five, jump) == FIVE_JUMP,
	       "as the assembly has it");

/* Reads a row of input too many. */
void nn_depthwise_sum_five_u8(const struct depthwise_five *five);
void nn_depthwise_sum_five_s8(const struct depthwise_five *five);

/*
 * `outputs` bytes of `rows` rows of output from y on, whose rows of input are at d->rows. What is
 * returned is that of progress.
 */
int nn_depthwise_run_five(struct depthwise *d, uint32_t y, uint32_t rows, uint32_t outputs,
			  uint8_t *out, uint32_t out_pitch);

#endif

#endif
