/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D in pieces that are depthwise convolutions without dilation, of some of the
 * channels: what is dilated far, and what has windows of so many bytes that they do not fit scratch
 * memory (dilated.c).
 */
#ifndef NN_DEPTHWISE_DILATED_H
#define NN_DEPTHWISE_DILATED_H

#include "dsp/program/kernels.h"

/*
 * Calls `run`, which takes dense operands and windows that are not dilated, for each piece.
 * Operands may be strided. `run` has three eighths of the scratch memory at least. Where what is
 * left has no room for a single window, the portable kernel runs.
 */
int nn_depthwise_run_dilated(const struct nn_call *call, int (*run)(const struct nn_call *call));

#endif
