// SPDX-License-Identifier: MIT
/*
 * The grids of what goes along a dimension: sums, extremes, softmax, normalizations; see grid.h.
 */
#include "dsp/kernels/weights.h"
#include "../grid.h"

/* Vectors of a length. */
static const struct rows {
	uint32_t count, length;
} rows[] = {
	{ 1, 3 },    { 1, 10 },	  { 1, 21 },  { 1, 116 }, { 1, 128 }, { 1, 200 }, { 1, 1000 },
	{ 1, 1001 },
	{ 1, 1280 }, { 16, 16 },  { 49, 3 },  { 64, 64 }, { 100, 21 }, { 65, 21 }, { 320, 3 },
	{ 320, 7 },
	{ 8, 196 },  { 16, 192 }, { 10, 129 }, { 12, 255 }, { 4, 384 }, { 3, 1000 }, { 128, 32 },
};

/* Operand i: powers of 7/8, as the exponential of a scale has them. */
static void make_powers(uint32_t i)
{
	float *powers = grid_table(i, NN_TYPE_FLOAT32, 256), power = 1;

	for (uint32_t k = 0; k < 256; k++, power *= 0.875f)
		powers[k] = power;
}

void walk_softmax(void)
{
	static const char *const names[NN_SOFTMAX_FORMS] = {
		"TensorFlow Lite's", "float32", "logarithm, TensorFlow Lite's",
			"logarithm, float32",
	};

	for (uint32_t form = 0; form < NN_SOFTMAX_FORMS; form++) {
		FOR_EACH(size, rows) {
			grid_begin(NN_OPCODE_SOFTMAX);
			grid_input(0, grid_8bit(), DIMS(1, size->count, size->length));
			make_powers(1);
			grid_output(grid_8bit(), DIMS(1, size->count, size->length));
			op.softmax.form = form;
			op.softmax.scale_output = form < 2 ? 1.0f / 256 : 0.05f;
			op.softmax.scale_input = form < 2 ? 0 : 0.1335f;
			grid_measure(GRID_OUTPUT, 0,
				     grid_name("%s%s", grid_form(names[form], form),
					       size->length < 64 ?
					       ", short rows" : ""),
				     NULL);
		}
	}
}

void walk_softmax_int16(void)
{
	FOR_EACH(size, rows) {
		int16_t *tables;

		grid_begin(NN_OPCODE_SOFTMAX_INT16);
		grid_input(0, NN_TYPE_INT16, DIMS(1, size->count, size->length));
		tables = grid_table(1, NN_TYPE_INT16, 1026);
		for (uint32_t i = 0; i < 513; i++) {
			tables[i] = (int16_t)(i * i / 9);
			tables[513 + i] = (int16_t)(32767 - 32 * i);
		}
		grid_output(NN_TYPE_INT16, DIMS(1, size->count, size->length));
		op.softmax_int16.by = (struct nn_fixed){ 0x5a827999, 0 };
		grid_measure(GRID_OUTPUT, 0, size->length < 64 ? "short rows" : "", NULL);
	}
}

/* Dimensions of an image that are reduced: channels, pixels, rows of them, all. */
static const struct axes {
	const char *name;
	uint32_t axes;
} reductions[] = { { "channels", 8 }, { "pixels", 6 }, { "rows", 2 }, { "all", 14 } };

static uint32_t count_left(const struct grid_image *image, uint32_t axes)
{
	return (axes & 2 ? 1 : image->height) * (axes & 4 ? 1 : image->width) *
	       (axes & 8 ? 1 : image->channels);
}

void walk_reduce(void)
{
	static const char *const names[NN_REDUCE_FORMS] = {
		"max", "min", "sum", "prod", "mean", "mean once", "mean away", "mean whole",
			"variance",
		"sum away", "squares", "length", "mean linear", "sum linear",
	};

	for (uint32_t form = 0; form < NN_REDUCE_FORMS; form++) {
		bool is_whole = form == NN_REDUCE_MAX || form == NN_REDUCE_MIN ||
				form == NN_REDUCE_MEAN_WHOLE;

		FOR_EACH(reduction, reductions) {
			FOR_EACH(image, grid_few_images) {
				grid_begin(NN_OPCODE_REDUCE);
				grid_input(0, grid_8bit(),
					   DIMS(1, image->height, image->width, image->channels));
				grid_output(grid_8bit(),
					    DIMS(1, count_left(image, reduction->axes)));
				op.reduce.axes = reduction->axes;
				op.reduce.form = form;
				op.reduce.scale_input = is_whole ? 0 : 0.0131f;
				op.reduce.scale_output = is_whole ? 0 : 0.0117f;
				grid_measure(GRID_INPUT, 0,
					     grid_name("%s of %s", grid_form(names[form], form),
						       reduction->name),
						     NULL);
			}
		}
	}
}

