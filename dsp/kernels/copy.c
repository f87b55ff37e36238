// SPDX-License-Identifier: MIT
/*
 * COPY: struct nn_copy_params; any types. Both have the same rows. With count > 1, dst_stride >=
 * block. Bytes of the output that no block covers keep their value. Input and output must not
 * overlap.
 */
#include "dsp/kernels/blocks.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_copy_check(const struct nn_call *call)
{
	const struct nn_copy_params *copy = &call->op->copy;
	uint64_t src_end, dst_end;

	if (!operands_are(call, 1, 1))
		return NN_REASON_OPERAND;
	if (!same_rows(&call->input[0], &call->output[0]))
		return NN_REASON_SHAPE;
	if (copy->count < 1 || copy->block < 1 ||
	    (copy->count > 1 && copy->dst_stride < copy->block))
		return NN_REASON_PARAMETER;
	src_end = copy->src_offset + (copy->count - 1ull) * copy->src_stride;
	dst_end = copy->dst_offset + (copy->count - 1ull) * copy->dst_stride;
	/* A sum past 2^64 is not possible: 2^32 + 2^64 - 2^33 + 1. */
	if (src_end > UINT32_MAX || src_end + copy->block > call->input[0].row_bytes ||
	    dst_end > UINT32_MAX || dst_end + copy->block > call->output[0].row_bytes)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_copy_blocks(const struct nn_call *call)
{
	const struct nn_copy_params *copy = &call->op->copy;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct progress progress = { .call = call };
	uint32_t stride = stride_work(copy->src_stride) + stride_work(copy->dst_stride);
	uint32_t row_stride = stride_work(input->row_bytes) + stride_work(output->row_bytes);

	/* Whole rows without a gap are one block. */
	if (copy->count == 1 && copy->block == input->row_bytes && copy->block == output->row_bytes)
		return progress_copy(&progress, output->data, input->data, output->bytes);

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *from = input->data + row * input->row_bytes + copy->src_offset;
		uint8_t *to = output->data + row * output->row_bytes + copy->dst_offset;

		for (uint32_t i = 0; i < copy->count; i++) {
			int ret = progress_add(&progress, i ? stride : row_stride);

			ret = ret ? ret :
				    progress_copy(&progress, to + (uint64_t)i * copy->dst_stride,
						  from + (uint64_t)i * copy->src_stride,
						  copy->block);
			if (ret)
				return ret;
		}
	}
	return 0;
}

int nn_copy_portable(const struct nn_call *call)
{
	return nn_copy_blocks(call);
}
