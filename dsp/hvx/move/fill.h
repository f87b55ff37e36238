/* SPDX-License-Identifier: MIT */
/*
 * One value in all elements: FILL, and what is around the elements that others move.
 */
#ifndef NN_FILL_H
#define NN_FILL_H

#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/vector.h"

/* A vector of elements of `size` bytes, all of which are `value`. */
HVX_Vector nn_fill_vector(uint32_t size, int64_t value);

/* Fills `bytes` bytes, of whole elements at an address that is aligned to them. */
int nn_fill_bytes(struct progress *progress, uint8_t *to, uint64_t bytes, HVX_Vector value);

#endif
