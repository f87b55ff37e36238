/* SPDX-License-Identifier: MIT */
/*
 * TABLE's loop (table_vectors.h): looks up 128 bytes at a time in a table of 256. table.c calls it.
 *
 *	from   |3 0 200 ...|   to   |table[3] table[0] table[200] ...|
 *
 * vlut32 takes one of 32 entries, so a vector takes eight of them, and the permute unit one in a
 * packet. vlalign is that unit's, too, which is why the ninth packet is there.
 */
#include "dsp/hvx/common/asm.h"

/* r0: to, r1: from, r2: table, r3: count */
	function nn_table_vectors, align=5
	{
		v4 = vmem(r2+#0)
		r4 = add(r1, #127)
		r5 = sub(#0, r1)
		loop0(.Lvectors, r3)
	}
	{
		v5 = vmem(r2+#1)
	}
	{
		v0 = vmem(r1+#0)
		v4.b = vshuff(v4.b)
	}
	{
		v5.b = vshuff(v5.b)
	}
	.p2align 5
.Lvectors:
	{
		v1.cur = vmem(r4++#1)
		v2 = vlalign(v1, v0, r5)
		v0 = v1
	}
	{
		v3.b = vlut32(v2.b, v4.b, #0)
	}
	{
		v3.b |= vlut32(v2.b, v4.b, #1)
	}
	{
		v3.b |= vlut32(v2.b, v4.b, #2)
	}
	{
		v3.b |= vlut32(v2.b, v4.b, #3)
	}
	{
		v3.b |= vlut32(v2.b, v5.b, #4)
	}
	{
		v3.b |= vlut32(v2.b, v5.b, #5)
	}
	{
		v3.b |= vlut32(v2.b, v5.b, #6)
	}
	{
		v3.b |= vlut32(v2.b, v5.b, #7)
		vmem(r0++#1) = v3.new
	}:endloop0
	jumpr	r31
	endfunction
