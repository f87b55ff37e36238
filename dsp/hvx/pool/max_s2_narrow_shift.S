/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL's windows of 2x2 and 3x3 with stride 2 and 33 to 63 channels, two or three to a vector,
 * by pixels that are shifted (interleave.h). max_s2_narrow.c calls them.
 *
 *	three windows       |l0 r0 l1 | r1 l2 r2|	the greatest of rows
 *	shifts and masks    |l0 r1 l2|	|r0 l1 r2|	one pixel of each window in either
 *
 * A packet has one permutation, which an unaligned load or store is, too. Windows of 2x2 have four
 * loads, as many shifts as windows and a store, so 7 packets or 8; those of 3x3 two loads more, and
 * the last column once more for the window after it, 10 or 11.
 *
 *	v6, v7		greatest of rows, 256 bytes; v11, v10, v13: shifted by one to three pixels
 *	v8, v9		the clamp
 *	v15, v14	as the first pixel the column before, and the next vector's
 *	q0, q1		the first pixel, the first two
 *	r0, r8		where the next vector's results go, and this one's; r9: its bytes
 *	r1, r2, r3	rows; r10, r11: to the next row, of the input and the output
 *	r4, r5, r6	bytes of one to three pixels
 *	r12, r13	vectors of a row that are left and one more, and those of a row
 *	p0		whether this vector is a row's last
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/pool/interleave.h"

