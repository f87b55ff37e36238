/* SPDX-License-Identifier: MIT */
/*
 * ADD's loop (add_vectors.h declares it, add.c calls it): 128 sums in ten packets. Operands and
 * results are bytes one behind another at any address; in between, even and odd elements are in
 * vectors of their own:
 *
 *	a, b		|a0 a1 a2 ...|		|b0 b1 b2 ...|
 *	vshuffoe	|a0 b0 a2 b2 ...|	|a1 b1 a3 b3 ...|
 *	sums		words of elements 0 2 .. 62, 64 66 .. 126, 1 3 .. 63, 65 67 .. 127
 *	vpacko		|s0 s2 .. s126|		|s1 s3 .. s127|, halfwords
 *	vasr		|s0 s1 s2 s3 .. s127|, bytes
 *
 * A product of halfwords of two operands, vdmpy, has room for one multiplier of 16 bits each, so
 * multipliers of 22 bits are taken apart into 15 bits, and the lowest 7. That makes 8 products,
 * each both multipliers of a packet. dsp/hvx/conv2d/tile_4x64.S says what else a packet can do: 2
 * unaligned loads and an unaligned store, 2 permutations, 5 shifts, 3 of a pair (bytes of both
 * operands side by side, and to halfwords), 4 additions, 2 that make bytes unsigned and the clamp's
 * 2 take 24 pipes, with those of the products 40: ten packets cannot be fewer. The loop is a modulo
 * schedule: its body holds packets of three rounds at once, and what comes before and after it is
 * the same packets for the rounds at the ends.
 *
 * Results are as exact as ADD says: the shift is the high halfword, then that of halfwords, and to
 * round down twice is to round down once.
 *
 *	v0, v1		what makes bytes unsigned
 *	v2		zero points' products, a half and the output's zero point
 *	v3, v4		the clamp
 *	r1, r2, r3	operands, and where results go
 *	r6, r7		multipliers of both: the high bits, the low bits; r8: how many low ones
 *	r5, r9		the second shift; rounds
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/elementwise/add_vectors.h"

.macro add_vectors name, type
	function \name
	{ r15 = r0; r1 = memw(r0+#ADD_FLIP_A); r2 = memw(r0+#ADD_FLIP_B) }
	{ v0 = vsplat(r1); r3 = memw(r15+#ADD_BASE); r4 = memw(r15+#ADD_MIN) }
	{ v1 = vsplat(r2); r5 = memw(r15+#ADD_MAX); r6 = memw(r15+#ADD_HIGH) }
	{ v2 = vsplat(r3); r7 = memw(r15+#ADD_LOW); r8 = #ADD_LOW_BITS }
	{ v3 = vsplat(r4); r9 = memw(r15+#ADD_COUNT); r1 = memw(r15+#ADD_A) }
	{ v4 = vsplat(r5); r5 = memw(r15+#ADD_SHIFT); r2 = memw(r15+#ADD_B) }
	{ r9 = add(r9,#-2); r3 = memw(r15+#ADD_TO) }
	{ v23 = vmemu(r2++#1) }
	{ v11 = vxor(v23,v1) }
	{ v16 = vmemu(r1++#1) }
	{ v16 = vxor(v16,v0) }
	{ v7:6.b = vshuffoe(v11.b,v16.b) }
	{ v17:16.uh = vunpack(v6.ub) }
	{ v11:10.uh = vunpack(v7.ub); v7.w = vdmpy(v16.h,r6.h):sat }
	{ v29.w = vdmpy(v17.h,r7.h):sat }
	{ v14.w = vdmpy(v17.h,r6.h):sat; v29.w = vadd(v29.w,v2.w) }
	{ v14.w = vdmpy(v10.h,r6.h):sat; v29.w += vasl(v14.w,r8) }
	{ v23 = vmemu(r2++#1); v17.w = vdmpy(v11.h,r6.h):sat }
	{ v11 = vxor(v23,v1); v23.w = vdmpy(v11.h,r7.h):sat }
	{ v16 = vmemu(r1++#1); v12.w = vdmpy(v16.h,r7.h):sat; v23.w = vadd(v23.w,v2.w) }
	{ v16 = vxor(v16,v0); v24.w = vadd(v12.w,v2.w); v23.w += vasl(v17.w,r8) }
	{ v7:6.b = vshuffoe(v11.b,v16.b); v24.w += vasl(v7.w,r8) }
	{ v17:16.uh = vunpack(v6.ub); v12.w = vdmpy(v10.h,r7.h):sat }
	{ v11:10.uh = vunpack(v7.ub); v7.w = vdmpy(v16.h,r6.h):sat }
	{ v29.w = vdmpy(v17.h,r7.h):sat; v12.w = vadd(v12.w,v2.w);
	  v24.h = vpacko(v29.w,v24.w) }
	loop0(.Ladd\@, r9)
.Ladd\@:
	{ v14.w = vdmpy(v17.h,r6.h):sat; v29.w = vadd(v29.w,v2.w); v12.w += vasl(v14.w,r8) }
	{ v14.w = vdmpy(v10.h,r6.h):sat; v29.w += vasl(v14.w,r8); v23.h = vpacko(v23.w,v12.w) }
	{ v23 = vmemu(r2++#1); v17.w = vdmpy(v11.h,r6.h):sat;
	  v24.\type = vasr(v23.h,v24.h,r5):sat }
	{ v11 = vxor(v23,v1); v23.w = vdmpy(v11.h,r7.h):sat;
	  v24.\type = vmax(v24.\type,v3.\type) }
	{ v16 = vmemu(r1++#1); v12.w = vdmpy(v16.h,r7.h):sat; v23.w = vadd(v23.w,v2.w) }
	{ v16 = vxor(v16,v0); v24.w = vadd(v12.w,v2.w); v23.w += vasl(v17.w,r8);
	  v17.\type = vmin(v24.\type,v4.\type) }
	{ v7:6.b = vshuffoe(v11.b,v16.b); v24.w += vasl(v7.w,r8); vmemu(r3++#1) = v17 }
	{ v17:16.uh = vunpack(v6.ub); v12.w = vdmpy(v10.h,r7.h):sat }
	{ v11:10.uh = vunpack(v7.ub); v7.w = vdmpy(v16.h,r6.h):sat }
	{ v29.w = vdmpy(v17.h,r7.h):sat; v12.w = vadd(v12.w,v2.w);
	  v24.h = vpacko(v29.w,v24.w) }:endloop0
	{ v14.w = vdmpy(v17.h,r6.h):sat; v29.w = vadd(v29.w,v2.w); v12.w += vasl(v14.w,r8) }
	{ v14.w = vdmpy(v10.h,r6.h):sat; v29.w += vasl(v14.w,r8); v23.h = vpacko(v23.w,v12.w) }
	{ v17.w = vdmpy(v11.h,r6.h):sat; v24.\type = vasr(v23.h,v24.h,r5):sat }
	{ v23.w = vdmpy(v11.h,r7.h):sat; v24.\type = vmax(v24.\type,v3.\type) }
	{ v12.w = vdmpy(v16.h,r7.h):sat; v23.w = vadd(v23.w,v2.w) }
	{ v24.w = vadd(v12.w,v2.w); v23.w += vasl(v17.w,r8);
	  v17.\type = vmin(v24.\type,v4.\type) }
	{ v24.w += vasl(v7.w,r8); vmemu(r3++#1) = v17 }
	{ v12.w = vdmpy(v10.h,r7.h):sat }
	{ v12.w = vadd(v12.w,v2.w); v24.h = vpacko(v29.w,v24.w) }
	{ v12.w += vasl(v14.w,r8) }
	{ v23.h = vpacko(v23.w,v12.w) }
	{ v24.\type = vasr(v23.h,v24.h,r5):sat }
	{ v24.\type = vmax(v24.\type,v3.\type) }
	{ v17.\type = vmin(v24.\type,v4.\type) }
	{ vmemu(r3++#1) = v17 }
	jumpr	r31
	endfunction
.endm

	add_vectors nn_add_vectors_u8, ub
	add_vectors nn_add_vectors_s8, b
