// SPDX-License-Identifier: GPL-2.0
/*
 * Queues: a timeline of jobs, what became of each, and giving them up.
 */
#include <linux/capability.h>
#include <linux/slab.h>

#include <drm/drm_syncobj.h>
#include <drm/nnloop_accel.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_fence.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
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

static void nnloop_queue_release_work(struct work_struct *work)
{
	struct nnloop_queue *queue = container_of(work, struct nnloop_queue, release_work);
	struct nnloop_file *file = queue->file;

	/* It has no jobs any more, so this neither waits nor kills. */
	drm_sched_entity_fini(&queue->entity);
	drm_syncobj_put(queue->syncobj);
	nnloop_timeline_put(queue->timeline);
	mutex_destroy(&queue->submit_lock);
	kfree(queue->results);
	kfree_rcu(queue, rcu);
	if (atomic_dec_and_test(&file->queue_count))
		wake_up_all(&file->queues_gone);
	nnloop_file_put(file);
}

static void nnloop_queue_release(struct kref *ref)
{
	struct nnloop_queue *queue = container_of(ref, struct nnloop_queue, ref);

	queue_work(nnloop_wq, &queue->release_work);
}

/**
 * nnloop_queue_put - drop a reference
 * @queue: the queue
 */
void nnloop_queue_put(struct nnloop_queue *queue)
{
	kref_put(&queue->ref, nnloop_queue_release);
}

