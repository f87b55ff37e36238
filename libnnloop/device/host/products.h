/* SPDX-License-Identifier: MIT */
/*
 * Sums of products of 8-bit numbers, in float32: a product is at most 255 * 255, and sums of EXACT
 * of them are integers below 2^24, which float32 has all of. So in whatever order they are summed
 * up, there is nothing to round.
 */
#ifndef NN_HOST_PRODUCTS_H
#define NN_HOST_PRODUCTS_H

#include "vector.h"

#define EXACT	256u
#define BLOCK	32u	/* outputs whose weights are packed together */

_Static_assert(255u * 255 * EXACT < 1u << 24, "what is summed up is not rounded");

/*
 * A tile, whose sums stay in registers: PIXELS pixels and VECTORS vectors of outputs, which leaves
 * some of 16 registers for what is multiplied.
 */
#define TILE_OUTPUTS	(VECTORS * LANES)

_Static_assert(BLOCK % TILE_OUTPUTS == 0, "a block is so many tiles");

/*
 * sums[pixel][output] += patches[pixel][i] * weights[i][output], over `length` products, EXACT at
 * most, for `pixels` pixels, a constant. Both have lines of BLOCK outputs, patches of `stride`
 * numbers.
 */
static inline __attribute__((always_inline)) void
multiply_tile(uint32_t *sums, const float *patches, uint32_t stride, const float *weights,
	      uint32_t length, const uint32_t pixels)
{
	floats sum[PIXELS][VECTORS];

#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < VECTORS; v++)
			sum[p][v] = (floats){ 0 };
	}
	for (uint32_t i = 0; i < length; i++) {
#pragma GCC unroll 16
		for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
			for (uint32_t v = 0; v < VECTORS; v++)
				sum[p][v] = multiply_add(
					sum[p][v],
					*(const floats *)&weights[i * BLOCK + v * LANES],
					broadcast(patches[p * stride + i]));
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

/*
 * multiply_tile() for any number of pixels, and the first `outputs` of a block. Up to a multiple of
 * PIXELS there are patches, which are numbers, and sums, which nobody wants.
 */
static void multiply_block(uint32_t *sums, const float *patches, uint32_t stride,
			   const float *weights, uint32_t length, uint32_t pixels, uint32_t outputs)
{
	for (uint32_t m = 0; m < outputs; m += TILE_OUTPUTS) {
		uint32_t p = 0;

		for (; p + 1 < pixels; p += PIXELS)
			multiply_tile(&sums[p * BLOCK + m], &patches[p * stride], stride,
				      &weights[m], length, PIXELS);
		if (p < pixels)
			multiply_tile(&sums[p * BLOCK + m], &patches[p * stride], stride,
				      &weights[m], length, 1);
	}
}

#endif
