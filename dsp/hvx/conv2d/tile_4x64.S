/* SPDX-License-Identifier: MIT */
/*
 * Tiles of 4x64: four pixels and 64 outputs (tiles.h), their products and their results, one tile
 * after another without a call or a spill in between. block.c calls it.
 *
 * A packet can do four instructions, and has four vector pipes, of which a multiplication of words
 * or halfwords takes two, a vrmpy, a vsplat, a load, a store and anything else one; two of the four
 * pipes multiply. One shift (vasl, prefixsum), one permutation (vpack, vror) and one store at most.
 *
 * Products. Every packet of a step has two vrmpy, the most there is: 32 outputs of two pixels. 8
 * inputs of four pixels are 8 packets, and six instructions more have room in them.
 *
 * Results. The product of a sum, shifted as far to the left as it may be, and a multiplier of high
 * * 2^16 + low is made of the sum's upper half times `low`, of two vectors at once, and of the
 * whole sum times `high`: 12 multiplications for 8 vectors of sums. With 4 vsplat, of which two fit
 * a packet, that is 14 packets in which no vrmpy has room. In each, two other vector instructions
 * have, which shift, store the sums, and begin the next tile's; and a scalar one, which loads its
 * inputs (SCALE). The first shifts are made in the last step. What is left to do, 36 instructions,
 * is done in the next tile's first six steps (FIRST_STEPS). Where a tile has no more than six, that
 * takes packets of its own beside all steps but one: two of six steps, three of five, five of four
 * (SIX_STEPS, FIVE_STEPS, FOUR_STEPS); or seven beside two steps (FINISH, TWO_STEPS). So a tile of
 * K products an output is K + 14 packets, 210 MACs a packet for 64 products and 250 for 576, or
 * K + 16 to K + 21. Another 13 if sums have to be clamped first.
 *
 * Scales with at most 16 bits of fraction, such as powers of two, have one product of 32 bits,
 * which is rounded to even: 10 packets (SCALE_EXACT), and then 36 instructions, too.
 *
 * Elsewhere a product near to a half may be a tie: float32 might round it otherwise. The least
 * fraction tells. Then the tile's sums, which SCALE has stored, stay where they are, the next
 * tile's go to the next place of a queue, and who called makes the results of these lanes again the
 * exact way. If there is no more place, the tile that has begun is the last. The count of ties goes
 * through memory, because vextract is alone in its packet.
 *
 *	v0 - v7		sums, [pixel][block]
 *	v8 - v16, v21 - v23	free; v31, too, while results are made
 *	v17, v18	greatest and least result
 *	v19, v20	what fraction may be a tie; zero point and a half to be added
 *	v24		both blocks' `low`; of exact scales a half
 *	v25, v26	shift of block 1 and 0; of exact scales ones
 *	v27, v28	`high` of block 1 and 0; of exact scales the multiplier
 *	v29, v30	bias of block 1 and 0
 *	r0 - r7		inputs
 *	r8, r25		weights of block 1 and 0; r15, r14 where the next are
 *	r9		from this step's inputs to the next's
 *	r10 - r13	the four pixels: address, and offsets from it
 *	r16		pixels: struct four_pixels
 *	r17, r19	free
 *	r18, m0		where results go; bytes from a pixel to the next
 *	r20, r21	how far results of even and odd pixels are turned; q0, q1 their bytes
 *	r22		sums in the queue
 *	r23, r28	list of advances, where the second is, and where the next is
 *	r24		steps behind those in which the last tile is finished
 *	r27:26, r31:30	the next tile's sums of inputs
 *	p2, p3		a tile has two steps; sums have to be clamped
 */

