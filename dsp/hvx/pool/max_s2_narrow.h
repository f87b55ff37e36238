/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL by windows that are woven, see interleave.h.
 */
#ifndef NN_MAX_WOVEN_H
#define NN_MAX_WOVEN_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/pool/interleave.h"

/* Whether all windows of a call can be made so, and are worth it. */
bool nn_max_should_weave(const struct nn_call *call);

int nn_max_weave(const struct nn_call *call);

#endif
