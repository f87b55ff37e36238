/* SPDX-License-Identifier: MIT */
/*
 * REQUANTIZE's loops (requantize_vectors.h declares them, requantize.c calls them): 128 results in
 * 13 packets, or 12 of exact scales. Sums are words one behind another, and so are results, bytes;
 * lane i of v0 to v3 has sums i, 32 + i, 64 + i and 96 + i, and packing twice keeps that order.
 *
 * 8 multiplications of words are a packet each, with room for two others;
 * dsp/hvx/conv2d/tile_4x64.S says what a packet can do. The other 32 vector instructions are 12 to
 * clamp and shift, 4 to add zero point and half, 3 minima of fractions, 3 to pack, 2 for the clamp,
 * 4 loads, 2 stores, and 2 to count what may be a tie. 16 and 32 pipes could be 12 packets, but an
 * access that is not aligned, of which there are five, takes two of the four slots: so 13.
 *
 * The body makes a vector's products, loads, clamps and shifts the next one's sums, and looks
 * whether one of the vector before may be a tie. Only then is that one stored, so that what is left
 * to do is all behind it. Sums and results may have any address.
 *
 *	v0 - v3		sums, clamped and shifted
 *	v4 - v8		products, the least fraction
 *	v9 - v11	results
 *	v12, v13	greatest and least result
 *	v14, v15	what fraction may be a tie; zero point and a half to be added
 *	v16 - v31	least and greatest sum, shift, multiplier
 *	r0, r2		the next sums, and the bytes to those after them
 *	r1, r5		where results go: of the vector before, and of this one; r3: bytes between
 *	r4		vectors left; r6: flags
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/elementwise/requantize_vectors.h"

/* The beginning of a function: its addresses, steps, count and what is to be added. */
	.macro	BEGIN name
	function \name, align=5
	{ r6 = r0; r1 = r0; r15 = add(r0,##REQUANTIZE_LANE) }
	{ r9:8 = memd(r15+#0); r11:10 = memd(r15+#8) }
	{ r3:2 = memd(r15+#REQUANTIZE_STEPS-REQUANTIZE_LANE);
	  r13:12 = memd(r15+#REQUANTIZE_FROM_TO-REQUANTIZE_LANE) }
	{ r15:14 = memd(r15+#REQUANTIZE_COUNT_ROW-REQUANTIZE_LANE); v15 = vmem(r6+#1); r0 = r12;
	  r5 = r13 }
	.endm

/* The first sums: v0 is loaded, and all are clamped but for the greatest of v2 and all of v3. */
	.macro	CLAMP_FIRST
	{ v1 = vmemu(r0+#1); v0.w = vmin(v0.w,v20.w) }
	{ v2 = vmemu(r0+#2); v0.w = vmax(v0.w,v16.w); v1.w = vmin(v1.w,v21.w) }
	{ v3 = vmemu(r0+#3); v1.w = vmax(v1.w,v17.w); v2.w = vmin(v2.w,v22.w) }
	.endm

	.macro	REQUANTIZE name ub
	BEGIN \name
	{ m0 = r15; r4 = r14; v14 = vmem(r6+#2); p2 = cmp.gt(r14,#1) }
	{ v28 = vmemu(r8++m0); loop0(1f,r4) }
	{ v29 = vmemu(r9++m0) }
	{ v30 = vmemu(r10++m0) }
	{ v31 = vmemu(r11++m0) }
	{ v24 = vmemu(r8++m0) }
	{ v25 = vmemu(r9++m0) }
	{ v26 = vmemu(r10++m0) }
	{ v27 = vmemu(r11++m0) }
	{ v20 = vmemu(r8+#0) }
	{ v21 = vmemu(r9+#0); v16 = vnot(v20) }
	{ v22 = vmemu(r10+#0); v17 = vnot(v21) }
	{ v23 = vmemu(r11+#0); v18 = vnot(v22) }
	{ v0 = vmemu(r0+#0); v19 = vnot(v23) }
	CLAMP_FIRST
	{ v0.w = vasl(v0.w,v24.w); v2.w = vmax(v2.w,v18.w); v3.w = vmin(v3.w,v23.w);
	  if (p2) r0 = add(r0,r2) }
	{ v1.w = vasl(v1.w,v25.w); v3.w = vmax(v3.w,v19.w); v13 = vmem(r6+#3) }
	{ v2.w = vasl(v2.w,v26.w); v12 = vmem(r6+#4);
	  v8 = v14 }
1:
	{ v4.w = vmpye(v0.w,v28.uh); q0 = vcmp.gt(v14.uh,v8.uh); v9.\ub = vpack(v11.h,v10.h):sat;
	  p2 = cmp.gt(r4,#2) }
	{ v4.w += vmpyo(v0.w,v28.h):<<1:rnd:sat:shift; v0 = vmemu(r0+#0);
	  v9.\ub = vmax(v9.\ub,v13.\ub) }
	{ v4.w = vadd(v4.w,v15.w):sat; v0.w = vmin(v0.w,v20.w); v8.b = prefixsum(q0);
	  vmem(r6+#0) = v8.new }
	{ v5.w = vmpye(v1.w,v29.uh); v9.\ub = vmin(v9.\ub,v12.\ub); v0.w = vmax(v0.w,v16.w);
	  r7 = memub(r6+#127) }
	{ v5.w += vmpyo(v1.w,v29.h):<<1:rnd:sat:shift; v1 = vmemu(r0+#1);
	  p0 = cmp.eq(r7,#0); if (!p0.new) jump:nt 2f }
	{ v5.w = vadd(v5.w,v15.w):sat; v1.w = vmin(v1.w,v21.w); vmemu(r1+#0) = v9 }
	{ v6.w = vmpye(v2.w,v30.uh); v1.w = vmax(v1.w,v17.w); v8.uh = vmin(v4.uh,v5.uh); r1 = r5 }
	{ v6.w += vmpyo(v2.w,v30.h):<<1:rnd:sat:shift; v2 = vmemu(r0+#2); v1.w = vasl(v1.w,v25.w) }
	{ v6.w = vadd(v6.w,v15.w):sat; v2.w = vmin(v2.w,v22.w); v10.h = vpacko(v5.w,v4.w);
	  v3.w = vasl(v3.w,v27.w) }
	{ v7.w = vmpye(v3.w,v31.uh); v2.w = vmax(v2.w,v18.w); v8.uh = vmin(v8.uh,v6.uh);
	  r5 = add(r5,r3) }
	{ v7.w += vmpyo(v3.w,v31.h):<<1:rnd:sat:shift; v3 = vmemu(r0+#3); v2.w = vasl(v2.w,v26.w) }
	{ v7.w = vadd(v7.w,v15.w):sat; v3.w = vmin(v3.w,v23.w); if (p2) r0 = add(r0,r2);
	  r4 = add(r4,#-1) }
	{ v8.uh = vmin(v8.uh,v7.uh); v11.h = vpacko(v7.w,v6.w); v3.w = vmax(v3.w,v19.w);
	  v0.w = vasl(v0.w,v24.w) }:endloop0
	{ q0 = vcmp.gt(v14.uh,v8.uh); v9.\ub = vpack(v11.h,v10.h):sat }
	{ v9.\ub = vmax(v9.\ub,v13.\ub); v8.b = prefixsum(q0); vmem(r6+#0) = v8.new }
	{ v9.\ub = vmin(v9.\ub,v12.\ub); r7 = memub(r6+#127) }
	{ p0 = cmp.eq(r7,#0); if (!p0.new) jump:nt 2f; r0 = #0 }
	{ vmemu(r1+#0) = v9; jumpr r31 }
2:
	{ r0 = add(r4,#1); jumpr r31 }
	endfunction
	.endm

/*
 * Exact scales: where scale * 2^16 is an integer below 2^16 a product has all its bits: four
 * multiplications, and what looks like a tie is one. Ties are rounded up, and then to even: 1 less,
 * if that is odd without the zero point. Sums are clamped to half of what a product has room for,
 * which is past 8 bits, too. 31 other vector instructions, and 8 and 10 pipes for products and
 * accesses, are 12 packets.
 *
 *	v0 - v3		sums, clamped
 *	v4 - v7		products; v8: their fractions
 *	v9 - v11	results
 *	v12, v13	greatest and least result
 *	v14, v15	whether the zero point is odd; zero point and a half to be added
 *	v16 - v23	least and greatest sum
 *	v24 - v27	scale * 2^16
 *	v28 - v30	0; 1 in halfwords; whether results are odd
 */
	.macro	REQUANTIZE_EXACT name ub
	BEGIN \name
	{ m0 = r15; r4 = r14; v14 = vmem(r6+#2); r15 = asl(r15,#1) }
	{ r8 = add(r8,r15); r9 = add(r9,r15); r10 = add(r10,r15); r11 = add(r11,r15) }
	{ v20 = vmemu(r8++m0); loop0(1f,r4); r7 = #1 }
	{ v21 = vmemu(r9++m0); v20.uw = vlsr(v20.uw,r7) }
	{ v22 = vmemu(r10++m0); v21.uw = vlsr(v21.uw,r7); v16 = vnot(v20) }
	{ v23 = vmemu(r11++m0); v22.uw = vlsr(v22.uw,r7); v17 = vnot(v21) }
	{ v24 = vmemu(r8+#0); v23.uw = vlsr(v23.uw,r7); v18 = vnot(v22) }
	{ v25 = vmemu(r9+#0); v19 = vnot(v23); r7 = ##0x10001 }
	{ v26 = vmemu(r10+#0); p2 = cmp.gt(r4,#1) }
	{ v27 = vmemu(r11+#0); v28 = vxor(v28,v28) }
	{ v0 = vmemu(r0+#0); v29 = vsplat(r7) }
	CLAMP_FIRST
	{ v2.w = vmax(v2.w,v18.w); v3.w = vmin(v3.w,v23.w); v13 = vmem(r6+#3);
	  if (p2) r0 = add(r0,r2) }
	{ v3.w = vmax(v3.w,v19.w); v12 = vmem(r6+#4) }
1:
	{ v4.w = vmpyie(v0.w,v24.uh); v0 = vmemu(r0+#0) }
	{ v5.w = vmpyie(v1.w,v25.uh); v4.w = vadd(v4.w,v15.w); v9.\ub = vpack(v11.h,v10.h):sat }
	{ v5.w = vadd(v5.w,v15.w); v0.w = vmin(v0.w,v20.w); v1 = vmemu(r0+#1) }
	{ v6.w = vmpyie(v2.w,v26.uh); v1.w = vmin(v1.w,v21.w); v10.h = vpacko(v5.w,v4.w);
	  p2 = cmp.gt(r4,#2) }
	{ v8.h = vpacke(v5.w,v4.w); v6.w = vadd(v6.w,v15.w); v1.w = vmax(v1.w,v17.w);
	  v30 = vxor(v10,v14) }
	{ v7.w = vmpyie(v3.w,v27.uh); v2 = vmemu(r0+#2); r4 = add(r4,#-1) }
	{ v7.w = vadd(v7.w,v15.w); v2.w = vmin(v2.w,v22.w); v30 = vand(v30,v29);
	  q0 = vcmp.eq(v8.h,v28.h) }
	{ if (q0) v10.h -= v30.h; v2.w = vmax(v2.w,v18.w); v3 = vmemu(r0+#3) }
	{ v11.h = vpacko(v7.w,v6.w); v3.w = vmin(v3.w,v23.w); v0.w = vmax(v0.w,v16.w);
	  v9.\ub = vmax(v9.\ub,v13.\ub) }
	{ v8.h = vpacke(v7.w,v6.w); v3.w = vmax(v3.w,v19.w); v30 = vxor(v11,v14);
	  v9.\ub = vmin(v9.\ub,v12.\ub) }
	{ v30 = vand(v30,v29); q0 = vcmp.eq(v8.h,v28.h); vmemu(r1+#0) = v9 }
	{ if (q0) v11.h -= v30.h; if (p2) r0 = add(r0,r2); r1 = r5; r5 = add(r5,r3) }:endloop0
	{ v9.\ub = vpack(v11.h,v10.h):sat }
	{ v9.\ub = vmax(v9.\ub,v13.\ub) }
	{ v9.\ub = vmin(v9.\ub,v12.\ub) }
	{ vmemu(r1+#0) = v9; r0 = #0; jumpr r31 }
	endfunction
	.endm

	REQUANTIZE_EXACT nn_requantize_exact_uint8 ub
	REQUANTIZE_EXACT nn_requantize_exact_int8 b
	REQUANTIZE nn_requantize_uint8 ub
	REQUANTIZE nn_requantize_int8 b
