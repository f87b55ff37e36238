// SPDX-License-Identifier: GPL-2.0
/*
 * The DSP as a PCI function, a transport (nnloop_transport.h): the BARs, doorbell, interrupts, and
 * the life of the device on its bus.
 */
#include <linux/interrupt.h>
#include <linux/pci.h>
#include <linux/pm_runtime.h>

#include <drm/drm_drv.h>

#include "nnloop_drv.h"
#include "nnloop_transport.h"
#include "nnloop_worker.h"

#define NNLOOP_PCI_BAR_DOORBELL		0
#define NNLOOP_PCI_BAR_REGS		2

/**
 * struct nnloop_pci - what the driver has of a PCI function beside its registers
 */
struct nnloop_pci {
	/** @doorbell: a write of peer << 16 | vector wakes a worker or the board */
	void __iomem *doorbell;
};

static void nnloop_pci_ring_doorbell(struct nnloop_board *board, unsigned int vector)
{
	struct nnloop_pci *pci = board->bus;

	writel(board->peer << 16 | vector, pci->doorbell);
}

static irqreturn_t nnloop_pci_worker_irq(int irq, void *data)
{
	nnloop_worker_interrupt(data);
	return IRQ_HANDLED;
}

static irqreturn_t nnloop_pci_board_irq(int irq, void *data)
{
	struct nnloop_device *ndev = data;

	nnloop_transport_interrupt(ndev, ndev->board.worker_count);
	return IRQ_HANDLED;
}

/* Gives the handlers of the first vectors back; an interrupt is masked then. */
static void nnloop_pci_mask_irqs(struct nnloop_device *ndev, unsigned int count)
{
	struct pci_dev *pdev = to_pci_dev(ndev->board.dev);
	unsigned int i;

	for (i = 0; i < count; i++)
		pci_free_irq(pdev, i, i < ndev->board.worker_count ?
				      (void *)ndev->workers[i] : ndev);
}

static void nnloop_pci_disable_irqs(struct nnloop_device *ndev)
{
	nnloop_pci_mask_irqs(ndev, ndev->board.worker_count + 1);
}

static void nnloop_pci_free_irqs(struct nnloop_device *ndev)
{
	pci_free_irq_vectors(to_pci_dev(ndev->board.dev));
}

/* Has the bus refuse the accesses of a DSP that cannot be stopped. */
static void nnloop_pci_stop_dma(struct nnloop_board *board)
{
	pci_clear_master(to_pci_dev(board->dev));
}

/* Requests a vector for each worker and one for the board. */
static int nnloop_pci_request_irqs(struct nnloop_device *ndev)
{
	struct pci_dev *pdev = to_pci_dev(ndev->board.dev);
	unsigned int workers = ndev->board.worker_count;
	unsigned int i;
	int ret;

	ret = pci_alloc_irq_vectors(pdev, workers + 1, workers + 1, PCI_IRQ_MSIX);
	if (ret < 0) {
		dev_err(&pdev->dev, "nnloop needs %u MSI-X vectors and the board has not so many\n",
			workers + 1);
		return ret;
	}
	for (i = 0; i <= workers; i++) {
		if (i < workers)
			ret = pci_request_irq(pdev, i, nnloop_pci_worker_irq, NULL,
					      ndev->workers[i], "nnloop-%s-%u",
					      pci_name(pdev), i);
		else
			ret = pci_request_irq(pdev, i, nnloop_pci_board_irq, NULL,
					      ndev, "nnloop-%s-board", pci_name(pdev));
		if (ret) {
			nnloop_pci_mask_irqs(ndev, i);
			pci_free_irq_vectors(pdev);
			return ret;
		}
	}
	return 0;
}

static const struct nnloop_transport nnloop_pci_transport = {
	.remedy = "restart the machine that has the board",
	.ring_doorbell = nnloop_pci_ring_doorbell,
	.request_irqs = nnloop_pci_request_irqs,
	.disable_irqs = nnloop_pci_disable_irqs,
	.free_irqs = nnloop_pci_free_irqs,
	.stop_dma = nnloop_pci_stop_dma,
};

/*
 * Requests the BARs, so that nobody else has them. What pci_request_regions() has taken is given
 * back with pcim_enable_device()'s resources on some kernels, and not on others; this way it is on
 * all.
 */
static int nnloop_pci_request_bars(struct pci_dev *pdev)
{
	int bar;

	for (bar = 0; bar < PCI_STD_NUM_BARS; bar++) {
		if (!(pci_resource_flags(pdev, bar) & IORESOURCE_MEM))
			continue;
		if (!devm_request_mem_region(&pdev->dev, pci_resource_start(pdev, bar),
					     pci_resource_len(pdev, bar), "nnloop")) {
			dev_err(&pdev->dev, "BAR %d is in use: see /proc/iomem\n", bar);
			return -EBUSY;
		}
	}
	return 0;
}

