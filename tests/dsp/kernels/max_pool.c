// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of MAX_POOL, see kernel-test.h.
 */
#include "pool.h"

/* Windows of 2x2 and 3x3 with stride 2, which are the assembly's, at all edges. */
static void random_halved(void)
{
	uint32_t channels =
		SIZE_TO(300, 1, 2, 4, 8, 16, 24, 32, 64, 65, 96, 127, 128, 129, 144, 160, 256);
	uint32_t kernel = random_range(2, 3), pad = random_below(2), below = random_below(2);
	uint32_t height = random_range(3, 9), width = random_range(3, channels < 16 ? 300 : 40);
	bool is_narrow = random_below(2);

	/* Many calls of less than 128 channels are narrow, if columns are not cut off. */
	if (is_narrow) {
		channels = random_below(3) ? random_range(3, random_below(2) ? 32 : 127)
					   : PICK(24, 24, 33, 40, 42, 43, 48, 63);
		height = random_range(9, 14);
		width = random_range(6, 60) + 512 / channels * random_below(2);
		/* The last vector has one window, and the one before it would store behind that. */
		if (random_below(4) == 0) {
			channels = PICK(5, 11, 13, 17, 18, 22, 23, 25);
			width = 4 * (64 / channels) * random_range(2, 5) + random_range(2, 3);
		}
	}

	begin_call(NN_OPCODE_MAX_POOL);
	op.window = window_of(kernel, kernel, random_range(1, 3), 2);
	op.window.pad_top = pad;
	op.window.pad_left = is_narrow ? kernel - 2 : random_below(2);
	random_input(0, random_8bit(), DIMS(random_range(1, 2), height, width, channels));
	random_output(call.input[0].type,
		      DIMS(call.input[0].dims[0],
			   (height + pad + below - kernel) / op.window.stride_h + 1,
			   (width + op.window.pad_left + (is_narrow ? 0 : below) - kernel) / 2 + 1,
			   channels));
}

static void make_random(void)
{
	if (random_below(2))
		random_halved();
	else
		make_random_pool(NN_OPCODE_MAX_POOL);
	/* It has no use for what means have. */
	op.window.count_padding = 0;
	op.window.multiplier = op.window.shift = 0;
}

static void make_large(const uint32_t *p)
{
	make_large_pool(NN_OPCODE_MAX_POOL, p);
}

static void make_strided(const uint32_t *p)
{
	make_large_pool_strided(NN_OPCODE_MAX_POOL, p);
}

static const struct large_call large[] = {
	{ "max_pool", make_large, { 256, 64, 3, 2 } },
	{ "max_pool of large windows", make_large, { 800, 16, 255, 1 } },
	{ "max_pool of large windows apart", make_large, { 1500, 1, 255, 2 } },
	{ "max_pool of many channels", make_large, { 4, 1 << 20, 2, 1 } },
	{ "max_pool of pixels apart", make_strided, { 300, 128, 3, 1, 512, 256 } },
	{ "max_pool of pixels far apart", make_strided, { 150, 128, 5, 1, 20000, 5000 } },
	{ "max_pool of short pixels apart", make_strided, { 300, 3, 2, 2, 4099, 4099 } },
	{ "max_pool of long pixels apart", make_strided, { 30, 100000, 2, 1, 200000, 110001 } },
	{ "max_pool of pixels apart in large windows", make_strided, { 300, 1, 255, 1, 4096, 4096 } },
};

const struct kernel_test nn_max_pool_test = {
	.make_random = make_random,
	.random_calls = 400,
	.pitched_calls = 400,
	.large = large,
	.large_calls = COUNT(large),
};