/* Jobs submitted before this call end with ECANCELED. */
static void nnloop_queue_cancel(struct nnloop_queue *queue)
{
	struct nnloop_device *ndev = queue->file->ndev;
	unsigned int i;

	spin_lock_irq(&queue->lock);
	queue->cancelled = queue->submitted;
	spin_unlock_irq(&queue->lock);

	/*
	 * A job that is about to start finds this out by itself; one that has started
	 * is on some worker.
	 */
	for (i = 0; i < ndev->board.worker_count; i++)
		nnloop_worker_cancel(ndev->workers[i], queue);
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
 * nnloop_queue_is_cancelled - is the job at a point to end?
 * @queue: the queue; interrupts are off
 * @point: the job's
 */
bool nnloop_queue_is_cancelled(struct nnloop_queue *queue, u64 point)
{
	bool cancelled;

	spin_lock(&queue->lock);
	cancelled = point <= queue->cancelled;
	spin_unlock(&queue->lock);
	return cancelled;
}

/**
 * nnloop_queue_verdict - may a job start?
 * @queue: the job's queue
 * @job: the job; &nnloop_worker.lock of the worker it would run on is held
 *
 * Return: 0, and the job is regarded as running; or the error it ends with.
 */
int nnloop_queue_verdict(struct nnloop_queue *queue, struct nnloop_job *job)
{
	int ret = 0;

	spin_lock(&queue->lock);
	if (queue->lost || job->point <= queue->cancelled)
		ret = -ECANCELED;
	else
		queue->running = true;
	spin_unlock(&queue->lock);
	return ret;
}

/**
 * nnloop_queue_job_ended - remember what became of a job
 * @queue: the job's queue
 * @job: the job
 * @result: how it ended
 *
 * Context: any.
 *
 * Return: the error that its fences get.
 */
int nnloop_queue_job_ended(struct nnloop_queue *queue, struct nnloop_job *job,
			   struct nnloop_result result)
{
	unsigned long flags;

	/* Nobody can ask any more, and its buffers may have gone before it noticed. */
	if (READ_ONCE(queue->closed) && result.error)
		result.error = -ECANCELED;

	spin_lock_irqsave(&queue->lock, flags);
	/* What was started and failed has left its buffers in an unknown state. */
	if (queue->running && result.error && result.error != -ECANCELED)
		queue->lost = true;
	queue->running = false;
	queue->ended = job->point;
	queue->results[job->point % NNLOOP_RESULTS] = result;
	spin_unlock_irqrestore(&queue->lock, flags);
	return result.error;
}

static int nnloop_sched_priority(struct drm_device *drm, u32 priority,
				 enum drm_sched_priority *sched_priority)
{
	switch (priority) {
	case DRM_NNLOOP_PRIORITY_NORMAL:
		*sched_priority = DRM_SCHED_PRIORITY_NORMAL;
		return 0;
	case DRM_NNLOOP_PRIORITY_LOW:
		*sched_priority = NNLOOP_SCHED_LOW;
		return 0;
	case DRM_NNLOOP_PRIORITY_HIGH:
		*sched_priority = DRM_SCHED_PRIORITY_HIGH;
		if (!capable(CAP_SYS_NICE))
			return nnloop_refuse(drm, -EACCES, "priority %u (high) needs CAP_SYS_NICE",
					     priority);
		return 0;
	default:
		return nnloop_refuse(drm, -EOPNOTSUPP, "priority %u is not known", priority);
	}
}

static struct nnloop_queue *nnloop_queue_alloc(struct nnloop_file *file,
					       enum drm_sched_priority priority)
{
	struct nnloop_device *ndev = file->ndev;
	struct nnloop_queue *queue;
	int ret = -ENOMEM;

	queue = kzalloc(sizeof(*queue), GFP_KERNEL);
	if (!queue)
		return ERR_PTR(-ENOMEM);

	queue->results = kcalloc(NNLOOP_RESULTS, sizeof(*queue->results), GFP_KERNEL);
	if (!queue->results)
		goto err_free;
	queue->timeline = nnloop_timeline_create();
	if (!queue->timeline)
		goto err_free_results;
	ret = drm_syncobj_create(&queue->syncobj, 0, NULL);
	if (ret)
		goto err_put_timeline;
	ret = drm_sched_entity_init(&queue->entity, priority, ndev->scheds,
				    ndev->board.worker_count, NULL);
	if (ret)
		goto err_put_syncobj;

	kref_init(&queue->ref);
	mutex_init(&queue->submit_lock);
	spin_lock_init(&queue->lock);
	INIT_WORK(&queue->release_work, nnloop_queue_release_work);
	queue->file = nnloop_file_get(file);
	atomic_inc(&file->queue_count);
	return queue;

err_put_syncobj:
	drm_syncobj_put(queue->syncobj);
err_put_timeline:
	nnloop_timeline_put(queue->timeline);
err_free_results:
	kfree(queue->results);
err_free:
	kfree(queue);
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
	enum drm_sched_priority priority;
	struct nnloop_queue *queue;
	int ret;

	if (args->flags)
		return nnloop_refuse(drm, -EOPNOTSUPP, "flags %#x: none is known", args->flags);
	ret = nnloop_sched_priority(drm, args->priority, &priority);
	if (ret)
		return ret;

	queue = nnloop_queue_alloc(file, priority);
	if (IS_ERR(queue))
		return PTR_ERR(queue);

	/* The id is taken now and the queue put there last: another thread may guess it. */
	ret = xa_alloc(&file->queues, &args->queue, NULL, XA_LIMIT(1, NNLOOP_MAX_QUEUES),
		       GFP_KERNEL);
	if (ret == -EBUSY)
		ret = nnloop_refuse(drm, ret, "there are %u queues, the most of one file",
				    NNLOOP_MAX_QUEUES);
	if (ret)
		goto err_put;
	ret = drm_syncobj_get_handle(filp, queue->syncobj, &args->syncobj);
	if (ret)
		goto err_erase;
	xa_store(&file->queues, args->queue, queue, GFP_KERNEL);
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

	/* An id without a queue is one that is being created. */
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

static int nnloop_queue_status(struct nnloop_queue *queue, struct drm_nnloop_status *args,
			       bool *running)
{
	struct drm_device *drm = &queue->file->ndev->drm;
	struct nnloop_result result = NNLOOP_RESULT(0);
	u64 submitted;
	int ret = 0;

	spin_lock_irq(&queue->lock);
	submitted = queue->submitted;
	*running = false;
	if (!args->point || args->point > queue->submitted) {
		ret = -EINVAL;
	} else if (args->point > queue->ended) {
		*running = queue->running && args->point == queue->ended + 1;
		args->state = *running ? DRM_NNLOOP_JOB_RUNNING : DRM_NNLOOP_JOB_QUEUED;
	} else if (queue->ended - args->point >= NNLOOP_RESULTS) {
		ret = -ENODATA;
	} else {
		args->state = DRM_NNLOOP_JOB_ENDED;
		result = queue->results[args->point % NNLOOP_RESULTS];
	}
	spin_unlock_irq(&queue->lock);

	args->error = result.error;
	args->passes_done = result.passes_done;
	args->fail_op = result.fail_op;
	args->fail_reason = result.fail_reason;
	args->fault_access = result.fault_access;
	args->fault_address = result.fault_address;
	if (ret == -EINVAL)
		return nnloop_refuse(drm, ret, "point %llu: the queue has had %llu jobs",
				     args->point, submitted);
	if (ret == -ENODATA)
		return nnloop_refuse(drm, ret, "point %llu: of %llu the last %u are kept",
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
	struct nnloop_device *ndev = to_nnloop(drm);
	struct nnloop_file *file = filp->driver_priv;
	struct drm_nnloop_status *args = data;
	struct nnloop_queue *queue;
	bool running;
	unsigned int i;
	int ret;

	if (args->pad)
		return nnloop_refuse(drm, -EINVAL, "pad is %#x, not 0", args->pad);
	queue = nnloop_queue_find(file, args->queue);
	if (!queue)
		return nnloop_refuse(drm, -ENOENT, "queue %u does not exist", args->queue);

	ret = nnloop_queue_status(queue, args, &running);
	for (i = 0; !ret && running && i < ndev->board.worker_count; i++) {
		if (nnloop_worker_passes_done(ndev->workers[i], queue, args->point,
					      &args->passes_done))
			break;
	}
	nnloop_queue_put(queue);
	return ret;
}
