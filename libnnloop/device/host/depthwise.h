/* SPDX-License-Identifier: MIT */
/* DEPTHWISE_CONV2D on the host, in pieces (pieces.h). */
#ifndef NN_HOST_DEPTHWISE_H
#define NN_HOST_DEPTHWISE_H

#ifdef DOT
#include "dot_cells.h"
#else
#include "float_cells.h"
#endif

#define ENOUGH_STRIPS	8u	/* for several threads to be busy until the end */

/* Rows oy, oy + 1, ... of outputs m, m + 1, ... of an item. */
static int convolve_strip(const struct depthwise *layer, uint32_t row, uint32_t m, uint32_t oy)
{
	const struct nn_window_params *window = layer->window;
	const struct nn_tensor *output = &layer->call->output[0];

	for (uint32_t ox = 0; ox < output->dims[2]; ox += layer->columns) {
		struct piece piece = {
			.row = row,
			.oy = oy,
			.ox = ox,
			.rows = min_u32(layer->rows, output->dims[1] - oy),
			.columns = min_u32(layer->columns, output->dims[2] - ox),
			.y = (int64_t)oy * window->stride_h - window->pad_top,
			.x = (int64_t)ox * window->stride_w - window->pad_left,
		};
		int ret;

		piece.high = (piece.rows - 1) * window->stride_h +
			     (window->kernel_h - 1) * window->dilation_h + 1;
		piece.wide = (piece.columns - 1) * window->stride_w +
			     (window->kernel_w - 1) * window->dilation_w + 1;
		ret = convolve_piece(layer, &piece, m);
		if (ret)
			return ret;
	}
	return 0;
}

static struct depthwise find_depthwise(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *output = &call->output[0];
	struct depthwise layer = {
		.call = call,
		.room = (struct depthwise_room *)call->scratch,
		.results = find_results(call, output->dims[3],
					output->pitch / nn_type_size(output->type)),
		.window = window,
		.blocks = (output->dims[3] - 1) / BLOCK + 1,
	};
	uint32_t reach_h = (window->kernel_h - 1) * window->dilation_h + 1;
	uint32_t reach_w = (window->kernel_w - 1) * window->dilation_w + 1;
	uint64_t strips, images = (uint64_t)layer.blocks * output->dims[0];
	uint32_t wide;

	if (reach_h * reach_w > MOST_CELLS)
		return layer;
	layer.columns = (MOST_CELLS / reach_h - reach_w) / window->stride_w + 1;
	layer.columns = min_u32(min_u32(layer.columns, MOST_COLUMNS), output->dims[2]);
	wide = (layer.columns - 1) * window->stride_w + reach_w;
	layer.rows = (MOST_CELLS / wide - reach_h) / window->stride_h + 1;
	strips = images < ENOUGH_STRIPS ? ENOUGH_STRIPS / (images ? images : 1) : 1;
	layer.rows = min_u32(layer.rows, (output->dims[1] + strips - 1) / strips);
	layer.strips = (output->dims[1] - 1) / layer.rows + 1;
	return layer;
}

static uint32_t depthwise_conv2d_units(const struct nn_call *call)
{
	const struct depthwise layer = find_depthwise(call);

	return layer.rows ? call->output[0].dims[0] * layer.blocks * layer.strips : 1;
}

/* A unit is a strip of an item's 32 outputs. */
static int depthwise_conv2d(const struct nn_call *call, uint32_t begin, uint32_t end)
{
	const struct depthwise layer = find_depthwise(call);

	if (!layer.rows)
		return nn_depthwise_conv2d_portable(call);
	for (; begin < end; begin++) {
		uint32_t strip = begin % layer.strips, image = begin / layer.strips;
		int ret = convolve_strip(&layer, image / layer.blocks,
					 image % layer.blocks * BLOCK, strip * layer.rows);

		if (ret)
			return ret;
	}
	return 0;
}

#endif
