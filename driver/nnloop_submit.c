// SPDX-License-Identifier: GPL-2.0
/*
 * SUBMIT: checks and copies what user space gives, and makes a job of it (nnloop_job.c).
 *
 * It has two parts. What can fail comes first: it reads user memory, once, and allocates all that
 * the job will ever need, its ring entries included. Then, under the queue's lock and without
 * failing, it is called back by what it waits for, its fence is put where others can see it, and
 * the scheduler takes it.
 */
#include <linux/dma-fence-chain.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include <drm/drm_file.h>
#include <drm/drm_syncobj.h>
#include <drm/nnloop_accel.h>

#include "nnloop_drv.h"
#include "nnloop_fence.h"
#include "nnloop_file.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_timeline.h"
#include "nnloop_trace.h"

/* The size of a pass in the first interface, which is the shortest there is. */
#define NNLOOP_PASS_MIN_STRIDE	112
#define NNLOOP_PASS_MAX_STRIDE	SZ_4K

static_assert(sizeof(struct drm_nnloop_pass) >= NNLOOP_PASS_MIN_STRIDE);
static_assert(DRM_NNLOOP_MAX_ARGS == NNLOOP_MAX_ARGS);
static_assert(DRM_NNLOOP_ACCESS_READ == NNLOOP_ACCESS_READ);
static_assert(DRM_NNLOOP_ACCESS_WRITE == NNLOOP_ACCESS_WRITE);

/**
 * struct nnloop_signal - a syncobj that a submit is going to signal
 */
struct nnloop_signal {
	/** @syncobj: with a reference */
	struct drm_syncobj *syncobj;
	/** @chain: the node for a timeline point; NULL for a binary syncobj */
	struct dma_fence_chain *chain;
	/** @point: the point */
	u64 point;
};

/**
 * struct nnloop_submission - what a submit collects before it cannot fail any more
 */
struct nnloop_submission {
	/** @job: the job */
	struct nnloop_job *job;
	/** @signals: the caller's, and last the queue's own timeline */
	struct nnloop_signal *signals;
	/** @signal_count: of @signals, as far as they are filled in */
	unsigned int signal_count;
};

static int nnloop_pass_check(struct drm_device *drm, const struct drm_nnloop_pass *pass,
			     unsigned int number)
{
	unsigned int i;

	if (!pass->program_size)
		return nnloop_refuse(drm, -EINVAL, "passes[%u]: program_size is 0", number);
	if (!IS_ALIGNED(pass->program, 8))
		return nnloop_refuse(drm, -EINVAL, "passes[%u]: program %#llx is no multiple of 8",
				     number, pass->program);
	if (pass->program < NNLOOP_WINDOW_BASE || pass->program >= NNLOOP_WINDOW_END ||
	    pass->program_size > NNLOOP_WINDOW_END - pass->program)
		return nnloop_refuse(drm, -EINVAL,
				     "passes[%u]: program %#llx, program_size %#x: not within %#x to %#x",
				     number, pass->program, pass->program_size,
				     NNLOOP_WINDOW_BASE, NNLOOP_WINDOW_END);
	if (pass->arg_count > DRM_NNLOOP_MAX_ARGS)
		return nnloop_refuse(drm, -EINVAL, "passes[%u]: arg_count %u: at most %u", number,
				     pass->arg_count, DRM_NNLOOP_MAX_ARGS);
	for (i = pass->arg_count; i < DRM_NNLOOP_MAX_ARGS; i++) {
		if (pass->args[i])
			return nnloop_refuse(drm, -EINVAL,
					     "passes[%u]: args[%u] is not 0, arg_count is %u",
					     number, i, pass->arg_count);
	}
	return 0;
}

/* Copies the passes, checks them, and writes them as ring entries. */
static int nnloop_job_copy_passes(struct nnloop_job *job, const struct drm_nnloop_submit *args)
{
	struct drm_device *drm = &job->queue->file->ndev->drm;
	void __user *from = u64_to_user_ptr(args->passes);
	unsigned int i, j;
	int ret;

	job->cmds = kvcalloc(args->pass_count + 1, sizeof(*job->cmds), GFP_KERNEL_ACCOUNT);
	if (!job->cmds)
		return -ENOMEM;
	job->pass_count = args->pass_count;

	for (i = 0; i < args->pass_count; i++, from += args->pass_stride) {
		struct nnloop_cmd *cmd = &job->cmds[i + 1];
		struct drm_nnloop_pass pass;

		ret = copy_struct_from_user(&pass, sizeof(pass), from, args->pass_stride);
		if (ret == -E2BIG)
			return nnloop_refuse(drm, ret,
					     "passes[%u]: %zu bytes are known, the rest is not 0",
					     i, sizeof(pass));
		if (ret)
			return nnloop_refuse(drm, ret, "passes %#llx: [%u] is not readable",
					     args->passes, i);
		ret = nnloop_pass_check(drm, &pass, i);
		if (ret)
			return ret;

		cmd->type = cpu_to_le32(NNLOOP_CMD_PASS);
		cmd->count = cpu_to_le32(pass.arg_count);
		cmd->pass.program = cpu_to_le32(pass.program);
		cmd->pass.program_size = cpu_to_le32(pass.program_size);
		for (j = 0; j < pass.arg_count; j++)
			cmd->pass.arg[j] = cpu_to_le32(pass.args[j]);
	}
	return 0;
}

