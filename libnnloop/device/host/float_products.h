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

#ifdef ONE_INSTRUCTION
/*
 * Adds the products of an element of each pixel, which are `step` apart, with the weights of its
 * outputs to a tile of sums; is_each: an output's element is its own, the pixel has as many. What is
 * constant where it is called makes the sums stay in registers.
 */
static inline __attribute__((always_inline)) void
add_float_products(floats (*tile)[VECTORS], const float *x, uint64_t step, const float *weights,
		   const uint32_t pixels, const uint32_t vectors, const bool is_each)
{
	floats w[VECTORS];

#pragma GCC unroll 16
	for (uint32_t v = 0; v < vectors; v++)
		w[v] = load_floats(weights + v * LANES);
#pragma GCC unroll 16
	for (uint32_t p = 0; p < pixels; p++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < vectors; v++)
			tile[p][v] = multiply_add(tile[p][v],
						  is_each ? load_floats(x + p * step + v * LANES) :
							    broadcast(x[p * step]),
						  w[v]);
	}
}
#endif

#endif
