/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D on the host: 32 outputs at a time, of a piece of the image that is first laid
 * out as float32, with its padding, in lines of 32 numbers.
 */
#ifndef NN_HOST_DEPTHWISE_H
#define NN_HOST_DEPTHWISE_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "numbers.h"
#include "products.h"
#include "results.h"

#define MOST_COLUMNS	96u	/* of a piece of the output */
#define MOST_CELLS	1696u	/* and of the input */
#define ENOUGH_STRIPS	8u	/* for several threads to be busy until the end */

/* The layout of scratch memory. */
struct depthwise_room {
	float weights[EXACT * BLOCK];
	float cells[MOST_CELLS * BLOCK];
	uint32_t sums[MOST_COLUMNS * BLOCK];
};

_Static_assert(sizeof(struct depthwise_room) <= NN_SCRATCH_SIZE, "there is that much");

struct depthwise {
	const struct nn_call *call;
	struct depthwise_room *room;
	struct results results;
	const struct nn_window_params *window;
	uint32_t blocks;	/* of outputs */
	uint32_t columns;	/* of a piece, at most */
	uint32_t rows, strips;	/* of a piece, and how many have all; 0: no room for a window */
};

/* Pixels of the output, and where they are in the image: from y, x on, which may be outside. */
struct piece {
	uint32_t row, oy, ox, rows, columns;
	int64_t y, x;
	uint32_t high, wide;
};

/* Loads the inputs that outputs m, m + 1, ... are made of, in one pixel. */
static void load_cell(const struct depthwise *layer, float *to, const uint8_t *pixel, uint32_t m)
{
	const struct nn_tensor *input = &layer->call->input[0];
	uint32_t outputs = layer->results.outputs, multiplier = outputs / input->dims[3];
	uint32_t count = min_u32(outputs - m, BLOCK);
	int32_t flip = flip_of(input);

	if (multiplier == 1 && count == BLOCK) {
		load_numbers(to, pixel + m, BLOCK, flip);
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		to[i] = (float)load_8bit(pixel + (m + i) / multiplier, flip);
	fill_numbers(to + count, 0, BLOCK - count);
}

static void load_piece(const struct depthwise *layer, const struct piece *piece, uint32_t m)
{
	const struct nn_tensor *input = &layer->call->input[0];
	uint32_t height = input->dims[1], width = input->dims[2];
	float *to = layer->room->cells;

	for (int64_t y = piece->y; y < piece->y + piece->high; y++) {
		const uint8_t *line = input->data + piece->row * input->row_pitch +
				      (uint64_t)y * width * input->pitch;

		for (int64_t x = piece->x; x < piece->x + piece->wide; x++, to += BLOCK) {
			if (y < 0 || y >= height || x < 0 || x >= width)
				fill_numbers(to, (float)input->zero_point, BLOCK);
			else
				load_cell(layer, to, line + (uint64_t)x * input->pitch, m);
		}
	}
}

/* The weights of outputs m, m + 1, ... in rows y, y + 1, ... of the kernel: dsp/program/pack.h. */
static void load_taps(const struct depthwise *layer, uint32_t y, uint32_t rows, uint32_t m)
{
	const struct nn_tensor *weights = &layer->call->input[1];
	uint32_t width = layer->window->kernel_w, row_words = (width + 3) / 4;
	uint64_t word_bytes = 4 * (uint64_t)layer->call->input[2].dims[0];
	const int8_t *packed = (const int8_t *)weights->data + y * row_words * word_bytes + 4 * m;
	float *to = layer->room->weights;

	for (uint32_t i = 0; i < rows; i++, packed += row_words * word_bytes) {
		for (uint32_t x = 0; x < width; x++, to += BLOCK) {
			const int8_t *column = packed + x / 4 * word_bytes + x % 4;

			for (uint32_t k = 0; k < BLOCK; k++)
				to[k] = (float)(column[4 * k] - weights->zero_point);
		}
	}
}

/*
 * sums[pixel][output] += over `rows` rows of the kernel, for `pixels` pixels next to each other,
 * the first of which has its window at `cells`. One tile, as multiply_tile().
 */
static inline __attribute__((always_inline)) void
multiply_cells(const struct depthwise *layer, uint32_t *sums, const float *cells, uint32_t wide,
	       const float *weights, uint32_t rows, const uint32_t pixels)
{
	const struct nn_window_params *window = layer->window;
	const uint32_t step = window->stride_w * BLOCK, width = window->kernel_w;
	const uint32_t step_x = window->dilation_w * BLOCK;
	floats sum[PIXELS][VECTORS];

#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < VECTORS; v++)
			sum[p][v] = (floats){ 0 };
	}
	for (uint32_t y = 0; y < rows; y++, cells += window->dilation_h * wide * BLOCK) {
		const float *cell = cells;

		for (uint32_t x = 0; x < width; x++, weights += BLOCK, cell += step_x) {
#pragma GCC unroll 16
			for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
				for (uint32_t v = 0; v < VECTORS; v++)
					sum[p][v] = multiply_add(
						sum[p][v],
						*(const floats *)&cell[p * step + v * LANES],
						*(const floats *)&weights[v * LANES]);
			}
		}
	}
#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < VECTORS; v++)
			*(words *)&sums[p * BLOCK + v * LANES] +=
				(words)__builtin_convertvector(sum[p][v], ints);
	}
}

