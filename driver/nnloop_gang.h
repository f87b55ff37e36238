/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Gangs: the workers that run a job together (nnloop_gang.c).
 */
#ifndef NNLOOP_GANG_H
#define NNLOOP_GANG_H

#include <linux/types.h>

#include "nnloop_board.h"

struct list_head;
struct nnloop_job;
struct nnloop_worker;

/**
 * struct nnloop_gang - the workers that run a job together, or the one that does
 *
 * A gang is part of its job, and is there from when the job begins, or goes on, until the last
 * worker has ended its part or was stopped. Till then none of them takes another job: those that
 * are not done may still read its phase words (&NNLOOP_WREG_PHASE). All is protected by
 * &nnloop_sched.lock.
 */
struct nnloop_gang {
	/** @worker: the workers; the first is the one that is asked to leave the job off */
	struct nnloop_worker *worker[NNLOOP_MAX_WORKERS];
	/** @count: of @worker; 0: no worker has the job */
	unsigned int count;
	/** @left: how many have not ended their part */
	unsigned int left;
	/** @result: the result so far, of the workers that have ended their part */
	struct nnloop_result result;
	/** @given_up: all were told to end, because none of them got on */
	bool given_up;
	/** @switch_ns: the most that it cost one of them to come to the client */
	u64 switch_ns;
};

void nnloop_gang_join(struct nnloop_job *job, struct nnloop_worker *worker);
void nnloop_gang_begin(struct nnloop_job *job);
void nnloop_gang_part_ended(struct nnloop_worker *worker, const struct nnloop_result *result,
			    struct list_head *ended);
void nnloop_gang_disband(struct nnloop_job *job);

void nnloop_gang_cancel(struct nnloop_job *job);
void nnloop_gang_end_pass(struct nnloop_job *job);
void nnloop_gang_give_up(struct nnloop_job *job);
void nnloop_gang_yield(struct nnloop_job *job);
u32 nnloop_gang_passes_done(struct nnloop_job *job);
u32 nnloop_gang_progress(struct nnloop_job *job);

#endif
