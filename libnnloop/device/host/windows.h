/* SPDX-License-Identifier: MIT */
/*
 * Lays the elements of the windows of a convolution's pixels end to end: as float32, or with DOT as
 * the bytes that they are. With DOT each kernel row is filled with zeros up to a multiple of 8, as
 * that of the weights is (dsp/program/pack.h).
 */
#ifndef NN_HOST_WINDOWS_H
#define NN_HOST_WINDOWS_H

#include <string.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/weights.h"
#include "numbers.h"
#include "results.h"

#define MOST_PIXELS	96u	/* of a group, a multiple of PIXELS */
#define MOST_BLOCKS	8u	/* of outputs, for which a group's windows are laid out once */

_Static_assert(MOST_PIXELS % PIXELS == 0, "tiles end with a group");

#ifdef DOT
#include <immintrin.h>

#define MOST_LENGTH	1280u	/* of what is laid out at a time */

typedef uint8_t element;

static inline uint32_t line_length(uint32_t count)
{
	return round_up(count, 8);
}

static inline void load_places(element *to, const uint8_t *from, uint64_t count, int32_t flip)
{
	(void)flip;
	/* Rows of few channels are short, and many. */
	if (count - 1 < 64) {
		__mmask64 places = ~0ull >> (64 - count);

		_mm512_mask_storeu_epi8(to, places, _mm512_maskz_loadu_epi8(places, from));
	} else {
		memcpy(to, from, count);
	}
}

static inline void fill_places(element *to, element value, uint64_t count)
{
	if (count)
		memset(to, value, count);
}

/* Fills what is behind `count` places of a kernel row and returns how many that is. */
static inline uint32_t fill_line(element *to, uint32_t count)
{
	uint32_t rest = line_length(count) - count;

	for (uint32_t i = 0; i < rest; i++)
		to[i] = 0;
	return rest;
}

/* The layout of scratch memory. */
struct convolution_room {
	element patches[MOST_PIXELS * MOST_LENGTH];
	uint32_t offsets[MOST_PIXELS];	/* of a pixel's sums, see dot_sums.h */
	uint32_t sums[MOST_BLOCKS][MOST_PIXELS * BLOCK];
};
#else
#define MOST_LENGTH	EXACT

typedef float element;

#define line_length(count)	(count)
#define load_places		load_numbers
#define fill_places		fill_numbers

static inline uint32_t fill_line(element *to, uint32_t count)
{
	(void)to;
	(void)count;
	return 0;
}

/* The layout of scratch memory. */
struct convolution_room {
	float weights[(EXACT + 3) * BLOCK];	/* four positions are written at a time */
	element patches[MOST_PIXELS * MOST_LENGTH];
	uint32_t sums[MOST_BLOCKS][MOST_PIXELS * BLOCK];
};
#endif

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

/* A part of windows of at most MOST_LENGTH products. */
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
	chunk->count = min_u32(row - chunk->k, MOST_LENGTH);
	chunk->rows = row > MOST_LENGTH ? 1 : min_u32(MOST_LENGTH / line_length(row),
						      kernel_h - chunk->y);
	return chunk->y < kernel_h;
}

/* Elements of an image's line from byte `begin` on, some of which may be beside it. */
static void load_run(const struct convolution *layer, element *to, const uint8_t *line,
		     int64_t begin, uint32_t count)
{
	int64_t length = (layer->width - 1ll) * layer->pitch + layer->channels, end = begin + count;
	int64_t from = begin < 0 ? 0 : begin, until = end > length ? length : end;
	element padding = (element)layer->call->input[0].zero_point;

	if (from >= until) {
		fill_places(to, padding, count);
		return;
	}
	fill_places(to, padding, from - begin);
	load_places(to + (from - begin), line + from, until - from, layer->flip);
	fill_places(to + (until - begin), padding, end - until);
}

/* A chunk of the window of one pixel. */
static void load_window(const struct convolution *layer, const struct chunk *chunk, element *to,
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
			fill_places(to, (element)input->zero_point, rest);
			to += rest + fill_line(to + rest, rest);
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
		to += fill_line(to, chunk->count);
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

/*
 * A chunk of the windows of pixels first, first + 1, ..., and with float32 zeros up to the
 * end of a tile.
 */
static void load_patches(const struct convolution *layer, const struct chunk *chunk, uint64_t first,
			 uint32_t count)
{
	const uint8_t *data = layer->call->input[0].data;
	uint32_t length = chunk->rows * line_length(chunk->count);
	uint64_t row = first / layer->out_width / layer->out_height;
	uint32_t oy = first / layer->out_width % layer->out_height, ox = first % layer->out_width;
	element *to = layer->room->patches;

#ifndef DOT
	fill_places(to + count * length, 0, (round_up(count, PIXELS) - count) * length);
#endif
	if (is_pointwise(layer) && length == layer->channels) {
		load_places(to, data + first * length, (uint64_t)count * length, layer->flip);
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

/* Returns where the packed weights of a chunk are, of outputs m, m + 1, ... */
static const uint8_t *find_weights(const struct convolution *layer, const struct chunk *chunk,
				   uint32_t m)
{
	const uint8_t *packed = layer->call->input[1].data;

	return packed + (m / BLOCK * layer->window.kernel_h + chunk->y) * layer->packed_row +
	       conv2d_weight_offset(0, chunk->k);
}

#endif
