/* SPDX-License-Identifier: MIT */
/*
 * The functions of dsp/kernels/fractions.h for vectors of 64 lanes, exactly as they are defined
 * there: of four vectors in step, since the operations of one wait for each other. Where all four
 * are the same the compiler makes one.
 */
#ifndef NN_HVX_FRACTIONS_H
#define NN_HVX_FRACTIONS_H

#include "dsp/hvx/common/vector.h"

#define FRACTIONS	4	/* vectors in step */
#define EACH_FRACTION(i) _Pragma("unroll") for (uint32_t i = 0; i < FRACTIONS; i++)

#define FRACTIONS_INLINE static inline __attribute__((always_inline))

FRACTIONS_INLINE HVX_Vector fractions_product(HVX_Vector a, HVX_Vector b)
{
	return Q6_Vh_vmpy_VhVh_s1_rnd_sat(a, b);
}

/*
 * Keeps four vectors in step, where compilers would rather compute one behind the others. They are no
 * longer known to be the same.
 */
FRACTIONS_INLINE void fractions_keep_step(HVX_Vector v[FRACTIONS])
{
	asm("" : "+v"(v[0]), "+v"(v[1]), "+v"(v[2]), "+v"(v[3]));
}

/* v / 2^bits to the nearest, ties away from 0; its sum with 2^bits does not overflow. */
FRACTIONS_INLINE HVX_Vector fractions_divide(HVX_Vector v, uint32_t bits)
{
	HVX_Vector sign = Q6_Vh_vasr_VhR(v, 15);

	v = Q6_Vh_vadd_VhVh(Q6_Vh_vadd_VhVh(v, sign), splat_h(1 << (bits - 1)));
	return Q6_Vh_vasr_VhR(v, bits);
}

/* The argument of the exponential function becomes its series; `rest` has a bit for each power of e. */
FRACTIONS_INLINE void fractions_series(HVX_Vector v[FRACTIONS], HVX_Vector rest[FRACTIONS],
				       const uint32_t whole[FRACTIONS])
{
	HVX_Vector middle = splat_h(28918), third = splat_h(10923);
	HVX_Vector x[FRACTIONS], x2[FRACTIONS], x3[FRACTIONS], x4[FRACTIONS];

	EACH_FRACTION(i)
		x[i] = Q6_V_vand_VV(v[i], splat_h((1 << (13 - whole[i])) - 1));
	EACH_FRACTION(i)
		x[i] = Q6_Vh_vsub_VhVh(x[i], splat_h(1 << (13 - whole[i])));
	EACH_FRACTION(i)
		rest[i] = Q6_Vh_vsub_VhVh(x[i], v[i]);
	EACH_FRACTION(i)
		x[i] = Q6_Vh_vadd_VhVh(Q6_Vh_vasl_VhR(x[i], whole[i]), splat_h(1 << 12));
	EACH_FRACTION(i)
		x2[i] = fractions_product(x[i], x[i]);
	EACH_FRACTION(i)
		x3[i] = fractions_product(x2[i], x[i]);
	EACH_FRACTION(i)
		x4[i] = fractions_product(x2[i], x2[i]);
	EACH_FRACTION(i)
		x4[i] = fractions_divide(x4[i], 2);
	EACH_FRACTION(i)
		x4[i] = fractions_product(Q6_Vh_vadd_VhVh(x4[i], x3[i]), third);
	EACH_FRACTION(i)
		x4[i] = fractions_divide(Q6_Vh_vadd_VhVh(x4[i], x2[i]), 1);
	EACH_FRACTION(i)
		x4[i] = fractions_product(middle, Q6_Vh_vadd_VhVh(x[i], x4[i]));
	EACH_FRACTION(i)
		v[i] = Q6_Vh_vadd_VhVh_sat(middle, x4[i]);
}

/* The powers of e that numbers with so many whole bits can have in them, of 7: the rest has 15 bits. */
#define FRACTIONS_POWERS(whole)	((whole) + 2)
#define FRACTIONS_ALL_POWERS	7

/* e^v of numbers below 0 with so many whole bits each; of 0 it is anything from 0 to 1. */
FRACTIONS_INLINE void fractions_exp(HVX_Vector v[FRACTIONS], const uint32_t whole[FRACTIONS],
				    const uint32_t most[FRACTIONS], bool in_step)
{
	static const int16_t powers[] = { 25520, 19875, 12055, 4435, 600, 11, 0 };
	HVX_Vector from[FRACTIONS], rest[FRACTIONS], times[FRACTIONS];

	EACH_FRACTION(i)
		from[i] = v[i];
	fractions_series(v, rest, whole);
#pragma unroll
	for (uint32_t p = 0; p < FRACTIONS_ALL_POWERS; p++) {
		HVX_Vector power = splat_h(powers[p]);

		EACH_FRACTION(i)
			times[i] = p < most[i] ? fractions_product(v[i], power) : v[i];
		/* The rest has no bit at the sign's place nor past it. */
		EACH_FRACTION(i) {
			HVX_Vector bit = splat_h(1u << (13 - whole[i] + p));

			if (p < most[i])
				v[i] = Q6_V_vmux_QVV(
					Q6_Q_vcmp_gt_VhVh(Q6_V_vand_VV(rest[i], bit), Q6_V_vzero()),
					times[i], v[i]);
		}
		if (in_step && (p == 2 || p == 5))
			fractions_keep_step(v);
	}
	EACH_FRACTION(i) {
		HVX_Vector least = splat_h(whole[i] > 5 ? -(1u << (20 - whole[i])) : 1u << 15);

		if (most[i] == FRACTIONS_ALL_POWERS)
			v[i] = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VhVh(least, from[i]), Q6_V_vzero(), v[i]);
	}
}

