/* SPDX-License-Identifier: MIT */
/*
 * The loops of transpose_under64.c: the steps of nn_transpose_groups_forth (transpose_loops.S) for
 * vectors that are not aligned in the input, of which a group has four to seven, or eight.
 *
 * Such a load is a packet, as is each of twelve vshuff, which have room for a store. The last four
 * of a group are stored in the next round.
 *
 *	v0 - v7		a group, v8 - v15 after a step, v16 - v23 after two, v24 - v31 after three
 *	r0, r1		from, to; m0, m1: to a group's next vector; r2: to the next group
 *	r5, p0		the unit; there is something to store
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/move/transpose_loops.h"

.macro transpose_under64 name, vectors
	function \name, align=5
	{ r7:6 = memd(r0+#GROUPS_NEXT); r3:2 = memd(r0+#GROUPS_ADJUST) }
	{ r5:4 = memd(r0+#GROUPS_COUNT_UNIT); r1:0 = memd(r0+#GROUPS_FROM_TO); m0 = r6 }
	{ m1 = r7; p0 = cmp.gt(r4,r4) }
	{ loop0(.Lgroup\@,r4) }
.Lgroup\@:
	{ v0 = vmemu(r0++m0) }
	{ v1 = vmemu(r0++m0) }
	{ v2 = vmemu(r0++m0) }
	{ v3 = vmemu(r0++m0) }
	.if \vectors > 4
	{ v4 = vmemu(r0++m0) }
	.endif
	.if \vectors > 5
	{ v5 = vmemu(r0++m0) }
	.endif
	.if \vectors > 6
	{ v6 = vmemu(r0++m0) }
	.endif
	.if \vectors > 7
	{ v7 = vmemu(r0++m0) }
	.endif
	{ v9:8 = vshuff(v4,v0,r5); if (p0) vmem(r1++m1) = v28 }
	{ v11:10 = vshuff(v5,v1,r5); if (p0) vmem(r1++m1) = v29 }
	{ v13:12 = vshuff(v6,v2,r5); if (p0) vmem(r1++m1) = v30 }
	{ v15:14 = vshuff(v7,v3,r5); if (p0) vmem(r1++m1) = v31; r0 = add(r0,r2) }
	{ v17:16 = vshuff(v12,v8,r5); p0 = cmp.eq(r4,r4) }
	{ v19:18 = vshuff(v14,v10,r5) }
	{ v21:20 = vshuff(v13,v9,r5) }
	{ v23:22 = vshuff(v15,v11,r5) }
	{ v25:24 = vshuff(v18,v16,r5); vmem(r1++m1) = v24.new }
	{ v27:26 = vshuff(v19,v17,r5); vmem(r1++m1) = v25 }
	{ v29:28 = vshuff(v22,v20,r5); vmem(r1++m1) = v26 }
	{ v31:30 = vshuff(v23,v21,r5); vmem(r1++m1) = v27 }:endloop0
	{ vmem(r1++m1) = v28 }
	{ vmem(r1++m1) = v29 }
	{ vmem(r1++m1) = v30 }
	{ vmem(r1+#0) = v31; jumpr r31 }
	endfunction
.endm

	transpose_under64 nn_transpose_load_4, 4
	transpose_under64 nn_transpose_load_5, 5
	transpose_under64 nn_transpose_load_6, 6
	transpose_under64 nn_transpose_load_7, 7
	transpose_under64 nn_transpose_load_8, 8
