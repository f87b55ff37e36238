// SPDX-License-Identifier: MIT
/*
 * Mul, Minimum and Maximum of int16, as TensorFlow Lite's own kernels compute them: a product times
 * a multiplier of 31 bits, rounded twice.
 */
#include "binary.h"

#include <errno.h>
#include <string.h>

#include "activation.h"
#include "check.h"
#include "emit.h"

#define PRODUCT_BITS 31

bool nn_binary_is_int16(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT16 &&
	       strcmp(nn_node_get_string(node, "rounding", ""), "float32");
}

int nn_check_binary_int16(struct nn_node *node, enum nn_int16_function function)
{
	static const char *const roundings[] = { "fixed_point", NULL };
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	struct nn_binary_int16_params *params = nn_node_make_state(node, sizeof(*params));
	const struct nn_tensor_info *output = &node->outputs[0].info;
	int error;

	if (!params)
		return -ENOMEM;
	if (b->type != NN_INT16 || output->type != NN_INT16)
		return nn_node_fail(node, -EINVAL,
				    "its first input is int16, and the second or the output is not");
	error = nn_node_need_quantized(node, a, "first input");
	if (!error)
		error = nn_node_need_quantized(node, b, "second input");
	if (!error)
		error = nn_node_need_quantized(node, output, "output");
	if (!error)
		error = nn_binary_rounding(node, roundings);
	if (!error)
		error = nn_check_activation(node);
	if (error)
		return error;
	params->function = function;
	if (function != NN_INT16_MUL &&
	    !(nn_info_same_quantization(a, b) && nn_info_same_quantization(a, output)))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "of int16 it needs inputs and output of one scale");
	/* The product of float32 is one of float32. */
	if (function == NN_INT16_MUL)
		error = nn_binary_fixed(node, (double)(a->scale * b->scale / output->scale),
					PRODUCT_BITS, &params->by);
	return error ? error : nn_infer_broadcast(node);
}

int nn_lower_binary_int16(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_binary_int16_params *params = node->state;
	struct nn_program_op *op;
	int error = nn_lower_two(lowering, node, NN_OPCODE_BINARY_INT16, &op);

	if (error)
		return error;
	op->binary_int16 = *params;
	nn_lower_limits(op, node);
	return 0;
}
