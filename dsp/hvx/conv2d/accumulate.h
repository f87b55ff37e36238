/* SPDX-License-Identifier: MIT */
/*
 * The innermost loop of convolution, in assembly within C: every packet has two vrmpy, the most
 * there is. block.c calls it for what tiles leave over, and group.c for results that are sums.
 *
 *	weights	| 4 inputs of output 0 | ... of output 1 | ... | ... of output 31 |	v31
 *	* inputs	| the pixel's 4 inputs, the same for all outputs |	r0 - r7
 *	= sums	| output 0 | output 1 | ... | output 31 |	of 32 bits each
 */
#ifndef NN_CONV2D_ACCUMULATE_H
#define NN_CONV2D_ACCUMULATE_H

#include "dsp/hvx/common/vector.h"

/* A segment is a run of consecutive inputs of a window, 8 at a time. */
struct segment {
	uint32_t more_steps;	/* steps - 1 */
	int32_t advance;	/* from the last step to the next segment's first */
};

/*
 * Four pixels of the output that are made together: where their windows begin, and the weights'
 * zero point times the sum of each window.
 */
struct four_pixels {
	const uint8_t *base;
	uint32_t offset[3];	/* of the others from the first */
	int32_t sum[4];
};

/*
 * A step is 8 inputs of 4 pixels, so two vectors of weights per block of 32 outputs. Pixel 3 is
 * loaded at the beginning of the step, the others at the end of the one before.
 */

#define STEP_64(SUM, IN, ADVANCE, DESCRIPTOR, LOOP) \
	"{ %[s0]." SUM " += vrmpy(v31.ub,r0." IN "); %[s2]." SUM " += vrmpy(v31.ub,r2." IN ");" \
	"  v31.cur = vmem(%[w0]++#1); r7:6 = memd(%[base]+%[o3]<<#0) }\n" \
	"{ %[s4]." SUM " += vrmpy(v31.ub,r4." IN "); %[s6]." SUM " += vrmpy(v31.ub,r6." IN ");" \
	"  %[base] = add(%[base]," ADVANCE ") }\n" \
	"{ %[s0]." SUM " += vrmpy(v31.ub,r1." IN "); %[s2]." SUM " += vrmpy(v31.ub,r3." IN ");" \
	"  v31.cur = vmem(%[w0]++#1)" DESCRIPTOR " }\n" \
	"{ %[s4]." SUM " += vrmpy(v31.ub,r5." IN "); %[s6]." SUM " += vrmpy(v31.ub,r7." IN ") }\n" \
	"{ %[s1]." SUM " += vrmpy(v31.ub,r0." IN "); %[s3]." SUM " += vrmpy(v31.ub,r2." IN ");" \
	"  v31.cur = vmem(%[w1]++#1) }\n" \
	"{ %[s5]." SUM " += vrmpy(v31.ub,r4." IN "); %[s7]." SUM " += vrmpy(v31.ub,r6." IN ") }\n" \
	"{ %[s1]." SUM " += vrmpy(v31.ub,r1." IN "); %[s3]." SUM " += vrmpy(v31.ub,r3." IN ");" \
	"  v31.cur = vmem(%[w1]++#1); r1:0 = memd(%[base]+#0) }\n" \
	"{ %[s5]." SUM " += vrmpy(v31.ub,r5." IN "); %[s7]." SUM " += vrmpy(v31.ub,r7." IN ");" \
	"  r3:2 = memd(%[base]+%[o1]<<#0); r5:4 = memd(%[base]+%[o2]<<#0) }" LOOP "\n"

