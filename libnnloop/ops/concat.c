// SPDX-License-Identifier: MIT
/*
 * Concat: tensors one behind the other along a dimension.
 *
 * docs/operators.md:
 * | `Concat` | 1 or more of the same type and quantization | `axis` (not 0; may be negative) |
 * as the inputs |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

static uint32_t concat_axis(const struct nn_node *node)
{
	int64_t axis = nn_node_get_attr_int(node, "axis", -1);

	return axis < 0 ? axis + node->inputs[0]->info.rank : axis;
}

static int check_concat(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *first = &node->inputs[0]->info;
	int axis = nn_node_get_axis(node, first, "concatenate along"), error;
	uint32_t dims[NN_MAX_RANK], i, j;
	char text[2][NN_SHAPE_TEXT];

	(void)graph;
	(void)opaque;
	if (axis < 0)
		return axis;
	memcpy(dims, first->dims, sizeof(dims));
	for (i = 1; i < node->input_count; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (!nn_info_same_quantization(info, first))
			return nn_node_fail(
				node, -EINVAL,
				"input %u has another type or quantization than input 0: requantize it first",
				i);
		for (j = 0; j < first->rank; j++)
			if (info->rank != first->rank || info->level != first->level ||
			    ((int)j != axis && info->dims[j] != first->dims[j]))
				return nn_node_fail(
					node, -EINVAL,
					"shapes %s and %s do not fit along dimension %u",
					nn_info_format_shape(first, text[0], sizeof(text[0])),
					nn_info_format_shape(info, text[1], sizeof(text[1])), axis);
		if (__builtin_add_overflow(dims[axis], info->dims[axis], &dims[axis]))
			return nn_node_fail(node, -EOVERFLOW, "the result is too large");
	}
	node->concats_channels = axis + 1 == (int)first->rank;
	error = nn_node_keep_quantization(node, 0, first);
	return error ? error : nn_node_infer_shape(node, 0, nn_node_rows(node), first->rank, dims);
}

/* It has been made where it belongs. */
static bool is_there(const struct nn_node *node, struct nn_value *input)
{
	const struct nn_value *value = nn_value_root(input);

	while (value->storage == NN_STORAGE_CHANNELS && value->base != &node->outputs[0])
		value = nn_value_root(value->base);
	return value->storage == NN_STORAGE_CHANNELS;
}

/* The input as it is. Along channels it can be some of another one's, of which these are copied. */
static int lower_input(struct nn_lowering *lowering, const struct nn_node *node,
		       struct nn_value *input, struct nn_copy_params *copy)
{
	if (node->concats_channels)
		return nn_lower_pixels(lowering, input, &copy->src_offset, &copy->src_stride);
	copy->src_stride = copy->block;
	return nn_lower_value(lowering, input);
}

static int lower_concat(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *to = &node->outputs[0].info;
	uint32_t axis = concat_axis(node), offset = 0, inner, count, block, i;

	nn_info_around(to, axis, &count, &inner);
	inner *= nn_data_type_size(to->type);
	for (i = 0; i < node->input_count; i++, offset += block) {
		struct nn_copy_params copy = { .count = count, .dst_offset = offset };
		int input, output, error;

		block = copy.block = node->inputs[i]->info.dims[axis] * inner;
		copy.dst_stride = to->dims[axis] * inner;
		if (is_there(node, node->inputs[i]))
			continue;
		output = nn_lower_value(lowering, &node->outputs[0]);
		input = lower_input(lowering, node, node->inputs[i], &copy);
		error = nn_lower_copy_tensor(lowering, node, input, output, &copy);
		if (error)
			return error;
	}
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "axis", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_concat = {
	.name = "Concat",
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = 1,
	.attrs = attrs,
	.check = check_concat,
	.lower = lower_concat,
};
