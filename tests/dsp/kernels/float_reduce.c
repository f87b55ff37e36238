// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of FLOAT_REDUCE, see kernel-test.h.
 */
#include "floats.h"

static uint32_t random_function(void)
{
	uint32_t function = call_number % NN_FLOAT_REDUCTIONS;

	return function > NN_FLOAT_LOG_SUM_EXPONENTIAL && function < NN_FLOAT_SOFTMAX ?
		       function - NN_FLOAT_SOFTMAX + NN_FLOAT_LOG_SUM_EXPONENTIAL + 1 : function;
}

static void make_random(void)
{
	uint32_t rows = random_below(3), outer = random_range(1, 5), length = random_range(1, 40);
	uint32_t inner = random_below(2) ? 1 : random_range(1, 9);

	begin_call(NN_OPCODE_FLOAT_REDUCE);
	op.float_reduce.function = random_function();
	op.float_reduce.length = length;
	op.float_reduce.inner = inner;
	op.float_reduce.epsilon = random_below(2) ? 0 : 1e-5f;
	random_floats(0, 4, (uint32_t[]){ rows, outer, length, inner });
	if (op.float_reduce.function < NN_FLOAT_SOFTMAX)
		length = 1;
	random_float_output(4, (uint32_t[]){ rows, outer, length, inner });
}

/* Rows, length, inner, function. */
static void make_large(const uint32_t *p)
{
	bool is_one = p[3] < NN_FLOAT_SOFTMAX;

	begin_call(NN_OPCODE_FLOAT_REDUCE);
	large_input(0, NN_TYPE_FLOAT32, DIMS(p[0], p[1], p[2]));
	large_output(NN_TYPE_FLOAT32, DIMS(p[0], is_one ? 1 : p[1], p[2]));
	op.float_reduce = (struct nn_float_reduce_params){ p[3], p[1], p[2], 1 };
}

static const struct large_call large[] = {
	{ "float_reduce", make_large, { 64, 1 << 14, 1, NN_FLOAT_SUM } },
	{ "float_reduce of pixels", make_large, { 1, 1 << 10, 1 << 10, NN_FLOAT_MEAN } },
	{ "float_reduce of powers", make_large, { 16, 1 << 10, 1, NN_FLOAT_SOFTMAX } },
	{ "float_reduce of deviations", make_large, { 16, 1 << 12, 1, NN_FLOAT_DEVIATION } },
	{ "float_reduce of distant elements", make_large, { 1, 64, 1 << 14, NN_FLOAT_CUMULATE } },
};

const struct kernel_test nn_float_reduce_test = {
	.make_random = make_random,
	.is_scalar = true,
	.in_place = 1,
	.random_calls = 540,
	.large = large,
	.large_calls = COUNT(large),
};
