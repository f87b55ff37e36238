/* SPDX-License-Identifier: MIT */
/*
 * The loops of average_2x2s2.h: 128 means of 2x2 elements with stride 2, or 3x3 with stride 1, from
 * 256 bytes of each of two rows, in 13 packets.
 *
 *	rows, 64 channels   |p0 p1|p2 p3|	two vectors of a row, and of the next
 *	                    |q0 q1|q2 q3|
 *	vdeal               |p0 p2| |p1 p3|	left and right pixels of two windows
 *	sums                v14: even bytes, v15: odd ones, as halfwords
 *
 * A sum has 10 bits and the multiplier 32: S * low + base_low, its upper 16 bits, and to these S *
 * high + base_high. That takes four pairs of multiplications in both multiplying pipes; with the
 * four sums of bytes, which take these, too, six packets. In the pipe that shifts are four shifts,
 * and together with the permuting pipe two times vdeal and two times vshuffoe: eight packets; with
 * the unaligned memory accesses, which permute, too, at least five that are none of the latter
 * four. So nine packets are the least that pipes need; the others are because all of it is one
 * chain.
 *
 *	v0, v1		flip, flip_out; v3, v4: the clamp; v7:6, v9:8: base, low and high
 *	v15:14		sums of even bytes and odd ones
 *	v25:24, v27:26	results and fractions, of even and odd ones
 *	v5, v2		fractions below may be ties, of even ones and odd ones; v31, v30: a bit for
 *			each vector in which one is; r10: that of the next
 *	r1, r3, r2, r4	first and second 128 bytes of a row, and of the other
 *	r5, r6, r7, r8	low, high, deal, 16; r0 and r9: where results and marks go
 *	r9 or r28	rows, without marks and with them; r13, r14: bytes to the next one, of
 *			input and output
 *	r11, r12	rounds, and a row's parts, of which all but the last row's last have
 *			their marks stored between two rounds; r15: struct average_loop
 *
 * Means of 3x3 take the same 13 packets, as what they load and add up fits where that of 2x2 does:
 * three unaligned loads, two sums of bytes and two of sums. Their pipes would be filled in 11. Two
 * or three windows of 2x2 to a vector take 13, too, with three or four loads of each row.
 *
 * A round has three stages: `load` adds bytes, `compute` multiplies the sums of the round before,
 * and `finish` stores what is two rounds old.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/pool/average_2x2s2.h"

/*
 * The following macros load and add up, one macro for each packet of a round. The first are for
 * windows of 2x2.
 */
	.set	two_by_two_add_late, 0
.macro two_by_two_0 load, compute
.endm
.macro two_by_two_1
	v10 = vmemu(r1++m0)
.endm
.macro two_by_two_2
	v11 = vmemu(r3++m0)
.endm
.macro two_by_two_3
	v12 = vmemu(r2++m0)
.endm
.macro two_by_two_4
	v13 = vmemu(r4++m0)
	v10 = vxor(v10, v0)
.endm
.macro two_by_two_5
	v11 = vxor(v11, v0)
	v12 = vxor(v12, v0)
.endm
.macro two_by_two_6
	v11:10 = vdeal(v11, v10, r7)
.endm
.macro two_by_two_7
	v13 = vxor(v13, v0)
.endm
.macro two_by_two_9
	v15:14.h = vadd(v10.ub, v11.ub)
.endm
.macro two_by_two_10
	v13:12 = vdeal(v13, v12, r7)
.endm
.macro two_by_two_11
	v15:14.h += vadd(v12.ub, v13.ub)
.endm
.macro two_by_two_begin
.endm
.macro two_by_two_12
.endm
.macro two_by_two_13
.endm

/*
 * Two or three windows of 2x2 to a vector: pixels are loaded shifted by one pixel and more, and
 * masks make left and right ones of them, or right and left.
 */
	.set	shifts_add_late, 1
.macro shifts_begin
	r3 = sub(r3, r1)
	{ q2 = vsetq(r3); r3 = add(r3, r3) }
	q3 = vsetq(r3)
.endm
.macro shifts_0 load, compute
.endm
.macro shifts_1
	v10 = vmemu(r1++m0)
.endm
.macro shifts_2
	v11 = vmemu(r1++m0)
.endm
.macro shifts_3
	.if shift_windows == 2
	v12 = vmemu(r1++m1)
	.else
	v12 = vmemu(r1++m0)
	.endif
.endm
.macro shifts_4
	.if shift_windows == 3
	v13 = vmemu(r1++m1)
	.endif
	v10 = vmux(q2, v10, v12)
