// SPDX-License-Identifier: MIT
/*
 * ROTATE_ROWS takes rows in turn. nn_rotate_rows_hvx() is its vector kernel, in the table of
 * kernels.c.
 *
 * Where the input's rows come more than once, and are few, the output has them already:
 *
 *	input |ab|   output |babababa|:   ab is copied from the input, then from the output
 */
#include "dsp/kernels/blocks.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/move/repeat.h"

#define FEW_BYTES	4096u	/* which are copied one after another as fast */

int nn_rotate_rows_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct progress progress = { .call = call };
	uint64_t behind;
	int ret;

	if (!input->dims[0] || input->bytes >= FEW_BYTES || input->bytes >= output->bytes)
		return nn_rotate_blocks(call);
	behind = call->first % input->dims[0] * input->row_bytes;
	ret = progress_copy(&progress, output->data, input->data + behind,
			    input->bytes - behind);
	if (!ret)
		ret = progress_copy(&progress, output->data + input->bytes - behind, input->data,
				    behind);
	return ret ? ret : repeat_bytes(&progress, output->data, input->bytes, output->bytes);
}
