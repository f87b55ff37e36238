// SPDX-License-Identifier: MIT
/*
 * MOVE: struct nn_move_params; input and output the same type, and the same rows. In each row, for
 * all indices i of count[0] x .. x count[NN_MOVE_DIMS - 1], the last one fastest:
 *
 *	output[dst_offset + sum of i[k] * dst_stride[k]] =
 *		input[src_offset + sum of i[k] * src_stride[k]]
 *
 * in elements of the row. Strides may be 0 or negative. There are at most as many indices as the
 * output's row has elements; elements of the output that none of them reaches keep their value.
 * Input and output must not overlap.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

static uint32_t magnitude(int32_t stride)
{
	return stride < 0 ? -(uint32_t)stride : (uint32_t)stride;
}

/* The first and the last element that is reached are in the row. */
static bool stays_inside(const uint32_t *count, uint32_t offset, const int32_t *stride,
			 uint64_t elements)
{
	int64_t low = offset, high = offset;

	for (uint32_t k = 0; k < NN_MOVE_DIMS; k++) {
		/* Counts are below 2^32: below 2^63. */
		int64_t reach = (int64_t)stride[k] * (count[k] - 1);

		if (reach < -(int64_t)UINT32_MAX || reach > UINT32_MAX)
			return false;
		low += reach < 0 ? reach : 0;
		high += reach > 0 ? reach : 0;
	}
	return low >= 0 && (uint64_t)high < elements;
}

enum nn_program_reason nn_move_check(const struct nn_call *call)
{
	const struct nn_move_params *move = &call->op->move;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t size = nn_type_size(output->type);
	uint64_t indices = 1;

	if (!operands_are(call, 1, 1) || input->type != output->type)
		return NN_REASON_OPERAND;
	if (!same_rows(input, output))
		return NN_REASON_SHAPE;
	for (uint32_t k = 0; k < NN_MOVE_DIMS; k++) {
		/* A row has less than 2^32 elements, so this is below 2^64. */
		indices *= move->count[k];
		if (!indices || indices > output->row_bytes / size)
			return NN_REASON_PARAMETER;
	}
	if (!stays_inside(move->count, move->src_offset, move->src_stride,
			  input->row_bytes / size) ||
	    !stays_inside(move->count, move->dst_offset, move->dst_stride,
			  output->row_bytes / size))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/*
 * The vector kernel moves elements in the order in which the output has them. So it is for indices
 * that all go to places of their own, and where each stride of the output is at least as long as
 * what those that are shorter reach; nothing that the library writes is otherwise.
 */
bool nn_move_has_vectors(const struct nn_call *call)
{
	const struct nn_move_params *move = &call->op->move;
	uint64_t reach = 1;
	uint32_t left = 0;

	for (uint32_t i = 0; i < NN_MOVE_DIMS; i++)
		left |= (move->count[i] > 1) << i;
	while (left) {
		uint32_t shortest = 31 - __builtin_clz(left);

		for (uint32_t i = 0; left >> i; i++) {
			if ((left >> i & 1) && magnitude(move->dst_stride[i]) <
						       magnitude(move->dst_stride[shortest]))
				shortest = i;
		}
		if (magnitude(move->dst_stride[shortest]) < reach)
			return false;
		reach += (uint64_t)magnitude(move->dst_stride[shortest]) *
			 (move->count[shortest] - 1);
		left &= ~(1u << shortest);
	}
	return true;
}

/* `count` elements of `size` bytes, with distances in elements. */
static void move_elements(uint8_t *to, const uint8_t *from, uint32_t size, uint32_t count,
			  int64_t to_stride, int64_t from_stride)
{
	if (size == 1) {
		for (uint32_t i = 0; i < count; i++)
			to[i * to_stride] = from[i * from_stride];
	} else if (size == 2) {
		for (uint32_t i = 0; i < count; i++)
			((uint16_t *)to)[i * to_stride] = ((const uint16_t *)from)[i * from_stride];
	} else if (size == 4) {
		for (uint32_t i = 0; i < count; i++)
			((uint32_t *)to)[i * to_stride] = ((const uint32_t *)from)[i * from_stride];
	} else {
		for (uint32_t i = 0; i < count; i++)
			((uint64_t *)to)[i * to_stride] = ((const uint64_t *)from)[i * from_stride];
	}
}

/* The indices of the last dimension, a piece at a time. */
static int move_run(struct progress *progress, const struct nn_move_params *move, uint8_t *to,
		    const uint8_t *from, uint32_t size)
{
	const uint32_t last = NN_MOVE_DIMS - 1, most = 256;
	int64_t to_stride = move->dst_stride[last], from_stride = move->src_stride[last];
	uint32_t count = move->count[last];
	/*
	 * The distance from an index to the next, at least: a distance below 0 counts as a large
	 * one.
	 */
	uint32_t work = 8 + stride_work(size * (uint64_t)to_stride) +
			stride_work(size * (uint64_t)from_stride);

	if (to_stride == 1 && from_stride == 1) {
		int ret = progress_add(progress, 64 + 2 * NN_PAGE_WORK);

		return ret ? ret : progress_copy(progress, to, from, (uint64_t)count * size);
	}
	for (uint32_t done = 0; done < count;) {
		uint32_t piece = min_u32(count - done, most);
		/* Each run may begin on pages of its own. */
		int ret = progress_add(progress, 64 + 2 * NN_PAGE_WORK + piece * work);

		if (ret)
			return ret;
		move_elements(to + size * (done * to_stride), from + size * (done * from_stride),
			      size, piece, to_stride, from_stride);
		done += piece;
	}
	return 0;
}

static int move_row(struct progress *progress, const struct nn_move_params *move, uint8_t *to,
		    const uint8_t *from, uint32_t size)
{
	uint32_t index[NN_MOVE_DIMS - 1] = { 0 };
	int64_t to_at = move->dst_offset, from_at = move->src_offset;
	uint32_t k;

	do {
		int ret = move_run(progress, move, to + to_at * size, from + from_at * size, size);

		if (ret)
			return ret;
		/* The next index of the other dimensions; the first again behind the last. */
		for (k = NN_MOVE_DIMS - 1; k-- > 0;) {
			to_at += move->dst_stride[k];
			from_at += move->src_stride[k];
			if (++index[k] < move->count[k])
				break;
			to_at -= (int64_t)move->dst_stride[k] * index[k];
			from_at -= (int64_t)move->src_stride[k] * index[k];
			index[k] = 0;
		}
	} while (k < NN_MOVE_DIMS - 1);
	return 0;
}

int nn_move_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct progress progress = { .call = call };
	uint32_t size = nn_type_size(output->type);

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		int ret = move_row(&progress, &call->op->move,
				   output->data + row * output->row_bytes,
				   input->data + row * input->row_bytes, size);

		if (ret)
			return ret;
	}
	return 0;
}
