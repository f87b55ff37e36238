/* SPDX-License-Identifier: MIT */
/*
 * What a worker's process consists of beside QEMU: the SMMU (smmu.c) and what puts both in one
 * process (loader.c).
 */
#ifndef SMMU_H
#define SMMU_H

#include <stdint.h>

#define PAGE_SIZE	4096u

/* Take over the VM's memory, BOARD_FD_RAM, and wait for the firmware's calls. */
void smmu_init(uint64_t ram_base);

/* End the worker. `error` is what a system call returned, or 0. */
void __attribute__((noreturn)) fatal(const char *what, long error);

/* mmap(). The address, or -errno. */
long map(uintptr_t address, uint64_t size, int prot, int flags, int fd, uint64_t offset);

#endif
