// SPDX-License-Identifier: MIT
/*
 * Pools (pooling.h): what MaxPool and AveragePool check and how they are lowered.
 */
#include "pooling.h"

#include <errno.h>

#include "check.h"
#include "emit.h"

int nn_pooling_check(struct nn_node *node)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info;
	struct nn_average_float_params *pool = nn_node_make_state(node, sizeof(*pool));
	struct nn_window_params *window;
	uint32_t dims[4];
	int error;

	if (!pool)
		return -ENOMEM;
	window = &pool->window;
	error = image->type == NN_INT16 ? nn_node_need_any_image(node) : nn_node_need_image(node);
	if (error)
		return error;
	if (!nn_node_get_attr(node, "kernel"))
		return nn_node_fail(node, -EINVAL, "needs a kernel size");
	error = nn_node_get_pair(node, "kernel", 1, 255, &window->kernel_h, &window->kernel_w);
	if (error)
		return error;
	error = nn_node_place_window(node, window, &dims[1], &dims[2]);
	if (error)
		return error;
	dims[3] = image->dims[3];
	error = nn_node_infer_shape(node, 0, image, 4, dims);
	if (error)
		return error;
	nn_node_default_quantization(node, 0, image);
	/* Kernels of 8 bits take strided pixels, but move them. */
	node->may_be_strided = node->scatters =
		image->type != NN_INT16 && node->outputs[0].info.type != NN_INT16 &&
		nn_window_can_move(node);
	node->may_read_strided = node->gathers = node->may_be_strided;
	return 0;
}

int nn_pooling_lower(struct nn_lowering *lowering, struct nn_node *node, enum nn_opcode opcode)
{
	struct nn_program_op *op;
	int error;

	error = nn_lower_unary(lowering, node, opcode, node->inputs[0], &node->outputs[0], &op);
	if (error)
		return error;
	op->average_float = *(const struct nn_average_float_params *)node->state;
	nn_lower_limits(op, node);
	return 0;
}

int nn_pooling_lower_int16(struct nn_lowering *lowering, struct nn_node *node, bool average)
{
	const struct nn_average_float_params *pool = node->state;
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_POOL_INT16, node->inputs[0],
				   &node->outputs[0], &op);

	if (error)
		return error;
	op->pool_int16 =
		(struct nn_pool_int16_params){ .window = pool->window, .average = average };
	nn_lower_limits(op, node);
	return 0;
}
