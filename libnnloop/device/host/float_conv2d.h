/* SPDX-License-Identifier: MIT */
/*
 * FLOAT_CONV2D on the host: tiles of PIXELS pixels of a row and FLOAT_BLOCK outputs of a group
 * (float_products.h). Where a window reaches over an edge, pixels are made one by one.
 */
#ifndef NN_HOST_FLOAT_CONV2D_H
#define NN_HOST_FLOAT_CONV2D_H

#include "dsp/kernels/window.h"
#include "float_products.h"
#include "kernels.h"

/* A row of the output, of one image. */
struct float_row {
	const struct nn_call *call;
	const float *image;
	float *out;
	int64_t y;		/* where its windows begin in the image */
};

/* Outputs that are made together, and what they read of each pixel. */
struct float_outputs {
	uint32_t first, count;
	uint32_t from, channels;	/* of the image */
	bool is_each;		/* an output of each channel */
};

static struct float_outputs find_float_outputs(const struct nn_call *call, uint32_t first)
{
	uint32_t outputs = call->output[0].dims[3], groups = call->op->float_conv2d.groups;
	uint32_t of_group = outputs / groups, group = first / of_group;
	struct float_outputs found = {
		.first = first,
		.count = min_u32((group + 1) * of_group - first, FLOAT_BLOCK),
		.channels = call->input[0].dims[3] / groups,
	};

	found.from = group * found.channels;
	if (of_group == 1 && found.channels == 1) {
		found.is_each = true;
		found.count = min_u32(outputs - first, FLOAT_BLOCK);
	}
	return found;
}

/* Column x of the image that the window's column j of pixel ox is at. */
static inline int64_t float_column(const struct nn_window_params *window, uint32_t ox, uint32_t j)
{
	return (int64_t)ox * window->stride_w - window->pad_left +
	       (int64_t)j * window->dilation_w;
}

/* Makes pixels ox and after, whose windows have no column over an edge, or of one pixel. */
static void make_float_pixels(const struct float_row *row, const struct float_outputs *outputs,
			      uint32_t ox, uint32_t count)
{
	const struct nn_call *call = row->call;
	const struct nn_float_conv2d_params *params = &call->op->float_conv2d;
	const struct nn_window_params *window = &params->window;
	const struct nn_tensor *input = &call->input[0];
	uint32_t channels = input->dims[3], all = call->output[0].dims[3];
	const float *bias = (const float *)call->input[2].data + outputs->first;
	const float *weights = (const float *)call->input[1].data + outputs->first;
	uint64_t tap = (uint64_t)outputs->channels * all;
	float sums[PIXELS][FLOAT_BLOCK] __attribute__((aligned(64)));
	const float *pixels[PIXELS];
	struct float_run run = {
		.pixels = pixels, .element_step = 1, .weight_step = all,
		.count = outputs->channels, .is_each = outputs->is_each,
	};

	for (uint32_t p = 0; p < count; p++)
		memcpy(sums[p], bias, outputs->count * sizeof(float));
	for (uint32_t i = 0; i < window->kernel_h; i++) {
		int64_t y = row->y + (int64_t)i * window->dilation_h;

		for (uint32_t j = 0; j < window->kernel_w; j++, weights += tap) {
			int64_t x = float_column(window, ox, j);

			if (y < 0 || y >= input->dims[1] || x < 0 || x >= input->dims[2])
				continue;
			for (uint32_t p = 0; p < count; p++)
				pixels[p] = row->image +
					    (y * input->dims[2] + x + p * window->stride_w) *
						    channels +
					    (outputs->is_each ? outputs->first : outputs->from);
			run.weights = weights;
			float_add_run(sums, &run, count, outputs->count);
		}
	}
	for (uint32_t p = 0; p < count; p++) {
		float *out = row->out + (uint64_t)(ox + p) * all + outputs->first;

		for (uint32_t m = 0; m < outputs->count; m++)
			out[m] = float_clamp(sums[p][m], params->low, params->high);
	}
}

/* Whether no column of the windows of pixels ox to ox + PIXELS - 1 is over an edge. */
static bool is_float_inside(const struct nn_call *call, uint32_t ox)
{
	const struct nn_window_params *window = &call->op->float_conv2d.window;

	return ox + PIXELS <= call->output[0].dims[2] && float_column(window, ox, 0) >= 0 &&
	       float_column(window, ox + PIXELS - 1, window->kernel_w - 1) <
		       call->input[0].dims[2];
}

static int make_float_row(const struct float_row *row)
{
	const struct nn_call *call = row->call;
	uint32_t outputs = call->output[0].dims[3];
	struct float_outputs part;

	for (uint32_t m = 0; m < outputs; m += part.count) {
		int ret = nn_call_progress(call);

		if (ret)
			return ret;
		part = find_float_outputs(call, m);
		for (uint32_t ox = 0; ox < call->output[0].dims[2];) {
			uint32_t count = is_float_inside(call, ox) ? PIXELS : 1;

			make_float_pixels(row, &part, ox, count);
			ox += count;
		}
	}
	return 0;
}

static int run_float_conv2d(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->float_conv2d.window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	struct float_row row = { .call = call, .out = (float *)output->data };

	for (uint32_t n = 0; n < output->dims[0]; n++) {
		row.image = (const float *)(input->data + n * input->row_bytes);
		for (uint32_t y = 0; y < output->dims[1]; y++) {
			int ret;

			row.y = (int64_t)y * window->stride_h - window->pad_top;
			ret = make_float_row(&row);
			if (ret)
				return ret;
			row.out += (uint64_t)output->dims[2] * output->dims[3];
		}
	}
	return 0;
}

static uint32_t float_conv2d_units(const struct nn_call *call)
{
	return nn_call_parts(call);
}

static int float_conv2d(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	return nn_host_run_parts(call, begin, end, run_float_conv2d);
}

#endif
