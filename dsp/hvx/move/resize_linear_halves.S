/* SPDX-License-Identifier: MIT */
/*
 * Bilinear resizing's loop over elements whose rounding float32 decides (resize_linear_halves.h):
 * each is made as dsp/kernels/resize_linear.c defines it. resize_linear_ties.c calls it.
 *
 * A round adds up an element's four products, and divides and rounds the sum of the one before it.
 * So the first round stores something where the second one does, and one more than there are
 * elements stores the last.
 *
 * x / y is q = x * (1 / y), of which x - q * y is left, exactly; q + what is left / y, twice, is
 * float32's own quotient (Markstein).
 *
 *	r0, r1		neighbours above, left and right; r2, r3: below
 *	r4, r5		weights' numbers; the output
 *	r6, r7		elements as real numbers; products
 *	r8		the list, behind the element of the round
 *	r10, r11	scale and its inverse; r12, r13: magic and zero; r14, r15: min and max
 *	r9		the round's element; r16: its number, then its products' place
 *	r17, r18, r19, r20	its neighbours, then their products
 *	r23:22		weights
 *	r24, r25, r26	the sum before, its quotient, and what is left
 *	r21		where that goes
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/move/resize_linear_halves.h"

	function nn_resize_halves, align=5
	{ allocframe(#48) }
	{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18 }
	{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22 }
	{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26 }
	{ r9:8 = memd(r0+#HALVES_LIST_COUNT); r3:2 = memd(r0+#HALVES_BOTTOM) }
	{ r5:4 = memd(r0+#HALVES_WEIGHT_TO); r7:6 = memd(r0+#HALVES_REAL_PRODUCT); r9 = add(r9,#1) }
	{ r11:10 = memd(r0+#HALVES_SCALE_INVERSE); r13:12 = memd(r0+#HALVES_MAGIC_ZERO)
	  loop0(.Ltie,r9) }
	{ r15:14 = memd(r0+#HALVES_MIN_MAX); r9 = memw(r8++#8); r24 = #0 }
	{ r1:0 = memd(r0+#HALVES_TOP) }
	.p2align 5
.Ltie:
	{ r16 = memub(r4+r9<<#0); r17 = memub(r0+r9<<#0); r25 = sfmpy(r24,r11); r26 = r24 }
	{ r18 = memub(r1+r9<<#0); r19 = memub(r2+r9<<#0)
	  r26 -= sfmpy(r25,r10); r16 = addasl(r7,r16,#4) }
	{ r23:22 = memd(r16+#0); r17 = memw(r6+r17<<#2); r25 += sfmpy(r26,r11); r26 = r24 }
	{ r20 = memub(r3+r9<<#0); r18 = memw(r6+r18<<#2)
	  r26 -= sfmpy(r25,r10); r17 = sfmpy(r17,r22) }
	{ r23:22 = memd(r16+#8); r19 = memw(r6+r19<<#2)
	  r25 += sfmpy(r26,r11); r18 = sfmpy(r18,r23) }
	{ r20 = memw(r6+r20<<#2); r21 = memw(r8+#-12); r25 = sfadd(r25,r12); r19 = sfmpy(r19,r22) }
	{ r9 = memw(r8++#8); r25 = add(r25,r13); r20 = sfmpy(r20,r23); r17 = sfadd(r17,r18) }
	{ r25 = max(r25,r14); r17 = sfadd(r17,r19) }
	{ r25 = min(r25,r15); r24 = sfadd(r17,r20); memb(r5+r21<<#0) = r25.new }:endloop0
	{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
	{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
	{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
	{ dealloc_return }
	endfunction
