// SPDX-License-Identifier: MIT
/*
 * The grids of what is made element by element, see grid.h.
 */
#include "../grid.h"

#define IMAGE_DIMS(image) DIMS(1, (image)->height, (image)->width, (image)->channels)

/* How the second input is broadcast: not at all; by channels; one element; by pixels. */
enum form { SAME, CHANNELS, ONE, PIXELS, FORMS };

static const char *const form_names[FORMS] = { "", ", of channels", ", of one", ", of pixels" };

static void second_input(uint32_t i, uint8_t type, const struct grid_image *image, enum form form)
{
	uint32_t height = form == SAME || form == PIXELS ? image->height : 1;
	uint32_t width = form == SAME || form == PIXELS ? image->width : 1;

	grid_input(i, type, DIMS(1, height, width,
				 form == ONE || form == PIXELS ? 1 : image->channels));
}

/* An image's second input of a form would be as one of another form is. */
static bool is_other_form(const struct grid_image *image, enum form form)
{
	return image->height * image->width == 1 && (form == CHANNELS || form == PIXELS);
}

/* A type other than the first input's, now and then. */
static uint8_t other_type(const struct grid_image *image)
{
	return image->channels % 3 ? grid_8bit() : grid_8bit() == NN_TYPE_INT8 ? NN_TYPE_UINT8 :
									      NN_TYPE_INT8;
}

void walk_add(void)
{
	FOR_EACH(image, grid_images) {
		grid_begin(NN_OPCODE_ADD);
		grid_input(0, grid_8bit(), IMAGE_DIMS(image));
		grid_input(1, other_type(image), IMAGE_DIMS(image));
		grid_output(grid_8bit(), IMAGE_DIMS(image));
		op.add = (struct nn_add_params){ 1 << 19, 411775, 20 };
		grid_measure(GRID_OUTPUT, 0, "", NULL);
	}
}

void walk_add_float(void)
{
	static const struct {
		const char *name;
		float a, b, output;
	} scales[] = {
		{ "", 0.0131f, 0.0217f, 0.0293f },
		{ ", equal scales", 0.02f, 0.02f, 0.04f },
		{ ", far scales", 0.0001f, 1.5f, 0.9f },
	};

	for (uint32_t form = 0; form < NN_ADD_FORMS; form++) {
		FOR_EACH(scale, scales) {
			FOR_EACH(image, grid_images) {
				grid_begin(NN_OPCODE_ADD_FLOAT);
				grid_input(0, grid_8bit(), IMAGE_DIMS(image));
				grid_input(1, other_type(image), IMAGE_DIMS(image));
				grid_output(grid_8bit(), IMAGE_DIMS(image));
				op.add_float = (struct nn_add_float_params){ scale->a, scale->b,
									     scale->output, form };
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s%s", form == NN_ADD_FUSED ? "fused" :
						       "dequantized",
						       scale->name), NULL);
			}
		}
	}
}

void walk_add_int16(void)
{
	for (enum form form = SAME; form <= CHANNELS; form++) {
		FOR_EACH(image, grid_images) {
			if (is_other_form(image, form))
				continue;
			grid_begin(NN_OPCODE_ADD_INT16);
			grid_input(0, NN_TYPE_INT16, IMAGE_DIMS(image));
			second_input(1, NN_TYPE_INT16, image, form);
			grid_output(NN_TYPE_INT16, IMAGE_DIMS(image));
			op.add_int16 = (struct nn_add_int16_params){
				15, 0, { 0x40000000, 0 }, { 0x5a827999, -1 }, { 0x71234567, -14 },
			};
			grid_measure(GRID_OUTPUT, 0, form_names[form] + (form ? 2 : 0), NULL);
		}
	}
}

