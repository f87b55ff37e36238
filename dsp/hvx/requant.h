/* SPDX-License-Identifier: MIT */
/*
 * requant() of dsp/kernels.h in integers: HVX of this generation has no floating point.
 *
 * A float32 scale is m * 2^e with 2^23 <= m < 2^24. The accumulator is brought to float32's 24 bits, the 48-bit product is rounded to 24 bits as the
 * float multiplication does, then to an integer; each rounding is to nearest, ties to even.
 */
#ifndef NN_REQUANT_H
#define NN_REQUANT_H

#include "vector.h"

/* Of 32 scales. */
struct requant {
	HVX_Vector multiplier;	/* m << 7 */
	HVX_Vector exponent;	/* 29 + e */
};

static inline struct requant requant_scales(HVX_Vector scale)
{
	struct requant requant;
	HVX_Vector mantissa = Q6_V_vand_VV(scale, splat_w(0x7fffff));

	requant.multiplier = Q6_Vw_vasl_VwR(Q6_V_vor_VV(mantissa, splat_w(0x800000)), 7);
	requant.exponent = Q6_Vw_vadd_VwVw(Q6_Vuw_vlsr_VuwR(scale, 23), splat_w(29 - 150));
	return requant;
}

/* rint(fl(fl(acc) * scale)), exact where it is below 2^8 in magnitude, else anything above that with the right sign. */
static inline HVX_Vector requant_exact(HVX_Vector acc, const struct requant *requant)
{
	HVX_Vector one = splat_w(1), zero = Q6_V_vzero();
	HVX_Vector u, n, v, w, high, sticky, b, g, s, half, q;
	HVX_VectorPair product;

	/* float32(acc), shifted left until bit 27 is its highest. */
	u = Q6_Vw_vabs_Vw(acc);
	n = Q6_Vuw_vcl0_Vuw(u);
	v = Q6_Vw_vlsr_VwVw(u, Q6_Vw_vsub_VwVw(one, n));
	v = Q6_Vw_vadd_VwVw(v, Q6_Vw_vadd_VwVw(splat_w(63), Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(v, 7), one)));
	w = Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(v, 3), splat_w(~15));

	/* The product's high word; its lowest bit stands for all below. */
	product = Q6_W_vmpye_VwVuh(w, requant->multiplier);
	product = Q6_W_vmpyoacc_WVwVh(product, w, requant->multiplier);
	sticky = Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(Q6_V_lo_W(product), zero), zero, one);
	high = Q6_V_vor_VV(Q6_V_hi_W(product), sticky);

	/* Round it to 24 bits, */
	b = Q6_Vw_vsub_VwVw(Q6_Vuw_vcl0_Vuw(high), splat_w(5));
	g = Q6_Vw_vasl_VwVw(high, b);
	g = Q6_Vw_vadd_VwVw(g, Q6_Vw_vadd_VwVw(splat_w(3), Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(g, 3), one)));
	g = Q6_V_vand_VV(g, splat_w(~7));

	/* and to an integer. The limits of s keep results past 8 bits too great, and those below a half zero. */
	s = Q6_Vw_vsub_VwVw(Q6_Vw_vadd_VwVw(b, n), requant->exponent);
	s = Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(s, splat_w(18)), splat_w(28));
	half = Q6_Vw_vlsr_VwVw(splat_w(0x7fffffff), Q6_Vw_vsub_VwVw(splat_w(32), s));
	q = Q6_Vw_vadd_VwVw(g, Q6_Vw_vadd_VwVw(half, Q6_V_vand_VV(Q6_Vw_vlsr_VwVw(g, s), one)));
	q = Q6_Vw_vlsr_VwVw(q, s);
	return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(zero, acc), Q6_Vw_vsub_VwVw(zero, q), q);
}

/* How 8-bit results are finished: zero point, clamp, type. */
struct finish {
	HVX_Vector zero_point;	/* halfwords */
	HVX_Vector min, max;	/* bytes */
	bool is_signed;
};

static inline struct finish finish_of(bool is_signed, int32_t zero_point, int32_t min, int32_t max)
{
	struct finish finish = { splat_h(zero_point), splat_b(min), splat_b(max), is_signed };

	return finish;
}

/* 128 results, given as two vectors of halfwords. */
static inline HVX_Vector finish_8bit(HVX_Vector low, HVX_Vector high, const struct finish *finish)
{
	low = Q6_Vh_vadd_VhVh_sat(low, finish->zero_point);
	high = Q6_Vh_vadd_VhVh_sat(high, finish->zero_point);
	if (finish->is_signed)
		return Q6_Vb_vmin_VbVb(Q6_Vb_vmax_VbVb(Q6_Vb_vpack_VhVh_sat(high, low), finish->min), finish->max);
	return Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(Q6_Vub_vpack_VhVh_sat(high, low), finish->min), finish->max);
}

#endif
