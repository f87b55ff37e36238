// SPDX-License-Identifier: MIT
/*
 * FullyConnected: each output is a weighted sum of all elements of a row.
 *
 * docs/operators.md:
 * | `FullyConnected` | x (flattened from dimension 1 on), weights int8 `[out, in]`, bias int32
 * `[out]` (optional) | `activation` | 8-bit, scale, zero point |
 */
#include "ops/support/activation.h"
#include "ops/support/check.h"
#include "ops/support/layer.h"
#include "ops.h"

#include <errno.h>

static int check_fully_connected(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *input = &node->inputs[0]->info,
				    *weights = &node->inputs[1]->info;
	struct nn_layer *layer = nn_layer_make(node, NN_OPCODE_FULLY_CONNECTED);
	uint64_t inputs = nn_info_row_elements(input);
	uint32_t dims[2];
	int error;

	(void)graph;
	(void)opaque;
	if (!layer)
		return -ENOMEM;
	error = nn_node_need_8bit(node, input, "input");
	if (error)
		return error;
	error = nn_layer_need_weights(node, 2, "[outputs, inputs]");
	if (error)
		return error;
	if (weights->dims[1] != inputs)
		return nn_node_fail(node, -EINVAL,
				    "the weights are for %u inputs, but a row has %llu elements",
				    weights->dims[1], (unsigned long long)inputs);
	layer->weights.outputs = weights->dims[0];
	layer->weights.kernel_h = layer->weights.kernel_w = 1;
	layer->weights.inputs = weights->dims[1];
	layer->weights.stride_input = 1;
	layer->weights.stride_output = weights->dims[1];
	dims[0] = input->dims[0];
	dims[1] = weights->dims[0];
	error = nn_node_infer_shape(node, 0, input, 2, dims);
	if (error)
		return error;
	return nn_layer_check(node, layer, 0);
}

static const struct nn_attr_spec attrs[] = {
	NN_ACTIVATION_ATTR,
	{ 0 }
};

const struct nn_op nn_op_fully_connected = {
	.name = "FullyConnected",
	.flags = NN_OP_ACCUMULATES | NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = attrs,
	.check = check_fully_connected,
	.lower = nn_layer_lower,
};
