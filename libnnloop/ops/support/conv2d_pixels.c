// SPDX-License-Identifier: MIT
/*
 * Convolutions with few outputs or inputs: pixels side by side are made as outputs of one.
 *
 * The kernels make 32 outputs at a time, of eight products at a time in each row of the kernel:
 * with 16 outputs half of that is for nothing, and with 3 x 3 inputs in a row seven of sixteen.
 * With the weights of a pixel's outputs, and the same once more, a stride farther and for the next
 * pixel's outputs, it is a convolution with twice as many outputs and a wider kernel, whose other
 * weights are zero points, which add nothing. In memory its output is the same.
 */
#include <errno.h>

#include "check.h"
#include "emit.h"
#include "layer.h"
#include "ops/ops.h"

/* Outputs of two pixels with 24 each: both 48 and 24 leave a quarter of a tile unused. */
#define TWICE_24	48u

#define MOST_PIXELS	32u
#define MOST_BYTES	(1u << 20)	/* of weights, which are that many times as many */

/* A kernel of one pixel, so that pixels side by side are channels of one. */
static bool is_single(const struct nn_layer *layer)
{
	const struct nn_window_params *window = &layer->window;

	return window->kernel_w == 1 && window->stride_w == 1;
}

static uint32_t kernel_of(const struct nn_layer *layer, uint32_t pixels)
{
	return layer->window.kernel_w + (pixels - 1) * layer->window.stride_w;
}

/*
 * The cost of a row of the kernel for that many pixels, in units of eight products for 32 outputs.
 */
static uint32_t count_products(const struct nn_layer *layer, uint32_t pixels)
{
	const struct nn_weights *weights = &layer->weights;

	return (kernel_of(layer, pixels) * weights->inputs + 7) / 8 *
	       (nn_pack_lanes(pixels * weights->outputs) / 32);
}

static bool can_merge(const struct nn_node *node, const struct nn_layer *layer, uint32_t pixels)
{
	const struct nn_weights *weights = &layer->weights;
	const uint32_t columns = node->outputs[0].info.dims[2];
	const uint32_t outputs = pixels * weights->outputs, width = kernel_of(layer, pixels);

	if ((outputs % 32 && outputs != TWICE_24) || outputs > NN_LAYER_MOST_JOINED || columns % pixels ||
	    width > UINT8_MAX || layer->window.stride_w * pixels > UINT8_MAX ||
	    (uint64_t)outputs * weights->kernel_h * width * weights->inputs > MOST_BYTES)
		return false;
	return !is_single(layer) ||
	       (!layer->window.pad_left && node->inputs[0]->info.dims[2] == columns);
}

/*
 * The number of pixels with the fewest products for each, and the greater one if these are as many.
 */
uint32_t nn_layer_count_pixels(const struct nn_node *node, const struct nn_layer *layer)
{
	uint32_t best = 1;

	if (layer->opcode != NN_OPCODE_CONV2D || layer->window.dilation_w != 1)
		return 1;
	for (uint32_t pixels = 2; pixels <= MOST_PIXELS; pixels *= 2) {
		if (can_merge(node, layer, pixels) &&
		    count_products(layer, pixels) * best <= count_products(layer, best) * pixels)
			best = pixels;
	}
	return best;
}

bool nn_layer_merges_input(const struct nn_node *node, const struct nn_layer *layer)
{
	return is_single(layer) && nn_layer_count_pixels(node, layer) > 1;
}

static int8_t weight_of(const struct nn_weights *weights, uint32_t output, uint32_t y, uint32_t x,
			uint32_t input)
{
	return weights->data[output * weights->stride_output + y * weights->stride_h +
			     x * weights->stride_w + input * weights->stride_input];
}

static int make_weights(struct nn_node *node, struct nn_layer *layer)
{
	const struct nn_weights *weights = &layer->weights;
	const uint32_t width = kernel_of(layer, layer->pixels);
	const uint32_t outputs = layer->pixels * weights->outputs;
	int8_t *to = nn_node_alloc(node, outputs * weights->kernel_h * width, weights->inputs);
	struct nn_weights *merged = &layer->merged;

	if (!to)
		return -ENOMEM;
	/* The columns of single pixels are inputs. */
	*merged = (struct nn_weights){
		.data = to,
		.zero_point = weights->zero_point,
		.outputs = outputs,
		.kernel_h = weights->kernel_h,
		.kernel_w = is_single(layer) ? 1 : width,
		.inputs = is_single(layer) ? weights->inputs * width : weights->inputs,
		.stride_input = 1,
		.stride_w = is_single(layer) ? weights->inputs * width : weights->inputs,
		.stride_h = (int64_t)weights->inputs * width,
		.stride_output = (int64_t)weights->inputs * width * weights->kernel_h,
	};
	for (uint32_t m = 0; m < outputs; m++) {
		const uint32_t first = m / weights->outputs * layer->window.stride_w;

		for (uint32_t y = 0; y < weights->kernel_h; y++) {
			for (uint32_t x = 0; x < width; x++) {
				for (uint32_t c = 0; c < weights->inputs; c++)
					*to++ = x - first < weights->kernel_w ?
							weight_of(weights, m % weights->outputs, y,
								  x - first, c) :
							weights->zero_point;
			}
		}
	}
	return 0;
}

int nn_layer_merge_pixels(struct nn_node *node, struct nn_layer *layer)
{
	if (layer->pixels)
		return 0;
	layer->pixels = nn_layer_count_pixels(node, layer);
	return layer->pixels > 1 ? make_weights(node, layer) : 0;
}

int nn_layer_lower_input(struct nn_lowering *lowering, const struct nn_node *node,
			 const struct nn_layer *layer)
{
	const uint32_t *dims = node->inputs[0]->info.dims;

	if (layer->pixels == 1 || !is_single(layer))
		return nn_lower_value(lowering, node->inputs[0]);
	return nn_lower_image(lowering, node->inputs[0], dims[1], dims[2] / layer->pixels,
			      dims[3] * layer->pixels);
}

int nn_layer_lower_output(struct nn_lowering *lowering, struct nn_node *node,
			  const struct nn_layer *layer)
{
	const uint32_t *dims = node->outputs[0].info.dims;

	if (layer->pixels == 1)
		return nn_lower_value(lowering, &node->outputs[0]);
	return nn_lower_image(lowering, &node->outputs[0], dims[1], dims[2] / layer->pixels,
			      dims[3] * layer->pixels);
}

struct nn_window_params nn_layer_window(const struct nn_layer *layer)
{
	struct nn_window_params window = layer->window;

	if (layer->pixels == 1 || is_single(layer))
		return window;
	window.kernel_w = kernel_of(layer, layer->pixels);
	window.stride_w *= layer->pixels;
	return window;
}

uint64_t nn_layer_count_macs(const struct nn_node *node, uint64_t macs)
{
	const struct nn_layer *layer = node->state;

	if (node->op != &nn_op_conv2d || layer->pixels < 2)
		return macs;
	return macs / ((uint64_t)layer->merged.kernel_w * layer->merged.inputs) *
	       layer->weights.kernel_w * layer->weights.inputs;
}
