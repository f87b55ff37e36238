/* SPDX-License-Identifier: MIT */
/*
 * ADD_FLOAT's loop (add_vectors.h declares it, add_float.c calls it): 128 sums, and which of them
 * may be ties, in 12 packets. Operands and results are bytes one behind another; the fractions of a
 * vector's sums are two vectors of halfwords:
 *
 *	fractions   |1 65 3 67 ... 63 127|0 64 2 66 ... 62 126|		by element
 *
 * Sums are made as in add_vectors.S, which lists the registers, in 40 pipes of four in a packet. A
 * sum's fraction, its upper 16 bits, takes one shift for 64 of them; then 1 for the lesser of
 * either 64, 1 for the comparison, 1 for the bit in v31, and 2 to store fractions: 47, so that 12
 * packets cannot be fewer.
 *
 * To keep a copy of the first operand takes one more. A packet that loads or stores at any address
 * has room for two instructions beside that, so it only goes where addresses are multiples of 128.
 *
 *	v0, v1		what makes bytes unsigned
 *	v2		zero points' products, a half and a margin, and the output's zero point
 *	v3, v4		the clamp
 *	v5		fractions below may be ties
 *	v31		a bit for each vector that has one, in any halfword; r10: that of the next
 *	v15		the first operand
 *	r1, r2, r3, r4	operands, and where results and fractions go; r11: and the copy
 *	r6, r7		multipliers of both: the high bits, the low bits; r8: how many low ones
 *	r5, r9		the second shift; rounds
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/elementwise/add_vectors.h"

/* Loads the first operand of the next round. */
.macro load_first keeps
	.if \keeps
	{ v15 = vmem(r1++#1); v10.w += vasl(v7.w,r8); v6 = vxor(v6,v1);
	  v12.w = vadd(v12.w,v2.w) }
	.else
	{ v15 = vmemu(r1++#1); v10.w += vasl(v7.w,r8); v6 = vxor(v6,v1) }
	.endif
.endm

.macro end_round keeps, end
	.if \keeps
	{ v9.w = vdmpy(v6.h,r6.h):sat; v8.h = vasr(v13.w,v11.w,r5); vmem(r11++#1) = v15 }\end
	.else
	{ v12.w = vadd(v12.w,v2.w); v9.w = vdmpy(v6.h,r6.h):sat;
	  v8.h = vasr(v13.w,v11.w,r5) }\end
	.endif
.endm

/* The loop: `memory` is vmem where it keeps the first operand, else vmemu. */
.macro add_tie_vectors name, type, memory, keeps
	function \name
	{ r15 = r0; r1 = memw(r0+#ADD_FLIP_A); r2 = memw(r0+#ADD_FLIP_B) }
	{ v0 = vsplat(r1); r3 = memw(r15+#ADD_BASE); r4 = memw(r15+#ADD_MIN) }
	{ v1 = vsplat(r2); r5 = memw(r15+#ADD_MAX); r6 = memw(r15+#ADD_TIE) }
	{ v2 = vsplat(r3); r7 = memw(r15+#ADD_LOW); r8 = #ADD_LOW_BITS }
	{ v3 = vsplat(r4); r9 = memw(r15+#ADD_COUNT); r1 = memw(r15+#ADD_A) }
	{ v4 = vsplat(r5); r5 = memw(r15+#ADD_SHIFT); r2 = memw(r15+#ADD_B) }
	{ v5 = vsplat(r6); r6 = memw(r15+#ADD_HIGH); r3 = memw(r15+#ADD_TO) }
	{ v31 = vxor(v31,v31); r4 = memw(r15+#ADD_FRACTIONS); r9 = add(r9,#-2) }
	{ r10 = ##0x10001; r11 = memw(r15+#ADD_KEPT) }
	{ v6 = \memory(r2++#1) }
	{ v15 = \memory(r1++#1); v6 = vxor(v6,v1) }
	{ v7 = vxor(v15,v0) }
	{ v7:6.b = vshuffoe(v6.b,v7.b) }
	{ v9:8.uh = vunpack(v7.ub) }
	{ v7:6.uh = vunpack(v6.ub); v11.w = vdmpy(v8.h,r7.h):sat }
	{ v10.w = vdmpy(v7.h,r7.h):sat; v11.w = vadd(v11.w,v2.w) }
	{ v10.w = vadd(v10.w,v2.w); v13.w = vdmpy(v9.h,r7.h):sat }
	{ v14.w = vdmpy(v8.h,r6.h):sat; v13.w = vadd(v13.w,v2.w) }
	{ v8.w = vdmpy(v9.h,r6.h):sat; v11.w += vasl(v14.w,r8) }
	{ v12.w = vdmpy(v6.h,r7.h):sat; v13.w += vasl(v8.w,r8) }
	end_round \keeps
	{ v6 = \memory(r2++#1); v7.w = vdmpy(v7.h,r6.h):sat; v12.w += vasl(v9.w,r8) }
	load_first \keeps
	{ v13.h = vpacko(v13.w,v11.w); v9.h = vasr(v10.w,v12.w,r5); v7 = vxor(v15,v0);
	  vmem(r4++#1) = v8 }
	{ v8.uh = vmin(v9.uh,v8.uh); v7:6.b = vshuffoe(v6.b,v7.b) }
	{ q0 = vcmp.gt(v5.uh,v8.uh); v9:8.uh = vunpack(v7.ub); vmem(r4++#1) = v9 }
	{ v7:6.uh = vunpack(v6.ub); v11.w = vdmpy(v8.h,r7.h):sat }
	{ v12.h = vpacko(v10.w,v12.w); v10.w = vdmpy(v7.h,r7.h):sat;
	  v11.w = vadd(v11.w,v2.w) }
	{ v12.\type = vasr(v13.h,v12.h,r5):sat; v10.w = vadd(v10.w,v2.w);
	  v13.w = vdmpy(v9.h,r7.h):sat }
	{ v12.\type = vmax(v12.\type,v3.\type); v14.w = vdmpy(v8.h,r6.h):sat;
	  v13.w = vadd(v13.w,v2.w) }
	{ v12.\type = vmin(v12.\type,v4.\type); v8.w = vdmpy(v9.h,r6.h):sat;
	  v11.w += vasl(v14.w,r8) }
	{ v12.w = vdmpy(v6.h,r7.h):sat; v13.w += vasl(v8.w,r8); \memory(r3++#1) = v12 }
	end_round \keeps
	loop0(.Lnear\@, r9)
.Lnear\@:
	{ v6 = \memory(r2++#1); v7.w = vdmpy(v7.h,r6.h):sat; v12.w += vasl(v9.w,r8) }
	load_first \keeps
	{ v13.h = vpacko(v13.w,v11.w); v9.h = vasr(v10.w,v12.w,r5); v7 = vxor(v15,v0);
	  vmem(r4++#1) = v8 }
	{ v31 |= vand(q0,r10); r10 = rol(r10,#1); v8.uh = vmin(v9.uh,v8.uh);
	  v7:6.b = vshuffoe(v6.b,v7.b) }
	{ q0 = vcmp.gt(v5.uh,v8.uh); v9:8.uh = vunpack(v7.ub); vmem(r4++#1) = v9 }
	{ v7:6.uh = vunpack(v6.ub); v11.w = vdmpy(v8.h,r7.h):sat }
	{ v12.h = vpacko(v10.w,v12.w); v10.w = vdmpy(v7.h,r7.h):sat;
	  v11.w = vadd(v11.w,v2.w) }
	{ v12.\type = vasr(v13.h,v12.h,r5):sat; v10.w = vadd(v10.w,v2.w);
	  v13.w = vdmpy(v9.h,r7.h):sat }
	{ v12.\type = vmax(v12.\type,v3.\type); v14.w = vdmpy(v8.h,r6.h):sat;
	  v13.w = vadd(v13.w,v2.w) }
	{ v12.\type = vmin(v12.\type,v4.\type); v8.w = vdmpy(v9.h,r6.h):sat;
	  v11.w += vasl(v14.w,r8) }
	{ v12.w = vdmpy(v6.h,r7.h):sat; v13.w += vasl(v8.w,r8); \memory(r3++#1) = v12 }
	end_round \keeps, :endloop0
	{ v7.w = vdmpy(v7.h,r6.h):sat; v12.w += vasl(v9.w,r8) }
	.if \keeps
	{ v10.w += vasl(v7.w,r8); v12.w = vadd(v12.w,v2.w) }
	.else
	{ v10.w += vasl(v7.w,r8) }
	.endif
	{ v13.h = vpacko(v13.w,v11.w); v9.h = vasr(v10.w,v12.w,r5); vmem(r4++#1) = v8 }
	{ v31 |= vand(q0,r10); r10 = rol(r10,#1); v8.uh = vmin(v9.uh,v8.uh) }
	{ q0 = vcmp.gt(v5.uh,v8.uh); vmem(r4++#1) = v9 }
	{ v12.h = vpacko(v10.w,v12.w) }
	{ v12.\type = vasr(v13.h,v12.h,r5):sat }
	{ v12.\type = vmax(v12.\type,v3.\type) }
	{ v12.\type = vmin(v12.\type,v4.\type) }
	{ \memory(r3++#1) = v12 }
	{ v31 |= vand(q0,r10); r10 = rol(r10,#1) }
	{ r0 = #64; r1 = #32 }
	{ v6 = vror(v31,r0); r0 = #16 }
	{ v31 = vor(v31,v6) }
	{ v6 = vror(v31,r1); r1 = #8 }
	{ v31 = vor(v31,v6) }
	{ v6 = vror(v31,r0); r0 = #4 }
	{ v31 = vor(v31,v6) }
	{ v6 = vror(v31,r1); r1 = #0 }
	{ v31 = vor(v31,v6) }
	{ v6 = vror(v31,r0); r0 = #2 }
	{ v31 = vor(v31,v6) }
	{ v6 = vror(v31,r0) }
	{ v31 = vor(v31,v6) }
	{ r0 = vextract(v31,r1) }
	{ r0 = zxth(r0); jumpr r31 }
	endfunction
.endm

	add_tie_vectors nn_add_tie_vectors_u8, ub, vmemu, 0
	add_tie_vectors nn_add_tie_vectors_s8, b, vmemu, 0
	add_tie_vectors nn_add_tie_kept_u8, ub, vmem, 1
	add_tie_vectors nn_add_tie_kept_s8, b, vmem, 1
