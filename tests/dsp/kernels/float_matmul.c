// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of FLOAT_MATMUL, see kernel-test.h.
 */
#include "floats.h"

static void random_side(uint32_t i, uint32_t rank, const uint32_t *dims, uint32_t rows,
			uint32_t columns, bool transpose)
{
	uint32_t own[5];

	for (uint32_t d = 0; d + 2 < rank; d++)
		own[d] = random_below(3) ? dims[d] : 1;
	own[rank - 2] = transpose ? columns : rows;
	own[rank - 1] = transpose ? rows : columns;
	random_floats(i, rank, own);
}

static void make_random(void)
{
	uint32_t rank = random_range(3, 5), m = random_range(1, 9), k = random_range(1, 70);
	uint32_t p = SIZE_TO(40, 1, 7, 8, 9, 16, 17);
	uint32_t dims[5] = { random_below(3), random_range(1, 3), random_range(1, 3) };

	begin_call(NN_OPCODE_FLOAT_MATMUL);
	op.float_matmul.transpose_a = random_below(2);
	op.float_matmul.transpose_b = random_below(2);
	random_side(0, rank, dims, m, k, op.float_matmul.transpose_a);
	random_side(1, rank, dims, k, p, op.float_matmul.transpose_b);
	dims[rank - 2] = m;
	dims[rank - 1] = p;
	random_float_output(rank, dims);
}

/* The numbers are a's rows and columns, b's columns, and which of them is transposed. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_FLOAT_MATMUL);
	large_input(0, NN_TYPE_FLOAT32, DIMS(2, p[3] & 1 ? p[1] : p[0], p[3] & 1 ? p[0] : p[1]));
	large_input(1, NN_TYPE_FLOAT32, DIMS(2, p[3] & 2 ? p[2] : p[1], p[3] & 2 ? p[1] : p[2]));
	large_output(NN_TYPE_FLOAT32, DIMS(2, p[0], p[2]));
	op.float_matmul.transpose_a = p[3] & 1;
	op.float_matmul.transpose_b = p[3] >> 1;
}

static const struct large_call large[] = {
	{ "float_matmul", make_large, { 1024, 512, 512, 0 } },
	{ "float_matmul of long rows", make_large, { 2, 1 << 18, 8, 2 } },
	{ "float_matmul of distant elements", make_large, { 2, 64, 16384, 3 } },
	{ "float_matmul of columns", make_large, { 16384, 64, 1, 1 } },
};

const struct kernel_test nn_float_matmul_test = {
	.make_random = make_random,
	.is_scalar = true,
	.random_calls = 300,
	.large = large,
	.large_calls = COUNT(large),
};
