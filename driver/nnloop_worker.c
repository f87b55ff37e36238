// SPDX-License-Identifier: GPL-2.0
/*
 * Workers: running jobs on the DSP's hardware threads, and what happens when one
 * hangs or dies.
 *
 * A signalled fence is not a stopped DSP. A job that does not end by itself is
 * ended in this order: the worker is stopped, the board acknowledges that it
 * touches no memory any more, and only then the fence is signalled. Without the
 * acknowledgment the device is lost (nnloop_device_lose()).
 */
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include <drm/gpu_scheduler.h>

#include "nnloop_compat.h"
#include "nnloop_drv.h"
#include "nnloop_fence.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_trace.h"
#include "nnloop_worker.h"

/* How often a worker may die while it boots. */
#define NNLOOP_START_TRIES	10

/*
 * What the worker compares with the job before. A space's own number would be the same again when
 * it has wrapped, after so many buffers that one client has closed between two jobs.
 */
static u32 nnloop_worker_generation(struct nnloop_worker *worker, const struct nnloop_file *file)
{
	u64 generation = atomic64_read(&file->space.generation);

	lockdep_assert_held(&worker->lock);

	if (worker->client != file->id || worker->client_generation != generation) {
		worker->client = file->id;
		worker->client_generation = generation;
		worker->generation++;
	}
	return worker->generation;
}

/* Gives the job to the DSP. */
static void nnloop_worker_begin(struct nnloop_worker *worker, struct nnloop_job *job)
{
	struct nnloop_board *board = &worker->ndev->board;
	struct nnloop_file *file = job->queue->file;
	struct nnloop_cmd *cmd = &job->cmds[0];

	lockdep_assert_held(&worker->lock);

	/* As late as possible: what was taken away until now is out of the job's reach. */
	cmd->job.id = cpu_to_le64(job->id);
	cmd->job.root = cpu_to_le64(nnloop_pt_root(&file->space.pt));
	cmd->job.space = cpu_to_le32(file->space.id);
	cmd->job.generation = cpu_to_le32(nnloop_worker_generation(worker, file));

	job->started = true;
	job->start_time = ktime_get();
	worker->progress = nnloop_board_progress(board, worker->index);
	worker->progress_time = job->start_time;
	trace_nnloop_start(job, worker->index);
	nnloop_board_submit(board, worker->index, job->cmds, job->pass_count + 1);
}

/**
 * nnloop_worker_begin_waiting - begin the job that waits, if there is one and the worker may
 * @worker: the worker; its lock is held
 */
void nnloop_worker_begin_waiting(struct nnloop_worker *worker)
{
	lockdep_assert_held(&worker->lock);

	if (worker->state != NNLOOP_WORKER_UP || worker->paused || !worker->job ||
	    worker->job->started)
		return;
	/* While it was DOWN the interrupt did not ask. The job waits for another start. */
	if (nnloop_board_worker_died(&worker->ndev->board, worker->index))
		queue_work(worker->recovery_wq, &worker->recover_work);
	else
		nnloop_worker_begin(worker, worker->job);
}

static int nnloop_worker_verdict(struct nnloop_worker *worker, struct nnloop_job *job)
{
	int ret;

	lockdep_assert_held(&worker->lock);

	if (worker->state == NNLOOP_WORKER_GONE)
		return -ENODEV;
	ret = nnloop_job_waits_error(job);
	if (ret)
		return ret;
	return nnloop_queue_verdict(job->queue, job);
}

static struct dma_fence *nnloop_worker_run_job(struct drm_sched_job *base)
{
	struct nnloop_worker *worker = container_of(base->sched, struct nnloop_worker, sched);
	struct nnloop_job *job = to_nnloop_job(base);
	struct dma_fence *fence;
	unsigned long flags;
	int error;

	nnloop_fence_init(job->fence, worker);
	job->fence_initialised = true;
	fence = dma_fence_get(job->fence);

	spin_lock_irqsave(&worker->lock, flags);
	error = nnloop_worker_verdict(worker, job);
	if (!error) {
		/* If the workers are parked, this has them woken; the job waits until then. */
		pm_runtime_get(worker->ndev->board.dev);
		job->keeps_awake = true;
		worker->job = job;
		nnloop_worker_begin_waiting(worker);
	}
	spin_unlock_irqrestore(&worker->lock, flags);

	/*
	 * Not ERR_PTR(): each job's fence needs a parent, which holds the scheduler's
	 * memory for it.
	 */
	if (error)
		nnloop_job_end(job, &NNLOOP_RESULT(error));
	return fence;
}

