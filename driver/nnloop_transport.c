// SPDX-License-Identifier: GPL-2.0
/*
 * All transports do this alike: the order in which a device comes and goes, and its power. The rest
 * is in the table that each of them fills in (nnloop_transport.h).
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/pm_runtime.h>

#include "nnloop_drv.h"
#include "nnloop_transport.h"
#include "nnloop_worker.h"

/* How long workers are without a job before they are parked; autosuspend_delay_ms begins so. */
#define NNLOOP_IDLE_MS		5000
/* How long a system that is going to sleep waits for jobs that run. */
#define NNLOOP_SLEEP_MS		5000

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
 * nnloop_transport_init_dma - which memory the DSP reaches
 * @dev: its parent
 *
 * Return: 0 or an error.
 */
int nnloop_transport_init_dma(struct device *dev)
{
	/* Page tables map memory by the page, so a stretch of it can have any length. */
	dma_set_max_seg_size(dev, UINT_MAX);
	return dma_set_mask_and_coherent(dev, DMA_BIT_MASK(52));
}

static int nnloop_transport_bring_up(struct nnloop_device *ndev)
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
	/*
	 * Somebody may have opened the DRM node before the other one could not be made, and has
	 * memory there that a board need not have let go.
	 */
	ndev->board.transport->stop_dma(&ndev->board);
	nnloop_device_dismantle(ndev);
err_fini_board:
	nnloop_device_fini_board(ndev);
	return ret;
}

/**
 * nnloop_transport_probe - bring a DSP up and show it to user space
 * @board: what the transport found
 *
 * If this succeeds, the parent's driver data is the device. The transport then lets the parent's
 * runtime power management begin.
 *
 * Return: 0; or an error, and nothing is left to do.
 */
int nnloop_transport_probe(const struct nnloop_board *board)
{
	struct device *dev = board->dev;
	struct nnloop_device *ndev;
	int ret;

	ndev = nnloop_device_alloc(board);
	if (IS_ERR(ndev))
		return PTR_ERR(ndev);
	/* The device's power is asked for as soon as it is seen. */
	dev_set_drvdata(dev, ndev);
	ret = nnloop_transport_bring_up(ndev);
	if (ret)
		return ret;

	pm_runtime_set_autosuspend_delay(dev, NNLOOP_IDLE_MS);
	pm_runtime_use_autosuspend(dev);
	pm_runtime_mark_last_busy(dev);
	return 0;
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
 * @ndev: the device, whose parent does not go to sleep any more; files may still be open
 */
void nnloop_transport_remove(struct nnloop_device *ndev)
{
	pm_runtime_dont_use_autosuspend(ndev->board.dev);
	nnloop_device_unplug(ndev);
	/* Somebody may still unbind a device that was shut down while the system ends. */
	if (!ndev->stopped)
		nnloop_transport_quiesce(ndev);
	nnloop_device_dismantle(ndev);
	nnloop_device_fini_board(ndev);
}

/**
 * nnloop_transport_idle - nobody has used the device for a while
 * @dev: its parent
 *
 * Return: 0 or an error.
 */
int nnloop_transport_idle(struct device *dev)
{
	int ret;

	ret = nnloop_workers_park(dev_get_drvdata(dev), NNLOOP_PARKED_IDLE, 0);
	/* Without this the core would not try again. */
	if (ret)
		pm_runtime_mark_last_busy(dev);
	return ret;
}

/**
 * nnloop_transport_sleep - the system is going to sleep
 * @dev: the device's parent, which is awake
 *
 * No jobs begin any more, and those that are there wait. A job that takes long is a reason not to
 * sleep rather than one to be lost.
 *
 * Return: 0 or an error.
 */
int nnloop_transport_sleep(struct device *dev)
{
	int ret;

	ret = nnloop_workers_park(dev_get_drvdata(dev), NNLOOP_PARKED_ASLEEP, NNLOOP_SLEEP_MS);
	if (ret)
		dev_info(dev,
			 "no sleep: a job still ran after %u s. Cancel it, or end its process\n",
			 NNLOOP_SLEEP_MS / 1000);
	return ret;
}

/**
 * nnloop_transport_wake - undo either: somebody uses the device again, or the system is awake
 * @dev: its parent
 *
 * Return: 0 or an error.
 */
int nnloop_transport_wake(struct device *dev)
{
	return nnloop_workers_wake(dev_get_drvdata(dev));
}
