// SPDX-License-Identifier: MIT
/*
 * Adding tensors, constants and operators to the program that is being written.
 *
 * A program's tensors are the values it touches, under the numbers they get when they are first
 * asked for.
 */
#include "emit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lowering.h"

#define CONSTANT_ALIGNMENT	128u

/* Make room for one more element of an array that doubles. It begins with one, so that in the
 * smallest program each of the first is one for which there may be no memory, and is tested. */
static int grow(struct nn_lowering *lowering, void *array, size_t size, uint32_t count,
		uint32_t *room)
{
	uint32_t wanted = *room ? *room * 2 : 1;
	void **place = array, *memory;

	if (count < *room)
		return 0;
	memory = realloc(*place, wanted * size);
	if (!memory)
		return nn_graph_no_memory(lowering->graph);
	*place = memory;
	*room = wanted;
	return 0;
}

static int add_tensor(struct nn_lowering *lowering, const struct nn_program_tensor *tensor)
{
	int error;

	if (lowering->tensor_count >= NN_NO_TENSOR - 1)
		return nn_graph_fail(
			lowering->graph, NULL, -EOPNOTSUPP,
			"a partition has more than %u tensors, which no program can hold",
			NN_NO_TENSOR - 1);
	error = grow(lowering, &lowering->tensors, sizeof(*tensor), lowering->tensor_count,
		     &lowering->tensor_room);
	if (error)
		return error;
	lowering->tensors[lowering->tensor_count] = *tensor;
	return lowering->tensor_count++;
}

/* ---- Constants */

/* A place in the constant region, and an entry for what goes there; NULL, too, if that has been
 * written before. */
static int add_constant(struct nn_lowering *lowering, uint64_t bytes, struct nn_constant **result)
{
	struct nn_constants *constants = lowering->constants;
	struct nn_constant *constant;
	uint64_t offset, end;

	*result = NULL;
	offset = (constants->bytes + CONSTANT_ALIGNMENT - 1) & ~(uint64_t)(CONSTANT_ALIGNMENT - 1);
	end = offset + bytes;
	if (end > NN_MAX_TENSOR_BYTES)
		return nn_graph_fail(lowering->graph, NULL, -EOPNOTSUPP,
				     "the constants are larger than 2 GiB");
	lowering->constant_offset = offset;
	constants->bytes = end;
	if (constants->written_before)
		return 0;
	constant = nn_pool_alloc(&constants->pool, sizeof(*constant));
	if (!constant)
		return nn_graph_no_memory(lowering->graph);
	constant->offset = offset;
	constant->bytes = bytes;
	if (constants->last)
		constants->last->next = constant;
	else
		constants->first = constant;
	constants->last = constant;
	*result = constant;
	return 0;
}

int nn_lower_part(struct nn_lowering *lowering, enum nn_type type, uint64_t offset, uint32_t rows,
		  uint64_t elements)
{
	struct nn_program_tensor tensor = {
		.type = type,
		.rank = rows > 1 ? 2 : 1,
		.place = NN_PLACE_REGION,
		.source = NN_REGION_CONSTANTS,
		.offset = lowering->constant_offset + offset,
		.dims = { rows, elements },
	};

	if (rows == 1) {
		tensor.dims[0] = elements;
		tensor.dims[1] = 0;
	}
	return add_tensor(lowering, &tensor);
}

int nn_lower_bytes(struct nn_lowering *lowering, uint64_t bytes, void **data)
{
	struct nn_constant *constant;
	int error;

	*data = NULL;
	error = add_constant(lowering, bytes, &constant);
	if (error || !constant)
		return error;
	*data = nn_pool_alloc(&lowering->constants->pool, bytes);
	if (!*data)
		return nn_graph_no_memory(lowering->graph);
	constant->data = *data;
	return 0;
}

int nn_lower_constant(struct nn_lowering *lowering, enum nn_type type, uint64_t elements,
		      void **data)
{
	int error = nn_lower_bytes(lowering,
				   elements * nn_data_type_size((enum nn_data_type)type), data);

	return error ? error : nn_lower_part(lowering, type, 0, 1, elements);
}

