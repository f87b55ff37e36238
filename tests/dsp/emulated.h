/* SPDX-License-Identifier: GPL-2.0 OR MIT */
/*
 * The memory and pipes that the emulated device (emulated.c, on the host) shares with what runs its
 * jobs (emulated-job.c, in qemu-hexagon): two files, which both map, and a pipe each way for
 * numbers of 32 bits.
 */
#ifndef EMULATED_H
#define EMULATED_H

#include "driver/nnloop_hw.h"

#define EMULATED_WINDOW_FD	3	/* the window, as clients have it */
#define EMULATED_CONTROL_FD	4	/* struct emulated_control */

/* The sizes of both files: whole pages of qemu-hexagon, which has 64 KiB. */
#define EMULATED_WINDOW_SIZE	(NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE)
#define EMULATED_CONTROL_SIZE	0x40000u

/* A job: the number of its entries in the ring is written to the emulator's standard input, and
 * comes back when it is done. */
struct emulated_control {
	struct nnloop_cmd ring[NNLOOP_RING_ENTRIES];
	uint32_t status;	/* enum nnloop_status */
	uint32_t passes_done, fail_op, fail_reason;

	/* A control program is left off before each step, and gone on with; how often that was. */
	uint32_t leaves_off, left_off;

	/* Where several workers run a pass together: emulated-share.c. */
	uint32_t workers;
	uint64_t chain;		/* packets that kernels took, of the worker with most in each */
};
_Static_assert(sizeof(struct emulated_control) <= EMULATED_CONTROL_SIZE, "it fits its file");

#endif