void walk_reduce_int16(void)
{
	static const char *const names[NN_REDUCE_INT16_FORMS] = {
		"max", "min", "mean whole", "mean away", "mean fixed",
	};

	for (uint32_t form = 0; form < NN_REDUCE_INT16_FORMS; form++) {
		for (uint32_t is_last = 0; is_last < 2; is_last++) {
			FOR_EACH(image, grid_few_images) {
				uint32_t pixels = image->height * image->width;
				uint32_t left = is_last ? pixels : image->channels;

				grid_begin(NN_OPCODE_REDUCE_INT16);
				grid_input(0, NN_TYPE_INT16, DIMS(1, pixels, image->channels));
				grid_output(NN_TYPE_INT16, DIMS(1, left));
				op.reduce_int16 = (struct nn_reduce_int16_params){
					.form = form,
					.count = is_last ? image->channels : pixels,
					.inner = is_last ? 1 : image->channels,
				};
				if (form == NN_REDUCE_INT16_MEAN_AWAY)
					op.reduce_int16.scale = 1.5f;
				if (form == NN_REDUCE_INT16_MEAN_FIXED)
					op.reduce_int16.by = (struct nn_fixed){ 0x5a827999, -6 };
				grid_measure(GRID_INPUT, 0,
					     grid_name("%s of %s", grid_form(names[form], form),
						       is_last ?
						       "channels" : "pixels"),
					     NULL);
			}
		}
	}
}

void walk_arg(void)
{
	for (uint32_t axis = 1; axis < 4; axis++) {
		FOR_EACH(image, grid_images) {
			uint32_t left = count_left(image, 1 << axis);

			grid_begin(NN_OPCODE_ARG);
			grid_input(0, grid_8bit(),
				   DIMS(1, image->height, image->width, image->channels));
			grid_output(NN_TYPE_INT32, DIMS(1, left));
			op.arg =
				(struct nn_arg_params){ axis, image->width % 2,
							image->channels % 2 };
			grid_measure(GRID_INPUT, 0, axis == 3 ? "of channels" : "of pixels",
				     grid_name("axis %u", axis));
		}
	}
	/* Classes of pixels, as segmentation has them. */
	grid_begin(NN_OPCODE_ARG);
	grid_input(0, grid_8bit(), DIMS(1, 33, 33, 21));
	grid_output(NN_TYPE_INT32, DIMS(1, 33 * 33));
	op.arg = (struct nn_arg_params){ 3, NN_ARG_MAX, 0 };
	grid_measure(GRID_INPUT, 0, "of channels", NULL);
}

void walk_weighted_sum(void)
{
	static const struct {
		uint32_t count, length, channels;
	} forms[] = {
		{ 1, 8, 64 }, { 1, 16, 32 }, { 1, 10, 256 }, { 1, 64, 128 }, { 16, 8, 64 }, { 4, 32, 20 },
	};

	FOR_EACH(form, forms) {
		grid_begin(NN_OPCODE_WEIGHTED_SUM);
		grid_input(0, NN_TYPE_INT16, DIMS(form->count, form->length, form->channels));
		grid_constant(1, NN_TYPE_INT16, form->length * form->channels);
		grid_constant(2, NN_TYPE_INT32, form->channels);
		grid_output(NN_TYPE_INT32, DIMS(form->count, form->channels));
		call.input[0].zero_point = call.output[0].zero_point = 0;
		grid_measure(GRID_INPUT, 0, form->channels < 64 ? "few channels" : "", NULL);
	}
}