int nn_lower_row(struct nn_lowering *lowering, enum nn_type type, uint64_t elements, void **data)
{
	int number = nn_lower_constant(lowering, type, elements, data);

	if (number >= 0) {
		struct nn_program_tensor *tensor = &lowering->tensors[number];

		tensor->rank = 2;
		tensor->dims[1] = tensor->dims[0];
		tensor->dims[0] = 1;
	}
	return number;
}

void nn_lower_zero_point(struct nn_lowering *lowering, int tensor, int32_t zero_point)
{
	lowering->tensors[tensor].zero_point = zero_point;
}

int nn_lower_filled(struct nn_lowering *lowering, uint64_t bytes, nn_fill_fp fill,
		    const struct nn_node *node)
{
	struct nn_constant *constant;
	int error;

	error = add_constant(lowering, bytes, &constant);
	if (error || !constant)
		return error;
	constant->fill = fill;
	constant->node = node;
	return 0;
}

/* A Const that an operator reads as it is; once for all programs. */
static int store_const(struct nn_lowering *lowering, struct nn_value *value)
{
	struct nn_constant *constant;
	int error;

	if (value->stored)
		return 0;
	error = add_constant(lowering, nn_info_bytes(&value->info), &constant);
	if (error)
		return error;
	if (constant)
		constant->data = value->node->data;
	value->offset = lowering->constant_offset;
	value->stored = true;
	return 0;
}

/* ---- Tensors */

static void describe(struct nn_program_tensor *tensor, const struct nn_tensor_info *info)
{
	*tensor = (struct nn_program_tensor){
		.type = info->type,
		.rank = info->rank,
		.level = info->level,
		.zero_point = info->type == NN_FLOAT32 ? 0 : info->zero_point,
	};
	memcpy(tensor->dims, info->dims, sizeof(tensor->dims));
}

static void place_in_output(const struct nn_lowering *lowering, struct nn_program_tensor *tensor,
			    uint32_t slot)
{
	tensor->place = tensor->level ? NN_PLACE_OUTPUT : NN_PLACE_REGION;
	tensor->source = lowering->output_region + slot;
}

/*
 * Returns the value that has the pixels that a value is in, from byte *offset of each on: itself,
 * or what it is some channels of. Channels of channels are in the pixels of the last.
 */
static struct nn_value *find_pixels(struct nn_value *value, uint64_t *offset)
{
	struct nn_value *root = nn_value_root(value);

	for (*offset = 0; root->storage == NN_STORAGE_CHANNELS; root = nn_value_root(value)) {
		*offset += root->offset;
		value = root->base;
	}
	return value;
}

int nn_lower_value(struct nn_lowering *lowering, struct nn_value *value)
{
	struct nn_value *root, *pixels;
	struct nn_program_tensor tensor;
	uint64_t offset;
	int number;

	if (value->program == lowering->number)
		return value->tensor;
	describe(&tensor, &value->info);
	pixels = find_pixels(value, &offset);
	if (pixels != value)
		tensor.pitch = pixels->info.dims[pixels->info.rank - 1];
	root = nn_value_root(pixels);
	switch (root->storage) {
	case NN_STORAGE_CONST:
		number = store_const(lowering, root);
		if (number)
			return number;
		tensor.source = NN_REGION_CONSTANTS;
		tensor.offset = root->offset;
		break;
	case NN_STORAGE_INPUT:
		tensor.source = NN_REGION_INPUTS + root->slot;
		break;
	case NN_STORAGE_OUTPUT:
		place_in_output(lowering, &tensor, root->slot);
		break;
	case NN_STORAGE_ARENA:
		tensor.source = NN_REGION_ARENA;
		tensor.offset = root->offset;
		break;
	case NN_STORAGE_VIEW:
		number = nn_lower_value(lowering, root->base);
		if (number < 0)
			return number;
		tensor.place = NN_PLACE_VIEW;
		tensor.source = number;
		break;
	default:
		return nn_graph_fail(lowering->graph, value->node, -EINVAL,
				     "output %u is nowhere in memory", value->index);
	}
	/* Without rows there may be no memory that this could be an offset in. */
	if (tensor.dims[0])
		tensor.offset += offset;
	number = add_tensor(lowering, &tensor);
	if (number < 0)
		return number;
	value->tensor = number;
	value->program = lowering->number;
	return number;
}

