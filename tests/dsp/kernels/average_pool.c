// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of AVERAGE_POOL, see kernel-test.h.
 */
#include "pool.h"

static void make_random(void)
{
	make_random_pool(NN_OPCODE_AVERAGE_POOL);
}

static void make_large(const uint32_t *p)
{
	make_large_pool(NN_OPCODE_AVERAGE_POOL, p);
}

static const struct large_call large[] = {
	{ "average_pool", make_large, { 256, 64, 3, 2 } },
	{ "average_pool of large windows", make_large, { 800, 16, 255, 1 } },
	{ "average_pool of large windows in one channel", make_large, { 4000, 1, 255, 1 } },
	{ "average_pool of many channels", make_large, { 4, 1 << 20, 2, 1 } },
};

const struct kernel_test nn_average_pool_test = {
	.make_random = make_random,
	.random_calls = 150,
	.large = large,
	.large_calls = COUNT(large),
};
