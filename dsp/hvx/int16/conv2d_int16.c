// SPDX-License-Identifier: MIT
/*
 * CONV2D_INT16 on HVX: two convolutions of 8 bits (dsp/hvx/conv2d), whose results are sums. HVX
 * multiplies bytes four times as fast as halfwords, and an element is 256 * its upper byte + its
 * lower one. Two sums of 32 bits keep what one of 64 does.
 *
 *	strip of the input, with padding -> upper bytes, signed -> sums ----------+
 *			                 -> lower bytes, unsigned -> sums --------+-> results
 *	weights, packed for 32 outputs or more (dsp/hvx/matmul/pack.c), of both --+
 *
 * All that is in scratch memory: strips have so many rows and columns as fit.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/conv2d_int16.h"
#include "dsp/kernels/weights.h"
#include "dsp/hvx/common/inner_call.h"
#include "dsp/hvx/common/kernels.h"
#include "dsp/hvx/conv2d/strip.h"
#include "dsp/hvx/int16/depthwise.h"
#include "dsp/hvx/int16/scale.h"
#include "dsp/hvx/matmul/pack.h"

#define STRIP_WORK	8000u	/* of both convolutions of a strip, beside their products */
#define SPLIT_WORK	4u	/* of 128 bytes of the input */
#define SCALE_WORK	64u	/* of 64 results */
#define READ_AHEAD	VECTOR	/* bytes behind the planes that may be read, */
#define WRITE_AHEAD	VECTOR	/* and written */

/* Rows and columns of the output that are made together, and how many of the input they are of. */
struct strip_shape {
	uint32_t out_rows, out_columns, rows, columns;
};

struct convolution {
	const struct nn_call *call;
	uint32_t channels, outputs;
	uint32_t row_length;	/* of a kernel row, in packed weights */
	uint32_t block;		/* outputs at a time, a multiple of 32 */
	struct strip_shape most;
	uint32_t plane_bytes;

	/* Scratch memory. */
	struct int16_outputs *constants;
	uint8_t *weights;
	int32_t *zeros;		/* the bias of both */
	uint8_t *planes[2];	/* upper and lower bytes of a strip */
	int32_t *sums[2];	/* [out_rows][out_columns][block] of each */

	/* The convolution of 8 bits, as it is prepared. */
	struct nn_program_op op;
	struct nn_call inner;
	struct layer layer;
	struct memory memory;
	struct strip_shape prepared;
	uint32_t prepared_outputs;
	bool can_run;
};

/* Scratch memory */

static uint64_t weight_bytes(const struct convolution *c, uint32_t outputs)
{
	return (uint64_t)outputs * c->call->op->window.kernel_h * c->row_length;
}

static void set_shape(const struct convolution *c, struct strip_shape *shape, uint32_t rows,
		      uint32_t columns)
{
	const struct nn_window_params *window = &c->call->op->window;

	shape->out_rows = rows;
	shape->out_columns = columns;
	shape->rows =
		(rows - 1) * window->stride_h + (window->kernel_h - 1) * window->dilation_h + 1;
	shape->columns =
		(columns - 1) * window->stride_w + (window->kernel_w - 1) * window->dilation_w + 1;
}

static uint64_t plane_bytes(const struct convolution *c, const struct strip_shape *shape)
{
	return round_up((uint64_t)shape->rows * shape->columns * c->channels + WRITE_AHEAD, VECTOR);
}

static uint64_t strip_bytes(const struct convolution *c, const struct strip_shape *shape)
{
	return 2 * plane_bytes(c, shape) +
	       8ull * shape->out_rows * shape->out_columns * c->block;
}

/* Finds the largest strip for which `room` bytes are enough. False: there is none. */
static bool find_strip(struct convolution *c, uint64_t room)
{
	uint32_t columns = c->call->output[0].dims[2], rows = 1;

	set_shape(c, &c->most, 1, columns);
	while (strip_bytes(c, &c->most) > room) {
		if (columns == 1)
			return false;
		columns = columns > 8 ? round_up(columns / 2, 4) : (columns + 1) / 2;
		set_shape(c, &c->most, 1, columns);
	}
	while (rows < c->call->output[0].dims[1]) {
		struct strip_shape more;

		set_shape(c, &more, rows + 1, columns);
		if (strip_bytes(c, &more) > room)
			break;
		c->most = more;
		rows++;
	}
	return true;
}

