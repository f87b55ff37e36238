// SPDX-License-Identifier: MIT
/*
 * FLOAT_MATMUL: a, b and output FLOAT32, all of one rank, 3 or more. Matrices, which the last two
 * dimensions are, a's [M, K] (with transpose_a [K, M]) and b's [K, P] (with transpose_b [P, K]), are
 * multiplied; the output's are [M, P]. In each dimension before these an input is as long as the
 * output, or 1 long and used for all of it; in dimension 0 with level 0, whatever the output's level.
 *
 * An output begins as 0. For each k from 0 on the product is added, rounded once
 * (dsp/kernels/float.h).
 */
#include "dsp/kernels/float.h"
#include "dsp/kernels/float_sums.h"
#include "dsp/kernels/matmul.h"
#include "dsp/kernels/progress.h"

#define BLOCK_WORK	128
#define PRODUCTS_WORK	16
#define PIECE		512u	/* products between two looks at the work done */

enum nn_program_reason nn_float_matmul_check(const struct nn_call *call)
{
	const struct nn_float_matmul_params *params = &call->op->float_matmul;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	uint32_t rank = output->rank;

	if (!operands_are(call, 2, 1) || !is_float(a) || !is_float(b) || !is_float(output))
		return NN_REASON_OPERAND;
	if (params->transpose_a > 1 || params->transpose_b > 1)
		return NN_REASON_PARAMETER;
	if (!matmul_shapes_fit(call))
		return NN_REASON_SHAPE;
	if (a->dims[rank - 2 + params->transpose_a] != output->dims[rank - 2] ||
	    b->dims[rank - 1 - params->transpose_b] != output->dims[rank - 1] ||
	    a->dims[rank - 1 - params->transpose_a] != b->dims[rank - 2 + params->transpose_b])
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* A matrix; strides in elements. */
struct side {
	const float *data;
	uint64_t outer, inner;	/* from a row or column to the next, and along it */
};

/* Adds products of a row with some columns that do not lie side by side. */
static void add_apart(float *sums, const struct float_products *products, uint64_t outer,
		      uint32_t columns)
{
	const float *a = products->x, *b = products->weights;

	for (uint32_t k = 0; k < products->count; k++) {
		for (uint32_t i = 0; i < columns; i++)
			sums[i] = float_fused(*a, b[i * outer], sums[i]);
		a += products->step;
		b += products->pitch;
	}
}

/* The same of `columns` columns, wherever they are. */
static void add_products(float *sums, const struct float_products *products,
			 const struct side *right, uint32_t columns)
{
	if (columns == FLOAT_SUMS && right->outer == 1)
		float_add_all(sums, products);
	else if (columns == FLOAT_SUMS)
		float_add_rows(sums, products, right->outer);
	else
		add_apart(sums, products, right->outer, columns);
}

static int make_block(struct progress *progress, const float *a, uint64_t step_a, const float *b,
		      const struct side *right, uint32_t inner, uint32_t count, float *out)
{
	uint32_t work = PRODUCTS_WORK + stride_work(4 * step_a) + stride_work(4 * right->inner) +
			count * stride_work(4 * right->outer);
	float sums[FLOAT_SUMS] = { 0 };
	struct float_products part;
	int ret = progress_add(progress, BLOCK_WORK);

	for (uint32_t k = 0; k < inner && !ret; k += PIECE) {
		uint32_t products = min_u32(inner - k, PIECE);

		ret = progress_add(progress, (1 + count) * NN_PAGE_WORK + work * products);
		if (ret)
			break;
		part = (struct float_products){
			.x = a + k * step_a, .weights = b + k * right->inner,
			.step = step_a, .pitch = right->inner, .count = products,
		};
		add_products(sums, &part, right, count);
	}
	for (uint32_t i = 0; i < count && !ret; i++)
		out[i] = float_result(sums[i]);
	return ret;
}

static int multiply(struct progress *progress, const struct side *left, const struct side *right,
		    const uint32_t sizes[3], float *out)
{
	for (uint32_t m = 0; m < sizes[0]; m++) {
		for (uint32_t p = 0, count; p < sizes[2]; p += count) {
			int ret;

			/* Some are made again, rather than the few last ones by themselves. */
			if (sizes[2] - p < FLOAT_SUMS && sizes[2] - p > 2 && sizes[2] >= FLOAT_SUMS)
				p = sizes[2] - FLOAT_SUMS;
			count = min_u32(sizes[2] - p, FLOAT_SUMS);
			ret = make_block(progress, left->data + m * left->outer, left->inner,
					 right->data + p * right->outer, right, sizes[1], count,
					 out + (uint64_t)m * sizes[2] + p);

			if (ret)
				return ret;
		}
	}
	return 0;
}

int nn_float_matmul_portable(const struct nn_call *call)
{
	const struct nn_float_matmul_params *params = &call->op->float_matmul;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	uint32_t rank = output->rank;
	const uint32_t sizes[3] = { output->dims[rank - 2],
				    a->dims[rank - 1 - params->transpose_a],
				    output->dims[rank - 1] };
	struct side left = { .outer = sizes[1], .inner = 1 };
	struct side right = { .outer = 1, .inner = sizes[2] };
	uint64_t size = (uint64_t)sizes[0] * sizes[2], count = output->bytes / 4 / size;
	struct progress progress = { .call = call };

	if (params->transpose_a)
		left = (struct side){ .outer = 1, .inner = sizes[0] };
	if (params->transpose_b)
		right = (struct side){ .outer = sizes[1], .inner = 1 };
	for (uint64_t i = 0; i < count; i++) {
		int ret;

		left.data = (const float *)a->data + matmul_first_element(a, output, i);
		right.data = (const float *)b->data + matmul_first_element(b, output, i);
		ret = multiply(&progress, &left, &right, sizes, (float *)output->data + i * size);
		if (ret)
			return ret;
	}
	return 0;
}
