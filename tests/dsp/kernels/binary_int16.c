// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of BINARY_INT16, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t n = random_rows(), width = random_range(1, 9), size = random_range(1, 300);

	begin_call(NN_OPCODE_BINARY_INT16);
	random_input(0, NN_TYPE_INT16, DIMS(n, random_below(3) ? width : 1, size));
	random_input(1, NN_TYPE_INT16, DIMS(random_below(3) ? n : 1, width, random_below(3) ? size : 1));
	random_output(NN_TYPE_INT16, DIMS(n, width, size));
	op.binary_int16 = (struct nn_binary_int16_params){
		.function = random_below(NN_INT16_FUNCTIONS),
		.by = {
			.multiplier = random_below(9) ? (int32_t)(1u << 30 | random_below(1u << 30)) : 0,
			.exponent = -(int32_t)random_below(random_below(4) ? 16 : 32),
		},
	};
}

/* Rows, elements of one, and of one of the second input. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_BINARY_INT16);
	large_input(0, NN_TYPE_INT16, DIMS(p[0], p[1]));
	large_input(1, NN_TYPE_INT16, DIMS(p[0], p[2]));
	large_output(NN_TYPE_INT16, DIMS(p[0], p[1]));
	op.binary_int16 = (struct nn_binary_int16_params){ NN_INT16_MUL, { 1 << 30, -14 } };
}

static const struct large_call large[] = {
	{ "binary_int16", make_large, { 2, 4 << 20, 4 << 20 } },
	{ "binary_int16 of one number", make_large, { 2, 4 << 20, 1 } },
	{ "binary_int16 of many rows", make_large, { 4 << 20, 1, 1 } },
};

const struct kernel_test nn_binary_int16_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
