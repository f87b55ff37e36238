// SPDX-License-Identifier: MIT
/*
 * INTEGERS' divisions (integers.h), bit by bit as with pencil and paper: in each step the rest
 * takes a bit of the dividend in, and the divisor is taken from it if that is not greater. There
 * are as many steps as an element has bits, each for 128 words, or 32 numbers of 64 bits, at once;
 * shorter elements are words here.
 */
#include "dsp/hvx/common/lay_out.h"
#include "dsp/hvx/elementwise/integers.h"

#include <stddef.h>

#define WORK		1200	/* for 128 elements, */
#define WIDE_WORK	8000	/* and of 64 bits */

/* The way to round a quotient, and whether that or the rest is wanted. */
struct division {
	bool down, is_rest;
};

/* Gives quotients and rests of magnitudes their signs; by 0 they are 0. */
lanes_inline HVX_Vector finish_words(HVX_Vector quotient, HVX_Vector rest, HVX_Vector a,
				     HVX_Vector b, struct division d)
{
	const HVX_Vector zero = Q6_V_vzero();
	HVX_VectorPred differ = Q6_Q_vcmp_gt_VwVw(zero, Q6_V_vxor_VV(a, b));
	HVX_VectorPred has_rest = Q6_Q_not_Q(Q6_Q_vcmp_eq_VwVw(rest, zero)), result_is_other;
	HVX_Vector result;

	result_is_other = Q6_Q_and_QQ(differ, has_rest);
	if (d.is_rest) {
		result = Q6_V_vmux_QVV(Q6_Q_vcmp_gt_VwVw(zero, a), Q6_Vw_vsub_VwVw(zero, rest),
				       rest);
		if (d.down)
			result = Q6_Vw_condacc_QVwVw(result_is_other, result, b);
	} else {
		result = Q6_V_vmux_QVV(differ, Q6_Vw_vsub_VwVw(zero, quotient), quotient);
		if (d.down)
			result = Q6_Vw_condnac_QVwVw(result_is_other, result, splat_w(1));
	}
	return Q6_V_vmux_QVV(Q6_Q_vcmp_eq_VwVw(b, zero), zero, result);
}

/* Four vectors of words, which are divided together, so that none waits for another. */
struct words {
	HVX_Vector v0, v1, v2, v3;
};

/* One step of a division of 32 words: `left` is what is left of the dividend, and the quotient. */
lanes_inline void divide_step(HVX_Vector *left, HVX_Vector *rest, HVX_Vector by, HVX_Vector one)
{
	HVX_Vector next = Q6_V_vor_VV(Q6_Vw_vadd_VwVw(*rest, *rest), Q6_Vuw_vlsr_VuwR(*left, 31));
	HVX_VectorPred is_greater = Q6_Q_vcmp_gt_VuwVuw(by, next);

	*rest = Q6_Vw_condnac_QnVwVw(is_greater, next, by);
	*left = Q6_Vw_condacc_QnVwVw(is_greater, Q6_Vw_vadd_VwVw(*left, *left), one);
}

/* Divides 128 words that have `bits` bits, or a sign and fewer. */
lanes_inline struct words divide_words(struct words a, struct words b, uint32_t bits,
				       struct division d)
{
	const HVX_Vector one = splat_w(1), zero = Q6_V_vzero();
	const uint32_t up = 32 - bits;
	HVX_Vector left0 = Q6_Vw_vasl_VwR(Q6_Vw_vabs_Vw(a.v0), up), rest0 = zero;
	HVX_Vector left1 = Q6_Vw_vasl_VwR(Q6_Vw_vabs_Vw(a.v1), up), rest1 = zero;
	HVX_Vector left2 = Q6_Vw_vasl_VwR(Q6_Vw_vabs_Vw(a.v2), up), rest2 = zero;
	HVX_Vector left3 = Q6_Vw_vasl_VwR(Q6_Vw_vabs_Vw(a.v3), up), rest3 = zero;
	HVX_Vector by0 = Q6_Vw_vabs_Vw(b.v0), by1 = Q6_Vw_vabs_Vw(b.v1);
	HVX_Vector by2 = Q6_Vw_vabs_Vw(b.v2), by3 = Q6_Vw_vabs_Vw(b.v3);

