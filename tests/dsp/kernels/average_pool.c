// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of AVERAGE_POOL, see kernel-test.h.
 */
#include "pool.h"

/* Windows of 256 and more elements, whose sums have 16 bits, or more. */
static void random_large_windows(void)
{
	uint32_t out_h = random_range(1, 3), out_w = random_range(1, 3);
	uint32_t channels = SIZE_TO(260, 1, 3, 64, 65, 128, 130);
	uint32_t height = random_below(2) ? 16 : random_range(9, 20), width = random_range(13, 30);
	bool is_full = random_below(2);

	begin_call(NN_OPCODE_AVERAGE_POOL);
	op.window = window_of(height, width, 1, random_range(1, 2));
	op.window.multiplier = (1 << 30) | random_bits() >> 2;
	op.window.shift = random_range(38, 42);
	random_input(0, random_8bit(), DIMS(1, op.window.kernel_h + out_h - 1,
					    op.window.kernel_w + (out_w - 1) * op.window.stride_w,
					    channels));
	/* All as large as they can be, or any. */
	for (uint32_t i = 0; is_full && i < call.input[0].bytes; i++)
		call.input[0].data[i] = call.input[0].type == NN_TYPE_INT8 ? 127 : 255;
	random_output(random_8bit(), DIMS(1, out_h, out_w, channels));
}

static void make_random(void)
{
	if (random_below(6) == 0)
		random_large_windows();
	else if (random_below(3) == 0)
		make_random_3x3s1(NN_OPCODE_AVERAGE_POOL);
	else if (random_below(2))
		make_random_2x2s2(NN_OPCODE_AVERAGE_POOL);
	else
		make_random_pool(NN_OPCODE_AVERAGE_POOL);
}

static void make_large(const uint32_t *p)
{
	make_large_pool(NN_OPCODE_AVERAGE_POOL, p);
}

static void make_strided(const uint32_t *p)
{
	make_large_pool_strided(NN_OPCODE_AVERAGE_POOL, p);
}

static const struct large_call large[] = {
	{ "average_pool", make_large, { 256, 64, 3, 2 } },
	{ "average_pool of large windows", make_large, { 800, 16, 255, 1 } },
	{ "average_pool of large windows in one channel", make_large, { 4000, 1, 255, 1 } },
	{ "average_pool of many channels", make_large, { 4, 1 << 20, 2, 1 } },
	{ "average_pool of pixels apart", make_strided, { 200, 64, 3, 1, 4100, 128 } },
	{ "average_pool of short pixels apart", make_strided, { 300, 2, 2, 1, 4, 3 } },
};

const struct kernel_test nn_average_pool_test = {
	.make_random = make_random,
	.random_calls = 400,
	.large = large,
	.large_calls = COUNT(large),
};
