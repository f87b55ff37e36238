// SPDX-License-Identifier: MIT
/*
 * COPY on HVX: blocks of any size, without a call for each.
 */
#include "../kernels/checks.h"
#include "../kernels/progress.h"
#include "kernels.h"
#include "vector.h"

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
	uint32_t block_work = 24 + copy->block / 32 + memory_work(2 * copy->block) +
			      stride_work(copy->src_stride) + stride_work(copy->dst_stride);
	uint32_t row_work = stride_work(input->row_bytes) + stride_work(output->row_bytes);
	struct progress progress = { .call = call };

	/* Whole rows and large blocks are well served by memmove(). */
	if (copy->block > 4096 || (copy->count == 1 && copy->block == input->row_bytes &&
				   copy->block == output->row_bytes))
		return nn_copy_portable(call);

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *from = input->data + row * input->row_bytes + copy->src_offset;
		uint8_t *to = output->data + row * output->row_bytes + copy->dst_offset;

		int ret = progress_add(&progress, row_work);

		if (ret)
			return ret;
		for (uint32_t i = 0; i < copy->count; i += 64) {
			uint32_t blocks = min_u32(copy->count - i, 64);

			ret = progress_add(&progress, blocks * block_work);
			if (ret)
				return ret;
			while (blocks--) {
				copy_block(to, from, copy->block);
				from += copy->src_stride;
				to += copy->dst_stride;
			}
		}
	}
	return 0;
}
