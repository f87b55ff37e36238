/* SPDX-License-Identifier: MIT */
/*
 * Bilinear resizing in parts (resize_linear.c): a strip is as many vectors of the output's rows as
 * scratch memory has room for, and all rows of it are made before the next one's.
 *
 *	row of the image -> left and right neighbours, side by side as the output's elements are
 *	                 -> blended, in scratch memory for as long as rows of the output need it
 *	two such rows    -> a row of the output
 *
 * For each vector of the strip there is a block in scratch memory. A strip's gathers, which make
 * neighbours of a row of the image, are there, too.
 */
#ifndef NN_RESIZE_LINEAR_H
#define NN_RESIZE_LINEAR_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/float_low.h"
#include "dsp/hvx/common/vector.h"
#include "dsp/hvx/move/resize_linear_halves.h"

#define RESIZE_FRACTION		11	/* of weights that are whole numbers */
#define RESIZE_NEAR_HALF	0x8000	/* a half, where fractions have 16 bits */

/* The ways in which results are made. */
enum resize_way {
	/* The weights of both directions have 8 bits together: sums fit 16 bits, and are exact. */
	RESIZE_COARSE,
	/* Weights are whole numbers of 11 bits: sums fit 32 bits, and are exact. */
	RESIZE_FIXED,
	/* Sums have 16 bits of fraction; those near a half are made as they are defined. */
	RESIZE_FLOAT,
	/* The near pixels as they are, of so many bytes as there are channels (resize_narrow.c). */
	RESIZE_NEAREST,
};

#define RESIZE_LIST	384	/* ties: a vector's, added to fewer than all others */
#define RESIZE_FEW	16u	/* vectors with few ties, and with many, that are made together */
#define RESIZE_MANY	8u

/* Tables for ties of RESIZE_COARSE, in scratch memory. */
struct resize_tables {
	float real[256];	/* elements, as unsigned bytes; from the first tie on */
	/* Weights of a column, by its far one, with those of the row: in the order of their sum. */
	float product[2][(1 << 7) + 1][4] __attribute__((aligned(8)));
	float near[2], far[2];	/* weights of the two rows that they are of, */
	uint32_t latest;	/* of which this one is the one before */
	bool has_real;
	bool has_low, is_low;	/* `low` is settled, and can be */
	struct low_scale low;
	/* Elements that are left in lanes, when these are listed. */
	uint8_t lanes[VECTOR] __attribute__((aligned(VECTOR)));
	uint8_t count[VECTOR], last[VECTOR], before[VECTOR];
	/* The first and the last are for nn_resize_halves(). */
	struct resize_tie list[RESIZE_LIST + 3] __attribute__((aligned(8)));
};

/* The numbers that all of a call has in common. */
struct resize_job {
	const struct nn_call *call;
	enum resize_way way;
	bool in_float;		/* results are defined in float32 */
	uint32_t column_bits, row_bits;	/* of RESIZE_COARSE: 1 is 2^so many; 8 together */
	bool are_odd;		/* most weights of columns are, with so many bits as they need */
	uint32_t channels, flip_in, flip_out;
	uint32_t min, max;	/* of results as unsigned bytes */
	uint32_t up, down;	/* what is added to and subtracted from bytes of RESIZE_COARSE */
	int32_t zero_in;	/* the zero point of elements as unsigned bytes */
	int32_t zero_out;
	bool is_rescaled;	/* scales are two: RESIZE_FLOAT multiplies by their */
	int32_t factor;		/* quotient, which is this / 2^26 */
	uint32_t margin;	/* how near to a half, in 2^-16, results may round otherwise */
	float inverse;		/* of the output's scale, nearly */
	struct resize_tables *tables;	/* of RESIZE_COARSE in float32 */
};

/* A neighbour in rows or columns. */
struct resize_position {
	uint32_t near, far;
	int32_t near_weight, far_weight;	/* as the way has them */
};

struct resize_position resize_position_of(const struct resize_job *job, bool is_row, uint32_t i);

