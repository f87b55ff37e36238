// SPDX-License-Identifier: GPL-2.0
/*
 * Which job comes next, and on which worker. The rules are in nnloop_sched.h.
 *
 * Time is shared as a fair scheduler of processes does it: each file has a clock of the worker time
 * that it has used, the one that is furthest behind comes next, and one that had nothing to do
 * comes back with the clock of those that had. A job that begins counts as 10 ms until it is known
 * how long it was, so that one file does not take all workers at once.
 *
 * A job is left off between two passes, all of its state being in memory then, and goes on later on
 * any worker: at once where one of a higher priority waits, and after a slice where one waits that
 * has had less. Who waits for a worker that was asked is known by the order alone. To come from one
 * file to another costs a worker its translations, and the memory behind them: a slice is long
 * enough for that to be little of it, as it was measured the last time.
 */
#include <linux/dma-fence.h>

#include "nnloop_drv.h"
#include "nnloop_job.h"
#include "nnloop_queue.h"
#include "nnloop_sched.h"
#include "nnloop_worker.h"

/* Jobs whose fences are let go of at a time, when the device is gone. */
#define NNLOOP_ABANDON_JOBS	256

static bool nnloop_share_before(struct rb_node *a, const struct rb_node *b)
{
	return rb_entry(a, struct nnloop_share, node)->used <
	       rb_entry(b, struct nnloop_share, node)->used;
}

static void nnloop_sched_work(struct work_struct *work);
static void nnloop_sched_slice_work(struct work_struct *work);

/* So many times what it costs to come to a file, up to what others can be made to wait. */
#define NNLOOP_SLICE_SWITCHES	20
#define NNLOOP_SLICE_MOST_NS	(5ull * NSEC_PER_SEC)

/* What a job that begins counts as, until it is known how long it was. */
#define NNLOOP_ADVANCE_NS	(10 * NSEC_PER_MSEC)

static s64 nnloop_sched_slice(const struct nnloop_file *file)
{
	return max(min(NNLOOP_SLICE_SWITCHES * file->switch_ns, NNLOOP_SLICE_MOST_NS),
		   READ_ONCE(nnloop_slice_ms) * (u64)NSEC_PER_MSEC);
}

/**
 * nnloop_sched_init - nothing is ready
 * @sched: the scheduler
 * @name: of the device
 *
 * Return: 0 or -ENOMEM.
 */
int nnloop_sched_init(struct nnloop_sched *sched, const char *name)
{
	unsigned int i;

	spin_lock_init(&sched->lock);
	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++)
		sched->ready[i] = RB_ROOT_CACHED;
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
 * nnloop_share_init - nothing has been used
 * @share: of a new file
 */
void nnloop_share_init(struct nnloop_share *share)
{
	RB_CLEAR_NODE(&share->node);
	INIT_LIST_HEAD(&share->queues);
}

/* Changes what a share has used and keeps it in its place. */
static void nnloop_share_use(struct nnloop_sched *sched, struct nnloop_queue *queue, s64 ns)
{
	struct rb_root_cached *ready = &sched->ready[queue->priority];
	u64 *least = &sched->least[queue->priority];
	struct nnloop_share *share = queue->share;

	if (!RB_EMPTY_NODE(&share->node))
		rb_erase_cached(&share->node, ready);
	share->used += ns;
	if (!RB_EMPTY_NODE(&share->node))
		rb_add_cached(&share->node, ready, nnloop_share_before);
	/* Nobody waited for it, so it is no debt to those who come later. */
	else if (RB_EMPTY_ROOT(&ready->rb_root))
		*least = max(*least, share->used);
}

/**
 * nnloop_sched_charge - a job has used time, and may use more
 * @sched: the scheduler; its lock is held
 * @job: the job, which has begun
 * @now: the time
 */
void nnloop_sched_charge(struct nnloop_sched *sched, struct nnloop_job *job, ktime_t now)
{
	u64 used = nnloop_job_slice_ns(job, now);

	if (used <= job->charged)
		return;
	nnloop_share_use(sched, job->queue, used - job->charged);
	job->charged = used;
}

/* What a running job has used is known from now on. */
static void nnloop_sched_charge_all(struct nnloop_device *ndev, ktime_t now)
{
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_job *job = ndev->workers[i]->job;

		if (job)
			nnloop_sched_charge(&ndev->sched, job, now);
	}
}

