/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The scheduler (nnloop_sched.c): its state, and the lock that protects jobs, queues and workers.
 */
#ifndef NNLOOP_SCHED_H
#define NNLOOP_SCHED_H

#include <linux/list.h>
#include <linux/llist.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "nnloop_rules.h"

struct nnloop_device;
struct nnloop_job;
struct nnloop_queue;

/**
 * enum nnloop_parked - why workers are stopped, or going to be, though there may be jobs
 */
enum nnloop_parked {
	/** @NNLOOP_NOT_PARKED: they take jobs */
	NNLOOP_NOT_PARKED,
	/** @NNLOOP_PARKED_IDLE: there was nothing to do; a ready job has them woken */
	NNLOOP_PARKED_IDLE,
	/** @NNLOOP_PARKED_ASLEEP: the system sleeps; jobs wait until it has woken up */
	NNLOOP_PARKED_ASLEEP,
};

/**
 * struct nnloop_sched - which job comes next
 *
 * A job is ready when all that it waits for has signalled and it is the first of its queue. A
 * worker that is free takes the ready job of the highest priority, of the file that has used least.
 * Jobs belong to no worker before.
 */
struct nnloop_sched {
	/**
	 * @lock: protects what follows, every queue's jobs and points, and every worker's state;
	 * taken in interrupts. No fence is signalled and no callback added or removed under it:
	 * foreign fences call back under locks of theirs.
	 */
	spinlock_t lock;

	/** @rules: who comes next: clients are open files, entities queues, slots workers */
	struct nnloop_rules rules;

	/** @queues: every &struct nnloop_queue */
	struct list_head queues;

	/** @last_slice: number of the newest slice; the DSP sees it, 0 is none */
	u64 last_slice;

	/** @gone: no job begins any more, all end with ENODEV */
	bool gone;

	/** @parked: no job begins for the time being */
	enum nnloop_parked parked;

	/** @idle: woken when a worker has become idle while @parked is set */
	wait_queue_head_t idle;

	/** @ending: &struct nnloop_queue of which more jobs are to end */
	struct list_head ending;

	/** @woken: jobs that wait for no fence any more; used without the lock */
	struct llist_head woken;

	/** @wq: where @work and @slice_work run */
	struct workqueue_struct *wq;

	/** @slice_work: runs when somebody waits and a job's slice is over, or a pass's limit */
	struct delayed_work slice_work;

	/**
	 * @work: looks at @woken, because a fence's callback must not, and at @ending. How many
	 * there are is the clients' choice, so it is done with interrupts on, a few at a time.
	 */
	struct work_struct work;
};

/**
 * struct nnloop_ending - a stretch of code that may end jobs: see nnloop_sched_lock()
 */
struct nnloop_ending {
	/** @jobs: the jobs that have ended */
	struct list_head jobs;

	/** @flags: the state of the interrupts before */
	unsigned long flags;

	/** @cookie: what dma_fence_begin_signalling() returned */
	bool cookie;
};

int nnloop_sched_init(struct nnloop_sched *sched, const char *name);
void nnloop_sched_fini(struct nnloop_sched *sched);
void nnloop_sched_lock(struct nnloop_sched *sched, struct nnloop_ending *ending);
void nnloop_sched_unlock(struct nnloop_sched *sched, struct nnloop_ending *ending);

void nnloop_sched_end_later(struct nnloop_sched *sched, struct nnloop_queue *queue);

void nnloop_sched_job_woken(struct nnloop_sched *sched, struct nnloop_job *job);
void nnloop_sched_job_ready(struct nnloop_device *ndev, struct nnloop_job *job);
void nnloop_sched_dispatch(struct nnloop_device *ndev);
void nnloop_sched_run(struct nnloop_device *ndev);
void nnloop_sched_shut(struct nnloop_sched *sched);
void nnloop_sched_abandon(struct nnloop_device *ndev);

#endif
