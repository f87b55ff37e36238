/* SPDX-License-Identifier: MIT */
/*
 * Indexing: elements whose indices are numbers of a tensor, as dsp/kernels/take.c has them.
 */
#ifndef NN_INDICES_H
#define NN_INDICES_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/integer.h"

static inline bool indexing_is_valid(const struct nn_take_params *params)
{
	if (!params->depth || params->depth > NN_TAKE_DEPTH || !params->parts || !params->run ||
	    params->each > 1)
		return false;
	for (uint32_t i = 0; i < NN_TAKE_DEPTH; i++) {
		if (!params->sizes[i] || (i >= params->depth && params->sizes[i] != 1))
			return false;
	}
	return true;
}

/* Elements of a row of the data; one more than can be if they are too many. */
static inline uint64_t count_indexed_elements(const struct nn_take_params *params)
{
	uint64_t elements = (uint64_t)params->parts * params->run;

	for (uint32_t i = 0; i < params->depth && elements <= UINT32_MAX; i++)
		elements *= params->sizes[i];
	return elements;
}

/* The number of runs that the indices name for a part; 0: the indices do not fit these. */
static inline uint64_t count_indices(const struct nn_take_params *params,
				     const struct nn_tensor *indices)
{
	uint64_t numbers = indices->row_bytes / nn_type_size(indices->type);
	uint64_t each = (uint64_t)params->depth * (params->each ? params->parts : 1);

	return numbers % each ? 0 : numbers / each;
}

/* The place in its part that numbers of a type say, or -1. */
static inline int64_t find_place(const struct nn_take_params *params, uint8_t type,
				 const uint8_t *numbers)
{
	uint32_t size = nn_type_size(type);
	int64_t place = 0;

	for (uint32_t i = 0; i < params->depth; i++) {
		int64_t number = load_integer(numbers + i * size, type), end = params->sizes[i];

		if (number < -end || number >= end)
			return -1;
		place = place * end + (number < 0 ? number + end : number);
	}
	return place;
}

/* A row of an operand, which may be one for all. */
static inline const uint8_t *find_row(const struct nn_tensor *tensor,
				      const struct nn_tensor *output, uint32_t row)
{
	return tensor->data + (same_rows(tensor, output) ? row * tensor->row_bytes : 0);
}

#endif
