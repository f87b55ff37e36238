/* SPDX-License-Identifier: MIT */
/*
 * Rows of a strip's inputs, as they are copied where they are not read in place.
 */
#ifndef NN_CONV2D_ROWS_H
#define NN_CONV2D_ROWS_H

#include "dsp/hvx/conv2d/strip.h"

/* Prepares what all strips of a layer have in common. */
void conv2d_prepare_rows(const struct layer *layer, struct memory *memory);

/*
 * Copies rows up to `rows` - 1 that are not there yet, unless all are read in place. Returns what a
 * report of progress did.
 */
int conv2d_fill_rows(struct layer *layer, struct strip *strip, const struct memory *memory,
		     uint32_t rows);

#endif
