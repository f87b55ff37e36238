/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's words and the sums of them, for words.c. words.h says what the functions are
 * given.
 *
 * A vrmpy of two vectors that accumulates takes both multipliers of a packet, so a packet for each
 * vector of weights is the least that 32 sums take. It loads its vector of words, too, and the
 * first one of a row stores the sums of the row before. An unaligned load takes a packet's accesses
 * to memory and its permutation: so a word of four columns is four packets of loads, and four of
 * interleaving, in which its vectors are stored.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/depthwise/words.h"

	/*
	 * interleave NAME, COLUMNS: vectors in v9:8 and v11:10, of which v9, v10 and v11 are stored
	 * while the next row's are made. A column that there is not is another one.
	 *
	 *	r0 .. r3	columns
	 *	r4		where words go
	 *	m0, m1		from row to row of these; less what the other stores go
	 */
	.macro	interleave name, columns
	function \name
	{ r15 = r0; r5 = memw(r0+#COLUMNS_PITCH); r8 = memw(r0+#COLUMNS_TO_PITCH) }
	{ m0 = r5; r1:0 = memd(r15+#COLUMNS_FROM); r3:2 = memd(r15+#COLUMNS_FROM+8) }
	{ r8 = add(r8,#-384); r4 = memw(r15+#COLUMNS_TO); r9 = memw(r15+#COLUMNS_ROWS) }
	/* Three stores of nothing come first. */
	{ m1 = r8; r4 = add(r4,#128); r6 = #-1 }
	{ loop0(.Linterleave\@,r9); r7 = #-2 }
	.p2align 4
.Linterleave\@:
	{ v0 = vmemu(r0++m0) }
	.if	\columns > 1
	{ v1 = vmemu(r1++m0) }
	.endif
	.if	\columns > 2
	{ v2 = vmemu(r2++m0) }
	.endif
	.if	\columns > 3
	{ v3 = vmemu(r3++m0) }
	.endif
	.if	\columns > 1
	{ v5:4 = vshuff(v1,v0,r6); vmem(r4++#1) = v9 }
	.else
	{ v5:4 = vshuff(v0,v0,r6); vmem(r4++#1) = v9 }
	.endif
	.if	\columns > 3
	{ v7:6 = vshuff(v3,v2,r6); vmem(r4++#1) = v10 }
	.elseif	\columns > 2
	{ v7:6 = vshuff(v2,v2,r6); vmem(r4++#1) = v10 }
	.else
	{ v7:6 = vcombine(v5,v4); vmem(r4++#1) = v10 }
	.endif
	{ v9:8 = vshuff(v6,v4,r7); vmem(r4++m1) = v11 }
	{ v11:10 = vshuff(v7,v5,r7); vmem(r4++#1) = v8 }:endloop0
	{ vmem(r4++#1) = v9 }
	{ vmem(r4++#1) = v10 }
	{ vmem(r4+#0) = v11; jumpr r31 }
	endfunction
	.endm

	function nn_depthwise_interleave_aligned
	{ r15 = r0; r5 = memw(r0+#COLUMNS_PITCH); r8 = memw(r0+#COLUMNS_TO_PITCH) }
	{ m0 = r5; r1:0 = memd(r15+#COLUMNS_FROM); r3:2 = memd(r15+#COLUMNS_FROM+8) }
	{ r8 = add(r8,#-384); r4 = memw(r15+#COLUMNS_TO); r9 = memw(r15+#COLUMNS_ROWS) }
	{ v0 = vmem(r0++m0); m1 = r8; r4 = add(r4,#128); r6 = #-1 }
	{ v1 = vmem(r1++m0); loop0(.Laligned,r9); r7 = #-2 }
	{ v2 = vmem(r2++m0) }
	{ v3 = vmem(r3++m0) }
	.p2align 4
.Laligned:
	{ v5:4 = vshuff(v1,v0,r6); v0 = vmem(r0++m0); vmem(r4++#1) = v9 }
	{ v7:6 = vshuff(v3,v2,r6); v1 = vmem(r1++m0); vmem(r4++#1) = v10 }
	{ v9:8 = vshuff(v6,v4,r7); v2 = vmem(r2++m0); vmem(r4++m1) = v11 }
	{ v11:10 = vshuff(v7,v5,r7); v3 = vmem(r3++m0); vmem(r4++#1) = v8 }:endloop0
	{ vmem(r4++#1) = v9 }
	{ vmem(r4++#1) = v10 }
	{ vmem(r4+#0) = v11; jumpr r31 }
	endfunction

	interleave nn_depthwise_interleave_1, 1
	interleave nn_depthwise_interleave_2, 2
	interleave nn_depthwise_interleave_3, 3
	interleave nn_depthwise_interleave_4, 4

	.macro	step type, weights, advance
	{ v28.w += vrmpy(v31.\type,v\weights\().b); v31.cur = vmem(r9++\advance) }
	.endm

	.macro	last_step type, weights
	{ v28.w += vrmpy(v31.\type,v\weights\().b); v31.cur = vmem(r9+#0);
	  r9 = add(r3,r4); r3 = add(r3,r4) }:endloop0
	.endm

	/*
	 * sums TYPE, WIDE, HIGH: kernels of so many rows of so many words.
	 *
	 *	v0 .. v26	weights
	 *	v28		sums, which are stored when the next row's begin
	 *	r2		weights, at first one every m0 bytes
	 *	r3, r4		words of a row of output, and from row to row
	 *	r6, r8		sums, and from row to row: as far as from word to word
	 *	r7		rows
	 *	r9, m0, m1	words; to the next of a row, to the next row
	 */
	.macro	sums type, wide, high
	.p2align 4
sums_\type\()_\wide\()x\high:
	.irp	i,0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26
	.if	\i < \wide * \high
	{ v\i = vmemu(r2++m0) }
	.endif
	.endr
	.if	\wide * \high == 1
	{ m0 = r8; r9 = r3 }
	{ m1 = r4 }
	{ loop0(.Lsums\@,r7) }
.Lsums\@:
	{ v28.w = vrmpy(v31.\type,v0.b); v31.cur = vmem(r9++m1); vmem(r6++m0) = v28 }:endloop0
	.else
	{ m0 = r8; r9 = r3 }
	{ loop0(.Lsums\@,r7) }
.Lsums\@:
	.if	\wide == 1
	{ v28.w = vrmpy(v31.\type,v0.b); v31.cur = vmem(r9++m1);
	  r6 = add(r6,r8); vmem(r6+#0) = v28 }
	.else
	{ v28.w = vrmpy(v31.\type,v0.b); v31.cur = vmem(r9++m0);
	  r6 = add(r6,r8); vmem(r6+#0) = v28 }
	.endif
	.irp	i,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26
	.if	\i + 1 == \wide * \high
	last_step \type, \i
	.elseif	\i + 1 < \wide * \high
	.if	(\i + 1) % \wide
	step	\type, \i, m0
	.else
	step	\type, \i, m1
	.endif
	.endif
	.endr
	.endif
	{ vmem(r6+#0) = v28; jumpr r31 }
	.endm

	.macro	sums_of type
	.irp	high,1,2,3,4,5,6,7,8,9
	sums	\type, 1, \high
	sums	\type, 2, \high
	sums	\type, 3, \high
	.endr
	.endm

	function nn_depthwise_multiply_words
	{ r15 = r0; r5 = memw(r0+#WORDS_PERIOD); r2 = memw(r0+#WORDS_WEIGHTS) }
	{ m0 = r5; r3 = memw(r15+#WORDS_FROM); r4 = memw(r15+#WORDS_ROW) }
	{ r8 = ##WORDS_BYTES; r5 = memw(r15+#WORDS_DOWN); r6 = memw(r15+#WORDS_SUMS) }
	{ m1 = r5; r7 = memw(r15+#WORDS_ROWS); r5 = memw(r15+#WORDS_ENTRY) }
	{ jumpr r5 }
	sums_of	ub
	sums_of	b
	endfunction

	.macro	entries type, wide
	.irp	high,1,2,3,4,5,6,7,8,9
	.word	sums_\type\()_\wide\()x\high
	.endr
	.endm

	table nn_depthwise_words_entry	/* [input is int8][words - 1][rows - 1] */
	entries	ub, 1
	entries	ub, 2
	entries	ub, 3
	entries	b, 1
	entries	b, 2
	entries	b, 3
	endtable
