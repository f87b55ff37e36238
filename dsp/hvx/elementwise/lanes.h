/* SPDX-License-Identifier: MIT */
/*
 * 128 integers of 1, 2, 4 or 8 bytes, which are as many vectors as bytes: loaded, stored, made wider
 * or narrower. Sizes are constants where these are called, so that vectors are registers. select.c,
 * integers.c and convert.c call them.
 */
#ifndef NN_LANES_H
#define NN_LANES_H

#include "dsp/hvx/common/vector.h"

#define MOST_LANES	8	/* vectors of 128 integers */

#define lanes_inline	static inline __attribute__((always_inline))

/* The bytes of vector i of those of `elements` integers. */
lanes_inline uint32_t lane_bytes(uint32_t i, uint32_t size, uint32_t elements)
{
	uint32_t bytes = elements * size;

	if (bytes <= i * VECTOR)
		return 0;
	return bytes - i * VECTOR < VECTOR ? bytes - i * VECTOR : VECTOR;
}

/* Loads the first `elements` (1 .. 128) integers; the others are anything. */
lanes_inline void load_lanes(HVX_Vector *v, const uint8_t *from, uint32_t size, uint32_t elements)
{
#pragma unroll
	for (uint32_t i = 0; i < size; i++) {
		uint32_t bytes = lane_bytes(i, size, elements);

		if (elements == VECTOR)
			v[i] = load(from + i * VECTOR);
		else
			v[i] = bytes ? load_bytes(from + i * VECTOR, bytes) : Q6_V_vzero();
	}
}

lanes_inline void store_lanes(uint8_t *to, const HVX_Vector *v, uint32_t size, uint32_t elements)
{
#pragma unroll
	for (uint32_t i = 0; i < size; i++) {
		uint32_t bytes = lane_bytes(i, size, elements);

		if (elements == VECTOR)
			store(to + i * VECTOR, v[i]);
		else if (bytes)
			store_bytes(to + i * VECTOR, v[i], bytes);
	}
}

/* Makes integers of `size` bytes twice as wide. */
lanes_inline void widen_lanes(HVX_Vector *v, uint32_t size, bool is_signed)
{
#pragma unroll
	for (uint32_t i = size; i-- > 0;) {
		HVX_VectorPair wide;

		if (size == 1)
			wide = is_signed ? Q6_Wh_vunpack_Vb(v[i]) : Q6_Wuh_vunpack_Vub(v[i]);
		else if (size == 2)
			wide = is_signed ? Q6_Ww_vunpack_Vh(v[i]) : Q6_Wuw_vunpack_Vuh(v[i]);
		else
			wide = Q6_W_vshuff_VVR(is_signed ? Q6_Vw_vasr_VwR(v[i], 31) : Q6_V_vzero(),
					       v[i], -4);
		v[2 * i + 1] = Q6_V_hi_W(wide);
		v[2 * i] = Q6_V_lo_W(wide);
	}
}

/* Makes integers of `size` bytes half as wide: their low bits. */
lanes_inline void narrow_lanes(HVX_Vector *v, uint32_t size)
{
#pragma unroll
	for (uint32_t i = 0; i < size / 2; i++) {
		if (size == 2)
			v[i] = Q6_Vb_vpacke_VhVh(v[2 * i + 1], v[2 * i]);
		else if (size == 4)
			v[i] = Q6_Vh_vpacke_VwVw(v[2 * i + 1], v[2 * i]);
		else
			v[i] = Q6_V_lo_W(Q6_W_vdeal_VVR(v[2 * i + 1], v[2 * i], -4));
	}
}

/* Puts the low words of 128 integers of 8 bytes into v[0 .. 3], the high ones into v[4 .. 7]. */
lanes_inline void split_lanes(HVX_Vector *v)
{
	HVX_Vector split[MOST_LANES];

#pragma unroll
	for (uint32_t i = 0; i < 4; i++) {
		HVX_VectorPair words = Q6_W_vdeal_VVR(v[2 * i + 1], v[2 * i], -4);

		split[i] = Q6_V_lo_W(words);
		split[4 + i] = Q6_V_hi_W(words);
	}
#pragma unroll
	for (uint32_t i = 0; i < MOST_LANES; i++)
		v[i] = split[i];
}

/* Makes integers -1 where they are not 0, of 4 bytes if they have 8. Returns their size. */
lanes_inline uint32_t find_nonzero(HVX_Vector *v, uint32_t size)
{
	HVX_Vector ones = splat_w(-1), zero = Q6_V_vzero();

	if (size == 8) {
		split_lanes(v);
#pragma unroll
		for (uint32_t i = 0; i < 4; i++)
			v[i] = Q6_V_vor_VV(v[i], v[4 + i]);
		size = 4;
	}
#pragma unroll
	for (uint32_t i = 0; i < size; i++) {
		HVX_VectorPred is_zero = size == 1 ? Q6_Q_vcmp_eq_VbVb(v[i], zero) :
					 size == 2 ? Q6_Q_vcmp_eq_VhVh(v[i], zero) :
						     Q6_Q_vcmp_eq_VwVw(v[i], zero);

		v[i] = Q6_V_vmux_QVV(is_zero, zero, ones);
	}
	return size;
}

#endif
