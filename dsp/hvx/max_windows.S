/* SPDX-License-Identifier: MIT */
/*
 * What max_windows.h says. Unaligned loads and stores have a packet each, so a window of 2x2 takes five
 * and, with a column of the one before, one of 3x3 takes seven; maxima and clamp go with the loads of the
 * next window. For 64 channels that is ten and fourteen packets for 128 results.
 */
#include "max_windows.h"

.macro windows_2 name, type
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	{
		r15 = r0
		r1 = memw(r0+#WINDOWS_ROWS)
		r2 = memw(r0+#WINDOWS_ROWS+4)
	}
	{
		r6 = memw(r15+#WINDOWS_PIXEL)
		r7 = memw(r15+#WINDOWS_COUNT)
	}
	{
		r3 = add(r1, r6)
		r4 = add(r2, r6)
		r8 = memw(r15+#WINDOWS_MIN)
		r9 = memw(r15+#WINDOWS_MAX)
	}
	{
		m1 = r6
		r6 = add(r6, r6)
		v8 = vsplat(r8)
	}
	{
		m0 = r6
		v9 = vsplat(r9)
		r0 = memw(r15+#WINDOWS_TO)
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
	.size	\name, . - \name
.endm

/* v7: the column that the next window begins with */
.macro windows_3 name, type
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	{
		r15 = r0
		r4 = memw(r0+#WINDOWS_BEFORE)
		r5 = memw(r0+#WINDOWS_BEFORE+4)
	}
	{
		r6 = memw(r15+#WINDOWS_BEFORE+8)
		r7 = memw(r15+#WINDOWS_COUNT)
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
		r1 = memw(r15+#WINDOWS_ROWS)
		r2 = memw(r15+#WINDOWS_ROWS+4)
		v7.\type = vmax(v7.\type, v5.\type)
	}
	{
		r3 = memw(r15+#WINDOWS_ROWS+8)
		r6 = memw(r15+#WINDOWS_PIXEL)
	}
	{
		m0 = r6
		r8 = memw(r15+#WINDOWS_MIN)
		r9 = memw(r15+#WINDOWS_MAX)
	}
	{
		v0 = vmemu(r1++m0)
		v8 = vsplat(r8)
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
	r0 = memw(r15+#WINDOWS_TO)
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
		vmemu(r0++m0) = v10
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
	.size	\name, . - \name
.endm

	.text
	windows_2 nn_max_windows_2_u8, ub
	windows_2 nn_max_windows_2_s8, b
	windows_3 nn_max_windows_3_u8, ub
	windows_3 nn_max_windows_3_s8, b
