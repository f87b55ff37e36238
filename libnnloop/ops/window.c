// SPDX-License-Identifier: MIT
/*
 * Operators that slide a window over images, convolutions and pools, and the fully connected layer,
 * which is a convolution with one window.
 */
#include "plan/lower.h"
#include "ops.h"
#include "plan/plan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "dsp/pack.h"

#define MAX_DIMENSION	(1u << 20)	/* what the packing functions are defined for */

/* ---- Geometry */

static int get_pair(struct nn_node *node, const char *name, uint32_t otherwise, uint32_t *h,
		    uint32_t *w)
{
	int64_t values[2] = { otherwise, otherwise };

	nn_node_get_ints(node, name, 2, values);
	if (values[0] < 1 || values[0] > 255 || values[1] < 1 || values[1] > 255)
		return nn_node_fail(node, -EINVAL, "%s must be 1 to 255 in both directions", name);
	*h = values[0];
	*w = values[1];
	return 0;
}

/* One direction: how many windows there are. 0 if the window does not fit once. */
static uint32_t count_windows(uint64_t size, uint64_t kernel, uint64_t stride, uint64_t before,
			      uint64_t after)
{
	uint64_t padded = size + before + after;

	return padded < kernel ? 0 : (padded - kernel) / stride + 1;
}

/* TensorFlow's rule: enough padding for ceil(size / stride) windows, the odd one at the end. */
static void pad_same(uint32_t size, uint32_t kernel, uint32_t stride, uint32_t *before,
		     uint32_t *after)
{
	uint32_t windows = size / stride + (size % stride != 0);
	uint64_t needed = (uint64_t)(windows - 1) * stride + kernel;
	uint32_t padding = needed > size ? needed - size : 0;

	*before = padding / 2;
	*after = padding - *before;
}

/* Fills in everything of `window` but the kernel, and the output's height and width. */
static int place_windows(struct nn_node *node, const struct nn_tensor_info *image,
			 struct nn_window_params *window, uint32_t *out_h, uint32_t *out_w)
{
	const struct nn_attr *padding = nn_node_get_attr(node, "padding");
	uint32_t kernel_h, kernel_w, bottom = 0, right = 0;
	int64_t pads[4] = { 0 };
	char text[NN_SHAPE_TEXT];
	int error;

	error = get_pair(node, "stride", 1, &window->stride_h, &window->stride_w);
	if (error)
		return error;
	error = get_pair(node, "dilation", 1, &window->dilation_h, &window->dilation_w);
	if (error)
		return error;
	kernel_h = (window->kernel_h - 1) * window->dilation_h + 1;
	kernel_w = (window->kernel_w - 1) * window->dilation_w + 1;

	if (padding && padding->type == NN_ATTR_STRING) {
		if (!strcmp(padding->string, "same")) {
			pad_same(image->dims[1], kernel_h, window->stride_h, &window->pad_top,
				 &bottom);
			pad_same(image->dims[2], kernel_w, window->stride_w, &window->pad_left,
				 &right);
		} else if (strcmp(padding->string, "valid")) {
			return nn_node_fail(node, -EINVAL,
					    "padding is \"same\", \"valid\" or four numbers");
		}
	} else if (padding) {
		nn_node_get_ints(node, "padding", 4, pads);
		if (pads[0] < 0 || pads[0] >= kernel_h || pads[2] < 0 || pads[2] >= kernel_h ||
		    pads[1] < 0 || pads[1] >= kernel_w || pads[3] < 0 || pads[3] >= kernel_w)
			return nn_node_fail(
				node, -EINVAL,
				"padding must be at least 0 and smaller than the kernel");
		window->pad_top = pads[0];
		window->pad_left = pads[1];
		bottom = pads[2];
		right = pads[3];
	}

	*out_h = count_windows(image->dims[1], kernel_h, window->stride_h, window->pad_top, bottom);
	*out_w = count_windows(image->dims[2], kernel_w, window->stride_w, window->pad_left, right);
	if (!*out_h || !*out_w)
		return nn_node_fail(node, -EINVAL, "a kernel of %ux%u does not fit an image of %s",
				    kernel_h, kernel_w,
				    nn_info_format_shape(image, text, sizeof(text)));
	return 0;
}

static int need_image(struct nn_node *node)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info;
	char text[NN_SHAPE_TEXT];

	if (image->rank != 4)
		return nn_node_fail(node, -EINVAL, "needs images of rank 4 (NHWC), not %s",
				    nn_info_format_shape(image, text, sizeof(text)));
	return nn_node_need_8bit(node, image, "input");
}

/* ---- Convolutions and fully connected */