/* A quarter of all is the 8-bit convolution's, at most three eighths are weights. */
static bool divide(struct convolution *c)
{
	struct nn_call *inner = &c->inner;
	uint32_t size = c->call->scratch_size, lanes = round_up(c->outputs, 32), own = size / 4;
	uint64_t of_32 = weight_bytes(c, 32) + sizeof(struct int16_outputs) + VECTOR;
	uint64_t blocks = size / 8 * 3 / of_32;

	if (!blocks)
		return false;
	c->block = blocks < lanes / 32 ? 32 * blocks : lanes;
	if (c->block > 64)
		c->block = c->block / 64 * 64;
	inner->scratch = c->call->scratch;
	inner->scratch_size = size;
	c->constants = (struct int16_outputs *)inner_take(inner, c->block / 32 *
							   sizeof(struct int16_outputs));
	c->weights = inner_take(inner, weight_bytes(c, c->block));
	c->zeros = (int32_t *)inner_take(inner, 4 * c->block);
	if (inner->scratch_size <= own || !find_strip(c, inner->scratch_size - own))
		return false;
	c->plane_bytes = plane_bytes(c, &c->most);
	for (uint32_t i = 0; i < 2; i++)
		c->planes[i] = inner_take(inner, c->plane_bytes);
	for (uint32_t i = 0; i < 2; i++)
		c->sums[i] = (int32_t *)inner_take(inner, 4ull * c->most.out_rows * c->most.out_columns *
							    c->block);
	return true;
}

/* The input's bytes */

/*
 * Divides `count` elements into their bytes; up to a vector of others is written behind them, and
 * nothing is read past them.
 */
static void split(const int16_t *from, uint32_t count, uint8_t *high, uint8_t *low)
{
	uint32_t i = 0;

	for (; i + VECTOR <= count; i += VECTOR) {
		HVX_Vector first = load(from + i), second = load(from + i + VECTOR / 2);

		store(low + i, Q6_Vb_vpacke_VhVh(second, first));
		store(high + i, Q6_Vb_vpacko_VhVh(second, first));
	}
	if (i < count) {
		uint32_t bytes = 2 * (count - i);
		HVX_Vector first = load_bytes(from + i, min_u32(bytes, VECTOR)), second = first;

		if (bytes > VECTOR)
			second = load_bytes(from + i + VECTOR / 2, bytes - VECTOR);
		store(low + i, Q6_Vb_vpacke_VhVh(second, first));
		store(high + i, Q6_Vb_vpacko_VhVh(second, first));
	}
}

static void fill(uint8_t *high, uint8_t *low, uint32_t bytes)
{
	for (uint32_t i = 0; i < bytes; i += VECTOR) {
		store(high + i, Q6_V_vzero());
		store(low + i, Q6_V_vzero());
	}
}

/* Divides a strip's inputs, whose first is at (y, x) of the image, and zeros around the image. */
static int split_strip(struct convolution *c, const struct strip_shape *shape,
		       const uint8_t *image, int64_t y, int64_t x)
{
	const struct nn_tensor *input = &c->call->input[0];
	uint32_t channels = c->channels, width = input->dims[2];
	uint32_t before = x < 0 ? (-x < shape->columns ? -x : shape->columns) : 0;
	uint32_t row = shape->columns * channels, inside = 0;
	uint8_t *high = c->planes[0], *low = c->planes[1];

	if (x + before < width)
		inside = min_u32(shape->columns - before, width - (x + before));
	for (uint32_t i = 0; i < shape->rows; i++, y++, high += row, low += row) {
		uint32_t at = before * channels;
		int ret = progress_add(&c->layer.progress, 32 + row / 64 * SPLIT_WORK +
							   memory_work(2 * row));

		if (ret)
			return ret;
		if (y < 0 || y >= input->dims[1] || !inside) {
			fill(high, low, row);
			continue;
		}
		if (at)
			fill(high, low, at);
		split((const int16_t *)image + (y * width + x + before) * channels,
		      inside * channels, high + at, low + at);
		at += inside * channels;
		if (at < row)
			fill(high + at, low + at, row - at);
	}
	return 0;
}

