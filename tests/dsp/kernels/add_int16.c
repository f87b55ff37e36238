// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of ADD_INT16, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static struct nn_fixed random_scale(void)
{
	return (struct nn_fixed){
		.multiplier = random_below(4) ? (int32_t)(1u << 30 | random_below(1u << 30)) : 0,
		.exponent = -(int32_t)random_below(random_below(4) ? 4 : 32),
	};
}

static void make_random(void)
{
	uint32_t n = random_rows(), width = random_range(1, 9), size = random_range(1, 300);

	begin_call(NN_OPCODE_ADD_INT16);
	random_input(0, NN_TYPE_INT16, DIMS(n, width, size));
	if (random_below(2))
		random_input(1, NN_TYPE_INT16, DIMS(n, width, size));
	else
		random_input(1, NN_TYPE_INT16, DIMS(random_below(2) ? n : 1, size));
	random_output(NN_TYPE_INT16, DIMS(n, width, size));
	op.add_int16 = (struct nn_add_int16_params){
		.left_shift = random_below(3) ? 15 : random_below(16),
		.subtract = random_below(2),
		.a = random_scale(),
		.b = random_scale(),
		.output = random_scale(),
	};
	/* Inputs that are rounded once. */
	if (random_below(2)) {
		op.add_int16.left_shift = 0;
		op.add_int16.a.exponent += op.add_int16.a.multiplier ? 15 : 0;
		op.add_int16.b.exponent += op.add_int16.b.multiplier ? 15 : 0;
	}
}

/* Rows, elements of one, and of one of the second input. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_ADD_INT16);
	large_input(0, NN_TYPE_INT16, DIMS(p[0], p[1]));
	large_input(1, NN_TYPE_INT16, DIMS(p[0], p[2]));
	large_output(NN_TYPE_INT16, DIMS(p[0], p[1]));
	op.add_int16 = (struct nn_add_int16_params){
		15, 0, { 1 << 30, 0 }, { 1 << 30, 0 }, { 1 << 30, -14 },
	};
}

static const struct large_call large[] = {
	{ "add_int16", make_large, { 2, 4 << 20, 4 << 20 } },
	{ "add_int16 of one number", make_large, { 2, 4 << 20, 1 } },
	{ "add_int16 of many rows", make_large, { 4 << 20, 1, 1 } },
};

const struct kernel_test nn_add_int16_test = {
	.make_random = make_random,
	.in_place = 1,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
