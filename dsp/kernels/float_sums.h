/* SPDX-License-Identifier: MIT */
/*
 * Products of float32 that are added to FLOAT_SUMS sums at a time, each in the order of its elements.
 *
 * The DSP multiplies and adds two numbers in a packet, and loads beside that two pairs of numbers that
 * lie at multiples of their size: so eight products take four packets, where compilers make some
 * ten. What does not lie so, and the host's, is left to them.
 */
#ifndef NN_FLOAT_SUMS_H
#define NN_FLOAT_SUMS_H

#include "dsp/kernels/float.h"

#define FLOAT_SUMS	8u

/* `count` elements, 1 or more, of each sum, and as many rows of weights. */
struct float_products {
	const float *x, *weights;
	uint32_t step, pitch;		/* from an element, and a row, to the next */
	uint32_t count;
};

#ifdef __hexagon__

static inline bool float_are_pairs(const float *from, uint32_t step)
{
	return !(((uintptr_t)from | step * sizeof(float)) % (2 * sizeof(float)));
}

/*
 * Two pairs of registers take turns: one is used while the other is loaded. Nothing is loaded past
 * the last element. The two differ in what they do with elements: one multiplies each with all
 * eight weights, the other each of eight with one.
 */
#define FLOAT_OPERANDS									\
	[s0] "+r"(sums[0]), [s1] "+r"(sums[1]), [s2] "+r"(sums[2]), [s3] "+r"(sums[3]),	\
	[s4] "+r"(sums[4]), [s5] "+r"(sums[5]), [s6] "+r"(sums[6]), [s7] "+r"(sums[7]),	\
	[x] "+r"(x), [w] "+r"(weights)
#define FLOAT_INPUTS									\
	[step] "r"(products->step * sizeof(float)),					\
	[pitch] "r"(products->pitch * sizeof(float)), [more] "r"(products->count - 1)

static inline void float_add_all_of_hexagon(float *sums, const struct float_products *products)
{
	const float *x = products->x, *weights = products->weights + 6;

	asm volatile("{ m0 = %[pitch]; r5:4 = memd(%[w]+#-24); p0 = cmp.eq(%[more],#0) }\n"
		     "{ m1 = %[step] }\n"
		     "{ r6 = memw(%[x]++m1); if (p0) jump:nt 2f; loop0(1f,%[more]) }\n"
		     "1:\n"
		     "{ %[s0] += sfmpy(r6,r4); %[s1] += sfmpy(r6,r5); r9:8 = memd(%[w]+#-16) }\n"
		     "{ %[s2] += sfmpy(r6,r8); %[s3] += sfmpy(r6,r9); r5:4 = memd(%[w]+#-8) }\n"
		     "{ %[s4] += sfmpy(r6,r4); %[s5] += sfmpy(r6,r5); r9:8 = memd(%[w]++m0) }\n"
		     "{ %[s6] += sfmpy(r6,r8); %[s7] += sfmpy(r6,r9)\n"
		     "  r5:4 = memd(%[w]+#-24); r6 = memw(%[x]++m1) }:endloop0\n"
		     "2:\n"
		     "{ %[s0] += sfmpy(r6,r4); %[s1] += sfmpy(r6,r5); r9:8 = memd(%[w]+#-16) }\n"
		     "{ %[s2] += sfmpy(r6,r8); %[s3] += sfmpy(r6,r9); r5:4 = memd(%[w]+#-8) }\n"
		     "{ %[s4] += sfmpy(r6,r4); %[s5] += sfmpy(r6,r5); r9:8 = memd(%[w]+#0) }\n"
		     "{ %[s6] += sfmpy(r6,r8); %[s7] += sfmpy(r6,r9) }\n"
		     : FLOAT_OPERANDS
		     : FLOAT_INPUTS
		     : "r4", "r5", "r6", "r8", "r9", "m0", "m1", "p0", "lc0", "sa0", "usr", "memory");
}

