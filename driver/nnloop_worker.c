// SPDX-License-Identifier: GPL-2.0
/*
 * Workers: the DSP's hardware threads. They run jobs, and are stopped and started again when one
 * hangs or dies.
 *
 * A signalled fence is not a stopped DSP. A job that does not end by itself is ended in this order:
 * the worker is stopped, the board acknowledges that it touches no memory any more, and only then
 * the fence is signalled. Without the acknowledgment the device is lost (nnloop_device_lose()). If
 * several workers run the job together, that is the end of this worker's part of it
 * (nnloop_gang.c).
 */
#include <linux/pm_runtime.h>
#include <linux/slab.h>

#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_trace.h"
#include "nnloop_worker.h"

/* How often a worker may die while it boots. */
#define NNLOOP_START_TRIES	10

/* How long an answer to an empty command may take. */
#define NNLOOP_ANSWER_MS	1000

/*
 * Returns the number that the worker compares with that of the job before. A space's own number
 * would be the same again when it has wrapped, after so many buffers that one client has closed
 * between two jobs.
 */
static u32 nnloop_worker_generation(struct nnloop_worker *worker, u64 generation)
{
	lockdep_assert_held(&worker->ndev->sched.lock);

	if (worker->slot.switched || worker->client_generation != generation) {
		worker->client_generation = generation;
		worker->generation++;
	}
	return worker->generation;
}

/* Returns how soon the worker's job is to be looked at again, in jiffies. */
static unsigned long nnloop_worker_look_period(const struct nnloop_worker *worker)
{
	unsigned long period = msecs_to_jiffies(READ_ONCE(nnloop_hang_timeout_ms)) /
			       NNLOOP_HANG_LOOKS;

	if (worker->job && worker->slot.overdue)
		period = min(period, msecs_to_jiffies(NNLOOP_OVERDUE_MS));
	return period;
}

/**
 * nnloop_worker_is_free - can it take a job at once?
 * @worker: the worker; &nnloop_sched.lock is held
 */
bool nnloop_worker_is_free(struct nnloop_worker *worker)
{
	if (worker->state != NNLOOP_WORKER_UP || worker->job)
		return false;
	/* The interrupt does not look for a death while the worker is DOWN. */
	if (nnloop_board_worker_died(&worker->ndev->board, worker->index)) {
		queue_work(worker->recovery_wq, &worker->recover_work);
		return false;
	}
	return true;
}

/* Writes into the JOB entry who the others of the gang are, if there are any. */
static void nnloop_worker_name_gang(struct nnloop_cmd *cmd, const struct nnloop_gang *gang,
				    unsigned int index)
{
	unsigned int i;

	if (gang->count == 1)
		return;
	cmd->job.gang_count = cpu_to_le32(gang->count);
	cmd->job.gang_index = cpu_to_le32(index);
	for (i = 0; i < gang->count; i++)
		cmd->job.gang_worker[i] = gang->worker[i]->index;
}

/**
 * nnloop_worker_begin - give a job, or its part of one, to a worker
 * @worker: the worker, which is free, its slot given away; &nnloop_sched.lock is held
 * @job: the job
 * @index: which one of its gang this is
 * @generation: of its space
 */
void nnloop_worker_begin(struct nnloop_worker *worker, struct nnloop_job *job, unsigned int index,
			 u64 generation)
{
	struct nnloop_board *board = &worker->ndev->board;
	struct nnloop_file *file = job->queue->file;
	unsigned int pass_count = job->pass_count - job->passes_done;
	/*
	 * The JOB entry is put before the first pass to be run, where the job's own is, or a pass
	 * that was done.
	 */
	struct nnloop_cmd *cmd = &job->cmds[job->passes_done], kept = *cmd;

	lockdep_assert_held(&worker->ndev->sched.lock);

	memset(cmd, 0, sizeof(*cmd));
	cmd->type = cpu_to_le32(NNLOOP_CMD_JOB);
	cmd->count = cpu_to_le32(pass_count);
	cmd->job.id = cpu_to_le64(job->slice);
	cmd->job.root = cpu_to_le64(nnloop_pt_root(&file->space.pt));
	cmd->job.space = cpu_to_le32(file->space.id);
	cmd->job.generation = cpu_to_le32(nnloop_worker_generation(worker, generation));
	cmd->job.client = cpu_to_le64(file->id);
	cmd->job.client_generation = cpu_to_le64(generation);
	nnloop_worker_name_gang(cmd, &job->gang, index);

	worker->job = job;
	worker->part_ended = false;
	nnloop_hang_begin(&worker->hang);
	trace_nnloop_start(job, worker->index, index);
	nnloop_board_submit(board, worker->index, cmd, pass_count + 1);
	/* The ring has its copy of the entry; a core dump shows the passes. */
	*cmd = kept;
	/* A look may still be due for a job before, or by a longer timeout. */
	mod_delayed_work(worker->recovery_wq, &worker->hang_work,
			 nnloop_worker_look_period(worker));
}

