// SPDX-License-Identifier: MIT
/*
 * FULLY_CONNECTED: input 8 bit [N, ...], K elements a row; output 8 bit or INT32 [N, ...], M
 * elements a row. Weights, bias and scales as of a CONV2D with a 1 x 1 kernel and K input channels.
 */
#include "dsp/kernels/accumulate.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/weighted.h"
#include "dsp/kernels/weights.h"

enum nn_program_reason nn_fully_connected_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	enum nn_program_reason reason;
	uint64_t outputs;

	if (!input->type || !output->type)
		return NN_REASON_OPERAND;
	if (!same_rows(input, output))
		return NN_REASON_SHAPE;
	reason = check_weighted_operands(call, NN_TYPE_UINT8);
	if (reason)
		return reason;
	outputs = output->row_bytes / (output->type == NN_TYPE_INT32 ? 4 : 1);
	return check_weighted_sizes(call, weight_lanes(outputs),
				    conv2d_weight_bytes(outputs, 1, 1, input->row_bytes));
}

/*
 * A row of more than MOST_INPUTS elements is too much between two reports of progress. Where their
 * number is no multiple of 8, four rows are copied to scratch memory, twice, which has room for
 * MOST_COPIED elements of each, or a single one of MOST_ALONE.
 */
#define MOST_INPUTS	524288u
#define MOST_COPIED	22400u
#define MOST_ALONE	65024u

bool nn_fully_connected_has_vectors(const struct nn_call *call)
{
	uint64_t inputs = call->input[0].row_bytes;

	if (inputs % 8 == 0)
		return inputs <= MOST_INPUTS;
	return inputs <= (call->output[0].dims[0] == 1 ? MOST_ALONE : MOST_COPIED);
}

int nn_fully_connected_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const uint32_t *bias = (const uint32_t *)call->input[2].data;
	uint32_t inputs = input->row_bytes;
	uint32_t outputs = call->output[0].row_bytes / (output->type == NN_TYPE_INT32 ? 4 : 1);
	uint64_t block = conv2d_weight_bytes(1, 1, 1, inputs);
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		for (uint32_t m = 0; m < outputs; m += 32) {
			uint32_t acc[32];
			int ret = progress_add(&progress, RESULT_WORK);

			if (ret)
				return ret;
			for (uint32_t i = 0; i < 32; i++)
				acc[i] = bias[m + i];
			ret = accumulate(&progress, acc, call->input[1].data + m / 32 * block, 0,
					 input->data + row * input->row_bytes, 0, inputs);
			if (ret)
				return ret;
			store_results(call, acc, (uint64_t)row * outputs + m, m,
				      min_u32(outputs - m, 32));
		}
	}
	return 0;
}
