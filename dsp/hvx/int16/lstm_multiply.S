/* SPDX-License-Identifier: MIT */
/*
 * The products of one row, or of two, with the weights of an LSTM's blocks (lstm_multiply.h).
 *
 * A packet loads a vector of weights, of four inputs of a gate, and multiplies it there. Eight
 * inputs of a block's four gates take eight packets, with two rows, which fill both multipliers, and
 * with one: no more is loaded. Then the other multiplier is free for the sum of the row's elements,
 * which is made again for each block. Words of a row are loaded where there is room, behind or just
 * before their use, so one past the row is.
 *
 *	r0, r6, r7, r8	where the weights of a block's four gates are
 *	r1		bytes of a gate's weights in a block; then a word of the second row
 *	r3		eights of a row
 *	r9		from a gate's weights in one block to those in the next, less what is read
 *	v0 - v3		a gate's sums each, of the first row
 *	v4 - v7		of the second row
 *	v31		weights, or the bias
 */
#include "dsp/hvx/common/asm.h"

	/* r0: weights, r2: row, r3: blocks, r4: bias, r5: sums; v0: the weights' zero, in all bytes */
	function lstm_multiply_one, align=5
	{ loop1(1f,r3); r6 = add(r0,r1); r3 = lsr(r1,#8); v8 = v0 }
	{ r7 = addasl(r0,r1,#1); r8 = addasl(r6,r1,#1); v9 = vxor(v9,v9) }
	{ r9 = addasl(r1,r1,#1) }
1:
	{ v0 = v9; v1 = v9; v2 = v9; v3 = v9 }
	{ v4 = v9; r12 = memw(r2+#0); r10 = add(r2,#4); loop0(2f,r3) }
2:
	{ v31.cur = vmem(r0++#1); v0.w += vrmpy(v31.ub,r12.b); r13 = memw(r10++#4) }
	{ v31.cur = vmem(r6++#1); v1.w += vrmpy(v31.ub,r12.b); v4.w += vrmpy(v8.ub,r12.b) }
	{ v31.cur = vmem(r7++#1); v2.w += vrmpy(v31.ub,r12.b) }
	{ v31.cur = vmem(r8++#1); v3.w += vrmpy(v31.ub,r12.b); r12 = memw(r10++#4) }
	{ v31.cur = vmem(r0++#1); v0.w += vrmpy(v31.ub,r13.b) }
	{ v31.cur = vmem(r6++#1); v1.w += vrmpy(v31.ub,r13.b); v4.w += vrmpy(v8.ub,r13.b) }
	{ v31.cur = vmem(r7++#1); v2.w += vrmpy(v31.ub,r13.b) }
	{ v31.cur = vmem(r8++#1); v3.w += vrmpy(v31.ub,r13.b) }:endloop0
	{ v0.w = vsub(v0.w,v4.w); v1.w = vsub(v1.w,v4.w); v2.w = vsub(v2.w,v4.w); v3.w = vsub(v3.w,v4.w) }
	{ v31.cur = vmem(r4++#1); v0.w = vadd(v0.w,v31.w); vmem(r5++#1) = v0.new; r0 = add(r0,r9) }
	{ v31.cur = vmem(r4++#1); v1.w = vadd(v1.w,v31.w); vmem(r5++#1) = v1.new; r6 = add(r6,r9) }
	{ v31.cur = vmem(r4++#1); v2.w = vadd(v2.w,v31.w); vmem(r5++#1) = v2.new; r7 = add(r7,r9) }
	{ v31.cur = vmem(r4++#1); v3.w = vadd(v3.w,v31.w); vmem(r5++#1) = v3.new
	  r8 = add(r8,r9) }:endloop1
	{ jumpr r31 }
	endfunction

	/*
	 * The same of two; r3: blocks, and from bit 16 on those of a row; v0, v1: what a row's sums
	 * begin with.
	 */
	function lstm_multiply_two, align=5
	{ r14 = zxth(r3); r15 = lsr(r3,#16); r6 = add(r0,r1); r3 = lsr(r1,#8) }
	{ loop1(1f,r14); r7 = addasl(r0,r1,#1); v8 = v0; v9 = v1 }
	{ r8 = addasl(r6,r1,#1); r9 = addasl(r1,r1,#1) }
	{ r28 = addasl(r2,r3,#3); r15 = asl(r15,#9) }
	{ r15 = add(r5,r15); r10 = r2; r11 = r28 }
1:
	{ v0 = v8; v1 = v8; v2 = v8; v3 = v8 }
	{ v4 = v9; v5 = v9; v6 = v9; v7 = v9 }
	{ r12 = memw(r10++#4); r14 = memw(r11++#4); loop0(2f,r3) }
2:
	{ v31.cur = vmem(r0++#1); v0.w += vrmpy(v31.ub,r12.b); v4.w += vrmpy(v31.ub,r14.b)
	  r13 = memw(r10++#4) }
	{ v31.cur = vmem(r6++#1); v1.w += vrmpy(v31.ub,r12.b); v5.w += vrmpy(v31.ub,r14.b)
	  r1 = memw(r11++#4) }
	{ v31.cur = vmem(r7++#1); v2.w += vrmpy(v31.ub,r12.b); v6.w += vrmpy(v31.ub,r14.b) }
	{ v31.cur = vmem(r8++#1); v3.w += vrmpy(v31.ub,r12.b); v7.w += vrmpy(v31.ub,r14.b)
	  r12 = memw(r10++#4) }
	{ v31.cur = vmem(r0++#1); v0.w += vrmpy(v31.ub,r13.b); v4.w += vrmpy(v31.ub,r1.b)
	  r14 = memw(r11++#4) }
	{ v31.cur = vmem(r6++#1); v1.w += vrmpy(v31.ub,r13.b); v5.w += vrmpy(v31.ub,r1.b) }
	{ v31.cur = vmem(r7++#1); v2.w += vrmpy(v31.ub,r13.b); v6.w += vrmpy(v31.ub,r1.b) }
	{ v31.cur = vmem(r8++#1); v3.w += vrmpy(v31.ub,r13.b); v7.w += vrmpy(v31.ub,r1.b) }:endloop0
	{ v31.cur = vmem(r4++#1); v0.w = vadd(v0.w,v31.w); vmem(r5++#1) = v0.new; r10 = r2 }
	{ v4.w = vadd(v4.w,v31.w); vmem(r15++#1) = v4.new; r0 = add(r0,r9) }
	{ v31.cur = vmem(r4++#1); v1.w = vadd(v1.w,v31.w); vmem(r5++#1) = v1.new; r11 = r28 }
	{ v5.w = vadd(v5.w,v31.w); vmem(r15++#1) = v5.new; r6 = add(r6,r9) }
	{ v31.cur = vmem(r4++#1); v2.w = vadd(v2.w,v31.w); vmem(r5++#1) = v2.new }
	{ v6.w = vadd(v6.w,v31.w); vmem(r15++#1) = v6.new; r7 = add(r7,r9) }
	{ v31.cur = vmem(r4++#1); v3.w = vadd(v3.w,v31.w); vmem(r5++#1) = v3.new }
	{ v7.w = vadd(v7.w,v31.w); vmem(r15++#1) = v7.new; r8 = add(r8,r9) }:endloop1
	{ jumpr r31 }
	endfunction
