/* SPDX-License-Identifier: MIT */
/*
 * How a convolution's work is divided, so that it fits scratch memory, and that what is read again
 * stays in the L2 cache until then. conv2d_run_layer() divides a layer once, before its first
 * strip.
 */
#ifndef NN_CONV2D_DIVIDE_H
#define NN_CONV2D_DIVIDE_H

#include "dsp/hvx/conv2d/strip.h"

/* Divides scratch memory; false if not even four pixels fit. */
bool conv2d_divide(const struct layer *layer, struct memory *memory);

#endif
