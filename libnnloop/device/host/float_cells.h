/* SPDX-License-Identifier: MIT */
/*
 * Sums of a depthwise convolution in float32: a piece of the image is first laid out as such, with
 * its padding, in lines of 32 numbers.
 */
#ifndef NN_HOST_FLOAT_CELLS_H
#define NN_HOST_FLOAT_CELLS_H

#include "pieces.h"
#include "products.h"

/* The layout of scratch memory. */
struct depthwise_room {
	float weights[EXACT * BLOCK];
	float cells[MOST_CELLS * BLOCK];
	uint32_t sums[MOST_COLUMNS * BLOCK];
};

_Static_assert(sizeof(struct depthwise_room) <= NN_SCRATCH_SIZE, "there is that much");

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

#endif
