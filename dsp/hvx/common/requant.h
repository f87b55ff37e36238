/* SPDX-License-Identifier: MIT */
/*
 * Requantization, requant() of dsp/program/kernels.h, in integers, because HVX of this generation
 * has no floating point. Convolutions, sums and means bring their sums of 32 bits to 8 bits with
 * it; a vector holds the sums of 32 lanes, and four of them become one vector of bytes.
 *
 * A float32 scale is m * 2^e with 2^23 <= m < 2^24. In the exact way the accumulator is brought to
 * float32's 24 bits, the 48-bit product is rounded to 24 bits as the float multiplication does,
 * then to an integer; each rounding is to nearest, ties to even.
 *
 * The fast way rounds the product once, from 16 bits of fraction, with what
 * dsp/program/pack_scales.c has made of the scale. Where its fraction is not within 4 / 2^16 of a
 * half the result is the same: for results of 8 bits both float roundings move the product by less
 * than 2^-15 together, and the fixed point by less than 1.5 / 2^16. A fraction that is so near to a
 * half may be a rounding tie. So the fast way notes the least fraction it met, and its callers ask
 * afterwards whether there may have been a tie, and go the exact way then.
 */
#ifndef NN_REQUANT_H
#define NN_REQUANT_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/scales.h"
#include "dsp/hvx/common/vector.h"

/* The scales of 32 lanes, by the rows that enum nn_scale_row describes. */
struct requant {
	HVX_Vector multiplier;
	HVX_Vector exponent;	/* 29 + e */
	HVX_Vector shift, min, max;
};

/* A row of scales, from a lane on. */
static inline const int32_t *scale_row(const struct nn_tensor *scales, enum nn_scale_row row,
				       uint32_t lane)
{
	return (const int32_t *)(scales->data + row * (uint32_t)scales->row_bytes) + lane;
}

static inline HVX_Vector requant_exponent(HVX_Vector scale)
{
	return Q6_Vw_vadd_VwVw(Q6_Vuw_vlsr_VuwR(scale, 23), splat_w(29 - 150));
}

static inline struct requant requant_lanes(const struct nn_tensor *scales, uint32_t lane)
{
	struct requant requant;

	requant.multiplier = load(scale_row(scales, NN_SCALE_MULTIPLIER, lane));
	requant.exponent = requant_exponent(load(scale_row(scales, NN_SCALE_FLOAT, lane)));
	requant.shift = load(scale_row(scales, NN_SCALE_SHIFT, lane));
	requant.max = load(scale_row(scales, NN_SCALE_GREATEST, lane));
	requant.min = Q6_V_vnot_V(requant.max);
	return requant;
}

/* One scale for all lanes. */
static inline struct requant requant_scale(float scale)
{
	struct scale_words words = describe_scale(scale);
	struct requant requant = {
		.multiplier = splat_w(words.multiplier),
		.exponent = requant_exponent(splat_w(words.bits)),
		.shift = splat_w(words.shift),
		.max = splat_w(words.greatest),
		.min = splat_w(~words.greatest),
	};

	return requant;
}

/* The NN_SCALES_* that any output has; all of them if there are too many outputs to look at. */
#define MOST_FLAGS	(1u << 15)

static inline uint32_t scale_flags(const struct nn_tensor *scales)
{
	const HVX_Vector *flags = (const HVX_Vector *)scale_row(scales, NN_SCALE_FLAGS, 0);
	HVX_Vector any = Q6_V_vzero();

	if (scales->dims[1] > MOST_FLAGS)
		return ~0u;
	for (uint32_t lanes = scales->dims[1]; lanes; lanes -= 32)
		any = Q6_V_vor_VV(any, *flags++);
	return Q6_R_vextract_VR(any, 0);
}

/*
 * rint(fl(fl(acc) * scale)), exact where it is below 2^8 in magnitude, else anything above that
 * with the right sign.
 */
