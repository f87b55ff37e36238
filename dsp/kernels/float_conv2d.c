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
#include "dsp/kernels/float_sums.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/window.h"

#define BLOCK_WORK	256
#define RUN_WORK	(64 + 2 * NN_PAGE_WORK)
#define PRODUCTS_WORK	10	/* of an element and a block */
#define PIECE		1024u	/* elements between two looks at the work done */

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

/* The layer, as it is for all pixels. */
struct layer {
	const struct nn_call *call;
	struct progress progress;
	uint32_t channels, outputs;	/* of a group; of all */
	uint32_t of_group;		/* outputs */
	/* From the elements of a column to the next one's, and from a row's to the next one's. */
	uint32_t column, row;
	uint32_t run;			/* elements in a column that follow one another */
	uint32_t step;			/* from one of them to the next */
	bool is_row;			/* those of all columns do, too */
	uint32_t small_work;		/* of a block of a pixel, if that is one piece; or 0 */
};

/* The part of a pixel's window that is in the input. */
struct place {
	const float *x;			/* the first channel of its first pixel */
	uint64_t weights;		/* from the beginning of these to what belongs to that */
	uint32_t rows, columns;
};

/* Outputs of a pixel that are summed together; how their products with an element are added. */
struct block {
	uint32_t first, count;
	uint32_t group;			/* the first's */
	uint32_t apart;			/* channels from an output's group to the next's */
};

/* Adds the products of elements that follow one another, with reports. */
static int add_run(struct layer *layer, float *sums, const struct block *block,
		   struct float_products products)
{
	const uint32_t work = PRODUCTS_WORK + stride_work(4ull * products.pitch) +
			      stride_work(4ull * products.step);

	for (uint32_t left = products.count; left; left -= products.count) {
		int ret;

		products.count = min_u32(left, PIECE);
		ret = progress_add(&layer->progress, RUN_WORK + work * products.count);
		if (ret)
			return ret;
		if (block->count != FLOAT_SUMS)
			float_add_some(sums, &products, block->apart, block->count);
		else if (!block->apart)
			float_add_all(sums, &products);
		else if (block->apart == 1)
			float_add_each(sums, &products);
		else
			float_add_some(sums, &products, block->apart, FLOAT_SUMS);
		products.x += (uint64_t)products.step * products.count;
		products.weights += (uint64_t)products.pitch * products.count;
	}
	return 0;
}

/* The products of a block with a window's first row. */
static inline struct float_products begin_products(const struct layer *layer,
						   const struct block *block,
						   const struct place *place)
{
	return (struct float_products){
		.x = place->x + (uint64_t)block->group * layer->channels,
		.weights = (const float *)layer->call->input[1].data + place->weights +
			   block->first,
		.step = layer->step,
		.pitch = layer->outputs,
		.count = layer->is_row ? layer->run * place->columns : layer->run,
	};
}

static int make_block(struct layer *layer, const struct block *block, const struct place *place,
		      float *out)
{
	const struct nn_call *call = layer->call;
	const struct nn_float_conv2d_params *params = &call->op->float_conv2d;
	const uint64_t weights = (uint64_t)layer->channels * layer->outputs;
	const float *bias = (const float *)call->input[2].data + block->first;
	struct float_products row = begin_products(layer, block, place);
	float sums[FLOAT_SUMS];

	for (uint32_t i = 0; i < block->count; i++)
		sums[i] = bias[i];
	for (uint32_t i = 0; i < place->rows; i++) {
		struct float_products run = row;

		for (uint32_t j = 0; j < place->columns; j += layer->is_row ? place->columns : 1) {
			int ret = add_run(layer, sums, block, run);

			if (ret)
				return ret;
			run.x += layer->column;
			run.weights += weights;
		}
		row.x += layer->row;
		row.weights += weights * params->window.kernel_w;
	}
	float_clamp_some(out + block->first, sums, block->count, params->low, params->high);
	return 0;
}

/* The same of FLOAT_SUMS outputs and rows that are one run each, all of them one piece. */
static inline __attribute__((always_inline)) void
make_small_block(const struct layer *layer, const struct block *block, const struct place *place,
		 float *out, bool is_each)
{
	const struct nn_call *call = layer->call;
	const struct nn_float_conv2d_params *params = &call->op->float_conv2d;
	const float *bias = (const float *)call->input[2].data + block->first;
	const uint32_t weights = params->window.kernel_w * layer->channels * layer->outputs;
	struct float_products row = begin_products(layer, block, place);
	float sums[FLOAT_SUMS];

	for (uint32_t i = 0; i < FLOAT_SUMS; i++)
		sums[i] = bias[i];
	for (uint32_t i = 0; i < place->rows && row.count; i++) {
		if (is_each)
			float_add_each(sums, &row);
		else
			float_add_all(sums, &row);
		row.x += layer->row;
		row.weights += weights;
	}
	float_clamp_some(out + block->first, sums, FLOAT_SUMS, params->low, params->high);
}

