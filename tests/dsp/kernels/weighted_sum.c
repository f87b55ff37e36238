// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of WEIGHTED_SUM, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t n = random_rows(), length = SIZE_TO(40, 1, 2, 8, 32),
		 channels = SIZE_TO(300, 1, 31, 32, 33, 63, 64, 65, 128);

	begin_call(NN_OPCODE_WEIGHTED_SUM);
	random_input(0, NN_TYPE_INT16, DIMS(n, length, channels));
	random_constant(1, NN_TYPE_INT16, length * channels);
	random_constant(2, NN_TYPE_INT32, channels);
	random_output(NN_TYPE_INT32, DIMS(n, channels));
	call.input[0].zero_point = call.output[0].zero_point = 0;
}

/* Rows, length, channels. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_WEIGHTED_SUM);
	large_input(0, NN_TYPE_INT16, DIMS(p[0], p[1], p[2]));
	large_constant(1, NN_TYPE_INT16, p[1] * p[2]);
	large_constant(2, NN_TYPE_INT32, p[2]);
	large_output(NN_TYPE_INT32, DIMS(p[0], p[2]));
}

static const struct large_call large[] = {
	{ "weighted_sum", make_large, { 64, 64, 1024 } },
	{ "weighted_sum of a long row", make_large, { 1, 1 << 20, 2 } },
	{ "weighted_sum of many channels", make_large, { 1, 2, 1 << 20 } },
	{ "weighted_sum of many rows", make_large, { 1 << 20, 1, 1 } },
};

const struct kernel_test nn_weighted_sum_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
