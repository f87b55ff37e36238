/* SPDX-License-Identifier: MIT */
/*
 * Windows over strided pixels (struct nn_tensor), for vector kernels that take dense operands only,
 * which are those of pooling and depthwise convolutions: an image goes strip by strip. The pixels
 * that a strip's windows see are put side by side in scratch memory, and results are moved from
 * there to where they belong.
 *
 *	input, strided -> copy of a strip's rows -> kernel -> results, dense -> output, strided
 *
 * A strip is a call like any other to the kernel, of fewer rows and, of wide images, columns, as
 * one worker's share is (dsp/program/share.h). That takes as long as copying the operand by itself
 * does (strided.h). A kernel that reads strided pixels where they are, at no cost, does that
 * instead; its operator's file says so.
 */
#ifndef NN_STRIPS_H
#define NN_STRIPS_H

#include "dsp/program/kernels.h"

/* Tells whether the operands that can have a pitch, this input and this output, have none. */
static inline bool windows_are_dense(const struct nn_call *call)
{
	return nn_tensor_is_dense(&call->input[0]) && nn_tensor_is_dense(&call->output[0]);
}

/*
 * Calls `run`, which takes dense operands, for a call of windows with strided ones. `run` has
 * half of the scratch memory, or 64 KB if that is less; what is left, and no more, is for strips.
 * Where that has no room for a single window, the portable kernel runs.
 */
int nn_strips_run(const struct nn_call *call, int (*run)(const struct nn_call *call));

#endif
