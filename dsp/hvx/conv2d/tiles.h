/* SPDX-License-Identifier: MIT */
/*
 * The tiles of a convolution, in assembly, from the inputs to the results: four pixels and 64
 * outputs (4x64), or eight and 32 (8x32). block.c describes them in struct conv2d_tiles, and runs
 * them.
 *
 *	tile 4x64	sums v0 - v7: [pixel 0 - 3][outputs 0 - 31, 32 - 63]
 *	tile 8x32	sums v0 - v7: [pixel 0 - 7][outputs 0 - 31]
 */
#ifndef NN_CONV2D_TILES_H
#define NN_CONV2D_TILES_H

#include <stddef.h>

#include "dsp/hvx/conv2d/accumulate.h"
#include "dsp/hvx/conv2d/constants.h"

/* A tile that may have ties, whose results are made again. */
struct conv2d_ties {
	union {
		HVX_Vector flags;
		uint32_t lanes[32];	/* not 0 where there is one, in any of the sums */
	};
	union {
		HVX_Vector sum[8];
		int32_t sum_lanes[8][32];	/* [pixel][block], or [pixel] */
	};
	const struct four_pixels *next;	/* the tile behind the one that follows it */
} __attribute__((aligned(VECTOR)));

#define CONV2D_TIES_MAX 3	/* one more would not be noticed in time */

/* A run of tiles. The assembly knows where each member is. */
struct conv2d_tiles {
	/*
	 * The zero point << 16 and a half, and a bit more; where the product's fraction, that
	 * added, is below `ties`, it may be a tie. is_exact: the zero point, in halfwords.
	 */
	HVX_Vector more, ties;
	HVX_Vector out_min, out_max;	/* bytes */
	HVX_Vector half[2];	/* of 128 bytes: bytes of -1 */

	/*
	 * The pixels of all tiles, and of two more; the inputs of the first of these are read, too.
	 */
	const struct four_pixels *fours;
	uint32_t count;		/* of tiles; 1: each is finished by itself */
	uint8_t *out;		/* a multiple of 64 bytes */
	uint32_t pitch;		/* bytes from a pixel's results to the next's */
	/*
	 * The bytes by which even and odd pixels' results are turned right. Packed: are 64 first?
	 */
	uint32_t turn[2];
	HVX_Vector *first;	/* queue[0].sum */
	const int32_t *advances;	/* of all steps, and again of the first */
	uint32_t more_steps;	/* behind those in which the last tile is finished */
	const uint8_t *weights[2];
	const struct conv2d_constants *constants;
	uint32_t entry;		/* one of those below */
	uint32_t steps;
	const struct four_pixels *end;
	HVX_Vector *full;	/* the last place of the queue but one */
	/*
	 * The half of a vector that even and odd pixels have. Packed: the first 64 bytes, and the
	 * first 96.
	 */
	const HVX_Vector *mask[2];
	uint32_t is_clamped;	/* or there are `parts` */

	/* Filled in by the assembly: behind the last tile that has ties. */
	HVX_Vector *behind;

	/*
	 * The sums that were made of the tiles before, or NULL. Only tiles 4x64 have them, and then
	 * is_clamped.
	 */
	const HVX_Vector *parts;
	struct conv2d_ties queue[CONV2D_TIES_MAX];

	HVX_Vector part;	/* of 128 bytes: bytes of -1 */
} __attribute__((aligned(VECTOR)));

_Static_assert(offsetof(struct conv2d_tiles, fours) == 6 * VECTOR &&
	       offsetof(struct conv2d_tiles, behind) == 6 * VECTOR + 76 &&
	       offsetof(struct conv2d_ties, next) == 9 * VECTOR &&
	       sizeof(struct conv2d_ties) == 10 * VECTOR, "as the assembly has it");

/* Some steps of the products of tiles 4x64, without bias or results. */
struct conv2d_parts {
	const struct four_pixels *fours;
	uint32_t count;
	HVX_Vector *sums;	/* eight of each */
	const HVX_Vector *before;	/* the sums so far, and memory of one more; or zeros, */
	uint32_t before_pitch;	/* if this is 0 instead of VECTOR */
	uint32_t steps;
	const int32_t *advances;
	uint32_t unused;
	const uint8_t *weights[2];
};

_Static_assert(offsetof(struct conv2d_parts, weights) == 32, "as the assembly has it");

void nn_conv2d_parts_uint8(const struct conv2d_parts *parts);
void nn_conv2d_parts_int8(const struct conv2d_parts *parts);

#define CONV2D_STEP_BYTES 256	/* of 32 outputs' weights */

/*
 * This many steps of a tile also finish the tile before it; or if it has no more, CONV2D_SHORT, or
 * of a tile 4x64 that is not exact and has CONV2D_4X64_MIDDLE or more, all but the last.
 */
#define CONV2D_4X64_LONG	6
#define CONV2D_4X64_MIDDLE	4
#define CONV2D_8X32_LONG	7
#define CONV2D_PACKED_LONG	11
#define CONV2D_SHORT	2

#define CONV2D_PACKED		24	/* outputs, and so the pitch */

enum conv2d_8x32_form { TILES_DENSE, TILES_STRIDED, TILES_PACKED, TILES_FORMS };

/*
 * Both make tiles up to one whose first four pixels they return: all, or until the queue is full.
 * Tiles 4x64 have 64 results of each pixel at a multiple of 64 bytes. Tiles 8x32 have 32 of each,
 * dense, side by side at a multiple of 128 bytes, or, strided, at a multiple of 32 bytes, the first
 * of those that mask[0] has; then the pitch is a multiple of 128. Packed, they have 24 of each,
 * side by side at a multiple of 64 bytes, and more than CONV2D_PACKED_LONG steps.
 */
const struct four_pixels *nn_conv2d_tiles_4x64(struct conv2d_tiles *tiles);
const struct four_pixels *nn_conv2d_tiles_8x32(struct conv2d_tiles *tiles);

/* [exact][input is int8][output is int8] */
extern const uint32_t nn_conv2d_tiles_4x64_entry[2][2][2];
extern const uint32_t nn_conv2d_tiles_8x32_entry[TILES_FORMS][2][2][2];	/* and the same */

#endif