	for (uint32_t bit = 0; bit < bits; bit++) {
		divide_step(&left0, &rest0, by0, one);
		divide_step(&left1, &rest1, by1, one);
		divide_step(&left2, &rest2, by2, one);
		divide_step(&left3, &rest3, by3, one);
	}
	return (struct words){
		finish_words(left0, rest0, a.v0, b.v0, d),
		finish_words(left1, rest1, a.v1, b.v1, d),
		finish_words(left2, rest2, a.v2, b.v2, d),
		finish_words(left3, rest3, a.v3, b.v3, d),
	};
}

/* Twice a number, and a bit. */
lanes_inline struct wide double_wide(struct wide a, HVX_Vector bit)
{
	return (struct wide){
		Q6_V_vor_VV(Q6_Vw_vadd_VwVw(a.low, a.low), bit),
		Q6_V_vor_VV(Q6_Vw_vadd_VwVw(a.high, a.high), Q6_Vuw_vlsr_VuwR(a.low, 31)),
	};
}

/* Divides numbers of 64 bits. */
lanes_inline struct wide divide_wide(struct wide a, struct wide b, struct division d)
{
	const HVX_Vector zero = Q6_V_vzero(), one = splat_w(1);
	const struct wide none = { zero, zero };
	HVX_VectorPred a_below = Q6_Q_vcmp_gt_VwVw(zero, a.high), differ, has_rest;
	struct wide left = choose_wide(a_below, subtract_wide(none, a), a), rest = none, result;
	struct wide by = choose_wide(Q6_Q_vcmp_gt_VwVw(zero, b.high), subtract_wide(none, b), b);

	for (uint32_t bit = 0; bit < 64; bit++) {
		HVX_VectorPred same, is_greater;

		rest = double_wide(rest, Q6_Vuw_vlsr_VuwR(left.high, 31));
		left = double_wide(left, zero);
		same = Q6_Q_vcmp_eq_VwVw(by.high, rest.high);
		is_greater = Q6_Q_or_QQ(Q6_Q_vcmp_gt_VuwVuw(by.high, rest.high),
					Q6_Q_vcmp_gtand_QVuwVuw(same, by.low, rest.low));
		rest = choose_wide(is_greater, rest, subtract_wide(rest, by));
		left.low = Q6_Vw_condacc_QnVwVw(is_greater, left.low, one);
	}
	differ = Q6_Q_vcmp_gt_VwVw(zero, Q6_V_vxor_VV(a.high, b.high));
	has_rest = Q6_Q_not_Q(Q6_Q_vcmp_eq_VwVw(Q6_V_vor_VV(rest.low, rest.high), zero));
	if (d.is_rest) {
		result = choose_wide(a_below, subtract_wide(none, rest), rest);
		if (d.down)
			result = choose_wide(Q6_Q_and_QQ(differ, has_rest), add_wide(result, b),
					     result);
	} else {
		result = choose_wide(differ, subtract_wide(none, left), left);
		if (d.down)
			result = choose_wide(Q6_Q_and_QQ(differ, has_rest),
					     subtract_wide(result, (struct wide){ one, zero }),
					     result);
	}
	return choose_wide(Q6_Q_vcmp_eq_VwVw(Q6_V_vor_VV(b.low, b.high), zero), none, result);
}