FRACTIONS_INLINE HVX_Vector fractions_times_4(HVX_Vector v)
{
	v = Q6_Vh_vadd_VhVh_sat(v, v);
	return Q6_Vh_vadd_VhVh_sat(v, v);
}

/*
 * 2 / (1 + v) of numbers from 0 to 1, with two whole bits. Four times an error is 908 at most, so
 * nothing is cut off there.
 */
FRACTIONS_INLINE void fractions_invert(HVX_Vector v[FRACTIONS], bool in_step)
{
	HVX_Vector half[FRACTIONS], error[FRACTIONS];

	EACH_FRACTION(i)
		half[i] = Q6_Vuh_vavg_VuhVuh(v[i], splat_h(1u << 15));
	EACH_FRACTION(i)
		v[i] = Q6_Vh_vadd_VhVh(splat_h(23130), fractions_product(half[i], splat_h(-15420u)));
#pragma unroll
	for (uint32_t step = 0; step < 3; step++) {
		EACH_FRACTION(i)
			error[i] = Q6_Vh_vsub_VhVh(splat_h(1 << 13), fractions_product(half[i], v[i]));
		EACH_FRACTION(i)
			error[i] = fractions_product(v[i], error[i]);
		EACH_FRACTION(i)
			v[i] = Q6_Vh_vaslacc_VhVhR(v[i], error[i], 2);
		if (in_step && step == 2)
			fractions_keep_step(v);
	}
}

/*
 * Numbers with so many whole bits each become their sigmoid, or, where `is_tanh`, their hyperbolic
 * tangent. `most`: FRACTIONS_POWERS() of these bits and 1 more for a tangent, where they are known when
 * this is compiled, and else FRACTIONS_ALL_POWERS.
 */
FRACTIONS_INLINE void fractions_activate(HVX_Vector v[FRACTIONS], const bool is_tanh[FRACTIONS],
					 const uint32_t whole[FRACTIONS],
					 const uint32_t most[FRACTIONS], bool in_step)
{
	HVX_Vector from[FRACTIONS], zero = Q6_V_vzero();
	uint32_t bits[FRACTIONS];

	EACH_FRACTION(i) {
		from[i] = v[i];
		bits[i] = whole[i] + is_tanh[i];
	}
	EACH_FRACTION(i)
		v[i] = Q6_Vh_vmin_VhVh(v[i], Q6_Vh_vsub_VhVh(zero, v[i]));
	fractions_exp(v, bits, most, in_step);
	fractions_invert(v, in_step);
	EACH_FRACTION(i) {
		HVX_VectorPred is_above = Q6_Q_vcmp_gt_VhVh(from[i], zero);
		HVX_VectorPred is_zero = Q6_Q_vcmp_eq_VhVh(from[i], zero);

		if (is_tanh[i]) {
			v[i] = fractions_times_4(Q6_Vh_vsub_VhVh(v[i], splat_h(1 << 13)));
			v[i] = Q6_V_vmux_QVV(is_above, v[i], Q6_Vh_vsub_VhVh(zero, v[i]));
			v[i] = Q6_V_vmux_QVV(is_zero, zero, v[i]);
		} else {
			v[i] = Q6_Vh_vadd_VhVh_sat(v[i], v[i]);
			v[i] = Q6_V_vmux_QVV(is_above, v[i],
					     Q6_Vh_vsub_VhVh(splat_h(INT16_MAX), v[i]));
			v[i] = Q6_V_vmux_QVV(is_zero, splat_h(1 << 14), v[i]);
		}
	}
}

/* The hyperbolic tangents of numbers that all have so many whole bits. */
FRACTIONS_INLINE void fractions_tanh(HVX_Vector v[FRACTIONS], uint32_t whole)
{
	const bool is_tanh[FRACTIONS] = { true, true, true, true };
	const uint32_t bits[FRACTIONS] = { whole, whole, whole, whole };
	const uint32_t most[FRACTIONS] = { FRACTIONS_ALL_POWERS, FRACTIONS_ALL_POWERS,
					   FRACTIONS_ALL_POWERS, FRACTIONS_ALL_POWERS };

	fractions_activate(v, is_tanh, bits, most, false);
}

#endif
