/* SPDX-License-Identifier: MIT */
/*
 * INTEGERS' vector kernel, in parts: integers.c calls integers_divide.c and integers_scaled.c. And
 * products of integers, which two of these need.
 */
#ifndef NN_INTEGERS_VECTORS_H
#define NN_INTEGERS_VECTORS_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/elementwise/lanes.h"

/* DIV, FLOOR_DIV, MOD and FLOOR_MOD, not of bools. */
int nn_integers_divide(const struct nn_call *call);

/* Comparisons of quantized elements. */
int nn_integers_compare_scaled(const struct nn_call *call);

static inline bool integers_are_signed(uint8_t type)
{
	return type != NN_TYPE_UINT8 && type != NN_TYPE_UINT16 && type != NN_TYPE_BOOL;
}

/* A number of 64 bits in each of 32 lanes. */
struct wide {
	HVX_Vector low, high;
};

lanes_inline struct wide load_wide(const struct lanes *lanes, uint32_t i)
{
	HVX_VectorPair words = load_words(lanes, i);

	return (struct wide){ Q6_V_lo_W(words), Q6_V_hi_W(words) };
}

/* Puts 32 of them together again. */
lanes_inline void store_wide(const struct lanes_to *to, uint32_t i, struct wide v)
{
	HVX_VectorPair numbers = Q6_W_vshuff_VVR(v.high, v.low, -4);

	store_lane(to, 2 * i, Q6_V_lo_W(numbers));
	store_lane(to, 2 * i + 1, Q6_V_hi_W(numbers));
}

lanes_inline struct wide subtract_wide(struct wide a, struct wide b)
{
	HVX_VectorPred borrow = Q6_Q_vcmp_gt_VuwVuw(b.low, a.low);

	return (struct wide){ Q6_Vw_vsub_VwVw(a.low, b.low),
			      Q6_Vw_condnac_QVwVw(borrow, Q6_Vw_vsub_VwVw(a.high, b.high),
						  splat_w(1)) };
}

lanes_inline struct wide add_wide(struct wide a, struct wide b)
{
	HVX_Vector low = Q6_Vw_vadd_VwVw(a.low, b.low);
	HVX_VectorPred carry = Q6_Q_vcmp_gt_VuwVuw(a.low, low);

	return (struct wide){ low, Q6_Vw_condacc_QVwVw(carry, Q6_Vw_vadd_VwVw(a.high, b.high),
						       splat_w(1)) };
}

lanes_inline struct wide choose_wide(HVX_VectorPred q, struct wide a, struct wide b)
{
	return (struct wide){ Q6_V_vmux_QVV(q, a.low, b.low), Q6_V_vmux_QVV(q, a.high, b.high) };
}

/* The low words of products of words. */
lanes_inline HVX_Vector multiply_words(HVX_Vector a, HVX_Vector b)
{
	return Q6_Vw_vadd_VwVw(Q6_Vw_vmpyie_VwVuh(a, b),
			       Q6_Vw_vasl_VwR(Q6_Vw_vmpyio_VwVh(a, b), 16));
}

/*
 * The low 64 bits of products of 64 bits. Products of words are signed, so that for a negative one
 * the other is missing in the high word.
 */
lanes_inline struct wide multiply_wide(struct wide a, struct wide b)
{
	HVX_VectorPair low = Q6_W_vmpye_VwVuh(a.low, b.low);
	HVX_Vector high = Q6_Vw_vadd_VwVw(multiply_words(a.low, b.high),
					  multiply_words(a.high, b.low));

	low = Q6_W_vmpyoacc_WVwVh(low, a.low, b.low);
	high = Q6_Vw_vadd_VwVw(high, Q6_V_hi_W(low));
	high = Q6_Vw_vadd_VwVw(high, Q6_V_vand_VV(Q6_Vw_vasr_VwR(a.low, 31), b.low));
	high = Q6_Vw_vadd_VwVw(high, Q6_V_vand_VV(Q6_Vw_vasr_VwR(b.low, 31), a.low));
	return (struct wide){ Q6_V_lo_W(low), high };
}

#endif