void walk_binary(void)
{
	static const char *const names[NN_BINARY_FUNCTIONS] = {
		[NN_BINARY_ADD] = "add", [NN_BINARY_SUB] = "sub", [NN_BINARY_MUL] = "mul",
		[NN_BINARY_DIV] = "div", [NN_BINARY_MIN] = "min", [NN_BINARY_MAX] = "max",
		[NN_BINARY_PRELU] = "prelu", [NN_BINARY_ADD_SHIFTED] = "add shifted",
		[NN_BINARY_ADD_FUSED] = "add fused", [NN_BINARY_MUL_ONCE] = "mul once",
		[NN_BINARY_MUL_FUSED] = "mul fused", [NN_BINARY_PRELU_FIXED] = "prelu fixed",
		[NN_BINARY_SQUARED_DIFFERENCE_FIXED] = "squared difference",
	};

	for (uint32_t function = 0; function < NN_BINARY_FUNCTIONS; function++) {
		for (enum form form = SAME; form < FORMS; form++) {
			FOR_EACH(image, grid_few_images) {
				struct nn_binary_params *params = &op.binary;

				if (is_other_form(image, form))
					continue;
				grid_begin(NN_OPCODE_BINARY);
				grid_input(0, grid_8bit(), IMAGE_DIMS(image));
				second_input(1, other_type(image), image, form);
				grid_output(grid_8bit(), IMAGE_DIMS(image));
				params->function = function;
				switch (function) {
				case NN_BINARY_ADD_SHIFTED:
					params->add = (struct nn_add_params){ 1 << 19, 411775, 20 };
					break;
				case NN_BINARY_MUL_ONCE:
				case NN_BINARY_MUL_FUSED:
					params->scale_output = 0.0117f;
					break;
				case NN_BINARY_PRELU_FIXED:
				case NN_BINARY_SQUARED_DIFFERENCE_FIXED:
					params->by[0] = (struct nn_fixed){ 0x5a827999, -1 };
					params->by[1] = (struct nn_fixed){ 0x45a82799, -2 };
					params->by[2] = (struct nn_fixed){ 0x7a827999, -13 };
					if (function == NN_BINARY_PRELU_FIXED)
						params->by[2] = (struct nn_fixed){ 0, 0 };
					break;
				default:
					params->scale_a = 0.0131f;
					params->scale_b = 0.0217f;
					params->scale_output = 0.0293f;
				}
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s%s", grid_form(names[function], function),
						       form_names[form]),
						     NULL);
			}
		}
	}
}

void walk_binary_int16(void)
{
	static const char *const names[NN_INT16_FUNCTIONS] = { "mul", "min", "max" };

	for (uint32_t function = 0; function < NN_INT16_FUNCTIONS; function++) {
		for (enum form form = SAME; form < FORMS; form++) {
			FOR_EACH(image, grid_few_images) {
				if (is_other_form(image, form))
					continue;
				grid_begin(NN_OPCODE_BINARY_INT16);
				grid_input(0, NN_TYPE_INT16, IMAGE_DIMS(image));
				second_input(1, NN_TYPE_INT16, image, form);
				grid_output(NN_TYPE_INT16, IMAGE_DIMS(image));
				op.binary_int16.function = function;
				op.binary_int16.by = (struct nn_fixed){ 0x5a827999, -14 };
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s%s", grid_form(names[function], function),
						       form_names[form]),
						     NULL);
			}
		}
	}
}

static const struct {
	uint8_t type;
	const char *name;
} integer_types[] = {
	{ NN_TYPE_INT8, "int8" },     { NN_TYPE_UINT8, "uint8" }, { NN_TYPE_INT16, "int16" },
	{ NN_TYPE_UINT16, "uint16" }, { NN_TYPE_INT32, "int32" }, { NN_TYPE_INT64, "int64" },
	{ NN_TYPE_BOOL, "bool" },
};

static const struct grid_image small_images[] = {
	{ 1, 1, 3 }, { 1, 1, 1000 }, { 7, 7, 24 }, { 14, 14, 16 }, { 1, 320, 3 },
};

/* Functions that have a bound together. */
static const char *integers_class(uint32_t function)
{
	switch (function) {
	case NN_INTEGERS_MUL:
		return "products";
	case NN_INTEGERS_DIV:
	case NN_INTEGERS_FLOOR_DIV:
	case NN_INTEGERS_MOD:
	case NN_INTEGERS_FLOOR_MOD:
		return "quotients";
	}
	return function >= NN_INTEGERS_EQUAL_FIXED ? "comparisons in fixed point" :
	       function >= NN_INTEGERS_EQUAL_FLOAT ? "comparisons in float32" :
	       function >= NN_INTEGERS_EQUAL	   ? "comparisons" : "sums, extremes and bits";
}

