/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's sums for kernels of 5x5 with stride 2, of columns that lie in pairs: what
 * depthwise_five.h says.
 *
 * A pair's bytes alternate, so two of them that are neighbours, interleaved by halfwords, are four
 * columns of a row, and the first bytes of the third are the fifth column. Of that, two rows' bytes
 * and the two rows' before are interleaved, and multiplied once for the row of output whose first
 * four rows these are, and once, with one weight, for the one that ends with the third of them.
 *
 * For 64 outputs of a row that is 6 loads, 3 vshuff, which take permute and shift, a vshuffe and a
 * copy, and 14 products: 8 accumulate and fill both multipliers, 6 are alone, of which 4 are added.
 * In 11 packets both multipliers are always busy. Loads that are not aligned leave two of four
 * slots, and no store, so that the two vadd, the stores and those vshuff that go with them have the
 * packets between: 22 for 128 outputs, for each row of output and one or two more.
 */
#include "depthwise_five.h"

/*
 * A round: two rows of input, from the even one's quads on. Its loads are those of the next one and
 * of the even row behind that. \odd: what odd rows' columns go on by. \more: what else there is room
 * for.
 *
 *	v0 .. v13	weights
 *	v14, v15	sums of the row of output that this round ends
 *	v16, v17	of the one below; the one below that begins
 *	v19:18		four columns of the even row, interleaved
 *	v20, v21	products
 *	v23:22		the fifth column's four rows, interleaved
 *	v25:24		the odd row's first two pairs, then its four columns
 *	v26, v27	the next even row's first two pairs
 *	v28, v29	the third pairs; v28: their first bytes together; v30: those of the rows before
 */
