/* SPDX-License-Identifier: MIT */
/*
 * Delta networks: vdelta and vrdelta pass a vector through seven stages, in each of which a byte
 * stays or changes places with the one 2^i places from it, which bit i of a control byte at its new
 * place decides. vdelta begins with i = 6, vrdelta with i = 0.
 */
#ifndef NN_DELTA_H
#define NN_DELTA_H

#include "dsp/hvx/common/vector.h"

/* Each byte's own place: 0, 1, ..., 127. */
static inline HVX_Vector delta_indices(void)
{
	return Q6_Vb_vsub_VbVb(Q6_Vb_prefixsum_Q(Q6_Q_vsetq2_R(VECTOR)), splat_b(1));
}

/*
 * The controls with which vdelta takes place p, where bytes of `is_wanted` are all ones, from place
 * source(p), if sources ascend one by one, modulo 128, and leave out nothing: then those that
 * end in the same 2^i places are different modulo 2^i, and none are in each other's way. With
 * the same vrdelta takes them back. (Hilewitz and Lee: what is spread is a butterfly's, what is
 * gathered an inverse one's.)
 *
 * It goes from the last stage to the first: each wanted byte says by how much it must have been
 * elsewhere before, bit by bit, and a place that nobody wants goes where its partner must.
 */
static inline HVX_Vector delta_away(HVX_Vector source, HVX_VectorPred is_wanted)
{
	return Q6_V_vand_QV(is_wanted, Q6_V_vxor_VV(source, delta_indices()));
}

static inline HVX_Vector delta_spread(HVX_Vector source, HVX_VectorPred is_wanted)
{
	HVX_Vector control = Q6_V_vzero(), away = delta_away(source, is_wanted);

#pragma unroll
	for (uint32_t bit = 1; bit < VECTOR; bit *= 2) {
		uint32_t stage = bit * 0x1010101;
		HVX_Vector other = Q6_V_vdelta_VV(away, splat_b(bit));
		HVX_VectorPred change = Q6_Q_vand_VR(away, stage);

		change = Q6_Q_vandor_QVR(change, other, stage);
		control = Q6_V_vandor_VQR(control, change, stage);
		away = Q6_V_vmux_QVV(change, other, away);
	}
	return control;
}

/*
 * A control byte by byte, as words, for vdelta to take place p from place source(p) where each may
 * go to several places, and sources ascend with places, one by one or not at all, but for steps
 * back (expand_control() of conv2d/strip.c).
 *
 * Behind the stage of `move` bytes, place p holds what is on its way to one of the `move` places
 * that begin at p & -move, and what came from a place that is p modulo `move`. Of the sources of
 * these places, which are at most `move` from `first` on, one is. delta_stage() says what the
 * stage's bit of p is.
 */
static inline HVX_Vector delta_stage(HVX_Vector place, HVX_Vector first, uint32_t move)
{
	HVX_Vector behind = Q6_V_vand_VV(Q6_Vw_vsub_VwVw(place, first), splat_w(move - 1));
	HVX_Vector source = Q6_Vw_vadd_VwVw(first, behind);

	return Q6_V_vand_VV(Q6_V_vxor_VV(place, source), splat_w(move));
}

/* Places 32 * i to 32 * i + 31, as words. */
static inline HVX_Vector delta_words(uint32_t i)
{
	static const uint32_t places[32] __attribute__((aligned(VECTOR))) = {
#define FOUR(i) i, i + 1, i + 2, i + 3
		FOUR(0), FOUR(4), FOUR(8), FOUR(12), FOUR(16), FOUR(20), FOUR(24), FOUR(28),
#undef FOUR
	};

	return Q6_Vw_vadd_VwVw(*(const HVX_Vector *)places, splat_w(32 * i));
}

/* The lowest bytes of four vectors of words. */
static inline HVX_Vector delta_pack(const HVX_Vector *words)
{
	return Q6_Vb_vpacke_VhVh(Q6_Vh_vpacke_VwVw(words[3], words[2]),
				 Q6_Vh_vpacke_VwVw(words[1], words[0]));
}

/*
 * Two such controls from what delta_away() says of each, in 26 packets: the first is the low
 * vector. Interleaving and packing of pooling and copies need them in pairs.
 */
HVX_VectorPair nn_delta_spread_two(HVX_Vector away0, HVX_Vector away1);

#endif
