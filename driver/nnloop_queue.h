/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NNLOOP_QUEUE_H
#define NNLOOP_QUEUE_H

#include <linux/kref.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include <drm/gpu_scheduler.h>

#include "nnloop_board.h"

struct drm_device;
struct drm_file;
struct drm_syncobj;
struct nnloop_file;
struct nnloop_job;
struct nnloop_timeline;

/* Ended jobs that a queue remembers. */
#define NNLOOP_RESULTS	256

/**
 * struct nnloop_queue - jobs that run in order
 *
 * Its id holds a reference, and so does each of its jobs. The last one is dropped
 * from a work item, because what follows may sleep.
 */
struct nnloop_queue {
	/** @ref: references */
	struct kref ref;

	/** @file: the owner; holds a reference */
	struct nnloop_file *file;

	/** @entity: the scheduler's part; it moves to another worker only when drained */
	struct drm_sched_entity entity;

	/** @syncobj: the timeline that user space waits on; holds a reference */
	struct drm_syncobj *syncobj;

	/** @timeline: what its fences hold on to */
	struct nnloop_timeline *timeline;

	/** @submit_lock: makes submits one after the other; taken to write @closed */
	struct mutex submit_lock;

	/** @closed: destroyed: nothing can be submitted any more */
	bool closed;

	/** @lock: protects everything below; inside &nnloop_worker.lock */
	spinlock_t lock;

	/** @submitted: point of the newest job; written under @submit_lock, too */
	u64 submitted;

	/** @ended: point of the newest job that has ended: they end in order */
	u64 ended;

	/** @cancelled: jobs up to this point are to end */
	u64 cancelled;

	/** @running: the job after @ended is on a worker */
	bool running;

	/** @lost: a job faulted or hung, nothing runs any more */
	bool lost;

	/** @results: of the last NNLOOP_RESULTS jobs that have ended, by point modulo that */
	struct nnloop_result *results;

	/** @release_work: does the rest when @ref has fallen to 0 */
	struct work_struct release_work;

	/** @rcu: callbacks of foreign fences may still look at @entity */
	struct rcu_head rcu;
};

static inline struct nnloop_queue *nnloop_queue_get(struct nnloop_queue *queue)
{
	kref_get(&queue->ref);
	return queue;
}

struct nnloop_queue *nnloop_queue_find(struct nnloop_file *file, u32 id);
void nnloop_queue_put(struct nnloop_queue *queue);
void nnloop_queues_close(struct nnloop_file *file);

bool nnloop_queue_is_cancelled(struct nnloop_queue *queue, u64 point);
int nnloop_queue_verdict(struct nnloop_queue *queue, struct nnloop_job *job);
int nnloop_queue_job_ended(struct nnloop_queue *queue, struct nnloop_job *job,
			   struct nnloop_result result);

int nnloop_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_status(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_cancel(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
