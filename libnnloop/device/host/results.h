/* SPDX-License-Identifier: MIT */
/*
 * Results of sums, as store_results() of dsp/kernels/weighted.h makes them, in loops that the
 * compiler makes vectors of.
 */
#ifndef NN_HOST_RESULTS_H
#define NN_HOST_RESULTS_H

#include <string.h>

#include "dsp/kernels/numbers.h"
#include "products.h"

/*
 * The results of a layer: where they go and what they are made with. There is a scale for each
 * output.
 */
struct results {
	uint8_t *data;
	const float *scale;	/* NULL: they are the sums */
	uint32_t outputs;	/* of a pixel */
	uint64_t pitch;		/* elements from a pixel's to the next's */
	int32_t zero_point, low, high;
};

static struct results find_results(const struct nn_call *call, uint32_t outputs, uint64_t pitch)
{
	const struct nn_tensor *output = &call->output[0];

	return (struct results){
		.data = output->data,
		.scale = output->type == NN_TYPE_INT32 ? NULL :
							 (const float *)call->input[3].data,
		.outputs = outputs,
		.pitch = pitch,
		.zero_point = output->zero_point,
		.low = call->op->out_min,
		.high = call->op->out_max,
	};
}

/* Stores outputs m to m + BLOCK - 1, or to the last, of one pixel. */
static inline void store_block(const struct results *results, const uint32_t *sums, uint64_t pixel,
			       uint32_t m)
{
	uint32_t rest = results->outputs - m, count = rest < BLOCK ? rest : BLOCK;
	uint64_t index = pixel * results->pitch + m;
	const float *scale;
	int32_t zero_point = results->zero_point, low = results->low, high = results->high;
	uint8_t block[BLOCK];

	if (!results->scale) {
		memcpy(results->data + 4 * index, sums, 4 * count);
		return;
	}
	scale = results->scale + m;
	for (uint32_t i = 0; i < BLOCK; i++)
		block[i] = clamp_int(requant((int32_t)sums[i], scale[i], zero_point), low, high);
	/* Nearly always, and without a call. */
	if (count == BLOCK)
		memcpy(results->data + index, block, BLOCK);
	else
		memcpy(results->data + index, block, count);
}

#endif
