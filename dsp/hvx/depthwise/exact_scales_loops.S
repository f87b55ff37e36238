/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's results where all scales are exact: the loops that nn_depthwise_scale_exact()
 * calls. exact_scales.h says where sums and results are.
 *
 * A product of a sum and an exact scale has 16 bits of fraction and nothing below. Each result is
 * made twice, rounded up where it is a tie and rounded down there. Elsewhere both are the same, and
 * of a tie the even one counts, without the zero point: so where the first is odd the second is
 * taken, and the other way round if the zero point is odd.
 *
 * 128 results take 4 biases, 4 products, each both multipliers of a packet, 4 and 4 roundings, 6
 * packs, a look at the lowest bits, a choice, the clamp's 2, and a store that is not aligned, which
 * takes two slots and a permutation: 31 pipes and, with the sums' loads, 32 slots. Eight packets
 * would have no slot left for the loop; it is nine. The loop's body holds packets of two rows, and
 * rows of all positions follow each other without a pause but for a packet.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/depthwise/exact_scales.h"

/*
 * exact_row: a row's results, from their first halfwords in v12 on, and the beginning of those of
 * the row behind it, whose sums are at `sums`. In a position's last row also what goes on to the
 * next one (`turn`, `next`).
 */
.macro exact_row type, half, width, bytes, by, odd, even, sums, turn, next, loop
	{ v31.tmp = vmem(\sums++#1); v16.w = vadd(v31.w,v4.w);
	  v13.h = \half(v23.\width,v22.\width) }
	{ v20.w = vmpyie(v16.w,v0.uh); v31.tmp = vmem(\sums++#1); v17.w = vadd(v31.w,v5.w);
	  v28.\type = \bytes(v13.h,v12.h\by):sat }
	{ v21.w = vmpyie(v17.w,v1.uh); v31.tmp = vmem(\sums++#1); v18.w = vadd(v31.w,v6.w);
	  v14.h = \half(v25.\width,v24.\width) }
	{ v22.w = vmpyie(v18.w,v2.uh); v31.tmp = vmem(\sums++m1); v19.w = vadd(v31.w,v7.w);
	  v15.h = \half(v27.\width,v26.\width) }
	{ v20.w = vadd(v20.w,v8.w):sat; v21.w = vadd(v21.w,v8.w):sat; q0 = vand(v28,r4);
	  v29.\type = \bytes(v15.h,v14.h\by):sat }
	{ v23.w = vmpyie(v19.w,v3.uh); v22.w = vadd(v22.w,v8.w):sat; v30 = vmux(q0,\odd,\even)
	  \turn }
	{ v23.w = vadd(v23.w,v8.w):sat; v24.w = vadd(v20.w,v9.w):sat; v25.w = vadd(v21.w,v9.w):sat;
	  v30.\type = vmax(v30.\type,v10.\type) }
	{ v26.w = vadd(v22.w,v9.w):sat; v27.w = vadd(v23.w,v9.w):sat;
	  v12.h = \half(v21.\width,v20.\width); v30.\type = vmin(v30.\type,v11.\type) }
	{ vmemu(r2++m0) = v30
	  \next }\loop
.endm

/*
 * scale_exact: one of the eight functions.
 *
 *	v0 .. v3	scales
 *	v4 .. v7	biases
 *	v8		the zero point and a half
 *	v9		-1: a product is rounded down where it is a tie
 *	v10, v11	the clamp
 *	v28, v29	a row's results, ties rounded up and down
 *	r1, r2		sums, where results go; r3, r10 in the next position
 *	m0, m1		from row to row: of results, of sums
 *	r4, r6		the lowest bit of each byte, 0
 *	r5		rounds of the loop
 *	r9, r12		bytes from position to position, from a position's second sums to the next
 *			one's first
 */
.macro scale_exact name, type, half, width, bytes, by, odd, even
	function \name
	{ r28 = add(r0,#EXACT_SCALARS) }
	{ v0 = vmem(r0++#1); r15:14 = memd(r28+#EXACT_SUMS_STEP); r6 = #0 }
	{ v1 = vmem(r0++#1); r13:12 = memd(r28+#EXACT_NEXT_COUNT); m1 = r15 }
	{ v2 = vmem(r0++#1); r11:10 = memd(r28+#EXACT_PITCH_ROWS); r1 = r14 }
	{ v3 = vmem(r0++#1); r15:14 = memd(r28+#EXACT_OUT_STEP); r5 = add(r11,#-1); m0 = r10 }
	{ v4 = vmem(r0++#1); r11:10 = memd(r28+#EXACT_MIN_MAX); r8 = r13; r9 = r15 }
	{ v5 = vmem(r0++#1); v10 = vsplat(r10); v11 = vsplat(r11) }
	{ v6 = vmem(r0++#1); r10 = r14; r4 = ##0x01010101 }
	{ v7 = vmem(r0+#0); r7 = memw(r28+#EXACT_ZERO_OFFSET+4); p0 = cmp.eq(r5,#0) }
	{ v8 = vsplat(r7); r7 = #-1; loop1(.Lrow\@,r8) }
	{ v31.tmp = vmem(r1++#1); v16.w = vadd(v31.w,v4.w); v9 = vsplat(r7) }
	{ v20.w = vmpyie(v16.w,v0.uh); v31.tmp = vmem(r1++#1); v17.w = vadd(v31.w,v5.w) }
	{ v21.w = vmpyie(v17.w,v1.uh); v31.tmp = vmem(r1++#1); v18.w = vadd(v31.w,v6.w) }
	{ v22.w = vmpyie(v18.w,v2.uh); v31.tmp = vmem(r1++m1); v19.w = vadd(v31.w,v7.w) }
	{ v23.w = vmpyie(v19.w,v3.uh); v20.w = vadd(v20.w,v8.w):sat; r3 = add(r1,r12) }
	{ v21.w = vadd(v21.w,v8.w):sat; v22.w = vadd(v22.w,v8.w):sat; r2 = r10 }
	{ v23.w = vadd(v23.w,v8.w):sat; v24.w = vadd(v20.w,v9.w):sat; v25.w = vadd(v21.w,v9.w):sat;
	  loop0(.Lrow\@,r5) }
	{ v26.w = vadd(v22.w,v9.w):sat; v27.w = vadd(v23.w,v9.w):sat;
	  v12.h = \half(v21.\width,v20.\width); if (p0) jump .Lone\@ }
.Lrow\@:
	exact_row \type, \half, \width, \bytes, "\by", \odd, \even, r1, "", "", ":endloop0"
.Llast\@:
	/* The position's last row; what follows the last position's sums means nothing. */
	exact_row \type, \half, \width, \bytes, "\by", \odd, \even, r3, "; r10 = add(r10,r9)", \
		"; r1 = r3; r3 = add(r3,r12)"
	{ r2 = r10; lc0 = r5 }:endloop1
	jumpr	r31
.Lone\@:
	{ loop1(.Llast\@,r8); jump .Llast\@ }
	endfunction
.endm

/* scale_both: for an even zero point, and for an odd one. */
.macro scale_both name, type, half, width, bytes, by
	scale_exact \name\()_even, \type, \half, \width, \bytes, "\by", v29, v28
	scale_exact \name\()_odd, \type, \half, \width, \bytes, "\by", v28, v29
.endm

	scale_both nn_depthwise_scale_exact_u8, ub, vpacko, w, vpack, ""
	scale_both nn_depthwise_scale_exact_s8, b, vpacko, w, vpack, ""
	scale_both nn_depthwise_scale_dealt_u8, ub, vshuffo, h, vasr, ",r6"
	scale_both nn_depthwise_scale_dealt_s8, b, vshuffo, h, vasr, ",r6"