/* Takes the job, or its part of one, back if the worker has done with it. */
static void nnloop_worker_collect(struct nnloop_worker *worker, struct list_head *ended)
{
	struct nnloop_job *job = worker->job;
	struct nnloop_result result;

	lockdep_assert_held(&worker->ndev->sched.lock);

	if (worker->state != NNLOOP_WORKER_UP || !job || worker->part_ended)
		return;
	if (nnloop_board_result(&worker->ndev->board, worker->index, job->slice, &result))
		nnloop_gang_part_ended(worker, &result, ended);
}

/* Notes that the DSP has answered an empty command. */
static void nnloop_worker_note_answer(struct nnloop_worker *worker)
{
	struct nnloop_result result;

	if (worker->state != NNLOOP_WORKER_DOWN || !worker->asked || worker->answer_time ||
	    !nnloop_board_result(&worker->ndev->board, worker->index, worker->asked, &result))
		return;
	worker->answer_time = ktime_get_ns();
	wake_up(&worker->ndev->sched.idle);
}

/**
 * nnloop_worker_interrupt - a worker, or the board about it, has something to say
 * @worker: the worker
 *
 * Context: hard interrupt, or any other.
 */
void nnloop_worker_interrupt(struct nnloop_worker *worker)
{
	struct nnloop_device *ndev = worker->ndev;
	struct nnloop_ending ending;

	nnloop_sched_lock(&ndev->sched, &ending);
	nnloop_worker_note_answer(worker);
	nnloop_worker_collect(worker, &ending.jobs);
	if (worker->state == NNLOOP_WORKER_UP &&
	    nnloop_board_worker_died(&ndev->board, worker->index))
		queue_work(worker->recovery_wq, &worker->recover_work);
	nnloop_sched_dispatch(ndev);
	nnloop_sched_unlock(&ndev->sched, &ending);
}

/*
 * Ends the job, or the part of one, of a worker that has been stopped or is lost, unless somebody
 * else did: with @error, or as the DSP had ended it, or left it off, at the last moment.
 */
static void nnloop_worker_end_job(struct nnloop_worker *worker, int error)
{
	struct nnloop_device *ndev = worker->ndev;
	struct nnloop_job *job;
	struct nnloop_ending ending;
	struct nnloop_result result;

	nnloop_sched_lock(&ndev->sched, &ending);
	job = worker->job;
	if (job && worker->state == NNLOOP_WORKER_GONE) {
		nnloop_job_end(job, &NNLOOP_RESULT(error), &ending.jobs);
		nnloop_queue_settle(job->queue, &ending.jobs);
	} else if (job) {
		if (!worker->part_ended) {
			result = nnloop_board_wreck(&ndev->board, worker->index, job->slice, error);
			nnloop_gang_part_ended(worker, &result, &ending.jobs);
		}
		/*
		 * Other workers still have the job, and this one is about to lose the phase words
		 * that they look for.
		 */
		if (worker->job)
			nnloop_gang_cancel(job);
	}
	if (ndev->sched.parked)
		wake_up(&ndev->sched.idle);
	nnloop_sched_dispatch(ndev);
	nnloop_sched_unlock(&ndev->sched, &ending);
}

