/* SPDX-License-Identifier: MIT */
/*
 * FLOAT_CONV2D on the host: tiles of several pixels of a row and a block of outputs of a group, whose
 * sums stay in registers for the whole window. Each output has one accumulator, and products are added
 * in the order that dsp/kernels/float.h has: vectors are of outputs.
 *
 * A block's weights are laid out side by side once for all pixels. Where a window reaches over an edge,
 * pixels are made one by one. What no vector is full of is made without vectors, and all of it where
 * there is no instruction that multiplies and adds.
 */
#ifndef NN_HOST_FLOAT_CONV2D_H
#define NN_HOST_FLOAT_CONV2D_H

#include "dsp/kernels/window.h"
#include "float_products.h"
#include "kernels.h"

/* A layer, as one image after the other is made. */
struct float_layer {
	const struct nn_call *call;
	const struct nn_window_params *window;
	const float *image;
	float *out;
	uint32_t channels, outputs;
	uint32_t high, wide;		/* of the image, */
	uint32_t rows, columns;		/* and of what is made of it */
};

/* Outputs that are made together, and what they read of each pixel. */
struct float_block {
	uint32_t first, count;
	uint32_t from, channels;	/* of the image */
	bool is_each;			/* an output of each channel */
	bool is_padded;			/* weights have zeros behind the last output's */
	const float *weights;
	uint32_t weight_step;		/* from an element's weights to the next one's */
	float bias[FLOAT_BLOCK];	/* zeros behind the last output's */
};

/* ---- Blocks ---- */

/* Blocks of so many outputs: first those of FLOAT_BLOCK, then those of a vector. */
static uint32_t count_float_blocks(uint32_t outputs)
{
	return outputs / FLOAT_BLOCK + (outputs % FLOAT_BLOCK + LANES - 1) / LANES;
}

static bool is_float_depthwise(const struct nn_call *call)
{
	uint32_t groups = call->op->float_conv2d.groups;

	return call->output[0].dims[3] == groups && call->input[0].dims[3] == groups;
}

/* Blocks of outputs that one group after the other has; those of single channels are one group. */
static uint32_t all_float_blocks(const struct nn_call *call)
{
	uint32_t groups = is_float_depthwise(call) ? 1 : call->op->float_conv2d.groups;

	return groups * count_float_blocks(call->output[0].dims[3] / groups);
}

static struct float_block find_float_block(const struct nn_call *call, uint32_t number)
{
	uint32_t outputs = call->output[0].dims[3], channels = call->input[0].dims[3];
	bool is_each = is_float_depthwise(call);
	uint32_t groups = is_each ? 1 : call->op->float_conv2d.groups;
	uint32_t of_group = outputs / groups, each = count_float_blocks(of_group);
	uint32_t group = number / each, whole = of_group / FLOAT_BLOCK;
	uint32_t within = number % each, at = within * FLOAT_BLOCK;
	struct float_block block = {
		.count = FLOAT_BLOCK,
		.channels = is_each ? 1 : channels / groups,
		.is_each = is_each,
		.weight_step = outputs,
	};

	if (within >= whole) {
		at = whole * FLOAT_BLOCK + (within - whole) * LANES;
		block.count = min_u32(of_group - at, LANES);
	}
	block.first = group * of_group + at;
	block.from = is_each ? at : group * block.channels;
	memcpy(block.bias, (const float *)call->input[2].data + block.first,
	       block.count * sizeof(*block.bias));
	block.weights = (const float *)call->input[1].data + block.first;
	return block;
}

/* Lays out a block's weights in scratch memory, if they have room there. */
static void pack_float_weights(const struct nn_call *call, struct float_block *block)
{
	const struct nn_window_params *window = &call->op->float_conv2d.window;
	uint64_t rows = (uint64_t)window->kernel_h * window->kernel_w * block->channels;
	uint32_t step = block->count == FLOAT_BLOCK ? FLOAT_BLOCK : LANES;
	float *to = (float *)call->scratch;
	const float *from = block->weights;

	if (rows > NN_SCRATCH_SIZE / (step * sizeof(*to)))
		return;
	block->weights = to;
	for (uint64_t i = 0; i < rows; i++, from += block->weight_step, to += step) {
		for (uint32_t k = 0; k < block->count; k++)
			to[k] = from[k];
		for (uint32_t k = block->count; k < step; k++)
			to[k] = 0;
	}
	block->weight_step = step;
	block->is_padded = true;
}

/* ---- Pixels ---- */

