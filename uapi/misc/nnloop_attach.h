/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note OR MIT */
#ifndef _UAPI_NNLOOP_ATTACH_H_
#define _UAPI_NNLOOP_ATTACH_H_

#include <linux/ioctl.h>
#include <linux/types.h>

#if defined(__cplusplus)
extern "C" {
#endif

/**
 * DOC: the door of boards
 *
 * /dev/nnloop-board is how a process of this machine becomes an nnloop board.
 * It opens the device and calls NNLOOP_BOARD_ATTACH once. The driver then
 * brings the board up as it would one on a bus, and if the board answers,
 * there is a new DSP, with nodes of its own for clients. An open file is one
 * board; a second board opens the device again.
 *
 * Registers, rings, page tables: driver/nnloop_hw.h describes them. The
 * registers are memory of the board's that the driver uses as well; doorbells
 * and interrupts are eventfds; memory of clients, of rings and of page tables
 * is reached through mmap() of the file, at the offset that is the DMA
 * address. Only pages that are the DSP's at the moment are there: an access to
 * any other raises SIGBUS, and what was mapped is taken away when the driver
 * takes it from the DSP. Pages that the DSP may not write cannot be written. The
 * mapping must be MAP_SHARED and the file open for reading and writing; a child
 * process does not inherit it, but may map the file itself.
 *
 * The DSP is removed, as if it was unplugged, when the process that attached
 * the board closes a descriptor of the file or ends, and when the driver gives
 * the board up. The file then reports POLLHUP, reaches no memory any more, and
 * cannot be attached again.
 *
 * Whoever can open the device sees, as the DSP does, what clients give to it.
 */

/* The version of this interface. */
#define NNLOOP_BOARD_VERSION		1

#define NNLOOP_BOARD_MAX_WORKERS	8

/* Bytes of the register file: NNLOOP_REGS_SIZE. */
#define NNLOOP_BOARD_REGISTERS_SIZE	0x10000

/**
 * struct nnloop_board_attach - argument of NNLOOP_BOARD_ATTACH
 * @version: NNLOOP_BOARD_VERSION
 * @workers: hardware threads of the DSP, as the registers say
 * @registers: address of the registers, page-aligned, NNLOOP_BOARD_REGISTERS_SIZE
 *	bytes that the caller can write: a shared mapping, of a memfd for instance,
 *	if other processes are to use them, too. The driver pins the pages: what
 *	becomes of the mapping makes no difference to it. The board's part must
 *	be filled in before the call
 * @doorbell: eventfds, one for each worker and behind them the board's own:
 *	the driver adds 1. -1 behind that
 * @interrupt: eventfds, likewise: who has something to say to the driver adds 1,
 *	and the driver takes it away at once
 * @flags: 0
 *
 * The call returns before the board is asked for anything. If it does not
 * answer then, or not as it should, the file reports POLLHUP. A file whose call
 * has failed is to be closed.
 *
 * ========== ==========================================================
 * EPROTO     @version is not one that the driver knows
 * EINVAL     @workers, @registers or @flags; not an eventfd, or one that has another
 *	      use, here or by another board; one for which there is no worker
 * EBADF      not an open file
 * EFAULT     @registers cannot be written
 * EBUSY      the file has been attached before, or is being attached
 * ENOSPC     there are as many boards as there can be
 * EOPNOTSUPP this machine shows devices other memory than processes, because
 *	      of memory encryption, swiotlb=force or an IOMMU, or its pages
 *	      are not of 4 KiB: the kernel's log says which
 * ========== ==========================================================
 */
struct nnloop_board_attach {
	__u32 version;
	__u32 workers;
	__u64 registers;
	__s32 doorbell[NNLOOP_BOARD_MAX_WORKERS + 1];
	__s32 interrupt[NNLOOP_BOARD_MAX_WORKERS + 1];
	__u32 flags;
	__u32 reserved;	/* 0 */
};

#define NNLOOP_BOARD_ATTACH	_IOW('n', 0xe0, struct nnloop_board_attach)

#if defined(__cplusplus)
}
#endif

#endif
