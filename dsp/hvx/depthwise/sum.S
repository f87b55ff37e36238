/* SPDX-License-Identifier: MIT */
/*
 * DEPTHWISE_CONV2D's sums for kernels of three rows and at most three columns: down the rows of 128
 * outputs. sum_job() of depthwise_conv2d.c calls it. job.h says what the functions are given. The
 * three columns a, b, c of a row are interleaved as in 3x3s1_loops.S: a0 b0 c0 c0, a1 b1 c1 c1,
 * ....
 *
 * Compiled, these loops spill: weights, sums and what is in flight are more than 32 vectors. Each
 * loop here is a modulo schedule: its body holds packets of two rounds at once, and what comes
 * before and after it is the same packets for the rounds at the ends.
 *
 * Pipes bound them: of the four vector pipes of a packet a vrmpy of two vectors takes one of the
 * two multipliers, one that accumulates both; vshuff of a pair takes permute and shift; an
 * unaligned load takes permute, and both slots that can load. A store of what is made in its packet
 * takes no pipe.
 *
 *	stride 1	12 products (4 alone, 6 accumulated, 2 alone and added), 4 vshuff, 3 loads:
 *			32 pipes of 36 in 9 packets for a row
 *	stride 2	12 products (4, 6 and 2 again), 8 vshuff, 6 loads:
 *			43 pipes of 44 in 11 packets for a row
 */
#include "dsp/hvx/common/asm.h"
#include "dsp/hvx/depthwise/job.h"

/*
 * load_job: the job at r0. Weights of row k for lanes j: v[4 k + j].
 *
 *	r0, r1, r2	the three columns
 *	r3		where sums go
 *	r5		rounds of the loop
 *	r7, r4		-1 and -2: bytes and halfwords are interleaved
 *	m0		bytes of a row of input
 */
