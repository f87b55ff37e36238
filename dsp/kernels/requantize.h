/* SPDX-License-Identifier: MIT */
/*
 * REQUANTIZE's scales: which dimension they belong to.
 */
#ifndef NN_REQUANTIZE_H
#define NN_REQUANTIZE_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"

/*
 * After so many elements scales are the same again. In rank 1 the last dimension would be the rows.
 * Up to 32 channels one scale has as many lanes as theirs have, which are all alike then.
 */
static inline uint32_t requantize_period(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t channels = output->rank < 2 ? 1 : output->dims[output->rank - 1];

	return call->input[1].dims[1] == repeated_lanes(channels) ? channels : 1;
}

#endif