/**
 * nnloop_worker_wait_started - wait for a worker that was told to start
 * @worker: the worker
 *
 * A worker may be killed while it boots. It touches no memory then, so the device need not be given
 * up: the worker gets another try.
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

/* Stops a worker that is DOWN, ends its job with @error or as it ended by itself, and starts it. */
static void nnloop_worker_cycle(struct nnloop_worker *worker, int error)
{
	struct nnloop_device *ndev = worker->ndev;
	struct nnloop_board *board = &ndev->board;
	int ret;

	lockdep_assert_held(&worker->reset_lock);

	nnloop_board_request_stop(board, worker->index);
	ret = nnloop_board_wait_stopped(board, worker->index);
	if (ret) {
		nnloop_device_lose(ndev, NNLOOP_NO_ANSWER);
		return;
	}

	nnloop_worker_end_job(worker, error);

	nnloop_board_request_start(board, worker->index);
	ret = nnloop_worker_wait_started(worker);
	if (ret) {
		nnloop_device_lose(ndev, NNLOOP_NO_START);
		return;
	}

	spin_lock_irq(&ndev->sched.lock);
	if (worker->state == NNLOOP_WORKER_DOWN)
		worker->state = NNLOOP_WORKER_UP;
	if (ndev->sched.parked)
		wake_up(&ndev->sched.idle);
	spin_unlock_irq(&ndev->sched.lock);
	nnloop_sched_run(ndev);
	/*
	 * This worker may have been all that kept the workers from being parked, and nobody else
	 * asks again.
	 */
	pm_request_autosuspend(board->dev);
}

/*
 * Stops the worker, ends its job with @error unless it ended by itself at the last moment, and
 * starts the worker again. If @slice is not 0, nothing is done to a worker that is not at work on
 * the job with that slice any more.
 */
static void nnloop_worker_restart(struct nnloop_worker *worker, int error, u64 slice)
{
	struct nnloop_device *ndev = worker->ndev;

	lockdep_assert_held(&worker->reset_lock);

	spin_lock_irq(&ndev->sched.lock);
	if (worker->state != NNLOOP_WORKER_UP ||
	    (slice && (!worker->job || worker->job->slice != slice || worker->part_ended))) {
		spin_unlock_irq(&ndev->sched.lock);
		return;
	}
	worker->state = NNLOOP_WORKER_DOWN;
	/* The interrupt leaves the job alone from here on. */
	worker->restarts++;
	spin_unlock_irq(&ndev->sched.lock);
	nnloop_worker_cycle(worker, error);
}

static void nnloop_worker_recover_if_dead(struct nnloop_worker *worker)
{
	bool died;

	lockdep_assert_held(&worker->reset_lock);

	spin_lock_irq(&worker->ndev->sched.lock);
	died = worker->state == NNLOOP_WORKER_UP &&
	       nnloop_board_worker_died(&worker->ndev->board, worker->index);
	spin_unlock_irq(&worker->ndev->sched.lock);
	if (died) {
		dev_warn_ratelimited(worker->ndev->board.dev,
				     "worker %u died and is started again: see the board's own output\n",
				     worker->index);
		nnloop_worker_restart(worker, -EIO, 0);
	}
}

static void nnloop_worker_recover_work(struct work_struct *work)
{
	struct nnloop_worker *worker = container_of(work, struct nnloop_worker, recover_work);

	mutex_lock(&worker->reset_lock);
	nnloop_worker_recover_if_dead(worker);
	mutex_unlock(&worker->reset_lock);
}

/* Looks at the job's progress. Returns the slice for which the worker is to be reset, or 0. */
static u64 nnloop_worker_stuck_slice(struct nnloop_worker *worker)
{
	struct nnloop_job *job;
	u64 slice = 0;

	spin_lock_irq(&worker->ndev->sched.lock);
	job = worker->job;
	if (worker->state == NNLOOP_WORKER_UP && job) {
		/* This is also a moment to count what the worker has used so far. */
		nnloop_rules_charge(&worker->ndev->sched.rules, &worker->slot, ktime_get_ns());
		worker->looks++;
		switch (nnloop_hang_look(&worker->hang, nnloop_gang_progress(job), job->gang.count,
					 job->gang.given_up, worker->part_ended)) {
		case NNLOOP_HANG_WAIT:
			break;
		case NNLOOP_HANG_GIVE_UP:
			nnloop_gang_give_up(job);
			break;
		case NNLOOP_HANG_RESET:
			slice = job->slice;
			break;
		}
	}
	spin_unlock_irq(&worker->ndev->sched.lock);
	return slice;
}

/*
 * Returns the slice that the worker was told long ago to end, because of the limit of a pass; or 0.
 */