static inline HVX_Vector requant_exact(HVX_Vector acc, const struct requant *requant)
{
	HVX_Vector one = splat_w(1), zero = Q6_V_vzero();
	HVX_Vector u, n, v, w, high, sticky, b, g, s, half, q;
	HVX_VectorPair product;

	/* float32(acc), shifted left until bit 27 is its highest. */
	u = Q6_Vw_vabs_Vw(acc);
	n = Q6_Vuw_vcl0_Vuw(u);
	v = Q6_Vw_vlsr_VwVw(u, Q6_Vw_vsub_VwVw(one, n));
	v = Q6_Vw_vadd_VwVw(v, Q6_Vw_vadd_VwVw(splat_w(63),
					       Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(v, 7), one)));
	w = Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(v, 3), splat_w(~15));

	/* The product's high word; its lowest bit stands for all below. */
	product = Q6_W_vmpye_VwVuh(w, requant->multiplier);
	product = Q6_W_vmpyoacc_WVwVh(product, w, requant->multiplier);
	sticky = Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(Q6_V_lo_W(product), zero), zero, one);
	high = Q6_V_vor_VV(Q6_V_hi_W(product), sticky);

	/* Round it to 24 bits, */
	b = Q6_Vw_vsub_VwVw(Q6_Vuw_vcl0_Vuw(high), splat_w(5));
	g = Q6_Vw_vasl_VwVw(high, b);
	g = Q6_Vw_vadd_VwVw(g,
			    Q6_Vw_vadd_VwVw(splat_w(3), Q6_V_vand_VV(Q6_Vuw_vlsr_VuwR(g, 3), one)));
	g = Q6_V_vand_VV(g, splat_w(~7));

	/*
	 * and to an integer. The limits of s keep results past 8 bits too great, and those below a
	 * half zero.
	 */
	s = Q6_Vw_vsub_VwVw(Q6_Vw_vadd_VwVw(b, n), requant->exponent);
	s = Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(s, splat_w(18)), splat_w(28));
	half = Q6_Vw_vlsr_VwVw(splat_w(0x7fffffff), Q6_Vw_vsub_VwVw(splat_w(32), s));
	q = Q6_Vw_vadd_VwVw(g, Q6_Vw_vadd_VwVw(half, Q6_V_vand_VV(Q6_Vw_vlsr_VwVw(g, s), one)));
	q = Q6_Vw_vlsr_VwVw(q, s);
	return Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(zero, acc), Q6_Vw_vsub_VwVw(zero, q), q);
}

/* The product with 16 bits of fraction, and `more` / 2^16. */
static inline HVX_Vector requant_product(HVX_Vector acc, const struct requant *requant,
					 HVX_Vector more)
{
	HVX_Vector a, product;

	a = Q6_Vw_vasl_VwVw(Q6_Vw_vmin_VwVw(Q6_Vw_vmax_VwVw(acc, requant->min), requant->max),
			    requant->shift);
	product = Q6_Vw_vmpye_VwVuh(a, requant->multiplier);
	product = Q6_Vw_vmpyoacc_VwVwVh_s1_rnd_sat_shift(product, a, requant->multiplier);
	return Q6_Vw_vadd_VwVw_sat(product, more);
}

/* Makes 64 results, as halfwords. `fraction` keeps the least fraction seen. */
static inline HVX_Vector requant_fast(HVX_Vector acc0, HVX_Vector acc1,
				      const struct requant *requant0,
				      const struct requant *requant1, HVX_Vector *fraction)
{
	/* A half, and 4 / 2^16 more. */
	HVX_Vector product0 = requant_product(acc0, requant0, splat_w(0x8004));
	HVX_Vector product1 = requant_product(acc1, requant1, splat_w(0x8004));

	*fraction = Q6_Vuh_vmin_VuhVuh(*fraction, Q6_Vh_vpacke_VwVw(product1, product0));
	return Q6_Vh_vpacko_VwVw(product1, product0);
}

/* Tells whether a product may have been a tie. */
static inline bool requant_is_tie(HVX_Vector fraction)
{
	return any_lane(Q6_Q_vcmp_gt_VuhVuh(splat_h(8), fraction));
}

static inline HVX_Vector requant_pair_exact(HVX_Vector acc0, HVX_Vector acc1,
					    const struct requant *requant0,
					    const struct requant *requant1)
{
	return Q6_Vh_vpack_VwVw_sat(requant_exact(acc1, requant1), requant_exact(acc0, requant0));
}

/* The last steps of 8-bit results: zero point, clamp, type. */
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
		return Q6_Vb_vmin_VbVb(
			Q6_Vb_vmax_VbVb(Q6_Vb_vpack_VhVh_sat(high, low), finish->min), finish->max);
	return Q6_Vub_vmin_VubVub(Q6_Vub_vmax_VubVub(Q6_Vub_vpack_VhVh_sat(high, low), finish->min),
				  finish->max);
}

/* 128 accumulators to bytes. */
static inline HVX_Vector requant_128(const HVX_Vector *acc, const struct requant *requant,
				     const struct finish *finish)
{
	HVX_Vector fraction = splat_w(-1);
	HVX_Vector low = requant_fast(acc[0], acc[1], &requant[0], &requant[1], &fraction);
	HVX_Vector high = requant_fast(acc[2], acc[3], &requant[2], &requant[3], &fraction);

	if (requant_is_tie(fraction)) {
		low = requant_pair_exact(acc[0], acc[1], &requant[0], &requant[1]);
		high = requant_pair_exact(acc[2], acc[3], &requant[2], &requant[3]);
	}
	return finish_8bit(low, high, finish);
}

#endif
