// SPDX-License-Identifier: MIT
/*
 * MOVE moves elements by strides of any kind: what becomes of DepthToSpace, SpaceToDepth, Tile, of
 * slices with steps or of several dimensions, and of Pad in a program. nn_move_hvx() is its vector
 * kernel, in the table of kernels.c: its indices are loops, in the order in which the output has
 * them.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/move/loops.h"

static uint32_t length(int32_t stride)
{
	return stride < 0 ? -(uint32_t)stride : (uint32_t)stride;
}

/* Lists the dimensions of more than one index, those with the longest steps in the output first. */
static uint32_t list_dimensions(const struct nn_move_params *move, uint8_t *list)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < NN_MOVE_DIMS; i++) {
		uint32_t at = count;

		if (move->count[i] == 1)
			continue;
		for (; at && length(move->dst_stride[list[at - 1]]) < length(move->dst_stride[i]);
		     at--)
			list[at] = list[at - 1];
		list[at] = i;
		count++;
	}
	return count;
}

int nn_move_hvx(const struct nn_call *call)
{
	const struct nn_move_params *move = &call->op->move;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const int64_t size = nn_type_size(output->type);
	int64_t from = move->src_offset * size, to = move->dst_offset * size;
	struct progress progress = { .call = call };
	struct loops loops = { 0 };
	uint8_t list[NN_MOVE_DIMS];
	uint32_t dimensions;

	if (!nn_move_has_vectors(call))
		return nn_move_portable(call);
	if (!output->dims[0])
		return 0;
	nn_loops_add(&loops, output->dims[0], input->row_bytes, output->row_bytes);
	dimensions = list_dimensions(move, list);
	for (uint32_t i = 0; i < dimensions; i++) {
		uint32_t count = move->count[list[i]];
		int64_t from_step = move->src_stride[list[i]] * size;
		int64_t to_step = move->dst_stride[list[i]] * size;

		/* The output's indices ascend. */
		if (to_step < 0) {
			from += (count - 1) * from_step;
			to += (count - 1) * to_step;
			from_step = -from_step;
			to_step = -to_step;
		}
		nn_loops_add(&loops, count, from_step, to_step);
	}
	nn_loops_end(&loops, size);
	return nn_loops_run(&progress, &loops, output->data + to, input->data + from);
}
