// SPDX-License-Identifier: MIT
/*
 * FULLY_CONNECTED on HVX: a convolution of one row whose pixels are the rows of the tensor.
 */
#include "dsp/hvx/conv2d/block.h"
#include "dsp/hvx/conv2d/group.h"
#include "dsp/hvx/conv2d/row.h"
#include "dsp/hvx/common/kernels.h"

/*
 * Makes one row or two, which are read in place. Each weight is loaded for these alone, a vector in
 * a packet at most.
 */
static int run_two_rows(struct layer *layer)
{
	const struct nn_call *call = layer->call;
	struct segment segments[2] = { { layer->steps - 1, 0 }, { 0, 0 } };
	int32_t sums[32] __attribute__((aligned(VECTOR)));
	struct four_pixels four = { .base = call->input[0].data };
	int ret;

	ret = conv2d_add_elements(&layer->progress, sums, four.base, layer->width, layer->channels,
				  layer->channels, 0, layer->is_signed);
	if (ret)
		return ret;
	four.offset[0] = layer->width > 1 ? layer->channels : 0;
	four.sum[0] = sums[0];
	four.sum[1] = sums[1];
	for (uint32_t m = 0; m < layer->outputs; m += 128) {
		conv2d_fetch_weights(layer, m + 128, 128);
		ret = conv2d_run_twos(layer, &four, segments, layer->width, m,
				      call->output[0].data);
		if (ret)
			return ret;
	}
	return 0;
}

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
	const struct row_window row = { .rows = 1, .bytes = input->row_bytes };
	struct layer layer;
	int ret;

	if (output->dims[0] == 1 && output->rank == 2 && conv2d_run_row(call, &row, &ret))
		return ret;
	layer = (struct layer){
		.call = call,
		.window = &window,
		.images = 1,
		.height = 1,
		.width = output->dims[0],
		.channels = input->row_bytes,
		.out_height = 1,
		.out_width = output->dims[0],
		.outputs = output->row_bytes / (output->type == NN_TYPE_INT32 ? 4 : 1),
		.pitch = output->row_bytes,
		.input_pitch = input->row_bytes,
		.step = output->row_bytes,
	};

	conv2d_settle_layer(&layer);
	if (layer.source == IN_PLACE && !layer.is_raw && !call->next && layer.width == 2 &&
	    conv2d_measure_layer(&layer))
		return run_two_rows(&layer);
	return conv2d_run_layer(&layer);
}