static inline void float_add_each_of_hexagon(float *sums, const struct float_products *products)
{
	const float *x = products->x + 6, *weights = products->weights + 6;

	asm volatile("{ m0 = %[pitch]; r5:4 = memd(%[w]+#-24); p0 = cmp.eq(%[more],#0) }\n"
		     "{ m1 = %[step]; r7:6 = memd(%[x]+#-24) }\n"
		     "{ if (p0) jump:nt 2f; loop0(1f,%[more]) }\n"
		     "1:\n"
		     "{ %[s0] += sfmpy(r6,r4); %[s1] += sfmpy(r7,r5)\n"
		     "  r9:8 = memd(%[w]+#-16); r11:10 = memd(%[x]+#-16) }\n"
		     "{ %[s2] += sfmpy(r10,r8); %[s3] += sfmpy(r11,r9)\n"
		     "  r5:4 = memd(%[w]+#-8); r7:6 = memd(%[x]+#-8) }\n"
		     "{ %[s4] += sfmpy(r6,r4); %[s5] += sfmpy(r7,r5)\n"
		     "  r9:8 = memd(%[w]++m0); r11:10 = memd(%[x]++m1) }\n"
		     "{ %[s6] += sfmpy(r10,r8); %[s7] += sfmpy(r11,r9)\n"
		     "  r5:4 = memd(%[w]+#-24); r7:6 = memd(%[x]+#-24) }:endloop0\n"
		     "2:\n"
		     "{ %[s0] += sfmpy(r6,r4); %[s1] += sfmpy(r7,r5)\n"
		     "  r9:8 = memd(%[w]+#-16); r11:10 = memd(%[x]+#-16) }\n"
		     "{ %[s2] += sfmpy(r10,r8); %[s3] += sfmpy(r11,r9)\n"
		     "  r5:4 = memd(%[w]+#-8); r7:6 = memd(%[x]+#-8) }\n"
		     "{ %[s4] += sfmpy(r6,r4); %[s5] += sfmpy(r7,r5)\n"
		     "  r9:8 = memd(%[w]+#0); r11:10 = memd(%[x]+#0) }\n"
		     "{ %[s6] += sfmpy(r10,r8); %[s7] += sfmpy(r11,r9) }\n"
		     : FLOAT_OPERANDS
		     : FLOAT_INPUTS
		     : "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "m0", "m1", "p0", "lc0",
		       "sa0", "usr", "memory");
}

#undef FLOAT_OPERANDS
#undef FLOAT_INPUTS

/*
 * The products of pairs of elements with rows of weights: `pairs` (1 or more) of each of four sums,
 * whose rows begin `apart` elements after one another. All begin at multiples of a pair's size.
 */
static inline void float_add_pairs(float sums[4], const float *x, const float *row, uint32_t apart,
				   uint32_t pairs)
{
	const float *row1 = row + apart, *row2 = row1 + apart, *row3 = row2 + apart;

	asm volatile("{ r5:4 = memd(%[r0]++#8); p0 = cmp.eq(%[more],#0) }\n"
		     "{ r7:6 = memd(%[r1]++#8); r13:12 = memd(%[x]++#8)\n"
		     "  if (p0) jump:nt 2f; loop0(1f,%[more]) }\n"
		     "1:\n"
		     "{ %[s0] += sfmpy(r12,r4); %[s1] += sfmpy(r12,r6)\n"
		     "  r9:8 = memd(%[r2]++#8); r11:10 = memd(%[r3]++#8) }\n"
		     "{ %[s2] += sfmpy(r12,r8); %[s3] += sfmpy(r12,r10) }\n"
		     "{ %[s0] += sfmpy(r13,r5); %[s1] += sfmpy(r13,r7)\n"
		     "  r5:4 = memd(%[r0]++#8); r7:6 = memd(%[r1]++#8) }\n"
		     "{ %[s2] += sfmpy(r13,r9); %[s3] += sfmpy(r13,r11)\n"
		     "  r13:12 = memd(%[x]++#8) }:endloop0\n"
		     "2:\n"
		     "{ %[s0] += sfmpy(r12,r4); %[s1] += sfmpy(r12,r6)\n"
		     "  r9:8 = memd(%[r2]+#0); r11:10 = memd(%[r3]+#0) }\n"
		     "{ %[s2] += sfmpy(r12,r8); %[s3] += sfmpy(r12,r10) }\n"
		     "{ %[s0] += sfmpy(r13,r5); %[s1] += sfmpy(r13,r7) }\n"
		     "{ %[s2] += sfmpy(r13,r9); %[s3] += sfmpy(r13,r11) }\n"
		     : [s0] "+r"(sums[0]), [s1] "+r"(sums[1]), [s2] "+r"(sums[2]),
		       [s3] "+r"(sums[3]), [x] "+r"(x), [r0] "+r"(row), [r1] "+r"(row1),
		       [r2] "+r"(row2), [r3] "+r"(row3)
		     : [more] "r"(pairs - 1)
		     : "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", "r12", "r13", "p0", "lc0",
		       "sa0", "usr", "memory");
}

