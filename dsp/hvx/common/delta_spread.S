/* SPDX-License-Identifier: MIT */
/*
 * nn_delta_spread_two() of delta.h: the controls of two permutations at once, which C code asks for
 * once per call and then uses for all of its vectors.
 *
 *	v0, v1	by how much each byte is elsewhere; at last the controls
 *	v2, v3	controls so far
 *	v4, v5	the same of the other place of the stage
 *
 * A stage is a chain of three packets: what the other place says, whether either of the two says
 * that they change places, and the change. The second control is a packet behind the first.
 */
#include "dsp/hvx/common/asm.h"

/*
 * STAGE makes one stage of both controls. \r and \v have this stage's bit in all bytes; \next_r and
 * \next_v: the next one's, which the last packet has begun for the first control.
 */
	.macro	STAGE r v next_r next_v
	{
		v5 = vdelta(v1, \v)
		q1 = vand(v1, \r)
		q0 |= vand(v4, \r)
		\next_r = add(\r, \r)
	}
	{
		v0 = vmux(q0, v4, v0)
		v2 |= vand(q0, \r)
		q1 |= vand(v5, \r)
		\next_v\().b = vadd(\v\().b, \v\().b)
	}
	{
		v1 = vmux(q1, v5, v1)
		v3 |= vand(q1, \r)
		q0 = vand(v0, \next_r)
		v4 = vdelta(v0, \next_v)
	}
	.endm

	function nn_delta_spread_two
	r0 = ##0x01010101
	{
		v6 = vsplat(r0)
		q0 = vand(v0, r0)
		v2 = vxor(v2, v2)
	}
	{
		v4 = vdelta(v0, v6)
		v3 = vxor(v3, v3)
	}
	.rept	3
	STAGE	r0 v6 r1 v7
	STAGE	r1 v7 r0 v6
	.endr
	STAGE	r0 v6 r1 v7
	{
		v0 = v2
		v1 = v3
		jumpr	r31
	}
	endfunction
