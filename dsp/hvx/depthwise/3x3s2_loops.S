/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3 and stride 2, straight from the image: the loops that sum()
 * and run_job() of 3x3s2.c call, for 3x3s2_narrow.c, too. 3x3s2.h declares them.
 *
 * Sums. The bytes of two columns are put side by side, even channels and odd ones (vshuffoe, which
 * any two pipes do, and so needs no permutation), and then with the third column as it is: its two
 * bytes in a word are two channels', and the weight of one of them is 0. So a row of input is three
 * unaligned loads and three vshuffoe, and what comes out are channels 0, 4, 8, ..., then 2, 6, ...,
 * 1, 5, ... and 3, 7, .... Constants are in that order, too.
 *
 *	columns		a0 a1 a2 a3 ...		b0 b1 b2 b3 ...		c0 c1 c2 c3 ...
 *	bytes		a0 b0 a2 b2 ...		a1 b1 a3 b3 ...
 *	halfwords	a0 b0 c0 c1, a4 b4 c4 c5, ...	a2 b2 c2 c3, a6 b6 c6 c7, ...
 *			a1 b1 c0 c1, a5 b5 c4 c5, ...	a3 b3 c2 c3, a7 b7 c6 c7, ...
 *
 * A row of output is two of input: 6 loads, 6 vshuffoe, 12 products (6 that are accumulated and
 * fill both multipliers, 2 alone that are added, and the first 4 alone) are 6 + 12 + 20 pipes: ten
 * packets cannot be fewer. It is twelve, in which nothing is left for the next round, so that a
 * pixel begins and ends with no more than five packets.
 *
 * Results. They are made as in scale.S, but for the order: a halfword of each, then a shift by 0
 * that saturates, put bytes in order. A row takes eleven packets; the loop is a modulo schedule of
 * three rows, and rows of all pixels follow each other without a pause but for a packet.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/depthwise/3x3s2.h"

/*
 * sum_pixels: nn_depthwise_sum_pixels_u8() and _s8().
 *
 *	v0 .. v11	weights of the kernel's rows 0, 1 and 2
 *	r0, r1, r2	the columns of a pixel; r10, r11, r12 in the first row
 *	r3		where sums go
 *	r6, r7, r8	bytes from the first row to the next, from row to row, and to the last one;
 *			m1, m0 for the column in the middle,
 *	r5, r4		and of the left column from even rows, and from odd ones,
 *	r28, r15	of the right one: 0 where it is padding
 *	r9, r13		bytes from pixel to pixel, pixels
 *	r14		rows
 *	r16, r17, r18	how many pixels there are when padding is left, right; padding
 */