static u64 nnloop_worker_overdue_slice(struct nnloop_worker *worker)
{
	u64 slice = 0;

	spin_lock_irq(&worker->ndev->sched.lock);
	if (worker->job && !worker->part_ended &&
	    nnloop_slot_is_deaf(&worker->slot, ktime_get_ns()))
		slice = worker->job->slice;
	spin_unlock_irq(&worker->ndev->sched.lock);
	return slice;
}

static void nnloop_worker_hang_work(struct work_struct *work)
{
	struct nnloop_worker *worker = container_of(to_delayed_work(work), struct nnloop_worker,
						    hang_work);
	u64 slice;

	/* This makes up for an interrupt that has gone missing. */
	nnloop_worker_interrupt(worker);

	mutex_lock(&worker->reset_lock);
	nnloop_worker_recover_if_dead(worker);
	slice = nnloop_worker_stuck_slice(worker);
	if (slice) {
		dev_warn_ratelimited(worker->ndev->board.dev,
				     "worker %u has made no progress for %u ms and is started again\n",
				     worker->index, READ_ONCE(nnloop_hang_timeout_ms));
		nnloop_worker_restart(worker, -ETIMEDOUT, slice);
	}
	slice = nnloop_worker_overdue_slice(worker);
	if (slice) {
		dev_warn_ratelimited(worker->ndev->board.dev,
				     "worker %u does not end a pass that took too long and is started again\n",
				     worker->index);
		nnloop_worker_restart(worker, -ETIMEDOUT, slice);
	}
	mutex_unlock(&worker->reset_lock);

	spin_lock_irq(&worker->ndev->sched.lock);
	if (worker->job)
		queue_delayed_work(worker->recovery_wq, &worker->hang_work,
				   nnloop_worker_look_period(worker));
	spin_unlock_irq(&worker->ndev->sched.lock);
}

/**
 * nnloop_worker_check_hang - the hang timeout has changed: from now on it is this one
 * @worker: the worker
 */
void nnloop_worker_check_hang(struct nnloop_worker *worker)
{
	spin_lock_irq(&worker->ndev->sched.lock);
	nnloop_hang_begin(&worker->hang);
	if (worker->job)
		mod_delayed_work(worker->recovery_wq, &worker->hang_work,
				 nnloop_worker_look_period(worker));
	spin_unlock_irq(&worker->ndev->sched.lock);
}

/**
 * nnloop_worker_cancel - have a worker give up the job that it runs
 * @worker: the worker, which has one; &nnloop_sched.lock is held
 */
void nnloop_worker_cancel(struct nnloop_worker *worker)
{
	if (worker->state == NNLOOP_WORKER_UP && !worker->part_ended)
		nnloop_board_cancel(&worker->ndev->board, worker->index, worker->job->slice);
}

/**
 * nnloop_worker_look_soon - its job is looked after in shorter periods from now on
 * @worker: the worker, which has one; &nnloop_sched.lock is held
 */
void nnloop_worker_look_soon(struct nnloop_worker *worker)
{
	mod_delayed_work(worker->recovery_wq, &worker->hang_work,
			 nnloop_worker_look_period(worker));
}

/**
 * nnloop_worker_yield - have a worker leave off the job that it runs, after a pass
 * @worker: the worker, which has one; &nnloop_sched.lock is held
 */
void nnloop_worker_yield(struct nnloop_worker *worker)
{
	if (worker->state == NNLOOP_WORKER_UP)
		nnloop_board_yield(&worker->ndev->board, worker->index, worker->job->slice);
}

/* Sends an empty command to a worker that is free, and has nobody else give it anything. */
static u64 nnloop_worker_ask(struct nnloop_worker *worker)
{
	struct nnloop_cmd cmd = { .type = cpu_to_le32(NNLOOP_CMD_EMPTY) };
	u64 begin = 0;

	spin_lock_irq(&worker->ndev->sched.lock);
	if (nnloop_worker_is_free(worker)) {
		worker->state = NNLOOP_WORKER_DOWN;
		worker->asked = ++worker->ndev->sched.last_slice;
		worker->answer_time = 0;
		cmd.job.id = cpu_to_le64(worker->asked);
		begin = ktime_get_ns();
		nnloop_board_submit(&worker->ndev->board, worker->index, &cmd, 1);
	}
	spin_unlock_irq(&worker->ndev->sched.lock);
	return begin;
}

/**
 * nnloop_worker_measure - how long does it take from the doorbell to the interrupt?
 * @worker: the worker; the device is awake
 *
 * Return: nanoseconds; -EBUSY if the worker has a job or takes none; -ETIMEDOUT if there was no
 * answer, and it has been started again.
 */
