// SPDX-License-Identifier: MIT
/*
 * The grids of windows over images and of products of matrices, see grid.h.
 */
#include "../grid.h"

#include "dsp/kernels/weights.h"

#define MOST_MACS	(12u << 20)
#define MOST_WIDE_MACS	(3u << 19)	/* of 16 bits */
#define FEW		16

/* ---- Convolutions ---- */

struct layer {
	struct grid_image image;
	uint32_t outputs, kernel, stride, dilation;
};

static const struct layer layers[] = {
	/* First layers. */
	{ { 64, 64, 3 }, 16, 3, 2, 1 }, { { 64, 64, 3 }, 24, 3, 2, 1 },
	{ { 64, 64, 3 }, 32, 3, 2, 1 }, { { 48, 48, 3 }, 64, 7, 2, 1 },
	{ { 64, 64, 1 }, 16, 3, 1, 1 }, { { 1, 320, 3 }, 8, 3, 1, 1 },
	/* 3x3 of as many inputs as outputs. */
	{ { 28, 28, 8 }, 8, 3, 1, 1 }, { { 28, 28, 16 }, 16, 3, 1, 1 },
	{ { 20, 20, 24 }, 24, 3, 1, 1 }, { { 14, 14, 40 }, 40, 3, 1, 1 },
	{ { 14, 14, 56 }, 56, 3, 1, 1 }, { { 14, 14, 64 }, 64, 3, 1, 1 },
	{ { 14, 14, 72 }, 72, 3, 1, 1 }, { { 14, 14, 80 }, 80, 3, 1, 1 },
	{ { 14, 14, 112 }, 48, 3, 1, 1 }, { { 7, 7, 160 }, 160, 3, 1, 1 },
	{ { 7, 7, 200 }, 100, 3, 1, 1 }, { { 4, 4, 320 }, 240, 3, 1, 1 },
	{ { 2, 2, 512 }, 512, 3, 1, 1 }, { { 28, 28, 40 }, 40, 3, 2, 1 },
	{ { 14, 14, 64 }, 128, 3, 2, 1 }, { { 14, 14, 64 }, 64, 3, 1, 2 },
	{ { 28, 28, 40 }, 20, 3, 1, 6 }, { { 3, 112, 17 }, 33, 3, 1, 1 },
	{ { 8, 8, 320 }, 32, 3, 1, 6 }, { { 8, 8, 320 }, 32, 3, 1, 12 },
	{ { 8, 8, 320 }, 32, 3, 1, 18 },
	{ { 14, 14, 32 }, 32, 5, 1, 1 }, { { 10, 10, 48 }, 17, 5, 2, 1 },
	{ { 17, 17, 24 }, 24, 7, 1, 1 },
	/* 1x1. */
	{ { 28, 28, 16 }, 96, 1, 1, 1 }, { { 28, 28, 24 }, 144, 1, 1, 1 },
	{ { 28, 28, 96 }, 24, 1, 1, 1 }, { { 14, 14, 40 }, 240, 1, 1, 1 },
	{ { 14, 14, 240 }, 40, 1, 1, 1 }, { { 14, 14, 72 }, 72, 1, 1, 1 },
	{ { 14, 14, 80 }, 200, 1, 1, 1 }, { { 14, 14, 112 }, 56, 1, 1, 1 },
	{ { 14, 14, 200 }, 80, 1, 1, 1 }, { { 14, 14, 256 }, 64, 1, 1, 1 },
	{ { 7, 7, 160 }, 960, 1, 1, 1 }, { { 7, 7, 960 }, 160, 1, 1, 1 },
	{ { 4, 4, 320 }, 1280, 1, 1, 1 }, { { 14, 14, 58 }, 58, 1, 1, 1 },
	{ { 14, 14, 116 }, 116, 1, 1, 1 }, { { 28, 28, 3 }, 3, 1, 1, 1 },
	{ { 14, 14, 17 }, 255, 1, 1, 1 }, { { 320, 1, 64 }, 64, 1, 1, 1 },
	{ { 28, 28, 64 }, 128, 1, 2, 1 },
	/* One pixel, as in squeeze and excitation. */
	{ { 1, 1, 16 }, 64, 1, 1, 1 }, { { 1, 1, 72 }, 24, 1, 1, 1 },
	{ { 1, 1, 96 }, 24, 1, 1, 1 }, { { 1, 1, 240 }, 64, 1, 1, 1 },
	{ { 1, 1, 576 }, 144, 1, 1, 1 }, { { 1, 1, 960 }, 240, 1, 1, 1 },
	{ { 1, 1, 1280 }, 1000, 1, 1, 1 },
};

