/* SPDX-License-Identifier: MIT */
/*
 * MAX_POOL's windows of 2x2 and 3x3 with stride 2 in assembly, straight from the input: 128 channels of one
 * window after another. C and assembly include it.
 */
#ifndef NN_MAX_WINDOWS_H
#define NN_MAX_WINDOWS_H

/* Where struct max_windows has what. */
#define WINDOWS_TO	0
#define WINDOWS_COUNT	4
#define WINDOWS_ROWS	8	/* three addresses */
#define WINDOWS_BEFORE	20	/* three addresses */
#define WINDOWS_PIXEL	32
#define WINDOWS_MIN	36
#define WINDOWS_MAX	40

#ifndef __ASSEMBLER__

#include <stdint.h>

struct max_windows {
	uint8_t *to;		/* 128 bytes a window, `pixel` bytes apart */
	uint32_t count;		/* of windows, at least 1 */
	const uint8_t *row[3];	/* of the first window's columns 0 and 1, or of 3x3: 1 and 2 */
	const uint8_t *before[3];	/* of 3x3: its column 0 */
	uint32_t pixel;		/* bytes of a column */
	uint32_t min, max;	/* the clamp, four times the byte */
};

_Static_assert(sizeof(struct max_windows) == WINDOWS_MAX + 4, "as the assembly has it");

void nn_max_windows_2_u8(const struct max_windows *windows);
void nn_max_windows_2_s8(const struct max_windows *windows);
void nn_max_windows_3_u8(const struct max_windows *windows);
void nn_max_windows_3_s8(const struct max_windows *windows);

#endif

#endif
