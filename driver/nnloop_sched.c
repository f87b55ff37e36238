// SPDX-License-Identifier: GPL-2.0
/*
 * The scheduler: which job comes next, and on which worker. It applies the rules of nnloop_rules.c
 * to queues and workers. nnloop_sched.h says what a ready job is.
 */
#include <linux/dma-fence.h>

#include "nnloop_drv.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_worker.h"

/* How many jobs let go of their fences at a time, when the device is gone. */
#define NNLOOP_ABANDON_JOBS	256

static void nnloop_sched_work(struct work_struct *work);
static void nnloop_sched_slice_work(struct work_struct *work);

/**
 * nnloop_sched_init - nothing is ready
 * @sched: the scheduler
 * @name: of the device
 *
 * Return: 0 or -ENOMEM.
 */
int nnloop_sched_init(struct nnloop_sched *sched, const char *name)
{
	spin_lock_init(&sched->lock);
	nnloop_rules_init(&sched->rules);
	INIT_LIST_HEAD(&sched->queues);
	init_waitqueue_head(&sched->idle);
	INIT_LIST_HEAD(&sched->ending);
	init_llist_head(&sched->woken);
	INIT_WORK(&sched->work, nnloop_sched_work);
	INIT_DELAYED_WORK(&sched->slice_work, nnloop_sched_slice_work);
	sched->wq = alloc_workqueue("nnloop-%s-sched", WQ_UNBOUND | WQ_HIGHPRI | WQ_MEM_RECLAIM,
				    1, name);
	return sched->wq ? 0 : -ENOMEM;
}

/**
 * nnloop_sched_fini - no queue is left
 * @sched: the scheduler
 */
void nnloop_sched_fini(struct nnloop_sched *sched)
{
	cancel_delayed_work_sync(&sched->slice_work);
	destroy_workqueue(sched->wq);
}

/**
 * nnloop_sched_lock - take the lock, to end jobs under it
 * @sched: the scheduler
 * @ending: gets a list to which they are added, &nnloop_ending.jobs
 *
 * Fences are not signalled under the lock, and whoever is to signal one must be known to lockdep
 * from before it takes any.
 *
 * Context: any.
 */
void nnloop_sched_lock(struct nnloop_sched *sched, struct nnloop_ending *ending)
	__acquires(&sched->lock)
{
	INIT_LIST_HEAD(&ending->jobs);
	ending->cookie = dma_fence_begin_signalling();
	spin_lock_irqsave(&sched->lock, ending->flags);
}

/**
 * nnloop_sched_unlock - give the lock back, and signal the jobs that have ended
 * @sched: the scheduler
 * @ending: as nnloop_sched_lock() has made it
 */
void nnloop_sched_unlock(struct nnloop_sched *sched, struct nnloop_ending *ending)
	__releases(&sched->lock)
{
	spin_unlock_irqrestore(&sched->lock, ending->flags);
	nnloop_jobs_signal(&ending->jobs);
	dma_fence_end_signalling(ending->cookie);
}

/**
 * nnloop_sched_end_later - more jobs of a queue are to end than should at a time
 * @sched: the scheduler; its lock is held
 * @queue: the queue
 */
void nnloop_sched_end_later(struct nnloop_sched *sched, struct nnloop_queue *queue)
{
	list_move_tail(&queue->ending_link, &sched->ending);
	queue_work(sched->wq, &sched->work);
}

/**
 * nnloop_sched_job_woken - a job waits for no fence any more
 * @sched: the scheduler
 * @job: the job, which may end at any time from now on
 *
 * Context: any. Who may sleep calls nnloop_sched_job_ready() instead.
 */
void nnloop_sched_job_woken(struct nnloop_sched *sched, struct nnloop_job *job)
{
	llist_add(&job->woken, &sched->woken);
	queue_work(sched->wq, &sched->work);
}

/**
 * nnloop_sched_job_ready - a job waits for no fence any more: begin or end it if it can
 * @ndev: the device
 * @job: the job, which may be gone afterwards
 *
 * Context: may sleep; no lock is held under which a fence may be signalled.
 */
void nnloop_sched_job_ready(struct nnloop_device *ndev, struct nnloop_job *job)
{
	int error = nnloop_job_waits_error(job);
	struct nnloop_ending ending;

	nnloop_sched_lock(&ndev->sched, &ending);
	job->waits_error = error;
	job->ready = true;
	nnloop_queue_settle(job->queue, &ending.jobs);
	nnloop_sched_dispatch(ndev);
	nnloop_sched_unlock(&ndev->sched, &ending);
}

