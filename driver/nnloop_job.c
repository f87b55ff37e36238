// SPDX-License-Identifier: GPL-2.0
/*
 * Jobs, from when a submit has made one (nnloop_submit.c) until it is freed: what it waits for, how
 * its end is recorded, and how it is signalled.
 */
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include "nnloop_drv.h"
#include "nnloop_fence.h"
#include "nnloop_file.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_timeline.h"
#include "nnloop_trace.h"

/**
 * nnloop_job_free - free a job that was not submitted, or that nobody has a reference on
 * @job: the job
 *
 * Context: may sleep.
 */
void nnloop_job_free(struct nnloop_job *job)
{
	unsigned int i;

	for (i = 0; i < job->wait_count; i++) {
		struct nnloop_wait *wait = &job->waits[i];

		/* The callback has been called, but it may not have returned. */
		if (job->pushed)
			dma_fence_remove_callback(wait->fence, &wait->callback);
		dma_fence_put(wait->fence);
		if (wait->timeline)
			nnloop_timeline_put(wait->timeline);
	}
	kfree(job->waits);
	if (job->pushed)
		dma_fence_put(job->fence);
	else if (job->fence)
		nnloop_fence_free(job->fence);
	kfree(job->failed);
	kvfree(job->cmds);
	nnloop_queue_put(job->queue);
	kfree(job);
}

static void nnloop_job_free_work(struct work_struct *work)
{
	struct nnloop_job *job = container_of(work, struct nnloop_job, free_work);

	nnloop_coredump_write(job);
	nnloop_space_reap(&job->queue->file->space);
	nnloop_job_free(job);
}

/**
 * nnloop_job_alloc - a job for a queue, with nothing in it
 * @queue: the queue
 *
 * Return: the job, which has a reference on the queue; or NULL.
 */
struct nnloop_job *nnloop_job_alloc(struct nnloop_queue *queue)
{
	struct nnloop_job *job = kzalloc(sizeof(*job), GFP_KERNEL_ACCOUNT);

	if (!job)
		return NULL;
	kref_init(&job->ref);
	job->queue = nnloop_queue_get(queue);
	job->workers = 1;
	INIT_LIST_HEAD(&job->link);
	INIT_WORK(&job->free_work, nnloop_job_free_work);
	return job;
}

static void nnloop_job_release(struct kref *ref)
{
	struct nnloop_job *job = container_of(ref, struct nnloop_job, ref);

	/*
	 * Jobs are not freed here, because giving back buffers sleeps and takes locks that
	 * allocate.
	 */
	queue_work(nnloop_wq, &job->free_work);
}

/**
 * nnloop_job_put - drop a reference on a job that was submitted
 * @job: the job
 *
 * Context: any.
 */
void nnloop_job_put(struct nnloop_job *job)
{
	kref_put(&job->ref, nnloop_job_release);
}

/* Reports a job's end to those who look on: a tracepoint, and the last failure in debugfs. */
static void nnloop_job_report(struct nnloop_job *job, const struct nnloop_result *result,
			      int error)
{
	struct nnloop_file *file = job->queue->file;
	struct nnloop_device *ndev = file->ndev;

	trace_nnloop_done(job, error, result->passes_done);
	if (!error || error == -ECANCELED)
		return;
	if (error == -EFAULT)
		trace_nnloop_fault(job, result);

	spin_lock(&ndev->failure_lock);
	ndev->last_failure.count++;
	ndev->last_failure.client = file->id;
	ndev->last_failure.job = job->id;
	ndev->last_failure.result = *result;
	spin_unlock(&ndev->failure_lock);
}

/**
 * nnloop_job_leave_off - no worker goes on with a job for now, which is not done
 * @job: the job; its queue is to be settled
 * @passes_done: how many more passes it has done now
 *
 * &nnloop_sched.lock is held.
 */
void nnloop_job_leave_off(struct nnloop_job *job, u32 passes_done)
{
	lockdep_assert_held(&job->queue->file->ndev->sched.lock);

	nnloop_gang_disband(job);
	job->passes_done += passes_done;
	job->queue->file->passes_done += passes_done;
	trace_nnloop_yield(job);
}

/**
 * nnloop_job_end - a job has ended, one way or another
 * @job: the first of its queue; the DSP does not touch its memory any more, or is lost
 * @how: how it ended, and what was done since workers got it last
 * @ended: the job is added there, for nnloop_jobs_signal() when no lock is held
 *
 * The result is recorded before anybody can know that there is one. &nnloop_sched.lock is held.
 */
