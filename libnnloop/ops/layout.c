// SPDX-License-Identifier: MIT
/*
 * Operators that only move or rename elements.
 */
#include "plan/lower.h"
#include "ops.h"
#include "plan/plan.h"

#include <errno.h>
#include <string.h>

/* ---- Nop and Copy: outputs are other names of the inputs */

static int check_names(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	uint32_t i;
	int error;

	(void)graph;
	(void)opaque;
	for (i = 0; i < node->output_count; i++) {
		const struct nn_tensor_info *from = &node->inputs[i % node->input_count]->info;

		nn_node_default_quantization(node, i, from);
		if (node->outputs[i].info.type != from->type)
			return nn_node_fail(node, -EINVAL, "output %u is described as %s but is %s",
					    i, nn_data_type_name(node->outputs[i].info.type),
					    nn_data_type_name(from->type));
		error = nn_node_infer_shape(node, i, from, from->rank, from->dims);
		if (error)
			return error;
		nn_node_alias(node, i, i % node->input_count);
	}
	return 0;
}

static const struct nn_attr_spec nop_attrs[] = {
	{ .name = "outputs", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_nop = {
	.name = "Nop",
	.flags = NN_OP_MIXED_LEVELS | NN_OP_FREE,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = nop_attrs,
	.check = check_names,
	.lower = nn_lower_aliases,
};

const struct nn_op nn_op_copy = {
	.name = "Copy",
	.flags = NN_OP_FREE,
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = check_names,
	.lower = nn_lower_aliases,
};

/* ---- Reshape */

static int check_reshape(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_attr *shape = nn_node_get_attr(node, "shape");
	struct nn_tensor_info to = { .rank = NN_MAX_RANK, .level = from->level };
	uint32_t i, unknown = NN_MAX_RANK;
	int64_t wanted[NN_MAX_RANK] = { 0 };
	uint64_t elements, known = 1;
	char text[NN_SHAPE_TEXT];

	(void)graph;
	(void)opaque;
	if (!shape)
		return nn_node_fail(node, -EINVAL, "needs a shape");
	to.rank = shape->type == NN_ATTR_INTS ? shape->count : 1;
	nn_node_get_ints(node, "shape", to.rank, wanted);

	elements = nn_info_row_elements(from) * from->dims[0];
	for (i = 0; i < to.rank; i++) {
		if (wanted[i] < -1 || wanted[i] > UINT32_MAX || (wanted[i] == 0 && i >= from->rank))
			return nn_node_fail(node, -EINVAL, "dimension %u of the new shape is wrong",
					    i);
		if (wanted[i] == -1) {
			if (unknown < NN_MAX_RANK)
				return nn_node_fail(node, -EINVAL, "only one dimension can be -1");
			unknown = i;
			continue;
		}
		to.dims[i] = wanted[i] ? wanted[i] : from->dims[i];
		/* With no rows at all, the other dimensions say how long a row is. */
		if (to.dims[i] && __builtin_mul_overflow(known, to.dims[i], &known))
			return nn_node_fail(node, -EOVERFLOW, "the new shape is too large");
	}
	if (unknown == 0 && !elements)
		to.dims[0] = 0;
	else if (unknown < NN_MAX_RANK)
		to.dims[unknown] = (elements ? elements : nn_info_row_elements(from)) / known;

	/* A row must stay a row where rows are counted, and a batch of none tells nothing else. */
	if ((from->level || !from->dims[0]) && to.dims[0] != from->dims[0])
		return nn_node_fail(
			node, -EINVAL,
			"dimension 0 counts the rows of a loop and cannot change from %u to %u",
			from->dims[0], to.dims[0]);
	if (nn_info_row_elements(&to) * (elements ? to.dims[0] : 1) !=
	    nn_info_row_elements(from) * (elements ? from->dims[0] : 1))
		return nn_node_fail(node, -EINVAL, "cannot make %s elements fit the new shape",
				    nn_info_format_shape(from, text, sizeof(text)));
	nn_node_default_quantization(node, 0, from);
	nn_node_alias(node, 0, 0);
	return nn_node_infer_shape(node, 0, &to, to.rank, to.dims);
}

static const struct nn_attr_spec reshape_attrs[] = {
	{ .name = "shape", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ 0 }
};

const struct nn_op nn_op_reshape = {
	.name = "Reshape",
	.flags = NN_OP_FREE,
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = reshape_attrs,
	.check = check_reshape,
	.lower = nn_lower_aliases,
};

/* ---- Transpose */

static int check_transpose(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_attr *perm = nn_node_get_attr(node, "perm");
	int64_t order[NN_MAX_RANK] = { 0 };
	uint32_t dims[NN_MAX_RANK], i, seen = 0;

	(void)graph;
	(void)opaque;
	if (!perm || (perm->type == NN_ATTR_INTS ? perm->count : 1) != from->rank)
		return nn_node_fail(node, -EINVAL, "needs perm with %u numbers", from->rank);
	nn_node_get_ints(node, "perm", from->rank, order);
	for (i = 0; i < from->rank; i++) {
		if (order[i] < 0 || order[i] >= from->rank || (seen & (1u << order[i])))
			return nn_node_fail(node, -EINVAL,
					    "perm is not an order of the dimensions 0 to %u",
					    from->rank - 1);
		seen |= 1u << order[i];
		dims[i] = from->dims[order[i]];
	}
	if (order[0])
		return nn_node_fail(node, -EOPNOTSUPP,
				    "cannot move dimension 0, which counts rows");
	nn_node_default_quantization(node, 0, from);
	if (!nn_info_same_quantization(&node->outputs[0].info, from))
		return nn_node_fail(node, -EINVAL, "cannot change type or quantization");
	return nn_node_infer_shape(node, 0, from, from->rank, dims);
}

static int lower_transpose(struct nn_lowering *lowering, struct nn_node *node)
{
	int input = nn_lower_value(lowering, node->inputs[0]);
	int output = nn_lower_value(lowering, &node->outputs[0]);
	int64_t order[NN_MAX_RANK] = { 0 };
	struct nn_program_op *op;
	uint32_t i;

	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	op = nn_lower_op(lowering, node, NN_OPCODE_TRANSPOSE);
	if (!op)
		return -ENOMEM;
	nn_node_get_ints(node, "perm", NN_MAX_RANK, order);
	for (i = 0; i < node->outputs[0].info.rank; i++)
		op->transpose.permutation[i] = order[i];
	op->input[0] = input;
	op->output[0] = output;
	return 0;
}

static const struct nn_attr_spec transpose_attrs[] = {
	{ .name = "perm", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ 0 }
};

const struct nn_op nn_op_transpose = {
	.name = "Transpose",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = transpose_attrs,
	.check = check_transpose,
	.lower = lower_transpose,
};

/* ---- Concat */

static uint32_t concat_axis(const struct nn_node *node)
{
	int64_t axis = nn_node_get_attr_int(node, "axis", -1);

	return axis < 0 ? axis + node->inputs[0]->info.rank : axis;
}

static int check_concat(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *first = &node->inputs[0]->info;
	uint32_t axis = concat_axis(node), dims[NN_MAX_RANK], i, j;
	char text[2][NN_SHAPE_TEXT];

	(void)graph;
	(void)opaque;
	if (axis >= first->rank)
		return nn_node_fail(node, -EINVAL, "axis is not one of the dimensions");
	if (!axis)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "cannot concatenate along dimension 0, which counts rows");
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
			    (j != axis && info->dims[j] != first->dims[j]))
				return nn_node_fail(
					node, -EINVAL,
					"shapes %s and %s do not fit along dimension %u",
					nn_info_format_shape(first, text[0], sizeof(text[0])),
					nn_info_format_shape(info, text[1], sizeof(text[1])), axis);
		if (__builtin_add_overflow(dims[axis], info->dims[axis], &dims[axis]))
			return nn_node_fail(node, -EOVERFLOW, "the result is too large");
	}
	nn_node_default_quantization(node, 0, first);
	if (!nn_info_same_quantization(&node->outputs[0].info, first))
		return nn_node_fail(node, -EINVAL, "cannot change type or quantization");
	return nn_node_infer_shape(node, 0, nn_node_rows(node), first->rank, dims);
}

