// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of SOFTMAX_INT16, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

#define TABLES 1026

static void make_random(void)
{
	uint32_t length = random_size(), n, width;

	random_vectors(length, &n, &width);
	begin_call(NN_OPCODE_SOFTMAX_INT16);
	random_input(0, NN_TYPE_INT16, DIMS(n, width, length));
	random_constant(1, NN_TYPE_INT16, TABLES);
	random_output(NN_TYPE_INT16, DIMS(n, width, length));
	op.softmax_int16.by = (struct nn_fixed){
		.multiplier = (int32_t)(1u << 30 | random_below(1u << 30)),
		.exponent = random_below(4) ? (int32_t)random_below(4) : 14 - (int32_t)random_below(46),
	};
}

/* Rows and elements of one. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_SOFTMAX_INT16);
	large_input(0, NN_TYPE_INT16, DIMS(p[0], p[1]));
	large_constant(1, NN_TYPE_INT16, TABLES);
	large_output(NN_TYPE_INT16, DIMS(p[0], p[1]));
	op.softmax_int16.by = (struct nn_fixed){ 1 << 30, 2 };
}

static const struct large_call large[] = {
	{ "softmax_int16", make_large, { 1 << 14, 64 } },
	{ "softmax_int16 of long vectors", make_large, { 24, 65535 } },
	{ "softmax_int16 of short vectors", make_large, { 1 << 18, 2 } },
};

const struct kernel_test nn_softmax_int16_test = {
	.make_random = make_random,
	.in_place = 1,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
