/* SPDX-License-Identifier: MIT */
/*
 * Asking for memory that will be read soon, so that silicon brings it near the DSP meanwhile.
 * Nothing waits for it, and nothing faults. There is one such request at a time, so it is made for
 * a block of weights or rows, not in a loop. QEMU does nothing.
 */
#ifndef NN_FETCH_H
#define NN_FETCH_H

#include <hexagon_protos.h>
#include <stdint.h>

#define FETCH_MAX	0xffffu	/* of each that follows */

/* `rows` of `width` bytes, `stride` apart. */
static inline void fetch_rows(const void *from, uint32_t stride, uint32_t width, uint32_t rows)
{
	Q6_l2fetch_AP((void *)from, (uint64_t)stride << 32 | width << 16 | rows);
}

static inline void fetch_ahead(const void *from, uint32_t bytes)
{
	fetch_rows(from, 1 << 10, 1 << 10, (bytes + (1 << 10) - 1) >> 10);
}

#endif
