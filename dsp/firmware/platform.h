/* SPDX-License-Identifier: MIT */
/*
 * The platform is what the firmware needs from the machine it runs on. The virtual board's is
 * board.c; a port to silicon replaces that file and the address of the registers, nothing else.
 *
 * There is one worker per address space, so nothing here takes a handle or a lock.
 */
#ifndef PLATFORM_H
#define PLATFORM_H

#include <stdbool.h>
#include <stdint.h>

#include "dsp/firmware/board.h"
#include "driver/nnloop_hw.h"

/* The address of the register file in the firmware's address space. */
#define PLATFORM_REGISTERS	BOARD_REGISTERS

/* Offset of this worker's register block. Set by platform_init(). */
extern uint32_t platform_worker_block;

/* Bytes of the L2 cache, or 0 where nobody says. Set by platform_init(). */
extern uint32_t platform_l2_bytes;

/* Written by the SMMU on a forbidden access, see struct board_fault. */
extern volatile struct board_fault platform_fault;

static inline uint32_t board_read(uint32_t reg)
{
	return *(volatile uint32_t *)(uintptr_t)(PLATFORM_REGISTERS + reg);
}

static inline void board_write(uint32_t reg, uint32_t value)
{
	*(volatile uint32_t *)(uintptr_t)(PLATFORM_REGISTERS + reg) = value;
}

/* Registers of this worker, NNLOOP_WREG_*. */
static inline uint32_t worker_read(uint32_t reg)
{
	return board_read(platform_worker_block + reg);
}

static inline void worker_write(uint32_t reg, uint32_t value)
{
	board_write(platform_worker_block + reg, value);
}

/* Whether these addresses are the client's. */
static inline bool in_window(uint32_t address, uint64_t size)
{
	return address >= NNLOOP_WINDOW_BASE && address <= NNLOOP_WINDOW_END &&
	       size <= NNLOOP_WINDOW_END - address;
}

/*
 * Map the registers and the windows, and give the SMMU the root that the driver left in
 * SYSTEM_ROOT.
 */
void platform_init(uint32_t worker);

/* Sleep until the doorbell rings. May return early. */
void platform_wait(void);

/* Raise the worker's interrupt. */
void platform_interrupt(void);

/* Wake another worker, by its number, from platform_wait() or platform_barrier(). */
void platform_ring(uint32_t worker);

/*
 * Wait for other workers, a bit for each of their numbers, to come to a barrier as PHASE says it,
 * which this one has come to. Sleeps.
 */
enum board_barrier platform_barrier(uint32_t worker, uint32_t others, uint32_t barrier);

/* Everything before it is visible to the driver before anything after it. */
void platform_fence(void);

/* Forget every translation of the window and translate with the table at `root` from now on. */
void platform_select_space(uint64_t root);

/*
 * Returns how long it has taken so far to forget translations of the window and to fetch others,
 * modulo 2^32. Always 0 where nothing counts it: slices are short then.
 */
uint32_t platform_refill_microseconds(void);

/* Give up: the board sees the worker die. For what only a broken board or driver can cause. */
void __attribute__((noreturn)) platform_panic(const char *why);

#endif
