/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Workers (nnloop_worker.c, nnloop_power.c): the DSP's hardware threads, what is known of each, and
 * which lock protects that.
 */
#ifndef NNLOOP_WORKER_H
#define NNLOOP_WORKER_H

#include <linux/mutex.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "nnloop_sched.h"

struct nnloop_device;
struct nnloop_job;

enum nnloop_worker_state {
	NNLOOP_WORKER_DOWN,	/* parked, or being stopped or started; takes no job */
	NNLOOP_WORKER_UP,	/* takes jobs */
	NNLOOP_WORKER_GONE,	/* lost or removed: registers are out of reach */
};

/**
 * struct nnloop_worker - a hardware thread of the DSP
 *
 * At most one job is on a worker. A job can be on several.
 */
struct nnloop_worker {
	/** @ndev: the device, which it is a part of */
	struct nnloop_device *ndev;

	/** @index: which one */
	unsigned int index;

	/** @recovery_wq: the work queue where @recover_work and @hang_work run, in order */
	struct workqueue_struct *recovery_wq;

	/** @recover_work: restarts the worker after it has died */
	struct work_struct recover_work;

	/** @hang_work: looks now and then whether the job makes progress */
	struct delayed_work hang_work;

	/** @reset_lock: held while the worker is stopped or started; outside &nnloop_sched.lock */
	struct mutex reset_lock;

	/** @state: whether the registers may be touched. This and all below: &nnloop_sched.lock */
	enum nnloop_worker_state state;

	/**
	 * @job: the job that the DSP was given here and that has not ended; it stays while the
	 * worker is stopped
	 */
	struct nnloop_job *job;

	/** @part_ended: it has ended its part of @job, and another one of the gang has not */
	bool part_ended;

	/** @slot: what the scheduler's rules know of it */
	struct nnloop_slot slot;

	/** @client_generation: the generation of the last client's translations */
	u64 client_generation;

	/**
	 * @generation: the number that the DSP was given for it; changes with that, and with the
	 * client
	 */
	u32 generation;

	/** @hang: what was seen of the progress of @job */
	struct nnloop_hang hang;

	/** @looks: how often any job on it was looked at, since the device appeared */
	unsigned int looks;

	/** @asked: id of an empty command that is to be answered while it is DOWN, or 0 */
	u64 asked;

	/** @answer_time: when that was answered, or 0 */
	u64 answer_time;

	/** @restarts: how often it was restarted, since the device appeared */
	unsigned int restarts;
};

struct nnloop_worker *nnloop_worker_create(struct nnloop_device *ndev, unsigned int index);
void nnloop_worker_destroy(struct nnloop_worker *worker);

bool nnloop_worker_is_free(struct nnloop_worker *worker);
void nnloop_worker_begin(struct nnloop_worker *worker, struct nnloop_job *job, unsigned int index,
			 u64 generation);
void nnloop_worker_cancel(struct nnloop_worker *worker);
void nnloop_worker_yield(struct nnloop_worker *worker);
void nnloop_worker_look_soon(struct nnloop_worker *worker);
u32 nnloop_worker_passes_done(struct nnloop_worker *worker);
u32 nnloop_worker_progress(struct nnloop_worker *worker);
s64 nnloop_worker_measure(struct nnloop_worker *worker);
void nnloop_worker_check_hang(struct nnloop_worker *worker);

int nnloop_worker_wait_started(struct nnloop_worker *worker);
void nnloop_worker_shut(struct nnloop_worker *worker);
void nnloop_worker_abandon(struct nnloop_worker *worker);

int nnloop_workers_reset(struct nnloop_device *ndev);
int nnloop_workers_start(struct nnloop_device *ndev);
int nnloop_workers_park(struct nnloop_device *ndev, enum nnloop_parked parked,
			unsigned int timeout_ms);
int nnloop_workers_wake(struct nnloop_device *ndev);
void nnloop_workers_wake_work(struct work_struct *work);
void nnloop_workers_stop(struct nnloop_device *ndev);

void nnloop_worker_interrupt(struct nnloop_worker *worker);

#endif
