// SPDX-License-Identifier: GPL-2.0
/*
 * Gangs: the workers that have a job, from when they get it until the last of them is done with it
 * or was stopped. As a rule that is one worker. Several divide each pass among them, with barriers
 * in between (nnloop_hw.h).
 *
 * Each worker ends its part by itself, or is reset by itself (nnloop_worker.c). What they report
 * becomes the job's one result. As soon as one has failed the others are told to give up: they
 * might wait for it, or work for nothing. So the time until the last one has ended is bounded as it
 * is for one worker: by its next tile, or by the hang timeout and the board's patience.
 */
#include <linux/limits.h>
#include <linux/minmax.h>
#include <linux/pm_runtime.h>

#include "nnloop_drv.h"
#include "nnloop_file.h"
#include "nnloop_gang.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_worker.h"

/**
 * nnloop_gang_join - a worker is going to run a job, alone or with others
 * @job: the job, which has not begun; &nnloop_sched.lock is held
 * @worker: the worker, which is free, its slot given away
 */
void nnloop_gang_join(struct nnloop_job *job, struct nnloop_worker *worker)
{
	job->gang.worker[job->gang.count++] = worker;
}

/**
 * nnloop_gang_begin - give a job to the DSP
 * @job: the job, its gang complete; &nnloop_sched.lock is held
 */
void nnloop_gang_begin(struct nnloop_job *job)
{
	struct nnloop_file *file = job->queue->file;
	struct nnloop_gang *gang = &job->gang;
	u64 generation;
	unsigned int i;

	lockdep_assert_held(&file->ndev->sched.lock);

	/* The device is active now, and stays so until the job has ended. */
	if (!job->started)
		pm_runtime_get_noresume(file->ndev->board.dev);
	job->started = true;
	job->slice = ++file->ndev->sched.last_slice;
	gang->left = gang->count;
	gang->result = NNLOOP_RESULT(0);
	gang->result.passes_done = U32_MAX;
	gang->given_up = false;
	gang->switch_ns = 0;
	/*
	 * The generation is read as late as possible, so that what was taken away until now is out
	 * of the job's reach. It is read once for all workers: with two reads, the job could still
	 * reach on one worker what was taken away between them.
	 */
	generation = atomic64_read(&file->space.generation);
	for (i = 0; i < gang->count; i++)
		nnloop_worker_begin(gang->worker[i], job, i, generation);
}

/*
 * Ranks the ways in which a worker can end its part. The highest rank is the job's result: what
 * ended the job goes before what followed from that.
 */
static unsigned int nnloop_gang_rank(int error)
{
	switch (error) {
	case 0:
	case -EAGAIN:
		return 0;
	case NNLOOP_ALONE:
		return 1;
	case -ECANCELED:
		return 2;
	default:
		return 3;
	}
}

/* Adds the result of one worker's part to that of the gang. */
static void nnloop_gang_add_result(struct nnloop_gang *gang, const struct nnloop_result *part)
{
	struct nnloop_result *all = &gang->result;
	u32 passes_done = min(all->passes_done, part->passes_done);

	if (gang->left == gang->count ||
	    nnloop_gang_rank(part->error) > nnloop_gang_rank(all->error))
		*all = *part;
	/*
	 * Workers that end well end behind the same pass, unless they were given different
	 * programs.
	 */
	else if (!nnloop_gang_rank(part->error) && !nnloop_gang_rank(all->error) &&
		 (part->error != all->error || part->passes_done != all->passes_done))
		all->error = NNLOOP_ALONE;
	all->passes_done = passes_done;
}

/* Takes the job back when all workers have ended it or left it off. */
static void nnloop_gang_take_back(struct nnloop_job *job, struct list_head *ended)
{
	struct nnloop_worker *first = job->gang.worker[0];
	struct nnloop_result result = job->gang.result;
	struct nnloop_queue *queue = job->queue;
	struct nnloop_sched *sched = &first->ndev->sched;

	/*
	 * A worker only leaves a job off between two passes, or between two steps of one, so not
	 * when it has done all of them.
	 */
	if (result.error == -EAGAIN && result.passes_done >= job->pass_count - job->passes_done)
		result.error = -EIO;
	if (result.error == NNLOOP_ALONE)
		result.error = -EIO;
	/* The DSP was told to give the job up, but not by the job's client. */
	if (result.error == -ECANCELED && job->point > queue->cancelled)
		result.error = first->slot.overdue || job->gang.given_up ? -ETIMEDOUT : -EIO;
	if (!result.error || result.error == -EAGAIN)
		queue->file->client.switch_ns = job->gang.switch_ns;
	if (result.error == -EAGAIN) {
		nnloop_job_leave_off(job, result.passes_done);
	} else {
		nnloop_coredump_take(job, first, &result);
		nnloop_job_end(job, &result, ended);
	}
	nnloop_queue_settle(queue, ended);
	if (sched->parked)
		wake_up(&sched->idle);
}

