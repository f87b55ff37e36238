// SPDX-License-Identifier: MIT
/*
 * Convolutions and the fully connected layer (layer.h): checks, packed constants, and the operators
 * of a program that they become.
 */
#include "layer.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "activation.h"
#include "check.h"
#include "emit.h"
#include "window.h"

#define MAX_DIMENSION	(1u << 20)	/* what the packing functions are defined for */

const struct nn_attr_spec nn_layer_attrs[] = {
	NN_WINDOW_ATTRS,
	{ .name = "dilation", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },
	NN_ACTIVATION_ATTR,
	{ .name = "rounding", .type = NN_ATTR_STRING },
	{ 0 }
};

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
	if (node->limits.min != -INFINITY || node->limits.max != INFINITY)
		return nn_node_fail(node, -EOPNOTSUPP, "an activation needs an 8-bit output");
	output->zero_point = 0;
	if (count == 1) {
		output->scale =
			input->scale * (weights->scales ? weights->scales[0] : weights->scale);
		return 0;
	}
	scales = nn_node_alloc(node, count, sizeof(*scales));
	if (!scales)
		return -ENOMEM;
	for (i = 0; i < count; i++)
		scales[i] = input->scale * weights->scales[i];
	output->scales = scales;
	output->scale_count = count;
	output->axis = output->rank - 1;
	return 0;
}

/* Whether its kernel can have strided pixels, and of many takes no longer than a copy of them. */
static bool has_pixels(const struct nn_node *node, const struct nn_layer *layer)
{
	return layer->depthwise ? nn_window_can_move(node) : layer->opcode == NN_OPCODE_CONV2D;
}

/*
 * Whether the kernel of convolutions has whole vectors, or a half or a quarter of one, for a
 * pixel's outputs: these it stores as well where pixels are strided, others one by one.
 */
static bool stores_strided(const struct nn_layer *layer)
{
	return layer->weights.outputs >= 128 || layer->weights.outputs == 64 ||
	       layer->weights.outputs == 32;
}

int nn_layer_check(struct nn_node *node, struct nn_layer *layer, uint32_t output_axis)
{
	const struct nn_value *weights = node->inputs[1],
			      *bias = node->input_count > 2 ? node->inputs[2] : NULL;
	struct nn_tensor_info *output = &node->outputs[0].info;
	bool is_int16 = node->inputs[0]->info.type == NN_INT16;
	uint64_t bias_words = (uint64_t)layer->weights.outputs * (is_int16 ? 2 : 1);
	int error;

	if (!weights || !nn_value_is_const(weights) || weights->info.type != NN_INT8)
		return nn_node_fail(node, -EOPNOTSUPP, "the weights must be a constant of int8");
	error = nn_node_need_scale(node, &node->inputs[0]->info, "input");
	if (error)
		return error;
	if (!weights->info.scale && !weights->info.scales)
		return nn_node_fail(node, -EINVAL, "the weights tensor has no scale");
	if (weights->info.scales && weights->info.axis != output_axis)
		return nn_node_fail(node, -EINVAL,
				    "the weights' scales must be for dimension %u, the outputs",
				    output_axis);
	if (bias && (!nn_value_is_const(bias) || bias->info.type != NN_INT32 ||
		     nn_info_bytes(&bias->info) != bias_words * sizeof(int32_t)))
		return nn_node_fail(node, -EINVAL,
				    "the bias must be a constant of %" PRIu64 " int32 values",
				    bias_words);
	if (layer->weights.outputs >= MAX_DIMENSION || layer->weights.inputs >= MAX_DIMENSION ||
	    layer->weights.kernel_h > 255 || layer->weights.kernel_w > 255)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "is too large: at most %u channels and kernels of 255",
				    MAX_DIMENSION - 1);
	error = nn_check_activation(node);
	if (error)
		return error;
	if (is_int16)
		return nn_layer_check_int16(node);
	if (nn_node_get_attr(node, "rounding"))
		return nn_node_fail(node, -EINVAL, "has rounding for int16 only");
	node->may_read_strided = has_pixels(node, layer) && !nn_layer_merges_input(node, layer);
	node->gathers = layer->depthwise;
	if (output->type == NN_INT32)
		return infer_accumulator(node);
	node->may_be_strided = has_pixels(node, layer) && nn_layer_count_pixels(node, layer) == 1;
	node->scatters = layer->depthwise || !stores_strided(layer);
	return nn_node_need_8bit(node, output, "output");
}

struct nn_layer *nn_layer_make(struct nn_node *node, enum nn_opcode opcode)
{
	struct nn_layer *layer = nn_node_make_state(node, sizeof(*layer));

	if (!layer)
		return NULL;
	layer->opcode = opcode;
	if (node->inputs[1]) {
		layer->weights.data = node->inputs[1]->node->data;
		layer->weights.zero_point = node->inputs[1]->info.zero_point;
	}
	return layer;
}

int nn_layer_need_weights(struct nn_node *node, uint32_t rank, const char *layout)
{
	char text[NN_SHAPE_TEXT];

	if (node->inputs[1]->info.rank == rank)
		return 0;
	return nn_node_fail(node, -EINVAL, "the weights must be %s, not %s", layout,
			    nn_info_format_shape(&node->inputs[1]->info, text, sizeof(text)));
}

