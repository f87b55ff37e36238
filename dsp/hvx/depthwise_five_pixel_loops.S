/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's sums for kernels of 5x5 with stride 2: what depthwise_five_pixels.h says.
 *
 * An even row of input is the first, third or fifth row of three rows of output, an odd one the
 * second or fourth of two: sums that nobody wants are not made. It is 64 outputs at a time, of even
 * channels or odd ones, as there are too many weights for 128. Four columns of each row are
 * interleaved (vshuffe or vshuffo, and vshuffoe, for which any pipe will do: loads that are not
 * aligned take the permutations). Of the fifth column four rows are, and its fifth row is
 * multiplied as it is, each channel by one byte of a word.
 *
 * For a row of 64 outputs that is 10 loads, 8 shuffles, which take 11 pipes, 10 products that
 * accumulate and fill both multipliers, 4 alone, 2 of which are added, and a copy: 48 pipes, 12
 * packets. But a packet with a load has no store, and two other instructions at most, so that the
 * products alone and what is added to them leave a pipe each; it is 14, or 28 for 128 outputs.
 *
 * Of two pixels side by side, the second's columns are the first one's next: with 12 loads and 10
 * choices it is 60 pipes and, with what counts, 64 slots of 64 in 16 packets. It is 17.
 *
 * Two rounds more than there are rows of output, and 11 packets for results, make it 43 for 128
 * outputs with 14 rows, and 47 with 28 of two pixels. The goal of 48 leaves 5 and 1 of these for
 * constants, lists of rows and columns of padding, which take 14 and 12.
 *
 * From row to row a table says what is added to columns, so that rows of padding may be elsewhere.
 */
#include "depthwise_five_pixels.h"

/*
 *	v0 .. v9	weights of four columns of rows 0 to 4
 *	v10 .. v13	of four rows of the fifth column, of its fifth row
 *	v14, v15	sums of the row of output that the next even row ends
 *	v16, v17	of the one below
 *	v18, v25	the fifth column in an even row, in an odd one; v25: columns, too
 *	v19, v20	both of them interleaved, those of the two rows before
 *	v21 .. v24	columns
 *	v27:26		four rows of the fifth column interleaved
 *	v29:28, v31:30	four columns interleaved, of an even row, an odd one
 *	r0 .. r4, r15	the columns
 *	r5, r8		where sums go, what is added to columns: m0 in even rows, m1 in odd ones
 *	r11, r12, r13	bytes from the first place, to the next one; places
 *	r14		rounds, the first two of which end no row of output (p3)
 */
