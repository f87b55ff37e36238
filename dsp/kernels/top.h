/* SPDX-License-Identifier: MIT */
/*
 * Which rows of TOP are sorted as a whole by the DSP's kernel, whose numbers are no bytes.
 */
#ifndef NN_TOP_H
#define NN_TOP_H

#include "dsp/program/kernels.h"

#define TOP_SORTED_LEAST	16u		/* elements of a row */
#define TOP_SORTED_MOST		(8u << 10)	/* and these, which scratch memory has room for */

/* Whether that takes less than looking for each result among all elements. */
static inline bool top_is_sorted(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t length = input->dims[input->rank - 1], count = output->dims[output->rank - 1];
	uint32_t passes = 32 - __builtin_clz(length | 1);

	return input->type != NN_TYPE_FLOAT32 && count > passes && length >= TOP_SORTED_LEAST &&
	       length <= TOP_SORTED_MOST;
}

#endif
