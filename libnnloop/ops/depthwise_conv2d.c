// SPDX-License-Identifier: MIT
/*
 * DepthwiseConv2d: a convolution of each channel by itself.
 *
 * docs/operators.md:
 * | `DepthwiseConv2d` | x, weights int8 `[1, kh, kw, c * m]`, bias as `Conv2d` |
 * as `Conv2d` | as `Conv2d` |
 */
#include "ops/support/check.h"
#include "ops/support/layer.h"
#include "ops.h"
#include "ops/support/window.h"

#include <errno.h>

static int check_depthwise(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info,
				    *weights = &node->inputs[1]->info;
	struct nn_layer *layer = nn_layer_make(node, NN_OPCODE_DEPTHWISE_CONV2D);
	int error;

	(void)graph;
	(void)opaque;
	if (!layer)
		return -ENOMEM;
	error = nn_layer_need_image(node);
	if (error)
		return error;
	error = nn_layer_need_weights(node, 4, "[1, height, width, outputs]");
	if (error)
		return error;
	if (weights->dims[0] != 1 || weights->dims[3] % image->dims[3])
		return nn_node_fail(
			node, -EINVAL,
			"the weights must be [1, height, width, outputs], outputs a multiple of the input's %u channels",
			image->dims[3]);
	layer->depthwise = true;
	layer->weights.outputs = weights->dims[3];
	layer->weights.kernel_h = layer->window.kernel_h = weights->dims[1];
	layer->weights.kernel_w = layer->window.kernel_w = weights->dims[2];
	layer->weights.inputs = 1;
	layer->weights.stride_output = 1;
	layer->weights.stride_w = weights->dims[3];
	layer->weights.stride_h = (int64_t)weights->dims[3] * weights->dims[2];
	error = nn_layer_infer_shape(node, layer);
	if (error)
		return error;
	return nn_layer_check(node, layer, 3);
}

const struct nn_op nn_op_depthwise_conv2d = {
	.name = "DepthwiseConv2d",
	.flags = NN_OP_ACCUMULATES | NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = nn_layer_attrs,
	.check = check_depthwise,
	.lower = nn_layer_lower,
};