/* Column x of the image that the window's column j of pixel ox is at. */
static inline int64_t float_column(const struct nn_window_params *window, uint32_t ox, uint32_t j)
{
	return (int64_t)ox * window->stride_w - window->pad_left +
	       (int64_t)j * window->dilation_w;
}

/* Where the window's element i, j of a pixel is in the image; NULL: outside. */
static inline const float *find_float_pixel(const struct float_layer *layer,
					    const struct float_block *block, uint32_t oy, uint32_t ox,
					    uint32_t i, uint32_t j)
{
	const struct nn_window_params *window = layer->window;
	int64_t y = (int64_t)oy * window->stride_h - window->pad_top +
		    (int64_t)i * window->dilation_h;
	int64_t x = float_column(window, ox, j);

	if (y < 0 || y >= layer->high || x < 0 || x >= layer->wide)
		return NULL;
	return layer->image + (y * layer->wide + x) * layer->channels + block->from;
}

static float *find_float_output(const struct float_layer *layer, const struct float_block *block,
				uint32_t oy, uint32_t ox)
{
	return layer->out + ((uint64_t)oy * layer->columns + ox) * layer->outputs + block->first;
}

/* A pixel without vectors. */
static void make_float_singles(const struct float_layer *layer, const struct float_block *block,
			       uint32_t oy, uint32_t ox)
{
	const struct nn_float_conv2d_params *params = &layer->call->op->float_conv2d;
	const struct nn_window_params *window = layer->window;
	const float *weights = block->weights;
	float sums[FLOAT_BLOCK], *out = find_float_output(layer, block, oy, ox);

	memcpy(sums, block->bias, block->count * sizeof(*sums));
	for (uint32_t i = 0; i < window->kernel_h; i++) {
		for (uint32_t j = 0; j < window->kernel_w; j++) {
			const float *x = find_float_pixel(layer, block, oy, ox, i, j);

			for (uint32_t k = 0; k < block->channels; k++, weights += block->weight_step) {
				for (uint32_t m = 0; m < block->count && x; m++)
					sums[m] = __builtin_fmaf(x[block->is_each ? m : k], weights[m],
								 sums[m]);
			}
		}
	}
	for (uint32_t m = 0; m < block->count; m++)
		out[m] = float_clamp(sums[m], params->low, params->high);
}

#ifdef ONE_INSTRUCTION
/*
 * Pixels ox and after, whose windows have no column over an edge, or of one pixel. What is constant where
 * it is called makes the sums stay in registers.
 */
static inline __attribute__((always_inline)) void
make_float_tile(const struct float_layer *layer, const struct float_block *block, uint32_t oy,
		uint32_t ox, const uint32_t pixels, const uint32_t vectors, const bool is_each)
{
	const struct nn_float_conv2d_params *params = &layer->call->op->float_conv2d;
	const struct nn_window_params *window = layer->window;
	const uint64_t step = (uint64_t)window->stride_w * layer->channels;
	const uint32_t weight_step = block->weight_step, channels = is_each ? 1 : block->channels;
	const float low = params->low, high = params->high;
	const bool is_plain = has_plain_bounds(low, high);
	const bool is_full = vectors > 1 || block->count == LANES;
	const float *weights = block->weights;
	float *out = find_float_output(layer, block, oy, ox);
	floats tile[PIXELS][VECTORS];

#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < vectors; v++)
			tile[p][v] = load_floats(block->bias + v * LANES);
	}
	for (uint32_t i = 0; i < window->kernel_h; i++) {
		for (uint32_t j = 0; j < window->kernel_w; j++) {
			const float *x = find_float_pixel(layer, block, oy, ox, i, j);

			if (!x) {
				weights += (uint64_t)channels * weight_step;
				continue;
			}
			for (uint32_t k = 0; k < channels; k++, weights += weight_step, x++)
				add_float_products(tile, x, step, weights, pixels, vectors, is_each);
		}
	}
#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++, out += layer->outputs) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < vectors; v++) {
			floats made = clamp_floats(tile[p][v], low, high, is_plain);

			if (is_full)
				store_floats(out + v * LANES, made);
			else
				memcpy(out, &made, block->count * sizeof(float));
		}
	}
}

