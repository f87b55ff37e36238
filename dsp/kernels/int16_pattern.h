/* SPDX-License-Identifier: MIT */
/*
 * Inputs of 16 bits that are broadcast, as vector kernels go through them.
 */
#ifndef NN_INT16_PATTERN_H
#define NN_INT16_PATTERN_H

#include "dsp/program/kernels.h"

/*
 * A pattern says how an input is used: `blocks` blocks of `block` elements, each of them for `run`
 * elements of output, and then the first again.
 */
struct int16_pattern {
	uint64_t block, run, blocks;
};

/* Finds the pattern of an input that dsp/kernels/broadcast.h describes. False: it has none. */
static inline bool int16_pattern_of(const struct nn_call *call, uint32_t i,
				    struct int16_pattern *pattern)
{
	const struct nn_tensor *input = &call->input[i], *output = &call->output[0];
	uint32_t d = output->rank;

	*pattern = (struct int16_pattern){ 1, 1, 1 };
	for (; d && input->dims[d - 1] == output->dims[d - 1]; d--)
		pattern->block *= output->dims[d - 1];
	pattern->run = pattern->block;
	for (; d && input->dims[d - 1] == 1; d--)
		pattern->run *= output->dims[d - 1];
	for (; d && input->dims[d - 1] == output->dims[d - 1]; d--)
		pattern->blocks *= output->dims[d - 1];
	while (d && input->dims[d - 1] == 1)
		d--;
	return !d;
}

#endif
