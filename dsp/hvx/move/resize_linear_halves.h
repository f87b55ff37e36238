/* SPDX-License-Identifier: MIT */
/*
 * Bilinear resizing's loop over elements whose rounding float32 decides, in assembly
 * (resize_linear_halves.S). resize_linear_ties.c calls it. C and assembly include this file.
 */
#ifndef NN_RESIZE_LINEAR_HALVES_H
#define NN_RESIZE_LINEAR_HALVES_H

/* Offsets of the members of struct resize_halves; pairs are loaded together. */
#define HALVES_TOP		0
#define HALVES_BOTTOM		8
#define HALVES_WEIGHT_TO	16
#define HALVES_REAL_PRODUCT	24
#define HALVES_LIST_COUNT	32
#define HALVES_SCALE_INVERSE	40
#define HALVES_MAGIC_ZERO	48
#define HALVES_MIN_MAX		56

#ifndef __ASSEMBLER__

#include <stdint.h>

/* An element that may be a tie: where it is in a row of blocks, and in the output's. */
struct resize_tie {
	uint32_t from, to;
};

struct resize_halves {
	const uint8_t *top, *top_right;		/* neighbours in two rows of the image */
	const uint8_t *bottom, *bottom_right;
	const uint8_t *weight;			/* the number of each element's products */
	uint8_t *to;
	const float *real;			/* 256 elements */
	const float (*product)[4];		/* weights, in the order of their sum */
	/*
	 * There are `count` of them and two more: the one before the first has its `to`, and the
	 * one behind the last has a `from` that can be read.
	 */
	const struct resize_tie *list;
	uint32_t count;				/* at least 1 */
	float scale, inverse;			/* of the output, and nearly 1 / that */
	float magic;				/* 1.5 * 2^23: its sum with a number ends in that */
	int32_t zero;				/* rounded; takes it off, adds the zero point */
	int32_t min, max;
} __attribute__((aligned(8)));

/* Makes listed elements, each in nine packets. */
void nn_resize_halves(const struct resize_halves *halves);

#endif

#endif
