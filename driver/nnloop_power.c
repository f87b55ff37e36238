// SPDX-License-Identifier: GPL-2.0
/*
 * Power: all workers are started when the device appears, stopped when it goes, and in between
 * parked while there is nothing to do or the system sleeps. Each of that is done with all of them
 * at once.
 *
 * A parked worker is stopped like one that is reset, and DOWN. Jobs that come stay with the
 * scheduler, which has the workers woken from a work queue of the driver's own: the core's is
 * frozen when the system sleeps, and its threads may wait for memory that a job's end would free.
 * Each job holds a runtime power reference from when a worker gets it until it ends.
 */
#include <linux/jiffies.h>
#include <linux/pm_runtime.h>

#include "nnloop_drv.h"
#include "nnloop_job.h"
#include "nnloop_sched.h"
#include "nnloop_transport.h"
#include "nnloop_worker.h"

#define NNLOOP_WAKE_RETRY_MS	100

/* Stops all workers at the same time. An error says that nobody knows what they do. */
static int nnloop_workers_halt(struct nnloop_device *ndev)
{
	struct nnloop_board *board = &ndev->board;
	unsigned int i;
	int ret;

	for (i = 0; i < board->worker_count; i++)
		nnloop_board_request_stop(board, i);
	for (i = 0; i < board->worker_count; i++) {
		ret = nnloop_board_wait_stopped(board, i);
		if (ret)
			return ret;
	}
	return 0;
}

/* Starts all workers, which are stopped, at the same time. */
static int nnloop_workers_boot(struct nnloop_device *ndev)
{
	struct nnloop_board *board = &ndev->board;
	unsigned int i;
	int ret;

	for (i = 0; i < board->worker_count; i++)
		nnloop_board_request_start(board, i);
	for (i = 0; i < board->worker_count; i++) {
		ret = nnloop_worker_wait_started(ndev->workers[i]);
		if (ret)
			return ret;
	}
	return 0;
}

static void nnloop_sched_set_parked(struct nnloop_sched *sched, enum nnloop_parked parked)
{
	spin_lock_irq(&sched->lock);
	sched->parked = parked;
	spin_unlock_irq(&sched->lock);
}

static void nnloop_workers_set_up(struct nnloop_device *ndev)
{
	unsigned int i;

	spin_lock_irq(&ndev->sched.lock);
	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		if (worker->state == NNLOOP_WORKER_DOWN)
			worker->state = NNLOOP_WORKER_UP;
	}
	spin_unlock_irq(&ndev->sched.lock);
}

/**
 * nnloop_workers_reset - stop all workers, whatever they were doing before
 * @ndev: the device, just found
 *
 * Return: 0, or an error and a line in the log. They know of no memory of @ndev's then.
 */
int nnloop_workers_reset(struct nnloop_device *ndev)
{
	int ret;

	ret = nnloop_workers_halt(ndev);
	if (ret)
		drm_err(&ndev->drm, NNLOOP_NO_ANSWER ": %s\n", ndev->board.transport->remedy);
	return ret;
}

/**
 * nnloop_workers_start - start all workers
 * @ndev: the device, its workers reset; interrupts can come
 *
 * Return: 0, or an error and a line in the log.
 */
int nnloop_workers_start(struct nnloop_device *ndev)
{
	int ret;

	ret = nnloop_workers_boot(ndev);
	if (ret) {
		/* A board that went away needs no word. */
		if (ret != -ENODEV)
			drm_err(&ndev->drm,
				"a worker does not start: see the board's own output\n");
		return ret;
	}
	ret = nnloop_board_check_firmware(&ndev->board);
	if (ret)
		return ret;
	nnloop_workers_set_up(ndev);
	return 0;
}

static bool nnloop_workers_are_idle(struct nnloop_device *ndev)
{
	bool idle = true;
	unsigned int i;

	spin_lock_irq(&ndev->sched.lock);
	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		idle &= worker->state != NNLOOP_WORKER_DOWN && !worker->job;
	}
	spin_unlock_irq(&ndev->sched.lock);
	return idle;
}

/* Makes an idle worker DOWN, so that it begins no job and belongs to whoever parks it. */
static void nnloop_worker_set_down(struct nnloop_worker *worker)
{
	/* A restart that is going on comes to its end. */
	mutex_lock(&worker->reset_lock);
	spin_lock_irq(&worker->ndev->sched.lock);
	if (worker->state == NNLOOP_WORKER_UP)
		worker->state = NNLOOP_WORKER_DOWN;
	spin_unlock_irq(&worker->ndev->sched.lock);
	mutex_unlock(&worker->reset_lock);
}

