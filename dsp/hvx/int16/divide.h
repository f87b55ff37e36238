/* SPDX-License-Identifier: MIT */
/*
 * Division of 32 words by one count, exactly: a product with 2^31 / count is off by less than 1.5,
 * and what is left then says by how much.
 */
#ifndef NN_INT16_DIVIDE_H
#define NN_INT16_DIVIDE_H

#include "dsp/hvx/common/fixed.h"

struct int16_divisor {
	uint32_t count;		/* 1 .. 65535 */
	int32_t inverse;	/* (2^31 - 1) / count without its fraction */
	int32_t most;		/* whose quotient fits a halfword */
};

static inline struct int16_divisor int16_divisor_of(uint32_t count)
{
	return (struct int16_divisor){ count, INT32_MAX / count,
				       count > 32768 ? INT32_MAX : (int32_t)(65535 * count) };
}

/*
 * Returns (|v| + more) / count without its fraction, with the sign of v, or, where that is more
 * than 65535, that. |v| + more is below 2^31.
 */
static inline HVX_Vector int16_divide(HVX_Vector v, uint32_t more,
				      const struct int16_divisor *divisor)
{
	HVX_Vector count = splat_w(divisor->count), one = splat_w(1), zero = Q6_V_vzero();
	HVX_Vector n = Q6_Vw_vadd_VwVw(Q6_Vw_vabs_Vw(v), splat_w(more)), quotient, rest;
	HVX_VectorPred is_past, is_short;

	if (divisor->count == 1)
		return v;
	n = Q6_Vw_vmin_VwVw(n, splat_w(divisor->most));
	quotient = fixed_high(n, splat_w(divisor->inverse));
	rest = Q6_Vw_vsub_VwVw(n, Q6_Vw_vmpyie_VwVuh(count, quotient));
	is_past = Q6_Q_vcmp_gt_VwVw(zero, rest);
	is_short = Q6_Q_not_Q(Q6_Q_vcmp_gt_VwVw(count, rest));
	quotient = Q6_Vw_condnac_QVwVw(is_past, quotient, one);
	quotient = Q6_Vw_condacc_QVwVw(is_short, quotient, one);
	return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(zero, v), Q6_Vw_vsub_VwVw(zero, quotient), quotient);
}

/* The mean to the nearest, ties away from 0. That of powers of two is a shift, and fits. */
static inline HVX_Vector int16_mean(HVX_Vector sum, const struct int16_divisor *divisor)
{
	uint32_t count = divisor->count;

	if (count > 1 && !(count & (count - 1))) {
		HVX_Vector sign = Q6_Vw_vasr_VwR(sum, 31);
		HVX_Vector up = Q6_Vw_vadd_VwVw_sat(Q6_Vw_vadd_VwVw(sum, sign), splat_w(count / 2));

		return Q6_Vw_vasr_VwR(up, __builtin_ctz(count));
	}
	return int16_divide(sum, divisor->count / 2, divisor);
}

#endif
