/* SPDX-License-Identifier: MIT */
/*
 * The steps of TRANSPOSE for groups of eight aligned vectors: nn_transpose_groups_forth and _back,
 * which transpose_tile.c, transpose_8bytes.c and transpose_under64.c call. A step shuffles pairs of
 * vectors; three steps transpose eight vectors:
 *
 *	v0  a0 a1 a2 ...		a0 b0 .. h0 a1 b1 ..
 *	...           three vshuff ->	...
 *	v7  h0 h1 h2 ...		.. g127 h127
 *
 * Twelve vshuff or vdeal of a group have a packet each, with room for a load and a store. While the
 * last two steps of a group are made, the next group is loaded, and its first step is made while
 * the rest is stored. The last group has none behind it, and loads its own first vector instead.
 *
 *	v0 - v7		a group, v8 - v15 after a step, v16 - v23 after two, v24 - v31 after three
 *	r0, r1		from, to; m0, m1: to a group's next vector; r2, r3: to the next group
 *	r4, r5		rounds, the unit
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/move/transpose_loops.h"

	.macro	BEGIN
	{ r7:6 = memd(r0+#GROUPS_NEXT); r3:2 = memd(r0+#GROUPS_ADJUST) }
	{ r5:4 = memd(r0+#GROUPS_COUNT_UNIT); r1:0 = memd(r0+#GROUPS_FROM_TO); m0 = r6 }
	{ v0 = vmem(r0++m0); r8 = r0; m1 = r7 }
	{ v1 = vmem(r0++m0); r1 = sub(r1,r3); p0 = cmp.eq(r4,#1); r4 = add(r4,#-1) }
	{ v2 = vmem(r0++m0) }
	{ v3 = vmem(r0++m0) }
	{ v4 = vmem(r0++m0) }
	{ v5 = vmem(r0++m0) }
	{ v6 = vmem(r0++m0) }
	{ v7 = vmem(r0++m0) }
	{ r0 = add(r0,r2) }
	.endm

/* The last group follows the loop; p0 says that it has been done. */
	.macro	END loop
	{ if (p0) jumpr r31 }
2:
	{ r6 = #0; r2 = #0; r0 = r8; p0 = cmp.eq(r8,r8) }
	{ m0 = r6 }
	{ loop0(\loop,#1); jump \loop }
	.endm

	function nn_transpose_groups_back, align=5
	BEGIN
	{ v9:8 = vdeal(v1,v0,r5) }
	{ v11:10 = vdeal(v3,v2,r5) }
	{ v13:12 = vdeal(v5,v4,r5) }
	{ v15:14 = vdeal(v7,v6,r5); if (p0) jump 2f }
	{ loop0(.Lback,r4) }
.Lback:
	{ v17:16 = vdeal(v10,v8,r5); v0 = vmem(r0++m0); r1 = add(r1,r3) }
	{ v19:18 = vdeal(v11,v9,r5); v1 = vmem(r0++m0) }
	{ v21:20 = vdeal(v14,v12,r5); v2 = vmem(r0++m0) }
	{ v23:22 = vdeal(v15,v13,r5); v3 = vmem(r0++m0) }
	{ v25:24 = vdeal(v20,v16,r5); v4 = vmem(r0++m0); vmem(r1++m1) = v24.new }
	{ v27:26 = vdeal(v22,v18,r5); v5 = vmem(r0++m0); vmem(r1++m1) = v26.new }
	{ v29:28 = vdeal(v21,v17,r5); v6 = vmem(r0++m0); vmem(r1++m1) = v28.new }
	{ v31:30 = vdeal(v23,v19,r5); v7 = vmem(r0++m0); vmem(r1++m1) = v30.new }
	{ v9:8 = vdeal(v1,v0,r5); vmem(r1++m1) = v25; r0 = add(r0,r2) }
	{ v11:10 = vdeal(v3,v2,r5); vmem(r1++m1) = v27 }
	{ v13:12 = vdeal(v5,v4,r5); vmem(r1++m1) = v29 }
	{ v15:14 = vdeal(v7,v6,r5); vmem(r1++m1) = v31 }:endloop0
	END .Lback
	endfunction

	function nn_transpose_groups_forth, align=5
	BEGIN
	{ v9:8 = vshuff(v4,v0,r5) }
	{ v11:10 = vshuff(v5,v1,r5) }
	{ v13:12 = vshuff(v6,v2,r5) }
	{ v15:14 = vshuff(v7,v3,r5); if (p0) jump 2f }
	{ loop0(.Lforth,r4) }
.Lforth:
	{ v17:16 = vshuff(v12,v8,r5); v0 = vmem(r0++m0); r1 = add(r1,r3) }
	{ v19:18 = vshuff(v14,v10,r5); v1 = vmem(r0++m0) }
	{ v21:20 = vshuff(v13,v9,r5); v2 = vmem(r0++m0) }
	{ v23:22 = vshuff(v15,v11,r5); v3 = vmem(r0++m0) }
	{ v25:24 = vshuff(v18,v16,r5); v4 = vmem(r0++m0); vmem(r1++m1) = v24.new }
	{ v27:26 = vshuff(v19,v17,r5); v5 = vmem(r0++m0); vmem(r1++m1) = v25 }
	{ v29:28 = vshuff(v22,v20,r5); v6 = vmem(r0++m0); vmem(r1++m1) = v26 }
	{ v31:30 = vshuff(v23,v21,r5); v7 = vmem(r0++m0); vmem(r1++m1) = v27 }
	{ v9:8 = vshuff(v4,v0,r5); vmem(r1++m1) = v28; r0 = add(r0,r2) }
	{ v11:10 = vshuff(v5,v1,r5); vmem(r1++m1) = v29 }
	{ v13:12 = vshuff(v6,v2,r5); vmem(r1++m1) = v30 }
	{ v15:14 = vshuff(v7,v3,r5); vmem(r1++m1) = v31 }:endloop0
	END .Lforth
	endfunction
