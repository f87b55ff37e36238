// SPDX-License-Identifier: MIT
/*
 * ROTATE_ROWS: input with R rows of a level around L, output of level L with the same bytes a row:
 * row r of the pass is the input's row (first[L] + r) mod R. If R is 0 in a pass, zeros.
 */
#include "dsp/kernels/blocks.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_rotate_rows_check(const struct nn_call *call)
{
	if (!operands_are(call, 1, 1) || call->input[0].type != call->output[0].type)
		return NN_REASON_OPERAND;
	if (!nn_level_is_inside(call->output[0].level, call->input[0].level) ||
	    call->input[0].row_bytes != call->output[0].row_bytes)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_rotate_blocks(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct progress progress = { .call = call };
	uint32_t source, row = 0;

	if (!input->dims[0])
		return progress_fill(&progress, output->data, 0, output->bytes);
	source = call->first % input->dims[0];
	while (row < output->dims[0]) {
		uint32_t rows = input->dims[0] - source;
		int ret;

		if (rows > output->dims[0] - row)
			rows = output->dims[0] - row;
		ret = progress_copy(&progress, output->data + row * output->row_bytes,
				    input->data + source * input->row_bytes,
				    rows * input->row_bytes);
		if (ret)
			return ret;
		row += rows;
		source = 0;
	}
	return 0;
}

int nn_rotate_rows_portable(const struct nn_call *call)
{
	return nn_rotate_blocks(call);
}
