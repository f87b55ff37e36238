/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Transports: how the driver comes to a DSP. Each fills in one table of functions, of which the
 * rest of the driver knows nothing more than is here: nnloop_pci.c for a board that is a PCI
 * function, nnloop_soft.c for one that is a process of this machine.
 */
#ifndef NNLOOP_TRANSPORT_H
#define NNLOOP_TRANSPORT_H

#include <linux/types.h>

struct device;
struct nnloop_board;
struct nnloop_device;

/**
 * struct nnloop_transport - what the driver needs of a bus
 *
 * The register file needs no function: it is memory-mapped, and &nnloop_board.regs is where.
 */
struct nnloop_transport {
	/** @remedy: for the log: what to do about a board that was given up */
	const char *remedy;

	/** @ring_doorbell: wake a worker; the vector behind the last is the board's; any context */
	void (*ring_doorbell)(struct nnloop_board *board, unsigned int vector);

	/** @request_irqs: from now on nnloop_transport_interrupt() is called; 0 or an error */
	int (*request_irqs)(struct nnloop_device *ndev);

	/** @disable_irqs: it is not called any more, and does not run any more */
	void (*disable_irqs)(struct nnloop_device *ndev);

	/** @free_irqs: give back what @request_irqs took; the workers are stopped. May be NULL */
	void (*free_irqs)(struct nnloop_device *ndev);

	/** @stop_dma: have the bus refuse the DSP's accesses to memory for good; may sleep */
	void (*stop_dma)(struct nnloop_board *board);

	/**
	 * @is_gone: nobody answers any more, and the DSP reaches no memory any more, both for good;
	 * any context. NULL where that cannot be known
	 */
	bool (*is_gone)(struct nnloop_board *board);

	/**
	 * @map: from now on the DSP may reach these pages, whole ones, whether or not it already
	 * may. May sleep, but not for others.
	 * 0, -ENOMEM, or -EINVAL: the board cannot reach such memory. It does not fail for pages of
	 * which the DSP already may do as much or more. NULL where the bus does not ask
	 */
	int (*map)(struct nnloop_board *board, dma_addr_t dma, size_t size, bool read_only);

	/**
	 * @unmap: undo one @map of the same pages with the same @read_only. When this returns the
	 * DSP reaches no more of them than what other calls of @map are left for, so that they can
	 * be freed whatever the board does. May sleep, but not for the board
	 */
	void (*unmap)(struct nnloop_board *board, dma_addr_t dma, size_t size, bool read_only);
};

void nnloop_transport_interrupt(struct nnloop_device *ndev, unsigned int vector);

int nnloop_transport_init_dma(struct device *dev);
int nnloop_transport_probe(const struct nnloop_board *board);
void nnloop_transport_quiesce(struct nnloop_device *ndev);
void nnloop_transport_remove(struct nnloop_device *ndev);

int nnloop_transport_idle(struct device *dev);
int nnloop_transport_sleep(struct device *dev);
int nnloop_transport_wake(struct device *dev);

int nnloop_pci_register(void);
void nnloop_pci_unregister(void);
int nnloop_soft_register(void);
void nnloop_soft_unregister(void);

#endif
