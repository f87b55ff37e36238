// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: jobs that run in order, their timeline, what became of each, and how they are cancelled.
 */
#include <linux/capability.h>
#include <linux/dma-fence.h>
#include <linux/slab.h>

#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <drm/nnloop_accel.h>

#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_timeline.h"
#include "nnloop_worker.h"

/**
 * nnloop_queue_find - look a queue up
 * @file: the owner
 * @id: its id
 *
 * Return: the queue, with a reference, or NULL.
 */
struct nnloop_queue *nnloop_queue_find(struct nnloop_file *file, u32 id)
{
	struct nnloop_queue *queue;

	xa_lock(&file->queues);
	queue = xa_load(&file->queues, id);
	if (queue)
		nnloop_queue_get(queue);
	xa_unlock(&file->queues);
	return queue;
}

static void nnloop_queue_release(struct kref *ref)
{
	struct nnloop_queue *queue = container_of(ref, struct nnloop_queue, ref);
	struct nnloop_file *file = queue->file;
	struct nnloop_sched *sched = &file->ndev->sched;

	spin_lock_irq(&sched->lock);
	list_del(&queue->link);
	list_del(&queue->ending_link);
	spin_unlock_irq(&sched->lock);
	nnloop_timeline_retire(queue->timeline);
	mutex_destroy(&queue->submit_lock);
	kfree(queue->results);
	kfree(queue);
	/* The queue counts until here: one that is destroyed is not gone. */
	atomic_dec(&file->queue_count);
	nnloop_file_put(file);
}

/**
 * nnloop_queue_put - drop a reference
 * @queue: the queue
 *
 * Context: may sleep.
 */
void nnloop_queue_put(struct nnloop_queue *queue)
{
	kref_put(&queue->ref, nnloop_queue_release);
}

/**
 * nnloop_queue_first_job - the oldest job that has not ended
 * @queue: the queue; &nnloop_sched.lock is held
 *
 * Return: the job or NULL.
 */
struct nnloop_job *nnloop_queue_first_job(struct nnloop_queue *queue)
{
	return list_first_entry_or_null(&queue->jobs, struct nnloop_job, link);
}

/* How many jobs end at a time, because interrupts are off meanwhile. */
#define NNLOOP_SETTLE_JOBS	64

/* Says whether a job that is ready may begin: 0, or the error that it ends with. */
static int nnloop_queue_verdict(struct nnloop_queue *queue, struct nnloop_job *job)
{
	if (queue->file->ndev->sched.gone)
		return -ENODEV;
	if (job->waits_error)
		return job->waits_error;
	if (queue->lost || job->point <= queue->cancelled)
		return -ECANCELED;
	return 0;
}

/**
 * nnloop_queue_settle - end what will not run, and say whether the next job could
 * @queue: the queue, one of whose jobs has changed; &nnloop_sched.lock is held
 * @ended: jobs that ended are added
 */
void nnloop_queue_settle(struct nnloop_queue *queue, struct list_head *ended)
{
	struct nnloop_sched *sched = &queue->file->ndev->sched;
	struct nnloop_job *job;
	unsigned int count = 0;
	bool could_begin;
	int error = 0;

	lockdep_assert_held(&sched->lock);

	while ((job = nnloop_queue_first_job(queue)) && job->ready &&
	       !nnloop_job_is_running(job)) {
		error = nnloop_queue_verdict(queue, job);
		if (!error)
			break;
		if (count++ == NNLOOP_SETTLE_JOBS) {
			nnloop_sched_end_later(sched, queue);
			break;
		}
		nnloop_job_end(job, &NNLOOP_RESULT(error), ended);
	}
	could_begin = job && job->ready && !nnloop_job_is_running(job) && !error;
	if (could_begin && !nnloop_entity_is_ready(&queue->entity))
		nnloop_rules_add(&sched->rules, &queue->entity, ktime_get_ns());
	else if (!could_begin && nnloop_entity_is_ready(&queue->entity))
		nnloop_rules_remove(&sched->rules, &queue->entity);
}

