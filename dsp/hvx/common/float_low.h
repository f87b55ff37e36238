/* SPDX-License-Identifier: MIT */
/*
 * Sums of elements in float32, by their lowest 16 bits, of 64 lanes: what tells how a mean that is
 * half an integer rounds, which is up to the errors of all operations before it.
 *
 * An element is float32's product of an integer, of -255 .. 255, and a scale; others are products
 * of elements with weights in sixteenths, and sums of these, all weights together being 1. So each
 * is nearly an integer times scale / 16, which says with how many bits float32 has it: the place of
 * its last bit is known. What is above bit 16 needs not be known, since all errors together are
 * less than 2^15 steps.
 *
 * With the scale's mantissa M, of 24 bits, one step is 2^-5, where M's last bit is 1: products with
 * 1/16 are even numbers of steps then. Numbers are below 255 * 2^24, so their last bit is below
 * 2^8: that makes errors of 2^7 of four elements together, of 192 of their products with weights
 * that are no powers of two, as a look at all has told, and three times 2^7 of sums.
 *
 * If integer * M is as near to a power of two as 2^14, the sum may be on its other side; such
 * integers are critical. (Where numbers cancel out, a sum is exact, and the last bits that their
 * difference would have had are 0.)
 */
#ifndef NN_HVX_FLOAT_LOW_H
#define NN_HVX_FLOAT_LOW_H

#include "dsp/hvx/common/vector.h"

#define LOW_NEAR	(1 << 14)	/* to a power of two */
#define LOW_STEPS	0x1000		/* half of the last bit of the greatest sums */
#define LOW_LEAST	12		/* the size of 1/16 */

struct low_scale {
	uint32_t upper;		/* bits of M: what is multiplied with them has M's power of two */
	uint32_t twice;		/* 2 * M, of which 16 bits are of use */
	uint32_t half_bit;	/* of a result's last bit half, as for LOW_STEPS */
	uint32_t critical;	/* an integer's digits, or 0 */
	uint32_t number;	/* of critical ones with different digits */
};

/*
 * Settles a scale. Returns false if there is no such `upper`, or are several kinds of critical
 * integers.
 */
bool nn_low_settle(struct low_scale *low, float scale);

/*
 * How many bits integers times M are shorter than they can be, of eight times the sixteenths: what
 * is below 0 is rounded down, to one whose complement is as long.
 */
static inline HVX_Vector low_size(const struct low_scale *low, HVX_Vector eighths)
{
	return Q6_Vh_vnormamt_Vh(Q6_Vh_vmpy_VhRh_s1_sat(eighths, low->upper * 0x10001));
}

/*
 * Rounds numbers of a size to the bits that float32 has of them, ties to even. `steps` is
 * LOW_STEPS, or less where a step is more.
 */
static inline HVX_Vector low_round(HVX_Vector number, HVX_Vector size, HVX_Vector steps)
{
	HVX_Vector half = Q6_Vh_vlsr_VhVh(steps, size);
	HVX_Vector last = Q6_Vh_vadd_VhVh(half, half), zero = Q6_V_vzero();
	HVX_VectorPred is_even = Q6_Q_vcmp_eq_VhVh(Q6_V_vand_VV(number, last), zero);

	number = Q6_Vh_condnac_QVhVh(is_even, Q6_Vh_vadd_VhVh(number, half), splat_h(1));
	return Q6_V_vand_VV(number, Q6_Vh_vsub_VhVh(zero, last));
}

/* Adds numbers whose sum is an integer's, of eight times the sixteenths. */
static inline HVX_Vector low_add(const struct low_scale *low, HVX_Vector a, HVX_Vector b,
				 HVX_Vector eighths)
{
	/* A difference may be 0. */
	HVX_Vector size = Q6_Vh_vmin_VhVh(low_size(low, eighths), splat_h(LOW_LEAST));

	return low_round(Q6_Vh_vadd_VhVh(a, b), size, splat_h(LOW_STEPS));
}

/*
 * Returns the lanes in which the quotient of a sum and the scale, which should be half an integer,
 * is rounded up. If the sum is too much or too little by less than half of the quotient's last bit,
 * that is half an integer, too, and rounded to an even one.
 */
static inline HVX_VectorPred low_goes_up(const struct low_scale *low, HVX_Vector sum,
					 HVX_Vector eighths)
{
	HVX_Vector exact = Q6_Vh_vmpyi_VhVh(Q6_Vh_vasr_VhR(eighths, 3), splat_h(low->twice));
	HVX_Vector digits = Q6_Vuh_vcl0_Vuh(Q6_Vh_vabs_Vh(eighths));
	HVX_Vector limit = Q6_Vh_vlsr_VhVh(splat_h(low->half_bit), digits);
	HVX_Vector is_odd = Q6_Vh_vasr_VhR(Q6_Vh_vasl_VhR(eighths, 8), 15);

	/* From -limit on, next to an odd integer below, up is even; else only above limit. */
	limit = Q6_V_vxor_VV(limit, is_odd);
	return Q6_Q_vcmp_gt_VhVh(Q6_Vh_vsub_VhVh(sum, exact), limit);
}

/* Returns the lanes of marks, with those of a critical integer. */
static inline HVX_Vector low_mark(const struct low_scale *low, HVX_Vector marks,
				  HVX_Vector eighths)
{
	HVX_Vector digits = Q6_Vh_vabs_Vh(eighths);

	digits = Q6_Vh_vasl_VhVh(digits, Q6_Vuh_vcl0_Vuh(digits));
	return Q6_V_vandor_VQR(marks, Q6_Q_vcmp_eq_VhVh(digits, splat_h(low->critical)), -1);
}

#endif
