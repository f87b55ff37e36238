/* SPDX-License-Identifier: MIT */
/*
 * A convolution's sums with VNNI, whose instruction adds four products of an unsigned and a signed
 * byte to each 32-bit sum. Packed weights are unsigned, w + 128, and multiplied as they are where
 * inputs are signed; where inputs are not, weights are made signed again. What is left of their
 * zero point belongs to the pixel, because it is multiplied with the sum of a window:
 *
 *	sum of x * (w - zero) = sum of x * w - zero * sum of x
 *
 * Filling counts in neither sum, because windows have zeros there (windows.h).
 */
#ifndef NN_HOST_DOT_SUMS_H
#define NN_HOST_DOT_SUMS_H

#include "dot_results.h"
#include "windows.h"

#define TILE_PIXELS	12u	/* whose sums stay in registers, with two vectors of outputs */
#define SOME_PIXELS	4u	/* and where fewer are left */

/* Four bytes at any address. */
typedef int32_t int_of_bytes __attribute__((aligned(1), may_alias));

/* The outputs of a block whose sums are made: of the pixels from `pixel` on. */
struct dot_tile {
	const struct convolution *layer;
	const struct chunk *chunk;
	const uint8_t *weights;
	uint64_t first;			/* the group's first pixel */
	uint32_t pixel, m;
	uint32_t *sums;			/* of the group, between chunks */
	bool is_first, is_last;		/* chunk */
};

/* One tile; `pixels`, `vectors` and `is_signed`, the inputs, are constants. */
static inline __attribute__((always_inline)) void
dot_pixels(const struct dot_tile *tile, const uint32_t pixels, const uint32_t vectors,
	   const bool is_signed)
{
	const struct convolution *layer = tile->layer;
	const struct chunk *chunk = tile->chunk;
	const uint32_t line = line_length(chunk->count), length = chunk->rows * line;
	const uint8_t *patches = layer->room->patches + tile->pixel * length;
	const uint32_t *bias = (const uint32_t *)layer->call->input[2].data + tile->m;
	const __m512i signs = _mm512_set1_epi8((char)0x80);
	uint32_t *sums = tile->sums + tile->pixel * BLOCK;
	__m512i sum[TILE_PIXELS][2];

#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
		const uint32_t *before = tile->is_first ? bias : sums + p * BLOCK;
		__m512i offset =
			_mm512_set1_epi32((int)layer->room->offsets[tile->pixel + p]);

#pragma GCC unroll 2
		for (uint32_t v = 0; v < vectors; v++)
			sum[p][v] = _mm512_add_epi32(_mm512_loadu_si512(before + v * LANES),
						     offset);
	}
	for (uint32_t y = 0; y < chunk->rows; y++, patches += line) {
		const uint8_t *from = tile->weights + y * layer->packed_row;

		for (uint32_t i = 0; i < chunk->count; i += 4, from += 4 * BLOCK) {
			__m512i weights[2];

#pragma GCC unroll 2
			for (uint32_t v = 0; v < vectors; v++) {
				weights[v] = _mm512_loadu_si512(from + v * 4 * LANES);
				if (!is_signed)
					weights[v] = _mm512_xor_si512(weights[v], signs);
			}
#pragma GCC unroll 16
			for (uint32_t p = 0; p < pixels; p++) {
				__m512i four = _mm512_set1_epi32(
					*(const int_of_bytes *)&patches[p * length + i]);

#pragma GCC unroll 2
				for (uint32_t v = 0; v < vectors; v++)
					sum[p][v] = is_signed ?
						_mm512_dpbusd_epi32(sum[p][v], weights[v], four) :
						_mm512_dpbusd_epi32(sum[p][v], four, weights[v]);
			}
		}
	}
#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
		if (tile->is_last) {
			store_vectors(&layer->results, sum[p], tile->first + tile->pixel + p,
				      tile->m, vectors);
			continue;
		}
#pragma GCC unroll 2
		for (uint32_t v = 0; v < vectors; v++)
			_mm512_storeu_si512(sums + p * BLOCK + v * LANES, sum[p][v]);
	}
}

static inline __attribute__((always_inline)) void
dot_group(const struct dot_tile *block, uint32_t count, const uint32_t vectors,
	  const bool is_signed)
{
	struct dot_tile tile = *block;

	for (; tile.pixel + TILE_PIXELS <= count; tile.pixel += TILE_PIXELS)
		dot_pixels(&tile, TILE_PIXELS, vectors, is_signed);
	for (; tile.pixel + SOME_PIXELS <= count; tile.pixel += SOME_PIXELS)
		dot_pixels(&tile, SOME_PIXELS, vectors, is_signed);
	for (; tile.pixel < count; tile.pixel++)
		dot_pixels(&tile, 1, vectors, is_signed);
}

/* A chunk of `count` pixels, for outputs m .. m + BLOCK - 1, or up to the last. */
static void dot_block(const struct dot_tile *block, uint32_t count)
{
	const struct convolution *layer = block->layer;
	bool is_wide = layer->outputs - block->m > LANES;

	if (layer->flip && is_wide)
		dot_group(block, count, 2, true);
	else if (layer->flip)
		dot_group(block, count, 1, true);
	else if (is_wide)
		dot_group(block, count, 2, false);
	else
		dot_group(block, count, 1, false);
}

/* Finds what is left of the weights' zero point, for each of `count` pixels. */
static void find_offsets(const struct convolution *layer, uint32_t length, uint32_t count)
{
	const int32_t zero = layer->call->input[1].zero_point - (layer->flip ? 0 : 128);
	const uint8_t *from = layer->room->patches;
	const __m512i ones = _mm512_set1_epi8(1);

	if (!zero) {
		memset(layer->room->offsets, 0, count * sizeof(*layer->room->offsets));
		return;
	}
	for (uint32_t p = 0; p < count; p++, from += length) {
		__m512i sum = _mm512_setzero_si512();

		for (uint32_t i = 0; i < length; i += 64) {
			uint64_t mask = length - i < 64 ? (1ull << (length - i)) - 1 : ~0ull;
			__m512i bytes = _mm512_maskz_loadu_epi8(mask, from + i);

			sum = layer->flip ? _mm512_dpbusd_epi32(sum, ones, bytes) :
					    _mm512_dpbusd_epi32(sum, bytes, ones);
		}
		layer->room->offsets[p] = (uint32_t)(-zero * _mm512_reduce_add_epi32(sum));
	}
}

/* Outputs m .. end - 1 of a group of pixels, for which there is room. */
static int convolve_outputs(const struct convolution *layer, uint64_t first, uint32_t count,
			    uint32_t m, uint32_t end, bool is_laid_out)
{
	struct convolution_room *room = layer->room;
	struct chunk chunk = { 0 };

	while (next_chunk(layer, &chunk)) {
		struct dot_tile block = {
			.layer = layer,
			.chunk = &chunk,
			.first = first,
			.is_first = !chunk.y && !chunk.k,
			.is_last = chunk.y + chunk.rows == layer->window.kernel_h &&
				   chunk.k + chunk.count == layer->row_length,
		};

		if (!is_laid_out) {
			load_patches(layer, &chunk, first, count);
			find_offsets(layer, chunk.rows * line_length(chunk.count), count);
		}
		for (block.m = m; block.m < end; block.m += BLOCK) {
			int ret = nn_call_progress(layer->call);

			if (ret)
				return ret;
			block.weights = find_weights(layer, &chunk, block.m);
			block.sums = room->sums[(block.m - m) / BLOCK];
			dot_block(&block, count);
		}
	}
	return 0;
}

#endif