/**
 * nnloop_queue_take_waiting - jobs that are to end whatever they wait for
 * @queue: the queue; &nnloop_sched.lock is held
 * @jobs: they are added here, with a reference each, for nnloop_jobs_drop_waits()
 * @max: at most so many
 *
 * Return: how many.
 */
unsigned int nnloop_queue_take_waiting(struct nnloop_queue *queue, struct list_head *jobs,
				       unsigned int max)
{
	bool gone = queue->file->ndev->sched.gone;
	unsigned int count = 0;
	struct nnloop_job *job;

	list_for_each_entry(job, &queue->jobs, link) {
		if (count == max || (!gone && job->point > queue->cancelled))
			break;
		if (job->ready || job->waits_dropped)
			continue;
		job->waits_dropped = true;
		kref_get(&job->ref);
		list_add_tail(&job->drop_link, jobs);
		count++;
	}
	return count;
}

/* Ends jobs that were submitted before this call with ECANCELED. */
static void nnloop_queue_cancel(struct nnloop_queue *queue)
{
	struct nnloop_device *ndev = queue->file->ndev;
	struct nnloop_ending ending;
	struct nnloop_job *job;
	LIST_HEAD(jobs);

	nnloop_sched_lock(&ndev->sched, &ending);
	queue->cancelled = queue->submitted;
	job = nnloop_queue_first_job(queue);
	if (job)
		nnloop_gang_cancel(job);
	nnloop_queue_take_waiting(queue, &jobs, UINT_MAX);
	/* When the lock is free again, no job of the queue can begin any more. */
	nnloop_queue_settle(queue, &ending.jobs);
	/* Jobs that waited for a worker may do so no more. */
	nnloop_sched_dispatch(ndev);
	nnloop_sched_unlock(&ndev->sched, &ending);

	nnloop_jobs_drop_waits(&jobs);
}

static void nnloop_queue_close(struct nnloop_queue *queue)
{
	mutex_lock(&queue->submit_lock);
	WRITE_ONCE(queue->closed, true);
	mutex_unlock(&queue->submit_lock);
	nnloop_queue_cancel(queue);
	nnloop_queue_put(queue);
}

/**
 * nnloop_queues_close - destroy all queues of a file
 * @file: the file; it is being closed
 */
void nnloop_queues_close(struct nnloop_file *file)
{
	struct nnloop_queue *queue;
	unsigned long id;

	xa_for_each(&file->queues, id, queue) {
		xa_erase(&file->queues, id);
		nnloop_queue_close(queue);
	}
	xa_destroy(&file->queues);
}

/**
 * nnloop_queue_job_ended - remember what became of a job
 * @queue: the job's queue; &nnloop_sched.lock is held
 * @job: the job
 * @result: how it ended
 *
 * Return: the error that its fence gets.
 */
int nnloop_queue_job_ended(struct nnloop_queue *queue, struct nnloop_job *job,
			   struct nnloop_result result)
{
	/*
	 * Nobody can ask for the result any more, and the job may have failed because its buffers
	 * were gone.
	 */
	if (READ_ONCE(queue->closed) && result.error)
		result.error = -ECANCELED;

	/* A job that was started and failed has left its buffers in an unknown state. */
	if (job->started && result.error && result.error != -ECANCELED)
		queue->lost = true;
	queue->ended = job->point;
	queue->results[job->point % NNLOOP_RESULTS] = result;
	if (result.error)
		job->failed = nnloop_timeline_failed(queue->timeline, job->point, result.error,
						     job->failed);
	return result.error;
}

static int nnloop_queue_priority(struct drm_device *drm, u32 priority,
				 enum nnloop_priority *queue_priority)
{
	switch (priority) {
	case DRM_NNLOOP_PRIORITY_NORMAL:
		*queue_priority = NNLOOP_PRIORITY_NORMAL;
		return 0;
	case DRM_NNLOOP_PRIORITY_LOW:
		*queue_priority = NNLOOP_PRIORITY_LOW;
		return 0;
	case DRM_NNLOOP_PRIORITY_HIGH:
		*queue_priority = NNLOOP_PRIORITY_HIGH;
		if (!capable(CAP_SYS_NICE))
			return nnloop_refuse(drm, -EACCES, "priority %u (high) needs CAP_SYS_NICE",
					     priority);
		return 0;
	default:
		return nnloop_refuse(drm, -EOPNOTSUPP, "priority %u is not known", priority);
	}
}

