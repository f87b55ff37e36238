/* SPDX-License-Identifier: MIT */
/*
 * Rows of SOFTMAX that are powers times a number (softmax_rows.c); logarithms are none. softmax.c
 * calls it.
 */
#ifndef NN_SOFTMAX_ROWS_H
#define NN_SOFTMAX_ROWS_H

#include "dsp/program/kernels.h"

/*
 * Does all of a call, if this can: then `done` is true. What is returned is that of progress.
 */
int nn_softmax_run_rows(const struct nn_call *call, bool *done);

#endif