s64 nnloop_worker_measure(struct nnloop_worker *worker)
{
	struct nnloop_sched *sched = &worker->ndev->sched;
	s64 ret = -EBUSY;
	bool gone;
	u64 begin;

	mutex_lock(&worker->reset_lock);
	begin = nnloop_worker_ask(worker);
	if (!begin)
		goto out_unlock;
	wait_event_timeout(sched->idle, READ_ONCE(worker->answer_time),
			   msecs_to_jiffies(NNLOOP_ANSWER_MS));
	spin_lock_irq(&sched->lock);
	worker->asked = 0;
	ret = worker->answer_time ? (s64)(worker->answer_time - begin) : -ETIMEDOUT;
	gone = worker->state != NNLOOP_WORKER_DOWN;
	if (!gone && ret >= 0)
		worker->state = NNLOOP_WORKER_UP;
	if (sched->parked)
		wake_up(&sched->idle);
	spin_unlock_irq(&sched->lock);
	if (!gone && ret < 0)
		nnloop_worker_cycle(worker, -EIO);
	nnloop_sched_run(worker->ndev);
out_unlock:
	mutex_unlock(&worker->reset_lock);
	return ret;
}

/**
 * nnloop_worker_passes_done - how far is a worker in its job?
 * @worker: the worker, which has one; &nnloop_sched.lock is held
 *
 * Return: complete passes since it has it, as the DSP says.
 */
u32 nnloop_worker_passes_done(struct nnloop_worker *worker)
{
	/* In other states the registers must not be read, or tell nothing. */
	if (worker->state != NNLOOP_WORKER_UP)
		return 0;
	return nnloop_board_passes_done(&worker->ndev->board, worker->index);
}

/**
 * nnloop_worker_progress - a number that changes while a worker gets on with its job
 * @worker: the worker; &nnloop_sched.lock is held
 */
u32 nnloop_worker_progress(struct nnloop_worker *worker)
{
	if (worker->state == NNLOOP_WORKER_GONE)
		return 0;
	return nnloop_board_progress(&worker->ndev->board, worker->index);
}

/**
 * nnloop_worker_create - make a worker
 * @ndev: the device
 * @index: which worker
 *
 * Return: the worker, DOWN; or an error.
 */
struct nnloop_worker *nnloop_worker_create(struct nnloop_device *ndev, unsigned int index)
{
	struct nnloop_worker *worker = kzalloc(sizeof(*worker), GFP_KERNEL);

	if (!worker)
		return ERR_PTR(-ENOMEM);
	worker->ndev = ndev;
	worker->index = index;
	INIT_WORK(&worker->recover_work, nnloop_worker_recover_work);
	INIT_DELAYED_WORK(&worker->hang_work, nnloop_worker_hang_work);
	mutex_init(&worker->reset_lock);
	worker->recovery_wq = alloc_ordered_workqueue("nnloop-%s-%u", WQ_MEM_RECLAIM,
						      dev_name(ndev->board.dev), index);
	if (!worker->recovery_wq) {
		kfree(worker);
		return ERR_PTR(-ENOMEM);
	}
	return worker;
}

/**
 * nnloop_worker_destroy - undo nnloop_worker_create()
 * @worker: the worker, GONE or never UP
 */
void nnloop_worker_destroy(struct nnloop_worker *worker)
{
	cancel_delayed_work_sync(&worker->hang_work);
	destroy_workqueue(worker->recovery_wq);
	mutex_destroy(&worker->reset_lock);
	kfree(worker);
}

/**
 * nnloop_worker_shut - from now on no job gets through to the DSP
 * @worker: the worker; nnloop_worker_abandon() ends the job that is there
 */
void nnloop_worker_shut(struct nnloop_worker *worker)
{
	spin_lock_irq(&worker->ndev->sched.lock);
	worker->state = NNLOOP_WORKER_GONE;
	spin_unlock_irq(&worker->ndev->sched.lock);
}

/**
 * nnloop_worker_abandon - its job ends, whatever the worker does
 * @worker: the worker, stopped for good or lost
 */
void nnloop_worker_abandon(struct nnloop_worker *worker)
{
	nnloop_worker_shut(worker);
	nnloop_worker_end_job(worker, -ENODEV);
}
