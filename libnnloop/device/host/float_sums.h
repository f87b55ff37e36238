/* SPDX-License-Identifier: MIT */
/*
 * A convolution's sums in float32: the weights of a block of outputs are laid out as the windows
 * are (windows.h), and what remains is a product of two matrices (products.h).
 */
#ifndef NN_HOST_FLOAT_SUMS_H
#define NN_HOST_FLOAT_SUMS_H

#include "products.h"
#include "windows.h"

/*
 * The weights of 32 outputs from `packed` on, at `count` positions: dsp/program/pack.h. Four of an
 * output are a little-endian word.
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
	const uint8_t *packed = find_weights(layer, chunk, m);

	for (uint32_t i = 0; i < chunk->rows; i++, packed += layer->packed_row)
		load_positions(&layer->room->weights[i * chunk->count * BLOCK], packed,
			       chunk->count, layer->call->input[1].zero_point);
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

#endif