/* What lower needs: made by check, kept with the node. */
struct layer {
	enum nn_opcode opcode;
	struct nn_window_params window;
	struct nn_weights weights;
};

static int set_activation(struct nn_node *node)
{
	const char *activation = nn_node_get_string(node, "activation", "none");

	if (!strcmp(activation, "relu") || !strcmp(activation, "relu6"))
		node->clamp_min = fmaxf(node->clamp_min, 0);
	else if (strcmp(activation, "none"))
		return nn_node_fail(node, -EINVAL, "activation is none, relu or relu6, not \"%s\"",
				    activation);
	if (!strcmp(activation, "relu6"))
		node->clamp_max = fminf(node->clamp_max, 6);
	return 0;
}

/* An int32 output is the accumulator; its scales follow from those of input and weights. */
static int infer_accumulator(struct nn_node *node)
{
	const struct nn_tensor_info *input = &node->inputs[0]->info,
				    *weights = &node->inputs[1]->info;
	struct nn_tensor_info *output = &node->outputs[0].info;
	uint32_t i, count = weights->scales ? weights->scale_count : 1;
	float *scales;

	if (output->scale || output->scales)
		return nn_node_fail(
			node, -EINVAL,
			"an int32 output has the scale of input times weights and must not be given another");
	if (node->clamp_min != -INFINITY || node->clamp_max != INFINITY)
		return nn_node_fail(node, -EOPNOTSUPP, "an activation needs an 8-bit output");
	output->zero_point = 0;
	if (count == 1) {
		output->scale =
			input->scale * (weights->scales ? weights->scales[0] : weights->scale);
		return 0;
	}
	scales = nn_pool_array(&node->graph->preparing->pool, count, sizeof(*scales));
	if (!scales)
		return nn_graph_no_memory(node->graph);
	for (i = 0; i < count; i++)
		scales[i] = input->scale * weights->scales[i];
	output->scales = scales;
	output->scale_count = count;
	output->axis = output->rank - 1;
	return 0;
}

/* Weights, bias and output type, for all three; outputs and window are known. */
static int check_layer(struct nn_node *node, struct layer *layer, uint32_t output_axis)
{
	const struct nn_value *weights = node->inputs[1],
			      *bias = node->input_count > 2 ? node->inputs[2] : NULL;
	struct nn_tensor_info *output = &node->outputs[0].info;
	int error;

	if (!weights || !nn_value_is_const(weights) || weights->info.type != NN_INT8 ||
	    weights->info.zero_point)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the weights must be a constant of int8 with zero point 0");
	error = nn_node_need_scale(node, &weights->info, "weights tensor");
	if (error)
		return error;
	if (weights->info.scales && weights->info.axis != output_axis)
		return nn_node_fail(node, -EINVAL,
				    "the weights' scales must be for dimension %u, the outputs",
				    output_axis);
	if (bias && (!nn_value_is_const(bias) || bias->info.type != NN_INT32 ||
		     nn_info_bytes(&bias->info) != layer->weights.outputs * sizeof(int32_t)))
		return nn_node_fail(node, -EINVAL, "the bias must be a constant of %u int32 values",
				    layer->weights.outputs);
	if (layer->weights.outputs >= MAX_DIMENSION || layer->weights.inputs >= MAX_DIMENSION ||
	    layer->weights.kernel_h > 255 || layer->weights.kernel_w > 255)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "is too large: at most %u channels and kernels of 255",
				    MAX_DIMENSION - 1);
	error = set_activation(node);
	if (error)
		return error;
	if (output->type == NN_INT32)
		return infer_accumulator(node);
	return nn_node_need_8bit(node, output, "output");
}

static struct layer *make_layer(struct nn_node *node, enum nn_opcode opcode)
{
	struct layer *layer = nn_pool_alloc(&node->graph->preparing->pool, sizeof(*layer));

	if (!layer) {
		nn_graph_no_memory(node->graph);
		return NULL;
	}
	layer->opcode = opcode;
	if (node->inputs[1])
		layer->weights.data = node->inputs[1]->node->data;
	node->state = layer;
	return layer;
}

static int need_weights_rank(struct nn_node *node, uint32_t rank, const char *layout)
{
	char text[NN_SHAPE_TEXT];

	if (node->inputs[1]->info.rank == rank)
		return 0;
	return nn_node_fail(node, -EINVAL, "the weights must be %s, not %s", layout,
			    nn_info_format_shape(&node->inputs[1]->info, text, sizeof(text)));
}