.macro sum_five name, type, half, is_two
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	{ r15 = r0; r10 = add(r0,##FIVE_PIXELS_SCALARS); r9 = #-1 }
	{ r5 = memw(r10+#FIVE_PIXELS_SUMS); r14 = memw(r10+#FIVE_PIXELS_ROUNDS); r11 = #0 }
	.ifc \half, vshuffo
	{ r15 = add(r15,#14*128); r5 = add(r5,#2*128) }
	.endif
	{ v0 = vmem(r15++#1); r13 = memw(r10+#FIVE_PIXELS_COUNT) }
	{ v1 = vmem(r15++#1); r12 = memw(r10+#FIVE_PIXELS_STEP) }
	{ v2 = vmem(r15++#1); r0 = add(r0,##FIVE_PIXELS_IS_FIRST) }
	{ v3 = vmem(r15++#1) }
	{ v4 = vmem(r15++#1) }
	{ v5 = vmem(r15++#1) }
	{ v6 = vmem(r15++#1) }
	{ v7 = vmem(r15++#1) }
	{ v8 = vmem(r15++#1) }
	{ v9 = vmem(r15++#1) }
	{ v10 = vmem(r15++#1) }
	{ v11 = vmem(r15++#1) }
	{ v12 = vmem(r15++#1) }
	{ v13 = vmem(r15+#0) }
	{ v21 = vmem(r0+#0) }
	{ q0 = vand(v21,r9) }
.Lplace\@:
	{ r1:0 = memd(r10+#FIVE_PIXELS_COLUMN); r3:2 = memd(r10+#FIVE_PIXELS_COLUMN+8) }
	{ r7 = memw(r10+#FIVE_PIXELS_FIRST_STEP); r8 = memw(r10+#FIVE_PIXELS_STEPS);
	  r0 = add(r0,r11); r1 = add(r1,r11) }
	{ r4 = memw(r10+#FIVE_PIXELS_COLUMN+16); r15 = memw(r10+#FIVE_PIXELS_COLUMN+20); m0 = r7 }
	{ r7:6 = memd(r8++#8); r2 = add(r2,r11); r3 = add(r3,r11); r4 = add(r4,r11) }
	{ r15 = add(r15,r11); r11 = add(r11,r12); r13 = add(r13,#-1);
	  p3 = sp2loop0(.Lrow\@,r14) }
.Lrow\@:
	.ifb \is_two
	{ v18 = vmemu(r4++m0); v15.w += vrmpy(v27.\type,v11.b); v26.b = \half(v24.b,v23.b) }
	{ v31:30.h = vshuffoe(v26.h,v25.h); v14.w += vrmpy(v18.\type,v12.b); m1 = r6 }
	{ v21 = vmemu(r0++m0); v15.w += vrmpy(v18.\type,v13.b) }
	{ v22 = vmemu(r1++m0); v14.w += vrmpy(v30.\type,v6.b); v20 = v19 }
	{ v23 = vmemu(r2++m0); v15.w += vrmpy(v31.\type,v7.b); v25.b = \half(v22.b,v21.b) }
	{ v24 = vmemu(r3++m0); v16.w += vrmpy(v30.\type,v2.b) }
	{ v26.b = \half(v24.b,v23.b); v17.w += vrmpy(v31.\type,v3.b); m0 = r7 }
	{ v25 = vmemu(r4++m1); v29:28.h = vshuffoe(v26.h,v25.h) }
	{ v14.w += vrmpy(v28.\type,v8.b); if (p3) vmem(r5++#1) = v14.new;
	  v19.b = \half(v25.b,v18.b); r7:6 = memd(r8++#8) }
	{ v15.w += vrmpy(v29.\type,v9.b); if (p3) vmem(r5++#3) = v15.new;
	  v27:26.h = vshuffoe(v19.h,v20.h) }
	{ v21 = vmemu(r0++m1); v30.w = vrmpy(v28.\type,v4.b); v31.w = vrmpy(v29.\type,v5.b) }
	{ v22 = vmemu(r1++m1); v14.w = vadd(v16.w,v30.w); v15.w = vadd(v17.w,v31.w) }
	{ v23 = vmemu(r2++m1); v16.w = vrmpy(v28.\type,v0.b); v17.w = vrmpy(v29.\type,v1.b) }
	{ v24 = vmemu(r3++m1); v14.w += vrmpy(v26.\type,v10.b);
	  v25.b = \half(v22.b,v21.b) }:endloop0
	.else
	{ v28 = vmemu(r0++m0); v21 = vmux(q0,v21,v18); v18 = vmux(q0,v18,v24) }
	{ v29 = vmemu(r1++m0); v25.b = \half(v23.b,v22.b); v24.b = \half(v18.b,v21.b) }
	{ v31:30.h = vshuffoe(v24.h,v25.h); v15.w += vrmpy(v27.\type,v11.b); m1 = r6 }
	{ v21 = vmemu(r2++m0); v14.w += vrmpy(v30.\type,v6.b); v20 = v19 }
	{ v22 = vmemu(r3++m0); v15.w += vrmpy(v31.\type,v7.b); v28 = vmux(q0,v28,v29) }
	{ v18 = vmemu(r4++m0); v16.w += vrmpy(v30.\type,v2.b); v29 = vmux(q0,v29,v21) }
	{ v23 = vmemu(r15++m0); v21 = vmux(q0,v21,v22); v25.b = \half(v29.b,v28.b) }
	{ v17.w += vrmpy(v31.\type,v3.b); v22 = vmux(q0,v22,v18); v18 = vmux(q0,v18,v23); m0 = r7 }
	{ v24 = vmemu(r4++m1); v14.w += vrmpy(v18.\type,v12.b); v28.b = \half(v22.b,v21.b) }
	{ v21 = vmemu(r15++m1); v29:28.h = vshuffoe(v28.h,v25.h) }
	{ v22 = vmemu(r0++m1); v15.w += vrmpy(v18.\type,v13.b); v25 = vmux(q0,v24,v21) }
	{ v14.w += vrmpy(v28.\type,v8.b); if (p3) vmem(r5++#1) = v14.new;
	  v19.b = \half(v25.b,v18.b); r7:6 = memd(r8++#8) }
	{ v15.w += vrmpy(v29.\type,v9.b); if (p3) vmem(r5++#3) = v15.new;
	  v27:26.h = vshuffoe(v19.h,v20.h) }
	{ v23 = vmemu(r1++m1); v30.w = vrmpy(v28.\type,v4.b); v31.w = vrmpy(v29.\type,v5.b) }
	{ v21 = vmemu(r2++m1); v14.w = vadd(v16.w,v30.w); v15.w = vadd(v17.w,v31.w) }
	{ v18 = vmemu(r3++m1); v16.w = vrmpy(v28.\type,v0.b); v17.w = vrmpy(v29.\type,v1.b) }
	{ v14.w += vrmpy(v26.\type,v10.b); v22 = vmux(q0,v22,v23);
	  v23 = vmux(q0,v23,v21) }:endloop0
	.endif
	{ p0 = cmp.gt(r13,#0); if (p0.new) jump:t .Lplace\@ }
	jumpr	r31
	.size	\name, . - \name
.endm

	.text
	sum_five nn_depthwise_sum_five_even_u8, ub, vshuffe
	sum_five nn_depthwise_sum_five_even_s8, b, vshuffe
	sum_five nn_depthwise_sum_five_odd_u8, ub, vshuffo
	sum_five nn_depthwise_sum_five_odd_s8, b, vshuffo
	sum_five nn_depthwise_sum_five_two_even_u8, ub, vshuffe, is_two
	sum_five nn_depthwise_sum_five_two_even_s8, b, vshuffe, is_two
	sum_five nn_depthwise_sum_five_two_odd_u8, ub, vshuffo, is_two
	sum_five nn_depthwise_sum_five_two_odd_s8, b, vshuffo, is_two
