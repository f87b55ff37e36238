/* SPDX-License-Identifier: MIT */
/*
 * The lanes of a predicate, one after another: kernels that have something to do for few of 128
 * bytes go through their numbers.
 */
#ifndef NN_LANES_H
#define NN_LANES_H

#include "dsp/hvx/common/vector.h"

#define LANES_WORD	32u	/* bytes from a word of bits to the next */

/* Stores a bit for each lane: words 0, 8, 16 and 24 of an aligned vector have those of 32 each. */
static inline void store_lanes(uint8_t *to, HVX_VectorPred lanes)
{
	HVX_Vector places = Q6_Vb_vsub_VbVb(Q6_Vb_prefixsum_Q(Q6_Q_vsetq2_R(VECTOR)), splat_b(1));
	HVX_Vector bits = Q6_Vuw_vrmpy_VubRub(Q6_V_vand_QR(lanes, 0x08040201), 0x01010101);

	/* Word i of eight has 4 bits, which go up by i * 4: its lowest byte's place in them. */
	bits = Q6_Vw_vasl_VwVw(bits, Q6_V_vand_VV(places, splat_w(0x1c)));
	bits = Q6_V_vor_VV(bits, Q6_V_vror_VR(bits, 4));
	bits = Q6_V_vor_VV(bits, Q6_V_vror_VR(bits, 8));
	bits = Q6_V_vor_VV(bits, Q6_V_vror_VR(bits, 16));
	*(HVX_Vector *)to = bits;
}

#endif