static const char *layer_class(const struct layer *layer)
{
	if (layer->image.height * layer->image.width == 1)
		return "of one pixel";
	return grid_name("%ux%u%s%s%s", layer->kernel, layer->kernel,
			 layer->stride > 1 ? " with strides" : "",
			 layer->dilation > 1 ? " with dilation" : "",
			 layer->image.channels < 8  ? " of few channels" :
			 layer->image.channels < 40 || layer->outputs < 40 ?
				 " of 8 to 39 channels" : "");
}

static const char *layer_words(const struct layer *layer)
{
	return grid_name("stride %u, dilation %u", layer->stride, layer->dilation);
}

static bool begin_layer(enum nn_opcode opcode, const struct layer *layer, uint8_t type,
			uint8_t output_type)
{
	const struct grid_image *image = &layer->image;
	uint32_t height, width;

	grid_begin(opcode);
	if (!grid_window(image, layer->kernel, layer->stride, layer->dilation, &height, &width))
		return false;
	grid_input(0, type, DIMS(1, image->height, image->width, image->channels));
	grid_output(output_type, DIMS(1, height, width, layer->outputs));
	return true;
}

static uint32_t layer_macs(const struct layer *layer, uint32_t inputs)
{
	return call.output[0].dims[1] * call.output[0].dims[2] * layer->outputs * layer->kernel *
	       layer->kernel * inputs;
}

void walk_conv2d(void)
{
	FOR_EACH(layer, layers) {
		const struct grid_image *image = &layer->image;
		uint32_t products = layer->kernel * layer->kernel * image->channels;

		if (!begin_layer(NN_OPCODE_CONV2D, layer, grid_8bit(), grid_8bit()))
			continue;
		grid_constant(1, NN_TYPE_UINT8,
			      conv2d_weight_bytes(layer->outputs, layer->kernel, layer->kernel,
						  image->channels));
		call.input[1].zero_point = 128;
		grid_scales(3, layer->outputs, products, false, false);
		grid_constant(2, NN_TYPE_INT32, call.input[3].dims[1]);
		if (layer_macs(layer, image->channels) <= MOST_MACS)
			grid_measure(GRID_MACS, layer_macs(layer, image->channels),
				     layer_class(layer), layer_words(layer));
		/* Weights with a zero point of their own, as UINT8 models have them. */
		call.input[1].zero_point = 117;
		if (layer_macs(layer, image->channels) <= MOST_MACS / 8)
			grid_measure(GRID_MACS, layer_macs(layer, image->channels),
				     layer_class(layer), layer_words(layer));
	}
}

/* Constants of a CONV2D_INT16: multipliers of 15 bits and shifts. */
static void wide_constants(uint32_t outputs, uint32_t weights)
{
	int32_t *bias, *scale;

	grid_constant(1, NN_TYPE_INT8, weights);
	bias = grid_table(2, NN_TYPE_INT32, 2 * outputs);
	scale = grid_table(3, NN_TYPE_INT32, 2 * outputs);
	for (uint32_t m = 0; m < outputs; m++) {
		bias[2 * m] = (int32_t)(1000 * m);
		bias[2 * m + 1] = 0;
		scale[2 * m] = (int32_t)(0x4321 + 37 * m % 0x3000);
		scale[2 * m + 1] = 26;
	}
}

void walk_conv2d_int16(void)
{
	FOR_EACH(layer, layers) {
		const struct grid_image *image = &layer->image;

		if (!begin_layer(NN_OPCODE_CONV2D_INT16, layer, NN_TYPE_INT16, NN_TYPE_INT16) ||
		    layer_macs(layer, image->channels) > MOST_WIDE_MACS)
			continue;
		wide_constants(layer->outputs,
			       layer->outputs * layer->kernel * layer->kernel * image->channels);
		grid_measure(GRID_WIDE_MACS, layer_macs(layer, image->channels),
			     layer_class(layer), layer_words(layer));
	}
	FOR_EACH(image, grid_few_images) {
		struct layer layer = { *image, image->channels, 3, 1, 1 };

		if (image->height < 2 ||
		    !begin_layer(NN_OPCODE_CONV2D_INT16, &layer, NN_TYPE_INT16, NN_TYPE_INT16))
			continue;
		wide_constants(layer.outputs, layer.outputs * 9);
		grid_measure(GRID_OUTPUT, 0, "depthwise 3x3", NULL);
	}
}

