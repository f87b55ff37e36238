// SPDX-License-Identifier: MIT
/*
 * ADD, REQUANTIZE and TABLE.
 */
#include "checks.h"
#include "numbers.h"

/* Elements between two reports of progress. */
#define TILE	16384u

enum nn_program_reason nn_add_check(const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;
	const int32_t limit = 1 << 21;

	if (!operands_are(call, 2, 1) || !is_8bit(&call->input[0]) || !is_8bit(&call->input[1]) ||
	    !is_8bit(&call->output[0]))
		return NN_REASON_OPERAND;
	if (!same_dims(&call->input[0], &call->output[0]) ||
	    !same_dims(&call->input[1], &call->output[0]))
		return NN_REASON_SHAPE;
	if (params->multiplier_a < -limit || params->multiplier_a > limit ||
	    params->multiplier_b < -limit || params->multiplier_b > limit || params->shift < 1 ||
	    params->shift > 30 || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

int nn_add_portable(const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	int32_t flip_a = flip_of(a), flip_b = flip_of(b);
	int32_t half = (int32_t)(1u << (params->shift - 1));

	for (uint64_t i = 0; i < output->bytes; i++) {
		int32_t qa = load_8bit(&a->data[i], flip_a) - a->zero_point;
		int32_t qb = load_8bit(&b->data[i], flip_b) - b->zero_point;
		int32_t sum = (qa * params->multiplier_a + qb * params->multiplier_b + half) >>
			      params->shift;

		if (i % TILE == 0) {
			int ret = nn_call_progress(call);

			if (ret)
				return ret;
		}
		output->data[i] =
			clamp_int(sum + output->zero_point, call->op->out_min, call->op->out_max);
	}
	return 0;
}

enum nn_program_reason nn_requantize_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *scale = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || input->type != NN_TYPE_INT32 ||
	    !is_constant(scale, NN_TYPE_FLOAT32) || !is_8bit(output))
		return NN_REASON_OPERAND;
	if (!same_dims(input, output))
		return NN_REASON_SHAPE;
	/* In rank 1 the last dimension would be the rows. */
	if (scale->dims[0] != 1 &&
	    (output->rank < 2 || scale->dims[0] != output->dims[output->rank - 1]))
		return NN_REASON_SHAPE;
	if (input->zero_point || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

int nn_requantize_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const int32_t *input = (const int32_t *)call->input[0].data;
	const float *scale = (const float *)call->input[1].data;
	uint32_t channels = call->input[1].dims[0], channel = 0;

	for (uint64_t i = 0; i < output->bytes; i++) {
		if (i % TILE == 0) {
			int ret = nn_call_progress(call);

			if (ret)
				return ret;
		}
		output->data[i] = clamp_int(requant(input[i], scale[channel], output->zero_point),
					    call->op->out_min, call->op->out_max);
		if (++channel == channels)
			channel = 0;
	}
	return 0;
}

enum nn_program_reason nn_table_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *table = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !is_8bit(input) || !is_constant(table, NN_TYPE_UINT8) ||
	    !is_8bit(output))
		return NN_REASON_OPERAND;
	if (!same_rows(input, output) || input->row_bytes != output->row_bytes ||
	    table->dims[0] != 256)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_table_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const uint8_t *input = call->input[0].data, *table = call->input[1].data;

	for (uint64_t i = 0; i < output->bytes; i++) {
		if (i % TILE == 0) {
			int ret = nn_call_progress(call);

			if (ret)
				return ret;
		}
		output->data[i] = table[input[i]];
	}
	return 0;
}
