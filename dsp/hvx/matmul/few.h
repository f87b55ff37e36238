/* SPDX-License-Identifier: MIT */
/*
 * Left matrices of one or two rows, for which the right one is not worth packing.
 */
#ifndef NN_MATMUL_FEW_H
#define NN_MATMUL_FEW_H

#include "dsp/kernels/matmul.h"

#define MATMUL_FEW_ROWS 2u

/* Tells whether a call is of that kind, and there is room for it in scratch memory. */
bool nn_matmul_are_few(const struct nn_call *call, const struct matmul_side *left);

/* Multiplies all pairs of matrices. Returns what a report of progress did. */
int nn_matmul_few(const struct nn_call *call, const struct matmul_side *left,
		  const struct matmul_side *right);

#endif
