/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's results from its sums, down the rows of 128 outputs. run_job() of
 * depthwise_conv2d.c calls it. job.h says what the functions are given, requant.h what they
 * compute.
 *
 * A row of 128 results takes eight multiplications, each both multipliers of a packet. 4 biases, 4
 * shifts, 4 roundings, 3 packs, 6 steps of the look at fractions, the clamp's 2 and an unaligned
 * store take the rest of ten packets: 40 pipes of 40, so fewer packets it cannot be. The loop is a
 * modulo schedule: its body holds packets of three rows at once, and what comes before and after it
 * is the same packets for the rows at the ends.
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/depthwise/job.h"

/*
 * scale_rows: nn_depthwise_scale_u8() and _s8(), results of 8 bits. Returns in which rows a product
 * may be a tie, see requant.h: bit i is row i's, or that of a row 32 below it.
 *
 *	v0 .. v3	multipliers
 *	v4 .. v7	shifts
 *	v8 .. v11	biases
 *	v12		the zero point and what makes fractions of possible ties small
 *	v13, v14	the clamp
 *	v15		what these are below, shifted left by r7, 16
 *	v16, r4		the rows' bits, the row's bit
 *	r1, r2, r5	sums, where results go, rounds
 */
.macro scale_rows name, type
	function \name
	{
		r15 = r0
		r9 = memw(r0+#JOB_SCALES)
		r14 = memw(r0+#JOB_BIAS)
	}
	{
		m1 = r9
		r10 = memw(r15+#JOB_WEIGHTS)
		r11 = memw(r15+#JOB_WEIGHTS+4)
	}
	{
		r10 = add(r10, r14)
		r11 = add(r11, r14)
		r12 = memw(r15+#JOB_WEIGHTS+8)
		r13 = memw(r15+#JOB_WEIGHTS+12)
	}
	{
		v8 = vmemu(r10++m1)
		r12 = add(r12, r14)
		r13 = add(r13, r14)
	}
	{
		v9 = vmemu(r11++m1)
		r4 = #1
	}
	{
		v10 = vmemu(r12++m1)
		v16 = vxor(v16, v16)
	}
	v11 = vmemu(r13++m1)
	{
		r6 = memw(r15+#JOB_OFFSET)
		r9 = memw(r15+#JOB_PERIOD)
	}
	{
		m0 = r9
		v12 = vsplat(r6)
	}
	v0 = vmemu(r10++m0)
	v1 = vmemu(r11++m0)
	v2 = vmemu(r12++m0)
	v3 = vmemu(r13++m0)
	v4 = vmemu(r10)
	{
		r6 = memw(r15+#JOB_MIN)
		r7 = memw(r15+#JOB_MAX)
	}
	{
		v5 = vmemu(r11)
		v13 = vsplat(r6)
	}
	{
		v6 = vmemu(r12)
		v14 = vsplat(r7)
	}
	{
		r6 = memw(r15+#JOB_LIMIT)
		r7 = memw(r15+#JOB_PITCH)
	}
	{
		v7 = vmemu(r13)
		v15 = vsplat(r6)
	}
	{
		m0 = r7
		r1 = memw(r15+#JOB_SCALED)
		r2 = memw(r15+#JOB_OUT)
	}
	{
		r5 = memw(r15+#JOB_ROWS)
		r7 = #16
	}
	r5 = add(r5, #-2)
	{
		v31.tmp = vmem(r1++#1)
		v17.w = vadd(v31.w, v8.w)
	}
	v17.w = vasl(v17.w, v4.w)
	{
		v21.w = vmpye(v17.w, v0.uh)
		v31.tmp = vmem(r1++#1)
		v18.w = vadd(v31.w, v9.w)
	}
	{
		v21.w += vmpyo(v17.w, v0.h):<<1:rnd:sat:shift
		v31.tmp = vmem(r1++#1)
		v19.w = vadd(v31.w, v10.w)
	}
	{
		v21.w = vadd(v21.w, v12.w):sat
		v18.w = vasl(v18.w, v5.w)
	}
	{
		v22.w = vmpye(v18.w, v1.uh)
		v19.w = vasl(v19.w, v6.w)
	}
	v23.w = vmpye(v19.w, v2.uh)
	{
		v23.w += vmpyo(v19.w, v2.h):<<1:rnd:sat:shift
		v31.tmp = vmem(r1++#1)
		v20.w = vadd(v31.w, v11.w)
	}
	{
		v22.w += vmpyo(v18.w, v1.h):<<1:rnd:sat:shift
		v23.w = vadd(v23.w, v12.w):sat
		v20.w = vasl(v20.w, v7.w)
	}
	{
		v22.w = vadd(v22.w, v12.w):sat
		v24.w = vmpye(v20.w, v3.uh)
	}
	{
		v31.tmp = vmem(r1++#1)
		v17.w = vadd(v31.w, v8.w)
		v24.w += vmpyo(v20.w, v3.h):<<1:rnd:sat:shift
		v25.h = vpacko(v22.w, v21.w)
	}
	{
		v17.w = vasl(v17.w, v4.w)
		v24.w = vadd(v24.w, v12.w):sat
		v27.uh = vmin(v22.uh, v21.uh)
	}
	{
		v21.w = vmpye(v17.w, v0.uh)
		v31.tmp = vmem(r1++#1)
		v18.w = vadd(v31.w, v9.w)
		v28.uh = vmin(v24.uh, v23.uh)
	}
	{
		v21.w += vmpyo(v17.w, v0.h):<<1:rnd:sat:shift
		v31.tmp = vmem(r1++#1)
		v19.w = vadd(v31.w, v10.w)
		v26.h = vpacko(v24.w, v23.w)
	}
	{
		v21.w = vadd(v21.w, v12.w):sat
		v18.w = vasl(v18.w, v5.w)
		v30.uh = vmin(v27.uh, v28.uh)
		v29.\type = vpack(v26.h, v25.h):sat
	}
	{
		v22.w = vmpye(v18.w, v1.uh)
		v19.w = vasl(v19.w, v6.w)
		v29.\type = vmax(v29.\type, v13.\type)
	}
	{
		v23.w = vmpye(v19.w, v2.uh)
		v30.w = vasl(v30.w, r7)
		v29.\type = vmin(v29.\type, v14.\type)
	}
	{
		v23.w += vmpyo(v19.w, v2.h):<<1:rnd:sat:shift
		v31.tmp = vmem(r1++#1)
		v20.w = vadd(v31.w, v11.w)
		q0 = vcmp.gt(v15.uw, v30.uw)
	}
	{
		v22.w += vmpyo(v18.w, v1.h):<<1:rnd:sat:shift
		v23.w = vadd(v23.w, v12.w):sat
		v20.w = vasl(v20.w, v7.w)
	}
	{
		v22.w = vadd(v22.w, v12.w):sat
		v24.w = vmpye(v20.w, v3.uh)
		vmemu(r2++m0) = v29
	}
	loop0(.Lscale\@, r5)
.Lscale\@:
	{
		v31.tmp = vmem(r1++#1)
		v17.w = vadd(v31.w, v8.w)
		v24.w += vmpyo(v20.w, v3.h):<<1:rnd:sat:shift
		v25.h = vpacko(v22.w, v21.w)
	}
	{
		v17.w = vasl(v17.w, v4.w)
		v24.w = vadd(v24.w, v12.w):sat
		v27.uh = vmin(v22.uh, v21.uh)
		v16 |= vand(q0, r4)
	}
	{
		v21.w = vmpye(v17.w, v0.uh)
		v31.tmp = vmem(r1++#1)
		v18.w = vadd(v31.w, v9.w)
		v28.uh = vmin(v24.uh, v23.uh)
	}
	{
		v21.w += vmpyo(v17.w, v0.h):<<1:rnd:sat:shift
		v31.tmp = vmem(r1++#1)
		v19.w = vadd(v31.w, v10.w)
		v26.h = vpacko(v24.w, v23.w)
	}
	{
		v21.w = vadd(v21.w, v12.w):sat
		v18.w = vasl(v18.w, v5.w)
		v30.uh = vmin(v27.uh, v28.uh)
		v29.\type = vpack(v26.h, v25.h):sat
	}
	{
		v22.w = vmpye(v18.w, v1.uh)
		v19.w = vasl(v19.w, v6.w)
		v29.\type = vmax(v29.\type, v13.\type)
		r4 = rol(r4, #1)
	}
	{
		v23.w = vmpye(v19.w, v2.uh)
		v30.w = vasl(v30.w, r7)
		v29.\type = vmin(v29.\type, v14.\type)
	}
	{
		v23.w += vmpyo(v19.w, v2.h):<<1:rnd:sat:shift
		v31.tmp = vmem(r1++#1)
		v20.w = vadd(v31.w, v11.w)
		q0 = vcmp.gt(v15.uw, v30.uw)
	}
	{
		v22.w += vmpyo(v18.w, v1.h):<<1:rnd:sat:shift
		v23.w = vadd(v23.w, v12.w):sat
		v20.w = vasl(v20.w, v7.w)
	}
	{
		v22.w = vadd(v22.w, v12.w):sat
		v24.w = vmpye(v20.w, v3.uh)
		vmemu(r2++m0) = v29
	}:endloop0
	{
		v24.w += vmpyo(v20.w, v3.h):<<1:rnd:sat:shift
		v25.h = vpacko(v22.w, v21.w)
	}
	{
		v24.w = vadd(v24.w, v12.w):sat
		v27.uh = vmin(v22.uh, v21.uh)
		v16 |= vand(q0, r4)
	}
	v28.uh = vmin(v24.uh, v23.uh)
	v26.h = vpacko(v24.w, v23.w)
	{
		v30.uh = vmin(v27.uh, v28.uh)
		v29.\type = vpack(v26.h, v25.h):sat
	}
	{
		v29.\type = vmax(v29.\type, v13.\type)
		r4 = rol(r4, #1)
	}
	{
		v30.w = vasl(v30.w, r7)
		v29.\type = vmin(v29.\type, v14.\type)
	}
	q0 = vcmp.gt(v15.uw, v30.uw)
	vmemu(r2++m0) = v29
	v16 |= vand(q0, r4)
	r4 = rol(r4, #1)
	{
		r6 = #64
		r7 = #32
	}
	{
		v17 = vror(v16, r6)
		r6 = #16
	}
	v16 = vor(v16, v17)
	{
		v17 = vror(v16, r7)
		r7 = #8
	}
	v16 = vor(v16, v17)
	{
		v17 = vror(v16, r6)
		r6 = #4
	}
	v16 = vor(v16, v17)
	v17 = vror(v16, r7)
	v16 = vor(v16, v17)
	{
		v17 = vror(v16, r6)
		r1 = #0
	}
	v16 = vor(v16, v17)
	r0 = vextract(v16, r1)
	jumpr	r31
	endfunction
.endm

	scale_rows nn_depthwise_scale_u8, ub
	scale_rows nn_depthwise_scale_s8, b
