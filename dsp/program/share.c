// SPDX-License-Identifier: MIT
/*
 * An operator is divided among workers here (share.h).
 *
 * Everything here follows from what dsp/kernels/NAME.c says that an operator computes. Calls have
 * been checked, and a call of some of its parts would pass the same check: a window that begins
 * inside of the image still does when rows before it are cut off, and no row is cut off after it,
 * so that padding is where it was.
 */
#include "dsp/program/share.h"

#include "dsp/kernels/weights.h"

#define OUTPUTS		32u	/* that packed weights have together: dsp/program/pack.h */
#define COPIED_BYTES	128u	/* of a block, one vector */

/* The ways in which an operator can be divided. */
enum division {
	DIVISION_NONE = 0,
	DIVISION_WINDOW,	/* items, or an image's rows */
	DIVISION_OUTPUTS,	/* items, or outputs */
	DIVISION_ELEMENTS,	/* the outermost dimension that is longer than 1 */
	DIVISION_COPY,		/* items, or blocks, or bytes of a block */
};

static const uint8_t divisions[NN_OPCODE_END] = {
	[NN_OPCODE_CONV2D] = DIVISION_WINDOW,
	[NN_OPCODE_CONV2D_INT16] = DIVISION_WINDOW,
	[NN_OPCODE_DEPTHWISE_CONV2D] = DIVISION_WINDOW,
	[NN_OPCODE_MAX_POOL] = DIVISION_WINDOW,
	[NN_OPCODE_AVERAGE_POOL] = DIVISION_WINDOW,
	[NN_OPCODE_AVERAGE_POOL_FLOAT] = DIVISION_WINDOW,
	[NN_OPCODE_AVERAGE_POOL_AWAY] = DIVISION_WINDOW,
	[NN_OPCODE_POOL_INT16] = DIVISION_WINDOW,
	[NN_OPCODE_FLOAT_CONV2D] = DIVISION_WINDOW,
	[NN_OPCODE_FULLY_CONNECTED] = DIVISION_OUTPUTS,
	[NN_OPCODE_ADD] = DIVISION_ELEMENTS,
	[NN_OPCODE_ADD_FLOAT] = DIVISION_ELEMENTS,
	[NN_OPCODE_BINARY] = DIVISION_ELEMENTS,
	[NN_OPCODE_TABLE] = DIVISION_ELEMENTS,
	[NN_OPCODE_FLOAT_EACH] = DIVISION_ELEMENTS,
	[NN_OPCODE_FLOAT_BINARY] = DIVISION_ELEMENTS,
	[NN_OPCODE_COPY] = DIVISION_COPY,
};

/* The number of outputs that each item has. */
static uint32_t outputs_of(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];

	return output->row_bytes / nn_type_size(output->type);
}

static uint32_t blocks_of(uint32_t outputs)
{
	return (outputs - 1) / OUTPUTS + 1;
}

/* A convolution that makes one pixel is a fully connected layer of its window. */
static bool is_one_pixel(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];

	return call->op->opcode == NN_OPCODE_CONV2D && output->dims[1] == 1 && output->dims[2] == 1;
}

/* The outermost dimension of the output that can be divided; its rank if there is none. */
static uint32_t outermost(const struct nn_call *call)
{
	uint32_t i = 0;

	while (i < call->output[0].rank && call->output[0].dims[i] == 1)
		i++;
	return i;
}

uint32_t nn_call_parts(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const struct nn_copy_params *copy = &call->op->copy;
	uint32_t division = divisions[call->op->opcode], dimension;

	if (division == DIVISION_NONE || !output->dims[0])
		return 1;
	if (output->dims[0] > 1)
		return output->dims[0];
	switch (division) {
	case DIVISION_WINDOW:
		return is_one_pixel(call) ? blocks_of(outputs_of(call)) : output->dims[1];
	case DIVISION_OUTPUTS:
		return blocks_of(outputs_of(call));
	case DIVISION_ELEMENTS:
		dimension = outermost(call);
		return dimension < output->rank ? output->dims[dimension] : 1;
	}
	return copy->count > 1 ? copy->count : (copy->block - 1) / COPIED_BYTES + 1;
}

/* Indices begin .. end - 1 of a dimension of a tensor that has only one of each before it. */
static void cut(struct nn_tensor *tensor, uint32_t dimension, uint32_t begin, uint32_t end)
{
	bool has_pixels = dimension + 1 < tensor->rank;
	uint64_t bytes = nn_type_size(tensor->type);	/* of an index, */
	uint64_t pitch = has_pixels ? tensor->pitch : bytes;	/* and to the next one */

	for (uint32_t i = dimension + 1; i < tensor->rank; i++)
		bytes *= tensor->dims[i];
	for (uint32_t i = dimension + 1; i + 1 < tensor->rank; i++)
		pitch *= tensor->dims[i];
	tensor->data += begin * pitch;
	tensor->dims[dimension] = end - begin;
	tensor->bytes = (end - begin) * bytes;
	if (dimension) {
		tensor->row_bytes = tensor->bytes;
		tensor->row_pitch = (end - begin) * pitch;
		/* A part of a single pixel. */
		if (!has_pixels)
			tensor->pitch = tensor->row_pitch;
	}
	tensor->packed = false;
}

