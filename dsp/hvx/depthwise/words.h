/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's sums for kernels of any shape that is not too large, from rows of input in
 * scratch memory: of 128 outputs of a row, down some rows. depthwise_conv2d.c calls
 * nn_depthwise_sum_words(). C and assembly include this file.
 *
 * A word is four columns of a kernel's row. Of each row of input the words are made once, in the
 * order that sums have, and kept in memory; then sums are made of 32 lanes at a time, whose weights
 * all fit registers: a vector of words is loaded in the packet that multiplies it.
 *
 *	columns		a0 a1 a2 ...	b0 b1 b2 ...	c0 c1 c2 ...	d0 d1 d2 ...
 *	words		a0 b0 c0 d0 a1 b1 c1 d1 ...	four vectors, of 32 lanes each
 *	in memory	[row of input][word of a kernel's row][4 vectors]
 */
#ifndef NN_DEPTHWISE_WORDS_H
#define NN_DEPTHWISE_WORDS_H

/* Offsets of the members of struct depthwise_words. */
#define WORDS_FROM		0
#define WORDS_ROW		4
#define WORDS_DOWN		8
#define WORDS_SUMS		12
#define WORDS_WEIGHTS		16
#define WORDS_PERIOD		20
#define WORDS_ROWS		24
#define WORDS_ENTRY		28

/* Offsets of the members of struct depthwise_columns. */
#define COLUMNS_FROM		0	/* four addresses */
#define COLUMNS_PITCH		16
#define COLUMNS_TO		20
#define COLUMNS_TO_PITCH	24
#define COLUMNS_ROWS		28

#define WORDS_BYTES		512	/* of a word's four vectors */

/* Kernels of that many words a row, and of that many rows: 27 vectors of weights. */
#define WORDS_MOST_WIDE		3
#define WORDS_MOST_HIGH		9

/* Rows of output that are made at once. */
#define WORDS_MOST_ROWS		32

#ifndef __ASSEMBLER__

#include "dsp/hvx/depthwise/job.h"
#include "dsp/hvx/depthwise/layer.h"

/* The sums of 32 lanes, down some rows of output. */
struct depthwise_words {
	const uint8_t *from;	/* words of the first row of input */
	uint32_t row;		/* bytes from a row of output's first words to the next one's */
	uint32_t down;		/* from the last word of a kernel's row to the first of the next */
	uint8_t *sums;		/* those of the row before the first, which are overwritten */
	const int32_t *weights;
	uint32_t period_bytes;	/* from one vector of weights to the next */
	uint32_t rows;
	uint32_t entry;		/* of the kernel's shape, from the table below */
};

_Static_assert(sizeof(struct depthwise_words) == WORDS_ENTRY + 4, "as the assembly has it");

/* One word of `rows` rows of input. */
struct depthwise_columns {
	const uint8_t *from[4];	/* the columns, which begin anywhere */
	uint32_t pitch;		/* from row to row */
	uint8_t *to;		/* and where words of the row before go, which is overwritten */
	uint32_t to_pitch;
	uint32_t rows;
};

_Static_assert(sizeof(struct depthwise_columns) == COLUMNS_ROWS + 4, "as the assembly has it");

void nn_depthwise_multiply_words(const struct depthwise_words *words);

/* [input is int8][words of a row - 1][rows - 1] */
extern const uint32_t nn_depthwise_words_entry[2][WORDS_MOST_WIDE][WORDS_MOST_HIGH];

/*
 * These interleave 1 to 4 columns; the others of the word are anything. The first takes columns
 * that all begin at a multiple of a vector, and reads those of one row more.
 */
void nn_depthwise_interleave_aligned(const struct depthwise_columns *columns);
void nn_depthwise_interleave_1(const struct depthwise_columns *columns);
void nn_depthwise_interleave_2(const struct depthwise_columns *columns);
void nn_depthwise_interleave_3(const struct depthwise_columns *columns);
void nn_depthwise_interleave_4(const struct depthwise_columns *columns);

/* Tells whether the layer's kernel is such that its sums can be made so. */
static inline bool has_words(const struct depthwise *d)
{
	return d->words <= WORDS_MOST_WIDE && d->window.kernel_h <= WORDS_MOST_HIGH;
}

/* The rows of input of so many of output. */
static inline uint32_t words_rows(const struct depthwise *d, uint32_t rows)
{
	return (rows - 1) * d->window.stride_h + (d->window.kernel_h - 1) * d->window.dilation_h +
	       1;
}

/* The memory that words of a job need. */
static inline uint32_t words_bytes(const struct depthwise *d)
{
	return (words_rows(d, WORDS_MOST_ROWS) + 1) * d->words * WORDS_BYTES;
}

/*
 * Makes the words of a job of `rows` rows of output, at `memory`. `in` is where the first column of
 * the first row of input is.
 */
void nn_depthwise_make_words(const struct depthwise *d, const uint8_t *in, uint32_t rows,
			     uint8_t *memory);

/*
 * Makes the sums of a job from these, four vectors a row from job->scaled on; what is before them
 * is overwritten. It looks at the job's weights and period as well.
 */
void nn_depthwise_sum_words(const struct depthwise *d, const struct depthwise_job *job,
			    uint32_t rows, const uint8_t *memory);

#endif

#endif
