/* SPDX-License-Identifier: MIT */
/*
 * Counters of what passes between L2 and the memory behind it, as silicon has them in a unit of its
 * own. On the virtual board a plugin of QEMU keeps them (tools/vdsp/cache.c); where there is none
 * the page holds zeros. They count, and change nothing that the DSP computes.
 *
 * Read by the firmware, the plugin, and the tests that run in qemu-hexagon.
 */
#ifndef MEMORY_COUNTERS_H
#define MEMORY_COUNTERS_H

#include <stdint.h>

/*
 * The counters lie in the page of the firmware's calls (board.h). From here down to the registers,
 * and nowhere else, accesses are not those of memory.
 */
#define MEMORY_COUNTERS_ADDRESS	0x71000080u

#define MEMORY_LINE		128u	/* bytes; one vector */
#define MEMORY_WAYS		8u

/*
 * Commands, which a write to `command` gives. The words behind it are what was counted up to that
 * write.
 */
#define MEMORY_COMMAND_LATCH	1
#define MEMORY_COMMAND_EMPTY	2	/* first forget all lines; what was written to them is not counted */

struct memory_counters {
	uint32_t command;
	uint32_t size;		/* of the memory in bytes; 0: there are no counters */
	/* Lines since the beginning. */
	uint64_t fetched;	/* read from behind, because a read did not find them */
	uint64_t allocated;	/* taken by a write that did not find them, and not read: see cache.c */
	uint64_t written_back;	/* that had been written to, and made room */
};

static inline volatile struct memory_counters *memory_counters_take(uint32_t command)
{
	volatile struct memory_counters *counters = (void *)(uintptr_t)MEMORY_COUNTERS_ADDRESS;

	counters->command = command;
	return counters;
}

#endif
