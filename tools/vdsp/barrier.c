// SPDX-License-Identifier: MIT
/*
 * Barriers, at which the workers of a gang wait for each other: the firmware's call
 * BOARD_CALL_BARRIER, carried out in the worker's process beside the SMMU. What they wait for is in
 * the register page: each worker's PHASE_JOB and PHASE, which it alone writes (driver/nnloop_hw.h).
 * They sleep on their doorbells.
 *
 * No wake-up is lost. Whatever ends a wait is in the registers before the doorbell rings: the
 * last one's PHASE, the PHASE of one that has ended (the firmware rings then), CANCEL (the driver
 * rings), STATE of one that died or was reset (the board rings). A doorbell remembers that it was
 * rung, and a worker takes the ring away before it looks again. So either it sees what has changed
 * or the doorbell rings behind its look, and it does not sleep.
 *
 * Who comes last rings: a worker's own PHASE is written, and a full fence later it looks at the
 * others'. Of two that come at the same time at least one sees the other, so at least one sees all
 * of them; and it is that one's first look, because its own PHASE was the last that was missing.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <stdbool.h>

#include "host.h"
#include "smmu.h"
#include "driver/nnloop_hw.h"
#include "dsp/firmware/board.h"

static uint32_t worker_read(uint32_t worker, uint32_t reg)
{
	const uint32_t *word =
		(const uint32_t *)host_address(BOARD_REGISTERS + NNLOOP_WORKER(worker) + reg);

	return __atomic_load_n(word, __ATOMIC_ACQUIRE);
}

/* Whether a pair of registers of one worker is the same as one of another's. */
static bool is_same(uint32_t worker, uint32_t reg_lo, uint32_t other, uint32_t other_lo)
{
	return worker_read(worker, reg_lo) == worker_read(other, other_lo) &&
	       worker_read(worker, reg_lo + 4) == worker_read(other, other_lo + 4);
}

/* Looks once at another worker: it has come, or will not, or NONE: not yet. */
static enum board_barrier look_at(uint32_t self, uint32_t other, uint32_t barrier)
{
	uint32_t phase, barriers;

	if (worker_read(other, NNLOOP_WREG_STATE) != NNLOOP_STATE_READY)
		return BOARD_BARRIER_ALONE;
	/* The job first: see there. */
	if (!is_same(other, NNLOOP_WREG_PHASE_JOB_LO, self, NNLOOP_WREG_PHASE_JOB_LO))
		return BOARD_BARRIER_NONE;
	phase = worker_read(other, NNLOOP_WREG_PHASE);
	barriers = phase & NNLOOP_PHASE_BARRIERS;
	if (barriers == barrier && phase & NNLOOP_PHASE_LEAVES)
		return BOARD_BARRIER_LEFT;
	if (barriers >= barrier)
		return BOARD_BARRIER_COMPLETE;
	return phase & NNLOOP_PHASE_ENDED ? BOARD_BARRIER_ALONE : BOARD_BARRIER_NONE;
}

/* Has any of them failed in the job? */
static bool have_failed(uint32_t self, uint32_t others)
{
	for (uint32_t i = 0; i < NNLOOP_MAX_WORKERS; i++) {
		if (others >> i & 1 &&
		    is_same(i, NNLOOP_WREG_PHASE_JOB_LO, self, NNLOOP_WREG_PHASE_JOB_LO) &&
		    worker_read(i, NNLOOP_WREG_PHASE) & NNLOOP_PHASE_FAILED)
			return true;
	}
	return false;
}

/*
 * NONE: there is still somebody to wait for. A barrier to which all have come is complete, whatever
 * became of one of them since: else it would depend on who looks when how far each comes. So who
 * has failed before there is one who has not come has failed at this barrier.
 */
static enum board_barrier look(uint32_t self, uint32_t others, uint32_t barrier)
{
	enum board_barrier all = BOARD_BARRIER_COMPLETE;
	bool failed = have_failed(self, others);

	for (uint32_t i = 0; i < NNLOOP_MAX_WORKERS; i++) {
		enum board_barrier one;

		if (!(others >> i & 1))
			continue;
		one = look_at(self, i, barrier);
		if (one == BOARD_BARRIER_LEFT || one == BOARD_BARRIER_ALONE)
			return one;
		if (one == BOARD_BARRIER_NONE)
			all = one;
	}
	if (all == BOARD_BARRIER_NONE && failed)
		return BOARD_BARRIER_ALONE;
	if (all == BOARD_BARRIER_NONE &&
	    is_same(self, NNLOOP_WREG_CANCEL_LO, self, NNLOOP_WREG_PHASE_JOB_LO))
		return BOARD_BARRIER_CANCELLED;
	return all;
}

static void ring(uint32_t others)
{
	const uint64_t one = 1;

	for (uint32_t i = 0; i < NNLOOP_MAX_WORKERS; i++) {
		if (others >> i & 1)
			system_call(SYS_write, BOARD_FD_DOORBELLS + i, (long)&one, sizeof(one),
				    0, 0, 0);
	}
}

/* Until the doorbell has rung since the last time. */
static void wait_for_ring(void)
{
	struct pollfd doorbell = { .fd = BOARD_FD_DOORBELL, .events = POLLIN };
	uint64_t rings;
	long result = system_call(SYS_ppoll, (long)&doorbell, 1, 0, 0, 0, 0);

	if (result < 0 && result != -EINTR)
		fatal("cannot wait for the doorbell", result);
	system_call(SYS_read, BOARD_FD_DOORBELL, (long)&rings, sizeof(rings), 0, 0, 0);
}

enum board_barrier barrier_wait(uint32_t self, uint32_t others, uint32_t barrier)
{
	enum board_barrier result;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);	/* PHASE was written: see there */
	result = look(self, others, barrier);
	if (result == BOARD_BARRIER_COMPLETE)
		ring(others);
	while (result == BOARD_BARRIER_NONE) {
		wait_for_ring();
		result = look(self, others, barrier);
	}
	return result;
}
