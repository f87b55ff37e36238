/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NNLOOP_WORKER_H
#define NNLOOP_WORKER_H

#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

struct nnloop_device;
struct nnloop_job;
struct nnloop_queue;

enum nnloop_worker_state {
	NNLOOP_WORKER_DOWN,	/* parked, or being stopped or started; jobs wait */
	NNLOOP_WORKER_UP,	/* takes jobs */
	NNLOOP_WORKER_GONE,	/* lost or removed: registers are out of reach, jobs fail */
};

/**
 * struct nnloop_worker - a hardware thread of the DSP and its scheduler
 *
 * At most one job is on a worker. The scheduler hands over the next one when the
 * fence of the one before has been signalled, so while a worker is being
 * restarted the scheduler need not be stopped: it has nothing to do.
 *
 * The memory stays until the last fence that the scheduler made is gone, which can
 * be after the device.
 */
struct nnloop_worker {
	/** @ref: the device's, and one for each fence */
	struct kref ref;

	/** @ndev: the device */
	struct nnloop_device *ndev;

	/** @index: which one */
	unsigned int index;

	/** @name: for people */
	char name[40];

	/** @sched: one job in flight */
	struct drm_gpu_scheduler sched;

	/** @fence_context: of the fences signalled here */
	u64 fence_context;

	/** @fence_seqno: of the newest of them; only run_job touches it */
	u64 fence_seqno;

	/** @recovery_wq: where the scheduler's timeout and @recover_work run, in order */
	struct workqueue_struct *recovery_wq;

	/** @recover_work: restarts the worker after it has died */
	struct work_struct recover_work;

	/** @reset_lock: held while the worker is stopped or started; outside @lock */
	struct mutex reset_lock;

	/** @idle: woken when a job has ended on a worker that is @paused */
	wait_queue_head_t idle;

	/** @lock: protects everything below; taken in interrupts */
	spinlock_t lock;

	/** @state: may the registers be touched? */
	enum nnloop_worker_state state;

	/** @paused: begins no job, because it is going to be parked */
	bool paused;

	/** @job: given to the worker and not ended, or waiting until it may begin */
	struct nnloop_job *job;

	/** @client: whose job was on the worker last: &nnloop_file.id, 0 if there was none */
	u64 client;

	/** @client_generation: of its translations then */
	u64 client_generation;

	/** @generation: what the DSP was told it is; changes whenever one of these two does */
	u32 generation;

	/** @progress: what the progress register was when last looked at */
	u32 progress;

	/** @progress_time: when it was first seen to be that, or the job began */
	ktime_t progress_time;

	/** @restarts: since the device appeared */
	unsigned int restarts;
};

static inline struct nnloop_worker *nnloop_worker_get(struct nnloop_worker *worker)
{
	kref_get(&worker->ref);
	return worker;
}

void nnloop_worker_put(struct nnloop_worker *worker);

struct nnloop_worker *nnloop_worker_create(struct nnloop_device *ndev, unsigned int index);
void nnloop_worker_destroy(struct nnloop_worker *worker);

void nnloop_worker_set_timeout(struct nnloop_worker *worker, unsigned int ms);

int nnloop_worker_wait_started(struct nnloop_worker *worker);
void nnloop_worker_begin_waiting(struct nnloop_worker *worker);
struct nnloop_job *nnloop_worker_shut(struct nnloop_worker *worker);
void nnloop_worker_abandon(struct nnloop_worker *worker);

int nnloop_workers_reset(struct nnloop_device *ndev);
int nnloop_workers_start(struct nnloop_device *ndev);
int nnloop_workers_park(struct nnloop_device *ndev, unsigned int timeout_ms);
int nnloop_workers_wake(struct nnloop_device *ndev);
void nnloop_workers_stop(struct nnloop_device *ndev);

void nnloop_worker_interrupt(struct nnloop_worker *worker);
void nnloop_worker_cancel(struct nnloop_worker *worker, struct nnloop_queue *queue);
bool nnloop_worker_passes_done(struct nnloop_worker *worker, struct nnloop_queue *queue,
			       u64 point, u32 *passes_done);

#endif
