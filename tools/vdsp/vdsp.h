/* SPDX-License-Identifier: MIT */
/*
 * The state of the virtual board, and what its two halves (vdsp.c: events; worker.c: processes)
 * know of each other.
 */
#ifndef VDSP_H
#define VDSP_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "driver/nnloop_hw.h"

struct worker {
	pid_t pid;		/* 0: no process */
	time_t deadline;	/* CLOCK_MONOTONIC seconds by which it has to be up; 0: it is */
};

struct board {
	/* Options. */
	const char *socket_path;	/* NULL: a board of this machine */
	const char *firmware_path;
	const char *smmu_path;
	const char *pids_path;		/* may be NULL */
	const char *qemu_path;
	char *plugin;			/* for QEMU's environment; NULL: none */
	uint64_t ram_base;
	unsigned int worker_count;

	int ram_fd;
	int registers_fd;
	volatile uint32_t *registers;	/* shared with the driver and the workers */

	/* One per worker, then the board's own. */
	int doorbell[NNLOOP_MAX_WORKERS + 1];
	int interrupt[NNLOOP_MAX_WORKERS + 1];
	struct worker worker[NNLOOP_MAX_WORKERS];
};

static inline uint32_t board_read(const struct board *board, uint32_t reg)
{
	return __atomic_load_n(&board->registers[reg / 4], __ATOMIC_ACQUIRE);
}

static inline void board_write(struct board *board, uint32_t reg, uint32_t value)
{
	__atomic_store_n(&board->registers[reg / 4], value, __ATOMIC_SEQ_CST);
}

static inline uint32_t worker_read(const struct board *board, unsigned int index, uint32_t reg)
{
	return board_read(board, NNLOOP_WORKER(index) + reg);
}

static inline void worker_write(struct board *board, unsigned int index, uint32_t reg,
				uint32_t value)
{
	board_write(board, NNLOOP_WORKER(index) + reg, value);
}

/* Open the device by which a board of this machine is attached. -1 and the end of a sentence: why not. */
int local_open(const char *device, const char **why);

/* Attach a board that has all of its descriptors. NULL, or the end of a sentence on why that cannot be. */
const char *local_attach(struct board *board);

/*
 * Have QEMU model an L2 cache of this size: a number with K or M behind it. NULL,
 * or the end of a sentence on why that cannot be. Needs qemu_path.
 */
const char *memory_model(struct board *board, const char *size);

/* Start the process of a worker that has none. STATE becomes BOOTING, or DEAD if that fails. */
void worker_start(struct board *board, unsigned int index);

/* Kill a worker and wait until it is gone. STATE becomes `state`. Fine if it has no process. */
void worker_stop(struct board *board, unsigned int index, uint32_t state);

/* Is any worker still to come up? */
bool worker_is_booting(const struct board *board);

/*
 * Take notice of workers that died (STATE becomes DEAD) or did not come up in time. Whether there
 * was any. To be called once a second or more often while any is to come up.
 */
int worker_reap(struct board *board);

#endif
