// SPDX-License-Identifier: MIT
/*
 * Grids of the opcodes of float32, which run on the scalar unit: no function has a way of its own for
 * some shapes, so there are few calls of each.
 */
#include "../grid.h"

/* Operand i, of numbers from -2 to 2. */
static void float_input(uint32_t i, uint32_t rank, const uint32_t *dims)
{
	float *numbers = grid_numbers(i, NN_TYPE_FLOAT32, rank, dims);

	for (uint32_t k = 0; k < call.input[i].bytes / sizeof(float); k++)
		numbers[k] = (int32_t)(k * 37 % 401) / 100.0f - 2;
}

static void float_table(uint32_t i, uint32_t elements)
{
	float_input(i, DIMS(elements));
	call.input[i].packed = true;
}

void walk_float_conv2d(void)
{
	static const struct {
		struct grid_image image;
		uint32_t kernel, stride, groups, outputs;
	} forms[] = {
		{ { 14, 14, 16 }, 3, 1, 1, 16 }, { { 7, 7, 32 }, 1, 1, 1, 64 },
		{ { 28, 28, 3 }, 3, 2, 1, 8 }, { { 14, 14, 32 }, 3, 1, 32, 32 },
		{ { 1, 1, 256 }, 1, 1, 1, 100 }, { { 14, 14, 16 }, 3, 1, 4, 16 },
	};

	FOR_EACH(form, forms) {
		uint32_t height, width, taps = form->kernel * form->kernel,
			each = form->image.channels / form->groups;

		grid_begin(NN_OPCODE_FLOAT_CONV2D);
		if (!grid_window(&form->image, form->kernel, form->stride, 1, &height, &width))
			continue;
		float_input(0, DIMS(1, form->image.height, form->image.width, form->image.channels));
		float_table(1, taps * each * form->outputs);
		float_table(2, form->outputs);
		grid_output(NN_TYPE_FLOAT32, DIMS(1, height, width, form->outputs));
		op.float_conv2d.groups = form->groups;
		op.float_conv2d.low = -__builtin_inff();
		op.float_conv2d.high = __builtin_inff();
		grid_measure(GRID_MACS, height * width * form->outputs * taps * each,
			     form->groups == 1 ? "" : each == 1 ? "depthwise" : "groups", NULL);
	}
}

void walk_float_pool(void)
{
	FOR_EACH(image, grid_few_images) {
		for (uint32_t average = 0; average < 2; average++) {
			uint32_t height, width;

			grid_begin(NN_OPCODE_FLOAT_POOL);
			if (!grid_window(image, 2, 2, 1, &height, &width))
				continue;
			float_input(0, DIMS(1, image->height, image->width, image->channels));
			grid_output(NN_TYPE_FLOAT32, DIMS(1, height, width, image->channels));
			op.float_pool.form = average;
			op.float_pool.far_h = image->height;
			op.float_pool.far_w = image->width;
			grid_measure(GRID_OUTPUT, 0, average ? "averages" : "greatest", NULL);
		}
	}
}

void walk_float_matmul(void)
{
	static const struct {
		uint32_t rows, inner, columns;
	} forms[] = { { 16, 64, 16 }, { 1, 256, 100 }, { 49, 32, 49 }, { 5, 3, 9 } };

	FOR_EACH(form, forms) {
		for (uint32_t transposed = 0; transposed < 2; transposed++) {
			grid_begin(NN_OPCODE_FLOAT_MATMUL);
			float_input(0, DIMS(1, form->rows, form->inner));
			if (transposed)
				float_input(1, DIMS(1, form->columns, form->inner));
			else
				float_input(1, DIMS(1, form->inner, form->columns));
			grid_output(NN_TYPE_FLOAT32, DIMS(1, form->rows, form->columns));
			op.float_matmul.transpose_b = transposed;
			grid_measure(GRID_MACS, form->rows * form->inner * form->columns,
				     transposed ? "b transposed" : "", NULL);
		}
	}
}