int nn_lower_flat(struct nn_lowering *lowering, struct nn_value *value)
{
	struct nn_program_tensor tensor;
	int number = nn_lower_value(lowering, value);

	if (number < 0)
		return number;
	tensor = lowering->tensors[number];
	tensor.level = 0;
	tensor.rank = 2;
	memset(tensor.dims, 0, sizeof(tensor.dims));
	tensor.dims[0] = 1;
	tensor.dims[1] = value->info.dims[0] * nn_info_row_elements(&value->info);
	return add_tensor(lowering, &tensor);
}

int nn_lower_whole(struct nn_lowering *lowering, struct nn_value *value)
{
	struct nn_program_tensor tensor = {
		.type = value->info.type,
		.rank = 2,
		.source = NN_REGION_ARENA,
		.offset = value->offset,
		.zero_point = value->info.type == NN_FLOAT32 ? 0 : value->info.zero_point,
		.dims = { 1, value->info.dims[0] * nn_info_row_elements(&value->info) },
	};

	return add_tensor(lowering, &tensor);
}

int nn_lower_single_row(struct nn_lowering *lowering, struct nn_value *value, uint32_t level)
{
	int number = nn_lower_flat(lowering, value);

	if (number >= 0)
		lowering->tensors[number].level = level;
	return number;
}

/* How many rows a loop collects need not be known while it does: they are no level's. */
static struct nn_program_tensor describe_collected(const struct nn_lowering *lowering,
						   const struct nn_value *of, uint32_t rows,
						   uint32_t block)
{
	struct nn_program_tensor tensor = {
		.type = of->info.type,
		.rank = 2,
		.source = NN_REGION_ARENA,
		.offset = of->offset,
		.zero_point = of->info.type == NN_FLOAT32 ? 0 : of->info.zero_point,
		.dims = { rows, block },
	};

	if (of->storage == NN_STORAGE_OUTPUT) {
		tensor.source = lowering->output_region + of->slot;
		tensor.offset = 0;
	}
	return tensor;
}

int nn_lower_packed(struct nn_lowering *lowering, struct nn_value *of, uint32_t rows, uint32_t level,
		    uint32_t block)
{
	struct nn_program_tensor tensor = describe_collected(lowering, of, rows, block);

	tensor.place = NN_PLACE_OUTPUT;
	tensor.level = level;
	return add_tensor(lowering, &tensor);
}

int nn_lower_collected_along(struct nn_lowering *lowering, struct nn_value *of, uint32_t rows,
			     uint32_t level, uint32_t block)
{
	struct nn_program_tensor tensor = describe_collected(lowering, of, rows, block);

	tensor.level = level;
	return add_tensor(lowering, &tensor);
}

int nn_lower_collected(struct nn_lowering *lowering, struct nn_value *of, uint32_t rows,
		       uint32_t level, uint32_t pass_rows, uint32_t block)
{
	struct nn_program_tensor tensor = describe_collected(lowering, of, rows, block);
	int number = add_tensor(lowering, &tensor);

	if (number < 0)
		return number;
	tensor.place = NN_PLACE_VIEW;
	tensor.source = number;
	tensor.offset = 0;
	tensor.level = level;
	tensor.dims[0] = pass_rows;
	return add_tensor(lowering, &tensor);
}

int nn_lower_pixels(struct nn_lowering *lowering, struct nn_value *value, uint32_t *offset,
		    uint32_t *pitch)
{
	uint64_t begin;

	value = find_pixels(value, &begin);
	*offset = begin;
	*pitch = value->info.dims[value->info.rank - 1] * nn_data_type_size(value->info.type);
	return nn_lower_value(lowering, value);
}

int nn_lower_image(struct nn_lowering *lowering, struct nn_value *value, uint32_t height,
		   uint32_t width, uint32_t channels)
{
	struct nn_program_tensor tensor;
	int number = nn_lower_value(lowering, value);

	if (number < 0)
		return number;
	tensor = lowering->tensors[number];
	tensor.rank = 4;
	tensor.dims[1] = height;
	tensor.dims[2] = width;
	tensor.dims[3] = channels;
	return add_tensor(lowering, &tensor);
}