static int infer_layer_shape(struct nn_node *node, struct layer *layer)
{
	uint32_t dims[4] = { 0, 0, 0, layer->weights.outputs };
	int error;

	error = place_windows(node, &node->inputs[0]->info, &layer->window, &dims[1], &dims[2]);
	if (error)
		return error;
	return nn_node_infer_shape(node, 0, &node->inputs[0]->info, 4, dims);
}

static int check_conv2d(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info,
				    *weights = &node->inputs[1]->info;
	struct layer *layer = make_layer(node, NN_OPCODE_CONV2D);
	int error;

	(void)graph;
	(void)opaque;
	if (!layer)
		return -ENOMEM;
	error = need_image(node);
	if (error)
		return error;
	error = need_weights_rank(node, 4, "[outputs, height, width, inputs]");
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
	error = infer_layer_shape(node, layer);
	if (error)
		return error;
	return check_layer(node, layer, 0);
}

static int check_depthwise(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info,
				    *weights = &node->inputs[1]->info;
	struct layer *layer = make_layer(node, NN_OPCODE_DEPTHWISE_CONV2D);
	int error;

	(void)graph;
	(void)opaque;
	if (!layer)
		return -ENOMEM;
	error = need_image(node);
	if (error)
		return error;
	error = need_weights_rank(node, 4, "[1, height, width, outputs]");
	if (error)
		return error;
	if (weights->dims[0] != 1 || weights->dims[3] % image->dims[3])
		return nn_node_fail(
			node, -EINVAL,
			"the weights must be [1, height, width, outputs], outputs a multiple of the input's %u channels",
			image->dims[3]);
	layer->weights.outputs = weights->dims[3];
	layer->weights.kernel_h = layer->window.kernel_h = weights->dims[1];
	layer->weights.kernel_w = layer->window.kernel_w = weights->dims[2];
	layer->weights.inputs = 1;
	layer->weights.stride_output = 1;
	layer->weights.stride_w = weights->dims[3];
	layer->weights.stride_h = (int64_t)weights->dims[3] * weights->dims[2];
	error = infer_layer_shape(node, layer);
	if (error)
		return error;
	return check_layer(node, layer, 3);
}

static int check_fully_connected(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *input = &node->inputs[0]->info,
				    *weights = &node->inputs[1]->info;
	struct layer *layer = make_layer(node, NN_OPCODE_FULLY_CONNECTED);
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
	error = need_weights_rank(node, 2, "[outputs, inputs]");
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
	return check_layer(node, layer, 0);
}

/* The three constants of a layer: weights, folded bias, scales. Their tensor numbers go to
 * tensors[]. */
static int lower_constants(struct nn_lowering *lowering, struct nn_node *node,
			   const struct layer *layer, int *tensors)
{
	const struct nn_tensor_info *input = &node->inputs[0]->info,
				    *weights = &node->inputs[1]->info;
	const struct nn_value *bias = node->input_count > 2 ? node->inputs[2] : NULL;
	const struct nn_weights *w = &layer->weights;
	uint32_t padded = nn_pack_outputs(w->outputs);
	bool depthwise = layer->opcode == NN_OPCODE_DEPTHWISE_CONV2D;
	uint64_t size;
	void *data;

	size = depthwise ? nn_pack_depthwise_size(w->outputs, w->kernel_h, w->kernel_w) :
			   nn_pack_conv2d_size(w->outputs, w->kernel_h, w->kernel_w, w->inputs);
	tensors[0] =
		nn_lower_constant(lowering, depthwise ? NN_TYPE_INT8 : NN_TYPE_UINT8, size, &data);
	if (tensors[0] < 0)
		return tensors[0];
	if (data && depthwise)
		nn_pack_depthwise(data, w);
	else if (data)
		nn_pack_conv2d(data, w);

	tensors[1] = nn_lower_constant(lowering, NN_TYPE_INT32, padded, &data);
	if (tensors[1] < 0)
		return tensors[1];
	if (data)
		nn_pack_bias(data, bias ? bias->node->data : NULL, w, input->zero_point);

	tensors[2] = NN_NO_TENSOR;
	if (node->outputs[0].info.type == NN_INT32)
		return 0;
	tensors[2] = nn_lower_constant(lowering, NN_TYPE_FLOAT32, padded, &data);
	if (tensors[2] < 0)
		return tensors[2];
	if (data && nn_pack_scale(data, w->outputs, input->scale,
				  weights->scales ? weights->scales : &weights->scale,
				  weights->scales != NULL, node->outputs[0].info.scale))
		return nn_node_fail(
			node, -EINVAL,
			"input scale * weights scale / output scale is not a normal number");
	return 0;
}

