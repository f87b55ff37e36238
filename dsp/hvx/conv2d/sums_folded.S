/* SPDX-License-Identifier: MIT */
/*
 * Sums of elements that fill vectors, alone or several together (sums_folded.h).
 *
 * A vector is multiplied with ones, which makes 32 sums of four bytes. Two such are folded into
 * one, of sums of two neighbours: their halfwords, where all of a sum is, are packed, and
 * multiplied with ones. Two of those are folded again, until there are 32 sums of elements.
 *
 * A packet for each vector: it has a load, a multiplication with ones, and of folds, of which there
 * is one less than there are vectors, a packing and another multiplication. Two vectors are a pair:
 * while it is loaded, the one before is folded, and two of those that have been folded before, in
 * the order in which they are there. So 32 elements take a packet for each of their vectors and
 * three more, and are stored when the next 32 are being folded; behind the last, those are read
 * again. Elements of 16 bytes are folded 64 at a time.
 *
 *	v0, v1		sums of the pair
 *	v2, v3		folded pairs, the first and the second of two
 *	v4, v5; v6, v7; v8, v9	two, four and eight of them
 *	v10		all of them
 *	v11, v12	being folded; of pairs
 *	v30		ones
 *	r0		vectors
 *	r1, r2		where sums go, and how often 32 more
 *	r3		the weights' zero point, four times
 *	r4, r5		bytes of 32 elements; ones
 *	p0, p1		there is something to store; nothing is behind that
 */
#include "dsp/hvx/common/asm.h"

	/*
	 * PAIR makes sums of two vectors. Those of the pair before become \pair; what the last one
	 * began with becomes \to; \high and \low are begun with.
	 */
	.macro	PAIR w ub pair to high low loop
	{ v0.\w = vrmpy(v31.\ub,v30.\ub); v31.cur = vmem(r0++#1); v12.h = vpacke(v1.w,v0.w)
	.ifnb \to
	  \to\().w = vdmpy(v11.h,r5.b)
	.endif
	}
	{ v1.\w = vrmpy(v31.\ub,v30.\ub); v31.cur = vmem(r0++#1); \pair\().w = vdmpy(v12.h,r5.b)
	.ifnb \high
	  v11.h = vpacke(\high\().w,\low\().w)
	.endif
	}\loop
	.endm

	.macro	BEGIN name vectors
	function \name, align=5
	{ v30 = v0; r4 = #\vectors*128; r5 = ##0x01010101 }
	{ r6 = add(r2,#1); p0 = cmp.gtu(r0,r0) }
	{ loop0(1f,r6) }
1:
	{ p1 = cmp.eq(r2,#0); if (p1.new) r0 = sub(r0,r4); r2 = add(r2,#-1) }
	.endm

	.macro	STORE
	{ v10.w = vmpyi(v10.w,r3.ub) }
	{ if (p0) vmemu(r1++#1) = v10 }
	.endm

	.macro	STORE_LAST
	{ v10.w = vmpyi(v10.w,r3.ub) }
	{ if (p0) vmemu(r1++#1) = v10; p0 = cmp.eq(r0,r0); if (p1) jumpr:nt r31 }
	.endm

	.macro	FOLDS size w ub
	BEGIN nn_conv2d_sum_128_\size 32
	PAIR \w \ub v3 v4 "" ""
	PAIR \w \ub v2 "" v3 v2
	PAIR \w \ub v3 v5 v5 v4
	PAIR \w \ub v2 v7 v3 v2
	PAIR \w \ub v3 v4 v7 v6
	PAIR \w \ub v2 v9 v3 v2
	PAIR \w \ub v3 v5 v5 v4
	PAIR \w \ub v2 v6 v3 v2
	PAIR \w \ub v3 v4 v9 v8
	PAIR \w \ub v2 v10 v3 v2
	STORE_LAST
	PAIR \w \ub v3 v5 v5 v4
	PAIR \w \ub v2 v7 v3 v2
	PAIR \w \ub v3 v4 v7 v6
	PAIR \w \ub v2 v8 v3 v2
	PAIR \w \ub v3 v5 v5 v4
	PAIR \w \ub v2 v6 v3 v2 :endloop0
	endfunction

	BEGIN nn_conv2d_sum_64_\size 16
	PAIR \w \ub v3 v4 "" ""
	PAIR \w \ub v2 "" v3 v2
	PAIR \w \ub v3 v5 v5 v4
	PAIR \w \ub v2 v7 v3 v2
	PAIR \w \ub v3 v4 v7 v6
	PAIR \w \ub v2 v10 v3 v2
	STORE_LAST
	PAIR \w \ub v3 v5 v5 v4
	PAIR \w \ub v2 v6 v3 v2 :endloop0
	endfunction

	BEGIN nn_conv2d_sum_32_\size 8
	PAIR \w \ub v3 v4 "" ""
	PAIR \w \ub v2 "" v3 v2
	PAIR \w \ub v3 v5 v5 v4
	PAIR \w \ub v2 v10 v3 v2
	STORE_LAST
	{ nop; nop }:endloop0
	endfunction

	BEGIN nn_conv2d_sum_16_\size 8
	PAIR \w \ub v3 v10 "" ""
	STORE
	PAIR \w \ub v2 "" v3 v2
	PAIR \w \ub v3 v10 "" ""
	STORE_LAST
	PAIR \w \ub v2 "" v3 v2 :endloop0
	endfunction
	.endm

	FOLDS uint8 uw ub
	FOLDS int8 w b
