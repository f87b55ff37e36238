/* SPDX-License-Identifier: MIT */
/*
 * Asking for memory that will be read soon, so that silicon brings it to the L2 cache meanwhile.
 * Nothing waits for it, and nothing faults. There is one such request at a time, so it is made for
 * a block of weights, rows or a column, not in an inner loop. QEMU does nothing.
 */
#ifndef NN_FETCH_H
#define NN_FETCH_H

#ifdef __ASSEMBLER__

/* This comes before an l2fetch of `box` at `from`. Tests have a macro that writes it down. */
#ifndef RECORD_FETCH_H
.macro recorded from, box, free
.endm
#endif

#else

#include <hexagon_protos.h>
#include <stdint.h>

#define FETCH_MAX	0xffffu	/* of each that follows */

/* A box is `rows` rows of `width` bytes, which begin `stride` bytes after one another. */
static inline uint64_t fetch_box(uint32_t stride, uint32_t width, uint32_t rows)
{
	return (uint64_t)stride << 32 | width << 16 | rows;
}

static inline void fetch_one(const void *from, uint64_t box)
{
	Q6_l2fetch_AP((void *)from, box);
}

static inline void fetch_rows(const void *from, uint32_t stride, uint32_t width, uint32_t rows)
{
	fetch_one(from, fetch_box(stride, width, rows));
}

/*
 * The box of 128 bytes of each of `count` pixels; 0, which is nothing, where there is no room for
 * these.
 */
static inline uint64_t fetch_slice_box(uint32_t pixel_bytes, uint32_t count)
{
	return (pixel_bytes | count) <= FETCH_MAX ? fetch_box(pixel_bytes, 128, count) : 0;
}

/*
 * A box in one word, for requests that are made often; 0, which is nothing, where there is no room.
 */
static inline uint32_t fetch_column_box(uint32_t stride, uint32_t width, uint32_t rows)
{
	return stride <= 0xffff && width <= 0xff && rows <= 0xff ?
		       stride << 16 | width << 8 | rows :
		       0;
}

static inline void fetch_column(const void *from, uint32_t box)
{
	Q6_l2fetch_AR((void *)from, box);
}

static inline void fetch_ahead(const void *from, uint32_t bytes)
{
	fetch_rows(from, 1 << 10, 1 << 10, (bytes + (1 << 10) - 1) >> 10);
}

#endif

#endif
