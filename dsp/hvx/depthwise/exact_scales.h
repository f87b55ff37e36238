/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's results where all scales are exact (NN_SCALE_EXACT), such as powers of two:
 * ties are rounded to even at once, and none is made again. Called by nn_depthwise_finish_positions()
 * of 3x3s1.c, also for 5x5, and by 3x3s2.c. C and assembly include this file.
 *
 *	sums		vectors of 32: [position][row][4], `sum_step` and `next_sums` between
 *	results		128 bytes a row, at out + position * out_step + row * pitch
 */
#ifndef NN_DEPTHWISE_EXACT_H
#define NN_DEPTHWISE_EXACT_H

/*
 * Offsets of the members of struct depthwise_exact from EXACT_SCALARS on. The two of a pair are
 * loaded together.
 */
#define EXACT_SCALARS		(8 * 128)
#define EXACT_SUMS_STEP		0
#define EXACT_NEXT_COUNT	8
#define EXACT_OUT_STEP		16
#define EXACT_PITCH_ROWS	24
#define EXACT_MIN_MAX		32
#define EXACT_ZERO_OFFSET	40

#ifndef __ASSEMBLER__

#include <stddef.h>

#include "dsp/hvx/common/vector.h"

struct depthwise_exact {
	HVX_Vector scale[4], bias[4];	/* NN_SCALE_EXACT, in the order that sums have */
	const HVX_Vector *sums;		/* the sums of the first row of output */
	uint32_t sum_step;		/* bytes from a row's last sums to the next row's first */
	uint32_t next_sums;		/* from a position's second row's to the next position's */
	uint32_t count;			/* of positions */
	uint8_t *out;
	uint32_t out_step;		/* to the next position */
	uint32_t pitch;			/* to the next row */
	uint32_t rows;			/* of output */
	uint32_t min, max;		/* four times the byte */
	int32_t zero_point;
	uint32_t offset;		/* set by nn_depthwise_scale_exact() */
} __attribute__((aligned(VECTOR)));

_Static_assert(
	offsetof(struct depthwise_exact, sums) == EXACT_SCALARS &&
		offsetof(struct depthwise_exact, count) == EXACT_SCALARS + EXACT_NEXT_COUNT + 4 &&
		offsetof(struct depthwise_exact, rows) == EXACT_SCALARS + EXACT_PITCH_ROWS + 4 &&
		offsetof(struct depthwise_exact, offset) == EXACT_SCALARS + EXACT_ZERO_OFFSET + 4,
	"as the assembly has it");

/*
 * Makes results of sums, 128 for each row of each position. Reads the sums of one row too many. If
 * `is_dealt` sums are in the order that 3x3s2.h says, else in that of the results.
 */
void nn_depthwise_scale_exact(struct depthwise_exact *exact, bool is_signed, bool is_dealt);

#endif

#endif
