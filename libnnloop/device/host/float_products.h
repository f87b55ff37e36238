/* SPDX-License-Identifier: MIT */
/*
 * Products of float32 on the host, in the order that dsp/kernels/float.h has: vectors are of outputs,
 * each of which has one accumulator, and several pixels share what is loaded of the weights. Without
 * an instruction that multiplies and adds, there are no vectors.
 */
#ifndef NN_HOST_FLOAT_PRODUCTS_H
#define NN_HOST_FLOAT_PRODUCTS_H

#include <string.h>

#include "dsp/kernels/float.h"
#include "vector.h"

#define FLOAT_BLOCK	(VECTORS * LANES)	/* outputs of a tile */

static inline floats load_floats(const float *from)
{
	floats v;

	memcpy(&v, from, sizeof(v));
	return v;
}

static inline void store_floats(float *to, floats v)
{
	memcpy(to, &v, sizeof(v));
}

/* Elements of a where a mask is set, else of b. */
static inline floats pick_floats(ints mask, floats a, floats b)
{
	return (floats)((mask & (ints)a) | (~mask & (ints)b));
}

/*
 * float_clamp() of each. The processor's own comparisons do where neither bound is a zero that another
 * zero is beyond, which has_plain_bounds() says.
 */
static inline floats clamp_floats(floats x, float low, float high, bool is_plain)
{
	const floats lowest = broadcast(low), highest = broadcast(high);
	const ints zeros = { 0 }, nothing = (ints)broadcast((union float_bits){
		.bits = FLOAT_NOT_A_NUMBER }.value);
	floats made;

	if (is_plain) {
		made = pick_floats(x > lowest, x, lowest);
		made = pick_floats(highest < made, highest, made);
	} else {
		const ints bits = (ints)x, key = bits ^ (bits >> 31 & 0x7fffffff);

		made = pick_floats(key < float_key(low) - zeros, lowest, x);
		made = pick_floats(key > float_key(high) - zeros, highest, made);
	}
	return pick_floats(x == x, made, (floats)nothing);
}

static inline bool has_plain_bounds(float low, float high)
{
	return high != 0 && bits_of_float(low) != bits_of_float(-0.0f);
}

/* Products of `count` weights of each output with as many elements of each pixel. */
struct float_run {
	const float *const *pixels;	/* the first element of each */
	uint64_t element_step;		/* from an element to the next */
	const float *weights;		/* of the first output and element */
	uint64_t weight_step;		/* from an element's to the next one's */
	uint32_t count;
};

#ifdef ONE_INSTRUCTION
/*
 * Adds the products of a run to a tile of sums. The numbers of pixels and of vectors are constants, so
 * that the sums are in registers.
 */
static inline __attribute__((always_inline)) void
float_add_tile(floats (*sums)[VECTORS], const struct float_run *run, uint32_t pixels, uint32_t vectors)
{
	const float *weights = run->weights;
	floats tile[PIXELS][VECTORS];

#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < vectors; v++)
			tile[p][v] = sums[p][v];
	}
	for (uint32_t k = 0; k < run->count; k++, weights += run->weight_step) {
		floats w[VECTORS];

#pragma GCC unroll 16
		for (uint32_t v = 0; v < vectors; v++)
			w[v] = load_floats(weights + v * LANES);
#pragma GCC unroll 16
		for (uint32_t p = 0; p < pixels; p++) {
			const float *x = run->pixels[p] + k * run->element_step;

#pragma GCC unroll 16
			for (uint32_t v = 0; v < vectors; v++)
				tile[p][v] = multiply_add(tile[p][v], broadcast(*x), w[v]);
		}
	}
#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < vectors; v++)
			sums[p][v] = tile[p][v];
	}
}
#endif

/* The same of single outputs. */
static inline void float_add_singles(float *sums, const struct float_run *run, uint32_t pixel,
				     uint32_t outputs)
{
	const float *weights = run->weights;

	for (uint32_t k = 0; k < run->count; k++, weights += run->weight_step) {
		const float *x = run->pixels[pixel] + k * run->element_step;

		for (uint32_t i = 0; i < outputs; i++)
			sums[i] = __builtin_fmaf(*x, weights[i], sums[i]);
	}
}

/* Adds a run's products to the sums of some pixels, of at most FLOAT_BLOCK outputs. */
static void float_add_run(float (*sums)[FLOAT_BLOCK], const struct float_run *given, uint32_t pixels,
			  uint32_t outputs)
{
	const struct float_run run = *given;
#ifndef ONE_INSTRUCTION
	for (uint32_t p = 0; p < pixels; p++)
		float_add_singles(sums[p], &run, p, outputs);
#else
	floats (*tile)[VECTORS] = (floats (*)[VECTORS])sums;

	if (outputs == FLOAT_BLOCK && pixels == PIXELS) {
		float_add_tile(tile, &run, PIXELS, VECTORS);
	} else if (outputs == FLOAT_BLOCK) {
		for (uint32_t p = 0; p < pixels; p++) {
			struct float_run one = run;

			one.pixels += p;
			float_add_tile(tile + p, &one, 1, VECTORS);
		}
	} else {
		uint32_t whole = outputs / LANES;

		for (uint32_t v = 0; v < whole; v++) {
			for (uint32_t p = 0; p < pixels; p++) {
				floats single[1][VECTORS];
				struct float_run one = run;

				one.pixels += p;
				one.weights += v * LANES;
				single[0][0] = tile[p][v];
				float_add_tile(single, &one, 1, 1);
				tile[p][v] = single[0][0];
			}
		}
		for (uint32_t p = 0; p < pixels && outputs % LANES; p++) {
			struct float_run rest = run;

			rest.pixels += p;
			rest.weights += whole * LANES;
			float_add_singles(&sums[p][whole * LANES], &rest, 0, outputs % LANES);
		}
	}
#endif
}

#endif
