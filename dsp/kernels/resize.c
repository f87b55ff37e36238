// SPDX-License-Identifier: MIT
/*
 * RESIZE: images [N, H, W, C] of any type, rows INT32 [OH] and columns INT32 [OW], packed; output
 * [N, OH, OW, C] of the images' type: pixel y, x is pixel rows[y], columns[x] of the image, each
 * number clamped to what there is.
 */
#include "dsp/kernels/blocks.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_resize_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *rows = &call->input[1];
	const struct nn_tensor *columns = &call->input[2], *output = &call->output[0];

	if (!operands_are(call, 3, 1) || input->type != output->type ||
	    !is_constant(rows, NN_TYPE_INT32) || !is_constant(columns, NN_TYPE_INT32))
		return NN_REASON_OPERAND;
	if (input->rank != 4 || output->rank != 4 || !same_rows(input, output) ||
	    input->dims[3] != output->dims[3] || rows->dims[0] != output->dims[1] ||
	    columns->dims[0] != output->dims[2] || input->dims[1] > INT32_MAX ||
	    input->dims[2] > INT32_MAX)
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

int nn_resize_pixels(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const int32_t *rows = (const int32_t *)call->input[1].data;
	const int32_t *columns = (const int32_t *)call->input[2].data;
	uint64_t pixel = (uint64_t)output->dims[3] * nn_type_size(output->type);
	uint64_t line = pixel * input->dims[2];
	struct progress progress = { .call = call };
	uint8_t *to = output->data;

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		const uint8_t *image = input->data + n * input->row_bytes;

		for (uint32_t y = 0; y < output->dims[1]; y++) {
			int32_t row = clamp_int(rows[y], 0, input->dims[1] - 1);

			for (uint32_t x = 0; x < output->dims[2]; x++, to += output->pitch) {
				int32_t column = clamp_int(columns[x], 0, input->dims[2] - 1);
				int ret = progress_add(&progress, NN_PAGE_WORK);

				if (!ret)
					ret = progress_copy(&progress, to,
							    image + row * line +
								    column * pixel,
							    pixel);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}

int nn_resize_portable(const struct nn_call *call)
{
	return nn_resize_pixels(call);
}
