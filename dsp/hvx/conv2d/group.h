/* SPDX-License-Identifier: MIT */
/* Groups of a convolution's pixels, of which conv2d.c has outputs made: all of them, or a block. */
#ifndef NN_CONV2D_GROUP_H
#define NN_CONV2D_GROUP_H

#include "dsp/hvx/conv2d/strip.h"

/*
 * Makes memory->block outputs from output m on of `pixels` pixels from column x of row y of the
 * strip on, in reading order, at most memory->group, to `out`, one pixel every layer->step bytes.
 * Returns what a report of progress did.
 */
int conv2d_run_group(struct layer *layer, const struct strip *strip, struct memory *memory,
		     uint8_t *out, uint32_t y, uint32_t x, uint32_t pixels, uint32_t m);

/*
 * Asks for the weights of outputs from m on, if there are so many, or for as much of them as does
 * not drive out what is in use.
 */
void conv2d_fetch_weights(const struct layer *layer, uint32_t m, uint32_t outputs);

#endif
