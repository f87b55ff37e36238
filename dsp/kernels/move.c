// SPDX-License-Identifier: MIT
/*
 * COPY, ROTATE_ROWS and TRANSPOSE: bytes from one place to another; and ROW_NUMBERS, where rows
 * came from.
 */
#include "checks.h"
#include "progress.h"

/*
 * Copies a block in pieces. Operands that overlap against the rules get some mixture of bytes,
 * hence memmove.
 */
static int copy_block(struct progress *progress, uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	const uint64_t most = 1ul << 20;

	while (bytes) {
		uint64_t part = bytes < most ? bytes : most;
		int ret = progress_add(progress, 64 + memory_work(2 * part));

		if (ret)
			return ret;
		__builtin_memmove(to, from, part);
		to += part;
		from += part;
		bytes -= part;
	}
	return 0;
}

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

int nn_copy_portable(const struct nn_call *call)
{
	const struct nn_copy_params *copy = &call->op->copy;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct progress progress = { .call = call };
	uint32_t stride = stride_work(copy->src_stride) + stride_work(copy->dst_stride);
	uint32_t row_stride = stride_work(input->row_bytes) + stride_work(output->row_bytes);

	/* Whole rows without a gap are one block. */
	if (copy->count == 1 && copy->block == input->row_bytes && copy->block == output->row_bytes)
		return copy_block(&progress, output->data, input->data, output->bytes);

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *from = input->data + row * input->row_bytes + copy->src_offset;
		uint8_t *to = output->data + row * output->row_bytes + copy->dst_offset;

		for (uint32_t i = 0; i < copy->count; i++) {
			int ret = progress_add(&progress, i ? stride : row_stride);

			ret = ret ? ret : copy_block(&progress, to + (uint64_t)i * copy->dst_stride,
						     from + (uint64_t)i * copy->src_stride,
						     copy->block);
			if (ret)
				return ret;
		}
	}
	return 0;
}

enum nn_program_reason nn_rotate_rows_check(const struct nn_call *call)
{
	if (!operands_are(call, 1, 1) || call->input[0].type != call->output[0].type)
		return NN_REASON_OPERAND;
	if (call->input[0].level >= call->output[0].level ||
	    call->input[0].row_bytes != call->output[0].row_bytes)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_rotate_rows_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct progress progress = { .call = call };
	uint32_t source, row = 0;

	if (!input->dims[0])
		return progress_fill(&progress, output->data, 0, output->bytes);
	source = call->first % input->dims[0];
	while (row < output->dims[0]) {
		uint32_t rows = input->dims[0] - source;
		int ret;

		if (rows > output->dims[0] - row)
			rows = output->dims[0] - row;
		ret = copy_block(&progress, output->data + row * output->row_bytes,
				 input->data + source * input->row_bytes, rows * input->row_bytes);
		if (ret)
			return ret;
		row += rows;
		source = 0;
	}
	return 0;
}

enum nn_program_reason nn_row_numbers_check(const struct nn_call *call)
{
	if (!operands_are(call, 1, 1) || call->output[0].type != NN_TYPE_INT32)
		return NN_REASON_OPERAND;
	if (call->input[0].level >= call->output[0].level || call->output[0].rank != 1)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_row_numbers_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t *number = (uint32_t *)output->data;
	uint32_t base = input->level ? call->run->arg[NN_ARG_OUT_FIRST(input->level)] : 0;
	uint32_t source = input->dims[0] ? call->first % input->dims[0] : 0;
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		int ret = row % 1024 ? 0 : progress_add(&progress, 16 * 1024);

		if (ret)
			return ret;
		number[row] = input->dims[0] ? base + source : 0;
		source++;
		if (source >= input->dims[0])
			source = 0;
	}
	return 0;
}

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

int nn_transpose_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t size = input->type == NN_TYPE_INT32 || input->type == NN_TYPE_FLOAT32 ? 4 :
			input->type == NN_TYPE_INT16 || input->type == NN_TYPE_UINT16 ? 2 : 1;
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

	/* So many elements of a run at a time. Each run may begin on pages of its own. */
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
			for (; done < end; done++, to += size) {
				for (uint32_t b = 0; b < size; b++)
					output->data[to + b] =
						input->data[from + done * stride[last] + b];
			}
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
