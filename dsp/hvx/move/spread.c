// SPDX-License-Identifier: MIT
/*
 * SPREAD puts pixels apart, and zero points between and around them. nn_spread_hvx() is its vector
 * kernel, in the table of kernels.c: all is filled, and the pixels are moved there.
 */
#include "dsp/kernels/checks.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/move/fill.h"
#include "dsp/hvx/move/loops.h"

/* Indices of a dimension of the input that are in the output, and where the first of them is. */
struct axis {
	uint32_t first, count, to;
};

static struct axis find_axis(int32_t pad, uint32_t stride, uint32_t in, uint32_t out)
{
	struct axis axis = { 0 };
	int64_t to = pad, left;

	if (pad < 0) {
		axis.first = ((uint32_t)-pad + stride - 1) / stride;
		to += (int64_t)axis.first * stride;
	}
	left = (int64_t)out - to;
	if (left <= 0 || axis.first >= in)
		return axis;
	axis.to = to;
	axis.count = min_u32(in - axis.first, ((uint32_t)left - 1) / stride + 1);
	return axis;
}

int nn_spread_hvx(const struct nn_call *call)
{
	const struct nn_spread_params *params = &call->op->spread;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const uint32_t size = nn_type_size(output->type);
	const uint64_t pixel = (uint64_t)output->dims[3] * size;
	const uint64_t from_row = input->dims[2] * pixel, to_row = output->dims[2] * pixel;
	struct axis y = find_axis(params->pad_top, params->stride_h, input->dims[1],
				  output->dims[1]);
	struct axis x = find_axis(params->pad_left, params->stride_w, input->dims[2],
				  output->dims[2]);
	struct progress progress = { .call = call };
	struct loops loops = { 0 };
	int ret = nn_fill_bytes(&progress, output->data, output->bytes,
				nn_fill_vector(size, output->zero_point));

	if (ret || !output->dims[0] || !y.count || !x.count)
		return ret;
	nn_loops_add(&loops, output->dims[0], input->row_bytes, output->row_bytes);
	nn_loops_add(&loops, y.count, from_row, params->stride_h * to_row);
	nn_loops_add(&loops, x.count, pixel, params->stride_w * pixel);
	nn_loops_add(&loops, output->dims[3], size, size);
	nn_loops_end(&loops, size);
	return nn_loops_run(&progress, &loops, output->data + y.to * to_row + x.to * pixel,
			    input->data + y.first * from_row + x.first * pixel);
}
