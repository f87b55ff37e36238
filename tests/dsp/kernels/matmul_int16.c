// SPDX-License-Identifier: MIT
/*
 * Tests of the kernels of MATMUL_INT16, see kernel-test.h.
 */
#include "../large-call.h"
#include "../random-call.h"

static uint8_t random_type(void)
{
	return random_below(4) ? NN_TYPE_INT16 : random_8bit();
}

/* The dimensions before the matrices are the output's, or 1. */
static void random_side(uint32_t i, uint8_t type, uint32_t rank, const uint32_t *dims,
			uint32_t rows, uint32_t columns, bool transpose)
{
	uint32_t own[5];

	for (uint32_t d = 0; d + 2 < rank; d++)
		own[d] = random_below(3) ? dims[d] : 1;
	own[rank - 2] = transpose ? columns : rows;
	own[rank - 1] = transpose ? rows : columns;
	random_input(i, type, rank, own);
}

/* A zero point: none, any, or an end of the range with elements at an end. */
static int32_t random_zero(struct nn_tensor *tensor)
{
	int32_t low = tensor->type == NN_TYPE_INT16 ? INT16_MIN :
		      tensor->type == NN_TYPE_INT8 ? INT8_MIN : 0;
	int32_t range = tensor->type == NN_TYPE_INT16 ? UINT16_MAX : UINT8_MAX, end;

	switch (random_below(3)) {
	case 0:
		return 0;
	case 1:
		return low + (int32_t)random_below(range + 1);
	}
	for (uint32_t i = 0; i < tensor->bytes / nn_type_size(tensor->type); i++) {
		end = low + (random_below(8) ? range : 0);
		if (tensor->type == NN_TYPE_INT16)
			((int16_t *)tensor->data)[i] = (int16_t)end;
		else
			tensor->data[i] = (uint8_t)end;
	}
	return low + (random_below(2) ? range : 0);
}

static uint32_t limit_to(uint32_t size, uint32_t others, uint32_t most)
{
	while (size > 1 && size * others > most)
		size = (size + 1) / 2;
	return size;
}

/*
 * Exponents are often those that bring sums of K products of random elements, which are about
 * 2^bits times the root of K, to 16 bits.
 */
static void random_scale(uint32_t k)
{
	int32_t bits = 14, shift;

	for (uint32_t i = 0; i < 2; i++)
		bits += call.input[i].type == NN_TYPE_INT16 ? 8 : 0;
	bits += 14 - (call.output[0].type == NN_TYPE_INT16 ? 16 : 8);
	for (; k > 3; k /= 4)
		bits++;
	if (op.matmul.form == NN_MATMUL_INT16_FIXED) {
		op.matmul.by.multiplier = 1 << 14 | random_below(1 << 14);
		shift = bits + 1 + (int32_t)random_below(3);
		if (!random_below(6))
			shift = (int32_t)random_range(1, 62);
		op.matmul.by.exponent = shift > 62 ? -62 : -shift;
	} else {
		op.matmul.by.multiplier = (int32_t)(1u << 30 | random_below(1u << 30));
		/* Ties are frequent with a power of two. */
		if (!random_below(4))
			op.matmul.by.multiplier = 1 << 30;
		shift = bits - 14 + (int32_t)random_below(3);
		if (!random_below(6))
			shift = (int32_t)random_below(62) - 30;
		op.matmul.by.exponent = shift > 31 ? -31 : -shift;
	}
	if (!random_below(30))
		op.matmul.by.multiplier = 0;
}

static void make_random(void)
{
	uint32_t rank = random_range(3, 5), most = random_below(4) ? 40000 : 2000;
	uint32_t k = SIZE_TO(300, 1, 3, 4, 7, 8, 60, 64, 65, 72, 128, 196);
	uint32_t p = limit_to(SIZE_TO(200, 1, 8, 31, 32, 33, 64, 65, 96, 127, 128, 129), k, most);
	uint32_t m = limit_to(SIZE_TO(70, 1, 2, 3, 4, 5, 8, 64), k * p, most);
	uint32_t dims[5] = { random_below(3), random_range(1, 3), random_range(1, 3) };
	uint8_t types[2] = { random_type(), random_type() };

	if (types[0] != NN_TYPE_INT16)
		types[1] = NN_TYPE_INT16;
	begin_call(NN_OPCODE_MATMUL_INT16);
	op.matmul.transpose_a = random_below(2);
	op.matmul.transpose_b = random_below(2);
	random_side(0, types[0], rank, dims, m, k, op.matmul.transpose_a);
	random_side(1, types[1], rank, dims, k, p, op.matmul.transpose_b);
	dims[rank - 2] = m;
	dims[rank - 1] = p;
	op.matmul.form = random_below(NN_MATMUL_INT16_FORMS);
	random_output(random_type(), rank, dims);
	op.matmul.zero_a = random_zero(&call.input[0]);
	op.matmul.zero_b = random_zero(&call.input[1]);
	random_scale(k);
}

/* The numbers are a's rows and columns, b's columns, which are transposed, and the form. */
static void make_large(const uint32_t *p)
{
	begin_call(NN_OPCODE_MATMUL_INT16);
	large_input(0, NN_TYPE_INT16, DIMS(2, p[3] & 1 ? p[1] : p[0], p[3] & 1 ? p[0] : p[1]));
	large_input(1, NN_TYPE_INT16, DIMS(2, p[3] & 2 ? p[2] : p[1], p[3] & 2 ? p[1] : p[2]));
	large_output(NN_TYPE_INT16, DIMS(2, p[0], p[2]));
	op.matmul = (struct nn_matmul_params){
		.form = p[4],
		.transpose_a = p[3] & 1,
		.transpose_b = p[3] >> 1,
		.by = { 1 << 14, -20 },
	};
}

static const struct large_call large[] = {
	{ "matmul_int16", make_large, { 1024, 1024, 1024, 0, NN_MATMUL_INT16_ONCE } },
	{ "matmul_int16 of long rows", make_large, { 2, 1 << 17, 2, 2, NN_MATMUL_INT16_FIXED } },
	{ "matmul_int16 of distant elements", make_large, { 2, 64, 8192, 0, NN_MATMUL_INT16_FIXED } },
	{ "matmul_int16 of columns", make_large, { 8192, 64, 1, 1, NN_MATMUL_INT16_ONCE } },
	{ "matmul_int16 of columns side by side", make_large, { 1024, 1024, 1024, 2, NN_MATMUL_INT16_FIXED } },
	{ "matmul_int16 of short rows", make_large, { 2048, 1, 1024, 3, NN_MATMUL_INT16_ONCE } },
};

const struct kernel_test nn_matmul_int16_test = {
	.make_random = make_random,
	.random_calls = 300,
	.large = large,
	.large_calls = COUNT(large),
};
