/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Jobs (nnloop_job.c): what one SUBMIT makes, from the submit to its end.
 */
#ifndef NNLOOP_JOB_H
#define NNLOOP_JOB_H

#include <linux/atomic.h>
#include <linux/dma-fence.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/llist.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include "nnloop_board.h"
#include "nnloop_coredump.h"
#include "nnloop_gang.h"

struct drm_device;
struct drm_file;
struct nnloop_failed_points;
struct nnloop_job;
struct nnloop_queue;
struct nnloop_timeline;

/**
 * struct nnloop_wait - a fence that a job waits for
 */
struct nnloop_wait {
	/** @callback: of @fence */
	struct dma_fence_cb callback;
	/** @job: the job that waits */
	struct nnloop_job *job;
	/** @fence: with a reference */
	struct dma_fence *fence;
	/**
	 * @timeline: the timeline that @fence is or was a point of, if it is a queue's; else NULL;
	 * with a reference
	 */
	struct nnloop_timeline *timeline;
	/** @point: the point of @timeline */
	u64 point;
};

/**
 * struct nnloop_job - what one submit makes
 *
 * It ends exactly once (nnloop_job_end()), on a worker or without ever having reached one. What is
 * not constant from the submit on is protected by &nnloop_sched.lock.
 */
struct nnloop_job {
	/** @ref: references: the scheduler's until the fence has been signalled, and short ones */
	struct kref ref;

	/** @queue: where it was submitted; holds a reference */
	struct nnloop_queue *queue;

	/** @link: in &nnloop_queue.jobs, and when it has ended on the way to its signal */
	struct list_head link;

	/** @point: of the queue's timeline */
	u64 point;

	/** @id: for people */
	u64 id;

	/** @fence: signalled when the job has ended; holds a reference once @pushed */
	struct dma_fence *fence;

	/** @pushed: it was submitted: @fence is initialised, callbacks are added */
	bool pushed;

	/**
	 * @failed: memory in which its end is remembered if it is a bad one; NULL when that was
	 * used up
	 */
	struct nnloop_failed_points *failed;

	/** @waits: fences whose errors are the job's */
	struct nnloop_wait *waits;

	/** @wait_count: of @waits */
	unsigned int wait_count;

	/**
	 * @pending: waits that have not signalled, and one for the submit; used without the lock
	 */
	atomic_t pending;

	/** @woken: in &nnloop_sched.woken when @pending has fallen to 0; used without the lock */
	struct llist_node woken;

	/**
	 * @drop_link: in a list of jobs whose waits are dropped; belongs to who set @waits_dropped
	 */
	struct list_head drop_link;

	/** @waits_dropped: it does not wait any more, though something has not signalled */
	bool waits_dropped;

	/** @ready: @pending has fallen to 0 */
	bool ready;

	/** @waits_error: the error of what it waited for, or 0 */
	int waits_error;

	/** @started: a worker has had it, and it has a reference of runtime power since then */
	bool started;

	/** @passes_done: complete passes, done by workers that have left the job off */
	unsigned int passes_done;

	/** @workers: the most workers that may run it together; at least 1 */
	unsigned int workers;

	/** @gang: the workers that have it now */
	struct nnloop_gang gang;

	/**
	 * @slice: the number by which the DSP knows it; it gets a new one each time that workers
	 * get it
	 */
	u64 slice;

	/** @cmds: room for the JOB entry, and PASS entries, as they go into the ring */
	struct nnloop_cmd *cmds;

	/** @pass_count: passes */
	unsigned int pass_count;

	/** @space_link: in &nnloop_space.jobs until it ends */
	struct list_head space_link;

	/** @space_number: its number there, in the order of submits */
	u64 space_number;

	/** @snapshot: what the hardware said when it failed */
	struct nnloop_snapshot snapshot;

	/** @free_work: frees the job where one may sleep */
	struct work_struct free_work;
};

/* Says whether the job is on a worker. */
static inline bool nnloop_job_is_running(const struct nnloop_job *job)
{
	return job->gang.count;
}

struct nnloop_job *nnloop_job_alloc(struct nnloop_queue *queue);
void nnloop_job_free(struct nnloop_job *job);
void nnloop_job_put(struct nnloop_job *job);
void nnloop_job_add_callbacks(struct nnloop_job *job);
void nnloop_job_end(struct nnloop_job *job, const struct nnloop_result *how,
		    struct list_head *ended);
void nnloop_job_leave_off(struct nnloop_job *job, u32 passes_done);
void nnloop_jobs_signal(struct list_head *ended);
void nnloop_jobs_drop_waits(struct list_head *jobs);
int nnloop_job_waits_error(struct nnloop_job *job);

/* nnloop_submit.c */
int nnloop_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *filp);

#endif
