// SPDX-License-Identifier: MIT
/*
 * TRANSPOSE: input and output the same type, same rank, output dimension i = input dimension
 * permutation[i]; permutation[0] = 0.
 */
#include "dsp/kernels/blocks.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_transpose_check(const struct nn_call *call)
{
	const uint32_t *permutation = call->op->transpose.permutation;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t seen = 0;

	if (!operands_are(call, 1, 1) || input->type != output->type)
		return NN_REASON_OPERAND;
	if (input->rank != output->rank || !same_rows(input, output))
		return NN_REASON_SHAPE;
	for (uint32_t i = 0; i < output->rank; i++) {
		uint32_t from = permutation[i];

		if (from >= output->rank || seen & 1u << from || (i == 0) != (from == 0))
			return NN_REASON_PARAMETER;
		seen |= 1u << from;
	}
	for (uint32_t i = 1; i < output->rank; i++) {
		if (output->dims[i] != input->dims[permutation[i]])
			return NN_REASON_SHAPE;
	}
	return NN_REASON_NONE;
}

static inline void copy_element(uint8_t *to, const uint8_t *from, uint32_t size)
{
	/* Bytes are by far the most frequent. */
	if (size == 1) {
		*to = *from;
		return;
	}
	for (uint32_t b = 0; b < size; b++)
		to[b] = from[b];
}

int nn_transpose_elements(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t size = nn_type_size(input->type);
	uint64_t input_stride[NN_MAX_RANK], stride[NN_MAX_RANK] = { 0 };
	uint32_t last = output->rank - 1, index[NN_MAX_RANK] = { 0 };
	uint64_t from = 0, to = 0, bytes = size;
	struct progress progress = { .call = call };
	uint32_t piece, work;

	/* stride[i]: bytes in the input that one step of output dimension i moves by. */
	for (uint32_t i = input->rank; i-- > 0;) {
		input_stride[i] = bytes;
		bytes *= input->dims[i];
	}
	for (uint32_t i = 0; i < output->rank; i++)
		stride[i] = input_stride[call->op->transpose.permutation[i]];

	/* Elements of a run are done so many at a time. Each run may begin on pages of its own. */
	piece = min_u32(output->dims[last], 256);
	work = 64 + 2 * NN_PAGE_WORK + piece * (4 + 4 * size + stride_work(stride[last]));

	while (to < output->bytes) {
		uint32_t done = 0;

		/* One run of the output's last dimension. */
		while (done < output->dims[last]) {
			uint32_t end = done + min_u32(output->dims[last] - done, piece);
			int ret = progress_add(&progress, work);

			if (ret)
				return ret;
			for (; done < end; done++, to += size)
				copy_element(output->data + to,
					     input->data + from + done * stride[last], size);
		}
		/* The next index of the others. */
		for (uint32_t i = last; i-- > 0;) {
			from += stride[i];
			if (++index[i] < output->dims[i])
				break;
			from -= index[i] * stride[i];
			index[i] = 0;
		}
	}
	return 0;
}

int nn_transpose_portable(const struct nn_call *call)
{
	return nn_transpose_elements(call);
}
