// SPDX-License-Identifier: MIT
/*
 * FLOAT_CONV2D: input FLOAT32 [N, H, W, G * C], weights of KH * KW * C * M FLOAT32 and bias FLOAT32 [M],
 * both packed, output FLOAT32 [N, OH, OW, M]; M is a multiple of G, the groups. Window parameters are
 * in dsp/program/kernels.h. The weight of output m at row i and column j of the window and channel c
 * of its group is weights[((i * KW + j) * C + c) * M + m], and its group is m / (M / G).
 *
 * An output begins as its bias. For each row i, column j and channel c, in this order, whose element
 * is no padding, the element times the weight is added, rounded once (dsp/kernels/float.h). Then it
 * is clamped to low and high, of which either may be infinite.
 *
 * With G groups of one channel it is a depthwise convolution; with a window of one element, a fully
 * connected layer of each pixel.
 */
#include "dsp/kernels/float.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"

#define BLOCK		8u	/* outputs that are summed at a time */
#define BLOCK_WORK	64
#define TAP_WORK	32
#define PRODUCTS_WORK	10	/* of an element and a block */
#define PIECE		1024u	/* channels between two looks at the work done */

/* Below 2^64, since a group has no more channels than the input, and these have room in memory. */
static uint64_t count_weights(const struct nn_call *call)
{
	const struct nn_float_conv2d_params *params = &call->op->float_conv2d;

	return (uint64_t)params->window.kernel_h * params->window.kernel_w *
	       (call->input[0].dims[3] / params->groups) * call->output[0].dims[3];
}

enum nn_program_reason nn_float_conv2d_check(const struct nn_call *call)
{
	const struct nn_float_conv2d_params *params = &call->op->float_conv2d;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t outputs = output->dims[3], groups = params->groups;
	enum nn_program_reason reason;

	if (!operands_are(call, 3, 1) || !is_float(input) || !is_float(output) ||
	    !is_float(&call->input[1]) || !call->input[1].packed ||
	    !is_constant(&call->input[2], NN_TYPE_FLOAT32))
		return NN_REASON_OPERAND;
	reason = check_float_window(call);
	if (reason)
		return reason;
	if (groups < 1 || !float_bounds_are_valid(params->low, params->high) ||
	    params->window.count_padding || params->window.multiplier || params->window.shift)
		return NN_REASON_PARAMETER;
	if (outputs % groups || input->dims[3] % groups || call->input[2].dims[0] != outputs ||
	    call->input[1].bytes != count_weights(call) * sizeof(float))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* Outputs that are summed together, of one pixel. */
struct block {
	const float *input;	/* the channels of the first in the input's first pixel */
	const float *weights;	/* of the first */
	uint32_t step;		/* channels from the first output's group to the next's */
	uint32_t channels, outputs;
};

/* Adds the products of `channels` elements of a pixel. */
static inline __attribute__((always_inline)) void
add_products(float *sums, const float *x, const float *weights, const struct block *block,
	     uint32_t channels, uint32_t count)
{
	for (uint32_t c = 0; c < channels; c++, x++, weights += block->outputs) {
		for (uint32_t i = 0; i < count; i++)
			sums[i] = float_fused(x[i * block->step], weights[i], sums[i]);
	}
}

static void add_whole_block(float *sums, const float *x, const float *weights,
			    const struct block *block, uint32_t channels)
{
	struct block same = { .outputs = block->outputs };
	float local[BLOCK];

	for (uint32_t i = 0; i < BLOCK; i++)
		local[i] = sums[i];
	add_products(local, x, weights, block->step ? block : &same, channels, BLOCK);
	for (uint32_t i = 0; i < BLOCK; i++)
		sums[i] = local[i];
}

/* The same of all channels, with reports. */
static int add_tap(struct progress *progress, float *sums, const float *x, const float *weights,
		   const struct block *block, uint32_t count)
{
	uint32_t most = min_u32(block->channels, PIECE);

	for (uint32_t c = 0; c < block->channels; c += most) {
		uint32_t channels = min_u32(block->channels - c, most);
		const float *at = weights + (uint64_t)c * block->outputs;
		uint32_t work = PRODUCTS_WORK + stride_work(4ull * block->outputs);
		int ret = progress_add(progress, TAP_WORK + 2 * NN_PAGE_WORK + work * channels);

		if (ret)
			return ret;
		if (count == BLOCK)
			add_whole_block(sums, x + c, at, block, channels);
		else
			add_products(sums, x + c, at, block, channels, count);
	}
	return 0;
}

/* Where the window of a pixel begins in the input. */
struct place {
	uint32_t row;
	int32_t y, x;
};

static int make_block(struct progress *progress, const struct block *block,
		      const struct place *place, uint32_t count, float *sums)
{
	const struct nn_call *call = progress->call;
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0];
	uint64_t tap = (uint64_t)block->channels * block->outputs;
	const float *weights = block->weights;