.macro load_job
	{
		r15 = r0
		r9 = memw(r0+#JOB_PERIOD)
		r10 = memw(r0+#JOB_WEIGHTS)
	}
	{
		m1 = r9
		r11 = memw(r15+#JOB_WEIGHTS+4)
		r12 = memw(r15+#JOB_WEIGHTS+8)
	}
	{
		v0 = vmemu(r10++m1)
		r7 = #-1
		r4 = #-2
	}
	{
		r13 = memw(r15+#JOB_WEIGHTS+12)
		r6 = memw(r15+#JOB_ROW_BYTES)
	}
	{
		v1 = vmemu(r11++m1)
		m0 = r6
	}
	v2 = vmemu(r12++m1)
	v3 = vmemu(r13++m1)
	v4 = vmemu(r10++m1)
	v5 = vmemu(r11++m1)
	v6 = vmemu(r12++m1)
	v7 = vmemu(r13++m1)
	v8 = vmemu(r10++m1)
	v9 = vmemu(r11++m1)
	v10 = vmemu(r12++m1)
	v11 = vmemu(r13++m1)
	{
		r1 = memw(r15+#JOB_COLUMNS+4)
		r2 = memw(r15+#JOB_COLUMNS+8)
	}
	{
		r3 = memw(r15+#JOB_SUMS)
		r5 = memw(r15+#JOB_ROUNDS)
	}
	{
		r0 = memw(r15+#JOB_COLUMNS)
		r5 = add(r5, #-1)
	}
.endm

/*
 * sum_rows: stride 1, two rows of input a round. v[12 + j] and v[16 + j] are the sums of the last
 * two rows of output, in turn: a row of input ends the older ones, which are stored and begun anew.
 */
.macro sum_rows name, type
	function \name
	load_job
	v22 = vmemu(r2++m0)
	v27:26 = vshuff(v22, v22, r7)
	v22 = vmemu(r2++m0)
	v21 = vmemu(r1++m0)
	v20 = vmemu(r0++m0)
	v25:24 = vshuff(v21, v20, r7)
	v31:30 = vshuff(v27, v25, r4)
	{
		v29:28 = vshuff(v26, v24, r4)
		v19.w += vrmpy(v31.\type, v7.b)
	}
	{
		v12.w += vrmpy(v28.\type, v8.b)
		vmem(r3++#1) = v12.new
		v27:26 = vshuff(v22, v22, r7)
	}
	{
		v13.w += vrmpy(v29.\type, v9.b)
		vmem(r3++#1) = v13.new
	}
	{
		v18.w += vrmpy(v30.\type, v6.b)
		v20 = vmemu(r0++m0)
	}
	{
		v23.w = vrmpy(v28.\type, v4.b)
		v13.w = vrmpy(v29.\type, v1.b)
		v21 = vmemu(r1++m0)
	}
	{
		v14.w += vrmpy(v30.\type, v10.b)
		vmem(r3++#1) = v14.new
		v25:24 = vshuff(v21, v20, r7)
	}
	{
		v16.w = vadd(v16.w, v23.w)
		v12.w = vrmpy(v28.\type, v0.b)
		v23.w = vrmpy(v29.\type, v5.b)
	}
	{
		v17.w = vadd(v17.w, v23.w)
		v15.w += vrmpy(v31.\type, v11.b)
		vmem(r3++#1) = v15.new
	}
	{
		v14.w = vrmpy(v30.\type, v2.b)
		v15.w = vrmpy(v31.\type, v3.b)
		v29:28 = vshuff(v26, v24, r4)
	}
	{
		v16.w += vrmpy(v28.\type, v8.b)
		vmem(r3++#1) = v16.new
	}
	{
		v31:30 = vshuff(v27, v25, r4)
		v17.w += vrmpy(v29.\type, v9.b)
		vmem(r3++#1) = v17.new
	}
	loop0(.Lrows3\@, r5)
.Lrows3\@:
	{
		v22 = vmemu(r2++m0)
		v23.w = vrmpy(v28.\type, v4.b)
		v17.w = vrmpy(v29.\type, v1.b)
	}
	{
		v27:26 = vshuff(v22, v22, r7)
		v18.w += vrmpy(v30.\type, v10.b)
		vmem(r3++#1) = v18.new
	}
	{
		v22 = vmemu(r2++m0)
		v12.w = vadd(v12.w, v23.w)
		v15.w += vrmpy(v31.\type, v7.b)
	}
	{
		v21 = vmemu(r1++m0)
		v23.w = vrmpy(v29.\type, v5.b)
		v18.w = vrmpy(v30.\type, v2.b)
	}
	{
		v20 = vmemu(r0++m0)
		v13.w = vadd(v13.w, v23.w)
		v14.w += vrmpy(v30.\type, v6.b)
	}
	{
		v25:24 = vshuff(v21, v20, r7)
		v19.w += vrmpy(v31.\type, v11.b)
		vmem(r3++#1) = v19.new
	}
	{
		v31:30 = vshuff(v27, v25, r4)
		v16.w = vrmpy(v28.\type, v0.b)
		v19.w = vrmpy(v31.\type, v3.b)
	}
	{
		v29:28 = vshuff(v26, v24, r4)
		v19.w += vrmpy(v31.\type, v7.b)
	}
	{
		v12.w += vrmpy(v28.\type, v8.b)
		vmem(r3++#1) = v12.new
		v27:26 = vshuff(v22, v22, r7)
	}
	{
		v13.w += vrmpy(v29.\type, v9.b)
		vmem(r3++#1) = v13.new
	}
	{
		v18.w += vrmpy(v30.\type, v6.b)
		v20 = vmemu(r0++m0)
	}
	{
		v23.w = vrmpy(v28.\type, v4.b)
		v13.w = vrmpy(v29.\type, v1.b)
		v21 = vmemu(r1++m0)
	}
	{
		v14.w += vrmpy(v30.\type, v10.b)
		vmem(r3++#1) = v14.new
		v25:24 = vshuff(v21, v20, r7)
	}
	{
		v16.w = vadd(v16.w, v23.w)
		v12.w = vrmpy(v28.\type, v0.b)
		v23.w = vrmpy(v29.\type, v5.b)
	}
	{
		v17.w = vadd(v17.w, v23.w)
		v15.w += vrmpy(v31.\type, v11.b)
		vmem(r3++#1) = v15.new
	}
	{
		v14.w = vrmpy(v30.\type, v2.b)
		v15.w = vrmpy(v31.\type, v3.b)
		v29:28 = vshuff(v26, v24, r4)
	}
	{
		v16.w += vrmpy(v28.\type, v8.b)
		vmem(r3++#1) = v16.new
	}
	{
		v31:30 = vshuff(v27, v25, r4)
		v17.w += vrmpy(v29.\type, v9.b)
		vmem(r3++#1) = v17.new
	}:endloop0
	{
		v23.w = vrmpy(v28.\type, v4.b)
		v17.w = vrmpy(v29.\type, v1.b)
	}
	{
		v18.w += vrmpy(v30.\type, v10.b)
		vmem(r3++#1) = v18.new
	}
	{
		v12.w = vadd(v12.w, v23.w)
		v15.w += vrmpy(v31.\type, v7.b)
	}
	{
		v23.w = vrmpy(v29.\type, v5.b)
		v18.w = vrmpy(v30.\type, v2.b)
	}
	{
		v13.w = vadd(v13.w, v23.w)
		v14.w += vrmpy(v30.\type, v6.b)
	}
	{
		v19.w += vrmpy(v31.\type, v11.b)
		vmem(r3++#1) = v19.new
	}
	{
		v16.w = vrmpy(v28.\type, v0.b)
		v19.w = vrmpy(v31.\type, v3.b)
	}
	jumpr	r31
	endfunction
.endm

/*
 * sum_strided_rows: stride 2, a row of output a round: its first row of input ends the row before.
 * The first two columns are aligned.
 */
.macro sum_strided_rows name, type
	function \name
	load_job
	v22 = vmemu(r2++m0)
	{
		v20 = vmem(r0++m0)
		v27:26 = vshuff(v22, v22, r7)
	}
	v21 = vmem(r1++m0)
	{
		v25:24 = vshuff(v21, v20, r7)
		v20 = vmem(r0++m0)
	}
	{
		v29:28 = vshuff(v26, v24, r4)
		v21 = vmem(r1++m0)
	}
	{
		v31:30 = vshuff(v27, v25, r4)
		v12.w += vrmpy(v28.\type, v8.b)
		vmem(r3++#1) = v12.new
	}
	{
		v13.w += vrmpy(v29.\type, v9.b)
		vmem(r3++#1) = v13.new
		v25:24 = vshuff(v21, v20, r7)
	}
	{
		v12.w = vrmpy(v28.\type, v0.b)
		v13.w = vrmpy(v29.\type, v1.b)
		v22 = vmemu(r2++m0)
	}
	{
		v14.w += vrmpy(v30.\type, v10.b)
		vmem(r3++#1) = v14.new
		v27:26 = vshuff(v22, v22, r7)
	}
	{
		v15.w += vrmpy(v31.\type, v11.b)
		vmem(r3++#1) = v15.new
		v29:28 = vshuff(v26, v24, r4)
	}
	{
		v14.w = vrmpy(v30.\type, v2.b)
		v15.w = vrmpy(v31.\type, v3.b)
		v31:30 = vshuff(v27, v25, r4)
	}
	loop0(.Lrows3s2\@, r5)
.Lrows3s2\@:
	{
		v22 = vmemu(r2++m0)
		v14.w += vrmpy(v30.\type, v6.b)
	}
	{
		v20 = vmem(r0++m0)
		v27:26 = vshuff(v22, v22, r7)
		v23.w = vrmpy(v28.\type, v4.b)
	}
	{
		v21 = vmem(r1++m0)
		v12.w = vadd(v12.w, v23.w)
		v15.w += vrmpy(v31.\type, v7.b)
	}
	{
		v25:24 = vshuff(v21, v20, r7)
		v20 = vmem(r0++m0)
		v23.w = vrmpy(v29.\type, v5.b)
	}
	{
		v29:28 = vshuff(v26, v24, r4)
		v21 = vmem(r1++m0)
		v13.w = vadd(v13.w, v23.w)
	}
	{
		v31:30 = vshuff(v27, v25, r4)
		v12.w += vrmpy(v28.\type, v8.b)
		vmem(r3++#1) = v12.new
	}
	{
		v13.w += vrmpy(v29.\type, v9.b)
		vmem(r3++#1) = v13.new
		v25:24 = vshuff(v21, v20, r7)
	}
	{
		v12.w = vrmpy(v28.\type, v0.b)
		v13.w = vrmpy(v29.\type, v1.b)
		v22 = vmemu(r2++m0)
	}
	{
		v14.w += vrmpy(v30.\type, v10.b)
		vmem(r3++#1) = v14.new
		v27:26 = vshuff(v22, v22, r7)
	}
	{
		v15.w += vrmpy(v31.\type, v11.b)
		vmem(r3++#1) = v15.new
		v29:28 = vshuff(v26, v24, r4)
	}
	{
		v14.w = vrmpy(v30.\type, v2.b)
		v15.w = vrmpy(v31.\type, v3.b)
		v31:30 = vshuff(v27, v25, r4)
	}:endloop0
	v14.w += vrmpy(v30.\type, v6.b)
	v23.w = vrmpy(v28.\type, v4.b)
	{
		v12.w = vadd(v12.w, v23.w)
		v15.w += vrmpy(v31.\type, v7.b)
	}
	v23.w = vrmpy(v29.\type, v5.b)
	v13.w = vadd(v13.w, v23.w)
	jumpr	r31
	endfunction
.endm

	sum_rows nn_depthwise_sum_u8, ub
	sum_rows nn_depthwise_sum_s8, b
	sum_strided_rows nn_depthwise_sum_strided_u8, ub
	sum_strided_rows nn_depthwise_sum_strided_s8, b
