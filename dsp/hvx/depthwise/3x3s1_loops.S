/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D with a kernel of 3x3 and stride 1, straight from the image: the sums and the
 * results of positions that 3x3s1.c lists, declared in 3x3s1.h.
 *
 * Sums. The window's three columns a, b and c are interleaved as vrmpy multiplies them:
 *
 *	bytes		a0 b0 a1 b1 ... and c0 c0 c1 c1 ...
 *	halfwords	a0 b0 c0 c0, a1 b1 c1 c1, ...	the fourth weight is 0
 *
 * A row of input is three unaligned loads, which take a permutation and two of four slots, so that
 * with two products no sum fits them; 4 vshuff, which take permute and shift; 12 products: 4 that
 * end sums, which accumulate and fill both multipliers, 4 that begin them and 4 that are added,
 * with 4 vadd. Two vadd take what a vshuff does, so that these six and the three loads are in
 * packets of their own: nine cannot be fewer. Sums move on from register to register by the vadd,
 * so that a round is one row, and images of any height have no row too many. Rows follow each other
 * without a pause, those of the next position too. Between two positions is one row of padding,
 * which ends the one and begins the other. Together with the next position's first row, which ends
 * nothing, it fills the nine packets of that one. Three more have what is done once a position, of
 * which one asks for the next one's column: l2fetch goes with nothing but scalar arithmetic.
 *
 * Results. As in scale.S, a row takes ten packets; the rows of all positions follow each other
 * without a pause, but for two packets, which write down a position's bits.
 *
 * So a position of r rows is 19 r + 5 packets: 19.7 for 128 outputs of 7x7. There, of 960 channels,
 * which are 7.5 vectors in eight, that is 21.0; what begins the loops is 1.2 more, and what calls
 * them and makes rows again 3.6: 25.8.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/depthwise/3x3s1.h"
#include "dsp/hvx/common/fetch.h"

/*
 * sum_image: nn_depthwise_sum_image_u8() and _s8(). Weights of row k for lanes j are in v[4 k + j],
 * the sums of the last two rows of output in v[12 + j] and v[16 + j].
 *
 *	r0, r1, r2	the three columns; m0, r6, m1: to their next rows
 *	r3		where sums go
 *	r5, r6		rows but the first and the last, bytes of a row of input
 *	r7, r4		-1 and -2: bytes and halfwords are interleaved
 *	r8, r9		channels, bytes to the next position
 *	r10, r12	the next position's center, and from where on its right column is not loaded
 *	r11, r13	what is asked for: that column, and as what
 *	r15		padding
 *	p1, p3		r10 is below r12; r5 is 0
 */