	for (uint32_t i = 0; i < window->kernel_h; i++) {
		int32_t y = place->y + (int32_t)(i * window->dilation_h);

		for (uint32_t j = 0; j < window->kernel_w; j++, weights += tap) {
			int32_t x = place->x + (int32_t)(j * window->dilation_w);
			const float *from;
			int ret;

			if (y < 0 || x < 0 || (uint32_t)y >= input->dims[1] ||
			    (uint32_t)x >= input->dims[2])
				continue;
			from = block->input + (((uint64_t)place->row * input->dims[1] + y) *
					       input->dims[2] + x) * input->dims[3];
			ret = add_tap(progress, sums, from, weights, block, count);
			if (ret)
				return ret;
		}
	}
	return 0;
}

/* How many outputs from `first` on are summed together, and how far apart what they read is. */
static uint32_t find_block(const struct nn_call *call, uint32_t first, struct block *block)
{
	uint32_t outputs = call->output[0].dims[3], of_group = outputs /
							call->op->float_conv2d.groups;
	uint32_t group = first / of_group, left = (group + 1) * of_group - first;

	*block = (struct block){
		.channels = call->input[0].dims[3] / call->op->float_conv2d.groups,
		.outputs = outputs,
		.weights = (const float *)call->input[1].data + first,
	};
	block->input = (const float *)call->input[0].data + (uint64_t)group * block->channels;
	if (of_group == 1) {
		block->step = block->channels;
		left = outputs - first;
	}
	return min_u32(left, BLOCK);
}

static int make_pixel(struct progress *progress, const struct place *place, float *out)
{
	const struct nn_call *call = progress->call;
	const struct nn_float_conv2d_params *params = &call->op->float_conv2d;
	const float *bias = (const float *)call->input[2].data;
	uint32_t outputs = call->output[0].dims[3], count;
	struct block block;

	for (uint32_t m = 0; m < outputs; m += count) {
		float sums[BLOCK];
		int ret = progress_add(progress, BLOCK_WORK + params->window.kernel_h *
								      params->window.kernel_w);

		count = find_block(call, m, &block);
		for (uint32_t i = 0; i < count; i++)
			sums[i] = bias[m + i];
		if (!ret)
			ret = make_block(progress, &block, place, count, sums);
		if (ret)
			return ret;
		for (uint32_t i = 0; i < count; i++)
			out[m + i] = float_clamp(sums[i], params->low, params->high);
	}
	return 0;
}

int nn_float_conv2d_portable(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	float *out = (float *)output->data;
	struct place place;

	for (place.row = 0; place.row < output->dims[0]; place.row++) {
		for (uint32_t y = 0; y < output->dims[1]; y++) {
			place.y = (int32_t)(y * window->stride_h) - (int32_t)window->pad_top;
			for (uint32_t x = 0; x < output->dims[2]; x++, out += output->dims[3]) {
				int ret;

				place.x = (int32_t)(x * window->stride_w) -
					  (int32_t)window->pad_left;
				ret = make_pixel(&progress, &place, out);
				if (ret)
					return ret;
			}
		}
	}
	return 0;
}
