/* SPDX-License-Identifier: MIT */
/*
 * Calls of pools.
 */
#ifndef POOL_H
#define POOL_H

#include "../large-call.h"
#include "../random-call.h"

static inline void make_random_pool(enum nn_opcode opcode)
{
	uint32_t channels =
			 PICK(1, 3, 8, 16, 24, 31, 32, 64, 65, 100, 127, 128, 129, 160, 256, 300),
		 n, h, w;

	do {
		begin_call(opcode);
		random_window(1, channels, &n, &h, &w);
	} while (n * h * w * channels * op.window.kernel_h * op.window.kernel_w > RANDOM_WORK);
	random_output(opcode == NN_OPCODE_MAX_POOL ? call.input[0].type : random_8bit(),
		      DIMS(n, h, w, channels));
	op.window.count_padding = random_below(2);
	op.window.multiplier = (1 << 30) | random_bits() >> 2;
	op.window.shift = random_below(8) ? random_range(34, 38) : random_range(33, 62);
}

/* Image, channels, kernel, stride. */
static inline void make_large_pool(enum nn_opcode opcode, const uint32_t *p)
{
	begin_call(opcode);
	large_window(&(struct large_window){ p[0], p[1], p[1], p[2], p[3], 1, 8 });
}

#endif