.endm
.macro shifts_5
	v29 = vmemu(r2++m0)
	.if shift_windows == 3
	v11 = vmux(q3, v11, v13)
	.endif
.endm
.macro shifts_6
	v30 = vmemu(r2++m0)
	v10 = vxor(v10, v0)
.endm
.macro shifts_7
	.if shift_windows == 2
	v31 = vmemu(r2++m1)
	.else
	v31 = vmemu(r2++m0)
	.endif
.endm
.macro shifts_9
	v11 = vxor(v11, v0)
.endm
.macro shifts_10
	.if shift_windows == 3
	v13 = vmemu(r2++m1)
	.endif
	v15:14.h = vadd(v10.ub, v11.ub)
.endm
.macro shifts_11
	v31 = vmux(q2, v29, v31)
	.if shift_windows == 3
	v30 = vmux(q3, v30, v13)
	.endif
.endm
.macro shifts_12
	v31 = vxor(v31, v0)
	v30 = vxor(v30, v0)
.endm
.macro shifts_13
	v15:14.h += vadd(v31.ub, v30.ub)
.endm

/*
 * Five windows of 2x2 to a vector: loads take three packets more; the second row is added up in the
 * next round.
 */
	.set	fives_add_late, 1
.macro fives_begin
	r3 = sub(r3, r1)
	{ q0 = vsetq(r3); r4 = add(r3, r3) }
	{ q1 = vsetq(r4); r3 = add(r3, r4); r4 = add(r4, r4) }
	q2 = vsetq(r3)
	q3 = vsetq(r4)
.endm
.macro fives_0 load, compute
	.if \load || \compute
	{
	.if \load
		v10 = vmemu(r1++m0)
	.endif
		v31 = vxor(v31, v0)
		v2 = vxor(v2, v0)
	}
	{
	.if \load
		v11 = vmemu(r1++m0)
	.endif
		v15:14.h += vadd(v31.ub, v2.ub)
	}
	.endif
	.if \load
	v12 = vmemu(r1++m0)
	.endif
.endm
.macro fives_1
	v13 = vmemu(r1++m0)
.endm
.macro fives_2
	v29 = vmemu(r1++m0)
.endm
.macro fives_3
	v30 = vmemu(r1++m1)
.endm
.macro fives_4
	v31 = vmemu(r2++m0)
	v12 = vmux(q2, v12, v29)
.endm
.macro fives_5
	v2 = vmemu(r2++m0)
	v13 = vmux(q3, v13, v30)
.endm
.macro fives_6
	v5 = vmemu(r2++m0)
	v10 = vmux(q0, v10, v12)
.endm
.macro fives_7
	v12 = vmemu(r2++m0)
.endm
.macro fives_9
	v11 = vmux(q1, v11, v13)
.endm
.macro fives_10
	v13 = vmemu(r2++m0)
	v10 = vxor(v10, v0)
	v11 = vxor(v11, v0)
.endm
.macro fives_11
	v29 = vmemu(r2++m1)
	v15:14.h = vadd(v10.ub, v11.ub)
.endm
.macro fives_12
	v5 = vmux(q2, v5, v13)
	v12 = vmux(q3, v12, v29)
.endm
.macro fives_13
	v31 = vmux(q0, v31, v5)
	v2 = vmux(q1, v2, v12)
.endm

/* Windows of 3x3: v11:10 is the sum of three elements, v13:12 the one before, and v31:30 both. */
	.set	three_by_three_add_late, 1
