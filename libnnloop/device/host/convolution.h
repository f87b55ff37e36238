/* SPDX-License-Identifier: MIT */
/*
 * CONV2D and FULLY_CONNECTED on the host: what each pixel's window has is laid end to end, as
 * float32, and so are the weights of a block of outputs: what remains is a product of two matrices
 * (products.h). A group of pixels and a chunk of their windows are together at a time, so that both
 * stay in the caches.
 */
#ifndef NN_HOST_CONVOLUTION_H
#define NN_HOST_CONVOLUTION_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "numbers.h"
#include "products.h"
#include "results.h"

#define MOST_PIXELS	96u	/* of a group, a multiple of PIXELS */
#define MOST_BLOCKS	8u	/* of outputs, for which a group's windows are laid out once */
#define ENOUGH_UNITS	16u	/* for several threads to be busy until the end */

_Static_assert(MOST_PIXELS % PIXELS == 0, "tiles end with a group");

/* The layout of scratch memory. */
struct convolution_room {
	float weights[(EXACT + 3) * BLOCK];	/* four positions are written at a time */
	float patches[MOST_PIXELS * EXACT];
	uint32_t sums[MOST_BLOCKS][MOST_PIXELS * BLOCK];
};

_Static_assert(sizeof(struct convolution_room) <= NN_SCRATCH_SIZE, "there is that much");

struct convolution {
	const struct nn_call *call;
	struct convolution_room *room;
	struct results results;
	struct nn_window_params window;
	uint32_t height, width, channels, out_height, out_width, outputs;
	uint32_t pitch;		/* bytes from a pixel of the input to the next */
	uint64_t pixels;	/* of the output, in all items */
	uint32_t group;		/* of them are together, or fewer in the last */
	uint32_t splits;	/* of the outputs' blocks, in which a group is done */
	uint32_t row_length;	/* of the kernel */
	uint64_t packed_row;	/* bytes of its weights, of a block of outputs */
	int32_t flip;
};

/* A part of windows of at most EXACT products. */
struct chunk {
	uint32_t y, rows;	/* of the kernel */
	uint32_t k, count;	/* positions of each row */
};

/* The one behind `chunk`, or the first, behind one of nothing. False: there is none. */
static bool next_chunk(const struct convolution *layer, struct chunk *chunk)
{
	uint32_t row = layer->row_length, kernel_h = layer->window.kernel_h;

	chunk->k += chunk->count;
	if (chunk->k == row) {
		chunk->y += chunk->rows;
		chunk->k = 0;
	}
	chunk->count = min_u32(row - chunk->k, EXACT);
	chunk->rows = row > EXACT ? 1 : min_u32(EXACT / row, kernel_h - chunk->y);
	return chunk->y < kernel_h;
}

/* Elements of an image's line from byte `begin` on, some of which may be beside it. */
static void load_run(const struct convolution *layer, float *to, const uint8_t *line, int64_t begin,
		     uint32_t count)
{
	int64_t length = (layer->width - 1ll) * layer->pitch + layer->channels, end = begin + count;
	int64_t from = begin < 0 ? 0 : begin, until = end > length ? length : end;
	float padding = (float)layer->call->input[0].zero_point;

	if (from >= until) {
		fill_numbers(to, padding, count);
		return;
	}
	fill_numbers(to, padding, from - begin);
	load_numbers(to + (from - begin), line + from, until - from, layer->flip);
	fill_numbers(to + (until - begin), padding, end - until);
}

/* A chunk of the window of one pixel. */
static void load_window(const struct convolution *layer, const struct chunk *chunk, float *to,
			uint64_t row, uint32_t oy, uint32_t ox)
{
	const struct nn_window_params *window = &layer->window;
	const struct nn_tensor *input = &layer->call->input[0];
	/* The bytes that lie in one piece in the kernel and in the image. */
	uint32_t run = window->dilation_w == 1 && layer->pitch == layer->channels
			       ? layer->row_length : layer->channels;
	int64_t y = (int64_t)oy * window->stride_h - window->pad_top +
		    (int64_t)chunk->y * window->dilation_h;
	int64_t x = (int64_t)ox * window->stride_w - window->pad_left;

	for (uint32_t i = 0; i < chunk->rows; i++, y += window->dilation_h) {
		uint32_t k = chunk->k, rest = chunk->count, count;
		const uint8_t *line;

		if (y < 0 || y >= layer->height) {
			fill_numbers(to, (float)input->zero_point, rest);
			to += rest;
			continue;
		}
		line = input->data + row * input->row_pitch +
		       (uint64_t)y * layer->width * layer->pitch;
		for (; rest; rest -= count, k += count, to += count) {
			count = min_u32(run - k % run, rest);
			load_run(layer, to, line,
				 (x + (int64_t)(k / run) * window->dilation_w) * layer->pitch +
					 k % run,
				 count);
		}
	}
}

