/* SPDX-License-Identifier: MIT */
/*
 * BINARY's products (multiply_vectors.h declares them, binary.c calls them): 128 in 13 packets.
 * Operands and results are bytes one behind another at any address; in between, elements are in
 * vectors by their index modulo 4:
 *
 *	bytes      |0 1 2 3 4 5 ...|
 *	halfwords  |0 2 4 6 ...| |1 3 5 7 ...|
 *	products   v10: 0 4 8 ..   v11: 2 6 10 ..   v12: 1 5 9 ..   v13: 3 7 11 ..
 *
 * Bytes less their zero points have nine bits, and are multiplied by a power of two each as they
 * become halfwords, so that their product is already shifted. 12 multiplications are a packet each:
 * two that widen, two of halfwords, and two for each of four vectors of words. The 13th is for what
 * has no room beside them. Of the widened, even elements are in one vector and odd ones in the
 * other, and so are products; a shift by 0 that saturates puts them in order.
 *
 * The body makes a vector's products, loads and widens the next one's elements, and looks whether
 * one of the vector before may be a tie. Only if none may be, that vector is stored, as it may lie
 * where an input does.
 *
 *	v0 - v5		the next elements
 *	v7:6, v31:30	zero points
 *	v10 - v13	products of elements 0, 2, 1 and 3 of four
 *	v14 - v17	scaled
 *	v18, v19	results, even and odd; v20, v21 the least fraction
 *	v23, v29	least and greatest result
 *	v24		multiplier
 *	v25, v26	what makes elements unsigned
 *	v27, v28	zero point and a half to be added; what fraction may be a tie
 *	r1, r5		where results go: of the vector before, and of this one
 *	r2, r3		the next elements
 *	r4		vectors left
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/elementwise/multiply_vectors.h"

/* Loads and widens the next elements. */
	.macro	WIDEN
	{ v3:2.uh = vmpy(v0.ub,r8.ub) }
	{ v5:4.uh = vmpy(v1.ub,r9.ub); v3:2.h = vsub(v3:2.h,v31:30.h) }
	{ v5:4.h = vsub(v5:4.h,v7:6.h) }
	{ v11:10.w = vmpy(v2.h,v4.h) }
	{ v13:12.w = vmpy(v3.h,v5.h) }
	.endm

	.macro	MULTIPLY name ub
	function \name, align=5
	{ r6 = r0; r14 = add(r0,##MULTIPLY_SCALARS) }
	{ r3:2 = memd(r14+#MULTIPLY_INPUTS); r5 = memw(r14+#MULTIPLY_TO); r0 = #0;
	  r15 = #128 }
	{ v0 = vmemu(r2+#0); r1 = add(r6,#128) }
	{ v1 = vmemu(r3+#0) }
	{ r9:8 = memd(r14+#MULTIPLY_FLIPS); r11:10 = memd(r14+#MULTIPLY_ZEROS) }
	{ v25 = vsplat(r8); v26 = vsplat(r9) }
	{ v30 = vsplat(r10); v6 = vsplat(r11); v0 = vxor(v0,v25); v1 = vxor(v1,v26) }
	{ v31 = v30; v7 = v6; r9:8 = memd(r14+#MULTIPLY_FACTORS);
	  r11:10 = memd(r14+#MULTIPLY_MULTIPLIER_MORE) }
	WIDEN
	{ v24 = vsplat(r10); v27 = vsplat(r11); r11:10 = memd(r14+#MULTIPLY_TIE_MIN);
	  r13:12 = memd(r14+#MULTIPLY_MAX_COUNT) }
	{ v28 = vsplat(r10); v23 = vsplat(r11); r4 = r13; p2 = cmp.gt(r13,#1) }
	{ v29 = vsplat(r12); q0 = and(q0,!q0); if (p2) r2 = add(r2,r15);
	  if (p2) r3 = add(r3,r15) }
	{ loop0(1f,r4) }
1:
	{ v14.w = vmpye(v10.w,v24.uh); v0 = vmemu(r2+#0); v18.\ub = vmin(v18.\ub,v29.\ub) }
	{ v14.w += vmpyo(v10.w,v24.h):<<1:rnd:sat:shift; v0 = vxor(v0,v25);
	  v22.b = prefixsum(q0); vmem(r6+#0) = v22.new }
	{ v15.w = vmpye(v11.w,v24.uh); v14.w = vadd(v14.w,v27.w):sat; r7 = memub(r6+#127) }
	{ v15.w += vmpyo(v11.w,v24.h):<<1:rnd:sat:shift; p0 = cmp.eq(r7,#0);
	  if (!p0.new) jump:nt 2f }
	{ v16.w = vmpye(v12.w,v24.uh); v15.w = vadd(v15.w,v27.w):sat; vmemu(r1+#0) = v18 }
	{ v16.w += vmpyo(v12.w,v24.h):<<1:rnd:sat:shift; v1 = vmemu(r3+#0);
	  v18.h = vshuffo(v15.h,v14.h) }
	{ v17.w = vmpye(v13.w,v24.uh); v16.w = vadd(v16.w,v27.w):sat; v20.uh = vmin(v14.uh,v15.uh);
	  p2 = cmp.gt(r4,#2) }
	{ v17.w += vmpyo(v13.w,v24.h):<<1:rnd:sat:shift; v1 = vxor(v1,v26);
	  if (p2) r2 = add(r2,r15); if (p2) r3 = add(r3,r15) }
	{ v3:2.uh = vmpy(v0.ub,r8.ub); v17.w = vadd(v17.w,v27.w):sat; r1 = r5; r5 = add(r5,#128) }
	{ v5:4.uh = vmpy(v1.ub,r9.ub); v3:2.h = vsub(v3:2.h,v31:30.h); r4 = add(r4,#-1) }
	{ v5:4.h = vsub(v5:4.h,v7:6.h); v19.h = vshuffo(v17.h,v16.h); v21.uh = vmin(v16.uh,v17.uh) }
	{ v11:10.w = vmpy(v2.h,v4.h); v20.uh = vmin(v20.uh,v21.uh);
	  v18.\ub = vasr(v19.h,v18.h,r0):sat }
	{ v13:12.w = vmpy(v3.h,v5.h); q0 = vcmp.gt(v28.uh,v20.uh);
	  v18.\ub = vmax(v18.\ub,v23.\ub) }:endloop0
	{ v18.\ub = vmin(v18.\ub,v29.\ub); v22.b = prefixsum(q0); vmem(r6+#0) = v22.new }
	{ r7 = memub(r6+#127) }
	{ p0 = cmp.eq(r7,#0); if (!p0.new) jump:nt 2f }
	{ vmemu(r1+#0) = v18; jumpr r31 }
2:
	{ r0 = add(r4,#1); jumpr r31 }
	endfunction
	.endm

	MULTIPLY nn_multiply_uint8 ub
	MULTIPLY nn_multiply_int8 b
