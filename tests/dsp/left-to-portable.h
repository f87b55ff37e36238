/* SPDX-License-Identifier: MIT */
/*
 * Calls that a vector kernel has no way or no room for are left to the portable one. That against
 * itself shows little, and takes longest of all in the emulator: so a report of progress ends a
 * long run that has hardly any vector instructions.
 */
#ifndef LEFT_TO_PORTABLE_H
#define LEFT_TO_PORTABLE_H

#include "kernel-test.h"

#define LEFT_TO_PORTABLE	77	/* what the run returns then */

#ifdef __hexagon__

#include "dsp/firmware/counters.h"

#define FEW_PACKETS	100000	/* a run of no more is not long */
#define FEWEST_VECTORS	1000	/* a vector kernel has one in so many packets at least */

static uint32_t packets_before, hvx_before;

static int end_if_portable(struct nn_run *of, uint32_t at)
{
	uint32_t packets = counter_packets() - packets_before;
	uint32_t hvx = counter_hvx_instructions() - hvx_before;

	(void)of;
	(void)at;
	return packets > FEW_PACKETS && hvx < packets / FEWEST_VECTORS ? LEFT_TO_PORTABLE : 0;
}

/* Before a run of the kernel, for `run`; but not of one that has no vector kernel. */
static inline void end_when_left(const struct nn_kernel *kernel)
{
	run.progress = kernel->run == nn_kernels_portable[op.opcode].run ? NULL : end_if_portable;
	hvx_before = counter_hvx_instructions();
	packets_before = counter_packets();
}

#else

static inline void end_when_left(const struct nn_kernel *kernel)
{
	(void)kernel;
}

#endif

#endif