/* A line of pixels, whose windows' rows y, y + 1, ... begin at `cells`. */
static void multiply_line(const struct depthwise *layer, const float *cells, uint32_t wide,
			  uint32_t rows, uint32_t pixels, uint32_t outputs)
{
	uint32_t step = layer->window->stride_w * BLOCK;

	for (uint32_t m = 0; m < outputs; m += TILE_OUTPUTS) {
		const float *cell = cells + m, *weights = layer->room->weights + m;
		uint32_t *sums = layer->room->sums + m, p = 0;

		for (; p + PIXELS <= pixels; p += PIXELS)
			multiply_cells(layer, sums + p * BLOCK, cell + p * step, wide, weights,
				       rows, PIXELS);
		for (; p + PIXELS / 2 <= pixels; p += PIXELS / 2)
			multiply_cells(layer, sums + p * BLOCK, cell + p * step, wide, weights,
				       rows, PIXELS / 2);
		for (; p < pixels; p++)
			multiply_cells(layer, sums + p * BLOCK, cell + p * step, wide, weights,
				       rows, 1);
	}
}

/* Outputs m, m + 1, ... of a piece. */
static int convolve_piece(const struct depthwise *layer, const struct piece *piece, uint32_t m)
{
	const struct nn_window_params *window = layer->window;
	const uint32_t *bias = (const uint32_t *)layer->call->input[2].data + m;
	uint32_t most = min_u32(EXACT / window->kernel_w, window->kernel_h), rows;
	uint32_t count = min_u32(layer->results.outputs - m, BLOCK);
	const struct nn_tensor *output = &layer->call->output[0];
	uint32_t *sums = layer->room->sums;

	load_piece(layer, piece, m);
	if (most == window->kernel_h)
		load_taps(layer, 0, most, m);
	for (uint32_t i = 0; i < piece->rows; i++) {
		uint64_t pixel = ((uint64_t)piece->row * output->dims[1] + piece->oy + i) *
					 output->dims[2] + piece->ox;
		const float *cells = layer->room->cells +
				     i * window->stride_h * piece->wide * BLOCK;
		int ret = nn_call_progress(layer->call);

		if (ret)
			return ret;
		for (uint32_t p = 0; p < piece->columns; p++)
			memcpy(&sums[p * BLOCK], bias, BLOCK * sizeof(*bias));
		for (uint32_t y = 0; y < window->kernel_h; y += rows) {
			rows = min_u32(most, window->kernel_h - y);
			if (most < window->kernel_h)
				load_taps(layer, y, rows, m);
			multiply_line(layer,
				      cells + y * window->dilation_h * piece->wide * BLOCK,
				      piece->wide, rows, piece->columns, count);
		}
		for (uint32_t p = 0; p < piece->columns; p++)
			store_block(&layer->results, &sums[p * BLOCK], pixel + p, m);
	}
	return 0;
}

/* Rows oy, oy + 1, ... of outputs m, m + 1, ... of an item. */
static int convolve_strip(const struct depthwise *layer, uint32_t row, uint32_t m, uint32_t oy)
{
	const struct nn_window_params *window = layer->window;
	const struct nn_tensor *output = &layer->call->output[0];

	for (uint32_t ox = 0; ox < output->dims[2]; ox += layer->columns) {
		struct piece piece = {
			.row = row,
			.oy = oy,
			.ox = ox,
			.rows = min_u32(layer->rows, output->dims[1] - oy),
			.columns = min_u32(layer->columns, output->dims[2] - ox),
			.y = (int64_t)oy * window->stride_h - window->pad_top,
			.x = (int64_t)ox * window->stride_w - window->pad_left,
		};
		int ret;

		piece.high = (piece.rows - 1) * window->stride_h +
			     (window->kernel_h - 1) * window->dilation_h + 1;
		piece.wide = (piece.columns - 1) * window->stride_w +
			     (window->kernel_w - 1) * window->dilation_w + 1;
		ret = convolve_piece(layer, &piece, m);
		if (ret)
			return ret;
	}
	return 0;
}

static struct depthwise find_depthwise(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *output = &call->output[0];
	struct depthwise layer = {
		.call = call,
		.room = (struct depthwise_room *)call->scratch,
		.results = find_results(call, output->dims[3],
					output->pitch / nn_type_size(output->type)),
		.window = window,
		.blocks = (output->dims[3] - 1) / BLOCK + 1,
	};
	uint32_t reach_h = (window->kernel_h - 1) * window->dilation_h + 1;
	uint32_t reach_w = (window->kernel_w - 1) * window->dilation_w + 1;
	uint64_t strips, images = (uint64_t)layer.blocks * output->dims[0];
	uint32_t wide;

	if (reach_h * reach_w > MOST_CELLS)
		return layer;
	layer.columns = (MOST_CELLS / reach_h - reach_w) / window->stride_w + 1;
	layer.columns = min_u32(min_u32(layer.columns, MOST_COLUMNS), output->dims[2]);
	wide = (layer.columns - 1) * window->stride_w + reach_w;
	layer.rows = (MOST_CELLS / wide - reach_h) / window->stride_h + 1;
	strips = images < ENOUGH_STRIPS ? ENOUGH_STRIPS / (images ? images : 1) : 1;
	layer.rows = min_u32(layer.rows, (output->dims[1] + strips - 1) / strips);
	layer.strips = (output->dims[1] - 1) / layer.rows + 1;
	return layer;
}

static uint32_t depthwise_conv2d_units(const struct nn_call *call)
{
	const struct depthwise layer = find_depthwise(call);

	return layer.rows ? call->output[0].dims[0] * layer.blocks * layer.strips : 1;
}

/* A unit is a strip of an item's 32 outputs. */
static int depthwise_conv2d(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	const struct depthwise layer = find_depthwise(call);

	if (!layer.rows)
		return nn_depthwise_conv2d_portable(call);
	for (; begin < end; begin++) {
		uint32_t strip = begin % layer.strips, image = begin / layer.strips;
		int ret = convolve_strip(&layer, image / layer.blocks,
					 image % layer.blocks * BLOCK, strip * layer.rows);

		if (ret)
			return ret;
	}
	return 0;
}

#endif
