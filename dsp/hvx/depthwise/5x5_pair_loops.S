/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's sums for kernels of 5x5, of columns that lie in pairs, and the loops that copy
 * pairs: 5x5.h declares them and draws the layout. sum() of 5x5.c and copy_block() of 5x5_slices.c
 * call them.
 *
 * A pair's bytes alternate, so two pairs whose columns follow each other, interleaved by halfwords,
 * are four columns of a row, and the first bytes of the third are the fifth column. Four rows of
 * that are interleaved, two of which already are, and multiplied once for the row of output whose
 * first four rows these are, and once, with one weight, for the one whose fifth is among them.
 *
 * It is 64 outputs at a time, as there are too many weights for 128: 14 products, of which as many
 * are alone, two in a packet, as have to be added to sums that move on to another row, and the
 * others accumulate and fill both multipliers. Both are always busy:
 *
 *	stride 1	6 that accumulate, 8 alone: 10 packets for a row of input
 *	stride 2	8 and 6: 11 packets for two, which end a row of output
 *
 * Loads that are not aligned leave two of four slots, and no store; a vshuff takes permute and
 * shift. So these, three or six and two or three of them, have packets of their own, and all that
 * is left is two or three copies. For 128 outputs that is 20, or 22, for each row of output and
 * those rounds that end none.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/depthwise/5x5.h"

/*
 * round_of_one: a round with stride 1, which is a row of input: what the one before has left, its
 * own products, and loads of the next one. \step: what columns go on by. \more: what else there is
 * room for.
 *
 *	v0 .. v7, v9, v10, v13	weights; three come from memory
 *	v14 .. v21	sums of the last four rows of output, from the oldest to the newest
 *	v23:22		four columns of the row, interleaved
 *	v24, v25	products
 *	v27:26		the fifth column's four rows, interleaved
 *	v28, v29	the next row's first two pairs
 *	v11, v12	the third pairs of the next row and of this one
 *	v30, v31, v8	the fifth column in a row and in the one before, of the last three rows
 */
