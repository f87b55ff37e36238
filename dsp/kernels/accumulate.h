/* SPDX-License-Identifier: MIT */
/*
 * The products of CONV2D and FULLY_CONNECTED, whose weights are packed alike: 32 outputs at a time.
 */
#ifndef NN_ACCUMULATE_H
#define NN_ACCUMULATE_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/weights.h"

/* The work of reading 32 biases and making 32 results, in units of progress. */
#define RESULT_WORK	2000

/* acc[m] += a * the weight of output m at position k of the kernel row. */
static inline void accumulate_one(uint32_t *acc, const uint8_t *weights, uint32_t k, int32_t zero,
				  int32_t a)
{
	const uint8_t *w = weights + conv2d_weight_offset(0, k);

	for (uint32_t m = 0; m < 32; m++)
		acc[m] += (uint32_t)((w[m * 4] - zero) * a);
}

/* Inputs between two looks at the work done, and the work of one: 32 products. */
#define PIECE		256
#define INPUT_WORK	160

/*
 * Adds `count` inputs at kernel row positions k and after, from `data`, flipped; where that is NULL
 * they are padding, and each is `value`. `zero` is the weights' zero point.
 */
static inline int accumulate_of(struct progress *progress, uint32_t *acc, const uint8_t *weights,
				int32_t zero, int32_t flip, uint32_t k, const uint8_t *data,
				int32_t value, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		int ret = i % PIECE ? 0 : progress_add(progress, NN_PAGE_WORK + INPUT_WORK *
							min_u32(count - i, PIECE));

		if (ret)
			return ret;
		accumulate_one(acc, weights, k + i, zero,
			       data ? load_8bit(&data[i], flip) : value);
	}
	return 0;
}

/* The same of inputs 0 and 1. */
static inline int accumulate(struct progress *progress, uint32_t *acc, const uint8_t *weights,
			     uint32_t k, const uint8_t *data, int32_t value, uint32_t count)
{
	const struct nn_call *call = progress->call;

	return accumulate_of(progress, acc, weights, call->input[1].zero_point,
			     flip_of(&call->input[0]), k, data, value, count);
}

#endif
