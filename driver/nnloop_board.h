/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The board: what the driver knows of the DSP's register file and command rings, and the functions
 * that use them (nnloop_board.c). A transport (nnloop_transport.h) fills in how they are reached;
 * nnloop_worker.c and nnloop_power.c call the functions.
 */
#ifndef NNLOOP_BOARD_H
#define NNLOOP_BOARD_H

#include <linux/io.h>
#include <linux/types.h>

#include "nnloop_hw.h"
#include "nnloop_pt.h"

struct nnloop_device;
struct nnloop_transport;

/**
 * struct nnloop_result - how a job ended
 */
struct nnloop_result {
	/** @error: 0 or a negative errno, as the uapi lists them */
	int error;
	/** @passes_done: complete passes */
	u32 passes_done;
	/** @fail_op: operator that failed, ~0 if none */
	u32 fail_op;
	/** @fail_reason: the firmware's reason, if @error is -EINVAL */
	u32 fail_reason;
	/** @fault_access: NNLOOP_ACCESS_*, if @error is -EFAULT */
	u32 fault_access;
	/** @fault_address: address in the window, if @error is -EFAULT */
	u32 fault_address;
};

/*
 * The result of one worker's part of a job, when another worker of the gang has failed or has ended
 * too soon.
 */
#define NNLOOP_ALONE		(-EPIPE)

#define NNLOOP_RESULT(err)	((struct nnloop_result){ .error = (err), .fail_op = ~0u })

/**
 * struct nnloop_board_register - one of a worker's registers, for people
 */
struct nnloop_board_register {
	/** @name: its name in nnloop_hw.h */
	const char *name;
	/** @offset: its offset in the worker's block */
	u32 offset;
};

#define NNLOOP_BOARD_REGISTERS	28
extern const struct nnloop_board_register nnloop_board_registers[NNLOOP_BOARD_REGISTERS];

/**
 * struct nnloop_ring - a worker's command ring
 */
struct nnloop_ring {
	/** @cmds: NNLOOP_RING_ENTRIES entries that only the driver writes */
	struct nnloop_cmd *cmds;
	/** @dma: its DMA address */
	dma_addr_t dma;
	/** @tail: entries written so far, modulo 2^32 */
	u32 tail;
};

/**
 * struct nnloop_board - the DSP's registers and rings
 *
 * nnloop_board.c is the only file that knows registers; where they are, the doorbell and the
 * interrupts are the transport's.
 */
struct nnloop_board {
	/** @dev: for DMA */
	struct device *dev;
	/** @transport: how the DSP is reached */
	const struct nnloop_transport *transport;
	/** @bus: the transport's own data */
	void *bus;
	/** @regs: the register file */
	void __iomem *regs;
	/** @peer: the DSP's peer id, by which PCI's doorbells name it */
	u32 peer;
	/** @hardware_version: of the register map */
	u32 hardware_version;
	/** @firmware_version: of the firmware that runs */
	u32 firmware_version;
	/** @worker_count: hardware threads */
	unsigned int worker_count;
	/** @system_pt: page table of the system window, where the rings are */
	struct nnloop_pt system_pt;
	/** @rings: one for each worker */
	struct nnloop_ring rings[NNLOOP_MAX_WORKERS];
};

bool nnloop_board_is_gone(struct nnloop_board *board);
bool nnloop_board_asks(const struct nnloop_board *board);
int nnloop_board_map(struct nnloop_board *board, dma_addr_t dma, size_t size, bool read_only);
void nnloop_board_unmap(struct nnloop_board *board, dma_addr_t dma, size_t size, bool read_only);
void *nnloop_board_alloc(struct nnloop_board *board, size_t size, dma_addr_t *dma, gfp_t gfp);
void nnloop_board_free(struct nnloop_board *board, size_t size, void *memory, dma_addr_t dma);

int nnloop_board_probe(struct nnloop_board *board);
int nnloop_board_init(struct nnloop_board *board);
void nnloop_board_fini(struct nnloop_board *board, unsigned long *leaked_pages);

void nnloop_board_request_stop(struct nnloop_board *board, unsigned int worker);
int nnloop_board_wait_stopped(struct nnloop_board *board, unsigned int worker);
void nnloop_board_request_start(struct nnloop_board *board, unsigned int worker);
int nnloop_board_wait_started(struct nnloop_board *board, unsigned int worker);
int nnloop_board_check_firmware(struct nnloop_board *board);
bool nnloop_board_has_gangs(const struct nnloop_board *board);

bool nnloop_board_worker_died(struct nnloop_board *board, unsigned int worker);
void nnloop_board_read_registers(struct nnloop_board *board, unsigned int worker, u32 *values);
u32 nnloop_board_progress(struct nnloop_board *board, unsigned int worker);
u32 nnloop_board_ring_head(struct nnloop_board *board, unsigned int worker);
u32 nnloop_board_passes_done(struct nnloop_board *board, unsigned int worker);
void nnloop_board_submit(struct nnloop_board *board, unsigned int worker,
			 const struct nnloop_cmd *cmds, unsigned int count);
void nnloop_board_cancel(struct nnloop_board *board, unsigned int worker, u64 job);
u64 nnloop_board_switch_ns(struct nnloop_board *board, unsigned int worker);
void nnloop_board_yield(struct nnloop_board *board, unsigned int worker, u64 job);
bool nnloop_board_result(struct nnloop_board *board, unsigned int worker, u64 job,
			 struct nnloop_result *result);
struct nnloop_result nnloop_board_wreck(struct nnloop_board *board, unsigned int worker,
					u64 job, int error);

#endif