/**
 * nnloop_sched_add - a queue's first job could begin
 * @sched: the scheduler; its lock is held
 * @queue: the queue, which is not there yet
 */
void nnloop_sched_add(struct nnloop_sched *sched, struct nnloop_queue *queue)
{
	struct nnloop_share *share = queue->share;

	list_add_tail(&queue->ready_link, &share->queues);
	if (!RB_EMPTY_NODE(&share->node))
		return;
	/* Nobody has waited, so what those that run have used until now is no debt of theirs. */
	if (RB_EMPTY_ROOT(&sched->ready[queue->priority].rb_root))
		nnloop_sched_charge_all(container_of(sched, struct nnloop_device, sched),
					ktime_get());
	/* What one did not use while there was nothing to do is not saved up. */
	share->used = max(share->used, sched->least[queue->priority]);
	rb_add_cached(&share->node, &sched->ready[queue->priority], nnloop_share_before);
}

/**
 * nnloop_sched_remove - a queue's first job has begun, or will not
 * @sched: the scheduler; its lock is held
 * @queue: the queue, which is there
 */
void nnloop_sched_remove(struct nnloop_sched *sched, struct nnloop_queue *queue)
{
	struct nnloop_share *share = queue->share;

	list_del_init(&queue->ready_link);
	if (list_empty(&share->queues)) {
		rb_erase_cached(&share->node, &sched->ready[queue->priority]);
		RB_CLEAR_NODE(&share->node);
	}
}

/**
 * nnloop_sched_next - whose turn is it?
 * @sched: the scheduler; its lock is held
 *
 * Return: the queue, which stays where it is; or NULL.
 */
struct nnloop_queue *nnloop_sched_next(struct nnloop_sched *sched)
{
	struct nnloop_share *share;
	struct rb_node *node;
	unsigned int i;

	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		node = rb_first_cached(&sched->ready[i]);
		if (!node)
			continue;
		share = rb_entry(node, struct nnloop_share, node);
		return list_first_entry(&share->queues, struct nnloop_queue, ready_link);
	}
	return NULL;
}

/**
 * nnloop_sched_begin - a worker takes a queue's first job
 * @sched: the scheduler; its lock is held
 * @queue: the queue, which is ready and then is not
 */
void nnloop_sched_begin(struct nnloop_sched *sched, struct nnloop_queue *queue)
{
	u64 *least = &sched->least[queue->priority];

	*least = max(*least, queue->share->used);
	nnloop_sched_remove(sched, queue);
	nnloop_queue_first_job(queue)->charged = NNLOOP_ADVANCE_NS;
	nnloop_share_use(sched, queue, NNLOOP_ADVANCE_NS);
}

/**
 * nnloop_sched_end - a job that had begun has ended, or was left off
 * @sched: the scheduler; its lock is held
 * @job: the job
 * @used: nanoseconds that it took
 */
void nnloop_sched_end(struct nnloop_sched *sched, struct nnloop_job *job, u64 used)
{
	nnloop_share_use(sched, job->queue, used - job->charged);
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

/* Ends some jobs of the queue that has waited longest for it. False: there is none. */
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

/* A worker that can take a job at once, if possible the one that has @file's translations. */
static struct nnloop_worker *nnloop_sched_find_worker(struct nnloop_device *ndev,
						      const struct nnloop_file *file)
{
	struct nnloop_worker *free = NULL;
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		if (!nnloop_worker_is_free(worker))
			continue;
		if (worker->client == file->id)
			return worker;
		if (!free)
			free = worker;
	}
	return free;
}

/*
 * The worker whose job should make room for @queue's, or NULL. *@soonest becomes less if there
 * could be one in so many nanoseconds.
 */
static struct nnloop_worker *nnloop_sched_find_victim(struct nnloop_device *ndev,
						      const struct nnloop_queue *queue, ktime_t now,
						      s64 *soonest)
{
	struct nnloop_worker *victim = NULL;
	s64 slice, left;
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];
		const struct nnloop_queue *running = worker->job ? worker->job->queue : NULL;

		if (!running || worker->yielding || running->priority < queue->priority)
			continue;
		if (running->priority == queue->priority) {
			slice = nnloop_sched_slice(running->file);
			left = slice - nnloop_job_slice_ns(worker->job, now);
			/*
			 * The queues of a file take turns; others wait for who has had less. Two
			 * passes are needed to know what it cost to come here.
			 */
			if (left > 0 || !nnloop_worker_passes_done(worker, worker->job) ||
			    (running->share != queue->share &&
			     running->share->used < queue->share->used)) {
				*soonest = min(*soonest, left > 0 ? left : NNLOOP_ADVANCE_NS);
				continue;
			}
		}
		if (!victim || running->priority > victim->job->queue->priority ||
		    (running->priority == victim->job->queue->priority &&
		     running->share->used > victim->job->queue->share->used))
			victim = worker;
	}
	return victim;
}