void walk_depthwise_conv2d(void)
{
	static const struct {
		uint32_t kernel, stride, dilation, multiple;
		int32_t zero_point;	/* of the weights */
	} forms[] = {
		{ 3, 1, 1, 1, 0 }, { 3, 1, 1, 1, 13 }, { 3, 2, 1, 1, 0 }, { 3, 2, 1, 1, -128 },
		{ 5, 1, 1, 1, 0 }, { 5, 1, 1, 1, 127 }, { 5, 2, 1, 1, 0 }, { 5, 2, 1, 1, 3 },
		{ 3, 1, 2, 1, 0 }, { 3, 1, 4, 1, 5 }, { 7, 1, 1, 1, 0 }, { 3, 1, 1, 2, 0 },
		{ 1, 1, 1, 1, 0 }, { 3, 3, 1, 1, 0 },
	};

	FOR_EACH(form, forms) {
		FOR_EACH(image, grid_images) {
			struct layer layer = { *image, image->channels * form->multiple,
					       form->kernel, form->stride, form->dilation };

			if (image->height * image->width == 1 ||
			    !begin_layer(NN_OPCODE_DEPTHWISE_CONV2D, &layer, grid_8bit(),
					 grid_8bit()))
				continue;
			grid_constant(1, NN_TYPE_INT8,
				      depthwise_weight_bytes(layer.outputs, form->kernel,
							     form->kernel));
			call.input[1].zero_point = form->zero_point;
			grid_scales(3, layer.outputs, form->kernel * form->kernel, true, false);
			grid_constant(2, NN_TYPE_INT32, call.input[3].dims[1]);
			grid_measure(GRID_OUTPUT, 0,
				     grid_name("%ux%u stride %u%s%s%s%s", form->kernel,
					       form->kernel,
					       form->stride,
					       form->dilation > 1 ? " with dilation" : "",
					       form->multiple > 1 ? " of more outputs" : "",
					       form->zero_point ? ", weights with a zero point" :
						       "",
					       image->channels < FEW ? ", few channels" : ""),
				     form->dilation > 1 ? grid_name("dilation %u", form->dilation) :
							  NULL);
		}
	}
}

void walk_fully_connected(void)
{
	static const struct {
		uint32_t rows, inputs, outputs;
	} forms[] = {
		{ 1, 3, 10 }, { 1, 40, 1000 }, { 1, 64, 64 }, { 1, 116, 21 }, { 1, 1280, 1000 },
		{ 1, 1000, 3 }, { 1, 1280, 17 }, { 1, 256, 256 }, { 2, 320, 320 }, { 7, 200, 100 },
		{ 16, 192, 192 }, { 64, 64, 64 }, { 196, 192, 64 }, { 32, 1280, 40 },
		{ 49, 96, 300 },
		{ 128, 24, 24 },
	};

	FOR_EACH(form, forms) {
		grid_begin(NN_OPCODE_FULLY_CONNECTED);
		grid_input(0, grid_8bit(), DIMS(form->rows, form->inputs));
		grid_output(grid_8bit(), DIMS(form->rows, form->outputs));
		grid_constant(1, NN_TYPE_UINT8,
			      conv2d_weight_bytes(form->outputs, 1, 1, form->inputs));
		call.input[1].zero_point = form->rows % 2 ? 128 : 117;
		grid_scales(3, form->outputs, form->inputs, false, false);
		grid_constant(2, NN_TYPE_INT32, call.input[3].dims[1]);
		grid_measure(GRID_MACS, form->rows * form->inputs * form->outputs,
			     form->rows == 1 ? "one row" : "several rows", NULL);
	}
}

