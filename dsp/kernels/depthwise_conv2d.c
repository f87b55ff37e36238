// SPDX-License-Identifier: MIT
/*
 * DEPTHWISE_CONV2D: CONV2D with M a multiple of C: output m sees input channel m / (M / C) alone.
 * Weights INT8 [nn_pack_depthwise_size()] packed, with any zero point, bias folded in the same way;
 * lanes are nn_pack_repeated_lanes(M).
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/depthwise_conv2d.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/weighted.h"
#include "dsp/kernels/weights.h"
#include "dsp/kernels/window.h"

enum nn_program_reason nn_depthwise_conv2d_check(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	enum nn_program_reason reason = check_weighted_operands(call, NN_TYPE_INT8);
	uint32_t outputs = call->output[0].dims[3];

	if (reason)
		return reason;
	reason = check_window(call);
	if (reason)
		return reason;
	if (outputs % call->input[0].dims[3])
		return NN_REASON_SHAPE;
	return check_weighted_sizes(call, repeated_lanes(outputs),
				    depthwise_weight_bytes(outputs, window->kernel_h,
							   window->kernel_w));
}

/* The accumulator of output channel m at (oy, ox), to *sum. */
static int convolve(struct progress *progress, uint32_t row, uint32_t oy, uint32_t ox, uint32_t m,
		    uint32_t *sum)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0];
	uint32_t words = (window->kernel_w + 3) / 4;
	uint32_t channel = m / (call->output[0].dims[3] / input->dims[3]);
	const int8_t *weights = (const int8_t *)call->input[1].data + 4 * m;
	uint64_t word_bytes = 4 * (uint64_t)call->input[2].dims[0];
	uint32_t acc = ((const uint32_t *)call->input[2].data)[m];
	int32_t flip = flip_of(input), zero = call->input[1].zero_point;
	uint32_t row_work = 64 + NN_PAGE_WORK +
			    window->kernel_w *
				    (32 + stride_work((uint64_t)window->dilation_w * input->pitch));

	for (uint32_t ky = 0; ky < window->kernel_h; ky++) {
		int64_t y =
			(int64_t)oy * window->stride_h - window->pad_top + ky * window->dilation_h;
		int ret = progress_add(progress, row_work);

		if (ret)
			return ret;
		for (uint32_t kx = 0; kx < window->kernel_w; kx++) {
			int64_t x = (int64_t)ox * window->stride_w - window->pad_left +
				    kx * window->dilation_w;
			int32_t a = input->zero_point;

			if (y >= 0 && y < input->dims[1] && x >= 0 && x < input->dims[2])
				a = load_8bit(pixel_at(input, row, y, x) + channel, flip);
			acc += (uint32_t)((weights[(ky * words + kx / 4) * word_bytes + kx % 4] -
					   zero) * a);
		}
	}
	*sum = acc;
	return 0;
}

/* All channels of one pixel, whose first is element `index` of the output. */
static int convolve_pixel(struct progress *progress, uint32_t row, uint32_t oy, uint32_t ox,
			  uint64_t index)
{
	const struct nn_call *call = progress->call;
	const struct nn_tensor *output = &call->output[0];

	for (uint32_t m = 0; m < output->dims[3]; m++, index++) {
		uint32_t acc;
		int ret = progress_add(progress, 256);

		ret = ret ? ret : convolve(progress, row, oy, ox, m, &acc);
		if (ret)
			return ret;
		store_results(call, &acc, index, m, 1);
	}
	return 0;
}

/*
 * With vectors, the rows that a window spans are in scratch memory, at most NN_DEPTHWISE_SPANNED
 * bytes. What spans more goes in slices of 32 channels or more, and without its dilation, for which
 * there is a third of that: kernels up to 39x39 fit, or 35x35 with many outputs for each input.
 */
bool nn_depthwise_conv2d_has_vectors(const struct nn_call *call)
{
	uint32_t outputs = call->output[0].dims[3], slice;

	if (!nn_depthwise_conv2d_has_words(call))
		return false;
	if (nn_depthwise_conv2d_fits(call))
		return true;
	slice = depthwise_slice(outputs, outputs / call->input[0].dims[3], NN_LEAST_SLICE);
	return nn_depthwise_conv2d_slice_fits(call, slice);
}

int nn_depthwise_conv2d_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	const uint32_t pitch = output->pitch / nn_type_size(output->type);
	struct progress progress = { .call = call };
	uint64_t index = 0;

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		for (uint32_t oy = 0; oy < output->dims[1]; oy++) {
			for (uint32_t ox = 0; ox < output->dims[2]; ox++) {
				int ret = convolve_pixel(&progress, row, oy, ox, index);

				if (ret)
					return ret;
				index += pitch;
			}
		}
	}
	return 0;
}
