/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 5x5, from rows of input in scratch memory: 128 bytes of a row
 * down all rows, then the same of another place, which has the same channels. Most often columns
 * lie there in pairs, whose bytes alternate. C and assembly include it.
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
#define FIVE_PERIOD		48
#define FIVE_LANES		52	/* four addresses */

/* Where struct depthwise_five_stage has what. */
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

/* Rows of output at once at most, and bytes that they need: at d->job_memory. Sums are last. */
#define FIVE_MOST_ROWS		64
#define FIVE_SUM_BYTES		((2 * 4 * (FIVE_MOST_ROWS + 4) + 4) * 128)
#define FIVE_BYTES		((28 + 64 + 8) * 128 + FIVE_SUM_BYTES)

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "dsp/hvx/depthwise/layer.h"
#include "dsp/hvx/depthwise/3x3s1.h"
#include "dsp/hvx/common/vector.h"

struct depthwise_five {
	/* Of the first place, in its first row of input; of pairs three. */
	const uint8_t *column[5];
	uint32_t row_bytes;

	/*
	 * Four vectors of 32 sums for each round, which is a row of input, or two if pairs are as
	 * far apart: those of the row of output that it ends. The first four rounds end none, or
	 * two.
	 */
	HVX_Vector *sums;

	/*
	 * 14 of lanes 0 to 63 and 14 of the others, two of 32 lanes each time: first four columns
	 * of the kernel's rows 3 to 0, then the fifth column of its first four rows, and of the
	 * fifth, in the word's highest byte, and four columns of that row. Of pairs room for six.
	 */
	HVX_Vector *weights;

	/*
	 * Places, rounds of the first one and of each other one, and what is added to a column's
	 * address behind a place's last row to have it in the next place's first one. Of a place
	 * whose first rows are the last ones of the place before, as padding is, these need not be
	 * rounds. Of pairs it is the last place that has `rounds`, each other one at least 3, and
	 * what is added is from its last row on.
	 */
	uint32_t count, rounds, next_rounds, jump;

	/* Of pairs: weights as they are packed. */
	uint32_t period_bytes;		/* between one constant of a lane and the next */
	const int32_t *lanes[4];	/* 0, 32, 64 and 96 */
};

_Static_assert(offsetof(struct depthwise_five, row_bytes) == FIVE_ROW_BYTES &&
		       offsetof(struct depthwise_five, lanes) == FIVE_LANES,
	       "as the assembly has it");

/* Reads a row of input too many. */
void nn_depthwise_sum_five_u8(const struct depthwise_five *five);
void nn_depthwise_sum_five_s8(const struct depthwise_five *five);
void nn_depthwise_sum_pairs_u8(const struct depthwise_five *five);
void nn_depthwise_sum_pairs_s8(const struct depthwise_five *five);
void nn_depthwise_sum_strided_pairs_u8(const struct depthwise_five *five);
void nn_depthwise_sum_strided_pairs_s8(const struct depthwise_five *five);

/*
 * Pairs of columns of `rows` rows to scratch memory, 128 bytes of each column, the first of which
 * are at from[0] and the second at from[1].
 */
struct depthwise_five_stage {
	uint8_t *to;
	const uint8_t *from[2];
	uint32_t pitch, from_pitch[2];	/* to the next row */
	uint32_t step, from_step;	/* to the next pair */
	uint32_t count, rows;
	const uint8_t *padding;		/* of a row's pairs: what is beside these */
	/* Of dense pairs: after how many it begins anew, how often, and how many are left. */
	uint32_t group, groups, rest;
};

_Static_assert(offsetof(struct depthwise_five_stage, pitch) == STAGE_PITCH &&
		       offsetof(struct depthwise_five_stage, rest) == STAGE_REST,
	       "as the assembly has it");

/*
 * Stores 256 bytes of each pair, where all is aligned, or not, or 128: the next one overwrites what
 * is too much. Or all is aligned, and each pair's second column is the next one's first; of a row's
 * pairs (at least one of both columns), with those before and behind them that are half padding.
 */
void nn_depthwise_stage_aligned_pairs(const struct depthwise_five_stage *stage);
void nn_depthwise_stage_pairs(const struct depthwise_five_stage *stage);
void nn_depthwise_stage_short_pairs(const struct depthwise_five_stage *stage);
void nn_depthwise_stage_next_pairs(const struct depthwise_five_stage *stage);
void nn_depthwise_stage_row_pairs(const struct depthwise_five_stage *stage);

/*
 * Pairs of 64 channels and a power of two more, as vectors that are aligned, whatever pairs they
 * are of. Stores up to 256 bytes behind them.
 */
void nn_depthwise_stage_dense_pairs(const struct depthwise_five_stage *stage);

/* What all places of rows in scratch memory have in common. */
struct five_rows {
	struct depthwise *d;
	struct depthwise_five five;
	struct depthwise_image job;	/* of results */
	struct finish finish;
	HVX_Vector *weights;		/* [28] */
	uint8_t *parts;			/* [FIVE_MOST_ROWS][VECTOR] */
	uint32_t most;			/* places at a time */
	uint32_t first, channels;	/* what a pixel has there, of all the layer's */
	uint32_t column[5];		/* where columns are, or pairs of them */
	/*
	 * Bytes of the output from one vector to the next. Where these are less than a vector has,
	 * the next one overwrites what is too much.
	 */
	uint32_t apart;
	bool is_paired;
};

/* At `memory` 28 + FIVE_MOST_ROWS vectors, then `places` ones, and sums. */
void nn_depthwise_settle_five(struct five_rows *rows, struct depthwise *d, HVX_Vector *memory,
			      uint32_t places);

/* Pairs of columns of `channels` channels, for each column of input, or every other one. */
void nn_depthwise_place_pairs(struct five_rows *rows, uint32_t channels);

/* The rounds of `count` rows of output from y on. */
void nn_depthwise_count_rounds(struct five_rows *rows, uint32_t y, uint32_t count);

/*
 * `outputs` bytes of `count` rows, whose rounds are known and whose first row of input is at `in`.
 * What is returned is that of progress.
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
 * `outputs` bytes of `rows` rows of output from y on, whose rows of input are at d->rows. What is
 * returned is that of progress.
 */
int nn_depthwise_run_five(struct depthwise *d, uint32_t y, uint32_t rows, uint32_t outputs,
			  uint8_t *out, uint32_t out_pitch);

/*
 * Does all of an image, if this can: then `done` is true. Scratch memory is used from d->rows on.
 * What is returned is that of progress.
 */
int nn_depthwise_run_five_slices(struct depthwise *d, const uint8_t *image, uint8_t *out,
				 bool *done);

#endif

#endif