/* A gather takes what its 128 indices say of 128 bytes of the image's row; 128 is nothing. */
struct resize_gather {
	uint32_t from;		/* bytes into the row */
	uint32_t to;		/* bytes into the blocks, with the slot's more, and the kind */
};

enum resize_gather_kind {
	RESIZE_FIRST = 0,	/* the first for its vector */
	RESIZE_MORE = 1,	/* adds to what is there */
	RESIZE_PLAIN = 2,	/* all 128 bytes as they are */
	RESIZE_KINDS = 3,	/* these bits */
};

/* Where a vector's things are in its block. */
struct resize_layout {
	uint32_t weights;	/* and how many bytes they have: 2 or 4 vectors, */
	uint32_t blended;	/* and so have blended rows */
	uint32_t slot[2];	/* of two rows of the image: left, right, blended */
	uint32_t near, piece;	/* if in float32 */
	uint32_t bytes;
};

struct resize_strip {
	const struct resize_job *job;
	struct resize_layout layout;
	uint8_t *blocks;
	uint32_t vectors;
	uint32_t begin, bytes;	/* of a row of the output */
	uint32_t column, channel;	/* where the next strip begins */
	struct resize_gather *gathers;
	uint8_t *indices;	/* of gather i 128 * (i + 1) bytes before */
	uint32_t count, most, room;	/* gathers: those there are, and can be now and at all */
	uint32_t farthest;	/* byte of a row that one begins at */
	int64_t held[2];	/* the rows of the image that the slots have, or -1 */
};

/* Divides what is left of scratch memory: blocks from `room` on, gathers from the end. */
void resize_settle_room(struct resize_strip *strip, uint8_t *room);

/*
 * Makes the next strip of a row of `row_bytes`. Returns what progress does; a strip without vectors
 * has no room for one.
 */
int resize_begin_strip(struct resize_strip *strip, struct progress *progress, uint32_t row_bytes);

/* Gathers the neighbours of a row of the image. The image ends at `end`. */
void resize_gather_row(const struct resize_strip *strip, uint32_t slot, const uint8_t *row,
		       const uint8_t *end);

/*
 * Gathers the neighbours of a row of the image and blends them. The image ends at `end`.
 */
void resize_take_row(const struct resize_strip *strip, uint32_t slot, const uint8_t *row,
		     const uint8_t *end);

/*
 * Makes a row of the output from the rows of the image in two slots. Tells whether some of it may
 * be near a half.
 */
bool resize_make_row(const struct resize_strip *strip, const struct resize_position *position,
		     const uint32_t slot[2], uint8_t *to);

/*
 * Makes those again, as they are defined, that are. Of RESIZE_COARSE these have tables, which are
 * to be emptied first. Returns what progress does.
 */
void resize_empty_tables(struct resize_tables *tables);

/* Vectors of a row of RESIZE_COARSE, in blocks that are `pitch` bytes apart. */
struct resize_ties {
	const uint8_t *top, *bottom;	/* neighbours, left and right */
	const uint8_t *weight;		/* of near columns */
	/* Bytes that are 0 where an element is half an integer; and room for a vector. */
	uint8_t *near;
	uint8_t *to;			/* of the output */
	uint32_t pitch, begin, end;	/* vectors; at most RESIZE_FEW or RESIZE_MANY */
	uint32_t last;			/* bytes of the last one, whose others are not 0 */
};

/*
 * Makes elements that are half an integer, of vectors with weights of columns and this row that
 * have four bits together. Those that are left are listed, at most two of each lane, from `next`
 * on. Returns the end of the list; or NULL where more are left, for which `near` says which all
 * are.
 */
struct resize_tie *resize_make_ties(const struct resize_job *job,
				    const struct resize_position *row,
				    const struct resize_ties *ties, bool are_few,
				    struct resize_tie *next);

int resize_settle_ties(const struct resize_strip *strip, struct progress *progress, uint32_t y,
		       const uint32_t slot[2], uint8_t *to);

#endif
