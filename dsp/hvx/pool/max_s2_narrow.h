/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL of windows with stride 2 and less than 128 channels (max_s2_narrow.c), by the assembly
 * that interleave.h declares. max_pool.c calls it.
 */
#ifndef NN_MAX_S2_NARROW_H
#define NN_MAX_S2_NARROW_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/pool/interleave.h"

/* Tells whether all windows of a call can be made so, and it pays off. */
bool nn_max_s2_narrow_pays(const struct nn_call *call);

int nn_max_s2_narrow_run(const struct nn_call *call);

#endif