/* Finds the registers and sees whether this is one of our boards. */
static int nnloop_pci_map(struct pci_dev *pdev, struct nnloop_board *board)
{
	struct nnloop_pci *pci;
	int ret;

	if (pci_resource_len(pdev, NNLOOP_PCI_BAR_REGS) < NNLOOP_REGS_SIZE)
		return -ENODEV;
	ret = pcim_enable_device(pdev);
	if (ret)
		return ret;
	board->dev = &pdev->dev;
	board->transport = &nnloop_pci_transport;
	board->regs = pcim_iomap(pdev, NNLOOP_PCI_BAR_REGS, NNLOOP_REGS_SIZE);
	if (!board->regs)
		return -ENOMEM;
	ret = nnloop_board_probe(board);
	if (ret)
		return ret;
	ret = nnloop_pci_request_bars(pdev);
	if (ret)
		return ret;
	pci = devm_kzalloc(&pdev->dev, sizeof(*pci), GFP_KERNEL);
	if (!pci)
		return -ENOMEM;
	board->bus = pci;
	pci->doorbell = pcim_iomap(pdev, NNLOOP_PCI_BAR_DOORBELL, 0);
	if (!pci->doorbell)
		return -ENOMEM;
	pci->doorbell += NNLOOP_BAR0_DOORBELL;
	pci_set_master(pdev);
	return nnloop_transport_init_dma(&pdev->dev);
}

static int nnloop_pci_probe(struct pci_dev *pdev, const struct pci_device_id *id)
{
	struct nnloop_board board = {};
	int ret;

	ret = nnloop_pci_map(pdev, &board);
	if (ret)
		return ret;
	ret = nnloop_transport_probe(&board);
	if (ret)
		return ret;

	/* The PCI core has a runtime power reference for us while we probe. Jobs take theirs. */
	pm_runtime_allow(&pdev->dev);
	pm_runtime_put_autosuspend(&pdev->dev);
	return 0;
}

static void nnloop_pci_remove(struct pci_dev *pdev)
{
	struct nnloop_device *ndev = pci_get_drvdata(pdev);

	/*
	 * The PCI core has woken the device, or could not. That it could not is remembered with the
	 * device, which then neither sleeps nor wakes under a driver that comes next, unless this
	 * ends it.
	 */
	pm_runtime_set_active(&pdev->dev);
	pm_runtime_forbid(&pdev->dev);
	pm_runtime_get_noresume(&pdev->dev);

	nnloop_transport_remove(ndev);
}

/*
 * Called when the system ends, or another kernel takes over that knows nothing of what the DSP
 * does: from now on the DSP leaves the memory alone. Files that are still open find the device
 * gone, but nothing is taken from them: that would have to wait for calls that are under way,
 * perhaps for ever.
 */
static void nnloop_pci_shutdown(struct pci_dev *pdev)
{
	struct nnloop_device *ndev = pci_get_drvdata(pdev);

	/* The PCI core has woken the device. */
	WRITE_ONCE(ndev->stopped, true);
	nnloop_transport_quiesce(ndev);
	pci_clear_master(pdev);
}

/* When the system goes to sleep, processes are frozen already, so no more jobs come. */
static const struct dev_pm_ops nnloop_pci_pm_ops = {
	SYSTEM_SLEEP_PM_OPS(nnloop_transport_sleep, nnloop_transport_wake)
	RUNTIME_PM_OPS(nnloop_transport_idle, nnloop_transport_wake, NULL)
};

/* These are the ids of every ivshmem device; the register file's magic tells which is ours. */
static const struct pci_device_id nnloop_pci_ids[] = {
	{ PCI_DEVICE(NNLOOP_PCI_VENDOR_ID, NNLOOP_PCI_DEVICE_ID) },
	{}
};
MODULE_DEVICE_TABLE(pci, nnloop_pci_ids);

static struct pci_driver nnloop_pci_driver = {
	.name = "nnloop",
	.id_table = nnloop_pci_ids,
	.probe = nnloop_pci_probe,
	.remove = nnloop_pci_remove,
	.shutdown = nnloop_pci_shutdown,
	.driver.pm = pm_ptr(&nnloop_pci_pm_ops),
};

/**
 * nnloop_pci_register - for module init
 */
int nnloop_pci_register(void)
{
	return pci_register_driver(&nnloop_pci_driver);
}

/**
 * nnloop_pci_unregister - for module exit
 */
void nnloop_pci_unregister(void)
{
	pci_unregister_driver(&nnloop_pci_driver);
}
