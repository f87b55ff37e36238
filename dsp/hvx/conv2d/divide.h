/* SPDX-License-Identifier: MIT */
/*
 * How a convolution's work is divided: what fits scratch memory, and what stays in the memory
 * nearest to the DSP until it is read again.
 */
#ifndef NN_CONV2D_DIVIDE_H
#define NN_CONV2D_DIVIDE_H

#include "dsp/hvx/conv2d/strip.h"

/* Divide scratch memory; false if not even four pixels fit. */
bool conv2d_divide(const struct layer *layer, struct memory *memory);

#endif