/* Ends some jobs of the queue that has waited longest for that. Returns false if there is none. */
static bool nnloop_sched_end_some(struct nnloop_device *ndev)
{
	struct nnloop_sched *sched = &ndev->sched;
	struct nnloop_ending ending;
	struct nnloop_queue *queue;

	nnloop_sched_lock(sched, &ending);
	queue = list_first_entry_or_null(&sched->ending, struct nnloop_queue, ending_link);
	if (queue) {
		list_del_init(&queue->ending_link);
		nnloop_queue_settle(queue, &ending.jobs);
		nnloop_sched_dispatch(ndev);
	}
	nnloop_sched_unlock(sched, &ending);
	return queue;
}

static void nnloop_sched_work(struct work_struct *work)
{
	struct nnloop_sched *sched = container_of(work, struct nnloop_sched, work);
	struct nnloop_device *ndev = container_of(sched, struct nnloop_device, sched);
	struct llist_node *woken = llist_reverse_order(llist_del_all(&sched->woken));
	struct nnloop_job *job, *next;

	llist_for_each_entry_safe(job, next, woken, woken) {
		nnloop_sched_job_ready(ndev, job);
		cond_resched();
	}
	while (nnloop_sched_end_some(ndev))
		cond_resched();
}

static u64 nnloop_sched_slice_ns(void)
{
	return READ_ONCE(nnloop_slice_ms) * (u64)NSEC_PER_MSEC;
}

/* Returns a worker that can take a job of the entity at once, or NULL. */
static struct nnloop_worker *nnloop_sched_find_worker(struct nnloop_device *ndev,
						      struct nnloop_entity *entity)
{
	struct nnloop_slot *slot;
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++)
		ndev->workers[i]->slot.free = nnloop_worker_is_free(ndev->workers[i]);
	slot = nnloop_rules_find_slot(&ndev->sched.rules, entity);
	return slot ? container_of(slot, struct nnloop_worker, slot) : NULL;
}

/* Tells the rules how many passes the workers have done. */
static void nnloop_sched_count_passes(struct nnloop_device *ndev)
{
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		/* The rules look at the first of several slots that have one job. */
		if (nnloop_slot_is_first(&worker->slot))
			worker->slot.passes = nnloop_gang_passes_done(worker->job);
	}
}

/* Has jobs left off for those that wait, when no worker is free or none may take a job. */
static void nnloop_sched_make_room(struct nnloop_device *ndev, u64 *soonest)
{
	unsigned long told;
	unsigned int i;

	told = nnloop_rules_make_room(&ndev->sched.rules, ktime_get_ns(), nnloop_sched_slice_ns(),
				      soonest);
	for_each_set_bit(i, &told, ndev->board.worker_count)
		nnloop_gang_yield(ndev->workers[i]->job);
}

/* Ends a job whose pass has taken too long for those who wait. */
static void nnloop_sched_watch(struct nnloop_device *ndev, u64 *soonest)
{
	struct nnloop_sched *sched = &ndev->sched;
	u64 limit_ns = READ_ONCE(nnloop_pass_limit_ms) * (u64)NSEC_PER_MSEC;
	struct nnloop_slot *slot;

	/* Nobody who waits does so for a pass then. */
	if (sched->gone || sched->parked != NNLOOP_NOT_PARKED)
		limit_ns = 0;
	if (limit_ns)
		nnloop_sched_count_passes(ndev);
	slot = nnloop_rules_watch(&sched->rules, ktime_get_ns(), limit_ns, soonest);
	if (slot)
		nnloop_gang_end_pass(container_of(slot, struct nnloop_worker, slot)->job);
}

/* Has all jobs left off after the pass that they are in, because the system is going to sleep. */
static void nnloop_sched_leave_all_off(struct nnloop_device *ndev)
{
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		if (!nnloop_slot_is_first(&worker->slot) || worker->slot.yielding)
			continue;
		nnloop_rules_yield(&ndev->sched.rules, &worker->slot, ktime_get_ns());
		nnloop_gang_yield(worker->job);
	}
}

/*
 * Gives a free worker the entity's job, or one of the client that it has had. Other free workers
 * help with it, if the job can use them and nobody else could.
 */
static void nnloop_sched_begin(struct nnloop_device *ndev, struct nnloop_worker *worker,
			       struct nnloop_entity *entity)
{
	struct nnloop_rules *rules = &ndev->sched.rules;
	u64 now = ktime_get_ns();
	struct nnloop_slot *slot;
	struct nnloop_job *job;

