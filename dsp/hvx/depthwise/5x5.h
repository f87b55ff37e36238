/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5, from rows of input in scratch memory: 128 bytes of a row
 * down all rows, then the same at another position, which has the same channels. 5x5_slices.c does
 * images for which it copies slices of the input; depthwise_conv2d.c calls nn_depthwise_run_five()
 * for the others. C and assembly include this file.
 *
 * A position is 128 bytes of the output's rows. Most often columns lie in pairs, whose bytes
 * alternate, at each column of the input, or with stride 2 at every other one:
 *
 *	columns		a0 a1 a2 ...	b0 b1 b2 ...	c0 c1 c2 ...
 *	stride 1	a0 b0 a1 b1 ... | b0 c0 b1 c1 ... | c0 d0 c1 d1 ... |
 *	stride 2	a0 b0 a1 b1 ... | c0 d0 c1 d1 ... | e0 f0 e1 f1 ... |
 *
 * Two pairs interleaved by halfwords are then four columns in the order of the results: a0 b0 c0
 * d0, a1 b1 c1 d1, ....
 */
#ifndef NN_DEPTHWISE_FIVE_H
#define NN_DEPTHWISE_FIVE_H

/* Offsets of the members of struct depthwise_five. */
#define FIVE_COLUMNS		0	/* five addresses */
#define FIVE_ROW_BYTES		20
#define FIVE_SUMS		24
#define FIVE_WEIGHTS		28
#define FIVE_COUNT		32
#define FIVE_ROUNDS		36
#define FIVE_NEXT_ROUNDS	40
#define FIVE_JUMP		44
#define FIVE_PERIOD		48
#define FIVE_LANES		52	/* four addresses */

/* Offsets of the members of struct depthwise_five_stage. */
#define STAGE_TO		0
#define STAGE_FROM		4	/* two addresses */
#define STAGE_PITCH		12
#define STAGE_FROM_PITCH	16	/* two */
#define STAGE_STEP		24
#define STAGE_FROM_STEP		28
#define STAGE_COUNT		32
#define STAGE_ROWS		36
#define STAGE_PADDING		40
#define STAGE_GROUP		44
#define STAGE_GROUPS		48
#define STAGE_REST		52

/*
 * FIVE_MOST_ROWS rows of output at most are done at once, and need FIVE_BYTES at d->job_memory.
 * Sums are last.
 */
#define FIVE_MOST_ROWS		64
#define FIVE_SUM_BYTES		((2 * 4 * (FIVE_MOST_ROWS + 4) + 4) * 128)
#define FIVE_BYTES		((28 + 64 + 8) * 128 + FIVE_SUM_BYTES)

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "dsp/hvx/depthwise/layer.h"
#include "dsp/hvx/depthwise/3x3s1.h"
#include "dsp/hvx/common/vector.h"

struct depthwise_five {
	/* Columns of the first position, in its first row of input; with pairs there are three. */
	const uint8_t *column[5];
	uint32_t row_bytes;

	/*
	 * Four vectors of 32 sums for each round, which is a row of input, or two if pairs have
	 * stride 2: those of the row of output that it ends. The first four rounds end none, or
	 * two.
	 */
	HVX_Vector *sums;

	/*
	 * 14 vectors for lanes 0 to 63 and 14 for the others, two of 32 lanes each time: first four
	 * columns of the kernel's rows 3 to 0, then the fifth column of its first four rows, and of
	 * the fifth, in the word's highest byte, and four columns of that row. With pairs this is
	 * room for six.
	 */
	HVX_Vector *weights;

	/*
	 * Positions, rounds of the first one and of each other one, and what is added to a column's
	 * address behind a position's last row to have it in the next position's first one. The
	 * first rows of a position that are the last ones of the position before, as padding is,
	 * need not be rounds. With pairs it is the last position that has `rounds`, each other one
	 * at least 3, and what is added is from its last row on.
	 */
	uint32_t count, rounds, next_rounds, jump;

	/* Weights as they are packed, with pairs only. */
	uint32_t period_bytes;		/* between one constant of a lane and the next */
	const int32_t *lanes[4];	/* 0, 32, 64 and 96 */
};

_Static_assert(offsetof(struct depthwise_five, row_bytes) == FIVE_ROW_BYTES &&
		       offsetof(struct depthwise_five, lanes) == FIVE_LANES,
	       "as the assembly has it");

/* Make the sums. A row of input too many is read. */
void nn_depthwise_sum_five_u8(const struct depthwise_five *five);
void nn_depthwise_sum_five_s8(const struct depthwise_five *five);
void nn_depthwise_sum_pairs_u8(const struct depthwise_five *five);
void nn_depthwise_sum_pairs_s8(const struct depthwise_five *five);
void nn_depthwise_sum_strided_pairs_u8(const struct depthwise_five *five);
void nn_depthwise_sum_strided_pairs_s8(const struct depthwise_five *five);

