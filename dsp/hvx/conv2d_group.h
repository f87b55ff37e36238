/* SPDX-License-Identifier: MIT */
/*
 * The outputs of a group of a convolution's pixels.
 */
#ifndef NN_CONV2D_GROUP_H
#define NN_CONV2D_GROUP_H

#include "conv2d_strip.h"

/*
 * All outputs of `pixels` pixels from column x of row y of the strip on, in reading order, at most
 * memory->group. They lie side by side, from `out` on. Returns what a report of progress did.
 */
int conv2d_run_group(struct layer *layer, const struct strip *strip, struct memory *memory,
		     uint8_t *out, uint32_t y, uint32_t x, uint32_t pixels);

/* Bytes from a pixel's staged results to the next's. */
static inline uint32_t conv2d_staging_pitch(uint32_t outputs)
{
	return outputs <= 32 ? 32 : (outputs + 63) / 64 * 64;
}

#endif
