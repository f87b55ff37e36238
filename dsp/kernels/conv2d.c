// SPDX-License-Identifier: MIT
/*
 * CONV2D: input 8 bit [N, H, W, C], weights UINT8 [nn_pack_conv2d_size()] packed, bias INT32
 * [lanes] packed and folded (nn_pack_outputs), scales of as many lanes, nn_pack_lanes(M); output
 * 8 bit [N, OH, OW, M]. acc = bias[m] + sum over kernel and C of (w - zero point of the weights) *
 * a, where a outside of the input counts as its zero point; requant(acc, scale[m]). With an INT32
 * output there are no scales (NN_NO_TENSOR) and the output is acc.
 */
#include <stddef.h>

#include "dsp/kernels/accumulate.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/weighted.h"
#include "dsp/kernels/weights.h"
#include "dsp/kernels/window.h"

enum nn_program_reason nn_conv2d_check(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	enum nn_program_reason reason;

	if (!input->type || !output->type)
		return NN_REASON_OPERAND;
	reason = check_window(call);
	if (reason)
		return reason;
	reason = check_weighted_operands(call, NN_TYPE_UINT8);
	if (reason)
		return reason;
	return check_weighted_sizes(call, weight_lanes(output->dims[3]),
				    conv2d_weight_bytes(output->dims[3], window->kernel_h,
							window->kernel_w, input->dims[3]));
}

/* Outputs m to m + 31 of one pixel. */
static int convolve_window(struct progress *progress, uint32_t *acc, const uint8_t *weights,
			   uint32_t row, uint32_t oy, uint32_t ox)
{
	const struct nn_window_params *window = &progress->call->op->window;
	const struct nn_tensor *input = &progress->call->input[0];
	uint32_t channels = input->dims[3];
	uint64_t weight_row = conv2d_weight_bytes(1, 1, window->kernel_w, channels);

	for (uint32_t ky = 0; ky < window->kernel_h; ky++, weights += weight_row) {
		int64_t y = (int64_t)oy * window->stride_h - window->pad_top +
			    ky * window->dilation_h;

		for (uint32_t kx = 0; kx < window->kernel_w; kx++) {
			int64_t x = (int64_t)ox * window->stride_w - window->pad_left +
				    kx * window->dilation_w;
			const uint8_t *pixel = NULL;
			int ret;

			if (y >= 0 && y < input->dims[1] && x >= 0 && x < input->dims[2])
				pixel = pixel_at(input, row, y, x);
			ret = accumulate(progress, acc, weights, kx * channels, pixel,
					 input->zero_point, channels);
			if (ret)
				return ret;
		}
	}
	return 0;
}

static int convolve_pixel(struct progress *progress, uint32_t row, uint32_t oy, uint32_t ox)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *output = &call->output[0];
	const uint32_t *bias = (const uint32_t *)call->input[2].data;
	const uint8_t *weights = call->input[1].data;
	uint32_t outputs = output->dims[3];
	uint64_t pixel = ((uint64_t)row * output->dims[1] + oy) * output->dims[2] + ox;
	uint64_t block = conv2d_weight_bytes(1, window->kernel_h, window->kernel_w,
					     call->input[0].dims[3]);
	uint64_t first = pixel * (output->pitch / nn_type_size(output->type));

	for (uint32_t m = 0; m < outputs; m += 32, weights += block) {
		uint32_t acc[32];
		int ret = progress_add(progress, RESULT_WORK);

		if (ret)
			return ret;
		for (uint32_t i = 0; i < 32; i++)
			acc[i] = bias[m + i];
		ret = convolve_window(progress, acc, weights, row, oy, ox);
		if (ret)
			return ret;
		store_results(call, acc, first + m, m, min_u32(outputs - m, 32));
	}
	return 0;
}

/* Whether windows are read where they are: none reaches past the image, and each row is aligned. */
static bool is_read_in_place(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];

	return !window->pad_top && !window->pad_left && input->dims[3] % 8 == 0 &&
	       input->pitch % 8 == 0 && (nn_tensor_is_dense(input) || window->kernel_w == 1) &&
	       (output->dims[1] - 1ull) * window->stride_h +
			       (window->kernel_h - 1ull) * window->dilation_h < input->dims[1] &&
	       (output->dims[2] - 1ull) * window->stride_w +
			       (window->kernel_w - 1ull) * window->dilation_w < input->dims[2];
}

/*
 * Bytes that windows of four pixels beside each other span, as the vector kernel copies them, with a
 * sum of each of their pixels' inputs.
 */
static uint64_t spanned_bytes(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	uint64_t channels = call->input[0].dims[3];
	uint64_t outputs = min_u32(call->output[0].dims[2], 4);
	uint64_t rows = (window->kernel_h - 1ull) * window->dilation_h + 1;
	uint64_t columns = (outputs - 1) * window->stride_w +
			   (window->kernel_w - 1ull) * window->dilation_w + 1;

	if (channels % 8 || conv2d_is_wide(window, channels))
		return columns * channels +
		       rows * outputs * conv2d_row_length(window->kernel_w, channels) +
		       (rows + 1) * 4 * 64;
	return rows * columns * channels + (rows + 1) * 4 * (columns + 63);
}

/*
 * A window with more than MOST_INPUTS inputs is too much between two reports of progress. What four
 * windows span, far apart inputs with what lies between them, is copied to scratch memory, which has
 * room for MOST_SPANNED bytes of that, unless it is read in place.
 */
#define MOST_INPUTS	524288
#define MOST_SPANNED	180224

bool nn_conv2d_has_vectors(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;

	return window->kernel_h * conv2d_row_length(window->kernel_w, call->input[0].dims[3]) <=
		       MOST_INPUTS &&
	       (is_read_in_place(call) || spanned_bytes(call) <= MOST_SPANNED);
}

int nn_conv2d_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		for (uint32_t oy = 0; oy < output->dims[1]; oy++) {
			for (uint32_t ox = 0; ox < output->dims[2]; ox++) {
				int ret = convolve_pixel(&progress, row, oy, ox);

				if (ret)
					return ret;
			}
		}
	}
	return 0;
}
