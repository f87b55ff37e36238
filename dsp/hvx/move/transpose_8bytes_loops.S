/* SPDX-License-Identifier: MIT */
/*
 * The loops of transpose_8bytes.c, which transpose_8bytes.h declares and draws: rows to planes by
 * units of eight bytes, planes to rows by bytes, and back. Each shuffle, and each access that is
 * not aligned, is a packet; aligned loads and stores share those of shuffles.
 */
#include "dsp/hvx/common/asm.h"

/*
 * r0: from, r1: to, r2: from_pitch, r3: count
 *
 * Sixteen vectors of sixteen elements are transposed in four steps, each of which shuffles vectors
 * of the first half with those of the second: v0 - v15 become v16 - v31, these v0 - v15 and so on.
 * The last four are stored in the next round. The first round has none: it stores whatever is in
 * these registers where it stores its own vectors later.
 */
	function nn_transpose_sixteens, align=5
	{ r4 = ##-(15 * 1024 + 896); r6 = #1024; m0 = r2 }
	{ r1 = add(r1,##12 * 1024 - 128); r5 = #-8; m1 = r6 }
	{ loop0(1f,r3) }
1:
	{ v0 = vmemu(r0++m0) }
	{ v1 = vmemu(r0++m0) }
	{ v2 = vmemu(r0++m0) }
	{ v3 = vmemu(r0++m0) }
	{ v4 = vmemu(r0++m0) }
	{ v5 = vmemu(r0++m0) }
	{ v6 = vmemu(r0++m0) }
	{ v7 = vmemu(r0++m0) }
	{ v8 = vmemu(r0++m0) }
	{ v9 = vmemu(r0++m0) }
	{ v10 = vmemu(r0++m0) }
	{ v11 = vmemu(r0++m0) }
	{ v12 = vmemu(r0++m0) }
	{ v13 = vmemu(r0++m0) }
	{ v14 = vmemu(r0++m0) }
	{ v15 = vmemu(r0++m0) }
	{ v17:16 = vshuff(v8,v0,r5); vmem(r1++m1) = v28 }
	{ v19:18 = vshuff(v9,v1,r5); vmem(r1++m1) = v29 }
	{ v21:20 = vshuff(v10,v2,r5); vmem(r1++m1) = v30 }
	{ v23:22 = vshuff(v11,v3,r5); vmem(r1++m1) = v31 }
	{ v25:24 = vshuff(v12,v4,r5); r1 = add(r1,r4) }
	{ v27:26 = vshuff(v13,v5,r5) }
	{ v29:28 = vshuff(v14,v6,r5) }
	{ v31:30 = vshuff(v15,v7,r5) }
	{ v1:0 = vshuff(v24,v16,r5) }
	{ v3:2 = vshuff(v25,v17,r5) }
	{ v5:4 = vshuff(v26,v18,r5) }
	{ v7:6 = vshuff(v27,v19,r5) }
	{ v9:8 = vshuff(v28,v20,r5) }
	{ v11:10 = vshuff(v29,v21,r5) }
	{ v13:12 = vshuff(v30,v22,r5) }
	{ v15:14 = vshuff(v31,v23,r5) }
	{ v17:16 = vshuff(v8,v0,r5) }
	{ v25:24 = vshuff(v12,v4,r5) }
	{ v19:18 = vshuff(v9,v1,r5) }
	{ v27:26 = vshuff(v13,v5,r5) }
	{ v1:0 = vshuff(v24,v16,r5); vmem(r1++m1) = v0.new }
	{ v5:4 = vshuff(v25,v17,r5); vmem(r1++m1) = v1 }
	{ v9:8 = vshuff(v26,v18,r5); vmem(r1++m1) = v4 }
	{ v13:12 = vshuff(v27,v19,r5); vmem(r1++m1) = v5 }
	{ v21:20 = vshuff(v10,v2,r5); vmem(r1++m1) = v8 }
	{ v29:28 = vshuff(v14,v6,r5); vmem(r1++m1) = v9 }
	{ v23:22 = vshuff(v11,v3,r5); vmem(r1++m1) = v12 }
	{ v31:30 = vshuff(v15,v7,r5); vmem(r1++m1) = v13 }
	{ v1:0 = vshuff(v28,v20,r5); vmem(r1++m1) = v0.new }
	{ v5:4 = vshuff(v29,v21,r5); vmem(r1++m1) = v1 }
	{ v29:28 = vshuff(v30,v22,r5); vmem(r1++m1) = v4 }
	{ v31:30 = vshuff(v31,v23,r5); vmem(r1++m1) = v5 }:endloop0
	{ vmem(r1++m1) = v28 }
	{ vmem(r1++m1) = v29 }
	{ vmem(r1++m1) = v30 }
	{ vmem(r1++m1) = v31; jumpr r31 }
	endfunction

/*
 * r0: from, r1: to, r2: from_pitch, r3: count, v0: control
 *
 * r1, r6 and r7 are where the three planes go; a fourth vector has nothing. The last plane's vector
 * is stored in the next round, as in nn_transpose_sixteens.
 */
	function nn_transpose_threes, align=5
	{ r7 = add(r1,##2 * 1024 - 128); r6 = add(r1,#1024); m0 = r2 }
	{ r5 = #-8; v31 = v0; loop0(1f,r3) }
1:
	{ v0 = vmemu(r0++m0) }
	{ v1 = vmemu(r0++m0) }
	{ v2 = vmemu(r0++m0) }
	{ v3 = vmemu(r0++m0) }
	{ v4 = vdelta(v0,v31); vmem(r7++#1) = v13 }
	{ v5 = vdelta(v1,v31) }
	{ v6 = vdelta(v2,v31) }
	{ v7 = vdelta(v3,v31) }
	{ v9:8 = vdeal(v5,v4,r5) }
	{ v11:10 = vdeal(v7,v6,r5) }
	{ v13:12 = vdeal(v10,v8,r5); vmem(r1++#1) = v12.new }
	{ v15:14 = vdeal(v11,v9,r5); vmem(r6++#1) = v14.new }:endloop0
	{ vmem(r7+#0) = v13; jumpr r31 }
	endfunction

/*
 * r0: from, r1: to, r2: to_pitch, r3: count
 *
 * The steps are those of nn_transpose_groups_back. The next plane is loaded meanwhile; behind the
 * last one is scratch memory.
 */
	function nn_transpose_planes, align=5
	{ m1 = r2; r5 = #-1; v0 = vmem(r0++#1) }
	{ v1 = vmem(r0++#1); loop0(1f,r3) }
	{ v2 = vmem(r0++#1) }
	{ v3 = vmem(r0++#1) }
	{ v4 = vmem(r0++#1) }
	{ v5 = vmem(r0++#1) }
	{ v6 = vmem(r0++#1) }
	{ v7 = vmem(r0++#1) }
1:
	{ v9:8 = vdeal(v1,v0,r5) }
	{ v11:10 = vdeal(v3,v2,r5) }
	{ v13:12 = vdeal(v5,v4,r5) }
	{ v15:14 = vdeal(v7,v6,r5) }
	{ v17:16 = vdeal(v10,v8,r5); v0 = vmem(r0++#1) }
	{ v19:18 = vdeal(v11,v9,r5); v1 = vmem(r0++#1) }
	{ v21:20 = vdeal(v14,v12,r5); v2 = vmem(r0++#1) }
	{ v23:22 = vdeal(v15,v13,r5); v3 = vmem(r0++#1) }
	{ v25:24 = vdeal(v20,v16,r5); v4 = vmem(r0++#1) }
	{ v27:26 = vdeal(v22,v18,r5); v5 = vmem(r0++#1) }
	{ v29:28 = vdeal(v21,v17,r5); v6 = vmem(r0++#1) }
	{ v31:30 = vdeal(v23,v19,r5); v7 = vmem(r0++#1) }
	{ vmemu(r1++m1) = v24 }
	{ vmemu(r1++m1) = v26 }
	{ vmemu(r1++m1) = v28 }
	{ vmemu(r1++m1) = v30 }
	{ vmemu(r1++m1) = v25 }
	{ vmemu(r1++m1) = v27 }
	{ vmemu(r1++m1) = v29 }
	{ vmemu(r1++m1) = v31 }:endloop0
	{ jumpr r31 }
	endfunction

/*
 * The ways back begin here.
 *
 * r0: from, r1: to, r2: to_pitch, r3: count
 *
 * A vector is loaded while another two are shuffled, but for the second of a pair: 57 packets.
 */
	function nn_transpose_from_sixteens, align=5
	{ r6 = add(r0,##8 * 1024); r7 = #1024; m1 = r2 }
	{ r4 = ##128 - 8 * 1024; r5 = #-8; m0 = r7 }
	{ loop0(1f,r3) }
1:
	{ v0 = vmem(r0++m0) }
	{ v8 = vmem(r6++m0) }
	{ v17:16 = vshuff(v8,v0,r5); v1 = vmem(r0++m0) }
	{ v9 = vmem(r6++m0) }
	{ v19:18 = vshuff(v9,v1,r5); v2 = vmem(r0++m0) }
	{ v10 = vmem(r6++m0) }
	{ v21:20 = vshuff(v10,v2,r5); v3 = vmem(r0++m0) }
	{ v11 = vmem(r6++m0) }
	{ v23:22 = vshuff(v11,v3,r5); v4 = vmem(r0++m0) }
	{ v12 = vmem(r6++m0) }
	{ v25:24 = vshuff(v12,v4,r5); v5 = vmem(r0++m0) }
	{ v13 = vmem(r6++m0) }
	{ v27:26 = vshuff(v13,v5,r5); v6 = vmem(r0++m0) }
	{ v14 = vmem(r6++m0) }
	{ v29:28 = vshuff(v14,v6,r5); v7 = vmem(r0++m0) }
	{ v15 = vmem(r6++m0); r0 = add(r0,r4) }
	{ v31:30 = vshuff(v15,v7,r5); r6 = add(r6,r4) }
	{ v1:0 = vshuff(v24,v16,r5) }
	{ v3:2 = vshuff(v25,v17,r5) }
	{ v5:4 = vshuff(v26,v18,r5) }
	{ v7:6 = vshuff(v27,v19,r5) }
	{ v9:8 = vshuff(v28,v20,r5) }
	{ v11:10 = vshuff(v29,v21,r5) }
	{ v13:12 = vshuff(v30,v22,r5) }
	{ v15:14 = vshuff(v31,v23,r5) }
	{ v17:16 = vshuff(v8,v0,r5) }
	{ v19:18 = vshuff(v9,v1,r5) }
	{ v21:20 = vshuff(v10,v2,r5) }
	{ v23:22 = vshuff(v11,v3,r5) }
	{ v25:24 = vshuff(v12,v4,r5) }
	{ v27:26 = vshuff(v13,v5,r5) }
	{ v29:28 = vshuff(v14,v6,r5) }
	{ v31:30 = vshuff(v15,v7,r5) }
	{ v1:0 = vshuff(v24,v16,r5) }
	{ v3:2 = vshuff(v25,v17,r5) }
	{ v5:4 = vshuff(v26,v18,r5) }
	{ v7:6 = vshuff(v27,v19,r5) }
	{ v9:8 = vshuff(v28,v20,r5) }
	{ v11:10 = vshuff(v29,v21,r5) }
	{ v13:12 = vshuff(v30,v22,r5) }
	{ v15:14 = vshuff(v31,v23,r5) }
	{ vmemu(r1++m1) = v0 }
	{ vmemu(r1++m1) = v1 }
	{ vmemu(r1++m1) = v2 }
	{ vmemu(r1++m1) = v3 }
	{ vmemu(r1++m1) = v4 }
	{ vmemu(r1++m1) = v5 }
	{ vmemu(r1++m1) = v6 }
	{ vmemu(r1++m1) = v7 }
	{ vmemu(r1++m1) = v8 }
	{ vmemu(r1++m1) = v9 }
	{ vmemu(r1++m1) = v10 }
	{ vmemu(r1++m1) = v11 }
	{ vmemu(r1++m1) = v12 }
	{ vmemu(r1++m1) = v13 }
	{ vmemu(r1++m1) = v14 }
	{ vmemu(r1++m1) = v15 }:endloop0
	{ jumpr r31 }
	endfunction

/*
 * r0: from, r1: to, r2: to_pitch, r3: count, v0: control
 *
 * The fourth vector of each shuffle has no plane and may have any bytes.
 */
	function nn_transpose_from_threes, align=5
	{ r7 = add(r0,##2 * 1024); r6 = add(r0,#1024); m1 = r2 }
	{ r5 = #-8; v31 = v0; v0 = vmem(r0++#1); loop0(1f,r3) }
	{ v1 = vmem(r6++#1) }
	{ v2 = vmem(r7++#1) }
1:
	{ v5:4 = vshuff(v2,v0,r5) }
	{ v7:6 = vshuff(v3,v1,r5) }
	{ v9:8 = vshuff(v6,v4,r5) }
	{ v11:10 = vshuff(v7,v5,r5) }
	{ v12 = vrdelta(v8,v31); v0 = vmem(r0++#1) }
	{ v13 = vrdelta(v9,v31); v1 = vmem(r6++#1) }
	{ v14 = vrdelta(v10,v31); v2 = vmem(r7++#1) }
	{ v15 = vrdelta(v11,v31) }
	{ vmemu(r1++m1) = v12 }
	{ vmemu(r1++m1) = v13 }
	{ vmemu(r1++m1) = v14 }
	{ vmemu(r1++m1) = v15 }:endloop0
	{ jumpr r31 }
	endfunction

/*
 * r0: from, r1: to, r2: from_pitch, r3: count
 *
 * Half of a plane is stored in the next round, as in nn_transpose_sixteens.
 */
	function nn_transpose_to_planes, align=5
	{ m0 = r2; r5 = #-1; r1 = add(r1,#-512) }
	{ loop0(1f,r3) }
1:
	{ v0 = vmemu(r0++m0) }
	{ v1 = vmemu(r0++m0) }
	{ v2 = vmemu(r0++m0) }
	{ v3 = vmemu(r0++m0) }
	{ v4 = vmemu(r0++m0) }
	{ v5 = vmemu(r0++m0) }
	{ v6 = vmemu(r0++m0) }
	{ v7 = vmemu(r0++m0) }
	{ v9:8 = vshuff(v4,v0,r5); vmem(r1++#1) = v28 }
	{ v11:10 = vshuff(v5,v1,r5); vmem(r1++#1) = v29 }
	{ v13:12 = vshuff(v6,v2,r5); vmem(r1++#1) = v30 }
	{ v15:14 = vshuff(v7,v3,r5); vmem(r1++#1) = v31 }
	{ v17:16 = vshuff(v12,v8,r5) }
	{ v19:18 = vshuff(v14,v10,r5) }
	{ v21:20 = vshuff(v13,v9,r5) }
	{ v23:22 = vshuff(v15,v11,r5) }
	{ v25:24 = vshuff(v18,v16,r5); vmem(r1++#1) = v24.new }
	{ v27:26 = vshuff(v19,v17,r5); vmem(r1++#1) = v25 }
	{ v29:28 = vshuff(v22,v20,r5); vmem(r1++#1) = v26 }
	{ v31:30 = vshuff(v23,v21,r5); vmem(r1++#1) = v27 }:endloop0
	{ vmem(r1++#1) = v28 }
	{ vmem(r1++#1) = v29 }
	{ vmem(r1++#1) = v30 }
	{ vmem(r1++#1) = v31; jumpr r31 }
	endfunction
