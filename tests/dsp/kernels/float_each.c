// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of FLOAT_EACH, see kernel-test.h.
 */
#include "floats.h"

static void make_random(void)
{
	uint32_t rows = random_below(3), elements = random_range(1, 200), dims[NN_MAX_RANK];
	uint32_t rank = random_dims(rows, elements, dims);

	begin_call(NN_OPCODE_FLOAT_EACH);
	random_floats(0, rank, dims);
	random_float_output(rank, dims);
	op.float_each.function = call_number % NN_FLOAT_FUNCTIONS;
	op.float_each.alpha = (float)random_range(-20, 20) / 8;
	op.float_each.beta = (float)random_range(-20, 20) / 8;
}

static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_FLOAT_EACH);
	large_input(0, NN_TYPE_FLOAT32, DIMS(p[0], p[1]));
	large_output(NN_TYPE_FLOAT32, DIMS(p[0], p[1]));
	op.float_each.function = p[2];
}

static const struct large_call large[] = {
	{ "float_each", make_large, { 1, 1 << 20, NN_FLOAT_ABS } },
	{ "float_each of powers", make_large, { 64, 1 << 10, NN_FLOAT_EXPONENTIAL } },
	{ "float_each of errors", make_large, { 1, 1 << 15, NN_FLOAT_ERROR } },
	{ "float_each of angles", make_large, { 1, 1 << 15, NN_FLOAT_ARC_COSINE } },
};

const struct kernel_test nn_float_each_test = {
	.make_random = make_random,
	.is_scalar = true,
	.in_place = 1,
	.random_calls = 410,
	.large = large,
	.large_calls = COUNT(large),
};