void walk_integers(void)
{
	static const char *const names[NN_INTEGERS_FUNCTIONS] = {
		"add", "sub", "mul", "div", "floor div", "mod", "floor mod", "min", "max", "and",
			"or",
		"xor", "equal", "not equal", "less", "less or equal", "equal float",
			"not equal float",
		"less float", "less or equal float", "equal fixed", "not equal fixed", "less fixed",
		"less or equal fixed",
	};

	for (uint32_t function = 0; function < NN_INTEGERS_FUNCTIONS; function++) {
		bool is_8bit = function >= NN_INTEGERS_EQUAL_FLOAT;
		uint32_t at = 0;

		FOR_EACH(type, integer_types) {
			FOR_EACH(image, small_images) {
				enum form form = is_other_form(image, at % FORMS) ? SAME :
					at % FORMS;
				uint8_t like = is_8bit ? grid_8bit() : type->type;

				if (is_8bit && type != integer_types)
					break;
				at++;
				grid_begin(NN_OPCODE_INTEGERS);
				grid_input(0, like, IMAGE_DIMS(image));
				second_input(1, like, image, form);
				grid_output(function >= NN_INTEGERS_EQUAL ? NN_TYPE_BOOL : like,
					    IMAGE_DIMS(image));
				op.integers.function = function;
				if (function >= NN_INTEGERS_EQUAL_FIXED) {
					op.integers.by[0] = (struct nn_fixed){ 0x5a827999, -1 };
					op.integers.by[1] = (struct nn_fixed){ 0x45a82799, -2 };
				} else if (is_8bit) {
					op.integers.scale_a = 0.0131f;
					op.integers.scale_b = 0.0217f;
				}
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s%s%s", integers_class(function),
						       is_8bit ? "" : ", ", is_8bit ? "" :
							       type->name),
					     grid_form(names[function], function));
			}
		}
	}
}

void walk_select(void)
{
	FOR_EACH(type, integer_types) {
		FOR_EACH(image, grid_few_images) {
			for (enum form form = SAME; form < FORMS; form++) {
				uint8_t *condition;

				if (is_other_form(image, form))
					continue;
				grid_begin(NN_OPCODE_SELECT);
				condition = grid_numbers(0, NN_TYPE_BOOL, IMAGE_DIMS(image));
				for (uint32_t i = 0; i < call.input[0].bytes; i++)
					condition[i] = i % 7 < 3;
				grid_input(1, type->type, IMAGE_DIMS(image));
				second_input(2, type->type, image, form);
				grid_output(type->type, IMAGE_DIMS(image));
				if (call.output[0].bytes <= 16384)
					grid_measure(GRID_OUTPUT, 0,
						     grid_name("%s%s", type->name,
							       form_names[form]), NULL);
			}
		}
	}
}

void walk_convert(void)
{
	FOR_EACH(from, integer_types) {
		FOR_EACH(to, integer_types) {
			FOR_EACH(image, small_images) {
				grid_begin(NN_OPCODE_CONVERT);
				grid_input(0, from->type, IMAGE_DIMS(image));
				grid_output(to->type, IMAGE_DIMS(image));
				grid_measure(GRID_OUTPUT, 0,
					     to->type == NN_TYPE_BOOL ? "to bool" :
					     grid_name("%u to %u bits",
						       8 * nn_type_size(from->type),
						       8 * nn_type_size(to->type)), NULL);
			}
		}
	}
}

void walk_requantize(void)
{
	for (uint32_t is_one = 0; is_one < 2; is_one++) {
		FOR_EACH(image, grid_images) {
			int32_t *sums;

			grid_begin(NN_OPCODE_REQUANTIZE);
			sums = grid_numbers(0, NN_TYPE_INT32, IMAGE_DIMS(image));
			for (uint32_t i = 0; i < call.input[0].bytes / 4; i++)
				sums[i] = (int32_t)(i * 0x9e3779b1u) >> 13;
			grid_scales(1, is_one ? 1 : image->channels, 256, true, true);
			grid_output(grid_8bit(), IMAGE_DIMS(image));
			grid_measure(GRID_OUTPUT, 0, is_one ? "one scale" : "scales of channels",
				     NULL);
		}
	}
}