static struct nnloop_queue *nnloop_queue_alloc(struct nnloop_file *file,
					       enum nnloop_priority priority)
{
	struct nnloop_sched *sched = &file->ndev->sched;
	struct nnloop_queue *queue;
	int ret = -ENOMEM;

	/* Queues that are over but not freed do not count for this limit: they are waited for. */
	if (atomic_inc_return(&file->queue_count) > NNLOOP_MAX_QUEUES)
		flush_workqueue(nnloop_wq);
	if (atomic_read(&file->queue_count) > NNLOOP_MAX_QUEUES) {
		ret = nnloop_refuse(&file->ndev->drm, -EBUSY,
				    "there are %u queues, the most of one file, destroyed ones included",
				    NNLOOP_MAX_QUEUES);
		goto err_uncount;
	}
	queue = kzalloc(sizeof(*queue), GFP_KERNEL_ACCOUNT);
	if (!queue)
		goto err_uncount;
	queue->results = kcalloc(NNLOOP_RESULTS, sizeof(*queue->results), GFP_KERNEL_ACCOUNT);
	if (!queue->results)
		goto err_free;
	queue->timeline = nnloop_timeline_create(file->id);
	if (IS_ERR(queue->timeline)) {
		ret = PTR_ERR(queue->timeline);
		goto err_free_results;
	}

	kref_init(&queue->ref);
	mutex_init(&queue->submit_lock);
	nnloop_entity_init(&queue->entity, &file->client, priority);
	INIT_LIST_HEAD(&queue->ending_link);
	INIT_LIST_HEAD(&queue->jobs);
	queue->file = nnloop_file_get(file);
	spin_lock_irq(&sched->lock);
	list_add_tail(&queue->link, &sched->queues);
	spin_unlock_irq(&sched->lock);
	return queue;

err_free_results:
	kfree(queue->results);
err_free:
	kfree(queue);
err_uncount:
	atomic_dec(&file->queue_count);
	return ERR_PTR(ret);
}

/**
 * nnloop_ioctl_queue_create - DRM_IOCTL_NNLOOP_QUEUE_CREATE
 * @drm: the device
 * @data: struct drm_nnloop_queue_create
 * @filp: the file
 */
int nnloop_ioctl_queue_create(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_nnloop_queue_create *args = data;
	struct nnloop_file *file = filp->driver_priv;
	enum nnloop_priority priority;
	struct nnloop_queue *queue;
	int ret;

	if (args->flags)
		return nnloop_refuse(drm, -EOPNOTSUPP, "flags %#x: none is known", args->flags);
	ret = nnloop_queue_priority(drm, args->priority, &priority);
	if (ret)
		return ret;

	queue = nnloop_queue_alloc(file, priority);
	if (IS_ERR(queue))
		return PTR_ERR(queue);

	/*
	 * The id is taken now, and the queue put there last, because another thread may guess the
	 * id.
	 */
	ret = xa_alloc(&file->queues, &args->queue, NULL, XA_LIMIT(1, NNLOOP_MAX_QUEUES),
		       GFP_KERNEL_ACCOUNT);
	if (ret)
		goto err_put;
	ret = drm_syncobj_get_handle(filp, queue->timeline->syncobj, &args->syncobj);
	if (ret)
		goto err_erase;
	xa_store(&file->queues, args->queue, queue, GFP_KERNEL_ACCOUNT);
	return 0;

err_erase:
	xa_erase(&file->queues, args->queue);
err_put:
	nnloop_queue_put(queue);
	return ret;
}

/**
 * nnloop_ioctl_queue_destroy - DRM_IOCTL_NNLOOP_QUEUE_DESTROY
 * @drm: the device
 * @data: struct drm_nnloop_queue_destroy
 * @filp: the file
 */
