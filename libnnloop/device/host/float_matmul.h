/* SPDX-License-Identifier: MIT */
/*
 * FLOAT_MATMUL on the host: tiles of PIXELS rows of the left matrix and FLOAT_BLOCK columns of the
 * right one (float_products.h), which are laid out side by side in scratch memory.
 */
#ifndef NN_HOST_FLOAT_MATMUL_H
#define NN_HOST_FLOAT_MATMUL_H

#include "dsp/kernels/matmul.h"
#include "float_products.h"
#include "kernels.h"

/* A pair of matrices and their product; steps in elements. */
struct float_pair {
	const struct nn_call *call;
	const float *a, *b;
	float *out;
	uint64_t a_row, a_inner, b_inner, b_column;
	uint32_t rows, inner, columns;
};

/* Lays out columns p and after as FLOAT_BLOCK, those that there are not as zeros. */
static void lay_out_columns(const struct float_pair *pair, uint32_t p, uint32_t count, float *to)
{
	const float *from = pair->b + p * pair->b_column;

	for (uint32_t k = 0; k < pair->inner; k++, from += pair->b_inner, to += FLOAT_BLOCK) {
		for (uint32_t i = 0; i < count; i++)
			to[i] = from[i * pair->b_column];
		for (uint32_t i = count; i < FLOAT_BLOCK; i++)
			to[i] = 0;
	}
}

/* Rows m and after of the left matrix times FLOAT_BLOCK columns. */
static inline __attribute__((always_inline)) void
multiply_float_tile(const struct float_pair *pair, uint32_t m, const float *columns,
		    float (*sums)[FLOAT_BLOCK], const uint32_t rows)
{
	const float *x = pair->a + m * pair->a_row;
#ifdef ONE_INSTRUCTION
	floats tile[PIXELS][VECTORS];

#pragma GCC unroll 16
	for (uint32_t i = 0; i < rows; i++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < VECTORS; v++)
			tile[i][v] = broadcast(0);
	}
	for (uint32_t k = 0; k < pair->inner; k++, x += pair->a_inner, columns += FLOAT_BLOCK)
		add_float_products(tile, x, pair->a_row, columns, rows, VECTORS, false);
#pragma GCC unroll 16
	for (uint32_t i = 0; i < rows; i++) {
#pragma GCC unroll 16
		for (uint32_t v = 0; v < VECTORS; v++)
			store_floats(sums[i] + v * LANES, tile[i][v]);
	}
#else
	memset(sums, 0, rows * sizeof(*sums));
	for (uint32_t k = 0; k < pair->inner; k++, x += pair->a_inner, columns += FLOAT_BLOCK) {
		for (uint32_t i = 0; i < rows; i++) {
			for (uint32_t n = 0; n < FLOAT_BLOCK; n++)
				sums[i][n] = __builtin_fmaf(x[i * pair->a_row], columns[n],
							    sums[i][n]);
		}
	}
#endif
}

static void multiply_float_rows(const struct float_pair *pair, uint32_t m, uint32_t p, uint32_t count,
				const float *columns)
{
	uint32_t rows = min_u32(pair->rows - m, PIXELS);
	float sums[PIXELS][FLOAT_BLOCK];

	if (rows == PIXELS)
		multiply_float_tile(pair, m, columns, sums, PIXELS);
	for (uint32_t i = 0; i < rows && rows < PIXELS; i++)
		multiply_float_tile(pair, m + i, columns, sums + i, 1);
	for (uint32_t i = 0; i < rows; i++) {
		for (uint32_t k = 0; k < count; k++)
			pair->out[(uint64_t)(m + i) * pair->columns + p + k] =
				float_result(sums[i][k]);
	}
}

static int multiply_float_pair(const struct float_pair *pair)
{
	float *columns = (float *)pair->call->scratch;

	for (uint32_t p = 0; p < pair->columns; p += FLOAT_BLOCK) {
		uint32_t count = min_u32(pair->columns - p, FLOAT_BLOCK);

		lay_out_columns(pair, p, count, columns);
		for (uint32_t m = 0; m < pair->rows; m += PIXELS) {
			int ret = nn_call_progress(pair->call);

			if (ret)
				return ret;
			multiply_float_rows(pair, m, p, count, columns);
		}
	}
	return 0;
}

/* Pairs begin .. end - 1. */
static int multiply_float_pairs(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	const struct nn_float_matmul_params *params = &call->op->float_matmul;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	uint32_t rank = output->rank;
	struct float_pair pair = {
		.call = call,
		.rows = output->dims[rank - 2],
		.inner = a->dims[rank - 1 - params->transpose_a],
		.columns = output->dims[rank - 1],
	};
	uint64_t size = (uint64_t)pair.rows * pair.columns;

	pair.a_row = params->transpose_a ? 1 : pair.inner;
	pair.a_inner = params->transpose_a ? pair.rows : 1;
	pair.b_inner = params->transpose_b ? 1 : pair.columns;
	pair.b_column = params->transpose_b ? pair.inner : 1;
	for (; begin < end; begin++) {
		int ret;

		pair.a = (const float *)a->data + matmul_first_element(a, output, begin);
		pair.b = (const float *)b->data + matmul_first_element(b, output, begin);
		pair.out = (float *)output->data + begin * size;
		ret = multiply_float_pair(&pair);
		if (ret)
			return ret;
	}
	return 0;
}

/* Whether there is room for the columns of a block. */
static bool is_quick_float_matmul(const struct nn_call *call)
{
	const struct nn_float_matmul_params *params = &call->op->float_matmul;
	const struct nn_tensor *a = &call->input[0];

	return a->dims[a->rank - 1 - params->transpose_a] <=
	       NN_SCRATCH_SIZE / (FLOAT_BLOCK * sizeof(float));
}

/* Each pair of matrices is a unit. */
static uint32_t float_matmul_units(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint64_t size = (uint64_t)output->dims[output->rank - 1] * output->dims[output->rank - 2];

	return is_quick_float_matmul(call) ? output->bytes / sizeof(float) / size : 1;
}

static int float_matmul(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	if (is_quick_float_matmul(call))
		return multiply_float_pairs(call, begin, end);
	return begin < end ? nn_float_matmul_portable(call) : 0;
}

#endif
