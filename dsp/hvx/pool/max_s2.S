/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL's windows of 2x2 and 3x3 with stride 2, straight from the input: max_s2.h says what each
 * function does, and max_pool.c calls them.
 *
 *	pow2, 32 channels     |p0 p1 p2 p3|p4 p5 p6 p7|	the greatest of two rows, 256 bytes
 *	vdeal                 |p0 p2 p4 p6|p1 p3 p5 p7|	left and right pixels of four windows
 *
 * Unaligned loads and stores have a packet each, so a wide window of 2x2 takes five and, with a
 * column of the one before, one of 3x3 takes seven; maxima and clamp go with the loads of the next
 * window. Pow2 windows are 256 bytes of each row for 128 results: five packets and seven, too,
 * where rows are aligned; where they are not, vdeal and valign need one more each, as they share
 * the permuting pipe with unaligned loads. So packets cannot be fewer, but for 2x2 with aligned
 * results, which could be stored beside a load.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/pool/max_s2.h"

/*
 * A wide window of 2x2. `step` is the bytes from one result to the next: r6, as from one column to
 * the next, or r13, which is given.
 */
.macro wide_2 name, type, step=r6
	function \name
	{
		r15 = r0
		r13 = r1
		r1 = memw(r0+#MAX_S2_ROWS)
		r2 = memw(r0+#MAX_S2_ROWS+4)
	}
	{
		r6 = memw(r15+#MAX_S2_PIXEL)
		r7 = memw(r15+#MAX_S2_COUNT)
	}
	{
		r3 = add(r1, r6)
		r4 = add(r2, r6)
		r8 = memw(r15+#MAX_S2_MIN)
		r9 = memw(r15+#MAX_S2_MAX)
	}
	{
		m1 = \step
		r6 = add(r6, r6)
		v8 = vsplat(r8)
	}
	{
		m0 = r6
		v9 = vsplat(r9)
		r0 = memw(r15+#MAX_S2_TO)
	}
	v0 = vmemu(r1++m0)
	v1 = vmemu(r2++m0)
	{
		v2 = vmemu(r3++m0)
		v5.\type = vmax(v0.\type, v1.\type)
		r7 = add(r7, #-1)
	}
	{
		v3 = vmemu(r4++m0)
		v4.\type = vmax(v5.\type, v2.\type)
		p0 = cmp.eq(r7, #0)
	}
	if (p0) jump .Llast\@
	loop0(.Lwindow\@, r7)
.Lwindow\@:
	{
		v0 = vmemu(r1++m0)
		v4.\type = vmax(v4.\type, v3.\type)
	}
	{
		v1 = vmemu(r2++m0)
		v4.\type = vmax(v4.\type, v8.\type)
	}
	{
		v2 = vmemu(r3++m0)
		v4.\type = vmin(v4.\type, v9.\type)
	}
	{
		vmemu(r0++m1) = v4
		v5.\type = vmax(v0.\type, v1.\type)
	}
	{
		v3 = vmemu(r4++m0)
		v4.\type = vmax(v5.\type, v2.\type)
	}:endloop0
.Llast\@:
	v4.\type = vmax(v4.\type, v3.\type)
	v4.\type = vmax(v4.\type, v8.\type)
	v4.\type = vmin(v4.\type, v9.\type)
	vmemu(r0+#0) = v4
	jumpr	r31
	endfunction
.endm

/* A wide window of 3x3. v7 is the column that the next window begins with. */
.macro wide_3 name, type, step=r6
	function \name
	{
		r15 = r0
		r13 = r1
		r4 = memw(r0+#MAX_S2_BEFORE)
		r5 = memw(r0+#MAX_S2_BEFORE+4)
	}
	{
		r6 = memw(r15+#MAX_S2_BEFORE+8)
		r7 = memw(r15+#MAX_S2_COUNT)
	}
	{
		v3 = vmemu(r4+#0)
		r7 = add(r7, #-1)
	}
	v4 = vmemu(r5+#0)
	{
		v5 = vmemu(r6+#0)
		v7.\type = vmax(v3.\type, v4.\type)
	}
	{
		r1 = memw(r15+#MAX_S2_ROWS)
		r2 = memw(r15+#MAX_S2_ROWS+4)
		v7.\type = vmax(v7.\type, v5.\type)
	}
	{
		r3 = memw(r15+#MAX_S2_ROWS+8)
		r6 = memw(r15+#MAX_S2_PIXEL)
	}
	{
		m0 = r6
		r8 = memw(r15+#MAX_S2_MIN)
		r9 = memw(r15+#MAX_S2_MAX)
	}
	{
		v0 = vmemu(r1++m0)
		v8 = vsplat(r8)
		m1 = \step
	}
	{
		v1 = vmemu(r2++m0)
		v9 = vsplat(r9)
	}
	{
		v2 = vmemu(r3++m0)
		v6.\type = vmax(v0.\type, v1.\type)
	}
	{
		v3 = vmemu(r1++m0)
		v6.\type = vmax(v6.\type, v2.\type)
		p0 = cmp.eq(r7, #0)
	}
	v4 = vmemu(r2++m0)
	{
		v5 = vmemu(r3++m0)
		v10.\type = vmax(v7.\type, v6.\type)
	}
	r0 = memw(r15+#MAX_S2_TO)
	if (p0) jump .Llast\@
	loop0(.Lwindow\@, r7)
.Lwindow\@:
	{
		v0 = vmemu(r1++m0)
		v7.\type = vmax(v3.\type, v4.\type)
	}
	{
		v1 = vmemu(r2++m0)
		v7.\type = vmax(v7.\type, v5.\type)
	}
	{
		v2 = vmemu(r3++m0)
		v10.\type = vmax(v10.\type, v7.\type)
		v6.\type = vmax(v0.\type, v1.\type)
	}
	{
		v3 = vmemu(r1++m0)
		v10.\type = vmax(v10.\type, v8.\type)
		v6.\type = vmax(v6.\type, v2.\type)
	}
	{
		v4 = vmemu(r2++m0)
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r0++m1) = v10
		v10.\type = vmax(v7.\type, v6.\type)
	}
	{
		v5 = vmemu(r3++m0)
	}:endloop0
.Llast\@:
	v7.\type = vmax(v3.\type, v4.\type)
	v7.\type = vmax(v7.\type, v5.\type)
	v10.\type = vmax(v10.\type, v7.\type)
	v10.\type = vmax(v10.\type, v8.\type)
	v10.\type = vmin(v10.\type, v9.\type)
	vmemu(r0+#0) = v10
	jumpr	r31
	endfunction
.endm

/*
 * Pow2 windows: v7:6 are 256 bytes of greatest rows, v11:10 their odd and even pixels. r7 is
 * -channels, as vdeal has it, and for valign 128 - channels; r5 is channels.
 */
.macro pow2_begin
	{
		r15 = r0
		r1 = memw(r0+#MAX_S2_ROWS)
		r2 = memw(r0+#MAX_S2_ROWS+4)
	}
	{
		r5 = memw(r15+#MAX_S2_PIXEL)
		r6 = memw(r15+#MAX_S2_COUNT)
	}
	{
		r7 = sub(#0, r5)
		r8 = memw(r15+#MAX_S2_MIN)
		r9 = memw(r15+#MAX_S2_MAX)
	}
	{
		v8 = vsplat(r8)
		r6 = add(r6, #-1)
		r0 = memw(r15+#MAX_S2_TO)
	}
	{
		v9 = vsplat(r9)
		p0 = cmp.eq(r6, #0)
		r3 = memw(r15+#MAX_S2_ROWS+8)
		r12 = memw(r15+#MAX_S2_BEFORE+8)
	}
.endm

.macro pow2_2 name, type
	function \name
	pow2_begin
	v0 = vmem(r1++#1)
	{
		v1.cur = vmem(r2++#1)
		v6.\type = vmax(v0.\type, v1.\type)
	}
	v2 = vmem(r1++#1)
	{
		v3.cur = vmem(r2++#1)
		v7.\type = vmax(v2.\type, v3.\type)
	}
	if (p0) jump .Llast\@
	loop0(.Lvector\@, r6)
.Lvector\@:
	{
		v0 = vmem(r1++#1)
		v11:10 = vdeal(v7, v6, r7)
	}
	{
		v1.cur = vmem(r2++#1)
		v6.\type = vmax(v0.\type, v1.\type)
		v10.\type = vmax(v10.\type, v11.\type)
	}
	{
		v2 = vmem(r1++#1)
		v10.\type = vmax(v10.\type, v8.\type)
	}
	{
		v3.cur = vmem(r2++#1)
		v7.\type = vmax(v2.\type, v3.\type)
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r0++#1) = v10
	}:endloop0
.Llast\@:
	v11:10 = vdeal(v7, v6, r7)
	v10.\type = vmax(v10.\type, v11.\type)
	v10.\type = vmax(v10.\type, v8.\type)
	v10.\type = vmin(v10.\type, v9.\type)
	vmemu(r0+#0) = v10
	jumpr	r31
	endfunction
.endm

.macro pow2_2_unaligned name, type
	function \name
	pow2_begin
	v0 = vmemu(r1++#1)
	v1 = vmemu(r2++#1)
	{
		v2 = vmemu(r1++#1)
		v6.\type = vmax(v0.\type, v1.\type)
	}
	v3 = vmemu(r2++#1)
	v7.\type = vmax(v2.\type, v3.\type)
	if (p0) jump .Llast\@
	loop0(.Lvector\@, r6)
.Lvector\@:
	v0 = vmemu(r1++#1)
	v11:10 = vdeal(v7, v6, r7)
	{
		v1 = vmemu(r2++#1)
		v10.\type = vmax(v10.\type, v11.\type)
	}
	{
		v2 = vmemu(r1++#1)
		v6.\type = vmax(v0.\type, v1.\type)
		v10.\type = vmax(v10.\type, v8.\type)
	}
	{
		v3 = vmemu(r2++#1)
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r0++#1) = v10
		v7.\type = vmax(v2.\type, v3.\type)
	}:endloop0
.Llast\@:
	v11:10 = vdeal(v7, v6, r7)
	v10.\type = vmax(v10.\type, v11.\type)
	v10.\type = vmax(v10.\type, v8.\type)
	v10.\type = vmin(v10.\type, v9.\type)
	vmemu(r0+#0) = v10
	jumpr	r31
	endfunction
.endm

/*
 * Pow2 windows of 3x3. v13: the pixels beside those of v10, of the vector before. From left to
 * right (step 1) they are odd ones, v11, from right to left (step -1) even ones, v10. v\first is
 * loaded first: the left of two vectors or the right one.
 */
.macro pow2_3_begin type
	pow2_begin
	{
		r10 = memw(r15+#MAX_S2_BEFORE)
		r11 = memw(r15+#MAX_S2_BEFORE+4)
	}
	v0 = vmemu(r10+#0)
	v1 = vmemu(r11+#0)
	{
		v2 = vmemu(r12+#0)
		v0.\type = vmax(v0.\type, v1.\type)
	}
	v13.\type = vmax(v0.\type, v2.\type)
.endm

.macro pow2_3_right
	v13 = vror(v13, r5)
.endm
.macro pow2_3_left
	v13 = vror(v13, r7)
.endm

/* Moves the neighbours of v11:10 to v12. */
.macro beside_right
	v12 = valign(v11, v13, r7)
.endm
.macro beside_left
	v12 = valign(v13, v10, r5)
.endm

.macro pow2_3 name, type, direction, step, first, second, own
	function \name
	pow2_3_begin \type
	pow2_3_\direction
	v0 = vmem(r1++#\step)
	{
		v1.cur = vmem(r2++#\step)
		v\first\().\type = vmax(v0.\type, v1.\type)
	}
	{
		v2.cur = vmem(r3++#\step)
		v\first\().\type = vmax(v\first\().\type, v2.\type)
	}
	v3 = vmem(r1++#\step)
	{
		v4.cur = vmem(r2++#\step)
		v\second\().\type = vmax(v3.\type, v4.\type)
	}
	{
		v5.cur = vmem(r3++#\step)
		v\second\().\type = vmax(v\second\().\type, v5.\type)
	}
	if (p0) jump .Llast\@
	loop0(.Lvector\@, r6)
.Lvector\@:
	{
		v0 = vmem(r1++#\step)
		v11:10 = vdeal(v7, v6, r7)
	}
	{
		v1.cur = vmem(r2++#\step)
		v\first\().\type = vmax(v0.\type, v1.\type)
		beside_\direction
	}
	{
		v2.cur = vmem(r3++#\step)
		v\first\().\type = vmax(v\first\().\type, v2.\type)
		v10.\type = vmax(v10.\type, v11.\type)
		v13 = v\own
	}
	{
		v3 = vmem(r1++#\step)
		v10.\type = vmax(v10.\type, v12.\type)
	}
	{
		v4.cur = vmem(r2++#\step)
		v\second\().\type = vmax(v3.\type, v4.\type)
		v10.\type = vmax(v10.\type, v8.\type)
	}
	{
		v5.cur = vmem(r3++#\step)
		v\second\().\type = vmax(v\second\().\type, v5.\type)
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r0++#\step) = v10
	}:endloop0
.Llast\@:
	v11:10 = vdeal(v7, v6, r7)
	beside_\direction
	v10.\type = vmax(v10.\type, v11.\type)
	v10.\type = vmax(v10.\type, v12.\type)
	v10.\type = vmax(v10.\type, v8.\type)
	v10.\type = vmin(v10.\type, v9.\type)
	vmemu(r0+#0) = v10
	jumpr	r31
	endfunction
.endm

.macro pow2_3_unaligned name, type, direction, step, first, second, own
	function \name
	pow2_3_begin \type
	pow2_3_\direction
	v0 = vmemu(r1++#\step)
	v1 = vmemu(r2++#\step)
	{
		v2 = vmemu(r3++#\step)
		v\first\().\type = vmax(v0.\type, v1.\type)
	}
	{
		v3 = vmemu(r1++#\step)
		v\first\().\type = vmax(v\first\().\type, v2.\type)
	}
	v4 = vmemu(r2++#\step)
	{
		v5 = vmemu(r3++#\step)
		v\second\().\type = vmax(v3.\type, v4.\type)
	}
	v\second\().\type = vmax(v\second\().\type, v5.\type)
	if (p0) jump .Llast\@
	loop0(.Lvector\@, r6)
.Lvector\@:
	v0 = vmemu(r1++#\step)
	v11:10 = vdeal(v7, v6, r7)
	v1 = vmemu(r2++#\step)
	{
		v\first\().\type = vmax(v0.\type, v1.\type)
		beside_\direction
	}
	{
		v2 = vmemu(r3++#\step)
		v10.\type = vmax(v10.\type, v11.\type)
		v13 = v\own
	}
	{
		v3 = vmemu(r1++#\step)
		v\first\().\type = vmax(v\first\().\type, v2.\type)
		v10.\type = vmax(v10.\type, v12.\type)
	}
	{
		v4 = vmemu(r2++#\step)
		v10.\type = vmax(v10.\type, v8.\type)
	}
	{
		v5 = vmemu(r3++#\step)
		v\second\().\type = vmax(v3.\type, v4.\type)
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r0++#\step) = v10
		v\second\().\type = vmax(v\second\().\type, v5.\type)
	}:endloop0
.Llast\@:
	v11:10 = vdeal(v7, v6, r7)
	beside_\direction
	v10.\type = vmax(v10.\type, v11.\type)
	v10.\type = vmax(v10.\type, v12.\type)
	v10.\type = vmax(v10.\type, v8.\type)
	v10.\type = vmin(v10.\type, v9.\type)
	vmemu(r0+#0) = v10
	jumpr	r31
	endfunction
.endm

	wide_2 nn_max_wide_2_u8, ub
	wide_3 nn_max_wide_3_u8, ub
	wide_2 nn_max_wide_2_strided_u8, ub, r13
	wide_3 nn_max_wide_3_strided_u8, ub, r13
	pow2_2 nn_max_pow2_2_u8, ub
	pow2_3 nn_max_pow2_3_right_u8, ub, right, 1, 6, 7, 11
	pow2_3 nn_max_pow2_3_left_u8, ub, left, -1, 7, 6, 10
	pow2_2_unaligned nn_max_pow2_2_unaligned_u8, ub
	pow2_3_unaligned nn_max_pow2_3_right_unaligned_u8, ub, right, 1, 6, 7, 11
	pow2_3_unaligned nn_max_pow2_3_left_unaligned_u8, ub, left, -1, 7, 6, 10
	wide_2 nn_max_wide_2_s8, b
	wide_3 nn_max_wide_3_s8, b
	wide_2 nn_max_wide_2_strided_s8, b, r13
	wide_3 nn_max_wide_3_strided_s8, b, r13
	pow2_2 nn_max_pow2_2_s8, b
	pow2_3 nn_max_pow2_3_right_s8, b, right, 1, 6, 7, 11
	pow2_3 nn_max_pow2_3_left_s8, b, left, -1, 7, 6, 10
	pow2_2_unaligned nn_max_pow2_2_unaligned_s8, b
	pow2_3_unaligned nn_max_pow2_3_right_unaligned_s8, b, right, 1, 6, 7, 11
	pow2_3_unaligned nn_max_pow2_3_left_unaligned_s8, b, left, -1, 7, 6, 10
