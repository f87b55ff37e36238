/* SPDX-License-Identifier: MIT */
/*
 * Operators with weights: what CONV2D, DEPTHWISE_CONV2D and FULLY_CONNECTED have in common. Their
 * operands are input, weights, bias, and scales unless the output is the accumulator.
 */
#ifndef NN_WEIGHTED_H
#define NN_WEIGHTED_H

#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"

static inline enum nn_program_reason check_weighted_operands(const struct nn_call *call,
							     enum nn_type weights)
{
	const struct nn_tensor *output = &call->output[0];
	bool scaled = output->type != NN_TYPE_INT32;

	if (!operands_are(call, scaled ? 4 : 3, 1))
		return NN_REASON_OPERAND;
	if (!is_8bit(&call->input[0]) || (scaled && !is_8bit(output)))
		return NN_REASON_OPERAND;
	if (!is_constant(&call->input[1], weights) ||
	    !is_constant(&call->input[2], NN_TYPE_INT32) || (scaled && !is_scales(&call->input[3])))
		return NN_REASON_OPERAND;
	return NN_REASON_NONE;
}

/* Constants have so many lanes. The operands have been checked. */
static inline enum nn_program_reason check_weighted_sizes(const struct nn_call *call,
							  uint64_t lanes, uint64_t weight_bytes)
{
	bool scaled = call->output[0].type != NN_TYPE_INT32;

	if (call->input[1].dims[0] != weight_bytes || call->input[2].dims[0] != lanes ||
	    (scaled && call->input[3].dims[1] != lanes))
		return NN_REASON_SHAPE;
	if (scaled && !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/* `count` results, outputs m, m + 1, ..., `index` elements behind the output's beginning. */
static inline void store_results(const struct nn_call *call, const uint32_t *acc, uint64_t index,
				 uint32_t m, uint32_t count)
{
	const struct nn_tensor *output = &call->output[0];
	const float *scale = (const float *)call->input[3].data;

	if (output->type == NN_TYPE_INT32) {
		for (uint32_t i = 0; i < count; i++)
			((uint32_t *)output->data)[index + i] = acc[i];
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		output->data[index + i] =
			clamp_int(requant((int32_t)acc[i], scale[m + i], output->zero_point),
				  call->op->out_min, call->op->out_max);
}

#endif