void walk_lstm(void)
{
	static const struct {
		uint32_t rows, steps, inputs, cells;
	} forms[] = {
		{ 1, 1, 128, 128 }, { 1, 28, 28, 20 }, { 16, 1, 128, 128 }, { 1, 10, 128, 128 },
		{ 4, 16, 40, 64 }, { 1, 4, 13, 256 }, { 16, 20, 64, 32 }, { 1, 100, 3, 8 },
	};

	FOR_EACH(form, forms) {
		uint32_t blocks = (form->cells + 31) / 32, width = 128 * blocks;

		grid_begin(NN_OPCODE_LSTM);
		grid_input(0, NN_TYPE_INT8, DIMS(form->rows, form->steps, form->inputs));
		grid_input(1, NN_TYPE_INT8, DIMS(form->rows, form->cells));
		grid_input(2, NN_TYPE_INT16, DIMS(form->rows, form->cells));
		grid_constant(3, NN_TYPE_UINT8, conv2d_weight_bytes(width, 1, 1, form->inputs));
		grid_constant(4, NN_TYPE_UINT8, conv2d_weight_bytes(width, 1, 1, form->cells));
		grid_constant(5, NN_TYPE_INT32, 2 * width);
		grid_output(NN_TYPE_INT8, DIMS(form->rows, form->steps, form->cells));
		grid_more_output(1, NN_TYPE_INT8, DIMS(form->rows, form->cells));
		grid_more_output(2, NN_TYPE_INT16, DIMS(form->rows, form->cells));
		call.input[3].zero_point = call.input[4].zero_point = 128;
		call.input[1].zero_point = call.output[1].zero_point = call.output[0].zero_point;
		op.lstm.cell_bits = 4;
		for (uint32_t g = 0; g < 4; g++) {
			op.lstm.input[g] = (struct nn_fixed){ 1 << 30, -10 };
			op.lstm.last[g] = (struct nn_fixed){ 1 << 30, -9 };
		}
		op.lstm.output = (struct nn_fixed){ 1 << 30, -22 };
		grid_measure(GRID_MACS,
			     4 * form->rows * form->steps * form->cells * (form->inputs + form->cells),
			     form->cells < 32 ? "few cells" : form->rows == 1 ? "one row" : "several rows",
			     NULL);
	}
}

void walk_svdf(void)
{
	/* As keyword spotters have them, and others around these. */
	static const struct {
		uint32_t rows, inputs, units, rank, memory;
	} forms[] = {
		{ 1, 96, 64, 1, 8 }, { 1, 16, 64, 1, 8 }, { 1, 32, 32, 1, 32 }, { 1, 40, 128, 2, 10 },
		{ 1, 256, 256, 1, 32 }, { 4, 16, 64, 1, 8 }, { 1, 40, 12, 2, 8 },
	};

	FOR_EACH(form, forms) {
		uint32_t filters = form->units * form->rank;

		grid_begin(NN_OPCODE_SVDF);
		grid_input(0, NN_TYPE_INT8, DIMS(form->rows, form->inputs));
		grid_input(1, NN_TYPE_INT16, DIMS(form->rows, form->memory * filters));
		grid_constant(2, NN_TYPE_UINT8, conv2d_weight_bytes(filters, 1, 1, form->inputs));
		grid_constant(3, NN_TYPE_INT16, form->memory * filters);
		grid_constant(4, NN_TYPE_INT32, weight_lanes(filters) + weight_lanes(form->units));
		grid_output(NN_TYPE_INT8, DIMS(form->rows, form->units));
		grid_more_output(1, NN_TYPE_INT16, DIMS(form->rows, form->memory * filters));
		call.input[1].zero_point = call.output[1].zero_point = 0;
		call.input[2].zero_point = 128;
		op.svdf = (struct nn_svdf_params){
			.feature = { 1 << 30, -3 },
			.output = { 1 << 30, -22 },
			.rank = form->rank,
			.memory = form->memory,
		};
		grid_measure(GRID_MACS, form->rows * filters * (form->inputs + form->memory),
			     filters % 32 ? "any filters" : filters * form->inputs < 32768 ? "" : "many", NULL);
	}
}

