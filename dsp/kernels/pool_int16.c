// SPDX-License-Identifier: MIT
/*
 * POOL_INT16: input and output INT16, [N, H, W, C] and [N, OH, OW, C], of one zero point. The
 * greatest element of the window that is not padding; or, where `average` is 1 and the zero point
 * 0, their mean to the nearest, ties away from 0. Clamped. As TensorFlow Lite's own kernels do it.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/pool.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"

enum nn_program_reason nn_pool_int16_check(const struct nn_call *call)
{
	const struct nn_pool_int16_params *params = &call->op->pool_int16;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	enum nn_program_reason reason;

	if (!operands_are(call, 1, 1) || input->type != NN_TYPE_INT16 ||
	    output->type != NN_TYPE_INT16)
		return NN_REASON_OPERAND;
	reason = check_window(call);
	if (reason)
		return reason;
	if (input->dims[3] != output->dims[3])
		return NN_REASON_SHAPE;
	if (params->average ? input->zero_point || output->zero_point :
			      input->zero_point != output->zero_point)
		return NN_REASON_OPERAND;
	if (params->average > 1 || params->window.dilation_h != 1 ||
	    params->window.dilation_w != 1 || params->window.count_padding ||
	    params->window.multiplier || params->window.shift || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/* A window has at most 255 * 255 elements, whose sum and half of them fit 32 bits. */
static int pool_pixel(struct progress *progress, uint32_t row, const struct pool_window *window,
		      int16_t *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *input = &call->input[0];
	uint32_t channels = input->dims[3], row_work = pool_row_work(call, window);
	int32_t count = (window->bottom - window->top) * (window->right - window->left);

	for (uint32_t c = 0; c < channels; c++) {
		int32_t sum = 0, most = INT32_MIN;

		for (uint32_t y = window->top; y < window->bottom; y++) {
			uint64_t at = (uint64_t)y * input->dims[2] + window->left;
			const int16_t *from = (const int16_t *)(input->data +
								row * input->row_bytes) +
					      at * channels + c;
			int ret = progress_add(progress, 2 * row_work);

			if (ret)
				return ret;
			for (uint32_t x = window->left; x < window->right; x++, from += channels) {
				sum += *from;
				most = *from > most ? *from : most;
			}
		}
		if (call->op->pool_int16.average)
			most = divide_away(sum, count);
		out[c] = (int16_t)clamp_int(most, call->op->out_min, call->op->out_max);
	}
	return 0;
}

int nn_pool_int16_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	int16_t *out = (int16_t *)output->data;

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		for (uint32_t oy = 0; oy < output->dims[1]; oy++) {
			for (uint32_t ox = 0; ox < output->dims[2]; ox++, out += output->dims[3]) {
				struct pool_window window = pool_window(call, oy, ox);
				int ret = progress_add(&progress, 500);

				ret = ret ? ret : pool_pixel(&progress, row, &window, out);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

/* One channel after another takes less than a vector of so few does. */
#define LEAST_CHANNELS	4u

bool nn_pool_int16_has_vectors(const struct nn_call *call)
{
	return call->input[0].dims[3] >= LEAST_CHANNELS;
}