/**
 * nnloop_workers_park - stop all workers until nnloop_workers_wake()
 * @ndev: the device; its workers are not parked
 * @parked: why
 * @timeout_ms: how long to wait for the passes that run. No jobs begin meanwhile
 *
 * Jobs that come wait. The rings' memory stays, and nothing that the workers know is worth
 * saving: what they remember are translations.
 *
 * Return: 0, also if the DSP is lost; or -EBUSY: a job runs, and all is as before.
 */
int nnloop_workers_park(struct nnloop_device *ndev, enum nnloop_parked parked,
			unsigned int timeout_ms)
{
	struct nnloop_sched *sched = &ndev->sched;
	unsigned int i;

	nnloop_sched_set_parked(sched, parked);
	nnloop_sched_run(ndev);
	if (!wait_event_timeout(sched->idle, nnloop_workers_are_idle(ndev),
				msecs_to_jiffies(timeout_ms))) {
		nnloop_sched_set_parked(sched, NNLOOP_NOT_PARKED);
		nnloop_sched_run(ndev);
		return -EBUSY;
	}
	for (i = 0; i < ndev->board.worker_count; i++)
		nnloop_worker_set_down(ndev->workers[i]);
	if (!READ_ONCE(ndev->lost) && nnloop_workers_halt(ndev))
		nnloop_device_lose(ndev, NNLOOP_NO_ANSWER);
	/* A job may have become ready when no worker was up to take it: this has them woken. */
	nnloop_sched_run(ndev);
	return 0;
}

/**
 * nnloop_workers_wake - undo nnloop_workers_park()
 * @ndev: the device
 *
 * Return: 0, or an error: the DSP is lost.
 */
int nnloop_workers_wake(struct nnloop_device *ndev)
{
	int ret;

	if (READ_ONCE(ndev->lost) || nnloop_board_is_gone(&ndev->board))
		return -ENODEV;
	ret = nnloop_workers_boot(ndev);
	if (ret) {
		nnloop_device_lose(ndev, NNLOOP_NO_START);
		return ret;
	}
	nnloop_workers_set_up(ndev);
	nnloop_sched_set_parked(&ndev->sched, NNLOOP_NOT_PARKED);
	nnloop_sched_run(ndev);
	return 0;
}

/**
 * nnloop_workers_wake_work - a job is ready and all workers are parked
 * @work: &nnloop_device.wake_work
 */
void nnloop_workers_wake_work(struct work_struct *work)
{
	struct nnloop_device *ndev = container_of(to_delayed_work(work), struct nnloop_device,
						  wake_work);
	struct device *dev = ndev->board.dev;
	int ret;

	ret = pm_runtime_resume_and_get(dev);
	if (ret == -EACCES || ret == -EBUSY || ret == -EAGAIN) {
		/*
		 * The system or the bus sleeps or is just waking up, so this is tried again later.
		 */
		queue_delayed_work(ndev->power_wq, &ndev->wake_work,
				   msecs_to_jiffies(NNLOOP_WAKE_RETRY_MS));
		return;
	}
	if (ret < 0) {
		if (!READ_ONCE(ndev->lost))
			nnloop_device_lose(ndev, NNLOOP_NO_START);
		return;
	}
	pm_runtime_mark_last_busy(dev);
	pm_runtime_put_autosuspend(dev);
}

/**
 * nnloop_workers_stop - stop all workers for good and end their jobs
 * @ndev: the device, being removed
 */
void nnloop_workers_stop(struct nnloop_device *ndev)
{
	unsigned int count = ndev->board.worker_count;
	unsigned int i;

	nnloop_sched_shut(&ndev->sched);
	cancel_delayed_work_sync(&ndev->wake_work);
	cancel_delayed_work_sync(&ndev->sched.slice_work);
	for (i = 0; i < count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		/* A restart that is going on comes to its end. */
		mutex_lock(&worker->reset_lock);
		nnloop_worker_shut(worker);
		mutex_unlock(&worker->reset_lock);
		cancel_work_sync(&worker->recover_work);
		cancel_delayed_work_sync(&worker->hang_work);
	}
	if (!READ_ONCE(ndev->lost) && nnloop_workers_halt(ndev))
		nnloop_device_lose(ndev, NNLOOP_NO_ANSWER);
	for (i = 0; i < count; i++)
		nnloop_worker_abandon(ndev->workers[i]);
	nnloop_sched_abandon(ndev);
}
