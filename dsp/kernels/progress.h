/* SPDX-License-Identifier: MIT */
/*
 * Reports of progress, by the work that lies between them.
 *
 * Work is counted in packets of the DSP, roughly and rather too many. Memory counts, too: a page
 * that the DSP has not touched before is a fault that the board's host handles, and takes the time
 * of very many packets.
 */
#ifndef NN_PROGRESS_H
#define NN_PROGRESS_H

#include "dsp/program/kernels.h"

#define NN_TILE		(1u << 18)	/* work between two reports */
#define NN_TILE_ELEMENTS 16384u		/* the same for what takes one element after another */
#define NN_PAGE		4096u
#define NN_PAGE_WORK	256u		/* so that a tile has at most 1024 pages */

/* The work of touching `bytes` bytes of memory for the first time. */
static inline uint32_t memory_work(uint32_t bytes)
{
	return bytes / (NN_PAGE / NN_PAGE_WORK);
}

/* The work of going on to an address that is `stride` bytes away. */
static inline uint32_t stride_work(uint64_t stride)
{
	return stride < NN_PAGE ? stride / (NN_PAGE / NN_PAGE_WORK) : NN_PAGE_WORK;
}

struct progress {
	const struct nn_call *call;
	uint32_t work;		/* since the last report */
};

/*
 * Adds work to what the next report says. It is called before a piece of work is done; the operator
 * returns at once what is not 0. Between two reports lies a tile, or one piece if that is more. A
 * piece is below 2^31.
 */
static inline int progress_add(struct progress *progress, uint32_t work)
{
	progress->work += work;
	if (__builtin_expect(progress->work <= NN_TILE, 1))
		return 0;
	progress->work = work;
	return nn_call_progress(progress->call);
}

/* A memset() with reports. */
static inline int progress_fill(struct progress *progress, uint8_t *to, uint8_t value,
				uint64_t bytes)
{
	const uint64_t most = 1ul << 20;

	while (bytes) {
		uint64_t part = bytes < most ? bytes : most;
		int ret = progress_add(progress, 64 + memory_work(part));

		if (ret)
			return ret;
		__builtin_memset(to, value, part);
		to += part;
		bytes -= part;
	}
	return 0;
}

/*
 * A copy with reports. Operands that overlap against the rules get some mixture of bytes, hence
 * memmove.
 */
static inline int progress_copy(struct progress *progress, uint8_t *to, const uint8_t *from,
				uint64_t bytes)
{
	const uint64_t most = 1ul << 20;

	while (bytes) {
		uint64_t part = bytes < most ? bytes : most;
		int ret = progress_add(progress, 64 + memory_work(2 * part));

		if (ret)
			return ret;
		__builtin_memmove(to, from, part);
		to += part;
		from += part;
		bytes -= part;
	}
	return 0;
}

/*
 * Reports progress of what takes one element after another. Called before each with its number,
 * from 0 on.
 */
static inline int progress_element(const struct nn_call *call, uint64_t i)
{
	return i % NN_TILE_ELEMENTS ? 0 : nn_call_progress(call);
}

#endif
