// SPDX-License-Identifier: MIT
/*
 * ROW_NUMBERS: input with R rows of a level K around L, any type; output INT32 [N] of level L:
 * out_first[K], 0 for level 0, + (first[L] + r) mod R, wrapping. If R is 0 in a pass, zeros.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_row_numbers_check(const struct nn_call *call)
{
	if (!operands_are(call, 1, 1) || call->output[0].type != NN_TYPE_INT32)
		return NN_REASON_OPERAND;
	if (!nn_level_is_inside(call->output[0].level, call->input[0].level) ||
	    call->output[0].rank != 1)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_row_numbers_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t *number = (uint32_t *)output->data;
	uint32_t base = input->level ? call->run->arg[nn_out_first_args[input->level]] : 0;
	uint32_t source = input->dims[0] ? call->first % input->dims[0] : 0;
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		int ret = row % 1024 ? 0 : progress_add(&progress, 16 * 1024);

		if (ret)
			return ret;
		number[row] = input->dims[0] ? base + source : 0;
		source++;
		if (source >= input->dims[0])
			source = 0;
	}
	return 0;
}
