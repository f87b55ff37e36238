// SPDX-License-Identifier: MIT
/*
 * WeightedSum: sums of int16 elements along a dimension, each times a weight of 16 bits. The second
 * half of a layer that remembers its last inputs (SVDF in TensorFlow Lite): filters over time.
 *
 * docs/operators.md:
 * | `WeightedSum` | x int16 `[rows, n, c]`; weights int16 `[n, c]`, bias int32 `[c]`, constants | |
 * int32 `[rows, c]`: of each c the bias and the n elements, each times its weight |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

static int check_constant(struct nn_node *node, uint32_t i, enum nn_data_type type,
			  uint64_t elements, const char *what)
{
	const struct nn_value *value = node->inputs[i];

	if (value && nn_value_is_const(value) && value->info.type == type &&
	    !value->info.zero_point && nn_info_bytes(&value->info) == elements * nn_data_type_size(type))
		return 0;
	return nn_node_fail(node, -EINVAL, "%s must be a constant of %llu %s with zero point 0", what,
			    (unsigned long long)elements, nn_data_type_name(type));
}

static int check_weighted_sum(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *x = &node->inputs[0]->info;
	uint32_t dims[2];
	int error;

	(void)graph;
	(void)opaque;
	if (x->type != NN_INT16 || x->zero_point || x->rank != 3)
		return nn_node_fail(node, -EINVAL,
				    "the input must be int16 with zero point 0, and have 3 dimensions");
	error = check_constant(node, 1, NN_INT16, (uint64_t)x->dims[1] * x->dims[2], "the weights");
	if (!error)
		error = check_constant(node, 2, NN_INT32, x->dims[2], "the bias");
	if (error)
		return error;
	nn_node_default_quantization(node, 0, &(struct nn_tensor_info){ .type = NN_INT32 });
	if (node->outputs[0].info.type != NN_INT32 || node->outputs[0].info.zero_point)
		return nn_node_fail(node, -EINVAL, "the output is of int32, with zero point 0");
	dims[0] = x->dims[0];
	dims[1] = x->dims[2];
	return nn_node_infer_shape(node, 0, x, 2, dims);
}

/* Copies input i, a constant, to where the device has its constants. */
static int lower_constant(struct nn_lowering *lowering, const struct nn_node *node, uint32_t i,
			  enum nn_type type)
{
	const struct nn_value *value = node->inputs[i];
	uint64_t bytes = nn_info_bytes(&value->info);
	void *data;
	int tensor = nn_lower_constant(lowering, type, bytes / nn_data_type_size(value->info.type),
				       &data);

	if (tensor >= 0 && data)
		memcpy(data, value->node->data, bytes);
	return tensor;
}

static int lower_weighted_sum(struct nn_lowering *lowering, struct nn_node *node)
{
	int weights = lower_constant(lowering, node, 1, NN_TYPE_INT16), bias, error;
	struct nn_program_op *op;

	if (weights < 0)
		return weights;
	bias = lower_constant(lowering, node, 2, NN_TYPE_INT32);
	if (bias < 0)
		return bias;
	error = nn_lower_unary(lowering, node, NN_OPCODE_WEIGHTED_SUM, node->inputs[0],
			       &node->outputs[0], &op);
	if (error)
		return error;
	op->input[1] = weights;
	op->input[2] = bias;
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ 0 }
};

const struct nn_op nn_op_weighted_sum = {
	.name = "WeightedSum",
	.min_inputs = 3,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = attrs,
	.check = check_weighted_sum,
	.lower = lower_weighted_sum,
};