#define STEP_32(SUM, IN, ADVANCE, DESCRIPTOR, LOOP) \
	"{ %[s0]." SUM " += vrmpy(v31.ub,r0." IN "); %[s2]." SUM " += vrmpy(v31.ub,r2." IN ");" \
	"  v31.cur = vmem(%[w0]++#1); r7:6 = memd(%[base]+%[o3]<<#0) }\n" \
	"{ %[s4]." SUM " += vrmpy(v31.ub,r4." IN "); %[s6]." SUM " += vrmpy(v31.ub,r6." IN ");" \
	"  %[base] = add(%[base]," ADVANCE ")" DESCRIPTOR " }\n" \
	"{ %[s0]." SUM " += vrmpy(v31.ub,r1." IN "); %[s2]." SUM " += vrmpy(v31.ub,r3." IN ");" \
	"  v31.cur = vmem(%[w0]++#1); r1:0 = memd(%[base]+#0) }\n" \
	"{ %[s4]." SUM " += vrmpy(v31.ub,r5." IN "); %[s6]." SUM " += vrmpy(v31.ub,r7." IN ");" \
	"  r3:2 = memd(%[base]+%[o1]<<#0); r5:4 = memd(%[base]+%[o2]<<#0) }" LOOP "\n"

#define SEGMENTS(STEP, SUM, IN) \
	"{ r9:8 = memd(%[segments]++#8); r1:0 = memd(%[base]+#0) }\n" \
	"{ r3:2 = memd(%[base]+%[o1]<<#0); r5:4 = memd(%[base]+%[o2]<<#0); loop1(1f,%[count]) }\n" \
	"1:\n" \
	"{ p0 = cmp.eq(r8,#0); if (p0.new) jump:nt 3f; loop0(2f,r8) }\n" \
	"2:\n" \
	STEP(SUM, IN, "#8", "", ":endloop0") \
	"3:\n" \
	STEP(SUM, IN, "r9", "; r9:8 = memd(%[segments]++#8)", ":endloop1")

