/* SPDX-License-Identifier: MIT */
/*
 * How far CUMULATE's sums in float32 are from sums of integers, which decides whether it has
 * vectors (cumulate.c).
 */
#ifndef NN_CUMULATE_H
#define NN_CUMULATE_H

#include "dsp/program/kernels.h"

/* With so much integers do not pay off. */
#define CUMULATE_MOST_MARGIN	0x2000u

/* Returns the distance from a half at which a sum may be a tie, in 2^-16 of a step. */
static inline uint32_t cumulate_margin(const struct nn_call *call)
{
	const struct nn_cumulate_params *params = &call->op->cumulate;
	float length = (float)call->input[0].dims[params->axis];
	float steps = length * (length + 3) * 0.5f * (params->scale_input / params->scale_output);

	return steps < (float)(CUMULATE_MOST_MARGIN - 8) ? (uint32_t)steps + 8 :
							   CUMULATE_MOST_MARGIN;
}

#endif
