// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of FULLY_CONNECTED, see kernel-test.h.
 */
#include "weighted.h"

static void make_random(void)
{
	uint32_t inputs = SIZE_TO(1100, 1, 3, 8, 15, 16, 64, 100, 129, 256, 576, 1000, 1024);
	uint32_t outputs = SIZE_TO(300, 1, 3, 8, 10, 31, 32, 33, 64, 65, 100, 128, 130);
	uint32_t n = random_below(3) ? PICK(0, 1, 1, 1, 2, 3, 4, 5, 8, 70) : random_range(1, 80);

	if (n * inputs * outputs > RANDOM_WORK)
		n = 1 + random_below(RANDOM_WORK / (inputs * outputs) + 1);
	begin_call(NN_OPCODE_FULLY_CONNECTED);
	if (inputs % 4 == 0 && random_below(2))
		random_input(0, random_8bit(), DIMS(n, 4, inputs / 4));
	else
		random_input(0, random_8bit(), DIMS(n, inputs));
	random_output(random_below(6) ? random_8bit() : NN_TYPE_INT32, DIMS(n, outputs));
	random_weighted(outputs, 1, 1, inputs);
}

/* Rows, inputs, outputs. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_FULLY_CONNECTED);
	large_input(0, NN_TYPE_INT8, DIMS(p[0], p[1]));
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[2]));
	large_constant(1, NN_TYPE_UINT8, conv2d_weight_bytes(p[2], 1, 1, p[1]));
	large_outputs(p[2], false);
}

static const struct large_call large[] = {
	{ "fully_connected", make_large, { 64, 1024, 4000 } },
	{ "fully_connected of many inputs", make_large, { 2, 8 << 20, 64 } },
	{ "fully_connected of 400,000 inputs", make_large, { 64, 400000, 64 } },
	{ "fully_connected of many outputs", make_large, { 24, 1, 1 << 20 } },
	{ "fully_connected of many rows", make_large, { 1 << 20, 3, 5 } },
};

const struct kernel_test nn_fully_connected_test = {
	.make_random = make_random,
	.scales = 3,
	.random_calls = 100,
	.large = large,
	.large_calls = COUNT(large),
};
