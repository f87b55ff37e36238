// SPDX-License-Identifier: MIT
/*
 * PIECE is a COPY whose offset the iteration of a loop decides. nn_piece_hvx() is its vector kernel,
 * in the table of kernels.c: COPY's does the work.
 */
#include "dsp/kernels/blocks.h"
#include "dsp/hvx/common/kernels.h"

int nn_piece_hvx(const struct nn_call *call)
{
	return nn_piece_by_copy(call, nn_copy_hvx);
}