void walk_table(void)
{
	FOR_EACH(image, grid_images) {
		grid_begin(NN_OPCODE_TABLE);
		grid_input(0, grid_8bit(), IMAGE_DIMS(image));
		grid_constant(1, NN_TYPE_UINT8, 256);
		grid_output(grid_8bit(), IMAGE_DIMS(image));
		grid_measure(GRID_OUTPUT, 0, "", NULL);
	}
}

void walk_table_int16(void)
{
	static const struct {
		const char *name;
		uint8_t from, to;
	} forms[] = {
		{ "int16", NN_TYPE_INT16, NN_TYPE_INT16 },
		{ "int16 to int8", NN_TYPE_INT16, NN_TYPE_INT8 },
		{ "int16 to uint8", NN_TYPE_INT16, NN_TYPE_UINT8 },
		{ "int8 to int16", NN_TYPE_INT8, NN_TYPE_INT16 },
		{ "uint8 to int16", NN_TYPE_UINT8, NN_TYPE_INT16 },
	};

	FOR_EACH(form, forms) {
		FOR_EACH(image, grid_few_images) {
			grid_begin(NN_OPCODE_TABLE_INT16);
			grid_input(0, form->from, IMAGE_DIMS(image));
			grid_constant(1, NN_TYPE_INT16, form->from == NN_TYPE_INT16 ? 65536 : 256);
			grid_output(form->to, IMAGE_DIMS(image));
			grid_measure(GRID_OUTPUT, 0, form->name, NULL);
		}
	}
}

void walk_rescale(void)
{
	static const struct {
		const char *name;
		uint8_t from, to;
	} forms[] = {
		{ "int16", NN_TYPE_INT16, NN_TYPE_INT16 },
		{ "int16 to int8", NN_TYPE_INT16, NN_TYPE_INT8 },
		{ "int16 to uint8", NN_TYPE_INT16, NN_TYPE_UINT8 },
		{ "int8 to int16", NN_TYPE_INT8, NN_TYPE_INT16 },
		{ "uint8 to int16", NN_TYPE_UINT8, NN_TYPE_INT16 },
		{ "int8 to uint8", NN_TYPE_INT8, NN_TYPE_UINT8 },
		{ "int32 to int8", NN_TYPE_INT32, NN_TYPE_INT8 },
		{ "int32 to int16", NN_TYPE_INT32, NN_TYPE_INT16 },
	};

	FOR_EACH(form, forms) {
		bool is_sum = form->from == NN_TYPE_INT32;

		for (uint32_t is_leaky = 0; is_leaky < (is_sum ? 1 : 2); is_leaky++) {
			FOR_EACH(image, grid_few_images) {
				struct nn_fixed *scale;

				grid_begin(NN_OPCODE_RESCALE);
				grid_input(0, form->from, IMAGE_DIMS(image));
				grid_output(form->to, IMAGE_DIMS(image));
				op.rescale.by = (struct nn_fixed){ 0x5a827999, -3 };
				op.rescale.by_below = op.rescale.by;
				if (is_leaky)
					op.rescale.by_below.exponent -= 3;
				if (is_sum) {
					op.rescale =
						(struct nn_rescale_params){ { 0, 0 }, { 0, 0 } };
					scale = grid_table(1, NN_TYPE_INT32, 2 * image->channels);
					for (uint32_t c = 0; c < image->channels; c++) {
						scale[c].multiplier = 0x40000000;
						scale[c].multiplier += 0x123457 * (c % 999);
						scale[c].exponent = -14;
					}
				}
				grid_measure(GRID_OUTPUT, 0,
					     grid_name("%s%s", form->name, is_leaky ? ", leaky" :
						       ""), NULL);
			}
		}
	}
}
