// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of AVERAGE_POOL_AWAY, see kernel-test.h.
 */
#include "pool.h"

static void make_random(void)
{
	make_random_pool(NN_OPCODE_AVERAGE_POOL_AWAY);
	op.window.multiplier = op.window.shift = 0;
	op.window.count_padding = 0;
	call.output[0].type = call.input[0].type;
	call.output[0].zero_point = call.input[0].zero_point;
	op.out_min = call.input[0].type == NN_TYPE_INT8 ? -100 : 3;
	op.out_max = op.out_min + random_below(200);
}

/* Image, channels, kernel, stride. */
static void make_large(const uint32_t *p)
{
	make_large_pool(NN_OPCODE_AVERAGE_POOL_AWAY, p);
	op.window.multiplier = op.window.shift = 0;
	call.output[0].type = call.input[0].type;
	call.output[0].zero_point = call.input[0].zero_point;
}

static const struct large_call large[] = {
	{ "average_pool_away", make_large, { 256, 64, 3, 2 } },
	{ "average_pool_away of large windows", make_large, { 800, 16, 255, 1 } },
	{ "average_pool_away of many channels", make_large, { 4, 1 << 20, 2, 1 } },
};

const struct kernel_test nn_average_pool_away_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
