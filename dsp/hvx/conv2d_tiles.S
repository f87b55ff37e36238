/* SPDX-License-Identifier: MIT */
/*
 * The tiles of a convolution, see conv2d_tiles.h: the products of four pixels and 32 or 64 outputs, or
 * of eight and 32, and their results. One tile after another without a call, a branch or a spill in between.
 *
 * What a packet can do: four instructions, and four vector pipes, of which a multiplication of
 * words takes two, a load, a store and anything else one; one shift (vasl, prefixsum), one
 * permutation (vpack, vror) and one store at most.
 *
 * Products. Every packet of the loop has two vrmpy, the most there is: 32 outputs of two pixels. 8
 * inputs of four pixels are 8 packets for 64 outputs, 4 for 32.
 *
 * Results. The 8 sums of 256 outputs need 16 multiplications of words, a packet each, in which two
 * other instructions fit; 56 others (8 shifts, 8 to add zero point and half, 7 for the least
 * fraction, 6 to pack, 4 for the clamp, 4 turns, 4 stores, 4 for the check, 4 + 8 to begin the next
 * tile's sums) and loads. Together that is 88 of a packet's four pipes, so 22 packets could
 * be enough. The chain behind the last product (add, minimum, compare, count, store and load
 * the count, branch, and the next tile's sums, which may only be written behind it) makes 26 of
 * it, the next tile's beginning included: 13 for a vector of 128 results. 4 more if
 * sums have to be clamped first.
 *
 * So a tile of K products an output is K packets, one more for each segment, and 27: 178 MACs a packet
 * is the most for 64 products, 243 for 576.
 *
 * 32 outputs are half of the multiplications but the same chain: 17 packets side by side, 19 where
 * each pixel's are stored by themselves. So eight pixels are made at a time where there are so many:
 * 26 and 29 for 256 results. Pixels 4 to 7 take the place of the other block.
 *
 * Without the check, where products have no more than 16 bits of fraction, there is one
 * multiplication instead of two and no shift, but a carry to even: 21 packets.
 *
 * The least fraction tells whether a product was near a half; then who called gets the sums, makes
 * those results again the exact way, and calls again. Packing counts in memory is two packets
 * shorter than vextract, which is alone in its packet.
 *
 *	v0 - v7		sums, [pixel][block]
 *	v8 - v16, v31	free
 *	v17, v18	greatest and least result
 *	v19, v20	what fraction is near a half; zero point and a half to be added
 *	v21 - v30	two blocks each: least and greatest sum, shift, multiplier, bias
 *	r0 - r9		inputs, what remains of a segment
 *	r10 - r13	the four pixels: address, and offsets from it
 *	r14, r15, r28	weights of both blocks; segments
 *	r16, r17	next tile; how many there are
 *	r18, m0		where results go; bytes from a pixel to the next
 *	r20, r21	how far results are turned, for even and odd pixels; q0, q1 the bytes of them
 *	r22		struct conv2d_tiles
 *	r23 - r27, r31	segments, their number, weights, what finishes, what multiplies
 *
 * Eight pixels: v0 - v7 are theirs, r20, r21, r26 and r27 the others' address and offsets, r15 what
 * finishes, r19 how far the first results are turned.
 */

