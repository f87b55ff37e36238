/* SPDX-License-Identifier: MIT */
/*
 * Sums of elements of more than a vector, eight at a time (sums_long.h).
 *
 * There is a packet for each vector: it is multiplied with ones, into the element's sums of four
 * bytes, while the next one is loaded. An unaligned load takes what a permutation would, so that
 * the sums of the eight before are folded, two vectors into one of sums of two neighbours, in
 * packets of their own, which are between those of the last vectors: seven, and one more to begin
 * with. So eight elements of n vectors are 8n + 8 packets.
 *
 *	v0 - v7		sums of the eight
 *	v16 - v23	those of the eight before, being folded
 *	v29, v30	ones; of the last vector, those that are not in the others
 *	v31		the next vector
 *	r1		where the next element's last vector is
 *	r2		vectors of an element beside the last one
 *	r4		where sums are stored
 *	r6		-4
 *	r8		from where it is in the end to the next eight's
 *	r9		where the next of the others is
 *	m0, m1		from an element to the next; from the eighth to the first one's next vector
 */
#include "dsp/hvx/common/asm.h"

	.macro	EIGHTS name w ub
	function \name, align=5
	{ r1 = add(r0,r1); r8 = mpyi(r3,#7); v30 = v0 }
	{ m0 = r3; r7 = sub(#128,r8); r6 = #-4; v29 = v1 }
	{ m1 = r7; r8 -= asl(r2,#7); r4 = add(r4,#-256) }
	{ loop1(1f,r5); r9 = sub(r0,r8) }
1:
	{ v17:16 = vdeal(v1,v0,r6); vmem(r4++#1) = v16 }
	{ v31 = vmemu(r1++m0); r9 = add(r9,r8); loop0(2f,r2) }
	{ v0.\w = vrmpy(v31.\ub,v30.\ub); v31 = vmemu(r1++m0); v16.w = vadd(v16.w,v17.w) }
	{ v19:18 = vdeal(v3,v2,r6) }
	{ v1.\w = vrmpy(v31.\ub,v30.\ub); v31 = vmemu(r1++m0); v18.w = vadd(v18.w,v19.w) }
	{ v21:20 = vdeal(v5,v4,r6) }
	{ v2.\w = vrmpy(v31.\ub,v30.\ub); v31 = vmemu(r1++m0); v20.w = vadd(v20.w,v21.w) }
	{ v23:22 = vdeal(v7,v6,r6) }
	{ v3.\w = vrmpy(v31.\ub,v30.\ub); v31 = vmemu(r1++m0); v22.w = vadd(v22.w,v23.w) }
	{ v17:16 = vdeal(v18,v16,r6) }
	{ v4.\w = vrmpy(v31.\ub,v30.\ub); v31 = vmemu(r1++m0); v16.w = vadd(v16.w,v17.w) }
	{ v19:18 = vdeal(v22,v20,r6) }
	{ v5.\w = vrmpy(v31.\ub,v30.\ub); v31 = vmemu(r1++m0); v18.w = vadd(v18.w,v19.w) }
	{ v17:16 = vdeal(v18,v16,r6) }
	{ v6.\w = vrmpy(v31.\ub,v30.\ub); v31 = vmemu(r1++m0); v16.w = vadd(v16.w,v17.w) }
	{ v7.\w = vrmpy(v31.\ub,v30.\ub); v31 = vmemu(r9++m0) }
2:
	{ v0.\w += vrmpy(v31.\ub,v29.\ub); v31 = vmemu(r9++m0) }
	{ v1.\w += vrmpy(v31.\ub,v29.\ub); v31 = vmemu(r9++m0) }
	{ v2.\w += vrmpy(v31.\ub,v29.\ub); v31 = vmemu(r9++m0) }
	{ v3.\w += vrmpy(v31.\ub,v29.\ub); v31 = vmemu(r9++m0) }
	{ v4.\w += vrmpy(v31.\ub,v29.\ub); v31 = vmemu(r9++m0) }
	{ v5.\w += vrmpy(v31.\ub,v29.\ub); v31 = vmemu(r9++m0) }
	{ v6.\w += vrmpy(v31.\ub,v29.\ub); v31 = vmemu(r9++m1) }
	{ v7.\w += vrmpy(v31.\ub,v29.\ub); v31 = vmemu(r9++m0) }:endloop01
	{ v17:16 = vdeal(v1,v0,r6); vmem(r4++#1) = v16 }
	{ v19:18 = vdeal(v3,v2,r6); v16.w = vadd(v16.w,v17.w) }
	{ v21:20 = vdeal(v5,v4,r6); v18.w = vadd(v18.w,v19.w) }
	{ v23:22 = vdeal(v7,v6,r6); v20.w = vadd(v20.w,v21.w) }
	{ v17:16 = vdeal(v18,v16,r6); v22.w = vadd(v22.w,v23.w) }
	{ v19:18 = vdeal(v22,v20,r6); v16.w = vadd(v16.w,v17.w) }
	{ v18.w = vadd(v18.w,v19.w) }
	{ v17:16 = vdeal(v18,v16,r6) }
	{ v16.w = vadd(v16.w,v17.w); vmem(r4+#0) = v16.new; jumpr r31 }
	endfunction
	.endm

	EIGHTS nn_conv2d_sum_eights_uint8 uw ub
	EIGHTS nn_conv2d_sum_eights_int8 w b
