// SPDX-License-Identifier: MIT
/*
 * CONV2D and FULLY_CONNECTED.
 */
#include <stddef.h>

#include "checks.h"
#include "numbers.h"
#include "progress.h"
#include "weights.h"
#include "window.h"

/*
 * Constants of a layer with `outputs` outputs: bias, and a scale unless the output is the
 * accumulator.
 */
static enum nn_program_reason check_constants(const struct nn_call *call, uint32_t outputs,
					      uint64_t weight_bytes)
{
	const struct nn_tensor *output = &call->output[0];
	bool scaled = output->type != NN_TYPE_INT32;

	if (!operands_are(call, scaled ? 4 : 3, 1))
		return NN_REASON_OPERAND;
	if (!is_8bit(&call->input[0]) || (scaled && !is_8bit(output)))
		return NN_REASON_OPERAND;
	if (!is_constant(&call->input[1], NN_TYPE_UINT8) ||
	    !is_constant(&call->input[2], NN_TYPE_INT32) ||
	    (scaled && !is_constant(&call->input[3], NN_TYPE_FLOAT32)))
		return NN_REASON_OPERAND;
	if (call->input[1].dims[0] != weight_bytes ||
	    call->input[2].dims[0] != round_up(outputs, 32) ||
	    (scaled && call->input[3].dims[0] != round_up(outputs, 32)))
		return NN_REASON_SHAPE;
	if (scaled && !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

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
	return check_constants(call, output->dims[3],
			       conv2d_weight_bytes(output->dims[3], window->kernel_h,
						   window->kernel_w, input->dims[3]));
}

enum nn_program_reason nn_fully_connected_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t outputs;

	if (!input->type || !output->type)
		return NN_REASON_OPERAND;
	if (!same_rows(input, output))
		return NN_REASON_SHAPE;
	outputs = output->row_bytes / (output->type == NN_TYPE_INT32 ? 4 : 1);
	return check_constants(call, outputs, conv2d_weight_bytes(outputs, 1, 1, input->row_bytes));
}

/* acc[m] += a * the weight of output m at position k of the kernel row. */
static inline void accumulate_one(uint32_t *acc, const uint8_t *weights, uint32_t k, int32_t a)
{
	const uint8_t *w = weights + conv2d_weight_offset(0, k);

	for (uint32_t m = 0; m < 32; m++)
		acc[m] += (uint32_t)((w[m * 4] - 128) * a);
}

/* Inputs between two looks at the work done, and the work of one: 32 products. */
#define PIECE		256
#define INPUT_WORK	160

/*
 * `count` inputs at kernel row positions k and after, from `data`; where that is NULL they are
 * padding, and each is `value`.
 */
static int accumulate(struct progress *progress, uint32_t *acc, const uint8_t *weights, uint32_t k,
		      const uint8_t *data, int32_t value, uint32_t count)
{
	int32_t flip = flip_of(&progress->call->input[0]);

	for (uint32_t i = 0; i < count; i++) {
		int ret = i % PIECE ? 0 : progress_add(progress, NN_PAGE_WORK + INPUT_WORK *
							min_u32(count - i, PIECE));

		if (ret)
			return ret;
		accumulate_one(acc, weights, k + i, data ? load_8bit(&data[i], flip) : value);
	}
	return 0;
}

/* `count` results, outputs m, m + 1, ..., to element `index` of the output and after. */
static void store(const struct nn_call *call, const uint32_t *acc, uint64_t index, uint32_t m,
		  uint32_t count)
{
	const struct nn_tensor *output = &call->output[0];
	const float *scale = (const float *)call->input[3].data;

	if (output->type == NN_TYPE_INT32) {
		for (uint32_t i = 0; i < count; i++)
			((uint32_t *)output->data)[index + i] = acc[i];
		return;
	}
	for (uint32_t i = 0; i < count; i++)
		output->data[index + i] =
			clamp_int(requant((int32_t)acc[i], scale[m + i], output->zero_point),
				  call->op->out_min, call->op->out_max);
}

/* Of reading 32 biases, and making 32 results. */
#define RESULT_WORK	2000

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
		store(call, acc, pixel * outputs + m, m, min_u32(outputs - m, 32));
	}
	return 0;
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

int nn_fully_connected_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const uint32_t *bias = (const uint32_t *)call->input[2].data;
	uint32_t inputs = input->row_bytes;
	uint32_t outputs = call->output[0].row_bytes / (output->type == NN_TYPE_INT32 ? 4 : 1);
	uint64_t block = conv2d_weight_bytes(1, 1, 1, inputs);
	struct progress progress = { .call = call };

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		for (uint32_t m = 0; m < outputs; m += 32) {
			uint32_t acc[32];
			int ret = progress_add(&progress, RESULT_WORK);

			if (ret)
				return ret;
			for (uint32_t i = 0; i < 32; i++)
				acc[i] = bias[m + i];
			ret = accumulate(&progress, acc, call->input[1].data + m / 32 * block, 0,
					 input->data + row * input->row_bytes, 0, inputs);
			if (ret)
				return ret;
			store(call, acc, (uint64_t)row * outputs + m, m, min_u32(outputs - m, 32));
		}
	}
	return 0;
}
