/* SPDX-License-Identifier: MIT */
/*
 * Blocks: 64 outputs, or 32, or the last of them, of a group of a convolution's pixels. group.c
 * runs one block after another of each group.
 */
#ifndef NN_CONV2D_BLOCK_H
#define NN_CONV2D_BLOCK_H

#include "dsp/hvx/conv2d/strip.h"

/* Fills in what all blocks of a layer have in common. */
void conv2d_settle_tiles(const struct layer *layer, struct memory *memory);

/*
 * Makes memory->tile_outputs outputs from m on, or fewer, of `pixels` pixels that memory->fours
 * lists, whose place in the output begins at `out`. Of a multiple of four they go to `to`, each
 * pixel's `pitch` bytes behind the last one's; what is left over goes where it belongs.
 */
void conv2d_run_block(const struct layer *layer, struct memory *memory, uint32_t pixels, uint32_t m,
		      uint8_t *to, uint32_t pitch, uint8_t *out);

/*
 * Makes outputs m to m + 127 of `pixels` pixels, where they belong, without tiles: two pixels at a
 * time. Reads one segment more than a window has. Returns what a report of progress did.
 */
int conv2d_run_twos(struct layer *layer, const struct four_pixels *fours,
		    const struct segment *segments, uint32_t pixels, uint32_t m, uint8_t *out);

#endif
