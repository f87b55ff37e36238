/* SPDX-License-Identifier: MIT */
/*
 * The functions of average_2x2s2_ties.h: nn_average_ties_list finds means that may be ties in 8
 * packets each, and nn_average_ties_u8 and _s8 compute them in 11.
 *
 * nn_average_ties_list takes the marks that average_2x2s2_loop.S left, a halfword for each even
 * byte of results in one vector and for each odd one in another, whose bits are the vectors of a
 * part. It shuffles them, so that a lane of 32 bits has the marks of an even byte below those of an
 * odd one, finds the lanes that have any, with a bit of 64 for each, and then the marks in these.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/pool/average_2x2s2.h"
#include "dsp/hvx/pool/average_2x2s2_ties.h"

/*
 *	r1, r2, r3	lanes' marks, the list, where the first vector's results are
 *	r4, r5, r11	step, to_step, deal
 *	r28		bytes from the first window of all to this part's
 *	r9:8, r10	lanes that are left, the lane; r0: its marks that are left
 *	r12, r13	byte and vector; r15:14: an entry of the list
 */
	function nn_average_ties_list
	{ v31 = vmem(r1+#0); r4 = memw(r0+#AVERAGE_STEP); r28 = r4 }
	{ v30 = vmem(r1+#1); r5 = memw(r0+#AVERAGE_TO_STEP); v3 = vxor(v3,v3) }
	{ v2 = vor(v31,v30); r11 = memw(r0+#AVERAGE_DEAL); r6 = #-2 }
	{ q0 = vcmp.gt(v2.uh,v3.uh); r7 = ##0x01010101 }
	{ v2 = vand(q0,r7); v1:0 = vshuff(v30,v31,r6); r7 = ##0x08040201 }
	{ v2.b = vpacke(v2.h,v2.h); vmem(r1+#0) = v0 }
	{ v2.uw = vrmpy(v2.ub,r7.ub); vmem(r1+#1) = v1 }
	{ v2.h = vpacke(v2.w,v2.w); r7 = ##0x10011001 }
	{ v2.b = vpacke(v2.h,v2.h); r12 = #0 }
	{ v2.h = vdmpy(v2.ub,r7.b); r13 = #4 }
	{ v2.b = vpacke(v2.h,v2.h); r7:6 = combine(#-1,#-1) }
	r8 = vextract(v2,r12)
	r9 = vextract(v2,r13)
	{ r12 = or(r8,r9) }
	{ r0 = r2; p0 = cmp.eq(r12,#0); if (p0.new) jumpr:t r31 }
.Llane:
	{ r10 = ct0(r9:8); r13:12 = add(r9:8,r7:6) }
	{ r0 = memw(r1+r10<<#2); r9:8 = and(r9:8,r13:12) }
.Lmark:
	{ r15 = ct0(r0); r12 = add(r0,#-1) }
	{ r0 = and(r0,r12); r13 = and(r15,#15); r12 = lsr(r15,#4) }
	{ r12 = addasl(r12,r10,#1); p0 = cmp.eq(r0,#0) }
	{ r14 = and(r12,r11); r15 = add(r12,r3) }
	{ r14 += add(r12,r28); r15 += mpyi(r13,r5); r12 = or(r8,r9) }
	{ r14 += mpyi(r13,r4); p1 = cmp.eq(r12,#0) }
	{ memd(r2++#8) = r15:14; if (!p0) jump:nt .Lmark }
	if (!p1) jump:t .Llane
	{ r15:14 = combine(#0,#0); r0 = r2 }
	{ memd(r2+#0) = r15:14; jumpr r31 }
	endfunction

/*
 * A round begins a mean, of which it loads and adds up elements, and finishes the one before it:
 * the multiplying slots have 19 instructions of both, two in a packet, and what begins takes so
 * long that 10 packets have no room for it. The quotient is right where the first one is off by
 * less than one unit (Markstein), which an inverse of 48 bits ensures.
 *
 *	r1, r3:2, r4	the list, an entry, the last one's result
 *	r5 .. r8, r0	elements; r9, r28: their sum, and what is still to be added to it
 *	r10, r11	the quotient, what is left
 *	r14, r15, r12, r13, r27:16	struct average_ties
 */
.macro average_ties name, load
	function \name
	{ allocframe(r29,#48):raw }
	{ memd(r29+#0) = r17:16; memd(r29+#8) = r19:18 }
	{ memd(r29+#16) = r21:20; memd(r29+#24) = r23:22 }
	{ memd(r29+#32) = r25:24; memd(r29+#40) = r27:26; r3 = addasl(r1,r2,#3) }
	{ r15:14 = memd(r0+#0); r13:12 = memd(r0+#8); r2 = add(r2,#1); r3 = add(r3,#4) }
	{ r17:16 = memd(r0+#16); r19:18 = memd(r0+#24); loop0(.Ltie\@,r2) }
	{ r21:20 = memd(r0+#32); r23:22 = memd(r0+#40) }
	{ r25:24 = memd(r0+#48); r27:26 = memd(r0+#56) }
.Ltie\@:
	{ r3:2 = memd(r1++#8); r4 = r3; r9 = sfadd(r9,r28) }
	{ r5 = \load(r14+r2<<#0); r6 = \load(r15+r2<<#0); r10 = sfmpy(r9,r22); r11 = r9 }
	{ r7 = \load(r12+r2<<#0); r8 = \load(r13+r2<<#0); r10 += sfmpy(r9,r21);
	  r5 = sub(r5,r16) }
	{ r5 = convert_w2sf(r5); r11 -= sfmpy(r10,r20); r6 = sub(r6,r16); r7 = sub(r7,r16) }
	{ r6 = convert_w2sf(r6); r10 += sfmpy(r11,r21); r8 = sub(r8,r16) }
	{ r7 = convert_w2sf(r7); r10 = sfadd(r10,r23) }
	{ r8 = convert_w2sf(r8); r10 = sfadd(r10,r24) }
	{ r5 = sfmpy(r5,r17); r6 = sfmpy(r6,r17); r10 = add(r10,r25) }
	{ r7 = sfmpy(r7,r17); r0 = sfmpy(r8,r18); p0 = cmp.gt(r10,r27); p1 = cmp.gt(r26,r10) }
	{ r9 = sfadd(r5,r6); r7 = sfadd(r7,r0); r10 = mux(p0,r27,r10) }
	{ r9 = sfadd(r9,r7); r28 = sfmpy(r8,r19); r10 = mux(p1,r26,r10);
	  memb(r4+#0) = r10.new }:endloop0
	{ r17:16 = memd(r29+#0); r19:18 = memd(r29+#8) }
	{ r21:20 = memd(r29+#16); r23:22 = memd(r29+#24) }
	{ r25:24 = memd(r29+#32); r27:26 = memd(r29+#40) }
	dealloc_return
	endfunction
.endm

	average_ties nn_average_ties_u8, memub
	average_ties nn_average_ties_s8, memb
