/* SPDX-License-Identifier: MIT */
/*
 * Included before kernels whose requests for memory (dsp/hvx/common/fetch.h) test-fetch.c looks at: they
 * go to it instead of the DSP, which in QEMU does nothing with them.
 */
#ifndef RECORD_FETCH_H
#define RECORD_FETCH_H

#ifdef __ASSEMBLER__

/* Writes to a list, as no register is free for a call. */
.macro recorded from, box, free
	{ \free = memw(##recorded_boxes) }
	{ memw(\free+#0) = \from }
	{ memw(\free+#4) = \box }
	{ \free = add(\free,#8) }
	{ memw(##recorded_boxes) = \free }
.endm

#else

#include <hexagon_protos.h>
#include <stdint.h>

/* Records a request in the instruction's form: stride, width and rows from bit 32, 16 and 0 on. */
void record_fetch(const void *from, uint64_t box);

/*
 * The list in which assembly writes down what it asks for next: an address, and stride, width and
 * rows.
 */
extern struct recorded_box {
	const void *from;
	uint32_t box;
} *recorded_boxes;

static inline uint64_t recorded_wide(uint32_t box)
{
	return (uint64_t)(box >> 16) << 32 | (box >> 8 & 0xff) << 16 | (box & 0xff);
}

#undef Q6_l2fetch_AP
#define Q6_l2fetch_AP(from, box)	record_fetch(from, box)
#undef Q6_l2fetch_AR
#define Q6_l2fetch_AR(from, box)	record_fetch(from, recorded_wide(box))

#endif

#endif
