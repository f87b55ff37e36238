// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of TABLE, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static void make_random(void)
{
	uint32_t dims[NN_MAX_RANK], rank = random_dims(random_rows(), random_size(), dims);

	begin_call(NN_OPCODE_TABLE);
	random_input(0, random_8bit(), rank, dims);
	random_constant(1, NN_TYPE_UINT8, 256);
	random_output(random_8bit(), rank, dims);
}

/* Rows and elements of one. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_TABLE);
	large_input(0, NN_TYPE_UINT8, DIMS(p[0], p[1]));
	large_constant(1, NN_TYPE_UINT8, 256);
	large_output(NN_TYPE_UINT8, DIMS(p[0], p[1]));
}

static const struct large_call large[] = {
	{ "table", make_large, { 2, 16 << 20 } },
	{ "table of many rows", make_large, { 16 << 20, 1 } },
};

const struct kernel_test nn_table_test = {
	.make_random = make_random,
	.in_place = 1,
	.random_calls = 200,
	.large = large,
	.large_calls = COUNT(large),
};
