/* SPDX-License-Identifier: MIT */
/*
 * What ADD and ADD_FLOAT on HVX have in common: weighted sums of bytes in integers.
 */
#ifndef NN_HVX_ADD_H
#define NN_HVX_ADD_H

#include "../kernels/numbers.h"
#include "vector.h"

struct weighted_sum {
	HVX_Vector flip_a, flip_b;		/* makes bytes unsigned */
	HVX_Vector multiplier_a, multiplier_b;
	HVX_Vector base;			/* zero points' products, and what the caller adds */
};

/* `more` is added to each sum. */
static inline struct weighted_sum weighted_sum_of(const struct nn_call *call, int32_t multiplier_a,
						  int32_t multiplier_b, int32_t more)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	int32_t flip_a = flip_of(a), flip_b = flip_of(b);

	return (struct weighted_sum){
		.flip_a = splat_b((uint32_t)flip_a),
		.flip_b = splat_b((uint32_t)flip_b),
		.multiplier_a = splat_w(multiplier_a),
		.multiplier_b = splat_w(multiplier_b),
		.base = splat_w(more - (a->zero_point + flip_a) * multiplier_a -
				(b->zero_point + flip_b) * multiplier_b),
	};
}

/* 64 sums from halfwords: even ones from the low halves of words, odd ones from the high halves. */
static inline HVX_VectorPair add_halves(HVX_Vector a, HVX_Vector b, const struct weighted_sum *sum)
{
	HVX_Vector even = sum->base, odd = sum->base;

	even = Q6_Vw_vmpyieacc_VwVwVuh(even, sum->multiplier_a, a);
	even = Q6_Vw_vmpyieacc_VwVwVuh(even, sum->multiplier_b, b);
	odd = Q6_Vw_vmpyieacc_VwVwVuh(odd, sum->multiplier_a, Q6_Vuw_vlsr_VuwR(a, 16));
	odd = Q6_Vw_vmpyieacc_VwVwVuh(odd, sum->multiplier_b, Q6_Vuw_vlsr_VuwR(b, 16));
	return Q6_W_vcombine_VV(odd, even);
}

/* As halfwords, rounded down. */
static inline HVX_Vector round_halves(HVX_VectorPair sum, uint32_t shift)
{
	return Q6_Vh_vsat_VwVw(Q6_Vw_vasr_VwR(Q6_V_hi_W(sum), shift),
			       Q6_Vw_vasr_VwR(Q6_V_lo_W(sum), shift));
}

#endif
