// SPDX-License-Identifier: MIT
/*
 * The check that all pools share (pool.h).
 */
#include "dsp/kernels/pool.h"
#include "dsp/kernels/window.h"

enum nn_program_reason nn_pool_check_of(const struct nn_call *call,
					bool (*is_type)(const struct nn_tensor *tensor))
{
	enum nn_program_reason reason;

	if (!operands_are(call, 1, 1) || !is_type(&call->input[0]) || !is_type(&call->output[0]))
		return NN_REASON_OPERAND;
	reason = check_window(call);
	if (reason)
		return reason;
	if (call->input[0].dims[3] != call->output[0].dims[3])
		return NN_REASON_SHAPE;
	if (call->op->window.dilation_h != 1 || call->op->window.dilation_w != 1 ||
	    !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

enum nn_program_reason nn_pool_check(const struct nn_call *call)
{
	return nn_pool_check_of(call, is_8bit);
}

int nn_pool_portable(const struct nn_call *call, nn_pool_pixel *pixel)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	uint8_t *out = output->data;

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		for (uint32_t oy = 0; oy < output->dims[1]; oy++) {
			for (uint32_t ox = 0; ox < output->dims[2]; ox++, out += output->pitch) {
				struct pool_window window = pool_window(call, oy, ox);
				int ret = progress_add(&progress, 500);

				ret = ret ? ret : pixel(&progress, row, &window, out);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}
