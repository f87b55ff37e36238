/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL's windows of 2x2 and 3x3 with stride 2 and more than 64 channels, a vector of results
 * each (interleave.h). max_s2_narrow.c calls them.
 *
 * Each access that is not aligned is a packet: 5 for 2x2, and 7 for 3x3, which has its first column
 * from the window before. The loads are the next window's, which may be the next row's first.
 *
 *	v8, v9		the clamp
 *	v0, v1; v2, v3	2x2: the first pixels and the second ones; v5, v4: greatest so far
 *	v0 - v2, v3 - v5	3x3: the same; v6, v7: greatest of each; v10: so far
 *	r0, m1		where results go, bytes of a pixel
 *	r1, r2, r3, r4	2x2: the two rows, their second pixels, with m0; 3x3: three rows, with m1
 *	r10		to the next row of the input; results follow each other
 *	r12, r13, r14	windows of a row but one, and of the last one; rows but one
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/pool/interleave.h"

.macro single_begin
	{ r15 = r0; r1 = memw(r0+#NARROW_ROWS); r2 = memw(r0+#NARROW_ROWS+4) }
	{ r5 = memw(r15+#NARROW_PIXEL); r6 = memw(r15+#NARROW_MIN) }
	{ v8 = vsplat(r6); m1 = r5; r7 = memw(r15+#NARROW_MAX); r0 = memw(r15+#NARROW_TO) }
	{ v9 = vsplat(r7); r10 = memw(r15+#NARROW_NEXT) }
	{ r12 = memw(r15+#NARROW_ACROSS); r14 = memw(r15+#NARROW_OUT_ROWS) }
	{ r12 = add(r12, #-1); r13 = memw(r15+#NARROW_LAST) }
	{ r13 = add(r13, #-1); r14 = add(r14, #-1) }
.endm

.macro single_2 type, load, loop
	{
	.if \load
		v0 = vmemu(r1++m0)
	.endif
		v4.\type = vmax(v4.\type, v3.\type)
	}
	{
	.if \load
		v1 = vmemu(r2++m0)
	.endif
		v4.\type = vmax(v4.\type, v8.\type)
	}
	{
	.if \load
		v2 = vmemu(r3++m0)
	.endif
		v4.\type = vmin(v4.\type, v9.\type)
	}
	{
		vmemu(r0++m1) = v4
	.if \load
		v5.\type = vmax(v0.\type, v1.\type)
	.endif
	}
	.if \load
	{
		v3 = vmemu(r4++m0)
		v4.\type = vmax(v5.\type, v2.\type)
	}\loop
	.endif
.endm

/* Windows of 3x3. v\before is the column before the next window. */
.macro single_3 type, load, before, loop
	{
	.if \load
		v0 = vmemu(r1++m1)
	.endif
		v7.\type = vmax(v3.\type, v4.\type)
	}
	{
	.if \load
		v1 = vmemu(r2++m1)
	.endif
		v7.\type = vmax(v7.\type, v5.\type)
	}
	{
	.if \load
		v2 = vmemu(r3++m1)
		v6.\type = vmax(v0.\type, v1.\type)
	.endif
		v10.\type = vmax(v10.\type, v7.\type)
	}
	{
	.if \load
		v3 = vmemu(r1++m1)
		v6.\type = vmax(v6.\type, v2.\type)
	.endif
		v10.\type = vmax(v10.\type, v8.\type)
	}
	{
	.if \load
		v4 = vmemu(r2++m1)
	.endif
		v10.\type = vmin(v10.\type, v9.\type)
	}
	{
		vmemu(r0++m1) = v10
	.if \load
		v10.\type = vmax(v\before\().\type, v6.\type)
	.endif
	}
	.if \load
	{
		v5 = vmemu(r3++m1)
	}\loop
	.endif
.endm

.macro single_first_2 type
	r6 = add(r5, r5)
	{ m0 = r6; r3 = add(r1, r5); r4 = add(r2, r5) }
	v0 = vmemu(r1++m0)
	v1 = vmemu(r2++m0)
	{ v2 = vmemu(r3++m0); v5.\type = vmax(v0.\type, v1.\type) }
	{ v3 = vmemu(r4++m0); v4.\type = vmax(v5.\type, v2.\type) }
.endm

.macro single_end_2 type
	single_2 \type, 0, ""
.endm

.macro single_next_2 type
	{ r1 = add(r1, r10); r2 = add(r2, r10); r3 = add(r3, r10); r4 = add(r4, r10) }
	single_2 \type, 1, ":endloop1"
.endm

.macro single_each_2 type
	single_2 \type, 1, ":endloop0"
.endm

.macro single_first_3 type
	{ v0 = vmemu(r1++m1); r6 = add(r15, #NARROW_BEFORE) }
	{ v7 = vmem(r6+#0); r3 = memw(r15+#NARROW_ROWS+8) }
	v1 = vmemu(r2++m1)
	{ v2 = vmemu(r3++m1); v6.\type = vmax(v0.\type, v1.\type) }
	{ v3 = vmemu(r1++m1); v6.\type = vmax(v6.\type, v2.\type) }
	{ v4 = vmemu(r2++m1); v10.\type = vmax(v7.\type, v6.\type) }
	v5 = vmemu(r3++m1)
.endm

.macro single_end_3 type
	single_3 \type, 0, 7, ""
.endm

.macro single_next_3 type
	{ r1 = add(r1, r10); r2 = add(r2, r10); r3 = add(r3, r10) }
	single_3 \type, 1, 8, ":endloop1"
.endm

.macro single_each_3 type
	single_3 \type, 1, 7, ":endloop0"
.endm

.macro max_single name, type, kernel
	function \name
	single_begin
	single_first_\kernel \type
	{ p0 = cmp.eq(r14, #0); p1 = cmp.eq(r13, #0) }
	if (p0) jump .Lfinal\@
	loop1(.Lrow\@, r14)
.Lrow\@:
	loop0(.Lwindow\@, r12)
.Lwindow\@:
	single_each_\kernel \type
	single_next_\kernel \type
.Lfinal\@:
	{ loop0(.Llast\@, r13); if (p1) jump .Lend\@ }
.Llast\@:
	single_each_\kernel \type
.Lend\@:
	single_end_\kernel \type
	jumpr	r31
	endfunction
.endm

	max_single nn_max_single_2_u8, ub, 2
	max_single nn_max_single_2_s8, b, 2
	max_single nn_max_single_3_u8, ub, 3
	max_single nn_max_single_3_s8, b, 3
