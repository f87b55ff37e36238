/* SPDX-License-Identifier: MIT */
/*
 * Random calls of pools, for the tests of each of them.
 */
#ifndef POOL_H
#define POOL_H

#include "../large-call.h"
#include "../random-call.h"

static inline void make_random_pool(enum nn_opcode opcode)
{
	uint32_t channels = SIZE_TO(400, 1, 3, 8, 16, 24, 31, 32, 64, 65, 100, 127, 128, 129, 160,
				    256, 300), n, h, w;

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

/* Windows of 2x2 with stride 2, which the assembly has, and what is cut off or left of rows. */
static inline void make_random_2x2s2(enum nn_opcode opcode)
{
	uint32_t channels = SIZE_TO(300, 1, 2, 4, 8, 16, 17, 24, 32, 33, 42, 43, 48, 63, 64, 64, 96,
				    127, 128, 129, 144, 256);
	uint32_t least = channels < 64 ? 768 / channels : 6;
	uint32_t height = random_range(2, 5), width = least + random_below(least / 2 + 6);
	uint32_t pad = random_below(4) == 0, below = random_below(2);

	/* A quarter are of several parts, in several rows. */
	if (random_below(4) == 0) {
		height = random_range(6, 10);
		width += random_below(3072 / channels + 1);
	}
	begin_call(opcode);
	op.window = window_of(2, 2, random_range(1, 3), 2);
	op.window.pad_top = pad;
	op.window.count_padding = random_below(2);
	op.window.multiplier = (1 << 30) | random_bits() >> 2;
	op.window.shift = random_below(8) ? random_range(35, 38) : random_range(33, 62);
	/* A half is often just met, or missed. */
	if (random_below(2))
		op.window.multiplier = (1 << 30) + random_below(8);
	random_input(0, random_8bit(), DIMS(random_range(1, 2), height, width, channels));
	random_output(random_8bit(), DIMS(call.input[0].dims[0],
					  (height + pad + below - 2) / op.window.stride_h + 1,
					  (width + below - 2) / 2 + 1, channels));
}

/* Windows of 3x3 with stride 1 and, mostly, padding all around. */
static inline void make_random_3x3s1(enum nn_opcode opcode)
{
	uint32_t channels = random_below(2) ? random_range(1, 127)
					    : SIZE_TO(400, 100, 128, 129, 160, 192, 256, 300, 400);
	/* A few pixels and a vector, or almost. */
	uint32_t height = random_range(3, 9), width = 128 / channels + random_range(3, 9);
	uint32_t below = random_below(8) != 0, pad = random_below(8) != 0;

	begin_call(opcode);
	op.window = window_of(3, 3, 1, 1);
	op.window.pad_top = 1;
	op.window.pad_left = pad;
	op.window.count_padding = random_below(2);
	op.window.multiplier = (1 << 30) | random_bits() >> 2;
	op.window.shift = random_below(8) ? random_range(34, 37) : random_range(33, 62);
	random_input(0, random_8bit(), DIMS(random_range(1, 2), height, width, channels));
	random_output(random_8bit(), DIMS(call.input[0].dims[0], height - 1 + below,
					  width - 1 + pad, channels));
}

/* Image, channels, kernel, stride. */
static inline void make_large_pool(enum nn_opcode opcode, const uint32_t *p)
{
	begin_call(opcode);
	large_window(&(struct large_window){ p[0], p[1], p[1], p[2], p[3], 1, 8 });
}

/* The same of one image, and how far pixels are apart in the input, and in the output. */
static inline void make_large_pool_strided(enum nn_opcode opcode, const uint32_t *p)
{
	begin_call(opcode);
	large_window(&(struct large_window){ p[0], p[1], p[1], p[2], p[3], 1, 1 });
	large_pitches(p[4], p[5]);
}

#endif
