/* SPDX-License-Identifier: MIT */
/*
 * Loops that copy, merge and permute vectors in memory, for copy*.c, transpose*.c, resize and
 * others that move bytes: copy_loops.h says what each function does.
 *
 * A packet loads one vector and stores one, if both are aligned; an unaligned load or store has a
 * packet for itself, and takes the permute pipe. So where only the loads are unaligned, each vector
 * is made of two aligned ones.
 */
#include "dsp/hvx/common/asm.h"

/* r0: to, r1: from, r2: count */
	function nn_copy_vectors
	{
		r4 = add(r1, #127)
		r3 = sub(#0, r1)
		v0 = vmem(r1+#0)
		loop0(.Lvectors, r2)
	}
.Lvectors:
	{
		v1.cur = vmem(r4++#1)
		v2 = vlalign(v1, v0, r3)
		vmem(r0++#1) = v2.new
		v0 = v1
	}:endloop0
	jumpr	r31
	endfunction

/* r0: to, r1: from, r2: to_step, r3: from_step, r4: count */
	function nn_copy_steps
	m0 = r3
	m1 = r2
	loop0(.Lsteps, r4)
.Lsteps:
	v0 = vmemu(r1++m0)
	{
		vmemu(r0++m1) = v0
	}:endloop0
	jumpr	r31
	endfunction

	function nn_copy_aligned_steps
	m0 = r3
	m1 = r2
	loop0(.Laligned_steps, r4)
.Laligned_steps:
	{
		v0.cur = vmem(r1++m0)
		v1 = v0
		vmem(r0++m1) = v1.new
	}:endloop0
	jumpr	r31
	endfunction

/* r0: even, r1: odd, r2: from, r3: block, r4: count */
	function nn_copy_deal
	{
		r3 = sub(#0, r3)
		loop0(.Ldeal, r4)
	}
.Ldeal:
	v0 = vmemu(r2++#1)
	v1 = vmemu(r2++#1)
	v3:2 = vdeal(v1, v0, r3)
	vmemu(r0++#1) = v2
	{
		vmemu(r1++#1) = v3
	}:endloop0
	jumpr	r31
	endfunction

/*
 * r0: to, r1: from, r2: to_step, r3: from_step, r4: block, r5: count
 *
 * Three accesses that are not aligned are three packets. The block in front may share bytes with
 * what is there, so that can only be read when the block in front has been stored; the next block
 * is read early.
 */
	function nn_copy_blend
	m0 = r3
	{
		p0 = cmp.eq(r5, #1)
		r5 = add(r5, #-1)
		m1 = r2
	}
	{
		q0 = vsetq2(r4)
		loop0(.Lblend, r5)
	}
	{
		v0 = vmemu(r1++m0)
		if (p0) jump .Lblend_last
	}
.Lblend:
	v1 = vmemu(r0+#0)
	{
		v1 = vmux(q0, v0, v1)
		v0 = vmemu(r1++m0)
	}
	{
		vmemu(r0++m1) = v1
	}:endloop0
.Lblend_last:
	v1 = vmemu(r0+#0)
	v1 = vmux(q0, v0, v1)
	vmemu(r0+#0) = v1
	jumpr	r31
	endfunction

/*
 * The registers are those of nn_copy_blend. Aligned loads and stores ignore the lowest 7 bits of an
 * address. r6: to % 128; r7: by how many bytes a block is rotated, of which the lowest 7 bits
 * count.
 */
	function nn_copy_within
	m0 = r3
	{
		r6 = and(r0, #127)
		p0 = cmp.eq(r5, #1)
		r5 = add(r5, #-1)
		m1 = r2
	}
	{
		r4 = add(r4, r6)
		r7 = sub(r1, r6)
		q1 = vsetq(r6)
	}
	{
		q0 = vsetq2(r4)
		loop0(.Lwithin, r5)
	}
	q0 = and(q0, !q1)
	{
		v0.cur = vmem(r1++m0)
		v1 = vror(v0, r7)
		r7 = add(r7, r3)
		if (p0) jump .Lwithin_last
	}
.Lwithin:
	{
		v0.cur = vmem(r1++m0)
		v1 = vror(v0, r7)
		r7 = add(r7, r3)
		if (q0) vmem(r0++m1) = v1
	}:endloop0
.Lwithin_last:
	{
		if (q0) vmem(r0+#0) = v1
		jumpr	r31
	}
	endfunction

	function nn_copy_masked
	m0 = r3
	{
		r6 = and(r0, #127)
		m1 = r2
	}
	{
		r4 = add(r4, r6)
		r1 = sub(r1, r6)
		q1 = vsetq(r6)
	}
	{
		q0 = vsetq2(r4)
		loop0(.Lmasked, r5)
	}
	q0 = and(q0, !q1)
.Lmasked:
	v0 = vmemu(r1++m0)
	{
		if (q0) vmem(r0++m1) = v0
	}:endloop0
	jumpr	r31
	endfunction

/*
 * r0: to, r1: from, r2: to_step, r3: from_step, r4: bytes, r5: count, v0: control
 *
 * Each round stores what the round before has made. r4 becomes the end of the bytes, counted from
 * the beginning of an aligned vector.
 */
	function nn_gather
	{
		r6 = and(r0, #127)
		m0 = r3
	}
	{
		r4 = add(r4, r6)
		r5 = add(r5, #-1)
		p0 = cmp.eq(r5, #1)
		m1 = r2
	}
	{
		p1 = cmp.gtu(r4, #128)
		q1 = vsetq(r6)
		if (p1.new) jump:nt .Lgather_two
	}
	{
		q0 = vsetq2(r4)
		loop0(.Lgather_one, r5)
	}
	{
		q0 = and(q0, !q1)
		v1.cur = vmem(r1++m0)
		v2 = vrdelta(v1, v0)
		if (p0) jump .Llast_gather_one
	}
.Lgather_one:
	{
		v1.cur = vmem(r1++m0)
		v2 = vrdelta(v1, v0)
		if (q0) vmem(r0++m1) = v2
	}:endloop0
.Llast_gather_one:
	{
		if (q0) vmem(r0+#0) = v2
		jumpr	r31
	}

/* r2 is a vector behind r0; of r4 the lowest 7 bits count. */
.Lgather_two:
	{
		q0 = vsetq(r4)
		r2 = add(r0, #128)
		loop0(.Lgather_next, r5)
	}
	{
		v1.cur = vmem(r1++m0)
		v2 = vrdelta(v1, v0)
	}
	{
		if (!q1) vmem(r0++m1) = v2
		if (p0) jump .Llast_gather_two
	}
.Lgather_next:
	{
		v1.cur = vmem(r1++m0)
		v2 = vrdelta(v1, v0)
		if (q0) vmem(r2++m1) = v2
	}
	{
		if (!q1) vmem(r0++m1) = v2
	}:endloop0
.Llast_gather_two:
	{
		if (q0) vmem(r2+#0) = v2
		jumpr	r31
	}
	endfunction

/*
 * r0: to, r1: from, r2: from_step, r3: block, r4: count
 *
 * An access that is not aligned has a packet for itself: one for each block and one for the store.
 * A block is loaded so that it comes behind those before it in its vector. v0: the first block; v1:
 * the last; v2: the second of three.
 */
	.macro	CONCAT blocks
	{
		r5 = sub(r2, r3)
		r6 = add(r2, r3)
		r7 = add(r3, r3)
		q0 = vsetq2(r3)
	}
	.if	\blocks == 3
	{
		r6 = add(r6, r3)
		r7 = add(r7, r3)
		q1 = vsetq2(r7)
	}
	.endif
	{
		m0 = r5
		p0 = cmp.eq(r4, #1)
		r4 = add(r4, #-1)
	}
	m1 = r6
	v0 = vmemu(r1++m0)
	.if	\blocks == 3
	v2 = vmemu(r1++m0)
	.endif
	{
		v1 = vmemu(r1++m1)
		if (p0) jump .Llast_concat_\blocks
	}
	loop0(.Lconcat_\blocks, r4)
.Lconcat_\blocks:
	.if	\blocks == 3
	{
		v3 = vmux(q0, v0, v2)
		v0 = vmemu(r1++m0)
	}
	{
		v3 = vmux(q1, v3, v1)
		v2 = vmemu(r1++m0)
	}
	.else
	{
		v3 = vmux(q0, v0, v1)
		v0 = vmemu(r1++m0)
	}
	.endif
	v1 = vmemu(r1++m1)
	{
		vmemu(r0+#0) = v3
		r0 = add(r0, r7)
	}:endloop0
.Llast_concat_\blocks:
	.if	\blocks == 3
	v3 = vmux(q0, v0, v2)
	v3 = vmux(q1, v3, v1)
	.else
	v3 = vmux(q0, v0, v1)
	.endif
	{
		vmemu(r0+#0) = v3
		jumpr	r31
	}
	.endm

	function nn_copy_concat_two
	CONCAT	2
	endfunction

	function nn_copy_concat_three
	CONCAT	3
	endfunction

/* r0: to, r1: from, r2: control, r3: from_step, or to_step, r4: count */
	function nn_spread_vectors
	{
		v2 = vmem(r2+#0)
		m0 = r3
	}
	loop0(.Lspread, r4)
.Lspread:
	v0 = vmemu(r1++m0)
	{
		v1 = vdelta(v0, v2)
		vmem(r0++#1) = v1.new
	}:endloop0
	jumpr	r31
	endfunction

	function nn_gather_vectors
	{
		v2 = vmem(r2+#0)
		m0 = r3
	}
	loop0(.Lgather, r4)
.Lgather:
	{
		v0.cur = vmem(r1++#1)
		v1 = vrdelta(v0, v2)
	}
	{
		vmemu(r0++m0) = v1
	}:endloop0
	jumpr	r31
	endfunction

/* r0: to, r1: from, r2: networks, r3: to_step, r4: count */
	function nn_gather_halves
	{
		v6 = vmem(r2+#2)
		r5 = #-1
		m0 = r3
	}
	{
		q0 = vand(v6, r5)
		v4 = vmem(r2+#0)
	}
	{
		v5 = vmem(r2+#1)
		loop0(.Lhalves, r4)
	}
	{
		v0.cur = vmem(r1++#1)
		v1 = vrdelta(v0, v4)
	}
.Lhalves:
	v2 = vrdelta(v0, v5)
	{
		v0.cur = vmem(r1++#1)
		v1 = vrdelta(v0, v4)
		v3 = vmux(q0, v1, v2)
	}
	{
		vmemu(r0++m0) = v3
	}:endloop0
	jumpr	r31
	endfunction

/*
 * r0: to, r1: from, r2: block, r3: odd, r4: count
 *
 * Each vector of `from` becomes two of `to`: shuffled with itself, it has every block twice, and
 * the mask stores one of the two. That is two packets, as many as there are stores.
 */
	function nn_copy_shuffled
	{
		r2 = sub(#0, r2)
		r5 = sub(#0, r3)	/* all ones where the odd blocks are stored */
		r6 = add(r3, #-1)	/* and where the even ones are */
	}
	v5 = vsplat(r5)
	v4 = vsplat(r6)
	{
		v5:4 = vshuff(v5, v4, r2)
		r5 = #-1
	}
	{
		q0 = vand(v4, r5)
		p0 = cmp.eq(r4, #1)
		r4 = add(r4, #-1)
	}
	v0 = vmem(r1++#1)
	v3:2 = vshuff(v0, v0, r2)
	if (p0) jump .Llast_shuffled
	loop0(.Lshuffled, r4)
.Lshuffled:
	{
		v0 = vmem(r1++#1)
		if (q0) vmem(r0++#1) = v2
	}
	{
		v3:2 = vshuff(v0, v0, r2)
		if (q0) vmem(r0++#1) = v3
	}:endloop0
.Llast_shuffled:
	if (q0) vmem(r0++#1) = v2
	{
		if (q0) vmem(r0++#1) = v3
		jumpr	r31
	}
	endfunction

/*
 * r0: to, r1: from, r2: block, r3: odd, r4: count
 *
 * Two vectors of `from` make one of `to`: two packets, as many as there are loads.
 */
	function nn_copy_dealt
	{
		r2 = sub(#0, r2)
		r3 = sub(#0, r3)	/* all ones where the odd blocks are taken */
		r5 = #-1
	}
	v6 = vsplat(r3)
	q0 = vand(v6, r5)
	{
		v0 = vmem(r1++#1)
		p0 = cmp.eq(r4, #1)
		r4 = add(r4, #-1)
	}
	{
		v1.cur = vmem(r1++#1)
		v3:2 = vdeal(v1, v0, r2)
	}
	if (p0) jump .Llast_dealt
	loop0(.Ldealt, r4)
.Ldealt:
	{
		v0 = vmem(r1++#1)
		v4 = vmux(q0, v3, v2)
		vmem(r0++#1) = v4.new
	}
	{
		v1.cur = vmem(r1++#1)
		v3:2 = vdeal(v1, v0, r2)
	}:endloop0
.Llast_dealt:
	{
		v4 = vmux(q0, v3, v2)
		vmem(r0++#1) = v4.new
		jumpr	r31
	}
	endfunction

/*
 * r0: struct copy_scatter_vectors
 *
 * Each round stores what the round before has made.
 *
 *	v4, v5, q0, q1	controls and masks
 *	r1, r2		to, and a vector behind it; r3: from; m1, m0: their steps
 */
	.macro	BEGIN_SCATTER
	{
		r7 = #-1
		r4 = add(r0, #4*128)
		v0 = vmem(r0+#2)
	}
	{
		r3:2 = memd(r4+#0)	/* from, to */
		r9:8 = memd(r4+#8)	/* from_step, to_step */
		q0 = vand(v0, r7)
	}
	{
		m1 = r8
		r1 = r2
		r5 = memw(r4+#16)
		v1 = vmem(r0+#3)
	}
	{
		m0 = r9
		q1 = vand(v1, r7)
		r2 = add(r2, #128)
		v4 = vmem(r0+#0)
	}
	{
		r5 = add(r5, #-1)
		p0 = cmp.eq(r5, #1)
		v5 = vmem(r0+#1)
	}
	v0 = vmemu(r3++m0)
	.endm

	function nn_copy_scatter_one
	BEGIN_SCATTER
	{
		v1 = vdelta(v0, v4)
		loop0(.Lscatter_one, r5)
		if (p0) jump .Llast_scatter_one
	}
.Lscatter_one:
	v0 = vmemu(r3++m0)
	{
		v1 = vdelta(v0, v4)
		if (q0) vmem(r1++m1) = v1
	}:endloop0
.Llast_scatter_one:
	{
		if (q0) vmem(r1+#0) = v1
		jumpr r31
	}
	endfunction

	function nn_copy_scatter_two
	BEGIN_SCATTER
	v1 = vdelta(v0, v4)
	{
		v2 = vdelta(v0, v5)
		if (q0) vmem(r1++m1) = v1
		loop0(.Lscatter_two, r5)
		if (p0) jump .Llast_scatter_two
	}
.Lscatter_two:
	v0 = vmemu(r3++m0)
	{
		v1 = vdelta(v0, v4)
		if (q1) vmem(r2++m1) = v2
	}
	{
		v2 = vdelta(v0, v5)
		if (q0) vmem(r1++m1) = v1
	}:endloop0
.Llast_scatter_two:
	{
		if (q1) vmem(r2+#0) = v2
		jumpr r31
	}
	endfunction
