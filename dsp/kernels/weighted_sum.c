// SPDX-License-Identifier: MIT
/*
 * WEIGHTED_SUM: input INT16 [N, J, C], weights INT16 [J * C] and bias INT32 [C] packed, output INT32
 * [N, C]. Of each row and each of the C the low 32 bits of the bias and of the sum of the J elements,
 * each times its weight. The time filter of a layer that remembers its last inputs (SVDF) is one.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_weighted_sum_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];

	if (!operands_are(call, 3, 1) || !is_int16(input) ||
	    !is_constant(&call->input[1], NN_TYPE_INT16) ||
	    !is_constant(&call->input[2], NN_TYPE_INT32) || output->type != NN_TYPE_INT32 ||
	    output->zero_point)
		return NN_REASON_OPERAND;
	if (input->rank != 3 || output->rank != 2 || !same_rows(input, output) ||
	    input->dims[2] != output->dims[1] || call->input[2].dims[0] != output->dims[1] ||
	    call->input[1].dims[0] != (uint64_t)input->dims[1] * input->dims[2])
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_weighted_sum_portable(const struct nn_call *call)
{
	const int16_t *x = (const int16_t *)call->input[0].data;
	const int16_t *weights = (const int16_t *)call->input[1].data;
	const int32_t *bias = (const int32_t *)call->input[2].data;
	uint32_t length = call->input[0].dims[1], channels = call->input[0].dims[2];
	uint32_t work = 8 + 2 * stride_work(2ull * channels);
	int32_t *output = (int32_t *)call->output[0].data;
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < call->output[0].dims[0]; row++) {
		for (uint32_t c = 0; c < channels; c++) {
			uint32_t sum = bias[c];

			for (uint32_t j = 0; j < length; j++) {
				uint64_t at = (uint64_t)j * channels + c;
				int ret = progress_add(&progress, work);

				if (ret)
					return ret;
				sum += (uint32_t)(x[at] * weights[at]);
			}
			*output++ = (int32_t)sum;
		}
		x += (uint64_t)length * channels;
	}
	return 0;
}