.macro shifted_begin
	{ r15 = r0; r4 = memw(r0+#NARROW_PIXEL); r9 = memw(r0+#NARROW_BYTES) }
	{ v0 = vmem(r15+#NARROW_BEGIN/128); r6 = add(r15, #NARROW_BEFORE); r10 = #-1 }
	{ v14 = vmem(r6+#0); q0 = vand(v0, r10); r5 = add(r4, r4); r14 = #128 }
	{ r12 = add(r9, r9); r6 = add(r4, r5); q1 = vsetq(r5) }
	{ m0 = r14; r12 = sub(r12, r14); r10 = memw(r15+#NARROW_MIN); r11 = memw(r15+#NARROW_MAX) }
	{ m1 = r12; v8 = vsplat(r10); r1 = memw(r15+#NARROW_ROWS); r2 = memw(r15+#NARROW_ROWS+4) }
	{ v9 = vsplat(r11); r3 = memw(r15+#NARROW_ROWS+8); r12 = memw(r15+#NARROW_ACROSS) }
	{ r10 = memw(r15+#NARROW_NEXT); r11 = memw(r15+#NARROW_TO_NEXT) }
	{ r0 = memw(r15+#NARROW_TO); r14 = memw(r15+#NARROW_COUNT) }
	{ r13 = add(r12, #1); p0 = cmp.eq(r12, #1); r14 = add(r14, #-1) }
.endm

.macro shifted_2 type, windows, load, end
	{
	.if \load
		v0 = vmemu(r1++m0)
	.endif
		r8 = r0
		r0 = add(r0, r9)
	}
	{
		v11 = valign(v7, v6, r4)
		if (p0) r0 = add(r0, r11)
		if (p0) r12 = r13
	}
	{
		v10 = valign(v7, v6, r5)
		v11.\type = vmax(v11.\type, v8.\type)
		p0 = cmp.eq(r12, #2)
		r12 = add(r12, #-1)
	}
	.if \windows == 3
	{
		v13 = valign(v7, v6, r6)
		v10.\type = vmax(v10.\type, v8.\type)
	}
	.endif
	{
	.if \load
		v1 = vmemu(r2++m0)
	.endif
		v10 = vmux(q0, v6, v10)
	.if \windows == 3
		v11 = vmux(q1, v11, v13)
	.endif
	}
	{
	.if \load
		v2 = vmemu(r1++m1)
		v6.\type = vmax(v0.\type, v1.\type)
	.endif
		v10.\type = vmax(v10.\type, v11.\type)
	}
	{
	.if \load
		v3 = vmemu(r2++m1)
		if (p0) r1 = add(r1, r10)
	.endif
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r8+#0) = v10
	.if \load
		v7.\type = vmax(v2.\type, v3.\type)
		if (p0) r2 = add(r2, r10)
	.endif
	.if \end
	}:endloop0
	.else
	}
	.endif
.endm

/*
 * Windows of 3x3. v\last is shifted by as many pixels as there are windows; r\turn: bytes of one
 * pixel less.
 */
.macro shifted_3 type, windows, last, turn, load, end
	{
	.if \load
		v0 = vmemu(r1++m0)
	.endif
		v15 = v14
		r8 = r0
	}
	{
		v11 = valign(v7, v6, r4)
		r0 = add(r0, r9)
		if (p0) r2 = add(r2, r10)
		if (p0) r12 = r13
	}
	{
		v10 = valign(v7, v6, r5)
		v11.\type = vmax(v11.\type, v8.\type)
		if (p0) r0 = add(r0, r11)
		if (p0) r3 = add(r3, r10)
	}
	.if \windows == 3
	{
		v13 = valign(v7, v6, r6)
	}
	.endif
	{
		v14 = vror(v\last, r\turn)
		v12 = vmux(q1, v6, v\last)
		v10 = vmux(q0, v6, v10)
	}
	{
	.if \load
		v1 = vmemu(r2++m0)
	.endif
		v12 = vmux(q0, v15, v12)
		v10.\type = vmax(v10.\type, v11.\type)
	}
	{
	.if \load
		v2 = vmemu(r3++m0)
		v6.\type = vmax(v0.\type, v1.\type)
	.endif
		v10.\type = vmax(v10.\type, v12.\type)
	}
	{
	.if \load
		v0 = vmemu(r1++m1)
		v6.\type = vmax(v6.\type, v2.\type)
	.endif
		v10.\type = vmin(v10.\type, v9.\type)
	}
	.if \load
	{
		v1 = vmemu(r2++m1)
		if (p0) v14 = v8
		r12 = add(r12, #-1)
	}
	{
		v2 = vmemu(r3++m1)
		v7.\type = vmax(v0.\type, v1.\type)
		p0 = cmp.eq(r12, #1)
	}
	.endif
	{
		vmemu(r8+#0) = v10
	.if \load
		v7.\type = vmax(v7.\type, v2.\type)
		if (p0) r1 = add(r1, r10)
	.endif
	.if \end
	}:endloop0
	.else
	}
	.endif
.endm

.macro max_shifted name, type, kernel, windows, more:vararg
	function \name
	shifted_begin
	v0 = vmemu(r1++m0)
	v1 = vmemu(r2++m0)
	{ v2 = vmemu(r1++m1); v6.\type = vmax(v0.\type, v1.\type) }
	{ v3 = vmemu(r2++m1); if (p0) r1 = add(r1, r10) }
	v7.\type = vmax(v2.\type, v3.\type)
	.if \kernel == 3
	v0 = vmemu(r3++m0)
	{ v1 = vmemu(r3++m1); v6.\type = vmax(v6.\type, v0.\type) }
	v7.\type = vmax(v7.\type, v1.\type)
	.else
	if (p0) r2 = add(r2, r10)
	.endif
	{ loop0(.Lvector\@, r14); p1 = cmp.eq(r14, #0) }
	if (p1) jump .Llast\@
.Lvector\@:
	shifted_\kernel \type, \windows, \more 1, 1
.Llast\@:
	shifted_\kernel \type, \windows, \more 0, 0
	jumpr	r31
	endfunction
.endm

	max_shifted nn_max_shifted2_2_u8, ub, 2, 2
	max_shifted nn_max_shifted2_3_u8, ub, 3, 2, 10, 4,
	max_shifted nn_max_shifted3_2_u8, ub, 2, 3
	max_shifted nn_max_shifted3_3_u8, ub, 3, 3, 13, 5,
	max_shifted nn_max_shifted2_2_s8, b, 2, 2
	max_shifted nn_max_shifted2_3_s8, b, 3, 2, 10, 4,
	max_shifted nn_max_shifted3_2_s8, b, 2, 3
	max_shifted nn_max_shifted3_3_s8, b, 3, 3, 13, 5,
