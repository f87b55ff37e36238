/* SPDX-License-Identifier: MIT */
/* The benches of passes and of control programs share memory in the window, and jobs. */
#ifndef BENCH_PASSES_H
#define BENCH_PASSES_H

#include <stdbool.h>
#include <stdint.h>

#include "driver/nnloop_hw.h"

#define PROGRAM		NNLOOP_WINDOW_BASE
#define CONSTANTS	(NNLOOP_WINDOW_BASE + 0x100000)
#define ARENA		(NNLOOP_WINDOW_BASE + 0x200000)
#define PROFILE		(NNLOOP_WINDOW_BASE + 0x300000)
#define CONTROL		(NNLOOP_WINDOW_BASE + 0x310000)
#define STATE		(NNLOOP_WINDOW_BASE + 0x330000)
#define FALSE		(NNLOOP_WINDOW_BASE + 0x340000)	/* a zero */
#define WINDOW_SIZE	0x400000

/* The packets of a job whose one pass is the control program at CONTROL; profile: its record, or 0. */
uint32_t control_packets(uint32_t size, uint32_t profile);

/* False: something takes more than it may. */
bool bench_control(void);

#endif