/*
 * The block that output `first` begins, unless there are too few left in its group for as many sums as
 * are made at a time: then it is the group's last one, and some outputs are made again.
 */
static void find_block(const struct layer *layer, uint32_t first, struct block *block)
{
	const uint32_t of_group = layer->of_group;
	uint32_t begin = 0, end = layer->outputs;

	block->group = 0;
	block->apart = of_group == 1 ? layer->channels : 0;
	if (of_group > 1 && of_group != layer->outputs) {
		block->group = first / of_group;
		begin = block->group * of_group;
		end = begin + of_group;
	}
	block->first = first;
	block->count = min_u32(end - first, FLOAT_SUMS);
	if (block->count < FLOAT_SUMS && end - begin >= FLOAT_SUMS) {
		block->first = end - FLOAT_SUMS;
		block->count = FLOAT_SUMS;
	}
	if (of_group == 1)
		block->group = block->first;
}

static int make_pixel(struct layer *layer, const struct place *place, float *out)
{
	struct block block;

	for (uint32_t m = 0; m < layer->outputs; m = block.first + block.count) {
		bool is_small;
		int ret;

		find_block(layer, m, &block);
		is_small = layer->small_work && block.count == FLOAT_SUMS && block.apart < 2;
		ret = progress_add(&layer->progress, is_small ? layer->small_work : BLOCK_WORK);
		if (ret)
			return ret;
		if (is_small && block.apart)
			make_small_block(layer, &block, place, out, true);
		else if (is_small)
			make_small_block(layer, &block, place, out, false);
		else
			ret = make_block(layer, &block, place, out);
		if (ret)
			return ret;
	}
	return 0;
}

/*
 * Cuts what is over an edge off a window, in one dimension. `first`, where it begins, becomes the place of
 * the first of its `count` elements that is in the input, and `count` how many are; returns how many are cut
 * off in front.
 */
static uint32_t cut_window(int32_t *first, uint32_t *count, uint32_t dilation, uint32_t size)
{
	uint32_t before = 0;

	for (; *count && *first < 0; --*count, before++)
		*first += (int32_t)dilation;
	while (*count && *first + (uint64_t)(*count - 1) * dilation >= size)
		--*count;
	return before;
}

static void describe_layer(struct layer *layer)
{
	const struct nn_call *call = layer->call;
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0];
	const uint32_t groups = call->op->float_conv2d.groups, width = input->dims[3];
	uint64_t elements, work;

	layer->channels = width / groups;
	layer->outputs = call->output[0].dims[3];
	layer->of_group = layer->outputs / groups;
	layer->column = window->dilation_w * width;
	layer->row = window->dilation_h * input->dims[2] * width;
	layer->run = layer->channels;
	layer->step = 1;
	layer->is_row = groups == 1 && window->dilation_w == 1;
	if (layer->channels == 1) {
		layer->step = layer->column;
		layer->is_row = true;
	}
	elements = (uint64_t)window->kernel_h * window->kernel_w * layer->channels;
	if (!layer->is_row || elements > PIECE)
		return;
	work = PRODUCTS_WORK + stride_work(4ull * layer->outputs) + stride_work(4ull * layer->step);
	layer->small_work = BLOCK_WORK + window->kernel_h * RUN_WORK + elements * work;
}

int nn_float_conv2d_portable(const struct nn_call *call)
{
	const struct nn_window_params *window = &call->op->window;
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	const uint64_t pitch = input->dims[3], image = input->dims[1] * (input->dims[2] * pitch);
	struct layer layer = { .call = call, .progress = { .call = call } };
	float *out = (float *)output->data;

	describe_layer(&layer);
	for (uint64_t i = 0; i < (uint64_t)output->dims[0] * output->dims[1]; i++) {
		const uint32_t row = i / output->dims[1], oy = i % output->dims[1];
		int32_t y = (int32_t)(oy * window->stride_h) - (int32_t)window->pad_top;
		uint32_t rows = window->kernel_h;
		uint32_t above = cut_window(&y, &rows, window->dilation_h, input->dims[1]);

		for (uint32_t ox = 0; ox < output->dims[2]; ox++, out += output->dims[3]) {
			int32_t x = (int32_t)(ox * window->stride_w) - (int32_t)window->pad_left;
			struct place place = { .rows = rows, .columns = window->kernel_w };
			uint32_t before = cut_window(&x, &place.columns, window->dilation_w,
						     input->dims[2]);
			int ret;

			place.x = (const float *)input->data + row * image +
				  ((int64_t)y * input->dims[2] + x) * (int64_t)pitch;
			place.weights = ((uint64_t)above * window->kernel_w + before) *
					layer.channels * layer.outputs;
			ret = make_pixel(&layer, &place, out);
			if (ret)
				return ret;
		}
	}
	return 0;
}
