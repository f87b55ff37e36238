/* SPDX-License-Identifier: MIT */
/*
 * CONV2D and FULLY_CONNECTED on the host: what each pixel's window has is laid end to end
 * (windows.h), and multiplied with the weights of a block of outputs. A group of pixels and a chunk
 * of their windows are together at a time, so that both stay in the caches.
 */
#ifndef NN_HOST_CONVOLUTION_H
#define NN_HOST_CONVOLUTION_H

#ifdef DOT
#include "dot_sums.h"
#else
#include "float_sums.h"
#endif

#define ENOUGH_UNITS	16u	/* for several threads to be busy until the end */

/* Outputs m .. end - 1 of the pixels of group `number`. */
static int convolve_group(const struct convolution *layer, uint64_t number, uint32_t m,
			  uint32_t end)
{
	/* A single chunk stays laid out, and few sums nearer than many. */
	bool is_single = (uint64_t)layer->window.kernel_h * line_length(layer->row_length) <= MOST_LENGTH;
	uint32_t step = is_single ? BLOCK : MOST_BLOCKS * BLOCK, begin = m;
	uint64_t first = number * layer->group, rest = layer->pixels - first;
	uint32_t count = rest < layer->group ? rest : layer->group;

	for (; m < end; m += step) {
		int ret = convolve_outputs(layer, first, count, m, min_u32(end, m + step),
					   is_single && m > begin);

		if (ret)
			return ret;
	}
	return 0;
}

/* Returns where the outputs of the split begin, or after the last one where they end. */
static uint32_t split_begin(const struct convolution *layer, uint32_t split)
{
	uint64_t blocks = (layer->outputs - 1) / BLOCK + 1;

	return min_u32(blocks * split / layer->splits * BLOCK, layer->outputs);
}

/* A unit is one split of a group. */
static int convolve(const struct convolution *layer, uint32_t begin, uint32_t end)
{
	for (uint32_t count; begin < end; begin += count) {
		uint32_t split = begin % layer->splits;
		int ret;

		count = min_u32(layer->splits - split, end - begin);
		ret = convolve_group(layer, begin / layer->splits, split_begin(layer, split),
				     split_begin(layer, split + count));
		if (ret)
			return ret;
	}
	return 0;
}

/* Groups of about the same size; and if they are few, splits of them. */
static void divide_convolution(struct convolution *layer)
{
	uint64_t groups = (layer->pixels + MOST_PIXELS - 1) / MOST_PIXELS;
	uint32_t blocks = (layer->outputs - 1) / BLOCK + 1;

	layer->group = groups ? round_up((layer->pixels + groups - 1) / groups, PIXELS) : 1;
	layer->splits =
		groups && groups < ENOUGH_UNITS ? min_u32(ENOUGH_UNITS / groups, blocks) : 1;
}

static uint32_t count_convolution_units(const struct convolution *layer)
{
	return (layer->pixels + layer->group - 1) / layer->group * layer->splits;
}

static struct convolution find_conv2d(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const struct nn_window_params *window = &call->op->window;
	struct convolution layer = {
		.call = call,
		.room = (struct convolution_room *)call->scratch,
		.results = find_results(call, output->dims[3],
					output->pitch / nn_type_size(output->type)),
		.window = *window,
		.height = input->dims[1],
		.width = input->dims[2],
		.channels = input->dims[3],
		.pitch = input->pitch,
		.out_height = output->dims[1],
		.out_width = output->dims[2],
		.outputs = output->dims[3],
		.pixels = (uint64_t)output->dims[0] * output->dims[1] * output->dims[2],
		.row_length = window->kernel_w * input->dims[3],
		.packed_row = conv2d_weight_bytes(1, 1, window->kernel_w, input->dims[3]),
		.flip = flip_of(input),
	};

	divide_convolution(&layer);
	return layer;
}

static uint32_t conv2d_units(const struct nn_call *call)
{
	const struct convolution layer = find_conv2d(call);

	return count_convolution_units(&layer);
}

static int conv2d(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	const struct convolution layer = find_conv2d(call);

	return convolve(&layer, begin, end);
}

/*
 * A fully connected layer is a convolution of items of one pixel, whose channels are the elements.
 */
static struct convolution find_fully_connected(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t outputs = output->row_bytes / nn_type_size(output->type);
	struct convolution layer = {
		.call = call,
		.room = (struct convolution_room *)call->scratch,
		.results = find_results(call, outputs, outputs),
		.window = { 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0 },
		.height = 1,
		.width = 1,
		.channels = input->row_bytes,
		.pitch = input->row_bytes,
		.out_height = 1,
		.out_width = 1,
		.outputs = outputs,
		.pixels = output->dims[0],
		.row_length = input->row_bytes,
		.packed_row = conv2d_weight_bytes(1, 1, 1, input->row_bytes),
		.flip = flip_of(input),
	};

	divide_convolution(&layer);
	return layer;
}

static uint32_t fully_connected_units(const struct nn_call *call)
{
	const struct convolution layer = find_fully_connected(call);

	return count_convolution_units(&layer);
}

static int fully_connected(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	const struct convolution layer = find_fully_connected(call);

	return convolve(&layer, begin, end);
}

#endif
