// SPDX-License-Identifier: MIT
/*
 * SPREAD: input and output the same type, [N, H, W, C] and [N, OH, OW, C], and one zero point.
 * Output y, x is input (y - pad_top) / stride_h, (x - pad_left) / stride_w where both are integers
 * and inside of the input, else the zero point. Paddings are below 2^30, and above -2^30. A
 * convolution of that is a transposed one.
 */
#include <stddef.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

#define PIXEL_WORK	48
#define PIECE		1024u	/* elements that are written between two looks at the work done */

static bool is_axis(uint32_t stride, int32_t pad)
{
	return stride >= 1 && stride <= 255 && pad > -(1 << 30) && pad < 1 << 30;
}

enum nn_program_reason nn_spread_check(const struct nn_call *call)
{
	const struct nn_spread_params *params = &call->op->spread;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];

	if (!operands_are(call, 1, 1) || input->type != output->type)
		return NN_REASON_OPERAND;
	if (input->rank != 4 || output->rank != 4 || !same_rows(input, output) ||
	    input->dims[3] != output->dims[3])
		return NN_REASON_SHAPE;
	if (!is_axis(params->stride_h, params->pad_top) ||
	    !is_axis(params->stride_w, params->pad_left) ||
	    input->zero_point != output->zero_point)
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/* The input, of `size`, that goes to output `out`; -1 if none does. */
static int64_t find_input(uint32_t out, int32_t pad, uint32_t stride, uint32_t size)
{
	int64_t at = (int64_t)out - pad;

	if (at < 0 || at % stride || at / stride >= size)
		return -1;
	return at / stride;
}

/* Elements of `size` bytes that are all `value`. */
static int fill(struct progress *progress, uint8_t *to, uint64_t count, uint32_t size,
		int32_t value)
{
	if (size == 1)
		return progress_fill(progress, to, (uint8_t)value, count);
	for (uint64_t i = 0; i < count; i++) {
		int ret = i % PIECE ? 0 : progress_add(progress, PIECE * 8 + NN_PAGE_WORK);

		if (ret)
			return ret;
		if (size == 2)
			((int16_t *)to)[i] = (int16_t)value;
		else if (size == 4)
			((int32_t *)to)[i] = value;
		else
			((int64_t *)to)[i] = value;
	}
	return 0;
}

/* Output row y, which is made of a row of the input, or of none if `from` is NULL. */
static int spread_row(struct progress *progress, uint8_t *to, const uint8_t *from)
{
	const struct nn_call *call = progress->call;
	const struct nn_spread_params *params = &call->op->spread;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t size = nn_type_size(output->type);
	uint64_t pixel = (uint64_t)output->dims[3] * size;

	if (!from)
		return fill(progress, to, (uint64_t)output->dims[2] * output->dims[3], size,
			    output->zero_point);
	for (uint32_t x = 0; x < output->dims[2]; x++, to += pixel) {
		int64_t at = find_input(x, params->pad_left, params->stride_w, input->dims[2]);
		int ret = progress_add(progress, PIXEL_WORK);

		if (ret)
			return ret;
		ret = at < 0 ? fill(progress, to, output->dims[3], size, output->zero_point) :
			       progress_copy(progress, to, from + (uint64_t)at * pixel, pixel);
		if (ret)
			return ret;
	}
	return 0;
}

int nn_spread_portable(const struct nn_call *call)
{
	const struct nn_spread_params *params = &call->op->spread;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint64_t length_from = input->row_bytes / input->dims[1];
	uint64_t length_to = output->row_bytes / output->dims[1];
	struct progress progress = { .call = call };
	uint8_t *to = output->data;

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const uint8_t *from = input->data + row * input->row_bytes;

		for (uint32_t y = 0; y < output->dims[1]; y++, to += length_to) {
			int64_t at = find_input(y, params->pad_top, params->stride_h,
						input->dims[1]);
			int ret = spread_row(&progress, to,
					     at < 0 ? NULL : from + (uint64_t)at * length_from);

			if (ret)
				return ret;
		}
	}
	return 0;
}
