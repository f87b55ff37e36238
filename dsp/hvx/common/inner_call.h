/* SPDX-License-Identifier: MIT */
/*
 * Calls that a vector kernel makes of another one: their operands are described here, and lie in
 * scratch memory of the outer call, of which the inner one has the rest.
 */
#ifndef NN_INNER_CALL_H
#define NN_INNER_CALL_H

#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/vector.h"

/* Takes so many bytes, rounded up to vectors, from the inner call's scratch memory. */
static inline uint8_t *inner_take(struct nn_call *inner, uint64_t bytes)
{
	uint8_t *from = inner->scratch;

	bytes = round_up(bytes, VECTOR);
	inner->scratch += bytes;
	inner->scratch_size -= bytes;
	return from;
}

/* Describes a dense operand; its data, and its zero point if it has one, are the caller's. */
static inline void inner_describe(struct nn_tensor *tensor, uint8_t type, uint32_t rank,
				  const uint32_t *dims)
{
	tensor->type = type;
	tensor->level = 0;
	tensor->rank = rank;
	tensor->row_bytes = nn_type_size(type);
	for (uint32_t i = 0; i < NN_MAX_RANK; i++)
		tensor->dims[i] = i < rank ? dims[i] : 1;
	for (uint32_t i = 1; i < rank; i++)
		tensor->row_bytes *= dims[i];
	tensor->bytes = dims[0] * tensor->row_bytes;
	tensor->row_pitch = tensor->row_bytes;
	tensor->pitch = nn_pixel_bytes(tensor);
}

#endif
