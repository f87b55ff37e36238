/* SPDX-License-Identifier: MIT */
/*
 * The functions of dsp/kernels/fractions.h for 64 lanes, exactly as they are defined there.
 */
#ifndef NN_HVX_FRACTIONS_H
#define NN_HVX_FRACTIONS_H

#include "dsp/hvx/common/vector.h"

static inline __attribute__((always_inline)) HVX_Vector
fractions_product(HVX_Vector a, HVX_Vector b)
{
	return Q6_Vh_vmpy_VhVh_s1_rnd_sat(a, b);
}

/* Half of it to the nearest, and so on for 2^bits; a sum with 2^bits does not overflow. */
static inline __attribute__((always_inline)) HVX_Vector
fractions_divide(HVX_Vector v, uint32_t bits)
{
	HVX_Vector sign = Q6_Vh_vasr_VhR(v, 15);

	v = Q6_Vh_vadd_VhVh(Q6_Vh_vadd_VhVh(v, sign), splat_h(1 << (bits - 1)));
	return Q6_Vh_vasr_VhR(v, bits);
}

static inline __attribute__((always_inline)) HVX_Vector
fractions_exp(HVX_Vector a, uint32_t whole)
{
	static const int16_t powers[] = { 25520, 19875, 12055, 4435, 600, 11, 0 };
	HVX_Vector quarter = splat_h(1 << (13 - whole)), middle = splat_h(28918);
	HVX_Vector in_quarter = Q6_Vh_vsub_VhVh(Q6_V_vand_VV(a, splat_h((1 << (13 - whole)) - 1)),
						quarter);
	HVX_Vector rest = Q6_Vh_vsub_VhVh(in_quarter, a);
	HVX_Vector x = Q6_Vh_vadd_VhVh(Q6_Vh_vasl_VhR(in_quarter, whole), splat_h(1 << 12));
	HVX_Vector x2 = fractions_product(x, x), x3 = fractions_product(x2, x);
	HVX_Vector x4 = fractions_divide(fractions_product(x2, x2), 2);
	HVX_Vector terms, result;

	terms = fractions_product(Q6_Vh_vadd_VhVh(x4, x3), splat_h(10923));
	terms = fractions_divide(Q6_Vh_vadd_VhVh(terms, x2), 1);
	result = Q6_Vh_vadd_VhVh_sat(middle, fractions_product(middle, Q6_Vh_vadd_VhVh(x, terms)));
#pragma unroll
	for (uint32_t i = 0; i < 7; i++) {
		/* The rest has no bits past the sign's place, nor there. */
		HVX_Vector bit = Q6_V_vand_VV(rest, splat_h(1u << (13 - whole + i)));
		HVX_VectorPred is_set = Q6_Q_vcmp_gt_VhVh(bit, Q6_V_vzero());

		if (__builtin_constant_p(whole) && i >= whole + 2)
			continue;
		result = Q6_V_vmux_QVV(is_set, fractions_product(result, splat_h(powers[i])), result);
	}
	if (whole > 5)
		result = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VhVh(splat_h(-(1u << (20 - whole))), a),
				       Q6_V_vzero(), result);
	return Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VhVh(a, Q6_V_vzero()), splat_h(INT16_MAX), result);
}

static inline __attribute__((always_inline)) HVX_Vector
fractions_times_4(HVX_Vector v)
{
	v = Q6_Vh_vadd_VhVh_sat(v, v);
	return Q6_Vh_vadd_VhVh_sat(v, v);
}

static inline __attribute__((always_inline)) HVX_Vector
fractions_invert(HVX_Vector x)
{
	HVX_Vector half = Q6_Vuh_vavg_VuhVuh(x, splat_h(1u << 15));
	HVX_Vector y = Q6_Vh_vadd_VhVh(splat_h(23130), fractions_product(half, splat_h(-15420u)));

#pragma unroll
	for (uint32_t i = 0; i < 3; i++) {
		HVX_Vector error = Q6_Vh_vsub_VhVh(splat_h(1 << 13), fractions_product(half, y));

		y = Q6_Vh_vadd_VhVh(y, fractions_times_4(fractions_product(y, error)));
	}
	return y;
}

/* The number below 0 or at it that differs in its sign alone, if at all. */
static inline __attribute__((always_inline)) HVX_Vector
fractions_below_0(HVX_Vector a)
{
	return Q6_Vh_vmin_VhVh(a, Q6_Vh_vsub_VhVh(Q6_V_vzero(), a));
}

static inline __attribute__((always_inline)) HVX_Vector
fractions_sigmoid(HVX_Vector a, uint32_t whole)
{
	HVX_Vector y = fractions_invert(fractions_exp(fractions_below_0(a), whole));
	HVX_Vector zero = Q6_V_vzero(), result;

	y = Q6_Vh_vadd_VhVh_sat(y, y);
	result = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VhVh(a, zero), y,
			       Q6_Vh_vsub_VhVh(splat_h(INT16_MAX), y));
	return Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VhVh(a, zero), splat_h(1 << 14), result);
}

static inline __attribute__((always_inline)) HVX_Vector
fractions_tanh(HVX_Vector a, uint32_t whole)
{
	HVX_Vector y = fractions_invert(fractions_exp(fractions_below_0(a), whole + 1));
	HVX_Vector zero = Q6_V_vzero(), result;

	y = fractions_times_4(Q6_Vh_vsub_VhVh(y, splat_h(1 << 13)));
	result = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VhVh(zero, a), Q6_Vh_vsub_VhVh(zero, y), y);
	return Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VhVh(a, zero), zero, result);
}

#endif
