/* SPDX-License-Identifier: MIT */
/*
 * Kernels that make one element of an element of each input, which are broadcast: input and output
 * have one rank, and in each dimension an input is as long as the output, or 1 long and used for
 * all of it; in dimension 0 with level 0, whatever the output's level.
 */
#ifndef NN_BROADCAST_H
#define NN_BROADCAST_H

#include "dsp/kernels/checks.h"

#define NN_BROADCAST_INPUTS 3

static inline bool goes_with(const struct nn_tensor *input, const struct nn_tensor *output)
{
	if (input->rank != output->rank || !has_rows_for(input, output))
		return false;
	for (uint32_t i = 1; i < output->rank; i++) {
		if (input->dims[i] != output->dims[i] && input->dims[i] != 1)
			return false;
	}
	return true;
}

/* A walk over the output's elements in their order; at: the inputs' elements for this one. */
struct broadcast {
	const uint8_t *at[NN_BROADCAST_INPUTS];
	const struct nn_tensor *output;
	uint32_t inputs;
	uint32_t index[NN_MAX_RANK];
	uint32_t steps[NN_BROADCAST_INPUTS][NN_MAX_RANK];	/* bytes from an index to the next */
};

static inline void broadcast_begin(struct broadcast *walk, const struct nn_call *call,
				   uint32_t inputs)
{
	walk->output = &call->output[0];
	walk->inputs = inputs;
	for (uint32_t i = 0; i < NN_MAX_RANK; i++)
		walk->index[i] = 0;
	for (uint32_t k = 0; k < inputs; k++) {
		const struct nn_tensor *input = &call->input[k];
		uint32_t step = nn_type_size(input->type);

		walk->at[k] = input->data;
		for (uint32_t i = input->rank; i-- > 0;) {
			walk->steps[k][i] = input->dims[i] == 1 ? 0 : step;
			step *= input->dims[i];
		}
	}
}

/*
 * How many of the last dimensions are one run: there each input has elements side by side, as the output
 * has, or one element for all. `count`: the elements of the run, `step`: 1 or 0.
 */
static inline uint32_t broadcast_run(const struct broadcast *walk, uint64_t *count,
				     uint32_t step[NN_BROADCAST_INPUTS])
{
	const struct nn_tensor *output = walk->output;
	bool is_known = false;
	uint32_t d = output->rank;

	*count = 1;
	for (uint32_t k = 0; k < walk->inputs; k++)
		step[k] = 0;
	for (; d; d--) {
		if (output->dims[d - 1] == 1)
			continue;
		for (uint32_t k = 0; k < walk->inputs; k++) {
			uint32_t its_step = walk->steps[k][d - 1] != 0;

			if (is_known && step[k] != its_step)
				return output->rank - d;
			if (!is_known)
				step[k] = its_step;
		}
		is_known = true;
		*count *= output->dims[d - 1];
	}
	return output->rank;
}

/*
 * Goes on to the next element, or to the next of the first `rank` dimensions; indices count like digits.
 * Behind the last comes the first again.
 */
static inline void broadcast_next_of(struct broadcast *walk, uint32_t rank)
{
	for (uint32_t d = rank; d-- > 0;) {
		for (uint32_t k = 0; k < walk->inputs; k++)
			walk->at[k] += walk->steps[k][d];
		if (++walk->index[d] < walk->output->dims[d])
			return;
		for (uint32_t k = 0; k < walk->inputs; k++)
			walk->at[k] -= (uint64_t)walk->steps[k][d] * walk->index[d];
		walk->index[d] = 0;
	}
}

static inline void broadcast_next(struct broadcast *walk)
{
	broadcast_next_of(walk, walk->output->rank);
}

#endif
