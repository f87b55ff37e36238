/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Queues (nnloop_queue.c): jobs of one client that run in order, and what became of them.
 */
#ifndef NNLOOP_QUEUE_H
#define NNLOOP_QUEUE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>

#include "nnloop_board.h"
#include "nnloop_sched.h"

struct drm_device;
struct drm_file;
struct nnloop_file;
struct nnloop_job;
struct nnloop_timeline;

/* How many ended jobs a queue remembers. */
#define NNLOOP_RESULTS	256

/**
 * struct nnloop_queue - jobs that run in order
 *
 * The queue's id holds a reference, and so does each of its jobs.
 */
struct nnloop_queue {
	/** @ref: references */
	struct kref ref;

	/** @file: the owner; holds a reference */
	struct nnloop_file *file;

	/** @timeline: the points of its jobs; holds a reference */
	struct nnloop_timeline *timeline;

	/** @submit_lock: makes submits one after the other; taken to write @closed */
	struct mutex submit_lock;

	/** @closed: it was destroyed, so nothing can be submitted any more */
	bool closed;

	/** @link: in &nnloop_sched.queues; this and all below is protected by &nnloop_sched.lock */
	struct list_head link;

	/** @entity: what the scheduler's rules know of it; ready while its first job could begin */
	struct nnloop_entity entity;

	/**
	 * @ending_link: in &nnloop_sched.ending while more of its jobs are to end than do at a time
	 */
	struct list_head ending_link;

	/** @jobs: &struct nnloop_job that have not ended, oldest first */
	struct list_head jobs;

	/** @submitted: point of the newest job; written under @submit_lock, too */
	u64 submitted;

	/** @ended: point of the newest job that has ended: they end in order */
	u64 ended;

	/** @cancelled: jobs up to this point are to end */
	u64 cancelled;

	/** @lost: a job faulted or hung, nothing runs any more */
	bool lost;

	/**
	 * @results: results of the last NNLOOP_RESULTS jobs that have ended, by point modulo that
	 */
	struct nnloop_result *results;
};

static inline struct nnloop_queue *nnloop_queue_get(struct nnloop_queue *queue)
{
	kref_get(&queue->ref);
	return queue;
}

struct nnloop_queue *nnloop_queue_find(struct nnloop_file *file, u32 id);
void nnloop_queue_put(struct nnloop_queue *queue);
void nnloop_queues_close(struct nnloop_file *file);

struct nnloop_job *nnloop_queue_first_job(struct nnloop_queue *queue);
void nnloop_queue_settle(struct nnloop_queue *queue, struct list_head *ended);
unsigned int nnloop_queue_take_waiting(struct nnloop_queue *queue, struct list_head *jobs,
				       unsigned int max);
int nnloop_queue_job_ended(struct nnloop_queue *queue, struct nnloop_job *job,
			   struct nnloop_result result);

int nnloop_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_status(struct drm_device *drm, void *data, struct drm_file *filp);
int nnloop_ioctl_cancel(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
