/* SPDX-License-Identifier: MIT */
/*
 * The tiles of a convolution, in assembly: four pixels and 32 or 64 outputs each, or eight and 32, from
 * the inputs to the results.
 */
#ifndef NN_CONV2D_TILES_H
#define NN_CONV2D_TILES_H

#include <stddef.h>

#include "conv2d_accumulate.h"

/*
 * What 32 or 64 outputs need, twice the same if they are 32. The assembly reads the vectors in this
 * order.
 */
struct conv2d_constants {
	HVX_Vector bias[2];
	HVX_Vector multiplier[2];
	HVX_Vector shift[2];	/* is_exact: ones, and halves, of halfwords */
	HVX_Vector max[2], min[2];	/* of sums, see enum nn_scale_row */

	uint32_t first;		/* output */
	bool is_exact;		/* products have at most 16 bits of fraction: `multiplier` is scale * 2^16 */
	bool is_clamped;	/* sums can be past their limits */
	bool is_rough;		/* sums are shifted to the right, and lose bits */
} __attribute__((aligned(VECTOR)));

/* How results are stored. */
enum conv2d_form {
	FORM_64,	/* 64 of each pixel at a multiple of 64 bytes */
	FORM_32,	/* the same 64 bytes, of which the first 32 are results */
	FORM_32_DENSE,	/* 32 of each pixel side by side, at any address */
	/* Of two quads at a time, no scales that are exact: */
	FORM_OCTETS,	/* FORM_32_DENSE, */
	FORM_OCTETS_APART,	/* and FORM_32 with a pitch that is a multiple of 128 */
};

/* The assembly knows where everything is. */
struct conv2d_tiles {
	/*
	 * If it comes back before all tiles are done: in words 0 and 16, a bit for each of 16 lanes in
	 * which a product was near a half, and the sums, [pixel][block] or [pixel].
	 */
	union {
		HVX_Vector flags;
		uint32_t unsure_lanes[32];
	};
	union {
		HVX_Vector sum[8];
		int32_t sum_lanes[8][32];
	};

	/*
	 * The zero point << 16 and a half, and a bit more; where the product's fraction, that
	 * added, is below `unsure`, it was near a half. is_exact: the zero point, in halfwords.
	 */
	HVX_Vector more, unsure;
	HVX_Vector out_min, out_max;	/* bytes */
	HVX_Vector mask[2];	/* which half of 128 bytes even and odd pixels have: bytes of -1 */

	const struct quad *quads;	/* and one more tile's, which are only read */
	uint32_t count;		/* of tiles */
	uint8_t *out;
	uint32_t pitch;		/* bytes from a pixel's results to the next's */
	uint32_t turn[2];	/* results of even and odd pixels are turned right by so many bytes */
	const struct segment *segments;
	uint32_t unused;
	uint32_t segment_count;
	const uint8_t *weights[2];
	uint32_t finish;	/* one of nn_conv2d_finish */
	const struct conv2d_constants *constants;
	uint32_t multiply;	/* one of nn_conv2d_multiply */
} __attribute__((aligned(VECTOR)));

_Static_assert(offsetof(struct conv2d_tiles, quads) == 15 * VECTOR, "as the assembly has it");

/*
 * All tiles, and 0. Or up to and with one of which a product was near a half, so that results of
 * `unsure_lanes` have to be made again, exactly: how many tiles were left to do, that one included.
 */
uint32_t nn_conv2d_tiles(struct conv2d_tiles *tiles);

extern const uint32_t nn_conv2d_multiply[5][2];	/* [form][is int8] */
extern const uint32_t nn_conv2d_finish[5][2][2][2];	/* [form][exact][is int8][clamped] */

#endif
