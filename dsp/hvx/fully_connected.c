// SPDX-License-Identifier: MIT
/*
 * FULLY_CONNECTED on HVX: a convolution of one row whose pixels are the rows of the tensor.
 */
#include "conv2d_layer.h"
#include "kernels.h"

int nn_fully_connected_hvx(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	static const struct nn_window_params window = {
		.kernel_h = 1,
		.kernel_w = 1,
		.stride_h = 1,
		.stride_w = 1,
		.dilation_h = 1,
		.dilation_w = 1,
	};
	struct layer layer = {
		.call = call,
		.window = &window,
		.images = 1,
		.height = 1,
		.width = output->dims[0],
		.channels = input->row_bytes,
		.out_height = 1,
		.out_width = output->dims[0],
		.outputs = output->row_bytes / (output->type == NN_TYPE_INT32 ? 4 : 1),
	};

	conv2d_settle_layer(&layer);
	return conv2d_run_layer(&layer);
}
