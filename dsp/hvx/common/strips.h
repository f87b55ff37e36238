/* SPDX-License-Identifier: MIT */
/*
 * Windows over pixels that lie apart (struct nn_tensor), for vector kernels that know of none: an
 * image goes strip by strip, and of each the pixels that its windows see are put side by side in
 * scratch memory, and results from there to where they belong. A strip is a call like any other to
 * the kernel, of fewer rows and, of wide images, columns, as one worker's share is (dsp/program/share.h).
 *
 * That takes as long as it takes to copy the operand by itself (strided.h). A kernel that can have
 * pixels apart as they are, at no cost, does that instead; which do their operators' files say.
 */
#ifndef NN_STRIPS_H
#define NN_STRIPS_H

#include "dsp/program/kernels.h"

/* Of this input and this output, all that windows can have a pitch in. */
static inline bool windows_are_dense(const struct nn_call *call)
{
	return nn_tensor_is_dense(&call->input[0]) && nn_tensor_is_dense(&call->output[0]);
}

/*
 * `run`, which takes dense operands, on a call with window parameters of which one is not. It has
 * half of the scratch memory, or 64 KB if that is less; what is left, and no more, is for strips.
 * Where that has no room for a single window, the portable kernel runs.
 */
int nn_strips_run(const struct nn_call *call, int (*run)(const struct nn_call *call));

#endif
