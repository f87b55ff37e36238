/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Core dumps of failed jobs (nnloop_coredump.c): what is remembered of the hardware at the moment
 * in which a job fails, until the file can be written.
 */
#ifndef NNLOOP_COREDUMP_H
#define NNLOOP_COREDUMP_H

#include <linux/types.h>

#include "nnloop_board.h"

struct nnloop_job;
struct nnloop_worker;

/**
 * struct nnloop_snapshot - what the hardware said when a job failed
 *
 * A snapshot is part of the job, because it is taken where nothing can be allocated.
 */
struct nnloop_snapshot {
	/** @taken: a snapshot was taken */
	bool taken;
	/** @worker: index of the worker that the job was on */
	unsigned int worker;
	/** @ring_tail: entries that its ring had been given */
	u32 ring_tail;
	/** @result: how the job ended */
	struct nnloop_result result;
	/** @registers: the worker's, in the order of nnloop_board_registers */
	u32 registers[NNLOOP_BOARD_REGISTERS];
};

void nnloop_coredump_take(struct nnloop_job *job, struct nnloop_worker *worker,
			  const struct nnloop_result *result);
void nnloop_coredump_write(struct nnloop_job *job);

#endif