/* ---- Operators */

struct nn_program_op *nn_lower_op(struct nn_lowering *lowering, struct nn_node *node,
				  enum nn_opcode opcode)
{
	struct nn_program_op *op;

	if (grow(lowering, &lowering->ops, sizeof(*op), lowering->op_count, &lowering->op_room))
		return NULL;
	op = &lowering->ops[lowering->op_count++];
	memset(op, 0, sizeof(*op));
	op->opcode = opcode;
	op->node = node->id;
	memset(op->input, 0xff, sizeof(op->input));
	memset(op->output, 0xff, sizeof(op->output));
	return op;
}

/* Whether it rounds as float32 does; TensorFlow Lite's of 16 bits take ties away from 0. */
static bool rounds_to_even(const struct nn_program_op *op, const struct nn_node *node)
{
	if (node->outputs[0].info.type != NN_INT16)
		return true;
	switch (op->opcode) {
	case NN_OPCODE_CONV2D_INT16:
		return !strcmp(nn_node_get_string(node, "rounding", ""), "exact");
	case NN_OPCODE_MATMUL_INT16:
		return !strcmp(nn_node_get_string(node, "rounding", ""), "once_even");
	case NN_OPCODE_ADD_INT16:
	case NN_OPCODE_BINARY_INT16:
	case NN_OPCODE_POOL_INT16:
	case NN_OPCODE_REDUCE_INT16:
	case NN_OPCODE_RESCALE:
	case NN_OPCODE_SOFTMAX_INT16:
		return false;
	}
	return true;
}

void nn_lower_limits(struct nn_program_op *op, const struct nn_node *node)
{
	const struct nn_tensor_info *info = &node->outputs[0].info;
	bool wide = info->type == NN_INT16, to_even = rounds_to_even(op, node);
	float low = node->limits.min / info->scale, high = node->limits.max / info->scale;

	if (!nn_type_is_8bit(info->type) && !wide)
		return;
	low = (to_even ? rintf(low) : roundf(low)) + info->zero_point;
	high = (to_even ? rintf(high) : roundf(high)) + info->zero_point;
	nn_type_range(info->type, &op->out_min, &op->out_max);
	if (low > op->out_min)
		op->out_min = low < op->out_max ? (int32_t)low : op->out_max;
	if (high < op->out_max)
		op->out_max = high > op->out_min ? (int32_t)high : op->out_min;
}

int nn_lower_unary(struct nn_lowering *lowering, struct nn_node *node, enum nn_opcode opcode,
		   struct nn_value *from, struct nn_value *to, struct nn_program_op **op)
{
	int input = nn_lower_value(lowering, from), output = nn_lower_value(lowering, to);

	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	*op = nn_lower_op(lowering, node, opcode);
	if (!*op)
		return -ENOMEM;
	(*op)->input[0] = input;
	(*op)->output[0] = output;
	return 0;
}

int nn_lower_copy_tensor(struct nn_lowering *lowering, struct nn_node *node, int input, int output,
			 const struct nn_copy_params *copy)
{
	struct nn_program_op *op;

	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	op = nn_lower_op(lowering, node, NN_OPCODE_COPY);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->output[0] = output;
	op->copy = *copy;
	return 0;
}

int nn_lower_copy(struct nn_lowering *lowering, struct nn_node *node, struct nn_value *from,
		  struct nn_value *to)
{
	struct nn_copy_params copy = { .count = 1, .block = nn_info_row_bytes(&from->info) };
	int input = nn_lower_value(lowering, from), output = nn_lower_value(lowering, to);

	return nn_lower_copy_tensor(lowering, node, input, output, &copy);
}

int nn_lower_copy_to_output(struct nn_lowering *lowering, struct nn_node *node,
			    struct nn_value *value, uint32_t slot)
{
	struct nn_copy_params copy = { .count = 1, .block = nn_info_row_bytes(&value->info) };
	struct nn_program_tensor tensor;
	int input;

	input = nn_lower_value(lowering, value);
	if (input < 0)
		return input;
	describe(&tensor, &value->info);
	place_in_output(lowering, &tensor, slot);
	return nn_lower_copy_tensor(lowering, node, input, add_tensor(lowering, &tensor), &copy);
}