int nn_layer_infer_shape(struct nn_node *node, struct nn_layer *layer)
{
	uint32_t dims[4] = { 0, 0, 0, layer->weights.outputs };
	int error;

	error = nn_node_place_window(node, &layer->window, &dims[1], &dims[2]);
	if (error)
		return error;
	return nn_node_infer_shape(node, 0, &node->inputs[0]->info, 4, dims);
}

static void fill_weights(void *to, const struct nn_node *node)
{
	const struct nn_layer *layer = node->state;

	if (layer->depthwise)
		nn_pack_depthwise(to, &layer->weights);
	else
		nn_pack_conv2d(to, layer->pixels > 1 ? &layer->merged : &layer->weights);
}

static uint32_t lanes_of(const struct nn_layer *layer)
{
	return layer->depthwise ? nn_pack_repeated_lanes(layer->weights.outputs) :
				  nn_pack_lanes(layer->pixels * layer->weights.outputs);
}

/* Bias and behind it scales. Reads all weights, too. */
static void fill_outputs(void *to, const struct nn_node *node)
{
	const struct nn_layer *layer = node->state;
	const struct nn_tensor_info *input = &node->inputs[0]->info;
	const struct nn_value *bias = node->input_count > 2 ? node->inputs[2] : NULL;
	struct nn_outputs outputs = {
		.weights = &layer->weights,
		.bias = bias ? bias->node->data : NULL,
		.scale = layer->scale,
		.zero_point = input->zero_point,
		.lanes = lanes_of(layer),
	};

	nn_type_range(input->type, &outputs.least, &outputs.greatest);
	outputs.used = layer->depthwise ? outputs.lanes : layer->pixels * layer->weights.outputs;
	nn_pack_outputs(to, (int32_t *)to + outputs.lanes, &outputs);
}

/* The layer's, once. */
static int make_scales(struct nn_node *node, struct nn_layer *layer)
{
	const struct nn_tensor_info *weights = &node->inputs[1]->info;

	if (layer->scale || node->outputs[0].info.type == NN_INT32)
		return 0;
	layer->scale = nn_node_alloc(node, layer->weights.outputs, sizeof(*layer->scale));
	if (!layer->scale)
		return -ENOMEM;
	if (nn_pack_scale(layer->scale, layer->weights.outputs, node->inputs[0]->info.scale,
			  weights->scales ? weights->scales : &weights->scale,
			  weights->scales != NULL, node->outputs[0].info.scale))
		return nn_node_fail(
			node, -EINVAL,
			"input scale * weights scale / output scale is not a normal number");
	return 0;
}

/* The three constants of a layer: weights, folded bias, scales. Their tensor numbers go to
 * tensors[]. */
static int lower_constants(struct nn_lowering *lowering, struct nn_node *node,
			   struct nn_layer *layer, int *tensors)
{
	const struct nn_weights *w = layer->pixels > 1 ? &layer->merged : &layer->weights;
	const uint32_t lanes = lanes_of(layer);
	const uint64_t row = lanes * sizeof(int32_t);
	int error = make_scales(node, layer);
	uint64_t size;

	if (error)
		return error;
	size = layer->depthwise ? nn_pack_depthwise_size(w->outputs, w->kernel_h, w->kernel_w) :
			   nn_pack_conv2d_size(w->outputs, w->kernel_h, w->kernel_w, w->inputs);
	error = nn_lower_filled(lowering, size, fill_weights, node);
	if (error)
		return error;
	tensors[0] = nn_lower_part(lowering, layer->depthwise ? NN_TYPE_INT8 : NN_TYPE_UINT8, 0, 1,
				   size);
	if (tensors[0] < 0)
		return tensors[0];
	nn_lower_zero_point(lowering, tensors[0], w->zero_point + (layer->depthwise ? 0 : 128));

	error = nn_lower_filled(lowering, (1 + (layer->scale ? NN_SCALE_ROWS : 0)) * row,
				fill_outputs, node);
	if (error)
		return error;
	tensors[1] = nn_lower_part(lowering, NN_TYPE_INT32, 0, 1, lanes);
	tensors[2] = NN_NO_TENSOR;
	if (layer->scale)
		tensors[2] = nn_lower_part(lowering, NN_TYPE_INT32, row, NN_SCALE_ROWS, lanes);
	return tensors[1] < 0 ? tensors[1] : tensors[2] < 0 ? tensors[2] : 0;
}

int nn_layer_lower(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_layer *layer = node->state;
	int error, input, output, constants[3];
	struct nn_program_op *op;

	if (node->inputs[0]->info.type == NN_INT16)
		return nn_layer_lower_int16(lowering, node);
	error = nn_layer_merge_pixels(node, layer);
	if (error)
		return error;
	input = nn_layer_lower_input(lowering, node, layer);
	output = nn_layer_lower_output(lowering, node, layer);
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
	op->window = nn_layer_window(layer);
	nn_lower_limits(op, node);
	return 0;
}
