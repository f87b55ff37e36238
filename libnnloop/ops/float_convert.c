// SPDX-License-Identifier: MIT
/*
 * FloatConvert: integers as the float32 numbers that they stand for, or as they are where nothing
 * says that; and float32 as integers: quantized where the output has a scale, else cut.
 *
 * docs/operators.md:
 * | `FloatConvert` | x float32, or integers or bool, with one scale or none | | float32 of integers;
 * 8-bit or int16 with scale and zero point: quantized to the nearest, ties to even; integers without:
 * what is in front of the point; bool: whether it is not 0 |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

static int check_from(struct nn_node *node, struct nn_float_convert_params *params)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;

	if (!nn_type_is_integer(from->type) || nn_type_is_only_integer(from->type))
		return nn_node_fail(node, -EINVAL, "the input must be of integers, not %s",
				    nn_data_type_name(from->type));
	if (from->scales)
		return nn_node_fail(node, -EOPNOTSUPP, "the input has more than one scale");
	params->form = NN_FLOAT_FROM;
	params->scale = from->scale ? from->scale : 1;
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, from, from->rank, from->dims);
}

static int check_float_convert(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	struct nn_float_convert_params *params = nn_node_make_state(node, sizeof(*params));
	int error = 0;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	if (from->type != NN_FLOAT32)
		return check_from(node, params);
	params->form = to->scale ? NN_FLOAT_QUANTIZE : NN_FLOAT_CUT;
	params->scale = to->scale ? to->scale : 1;
	if (to->scale)
		error = nn_node_need_real(node, to, "output");
	else if (!nn_type_is_integer(to->type) || nn_type_is_only_integer(to->type) ||
		 to->zero_point)
		error = nn_node_fail(node, -EINVAL,
				     "the output must be given a type of integers, and zero point 0");
	return error ? error : nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int lower_float_convert(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_FLOAT_CONVERT, node->inputs[0],
				   &node->outputs[0], &op);

	if (!error)
		op->float_convert = *(const struct nn_float_convert_params *)node->state;
	return error;
}

const struct nn_op nn_op_float_convert = {
	.name = "FloatConvert",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = (const struct nn_attr_spec[]){ { 0 } },
	.check = check_float_convert,
	.lower = lower_float_convert,
};