void walk_top(void)
{
	static const uint8_t types[] =
		{ NN_TYPE_INT8, NN_TYPE_UINT8, NN_TYPE_INT32, NN_TYPE_INT64 };
	static const char *const names[] = { "int8", "uint8", "int32", "int64" };
	static const struct {
		uint32_t count, length, top;
	} forms[] = {
		{ 1, 10, 3 }, { 1, 100, 10 }, { 1, 1000, 1 }, { 1, 1000, 5 }, { 1, 1000, 1000 },
		{ 49, 21, 1 }, { 100, 21, 5 }, { 4, 320, 320 }, { 1, 3000, 100 },
	};

	for (uint32_t type = 0; type < COUNT(types); type++) {
		FOR_EACH(form, forms) {
			if (type >= 2 && form->length > 1000)
				continue;
			grid_begin(NN_OPCODE_TOP);
			grid_input(0, types[type], DIMS(1, form->count, form->length));
			call.input[0].zero_point = 0;
			grid_output(type % 2 ? NN_TYPE_INT64 : NN_TYPE_INT32,
				    DIMS(1, form->count, form->top));
			op.top.least = form->top % 2;
			grid_measure(GRID_INPUT, 0, grid_name("%s%s", names[type],
				     form->top == form->length ? ", all" : ""), NULL);
		}
	}
}

void walk_cumulate(void)
{
	static const uint8_t types[] = { NN_TYPE_INT8, NN_TYPE_INT32, NN_TYPE_INT64 };
	static const char *const names[] = { "int8", "int32", "int64" };

	for (uint32_t kind = 0; kind <= COUNT(types); kind++) {
		for (uint32_t axis = 1; axis < 4; axis++) {
			FOR_EACH(image, grid_few_images) {
				uint8_t type = kind ? types[kind - 1] : grid_8bit();

				grid_begin(NN_OPCODE_CUMULATE);
				grid_input(0, type,
					   DIMS(1, image->height, image->width, image->channels));
				grid_output(type,
					    DIMS(1, image->height, image->width, image->channels));
				op.cumulate = (struct nn_cumulate_params){
					.axis = axis,
					.form = kind ? NN_CUMULATE_INTEGERS : NN_CUMULATE_FLOAT,
					.exclusive = image->channels % 2,
					.backwards = image->height % 2,
					.scale_input = kind ? 0 : 0.0131f,
					.scale_output = kind ? 0 : 0.117f,
				};
				if (kind)
					op.out_min = op.out_max = 0;
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s, %s", kind ? names[kind - 1] : "float32",
						       axis == 3 ? "of channels" : "of pixels"),
					     grid_name("axis %u", axis));
			}
		}
	}
}

/* Operands 1 and 2: scales and biases. */
static void make_scales(uint32_t count)
{
	float *scales = grid_table(1, NN_TYPE_FLOAT32, count);
	float *biases = grid_table(2, NN_TYPE_FLOAT32, count);

	for (uint32_t i = 0; i < count; i++) {
		scales[i] = 0.5f + 0.013f * (float)(i % 97);
		biases[i] = 0.01f * (float)(i % 31) - 0.1f;
	}
}

void walk_normalize(void)
{
	static const char *const names[NN_NORMALIZE_FORMS] = {
		"scale", "center", "deviation", "root", "sum", "given",
	};

	for (uint32_t form = 0; form < NN_NORMALIZE_FORMS; form++) {
		for (uint32_t is_image = 0; is_image < 2; is_image++) {
			FOR_EACH(size, rows) {
				grid_begin(NN_OPCODE_NORMALIZE);
				grid_input(0, grid_8bit(), DIMS(1, size->count, size->length));
				/* Scales of images or of elements. */
				make_scales(is_image ? size->count : size->length);
				grid_output(grid_8bit(), DIMS(1, size->count, size->length));
				op.normalize = (struct nn_normalize_params){
					.form = form,
					.length = size->length,
					.run = is_image ? size->length : 1,
					.step = 0.0131f,
					.square_step = 0.00017f,
					.epsilon = 0.00001f,
					.scale_output = 0.0117f,
				};
				if (form == NN_NORMALIZE_GIVEN) {
					grid_input(3, grid_8bit(), DIMS(1, 1, size->count));
					make_powers(4);
				}
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s, %s%s", grid_form(names[form], form),
						       is_image ?
						       "images" : "layers",
						       size->length < 64 ? ", short rows" : ""),
							       NULL);
			}
		}
	}
}

void walk_l2_normalize(void)
{
	FOR_EACH(size, rows) {
		uint8_t type;

		grid_begin(NN_OPCODE_L2_NORMALIZE);
		type = grid_8bit();
		grid_input(0, type, DIMS(1, size->count, size->length));
		grid_output(type, DIMS(1, size->count, size->length));
		grid_measure(GRID_OUTPUT, 0, size->length < 64 ? "short rows" : "", NULL);
	}
}