static void nnloop_worker_free_job(struct drm_sched_job *base)
{
	nnloop_job_release(to_nnloop_job(base));
}

/* Takes the job if the DSP has done with it. */
static struct nnloop_job *nnloop_worker_take_ended(struct nnloop_worker *worker,
						   struct nnloop_result *result)
{
	struct nnloop_job *job = worker->job;

	lockdep_assert_held(&worker->lock);

	if (worker->state != NNLOOP_WORKER_UP || !job || !job->started)
		return NULL;
	if (!nnloop_board_result(&worker->ndev->board, worker->index, job->id, result))
		return NULL;
	worker->job = NULL;
	nnloop_coredump_take(job, worker, result);
	if (worker->paused)
		wake_up(&worker->idle);
	return job;
}

/**
 * nnloop_worker_interrupt - a worker, or the board about it, has something to say
 * @worker: the worker
 *
 * Context: hard interrupt, or any other.
 */
void nnloop_worker_interrupt(struct nnloop_worker *worker)
{
	struct nnloop_result result;
	struct nnloop_job *job;
	unsigned long flags;

	spin_lock_irqsave(&worker->lock, flags);
	job = nnloop_worker_take_ended(worker, &result);
	if (worker->state == NNLOOP_WORKER_UP &&
	    nnloop_board_worker_died(&worker->ndev->board, worker->index))
		queue_work(worker->recovery_wq, &worker->recover_work);
	spin_unlock_irqrestore(&worker->lock, flags);

	if (job)
		nnloop_job_end(job, &result);
}

/**
 * nnloop_worker_wait_started - wait for a worker that was told to start
 * @worker: the worker
 *
 * Whoever kills workers may kill one while it boots. It touches no memory then, so the device
 * need not be given up: the worker gets another try.
 *
 * Return: 0 or an error.
 */
int nnloop_worker_wait_started(struct nnloop_worker *worker)
{
	struct nnloop_board *board = &worker->ndev->board;
	unsigned int index = worker->index;
	unsigned int tries;
	int ret;

	for (tries = 1;; tries++) {
		ret = nnloop_board_wait_started(board, index);
		if (ret != -EIO || tries == NNLOOP_START_TRIES)
			return ret;
		nnloop_board_request_stop(board, index);
		ret = nnloop_board_wait_stopped(board, index);
		if (ret)
			return ret;
		nnloop_board_request_start(board, index);
	}
}

/*
 * Stops the worker, ends its job with @error unless it ended by itself at the last
 * moment, and starts the worker again. A job that waits to begin does so afterwards.
 */
static void nnloop_worker_restart(struct nnloop_worker *worker, int error)
{
	struct nnloop_device *ndev = worker->ndev;
	struct nnloop_board *board = &ndev->board;
	struct nnloop_job *job = NULL;
	struct nnloop_result result;
	int ret;

	lockdep_assert_held(&worker->reset_lock);

	spin_lock_irq(&worker->lock);
	if (worker->state != NNLOOP_WORKER_UP) {
		spin_unlock_irq(&worker->lock);
		return;
	}
	worker->state = NNLOOP_WORKER_DOWN;
	/* From here on the interrupt leaves the job alone. */
	if (worker->job && worker->job->started)
		swap(job, worker->job);
	worker->restarts++;
	spin_unlock_irq(&worker->lock);

	nnloop_board_request_stop(board, worker->index);
	ret = nnloop_board_wait_stopped(board, worker->index);
	if (ret) {
		nnloop_device_lose(ndev, NNLOOP_NO_ANSWER);
		if (job)
			nnloop_job_end(job, &NNLOOP_RESULT(-ENODEV));
		return;
	}

	if (job) {
		result = nnloop_board_wreck(board, worker->index, job->id, error);
		nnloop_coredump_take(job, worker, &result);
		nnloop_job_end(job, &result);
	}

	nnloop_board_request_start(board, worker->index);
	ret = nnloop_worker_wait_started(worker);
	if (ret) {
		nnloop_device_lose(ndev, NNLOOP_NO_START);
		return;
	}

	spin_lock_irq(&worker->lock);
	if (worker->state == NNLOOP_WORKER_DOWN) {
		worker->state = NNLOOP_WORKER_UP;
		nnloop_worker_begin_waiting(worker);
		if (worker->paused)
			wake_up(&worker->idle);
	}
	spin_unlock_irq(&worker->lock);
}

