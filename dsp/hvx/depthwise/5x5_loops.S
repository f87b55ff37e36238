/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's sums for kernels of 5x5 with stride 1 down, from columns that do not lie in
 * pairs: 5x5.h declares the functions, sum() of 5x5.c calls them.
 *
 * A row of input is part of five rows of output. Its first four columns are interleaved (a0 b0 c0
 * d0, a1 b1 c1 d1, ...) and multiplied with each row's weights. The fifth column is interleaved
 * with those of the three rows before and multiplied, once for the row of output that begins three
 * rows above, with four weights, and once for the one before it, whose last row this is, with one.
 *
 * That is 28 products for 128 outputs, of weights that are more than there are vectors: with all
 * 128 at once each comes from memory, and as no packet has two loads, and 5 more are unaligned,
 * that takes 33 packets. So it is 64 outputs at a time, with all weights but two in vectors: 5
 * unaligned loads and 5 vshuff, which all take a permutation, 14 products, of which 2 begin sums,
 * and 3 copies, which move on what a later row needs: 5 + 10 + 26 + 3 are 44 pipes, which would
 * fill 11 packets. But beside an unaligned load are two instructions at most, so that with it there
 * is a pipe too many unless one of them accumulates, and what moves a sum on to the next row
 * cannot. It is 12, with packets of two rows of input at once: 24 for 128 outputs. A position's
 * last round reads the next position's first row, so that rows of all positions follow each other
 * without a pause.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/depthwise/5x5.h"

/*
 * sum_five_rows: nn_depthwise_sum_five_u8() and _s8().
 *
 *	v0 .. v11	weights; the last row's come from memory
 *	v12 .. v19	sums of the last four rows of output, from the newest to the oldest
 *	v20, v21, v22	the fifth column in the row before; two rows of it interleaved, which end
 *			with the row before and the one before that
 *	v25:24, v27:26	a row's four columns, the fifth column's four rows, interleaved
 *	r0 .. r4	the columns
 *	r5, r9		where sums go, weights
 *	r7, r6		-1 and -2: bytes and halfwords are interleaved
 *	r8, r13		how many positions are left; what is added to columns for the next
 *	r10, r12	rounds of the first position but one; of the others
 *	r14, r15	the first output; what the function is given
 *	m0, m1		bytes of a row of input, from a row's sums to the next row's
 */
.macro sum_five_rows name, type
	function \name
	{ r15 = r0; r1 = memw(r0+#FIVE_ROW_BYTES); r5 = memw(r0+#FIVE_SUMS) }
	{ m0 = r1; r9 = memw(r15+#FIVE_WEIGHTS); r10 = memw(r15+#FIVE_ROUNDS); r1 = #3*128 }
	{ m1 = r1; r12 = memw(r15+#FIVE_NEXT_ROUNDS); r13 = memw(r15+#FIVE_JUMP); r14 = #0 }
	{ r10 = add(r10,#-1); r7 = #-1; r6 = #-2 }
.Lhalf\@:
	{ r0 = memw(r15+#FIVE_COLUMNS); r1 = memw(r15+#FIVE_COLUMNS+4) }
	{ r0 = add(r0,r14); r1 = add(r1,r14); r2 = memw(r15+#FIVE_COLUMNS+8);
	  r3 = memw(r15+#FIVE_COLUMNS+12) }
	{ r2 = add(r2,r14); r3 = add(r3,r14); r4 = memw(r15+#FIVE_COLUMNS+16) }
	{ v24 = vmemu(r0++m0); r4 = add(r4,r14) }
	{ v25 = vmemu(r1++m0) }
	{ v28 = vmemu(r2++m0) }
	{ v29 = vmemu(r3++m0) }
	{ v20 = vmemu(r4++m0) }
	{ v0 = vmem(r9++#1); v25:24 = vshuff(v25,v24,r7) }
	{ v1 = vmem(r9++#1); v29:28 = vshuff(v29,v28,r7) }
	{ v2 = vmem(r9++#1); v25:24 = vshuff(v28,v24,r6) }
	{ v3 = vmem(r9++#1); r8 = memw(r15+#FIVE_COUNT) }
	{ v4 = vmem(r9++#1) }
	{ v5 = vmem(r9++#1) }
	{ v6 = vmem(r9++#1) }
	{ v7 = vmem(r9++#1) }
	{ v8 = vmem(r9++#1) }
	{ v9 = vmem(r9++#1) }
	{ v10 = vmem(r9++#1) }
	{ v11 = vmem(r9++#1); loop0(.Lfive\@,r10) }
.Lfive\@:
	{ v28 = vmemu(r4++m0); v16.w += vrmpy(v26.\type,v8.b) }
	{ v31:30 = vshuff(v28,v20,r7); v23.tmp = vmem(r9+#0); v18.w += vrmpy(v24.\type,v23.b);
	  vmem(r5++#1) = v18.new }
	{ v28 = vmemu(r0++m0); v17.w += vrmpy(v27.\type,v9.b); v20 = v28 }
	{ v27:26 = vshuff(v30,v22,r6); v23.tmp = vmem(r9+#1); v19.w += vrmpy(v25.\type,v23.b);
	  vmem(r5++m1) = v19.new }
	{ v29 = vmemu(r1++m0); v22 = v21; v21 = v30 }
	{ v29:28 = vshuff(v29,v28,r7); v30.w = vrmpy(v24.\type,v0.b);
	  v31.w = vrmpy(v25.\type,v1.b) }
	{ v18.w = vadd(v16.w,v30.w); v19.w = vadd(v17.w,v31.w); v30.w = vrmpy(v24.\type,v2.b);
	  v31.w = vrmpy(v25.\type,v3.b) }
	{ v29 = vmemu(r2++m0); v16.w = vadd(v14.w,v30.w); v30.w = vrmpy(v24.\type,v4.b) }
	{ v17.w = vadd(v15.w,v31.w); v31.w = vrmpy(v25.\type,v5.b); v14.w = vadd(v12.w,v30.w);
	  v12.w = vrmpy(v24.\type,v6.b) }
	{ v24 = vmemu(r3++m0); v15.w = vadd(v13.w,v31.w); v13.w = vrmpy(v25.\type,v7.b) }
	{ v31:30 = vshuff(v24,v29,r7); v18.w += vrmpy(v26.\type,v10.b) }
	{ v25:24 = vshuff(v30,v28,r6); v19.w += vrmpy(v27.\type,v11.b) }:endloop0
	/* Before a position's last round: columns of the next position, if there is one. */
	{ p0 = cmp.gt(r8,#1); p1 = cmp.eq(r8,#1); r8 = add(r8,#-1); loop0(.Lfive\@,r12) }
	{ if (p0) r0 = add(r0,r13); if (p0) r1 = add(r1,r13); if (p0) r2 = add(r2,r13);
	  if (p0) r3 = add(r3,r13) }
	{ if (p0) r4 = add(r4,r13); if (p0) jump .Lfive\@ }
	{ loop0(.Lfive\@,#1); if (p1) jump .Lfive\@ }
	{ p0 = cmp.eq(r14,#0); r14 = #64; r9 = add(r9,#2*128); r5 = memw(r15+#FIVE_SUMS) }
	{ r5 = add(r5,#2*128); if (p0) jump .Lhalf\@ }
	jumpr	r31
	endfunction
.endm

	sum_five_rows nn_depthwise_sum_five_u8, ub
	sum_five_rows nn_depthwise_sum_five_s8, b