/* Convolutions */

static void prepare(struct convolution *c, const struct strip_shape *shape, uint32_t outputs)
{
	const uint32_t from[4] = { 1, shape->rows, shape->columns, c->channels };
	const uint32_t out[4] = { 1, shape->out_rows, shape->out_columns, outputs };
	const uint32_t weights[1] = { weight_bytes(c, outputs) };
	struct nn_call *inner = &c->inner;
	struct layer *layer = &c->layer;

	inner_describe(&inner->input[0], NN_TYPE_UINT8, 4, from);
	inner_describe(&inner->input[1], NN_TYPE_UINT8, 1, weights);
	inner_describe(&inner->input[2], NN_TYPE_INT32, 1, &outputs);
	inner_describe(&inner->output[0], NN_TYPE_INT32, 4, out);
	inner->input[0].data = c->planes[0];
	inner->input[1].data = c->weights;
	inner->input[1].zero_point = 128;
	inner->input[2].data = (uint8_t *)c->zeros;
	inner->output[0].data = (uint8_t *)c->sums[0];
	layer->call = inner;
	layer->window = &c->op.window;
	layer->images = 1;
	layer->height = shape->rows;
	layer->width = shape->columns;
	layer->channels = layer->input_pitch = c->channels;
	layer->out_height = shape->out_rows;
	layer->out_width = shape->out_columns;
	layer->outputs = outputs;
	layer->pitch = 4 * outputs;
	conv2d_settle_layer(layer);
	c->can_run = conv2d_prepare_layer(layer, &c->memory);
	c->prepared = *shape;
	c->prepared_outputs = outputs;
}

static bool is_prepared(const struct convolution *c, const struct strip_shape *shape,
			uint32_t outputs)
{
	return c->prepared_outputs == outputs && c->prepared.out_rows == shape->out_rows &&
	       c->prepared.out_columns == shape->out_columns;
}

/* Scales the sums of a strip, whose first result of the block is at `out`. */
static int scale_strip(struct convolution *c, const struct strip_shape *shape, uint32_t outputs,
		       int16_t *out)
{
	const struct nn_tensor *output = &c->call->output[0];
	uint32_t pitch = round_up(outputs, 32), columns = shape->out_columns;

	for (uint32_t y = 0; y < shape->out_rows; y++) {
		for (uint32_t m = 0; m < outputs; m += 64) {
			uint32_t at = y * columns * pitch + m, blocks = outputs - m > 32 ? 2 : 1;
			int ret = progress_add(&c->layer.progress,
					       columns * (SCALE_WORK +
							  stride_work(2 * c->outputs)));

			if (ret)
				return ret;
			nn_int16_scale(c->call, &c->constants[m / 32], c->sums[0] + at,
				       c->sums[1] + at, pitch, columns,
				       out + (uint64_t)y * output->dims[2] * c->outputs + m,
				       c->outputs, blocks);
		}
	}
	return 0;
}

/* Makes outputs m to m + outputs - 1 of a strip. */
static int convolve_strip(struct convolution *c, const struct strip_shape *shape,
			  uint32_t m, uint32_t outputs, int16_t *out)
{
	uint32_t lanes = round_up(outputs, 32);
	int ret = progress_add(&c->layer.progress, STRIP_WORK);

	if (!is_prepared(c, shape, lanes))
		prepare(c, shape, lanes);
	for (uint32_t i = 0; i < 2 && !ret && c->can_run; i++) {
		c->inner.input[0].data = c->planes[i];
		c->inner.output[0].data = (uint8_t *)c->sums[i];
		c->inner.input[0].type = i ? NN_TYPE_UINT8 : NN_TYPE_INT8;
		c->layer.is_signed = !i;
		ret = conv2d_run_prepared(&c->layer, &c->memory);
	}
	if (ret || !c->can_run)
		return ret;
	return scale_strip(c, shape, outputs, out + m);
}

