/* SPDX-License-Identifier: MIT */
/*
 * A window that slides over height and width, which convolutions and pools have in common.
 */
#ifndef NN_WINDOW_H
#define NN_WINDOW_H

#include "dsp/kernels/checks.h"

/* most: of kernel and stride. */
static inline enum nn_program_reason check_window_axis(uint32_t kernel, uint32_t stride,
						       uint32_t dilation, uint32_t most,
						       uint32_t pad, uint32_t input,
						       uint32_t output)
{
	if (kernel < 1 || kernel > most || stride < 1 || stride > most || dilation < 1 ||
	    dilation > 255)
		return NN_REASON_PARAMETER;
	if (pad >= (kernel - 1) * dilation + 1)
		return NN_REASON_PARAMETER;
	if ((output - 1ull) * stride >= (uint64_t)input + pad)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* The first channel of a pixel of an 8-bit tensor [N, H, W, C]. */
static inline uint8_t *pixel_at(const struct nn_tensor *tensor, uint32_t row, uint32_t y,
				uint32_t x)
{
	return tensor->data + row * tensor->row_pitch +
	       ((uint64_t)y * tensor->dims[2] + x) * tensor->pitch;
}

static inline enum nn_program_reason check_window_within(const struct nn_call *call, uint32_t most)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	enum nn_program_reason reason;

	if (input->rank != 4 || output->rank != 4 || !same_rows(input, output))
		return NN_REASON_SHAPE;
	/* Positions in the padded input must fit an int32. */
	if (input->dims[1] >= 1u << 30 || input->dims[2] >= 1u << 30)
		return NN_REASON_SHAPE;
	reason = check_window_axis(window->kernel_h, window->stride_h, window->dilation_h,
				   most, window->pad_top, input->dims[1], output->dims[1]);
	if (reason)
		return reason;
	return check_window_axis(window->kernel_w, window->stride_w, window->dilation_w,
				 most, window->pad_left, input->dims[2], output->dims[2]);
}

/*
 * Input and output are [N, H, W, C] of the same rows, and the parameters fit them; the channels are
 * the caller's to check.
 */
static inline enum nn_program_reason check_window(const struct nn_call *call)
{
	return check_window_within(call, 255);
}

/* The same of float32. */
static inline enum nn_program_reason check_float_window(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	enum nn_program_reason reason = check_window_within(call, NN_MAX_FLOAT_WINDOW);

	/* What a window without an element in the image costs is not reported. */
	if (!reason && window->kernel_h * window->kernel_w > NN_MAX_FLOAT_KERNEL)
		return NN_REASON_PARAMETER;
	return reason;
}

#endif
