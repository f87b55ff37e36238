/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL's windows in assembly (max_s2.S, max_steps.S), which max_pool.c calls. C and assembly
 * include it.
 *
 * Windows of 2x2 and 3x3 with stride 2 come straight from the input: nn_max_wide_* makes 128
 * channels of one window after another; and nn_max_pow2_*, for 1, 2, 4 .. 64 channels, 128 results
 * of windows side by side, 128 / channels of them. The latter need no bytes but those of the
 * columns that are said below. max_s2_narrow.c has the other numbers of channels below 128.
 */
#ifndef NN_MAX_S2_H
#define NN_MAX_S2_H

/* Offsets of the members of struct max_s2. */
#define MAX_S2_TO	0
#define MAX_S2_COUNT	4
#define MAX_S2_ROWS	8	/* three addresses */
#define MAX_S2_BEFORE	20	/* three addresses */
#define MAX_S2_PIXEL	32
#define MAX_S2_MIN	36
#define MAX_S2_MAX	40

/* Offsets of the members of struct max_steps. */
#define STEPS_TO	0
#define STEPS_FROM	4
#define STEPS_VECTORS	8
#define STEPS_REST	12
#define STEPS_COUNT	16
#define STEPS_SECOND	20
#define STEPS_STEP	24
#define STEPS_FROM_STEP	28
#define STEPS_TO_STEP	32
#define STEPS_MIN	36
#define STEPS_MAX	40

/* Offsets of the members of struct max_pair; those of a pair are loaded together. */
#define PAIR_TO		0	/* two addresses */
#define PAIR_ABOVE	8	/* and below */
#define PAIR_MIDDLE	16	/* and pitch */
#define PAIR_LEAST	24	/* and vectors */
#define PAIR_REST	32	/* and from_step */
#define PAIR_TO_STEP	40	/* and rows */

#ifndef __ASSEMBLER__

#include <stddef.h>
#include <stdint.h>

struct max_s2 {
	uint8_t *to;		/* 128 bytes a window, `pixel` bytes apart; pow2: a vector, 128 */
	uint32_t count;		/* of windows; pow2: of vectors. At least 1 */
	/*
	 * The rows begin at the first window's columns 0 and 1; wide 3x3: 1 and 2; pow2 3x3: see
	 * below.
	 */
	const uint8_t *row[3];
	const uint8_t *before[3];	/* of 3x3: its column 0; pow2: see below */
	uint32_t pixel;		/* bytes from a column to the next */
	uint32_t min, max;	/* the clamp, four times the byte */
};

_Static_assert(sizeof(struct max_s2) == MAX_S2_MAX + 4, "as the assembly has it");

typedef void nn_max_s2(const struct max_s2 *windows);

nn_max_s2 nn_max_wide_2_u8, nn_max_wide_2_s8, nn_max_wide_3_u8, nn_max_wide_3_s8;

/* These have results that are `to_step` bytes from one to the next, not `pixel`. */
typedef void nn_max_wide_strided(const struct max_s2 *windows, uint32_t to_step);

nn_max_wide_strided nn_max_wide_2_strided_u8, nn_max_wide_2_strided_s8;
nn_max_wide_strided nn_max_wide_3_strided_u8, nn_max_wide_3_strided_s8;

/* These are for rows that are aligned to 128 bytes, and for others. */
nn_max_s2 nn_max_pow2_2_u8, nn_max_pow2_2_s8;
nn_max_s2 nn_max_pow2_2_unaligned_u8, nn_max_pow2_2_unaligned_s8;

/*
 * These go from left to right: `row` is the first window's columns 1 and 2, `before` 128 bytes that
 * begin with the column to the left of them.
 */
nn_max_s2 nn_max_pow2_3_right_u8, nn_max_pow2_3_right_s8;
nn_max_s2 nn_max_pow2_3_right_unaligned_u8, nn_max_pow2_3_right_unaligned_s8;

/*
 * These go from right to left: windows are their columns 0 and 1 and the next one's column 0. `to`
 * and `row` are where the last vectors of output and input begin, and `before` 128 bytes that end
 * with the column to the right of all.
 */
nn_max_s2 nn_max_pow2_3_left_u8, nn_max_pow2_3_left_s8;
nn_max_s2 nn_max_pow2_3_left_unaligned_u8, nn_max_pow2_3_left_unaligned_s8;

/* Arguments for vectors that are each the greatest bytes of `count` others, clamped. */
struct max_steps {
	uint8_t *to;
	const uint8_t *from;
	uint32_t vectors;	/* at least 1 */
	uint32_t rest;		/* if not 0, bytes from the last of these to one more */
	uint32_t count;		/* at least 3 */
	uint32_t second;	/* bytes from the first of them to the second */
	uint32_t step;		/* bytes from each other to the next */
	uint32_t from_step, to_step;	/* bytes from the first of a vector's to the next one's */
	uint32_t min, max;	/* the clamp, four times the byte */
};

_Static_assert(sizeof(struct max_steps) == STEPS_MAX + 4, "as the assembly has it");

void nn_max_steps_u8(const struct max_steps *steps);
void nn_max_steps_s8(const struct max_steps *steps);

/*
 * Arguments for the greatest down the columns of two output rows, whose vectors are one behind the
 * other, or of pixels that have a pitch. Their windows have all input rows in common but the first
 * of the one and the last of the other.
 */
struct max_pair {
	uint8_t *to[2];
	const uint8_t *above, *below;	/* only to[0]'s; only to[1]'s */
	const uint8_t *middle;
	uint32_t pitch;		/* bytes from one of the rows in the middle to the next */
	uint32_t least;		/* the least that a byte can be, four times */
	uint32_t vectors;	/* at least 1 */
	uint32_t rest;		/* if not 0, bytes from the last of these to one more */
	uint32_t from_step, to_step;	/* bytes from a vector to the next one */
	uint32_t rows;		/* in the middle, at least 1 */
} __attribute__((aligned(8)));

_Static_assert(offsetof(struct max_pair, middle) == PAIR_MIDDLE &&
		       offsetof(struct max_pair, rest) == PAIR_REST &&
		       sizeof(struct max_pair) == PAIR_TO_STEP + 8,
	       "as the assembly has it");

void nn_max_pair_u8(const struct max_pair *pair);
void nn_max_pair_s8(const struct max_pair *pair);

#endif

#endif