/**
 * nnloop_gang_part_ended - a worker does nothing for its job any more
 * @worker: the worker, which has ended its part, or was stopped; &nnloop_sched.lock is held
 * @result: how that ended
 * @ended: the job is added, if this was the last and the job is over
 */
void nnloop_gang_part_ended(struct nnloop_worker *worker, const struct nnloop_result *result,
			    struct list_head *ended)
{
	struct nnloop_job *job = worker->job;
	struct nnloop_gang *gang = &job->gang;

	lockdep_assert_held(&worker->ndev->sched.lock);

	gang->switch_ns = max(gang->switch_ns,
			      nnloop_board_switch_ns(&worker->ndev->board, worker->index));
	/*
	 * The dump is taken while the worker's registers tell of the job: it may be started again
	 * before the others have ended.
	 */
	if (nnloop_gang_rank(result->error) > nnloop_gang_rank(-ECANCELED))
		nnloop_coredump_take(job, worker, result);
	nnloop_gang_add_result(gang, result);
	worker->part_ended = true;
	if (!--gang->left)
		nnloop_gang_take_back(job, ended);
	else if (nnloop_gang_rank(gang->result.error))
		nnloop_gang_cancel(job);
}

/**
 * nnloop_gang_disband - no worker has a job any more
 * @job: the job; &nnloop_sched.lock is held
 *
 * The workers' time is added to what the job's file has used.
 */
void nnloop_gang_disband(struct nnloop_job *job)
{
	struct nnloop_file *file = job->queue->file;
	u64 now = ktime_get_ns();
	unsigned int i;

	for (i = 0; i < job->gang.count; i++) {
		struct nnloop_worker *worker = job->gang.worker[i];

		file->busy_ns += nnloop_rules_end(&file->ndev->sched.rules, &worker->slot, now);
		worker->job = NULL;
	}
	job->gang.count = 0;
}

/**
 * nnloop_gang_cancel - have the DSP give up a job
 * @job: the job, which workers have; &nnloop_sched.lock is held
 */
void nnloop_gang_cancel(struct nnloop_job *job)
{
	unsigned int i;

	for (i = 0; i < job->gang.count; i++)
		nnloop_worker_cancel(job->gang.worker[i]);
}

/**
 * nnloop_gang_end_pass - a pass took too long: have the DSP give it up, and the job with it
 * @job: the job, whose slots are overdue; &nnloop_sched.lock is held
 *
 * A worker that does not hear that is started again.
 */
void nnloop_gang_end_pass(struct nnloop_job *job)
{
	unsigned int i;

	nnloop_gang_cancel(job);
	for (i = 0; i < job->gang.count; i++)
		nnloop_worker_look_soon(job->gang.worker[i]);
}

/**
 * nnloop_gang_give_up - none of several workers gets on with a job: have the DSP give it up
 * @job: the job, which workers have; &nnloop_sched.lock is held
 *
 * All but one may only be waiting for that one. A worker that has not ended when it is looked at
 * again is started again; a look that is due right now does not count (nnloop_rules_hang.c).
 */
void nnloop_gang_give_up(struct nnloop_job *job)
{
	unsigned int i;

	job->gang.given_up = true;
	nnloop_gang_cancel(job);
	for (i = 0; i < job->gang.count; i++)
		nnloop_hang_begin(&job->gang.worker[i]->hang);
}

/**
 * nnloop_gang_yield - have the DSP leave a job off, after a pass
 * @job: the job, which workers have; &nnloop_sched.lock is held
 */
void nnloop_gang_yield(struct nnloop_job *job)
{
	/* The other workers leave off where the first one does. */
	nnloop_worker_yield(job->gang.worker[0]);
}

/**
 * nnloop_gang_passes_done - how far is a running job?
 * @job: the job, which workers have; &nnloop_sched.lock is held
 *
 * Return: passes since they have it that all of them have completed.
 */
u32 nnloop_gang_passes_done(struct nnloop_job *job)
{
	u32 done = job->pass_count - job->passes_done;
	unsigned int i;

	for (i = 0; i < job->gang.count; i++)
		done = min(done, nnloop_worker_passes_done(job->gang.worker[i]));
	return done;
}

/**
 * nnloop_gang_progress - a number that changes while any worker gets on with a job
 * @job: the job, which workers have; &nnloop_sched.lock is held
 */
u32 nnloop_gang_progress(struct nnloop_job *job)
{
	u32 progress = 0;
	unsigned int i;

	for (i = 0; i < job->gang.count; i++)
		progress += nnloop_worker_progress(job->gang.worker[i]);
	return progress;
}
