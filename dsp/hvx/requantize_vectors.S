/* SPDX-License-Identifier: MIT */
/*
 * REQUANTIZE's loop, see requantize_vectors.h: 128 results in 16 packets.
 *
 * 8 multiplications of words are a packet each, with two other instructions, for what a packet can do
 * see conv2d_quads.S. The other 33 vector instructions are 12 to clamp and shift, 4 to add zero point
 * and half, 3 minima of fractions, 3 to pack, 2 for the clamp, 4 loads, a store, and 4 to count what
 * is near a half. 16 and 33 pipes are 13 packets at least. The
 * chain behind the last product is what makes 16 of it; the next vector's sums are loaded, clamped and
 * shifted meanwhile. Sums and results may have any address.
 *
 *	v0 - v3		sums, clamped and shifted
 *	v4 - v8		products, the least fraction
 *	v12, v13	greatest and least result
 *	v14, v15	what fraction is near a half; zero point and a half to be added
 *	v16 - v31	least and greatest sum, shift, multiplier
 *	r0, r2		the next sums, and how far they are from each other; r1, r3 the same of results
 *	r4		vectors left
 */
#define SCALARS	(21 * 128)

	.macro	REQUANTIZE name ub
\name:
	{ r6 = r0; r5 = add(r0,##SCALARS); r0 = add(r0,#128) }
	{ r2 = memw(r5+#8); r3 = memw(r5+#12) }
	{ r4 = memw(r5+#16); r1 = memw(r5+#4) }
	{ r7 = memw(r5+#0); v28 = vmem(r0++#1); p2 = cmp.gt(r4,#1) }
	{ v29 = vmem(r0++#1) }
	{ v30 = vmem(r0++#1) }
	{ v31 = vmem(r0++#1) }
	{ v24 = vmem(r0++#1) }
	{ v25 = vmem(r0++#1) }
	{ v26 = vmem(r0++#1) }
	{ v27 = vmem(r0++#1) }
	{ v20 = vmem(r0++#1) }
	{ v21 = vmem(r0++#1) }
	{ v22 = vmem(r0++#1) }
	{ v23 = vmem(r0++#1) }
	{ v16 = vmem(r0++#1) }
	{ v17 = vmem(r0++#1) }
	{ v18 = vmem(r0++#1) }
	{ v19 = vmem(r0++#1) }
	{ v15 = vmem(r0++#1) }
	{ v14 = vmem(r0++#1) }
	{ v13 = vmem(r0++#1) }
	{ v12 = vmem(r0+#0); r0 = r7 }
	{ v0 = vmemu(r0+#0) }
	{ v1 = vmemu(r0+#1); v0.w = vmin(v0.w,v20.w) }
	{ v2 = vmemu(r0+#2); v0.w = vmax(v0.w,v16.w); v1.w = vmin(v1.w,v21.w) }
	{ v3 = vmemu(r0+#3); v1.w = vmax(v1.w,v17.w); v2.w = vmin(v2.w,v22.w) }
	{ v0.w = vasl(v0.w,v24.w); v2.w = vmax(v2.w,v18.w); v3.w = vmin(v3.w,v23.w) }
	{ v1.w = vasl(v1.w,v25.w); v3.w = vmax(v3.w,v19.w); if (p2) r0 = add(r0,r2) }
	{ v2.w = vasl(v2.w,v26.w) }
	{ v3.w = vasl(v3.w,v27.w) }
2:
	{ p1 = cmp.eq(r4,#1); p2 = cmp.gt(r4,#2); r4 = add(r4,#-1);
	  v4.w = vmpye(v0.w,v28.uh) }
	{ v4.w += vmpyo(v0.w,v28.h):<<1:rnd:sat:shift; v0 = vmemu(r0+#0) }
	{ v4.w = vadd(v4.w,v15.w):sat; v5.w = vmpye(v1.w,v29.uh); v0.w = vmin(v0.w,v20.w) }
	{ v5.w += vmpyo(v1.w,v29.h):<<1:rnd:sat:shift; v1 = vmemu(r0+#1) }
	{ v5.w = vadd(v5.w,v15.w):sat; v7.w = vmpye(v3.w,v31.uh); v1.w = vmin(v1.w,v21.w) }
	{ v8.uh = vmin(v4.uh,v5.uh); v4.h = vpacko(v5.w,v4.w); v6.w = vmpye(v2.w,v30.uh) }
	{ v6.w += vmpyo(v2.w,v30.h):<<1:rnd:sat:shift; v2 = vmemu(r0+#2) }
	{ v6.w = vadd(v6.w,v15.w):sat; v7.w += vmpyo(v3.w,v31.h):<<1:rnd:sat:shift;
	  v0.w = vmax(v0.w,v16.w) }
	{ v8.uh = vmin(v8.uh,v6.uh); v7.w = vadd(v7.w,v15.w):sat; v3 = vmemu(r0+#3) }
	{ v8.uh = vmin(v8.uh,v7.uh); v6.h = vpacko(v7.w,v6.w); v2.w = vmin(v2.w,v22.w);
	  v3.w = vmin(v3.w,v23.w) }
	{ v4.\ub = vpack(v6.h,v4.h):sat; q0 = vcmp.gt(v14.uh,v8.uh);
	  v0.w = vasl(v0.w,v24.w); if (p2) r0 = add(r0,r2) }
	{ v4.\ub = vmax(v4.\ub,v13.\ub); v8.b = prefixsum(q0); vmem(r6+#0) = v8.new;
	  v2.w = vmax(v2.w,v18.w) }
	{ v4.\ub = vmin(v4.\ub,v12.\ub); r7 = memub(r6+#127); v1.w = vmax(v1.w,v17.w);
	  v2.w = vasl(v2.w,v26.w) }
	{ vmemu(r1+#0) = v4; p0 = cmp.eq(r7,#0); if (!p0.new) jump:nt 3f }
	{ r1 = add(r1,r3); v1.w = vasl(v1.w,v25.w); v3.w = vmax(v3.w,v19.w) }
	{ v3.w = vasl(v3.w,v27.w); if (!p1) jump:t 2b }
	{ r0 = #0; jumpr r31 }
3:
	{ r0 = add(r4,#1); jumpr r31 }
	.endm

	.text
	.p2align 5
	.globl	nn_requantize_uint8
	.type	nn_requantize_uint8, @function
	REQUANTIZE nn_requantize_uint8 ub
	.size	nn_requantize_uint8, .-nn_requantize_uint8

	.p2align 5
	.globl	nn_requantize_int8
	.type	nn_requantize_int8, @function
	REQUANTIZE nn_requantize_int8 b
	.size	nn_requantize_int8, .-nn_requantize_int8
