// SPDX-License-Identifier: MIT
/*
 * Tests of the kernel of MATMUL, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

/* The dimensions before the matrices are the output's, or 1. */
static void random_side(uint32_t i, uint32_t rank, const uint32_t *dims, uint32_t rows,
			uint32_t columns, bool transpose)
{
	uint32_t own[5];

	for (uint32_t d = 0; d + 2 < rank; d++)
		own[d] = random_below(3) ? dims[d] : 1;
	own[rank - 2] = transpose ? columns : rows;
	own[rank - 1] = transpose ? rows : columns;
	random_input(i, random_8bit(), rank, own);
}

/* A zero point, sometimes at an end of the range, where the elements are then, too. */
static int32_t random_zero(struct nn_tensor *tensor)
{
	int32_t low = tensor->type == NN_TYPE_INT8 ? INT8_MIN : 0;

	if (random_below(3))
		return low + (int32_t)random_below(256);
	for (uint32_t i = 0; i < tensor->bytes; i++)
		tensor->data[i] = (uint8_t)(low + (random_below(8) ? 255 : 0));
	return low + (random_below(2) ? 255 : 0);
}

/* Halves a size until the others times it are no more than `most`. */
static uint32_t limit_to(uint32_t size, uint32_t others, uint32_t most)
{
	while (size > 1 && size * others > most)
		size = (size + 1) / 2;
	return size;
}

/* Few products and many: the first are left to portable C. */
static void make_random(void)
{
	uint32_t rank = random_range(3, 5), most = random_below(4) ? 60000 : 2000;
	uint32_t k = SIZE_TO(300, 1, 3, 4, 7, 8, 60, 64, 65, 72, 128, 196);
	uint32_t p = limit_to(SIZE_TO(300, 1, 8, 31, 32, 33, 64, 65, 96, 127, 128, 129), k, most);
	uint32_t m = limit_to(SIZE_TO(70, 1, 2, 3, 4, 5, 8, 64), k * p, most);
	uint32_t dims[5] = { random_below(3), random_range(1, 3), random_range(1, 3) };

	begin_call(NN_OPCODE_MATMUL);
	op.matmul.transpose_a = random_below(2);
	op.matmul.transpose_b = random_below(2);
	random_side(0, rank, dims, m, k, op.matmul.transpose_a);
	random_side(1, rank, dims, k, p, op.matmul.transpose_b);
	dims[rank - 2] = m;
	dims[rank - 1] = p;
	op.matmul.form = random_below(NN_MATMUL_FORMS);
	random_output(op.matmul.form == NN_MATMUL_SUM ? NN_TYPE_INT32 : random_8bit(), rank, dims);
	op.matmul.zero_a = random_zero(&call.input[0]);
	op.matmul.zero_b = random_zero(&call.input[1]);
	op.matmul.scale = random_scale_like(1.0f / 1024 / (float)k);
	op.matmul.by = (struct nn_fixed){ (int32_t)((1u << 30) + random_below(1u << 30)),
					  random_below(16) ? -(int32_t)random_range(0, 20) :
					   (int32_t)random_below(3) };
}

/* The numbers are a's rows and columns, b's columns, which are transposed, and the form. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_MATMUL);
	large_input(0, NN_TYPE_UINT8, DIMS(2, p[3] & 1 ? p[1] : p[0], p[3] & 1 ? p[0] : p[1]));
	large_input(1, NN_TYPE_INT8, DIMS(2, p[3] & 2 ? p[2] : p[1], p[3] & 2 ? p[1] : p[2]));
	large_output(p[4] == NN_MATMUL_SUM ? NN_TYPE_INT32 : NN_TYPE_UINT8, DIMS(2, p[0], p[2]));
	op.matmul = (struct nn_matmul_params){
		.form = p[4],
		.transpose_a = p[3] & 1,
		.transpose_b = p[3] >> 1,
		.scale = 0.001f,
		.by = { 1 << 30, -9 },
	};
}

static const struct large_call large[] = {
	{ "matmul", make_large, { 2048, 1024, 1024, 0, NN_MATMUL_FLOAT } },
	{ "matmul of long rows", make_large, { 2, 1 << 18, 2, 2, NN_MATMUL_FIXED } },
	{ "matmul of distant elements", make_large, { 2, 64, 16384, 0, NN_MATMUL_FIXED } },
	{ "matmul of columns", make_large, { 16384, 64, 1, 1, NN_MATMUL_FLOAT } },
	{ "matmul of columns side by side", make_large, { 2048, 1024, 1024, 2, NN_MATMUL_FIXED } },
	{ "matmul of short rows", make_large, { 2048, 1, 2048, 3, NN_MATMUL_SUM } },
};

const struct kernel_test nn_matmul_test = {
	.make_random = make_random,
	.random_calls = 300,
	.large = large,
	.large_calls = COUNT(large),
};