static struct drm_nnloop_sync *nnloop_copy_syncs(struct drm_device *drm, const char *field,
						 u64 pointer, u32 count)
{
	struct drm_nnloop_sync *syncs;
	u32 i;

	syncs = memdup_user(u64_to_user_ptr(pointer), count * sizeof(*syncs));
	if (syncs == ERR_PTR(-EFAULT))
		return nnloop_refuse(drm, syncs, "%s %#llx: %u are not readable", field, pointer,
				     count);
	if (IS_ERR(syncs))
		return syncs;
	for (i = 0; i < count; i++) {
		u32 flags = syncs[i].flags;

		if (flags) {
			kfree(syncs);
			return nnloop_refuse(drm, ERR_PTR(-EOPNOTSUPP),
					     "%s[%u]: flags %#x: none is known", field, i, flags);
		}
	}
	return syncs;
}

static int nnloop_wait_init(struct nnloop_wait *wait, struct drm_file *filp,
			    const struct drm_nnloop_sync *sync)
{
	struct drm_syncobj *syncobj = drm_syncobj_find(filp, sync->handle);
	int ret = -EINVAL;

	if (!syncobj)
		return -ENOENT;
	wait->fence = drm_syncobj_fence_get(syncobj);
	if (!wait->fence)
		goto out_put;
	/* A binary wait on a timeline is for its newest point. */
	wait->point = sync->point;
	if (!wait->point && dma_fence_is_chain(wait->fence))
		wait->point = wait->fence->seqno;
	ret = dma_fence_chain_find_seqno(&wait->fence, sync->point);
	if (ret) {
		dma_fence_put(wait->fence);
		goto out_put;
	}
	/*
	 * A point without a fence has signalled, and the core has forgotten it. The timeline has
	 * not.
	 */
	if (!wait->fence)
		wait->fence = dma_fence_get_stub();
	wait->timeline = nnloop_timeline_find(syncobj, wait->point);
out_put:
	drm_syncobj_put(syncobj);
	return ret;
}

static int nnloop_job_find_waits(struct nnloop_job *job, struct drm_file *filp,
				 const struct drm_nnloop_submit *args)
{
	struct drm_device *drm = filp->minor->dev;
	struct drm_nnloop_sync *syncs;
	int ret = 0;
	u32 i;

	if (!args->wait_count)
		return 0;

	syncs = nnloop_copy_syncs(drm, "waits", args->waits, args->wait_count);
	if (IS_ERR(syncs))
		return PTR_ERR(syncs);

	job->waits = kcalloc(args->wait_count, sizeof(*job->waits), GFP_KERNEL_ACCOUNT);
	if (!job->waits) {
		ret = -ENOMEM;
		goto out_free;
	}
	for (i = 0; i < args->wait_count; i++) {
		ret = nnloop_wait_init(&job->waits[i], filp, &syncs[i]);
		if (ret) {
			ret = nnloop_refuse(drm, ret, "waits[%u]: handle %u, point %llu: no %s", i,
					    syncs[i].handle, syncs[i].point,
					    ret == -ENOENT ? "syncobj" : "fence yet");
			goto out_free;
		}
		job->waits[i].job = job;
		job->wait_count++;
	}
out_free:
	kfree(syncs);
	return ret;
}

static int nnloop_signal_init(struct nnloop_signal *signal, struct drm_syncobj *syncobj, u64 point)
{
	if (point) {
		signal->chain = dma_fence_chain_alloc();
		if (!signal->chain)
			return -ENOMEM;
	}
	signal->syncobj = syncobj;
	signal->point = point;
	return 0;
}