#define ACCUMULATE(STEP, SUM, IN) \
	asm volatile(SEGMENTS(STEP, SUM, IN) \
		     : [s0] "+v"(sum[0]), [s1] "+v"(sum[1]), [s2] "+v"(sum[2]), [s3] "+v"(sum[3]), \
		       [s4] "+v"(sum[4]), [s5] "+v"(sum[5]), [s6] "+v"(sum[6]), [s7] "+v"(sum[7]), \
		       [base] "+r"(base), [w0] "+r"(weights0), [w1] "+r"(weights1), \
		       [segments] "+r"(segments) \
		     : [o1] "r"(four->offset[0]), [o2] "r"(four->offset[1]), \
		       [o3] "r"(four->offset[2]), [count] "r"(count) \
		     : "v31", "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "p0", \
		       "lc0", "sa0", "lc1", "sa1", "memory")

/*
 * Adds to sum[2 * pixel + block] 4 pixels' inputs times the weights of one or two blocks of 32
 * outputs. Reads segments[count] too.
 */
static inline __attribute__((always_inline)) void
accumulate(HVX_Vector *sum, const struct four_pixels *four, const uint8_t *weights0,
	   const uint8_t *weights1, const struct segment *segments, uint32_t count, bool two,
	   bool is_signed)
{
	const uint8_t *base = four->base;

	if (two && is_signed)
		ACCUMULATE(STEP_64, "w", "b");
	else if (two)
		ACCUMULATE(STEP_64, "uw", "ub");
	else if (is_signed)
		ACCUMULATE(STEP_32, "w", "b");
	else
		ACCUMULATE(STEP_32, "uw", "ub");
}

/*
 * STEP_128 is a step of two pixels and four blocks of outputs, for what is left over of a row: a
 * vector of weights for each packet is all that can be loaded.
 */
#define STEP_128(SUM, IN, ADVANCE, DESCRIPTOR, LOOP) \
	"{ %[s0]." SUM " += vrmpy(v31.ub,r0." IN "); %[s4]." SUM " += vrmpy(v31.ub,r2." IN ");" \
	"  v31.cur = vmem(%[w0]++#1); r1 = memw(%[base0]+#4) }\n" \
	"{ %[s1]." SUM " += vrmpy(v31.ub,r0." IN "); %[s5]." SUM " += vrmpy(v31.ub,r2." IN ");" \
	"  v31.cur = vmem(%[w1]++#1); r3 = memw(%[base1]+#4) }\n" \
	"{ %[s2]." SUM " += vrmpy(v31.ub,r0." IN "); %[s6]." SUM " += vrmpy(v31.ub,r2." IN ");" \
	"  v31.cur = vmem(%[w2]++#1); %[base0] = add(%[base0]," ADVANCE ") }\n" \
	"{ %[s3]." SUM " += vrmpy(v31.ub,r0." IN "); %[s7]." SUM " += vrmpy(v31.ub,r2." IN ");" \
	"  v31.cur = vmem(%[w3]++#1); %[base1] = add(%[base1]," ADVANCE ") }\n" \
	"{ %[s0]." SUM " += vrmpy(v31.ub,r1." IN "); %[s4]." SUM " += vrmpy(v31.ub,r3." IN ");" \
	"  v31.cur = vmem(%[w0]++#1); r0 = memw(%[base0]+#0) }\n" \
	"{ %[s1]." SUM " += vrmpy(v31.ub,r1." IN "); %[s5]." SUM " += vrmpy(v31.ub,r3." IN ");" \
	"  v31.cur = vmem(%[w1]++#1); r2 = memw(%[base1]+#0) }\n" \
	"{ %[s2]." SUM " += vrmpy(v31.ub,r1." IN "); %[s6]." SUM " += vrmpy(v31.ub,r3." IN ");" \
	"  v31.cur = vmem(%[w2]++#1)" DESCRIPTOR " }\n" \
	"{ %[s3]." SUM " += vrmpy(v31.ub,r1." IN "); %[s7]." SUM " += vrmpy(v31.ub,r3." IN ");" \
	"  v31.cur = vmem(%[w3]++#1) }" LOOP "\n"

#define ACCUMULATE_128(SUM, IN) \
	asm volatile("{ r9:8 = memd(%[segments]++#8); r0 = memw(%[base0]+#0) }\n" \
		     "{ r2 = memw(%[base1]+#0); loop1(1f,%[count]) }\n" \
		     "1:\n" \
		     "{ p0 = cmp.eq(r8,#0); if (p0.new) jump:nt 3f; loop0(2f,r8) }\n" \
		     "2:\n" \
		     STEP_128(SUM, IN, "#8", "", ":endloop0") \
		     "3:\n" \
		     STEP_128(SUM, IN, "r9", "; r9:8 = memd(%[segments]++#8)", ":endloop1") \
		     : [s0] "+v"(sum[0]), [s1] "+v"(sum[1]), [s2] "+v"(sum[2]), [s3] "+v"(sum[3]), \
		       [s4] "+v"(sum[4]), [s5] "+v"(sum[5]), [s6] "+v"(sum[6]), [s7] "+v"(sum[7]), \
		       [base0] "+r"(base0), [base1] "+r"(base1), [w0] "+r"(w0), [w1] "+r"(w1), \
		       [w2] "+r"(w2), [w3] "+r"(w3), [segments] "+r"(segments) \
		     : [count] "r"(count) \
		     : "v31", "r0", "r1", "r2", "r3", "r8", "r9", "p0", "lc0", "sa0", "lc1", \
		       "sa1", "memory")

/* Adds to sum[4 * pixel + block] the first two pixels' inputs times the weights of four blocks. */
static inline void accumulate_two(HVX_Vector *sum, const struct four_pixels *four,
				  const uint8_t *const *weights, const struct segment *segments,
				  uint32_t count, bool is_signed)
{
	const uint8_t *base0 = four->base, *base1 = base0 + four->offset[0];
	const uint8_t *w0 = weights[0], *w1 = weights[1], *w2 = weights[2], *w3 = weights[3];

	if (is_signed)
		ACCUMULATE_128("w", "b");
	else
		ACCUMULATE_128("uw", "ub");
}

#endif