.macro five_round type, odd, more, loop
	{ v28 = vmemu(r2++m0); v20.w = vrmpy(v22.\type,v10.b); v21.w = vrmpy(v23.\type,v11.b) }
	{ v14.w = vadd(v14.w,v20.w); v15.w = vadd(v15.w,v21.w); v20.w = vrmpy(v18.\type,v2.b);
	  v21.w = vrmpy(v19.\type,v3.b) }
	{ v29 = vmemu(r2++\odd); v16.w += vrmpy(v22.\type,v8.b) }
	{ v27 = vmemu(r1++m0); v17.w += vrmpy(v23.\type,v9.b); v28.b = vshuffe(v29.b,v28.b) }
	{ v14.w += vrmpy(v18.\type,v12.b); vmem(r5++#1) = v14.new; v25:24 = vshuff(v25,v24,r6) }
	{ v15.w += vrmpy(v19.\type,v13.b); vmem(r5++#3) = v15.new; v23:22 = vshuff(v28,v30,r6) }
	{ v14.w = vadd(v16.w,v20.w); v15.w = vadd(v17.w,v21.w); v16.w = vrmpy(v18.\type,v6.b);
	  v17.w = vrmpy(v19.\type,v7.b) }
	{ v14.w += vrmpy(v24.\type,v0.b); v19:18 = vshuff(v27,v26,r6)
	  \more }
	{ v24 = vmemu(r0++\odd); v16.w += vrmpy(v24.\type,v4.b); v30 = v28 }
	{ v26 = vmemu(r0++m0); v15.w += vrmpy(v25.\type,v1.b) }
	{ v25 = vmemu(r1++\odd); v17.w += vrmpy(v25.\type,v5.b) }\loop
.endm

/*
 *	r0, r1, r2	the three pairs' columns
 *	r5, r9		where sums go, weights
 *	r6		-2: halfwords are interleaved
 *	r3, r8		rounds of the loop, how many places follow
 *	r10, r12	rounds of the last place, of each other one
 *	r14, r15	where the first output's column is, what the function is given
 *	m0, m1		bytes of a row of input, from a place's last row to the next one's first
 */
.macro sum_pairs name, type
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	{ r15 = r0; r1 = memw(r0+#FIVE_ROW_BYTES); r5 = memw(r0+#FIVE_SUMS) }
	{ m0 = r1; r9 = memw(r15+#FIVE_WEIGHTS); r10 = memw(r15+#FIVE_ROUNDS); r6 = #-2 }
	{ r12 = memw(r15+#FIVE_NEXT_ROUNDS); r13 = memw(r15+#FIVE_JUMP); r14 = #0 }
	{ m1 = r13; r12 = add(r12,#-1) }
.Lhalf\@:
	{ r0 = memw(r15+#FIVE_COLUMNS); r1 = memw(r15+#FIVE_COLUMNS+4) }
	{ r0 = add(r0,r14); r1 = add(r1,r14); r2 = memw(r15+#FIVE_COLUMNS+8) }
	{ v18 = vmemu(r0++m0); r2 = add(r2,r14) }
	{ v19 = vmemu(r1++m0) }
	{ v28 = vmemu(r2++m0) }
	{ v29 = vmemu(r2++m0) }
	{ v24 = vmemu(r0++m0); v28.b = vshuffe(v29.b,v28.b) }
	{ v25 = vmemu(r1++m0); v30 = v28 }
	{ v26 = vmemu(r0++m0) }
	{ v0 = vmem(r9++#1); v19:18 = vshuff(v19,v18,r6); r8 = memw(r15+#FIVE_COUNT) }
	{ v1 = vmem(r9++#1); r8 = add(r8,#-1) }
	{ v2 = vmem(r9++#1); p0 = cmp.eq(r8,#0); r3 = add(r12,#-1); r4 = add(r10,#-1) }
	{ v3 = vmem(r9++#1); if (p0) r3 = r4 }
	{ v4 = vmem(r9++#1) }
	{ v5 = vmem(r9++#1) }
	{ v6 = vmem(r9++#1) }
	{ v7 = vmem(r9++#1) }
	{ v8 = vmem(r9++#1) }
	{ v9 = vmem(r9++#1) }
	{ v10 = vmem(r9++#1) }
	{ v11 = vmem(r9++#1) }
	{ v12 = vmem(r9++#1) }
	{ v13 = vmem(r9++#1); loop0(.Lround\@,r3) }
.Lround\@:
	five_round \type, m0, "", ":endloop0"
	{ p0 = cmp.gt(r8,#0); p1 = cmp.gt(r8,#1); r8 = add(r8,#-1); if (!p0.new) jump:nt .Llast\@ }
	/* The round before a place's last one. */
	five_round \type, m1, "; r3 = mux(p1,r12,r10)", ""
	{ loop0(.Lround\@,r3); jump .Lround\@ }
.Llast\@:
	{ v20.w = vrmpy(v22.\type,v10.b); v21.w = vrmpy(v23.\type,v11.b); p0 = cmp.eq(r14,#0) }
	{ v14.w = vadd(v14.w,v20.w); v15.w = vadd(v15.w,v21.w); r14 = #128 }
	{ v14.w += vrmpy(v18.\type,v12.b); vmem(r5++#1) = v14.new }
	{ v15.w += vrmpy(v19.\type,v13.b); vmem(r5+#0) = v15.new; r5 = memw(r15+#FIVE_SUMS) }
	{ r5 = add(r5,#2*128); if (p0) jump .Lhalf\@ }
	jumpr	r31
	.size	\name, . - \name
.endm

/*
 * Rows of columns to scratch memory: what struct depthwise_five_stage says. Pairs of at most 64
 * channels have one vector, others two, which overlap the next pair, or if `to` is aligned (\store)
 * do not.
 *
 *	r0, r4		where a pair's vectors go; m1 to the next
 *	r1, r2		its columns; m0 to the next
 *	r10, r11, r12	the same of the row's first; r13, r14, r15 to the next row
 *	r5		pairs but one
 */
.macro stage_pairs name, store, vectors
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	{ r10 = memw(r0+#STAGE_TO); r11 = memw(r0+#STAGE_FROM) }
	{ r12 = memw(r0+#STAGE_FROM+4); r13 = memw(r0+#STAGE_PITCH) }
	{ r14 = memw(r0+#STAGE_FROM_PITCH); r15 = memw(r0+#STAGE_FROM_PITCH+4); r7 = #-1 }
	{ r6 = memw(r0+#STAGE_FROM_STEP); r8 = memw(r0+#STAGE_STEP) }
	{ r5 = memw(r0+#STAGE_COUNT); r9 = memw(r0+#STAGE_ROWS); m0 = r6 }
	{ m1 = r8; r5 = add(r5,#-1) }
	{ p0 = cmp.eq(r5,#0); loop1(.Lrow\@,r9) }
.Lrow\@:
	{ r0 = r10; r4 = add(r10,#128); r1 = r11; r2 = r12 }
	{ v0 = vmemu(r1++m0); r10 = add(r10,r13) }
	{ v1 = vmemu(r2++m0); r11 = add(r11,r14) }
	{ v3:2 = vshuff(v1,v0,r7); r12 = add(r12,r15); loop0(.Lpair\@,r5);
	  if (p0) jump .Lend\@ }
.Lpair\@:
	{ \store(r0++m1) = v2 }
	{ v0 = vmemu(r1++m0) }
	{ v1 = vmemu(r2++m0) }
	.if \vectors == 1
	{ v3:2 = vshuff(v1,v0,r7) }:endloop0
.Lend\@:
	{ \store(r0+#0) = v2 }:endloop1
	.else
	.ifc \store, vmem
	{ v3:2 = vshuff(v1,v0,r7); vmem(r4++m1) = v3 }:endloop0
	.else
	{ \store(r4++m1) = v3 }
	{ v3:2 = vshuff(v1,v0,r7) }:endloop0
	.endif
.Lend\@:
	{ \store(r0+#0) = v2 }
	{ \store(r4+#0) = v3 }:endloop1
	.endif
	jumpr	r31
	.size	\name, . - \name
.endm

	.text
	sum_pairs nn_depthwise_sum_pairs_u8, ub
	sum_pairs nn_depthwise_sum_pairs_s8, b
	stage_pairs nn_depthwise_stage_aligned_pairs, vmem, 2
	stage_pairs nn_depthwise_stage_pairs, vmemu, 2
	stage_pairs nn_depthwise_stage_short_pairs, vmemu, 1

	.globl	nn_depthwise_stage_pixels
	.type	nn_depthwise_stage_pixels, @function
	.p2align 4
nn_depthwise_stage_pixels:
	{ r10 = memw(r0+#STAGE_TO); r11 = memw(r0+#STAGE_FROM) }
	{ r13 = memw(r0+#STAGE_PITCH); r14 = memw(r0+#STAGE_FROM_PITCH) }
	{ r6 = memw(r0+#STAGE_FROM_STEP); r8 = memw(r0+#STAGE_STEP) }
	{ r5 = memw(r0+#STAGE_COUNT); r9 = memw(r0+#STAGE_ROWS); m0 = r6 }
	{ m1 = r8 }
	{ loop1(.Lpixels,r9) }
.Lpixels:
	{ r0 = r10; r1 = r11; r10 = add(r10,r13); loop0(.Lpixel,r5) }
.Lpixel:
	{ v0 = vmemu(r1++m0) }
	{ vmemu(r0++m1) = v0 }:endloop0
	{ r11 = add(r11,r14) }:endloop1
	jumpr	r31
	.size	nn_depthwise_stage_pixels, . - nn_depthwise_stage_pixels
