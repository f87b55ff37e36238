/* SPDX-License-Identifier: MIT */
/*
 * The right matrix of a product of two, brought into the layout of a convolution's weights
 * (dsp/program/pack.h), with the bias that the left one's zero point makes.
 */
#ifndef NN_MATMUL_PACK_H
#define NN_MATMUL_PACK_H

#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"

/* Columns p to p + columns - 1 of a right matrix [K, P], or [P, K] if it is turned. */
struct matmul_right {
	const uint8_t *from;	/* the element of row 0 and column p */
	const uint8_t *end;	/* nothing may be read from here on */
	uint32_t inputs;	/* K */
	uint32_t columns;
	uint32_t pitch;		/* bytes from a row of the matrix in memory to the next */
	bool is_turned;
	uint8_t flip;		/* 0x80 if elements are signed */
	int32_t zero;		/* of weights, which are unsigned */
	int32_t zero_left;	/* of the left matrix's elements */
};

/*
 * Packs them to `weights` and `bias`, both aligned to a vector: as many columns as there are, and
 * others of any value up to a multiple of 32. Returns what a report of progress did.
 */
int nn_matmul_pack(struct progress *progress, const struct matmul_right *right, uint8_t *weights,
		   int32_t *bias);

#endif