void walk_matmul(void)
{
	static const struct {
		uint32_t count, rows, inner, columns;
	} forms[] = {
		{ 1, 64, 64, 64 }, { 1, 196, 64, 196 }, { 3, 49, 32, 49 }, { 1, 128, 128, 64 },
		{ 1, 7, 300, 17 }, { 12, 16, 64, 16 }, { 1, 1, 256, 256 }, { 1, 256, 64, 1 },
		{ 1, 5, 3, 9 }, { 1, 100, 21, 40 },
	};

	for (uint32_t form = NN_MATMUL_FLOAT; form < NN_MATMUL_FORMS; form++) {
		static const char *const names[] = { "float32", "fixed point", "sums" };

		for (uint32_t transposed = 0; transposed < 4; transposed++) {
			bool a = transposed & 1, b = transposed >> 1;

			FOR_EACH(size, forms) {
				uint32_t macs =
					size->count * size->rows * size->inner * size->columns;

				/* All ways to lie for one form only, which is time enough. */
				if (macs > 1u << 19 || (form && !b && macs > 1u << 16))
					continue;
				grid_begin(NN_OPCODE_MATMUL);
				op.matmul.form = form;
				op.matmul.transpose_a = a;
				op.matmul.transpose_b = b;
				grid_input(0, grid_8bit(),
					   DIMS(1, size->count, a ? size->inner : size->rows,
						a ? size->rows : size->inner));
				grid_input(1, grid_8bit(),
					   DIMS(1, size->count, b ? size->columns : size->inner,
						b ? size->inner : size->columns));
				grid_output(form == NN_MATMUL_SUM ? NN_TYPE_INT32 : grid_8bit(),
					    DIMS(1, size->count, size->rows, size->columns));
				op.matmul.zero_a = call.input[0].zero_point;
				op.matmul.zero_b = call.input[1].zero_point;
				if (form == NN_MATMUL_FLOAT)
					op.matmul.scale = 0.011f / (float)size->inner;
				else if (form == NN_MATMUL_FIXED)
					op.matmul.by = (struct nn_fixed){ 0x5a827999, -11 };
				grid_measure(GRID_MACS, macs,
					     grid_name("%s%s%s", grid_form(names[form], form), a ?
						       ", a transposed" :
						       "",
						       b ? ", b transposed" : ""), NULL);
			}
		}
	}
}

void walk_matmul_int16(void)
{
	static const struct {
		uint32_t count, rows, inner, columns;
	} forms[] = {
		{ 1, 64, 64, 64 }, { 1, 49, 32, 49 }, { 1, 128, 128, 64 }, { 1, 7, 300, 17 },
		{ 4, 16, 64, 16 }, { 1, 1, 256, 256 }, { 1, 256, 64, 1 }, { 1, 5, 3, 9 },
		{ 1, 100, 21, 40 },
	};

	for (uint32_t form = NN_MATMUL_INT16_FIXED; form < NN_MATMUL_INT16_FORMS; form++) {
		static const char *const names[] = { "fixed point", "once" };

		for (uint32_t kind = 0; kind < 6; kind++) {
			bool a = kind & 1, b = kind >> 1 & 1, bytes = kind >= 4;

			FOR_EACH(size, forms) {
				uint32_t macs =
					size->count * size->rows * size->inner * size->columns;

				if (macs > 1u << 19 || (form && !b && macs > 1u << 16))
					continue;
				grid_begin(NN_OPCODE_MATMUL_INT16);
				op.matmul.form = form;
				op.matmul.transpose_a = a;
				op.matmul.transpose_b = b;
				grid_input(0, NN_TYPE_INT16,
					   DIMS(1, size->count, a ? size->inner : size->rows,
						a ? size->rows : size->inner));
				grid_input(1, bytes ? grid_8bit() : NN_TYPE_INT16,
					   DIMS(1, size->count, b ? size->columns : size->inner,
						b ? size->inner : size->columns));
				grid_output(NN_TYPE_INT16,
					    DIMS(1, size->count, size->rows, size->columns));
				op.matmul.zero_a = 0;
				op.matmul.zero_b = call.input[1].zero_point;
				op.matmul.by = form ? (struct nn_fixed){ 0x5a827999, bytes ? -12 : -18 } :
						      (struct nn_fixed){ 0x5a82, bytes ? -28 : -34 };
				grid_measure(GRID_WIDE_MACS, macs,
					     grid_name("%s%s%s%s", names[form],
						       a ? ", a transposed" : "",
						       b ? ", b transposed" : "",
						       bytes ? ", b of bytes" : ""), NULL);
			}
		}
	}
}