.macro sum_image name, type
	function \name
	{ r28 = r0; r1:0 = memd(r0+#IMAGE_WEIGHTS); r3:2 = memd(r0+#IMAGE_WEIGHTS+8) }
	{ r15:14 = memd(r28+#IMAGE_PERIOD_PADDING); r7:6 = memd(r28+#IMAGE_ROW_STEP_ROWS) }
	{ r9:8 = memd(r28+#IMAGE_CHANNELS_STEP); r11:10 = memd(r28+#IMAGE_CENTER_LEFT); m1 = r14 }
	{ r13:12 = memd(r28+#IMAGE_RIGHT_COUNT); r5 = add(r7,#-2); p3 = cmp.eq(r7,#2) }
	{ v0 = vmemu(r0++m1); p0 = cmp.eq(r11,#0); r7 = #-1 }
	{ v1 = vmemu(r1++m1); p1 = !cmp.eq(r13,r12); r4 = #-2 }
	{ v2 = vmemu(r2++m1); r14 = mux(p0,r6,#0) }
	{ v3 = vmemu(r3++m1); m0 = r14 }
	{ v4 = vmemu(r0++m1); r14 = sub(r10,r8) }
	{ v5 = vmemu(r1++m1) }
	{ v6 = vmemu(r2++m1) }
	{ v7 = vmemu(r3++m1) }
	{ v8 = vmemu(r0++m1) }
	{ v9 = vmemu(r1++m1); r0 = mux(p0,r14,r15) }
	{ v10 = vmemu(r2++m1); loop1(.Lnext\@,r13) }
	{ v11 = vmemu(r3++m1); r2 = add(r10,r8) }
	{ v20 = vmemu(r0++m0); r11 = add(r2,r9) }
	{ v21 = vmemu(r10+#0); if (!p1) r2 = r15 }
	{ v25:24 = vshuff(v21,v20,r7); r3 = memw(r28+#IMAGE_SUMS);
	  r13:12 = memd(r28+#IMAGE_UNTIL_BOX) }
	{ v26 = vmemu(r2+#0); r28 = mux(p1,r6,#0) }
	{ v27:26 = vshuff(v26,v26,r7); jump .Lposition\@ }
.Lnext\@:
	{ v22.w = vrmpy(v30.\type,v6.b); v23.w = vrmpy(v31.\type,v7.b); v20 = vmemu(r0++m0) }
	{ v18.w = vrmpy(v30.\type,v2.b); v19.w = vrmpy(v31.\type,v3.b);
	  v14.w = vadd(v18.w,v22.w); v15.w = vadd(v19.w,v23.w) }
	{ v12.w += vrmpy(v28.\type,v8.b); vmem(r3++#1) = v12.new; v31:30 = vshuff(v27,v25,r4);
	  r2 = add(r10,r8) }
	{ v22.w = vrmpy(v28.\type,v4.b); v23.w = vrmpy(v29.\type,v5.b); v21 = vmemu(r10+#0) }
	{ v13.w += vrmpy(v29.\type,v9.b); vmem(r3++#1) = v13.new; v25:24 = vshuff(v21,v20,r7);
	  if (!p1) r2 = r15 }
	{ v12.w = vadd(v16.w,v22.w); v13.w = vadd(v17.w,v23.w); v26 = vmemu(r2+#0) }
	{ v14.w += vrmpy(v30.\type,v10.b); vmem(r3++#1) = v14.new; v27:26 = vshuff(v26,v26,r7);
	  r28 = mux(p1,r6,#0) }
.Lposition\@:
	/* The row of padding ends the position before; with it is the first row of this one. */
	{ v21 = vmem(r15+#0); r2 = add(r2,r28); r1 = add(r10,r6); m1 = r28 }
	{ v15.w += vrmpy(v31.\type,v11.b); vmem(r3++#1) = v15.new; v29:28 = vshuff(v26,v24,r4);
	  r10 = add(r10,r9) }
	{ v22.w = vrmpy(v30.\type,v6.b); v23.w = vrmpy(v31.\type,v7.b); v26 = vmemu(r2++m1) }
	{ v12.w += vrmpy(v21.\type,v8.b); vmem(r3++#1) = v12.new; v14.w = vadd(v18.w,v22.w);
	  v15.w = vadd(v19.w,v23.w) }
	{ v16.w = vrmpy(v21.\type,v0.b); v17.w = vrmpy(v21.\type,v1.b); v20 = vmemu(r0++m0) }
	{ v13.w += vrmpy(v21.\type,v9.b); vmem(r3++#1) = v13.new; v31:30 = vshuff(v27,v25,r4);
	  p1 = cmp.gtu(r12,r10) }
	{ v22.w = vrmpy(v28.\type,v4.b); v23.w = vrmpy(v29.\type,v5.b);
	  v27:26 = vshuff(v26,v26,r7); if (!p1) r13 = #0 }
	{ v14.w += vrmpy(v21.\type,v10.b); vmem(r3++#1) = v14.new; v12.w = vadd(v16.w,v22.w);
	  v13.w = vadd(v17.w,v23.w) }
	{ v18.w = vrmpy(v21.\type,v2.b); v19.w = vrmpy(v21.\type,v3.b); v21 = vmemu(r1+#0) }
	{ v22.tmp = vmem(r15+#0); v15.w += vrmpy(v22.\type,v11.b); vmem(r3++#1) = v15.new;
	  v25:24 = vshuff(v21,v20,r7) }
	recorded r11, r13, r14
	{ l2fetch(r11,r13); r1 = add(r1,r6) }
	{ loop0(.Lrow\@,r5); if (p3) jump .Llast\@ }
.Lrow\@:
	{ v16.w = vrmpy(v28.\type,v0.b); v17.w = vrmpy(v29.\type,v1.b); v20 = vmemu(r0++m0) }
	{ v15.w += vrmpy(v31.\type,v11.b); vmem(r3++#1) = v15.new; v29:28 = vshuff(v26,v24,r4) }
	{ v22.w = vrmpy(v30.\type,v6.b); v23.w = vrmpy(v31.\type,v7.b); v21 = vmemu(r1+#0) }
	{ v18.w = vrmpy(v30.\type,v2.b); v19.w = vrmpy(v31.\type,v3.b);
	  v14.w = vadd(v18.w,v22.w); v15.w = vadd(v19.w,v23.w) }
	{ v12.w += vrmpy(v28.\type,v8.b); vmem(r3++#1) = v12.new; v31:30 = vshuff(v27,v25,r4);
	  r1 = add(r1,r6) }
	{ v22.w = vrmpy(v28.\type,v4.b); v23.w = vrmpy(v29.\type,v5.b); v26 = vmemu(r2++m1) }
	{ v13.w += vrmpy(v29.\type,v9.b); vmem(r3++#1) = v13.new; v25:24 = vshuff(v21,v20,r7) }
	{ v12.w = vadd(v16.w,v22.w); v13.w = vadd(v17.w,v23.w) }
	{ v14.w += vrmpy(v30.\type,v10.b); vmem(r3++#1) = v14.new;
	  v27:26 = vshuff(v26,v26,r7) }:endloop0
.Llast\@:
	{ v16.w = vrmpy(v28.\type,v0.b); v17.w = vrmpy(v29.\type,v1.b); r0 = sub(r10,r8);
	  r11 = add(r11,r9) }
	{ v15.w += vrmpy(v31.\type,v11.b); vmem(r3++#1) = v15.new; v29:28 = vshuff(v26,v24,r4);
	  m0 = r6 }:endloop1
	/* The end of the last position, with the padding below it. */
	{ v22.w = vrmpy(v30.\type,v6.b); v23.w = vrmpy(v31.\type,v7.b); v21 = vmem(r15+#0) }
	{ v18.w = vrmpy(v30.\type,v2.b); v19.w = vrmpy(v31.\type,v3.b);
	  v14.w = vadd(v18.w,v22.w); v15.w = vadd(v19.w,v23.w) }
	{ v12.w += vrmpy(v28.\type,v8.b); vmem(r3++#1) = v12.new; v31:30 = vshuff(v27,v25,r4) }
	{ v22.w = vrmpy(v28.\type,v4.b); v23.w = vrmpy(v29.\type,v5.b) }
	{ v13.w += vrmpy(v29.\type,v9.b); vmem(r3++#1) = v13.new }
	{ v12.w = vadd(v16.w,v22.w); v13.w = vadd(v17.w,v23.w); v22.w = vrmpy(v30.\type,v6.b);
	  v23.w = vrmpy(v31.\type,v7.b) }
	{ v14.w += vrmpy(v30.\type,v10.b); vmem(r3++#1) = v14.new }
	{ v15.w += vrmpy(v31.\type,v11.b); vmem(r3++#1) = v15.new; v14.w = vadd(v18.w,v22.w) }
	{ v12.w += vrmpy(v21.\type,v8.b); vmem(r3++#1) = v12.new; v15.w = vadd(v19.w,v23.w) }
	{ v13.w += vrmpy(v21.\type,v9.b); vmem(r3++#1) = v13.new }
	{ v14.w += vrmpy(v21.\type,v10.b); vmem(r3++#1) = v14.new }
	{ v15.w += vrmpy(v21.\type,v11.b); vmem(r3++#1) = v15.new; jumpr r31 }
	endfunction
.endm

/*
 * scale_row: a row's results, up to what is stored with the last ones, and the beginning of those
 * of the row behind it, whose sums are at `sums`. In a position's last row also where results of
 * the next one go (`turn`).
 */
.macro scale_row type, sums, turn
	{ v31.tmp = vmem(\sums++#1); v17.w = vadd(v31.w,v8.w);
	  v24.w += vmpyo(v20.w,v3.h):<<1:rnd:sat:shift; v25.h = vpacko(v22.w,v21.w) }
	{ v17.w = vasl(v17.w,v4.w); v24.w = vadd(v24.w,v12.w):sat; v27.uh = vmin(v22.uh,v21.uh);
	  v16 |= vand(q0,r4) }
	{ v21.w = vmpye(v17.w,v0.uh); v31.tmp = vmem(\sums++#1); v18.w = vadd(v31.w,v9.w);
	  v28.uh = vmin(v24.uh,v23.uh) }
	{ v21.w += vmpyo(v17.w,v0.h):<<1:rnd:sat:shift; v31.tmp = vmem(\sums++#1);
	  v19.w = vadd(v31.w,v10.w); v26.h = vpacko(v24.w,v23.w) }
	{ v21.w = vadd(v21.w,v12.w):sat; v18.w = vasl(v18.w,v5.w); v30.uh = vmin(v27.uh,v28.uh);
	  v29.\type = vpack(v26.h,v25.h):sat }
	{ v22.w = vmpye(v18.w,v1.uh); v19.w = vasl(v19.w,v6.w);
	  v29.\type = vmax(v29.\type,v13.\type); r4 = rol(r4,#1) }
	{ v23.w = vmpye(v19.w,v2.uh); v30.w = vasl(v30.w,r7);
	  v29.\type = vmin(v29.\type,v14.\type)
	  \turn }
	{ v23.w += vmpyo(v19.w,v2.h):<<1:rnd:sat:shift; v31.tmp = vmem(\sums++m1);
	  v20.w = vadd(v31.w,v11.w); q0 = vcmp.gt(v15.uw,v30.uw) }
	{ v22.w += vmpyo(v18.w,v1.h):<<1:rnd:sat:shift; v23.w = vadd(v23.w,v12.w):sat;
	  v20.w = vasl(v20.w,v7.w) }
.endm

/*
 * scale_image: nn_depthwise_scale_image_u8() and _s8().
 *
 *	v0 .. v3	multipliers
 *	v4 .. v7	shifts
 *	v8 .. v11	biases
 *	v12		the zero point and what makes fractions of possible ties small
 *	v13, v14	the clamp
 *	v15		what these are below, shifted left by r7, 16
 *	v16, r4		the rows' bits, the row's bit
 *	r1, r2		sums, where results go; r3, r10 in the next position
 *	m1		from a row's last sums to the next row's first
 *	r5		rounds of the loop
 *	r8, r9		where bits go, bytes from position to position
 *	r12		from a position's second sums to the next one's first
 */
.macro scale_image name, type
	function \name
	{ r28 = r0; r11:10 = memd(r0+#IMAGE_WEIGHTS); r13:12 = memd(r0+#IMAGE_WEIGHTS+8) }
	{ r7:6 = memd(r28+#IMAGE_BIAS_SCALES); r5 = memw(r28+#IMAGE_PERIOD) }
	{ r15:14 = memd(r28+#IMAGE_OFFSET_LIMIT); r3:2 = memd(r28+#IMAGE_MIN_MAX); m1 = r7;
	  r10 = add(r10,r6) }
	{ r1 = memw(r28+#IMAGE_SCALED); r9:8 = memd(r28+#IMAGE_TIES_OUT_STEP); m0 = r5;
	  r11 = add(r11,r6) }
	{ v8 = vmemu(r10++m1); r12 = add(r12,r6); r13 = add(r13,r6) }
	{ v9 = vmemu(r11++m1); v12 = vsplat(r14); r7 = #16 }
	{ v10 = vmemu(r12++m1); v15 = vsplat(r15) }
	{ v11 = vmemu(r13++m1); v13 = vsplat(r2) }
	{ v0 = vmemu(r10++m0); v14 = vsplat(r3) }
	{ v1 = vmemu(r11++m0); v16 = vxor(v16,v16) }
	{ v2 = vmemu(r12++m0); q0 = and(q0,!q0) }
	{ v3 = vmemu(r13++m0); r4 = ##-0x80000000 }
	{ v4 = vmemu(r10) }
	{ v5 = vmemu(r11) }
	{ v6 = vmemu(r12) }
	{ v7 = vmemu(r13) }
	{ v31.tmp = vmem(r1++#1); v17.w = vadd(v31.w,v8.w); r13:12 = memd(r28+#IMAGE_NEXT_STEP) }
	{ v17.w = vasl(v17.w,v4.w); v31.tmp = vmem(r1++#1); v18.w = vadd(v31.w,v9.w);
	  r11:10 = memd(r28+#IMAGE_OUT_PITCH) }
	{ v21.w = vmpye(v17.w,v0.uh); v31.tmp = vmem(r1++#1); v19.w = vadd(v31.w,v10.w);
	  v18.w = vasl(v18.w,v5.w) }
	{ v21.w += vmpyo(v17.w,v0.h):<<1:rnd:sat:shift; v19.w = vasl(v19.w,v6.w); m1 = r13;
	  r5 = memw(r28+#IMAGE_ROWS) }
	{ v22.w = vmpye(v18.w,v1.uh); v21.w = vadd(v21.w,v12.w):sat; m0 = r11;
	  r6 = memw(r28+#IMAGE_COUNT) }
	{ v23.w = vmpye(v19.w,v2.uh); v31.tmp = vmem(r1++m1); v20.w = vadd(v31.w,v11.w);
	  r5 = add(r5,#-1) }
	{ v23.w += vmpyo(v19.w,v2.h):<<1:rnd:sat:shift; v20.w = vasl(v20.w,v7.w);
	  p0 = cmp.eq(r5,#0); loop1(.Lscale\@,r6) }
	{ v22.w += vmpyo(v18.w,v1.h):<<1:rnd:sat:shift; v23.w = vadd(v23.w,v12.w):sat;
	  r3 = add(r1,r12); loop0(.Lscale\@,r5) }
	{ v22.w = vadd(v22.w,v12.w):sat; v24.w = vmpye(v20.w,v3.uh); r2 = r10;
	  if (p0) jump .Lone\@ }
.Lscale\@:
	scale_row \type, r1
	{ v22.w = vadd(v22.w,v12.w):sat; v24.w = vmpye(v20.w,v3.uh);
	  vmemu(r2++m0) = v29 }:endloop0
.Llast\@:
	/* The position's last row; what follows the last position's sums means nothing. */
	scale_row \type, r3, "; r10 = add(r10,r9)"
	{ v22.w = vadd(v22.w,v12.w):sat; v24.w = vmpye(v20.w,v3.uh); vmemu(r2++m0) = v29 }
	{ v16 |= vand(q0,r4); r1 = r3; r3 = add(r3,r12); lc0 = r5 }
	{ vmem(r8++#1) = v16; v16 = vxor(v16,v16); q0 = and(q0,!q0); r2 = r10 }:endloop1
	jumpr	r31
.Lone\@:
	{ loop1(.Llast\@,r6); jump .Llast\@ }
	endfunction
.endm

	sum_image nn_depthwise_sum_image_u8, ub
	sum_image nn_depthwise_sum_image_s8, b
	scale_image nn_depthwise_scale_image_u8, ub
	scale_image nn_depthwise_scale_image_s8, b