void walk_float_each(void)
{
	for (uint32_t function = 0; function < NN_FLOAT_FUNCTIONS; function++) {
		grid_begin(NN_OPCODE_FLOAT_EACH);
		float_input(0, DIMS(1, 1000));
		grid_output(NN_TYPE_FLOAT32, DIMS(1, 1000));
		op.float_each.function = function;
		op.float_each.alpha = 0.5f;
		op.float_each.beta = 1;
		grid_measure(GRID_OUTPUT, 0, grid_form(NULL, function), NULL);
	}
}

void walk_float_binary(void)
{
	for (uint32_t function = 0; function < NN_FLOAT_TWO_FUNCTIONS; function++) {
		grid_begin(NN_OPCODE_FLOAT_BINARY);
		float_input(0, DIMS(1, 1000));
		float_input(1, DIMS(1, 1000));
		grid_output(function < NN_FLOAT_EQUAL ? NN_TYPE_FLOAT32 : NN_TYPE_BOOL, DIMS(1, 1000));
		op.float_binary.function = function;
		grid_measure(GRID_OUTPUT, 0, grid_form(NULL, function), NULL);
	}
}

void walk_float_reduce(void)
{
	for (uint32_t function = 0; function < NN_FLOAT_REDUCTIONS; function++) {
		bool one = function <= NN_FLOAT_LOG_SUM_EXPONENTIAL;

		if (!one && function < NN_FLOAT_SOFTMAX)
			continue;
		grid_begin(NN_OPCODE_FLOAT_REDUCE);
		float_input(0, DIMS(1, 20, 50));
		if (one)
			grid_output(NN_TYPE_FLOAT32, DIMS(1, 20, 1));
		else
			grid_output(NN_TYPE_FLOAT32, DIMS(1, 20, 50));
		op.float_reduce.function = function;
		op.float_reduce.length = 50;
		op.float_reduce.inner = 1;
		op.float_reduce.epsilon = 0.001f;
		grid_measure(GRID_INPUT, 0, grid_form(NULL, function), NULL);
	}
}

void walk_float_convert(void)
{
	static const char *const names[] = { "from integers", "quantized", "cut" };

	for (uint32_t form = 0; form < NN_FLOAT_CONVERSIONS; form++) {
		uint8_t type;

		grid_begin(NN_OPCODE_FLOAT_CONVERT);
		type = form == NN_FLOAT_CUT ? NN_TYPE_INT32 : grid_8bit();
		if (form == NN_FLOAT_FROM)
			grid_input(0, type, DIMS(1, 1000));
		else
			float_input(0, DIMS(1, 1000));
		grid_output(form == NN_FLOAT_FROM ? NN_TYPE_FLOAT32 : type, DIMS(1, 1000));
		op.float_convert.form = form;
		op.float_convert.scale = form == NN_FLOAT_CUT ? 1 : 0.02f;
		grid_measure(GRID_OUTPUT, 0, names[form], NULL);
	}
}

void walk_float_resize(void)
{
	static const struct grid_image images[] = { { 7, 7, 16 }, { 14, 14, 3 }, { 1, 1, 64 } };

	FOR_EACH(image, images) {
		uint32_t height = 2 * image->height, width = 2 * image->width;
		int32_t *numbers;

		grid_begin(NN_OPCODE_FLOAT_RESIZE);
		float_input(0, DIMS(1, image->height, image->width, image->channels));
		numbers = grid_table(1, NN_TYPE_INT32, height);
		for (uint32_t i = 0; i < height; i++)
			numbers[i] = i / 2;
		numbers = grid_table(2, NN_TYPE_INT32, width);
		for (uint32_t i = 0; i < width; i++)
			numbers[i] = i / 2;
		float_table(3, 2 * height);
		float_table(4, 2 * width);
		grid_output(NN_TYPE_FLOAT32, DIMS(1, height, width, image->channels));
		grid_measure(GRID_OUTPUT, 0, "", NULL);
	}
}
