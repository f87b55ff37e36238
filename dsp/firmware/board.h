/* SPDX-License-Identifier: MIT */
/*
 * The virtual board as the firmware finds it when it starts, beside the hardware interface in
 * driver/nnloop_hw.h.
 *
 * Read by the firmware (board.c), the board (tools/vdsp/worker.c) and what it puts beside the
 * firmware (tools/vdsp/smmu.c, barrier.c). A worker is one process, qemu-hexagon running the
 * firmware; argv[1] is the worker's number.
 */
#ifndef BOARD_H
#define BOARD_H

#include <stdint.h>

/* Open files of a worker. */
#define BOARD_FD_REGISTERS	3	/* the register page, NNLOOP_REGS_SIZE bytes */
#define BOARD_FD_RAM		4	/* the memory of the VM; only the SMMU touches it */
#define BOARD_FD_DOORBELL	5	/* eventfd, non-blocking */
#define BOARD_FD_INTERRUPT	6	/* eventfd of the worker's interrupt vector */
/* The doorbells of all workers that the board has, in order of their numbers. */
#define BOARD_FD_DOORBELLS	7

/* The address at which the firmware has mapped the register page, before the first call. */
#define BOARD_REGISTERS		0x70000000u

/*
 * Host address of the firmware's address 0: within reach of every 64-bit host, and far from where
 * hosts put their own things.
 */
#define BOARD_GUEST_BASE	0x1000000000ull

/*
 * A call of the board: the firmware writes what it wants to this address, where it has mapped a
 * page, and sends itself a signal. When that system call has returned the call is carried out, and
 * `number` is 0. A signal of which QEMU and the firmware have no other use: SIGURG.
 */
#define BOARD_CALL_ADDRESS	0x71000000u
#define BOARD_SIGNAL		23

struct board_call {
	uint32_t number;	/* BOARD_CALL_*, written last */
	uint32_t argument[3];
	/*
	 * The SMMU's: how long it has taken to drop the window's translations and to fetch others,
	 * since it began: microseconds, modulo 2^32.
	 */
	uint32_t refill_time;
	uint32_t result;	/* of BOARD_CALL_BARRIER, which alone has one: enum board_barrier */
};

#define BOARD_CALL_SMMU_ATTACH	1	/* once, before the windows are touched:
					   &struct board_fault, system root low, high */
#define BOARD_CALL_SMMU_SELECT	2	/* root low, high: drop the window's translations, then
					   translate with that root */
/*
 * Own number, a bit for each of the others, how often: wait until each of the others has come to
 * that barrier of the job that is in PHASE_JOB, as this worker has, or until one cannot come any
 * more, or the job is cancelled. No packet is counted meanwhile, and no time of the host's used.
 */
#define BOARD_CALL_BARRIER		3

enum board_barrier {
	BOARD_BARRIER_NONE = 0,		/* a board that does not know of them */
	BOARD_BARRIER_COMPLETE = 1,
	BOARD_BARRIER_LEFT = 2,		/* the first one leaves the job off there */
	BOARD_BARRIER_ALONE = 3,	/* another one has ended, or died */
	BOARD_BARRIER_CANCELLED = 4,
};

/*
 * The first fault since the firmware cleared `pending`. A forbidden access does not stop the
 * worker. All forbidden pages are one page, which holds zeros and what the job wrote to any of
 * them, until the next BOARD_CALL_SMMU_SELECT clears it; and the firmware ends the job when it sees
 * the fault.
 */
struct board_fault {
	uint32_t pending;
	uint32_t address;
	uint32_t access;	/* NNLOOP_ACCESS_* */
};

#endif