static void make_float_pixels(const struct float_layer *layer, const struct float_block *block,
			      uint32_t oy, uint32_t ox, uint32_t pixels)
{
	bool is_whole = block->count == FLOAT_BLOCK;

	if (block->is_each && is_whole && pixels == PIXELS)
		make_float_tile(layer, block, oy, ox, PIXELS, VECTORS, true);
	else if (block->is_each && is_whole)
		make_float_tile(layer, block, oy, ox, 1, VECTORS, true);
	else if (block->is_each && pixels == PIXELS)
		make_float_tile(layer, block, oy, ox, PIXELS, 1, true);
	else if (block->is_each)
		make_float_tile(layer, block, oy, ox, 1, 1, true);
	else if (is_whole && pixels == PIXELS)
		make_float_tile(layer, block, oy, ox, PIXELS, VECTORS, false);
	else if (is_whole)
		make_float_tile(layer, block, oy, ox, 1, VECTORS, false);
	else if (pixels == PIXELS)
		make_float_tile(layer, block, oy, ox, PIXELS, 1, false);
	else
		make_float_tile(layer, block, oy, ox, 1, 1, false);
}

/* Whether no column of the windows of pixels ox to ox + PIXELS - 1 is over an edge. */
static bool is_float_inside(const struct float_layer *layer, uint32_t ox)
{
	return ox + PIXELS <= layer->columns && float_column(layer->window, ox, 0) >= 0 &&
	       float_column(layer->window, ox + PIXELS - 1, layer->window->kernel_w - 1) <
		       layer->wide;
}

/* Makes a row with vectors, if weights and elements fill them. */
static bool make_float_vectors(const struct float_layer *layer, const struct float_block *block,
			       uint32_t oy)
{
	if (block->count % LANES && (block->is_each || !block->is_padded))
		return false;
	for (uint32_t ox = 0, count; ox < layer->columns; ox += count) {
		count = is_float_inside(layer, ox) ? PIXELS : 1;
		make_float_pixels(layer, block, oy, ox, count);
	}
	return true;
}
#else
static bool make_float_vectors(const struct float_layer *layer, const struct float_block *block,
			       uint32_t oy)
{
	(void)layer;
	(void)block;
	(void)oy;
	return false;
}
#endif

static void make_float_row(const struct float_layer *layer, const struct float_block *block,
			   uint32_t oy)
{
	if (make_float_vectors(layer, block, oy))
		return;
	for (uint32_t ox = 0; ox < layer->columns; ox++)
		make_float_singles(layer, block, oy, ox);
}

/* ---- Layers ---- */

/* Whether windows are pixels: then all rows are one. */
static bool is_float_pointwise(const struct float_layer *layer)
{
	const struct nn_window_params *window = layer->window;

	return window->kernel_h == 1 && window->kernel_w == 1 && window->stride_h == 1 &&
	       window->stride_w == 1 && !window->pad_top && !window->pad_left &&
	       layer->rows <= layer->high && layer->columns == layer->wide;
}

/* Blocks begin .. end - 1 of all images. */
static int make_float_blocks(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct float_layer layer = {
		.call = call, .window = &call->op->float_conv2d.window,
		.channels = input->dims[3], .outputs = output->dims[3],
		.high = input->dims[1], .wide = input->dims[2],
		.rows = output->dims[1], .columns = output->dims[2],
	};

	if (is_float_pointwise(&layer)) {
		layer.wide *= layer.high;
		layer.columns *= layer.rows;
		layer.high = layer.rows = 1;
	}
	for (; begin < end; begin++) {
		struct float_block block = find_float_block(call, begin);

		if ((uint64_t)output->dims[0] * layer.rows * layer.columns > PIXELS ||
		    block.count % LANES)
			pack_float_weights(call, &block);
		for (uint32_t n = 0; n < output->dims[0]; n++) {
			layer.image = (const float *)(input->data + n * input->row_bytes);
			layer.out = (float *)(output->data + n * output->row_bytes);
			for (uint32_t oy = 0; oy < layer.rows; oy++) {
				int ret = nn_call_progress(call);

				if (ret)
					return ret;
				make_float_row(&layer, &block, oy);
			}
		}
	}
	return 0;
}

static int run_float_conv2d(const struct nn_call *call)
{
	return make_float_blocks(call, 0, all_float_blocks(call));
}

/* Whether each thread makes some of the outputs, as it would read the weights of all of them for few pixels. */
static bool is_divided_by_outputs(const struct nn_call *call)
{
	return call->output[0].dims[0] == 1 && call->input[1].bytes > call->input[0].bytes;
}

static uint32_t float_conv2d_units(const struct nn_call *call)
{
	return is_divided_by_outputs(call) ? all_float_blocks(call) : nn_call_parts(call);
}

static int float_conv2d(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	if (is_divided_by_outputs(call))
		return make_float_blocks(call, begin, end);
	return nn_host_run_parts(call, begin, end, run_float_conv2d);
}

#endif