/* Packs the weights of outputs m to m + outputs - 1, and describes their scales. */
static int pack_block(struct convolution *c, uint32_t m, uint32_t outputs)
{
	const struct nn_window_params *window = &c->call->op->window;
	const struct nn_tensor *weights = &c->call->input[1];
	uint32_t row = window->kernel_w * c->channels, rows = window->kernel_h;
	uint32_t pitch = rows * row;
	/* Kernel rows without filling are one. */
	bool is_whole = row == c->row_length;
	struct matmul_right right = {
		.end = nn_tensor_end(weights),
		.inputs = is_whole ? pitch : row,
		.columns = outputs,
		.pitch = pitch,
		.block_bytes = weight_bytes(c, 32),
		.is_turned = true,
		.flip = 0x80,
	};
	int ret = 0;

	for (uint32_t y = 0; y < (is_whole ? 1 : rows) && !ret; y++) {
		right.from = weights->data + (uint64_t)m * pitch + y * row;
		ret = nn_matmul_pack(&c->layer.progress, &right,
				     c->weights + y * 32 * c->row_length, c->zeros);
	}
	for (uint32_t i = 0; i < outputs && !ret; i += 32)
		nn_int16_describe(c->call, &c->constants[i / 32], m + i,
				  min_u32(outputs - i, 32), pitch);
	return ret;
}

/* Makes outputs m to m + outputs - 1 of an image. */
static int convolve_image(struct convolution *c, uint32_t n, uint32_t m, uint32_t outputs)
{
	const struct nn_window_params *window = &c->call->op->window;
	const struct nn_tensor *input = &c->call->input[0], *output = &c->call->output[0];
	const uint8_t *image = input->data + n * input->row_bytes;
	uint32_t out_h = output->dims[1], out_w = output->dims[2];

	for (uint32_t y = 0; y < out_h; y += c->most.out_rows) {
		for (uint32_t x = 0; x < out_w; x += c->most.out_columns) {
			struct strip_shape shape;
			int16_t *out = (int16_t *)(output->data + n * output->row_bytes);
			int ret;

			set_shape(c, &shape, min_u32(out_h - y, c->most.out_rows),
				  min_u32(out_w - x, c->most.out_columns));
			ret = split_strip(c, &shape, image,
					  (int64_t)y * window->stride_h - window->pad_top,
					  (int64_t)x * window->stride_w - window->pad_left);
			if (!ret)
				ret = convolve_strip(c, &shape, m, outputs,
						     out + ((uint64_t)y * out_w + x) * c->outputs);
			if (ret || !c->can_run)
				return ret;
		}
	}
	return 0;
}

int nn_conv2d_int16_hvx(const struct nn_call *call)
{
	struct convolution c = {
		.call = call,
		.channels = call->input[0].dims[3],
		.outputs = call->output[0].dims[3],
		.op = { .opcode = NN_OPCODE_CONV2D, .window = call->op->window },
		.inner = { .run = call->run, .first = call->first },
		.layer.progress.call = call,
		.can_run = true,
	};

	if (!nn_conv2d_int16_has_vectors(call))
		return nn_conv2d_int16_portable(call);
	if (conv2d_int16_is_depthwise(call))
		return nn_int16_depthwise(call);
	c.row_length = conv2d_row_length(call->op->window.kernel_w, c.channels);
	c.op.window.pad_top = c.op.window.pad_left = 0;
	c.inner.op = &c.op;
	if (!divide(&c))
		return nn_conv2d_int16_portable(call);
	for (uint32_t m = 0; m < c.outputs; m += c.block) {
		uint32_t outputs = min_u32(c.outputs - m, c.block);
		int ret = pack_block(&c, m, outputs);

		for (uint32_t n = 0; n < call->output[0].dims[0] && !ret; n++) {
			ret = convolve_image(&c, n, m, outputs);
			/* There is too little scratch memory for a convolution. */
			if (!c.can_run)
				return ret ? ret : nn_conv2d_int16_portable(call);
		}
		if (ret)
			return ret;
	}
	return 0;
}
