/* SPDX-License-Identifier: MIT */
/*
 * RESIZE of pixels of few bytes, side by side in the output (resize_narrow.c). resize.c calls it.
 */
#ifndef NN_RESIZE_NARROW_H
#define NN_RESIZE_NARROW_H

#include "dsp/program/kernels.h"

/*
 * Does all of a call, unless scratch memory has no room for it: then `done` is false. What is
 * returned is that of progress.
 */
int nn_resize_narrow(const struct nn_call *call, bool *done);

#endif
