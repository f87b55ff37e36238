/* SPDX-License-Identifier: MIT */
/*
 * The operands of MATMUL and MATMUL_INT16, as their portable and their vector kernels go through
 * them.
 */
#ifndef NN_MATMUL_H
#define NN_MATMUL_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

/*
 * An input as it is multiplied: bytes from one index of each dimension to the next, 0 where it is
 * used for all.
 */
struct matmul_side {
	const struct nn_tensor *tensor;
	int32_t flip, zero;
	uint32_t outer, inner;	/* what M or P, and K, are of it */
	uint64_t outer_step, inner_step, steps[NN_MAX_RANK];
};

/* inner_is_last: where K is. */
static inline struct matmul_side matmul_side_of(const struct nn_tensor *tensor, int32_t zero,
						bool inner_is_last)
{
	struct matmul_side side = { .tensor = tensor, .flip = flip_of(tensor), .zero = zero };
	uint32_t last = tensor->rank - 1, size = nn_type_size(tensor->type);
	uint64_t row = (uint64_t)tensor->dims[last] * size, step = row * tensor->dims[last - 1];

	side.outer = tensor->dims[inner_is_last ? last - 1 : last];
	side.inner = tensor->dims[inner_is_last ? last : last - 1];
	side.outer_step = inner_is_last ? row : size;
	side.inner_step = inner_is_last ? size : row;
	for (uint32_t i = last - 1; i-- > 0;) {
		side.steps[i] = tensor->dims[i] == 1 ? 0 : step;
		step *= tensor->dims[i];
	}
	return side;
}

static inline struct matmul_side matmul_left(const struct nn_call *call)
{
	return matmul_side_of(&call->input[0], call->op->matmul.zero_a,
			      !call->op->matmul.transpose_a);
}

static inline struct matmul_side matmul_right(const struct nn_call *call)
{
	return matmul_side_of(&call->input[1], call->op->matmul.zero_b,
			      call->op->matmul.transpose_b);
}

/* Whether an input has the dimensions before the matrices that the output has, or 1. */
static inline bool matmul_is_broadcast(const struct nn_tensor *input,
				       const struct nn_tensor *output)
{
	if (input->rank != output->rank || !has_rows_for(input, output))
		return false;
	for (uint32_t i = 1; i + 2 < output->rank; i++) {
		if (input->dims[i] != output->dims[i] && input->dims[i] != 1)
			return false;
	}
	return true;
}

/* Returns where the matrix of an input begins that number `matrix` of the output is made of. */
static inline uint64_t matmul_first_element(const struct nn_tensor *input,
					    const struct nn_tensor *output, uint64_t matrix)
{
	uint64_t size = (uint64_t)input->dims[input->rank - 1] * input->dims[input->rank - 2];
	uint64_t at = 0, step = 1;

	for (uint32_t i = output->rank - 2; i-- > 0;) {
		uint64_t index = matrix % output->dims[i];

		matrix /= output->dims[i];
		if (input->dims[i] != 1)
			at += index * step;
		step *= input->dims[i];
	}
	return at * size;
}

/* Whether both have, and there are such dimensions. */
static inline bool matmul_shapes_fit(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];

	return output->rank >= 3 && matmul_is_broadcast(&call->input[0], output) &&
	       matmul_is_broadcast(&call->input[1], output);
}

/* Whether the matrices fit each other; the parameters are known to be right. */
static inline bool matmul_sizes_fit(const struct nn_call *call)
{
	const struct matmul_side left = matmul_left(call), right = matmul_right(call);
	const struct nn_tensor *output = &call->output[0];

	return left.inner == right.inner && left.outer == output->dims[output->rank - 2] &&
	       right.outer == output->dims[output->rank - 1];
}

/* The pairs of matrices: this one's beginning, how many came before it, and how many are left. */
struct matmul_pairs {
	const struct nn_tensor *output;
	const struct matmul_side *a_side, *b_side;
	const uint8_t *a, *b;
	uint64_t at, left;
	uint32_t index[NN_MAX_RANK];
};

static inline void matmul_begin(struct matmul_pairs *pairs, const struct nn_call *call,
				const struct matmul_side *a, const struct matmul_side *b)
{
	*pairs = (struct matmul_pairs){
		.output = &call->output[0],
		.a_side = a,
		.b_side = b,
		.a = a->tensor->data,
		.b = b->tensor->data,
		.left = 1,
	};
	for (uint32_t i = 0; i + 2 < pairs->output->rank; i++)
		pairs->left *= pairs->output->dims[i];
}

/* Goes on to the next pair; indices count like digits. */
static inline void matmul_next(struct matmul_pairs *pairs)
{
	pairs->at++;
	pairs->left--;
	for (uint32_t d = pairs->output->rank - 2; d-- > 0;) {
		pairs->a += pairs->a_side->steps[d];
		pairs->b += pairs->b_side->steps[d];
		if (++pairs->index[d] < pairs->output->dims[d])
			break;
		pairs->a -= pairs->a_side->steps[d] * pairs->index[d];
		pairs->b -= pairs->b_side->steps[d] * pairs->index[d];
		pairs->index[d] = 0;
	}
}

/* Makes the product of row `from_a` of one matrix and column `from_b` of another: element `at`. */
typedef int matmul_element_fp(struct progress *progress, const struct matmul_side *a,
			      const uint8_t *from_a, const struct matmul_side *b,
			      const uint8_t *from_b, uint64_t at);

/* All elements of the output, one after another, as portable kernels make them. */
static inline int matmul_each(const struct nn_call *call, matmul_element_fp *make)
{
	const struct matmul_side a = matmul_left(call), b = matmul_right(call);
	struct progress progress = { .call = call };
	struct matmul_pairs pairs;
	uint64_t at = 0;

	for (matmul_begin(&pairs, call, &a, &b); pairs.left; matmul_next(&pairs)) {
		for (uint32_t m = 0; m < a.outer; m++) {
			for (uint32_t p = 0; p < b.outer; p++) {
				int ret = make(&progress, &a, pairs.a + m * a.outer_step, &b,
					       pairs.b + p * b.outer_step, at++);

				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

#endif
