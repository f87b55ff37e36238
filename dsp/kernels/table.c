// SPDX-License-Identifier: MIT
/*
 * TABLE: input, output 8 bit, of the same dimensions; table UINT8 [256] packed, indexed by the
 * input's byte (an int8 as uint8): output byte = table[input byte]. No zero point, no clamp. In
 * place.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/elements.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_table_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *table = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !is_8bit(input) || !is_constant(table, NN_TYPE_UINT8) ||
	    !is_8bit(output))
		return NN_REASON_OPERAND;
	if (!same_dims(input, output) || table->dims[0] != 256)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

static int run_table(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const uint8_t *input = call->input[0].data, *table = call->input[1].data;

	for (uint64_t i = 0; i < output->bytes; i++) {
		int ret = progress_element(call, i);

		if (ret)
			return ret;
		output->data[i] = table[input[i]];
	}
	return 0;
}

int nn_table_portable(const struct nn_call *call)
{
	return nn_elements_run(call, run_table);
}
