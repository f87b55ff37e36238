/* SPDX-License-Identifier: MIT */
/*
 * Kernels that move whole blocks by memmove(), which on the DSP has vectors: these are the portable
 * kernels of their opcodes, and what vector kernels do where blocks are so long, or rows so many,
 * that nothing is quicker.
 */
#ifndef NN_BLOCKS_H
#define NN_BLOCKS_H

#include "dsp/program/kernels.h"

int nn_copy_blocks(const struct nn_call *call);
/* PIECE by a kernel of COPY. */
int nn_piece_by_copy(const struct nn_call *call, int (*copy)(const struct nn_call *call));
int nn_resize_pixels(const struct nn_call *call);
int nn_rotate_blocks(const struct nn_call *call);
/* Moves single elements: of a tensor that is smaller than a vector nothing is quicker. */
int nn_transpose_elements(const struct nn_call *call);

#endif