/* All windows are one pixel, and next to each other as the pixels are. */
static bool is_pointwise(const struct convolution *layer)
{
	const struct nn_window_params *window = &layer->window;

	return window->kernel_h == 1 && window->kernel_w == 1 && window->stride_h == 1 &&
	       window->stride_w == 1 && layer->out_height == layer->height &&
	       layer->out_width == layer->width && layer->pitch == layer->channels;
}

/* A chunk of the windows of pixels first, first + 1, ..., and zeros up to the end of a tile. */
static void load_patches(const struct convolution *layer, const struct chunk *chunk, uint64_t first,
			 uint32_t count)
{
	const uint8_t *data = layer->call->input[0].data;
	uint32_t length = chunk->rows * chunk->count;
	uint64_t row = first / layer->out_width / layer->out_height;
	uint32_t oy = first / layer->out_width % layer->out_height, ox = first % layer->out_width;
	float *to = layer->room->patches;

	fill_numbers(to + count * length, 0, (round_up(count, PIXELS) - count) * length);
	if (is_pointwise(layer) && length == layer->channels) {
		load_numbers(to, data + first * length, (uint64_t)count * length, layer->flip);
		return;
	}
	for (uint32_t i = 0; i < count; i++, to += length) {
		load_window(layer, chunk, to, row, oy, ox);
		if (++ox < layer->out_width)
			continue;
		ox = 0;
		if (++oy < layer->out_height)
			continue;
		oy = 0;
		row++;
	}
}

/*
 * The weights of 32 outputs from `packed` on, at `count` positions: dsp/program/pack.h. Four of an output
 * are a little-endian word.
 */
static void load_positions(float *to, const uint8_t *packed, uint32_t count, int32_t zero)
{
	for (uint32_t i = 0; i < count; i += 4, packed += 4 * BLOCK) {
		for (uint32_t m = 0; m < BLOCK; m += LANES) {
			words fours = *(const words *)(packed + 4 * m);

			for (uint32_t k = 0; k < 4; k++)
				*(floats *)&to[(i + k) * BLOCK + m] = __builtin_convertvector(
					(ints)(fours >> 8 * k & 255) - zero, floats);
		}
	}
}

static void load_weights(const struct convolution *layer, const struct chunk *chunk, uint32_t m)
{
	const struct nn_tensor *weights = &layer->call->input[1];
	const uint8_t *packed = weights->data + (m / BLOCK * layer->window.kernel_h + chunk->y) *
							layer->packed_row +
				conv2d_weight_offset(0, chunk->k);

	for (uint32_t i = 0; i < chunk->rows; i++, packed += layer->packed_row)
		load_positions(&layer->room->weights[i * chunk->count * BLOCK], packed,
			       chunk->count, weights->zero_point);
}

/* All chunks of a group's windows, for outputs m .. end - 1. */
static int sum_up(const struct convolution *layer, uint64_t first, uint32_t count, uint32_t m,
		  uint32_t end, bool is_laid_out)
{
	struct convolution_room *room = layer->room;
	struct chunk chunk = { 0 };

	while (next_chunk(layer, &chunk)) {
		uint32_t length = chunk.rows * chunk.count;

		if (!is_laid_out)
			load_patches(layer, &chunk, first, count);
		for (uint32_t i = m; i < end; i += BLOCK) {
			int ret = nn_call_progress(layer->call);

			if (ret)
				return ret;
			load_weights(layer, &chunk, i);
			multiply_block(room->sums[(i - m) / BLOCK], room->patches, length,
				       room->weights, length, count, min_u32(end - i, BLOCK));
		}
	}
	return 0;
}

/* Outputs m .. end - 1 of a group of pixels, for which there is room. */
static int convolve_outputs(const struct convolution *layer, uint64_t first, uint32_t count,
			    uint32_t m, uint32_t end, bool is_laid_out)
{
	struct convolution_room *room = layer->room;
	const uint32_t *bias = (const uint32_t *)layer->call->input[2].data;
	int ret;

	for (uint32_t i = m; i < end; i += BLOCK) {
		for (uint32_t p = 0; p < round_up(count, PIXELS); p++)
			memcpy(&room->sums[(i - m) / BLOCK][p * BLOCK], &bias[i],
			       BLOCK * sizeof(*bias));
	}
	ret = sum_up(layer, first, count, m, end, is_laid_out);
	if (ret)
		return ret;
	for (uint32_t i = m; i < end; i += BLOCK) {
		for (uint32_t p = 0; p < count; p++)
			store_block(&layer->results, &room->sums[(i - m) / BLOCK][p * BLOCK],
				    first + p, i);
	}
	return 0;
}

/* Outputs m .. end - 1 of the pixels of group `number`. */
static int convolve_group(const struct convolution *layer, uint64_t number, uint32_t m,
			  uint32_t end)
{
	/* A single chunk stays laid out, and few sums nearer than many. */
	bool is_single = (uint64_t)layer->window.kernel_h * layer->row_length <= EXACT;
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