/* struct conv2d_tiles, in vectors and bytes: the check's counts, then sums */
#define FLAGS	0
#define CONSTANTS 9
#define SCALARS	(15 * 128)

	/*
	 * 8 inputs of four pixels. The inputs of pixel 3 are loaded at the beginning, the others
	 * at the end of the step before.
	 */
	.macro	STEP_64 w ub advance more loop
	{ v0.\w += vrmpy(v31.ub,r0.\ub); v2.\w += vrmpy(v31.ub,r2.\ub);
	  v31.cur = vmem(r14++#1); r7:6 = memd(r10+r13<<#0) }
	{ v4.\w += vrmpy(v31.ub,r4.\ub); v6.\w += vrmpy(v31.ub,r6.\ub); r10 = add(r10,\advance) }
	{ v0.\w += vrmpy(v31.ub,r1.\ub); v2.\w += vrmpy(v31.ub,r3.\ub);
	  v31.cur = vmem(r14++#1) \more }
	{ v4.\w += vrmpy(v31.ub,r5.\ub); v6.\w += vrmpy(v31.ub,r7.\ub) }
	{ v1.\w += vrmpy(v31.ub,r0.\ub); v3.\w += vrmpy(v31.ub,r2.\ub); v31.cur = vmem(r15++#1) }
	{ v5.\w += vrmpy(v31.ub,r4.\ub); v7.\w += vrmpy(v31.ub,r6.\ub) }
	{ v1.\w += vrmpy(v31.ub,r1.\ub); v3.\w += vrmpy(v31.ub,r3.\ub);
	  v31.cur = vmem(r15++#1); r1:0 = memd(r10+#0) }
	{ v5.\w += vrmpy(v31.ub,r5.\ub); v7.\w += vrmpy(v31.ub,r7.\ub);
	  r3:2 = memd(r10+r11<<#0); r5:4 = memd(r10+r12<<#0) }\loop
	.endm

	.macro	STEP_32 w ub advance more loop
	{ v0.\w += vrmpy(v31.ub,r0.\ub); v2.\w += vrmpy(v31.ub,r2.\ub);
	  v31.cur = vmem(r14++#1); r7:6 = memd(r10+r13<<#0) }
	{ v4.\w += vrmpy(v31.ub,r4.\ub); v6.\w += vrmpy(v31.ub,r6.\ub);
	  r10 = add(r10,\advance) \more }
	{ v0.\w += vrmpy(v31.ub,r1.\ub); v2.\w += vrmpy(v31.ub,r3.\ub);
	  v31.cur = vmem(r14++#1); r1:0 = memd(r10+#0) }
	{ v4.\w += vrmpy(v31.ub,r5.\ub); v6.\w += vrmpy(v31.ub,r7.\ub);
	  r3:2 = memd(r10+r11<<#0); r5:4 = memd(r10+r12<<#0) }\loop
	.endm

	/*
	 * 8 inputs of eight pixels, with one block's weights. Pixels 4 to 7 are at r20, and r21, r26 and
	 * r27 from there. The inputs of pixels 0 and 1 are loaded at the end of the step before.
	 */
	.macro	STEP_OCTETS w ub advance more loop
	{ v0.\w += vrmpy(v31.ub,r0.\ub); v1.\w += vrmpy(v31.ub,r2.\ub);
	  v31.cur = vmem(r14++#1); r5:4 = memd(r10+r12<<#0) }
	{ v0.\w += vrmpy(v16.ub,r1.\ub); v1.\w += vrmpy(v16.ub,r3.\ub);
	  v16.cur = vmem(r14++#1); r7:6 = memd(r10+r13<<#0) }
	{ v2.\w += vrmpy(v31.ub,r4.\ub); v3.\w += vrmpy(v31.ub,r6.\ub);
	  r1:0 = memd(r20+#0); r3:2 = memd(r20+r21<<#0) }
	{ v2.\w += vrmpy(v16.ub,r5.\ub); v3.\w += vrmpy(v16.ub,r7.\ub); r10 = add(r10,\advance) }
	{ v4.\w += vrmpy(v31.ub,r0.\ub); v5.\w += vrmpy(v31.ub,r2.\ub);
	  r5:4 = memd(r20+r26<<#0); r7:6 = memd(r20+r27<<#0) }
	{ v4.\w += vrmpy(v16.ub,r1.\ub); v5.\w += vrmpy(v16.ub,r3.\ub);
	  r20 = add(r20,\advance) \more }
	{ v6.\w += vrmpy(v31.ub,r4.\ub); v7.\w += vrmpy(v31.ub,r6.\ub);
	  r1:0 = memd(r10+#0); r3:2 = memd(r10+r11<<#0) }
	{ v6.\w += vrmpy(v16.ub,r5.\ub); v7.\w += vrmpy(v16.ub,r7.\ub) }\loop
	.endm

	/*
	 * The products of a tile, segment by segment. The last step of a segment goes on to the
	 * next. Entered at NAME the first time, with what the loops need, and at 1 after that.
	 */
	.macro	MULTIPLY name step w ub
\name:
	{ loop1(1f,r24) }
	{ r31 = ##1f }
1:
	{ p0 = cmp.eq(r8,#0); if (p0.new) jump:nt 3f; loop0(2f,r8) }
2:
	\step \w \ub "#8" "" ":endloop0"
3:
	\step \w \ub "r9" "; r9:8 = memd(r28++#8)" ":endloop1"
	{ r14 = r25; r15 = r26; r28 = add(r23,#8); jumpr r27 }
	.endm

	/*
	 * The same of eight pixels. What has been begun of the first four is begun again for eight; and
	 * r15 has what finishes.
	 */
	.macro	MULTIPLY_OCTETS name w ub
\name:
	{ r15 = r27; r19 = r20; r5:4 = memd(r16+#-16) }
	{ r7:6 = memd(r16+#-8); r21:20 = memd(r16+#16) }
	{ r27:26 = memd(r16+#24); v8 = vsplat(r4); v9 = vsplat(r5) }
	{ v10 = vsplat(r6); v11 = vsplat(r7) }
	{ v12 = vsplat(r20); v13 = vsplat(r21); v0.w = vsub(v30.w,v8.w); v1.w = vsub(v30.w,v9.w) }
	{ v14 = vsplat(r26); v15 = vsplat(r27); v2.w = vsub(v30.w,v10.w); v3.w = vsub(v30.w,v11.w) }
	{ v4.w = vsub(v30.w,v12.w); v5.w = vsub(v30.w,v13.w); r21:20 = memd(r16+#0);
	  r27:26 = memd(r16+#8) }
	{ v6.w = vsub(v30.w,v14.w); v7.w = vsub(v30.w,v15.w); r16 = add(r16,#32); loop1(1f,r24) }
	{ r31 = ##1f }
1:
	{ p0 = cmp.eq(r8,#0); if (p0.new) jump:nt 3f; loop0(2f,r8) }
2:
	STEP_OCTETS \w \ub "#8" "" ":endloop0"
3:
	STEP_OCTETS \w \ub "r9" "; r9:8 = memd(r28++#8)" ":endloop1"
	{ r14 = r25; r28 = add(r23,#8); jumpr r15 }
	.endm

	/* Sums within what a shift can take. */
	.macro	CLAMP_64
	{ v0.w = vmin(v0.w,v24.w); v1.w = vmin(v1.w,v23.w);
	  v2.w = vmin(v2.w,v24.w); v3.w = vmin(v3.w,v23.w) }
	{ v4.w = vmin(v4.w,v24.w); v5.w = vmin(v5.w,v23.w);
	  v6.w = vmin(v6.w,v24.w); v7.w = vmin(v7.w,v23.w) }
	{ v0.w = vmax(v0.w,v22.w); v1.w = vmax(v1.w,v21.w);
	  v2.w = vmax(v2.w,v22.w); v3.w = vmax(v3.w,v21.w) }
	{ v4.w = vmax(v4.w,v22.w); v5.w = vmax(v5.w,v21.w);
	  v6.w = vmax(v6.w,v22.w); v7.w = vmax(v7.w,v21.w) }
	.endm

	.macro	CLAMP_32
	{ v0.w = vmin(v0.w,v24.w); v2.w = vmin(v2.w,v24.w);
	  v4.w = vmin(v4.w,v24.w); v6.w = vmin(v6.w,v24.w) }
	{ v0.w = vmax(v0.w,v22.w); v2.w = vmax(v2.w,v22.w);
	  v4.w = vmax(v4.w,v22.w); v6.w = vmax(v6.w,v22.w) }
	.endm

	/*
	 * Results, as the head of this file says; \ub is the type of the output. They begin with
	 * the clamp where NAME_clamped is entered. Scheduled by a search over orders, then held
	 * against the limits of a packet by the assembler.
	 */
	.macro	FINISH_64 ub
	{ v31.w = vasl(v0.w,v26.w); r1:0 = memd(r16+#16); r3:2 = memd(r16+#24);
	  r17 = add(r17,#-1) }
	{ v8.w = vmpye(v31.w,v28.uh); v16.w = vasl(v1.w,v25.w); r11:10 = memd(r16+#0);
	  r13:12 = memd(r16+#8) }
	{ v9.w = vmpye(v16.w,v27.uh); v15.w = vasl(v2.w,v26.w); r9:8 = memd(r23+#0);
	  p1 = cmp.eq(r17,#0) }
	{ v8.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift; v31.w = vasl(v3.w,v25.w);
	  r16 = add(r16,#32); lc1 = r24 }
	{ v8.w = vadd(v8.w,v20.w):sat; v9.w += vmpyo(v16.w,v27.h):<<1:rnd:sat:shift;
	  v16.w = vasl(v4.w,v26.w); r5:4 = memd(r10+r12<<#0) }
	{ v9.w = vadd(v9.w,v20.w):sat; v10.w = vmpye(v15.w,v28.uh) }
	{ v14.uh = vmin(v8.uh,v9.uh); v10.w += vmpyo(v15.w,v28.h):<<1:rnd:sat:shift;
	  v15.w = vasl(v5.w,v25.w) }
	{ v8.h = vpacko(v9.w,v8.w); v10.w = vadd(v10.w,v20.w):sat;
	  v11.w = vmpye(v31.w,v27.uh) }
	{ v14.uh = vmin(v14.uh,v10.uh); v11.w += vmpyo(v31.w,v27.h):<<1:rnd:sat:shift;
	  v31.w = vasl(v6.w,v26.w) }
	{ v11.w = vadd(v11.w,v20.w):sat; v12.w = vmpye(v16.w,v28.uh) }
	{ v14.uh = vmin(v14.uh,v11.uh); v12.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift;
	  v16.w = vasl(v7.w,v25.w) }
	{ v10.h = vpacko(v11.w,v10.w); v12.w = vadd(v12.w,v20.w):sat;
	  v13.w = vmpye(v15.w,v27.uh) }
	{ v8.\ub = vpack(v10.h,v8.h):sat; v14.uh = vmin(v14.uh,v12.uh);
	  v13.w += vmpyo(v15.w,v27.h):<<1:rnd:sat:shift }
	{ v8.\ub = vmax(v8.\ub,v18.\ub); v13.w = vadd(v13.w,v20.w):sat;
	  v9.w = vmpye(v31.w,v28.uh) }
	{ v14.uh = vmin(v14.uh,v13.uh); v12.h = vpacko(v13.w,v12.w);
	  v11.w = vmpye(v16.w,v27.uh) }
	{ v8.\ub = vmin(v8.\ub,v17.\ub); v9.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift }
	{ v10 = vror(v8,r20); v9.w = vadd(v9.w,v20.w):sat;
	  v11.w += vmpyo(v16.w,v27.h):<<1:rnd:sat:shift }
	{ if (q0) vmem(r18++m0) = v10; v8 = vror(v8,r21); v14.uh = vmin(v14.uh,v9.uh);
	  v11.w = vadd(v11.w,v20.w):sat }
	{ if (q1) vmem(r18++m0) = v8; v14.uh = vmin(v14.uh,v11.uh);
	  v9.h = vpacko(v11.w,v9.w); v31 = vsplat(r0) }
	{ v12.\ub = vpack(v9.h,v12.h):sat; q2 = vcmp.gt(v19.uh,v14.uh); v16 = vsplat(r1);
	  v15 = vsplat(r2) }
	{ v12.\ub = vmax(v12.\ub,v18.\ub); v14.b = prefixsum(q2);
	  vmem(r22+#FLAGS) = v14.new; v10 = vsplat(r3) }
	{ v12.\ub = vmin(v12.\ub,v17.\ub); r6 = memub(r22+#FLAGS*128+127);
	  r1:0 = memd(r10+#0) }
	{ v13 = vror(v12,r20); r3:2 = memd(r10+r11<<#0); p0 = cmp.eq(r6,#0);
	  if (!p0.new) jump:nt unsure_64 }
	{ if (q0) vmem(r18++m0) = v13; v12 = vror(v12,r21); v0.w = vsub(v30.w,v31.w);
	  v1.w = vsub(v29.w,v31.w) }
	{ if (q1) vmem(r18++m0) = v12; v2.w = vsub(v30.w,v16.w); v3.w = vsub(v29.w,v16.w);
	  v4.w = vsub(v30.w,v15.w) }
	{ v5.w = vsub(v29.w,v15.w); v6.w = vsub(v30.w,v10.w); v7.w = vsub(v29.w,v10.w);
	  if (!p1) jumpr:t r31 }
	.endm

	.macro	FINISH_32 ub
	{ v31.w = vasl(v0.w,v26.w); r4 = add(r20,#64); r5 = add(r21,#64);
	  r17 = add(r17,#-1) }
	{ v8.w = vmpye(v31.w,v28.uh); v16.w = vasl(v2.w,v26.w); r1:0 = memd(r16+#16);
	  r3:2 = memd(r16+#24) }
	{ v9.w = vmpye(v16.w,v28.uh); v15.w = vasl(v4.w,v26.w); r13:12 = memd(r16+#8);
	  p1 = cmp.eq(r17,#0) }
	{ v8.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift; v31.w = vasl(v6.w,v26.w);
	  r11:10 = memd(r16+#0); lc1 = r24 }
	{ v8.w = vadd(v8.w,v20.w):sat; v10.w = vmpye(v15.w,v28.uh); r9:8 = memd(r23+#0);
	  r16 = add(r16,#32) }
	{ v11.w = vmpye(v31.w,v28.uh) }
	{ v9.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift }
	{ v9.w = vadd(v9.w,v20.w):sat; v10.w += vmpyo(v15.w,v28.h):<<1:rnd:sat:shift }
	{ v14.uh = vmin(v8.uh,v9.uh); v10.w = vadd(v10.w,v20.w):sat;
	  v11.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift }
	{ v8.h = vpacko(v9.w,v8.w); v14.uh = vmin(v14.uh,v10.uh);
	  v11.w = vadd(v11.w,v20.w):sat; v16 = vsplat(r1) }
	{ v14.uh = vmin(v14.uh,v11.uh); v10.h = vpacko(v11.w,v10.w); v31 = vsplat(r0);
	  v11 = vsplat(r3) }
	{ v8.\ub = vpack(v10.h,v8.h):sat; q2 = vcmp.gt(v19.uh,v14.uh); v15 = vsplat(r2);
	  r1:0 = memd(r10+#0) }
	{ v8.\ub = vmax(v8.\ub,v18.\ub); v14.b = prefixsum(q2); vmem(r22+#FLAGS) = v14.new;
	  r3:2 = memd(r10+r11<<#0) }
	{ v8.\ub = vmin(v8.\ub,v17.\ub); r6 = memub(r22+#FLAGS*128+127) }
	{ v9 = vror(v8,r20); p0 = cmp.eq(r6,#0); if (!p0.new) jump:nt unsure_32 }
	{ if (q0) vmem(r18++m0) = v9; v10 = vror(v8,r21); v2.w = vsub(v30.w,v16.w);
	  v6.w = vsub(v30.w,v11.w) }
	{ if (q1) vmem(r18++m0) = v10; v12 = vror(v8,r4); v0.w = vsub(v30.w,v31.w);
	  v4.w = vsub(v30.w,v15.w) }
	{ if (q0) vmem(r18++m0) = v12; v8 = vror(v8,r5); r5:4 = memd(r10+r12<<#0) }
	{ if (q1) vmem(r18++m0) = v8; if (!p1) jumpr:t r31 }
	.endm

	.macro	FINISH_32_DENSE ub
	{ v16.w = vasl(v2.w,v26.w); r1:0 = memd(r16+#16); r3:2 = memd(r16+#24);
	  r17 = add(r17,#-1) }
	{ v31.w = vasl(v0.w,v26.w); v9.w = vmpye(v16.w,v28.uh); r11:10 = memd(r16+#0);
	  p1 = cmp.eq(r17,#0) }
	{ v8.w = vmpye(v31.w,v28.uh); v15.w = vasl(v4.w,v26.w); r13:12 = memd(r16+#8);
	  r9:8 = memd(r23+#0) }
	{ v10.w = vmpye(v15.w,v28.uh); r16 = add(r16,#32); lc1 = r24;
	  r5:4 = memd(r10+r12<<#0) }
	{ v9.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift }
	{ v8.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift; v9.w = vadd(v9.w,v20.w):sat;
	  v31.w = vasl(v6.w,v26.w) }
	{ v8.w = vadd(v8.w,v20.w):sat; v10.w += vmpyo(v15.w,v28.h):<<1:rnd:sat:shift }
	{ v14.uh = vmin(v8.uh,v9.uh); v10.w = vadd(v10.w,v20.w):sat;
	  v11.w = vmpye(v31.w,v28.uh) }
	{ v8.h = vpacko(v9.w,v8.w); v14.uh = vmin(v14.uh,v10.uh);
	  v11.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift }
	{ v11.w = vadd(v11.w,v20.w):sat; v16 = vsplat(r1); v15 = vsplat(r2) }
	{ v14.uh = vmin(v14.uh,v11.uh); v10.h = vpacko(v11.w,v10.w); v31 = vsplat(r0);
	  v11 = vsplat(r3) }
	{ v8.\ub = vpack(v10.h,v8.h):sat; q2 = vcmp.gt(v19.uh,v14.uh); r1:0 = memd(r10+#0);
	  r3:2 = memd(r10+r11<<#0) }
	{ v8.\ub = vmax(v8.\ub,v18.\ub); v14.b = prefixsum(q2); vmem(r22+#FLAGS) = v14.new }
	{ v8.\ub = vmin(v8.\ub,v17.\ub); r6 = memub(r22+#FLAGS*128+127) }
	{ vmemu(r18++#1) = v8; p0 = cmp.eq(r6,#0); if (!p0.new) jump:nt unsure }
	{ v0.w = vsub(v30.w,v31.w); v2.w = vsub(v30.w,v16.w); v4.w = vsub(v30.w,v15.w);
	  v6.w = vsub(v30.w,v11.w) }
	{ if (!p1) jumpr:t r31 }
	.endm

	/* Eight pixels: up to the last two products, with the results of the first four in v8. */
	.macro	BEGIN_OCTETS ub
	{ v31.w = vasl(v0.w,v26.w); r1:0 = memd(r16+#16); r3:2 = memd(r16+#24);
	  r17 = add(r17,#-1) }
	{ v8.w = vmpye(v31.w,v28.uh); v16.w = vasl(v1.w,v26.w); r11:10 = memd(r16+#0);
	  r13:12 = memd(r16+#8) }
	{ v9.w = vmpye(v16.w,v28.uh); v15.w = vasl(v2.w,v26.w); r9:8 = memd(r23+#0);
	  p1 = cmp.eq(r17,#0) }
	{ v8.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift; v31.w = vasl(v3.w,v26.w); lc1 = r24;
	  r5:4 = memd(r16+#48) }
	{ v8.w = vadd(v8.w,v20.w):sat; v9.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift;
	  v16.w = vasl(v4.w,v26.w); r7:6 = memd(r16+#56) }
	{ v9.w = vadd(v9.w,v20.w):sat; v10.w = vmpye(v15.w,v28.uh); r21:20 = memd(r16+#32);
	  r27:26 = memd(r16+#40) }
	{ v14.uh = vmin(v8.uh,v9.uh); v10.w += vmpyo(v15.w,v28.h):<<1:rnd:sat:shift;
	  v15.w = vasl(v5.w,v26.w); r16 = add(r16,#64) }
	{ v8.h = vpacko(v9.w,v8.w); v10.w = vadd(v10.w,v20.w):sat;
	  v11.w = vmpye(v31.w,v28.uh) }
	{ v14.uh = vmin(v14.uh,v10.uh); v11.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift;
	  v31.w = vasl(v6.w,v26.w) }
	{ v11.w = vadd(v11.w,v20.w):sat; v12.w = vmpye(v16.w,v28.uh) }
	{ v14.uh = vmin(v14.uh,v11.uh); v12.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift;
	  v16.w = vasl(v7.w,v26.w) }
	{ v10.h = vpacko(v11.w,v10.w); v12.w = vadd(v12.w,v20.w):sat;
	  v13.w = vmpye(v15.w,v28.uh) }
	{ v8.\ub = vpack(v10.h,v8.h):sat; v14.uh = vmin(v14.uh,v12.uh);
	  v13.w += vmpyo(v15.w,v28.h):<<1:rnd:sat:shift }
	{ v8.\ub = vmax(v8.\ub,v18.\ub); v13.w = vadd(v13.w,v20.w):sat;
	  v9.w = vmpye(v31.w,v28.uh) }
	{ v14.uh = vmin(v14.uh,v13.uh); v12.h = vpacko(v13.w,v12.w);
	  v11.w = vmpye(v16.w,v28.uh) }
	{ v8.\ub = vmin(v8.\ub,v17.\ub); v9.w += vmpyo(v31.w,v28.h):<<1:rnd:sat:shift }
	.endm

	.macro	FINISH_OCTETS ub
	BEGIN_OCTETS \ub
	{ v9.w = vadd(v9.w,v20.w):sat; v11.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift }
	{ vmemu(r18++#1) = v8; v14.uh = vmin(v14.uh,v9.uh); v11.w = vadd(v11.w,v20.w):sat }
	{ v14.uh = vmin(v14.uh,v11.uh); v9.h = vpacko(v11.w,v9.w); v31 = vsplat(r0);
	  v16 = vsplat(r1) }
	{ v12.\ub = vpack(v9.h,v12.h):sat; q2 = vcmp.gt(v19.uh,v14.uh); v15 = vsplat(r2);
	  v13 = vsplat(r3) }
	{ v12.\ub = vmax(v12.\ub,v18.\ub); v14.b = prefixsum(q2);
	  vmem(r22+#FLAGS) = v14.new; v11 = vsplat(r4) }
	{ v12.\ub = vmin(v12.\ub,v17.\ub); r0 = memub(r22+#FLAGS*128+127); v10 = vsplat(r5);
	  v9 = vsplat(r6) }
	{ vmemu(r18++#1) = v12; p0 = cmp.eq(r0,#0); if (!p0.new) jump:nt unsure }
	{ v0.w = vsub(v30.w,v31.w); v1.w = vsub(v30.w,v16.w); v8 = vsplat(r7);
	  r1:0 = memd(r10+#0) }
	{ v2.w = vsub(v30.w,v15.w); v3.w = vsub(v30.w,v13.w); v4.w = vsub(v30.w,v11.w);
	  r3:2 = memd(r10+r11<<#0) }
	{ v5.w = vsub(v30.w,v10.w); v6.w = vsub(v30.w,v9.w); v7.w = vsub(v30.w,v8.w);
	  if (!p1) jumpr:t r31 }
	.endm

	.macro	FINISH_OCTETS_APART ub
	BEGIN_OCTETS \ub
	{ v9.w = vadd(v9.w,v20.w):sat; v11.w += vmpyo(v16.w,v28.h):<<1:rnd:sat:shift;
	  v8 = vror(v8,r19); r28 = #32 }
	{ if (q0) vmem(r18++m0) = v8; v8 = vror(v8,r28); v14.uh = vmin(v14.uh,v9.uh);
	  v11.w = vadd(v11.w,v20.w):sat }
	{ if (q1) vmem(r18++m0) = v8; v14.uh = vmin(v14.uh,v11.uh);
	  v9.h = vpacko(v11.w,v9.w); v31 = vsplat(r0) }
	{ v12.\ub = vpack(v9.h,v12.h):sat; q2 = vcmp.gt(v19.uh,v14.uh); v16 = vsplat(r1);
	  v15 = vsplat(r2) }
	{ v12.\ub = vmax(v12.\ub,v18.\ub); v14.b = prefixsum(q2);
	  vmem(r22+#FLAGS) = v14.new; v8 = vror(v8,r28) }
	{ if (q0) vmem(r18++m0) = v8; v12.\ub = vmin(v12.\ub,v17.\ub); v13 = vsplat(r3);
	  r0 = memub(r22+#FLAGS*128+127) }
	{ v8 = vror(v8,r28); v11 = vsplat(r4); p0 = cmp.eq(r0,#0);
	  if (!p0.new) jump:nt unsure_octets }
	{ if (q1) vmem(r18++m0) = v8; v12 = vror(v12,r19); v10 = vsplat(r5); v9 = vsplat(r6) }
	{ if (q0) vmem(r18++m0) = v12; v12 = vror(v12,r28); v8 = vsplat(r7);
	  v0.w = vsub(v30.w,v31.w) }
	{ if (q1) vmem(r18++m0) = v12; v12 = vror(v12,r28); v1.w = vsub(v30.w,v16.w);
	  v2.w = vsub(v30.w,v15.w) }
	{ if (q0) vmem(r18++m0) = v12; v12 = vror(v12,r28); v3.w = vsub(v30.w,v13.w);
	  v4.w = vsub(v30.w,v11.w) }
	{ if (q1) vmem(r18++m0) = v12; v5.w = vsub(v30.w,v10.w); v6.w = vsub(v30.w,v9.w);
	  r1:0 = memd(r10+#0) }
	{ v7.w = vsub(v30.w,v8.w); r3:2 = memd(r10+r11<<#0); r28 = add(r23,#8);
	  if (!p1) jumpr:t r31 }
	.endm

	.macro	FINISH_64_EXACT ub
	{ v8.w = vmpyie(v0.w,v28.uh); r1:0 = memd(r16+#16); r3:2 = memd(r16+#24);
	  r17 = add(r17,#-1) }
	{ v31.w = vmpyie(v1.w,v27.uh); r11:10 = memd(r16+#0); r13:12 = memd(r16+#8);
	  p1 = cmp.eq(r17,#0) }
	{ v9.h = vpacke(v31.w,v8.w); v10.w = vmpyie(v2.w,v28.uh); r9:8 = memd(r23+#0);
	  r16 = add(r16,#32) }
	{ v8.h = vpacko(v31.w,v8.w); v16.w = vmpyie(v3.w,v27.uh); lc1 = r24;
	  r5:4 = memd(r10+r12<<#0) }
	{ v31 = vand(v8,v26); v11.h = vpacke(v16.w,v10.w); v12.w = vmpyie(v4.w,v28.uh) }
	{ v9.uh = vadd(v9.uh,v31.uh):sat; v10.h = vpacko(v16.w,v10.w);
	  v31.w = vmpyie(v5.w,v27.uh) }
	{ v16 = vand(v10,v26); v13.h = vpacke(v31.w,v12.w); v14.w = vmpyie(v6.w,v28.uh) }
	{ v11.uh = vadd(v11.uh,v16.uh):sat; v12.h = vpacko(v31.w,v12.w);
	  v16.w = vmpyie(v7.w,v27.uh) }
	{ q3 = vcmp.gt(v9.uh,v25.uh); q2 = vcmp.gt(v11.uh,v25.uh); v31 = vand(v12,v26);
	  v15.h = vpacke(v16.w,v14.w) }
	{ if (q3) v8.h += v26.h; if (q2) v10.h += v26.h; v13.uh = vadd(v13.uh,v31.uh):sat;
	  v14.h = vpacko(v16.w,v14.w) }
	{ v8.h = vadd(v8.h,v20.h):sat; v10.h = vadd(v10.h,v20.h):sat;
	  q3 = vcmp.gt(v13.uh,v25.uh); v16 = vand(v14,v26) }
	{ v8.\ub = vpack(v10.h,v8.h):sat; if (q3) v12.h += v26.h;
	  v15.uh = vadd(v15.uh,v16.uh):sat; v31 = vsplat(r0) }
	{ v8.\ub = vmax(v8.\ub,v18.\ub); v12.h = vadd(v12.h,v20.h):sat;
	  q2 = vcmp.gt(v15.uh,v25.uh); v16 = vsplat(r1) }
	{ v8.\ub = vmin(v8.\ub,v17.\ub); if (q2) v14.h += v26.h; v11 = vsplat(r2);
	  v9 = vsplat(r3) }
	{ v10 = vror(v8,r20); v14.h = vadd(v14.h,v20.h):sat; r1:0 = memd(r10+#0);
	  r3:2 = memd(r10+r11<<#0) }
	{ if (q0) vmem(r18++m0) = v10; v12.\ub = vpack(v14.h,v12.h):sat;
	  v0.w = vsub(v30.w,v31.w); v1.w = vsub(v29.w,v31.w) }
	{ v8 = vror(v8,r21); v12.\ub = vmax(v12.\ub,v18.\ub); v2.w = vsub(v30.w,v16.w);
	  v3.w = vsub(v29.w,v16.w) }
	{ if (q1) vmem(r18++m0) = v8; v12.\ub = vmin(v12.\ub,v17.\ub);
	  v4.w = vsub(v30.w,v11.w); v5.w = vsub(v29.w,v11.w) }
	{ v14 = vror(v12,r20); v6.w = vsub(v30.w,v9.w); v7.w = vsub(v29.w,v9.w) }
	{ if (q0) vmem(r18++m0) = v14; v12 = vror(v12,r21) }
	{ if (q1) vmem(r18++m0) = v12; if (!p1) jumpr:t r31 }
	.endm

	.macro	FINISH_32_EXACT ub
	{ v8.w = vmpyie(v0.w,v28.uh); r4 = add(r20,#64); r5 = add(r21,#64);
	  r1:0 = memd(r16+#16) }
	{ v31.w = vmpyie(v2.w,v28.uh); r11:10 = memd(r16+#0); r3:2 = memd(r16+#24);
	  r17 = add(r17,#-1) }
	{ v9.h = vpacke(v31.w,v8.w); v10.w = vmpyie(v4.w,v28.uh); r13:12 = memd(r16+#8);
	  p1 = cmp.eq(r17,#0) }
	{ v8.h = vpacko(v31.w,v8.w); v16.w = vmpyie(v6.w,v28.uh); r9:8 = memd(r23+#0);
	  r16 = add(r16,#32) }
	{ v31 = vand(v8,v26); v11.h = vpacke(v16.w,v10.w); lc1 = r24; v13 = vsplat(r3) }
	{ v9.uh = vadd(v9.uh,v31.uh):sat; v10.h = vpacko(v16.w,v10.w); v31 = vsplat(r0);
	  v6.w = vsub(v30.w,v13.w) }
	{ q3 = vcmp.gt(v9.uh,v25.uh); v16 = vand(v10,v26); v0.w = vsub(v30.w,v31.w) }
	{ if (q3) v8.h += v26.h; v11.uh = vadd(v11.uh,v16.uh):sat; v16 = vsplat(r1);
	  r1:0 = memd(r10+#0) }
	{ v8.h = vadd(v8.h,v20.h):sat; q2 = vcmp.gt(v11.uh,v25.uh); v11 = vsplat(r2);
	  r3:2 = memd(r10+r11<<#0) }
	{ if (q2) v10.h += v26.h; v2.w = vsub(v30.w,v16.w); v4.w = vsub(v30.w,v11.w) }
	{ v10.h = vadd(v10.h,v20.h):sat }
	{ v8.\ub = vpack(v10.h,v8.h):sat }
	{ v8.\ub = vmax(v8.\ub,v18.\ub) }
	{ v8.\ub = vmin(v8.\ub,v17.\ub) }
	{ v10 = vror(v8,r20) }
	{ if (q0) vmem(r18++m0) = v10; v9 = vror(v8,r21) }
	{ if (q1) vmem(r18++m0) = v9; v12 = vror(v8,r4) }
	{ if (q0) vmem(r18++m0) = v12; v8 = vror(v8,r5); r5:4 = memd(r10+r12<<#0) }
	{ if (q1) vmem(r18++m0) = v8; if (!p1) jumpr:t r31 }
	.endm

	.macro	FINISH_32_DENSE_EXACT ub
	{ v8.w = vmpyie(v0.w,v28.uh); r11:10 = memd(r16+#0); r3:2 = memd(r16+#24);
	  lc1 = r24 }
	{ v31.w = vmpyie(v2.w,v28.uh); r13:12 = memd(r16+#8); r1:0 = memd(r16+#16);
	  r17 = add(r17,#-1) }
	{ v9.h = vpacke(v31.w,v8.w); v10.w = vmpyie(v4.w,v28.uh); r16 = add(r16,#32);
	  r5:4 = memd(r10+r12<<#0) }
	{ v8.h = vpacko(v31.w,v8.w); v16.w = vmpyie(v6.w,v28.uh); r9:8 = memd(r23+#0);
	  p1 = cmp.eq(r17,#0) }
	{ v31 = vand(v8,v26); v11.h = vpacke(v16.w,v10.w); v13 = vsplat(r3) }
	{ v9.uh = vadd(v9.uh,v31.uh):sat; v10.h = vpacko(v16.w,v10.w); v31 = vsplat(r0);
	  v6.w = vsub(v30.w,v13.w) }
	{ q3 = vcmp.gt(v9.uh,v25.uh); v16 = vand(v10,v26); v0.w = vsub(v30.w,v31.w) }
	{ if (q3) v8.h += v26.h; v11.uh = vadd(v11.uh,v16.uh):sat; v16 = vsplat(r1);
	  r1:0 = memd(r10+#0) }
	{ v8.h = vadd(v8.h,v20.h):sat; q2 = vcmp.gt(v11.uh,v25.uh); v11 = vsplat(r2);
	  r3:2 = memd(r10+r11<<#0) }
	{ if (q2) v10.h += v26.h; v2.w = vsub(v30.w,v16.w); v4.w = vsub(v30.w,v11.w) }
	{ v10.h = vadd(v10.h,v20.h):sat }
	{ v8.\ub = vpack(v10.h,v8.h):sat }
	{ v8.\ub = vmax(v8.\ub,v18.\ub) }
	{ v8.\ub = vmin(v8.\ub,v17.\ub) }
	{ vmemu(r18++#1) = v8; if (!p1) jumpr:t r31 }
	.endm


	/* What finishes: both types of output, with a clamp of the sums and without. */
	.macro	FINISH name clamp finish ub
\name\()_clamped:
	\clamp
\name:
	\finish \ub
	{ jump done }
	.endm

	.text
	.p2align 5
	.globl	nn_conv2d_tiles
	.type	nn_conv2d_tiles, @function
nn_conv2d_tiles:
	{ allocframe(#48) }
	{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18 }
	{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22 }
	{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26 }
	{ r22 = r0; r2 = add(r0,#CONSTANTS*128); r1 = #-1 }
	{ r3 = add(r0,##SCALARS); v20 = vmem(r2++#1) }
	{ r17:16 = memd(r3+#0); r19:18 = memd(r3+#8) }
	{ r21:20 = memd(r3+#16); v19 = vmem(r2++#1) }
	{ r23 = memw(r3+#24); r15 = r2 }
	{ r25:24 = memd(r3+#32); r27:26 = memd(r3+#40); m0 = r19 }
	{ r7:6 = memd(r3+#48); v18 = vmem(r15++#1) }
	{ r11:10 = memd(r16+#0); r13:12 = memd(r16+#8) }
	{ v17 = vmem(r15++#1); r5:4 = memd(r16+#24) }
	{ v8 = vmem(r15++#1); r3:2 = memd(r16+#16) }
	{ q0 = vand(v8,r1); v8 = vmem(r15+#0); r16 = add(r16,#32) }
	{ q1 = vand(v8,r1); v30 = vmem(r6++#1); lc1 = r24 }
	{ v29 = vmem(r6++#1); r14 = r25; r15 = r26 }
	{ v28 = vmem(r6++#1); r9:8 = memd(r23+#0); v8 = vsplat(r2) }
	{ v27 = vmem(r6++#1); r28 = add(r23,#8); v9 = vsplat(r3) }
	{ v26 = vmem(r6++#1); v10 = vsplat(r4); v11 = vsplat(r5) }
	{ v25 = vmem(r6++#1); v0.w = vsub(v30.w,v8.w); v1.w = vsub(v29.w,v8.w) }
	{ v24 = vmem(r6++#1); v2.w = vsub(v30.w,v9.w); v3.w = vsub(v29.w,v9.w) }
	{ v23 = vmem(r6++#1); v4.w = vsub(v30.w,v10.w); v5.w = vsub(v29.w,v10.w) }
	{ v22 = vmem(r6++#1); v6.w = vsub(v30.w,v11.w); v7.w = vsub(v29.w,v11.w) }
	{ v21 = vmem(r6+#0); r1:0 = memd(r10+#0) }
	{ r3:2 = memd(r10+r11<<#0); r5:4 = memd(r10+r12<<#0); jumpr r7 }

done:
	{ r0 = #0; jump leave }

	/*
	 * What is left of storing results. Then sums, a bit for each lane of 16 in which a product was
	 * near a half, and how many tiles are left, this one included.
	 */
unsure_64:
	{ if (q0) vmem(r18++m0) = v13; v12 = vror(v12,r21) }
	{ if (q1) vmem(r18++m0) = v12; jump unsure }
unsure_32:
	{ if (q0) vmem(r18++m0) = v9; v10 = vror(v8,r21) }
	{ if (q1) vmem(r18++m0) = v10; v12 = vror(v8,r4) }
	{ if (q0) vmem(r18++m0) = v12; v8 = vror(v8,r5) }
	{ if (q1) vmem(r18++m0) = v8; jump unsure }
unsure_octets:
	{ if (q1) vmem(r18++m0) = v8; v12 = vror(v12,r19) }
	{ if (q0) vmem(r18++m0) = v12; v12 = vror(v12,r28) }
	{ if (q1) vmem(r18++m0) = v12; v12 = vror(v12,r28) }
	{ if (q0) vmem(r18++m0) = v12; v12 = vror(v12,r28) }
	{ if (q1) vmem(r18++m0) = v12 }
unsure:
	{ r0 = add(r17,#1); vmem(r22+#1) = v0; r1 = ##lane_bits }
	{ vmem(r22+#2) = v1; v14 = vmem(r1+#0); r2 = #32 }
	{ vmem(r22+#3) = v2; v14 = vand(q2,v14) }
	{ vmem(r22+#4) = v3; v15 = vror(v14,r2); r2 = #16 }
	{ vmem(r22+#5) = v4; v14 = vor(v14,v15) }
	{ vmem(r22+#6) = v5; v15 = vror(v14,r2); r2 = #8 }
	{ vmem(r22+#7) = v6; v14 = vor(v14,v15); r1 = add(r22,#8*128) }
	{ vmem(r1+#0) = v7; v15 = vror(v14,r2); r2 = #4 }
	{ v14 = vor(v14,v15) }
	{ v15 = vror(v14,r2) }
	{ v14 = vor(v14,v15); vmem(r22+#FLAGS) = v14.new }
leave:
	{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
	{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
	{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
	{ dealloc_return }

	MULTIPLY multiply_64_uint8 STEP_64 uw ub
	MULTIPLY multiply_64_int8 STEP_64 w b
	MULTIPLY multiply_32_uint8 STEP_32 uw ub
	MULTIPLY multiply_32_int8 STEP_32 w b
	MULTIPLY_OCTETS multiply_octets_uint8 uw ub
	MULTIPLY_OCTETS multiply_octets_int8 w b
	FINISH finish_64_uint8 CLAMP_64 FINISH_64 ub
	FINISH finish_64_int8 CLAMP_64 FINISH_64 b
	FINISH finish_64_exact_uint8 CLAMP_64 FINISH_64_EXACT ub
	FINISH finish_64_exact_int8 CLAMP_64 FINISH_64_EXACT b
	FINISH finish_32_uint8 CLAMP_32 FINISH_32 ub
	FINISH finish_32_int8 CLAMP_32 FINISH_32 b
	FINISH finish_32_exact_uint8 CLAMP_32 FINISH_32_EXACT ub
	FINISH finish_32_exact_int8 CLAMP_32 FINISH_32_EXACT b
	FINISH finish_32_dense_uint8 CLAMP_32 FINISH_32_DENSE ub
	FINISH finish_32_dense_int8 CLAMP_32 FINISH_32_DENSE b
	FINISH finish_32_dense_exact_uint8 CLAMP_32 FINISH_32_DENSE_EXACT ub
	FINISH finish_32_dense_exact_int8 CLAMP_32 FINISH_32_DENSE_EXACT b
	FINISH finish_octets_uint8 CLAMP_64 FINISH_OCTETS ub
	FINISH finish_octets_int8 CLAMP_64 FINISH_OCTETS b
	FINISH finish_octets_apart_uint8 CLAMP_64 FINISH_OCTETS_APART ub
	FINISH finish_octets_apart_int8 CLAMP_64 FINISH_OCTETS_APART b
	.size	nn_conv2d_tiles, .-nn_conv2d_tiles

	.section .rodata
	.p2align 7
lane_bits:
	.rept	2
	.word	0x0001, 0x0002, 0x0004, 0x0008, 0x0010, 0x0020, 0x0040, 0x0080
	.word	0x0100, 0x0200, 0x0400, 0x0800, 0x1000, 0x2000, 0x4000, 0x8000
	.endr

	.p2align 3
	.globl	nn_conv2d_multiply
	.type	nn_conv2d_multiply, @object
nn_conv2d_multiply:	/* [form][int8] */
	.word	multiply_64_uint8, multiply_64_int8
	.word	multiply_32_uint8, multiply_32_int8
	.word	multiply_32_uint8, multiply_32_int8
	.word	multiply_octets_uint8, multiply_octets_int8
	.word	multiply_octets_uint8, multiply_octets_int8
	.size	nn_conv2d_multiply, .-nn_conv2d_multiply

	.globl	nn_conv2d_finish
	.type	nn_conv2d_finish, @object
nn_conv2d_finish:	/* [form][exact][int8][clamped] */
	.word	finish_64_uint8, finish_64_uint8_clamped
	.word	finish_64_int8, finish_64_int8_clamped
	.word	finish_64_exact_uint8, finish_64_exact_uint8_clamped
	.word	finish_64_exact_int8, finish_64_exact_int8_clamped
	.word	finish_32_uint8, finish_32_uint8_clamped
	.word	finish_32_int8, finish_32_int8_clamped
	.word	finish_32_exact_uint8, finish_32_exact_uint8_clamped
	.word	finish_32_exact_int8, finish_32_exact_int8_clamped
	.word	finish_32_dense_uint8, finish_32_dense_uint8_clamped
	.word	finish_32_dense_int8, finish_32_dense_int8_clamped
	.word	finish_32_dense_exact_uint8, finish_32_dense_exact_uint8_clamped
	.word	finish_32_dense_exact_int8, finish_32_dense_exact_int8_clamped
	.word	finish_octets_uint8, finish_octets_uint8_clamped
	.word	finish_octets_int8, finish_octets_int8_clamped
	.word	0, 0, 0, 0
	.word	finish_octets_apart_uint8, finish_octets_apart_uint8_clamped
	.word	finish_octets_apart_int8, finish_octets_apart_int8_clamped
	.word	0, 0, 0, 0
	.size	nn_conv2d_finish, .-nn_conv2d_finish