int nnloop_ioctl_queue_destroy(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_nnloop_queue_destroy *args = data;
	struct nnloop_file *file = filp->driver_priv;
	struct nnloop_queue *queue;

	if (args->pad)
		return nnloop_refuse(drm, -EINVAL, "pad is %#x, not 0", args->pad);

	/* An id without a queue is that of one which is being created. */
	xa_lock(&file->queues);
	queue = xa_load(&file->queues, args->queue);
	if (queue)
		__xa_erase(&file->queues, args->queue);
	xa_unlock(&file->queues);
	if (!queue)
		return nnloop_refuse(drm, -ENOENT, "queue %u does not exist", args->queue);

	nnloop_queue_close(queue);
	return 0;
}

/**
 * nnloop_ioctl_cancel - DRM_IOCTL_NNLOOP_CANCEL
 * @drm: the device
 * @data: struct drm_nnloop_cancel
 * @filp: the file
 */
int nnloop_ioctl_cancel(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct drm_nnloop_cancel *args = data;
	struct nnloop_file *file = filp->driver_priv;
	struct nnloop_queue *queue;

	if (args->pad)
		return nnloop_refuse(drm, -EINVAL, "pad is %#x, not 0", args->pad);
	queue = nnloop_queue_find(file, args->queue);
	if (!queue)
		return nnloop_refuse(drm, -ENOENT, "queue %u does not exist", args->queue);
	nnloop_queue_cancel(queue);
	nnloop_queue_put(queue);
	return 0;
}

static int nnloop_queue_status(struct nnloop_queue *queue, struct drm_nnloop_status *args)
{
	struct nnloop_device *ndev = queue->file->ndev;
	struct nnloop_result result = NNLOOP_RESULT(0);
	struct nnloop_job *job;
	u64 submitted;
	int ret = 0;

	spin_lock_irq(&ndev->sched.lock);
	submitted = queue->submitted;
	job = nnloop_queue_first_job(queue);
	if (!args->point || args->point > submitted) {
		ret = -EINVAL;
	} else if (args->point > queue->ended) {
		args->state = DRM_NNLOOP_JOB_QUEUED;
		if (job->point == args->point && job->started) {
			args->state = DRM_NNLOOP_JOB_RUNNING;
			result.passes_done = job->passes_done;
			if (nnloop_job_is_running(job))
				result.passes_done += nnloop_gang_passes_done(job);
		}
	} else if (queue->ended - args->point >= NNLOOP_RESULTS) {
		ret = -ENODATA;
	} else {
		args->state = DRM_NNLOOP_JOB_ENDED;
		result = queue->results[args->point % NNLOOP_RESULTS];
	}
	spin_unlock_irq(&ndev->sched.lock);

	args->error = result.error;
	args->passes_done = result.passes_done;
	args->fail_op = result.fail_op;
	args->fail_reason = result.fail_reason;
	args->fault_access = result.fault_access;
	args->fault_address = result.fault_address;
	if (ret == -EINVAL)
		return nnloop_refuse(&ndev->drm, ret, "point %llu: the queue has had %llu jobs",
				     args->point, submitted);
	if (ret == -ENODATA)
		return nnloop_refuse(&ndev->drm, ret, "point %llu: of %llu the last %u are kept",
				     args->point, submitted, NNLOOP_RESULTS);
	return ret;
}

/**
 * nnloop_ioctl_status - DRM_IOCTL_NNLOOP_STATUS
 * @drm: the device
 * @data: struct drm_nnloop_status
 * @filp: the file
 */
int nnloop_ioctl_status(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct nnloop_file *file = filp->driver_priv;
	struct drm_nnloop_status *args = data;
	struct nnloop_queue *queue;
	int ret;

	if (args->pad)
		return nnloop_refuse(drm, -EINVAL, "pad is %#x, not 0", args->pad);
	queue = nnloop_queue_find(file, args->queue);
	if (!queue)
		return nnloop_refuse(drm, -ENOENT, "queue %u does not exist", args->queue);

	ret = nnloop_queue_status(queue, args);
	nnloop_queue_put(queue);
	return ret;
}