static void nnloop_worker_recover_if_dead(struct nnloop_worker *worker)
{
	bool died;

	lockdep_assert_held(&worker->reset_lock);

	spin_lock_irq(&worker->lock);
	died = worker->state == NNLOOP_WORKER_UP &&
	       nnloop_board_worker_died(&worker->ndev->board, worker->index);
	spin_unlock_irq(&worker->lock);
	if (died) {
		dev_warn_ratelimited(worker->ndev->board.dev,
				     "worker %u died and is started again: see the board's own output\n",
				     worker->index);
		nnloop_worker_restart(worker, -EIO);
	}
}

static void nnloop_worker_recover_work(struct work_struct *work)
{
	struct nnloop_worker *worker = container_of(work, struct nnloop_worker, recover_work);

	mutex_lock(&worker->reset_lock);
	nnloop_worker_recover_if_dead(worker);
	mutex_unlock(&worker->reset_lock);
}

/*
 * Has the worker made no progress with @job since this was last asked? The scheduler's timer may
 * have begun long before the job did: while the worker was being started, or with the job before.
 * Then it has to come once more; not so for the moment between the timer and the job's begin.
 */
static bool nnloop_worker_is_stuck(struct nnloop_worker *worker, struct nnloop_job *job)
{
	unsigned int timeout = READ_ONCE(nnloop_hang_timeout_ms);
	ktime_t now = ktime_get();
	bool stuck = false;
	u32 progress;

	spin_lock_irq(&worker->lock);
	if (worker->state == NNLOOP_WORKER_UP && worker->job == job && job->started) {
		progress = nnloop_board_progress(&worker->ndev->board, worker->index);
		if (progress == worker->progress) {
			stuck = ktime_ms_delta(now, worker->progress_time) >= timeout - timeout / 8;
		} else {
			worker->progress = progress;
			worker->progress_time = now;
		}
	}
	spin_unlock_irq(&worker->lock);
	return stuck;
}

static enum drm_gpu_sched_stat nnloop_worker_timedout(struct drm_sched_job *base)
{
	struct nnloop_worker *worker = container_of(base->sched, struct nnloop_worker, sched);
	struct drm_gpu_scheduler *sched = &worker->sched;

	/* Should an interrupt have gone missing, it is made up for here. */
	nnloop_worker_interrupt(worker);

	mutex_lock(&worker->reset_lock);
	nnloop_worker_recover_if_dead(worker);
	if (nnloop_worker_is_stuck(worker, to_nnloop_job(base))) {
		dev_warn_ratelimited(worker->ndev->board.dev,
				     "worker %u has made no progress for %u ms and is started again\n",
				     worker->index, READ_ONCE(nnloop_hang_timeout_ms));
		nnloop_worker_restart(worker, -ETIMEDOUT);
	}
	mutex_unlock(&worker->reset_lock);

	/*
	 * The scheduler has taken the job off its list so that it cannot be freed
	 * meanwhile. Whether it still runs or has ended: back it goes, and if it has
	 * ended, the scheduler missed that and has to look again.
	 */
	spin_lock(&sched->job_list_lock);
	list_add(&base->list, &sched->pending_list);
	spin_unlock(&sched->job_list_lock);
	nnloop_sched_kick(sched);
	return DRM_GPU_SCHED_STAT_NOMINAL;
}

static const struct drm_sched_backend_ops nnloop_sched_ops = {
	.run_job = nnloop_worker_run_job,
	.timedout_job = nnloop_worker_timedout,
	.free_job = nnloop_worker_free_job,
};

/**
 * nnloop_worker_cancel - give up the job that runs, if it is one to be given up
 * @worker: the worker
 * @queue: a queue of which jobs have been cancelled
 */
void nnloop_worker_cancel(struct nnloop_worker *worker, struct nnloop_queue *queue)
{
	struct nnloop_job *waiting = NULL;
	struct nnloop_job *job;

	spin_lock_irq(&worker->lock);
	job = worker->job;
	if (job && job->queue == queue && nnloop_queue_is_cancelled(queue, job->point)) {
		if (!job->started) {
			worker->job = NULL;
			waiting = job;
		} else if (worker->state == NNLOOP_WORKER_UP) {
			nnloop_board_cancel(&worker->ndev->board, worker->index, job->id);
		}
	}
	spin_unlock_irq(&worker->lock);

	if (waiting)
		nnloop_job_end(waiting, &NNLOOP_RESULT(-ECANCELED));
}

/**
 * nnloop_worker_passes_done - how far is a running job?
 * @worker: the worker it may be on
 * @queue: the job's queue
 * @point: its point
 * @passes_done: the answer, unchanged if it is not on this worker
 *
 * Return: true if it is on this worker.
 */
