/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's sums for kernels of 5x5 with stride 1 down, as depthwise_sum.S has them
 * for three rows.
 *
 * A row of input is part of five rows of output. Its first four columns are interleaved and
 * multiplied with each row's weights. For the fifth it is columns of four rows that are, once
 * for the row of output that begins three rows above, with four weights, and once for the one
 * before it, whose last row this is, with one.
 *
 * That is 28 products for 128 outputs, of weights that are more than there are vectors: each
 * comes from memory, and with the 5 unaligned loads no packet can have two of them, so 33
 * packets is the least. It is 36, with no packet of two rounds at once: so there is nothing
 * before and after it.
 */
#include "depthwise_job.h"

/*
 *	r0 .. r4	the columns
 *	r5, r11		where sums go; rows
 *	r7, r6		-1 and -2: bytes and halfwords are interleaved
 *	r9, r10		weights, each where eight vectors before it are some as well
 *	m0		bytes of a row of input
 */
.macro sum_five_rows name, type
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	{ r15 = r0; r9 = memw(r0+#JOB_FIVE_WEIGHTS); r11 = memw(r0+#JOB_ROUNDS) }
	{ r7 = #-1; r6 = #-2; r1 = memw(r15+#JOB_ROW_BYTES); r5 = memw(r15+#JOB_SUMS) }
	{ m0 = r1; r9 = add(r9,#1024); r0 = memw(r15+#JOB_COLUMNS); r1 = memw(r15+#JOB_COLUMNS+4) }
	{ r10 = add(r9,#2048); r2 = memw(r15+#JOB_COLUMNS+8); r3 = memw(r15+#JOB_MORE_COLUMNS) }
	{ r4 = memw(r15+#JOB_MORE_COLUMNS+4); loop0(.Lfive\@,r11) }
.Lfive\@:
	{ v23 = vmemu(r1++m0) }
	{ v25 = vmemu(r2++m0) }
	{ v10 = vmemu(r4++m0) }
	{ v21 = vmemu(r0++m0) }
	{ v24 = vmemu(r3++m0) }
	{ v25:24 = vshuff(v24,v25,r7) }
	{ v23:22 = vshuff(v23,v21,r7) }
	{ v5:4 = vshuff(v24,v22,r6) }
	{ v31.tmp = vmem(r9+#-8); v21.w = vrmpy(v4.\type,v31.b) }
	{ v25:24 = vshuff(v25,v23,r6); v21.w = vadd(v29.w,v21.w); v31.tmp = vmem(r9+#-4);
	  v29.w = vrmpy(v4.\type,v31.b) }
	{ v29.w = vadd(v18.w,v29.w); v31.tmp = vmem(r9+#4); v18.w = vrmpy(v4.\type,v31.b);
	  v1:0 = vshuff(v3,v12,r7) }
	{ v31.tmp = vmem(r9+#0); v23.w = vrmpy(v4.\type,v31.b); v12 = v3; v3 = v8 }
	{ v18.w = vadd(v26.w,v23.w); v26.w = vadd(v27.w,v18.w); v31.tmp = vmem(r10+#-8);
	  v27.w = vrmpy(v4.\type,v31.b) }
	{ v31.tmp = vmem(r9+#-7); v23.w = vrmpy(v5.\type,v31.b) }
	{ v4.w = vadd(v11.w,v23.w); v31.tmp = vmem(r9+#-3); v11.w = vrmpy(v5.\type,v31.b);
	  v9:8 = vshuff(v10,v8,r7) }
	{ v11.w = vadd(v30.w,v11.w); v31.tmp = vmem(r9+#1); v30.w = vrmpy(v5.\type,v31.b);
	  v23:22 = vshuff(v9,v1,r6) }
	{ v30.w = vadd(v6.w,v30.w); v31.tmp = vmem(r9+#5); v8.w = vrmpy(v5.\type,v31.b);
	  v1:0 = vshuff(v8,v0,r6) }
	{ v6.w = vadd(v15.w,v8.w); v31.tmp = vmem(r10+#-7); v15.w = vrmpy(v5.\type,v31.b);
	  v8 = v10 }
	{ v31.tmp = vmem(r10+#-4); v29.w += vrmpy(v0.\type,v31.b) }
	{ v31.tmp = vmem(r9+#-6); v10.w = vrmpy(v24.\type,v31.b) }
	{ v31.tmp = vmem(r10+#-3); v11.w += vrmpy(v1.\type,v31.b); v10.w = vadd(v2.w,v10.w) }
	{ v31.tmp = vmem(r10+#0); v21.w += vrmpy(v0.\type,v31.b); vmem(r5++#1) = v21.new }
	{ v31.tmp = vmem(r10+#1); v4.w += vrmpy(v1.\type,v31.b); vmem(r5++#1) = v4.new }
	{ v31.tmp = vmem(r9+#-2); v2.w = vrmpy(v24.\type,v31.b) }
	{ v2.w = vadd(v20.w,v2.w); v31.tmp = vmem(r9+#2); v20.w = vrmpy(v24.\type,v31.b) }
	{ v20.w = vadd(v16.w,v20.w); v31.tmp = vmem(r9+#-5); v16.w = vrmpy(v25.\type,v31.b) }
	{ v31.tmp = vmem(r9+#6); v16.w = vrmpy(v24.\type,v31.b); v21.w = vadd(v28.w,v16.w) }
	{ v16.w = vadd(v17.w,v16.w); v31.tmp = vmem(r9+#-1); v17.w = vrmpy(v25.\type,v31.b) }
	{ v31.tmp = vmem(r10+#-6); v17.w = vrmpy(v24.\type,v31.b); v28.w = vadd(v14.w,v17.w) }
	{ v31.tmp = vmem(r9+#3); v14.w = vrmpy(v25.\type,v31.b) }
	{ v14.w = vadd(v19.w,v14.w); v31.tmp = vmem(r9+#7); v19.w = vrmpy(v25.\type,v31.b) }
	{ v19.w = vadd(v7.w,v19.w); v31.tmp = vmem(r10+#-5); v7.w = vrmpy(v25.\type,v31.b) }
	{ v31.tmp = vmem(r10+#-2); v2.w += vrmpy(v22.\type,v31.b) }
	{ v31.tmp = vmem(r10+#2); v10.w += vrmpy(v22.\type,v31.b); vmem(r5++#1) = v10.new }
	{ v31.tmp = vmem(r10+#3); v21.w += vrmpy(v23.\type,v31.b); vmem(r5++#1) = v21.new }
	{ v31.tmp = vmem(r10+#-1); v28.w += vrmpy(v23.\type,v31.b) }:endloop0
	jumpr	r31
	.size	\name, . - \name
.endm

	.text
	sum_five_rows nn_depthwise_sum_five_u8, ub
	sum_five_rows nn_depthwise_sum_five_s8, b
