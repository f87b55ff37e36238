/* SPDX-License-Identifier: MIT */
/*
 * 128 integers of 1, 2, 4 or 8 bytes, which are as many vectors as bytes: loaded, stored, made
 * wider or narrower. Sizes are constants where these are called, and no vector is in memory, where
 * clang 14 may lay it over another. select.c, integers.c and convert.c call them.
 */
#ifndef NN_LANES_H
#define NN_LANES_H

#include "dsp/hvx/common/vector.h"

#define lanes_inline	static inline __attribute__((always_inline))

/* The bytes of vector i of those of `elements` integers. */
lanes_inline uint32_t lane_bytes(uint32_t i, uint32_t size, uint32_t elements)
{
	uint32_t bytes = elements * size;

	if (bytes <= i * VECTOR)
		return 0;
	return bytes - i * VECTOR < VECTOR ? bytes - i * VECTOR : VECTOR;
}

/* Integers in memory: the first `elements` (1 .. 128) of `size` bytes. */
struct lanes {
	const uint8_t *from;
	uint32_t size, elements;
	bool nonzero;		/* they are -1 where they are not 0 */
};

lanes_inline HVX_Vector find_nonzero(HVX_Vector v, uint32_t size)
{
	HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPred is_zero = size == 1 ? Q6_Q_vcmp_eq_VbVb(v, zero) :
				 size == 2 ? Q6_Q_vcmp_eq_VhVh(v, zero) :
					     Q6_Q_vcmp_eq_VwVw(v, zero);

	return Q6_V_vmux_QVV(is_zero, zero, splat_w(-1));
}

/* Vector i of them, as it is stored. */
lanes_inline HVX_Vector load_lane(const struct lanes *lanes, uint32_t i)
{
	uint32_t bytes = lane_bytes(i, lanes->size, lanes->elements);

	if (lanes->elements == VECTOR)
		return load(lanes->from + i * VECTOR);
	return bytes ? load_bytes(lanes->from + i * VECTOR, bytes) : Q6_V_vzero();
}

/* Low and high words of numbers of 64 bits: the 32 of two vectors. */
lanes_inline HVX_VectorPair load_words(const struct lanes *lanes, uint32_t i)
{
	return Q6_W_vdeal_VVR(load_lane(lanes, 2 * i + 1), load_lane(lanes, 2 * i), -4);
}

/* Vector i of the integers as such of 4, 2 or 1 bytes, no more than they have: low bits. */
lanes_inline HVX_Vector lane_of_4(const struct lanes *lanes, uint32_t i)
{
	HVX_VectorPair words;
	HVX_Vector v;

	if (lanes->size == 4) {
		v = load_lane(lanes, i);
	} else {
		words = load_words(lanes, i);
		v = Q6_V_lo_W(words);
		if (lanes->nonzero)
			v = Q6_V_vor_VV(v, Q6_V_hi_W(words));
	}
	return lanes->nonzero ? find_nonzero(v, 4) : v;
}

lanes_inline HVX_Vector lane_of_2(const struct lanes *lanes, uint32_t i)
{
	HVX_Vector v;

	if (lanes->size > 2)
		return Q6_Vh_vpacke_VwVw(lane_of_4(lanes, 2 * i + 1), lane_of_4(lanes, 2 * i));
	v = load_lane(lanes, i);
	return lanes->nonzero ? find_nonzero(v, 2) : v;
}

lanes_inline HVX_Vector lane_of_1(const struct lanes *lanes, uint32_t i)
{
	HVX_Vector v;

	if (lanes->size > 1)
		return Q6_Vb_vpacke_VhVh(lane_of_2(lanes, 2 * i + 1), lane_of_2(lanes, 2 * i));
	v = load_lane(lanes, i);
	return lanes->nonzero ? find_nonzero(v, 1) : v;
}

/*
 * Where integers go, as such of `size` bytes, which is not less than they have. Those that select
 * are masks, and what goes there is of `a` where they are set, else of `b`.
 */
struct lanes_to {
	uint8_t *to;
	uint32_t size, elements;
	bool is_signed;
	bool selects;
	const uint8_t *a, *b;
};

lanes_inline void store_lane(const struct lanes_to *to, uint32_t i, HVX_Vector v)
{
	uint32_t bytes = lane_bytes(i, to->size, to->elements);

	if (to->selects) {
		const struct lanes a = { to->a, to->size, to->elements, false };
		const struct lanes b = { to->b, to->size, to->elements, false };

		v = Q6_V_vmux_QVV(Q6_Q_vand_VR(v, 0x1010101), load_lane(&a, i), load_lane(&b, i));
	}
	if (to->elements == VECTOR)
		store(to->to + i * VECTOR, v);
	else if (bytes)
		store_bytes(to->to + i * VECTOR, v, bytes);
}

/* Puts vector i of integers of 4, 2 or 1 bytes where they go. */
lanes_inline void put_lane_of_4(const struct lanes_to *to, uint32_t i, HVX_Vector v)
{
	HVX_VectorPair wide;

	if (to->size == 4) {
		store_lane(to, i, v);
		return;
	}
	wide = Q6_W_vshuff_VVR(to->is_signed ? Q6_Vw_vasr_VwR(v, 31) : Q6_V_vzero(), v, -4);
	store_lane(to, 2 * i, Q6_V_lo_W(wide));
	store_lane(to, 2 * i + 1, Q6_V_hi_W(wide));
}

lanes_inline void put_lane_of_2(const struct lanes_to *to, uint32_t i, HVX_Vector v)
{
	HVX_VectorPair wide;

	if (to->size == 2) {
		store_lane(to, i, v);
		return;
	}
	wide = to->is_signed ? Q6_Ww_vunpack_Vh(v) : Q6_Wuw_vunpack_Vuh(v);
	put_lane_of_4(to, 2 * i, Q6_V_lo_W(wide));
	put_lane_of_4(to, 2 * i + 1, Q6_V_hi_W(wide));
}

lanes_inline void put_lane_of_1(const struct lanes_to *to, uint32_t i, HVX_Vector v)
{
	HVX_VectorPair wide;

	if (to->size == 1) {
		store_lane(to, i, v);
		return;
	}
	wide = to->is_signed ? Q6_Wh_vunpack_Vb(v) : Q6_Wuh_vunpack_Vub(v);
	put_lane_of_2(to, 2 * i, Q6_V_lo_W(wide));
	put_lane_of_2(to, 2 * i + 1, Q6_V_hi_W(wide));
}

#endif
