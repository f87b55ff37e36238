/* SPDX-License-Identifier: MIT */
/*
 * Vectors that are the greatest of others, see max_windows.h: a packet for each of these, and three
 * more for each result.
 */
#include "max_windows.h"

.macro max_steps name, type
	.globl	\name
	.type	\name, @function
	.p2align 4
\name:
	{
		r15 = r0
		r1 = memw(r0+#STEPS_FROM)
		r2 = memw(r0+#STEPS_VECTORS)
	}
	{
		r3 = memw(r15+#STEPS_COUNT)
		r4 = memw(r15+#STEPS_STEP)
	}
	{
		m0 = r4
		r5 = memw(r15+#STEPS_FROM_STEP)
		r6 = memw(r15+#STEPS_TO_STEP)
	}
	{
		m1 = r6
		r8 = memw(r15+#STEPS_MIN)
		r9 = memw(r15+#STEPS_MAX)
	}
	{
		v8 = vsplat(r8)
		r3 = add(r3, #-1)
		r0 = memw(r15+#STEPS_TO)
	}
	{
		v9 = vsplat(r9)
		v0 = v8
	}
	loop1(.Lvector\@, r2)
.Lvector\@:
	{
		v1 = vmemu(r1+#0)
		r6 = add(r1, r4)
		loop0(.Lstep\@, r3)
	}
.Lstep\@:
	{
		v1 = vmemu(r6++m0)
		v0.\type = vmax(v0.\type, v1.\type)
	}:endloop0
	{
		v0.\type = vmax(v0.\type, v1.\type)
		r1 = add(r1, r5)
	}
	v0.\type = vmin(v0.\type, v9.\type)
	{
		vmemu(r0++m1) = v0
		v0 = v8
	}:endloop1
	jumpr	r31
	.size	\name, . - \name
.endm

	.text
	max_steps nn_max_steps_u8, ub
	max_steps nn_max_steps_s8, b
