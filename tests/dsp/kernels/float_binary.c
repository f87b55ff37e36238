// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of FLOAT_BINARY, see kernel-test.h.
 */
#include "floats.h"

/* Each dimension of an input is the output's, or 1. */
static void random_operand(uint32_t i, const uint32_t *dims, uint32_t rank)
{
	uint32_t own[4];

	for (uint32_t d = 0; d < rank; d++)
		own[d] = random_below(3) ? dims[d] : 1;
	random_floats(i, rank, own);
}

static void make_random(void)
{
	uint32_t dims[4] = { random_below(3), random_range(1, 7), random_range(1, 9),
			     random_range(1, 17) };
	uint32_t rank = random_range(1, 4);

	begin_call(NN_OPCODE_FLOAT_BINARY);
	op.float_binary.function = call_number % NN_FLOAT_TWO_FUNCTIONS;
	random_operand(0, dims, rank);
	random_operand(1, dims, rank);
	if (op.float_binary.function >= NN_FLOAT_EQUAL) {
		random_output(NN_TYPE_BOOL, rank, dims);
		call.output[0].zero_point = 0;
	} else {
		random_float_output(rank, dims);
	}
}

static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_FLOAT_BINARY);
	large_input(0, NN_TYPE_FLOAT32, DIMS(1, p[0], p[1]));
	large_input(1, NN_TYPE_FLOAT32, DIMS(1, 1, p[1]));
	large_output(p[2] < NN_FLOAT_EQUAL ? NN_TYPE_FLOAT32 : NN_TYPE_BOOL, DIMS(1, p[0], p[1]));
	op.float_binary.function = p[2];
}

static const struct large_call large[] = {
	{ "float_binary", make_large, { 1 << 10, 1 << 10, NN_FLOAT_DIV } },
	{ "float_binary of powers", make_large, { 1 << 10, 64, NN_FLOAT_POWER } },
	{ "float_binary that compares", make_large, { 1, 1 << 20, NN_FLOAT_LESS } },
};

const struct kernel_test nn_float_binary_test = {
	.make_random = make_random,
	.is_scalar = true,
	.in_place = 2,
	.random_calls = 450,
	.large = large,
	.large_calls = COUNT(large),
};