/*
 * A copy of pairs of columns to scratch memory, of `rows` rows, 128 bytes of each column: the first
 * columns are at from[0] and the second ones at from[1].
 */
struct depthwise_five_stage {
	uint8_t *to;
	const uint8_t *from[2];
	uint32_t pitch, from_pitch[2];	/* to the next row */
	uint32_t step, from_step;	/* to the next pair */
	uint32_t count, rows;
	const uint8_t *padding;		/* beside the pairs of a row (stage_row_pairs) */
	/*
	 * Dense pairs: after how many one begins with a vector again, how often, and how many are
	 * left.
	 */
	uint32_t group, groups, rest;
};

_Static_assert(offsetof(struct depthwise_five_stage, pitch) == STAGE_PITCH &&
		       offsetof(struct depthwise_five_stage, rest) == STAGE_REST,
	       "as the assembly has it");

/*
 * Copy pairs. `aligned_pairs` and `pairs` store 256 bytes of each, aligned or not, and
 * `short_pairs` 128: the next one overwrites what is too much. For `next_pairs` all is aligned, and
 * each pair's second column is the next one's first; `row_pairs` are those of a row (at least one
 * of both columns), with those before and behind them that are half padding.
 */
void nn_depthwise_stage_aligned_pairs(const struct depthwise_five_stage *stage);
void nn_depthwise_stage_pairs(const struct depthwise_five_stage *stage);
void nn_depthwise_stage_short_pairs(const struct depthwise_five_stage *stage);
void nn_depthwise_stage_next_pairs(const struct depthwise_five_stage *stage);
void nn_depthwise_stage_row_pairs(const struct depthwise_five_stage *stage);

/*
 * Copies pairs of 64 channels and a power of two more, as vectors that are aligned, whatever pairs
 * they are of. Stores up to 256 bytes behind them.
 */
void nn_depthwise_stage_dense_pairs(const struct depthwise_five_stage *stage);

/* The state that all positions of rows in scratch memory have in common. */
struct five_rows {
	struct depthwise *d;
	struct depthwise_five five;
	struct depthwise_image job;	/* of results */
	struct finish finish;
	HVX_Vector *weights;		/* [28] */
	uint8_t *parts;			/* [FIVE_MOST_ROWS][VECTOR] */
	uint32_t most;			/* positions at a time */
	uint32_t first, channels;	/* the channels of a pixel there, of all the layer's */
	uint32_t column[5];		/* where columns are, or pairs of them */
	/*
	 * Bytes of the output from one vector to the next. Where these are less than a vector has,
	 * the next vector overwrites what is too much.
	 */
	uint32_t apart;
	bool is_paired;
};

/*
 * Fills in what does not depend on the rows. At `memory` are 28 + FIVE_MOST_ROWS vectors, then
 * `positions` ones, and sums.
 */
void nn_depthwise_settle_five(struct five_rows *rows, struct depthwise *d, HVX_Vector *memory,
			      uint32_t positions);

/*
 * Sets that columns lie in pairs, of `channels` channels, one for each column of input, or every
 * other one.
 */
void nn_depthwise_pair_columns(struct five_rows *rows, uint32_t channels);

/* Sets the rounds of `count` rows of output from y on. */
void nn_depthwise_count_rounds(struct five_rows *rows, uint32_t y, uint32_t count);

/*
 * Does `outputs` bytes of `count` rows, whose rounds are known and whose first row of input is at
 * `in`. What is returned is that of progress_add().
 */
int nn_depthwise_run_five_rows(struct five_rows *rows, const uint8_t *in, uint32_t count,
			       uint32_t outputs, uint8_t *out);

/*
 * The same by way of scratch memory, where results have no room for vectors or are too few rows:
 * nothing is stored behind them.
 */
int nn_depthwise_run_five_parts(struct five_rows *rows, const uint8_t *in, uint32_t count,
				uint32_t outputs, uint8_t *out);

/*
 * Does `outputs` bytes of `rows` rows of output from y on, whose rows of input are at d->rows. What
 * is returned is that of progress_add().
 */
int nn_depthwise_run_five(struct depthwise *d, uint32_t y, uint32_t rows, uint32_t outputs,
			  uint8_t *out, uint32_t out_pitch);

/*
 * Does all of an image (5x5_slices.c), if it can: then `done` is true. Scratch memory is used from
 * d->rows on. What is returned is that of progress_add().
 */
int nn_depthwise_run_five_slices(struct depthwise *d, const uint8_t *image, uint8_t *out,
				 bool *done);

#endif

#endif