static int lower_layer(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct layer *layer = node->state;
	int input = nn_lower_value(lowering, node->inputs[0]);
	int output = nn_lower_value(lowering, &node->outputs[0]);
	struct nn_program_op *op;
	int error, constants[3];

	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	error = lower_constants(lowering, node, layer, constants);
	if (error)
		return error;
	op = nn_lower_op(lowering, node, layer->opcode);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->input[1] = constants[0];
	op->input[2] = constants[1];
	op->input[3] = constants[2];
	op->output[0] = output;
	if (layer->opcode != NN_OPCODE_FULLY_CONNECTED)
		op->window = layer->window;
	nn_lower_clamp(op, node);
	return 0;
}

#define WINDOW_ATTRS                                                                               \
	{ .name = "stride", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },                \
	{                                                                                          \
		.name = "padding", .type = NN_ATTR_INTS, .min_count = 4, .max_count = 4,           \
		.or_string = true                                                                  \
	}

static const struct nn_attr_spec conv_attrs[] = {
	WINDOW_ATTRS,
	{ .name = "dilation", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },
	{ .name = "activation", .type = NN_ATTR_STRING },
	{ 0 }
};

static const struct nn_attr_spec fully_connected_attrs[] = {
	{ .name = "activation", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_conv2d = {
	.name = "Conv2d",
	.min_inputs = 2,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = conv_attrs,
	.check = check_conv2d,
	.lower = lower_layer,
};

const struct nn_op nn_op_depthwise_conv2d = {
	.name = "DepthwiseConv2d",
	.min_inputs = 2,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = conv_attrs,
	.check = check_depthwise,
	.lower = lower_layer,
};

const struct nn_op nn_op_fully_connected = {
	.name = "FullyConnected",
	.min_inputs = 2,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = fully_connected_attrs,
	.check = check_fully_connected,
	.lower = lower_layer,
};

/* ---- Pools */

static int check_pool(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info;
	struct nn_window_params *window = nn_pool_alloc(&graph->preparing->pool, sizeof(*window));
	struct nn_tensor_info *output = &node->outputs[0].info;
	uint32_t dims[4];
	int error;

	(void)opaque;
	if (!window)
		return nn_graph_no_memory(graph);
	node->state = window;
	error = need_image(node);
	if (error)
		return error;
	if (!nn_node_get_attr(node, "kernel"))
		return nn_node_fail(node, -EINVAL, "needs a kernel size");
	error = get_pair(node, "kernel", 1, &window->kernel_h, &window->kernel_w);
	if (error)
		return error;
	error = place_windows(node, image, window, &dims[1], &dims[2]);
	if (error)
		return error;
	dims[3] = image->dims[3];
	error = nn_node_infer_shape(node, 0, image, 4, dims);
	if (error)
		return error;

	nn_node_default_quantization(node, 0, image);
	if (nn_node_is(node, NN_OP_MAX_POOL)) {
		if (!nn_info_same_quantization(output, image))
			return nn_node_fail(node, -EINVAL, "cannot change type or quantization");
		return 0;
	}
	window->count_padding = nn_node_get_attr_int(node, "count_padding", 0) != 0;
	error = nn_node_need_8bit(node, output, "output");
	if (error)
		return error;
	if (nn_pack_average_pool_params(window, image->scale, output->scale))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "input scale / output scale must be between 2^-20 and 8");
	return 0;
}

static int lower_pool(struct nn_lowering *lowering, struct nn_node *node)
{
	int input = nn_lower_value(lowering, node->inputs[0]);
	int output = nn_lower_value(lowering, &node->outputs[0]);
	struct nn_program_op *op;

	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	op = nn_lower_op(lowering, node,
			 nn_node_is(node, NN_OP_MAX_POOL) ? NN_OPCODE_MAX_POOL
							  : NN_OPCODE_AVERAGE_POOL);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->output[0] = output;
	op->window = *(const struct nn_window_params *)node->state;
	nn_lower_clamp(op, node);
	return 0;
}

static const struct nn_attr_spec max_pool_attrs[] = {
	WINDOW_ATTRS,
	{ .name = "kernel", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },
	{ 0 }
};

static const struct nn_attr_spec average_pool_attrs[] = {
	WINDOW_ATTRS,
	{ .name = "kernel", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },
	{ .name = "count_padding", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_max_pool = {
	.name = "MaxPool",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = max_pool_attrs,
	.check = check_pool,
	.lower = lower_pool,
};

const struct nn_op nn_op_average_pool = {
	.name = "AveragePool",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = average_pool_attrs,
	.check = check_pool,
	.lower = lower_pool,
};
