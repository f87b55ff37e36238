// SPDX-License-Identifier: MIT
/*
 * FILL makes all elements of its output the same: what is around an image in a program that pads
 * it. nn_fill_hvx() is its vector kernel, in the table of kernels.c.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/move/fill.h"

#define PIECE	(1u << 20)	/* bytes between two looks at the work done */

HVX_Vector nn_fill_vector(uint32_t size, int64_t value)
{
	if (size == 1)
		return splat_b((uint32_t)value);
	if (size == 2)
		return splat_h((uint32_t)value);
	if (size == 4)
		return splat_w((uint32_t)value);
	/* Words in turn. */
	return Q6_V_lo_W(Q6_W_vshuff_VVR(splat_w((uint32_t)((uint64_t)value >> 32)),
					 splat_w((uint32_t)value), -4));
}

/* Elements are as they are at any place: an address that is aligned to them rotates the vector. */
static void fill_piece(uint8_t *to, uint32_t bytes, HVX_Vector value)
{
	uint32_t first = min_u32(-(uintptr_t)to % VECTOR, bytes);
	HVX_Vector *vector = (HVX_Vector *)(to + first);

	if (first)
		store_bytes(to, value, first);
	bytes -= first;
	for (uint32_t i = bytes / VECTOR; i; i--)
		*vector++ = value;
	if (bytes % VECTOR)
		store_bytes(vector, value, bytes % VECTOR);
}

int nn_fill_bytes(struct progress *progress, uint8_t *to, uint64_t bytes, HVX_Vector value)
{
	while (bytes) {
		uint32_t part = bytes < PIECE ? bytes : PIECE;
		int ret = progress_add(progress, 64 + memory_work(part));

		if (ret)
			return ret;
		fill_piece(to, part, value);
		to += part;
		bytes -= part;
	}
	return 0;
}

int nn_fill_hvx(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };

	return nn_fill_bytes(&progress, output->data, output->bytes,
			     nn_fill_vector(nn_type_size(output->type), call->op->fill.value));
}
