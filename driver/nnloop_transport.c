// SPDX-License-Identifier: GPL-2.0
/*
 * All transports do this alike: the order in which a device comes and goes, and its power. The rest
 * is in the table that each of them fills in (nnloop_transport.h).
 */
#include <linux/device.h>
#include <linux/pm_runtime.h>

#include "nnloop_drv.h"
#include "nnloop_transport.h"
#include "nnloop_worker.h"

/**
 * nnloop_transport_interrupt - a worker or the board has something to say
 * @ndev: the device
 * @vector: the worker's index; the board's is the one behind the last
 *
 * Context: hard interrupt, or any other.
 */
void nnloop_transport_interrupt(struct nnloop_device *ndev, unsigned int vector)
{
	unsigned int i;

	if (vector < ndev->board.worker_count) {
		nnloop_worker_interrupt(ndev->workers[vector]);
		return;
	}
	for (i = 0; i < ndev->board.worker_count; i++)
		nnloop_worker_interrupt(ndev->workers[i]);
}

/**
 * nnloop_transport_probe - bring a DSP up and show it to user space
 * @ndev: the device, just made, which its parent's driver data names
 *
 * Return: 0; or an error, and all that is left to do is to free the device.
 */
int nnloop_transport_probe(struct nnloop_device *ndev)
{
	int ret;

	ret = nnloop_board_init(&ndev->board);
	if (ret)
		return ret;
	ret = nnloop_workers_reset(ndev);
	if (ret)
		goto err_fini_board;
	ret = ndev->board.transport->request_irqs(ndev);
	if (ret)
		goto err_fini_board;
	ret = nnloop_workers_start(ndev);
	if (ret)
		goto err_quiesce;
	ret = nnloop_device_register(ndev);
	if (ret)
		goto err_quiesce;
	return 0;

err_quiesce:
	nnloop_transport_quiesce(ndev);
	/* Somebody may have opened the DRM node before the other one could not be made. */
	nnloop_device_dismantle(ndev);
err_fini_board:
	nnloop_device_fini_board(ndev);
	return ret;
}

/**
 * nnloop_transport_quiesce - stop the workers for good and give the interrupts back
 * @ndev: the device
 *
 * Interrupts are off before the board is told to stop the workers, which it answers with one, and
 * given back after it did: on arm64 an interrupt that is on its way to a CPU must not find its
 * vector gone.
 */
void nnloop_transport_quiesce(struct nnloop_device *ndev)
{
	const struct nnloop_transport *transport = ndev->board.transport;

	transport->disable_irqs(ndev);
	nnloop_workers_stop(ndev);
	if (transport->free_irqs)
		transport->free_irqs(ndev);
}

/**
 * nnloop_transport_remove - take a DSP away from user space and give back what it used
 * @ndev: the device; files may still be open
 */
void nnloop_transport_remove(struct nnloop_device *ndev)
{
	nnloop_device_unplug(ndev);
	/* Somebody may still unbind a device that was shut down while the system ends. */
	if (!ndev->stopped)
		nnloop_transport_quiesce(ndev);
	nnloop_device_dismantle(ndev);
	nnloop_device_fini_board(ndev);
}

/**
 * nnloop_transport_runtime_suspend - nobody has used the device for a while
 * @dev: its parent
 *
 * Return: 0 or an error.
 */
int nnloop_transport_runtime_suspend(struct device *dev)
{
	int ret;

	ret = nnloop_workers_park(dev_get_drvdata(dev), NNLOOP_PARKED_IDLE, 0);
	/* Without this the core would not try again. */
	if (ret)
		pm_runtime_mark_last_busy(dev);
	return ret;
}

/**
 * nnloop_transport_runtime_resume - somebody uses the device again
 * @dev: its parent
 *
 * Return: 0 or an error.
 */
int nnloop_transport_runtime_resume(struct device *dev)
{
	return nnloop_workers_wake(dev_get_drvdata(dev));
}

/**
 * nnloop_transport_sleep - the system is going to sleep
 * @ndev: the device, which is awake; nnloop_workers_wake() undoes this
 *
 * No jobs begin any more, and those that are there wait. A job that takes long is a reason not to
 * sleep rather than one to be lost.
 *
 * Return: 0 or an error.
 */
int nnloop_transport_sleep(struct nnloop_device *ndev)
{
	int ret;

	ret = nnloop_workers_park(ndev, NNLOOP_PARKED_ASLEEP, NNLOOP_SLEEP_MS);
	if (ret)
		dev_info(ndev->board.dev,
			 "no sleep: a job still ran after %u s. Cancel it, or end its process\n",
			 NNLOOP_SLEEP_MS / 1000);
	return ret;
}
