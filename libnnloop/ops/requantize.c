// SPDX-License-Identifier: MIT
/*
 * Requantize: the same real values in another quantization. From int32 by the operator of that
 * name, from 8 bit by a table.
 *
 * docs/operators.md:
 * | `Requantize` | x, 8-bit or int32 | | 8-bit, scale, zero point |
 */
#include "check.h"
#include "emit.h"
#include "function.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

static int check_requantize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int error;

	(void)graph;
	(void)opaque;
	error = nn_node_need_8bit(node, &node->outputs[0].info, "output");
	if (error)
		return error;
	if (from->type != NN_INT32 || !from->scales)
		error = nn_node_need_scale(node, from, "input");
	if (!error && from->type != NN_INT32)
		error = nn_node_need_bytes(node, from, "input");
	if (error)
		return error;
	if (from->type == NN_INT32 &&
	    (from->zero_point || (from->scales && from->axis != from->rank - 1)))
		return nn_node_fail(
			node, -EINVAL,
			"an int32 input must have zero point 0 and scales of the last dimension");
	node->may_overwrite = from->type != NN_INT32;
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static double identity(double x, const void *opaque)
{
	(void)opaque;
	return x;
}

static int lower_requantize(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	uint32_t count = from->scales ? from->scale_count : 1, i;
	struct nn_program_op *op;
	int input, output, scale;
	void *data;

	if (from->type != NN_INT32)
		return nn_lower_table(lowering, node, identity, NULL);

	input = nn_lower_value(lowering, node->inputs[0]);
	output = nn_lower_value(lowering, &node->outputs[0]);
	scale = nn_lower_constant(lowering, NN_TYPE_FLOAT32, count, &data);
	if (input < 0 || output < 0 || scale < 0)
		return -ENOMEM;
	for (i = 0; data && i < count; i++) {
		float s = (from->scales ? from->scales[i] : from->scale) /
			  node->outputs[0].info.scale;

		if (!isnormal(s))
			return nn_node_fail(node, -EINVAL,
					    "input scale / output scale is not a normal number");
		((float *)data)[i] = s;
	}
	op = nn_lower_op(lowering, node, NN_OPCODE_REQUANTIZE);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->input[1] = scale;
	op->output[0] = output;
	nn_lower_limits(op, node);
	return 0;
}

const struct nn_op nn_op_requantize = {
	.name = "Requantize",
	.flags = NN_OP_REQUANTIZES,
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = check_requantize,
	.lower = lower_requantize,
};
