/* SPDX-License-Identifier: MIT */
/*
 * Loops for MAX_POOL's windows of any kind (struct max_steps and max_pair in max_s2.h), which
 * max_pool.c calls: vectors that are each the greatest of others.
 *
 * Addresses are not aligned, so each load and each store has a packet, and there is no other: count
 * + 1 for a vector of max_steps, rows + 4 for two vectors of max_pair. What is loaded last, and the
 * clamp, are done with the next vector's loads, so the first one's loads come before the loop. What
 * is left once vectors are full is a run of one more.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/pool/max_s2.h"

.macro max_steps name, type
	function \name
	{
		r15 = r0
		r3 = memw(r0+#STEPS_COUNT)
		r4 = memw(r0+#STEPS_STEP)
	}
	{
		m0 = r4
		r3 = add(r3, #-1)
		r7 = memw(r15+#STEPS_FROM_STEP)
		r6 = memw(r15+#STEPS_TO_STEP)
	}
	{
		m1 = r6
		r5 = mpyi(r3, r4)
		r8 = memw(r15+#STEPS_MIN)
		r9 = memw(r15+#STEPS_MAX)
	}
	{
		v8 = vsplat(r8)
		r5 = sub(r7, r5)
		r0 = memw(r15+#STEPS_TO)
		r1 = memw(r15+#STEPS_FROM)
	}
	{
		v9 = vsplat(r9)
		r3 = add(r3, #-1)
		r2 = memw(r15+#STEPS_VECTORS)
		r12 = memw(r15+#STEPS_SECOND)
	}
	r13 = memw(r15+#STEPS_REST)
.Lrun\@:
	{
		r6 = add(r1, r12)
		r2 = add(r2, #-1)
		p0 = cmp.eq(r2, #1)
		loop0(.Lfirst\@, r3)
	}
	{
		v0 = vmemu(r1+#0)
		r1 = add(r1, r7)
	}
	v1 = vmemu(r6++m0)
.Lfirst\@:
	{
		v1 = vmemu(r6++m0)
		v0.\type = vmax(v0.\type, v1.\type)
	}:endloop0
	{
		r6 = add(r6, r5)
		if (p0) jump .Llast\@
	}
	loop1(.Lvector\@, r2)
.Lvector\@:
	{
		v0 = vmemu(r1+#0)
		v2.\type = vmax(v0.\type, v1.\type)
		loop0(.Lstep\@, r3)
	}
	{
		v1 = vmemu(r6++m0)
		v2.\type = vmax(v2.\type, v8.\type)
		r1 = add(r1, r7)
	}
.Lstep\@:
	{
		v1 = vmemu(r6++m0)
		v0.\type = vmax(v0.\type, v1.\type)
		v2.\type = vmin(v2.\type, v9.\type)
	}:endloop0
	{
		vmemu(r0++m1) = v2
		r6 = add(r6, r5)
	}:endloop1
.Llast\@:
	v0.\type = vmax(v0.\type, v1.\type)
	v0.\type = vmax(v0.\type, v8.\type)
	v0.\type = vmin(v0.\type, v9.\type)
	{
		vmemu(r0+#0) = v0
		p0 = cmp.eq(r13, #0)
		if (p0.new) jumpr:nt r31
	}
	{
		r0 = add(r0, r13)
		r1 = sub(r1, r7)
		r2 = #1
	}
	{
		r1 = add(r1, r13)
		r13 = #0
		jump	.Lrun\@
	}
	endfunction
.endm

.macro max_pair name, type
	function \name
	{
		r15 = r0
		r5:4 = memd(r0+#PAIR_MIDDLE)
		r7:6 = memd(r0+#PAIR_TO_STEP)
	}
	{
		m0 = r5
		r5 = mpyi(r7, r5)
		r9:8 = memd(r15+#PAIR_LEAST)
		r11:10 = memd(r15+#PAIR_REST)
	}
	{
		m1 = r11
		r5 = sub(r11, r5)
		r1:0 = memd(r15+#PAIR_TO)
		r3:2 = memd(r15+#PAIR_ABOVE)
	}
	{
		v8 = vsplat(r8)
		r11 = sub(r10, r11)
	}
.Lrun\@:
	{
		v5 = vmemu(r2++m1)
		v2 = v8
		loop0(.Lfirst\@, r7)
	}
	{
		v6 = vmemu(r3++m1)
		r9 = add(r9, #-1)
		p0 = cmp.eq(r9, #1)
	}
.Lfirst\@:
	{
		v2 = vmemu(r4++m0)
		v5.\type = vmax(v5.\type, v2.\type)
		v6.\type = vmax(v6.\type, v2.\type)
	}:endloop0
	{
		r4 = add(r4, r5)
		if (p0) jump .Llast\@
	}
	loop1(.Lvector\@, r9)
.Lvector\@:
	{
		v5 = vmemu(r2++m1)
		v7.\type = vmax(v5.\type, v2.\type)
		v10.\type = vmax(v6.\type, v2.\type)
	}
	{
		v6 = vmemu(r3++m1)
		v2 = v8
		loop0(.Lrow\@, r7)
	}
.Lrow\@:
	{
		v2 = vmemu(r4++m0)
		v5.\type = vmax(v5.\type, v2.\type)
		v6.\type = vmax(v6.\type, v2.\type)
	}:endloop0
	{
		vmemu(r0+#0) = v7
		r0 = add(r0, r6)
		r4 = add(r4, r5)
	}
	{
		vmemu(r1+#0) = v10
		r1 = add(r1, r6)
	}:endloop1
.Llast\@:
	{
		v5.\type = vmax(v5.\type, v2.\type)
		v6.\type = vmax(v6.\type, v2.\type)
	}
	vmemu(r0+#0) = v5
	{
		vmemu(r1+#0) = v6
		p0 = cmp.eq(r10, #0)
		if (p0.new) jumpr:nt r31
	}
	{
		r0 = add(r0, r10)
		r1 = add(r1, r10)
		r2 = add(r2, r11)
		r3 = add(r3, r11)
	}
	{
		r4 = add(r4, r11)
		r9 = #1
		r10 = #0
		jump	.Lrun\@
	}
	endfunction
.endm

	max_steps nn_max_steps_u8, ub
	max_pair nn_max_pair_u8, ub
	max_steps nn_max_steps_s8, b
	max_pair nn_max_pair_s8, b
