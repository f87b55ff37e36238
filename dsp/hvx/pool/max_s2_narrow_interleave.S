/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL's windows of 2x2 and 3x3 with stride 2 and 24 channels, five to a vector, which are
 * interleaved from two vectors (interleave.h). max_s2_narrow.c calls them.
 *
 *	two vectors   |l0 r0 l1 r1 l2|	|r2 l3 r3 l4 r4|	the greatest of rows
 *	interleaved   |l0 l3 l1 l4 l2|	|r2 r0 r3 r1 r4|	then the right ones rotate
 *
 * A packet has one permutation, which an unaligned load or store is, too. Windows of 2x2 have four
 * loads, a rotation, two networks and a store, so 8 packets; those of 3x3 two loads more, and a
 * rotation for the column of the window before, 11. Their other operations are beside these. The
 * loads are the next vector's. Where a row ends, all addresses go on to the next in the same
 * packets.
 *
 *	v6, v7		greatest of rows: the first pixels, the second ones; v10, v11:
 *			interleaved
 *	v8, v9		the clamp
 *	v15		the last vector's right pixels, rotated to the right
 *	v20, v21, v22	turn, even and odd
 *	q0, q1, q2	first, late, begin
 *	r0, r8		where the next vector's results go, and this one's
 *	r1, r2, r3	rows; r4, r5: to the next row
 *	r6, r7	vectors of a row that are left and one more, and those of a row; r9: bytes
 *	p0		whether this vector is a row's last
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/pool/interleave.h"

.macro interleaved_begin
	{ v20 = vmem(r0+#NARROW_TURN/128); r10 = #-1; r15 = r0 }
	{ v21 = vmem(r0+#NARROW_EVEN/128); r6 = add(r0, #NARROW_LATE) }
	{ v22 = vmem(r0+#NARROW_ODD/128); r0 = memw(r0+#NARROW_TO) }
	{ v0 = vmem(r15+#NARROW_FIRST/128); r1 = memw(r15+#NARROW_ROWS) }
	{ v1 = vmem(r6+#0); r2 = memw(r15+#NARROW_ROWS+4); q0 = vand(v0, r10) }
	{ v2 = vmem(r6+#1); r3 = memw(r15+#NARROW_ROWS+8); q1 = vand(v1, r10) }
	{ v15 = vmem(r6+#2); r9 = memw(r15+#NARROW_BYTES); q2 = vand(v2, r10) }
	{ m0 = r9; r4 = memw(r15+#NARROW_NEXT); r5 = memw(r15+#NARROW_TO_NEXT) }
	{ r10 = memw(r15+#NARROW_MIN); r11 = memw(r15+#NARROW_MAX) }
	{ v8 = vsplat(r10); r6 = memw(r15+#NARROW_ACROSS); r10 = memw(r15+#NARROW_COUNT) }
	{ v9 = vsplat(r11); r7 = add(r6, #1); p0 = cmp.eq(r6, #1); r10 = add(r10, #-1) }
.endm

/* The packets that 2x2 and 3x3 have in common: the greater of left and right, and the least. */
.macro interleaved_beside type, load
	{
	.if \load
		v0 = vmemu(r1++m0)
	.endif
		v10 = vmux(q0, v6, v7)
		v11 = vmux(q0, v7, v6)
	}
	{
		v12 = vdelta(v11, v20)
		v10.\type = vmax(v10.\type, v8.\type)
		r8 = r0
		r0 = add(r0, r9)
	}
	{
	.if \load
		v1 = vmemu(r2++m0)
	.endif
		v10.\type = vmax(v10.\type, v12.\type)
		if (p0) r0 = add(r0, r5)
	}
.endm

.macro interleaved_2 type, load, end
	interleaved_beside \type, \load
	{
		v12 = vrdelta(v10, v21)
		if (p0) r6 = r7
	.if \load
		v6.\type = vmax(v0.\type, v1.\type)
	.endif
	}
	{
		v13 = vrdelta(v10, v22)
		p0 = cmp.eq(r6, #2)
		r6 = add(r6, #-1)
	}
	{
	.if \load
		v2 = vmemu(r1++m0)
	.endif
		v12 = vmux(q1, v13, v12)
	}
	{
	.if \load
		v3 = vmemu(r2++m0)
		if (p0) r1 = add(r1, r4)
	.endif
		v12.\type = vmin(v12.\type, v9.\type)
	}
	{
		vmemu(r8+#0) = v12
	.if \load
		v7.\type = vmax(v2.\type, v3.\type)
		if (p0) r2 = add(r2, r4)
	.endif
	.if \end
	}:endloop0
	.else
	}
	.endif
.endm

.macro interleaved_3 type, load, end
	interleaved_beside \type, \load
	{
		v13 = vrdelta(v11, v20)
		if (p0) r6 = r7
	.if \load
		v6.\type = vmax(v0.\type, v1.\type)
		if (p0) r3 = add(r3, r4)
	.endif
	}
	{
	.if \load
		v2 = vmemu(r3++m0)
	.endif
		v14 = vmux(q2, v15, v13)
		v15 = v13
	}
	{
	.if \load
		v0 = vmemu(r1++m0)
		v6.\type = vmax(v6.\type, v2.\type)
	.endif
		v10.\type = vmax(v10.\type, v14.\type)
	}
	{
		v12 = vrdelta(v10, v21)
		if (p0) v15 = v8
	}
	{
		v13 = vrdelta(v10, v22)
		p0 = cmp.eq(r6, #2)
		r6 = add(r6, #-1)
	}
	{
	.if \load
		v1 = vmemu(r2++m0)
		if (p0) r1 = add(r1, r4)
	.endif
		v12 = vmux(q1, v13, v12)
	}
	{
	.if \load
		v2 = vmemu(r3++m0)
		v7.\type = vmax(v0.\type, v1.\type)
	.endif
		v12.\type = vmin(v12.\type, v9.\type)
	}
	{
		vmemu(r8+#0) = v12
	.if \load
		v7.\type = vmax(v7.\type, v2.\type)
		if (p0) r2 = add(r2, r4)
	.endif
	.if \end
	}:endloop0
	.else
	}
	.endif
.endm

.macro max_interleaved name, type, kernel
	function \name
	interleaved_begin
	v0 = vmemu(r1++m0)
	v1 = vmemu(r2++m0)
	{ v2 = vmemu(r1++m0); v6.\type = vmax(v0.\type, v1.\type) }
	{ v3 = vmemu(r2++m0); if (p0) r1 = add(r1, r4) }
	{ v7.\type = vmax(v2.\type, v3.\type); if (p0) r2 = add(r2, r4) }
	.if \kernel == 3
	v0 = vmemu(r3++m0)
	{ v1 = vmemu(r3++m0); v6.\type = vmax(v6.\type, v0.\type) }
	v7.\type = vmax(v7.\type, v1.\type)
	.endif
	{ loop0(.Lvector\@, r10); p1 = cmp.eq(r10, #0) }
	if (p1) jump .Llast\@
.Lvector\@:
	interleaved_\kernel \type, 1, 1
.Llast\@:
	interleaved_\kernel \type, 0, 0
	jumpr	r31
	endfunction
.endm

	max_interleaved nn_max_interleaved_2_u8, ub, 2
	max_interleaved nn_max_interleaved_2_s8, b, 2
	max_interleaved nn_max_interleaved_3_u8, ub, 3
	max_interleaved nn_max_interleaved_3_s8, b, 3