.macro sum_pixels name, type
	function \name
	{ r15 = r0; r1 = add(r0,##PIXELS_SCALARS); allocframe(#16) }
	{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18 }
	{ v0 = vmem(r15++#1); r10 = memw(r1+#PIXELS_COLUMN) }
	{ v1 = vmem(r15++#1); r11 = memw(r1+#PIXELS_COLUMN+4) }
	{ v2 = vmem(r15++#1); r12 = memw(r1+#PIXELS_COLUMN+8) }
	{ v3 = vmem(r15++#1); r6 = memw(r1+#PIXELS_FIRST_STEP) }
	{ v4 = vmem(r15++#1); r7 = memw(r1+#PIXELS_ROW_STEP) }
	{ v5 = vmem(r15++#1); r8 = memw(r1+#PIXELS_LAST_STEP) }
	{ v6 = vmem(r15++#1); r9 = memw(r1+#PIXELS_STEP) }
	{ v7 = vmem(r15++#1); r13 = memw(r1+#PIXELS_COUNT) }
	{ v8 = vmem(r15++#1); r14 = memw(r1+#PIXELS_ROWS) }
	{ v9 = vmem(r15++#1); r3 = memw(r1+#PIXELS_SUMS) }
	{ v10 = vmem(r15++#1); r17:16 = memd(r1+#PIXELS_LEFT_RIGHT); r14 = add(r14,#-1) }
	{ v11 = vmem(r15+#0); r18 = memw(r1+#PIXELS_PADDING) }
.Lpixel\@:
	{ p1 = cmp.eq(r13,r16); p2 = cmp.eq(r13,r17); r0 = r10; r2 = r12 }
	{ r5 = mux(p1,#0,r7); r28 = mux(p2,#0,r7); r1 = r11; m1 = r6 }
	{ r4 = mux(p1,#0,r6); r15 = mux(p2,#0,r6); if (p1) r0 = r18; if (p2) r2 = r18 }
	{ v30 = vmemu(r0+#0); r0 = add(r0,r4); m0 = r7 }
	{ v26 = vmemu(r1++m1); r10 = add(r10,r9); r11 = add(r11,r9) }
	{ v15 = vmemu(r2+#0); r2 = add(r2,r15); v31:30.b = vshuffoe(v26.b,v30.b) }
	{ v27:26.h = vshuffoe(v15.h,v30.h); m1 = r7; r12 = add(r12,r9) }
	{ v31:30.h = vshuffoe(v15.h,v31.h); r4 = r5; r15 = r28 }
	{ p0 = cmp.gt(r14,r14); r13 = add(r13,#-1); loop0(.Lrow\@,r14) }
.Lrow\@:
	{ v27 = vmemu(r0+#0); v24.w = vrmpy(v26.\type,v0.b); v14.w = vrmpy(v27.\type,v1.b) }
	{ v31 = vmemu(r1++m0); v29.w = vrmpy(v30.\type,v2.b); v23.w = vrmpy(v31.\type,v3.b) }
	{ v27 = vmemu(r2+#0); v31:30.b = vshuffoe(v31.b,v27.b); r0 = add(r0,r4) }
	{ v31:30.h = vshuffoe(v27.h,v30.h); v27:26.h = vshuffoe(v27.h,v31.h); r2 = add(r2,r15) }
	{ v15.w = vrmpy(v30.\type,v4.b); v31.w = vrmpy(v31.\type,v5.b); v30 = vmemu(r0+#0) }
	{ v24.w = vadd(v24.w,v15.w); v29.w += vrmpy(v26.\type,v6.b); v26 = vmemu(r1++m1) }
	{ v14.w = vadd(v14.w,v31.w); v15 = vmemu(r2+#0); v31:30.b = vshuffoe(v26.b,v30.b) }
	{ v23.w += vrmpy(v27.\type,v7.b); v27:26.h = vshuffoe(v15.h,v30.h); r0 = add(r0,r5);
	  r2 = add(r2,r28) }
	{ v31:30.h = vshuffoe(v15.h,v31.h); v24.w += vrmpy(v26.\type,v8.b);
	  vmem(r3++#1) = v24.new }
	{ v14.w += vrmpy(v27.\type,v9.b); vmem(r3++#1) = v14.new }
	{ v29.w += vrmpy(v30.\type,v10.b); vmem(r3++#1) = v29.new }
	{ v23.w += vrmpy(v31.\type,v11.b); vmem(r3++#1) = v23.new }:endloop0
	{ if (p0) jump .Ldone\@ }
	{ p0 = cmp.eq(r14,r14); loop0(.Lrow\@,#1); if (!p1) r4 = r8; if (!p2) r15 = r8 }
	{ m0 = r8; jump .Lrow\@ }
.Ldone\@:
	{ p0 = cmp.gt(r13,#0); if (p0.new) jump:t .Lpixel\@ }
	{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
	{ dealloc_return }
	endfunction
.endm

/*
 * sum_two_pixels: the same sums where some lanes, those of q0, are of one pixel and the others of
 * the next, whose columns are those of the first at other addresses: each vector is put together
 * from two. If these are one pixel from each other, the others' columns are the first ones' next,
 * and four loads are enough for a row of input (\first, \second: where the others' first two
 * columns are). Else there are six (\is_far).
 *
 * A load that is not aligned leaves two of four slots, and no store. So of 13 packets 8 are loads',
 * 4 those that store sums, and one is left for the second row's last vshuffoe, which no other has
 * room for; of 16 those with loads and stores are all. The loop is a modulo schedule: it begins
 * with what ends the row before. Its first time it stores nothing (p3).
 *
 *	v12 .. v15	a row of output's last row of input, which is the next one's first
 *	v28 .. v31	the row between them
 *	v24 .. v27	sums
 *	r4, r5, r28	the other pixels' columns
 *	r15		how far they are from the first ones'
 */
.macro sum_two_pixels name, type, first, second, is_far
	function \name
	{ r15 = r0; r1 = add(r0,##PIXELS_SCALARS); r4 = #-1 }
	{ v0 = vmem(r15++#1); r10 = memw(r1+#PIXELS_COLUMN) }
	{ v1 = vmem(r15++#1); r11 = memw(r1+#PIXELS_COLUMN+4) }
	{ v2 = vmem(r15++#1); r12 = memw(r1+#PIXELS_COLUMN+8) }
	{ v3 = vmem(r15++#1); r6 = memw(r1+#PIXELS_FIRST_STEP) }
	{ v4 = vmem(r15++#1); r7 = memw(r1+#PIXELS_ROW_STEP) }
	{ v5 = vmem(r15++#1); r8 = memw(r1+#PIXELS_LAST_STEP) }
	{ v6 = vmem(r15++#1); r9 = memw(r1+#PIXELS_STEP) }
	{ v7 = vmem(r15++#1); r13 = memw(r1+#PIXELS_COUNT) }
	{ v8 = vmem(r15++#1); r14 = memw(r1+#PIXELS_ROWS) }
	{ v9 = vmem(r15++#1); r3 = memw(r1+#PIXELS_SUMS); r0 = add(r0,##PIXELS_IS_FIRST) }
	{ v10 = vmem(r15++#1); r14 = add(r14,#-1) }
	{ v11 = vmem(r15+#0); r15 = memw(r1+#PIXELS_APART) }
	{ v16 = vmem(r0+#0) }
	{ q0 = vand(v16,r4) }
.Lpixel\@:
	{ r0 = r10; r1 = r11; r2 = r12; m1 = r6 }
	{ r4 = add(r10,r15); r5 = add(r11,r15); r28 = add(r12,r15); m0 = r7 }
	{ v16 = vmemu(r0++m1); r10 = add(r10,r9); r11 = add(r11,r9) }
	.ifnb \is_far
	{ v20 = vmemu(r4++m1) }
	{ v21 = vmemu(r5++m1) }
	.endif
	{ v17 = vmemu(r1++m1); r12 = add(r12,r9); loop0(.Lrow\@,r14) }
	{ v18 = vmemu(r2++m1); v16 = vmux(q0,v16,\first); p3 = cmp.gt(r14,r14) }
	{ v19 = vmemu(r28++m1); v17 = vmux(q0,v17,\second); p0 = cmp.gt(r14,r14) }
	{ m1 = r7; r13 = add(r13,#-1) }
.Lrow\@:
	{ v16 = vmemu(r0++m0); v23:22.b = vshuffoe(v17.b,v16.b); v14 = vmux(q0,v18,v19) }
	.ifnb \is_far
	{ v20 = vmemu(r4++m0) }
	{ v21 = vmemu(r5++m0) }
	.endif
	{ v17 = vmemu(r1++m0); v26.w += vrmpy(v30.\type,v6.b) }
	{ v18 = vmemu(r2++m0); v27.w += vrmpy(v31.\type,v7.b); v16 = vmux(q0,v16,\first) }
	{ v19 = vmemu(r28++m0); v13:12.h = vshuffoe(v14.h,v22.h); v17 = vmux(q0,v17,\second) }
	{ v24.w += vrmpy(v12.\type,v8.b); if (p3) vmem(r3++#1) = v24.new; v18 = vmux(q0,v18,v19) }
	{ v25.w += vrmpy(v13.\type,v9.b); if (p3) vmem(r3++#1) = v25.new;
	  v15:14.h = vshuffoe(v14.h,v23.h) }
	{ v26.w += vrmpy(v14.\type,v10.b); if (p3) vmem(r3++#1) = v26.new;
	  v31:30.b = vshuffoe(v17.b,v16.b) }
	{ v27.w += vrmpy(v15.\type,v11.b); if (p3) vmem(r3++#1) = v27.new;
	  v29:28.h = vshuffoe(v18.h,v30.h) }
	{ v16 = vmemu(r0++m1); v24.w = vrmpy(v12.\type,v0.b); v25.w = vrmpy(v13.\type,v1.b) }
	{ v17 = vmemu(r1++m1); v26.w = vrmpy(v14.\type,v2.b); v27.w = vrmpy(v15.\type,v3.b) }
	.ifnb \is_far
	{ v20 = vmemu(r4++m1); v31:30.h = vshuffoe(v18.h,v31.h); p3 = cmp.eq(r14,r14) }
	{ v21 = vmemu(r5++m1) }
	.else
	{ v31:30.h = vshuffoe(v18.h,v31.h); p3 = cmp.eq(r14,r14) }
	.endif
	{ v18 = vmemu(r2++m1); v24.w += vrmpy(v28.\type,v4.b); v16 = vmux(q0,v16,\first) }
	{ v19 = vmemu(r28++m1); v25.w += vrmpy(v29.\type,v5.b);
	  v17 = vmux(q0,v17,\second) }:endloop0
	{ if (p0) jump .Ldone\@ }
	{ p0 = cmp.eq(r14,r14); loop0(.Lrow\@,#1) }
	{ m0 = r8; jump .Lrow\@ }
.Ldone\@:
	{ v23:22.b = vshuffoe(v17.b,v16.b); v14 = vmux(q0,v18,v19); p0 = cmp.gt(r13,#0) }
	{ v13:12.h = vshuffoe(v14.h,v22.h); v26.w += vrmpy(v30.\type,v6.b) }
	{ v15:14.h = vshuffoe(v14.h,v23.h); v27.w += vrmpy(v31.\type,v7.b) }
	{ v24.w += vrmpy(v12.\type,v8.b); vmem(r3++#1) = v24.new }
	{ v25.w += vrmpy(v13.\type,v9.b); vmem(r3++#1) = v25.new }
	{ v26.w += vrmpy(v14.\type,v10.b); vmem(r3++#1) = v26.new }
	{ v27.w += vrmpy(v15.\type,v11.b); vmem(r3++#1) = v27.new; if (p0) jump .Lpixel\@ }
	jumpr	r31
	endfunction
.endm

/*
 * scale_row: the products of a row's sums, up to what is stored with the next row's (`store`), and
 * the bytes of the row before; behind a pixel's last row where results of the next one go (`turn`,
 * `step`, `count`), and its bits (`flush`).
 */
.macro scale_row type, store, turn, step, count, flush
	{ v31.tmp = vmem(r1++#1); v29.w = vadd(v31.w,v8.w); v17.h = vshuffo(v17.h,v24.h);
	  v24.uh = vmin(v17.uh,v24.uh) }
	{ v29.w = vasl(v29.w,v4.w); v31.tmp = vmem(r1++#1); v22.w = vadd(v31.w,v9.w);
	  v24.uh = vmin(v22.uh,v24.uh) }
	{ v26.w = vmpye(v29.w,v0.uh); v18.w = vasl(v22.w,v5.w); v31.tmp = vmem(r1++#1);
	  v22.w = vadd(v31.w,v10.w) }
	{ v25.w = vmpye(v18.w,v1.uh); v22.w = vasl(v22.w,v6.w); v31.tmp = vmem(r1++#1);
	  v23.w = vadd(v31.w,v11.w) }
	{ v26.w += vmpyo(v29.w,v0.h):<<1:rnd:sat:shift; v29.w = vasl(v23.w,v7.w)
	  \store }
	{ v27.w = vadd(v26.w,v12.w):sat; v25.w += vmpyo(v18.w,v1.h):<<1:rnd:sat:shift;
	  v21.\type = vasr(v17.h,v27.h,r6):sat }
	{ v17.w = vadd(v25.w,v12.w):sat; v25.w = vmpye(v22.w,v2.uh); v24.w = vasl(v24.w,r7)
	  \turn }
	{ v25.w += vmpyo(v22.w,v2.h):<<1:rnd:sat:shift; v27.h = vshuffo(v17.h,v27.h);
	  v22.uh = vmin(v17.uh,v27.uh)
	  \step }
	{ v24.w = vadd(v25.w,v12.w):sat; v17.w = vmpye(v29.w,v3.uh);
	  q0 = vcmp.gt(v15.uw,v24.uw)
	  \count }
	{ v17.w += vmpyo(v29.w,v3.h):<<1:rnd:sat:shift; v21.\type = vmax(v21.\type,v13.\type)
	  \flush }
.endm

/*
 * scale_pixels: nn_depthwise_scale_pixels_u8() and _s8().
 *
 *	v0 .. v11	multipliers, shifts, biases
 *	v12		the zero point and what makes fractions of possible ties small
 *	v13, v14	the clamp
 *	v15		what these are below, shifted left by r7, 16
 *	v16, r4		the rows' bits, the row's bit
 *	r1, r2		sums, where results go; r10 of the next pixel's first row
 *	r5, r11		rounds of the loop, pixels
 *	r6		0
 *	r8, r9		where bits go, bytes from pixel to pixel
 */
.macro scale_pixels name, type
	function \name
	{ r15 = add(r0,##PIXELS_MULTIPLIER); r14 = add(r0,##PIXELS_SCALARS) }
	{ v0 = vmem(r15++#1); r1 = memw(r14+#PIXELS_SUMS) }
	{ v1 = vmem(r15++#1); r10 = memw(r14+#PIXELS_OUT) }
	{ v2 = vmem(r15++#1); r9 = memw(r14+#PIXELS_OUT_STEP) }
	{ v3 = vmem(r15++#1); r13 = memw(r14+#PIXELS_PITCH) }
	{ v4 = vmem(r15++#1); r11 = memw(r14+#PIXELS_COUNT) }
	{ v5 = vmem(r15++#1); r5 = memw(r14+#PIXELS_ROWS) }
	{ v6 = vmem(r15++#1); r8 = memw(r14+#PIXELS_TIES) }
	{ v7 = vmem(r15++#1); r2 = memw(r14+#PIXELS_OFFSET) }
	{ v8 = vmem(r15++#1); r3 = memw(r14+#PIXELS_MIN) }
	{ v9 = vmem(r15++#1); r4 = memw(r14+#PIXELS_MAX) }
	{ v10 = vmem(r15++#1); r6 = memw(r14+#PIXELS_LIMIT) }
	{ v11 = vmem(r15+#0); m0 = r13 }
	{ v31.tmp = vmem(r1++#1); v29.w = vadd(v31.w,v8.w); r7 = #16; v12 = vsplat(r2) }
	{ v29.w = vasl(v29.w,v4.w); v31.tmp = vmem(r1++#1); v22.w = vadd(v31.w,v9.w);
	  v13 = vsplat(r3) }
	{ v26.w = vmpye(v29.w,v0.uh); v18.w = vasl(v22.w,v5.w); v31.tmp = vmem(r1++#1);
	  v22.w = vadd(v31.w,v10.w) }
	{ v25.w = vmpye(v18.w,v1.uh); v22.w = vasl(v22.w,v6.w); v31.tmp = vmem(r1++#1);
	  v23.w = vadd(v31.w,v11.w) }
	{ v26.w += vmpyo(v29.w,v0.h):<<1:rnd:sat:shift; v29.w = vasl(v23.w,v7.w) }
	{ v27.w = vadd(v26.w,v12.w):sat; v25.w += vmpyo(v18.w,v1.h):<<1:rnd:sat:shift; r2 = r10 }
	{ v17.w = vadd(v25.w,v12.w):sat; v25.w = vmpye(v22.w,v2.uh); r10 = add(r10,r9) }
	{ v25.w += vmpyo(v22.w,v2.h):<<1:rnd:sat:shift; v27.h = vshuffo(v17.h,v27.h);
	  v22.uh = vmin(v17.uh,v27.uh) }
	{ v24.w = vadd(v25.w,v12.w):sat; v17.w = vmpye(v29.w,v3.uh); r5 = add(r5,#-1) }
	{ v17.w += vmpyo(v29.w,v3.h):<<1:rnd:sat:shift }
	{ v17.w = vadd(v17.w,v12.w):sat; v14 = vsplat(r4) }
	{ v15 = vsplat(r6); v16 = vxor(v16,v16); r6 = #0; r4 = #1 }
	scale_row \type
	{ v17.w = vadd(v17.w,v12.w):sat; v16 |= vand(q0,r4); r4 = rol(r4,#1);
	  v21.\type = vmin(v21.\type,v14.\type) }
	{ loop0(.Lscale\@,r5) }
.Lscale\@:
	scale_row \type, "; vmemu(r2++m0) = v21"
	{ v17.w = vadd(v17.w,v12.w):sat; v16 |= vand(q0,r4); r4 = rol(r4,#1);
	  v21.\type = vmin(v21.\type,v14.\type) }:endloop0
	scale_row \type, "; vmemu(r2++m0) = v21", "; r2 = r10", "; r10 = add(r10,r9)", \
		"; r11 = add(r11,#-1)", "; vmem(r8++#1) = v16"
	{ v17.w = vadd(v17.w,v12.w):sat; v16 = vand(q0,r4); r4 = rol(r4,#1);
	  v21.\type = vmin(v21.\type,v14.\type) }
	{ loop0(.Lscale\@,r5); p0 = cmp.gt(r11,#0); if (p0.new) jump:t .Lscale\@ }
	jumpr	r31
	endfunction
.endm

	sum_pixels nn_depthwise_sum_pixels_u8, ub
	sum_pixels nn_depthwise_sum_pixels_s8, b
	sum_two_pixels nn_depthwise_sum_two_pixels_u8, ub, v17, v18
	sum_two_pixels nn_depthwise_sum_two_pixels_s8, b, v17, v18
	sum_two_pixels nn_depthwise_sum_far_pixels_u8, ub, v20, v21, is_far
	sum_two_pixels nn_depthwise_sum_far_pixels_s8, b, v20, v21, is_far
	scale_pixels nn_depthwise_scale_pixels_u8, ub
	scale_pixels nn_depthwise_scale_pixels_s8, b