.macro three_by_three_three
	v10 = vmemu(r1++m0)
	{ v11 = vmemu(r2++m0); v10 = vxor(v10, v0) }
	{ v5 = vmemu(r3+#0); v11 = vxor(v11, v0) }
	{ v5 = vxor(v5, v0); r3 = add(r3, r7); v11:10.h = vadd(v10.ub, v11.ub) }
	v11:10.h += vadd(v5.ub, v2.ub)
.endm
.macro three_by_three_begin
	v2 = vxor(v2, v2)
	three_by_three_three
	v13:12 = vcombine(v11, v10)
	three_by_three_three
	{ v31:30.h = vadd(v13:12.h, v11:10.h); v13:12 = vcombine(v11, v10) }
.endm
.macro three_by_three_0 load, compute
.endm
.macro three_by_three_1
	v10 = vmemu(r1++m0)
.endm
.macro three_by_three_2
	v11 = vmemu(r2++m0)
.endm
.macro three_by_three_3
	v5 = vmemu(r3+#0)
.endm
.macro three_by_three_4
	v10 = vxor(v10, v0)
.endm
.macro three_by_three_5
	v11 = vxor(v11, v0)
.endm
.macro three_by_three_6
	v5 = vxor(v5, v0)
.endm
.macro three_by_three_7
	r3 = add(r3, r7)
.endm
.macro three_by_three_9
	v11:10.h = vadd(v10.ub, v11.ub)
.endm
.macro three_by_three_10
	v11:10.h += vadd(v5.ub, v2.ub)
.endm
.macro three_by_three_11
	v15:14.h = vadd(v31:30.h, v11:10.h)
.endm
.macro three_by_three_12
	v31:30.h = vadd(v13:12.h, v11:10.h)
.endm
.macro three_by_three_13
	v13:12 = vcombine(v11, v10)
.endm

.macro average_round_packets kind, ties, load, compute, finish, end
	\kind\()_0 \load, \compute
	{
	.if \load
		\kind\()_1
	.endif
	.if \compute
		v17:16 = vcombine(v7, v6)
	.endif
	.if \finish
		v28.ub = vsat(v27.h, v25.h)
	.endif
	}
	{
	.if \load
		\kind\()_2
	.endif
	.if \compute
		v17:16.uw += vmpy(v14.uh, r5.uh)
	.endif
	.if \finish
		v28.ub = vmax(v28.ub, v3.ub)
	.endif
	}
	{
	.if \load
		\kind\()_3
	.endif
	.if \compute
		v21:20 = vcombine(v7, v6)
	.endif
	.if \finish
		v28.ub = vmin(v28.ub, v4.ub)
	.endif
	}
	.if \load || \compute
	{
	.if \load
		\kind\()_4
	.endif
	.if \compute
		v21:20.uw += vmpy(v15.uh, r5.uh)
	.endif
	}
	.endif
	.if \load || \compute
	{
	.if \load
		\kind\()_5
	.endif
	.if \compute
		v19:18 = vcombine(v9, v8)
	.endif
	}
	.endif
	.if \load || \compute
	{
	.if \load
		\kind\()_6
	.endif
	.if \compute
		v19:18.uw += vmpy(v14.uh, r6.uh)
	.endif
	}
	.endif
	.if \load || \compute
	{
	.if \load
		\kind\()_7
	.endif
	.if \compute
		v23:22 = vcombine(v9, v8)
		v18.w += vasr(v16.w, r8)
	.endif
	}
	.endif
	.if \compute || \finish
	{
	.if \compute
		v23:22.uw += vmpy(v15.uh, r6.uh)
		v19.w += vasr(v17.w, r8)
	.endif
	.if \finish
		v28 = vxor(v28, v1)
	.endif
	}
	.endif
	{
	.if \load
		\kind\()_9
	.endif
	.if \compute
		v22.w += vasr(v20.w, r8)
	.endif
	.if \finish
		vmemu(r0++m1) = v28
	.endif
	}
	.if \load || (\finish && \ties)
	{
	.if \load
		\kind\()_10
	.endif
	.if \finish && \ties
		q0 = vcmp.gt(v5.uh, v24.uh)
	.endif
	}
	.endif
	.if \load || \compute || (\finish && \ties)
	{
	.if \load
		\kind\()_11
	.endif
	.if \compute
		v23.w += vasr(v21.w, r8)
	.endif
	.if \finish && \ties
		q1 = vcmp.gt(v2.uh, v26.uh)
	.endif
	}
	.endif
	.if \compute || (\finish && \ties) || (\load && \kind\()_add_late)
	{
	.if \compute
		v25:24.h = vshuffoe(v19.h, v18.h)
	.endif
	.if \load
		\kind\()_12
	.endif
	.if \finish && \ties
		v31 |= vand(q0, r10)
	.endif
	}
	.endif
	.if \compute || (\finish && \ties) || (\load && \kind\()_add_late)
	{
	.if \compute
		v27:26.h = vshuffoe(v23.h, v22.h)
	.endif
	.if \load
		\kind\()_13
	.endif
	.if \finish && \ties
		v30 |= vand(q1, r10)
		r10 = rol(r10, #1)
	.endif
	.if \end
	}:endloop0
	.else
	}
	.endif
	.endif
.endm

.macro average_loop name, kind, ties
	function \name
	{ r15 = r0; r1 = memw(r0+#AVERAGE_FLIP); r2 = memw(r0+#AVERAGE_FLIP_OUT) }
	{ v0 = vsplat(r1); r3 = memw(r15+#AVERAGE_MIN); r4 = memw(r15+#AVERAGE_MAX) }
	{ v1 = vsplat(r2); r5 = memw(r15+#AVERAGE_BASE_LOW); r6 = memw(r15+#AVERAGE_BASE_HIGH) }
	{ v3 = vsplat(r3); r1 = memw(r15+#AVERAGE_ROWS); r2 = memw(r15+#AVERAGE_ROWS+4) }
	{ v4 = vsplat(r4); r10 = memw(r15+#AVERAGE_BESIDE); r11 = memw(r15+#AVERAGE_STEP) }
	{ v6 = vsplat(r5); r7 = memw(r15+#AVERAGE_DEAL); r12 = memw(r15+#AVERAGE_TO_STEP) }
	{ v8 = vsplat(r6); r5 = memw(r15+#AVERAGE_LOW); r6 = memw(r15+#AVERAGE_HIGH) }
	{ v7 = v6; m0 = r11; r0 = memw(r15+#AVERAGE_TO); r11 = memw(r15+#AVERAGE_ROUNDS) }
	{ v9 = v8; m1 = r12; r3 = add(r1, r10); r4 = add(r2, r10) }
	.if \ties
	{ v31 = vxor(v31, v31); r13 = memw(r15+#AVERAGE_TIE); r9 = memw(r15+#AVERAGE_MARKS) }
	{ v5 = vsplat(r13); r13 = memw(r15+#AVERAGE_EVEN); r14 = memw(r15+#AVERAGE_ODD) }
	{ q0 = vsetq2(r13); v30 = v31; r12 = memw(r15+#AVERAGE_PARTS) }
	{ q1 = vsetq2(r14); r10 = ##0x10001 }
	{ v2 = vand(q1, v5); r8 = #16
	  r28 = memw(r15+#AVERAGE_COUNT); r13 = memw(r15+#AVERAGE_NEXT) }
	{ v5 = vand(q0, v5); r14 = memw(r15+#AVERAGE_TO_NEXT) }
	.else
	{ r8 = #16; r9 = memw(r15+#AVERAGE_COUNT); r13 = memw(r15+#AVERAGE_NEXT) }
	r14 = memw(r15+#AVERAGE_TO_NEXT)
	.endif
	\kind\()_begin
	average_round_packets \kind, \ties, 1, 0, 0, 0
	average_round_packets \kind, \ties, 1, 1, 0, 0
.Lpart\@:
	loop0(.Lround\@, r11)
.Lround\@:
	average_round_packets \kind, \ties, 1, 1, 1, 1
	.if \ties
	{ r12 = add(r12, #-1); p0 = cmp.eq(r12, #1); if (!p0.new) jump:nt .Lmarks\@ }
	{ r28 = add(r28, #-1); p0 = cmp.eq(r28, #1); if (!p0.new) jump:nt .Lnext\@ }
	.else
	{ r9 = add(r9, #-1); p0 = cmp.eq(r9, #1); if (!p0.new) jump:nt .Lnext\@ }
	.endif
	average_round_packets \kind, \ties, 0, 1, 1, 0
	average_round_packets \kind, \ties, 0, 0, 1, 0
	.if \ties
	vmem(r9+#0) = v31
	vmem(r9+#1) = v30
	.endif
	jumpr	r31
	.if \ties
.Lmarks\@:
	{ vmem(r9++#1) = v31; v31 = vxor(v31, v31); r11 = #AVERAGE_PART }
	{ vmem(r9++#1) = v30; v30 = vxor(v30, v30); r10 = ##0x10001 }
	jump	.Lpart\@
	.endif
.Lnext\@:
	{ r1 = add(r1, r13); r2 = add(r2, r13); r3 = add(r3, r13); r4 = add(r4, r13) }
	average_round_packets \kind, \ties, 1, 1, 1, 0
	average_round_packets \kind, \ties, 1, 1, 1, 0
	.if \ties
	{ vmem(r9++#1) = v31; v31 = vxor(v31, v31); r11 = memw(r15+#AVERAGE_ROUNDS) }
	{ vmem(r9++#1) = v30; v30 = vxor(v30, v30); r12 = memw(r15+#AVERAGE_PARTS) }
	r10 = ##0x10001
	.endif
	{ r0 = add(r0, r14); jump .Lpart\@ }
	endfunction
.endm

	average_loop nn_average_2x2s2, two_by_two, 0
	average_loop nn_average_2x2s2_ties, two_by_two, 1
	average_loop nn_average_3x3s1, three_by_three, 0
	.set	shift_windows, 2
	average_loop nn_average_2x2s2_two, shifts, 0
	.set	shift_windows, 3
	average_loop nn_average_2x2s2_three, shifts, 0
	average_loop nn_average_2x2s2_five, fives, 0
