/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL's windows of 2x2 and 3x3 with stride 2 and at most 32 channels, in pairs of vectors
 * whose left and right pixels delta networks bring together (interleave.h). max_s2_narrow.c calls
 * them.
 *
 *	two vectors         |l0 r0 l1 r1 ...|	|l4 r4 l5 r5 ...|	the greatest of rows
 *	vrdelta and a mask  |l0 l1 .. l4 l5 ..|	|r0 r1 .. r4 r5 ..|
 *
 * A packet has one permutation, which an unaligned load or store is, too. Windows of 2x2 have four
 * loads, four networks and a store, so 9 packets; those of 3x3 two loads more, and two rotations
 * for the column of the window before, 13. The loads are the next vector's. Where a row ends, all
 * addresses go on to the next in the same packets.
 *
 *	v6, v7		greatest of rows: the first pixels, the second ones
 *	v8, v9		the clamp
 *	v10, v11	left pixels and right ones; v12, v13: of the second vector
 *	v15		the last vector's last right pixel, as the first pixel
 *	v20 - v23	networks: left pixels of the first and the second vector, and right ones
 *	q1, q2		results that come from the second vector, begin
 *	r0, r8		where the next vector's results go, and this one's
 *	r1, r2, r3	rows; r4, r5: to the next row
 *	r6, r7	vectors of a row that are left and one more, and those of a row; r9: bytes
 *	r12, r13	how far right pixels are rotated to be beside the next left ones, and the
 *			last to the first pixel
 *	p0		whether this vector is a row's last
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/pool/interleave.h"

.macro paired_begin
	{ v20 = vmem(r0+#NARROW_PAIRS/128); r10 = #-1; r15 = r0 }
	{ v21 = vmem(r0+#NARROW_PAIRS/128+1); r6 = add(r0, #NARROW_LATE) }
	{ v22 = vmem(r0+#NARROW_PAIRS/128+2); r0 = memw(r0+#NARROW_TO) }
	{ v23 = vmem(r15+#NARROW_PAIRS/128+3); r1 = memw(r15+#NARROW_ROWS) }
	{ v1 = vmem(r6+#0); r2 = memw(r15+#NARROW_ROWS+4) }
	{ v2 = vmem(r6+#1); r3 = memw(r15+#NARROW_ROWS+8); q1 = vand(v1, r10) }
	{ v15 = vmem(r6+#2); r9 = memw(r15+#NARROW_BYTES); q2 = vand(v2, r10) }
	{ m0 = r9; r4 = memw(r15+#NARROW_NEXT); r5 = memw(r15+#NARROW_TO_NEXT) }
	{ r10 = memw(r15+#NARROW_MIN); r11 = memw(r15+#NARROW_MAX) }
	{ v8 = vsplat(r10); r6 = memw(r15+#NARROW_ACROSS); r13 = memw(r15+#NARROW_PIXEL) }
	{ v9 = vsplat(r11); r7 = add(r6, #1); p0 = cmp.eq(r6, #1); r10 = memw(r15+#NARROW_COUNT) }
	{ r12 = sub(#128, r13); r13 = sub(r9, r13); r10 = add(r10, #-1) }
.endm

/* The packets that 2x2 and 3x3 have in common, up to the second vector's left pixels. */
.macro paired_left type, load, kernel
	{
	.if \load
		v0 = vmemu(r1++m0)
	.endif
		r8 = r0
		r0 = add(r0, r9)
	}
	{
		v10 = vrdelta(v6, v20)
		if (p0) r0 = add(r0, r5)
		if (p0) r6 = r7
	}
	{
		v11 = vrdelta(v6, v22)
	.if \kernel == 2
		p0 = cmp.eq(r6, #2)
		r6 = add(r6, #-1)
	.else
		if (p0) r2 = add(r2, r4)
		if (p0) r3 = add(r3, r4)
	.endif
	}
	{
		v12 = vrdelta(v7, v21)
	}
	{
		v13 = vrdelta(v7, v23)
		v10 = vmux(q1, v12, v10)
	}
	{
	.if \load
		v1 = vmemu(r2++m0)
	.endif
		v11 = vmux(q1, v13, v11)
		v10.\type = vmax(v10.\type, v8.\type)
	}
.endm

.macro paired_2 type, load, loop
	paired_left \type, \load, 2
	{
	.if \load
		v2 = vmemu(r1++m0)
		v6.\type = vmax(v0.\type, v1.\type)
	.endif
		v10.\type = vmax(v10.\type, v11.\type)
	}
	{
	.if \load
		v3 = vmemu(r2++m0)
		if (p0) r1 = add(r1, r4)
	.endif
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r8+#0) = v10
	.if \load
		v7.\type = vmax(v2.\type, v3.\type)
		if (p0) r2 = add(r2, r4)
	.endif
	}\loop
.endm

.macro paired_3 type, load, loop
	paired_left \type, \load, 3
	{
		v14 = vror(v11, r12)
		v10.\type = vmax(v10.\type, v11.\type)
	.if \load
		v6.\type = vmax(v0.\type, v1.\type)
	.endif
	}
	{
		v13 = vror(v11, r13)
		v14 = vmux(q2, v15, v14)
	}
	{
	.if \load
		v2 = vmemu(r3++m0)
	.endif
		v15 = v13
		v10.\type = vmax(v10.\type, v14.\type)
	}
	{
	.if \load
		v0 = vmemu(r1++m0)
		v6.\type = vmax(v6.\type, v2.\type)
	.endif
		if (p0) v15 = v8
	}
	{
	.if \load
		v1 = vmemu(r2++m0)
	.endif
		p0 = cmp.eq(r6, #2)
		r6 = add(r6, #-1)
	}
	{
	.if \load
		v2 = vmemu(r3++m0)
		v7.\type = vmax(v0.\type, v1.\type)
	.endif
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r8+#0) = v10
	.if \load
		v7.\type = vmax(v7.\type, v2.\type)
		if (p0) r1 = add(r1, r4)
	.endif
	}\loop
.endm

.macro max_paired name, type, kernel
	function \name
	paired_begin
	v0 = vmemu(r1++m0)
	v1 = vmemu(r2++m0)
	{ v2 = vmemu(r1++m0); v6.\type = vmax(v0.\type, v1.\type) }
	{ v3 = vmemu(r2++m0); if (p0) r1 = add(r1, r4) }
	.if \kernel == 3
	{ v0 = vmemu(r3++m0); v7.\type = vmax(v2.\type, v3.\type) }
	{ v1 = vmemu(r3++m0); v6.\type = vmax(v6.\type, v0.\type) }
	v7.\type = vmax(v7.\type, v1.\type)
	.else
	{ v7.\type = vmax(v2.\type, v3.\type); if (p0) r2 = add(r2, r4) }
	.endif
	{ loop0(.Lvector\@, r10); p1 = cmp.eq(r10, #0) }
	if (p1) jump .Llast\@
.Lvector\@:
	paired_\kernel \type, 1, ":endloop0"
.Llast\@:
	paired_\kernel \type, 0, ""
	jumpr	r31
	endfunction
.endm

	max_paired nn_max_delta_2_u8, ub, 2
	max_paired nn_max_delta_2_s8, b, 2
	max_paired nn_max_delta_3_u8, ub, 3
	max_paired nn_max_delta_3_s8, b, 3
