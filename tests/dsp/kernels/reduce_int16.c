// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of REDUCE_INT16, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t n = random_rows(), outer = random_range(1, 5), inner = SIZE_TO(150, 1, 3, 64, 65);
	uint32_t count = inner == 1 ? SIZE_TO(400, 64, 65) : random_range(1, 40);

	begin_call(NN_OPCODE_REDUCE_INT16);
	random_input(0, NN_TYPE_INT16, DIMS(n, outer, count, inner));
	random_output(NN_TYPE_INT16, DIMS(n, outer, inner));
	op.reduce_int16 = (struct nn_reduce_int16_params){
		.form = random_below(NN_REDUCE_INT16_FORMS),
		.count = count,
		.inner = inner,
		.scale = random_scale_like(1),
		.by = {
			.multiplier = (int32_t)(1u << 30 | random_below(1u << 30)),
			.exponent = 4 - (int32_t)random_below(20),
		},
	};
}

/* Rows, and outer, count and inner. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_REDUCE_INT16);
	large_input(0, NN_TYPE_INT16, DIMS(p[0], p[1], p[2], p[3]));
	large_output(NN_TYPE_INT16, DIMS(p[0], p[1], p[3]));
	op.reduce_int16 = (struct nn_reduce_int16_params){
		NN_REDUCE_INT16_MEAN_AWAY, p[2], p[3], 1.5f, { 1 << 30, -2 },
	};
}

static const struct large_call large[] = {
	{ "reduce_int16", make_large, { 2, 256, 64, 64 } },
	{ "reduce_int16 of elements far apart", make_large, { 1, 1, 300, 10000 } },
	{ "reduce_int16 of many elements", make_large, { 8, 20, 65535, 1 } },
	{ "reduce_int16 of many rows", make_large, { 1 << 19, 1, 1, 1 } },
};

const struct kernel_test nn_reduce_int16_test = {
	.make_random = make_random,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