bool nnloop_worker_passes_done(struct nnloop_worker *worker, struct nnloop_queue *queue,
			       u64 point, u32 *passes_done)
{
	struct nnloop_board *board = &worker->ndev->board;
	struct nnloop_job *job;
	bool found;

	spin_lock_irq(&worker->lock);
	job = worker->job;
	found = job && job->queue == queue && job->point == point;
	/* Before that, the register tells of another job. */
	if (found && worker->state == NNLOOP_WORKER_UP && job->started)
		*passes_done = min(nnloop_board_passes_done(board, worker->index),
				   job->pass_count);
	spin_unlock_irq(&worker->lock);
	return found;
}

static void nnloop_worker_release(struct kref *ref)
{
	kfree(container_of(ref, struct nnloop_worker, ref));
}

/**
 * nnloop_worker_put - drop a reference
 * @worker: the worker
 *
 * Context: any.
 */
void nnloop_worker_put(struct nnloop_worker *worker)
{
	kref_put(&worker->ref, nnloop_worker_release);
}

/**
 * nnloop_worker_create - make a worker's scheduler
 * @ndev: the device
 * @index: which worker
 *
 * Return: the worker, DOWN; or an error.
 */
struct nnloop_worker *nnloop_worker_create(struct nnloop_device *ndev, unsigned int index)
{
	const struct drm_sched_init_args args = {
		.ops = &nnloop_sched_ops,
		NNLOOP_SCHED_RUN_QUEUES
		.credit_limit = 1,
		.timeout = msecs_to_jiffies(READ_ONCE(nnloop_hang_timeout_ms)),
		.dev = ndev->board.dev,
	};
	struct drm_sched_init_args sched_args;
	struct nnloop_worker *worker;
	int ret;

	worker = kzalloc(sizeof(*worker), GFP_KERNEL);
	if (!worker)
		return ERR_PTR(-ENOMEM);

	kref_init(&worker->ref);
	worker->ndev = ndev;
	worker->index = index;
	snprintf(worker->name, sizeof(worker->name), "nnloop-%s-%u", dev_name(ndev->board.dev),
		 index);
	worker->fence_context = dma_fence_context_alloc(1);
	INIT_WORK(&worker->recover_work, nnloop_worker_recover_work);
	mutex_init(&worker->reset_lock);
	init_waitqueue_head(&worker->idle);
	spin_lock_init(&worker->lock);

	worker->recovery_wq = alloc_ordered_workqueue("%s-recovery", WQ_MEM_RECLAIM, worker->name);
	if (!worker->recovery_wq) {
		ret = -ENOMEM;
		goto err_free;
	}

	sched_args = args;
	sched_args.name = worker->name;
	sched_args.timeout_wq = worker->recovery_wq;
	ret = drm_sched_init(&worker->sched, &sched_args);
	if (ret)
		goto err_destroy_wq;
	return worker;

err_destroy_wq:
	destroy_workqueue(worker->recovery_wq);
err_free:
	kfree(worker);
	return ERR_PTR(ret);
}

/**
 * nnloop_worker_destroy - undo nnloop_worker_create()
 * @worker: the worker, with no jobs left
 */
void nnloop_worker_destroy(struct nnloop_worker *worker)
{
	drm_sched_fini(&worker->sched);
	destroy_workqueue(worker->recovery_wq);
	nnloop_worker_put(worker);
}

/**
 * nnloop_worker_set_timeout - change the hang timeout, from the next job on
 * @worker: the worker
 * @ms: milliseconds
 */
void nnloop_worker_set_timeout(struct nnloop_worker *worker, unsigned int ms)
{
	WRITE_ONCE(worker->sched.timeout, msecs_to_jiffies(ms));
}

/**
 * nnloop_worker_shut - from now on no job gets through to the DSP
 * @worker: the worker
 *
 * Return: the one that was there, for the caller to end; or NULL.
 */
struct nnloop_job *nnloop_worker_shut(struct nnloop_worker *worker)
{
	struct nnloop_job *job;

	spin_lock_irq(&worker->lock);
	worker->state = NNLOOP_WORKER_GONE;
	job = worker->job;
	worker->job = NULL;
	spin_unlock_irq(&worker->lock);
	return job;
}

/**
 * nnloop_worker_abandon - the DSP is lost: jobs end, whatever the worker does
 * @worker: the worker
 */
void nnloop_worker_abandon(struct nnloop_worker *worker)
{
	struct nnloop_job *job = nnloop_worker_shut(worker);

	if (job)
		nnloop_job_end(job, &NNLOOP_RESULT(-ENODEV));
}
