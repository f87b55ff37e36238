// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of SVDF, see kernel-test.h.
 */
#include "weighted.h"

/* A number that brings sums of about 2^bits to 2^to; rarely any. */
static struct nn_fixed random_fixed(int32_t bits, int32_t to)
{
	int32_t exponent = to - bits + (int32_t)random_below(4) - 1;

	if (!random_below(12))
		exponent = (int32_t)random_below(36) - 31;
	return (struct nn_fixed){
		.multiplier = (int32_t)(1u << 30 | random_below(1u << 30)),
		.exponent = exponent < -31 ? -31 : exponent,
	};
}

static void make_random(void)
{
	uint32_t rows = random_rows(), inputs = SIZE_TO(140, 1, 3, 16, 40, 96);
	uint32_t rank = SIZE_TO(5, 1, 2), memory = SIZE_TO(34, 1, 2, 4, 8, 32);
	uint32_t units = SIZE_TO(140, 1, 2, 4, 8, 16, 31, 32, 33, 63, 64, 65, 128), filters;

	while (units > 1 && units * rank * (inputs + memory) > 4 * RANDOM_WORK)
		units /= 2;
	filters = units * rank;
	while (rows > 1 && rows * filters * (inputs + memory) > 4 * RANDOM_WORK)
		rows--;
	begin_call(NN_OPCODE_SVDF);
	random_input(0, NN_TYPE_INT8, DIMS(rows, inputs));
	random_input(1, NN_TYPE_INT16, DIMS(rows, memory * filters));
	random_packed_weights(2, filters, 1, 1, inputs);
	random_constant(3, NN_TYPE_INT16, memory * filters);
	random_biases(4, weight_lanes(filters) + weight_lanes(units), 1 << 17);
	random_output(NN_TYPE_INT8, DIMS(rows, units));
	random_more_output(1, NN_TYPE_INT16, DIMS(rows, memory * filters));
	call.input[1].zero_point = call.input[3].zero_point = call.output[1].zero_point = 0;
	op.svdf = (struct nn_svdf_params){
		.feature = random_fixed(18, 15),
		.output = random_fixed(32, 8),
		.rank = rank,
		.memory = memory,
	};
}

/* Rows, inputs, units, rank, memory. */
static void make_large(const uint32_t *p)
{
	uint32_t filters = p[2] * p[3];

	begin_call(NN_OPCODE_SVDF);
	large_input(0, NN_TYPE_INT8, DIMS(p[0], p[1]));
	large_input(1, NN_TYPE_INT16, DIMS(p[0], p[4] * filters));
	large_constant(2, NN_TYPE_UINT8, conv2d_weight_bytes(filters, 1, 1, p[1]));
	large_constant(3, NN_TYPE_INT16, p[4] * filters);
	large_constant(4, NN_TYPE_INT32, weight_lanes(filters) + weight_lanes(p[2]));
	large_output(NN_TYPE_INT8, DIMS(p[0], p[2]));
	large_more_output(1, NN_TYPE_INT16, DIMS(p[0], p[4] * filters));
	op.svdf.rank = p[3];
	op.svdf.memory = p[4];
}

static const struct large_call large[] = {
	{ "svdf", make_large, { 64, 256, 1024, 1, 32 } },
	{ "svdf of many filters", make_large, { 1, 256, 16384, 1, 16 } },
	{ "svdf of too many filters", make_large, { 1, 64, 16385, 1, 2 } },
	{ "svdf of many inputs", make_large, { 16, 16384, 64, 4, 3 } },
	{ "svdf of many steps", make_large, { 1, 5, 1, 2, 1 << 22 } },
	{ "svdf of many steps of 7 filters", make_large, { 1, 5, 7, 1, 1 << 18 } },
	{ "svdf of many rows", make_large, { 1 << 16, 3, 2, 1, 4 } },
};

const struct kernel_test nn_svdf_test = {
	.make_random = make_random,
	.random_calls = 300,
	.large = large,
	.large_calls = COUNT(large),
};