#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/conv2d/tile_frame.h"

	/*
	 * STEP multiplies 8 inputs of four pixels, and does what else has room. The inputs of pixel
	 * 3 are loaded at the beginning, the others at the end of the step before.
	 */
	.macro	STEP w ub more2 more3 more4 more5 more6 mark loop
	{ v0.\w += vrmpy(v31.ub,r0.\ub); v2.\w += vrmpy(v31.ub,r2.\ub);
	  v31.cur = vmem(r14++#1); r7:6 = memd(r10+r13<<#0) }
	{ v4.\w += vrmpy(v31.ub,r4.\ub); v6.\w += vrmpy(v31.ub,r6.\ub); r10 = add(r10,r9) \more2 }
	{ v0.\w += vrmpy(v31.ub,r1.\ub); v2.\w += vrmpy(v31.ub,r3.\ub);
	  v31.cur = vmem(r14++#1) \more3 }
	{ v4.\w += vrmpy(v31.ub,r5.\ub); v6.\w += vrmpy(v31.ub,r7.\ub);
	  r9 = memw(r28++#4) \more4 }
	{ v1.\w += vrmpy(v31.ub,r0.\ub); v3.\w += vrmpy(v31.ub,r2.\ub);
	  v31.cur = vmem(r15++#1) \more5 }
	{ v5.\w += vrmpy(v31.ub,r4.\ub); v7.\w += vrmpy(v31.ub,r6.\ub) \more6 }
\mark
	{ v1.\w += vrmpy(v31.ub,r1.\ub); v3.\w += vrmpy(v31.ub,r3.\ub);
	  v31.cur = vmem(r15++#1); r1:0 = memd(r10+#0) }
	{ v5.\w += vrmpy(v31.ub,r5.\ub); v7.\w += vrmpy(v31.ub,r7.\ub);
	  r3:2 = memd(r10+r11<<#0); r5:4 = memd(r10+r12<<#0) }\loop
	.endm

	/*
	 * LAST_STEP is a step which can be the last: what scaling begins with has room in it, and
	 * means nothing if it is not.
	 */
	.macro	LAST_STEP w ub
	STEP \w \ub "" "" "; v16.w = vasl(v0.w,v26.w)" "; v23.w = vasl(v2.w,v26.w)" \
		"; vmem(r22+#0) = v0" "" ":endloop0"
	.endm

	/*
	 * SCALE makes two blocks' products, of pixel 0 in v9:8, 1 in v11:10, 2 in v15:14, 3 in
	 * v13:12. At 8, sums are clamped to what a shift can take, and what is lost until then is
	 * done again.
	 */
	.macro	SCALE
	{ v31.w = vasl(v1.w,v25.w); vmem(r22+#1) = v1; v21 = vsplat(r30); v22 = vsplat(r31) }
	{ v8.h = vshuffo(v31.h,v16.h); v0 = vsplat(r26); v1 = vsplat(r27); if (p3) jump:nt 8f }
9:
	{ v9:8.w = vmpy(v8.h,v24.h); v12.w = vasl(v3.w,v25.w); vmem(r22+#3) = v3;
	  r11:10 = memd(r16+#0) }
	{ v8.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift; v13.w = vasl(v4.w,v26.w);
	  vmem(r22+#4) = v4; r13:12 = memd(r16+#8) }
	{ v9.w += vmpyo(v31.w,v27.h):<<1:rnd:sat:shift; v10.h = vshuffo(v12.h,v23.h);
	  vmem(r22+#2) = v2; r1:0 = memd(r10+#0) }
	{ v11:10.w = vmpy(v10.h,v24.h); v16.w = vasl(v5.w,v25.w); vmem(r22+#5) = v5;
	  r3:2 = memd(r10+r11<<#0) }
	{ v10.w += vmpyo(v23.w,v28.h):<<1:rnd:sat:shift; v31.w = vasl(v6.w,v26.w);
	  vmem(r22+#6) = v6; r5:4 = memd(r10+r12<<#0) }
	{ v11.w += vmpyo(v12.w,v27.h):<<1:rnd:sat:shift; v14.h = vshuffo(v16.h,v13.h);
	  v2.w = vsub(v30.w,v1.w); r27:26 = memd(r16+#48) }
	{ v15:14.w = vmpy(v14.h,v24.h); v23.w = vasl(v7.w,v25.w); vmem(r22+#7) = v7;
	  r31:30 = memd(r16+#56) }
	{ v14.w += vmpyo(v13.w,v28.h):<<1:rnd:sat:shift; v12.h = vshuffo(v23.h,v31.h);
	  v3.w = vsub(v29.w,v1.w); r15:14 = combine(r8,r25) }
	{ v15.w += vmpyo(v16.w,v27.h):<<1:rnd:sat:shift; v1.w = vsub(v29.w,v0.w);
	  v4.w = vsub(v30.w,v21.w); r16 = add(r16,#32) }
	{ v13:12.w = vmpy(v12.h,v24.h); v0.w = vsub(v30.w,v0.w); v6.w = vsub(v30.w,v22.w);
	  r28 = r23 }
	{ v12.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift; v5.w = vsub(v29.w,v21.w);
	  v8.w = vadd(v8.w,v20.w):sat; lc0 = r24 }
	{ v13.w += vmpyo(v23.w,v27.h):<<1:rnd:sat:shift; v7.w = vsub(v29.w,v22.w);
	  v9.w = vadd(v9.w,v20.w):sat }:endloop1
	.endm

	/* ADD_PARTS adds what has been made of a tile's sums before, if that is not nothing. */
	.macro	ADD_PARTS
	{ p0 = cmp.eq(r17,#0); if (p0.new) jump:nt 14f }
	{ v8 = vmem(r17++#1) }
	{ v0.w = vadd(v0.w,v8.w); v8 = vmem(r17++#1) }
	{ v1.w = vadd(v1.w,v8.w); v8 = vmem(r17++#1) }
	{ v2.w = vadd(v2.w,v8.w); v8 = vmem(r17++#1) }
	{ v3.w = vadd(v3.w,v8.w); v8 = vmem(r17++#1) }
	{ v4.w = vadd(v4.w,v8.w); v8 = vmem(r17++#1) }
	{ v5.w = vadd(v5.w,v8.w); v8 = vmem(r17++#1) }
	{ v6.w = vadd(v6.w,v8.w); v8 = vmem(r17++#1) }
	{ v7.w = vadd(v7.w,v8.w); memw(r29+#PARTS) = r17 }
14:
	.endm

	.macro	SCALE_AGAIN
	{ v0 = vmem(r22+#0); r17 = memw(r29+#PARTS) }
	{ v1 = vmem(r22+#1) }
	ADD_PARTS
	{ r17 = memw(r29+#LIMITS) }
	{ v8 = vmem(r17++#1) }
	{ v0.w = vmin(v0.w,v8.w); v2.w = vmin(v2.w,v8.w);
	  v4.w = vmin(v4.w,v8.w) }
	{ v9 = vmem(r17+#0); v6.w = vmin(v6.w,v8.w); v10 = vnot(v8) }
	{ v11 = vnot(v9); v1.w = vmin(v1.w,v9.w); v3.w = vmin(v3.w,v9.w); v5.w = vmin(v5.w,v9.w) }
	{ v7.w = vmin(v7.w,v9.w); v0.w = vmax(v0.w,v10.w); v2.w = vmax(v2.w,v10.w);
	  v4.w = vmax(v4.w,v10.w) }
	{ v6.w = vmax(v6.w,v10.w); v1.w = vmax(v1.w,v11.w); v16.w = vasl(v0.w,v26.w);
	  vmem(r22+#0) = v0 }
	{ v3.w = vmax(v3.w,v11.w); v31.w = vasl(v1.w,v25.w); vmem(r22+#1) = v1; v0 = vsplat(r26) }
	{ v5.w = vmax(v5.w,v11.w); v7.w = vmax(v7.w,v11.w); v23.w = vasl(v2.w,v26.w);
	  v1 = vsplat(r27) }
	{ v8.h = vshuffo(v31.h,v16.h); jump 9b }
	.endm

	/* FIRST_STEPS are the steps of a tile in which the last one's results are finished. */
	.macro	FIRST_STEPS w ub out
	STEP \w \ub "; v10.w = vadd(v10.w,v20.w):sat" "; v16.uh = vmin(v8.uh,v9.uh)" \
		"; v8.h = vpacko(v9.w,v8.w)" "; v11.w = vadd(v11.w,v20.w):sat" \
		"; v14.w = vadd(v14.w,v20.w):sat; v16.uh = vmin(v16.uh,v10.uh)"
	STEP \w \ub "; v16.uh = vmin(v16.uh,v11.uh)" "; v9.h = vpacko(v11.w,v10.w)" \
		"; v15.w = vadd(v15.w,v20.w):sat" "; v8.\out = vpack(v9.h,v8.h):sat" \
		"; v12.w = vadd(v12.w,v20.w):sat; v16.uh = vmin(v16.uh,v14.uh)"
	STEP \w \ub "; v8.\out = vmax(v8.\out,v18.\out)" "; v16.uh = vmin(v16.uh,v15.uh)" \
		"; v8.\out = vmin(v8.\out,v17.\out)" "; v13.w = vadd(v13.w,v20.w):sat" \
		"; v16.uh = vmin(v16.uh,v12.uh); v9 = vror(v8,r20)"
	STEP \w \ub "; v16.uh = vmin(v16.uh,v13.uh)" "; if (q0) vmem(r18++m0) = v9" \
		"; v8 = vror(v8,r21)" "; q2 = vcmp.gt(v19.uh,v16.uh)" \
		"; v16.b = prefixsum(q2); vmem(r22+#-1) = v16.new"
	STEP \w \ub "; v14.h = vpacko(v15.w,v14.w)" "; if (q1) vmem(r18++m0) = v8" \
		"; v12.h = vpacko(v13.w,v12.w)" "; v12.\out = vpack(v12.h,v14.h):sat" \
		"; v12.\out = vmax(v12.\out,v18.\out); r17 = memub(r22+#-1)"
	STEP \w \ub "; v12.\out = vmin(v12.\out,v17.\out)" "; v13 = vror(v12,r20)" \
		"; v12 = vror(v12,r21)" "; if (q0) vmem(r18++m0) = v13" \
		"; if (q1) vmem(r18++m0) = v12; p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 5b" "11:"
	.endm

	/*
	 * FINISH finishes results without products: the beginning; then TWO_STEPS the end in two
	 * steps and two packets, or LAST by itself. All are left where there may be ties, to come
	 * back behind 11, 12 or 13.
	 */
	.macro	FINISH out
	{ v8.h = vpacko(v9.w,v8.w); v16.uh = vmin(v8.uh,v9.uh); v10.w = vadd(v10.w,v20.w):sat;
	  v11.w = vadd(v11.w,v20.w):sat }
	{ v9.h = vpacko(v11.w,v10.w); v31.uh = vmin(v10.uh,v11.uh);
	  v14.w = vadd(v14.w,v20.w):sat; v15.w = vadd(v15.w,v20.w):sat }
	{ v8.\out = vpack(v9.h,v8.h):sat; v16.uh = vmin(v16.uh,v31.uh);
	  v12.w = vadd(v12.w,v20.w):sat; v13.w = vadd(v13.w,v20.w):sat }
	{ v14.h = vpacko(v15.w,v14.w); v31.uh = vmin(v14.uh,v15.uh); v22.uh = vmin(v12.uh,v13.uh);
	  v8.\out = vmax(v8.\out,v18.\out) }
	{ v12.h = vpacko(v13.w,v12.w); v16.uh = vmin(v16.uh,v31.uh);
	  v8.\out = vmin(v8.\out,v17.\out); q2 = vcmp.gt(v19.uh,v22.uh) }
	.endm

	.macro	TWO_STEPS w ub out
	STEP \w \ub "; v12.\out = vpack(v12.h,v14.h):sat" "; q2 |= vcmp.gt(v19.uh,v16.uh)" \
		"; v9 = vror(v8,r20)" "; if (q0) vmem(r18++m0) = v9" \
		"; v12.\out = vmax(v12.\out,v18.\out); v8 = vror(v8,r21)"
	STEP \w \ub "; v16.b = prefixsum(q2)" "; vmem(r22+#-1) = v16" \
		"; r17 = memub(r22+#-1)" "; v12.\out = vmin(v12.\out,v17.\out)" \
		"; v13 = vror(v12,r20); if (q1) vmem(r18++m0) = v8"
	{ v12 = vror(v12,r21); if (q0) vmem(r18++m0) = v13; v16.w = vasl(v0.w,v26.w);
	  p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 6f }
12:
	{ if (q1) vmem(r18++m0) = v12; v23.w = vasl(v2.w,v26.w); if (p2) jump:nt 3b; jump 2b }
	.endm

	/*
	 * SIX_STEPS, FIVE_STEPS and FOUR_STEPS are what tiles of so many steps finish the last one
	 * with: two, three or five packets and all steps but one, which is at 2. That is where the
	 * end of the loop goes from here, because it is to be gone through twice.
	 */
	.macro	SIX_STEPS w ub out
	{ v8.h = vpacko(v9.w,v8.w); v16.uh = vmin(v8.uh,v9.uh); v10.w = vadd(v10.w,v20.w):sat;
	  v11.w = vadd(v11.w,v20.w):sat }
	{ v9.h = vpacko(v11.w,v10.w); v21.uh = vmin(v10.uh,v11.uh);
	  v14.w = vadd(v14.w,v20.w):sat; v15.w = vadd(v15.w,v20.w):sat }
	STEP \w \ub "; v12.w = vadd(v12.w,v20.w):sat" "; v8.\out = vpack(v9.h,v8.h):sat" \
		"; v13.w = vadd(v13.w,v20.w):sat" "; v22.uh = vmin(v14.uh,v15.uh)" \
		"; v14.h = vpacko(v15.w,v14.w); v16.uh = vmin(v16.uh,v21.uh)"
	STEP \w \ub "; v21.uh = vmin(v12.uh,v13.uh)" "; v12.h = vpacko(v13.w,v12.w)" \
		"; v8.\out = vmax(v8.\out,v18.\out)" "; v16.uh = vmin(v16.uh,v22.uh)" \
		"; v8.\out = vmin(v8.\out,v17.\out); v16.uh = vmin(v16.uh,v21.uh)"
	STEP \w \ub "; q2 = vcmp.gt(v19.uh,v16.uh)" "; v9 = vror(v8,r20)" \
		"; v12.\out = vpack(v12.h,v14.h):sat" "; v8 = vror(v8,r21)" \
		"; v16.b = prefixsum(q2); vmem(r22+#-1) = v16.new"
	STEP \w \ub "; v12.\out = vmax(v12.\out,v18.\out)" "; if (q0) vmem(r18++m0) = v9" \
		"; v12.\out = vmin(v12.\out,v17.\out)" "; if (q1) vmem(r18++m0) = v8" \
		"; v13 = vror(v12,r20); r17 = memub(r22+#-1)"
	STEP \w \ub "; v12 = vror(v12,r21)" "; if (q0) vmem(r18++m0) = v13" "" \
		"; if (q1) vmem(r18++m0) = v12" \
		"; p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 23f" "26:" ":endloop0"
	.endm

	.macro	FIVE_STEPS w ub out
	{ v8.h = vpacko(v9.w,v8.w); v16.uh = vmin(v8.uh,v9.uh); v10.w = vadd(v10.w,v20.w):sat;
	  v11.w = vadd(v11.w,v20.w):sat }
	{ v9.h = vpacko(v11.w,v10.w); v21.uh = vmin(v10.uh,v11.uh);
	  v14.w = vadd(v14.w,v20.w):sat; v15.w = vadd(v15.w,v20.w):sat }
	{ v8.\out = vpack(v9.h,v8.h):sat; v16.uh = vmin(v16.uh,v21.uh);
	  v12.w = vadd(v12.w,v20.w):sat; v13.w = vadd(v13.w,v20.w):sat }
	STEP \w \ub "; v22.uh = vmin(v14.uh,v15.uh)" "; v14.h = vpacko(v15.w,v14.w)" \
		"; v21.uh = vmin(v12.uh,v13.uh)" "; v12.h = vpacko(v13.w,v12.w)" \
		"; v8.\out = vmax(v8.\out,v18.\out); v16.uh = vmin(v16.uh,v22.uh)"
	STEP \w \ub "; v16.uh = vmin(v16.uh,v21.uh)" "; v12.\out = vpack(v12.h,v14.h):sat" \
		"; v8.\out = vmin(v8.\out,v17.\out)" "; q2 = vcmp.gt(v19.uh,v16.uh)" \
		"; v16.b = prefixsum(q2); vmem(r22+#-1) = v16.new"
	STEP \w \ub "; v9 = vror(v8,r20)" "; v8 = vror(v8,r21)" \
		"; v12.\out = vmax(v12.\out,v18.\out)" "; if (q0) vmem(r18++m0) = v9" \
		"; v12.\out = vmin(v12.\out,v17.\out); r17 = memub(r22+#-1)"
	STEP \w \ub "; v13 = vror(v12,r20)" "; if (q1) vmem(r18++m0) = v8" \
		"; v12 = vror(v12,r21)" "; if (q0) vmem(r18++m0) = v13" \
		"; if (q1) vmem(r18++m0) = v12; p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 24f" \
		"27:" ":endloop0"
	.endm

	.macro	FOUR_STEPS w ub out
	FINISH \out
	STEP \w \ub "; q2 |= vcmp.gt(v19.uh,v16.uh)" "; v12.\out = vpack(v12.h,v14.h):sat" \
		"; v9 = vror(v8,r20)" "; v8 = vror(v8,r21)" \
		"; v16.b = prefixsum(q2); vmem(r22+#-1) = v16.new"
	STEP \w \ub "; v12.\out = vmax(v12.\out,v18.\out)" "; if (q0) vmem(r18++m0) = v9" \
		"; v12.\out = vmin(v12.\out,v17.\out)" "; if (q1) vmem(r18++m0) = v8" \
		"; v13 = vror(v12,r20); r17 = memub(r22+#-1)"
	STEP \w \ub "; v12 = vror(v12,r21)" "; if (q0) vmem(r18++m0) = v13" "" \
		"; if (q1) vmem(r18++m0) = v12" \
		"; p0 = cmp.eq(r17,#0); if (!p0.new) jump:nt 25f" "28:" ":endloop0"
	.endm

	.macro	LAST out
	{ q2 |= vcmp.gt(v19.uh,v16.uh); v12.\out = vpack(v12.h,v14.h):sat }
	{ v16.b = prefixsum(q2); vmem(r22+#FLAGS) = v16.new; v9 = vror(v8,r20);
	  v12.\out = vmax(v12.\out,v18.\out) }
	{ v8 = vror(v8,r21); if (q0) vmem(r18++m0) = v9; r17 = memub(r22+#FLAGS*128+127);
	  v12.\out = vmin(v12.\out,v17.\out) }
	{ v13 = vror(v12,r20); if (q1) vmem(r18++m0) = v8; p0 = cmp.eq(r17,#0);
	  if (!p0.new) jump:nt 7f }
13:
	{ v12 = vror(v12,r21); if (q0) vmem(r18++m0) = v13 }
	.endm

	/*
	 * The macros ..._EXACT are the same where scales have at most 16 bits of fraction. There
	 * are no ties to be made again.
	 */
	.macro	LAST_STEP_EXACT w ub
	STEP \w \ub "" "" "" "" "" "" ":endloop0"
	.endm

	/*
	 * SCALE_EXACT makes the halfwords of two blocks' products above and below 2^16: of pixel 0
	 * in v8 and v16, 1 in v10 and v9, 2 in v12 and v11, and of 3 the products in v15 and v14.
	 */
	.macro	SCALE_EXACT
	{ v8.w = vmpyie(v0.w,v28.uh); r11:10 = memd(r16+#0); if (p3) jump:nt 8f }
9:
	{ v9.w = vmpyie(v1.w,v27.uh); r13:12 = memd(r16+#8); r28 = r23; lc0 = r24 }
	{ v21 = vsplat(r26); v22 = vsplat(r27); v16.h = vpacke(v9.w,v8.w); r1:0 = memd(r10+#0) }
	{ v10.w = vmpyie(v2.w,v28.uh); v8.h = vpacko(v9.w,v8.w); v0.w = vsub(v30.w,v21.w);
	  r3:2 = memd(r10+r11<<#0) }
	{ v11.w = vmpyie(v3.w,v27.uh); v31 = vand(v8,v26); v1.w = vsub(v29.w,v21.w);
	  r5:4 = memd(r10+r12<<#0) }
	{ v23 = vsplat(r30); v21 = vsplat(r31); v9.h = vpacke(v11.w,v10.w);
	  v16.uh = vadd(v16.uh,v31.uh):sat }
	{ v12.w = vmpyie(v4.w,v28.uh); v10.h = vpacko(v11.w,v10.w); v2.w = vsub(v30.w,v22.w);
	  r27:26 = memd(r16+#48) }
	{ v13.w = vmpyie(v5.w,v27.uh); v22 = vand(v10,v26); v3.w = vsub(v29.w,v22.w);
	  r31:30 = memd(r16+#56) }
	{ v14.w = vmpyie(v6.w,v28.uh); v11.h = vpacke(v13.w,v12.w); v4.w = vsub(v30.w,v23.w);
	  r15:14 = combine(r8,r25) }
	{ v15.w = vmpyie(v7.w,v27.uh); v12.h = vpacko(v13.w,v12.w); v6.w = vsub(v30.w,v21.w);
	  r16 = add(r16,#32) }:endloop1
	.endm

	.macro	SCALE_AGAIN_EXACT
	{ r17 = memw(r29+#PARTS) }
	ADD_PARTS
	{ r17 = memw(r29+#LIMITS) }
	{ v8 = vmem(r17++#1) }
	{ v9 = vmem(r17+#0); v0.w = vmin(v0.w,v8.w); v2.w = vmin(v2.w,v8.w);
	  v4.w = vmin(v4.w,v8.w) }
	{ v10 = vnot(v8); v6.w = vmin(v6.w,v8.w); v1.w = vmin(v1.w,v9.w); v3.w = vmin(v3.w,v9.w) }
	{ v11 = vnot(v9); v5.w = vmin(v5.w,v9.w); v7.w = vmin(v7.w,v9.w); v0.w = vmax(v0.w,v10.w) }
	{ v2.w = vmax(v2.w,v10.w); v4.w = vmax(v4.w,v10.w);
	  v6.w = vmax(v6.w,v10.w); v1.w = vmax(v1.w,v11.w) }
	{ v3.w = vmax(v3.w,v11.w); v5.w = vmax(v5.w,v11.w); v7.w = vmax(v7.w,v11.w) }
	{ v8.w = vmpyie(v0.w,v28.uh); jump 9b }
	.endm

	.macro	FIRST_STEPS_EXACT w ub out
	STEP \w \ub "; v5.w = vsub(v29.w,v23.w)" "; v7.w = vsub(v29.w,v21.w)" \
		"; q2 = vcmp.gt(v16.uh,v24.uh)" "; v9.uh = vadd(v9.uh,v22.uh):sat" \
		"; if (q2) v8.h += v26.h; v13.h = vpacke(v15.w,v14.w)"
	STEP \w \ub "; v8.h = vadd(v8.h,v20.h):sat" "; q3 = vcmp.gt(v9.uh,v24.uh)" \
		"; v14.h = vpacko(v15.w,v14.w)" "; v21 = vand(v12,v26)" \
		"; if (q3) v10.h += v26.h; v16 = vand(v14,v26)"
	STEP \w \ub "; v10.h = vadd(v10.h,v20.h):sat" "; v11.uh = vadd(v11.uh,v21.uh):sat" \
		"; v13.uh = vadd(v13.uh,v16.uh):sat" "; v8.\out = vpack(v10.h,v8.h):sat" \
		"; q2 = vcmp.gt(v11.uh,v24.uh); q3 = vcmp.gt(v13.uh,v24.uh)"
	STEP \w \ub "; if (q2) v12.h += v26.h" "; if (q3) v14.h += v26.h" \
		"; v8.\out = vmax(v8.\out,v18.\out)" "; v12.h = vadd(v12.h,v20.h):sat" \
		"; v14.h = vadd(v14.h,v20.h):sat; v8.\out = vmin(v8.\out,v17.\out)"
	STEP \w \ub "; v9 = vror(v8,r20)" "; v12.\out = vpack(v14.h,v12.h):sat" \
		"; v8 = vror(v8,r21)" "; if (q0) vmem(r18++m0) = v9" \
		"; if (q1) vmem(r18++m0) = v8; v12.\out = vmax(v12.\out,v18.\out)"
	STEP \w \ub "; v12.\out = vmin(v12.\out,v17.\out)" "; v13 = vror(v12,r20)" \
		"; v12 = vror(v12,r21)" "; if (q0) vmem(r18++m0) = v13" \
		"; if (q1) vmem(r18++m0) = v12"
	.endm

	.macro	FINISH_EXACT out
	{ v5.w = vsub(v29.w,v23.w); v7.w = vsub(v29.w,v21.w); q2 = vcmp.gt(v16.uh,v24.uh);
	  v9.uh = vadd(v9.uh,v22.uh):sat }
	{ if (q2) v8.h += v26.h; q3 = vcmp.gt(v9.uh,v24.uh); v13.h = vpacke(v15.w,v14.w);
	  v31 = vand(v12,v26) }
	{ v8.h = vadd(v8.h,v20.h):sat; if (q3) v10.h += v26.h; v14.h = vpacko(v15.w,v14.w);
	  v11.uh = vadd(v11.uh,v31.uh):sat }
	{ v10.h = vadd(v10.h,v20.h):sat; q2 = vcmp.gt(v11.uh,v24.uh); v16 = vand(v14,v26) }
	{ v8.\out = vpack(v10.h,v8.h):sat; if (q2) v12.h += v26.h;
	  v13.uh = vadd(v13.uh,v16.uh):sat }
	.endm

	.macro	TWO_STEPS_EXACT w ub out
	STEP \w \ub "; q3 = vcmp.gt(v13.uh,v24.uh)" "; v8.\out = vmax(v8.\out,v18.\out)" \
		"; v8.\out = vmin(v8.\out,v17.\out)" "; if (q3) v14.h += v26.h" \
		"; v12.h = vadd(v12.h,v20.h):sat; v9 = vror(v8,r20)"
	STEP \w \ub "; v14.h = vadd(v14.h,v20.h):sat" "; if (q0) vmem(r18++m0) = v9" \
		"; v12.\out = vpack(v14.h,v12.h):sat" "; v12.\out = vmax(v12.\out,v18.\out)" \
		"; v12.\out = vmin(v12.\out,v17.\out); v8 = vror(v8,r21)"
	{ v13 = vror(v12,r20); if (q1) vmem(r18++m0) = v8 }
	{ v12 = vror(v12,r21); if (q0) vmem(r18++m0) = v13 }
	{ if (q1) vmem(r18++m0) = v12; if (p2) jump:nt 4b; jump 2b }
	.endm

	.macro	LAST_EXACT out
	{ q3 = vcmp.gt(v13.uh,v24.uh); v8.\out = vmax(v8.\out,v18.\out);
	  v12.h = vadd(v12.h,v20.h):sat }
	{ if (q3) v14.h += v26.h; v8.\out = vmin(v8.\out,v17.\out) }
	{ v14.h = vadd(v14.h,v20.h):sat; v9 = vror(v8,r20) }
	{ v12.\out = vpack(v14.h,v12.h):sat; if (q0) vmem(r18++m0) = v9 }
	{ v12.\out = vmax(v12.\out,v18.\out); v8 = vror(v8,r21) }
	{ v12.\out = vmin(v12.\out,v17.\out); if (q1) vmem(r18++m0) = v8 }
	{ v13 = vror(v12,r20) }
	{ v12 = vror(v12,r21); if (q0) vmem(r18++m0) = v13 }
	.endm

	/*
	 * TILES is the code of all tiles of a kind. The first begins at 2, with what the loops
	 * need; those behind it at 1, with more than six steps, or at 4, where the last one is
	 * finished, too. A tile of one step is finished by itself.
	 */
	.macro	TILES name w ub out exact
	.p2align 5
	.ifb \exact
5:
	TIES 11f
	.endif
1:
	FIRST_STEPS\exact \w \ub \out
2:
	LAST_STEP\exact \w \ub
4:
	SCALE\exact
	FINISH\exact \out
	LAST\exact \out
	{ if (q1) vmem(r18++m0) = v12; r17 = memw(r29+#END) }
	{ lc0 = r24; p0 = cmp.gtu(r16,r17); if (p0.new) jump:t leave }
	{ jump 2b }
	.ifb \exact
3:
	{ vmem(r22+#0) = v0; jump 4b }
	.endif
10:
	FINISH\exact \out
	TWO_STEPS\exact \w \ub \out
8:
	SCALE_AGAIN\exact
	.ifb \exact
6:
	TIES 12b
7:
	TIES 13b
20:
	SIX_STEPS \w \ub \out
21:
	FIVE_STEPS \w \ub \out
22:
	FOUR_STEPS \w \ub \out
23:
	TIES 26b
24:
	TIES 27b
25:
	TIES 28b
	.endif
\name:
	{ loop0(2b,r7); p2 = cmp.eq(r7,#2); p0 = cmp.gtu(r7,#6) }
	{ loop1(1b,r17); if (p0) jump:t 2b }
	.ifb \exact
	{ loop1(20b,r17); p0 = cmp.eq(r7,#6); if (p0.new) jump:nt 2b }
	{ loop1(21b,r17); p0 = cmp.eq(r7,#5); if (p0.new) jump:nt 2b }
	{ loop1(22b,r17); p0 = cmp.eq(r7,#4); if (p0.new) jump:nt 2b }
	.endif
	{ loop1(10b,r17); jump 2b }
	.endm

	function nn_conv2d_tiles_4x64, align=5
	ENTER
	{ memd(r29+#END) = r1:0; v30 = vmem(r5++#1); r28 = r23 }
	{ v29 = vmem(r5++#1); r11:10 = memd(r16+#0) }
	{ v28 = vmem(r5++#1); r13:12 = memd(r16+#8) }
	{ v27 = vmem(r5++#1); r27:26 = memd(r16+#16); r15:14 = combine(r8,r25) }
	{ v26 = vmem(r5++#1); r31:30 = memd(r16+#24); v8 = vsplat(r26); v9 = vsplat(r27) }
	{ v25 = vmem(r5++#1); r9 = memw(r28++#4); v10 = vsplat(r30); v11 = vsplat(r31) }
	{ v24 = vmem(r5+#2); r1:0 = memd(r10+#0); v0.w = vsub(v30.w,v8.w);
	  v1.w = vsub(v29.w,v8.w) }
	{ memw(r29+#LIMITS) = r5; v2.w = vsub(v30.w,v9.w); v3.w = vsub(v29.w,v9.w); r23 = r28 }
	{ v4.w = vsub(v30.w,v10.w); v5.w = vsub(v29.w,v10.w); r27:26 = memd(r16+#48);
	  r3:2 = memd(r10+r11<<#0) }
	{ v6.w = vsub(v30.w,v11.w); v7.w = vsub(v29.w,v11.w); r31:30 = memd(r16+#56);
	  r5:4 = memd(r10+r12<<#0) }
	{ r16 = add(r16,#32); jumpr r6 }
	LEAVE 32

	/*
	 * PARTS_OF makes a part of the products of tiles, to be added to those made before. Each
	 * tile takes 11 packets more, to store its sums, load the next one's, and begin with its
	 * inputs.
	 *
	 *	r8		steps
	 *	r10 - r15, r28	as above
	 *	r16, r17	fours; how many there are
	 *	r18, r19, m0	where sums are stored, and where those made before are
	 *	r20, r21	weights
	 *	r22, r23	list of advances from the second on, and the first
	 */
	.macro	PARTS_OF name w ub
	function \name, align=5
	{ allocframe(#32) }
	{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18 }
	{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22 }
	{ r17:16 = memd(r0+#0); r19:18 = memd(r0+#8) }
	{ r3:2 = memd(r0+#16); r23:22 = memd(r0+#24); loop1(1f,r17) }
	{ r21:20 = memd(r0+#32); r23 = memw(r22++#4); m0 = r2; r8 = r3 }
	{ v0 = vmem(r19++m0) }
	{ v1 = vmem(r19++m0) }
	{ v2 = vmem(r19++m0) }
	{ v3 = vmem(r19++m0) }
	{ v4 = vmem(r19++m0) }
	{ v5 = vmem(r19++m0) }
	{ v6 = vmem(r19++m0) }
	{ v7 = vmem(r19++m0) }
1:
	{ r11:10 = memd(r16+#0); r13:12 = memd(r16+#8); r28 = r22; r9 = r23 }
	{ r1:0 = memd(r10+#0); r15:14 = combine(r21,r20); r16 = add(r16,#32); loop0(2f,r8) }
	{ r3:2 = memd(r10+r11<<#0); r5:4 = memd(r10+r12<<#0) }
2:
	STEP \w \ub "" "" "" "" "" "" ":endloop0"
	{ vmem(r18++#1) = v0; v0 = vmem(r19++m0) }
	{ vmem(r18++#1) = v1; v1 = vmem(r19++m0) }
	{ vmem(r18++#1) = v2; v2 = vmem(r19++m0) }
	{ vmem(r18++#1) = v3; v3 = vmem(r19++m0) }
	{ vmem(r18++#1) = v4; v4 = vmem(r19++m0) }
	{ vmem(r18++#1) = v5; v5 = vmem(r19++m0) }
	{ vmem(r18++#1) = v6; v6 = vmem(r19++m0) }
	{ vmem(r18++#1) = v7; v7 = vmem(r19++m0); nop }:endloop1
	{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
	{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
	{ dealloc_return }
	endfunction
	.endm

	TILES tiles_uint8_uint8 uw ub ub
	TILES tiles_uint8_int8 uw ub b
	TILES tiles_int8_uint8 w b ub
	TILES tiles_int8_int8 w b b
	TILES tiles_exact_uint8_uint8 uw ub ub _EXACT
	TILES tiles_exact_uint8_int8 uw ub b _EXACT
	TILES tiles_exact_int8_uint8 w b ub _EXACT
	TILES tiles_exact_int8_int8 w b b _EXACT
	endfunction

	PARTS_OF nn_conv2d_parts_uint8 uw ub
	PARTS_OF nn_conv2d_parts_int8 w b

	table nn_conv2d_tiles_4x64_entry	/* [exact][input is int8][output is int8] */
	.word	tiles_uint8_uint8, tiles_uint8_int8, tiles_int8_uint8, tiles_int8_int8
	.word	tiles_exact_uint8_uint8, tiles_exact_uint8_int8
	.word	tiles_exact_int8_uint8, tiles_exact_int8_int8
	endtable