static int nnloop_submission_find_signals(struct nnloop_submission *submission,
					  struct drm_file *filp,
					  const struct drm_nnloop_submit *args)
{
	struct nnloop_queue *queue = submission->job->queue;
	struct drm_device *drm = filp->minor->dev;
	struct drm_nnloop_sync *syncs = NULL;
	struct drm_syncobj *syncobj;
	int ret = 0;
	u32 i;

	submission->signals = kcalloc(args->signal_count + 1, sizeof(*submission->signals),
				      GFP_KERNEL_ACCOUNT);
	if (!submission->signals)
		return -ENOMEM;

	if (args->signal_count) {
		syncs = nnloop_copy_syncs(drm, "signals", args->signals, args->signal_count);
		if (IS_ERR(syncs))
			return PTR_ERR(syncs);
	}
	for (i = 0; i <= args->signal_count; i++) {
		bool own = i == args->signal_count;

		if (own) {
			syncobj = queue->timeline->syncobj;
			drm_syncobj_get(syncobj);
		} else {
			syncobj = drm_syncobj_find(filp, syncs[i].handle);
		}
		if (!syncobj) {
			ret = nnloop_refuse(drm, -ENOENT, "signals[%u]: handle %u: no such syncobj",
					    i, syncs[i].handle);
			break;
		}
		/* The point of the queue's own timeline is known later. */
		ret = nnloop_signal_init(&submission->signals[i], syncobj,
					 own ? 1 : syncs[i].point);
		if (ret) {
			drm_syncobj_put(syncobj);
			break;
		}
		submission->signal_count++;
	}
	kfree(syncs);
	return ret;
}

static void nnloop_submission_fini(struct nnloop_submission *submission)
{
	unsigned int i;

	for (i = 0; i < submission->signal_count; i++) {
		dma_fence_chain_free(submission->signals[i].chain);
		drm_syncobj_put(submission->signals[i].syncobj);
	}
	kfree(submission->signals);
}

static void nnloop_submission_publish(struct nnloop_submission *submission,
				      struct dma_fence *fence)
{
	unsigned int i;

	for (i = 0; i < submission->signal_count; i++) {
		struct nnloop_signal *signal = &submission->signals[i];

		if (signal->chain)
			drm_syncobj_add_point(signal->syncobj, signal->chain, fence,
					      signal->point);
		else
			drm_syncobj_replace_fence(signal->syncobj, fence);
		signal->chain = NULL;
	}
}

/*
 * Counts passes for a file, which can have only so much of the kernel's memory for ring entries
 * that wait.
 */
static int nnloop_file_add_passes(struct nnloop_file *file, unsigned int count)
{
	if (atomic_add_return(count, &file->queued_passes) <= NNLOOP_MAX_QUEUED_PASSES)
		return 0;
	atomic_sub(count, &file->queued_passes);
	return nnloop_refuse(&file->ndev->drm, -EBUSY,
			     "pass_count %u: the file's jobs would have more than %u", count,
			     NNLOOP_MAX_QUEUED_PASSES);
}

static int nnloop_queue_check_room(struct nnloop_queue *queue, u32 id)
{
	struct nnloop_device *ndev = queue->file->ndev;
	struct drm_device *drm = &ndev->drm;
	u64 jobs;
	bool lost;

	lockdep_assert_held(&queue->submit_lock);
	if (queue->closed)
		return nnloop_refuse(drm, -ENOENT, "queue %u is being destroyed", id);

	spin_lock_irq(&ndev->sched.lock);
	lost = queue->lost;
	jobs = queue->submitted - queue->ended;
	spin_unlock_irq(&ndev->sched.lock);
	if (lost)
		return nnloop_refuse(drm, -ECANCELED,
				     "queue %u is lost, a job has failed: make a new one", id);
	if (nnloop_timeline_is_full(queue->timeline))
		return nnloop_refuse(drm, -ECANCELED,
				     "queue %u has had %u failures: make a new one", id,
				     NNLOOP_MAX_FAILURES);
	if (jobs >= NNLOOP_MAX_JOBS)
		return nnloop_refuse(drm, -EBUSY, "queue %u has %llu jobs, the most", id, jobs);
	return 0;
}

/* Does the part of a submit that cannot fail. */
static u64 nnloop_job_push(struct nnloop_submission *submission)
{
	struct nnloop_job *job = submission->job;
	struct nnloop_queue *queue = job->queue;
	struct nnloop_device *ndev = queue->file->ndev;
	struct nnloop_space *space = &queue->file->space;
	u64 point = queue->submitted + 1;

	lockdep_assert_held(&queue->submit_lock);

	job->point = point;
	job->id = atomic64_inc_return(&ndev->last_job);
	submission->signals[submission->signal_count - 1].point = point;
	nnloop_fence_init(job->fence, point);
	nnloop_job_add_callbacks(job);
	job->pushed = true;

	down_read(&space->submit_lock);
	nnloop_submission_publish(submission, job->fence);
	nnloop_timeline_submitted(queue->timeline, point);
	nnloop_space_add_job(space, job);
	trace_nnloop_submit(job);
	spin_lock_irq(&ndev->sched.lock);
	queue->submitted = point;
	list_add_tail(&job->link, &queue->jobs);
	spin_unlock_irq(&ndev->sched.lock);
	up_read(&space->submit_lock);
	return point;
}

