/* SPDX-License-Identifier: MIT */
/*
 * The multiplications of dsp/program/fixed.h for 32 lanes, exactly as they are defined there.
 *
 * vmpye makes the product with the multiplier's lower half, less its lowest 16 bits; vmpyo adds
 * that with the upper half, and rounds: floor((floor(v * low / 2^16) + v * high + 2^14) / 2^15),
 * which is floor((v * multiplier + 2^30) / 2^31), cut off where that is 2^31.
 */
#ifndef NN_HVX_FIXED_H
#define NN_HVX_FIXED_H

#include "dsp/program/fixed.h"
#include "dsp/hvx/common/vector.h"

/* Multipliers and shifts of 32 lanes. */
struct fixed_lanes {
	HVX_Vector multiplier;
	HVX_Vector left;	/* exponents above 0 */
	HVX_Vector right;	/* -exponent - 1 of those below 0, else 0 */
	HVX_Vector is_right;	/* -1 where they are */
};

static inline struct fixed_lanes fixed_lanes_of(HVX_Vector multiplier, HVX_Vector exponent)
{
	HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPred is_right = Q6_Q_vcmp_gt_VwVw(zero, exponent);

	return (struct fixed_lanes){
		.multiplier = multiplier,
		.left = Q6_Vw_vmax_VwVw(exponent, zero),
		.right = Q6_V_vmux_QVV(is_right, Q6_V_vnot_V(exponent), zero),
		.is_right = Q6_V_vand_QR(is_right, -1),
	};
}

/* One for all lanes. */
static inline struct fixed_lanes fixed_splat(struct nn_fixed by)
{
	return fixed_lanes_of(splat_w(by.multiplier), splat_w(by.exponent));
}

/* The first step, nn_fixed_high(). */
static inline HVX_Vector fixed_high(HVX_Vector value, HVX_Vector multiplier)
{
	HVX_Vector product = Q6_Vw_vmpye_VwVuh(value, multiplier);

	return Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(product, value, multiplier);
}

/*
 * The second rounding, of high / 2^(right + 1): half of it is added where one bit behind the point
 * is left, so that nothing is past 32 bits. Ties go up, or where `away` is -1, those below 0 down,
 * for which 1 is taken from these first.
 */
static inline HVX_Vector fixed_round(HVX_Vector high, const struct fixed_lanes *by,
				     HVX_Vector away)
{
	HVX_Vector sign = Q6_V_vand_VV(Q6_Vw_vasr_VwR(high, 31), away);
	HVX_Vector rest = Q6_Vw_vasr_VwVw(Q6_Vw_vadd_VwVw_sat(high, sign), by->right);
	HVX_Vector rounded = Q6_Vw_vavg_VwVw_rnd(rest, Q6_V_vzero());

	return Q6_V_vmux_QVV(Q6_Q_vand_VR(by->is_right, -1), rounded, high);
}

/* The same of one exponent for all lanes. */
static inline HVX_Vector fixed_round_one(HVX_Vector high, int32_t exponent, HVX_Vector away)
{
	HVX_Vector sign, rest;

	if (exponent >= 0)
		return high;
	sign = Q6_V_vand_VV(Q6_Vw_vasr_VwR(high, 31), away);
	rest = Q6_Vw_vasr_VwR(Q6_Vw_vadd_VwVw_sat(high, sign), ~exponent);
	return Q6_Vw_vavg_VwVw_rnd(rest, Q6_V_vzero());
}

/* nn_fixed_multiply() where `away` is -1, nn_fixed_multiply_up() where it is 0; */
static inline HVX_Vector fixed_multiply_ties(HVX_Vector value, const struct fixed_lanes *by,
					     HVX_Vector away)
{
	HVX_Vector high = fixed_high(Q6_Vw_vasl_VwVw(value, by->left), by->multiplier);

	return fixed_round(high, by, away);
}

/* and one of them for all lanes. */
static inline HVX_Vector fixed_multiply(HVX_Vector value, const struct fixed_lanes *by)
{
	return fixed_multiply_ties(value, by, splat_w(-1));
}

static inline HVX_Vector fixed_multiply_up(HVX_Vector value, const struct fixed_lanes *by)
{
	return fixed_multiply_ties(value, by, Q6_V_vzero());
}

#endif