void nnloop_job_end(struct nnloop_job *job, const struct nnloop_result *how,
		    struct list_head *ended)
{
	struct nnloop_queue *queue = job->queue;
	struct nnloop_file *file = queue->file;
	struct nnloop_result result = *how;
	int error;

	lockdep_assert_held(&file->ndev->sched.lock);

	nnloop_gang_disband(job);
	/*
	 * The number is the DSP's word, or its registers' when it had died, so it may be too large.
	 */
	result.passes_done = min(result.passes_done, job->pass_count - job->passes_done);
	file->passes_done += result.passes_done;
	result.passes_done += job->passes_done;
	nnloop_space_end_job(&file->space, job);
	error = nnloop_queue_job_ended(queue, job, result);
	nnloop_job_report(job, &result, error);
	atomic_sub(job->pass_count, &file->queued_passes);
	if (error)
		dma_fence_set_error(job->fence, error);
	list_move_tail(&job->link, ended);
}

/**
 * nnloop_jobs_signal - tell those who wait
 * @ended: jobs from nnloop_job_end()
 *
 * Callbacks of the fences may have other jobs woken, but end none: that happens later.
 *
 * Context: any; no lock of ours is held but &nnloop_worker.reset_lock. The jobs may be gone
 * afterwards.
 */
void nnloop_jobs_signal(struct list_head *ended)
{
	struct nnloop_job *job, *next;

	list_for_each_entry_safe(job, next, ended, link) {
		struct device *dev = job->queue->file->ndev->board.dev;

		dma_fence_signal(job->fence);
		if (job->started) {
			pm_runtime_mark_last_busy(dev);
			pm_runtime_put_autosuspend(dev);
		}
		list_del(&job->link);
		nnloop_job_put(job);
	}
}

static void nnloop_wait_signalled(struct dma_fence *fence, struct dma_fence_cb *callback)
{
	struct nnloop_wait *wait = container_of(callback, struct nnloop_wait, callback);
	struct nnloop_job *job = wait->job;

	/* The job is not freed as long as the fence's lock is held. */
	if (atomic_dec_and_test(&job->pending))
		nnloop_sched_job_woken(&job->queue->file->ndev->sched, job);
}

/**
 * nnloop_job_add_callbacks - have a job woken by each fence that has not signalled
 * @job: the job, which others may see already
 *
 * &nnloop_job.pending counts these, and one for the caller.
 */
void nnloop_job_add_callbacks(struct nnloop_job *job)
{
	unsigned int i;

	atomic_set(&job->pending, 1 + job->wait_count);
	for (i = 0; i < job->wait_count; i++) {
		struct nnloop_wait *wait = &job->waits[i];

		/* This does not reach 0: the submit's own count is left. */
		if (dma_fence_add_callback(wait->fence, &wait->callback, nnloop_wait_signalled))
			atomic_dec(&job->pending);
	}
}

/**
 * nnloop_jobs_drop_waits - jobs do not wait any more
 * @jobs: from nnloop_queue_take_waiting(); their references are dropped
 *
 * Jobs that were not woken by then end.
 *
 * Context: may sleep; no lock is held under which a fence may be signalled.
 */
void nnloop_jobs_drop_waits(struct list_head *jobs)
{
	struct nnloop_job *job, *next;
	unsigned int i;

	list_for_each_entry_safe(job, next, jobs, drop_link) {
		struct nnloop_device *ndev = job->queue->file->ndev;

		list_del(&job->drop_link);
		for (i = 0; i < job->wait_count; i++) {
			struct nnloop_wait *wait = &job->waits[i];

			if (dma_fence_remove_callback(wait->fence, &wait->callback) &&
			    atomic_dec_and_test(&job->pending))
				nnloop_sched_job_ready(ndev, job);
		}
		nnloop_job_put(job);
	}
}

/**
 * nnloop_job_waits_error - did something fail that the job waited for?
 * @job: the job; all it waited for has been signalled, or its waits were dropped
 *
 * Return: 0 or the first error.
 */
int nnloop_job_waits_error(struct nnloop_job *job)
{
	unsigned int i;
	int error = 0;

	for (i = 0; !error && !job->waits_dropped && i < job->wait_count; i++) {
		const struct nnloop_wait *wait = &job->waits[i];

		/* The fence may stand for a point whose own fence the core has forgotten. */
		if (wait->timeline)
			error = nnloop_timeline_error(wait->timeline, wait->point);
		if (!error)
			error = nnloop_fence_error(wait->fence);
	}
	return error;
}