static int nnloop_submit(struct nnloop_submission *submission, struct drm_nnloop_submit *args)
{
	struct nnloop_job *job = submission->job;
	struct nnloop_queue *queue = job->queue;
	struct nnloop_device *ndev = queue->file->ndev;
	int ret;

	mutex_lock(&queue->submit_lock);
	ret = nnloop_queue_check_room(queue, args->queue);
	if (ret)
		goto err_unlock;
	ret = nnloop_file_add_passes(queue->file, job->pass_count);
	if (ret)
		goto err_unlock;
	args->point = nnloop_job_push(submission);
	mutex_unlock(&queue->submit_lock);

	/* The job can begin and end from here on. */
	if (atomic_dec_and_test(&job->pending))
		nnloop_sched_job_ready(ndev, job);
	/* If the device has gone just before, nobody else would end a job that waits. */
	if (READ_ONCE(ndev->sched.gone))
		nnloop_sched_abandon(ndev);
	return 0;

err_unlock:
	mutex_unlock(&queue->submit_lock);
	return ret;
}

static int nnloop_submit_check(struct drm_device *drm, const struct drm_nnloop_submit *args)
{
	if (args->flags)
		return nnloop_refuse(drm, -EOPNOTSUPP, "flags %#x: none is known", args->flags);
	if (!args->pass_count || args->pass_count > NNLOOP_MAX_PASSES)
		return nnloop_refuse(drm, -EINVAL, "pass_count %u: 1 to %u", args->pass_count,
				     NNLOOP_MAX_PASSES);
	if (args->pass_stride < NNLOOP_PASS_MIN_STRIDE ||
	    args->pass_stride > NNLOOP_PASS_MAX_STRIDE || !IS_ALIGNED(args->pass_stride, 8))
		return nnloop_refuse(drm, -EINVAL, "pass_stride %u: a multiple of 8, %u to %u",
				     args->pass_stride, NNLOOP_PASS_MIN_STRIDE,
				     NNLOOP_PASS_MAX_STRIDE);
	if (args->wait_count > NNLOOP_MAX_SYNCS || args->signal_count > NNLOOP_MAX_SYNCS)
		return nnloop_refuse(drm, -EINVAL, "wait_count %u, signal_count %u: at most %u",
				     args->wait_count, args->signal_count, NNLOOP_MAX_SYNCS);
	if (args->workers > to_nnloop(drm)->board.worker_count)
		return nnloop_refuse(drm, -EINVAL, "workers %u: at most %u", args->workers,
				     to_nnloop(drm)->board.worker_count);
	if (args->pad)
		return nnloop_refuse(drm, -EINVAL, "pad is %#x, not 0", args->pad);
	return 0;
}

/**
 * nnloop_ioctl_submit - DRM_IOCTL_NNLOOP_SUBMIT
 * @drm: the device
 * @data: struct drm_nnloop_submit
 * @filp: the file
 */
int nnloop_ioctl_submit(struct drm_device *drm, void *data, struct drm_file *filp)
{
	struct nnloop_submission submission = {};
	struct drm_nnloop_submit *args = data;
	struct nnloop_file *file = filp->driver_priv;
	struct nnloop_queue *queue;
	struct nnloop_job *job;
	int ret;

	ret = nnloop_submit_check(drm, args);
	if (ret)
		return ret;

	queue = nnloop_queue_find(file, args->queue);
	if (!queue)
		return nnloop_refuse(drm, -ENOENT, "queue %u does not exist", args->queue);

	job = nnloop_job_alloc(queue);
	if (!job) {
		ret = -ENOMEM;
		goto out_put_queue;
	}
	submission.job = job;
	if (nnloop_board_has_gangs(&file->ndev->board))
		job->workers = max(args->workers, 1u);

	ret = nnloop_job_copy_passes(job, args);
	if (ret)
		goto err_free_job;
	ret = nnloop_job_find_waits(job, filp, args);
	if (ret)
		goto err_free_job;
	job->fence = nnloop_fence_alloc(queue->timeline, file->pin);
	job->failed = kmalloc(sizeof(*job->failed), GFP_KERNEL_ACCOUNT);
	if (!job->fence || !job->failed) {
		ret = -ENOMEM;
		goto err_free_job;
	}
	ret = nnloop_submission_find_signals(&submission, filp, args);
	if (ret)
		goto err_fini_submission;

	/* If this succeeds the scheduler has the job, and it may be gone already. */
	ret = nnloop_submit(&submission, args);
	if (ret)
		goto err_fini_submission;
	nnloop_submission_fini(&submission);
	goto out_put_queue;

err_fini_submission:
	nnloop_submission_fini(&submission);
err_free_job:
	nnloop_job_free(job);
out_put_queue:
	nnloop_queue_put(queue);
	return ret;
}
