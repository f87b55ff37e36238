// SPDX-License-Identifier: GPL-2.0
/*
 * All workers at once: started when the device appears, stopped when it goes, and in between
 * parked while there is nothing to do or the system sleeps.
 *
 * A parked worker is stopped like one that is reset, and DOWN. Jobs that come wait for it as they
 * wait for a restart, so nobody else needs to know; the first one has the workers woken, because
 * each job holds a runtime power reference from when a worker gets it until it ends.
 */
#include <linux/jiffies.h>

#include "nnloop_drv.h"
#include "nnloop_job.h"
#include "nnloop_worker.h"

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

/* Lets jobs through, the one that waits first. */
static void nnloop_workers_let_begin(struct nnloop_device *ndev)
{
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		spin_lock_irq(&worker->lock);
		worker->paused = false;
		nnloop_worker_begin_waiting(worker);
		spin_unlock_irq(&worker->lock);
	}
}

static void nnloop_workers_set_up(struct nnloop_device *ndev)
{
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		spin_lock_irq(&worker->lock);
		if (worker->state == NNLOOP_WORKER_DOWN)
			worker->state = NNLOOP_WORKER_UP;
		spin_unlock_irq(&worker->lock);
	}
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
		drm_err(&ndev->drm, NNLOOP_NO_ANSWER ": restart the machine that has it\n");
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
		drm_err(&ndev->drm, "a worker does not start: see the board's own output\n");
		return ret;
	}
	ret = nnloop_board_check_firmware(&ndev->board);
	if (ret)
		return ret;
	nnloop_workers_set_up(ndev);
	return 0;
}

static bool nnloop_worker_is_idle(struct nnloop_worker *worker)
{
	bool idle;

	spin_lock_irq(&worker->lock);
	idle = worker->state != NNLOOP_WORKER_DOWN && !(worker->job && worker->job->started);
	spin_unlock_irq(&worker->lock);
	return idle;
}

/* An idle and paused worker becomes DOWN, and whoever parks it its owner. */
static void nnloop_worker_set_down(struct nnloop_worker *worker)
{
	/* A restart that is going on comes to its end. */
	mutex_lock(&worker->reset_lock);
	spin_lock_irq(&worker->lock);
	if (worker->state == NNLOOP_WORKER_UP)
		worker->state = NNLOOP_WORKER_DOWN;
	spin_unlock_irq(&worker->lock);
	mutex_unlock(&worker->reset_lock);
}

/**
 * nnloop_workers_park - stop all workers until nnloop_workers_wake()
 * @ndev: the device; its workers are not parked
 * @timeout_ms: how long to wait for jobs that run. No others begin meanwhile
 *
 * Jobs that come wait. The rings' memory stays, and nothing that the workers know is worth
 * saving: what they remember are translations.
 *
 * Return: 0, also if the DSP is lost; or -EBUSY: a job runs, and all is as before.
 */
int nnloop_workers_park(struct nnloop_device *ndev, unsigned int timeout_ms)
{
	long left = msecs_to_jiffies(timeout_ms);
	unsigned int i;

	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		spin_lock_irq(&worker->lock);
		worker->paused = true;
		spin_unlock_irq(&worker->lock);
	}
	for (i = 0; i < ndev->board.worker_count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		left = wait_event_timeout(worker->idle, nnloop_worker_is_idle(worker), left);
		if (!left) {
			nnloop_workers_let_begin(ndev);
			return -EBUSY;
		}
	}
	for (i = 0; i < ndev->board.worker_count; i++)
		nnloop_worker_set_down(ndev->workers[i]);
	if (!READ_ONCE(ndev->lost) && nnloop_workers_halt(ndev))
		nnloop_device_lose(ndev, NNLOOP_NO_ANSWER);
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

	if (READ_ONCE(ndev->lost))
		return -ENODEV;
	ret = nnloop_workers_boot(ndev);
	if (ret) {
		nnloop_device_lose(ndev, NNLOOP_NO_START);
		return ret;
	}
	nnloop_workers_set_up(ndev);
	nnloop_workers_let_begin(ndev);
	return 0;
}

/**
 * nnloop_workers_stop - stop all workers for good and end their jobs
 * @ndev: the device, being removed
 */
void nnloop_workers_stop(struct nnloop_device *ndev)
{
	struct nnloop_job *jobs[NNLOOP_MAX_WORKERS];
	unsigned int count = ndev->board.worker_count;
	unsigned int i;

	for (i = 0; i < count; i++) {
		struct nnloop_worker *worker = ndev->workers[i];

		/* A restart that is going on comes to its end. */
		mutex_lock(&worker->reset_lock);
		jobs[i] = nnloop_worker_shut(worker);
		mutex_unlock(&worker->reset_lock);
		cancel_work_sync(&worker->recover_work);
	}
	if (!READ_ONCE(ndev->lost) && nnloop_workers_halt(ndev))
		nnloop_device_lose(ndev, NNLOOP_NO_ANSWER);
	for (i = 0; i < count; i++) {
		if (jobs[i])
			nnloop_job_end(jobs[i], &NNLOOP_RESULT(-ENODEV));
	}
}