/* No worker is free, or none may take a job: have jobs left off for those that wait. */
static void nnloop_sched_make_room(struct nnloop_device *ndev)
{
	struct nnloop_sched *sched = &ndev->sched;
	s64 soonest = S64_MAX;
	ktime_t now = ktime_get();
	struct nnloop_worker *victim;
	struct nnloop_queue *queue;
	struct nnloop_share *share;
	unsigned int asked = 0, i;
	struct rb_node *node;
	s64 left;

	nnloop_sched_charge_all(ndev, now);
	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		if (!worker->job || !worker->yielding)
			continue;
		/* A pass may be long: then nobody waits for that worker alone. */
		left = nnloop_sched_slice(worker->job->queue->file) -
		       ktime_to_ns(ktime_sub(now, worker->yield_time));
		if (left > 0) {
			asked++;
			soonest = min(soonest, left);
		}
	}
	for (i = 0; i < NNLOOP_PRIORITY_COUNT; i++) {
		for (node = rb_first_cached(&sched->ready[i]); node; node = rb_next(node)) {
			share = rb_entry(node, struct nnloop_share, node);
			list_for_each_entry(queue, &share->queues, ready_link) {
				/* Those that were asked are for who comes first. */
				if (asked) {
					asked--;
					continue;
				}
				victim = nnloop_sched_find_victim(ndev, queue, now, &soonest);
				/* Who comes later has less of a claim. */
				if (!victim)
					goto out_wait;
				nnloop_worker_yield(victim);
			}
		}
	}
out_wait:
	if (soonest != S64_MAX)
		mod_delayed_work(sched->wq, &sched->slice_work, nsecs_to_jiffies(soonest) + 1);
}

/* The system is going to sleep: no job goes on after the pass that it is in. */
static void nnloop_sched_leave_all_off(struct nnloop_device *ndev)
{
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		if (ndev->workers[i]->job && !ndev->workers[i]->yielding)
			nnloop_worker_yield(ndev->workers[i]);
	}
}

/**
 * nnloop_sched_dispatch - give ready jobs to free workers, and have others make room
 * @ndev: the device; &nnloop_sched.lock is held
 */
void nnloop_sched_dispatch(struct nnloop_device *ndev)
{
	struct nnloop_sched *sched = &ndev->sched;
	struct nnloop_worker *worker;
	struct nnloop_queue *queue;

	lockdep_assert_held(&sched->lock);

	if (sched->parked == NNLOOP_PARKED_ASLEEP)
		nnloop_sched_leave_all_off(ndev);
	/* Whoever shut it ends what is ready. */
	while (!sched->gone && (queue = nnloop_sched_next(sched))) {
		if (sched->parked == NNLOOP_PARKED_IDLE)
			queue_delayed_work(ndev->power_wq, &ndev->wake_work, 0);
		if (sched->parked != NNLOOP_NOT_PARKED)
			break;
		worker = nnloop_sched_find_worker(ndev, queue->file);
		if (!worker) {
			nnloop_sched_make_room(ndev);
			break;
		}
		nnloop_sched_begin(sched, queue);
		nnloop_worker_begin(worker, nnloop_queue_first_job(queue));
	}
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

/* Ends ready jobs of one queue, now that none begins any more. False: no queue has any. */
static bool nnloop_sched_end_ready(struct nnloop_device *ndev)
{
	struct nnloop_ending ending;
	struct nnloop_queue *queue;

	nnloop_sched_lock(&ndev->sched, &ending);
	queue = nnloop_sched_next(&ndev->sched);
	if (queue)
		nnloop_queue_settle(queue, &ending.jobs);
	nnloop_sched_unlock(&ndev->sched, &ending);
	return queue;
}

/* Some jobs that wait for fences, with a reference each. */
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
