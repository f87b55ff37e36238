/* SPDX-License-Identifier: MIT */
/*
 * The parts of a worker's process beside QEMU: the SMMU (smmu.c), the barriers of workers
 * (barrier.c), and what puts all that in one process (loader.c).
 */
#ifndef SMMU_H
#define SMMU_H

#include <stdint.h>

#include "dsp/firmware/board.h"

#define PAGE_SIZE	4096u

/* Take over the VM's memory, BOARD_FD_RAM, and wait for the firmware's calls. */
void smmu_init(uint64_t ram_base);

/* End the worker. `error` is what a system call returned, or 0. */
void __attribute__((noreturn)) fatal(const char *what, long error);

/* Returns where the firmware's addresses are in this process. */
static inline uintptr_t host_address(uint32_t address)
{
	return BOARD_GUEST_BASE + address;
}

/* BOARD_CALL_BARRIER, with its arguments. */
enum board_barrier barrier_wait(uint32_t self, uint32_t others, uint32_t barrier);

/* mmap(). The address, or -errno. */
long map(uintptr_t address, uint64_t size, int prot, int flags, int fd, uint64_t offset);

#endif
