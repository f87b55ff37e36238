/* SPDX-License-Identifier: MIT */
/*
 * Tiles of 8x32: eight pixels and 32 outputs (tiles.h). tile_4x64.S says what a packet can do, how
 * results are made, and how they are finished while the next tile's products are made; here is what
 * is different.
 *
 * Products. The weights of 8 inputs are two vectors, which stay in registers while eight pixels'
 * inputs go by, so that only three other instructions fit into the 8 packets of a step.
 *
 * Results. Each pixel has a sum of inputs of its own: 8 vsplat instead of 4, which makes 16 packets
 * (SCALE). 28 instructions are left where results lie side by side: two packets and seven steps, or
 * six packets, two steps and a jump, where a tile has no more than seven. So a tile of K products
 * an output is K + 18 packets, or K + 23. Where each pixel's results are stored by themselves 42
 * are left: six packets and seven steps, K + 22; shorter tiles are finished by themselves.
 *
 * Of 24 outputs, packed, a tile's results are 192 bytes. Four pixels' 96 are brought together and
 * to where they are in their vectors by one vrdelta, of four that there are: one vector is stored
 * as a whole, of which both have a part, and half of another one. Tiles whose first vector is the
 * whole one take turns with those whose second is, and that takes a jump. So 36 instructions are
 * left, in one packet and eleven steps: K + 17.
 *
 *	v0 - v7		sums of the pixels
 *	v8 - v16, v21 - v23, v25, v27	free
 *	v24, v26, v28, v30	as there, both blocks the same; of v24, of both
 *	v29, v31	weights
 *	r10 - r13, r20, r21, r26, r27	pixels 0 to 3 and 4 to 7: address, and offsets from it
 *	r14, r25	where the next weights are, and the first
 *	r15		from this step's inputs to the next's
 *	r19, r23	how far the first results are turned, and 32; packed: 1 if the first vector
 *			is a half, and where vrdelta's four controls are
 *	q0, q1		the bytes of a pixel's results; packed: the first 64 and 96, and q3 32
 *	r28, m1		list of advances: where the next is, and where the second is
 *	r31:30, r9:8	the next tile's sums of inputs of pixels 0 to 3
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/conv2d/tile_frame.h"

	/*
	 * STEP multiplies 8 inputs of eight pixels, and does what else has room. The inputs of
	 * pixels 0 and 1 are loaded at the end of the step before.
	 */
	.macro	STEP w ub more4 more6 more8 mark loop
	{ v0.\w += vrmpy(v31.ub,r0.\ub); v1.\w += vrmpy(v31.ub,r2.\ub);
	  v31.cur = vmem(r14++#1); r5:4 = memd(r10+r12<<#0) }
	{ v0.\w += vrmpy(v29.ub,r1.\ub); v1.\w += vrmpy(v29.ub,r3.\ub);
	  v29.cur = vmem(r14++#1); r7:6 = memd(r10+r13<<#0) }
	{ v2.\w += vrmpy(v31.ub,r4.\ub); v3.\w += vrmpy(v31.ub,r6.\ub);
	  r1:0 = memd(r20+#0); r3:2 = memd(r20+r21<<#0) }
	{ v2.\w += vrmpy(v29.ub,r5.\ub); v3.\w += vrmpy(v29.ub,r7.\ub); r10 = add(r10,r15) \more4 }
	{ v4.\w += vrmpy(v31.ub,r0.\ub); v5.\w += vrmpy(v31.ub,r2.\ub);
	  r5:4 = memd(r20+r26<<#0); r7:6 = memd(r20+r27<<#0) }
	{ v4.\w += vrmpy(v29.ub,r1.\ub); v5.\w += vrmpy(v29.ub,r3.\ub); r20 = add(r20,r15) \more6 }
\mark
	{ v6.\w += vrmpy(v31.ub,r4.\ub); v7.\w += vrmpy(v31.ub,r6.\ub);
	  r1:0 = memd(r10+#0); r3:2 = memd(r10+r11<<#0) }
	{ v6.\w += vrmpy(v29.ub,r5.\ub); v7.\w += vrmpy(v29.ub,r7.\ub);
	  r15 = memw(r28++#4) \more8 }\loop
	.endm

	/*
	 * LAST_STEP is a step which can be the last: what scaling begins with has room in it, and
	 * means nothing if it is not.
	 */
	.macro	LAST_STEP w ub
	STEP \w \ub "; v16.w = vasl(v0.w,v26.w)" "; v23.w = vasl(v1.w,v26.w)" \
		"; vmem(r22+#0) = v0" "" ":endloop0"
	.endm

	/*
	 * SCALE makes the products of two pixels each in v9:8, v11:10, v15:14 and v13:12. At 8,
	 * sums are clamped to what a shift can take, and what is lost until then is done again.
	 */
	.macro	SCALE
	{ v31.w = vasl(v2.w,v26.w); vmem(r22+#1) = v1; v21 = vsplat(r30); v22 = vsplat(r31) }
	{ v8.h = vshuffo(v23.h,v16.h); v25 = vsplat(r8); v27 = vsplat(r9); if (p3) jump:nt 8f }
9:
	{ v9:8.w = vmpy(v8.h,v24.h); v12.w = vasl(v3.w,v26.w); vmem(r22+#3) = v3;
	  r5:4 = memd(r16+#48) }
	{ v8.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift; v13.w = vasl(v4.w,v26.w);
	  vmem(r22+#4) = v4; r7:6 = memd(r16+#56) }
	{ v9.w += vmpyo(v23.w,v28.h):<<1:rnd:sat:shift; v10.h = vshuffo(v12.h,v31.h);
	  vmem(r22+#2) = v2; r11:10 = memd(r16+#0) }
	{ v11:10.w = vmpy(v10.h,v24.h); v16.w = vasl(v5.w,v26.w); vmem(r22+#5) = v5;
	  r13:12 = memd(r16+#8) }
	{ v10.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift; v31.w = vasl(v6.w,v26.w);
	  vmem(r22+#6) = v6; r21:20 = memd(r16+#32) }
	{ v11.w += vmpyo(v12.w,v28.h):<<1:rnd:sat:shift; v14.h = vshuffo(v16.h,v13.h);
	  v0.w = vsub(v30.w,v21.w); r27:26 = memd(r16+#40) }
	{ v21 = vsplat(r4); v12 = vsplat(r5); v23.w = vasl(v7.w,v26.w); vmem(r22+#7) = v7 }
	{ v15:14.w = vmpy(v14.h,v24.h); v1.w = vsub(v30.w,v22.w); v2.w = vsub(v30.w,v25.w);
	  r1:0 = memd(r10+#0) }
	{ v22 = vsplat(r6); v25 = vsplat(r7); v3.w = vsub(v30.w,v27.w);
	  v27.h = vshuffo(v23.h,v31.h) }
	{ v14.w += vmpyo(v13.w,v28.h):<<1:rnd:sat:shift; v4.w = vsub(v30.w,v21.w);
	  v5.w = vsub(v30.w,v12.w); r3:2 = memd(r10+r11<<#0) }
	{ v15.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift; v6.w = vsub(v30.w,v22.w);
	  v7.w = vsub(v30.w,v25.w); r14 = r25 }
	{ v13:12.w = vmpy(v27.h,v24.h); v8.w = vadd(v8.w,v20.w):sat; v9.w = vadd(v9.w,v20.w):sat;
	  r16 = add(r16,#64) }
	{ v12.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift; v10.w = vadd(v10.w,v20.w):sat;
	  v11.w = vadd(v11.w,v20.w):sat; r28 = m1 }
	{ v13.w += vmpyo(v23.w,v28.h):<<1:rnd:sat:shift; v14.w = vadd(v14.w,v20.w):sat;
	  v15.w = vadd(v15.w,v20.w):sat; lc0 = r24 }:endloop1
	.endm

	.macro	CLAMP
	{ r17 = memw(r29+#LIMITS) }
	{ v8 = vmem(r17+#0) }
	{ v9 = vnot(v8); v0.w = vmin(v0.w,v8.w); v1.w = vmin(v1.w,v8.w); v2.w = vmin(v2.w,v8.w) }
	{ v3.w = vmin(v3.w,v8.w); v4.w = vmin(v4.w,v8.w); v5.w = vmin(v5.w,v8.w);
	  v6.w = vmin(v6.w,v8.w) }
	{ v7.w = vmin(v7.w,v8.w); v0.w = vmax(v0.w,v9.w); v1.w = vmax(v1.w,v9.w);
	  v2.w = vmax(v2.w,v9.w) }
	{ v3.w = vmax(v3.w,v9.w); v4.w = vmax(v4.w,v9.w); v5.w = vmax(v5.w,v9.w);
	  v6.w = vmax(v6.w,v9.w) }
	.endm

	.macro	SCALE_AGAIN
	CLAMP
	{ v7.w = vmax(v7.w,v9.w); v16.w = vasl(v0.w,v26.w); vmem(r22+#0) = v0 }
	{ v23.w = vasl(v1.w,v26.w); vmem(r22+#1) = v1 }
	{ v31.w = vasl(v2.w,v26.w); v8.h = vshuffo(v23.h,v16.h); jump 9b }
	.endm

	/*
	 * LONG_DENSE finishes the last tile's results, side by side, with two packets and seven
	 * steps of the next.
	 */
	.macro	LONG_DENSE w ub out
	{ v12.w = vadd(v12.w,v20.w):sat; v13.w = vadd(v13.w,v20.w):sat; v8.h = vpacko(v9.w,v8.w);
	  v16.uh = vmin(v8.uh,v9.uh) }
	{ v9.h = vpacko(v11.w,v10.w); v25.uh = vmin(v10.uh,v11.uh); v10.uh = vmin(v12.uh,v13.uh);
	  v11.uh = vmin(v14.uh,v15.uh) }
	STEP \w \ub "; v16.uh = vmin(v16.uh,v25.uh)" "; v10.uh = vmin(v10.uh,v11.uh)" \
		"; v8.\out = vpack(v9.h,v8.h):sat"
	STEP \w \ub "; v16.uh = vmin(v16.uh,v10.uh)" "; v14.h = vpacko(v15.w,v14.w)" \
		"; q2 = vcmp.gt(v19.uh,v16.uh)"
	STEP \w \ub "; v16.b = prefixsum(q2)" "; vmem(r22+#-1) = v16" \
		"; v12.h = vpacko(v13.w,v12.w)"
	STEP \w \ub "; v8.\out = vmax(v8.\out,v18.\out)" "; r17 = memub(r22+#-1)" \
		"; v12.\out = vpack(v12.h,v14.h):sat"
	STEP \w \ub "; v8.\out = vmin(v8.\out,v17.\out)" \
		"; p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 5b" \
		"; v12.\out = vmax(v12.\out,v18.\out)" "11:"
	STEP \w \ub "; vmem(r18++#1) = v8" "; v12.\out = vmin(v12.\out,v17.\out)" \
		"; vmem(r18++#1) = v12"
	STEP \w \ub "; r31:30 = memd(r16+#16)" "; r9:8 = memd(r16+#24)"
	.endm

	/* FINISH does that in six packets, up to what is packed. */
	.macro	FINISH out
	{ v12.w = vadd(v12.w,v20.w):sat; v13.w = vadd(v13.w,v20.w):sat; v8.h = vpacko(v9.w,v8.w);
	  v16.uh = vmin(v8.uh,v9.uh) }
	{ v9.h = vpacko(v11.w,v10.w); v25.uh = vmin(v10.uh,v11.uh); v10.uh = vmin(v12.uh,v13.uh);
	  v11.uh = vmin(v14.uh,v15.uh) }
	{ v16.uh = vmin(v16.uh,v25.uh); v10.uh = vmin(v10.uh,v11.uh);
	  v8.\out = vpack(v9.h,v8.h):sat; r31:30 = memd(r16+#16) }
	{ v16.uh = vmin(v16.uh,v10.uh); v14.h = vpacko(v15.w,v14.w);
	  v8.\out = vmax(v8.\out,v18.\out); r9:8 = memd(r16+#24) }
	{ q2 = vcmp.gt(v19.uh,v16.uh); v12.h = vpacko(v13.w,v12.w);
	  v8.\out = vmin(v8.\out,v17.\out) }
	{ v16.b = prefixsum(q2); vmem(r22+#FLAGS) = v16.new; v12.\out = vpack(v12.h,v14.h):sat }
	.endm

	/*
	 * LONG_STRIDED is what comes behind those six: with seven steps, each pixel's results by
	 * themselves.
	 */
	.macro	LONG_STRIDED w ub out
	FINISH \out
	STEP \w \ub "; r17 = memub(r22+#-1)" "; v8 = vror(v8,r19)" "; if (q0) vmem(r18++m0) = v8"
	STEP \w \ub "; v8 = vror(v8,r23)" \
		"; p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 5b" "; if (q0) vmem(r18++m0) = v8" \
		"11:"
	STEP \w \ub "; v8 = vror(v8,r23)" "; if (q0) vmem(r18++m0) = v8" \
		"; v12.\out = vmax(v12.\out,v18.\out)"
	STEP \w \ub "; v8 = vror(v8,r23)" "; if (q0) vmem(r18++m0) = v8" \
		"; v12.\out = vmin(v12.\out,v17.\out)"
	STRIDED_STEPS \w \ub
	.endm

	.macro	STRIDED_STEPS w ub
	STEP \w \ub "; v12 = vror(v12,r19)" "; if (q0) vmem(r18++m0) = v12" \
		"; v12 = vror(v12,r23)"
	STEP \w \ub "; if (q0) vmem(r18++m0) = v12" "; v12 = vror(v12,r23)" \
		"; if (q0) vmem(r18++m0) = v12"
	STEP \w \ub "; v12 = vror(v12,r23)" "; if (q0) vmem(r18++m0) = v12"
	.endm

	/*
	 * LONG_PACKED does it with one packet and eleven steps, packed. v8 and v12 become the
	 * vectors that are stored: of v8 as a whole, if it is the first, the last 32 bytes are
	 * v12's, and the first 64 of v12 are the half; of v12 as a whole the first 32 bytes are
	 * v8's, and the last 64 of v8 the half.
	 */
	.macro	LONG_PACKED w ub out
	{ v12.w = vadd(v12.w,v20.w):sat; v13.w = vadd(v13.w,v20.w):sat; v8.h = vpacko(v9.w,v8.w);
	  v16.uh = vmin(v8.uh,v9.uh) }
	STEP \w \ub "; v9.h = vpacko(v11.w,v10.w)" "; v25.uh = vmin(v10.uh,v11.uh)" \
		"; v10.uh = vmin(v12.uh,v13.uh)"
	STEP \w \ub "; v11.uh = vmin(v14.uh,v15.uh)" "; v16.uh = vmin(v16.uh,v25.uh)" \
		"; v8.\out = vpack(v9.h,v8.h):sat"
	STEP \w \ub "; v10.uh = vmin(v10.uh,v11.uh)" "; v14.h = vpacko(v15.w,v14.w)" \
		"; v12.h = vpacko(v13.w,v12.w)"
	STEP \w \ub "; v16.uh = vmin(v16.uh,v10.uh)" "; v12.\out = vpack(v12.h,v14.h):sat" \
		"; q2 = vcmp.gt(v19.uh,v16.uh)"
	STEP \w \ub "; v16.b = prefixsum(q2)" "; v8.\out = vmax(v8.\out,v18.\out)" \
		"; vmem(r22+#-1) = v16"
	STEP \w \ub "; r17 = memub(r22+#-1)" "; v8.\out = vmin(v8.\out,v17.\out)" \
		"; v12.\out = vmax(v12.\out,v18.\out)"
	STEP \w \ub "; v12.\out = vmin(v12.\out,v17.\out)" \
		"; p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 5b" "; r31:30 = memd(r16+#16)" "11:"
	PACKED_STEPS \w \ub
	.endm

	.macro	PACKED_STEPS w ub
	STEP \w \ub "; r9:8 = memd(r16+#24)" "" "; p0 = cmp.eq(r19,#0); if (!p0.new) jump:nt 14f"
	STEP \w \ub "; v9 = vmem(r23+#0)" "; v8 = vrdelta(v8,v9)" "; v9 = vmem(r23+#1)"
	STEP \w \ub "; v12 = vrdelta(v12,v9)" "; v8 = vmux(q1,v8,v12)" "; vmem(r18++#1) = v8"
	STEP \w \ub "; if (q0) vmem(r18+#0) = v12" "; r19 = #1" \
		"; p0 = cmp.eq(r19,r19); if (p0.new) jump:t 2f"
14:
	STEP \w \ub "; v9 = vmem(r23+#2)" "; v8 = vrdelta(v8,v9)" "; v9 = vmem(r23+#3)"
	STEP \w \ub "; v12 = vrdelta(v12,v9)" "; v12 = vmux(q3,v8,v12)" \
		"; if (!q0) vmem(r18++#1) = v8"
	STEP \w \ub "; vmem(r18++#1) = v12" "; r19 = #0"
	.endm

	/* SHORT_DENSE does it with two steps, side by side. */
	.macro	SHORT_DENSE w ub out
	FINISH \out
	STEP \w \ub "; r17 = memub(r22+#-1)" "; v12.\out = vmax(v12.\out,v18.\out)" \
		"; vmem(r18++#1) = v8"
	STEP \w \ub "; v12.\out = vmin(v12.\out,v17.\out)" \
		"; p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 6f" "; vmem(r18++#1) = v12" "12:"
	{ v23.w = vasl(v1.w,v26.w); vmem(r22+#0) = v0; if (p2) jump:nt 3b; jump 2b }
	.endm

	/* The macros LAST_... do it with none. */
	.macro	LAST_DENSE out
	FINISH \out
	{ r17 = memub(r22+#FLAGS*128+127); v12.\out = vmax(v12.\out,v18.\out); vmem(r18++#1) = v8 }
	{ v12.\out = vmin(v12.\out,v17.\out); p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 7f }
13:
	{ vmem(r18++#1) = v12 }
	.endm

	.macro	LAST_STRIDED out
	FINISH \out
	{ r17 = memub(r22+#FLAGS*128+127); v8 = vror(v8,r19); v12.\out = vmax(v12.\out,v18.\out) }
	{ if (q0) vmem(r18++m0) = v8; v8 = vror(v8,r23); v12.\out = vmin(v12.\out,v17.\out) }
	{ if (q0) vmem(r18++m0) = v8; v8 = vror(v8,r23); p0 = cmp.eq(r17,#0);
	  if (!p0.new) jump:nt 7f }
13:
	STORE_STRIDED
	.endm

	.macro	LAST_PACKED out
	FINISH \out
	{ r17 = memub(r22+#FLAGS*128+127); v12.\out = vmax(v12.\out,v18.\out) }
	{ v12.\out = vmin(v12.\out,v17.\out); p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 7f }
13:
	STORE_PACKED
	.endm

	.macro	STORE_PACKED
	{ v9 = vmem(r23+#0); p0 = cmp.eq(r19,#0); if (!p0.new) jump:nt 15f }
	{ v8 = vrdelta(v8,v9); v9 = vmem(r23+#1) }
	{ v12 = vrdelta(v12,v9) }
	{ v8 = vmux(q1,v8,v12); vmem(r18+#0) = v8.new }
	{ if (q0) vmem(r18+#1) = v12; jump 16f }
15:
	{ v9 = vmem(r23+#2); r17 = #32 }
	{ v8 = vrdelta(v8,v9); v9 = vmem(r23+#3) }
	{ v12 = vrdelta(v12,v9); if (!q0) vmem(r18+#0) = v8 }
	{ q3 = vsetq2(r17) }
	{ v12 = vmux(q3,v8,v12); vmem(r18+#1) = v12.new }
16:
	.endm

	.macro	STORE_STRIDED
	{ if (q0) vmem(r18++m0) = v8; v8 = vror(v8,r23) }
	{ if (q0) vmem(r18++m0) = v8; v12 = vror(v12,r19) }
	{ if (q0) vmem(r18++m0) = v12; v12 = vror(v12,r23) }
	{ if (q0) vmem(r18++m0) = v12; v12 = vror(v12,r23) }
	{ if (q0) vmem(r18++m0) = v12; v12 = vror(v12,r23) }
	{ if (q0) vmem(r18++m0) = v12 }
	.endm

	/* The macros ..._EXACT are the same where scales have at most 16 bits of fraction. */
	.macro	LAST_STEP_EXACT w ub
	STEP \w \ub "" "" "" "" ":endloop0"
	.endm

	/*
	 * SCALE_EXACT makes the halfwords of two pixels' products above and below 2^16, that carry
	 * to even: in v8 and v16, v10 and v9, v12 and v11, and of the last two the products in v15
	 * and v14, below in v13.
	 */
	.macro	SCALE_EXACT
	{ v8.w = vmpyie(v0.w,v28.uh); r11:10 = memd(r16+#0); r14 = r25; if (p3) jump:nt 8f }
9:
	{ v9.w = vmpyie(v1.w,v28.uh); r13:12 = memd(r16+#8); r16 = add(r16,#64); lc0 = r24 }
	{ v21 = vsplat(r30); v22 = vsplat(r31); v16.h = vpacke(v9.w,v8.w); r21:20 = memd(r16+#-32) }
	{ v10.w = vmpyie(v2.w,v28.uh); v8.h = vpacko(v9.w,v8.w); v0.w = vsub(v30.w,v21.w);
	  r27:26 = memd(r16+#-24) }
	{ v11.w = vmpyie(v3.w,v28.uh); v25 = vand(v8,v26); v1.w = vsub(v30.w,v22.w); r28 = m1 }
	{ v23 = vsplat(r8); v21 = vsplat(r9); v9.h = vpacke(v11.w,v10.w);
	  v16.uh = vadd(v16.uh,v25.uh):sat }
	{ v12.w = vmpyie(v4.w,v28.uh); v10.h = vpacko(v11.w,v10.w); v2.w = vsub(v30.w,v23.w);
	  r5:4 = memd(r16+#-16) }
	{ v13.w = vmpyie(v5.w,v28.uh); v22 = vand(v10,v26); v3.w = vsub(v30.w,v21.w);
	  r7:6 = memd(r16+#-8) }
	{ v23 = vsplat(r4); v21 = vsplat(r5); v11.h = vpacke(v13.w,v12.w);
	  v9.uh = vadd(v9.uh,v22.uh):sat }
	{ v14.w = vmpyie(v6.w,v28.uh); v12.h = vpacko(v13.w,v12.w); v4.w = vsub(v30.w,v23.w);
	  r1:0 = memd(r10+#0) }
	{ v15.w = vmpyie(v7.w,v28.uh); v25 = vand(v12,v26); v5.w = vsub(v30.w,v21.w);
	  r3:2 = memd(r10+r11<<#0) }
	{ v23 = vsplat(r6); v27 = vsplat(r7); v13.h = vpacke(v15.w,v14.w);
	  v11.uh = vadd(v11.uh,v25.uh):sat }:endloop1
	.endm

	.macro	SCALE_AGAIN_EXACT
	CLAMP
	{ v7.w = vmax(v7.w,v9.w); v8.w = vmpyie(v0.w,v28.uh); jump 9b }
	.endm

	.macro	LONG_DENSE_EXACT w ub out
	{ v6.w = vsub(v30.w,v23.w); q2 = vcmp.gt(v16.uh,v24.uh); q3 = vcmp.gt(v9.uh,v24.uh);
	  v14.h = vpacko(v15.w,v14.w) }
	{ if (q2) v8.h += v26.h; if (q3) v10.h += v26.h; q2 = vcmp.gt(v11.uh,v24.uh);
	  v16 = vand(v14,v26) }
	STEP \w \ub "; v7.w = vsub(v30.w,v27.w)" "; v8.h = vadd(v8.h,v20.h):sat" \
		"; v10.h = vadd(v10.h,v20.h):sat"
	STEP \w \ub "; v8.\out = vpack(v10.h,v8.h):sat" "; if (q2) v12.h += v26.h" \
		"; v13.uh = vadd(v13.uh,v16.uh):sat"
	STEP \w \ub "; v12.h = vadd(v12.h,v20.h):sat" "; q3 = vcmp.gt(v13.uh,v24.uh)" \
		"; v8.\out = vmax(v8.\out,v18.\out)"
	STEP \w \ub "; if (q3) v14.h += v26.h" "; v8.\out = vmin(v8.\out,v17.\out)" \
		"; v14.h = vadd(v14.h,v20.h):sat"
	STEP \w \ub "; vmem(r18++#1) = v8" "; v12.\out = vpack(v14.h,v12.h):sat" \
		"; v12.\out = vmax(v12.\out,v18.\out)"
	STEP \w \ub "; v12.\out = vmin(v12.\out,v17.\out)" "; vmem(r18++#1) = v12" \
		"; r31:30 = memd(r16+#16)"
	STEP \w \ub "; r9:8 = memd(r16+#24)"
	.endm

	.macro	FINISH_EXACT out
	{ v6.w = vsub(v30.w,v23.w); q2 = vcmp.gt(v16.uh,v24.uh); q3 = vcmp.gt(v9.uh,v24.uh);
	  v14.h = vpacko(v15.w,v14.w) }
	{ if (q2) v8.h += v26.h; if (q3) v10.h += v26.h; q2 = vcmp.gt(v11.uh,v24.uh);
	  v16 = vand(v14,v26) }
	{ v8.h = vadd(v8.h,v20.h):sat; v10.h = vadd(v10.h,v20.h):sat; if (q2) v12.h += v26.h;
	  v13.uh = vadd(v13.uh,v16.uh):sat }
	{ v8.\out = vpack(v10.h,v8.h):sat; q3 = vcmp.gt(v13.uh,v24.uh);
	  v12.h = vadd(v12.h,v20.h):sat; v7.w = vsub(v30.w,v27.w) }
	{ v8.\out = vmax(v8.\out,v18.\out); if (q3) v14.h += v26.h; r31:30 = memd(r16+#16);
	  r9:8 = memd(r16+#24) }
	{ v8.\out = vmin(v8.\out,v17.\out); v14.h = vadd(v14.h,v20.h):sat }
	.endm

	.macro	LONG_STRIDED_EXACT w ub out
	FINISH_EXACT \out
	STEP \w \ub "; v12.\out = vpack(v14.h,v12.h):sat" "; v8 = vror(v8,r19)" \
		"; if (q0) vmem(r18++m0) = v8"
	STEP \w \ub "; v8 = vror(v8,r23)" "; v12.\out = vmax(v12.\out,v18.\out)" \
		"; if (q0) vmem(r18++m0) = v8"
	STEP \w \ub "; v8 = vror(v8,r23)" "; if (q0) vmem(r18++m0) = v8" \
		"; v12.\out = vmin(v12.\out,v17.\out)"
	STEP \w \ub "; v8 = vror(v8,r23)" "; if (q0) vmem(r18++m0) = v8"
	STRIDED_STEPS \w \ub
	.endm

	.macro	LONG_PACKED_EXACT w ub out
	{ v6.w = vsub(v30.w,v23.w); v7.w = vsub(v30.w,v27.w); q2 = vcmp.gt(v16.uh,v24.uh);
	  v14.h = vpacko(v15.w,v14.w) }
	STEP \w \ub "; if (q2) v8.h += v26.h" "; q2 = vcmp.gt(v9.uh,v24.uh)" \
		"; v16 = vand(v14,v26)"
	STEP \w \ub "; if (q2) v10.h += v26.h" "; q2 = vcmp.gt(v11.uh,v24.uh)" \
		"; v8.h = vadd(v8.h,v20.h):sat"
	STEP \w \ub "; if (q2) v12.h += v26.h" "; v13.uh = vadd(v13.uh,v16.uh):sat" \
		"; v10.h = vadd(v10.h,v20.h):sat"
	STEP \w \ub "; q2 = vcmp.gt(v13.uh,v24.uh)" "; v8.\out = vpack(v10.h,v8.h):sat" \
		"; v12.h = vadd(v12.h,v20.h):sat"
	STEP \w \ub "; if (q2) v14.h += v26.h" "; v8.\out = vmax(v8.\out,v18.\out)" \
		"; v14.h = vadd(v14.h,v20.h):sat"
	STEP \w \ub "; v12.\out = vpack(v14.h,v12.h):sat" "; v8.\out = vmin(v8.\out,v17.\out)" \
		"; v12.\out = vmax(v12.\out,v18.\out)"
	STEP \w \ub "; v12.\out = vmin(v12.\out,v17.\out)" "" "; r31:30 = memd(r16+#16)"
	PACKED_STEPS \w \ub
	.endm

	.macro	SHORT_DENSE_EXACT w ub out
	FINISH_EXACT \out
	STEP \w \ub "; v12.\out = vpack(v14.h,v12.h):sat" "; vmem(r18++#1) = v8" \
		"; v12.\out = vmax(v12.\out,v18.\out)"
	STEP \w \ub "; v12.\out = vmin(v12.\out,v17.\out)" "; vmem(r18++#1) = v12"
	{ if (p2) jump:nt 4b; jump 2b }
	.endm

	.macro	LAST_DENSE_EXACT out
	FINISH_EXACT \out
	{ v12.\out = vpack(v14.h,v12.h):sat; vmem(r18++#1) = v8 }
	{ v12.\out = vmax(v12.\out,v18.\out) }
	{ v12.\out = vmin(v12.\out,v17.\out) }
	{ vmem(r18++#1) = v12 }
	.endm

	.macro	LAST_STRIDED_EXACT out
	FINISH_EXACT \out
	{ v12.\out = vpack(v14.h,v12.h):sat }
	{ v8 = vror(v8,r19); v12.\out = vmax(v12.\out,v18.\out) }
	{ if (q0) vmem(r18++m0) = v8; v8 = vror(v8,r23); v12.\out = vmin(v12.\out,v17.\out) }
	{ if (q0) vmem(r18++m0) = v8; v8 = vror(v8,r23) }
	STORE_STRIDED
	.endm

	.macro	LAST_PACKED_EXACT out
	FINISH_EXACT \out
	{ v12.\out = vpack(v14.h,v12.h):sat }
	{ v12.\out = vmax(v12.\out,v18.\out) }
	{ v12.\out = vmin(v12.\out,v17.\out) }
	STORE_PACKED
	.endm

	/*
	 * TILES is the code of all tiles of a kind. The first begins at 2, with what the loops
	 * need; those behind it at 1, with more than seven steps, or, side by side, at 4. Other
	 * tiles are finished by themselves. Packed there are always more than eleven.
	 */
	.macro	TILES name w ub out form exact
	.p2align 5
	.ifb \exact
5:
	TIES 11f
	.endif
1:
	LONG_\form\exact \w \ub \out
2:
	LAST_STEP\exact \w \ub
4:
	SCALE\exact
	LAST_\form\exact \out
	{ r17 = memw(r29+#END) }
	{ lc0 = r24; p0 = cmp.gtu(r16,r17); if (p0.new) jump:t leave }
	{ jump 2b }
	.ifc \form\exact,DENSE
3:
	{ v16.w = vasl(v0.w,v26.w); jump 4b }
	.endif
10:
	.ifc \form,DENSE
	SHORT_DENSE\exact \w \ub \out
	.endif
8:
	SCALE_AGAIN\exact
	.ifb \exact
	.ifc \form,DENSE
6:
	TIES 12b
	.endif
7:
	TIES 13b
	.endif
\name:
	{ loop0(2b,r7); p2 = cmp.eq(r7,#2); p0 = cmp.gtu(r7,#7) }
	.ifc \form,PACKED
	{ q3 = vsetq2(r23); r23 = ##packing }
	.endif
	{ loop1(10b,r17); if (!p0) jump:nt 2b }
	{ loop1(1b,r17); jump 2b }
	.endm

	function nn_conv2d_tiles_8x32, align=5
	ENTER
	{ memd(r29+#END) = r1:0; v30 = vmem(r5++#2); r28 = r23 }
	{ v28 = vmem(r5++#2); r11:10 = memd(r16+#0) }
	{ v26 = vmem(r5++#2); r13:12 = memd(r16+#8); r19 = r20 }
	{ v24 = vmem(r5+#2); r31:30 = memd(r16+#16) }
	{ r15 = memw(r28++#4); r9:8 = memd(r16+#24); v8 = vsplat(r30); v9 = vsplat(r31) }
	{ r5:4 = memd(r16+#48); memw(r29+#LIMITS) = r5; v10 = vsplat(r8); v11 = vsplat(r9) }
	{ r1:0 = memd(r16+#56); v12 = vsplat(r4); v13 = vsplat(r5); v0.w = vsub(v30.w,v8.w) }
	{ v14 = vsplat(r0); v15 = vsplat(r1); v1.w = vsub(v30.w,v9.w); r21:20 = memd(r16+#32) }
	{ v2.w = vsub(v30.w,v10.w); v3.w = vsub(v30.w,v11.w); r27:26 = memd(r16+#40); m1 = r28 }
	{ v4.w = vsub(v30.w,v12.w); v5.w = vsub(v30.w,v13.w); r1:0 = memd(r10+#0);
	  r3:2 = memd(r10+r11<<#0) }
	{ v6.w = vsub(v30.w,v14.w); v7.w = vsub(v30.w,v15.w); r31:30 = memd(r16+#80);
	  r9:8 = memd(r16+#88) }
	{ r14 = r25; r23 = #32; r16 = add(r16,#64); jumpr r6 }
	LEAVE 64

	TILES dense_uint8_uint8 uw ub ub DENSE
	TILES dense_uint8_int8 uw ub b DENSE
	TILES dense_int8_uint8 w b ub DENSE
	TILES dense_int8_int8 w b b DENSE
	TILES dense_exact_uint8_uint8 uw ub ub DENSE _EXACT
	TILES dense_exact_uint8_int8 uw ub b DENSE _EXACT
	TILES dense_exact_int8_uint8 w b ub DENSE _EXACT
	TILES dense_exact_int8_int8 w b b DENSE _EXACT
	TILES strided_uint8_uint8 uw ub ub STRIDED
	TILES strided_uint8_int8 uw ub b STRIDED
	TILES strided_int8_uint8 w b ub STRIDED
	TILES strided_int8_int8 w b b STRIDED
	TILES strided_exact_uint8_uint8 uw ub ub STRIDED _EXACT
	TILES strided_exact_uint8_int8 uw ub b STRIDED _EXACT
	TILES strided_exact_int8_uint8 w b ub STRIDED _EXACT
	TILES strided_exact_int8_int8 w b b STRIDED _EXACT
	TILES packed_uint8_uint8 uw ub ub PACKED
	TILES packed_uint8_int8 uw ub b PACKED
	TILES packed_int8_uint8 w b ub PACKED
	TILES packed_int8_int8 w b b PACKED
	TILES packed_exact_uint8_uint8 uw ub ub PACKED _EXACT
	TILES packed_exact_uint8_int8 uw ub b PACKED _EXACT
	TILES packed_exact_int8_uint8 w b ub PACKED _EXACT
	TILES packed_exact_int8_int8 w b b PACKED _EXACT
	endfunction

	table nn_conv2d_tiles_8x32_entry	/* [form][exact][input is int8][output is int8] */
	.word	dense_uint8_uint8, dense_uint8_int8, dense_int8_uint8, dense_int8_int8
	.word	dense_exact_uint8_uint8, dense_exact_uint8_int8
	.word	dense_exact_int8_uint8, dense_exact_int8_int8
	.word	strided_uint8_uint8, strided_uint8_int8, strided_int8_uint8, strided_int8_int8
	.word	strided_exact_uint8_uint8, strided_exact_uint8_int8
	.word	strided_exact_int8_uint8, strided_exact_int8_int8
	.word	packed_uint8_uint8, packed_uint8_int8, packed_int8_uint8, packed_int8_int8
	.word	packed_exact_uint8_uint8, packed_exact_uint8_int8
	.word	packed_exact_int8_uint8, packed_exact_int8_int8
	endtable

	/*
	 * The controls with which vrdelta (delta.h) brings 24 of each 32 bytes together. It moves
	 * eight by eight: from place 0 on, from 96 on and around, from 64 on and around, from 32
	 * on.
	 */
	.macro	PACKING controls:vararg
	.irp	control,\controls
	.fill	8,1,\control
	.endr
	.endm

	.section .rodata
	.p2align 7
packing:
	PACKING 0,0,0,32,8,24,64,88,16,32,48,48,8,8,48,40
	PACKING 32,32,64,64,104,120,96,88,16,0,16,16,104,72,80,72
	PACKING 64,64,64,96,8,24,0,24,80,96,112,112,72,72,48,40
	PACKING 32,32,0,0,40,56,32,24,80,64,16,16,40,8,16,8
