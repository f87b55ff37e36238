// SPDX-License-Identifier: MIT
/*
 * COPY on HVX: blocks of any size, without a call for each.
 */
#include "../kernels/checks.h"
#include "kernels.h"
#include "vector.h"

/* Bytes between two reports of progress. */
#define TILE	(1u << 20)

static inline void copy_block(uint8_t *to, const uint8_t *from, uint32_t bytes)
{
	for (; bytes > VECTOR; bytes -= VECTOR, to += VECTOR, from += VECTOR)
		store(to, load(from));
	store_bytes(to, load_bytes(from, bytes), bytes);
}

int nn_copy_hvx(const struct nn_call *call)
{
	const struct nn_copy_params *copy = &call->op->copy;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t work = 0;

	/* Whole rows and large blocks are well served by memmove(). */
	if (copy->block > 4096 || (copy->count == 1 && copy->block == input->row_bytes &&
				   copy->block == output->row_bytes))
		return nn_copy_portable(call);

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *from = input->data + row * input->row_bytes + copy->src_offset;
		uint8_t *to = output->data + row * output->row_bytes + copy->dst_offset;

		for (uint32_t i = 0; i < copy->count; i++) {
			copy_block(to, from, copy->block);
			from += copy->src_stride;
			to += copy->dst_stride;
			work += copy->block + 100;
			if (work > TILE) {
				int ret = nn_call_progress(call);

				if (ret)
					return ret;
				work = 0;
			}
		}
	}
	return 0;
}