/* ---- Pools ---- */

static const struct pool {
	uint32_t kernel, stride;	/* kernel 0: the whole image */
} pools[] = { { 2, 2 }, { 3, 2 }, { 3, 1 }, { 5, 1 }, { 5, 2 }, { 0, 1 } };

static const char *pool_class(const struct pool *pool, const struct grid_image *image,
			      const char *more)
{
	const char *few = image->channels < FEW ? ", few channels" : "";

	return pool->kernel ? grid_name("%ux%u stride %u%s%s", pool->kernel, pool->kernel,
					pool->stride, more, few) :
			      grid_name("global%s%s", more, few);
}

/* False: the image has no such windows. */
static bool begin_pool(enum nn_opcode opcode, const struct pool *pool,
		       const struct grid_image *image, uint8_t type, uint8_t output_type)
{
	uint32_t height = 1, width = 1;

	grid_begin(opcode);
	if (image->height * image->width == 1)
		return false;
	if (!pool->kernel) {
		if (image->height > 255 || image->width > 255)
			return false;
		op.window = window_of(image->height, image->width, 1, 1);
	} else if (!grid_window(image, pool->kernel, pool->stride, 1, &height, &width)) {
		return false;
	}
	grid_input(0, type, DIMS(1, image->height, image->width, image->channels));
	grid_output(output_type, DIMS(1, height, width, image->channels));
	return true;
}

/* Global pools make little of much. */
static void measure_pool(const struct pool *pool, const struct grid_image *image, const char *more)
{
	grid_measure(pool->kernel ? GRID_OUTPUT : GRID_INPUT, 0, pool_class(pool, image, more),
		     NULL);
}

void walk_max_pool(void)
{
	FOR_EACH(pool, pools) {
		FOR_EACH(image, grid_images) {
			if (begin_pool(NN_OPCODE_MAX_POOL, pool, image, grid_8bit(), grid_8bit()))
				measure_pool(pool, image, "");
		}
	}
}

void walk_average_pool(void)
{
	FOR_EACH(pool, pools) {
		FOR_EACH(image, grid_images) {
			if (!begin_pool(NN_OPCODE_AVERAGE_POOL, pool, image, grid_8bit(),
					grid_8bit()))
				continue;
			op.window.multiplier = 0x5a827999;
			op.window.shift = 36;
			measure_pool(pool, image, "");
		}
	}
}

void walk_average_pool_away(void)
{
	FOR_EACH(pool, pools) {
		FOR_EACH(image, grid_images) {
			if (!begin_pool(NN_OPCODE_AVERAGE_POOL_AWAY, pool, image, grid_8bit(),
					grid_8bit()))
				continue;
			call.output[0].zero_point = call.input[0].zero_point;
			measure_pool(pool, image, "");
		}
	}
}

void walk_average_pool_float(void)
{
	static const char *const orders[NN_AVERAGE_ORDERS] = {
		", by columns", ", by rows", ", in four sums", ", exact", ", with the zero point",
	};

	for (uint32_t order = 0; order < NN_AVERAGE_ORDERS; order++) {
		FOR_EACH(pool, pools) {
			FOR_EACH(image, grid_few_images) {
				/* Windows in order of columns, whole images in other orders. */
				if ((order == NN_AVERAGE_COLUMNS || order == NN_AVERAGE_ROWS) !=
				    !!pool->kernel &&
				    order != NN_AVERAGE_ZERO_POINT)
					continue;
				if (!begin_pool(NN_OPCODE_AVERAGE_POOL_FLOAT, pool, image,
						grid_8bit(),
						grid_8bit()))
					continue;
				op.average_float.scale_input = 0.0131f;
				op.average_float.scale_output = 0.0117f;
				op.average_float.order = order;
				measure_pool(pool, image, grid_form(orders[order], order));
			}
		}
	}
}

void walk_pool_int16(void)
{
	for (uint32_t average = 0; average < 2; average++) {
		FOR_EACH(pool, pools) {
			FOR_EACH(image, grid_few_images) {
				if (!begin_pool(NN_OPCODE_POOL_INT16, pool, image, NN_TYPE_INT16,
						NN_TYPE_INT16))
					continue;
				op.pool_int16.average = average;
				measure_pool(pool, image, average ? ", mean" : ", greatest");
			}
		}
	}
}
