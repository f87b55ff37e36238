// SPDX-License-Identifier: MIT
/*
 * Conv2d: a convolution.
 *
 * docs/operators.md:
 * | `Conv2d` | x, weights int8 `[oc, kh, kw, ic]`, bias int32 `[oc]`, `[oc, 2]` for int16
 * (optional) | `stride` (1,1), `dilation` (1,1), `padding` (0,0,0,0: top, left, bottom, right; or
 * `same`, `valid`), `activation` (`none`, `relu`, `relu6`), `rounding` (int16 only,
 * `float32_product`, `once`, `once_float64`, `twice`, `exact`) | 8-bit, scale, zero point; int16,
 * scale, with `exact` zero point |
 */
#include "ops/support/check.h"
#include "ops/support/layer.h"
#include "ops.h"
#include "ops/support/window.h"

#include <errno.h>

static int check_conv2d(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info,
				    *weights = &node->inputs[1]->info;
	struct nn_layer *layer = nn_layer_make(node, NN_OPCODE_CONV2D);
	int error;

	(void)graph;
	(void)opaque;
	if (!layer)
		return -ENOMEM;
	error = nn_layer_need_image(node);
	if (error)
		return error;
	error = nn_layer_need_weights(node, 4, "[outputs, height, width, inputs]");
	if (error)
		return error;
	if (weights->dims[3] != image->dims[3])
		return nn_node_fail(node, -EINVAL,
				    "the weights are for %u channels, but the input has %u",
				    weights->dims[3], image->dims[3]);
	layer->weights.outputs = weights->dims[0];
	layer->weights.kernel_h = layer->window.kernel_h = weights->dims[1];
	layer->weights.kernel_w = layer->window.kernel_w = weights->dims[2];
	layer->weights.inputs = weights->dims[3];
	layer->weights.stride_input = 1;
	layer->weights.stride_w = weights->dims[3];
	layer->weights.stride_h = (int64_t)weights->dims[3] * weights->dims[2];
	layer->weights.stride_output = layer->weights.stride_h * weights->dims[1];
	error = nn_layer_infer_shape(node, layer);
	if (error)
		return error;
	return nn_layer_check(node, layer, 0);
}

const struct nn_op nn_op_conv2d = {
	.name = "Conv2d",
	.flags = NN_OP_ACCUMULATES | NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = nn_layer_attrs,
	.check = check_conv2d,
	.lower = nn_layer_lower,
};