#endif

/* Adds to `count` sums; `apart`: elements from a sum's to the next one's. */
static inline __attribute__((always_inline)) void
float_add_some(float *sums, const struct float_products *products, uint64_t apart, uint32_t count)
{
	const float *x = products->x, *weights = products->weights;

	for (uint32_t k = 0; k < products->count; k++) {
		for (uint32_t i = 0; i < count; i++)
			sums[i] = float_fused(x[i * apart], weights[i], sums[i]);
		x += products->step;
		weights += products->pitch;
	}
}

/* The products of elements that all sums have. */
static inline void float_add_all(float sums[FLOAT_SUMS], const struct float_products *products)
{
#ifdef __hexagon__
	if (float_are_pairs(products->weights, products->pitch)) {
		float_add_all_of_hexagon(sums, products);
		return;
	}
#endif
	float_add_some(sums, products, 0, FLOAT_SUMS);
}

/* The products of elements of which each sum has its own, side by side. */
static inline void float_add_each(float sums[FLOAT_SUMS], const struct float_products *products)
{
#ifdef __hexagon__
	if (float_are_pairs(products->weights, products->pitch) &&
	    float_are_pairs(products->x, products->step)) {
		float_add_each_of_hexagon(sums, products);
		return;
	}
#endif
	float_add_some(sums, products, 1, FLOAT_SUMS);
}

/*
 * The products of elements that all sums have, where weights of a sum follow one another, and those of
 * the next sum's begin `apart` elements after them; `pitch` is 1.
 */
static inline void float_add_rows(float sums[FLOAT_SUMS], const struct float_products *products,
				  uint64_t apart)
{
	struct float_products rest = *products;

#ifdef __hexagon__
	if (rest.step == 1 && rest.count > 1 && float_are_pairs(rest.x, 0) &&
	    float_are_pairs(rest.weights, (uint32_t)apart)) {
		for (uint32_t i = 0; i < FLOAT_SUMS; i += 4)
			float_add_pairs(sums + i, rest.x, rest.weights + i * apart, apart,
					rest.count / 2);
		rest.x += rest.count & ~1u;
		rest.weights += rest.count & ~1u;
		rest.count %= 2;
	}
#endif
	for (; rest.count; rest.count--, rest.x += rest.step, rest.weights++) {
		for (uint32_t i = 0; i < FLOAT_SUMS; i++)
			sums[i] = float_fused(*rest.x, rest.weights[i * apart], sums[i]);
	}
}

/* Results of sums, as float_clamp() makes them, without a jump. */
static inline __attribute__((always_inline)) void
float_clamp_some(float *to, const float *sums, uint32_t count, float low, float high)
{
	const int32_t least = float_key(low), most = float_key(high);

	for (uint32_t i = 0; i < count; i++) {
		union float_bits bits = { .value = sums[i] };
		bool is_number = (bits.bits & 0x7fffffff) <= 0x7f800000;
		int32_t key = float_key(sums[i]);

		key = key < least ? least : key;
		key = key > most ? most : key;
		bits.bits = (uint32_t)(key ^ (key >> 31 & 0x7fffffff));
		bits.bits = is_number ? bits.bits : FLOAT_NOT_A_NUMBER;
		to[i] = bits.value;
	}
}

#endif
