/* SPDX-License-Identifier: MIT */
/*
 * Sums of DEPTHWISE_CONV2D added to others: nn_depthwise_add_sums() of flat.h, which flat.c calls.
 * A vector takes two packets, because a packet loads one vector.
 */
#include "dsp/hvx/common/asm.h"

/* r0: sums, r1: more, r2: count */
	function nn_depthwise_add_sums
	{ r3 = r0; loop0(.Ladd,r2) }
.Ladd:
	{ v0 = vmem(r0++#1) }
	{ v1.tmp = vmem(r1++#1); v0.w = vadd(v1.w,v0.w); vmem(r3++#1) = v0.new }:endloop0
	jumpr	r31
	endfunction