.macro round_of_one type, step, more, loop
	{ v28 = vmemu(r0++\step); v15.w += vrmpy(v27.\type,v9.b); v12 = v11 }
	{ v24.tmp = vmem(r9+#-1); v14.w += vrmpy(v22.\type,v24.b); v27:26 = vshuff(v30,v8,r6) }
	{ v11 = vmemu(r2++\step); v15.w += vrmpy(v23.\type,v13.b); v8 = v31 }
	{ v29 = vmemu(r1++\step); v24.w = vrmpy(v22.\type,v0.b); v25.w = vrmpy(v23.\type,v1.b) }
	{ v14.w += vrmpy(v26.\type,v10.b); vmem(r5++#1) = v14.new; v31 = v30;
	  v30.b = vshuffe(v11.b,v12.b) }
	{ v12.tmp = vmem(r9+#-2); v15.w += vrmpy(v27.\type,v12.b); vmem(r5++#3) = v15.new
	  \more }
	{ v14.w = vadd(v16.w,v24.w); v15.w = vadd(v17.w,v25.w); v24.w = vrmpy(v22.\type,v2.b);
	  v25.w = vrmpy(v23.\type,v3.b) }
	{ v16.w = vadd(v18.w,v24.w); v17.w = vadd(v19.w,v25.w); v24.w = vrmpy(v22.\type,v4.b);
	  v25.w = vrmpy(v23.\type,v5.b) }
	{ v18.w = vadd(v20.w,v24.w); v19.w = vadd(v21.w,v25.w); v20.w = vrmpy(v22.\type,v6.b);
	  v21.w = vrmpy(v23.\type,v7.b) }
	{ v24.tmp = vmem(r9+#-3); v14.w += vrmpy(v26.\type,v24.b);
	  v23:22 = vshuff(v29,v28,r6) }\loop
.endm

/*
 * load_weights: the weights of 32 lanes at \lanes: four columns of each row, and the fifth column,
 * of which the first four rows are put together, and the last one goes where its byte is among four
 * (r11).
 */
.macro load_weights lanes, row0, row1, row2, row3, row4, fifth, last
	{ \row0 = vmemu(\lanes++m1) }
	{ v28 = vmemu(\lanes++m1) }
	{ \row1 = vmemu(\lanes++m1) }
	{ v29 = vmemu(\lanes++m1) }
	{ \row2 = vmemu(\lanes++m1); v28.b = vshuffe(v29.b,v28.b) }
	{ v29 = vmemu(\lanes++m1) }
	{ \row3 = vmemu(\lanes++m1) }
	{ v30 = vmemu(\lanes++m1) }
	{ \row4 = vmemu(\lanes++m1); v29.b = vshuffe(v30.b,v29.b) }
	{ \last = vmemu(\lanes+#0); \fifth\().h = vshuffe(v29.h,v28.h) }
	{ \last\().w = vasl(\last\().w,r11) }
.endm

/* first_of_one: what comes before the first round. */
.macro first_of_one
	load_weights r4, v6, v4, v2, v0, v12, v8, v10
	load_weights r7, v7, v5, v3, v1, v13, v9, v11
	{ vmem(r9++#1) = v8; r8 = memw(r15+#FIVE_COUNT) }
	{ vmem(r9++#1) = v11; r8 = add(r8,#-1) }
	{ vmem(r9++#1) = v12; p0 = cmp.eq(r8,#0); r3 = add(r12,#-1); r4 = add(r10,#-1) }
	{ v22 = vmemu(r0++m0); r2 = add(r2,r14); if (p0) r3 = r4 }
	{ v23 = vmemu(r1++m0); m1 = r13 }
	{ v11 = vmemu(r2++m0) }
	{ v23:22 = vshuff(v23,v22,r6) }
.endm

/* last_of_one: what the last round has to do. */
.macro last_of_one type
	{ v15.w += vrmpy(v27.\type,v9.b); p0 = cmp.eq(r14,#0) }
	{ v24.tmp = vmem(r9+#-1); v14.w += vrmpy(v22.\type,v24.b); v27:26 = vshuff(v30,v8,r6) }
	{ v15.w += vrmpy(v23.\type,v13.b); r14 = #128 }
	{ v14.w += vrmpy(v26.\type,v10.b); vmem(r5++#1) = v14.new }
	{ v12.tmp = vmem(r9+#-2); v15.w += vrmpy(v27.\type,v12.b); vmem(r5+#0) = v15.new }
	{ r5 = memw(r15+#FIVE_SUMS) }
.endm

/*
 * round_of_two: a round with stride 2, two rows of input, from the even one's four columns on. Its
 * loads are those of the next one's and of the even row behind that.
 *
 *	v0 .. v13	weights
 *	v14, v15	sums of the row of output that this round ends
 *	v16, v17	of the one below; the one below that begins
 *	v19:18		four columns of the even row, interleaved
 *	v20, v21	products
 *	v23:22		the fifth column's four rows, interleaved
 *	v25:24		the odd row's first two pairs, then its four columns
 *	v26, v27	the next even row's first two pairs
 *	v28, v29	the third pairs
 *	v28, v30	their first bytes together, those of the rows before
 */
.macro round_of_two type, step, more, loop
	{ v28 = vmemu(r2++m0); v20.w = vrmpy(v22.\type,v10.b); v21.w = vrmpy(v23.\type,v11.b) }
	{ v14.w = vadd(v14.w,v20.w); v15.w = vadd(v15.w,v21.w); v20.w = vrmpy(v18.\type,v2.b);
	  v21.w = vrmpy(v19.\type,v3.b) }
	{ v29 = vmemu(r2++\step); v16.w += vrmpy(v22.\type,v8.b) }
	{ v27 = vmemu(r1++m0); v17.w += vrmpy(v23.\type,v9.b); v28.b = vshuffe(v29.b,v28.b) }
	{ v14.w += vrmpy(v18.\type,v12.b); vmem(r5++#1) = v14.new; v25:24 = vshuff(v25,v24,r6) }
	{ v15.w += vrmpy(v19.\type,v13.b); vmem(r5++#3) = v15.new; v23:22 = vshuff(v28,v30,r6) }
	{ v14.w = vadd(v16.w,v20.w); v15.w = vadd(v17.w,v21.w); v16.w = vrmpy(v18.\type,v6.b);
	  v17.w = vrmpy(v19.\type,v7.b) }
	{ v14.w += vrmpy(v24.\type,v0.b); v19:18 = vshuff(v27,v26,r6)
	  \more }
	{ v24 = vmemu(r0++\step); v16.w += vrmpy(v24.\type,v4.b); v30 = v28 }
	{ v26 = vmemu(r0++m0); v15.w += vrmpy(v25.\type,v1.b) }
	{ v25 = vmemu(r1++\step); v17.w += vrmpy(v25.\type,v5.b) }\loop
.endm

.macro first_of_two
	load_weights r4, v6, v4, v2, v0, v12, v8, v10
	load_weights r7, v7, v5, v3, v1, v13, v9, v11
	{ v18 = vmemu(r0++m0); r2 = add(r2,r14) }
	{ v19 = vmemu(r1++m0); m1 = r13 }
	{ v28 = vmemu(r2++m0); r3 = add(r12,#-1); r4 = add(r10,#-1) }
	{ v29 = vmemu(r2++m0) }
	{ v24 = vmemu(r0++m0); v28.b = vshuffe(v29.b,v28.b) }
	{ v25 = vmemu(r1++m0); v30 = v28 }
	{ v26 = vmemu(r0++m0) }
	{ v19:18 = vshuff(v19,v18,r6); r8 = memw(r15+#FIVE_COUNT) }
	{ r8 = add(r8,#-1) }
	{ p0 = cmp.eq(r8,#0); if (p0.new) r3 = r4 }
.endm

.macro last_of_two type
	{ v20.w = vrmpy(v22.\type,v10.b); v21.w = vrmpy(v23.\type,v11.b); p0 = cmp.eq(r14,#0) }
	{ v14.w = vadd(v14.w,v20.w); v15.w = vadd(v15.w,v21.w); r14 = #128 }
	{ v14.w += vrmpy(v18.\type,v12.b); vmem(r5++#1) = v14.new }
	{ v15.w += vrmpy(v19.\type,v13.b); vmem(r5+#0) = v15.new; r5 = memw(r15+#FIVE_SUMS) }
.endm

/*
 * sum_pairs: nn_depthwise_sum_pairs_*() and nn_depthwise_sum_strided_pairs_*().
 *
 *	r0, r1, r2	the three pairs' columns
 *	r4, r7		weights of 32 lanes each; m1, r11: see load_weights
 *	r5, r9		where sums go, weights that are loaded again
 *	r6		-2: halfwords are interleaved
 *	r3, r8		rounds of the loop, how many positions follow
 *	r10, r12	rounds of the last position, of each other one but one
 *	r14, r15	where the first output's column is, what the function is given
 *	m0; m1, r13	bytes of a row of input; from a position's last row to the next one's first
 */
.macro sum_pairs name, type, stride, last_byte
	function \name
	{ r15 = r0; r1 = memw(r0+#FIVE_ROW_BYTES); r5 = memw(r0+#FIVE_SUMS) }
	{ m0 = r1; r9 = memw(r15+#FIVE_WEIGHTS); r10 = memw(r15+#FIVE_ROUNDS); r6 = #-2 }
	{ r12 = memw(r15+#FIVE_NEXT_ROUNDS); r13 = memw(r15+#FIVE_JUMP); r14 = #0 }
	{ r12 = add(r12,#-1); r5:4 = combine(r5,r15) }
.Lhalf\@:
	{ r0 = memw(r15+#FIVE_COLUMNS); r1 = memw(r15+#FIVE_COLUMNS+4) }
	{ r11 = memw(r15+#FIVE_PERIOD); r2 = memw(r15+#FIVE_COLUMNS+8); r0 = add(r0,r14);
	  r1 = add(r1,r14) }
	{ m1 = r11; r11 = #8*\last_byte; r7 = memw(r4+#FIVE_LANES+4); r4 = memw(r4+#FIVE_LANES) }
	first_of_\stride
	{ loop0(.Lround\@,r3) }
.Lround\@:
	round_of_\stride \type, m0, "", ":endloop0"
	{ p0 = cmp.gt(r8,#0); p1 = cmp.gt(r8,#1); r8 = add(r8,#-1); if (!p0.new) jump:nt .Llast\@ }
	/* The round before a position's last one. */
	round_of_\stride \type, m1, "; r3 = mux(p1,r12,r10)", ""
	{ loop0(.Lround\@,r3); jump .Lround\@ }
.Llast\@:
	last_of_\stride \type
	{ r5 = add(r5,#2*128); r4 = add(r15,#8); if (p0) jump .Lhalf\@ }
	jumpr	r31
	endfunction
.endm

/*
 * stage_pairs: copies pairs of columns to scratch memory, as struct depthwise_five_stage says.
 * Pairs of at most 64 channels have one vector, others two, which overlap the next pair, or if `to`
 * is aligned (\store) do not. What stores beside a vshuff is the second vector of the pair before.
 *
 *	r0, r4		where a pair's vectors go; m1 to the next
 *	r1, r2		its columns; m0 to the next
 *	r10, r11, r12	the same of the row's first; r13, r14, r15 to the next row
 *	r5		pairs but one
 */
.macro stage_pairs name, store, vectors
	function \name
	{ r10 = memw(r0+#STAGE_TO); r11 = memw(r0+#STAGE_FROM) }
	{ r12 = memw(r0+#STAGE_FROM+4); r13 = memw(r0+#STAGE_PITCH) }
	{ r14 = memw(r0+#STAGE_FROM_PITCH); r15 = memw(r0+#STAGE_FROM_PITCH+4); r7 = #-1 }
	{ r6 = memw(r0+#STAGE_FROM_STEP); r8 = memw(r0+#STAGE_STEP) }
	{ r5 = memw(r0+#STAGE_COUNT); r9 = memw(r0+#STAGE_ROWS); m0 = r6 }
	{ m1 = r8; r5 = add(r5,#-1) }
	{ p0 = cmp.eq(r5,#0); loop1(.Lrow\@,r9) }
.Lrow\@:
	{ r0 = r10; r4 = add(r10,#128); r1 = r11; r2 = r12 }
	{ v0 = vmemu(r1++m0); r10 = add(r10,r13) }
	{ v1 = vmemu(r2++m0); r11 = add(r11,r14) }
	{ v3:2 = vshuff(v1,v0,r7); r12 = add(r12,r15); loop0(.Lpair\@,r5);
	  if (p0) jump .Lend\@ }
.Lpair\@:
	{ \store(r0++m1) = v2 }
	{ v0 = vmemu(r1++m0) }
	{ v1 = vmemu(r2++m0) }
	.if \vectors == 1
	{ v3:2 = vshuff(v1,v0,r7) }:endloop0
.Lend\@:
	{ \store(r0+#0) = v2 }:endloop1
	.else
	.ifc \store, vmem
	{ v3:2 = vshuff(v1,v0,r7); vmem(r4++m1) = v3 }:endloop0
	.else
	{ \store(r4++m1) = v3 }
	{ v3:2 = vshuff(v1,v0,r7) }:endloop0
	.endif
.Lend\@:
	{ \store(r0+#0) = v2 }
	{ \store(r4+#0) = v3 }:endloop1
	.endif
	jumpr	r31
	endfunction
.endm

/*
 * stage_next: the same with stride 1, where each pixel is the second of a pair and the first of the
 * next one. If \is_row, also with the pairs that the first pixel and the last one have with
 * padding, in v4: all but the last pair begin with a pixel that is loaded.
 */
.macro stage_next name, is_row
	function \name
	{ r10 = memw(r0+#STAGE_TO); r11 = memw(r0+#STAGE_FROM) }
	{ r13 = memw(r0+#STAGE_PITCH); r14 = memw(r0+#STAGE_FROM_PITCH) }
	{ r6 = memw(r0+#STAGE_FROM_STEP); r8 = memw(r0+#STAGE_STEP) }
	{ r5 = memw(r0+#STAGE_COUNT); r9 = memw(r0+#STAGE_ROWS); m0 = r6 }
	.ifnb \is_row
	{ r12 = memw(r0+#STAGE_PADDING); r10 = sub(r10,r8) }
	{ m1 = r8; v4 = vmem(r12+#0); r7 = #-1 }
	{ loop1(.Lrow\@,r9) }
	.else
	{ m1 = r8; r5 = add(r5,#-1); r7 = #-1 }
	{ p0 = cmp.eq(r5,#0); loop1(.Lrow\@,r9) }
	.endif
.Lrow\@:
	.ifnb \is_row
	{ r0 = r10; r4 = add(r10,#128); r1 = r11; r11 = add(r11,r14) }
	{ v1 = vmemu(r1++m0); r10 = add(r10,r13) }
	{ v3:2 = vshuff(v1,v4,r7); v0 = v1; loop0(.Lpixel\@,r5) }
	.else
	{ r0 = r10; r4 = add(r10,#128); r1 = r11 }
	{ v0 = vmemu(r1++m0); r10 = add(r10,r13) }
	{ v1 = vmemu(r1++m0); r11 = add(r11,r14) }
	{ v3:2 = vshuff(v1,v0,r7); v0 = v1; loop0(.Lpixel\@,r5); if (p0) jump .Lend\@ }
	.endif
.Lpixel\@:
	{ vmem(r0++m1) = v2 }
	{ v1 = vmemu(r1++m0) }
	{ v3:2 = vshuff(v1,v0,r7); v0 = v1; vmem(r4++m1) = v3 }:endloop0
.Lend\@:
	.ifnb \is_row
	{ vmem(r0++m1) = v2 }
	{ v3:2 = vshuff(v4,v0,r7); vmem(r4++m1) = v3 }
	.endif
	{ vmem(r0+#0) = v2 }
	{ vmem(r4+#0) = v3 }:endloop1
	jumpr	r31
	endfunction
.endm

/*
 * nn_depthwise_stage_dense_pairs(): pairs each of which begins a bit further on in a vector than
 * the one before, so that after some (STAGE_GROUP) one begins with a vector again. Loaded from as
 * much before their pixels, their first vectors have all bytes where they belong, behind the last
 * ones of the pair before, and where the group ends the second one is full, too: three packets for
 * a pair and one for a group. With 96 channels, 192 bytes to a pair:
 *
 *	vectors		| 0 .. 127  | 128 .. 255| 256 .. 383|
 *	pairs		| pair 0          | pair 1          |
 *
 *	v2, v3		the last pair's vectors
 *	v4		the second one of the pair before
 *	v6, v7, v8	where the last pair begins, numbers of bytes from 1 on, by how much further
 *			another one begins
 *	r0		where vectors go
 *	r1, r2		columns of the group's second pair and so on; m0, r5: to the next
 *	r3, r4		of the next group's first one; m1: to that of the next
 *	r10, r11	where the row goes, its first column
 *	r12		from a group's last pair to the next one's second
 *	r15		channels
 *	r16, r17	rows, pairs of a group but one
 */
.macro dense_pair first, second, step, next, more, again, loop
	{ v0 = vmemu(\first++\step); q0 = vcmp.gt(v7.ub,v6.ub)
	  \more }
	{ v1 = vmemu(\second++\step); \next
	  \again }
	{ v5 = vmux(q0,v2,v4); vmem(r0++#1) = v5.new; v4 = v3; v3:2 = vshuff(v1,v0,r7) }\loop
.endm

	function nn_depthwise_stage_dense_pairs
	{ r28 = r0; allocframe(#8) }
	{ memd(r29+#0) = r17:16; r10 = memw(r28+#STAGE_TO) }
	{ r11 = memw(r28+#STAGE_FROM); r15 = memw(r28+#STAGE_FROM+4) }
	{ r13 = memw(r28+#STAGE_PITCH); r14 = memw(r28+#STAGE_FROM_PITCH); r15 = sub(r15,r11) }
	{ r9 = add(r15,#-64); r12 = memw(r28+#STAGE_FROM_STEP); r17 = memw(r28+#STAGE_GROUP) }
	{ r5 = sub(r12,r9); r6 = mpyi(r12,r17); r16 = memw(r28+#STAGE_ROWS) }
	{ m1 = r6; r17 = add(r17,#-1); r7 = #-1 }
	{ m0 = r5; r6 = mpyi(r17,r9) }
	{ r12 = add(r12,r6); r9 = add(r9,r9); q0 = vcmp.eq(v0.b,v0.b) }
	{ v7.b = prefixsum(q0); v8.b = vsplat(r9) }
.Lrow:
	{ r3 = r11; r4 = add(r11,r15); r1 = add(r11,r5); r0 = r10 }
	{ v0 = vmemu(r3++m1); r2 = add(r1,r15); r10 = add(r10,r13) }
	{ v1 = vmemu(r4++m1); r11 = add(r11,r14); v6 = vxor(v6,v6) }
	{ v3:2 = vshuff(v1,v0,r7); r6 = memw(r28+#STAGE_GROUPS) }
	{ loop1(.Lgroup,r6); p0 = cmp.eq(r6,#0); if (p0.new) jump:nt .Lrest }
	{ loop0(.Lgroup,r17) }
.Lgroup:
	dense_pair r1, r2, m0, "v6.b = vadd(v6.b,v8.b)", "", "", ":endloop0"
	dense_pair r3, r4, m1, "v6 = vxor(v6,v6)", "; r1 = add(r1,r12)", "; r2 = add(r2,r12)", ""
	{ vmem(r0++#1) = v4; lc0 = r17 }:endloop1
.Lrest:
	{ r6 = memw(r28+#STAGE_REST) }
	{ loop0(.Lmore,r6); p0 = cmp.eq(r6,#0); if (p0.new) jump:nt .Lend }
.Lmore:
	dense_pair r1, r2, m0, "v6.b = vadd(v6.b,v8.b)", "", "", ":endloop0"
.Lend:
	{ q0 = vcmp.gt(v7.ub,v6.ub); r16 = add(r16,#-1); p0 = cmp.gt(r16,#1) }
	{ v5 = vmux(q0,v2,v4); vmem(r0++#1) = v5.new }
	{ vmem(r0+#0) = v3; if (p0) jump .Lrow }
	{ r17:16 = memd(r29+#0) }
	{ dealloc_return }
	endfunction

	sum_pairs nn_depthwise_sum_pairs_u8, ub, one, 3
	sum_pairs nn_depthwise_sum_pairs_s8, b, one, 3
	sum_pairs nn_depthwise_sum_strided_pairs_u8, ub, two, 2
	sum_pairs nn_depthwise_sum_strided_pairs_s8, b, two, 2
	stage_pairs nn_depthwise_stage_aligned_pairs, vmem, 2
	stage_pairs nn_depthwise_stage_pairs, vmemu, 2
	stage_pairs nn_depthwise_stage_short_pairs, vmemu, 1
	stage_next nn_depthwise_stage_next_pairs
	stage_next nn_depthwise_stage_row_pairs, is_row