static int lower_concat(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *to = &node->outputs[0].info;
	uint32_t axis = concat_axis(node), inner = nn_data_type_size(to->type), count = 1,
		 offset = 0, i;
	int output = nn_lower_value(lowering, &node->outputs[0]);

	for (i = 1; i < axis; i++)
		count *= to->dims[i];
	for (i = axis + 1; i < to->rank; i++)
		inner *= to->dims[i];
	for (i = 0; i < node->input_count && output >= 0; i++) {
		uint32_t block = node->inputs[i]->info.dims[axis] * inner;
		int input = nn_lower_value(lowering, node->inputs[i]);
		struct nn_program_op *op;

		if (input < 0)
			return input;
		op = nn_lower_op(lowering, node, NN_OPCODE_COPY);
		if (!op)
			return -ENOMEM;
		op->input[0] = input;
		op->output[0] = output;
		op->copy.count = count;
		op->copy.block = block;
		op->copy.src_stride = block;
		op->copy.dst_offset = offset;
		op->copy.dst_stride = to->dims[axis] * inner;
		offset += block;
	}
	return output < 0 ? output : 0;
}

static const struct nn_attr_spec concat_attrs[] = {
	{ .name = "axis", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_concat = {
	.name = "Concat",
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = 1,
	.attrs = concat_attrs,
	.check = check_concat,
	.lower = lower_concat,
};