	entity = nnloop_rules_choose(rules, &worker->slot, entity, now, nnloop_sched_slice_ns());
	nnloop_rules_begin(rules, &worker->slot, entity, now);
	job = nnloop_queue_first_job(container_of(entity, struct nnloop_queue, entity));
	nnloop_gang_join(job, worker);
	while (job->gang.count < job->workers) {
		slot = nnloop_rules_find_helper(rules, &worker->slot);
		if (!slot)
			break;
		nnloop_rules_help(rules, slot, &worker->slot, now);
		nnloop_gang_join(job, container_of(slot, struct nnloop_worker, slot));
	}
	nnloop_gang_begin(job);
}

/**
 * nnloop_sched_dispatch - give ready jobs to free workers, and have others make room
 * @ndev: the device; &nnloop_sched.lock is held
 *
 * To be called whenever a job has become ready or is so no more, and when a worker has become free.
 */
void nnloop_sched_dispatch(struct nnloop_device *ndev)
{
	struct nnloop_sched *sched = &ndev->sched;
	struct nnloop_entity *entity;
	struct nnloop_worker *worker;
	u64 soonest = U64_MAX;

	lockdep_assert_held(&sched->lock);

	if (sched->parked == NNLOOP_PARKED_ASLEEP)
		nnloop_sched_leave_all_off(ndev);
	/* When the scheduler is gone, whoever shut it ends the jobs that are ready. */
	while (!sched->gone && (entity = nnloop_rules_next(&sched->rules))) {
		if (sched->parked == NNLOOP_PARKED_IDLE)
			queue_delayed_work(ndev->power_wq, &ndev->wake_work, 0);
		if (sched->parked != NNLOOP_NOT_PARKED)
			break;
		worker = nnloop_sched_find_worker(ndev, entity);
		if (!worker) {
			nnloop_sched_make_room(ndev, &soonest);
			break;
		}
		nnloop_sched_begin(ndev, worker, entity);
	}
	nnloop_sched_watch(ndev, &soonest);
	if (soonest != U64_MAX)
		mod_delayed_work(sched->wq, &sched->slice_work, nsecs_to_jiffies(soonest) + 1);
}

static void nnloop_sched_slice_work(struct work_struct *work)
{
	struct nnloop_sched *sched = container_of(to_delayed_work(work), struct nnloop_sched,
						  slice_work);

	nnloop_sched_run(container_of(sched, struct nnloop_device, sched));
}

/**
 * nnloop_sched_run - a worker may have become free: begin what can
 * @ndev: the device
 *
 * Context: any.
 */
void nnloop_sched_run(struct nnloop_device *ndev)
{
	unsigned long flags;

	spin_lock_irqsave(&ndev->sched.lock, flags);
	nnloop_sched_dispatch(ndev);
	spin_unlock_irqrestore(&ndev->sched.lock, flags);
}

/*
 * Ends ready jobs of one queue, now that none begins any more. Returns false if no queue has any.
 */
static bool nnloop_sched_end_ready(struct nnloop_device *ndev)
{
	struct nnloop_entity *entity;
	struct nnloop_ending ending;

	nnloop_sched_lock(&ndev->sched, &ending);
	entity = nnloop_rules_next(&ndev->sched.rules);
	if (entity)
		nnloop_queue_settle(container_of(entity, struct nnloop_queue, entity),
				    &ending.jobs);
	nnloop_sched_unlock(&ndev->sched, &ending);
	return entity;
}

/* Collects some jobs that wait for fences, with a reference each. */
static unsigned int nnloop_sched_take_waiting(struct nnloop_sched *sched, struct list_head *jobs)
{
	struct nnloop_queue *queue;
	unsigned int count = 0;

	spin_lock_irq(&sched->lock);
	list_for_each_entry(queue, &sched->queues, link) {
		count += nnloop_queue_take_waiting(queue, jobs, NNLOOP_ABANDON_JOBS - count);
		if (count == NNLOOP_ABANDON_JOBS)
			break;
	}
	spin_unlock_irq(&sched->lock);
	return count;
}

/**
 * nnloop_sched_shut - the device goes: no job begins any more
 * @sched: the scheduler
 */
void nnloop_sched_shut(struct nnloop_sched *sched)
{
	spin_lock_irq(&sched->lock);
	sched->gone = true;
	spin_unlock_irq(&sched->lock);
}

/**
 * nnloop_sched_abandon - end all jobs that are on no worker
 * @ndev: the device, whose scheduler was shut
 *
 * Context: may sleep.
 */
void nnloop_sched_abandon(struct nnloop_device *ndev)
{
	struct nnloop_sched *sched = &ndev->sched;
	unsigned int count;

	while (nnloop_sched_end_ready(ndev))
		cond_resched();
	do {
		LIST_HEAD(jobs);

		count = nnloop_sched_take_waiting(sched, &jobs);
		nnloop_jobs_drop_waits(&jobs);
		cond_resched();
	} while (count);
	flush_work(&sched->work);
}