/* The input's rows before the first window are cut off. */
static void cut_window(struct nn_call *call, struct nn_program_op *op, uint32_t begin, uint32_t end)
{
	struct nn_tensor *input = &call->input[0];
	uint64_t before = (uint64_t)begin * op->window.stride_h;

	cut(&call->output[0], 1, begin, end);
	if (before <= op->window.pad_top) {
		op->window.pad_top -= before;
		return;
	}
	cut(input, 1, before - op->window.pad_top, input->dims[1]);
	op->window.pad_top = 0;
}

/* A constant, in elements: from `begin` on, `count` of them. */
static void cut_constant(struct nn_tensor *constant, uint64_t begin, uint64_t count)
{
	constant->data += begin * constant->row_bytes;
	constant->dims[0] = count;
	constant->bytes = count * constant->row_bytes;
}

/* Scales, in lanes. Their rows stay as far from each other as they are. */
static void cut_scales(struct nn_tensor *scales, uint64_t begin, uint64_t count)
{
	if (!scales->type)
		return;
	scales->data += begin * sizeof(int32_t);
	scales->dims[1] = count;
	scales->bytes -= begin * sizeof(int32_t);
}

/* Parts are 32 outputs, the last one maybe fewer. What they are made of stays. */
static void cut_outputs(struct nn_call *call, uint32_t begin, uint32_t end)
{
	struct nn_tensor *output = &call->output[0];
	uint32_t outputs = outputs_of(call);
	/* Weights are UINT8, so they have as many elements as bytes. */
	uint64_t weights = call->input[1].bytes / blocks_of(outputs);

	cut_constant(&call->input[1], begin * weights, (end - begin) * weights);
	cut_constant(&call->input[2], begin * OUTPUTS, (end - begin) * OUTPUTS);
	cut_scales(&call->input[3], begin * OUTPUTS, (end - begin) * OUTPUTS);

	/* They are in the last dimension, whatever others a fully connected layer has them in. */
	for (uint32_t i = 1; i < output->rank; i++)
		output->dims[i] = 1;
	output->dims[output->rank - 1] = outputs;
	if ((uint64_t)end * OUTPUTS < outputs)
		outputs = end * OUTPUTS;
	cut(output, output->rank - 1, begin * OUTPUTS, outputs);
}

/* Inputs that are broadcast along the dimension stay. */
static void cut_elements(struct nn_call *call, uint32_t dimension, uint32_t begin, uint32_t end)
{
	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++) {
		if (call->input[i].type && call->input[i].dims[dimension] > 1)
			cut(&call->input[i], dimension, begin, end);
	}
	cut(&call->output[0], dimension, begin, end);
}

/*
 * The output ends where the last block does: a kernel may write what is behind a block again as it
 * was, unless that is behind the output, and it is another part's.
 */
static void cut_copy(struct nn_call *call, struct nn_copy_params *copy, uint32_t begin,
		     uint32_t end)
{
	struct nn_tensor *output = &call->output[0];

	if (copy->count > 1) {
		copy->src_offset += begin * copy->src_stride;
		copy->dst_offset += begin * copy->dst_stride;
		copy->count = end - begin;
	} else {
		copy->src_offset += begin * COPIED_BYTES;
		copy->dst_offset += begin * COPIED_BYTES;
		if ((uint64_t)end * COPIED_BYTES < copy->block)
			copy->block = end * COPIED_BYTES;
		copy->block -= begin * COPIED_BYTES;
	}
	output->row_bytes = copy->dst_offset + (copy->count - 1) * copy->dst_stride + copy->block;
	output->bytes = output->row_pitch = output->row_bytes;
}

void nn_call_take_parts(struct nn_call *call, struct nn_program_op *op, uint32_t begin,
			uint32_t end)
{
	uint32_t division = divisions[call->op->opcode];
	bool has_items = call->output[0].dims[0] > 1;

	if (op != call->op)
		*op = *call->op;
	call->op = op;
	if (division == DIVISION_ELEMENTS) {
		/* A table is no element. */
		struct nn_tensor second = call->input[1];

		cut_elements(call, outermost(call), begin, end);
		if (op->opcode == NN_OPCODE_TABLE)
			call->input[1] = second;
	} else if (has_items) {
		cut(&call->input[0], 0, begin, end);
		cut(&call->output[0], 0, begin, end);
	} else if (division == DIVISION_COPY) {
		cut_copy(call, &op->copy, begin, end);
	} else if (division == DIVISION_OUTPUTS || is_one_pixel(call)) {
		cut_outputs(call, begin, end);
	} else {
		cut_window(call, op, begin, end);
	}
}