/* The words that 128 integers of up to 4 bytes are. */
lanes_inline struct words words_of(const struct lanes *lanes, bool is_signed)
{
	HVX_VectorPair halves, low, high;

	if (lanes->size == 4)
		return (struct words){ load_lane(lanes, 0), load_lane(lanes, 1),
				       load_lane(lanes, 2), load_lane(lanes, 3) };
	if (lanes->size == 2)
		halves = Q6_W_vcombine_VV(load_lane(lanes, 1), load_lane(lanes, 0));
	else
		halves = is_signed ? Q6_Wh_vunpack_Vb(load_lane(lanes, 0)) :
				     Q6_Wuh_vunpack_Vub(load_lane(lanes, 0));
	low = is_signed ? Q6_Ww_vunpack_Vh(Q6_V_lo_W(halves)) :
			  Q6_Wuw_vunpack_Vuh(Q6_V_lo_W(halves));
	high = is_signed ? Q6_Ww_vunpack_Vh(Q6_V_hi_W(halves)) :
			   Q6_Wuw_vunpack_Vuh(Q6_V_hi_W(halves));
	return (struct words){ Q6_V_lo_W(low), Q6_V_hi_W(low), Q6_V_lo_W(high), Q6_V_hi_W(high) };
}

lanes_inline void store_words(const struct lanes_to *to, struct words w)
{
	HVX_Vector low = Q6_Vh_vpacke_VwVw(w.v1, w.v0), high = Q6_Vh_vpacke_VwVw(w.v3, w.v2);

	switch (to->size) {
	case 1:
		store_lane(to, 0, Q6_Vb_vpacke_VhVh(high, low));
		return;
	case 2:
		store_lane(to, 0, low);
		store_lane(to, 1, high);
		return;
	}
	store_lane(to, 0, w.v0);
	store_lane(to, 1, w.v1);
	store_lane(to, 2, w.v2);
	store_lane(to, 3, w.v3);
}

/* Divides integers of one type, 128 at a time. */
lanes_inline void divide_all(const uint8_t *const *from, uint8_t *to, uint32_t elements,
			     uint32_t size, bool is_signed, struct division d)
{
	for (uint32_t i = 0; i < elements; i += VECTOR) {
		uint32_t part = elements - i < VECTOR ? elements - i : VECTOR;
		const struct lanes a = { from[0] + i * size, size, part, false };
		const struct lanes b = { from[1] + i * size, size, part, false };
		const struct lanes_to result = { to + i * size, size, part, true, false, NULL,
						 NULL };

		store_words(&result, divide_words(words_of(&a, is_signed), words_of(&b, is_signed),
						  8 * size, d));
	}
}

static void divide_all_wide(const uint8_t *const *from, uint8_t *to, uint32_t elements,
			    struct division d)
{
	for (uint32_t i = 0; i < elements; i += 32) {
		uint32_t part = elements - i < 32 ? elements - i : 32;
		const struct lanes a = { from[0] + i * 8, 8, part, false };
		const struct lanes b = { from[1] + i * 8, 8, part, false };
		const struct lanes_to result = { to + i * 8, 8, part, true, false, NULL, NULL };

		store_wide(&result, 0, divide_wide(load_wide(&a, 0), load_wide(&b, 0), d));
	}
}

static void run_division(const struct nn_call *call, const uint8_t *const *from, uint8_t *to,
			 uint32_t elements)
{
	const uint32_t function = call->op->integers.function;
	const struct division d = {
		.down = function == NN_INTEGERS_FLOOR_DIV || function == NN_INTEGERS_FLOOR_MOD,
		.is_rest = function == NN_INTEGERS_MOD || function == NN_INTEGERS_FLOOR_MOD,
	};

	switch (call->input[0].type) {
	case NN_TYPE_INT8:
		divide_all(from, to, elements, 1, true, d);
		break;
	case NN_TYPE_UINT8:
		divide_all(from, to, elements, 1, false, d);
		break;
	case NN_TYPE_INT16:
		divide_all(from, to, elements, 2, true, d);
		break;
	case NN_TYPE_UINT16:
		divide_all(from, to, elements, 2, false, d);
		break;
	case NN_TYPE_INT32:
		divide_all(from, to, elements, 4, true, d);
		break;
	default:
		divide_all_wide(from, to, elements, d);
	}
}

int nn_integers_divide(const struct nn_call *call)
{
	return nn_lay_out_run(call, 2, run_division,
			      call->input[0].type == NN_TYPE_INT64 ? WIDE_WORK : WORK);
}
