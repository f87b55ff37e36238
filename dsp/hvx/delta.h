/* SPDX-License-Identifier: MIT */
/*
 * Delta networks: vdelta and vrdelta pass a vector through seven stages, in each of which a byte
 * stays or changes places with the one 2^i places from it, which bit i of a control byte at its new
 * place decides. vdelta begins with i = 6, vrdelta with i = 0.
 */
#ifndef NN_DELTA_H
#define NN_DELTA_H

#include "vector.h"

/* 0, 1, ..., 127. */
static inline HVX_Vector delta_places(void)
{
	return Q6_Vb_vsub_VbVb(Q6_Vb_prefixsum_Q(Q6_Q_vsetq2_R(VECTOR)), splat_b(1));
}

/*
 * What vdelta needs to take place p, where bytes of `is_wanted` are all ones, from place source(p), if
 * sources ascend one by one, modulo 128, and leave out nothing: then those that end in the same 2^i
 * places are different modulo 2^i, and none are in each other's way. With the same vrdelta takes them
 * back. (Hilewitz and Lee: what is spread is a butterfly's, what is gathered an inverse one's.)
 *
 * It goes from the last stage to the first: each wanted byte says where it must have been before, and
 * a place that nobody wants has what its partner needs.
 */
static inline HVX_Vector delta_spread(HVX_Vector source, HVX_Vector is_wanted)
{
	HVX_Vector control = Q6_V_vzero(), places = delta_places();

#pragma unroll
	for (uint32_t bit = 1; bit < VECTOR; bit *= 2) {
		HVX_Vector stage = splat_b(bit), change;

		change = Q6_V_vand_VV(Q6_V_vand_VV(Q6_V_vxor_VV(source, places), stage), is_wanted);
		change = Q6_V_vor_VV(change, Q6_V_vdelta_VV(change, stage));
		control = Q6_V_vor_VV(control, change);
		source = Q6_V_vdelta_VV(source, change);
		is_wanted = Q6_V_vdelta_VV(is_wanted, change);
	}
	return control;
}

#endif
