// SPDX-License-Identifier: MIT
/*
 * ONNX operators of integers and bools, which no scale belongs to: arithmetic, logic, comparisons,
 * Cast. Comparisons are of quantized tensors, too, as the reals that these stand for.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* ---- Operands ---- */

enum nn_data_type onnx_stored_operand(struct onnx_import *import, const struct onnx_value *value,
				      struct nn_operand *out)
{
	struct nn_quant *quant;

	memset(out, 0, sizeof(*out));
	/* Integers that nnloop has as others are none to compute with. */
	if (value->kind == ONNX_STORED && value->tensor.quant.is_unsigned)
		return 0;
	if (value->kind == ONNX_STORED) {
		out->tensor = &value->tensor;
		return value->tensor.quant.type;
	}
	quant = onnx_alloc(import, 1, sizeof(*quant));
	if (value->kind != ONNX_CONST || value->constant.element == NN_ELEMENT_FLOAT || !quant)
		return 0;
	quant->type = nn_element_to_type(value->constant.element);
	out->constant = (struct nn_parameter){
		.name = value->tensor.name, .values = &value->constant, .quant = quant
	};
	return quant->type;
}

int onnx_define_stored(struct onnx_import *import, const struct nn_build_tensor *made)
{
	struct onnx_value value = { .kind = ONNX_STORED, .tensor = *made };

	return onnx_define(import, 0, &value);
}

int onnx_find_output_quant(struct onnx_import *import, enum nn_data_type type,
			   struct nn_quant *quant)
{
	const struct onnx_value *output = onnx_output(import, 0);

	*quant = (struct nn_quant){ .type = type };
	if (!output || !nn_type_has_scale(type))
		return 0;
	return onnx_find_quant(import, output, true, type, quant);
}

/* ---- Arithmetic, logic ---- */

enum types { SIGNED = 1, UNSIGNED = 2, BOOL = 4, NUMBERS = SIGNED | UNSIGNED };

static const struct function {
	const char *name;
	const char *function; /* of Integers */
	int types;
	/* An operator of one input: the other operand is this, and comes first. */
	bool of_one;
	int8_t other;
	/* A second function, of what that makes and this number; or if it is 0, the input. */
	const char *then;
	int8_t limit;
	/* Inputs behind the first may be absent. */
	bool has_bounds;
	/* The first opsets with integers; and with those of 8 and 16 bits. 0: all. */
	uint8_t since, narrow_since;
} functions[] = {
	{ .name = "Abs", .function = "sub", .types = NUMBERS, .of_one = true, .other = 0, .then = "max" },
	{ .name = "Add", .function = "add", .types = NUMBERS, .narrow_since = 14 },
	{ .name = "And", .function = "and", .types = BOOL },
	{ .name = "BitwiseAnd", .function = "and", .types = NUMBERS },
	{ .name = "BitwiseNot", .function = "xor", .types = NUMBERS, .of_one = true, .other = -1 },
	{ .name = "BitwiseOr", .function = "or", .types = NUMBERS },
	{ .name = "BitwiseXor", .function = "xor", .types = NUMBERS },
	/* The greater of the input and the first bound, and the less of that and the second. */
	{ .name = "Clip", .function = "max", .types = NUMBERS, .has_bounds = true, .since = 12 },
	{ .name = "Div", .function = "div", .types = NUMBERS, .narrow_since = 14 },
	{ .name = "Max", .function = "max", .types = NUMBERS, .since = 12 },
	{ .name = "Min", .function = "min", .types = NUMBERS, .since = 12 },
	{ .name = "Mod", .function = "floor_mod", .types = NUMBERS },
	{ .name = "Mul", .function = "mul", .types = NUMBERS, .narrow_since = 14 },
	{ .name = "Neg", .function = "sub", .types = SIGNED, .of_one = true, .other = 0 },
	{ .name = "Not", .function = "xor", .types = BOOL, .of_one = true, .other = 1 },
	{ .name = "Or", .function = "or", .types = BOOL },
	{ .name = "Relu", .function = "max", .types = SIGNED, .of_one = true, .other = 0, .since = 14 },
	{ .name = "Sign", .function = "max", .types = NUMBERS, .of_one = true, .other = -1,
	  .then = "min", .limit = 1 },
	{ .name = "Sub", .function = "sub", .types = NUMBERS, .narrow_since = 14 },
	{ .name = "Xor", .function = "xor", .types = BOOL },
};

static const struct function *find_function(const struct onnx_import *import)
{
	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!import->op->domain && !strcmp(functions[i].name, import->op->name))
			return &functions[i];
	}
	return NULL;
}

bool onnx_has_integers(struct onnx_import *import)
{
	const struct function *function = find_function(import);
	bool tensor = false;

	if (!function)
		return false;
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *value = onnx_input(import, i);

		tensor |= value->kind == ONNX_STORED;
		if (i && value->kind == ONNX_ABSENT && function->has_bounds)
			continue;
		if (value->kind != ONNX_STORED && value->kind != ONNX_CONST)
			return false;
	}
	return tensor;
}

static int type_class(enum nn_data_type type)
{
	return type == NN_BOOL ? BOOL :
	       type == NN_UINT8 || type == NN_UINT16 || type == NN_UINT32 || type == NN_UINT64 ?
		       UNSIGNED :
	       nn_type_is_integer(type) ? SIGNED : 0;
}

/* Whether the function is for the type, as of the model's opset. */
static bool takes_type(const struct onnx_import *import, const struct function *function,
		       enum nn_data_type type)
{
	int64_t opset = onnx_get_opset(import, import->op);

	if (type_class(type) != BOOL && nn_data_type_size(type) < 4 &&
	    opset < function->narrow_since)
		return false;
	return type_class(type) & function->types && opset >= function->since;
}

/* All inputs that are there, of one type that the function is for; 0: the error is set. */
static enum nn_data_type read_operands(struct onnx_import *import, const struct function *function,
				       struct nn_operand *operands)
{
	enum nn_data_type type = 0;

	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *value = onnx_input(import, i);
		enum nn_data_type own;

		if (i && value->kind == ONNX_ABSENT && function->has_bounds)
			continue;
		own = onnx_stored_operand(import, value, &operands[i]);
		if (!own) {
			onnx_fail(import, -EOPNOTSUPP,
				  "its input %" PRIu32 " is no tensor of integers or bools", i);
			return 0;
		}
		if (!takes_type(import, function, own) || (i && own != type)) {
			onnx_fail(import, -EINVAL, "its input %" PRIu32 " is of %s", i,
				  nn_data_type_name(own));
			return 0;
		}
		type = own;
	}
	return type;
}

static int build_function(struct onnx_import *import, const char *function,
			  const struct nn_operand operands[2], const struct nn_quant *quant,
			  struct nn_build_tensor *out)
{
	struct nn_attr attr = { .name = "function", .type = NN_ATTR_STRING, .string = function };

	return nn_build_whole_broadcast(&import->builder, "Integers", operands, 2, &attr, 1, quant,
					out);
}

/* Lowers a function of one input. What an unsigned number is limited to has no number below 0. */
static int lower_one(struct onnx_import *import, const struct function *function,
		     const struct nn_operand *x, const struct nn_quant *quant,
		     struct nn_build_tensor *made)
{
	const bool limits = function->limit && type_class(quant->type) == UNSIGNED;
	const struct nn_quant plain = { .type = quant->type };
	struct nn_operand two[2] = { *x, *x };
	int err = 0;

	if (!limits) {
		err = nn_number_operand(&import->builder, function->other, &plain, &two[0]);
		if (!err)
			err = build_function(import, function->function, two, quant, made);
		two[0] = (struct nn_operand){ .tensor = made };
	}
	if (err || !function->then)
		return err;
	if (function->limit)
		err = nn_number_operand(&import->builder, function->limit, &plain, &two[1]);
	return err ? err : build_function(import, function->then, two, quant, made);
}

/* The bounds that are there, of which the second counts where it is below the first. */
static int lower_bounds(struct onnx_import *import, const struct nn_operand *operands,
			const struct nn_quant *quant)
{
	struct nn_operand two[2] = { operands[0] };
	struct nn_build_tensor made;
	int err = 0;

	for (uint32_t i = 1; i < import->node->n_input && !err; i++) {
		two[1] = operands[i];
		if (onnx_input(import, i)->kind != ONNX_ABSENT) {
			err = build_function(import, i == 1 ? "max" : "min", two, quant, &made);
			two[0] = (struct nn_operand){ .tensor = &made };
		}
	}
	if (!err && two[0].tensor != &made)
		return onnx_lower_identity(import);
	return err ? err : onnx_define_stored(import, &made);
}

int onnx_lower_integers(struct onnx_import *import)
{
	const struct function *function = find_function(import);
	uint32_t count = import->node->n_input;
	struct nn_operand *operands = onnx_alloc(import, count, sizeof(*operands));
	const char *word = function->function;
	struct nn_build_tensor made;
	enum nn_data_type type;
	struct nn_quant quant;
	int err;

	if (!operands)
		return -ENOMEM;
	type = read_operands(import, function, operands);
	if (!type)
		return onnx_failed(import);
	err = onnx_find_output_quant(import, type, &quant);
	if (err)
		return err;
	if (function->has_bounds)
		return lower_bounds(import, operands, &quant);
	if (onnx_attr_int(import->node, "fmod", 0)) {
		word = "mod";
		if (type == NN_INT64) /* ONNX Runtime rounds it to float64 */
			return onnx_fail(import, -EOPNOTSUPP, "its fmod is 1, and its inputs are of int64");
	}
	if (count == 1 && (!function->of_one ||
			   (!strcmp(function->name, "Abs") && type_class(type) == UNSIGNED)))
		return onnx_lower_identity(import);
	if (function->of_one) {
		err = lower_one(import, function, operands, &quant, &made);
		return err ? err : onnx_define_stored(import, &made);
	}
	for (uint32_t i = 1; i < count && !err; i++) {
		struct nn_operand two[2] = { operands[i - 1], operands[i] };

		if (i > 1)
			two[0] = (struct nn_operand){ .tensor = &made };
		err = build_function(import, word, two, &quant, &made);
	}
	return err ? err : onnx_define_stored(import, &made);
}

/* ---- Shifts ---- */

/* A shift multiplies or divides by one of these: the powers of two of the type, and behind them 0, by
 * which results are 0, too. NULL: the error is set. */
static struct nn_const *make_powers(struct onnx_import *import, enum nn_data_type type)
{
	const uint32_t size = nn_data_type_size(type), count = 8 * size + 1;
	struct nn_const *made = onnx_alloc(import, 1, sizeof(*made));
	uint8_t *data = onnx_alloc(import, count, size);

	if (!made || !data)
		return NULL;
	*made = (struct nn_const){ .element = (enum nn_element)type, .rank = 1, .dims = { count },
				   .count = count, .data = data };
	for (uint32_t i = 0; i + 1 < count; i++)
		data[i * size + i / 8] = 1 << i % 8;
	return made;
}

/* A tensor of how far to shift becomes the power of each of its elements. */
static int take_powers(struct onnx_import *import, const struct nn_operand *by,
		       enum nn_data_type type, struct nn_build_tensor *out)
{
	const struct nn_quant plain = { .type = type };
	const struct nn_take take = { .axis = 1 };
	struct nn_const *powers = make_powers(import, type);
	struct nn_operand two[2] = { *by }, table = { .constant = { .name = by->tensor->name,
								    .values = powers,
								    .quant = &plain } };
	struct nn_build_tensor row, places;
	int err = powers ? nn_number_operand(&import->builder, powers->count - 1, &plain, &two[1]) :
			   -ENOMEM;

	if (!err)
		err = build_function(import, "min", two, &plain, &places);
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &places, NULL, 0, &nn_quant_int32,
				     &places);
	if (!err)
		err = nn_build_row_constant(&import->builder, &table, &row);
	return err ? err : nn_build_take(&import->builder, &row, &places, &take, out);
}

/* A constant of how far to shift. */
static int find_powers(struct onnx_import *import, struct nn_operand *by, enum nn_data_type type)
{
	const struct nn_const *values = by->constant.values;
	const uint32_t size = nn_data_type_size(type);
	struct nn_const *powers = make_powers(import, type);
	struct nn_const *made = onnx_alloc(import, 1, sizeof(*made));
	uint8_t *data = onnx_alloc(import, values->count + 1, size);

	if (!powers || !made || !data)
		return -ENOMEM;
	for (uint64_t i = 0; i < values->count; i++) {
		uint64_t places = nn_const_int(values, i);

		if (places >= powers->count)
			places = powers->count - 1;
		memcpy(data + i * size, (const uint8_t *)powers->data + places * size, size);
	}
	*made = *values;
	made->data = data;
	by->constant.values = made;
	return 0;
}

int onnx_lower_bit_shift(struct onnx_import *import)
{
	static const struct function shift = { .types = UNSIGNED };
	const bool is_left = !strcmp(onnx_attr_string(import, "direction", ""), "LEFT");
	struct nn_operand operands[2];
	struct nn_build_tensor made;
	struct nn_quant quant = { .type = read_operands(import, &shift, operands) };
	int err;

	if (!quant.type)
		return onnx_failed(import);
	err = operands[1].tensor ? take_powers(import, &operands[1], quant.type, &made) :
				   find_powers(import, &operands[1], quant.type);
	if (!err && operands[1].tensor)
		operands[1].tensor = &made;
	if (!err)
		err = build_function(import, is_left ? "mul" : "div", operands, &quant, &made);
	return err ? err : onnx_define_stored(import, &made);
}

/* ---- Comparisons ---- */

static int build_compare(struct onnx_import *import, const struct nn_operand operands[2],
			 const char *rounding)
{
	struct nn_operand two[2];
	struct nn_attr attrs[] = {
		{ .name = "function", .type = NN_ATTR_STRING,
		  .string = nn_turn_comparison(import->op->becomes, operands, two) },
		{ .name = "rounding", .type = NN_ATTR_STRING, .string = rounding },
	};
	struct nn_build_tensor made;
	int err = nn_build_whole_broadcast(&import->builder, "Compare", two, 2, attrs, 2,
					   &nn_quant_truth, &made);

	return err ? err : onnx_define_stored(import, &made);
}

static bool compare_floats(const char *word, float x, float y)
{
	if (!strcmp(word, "equal"))
		return x == y;
	if (!strcmp(word, "less"))
		return x < y;
	if (!strcmp(word, "less_or_equal"))
		return x <= y;
	return !strcmp(word, "greater") ? x > y : x >= y;
}

/* A quantized tensor with a number of float, input `at`: a function of each of its elements. */
static int compare_with_number(struct onnx_import *import, uint32_t at)
{
	const struct nn_quant bytes = { .type = NN_UINT8, .scale = 1 };
	const struct nn_quant halves = { .type = NN_INT16, .scale = 1 };
	const struct onnx_value *x = onnx_real_input(import, !at);
	float number = nn_const_float(&onnx_input(import, at)->constant, 0);
	struct nn_build_tensor made;
	uint32_t count;
	uint8_t table[256];
	int16_t *wide;
	int err;

	if (!x)
		return onnx_failed(import);
	if (!onnx_is_computed(x->tensor.quant.type) || x->tensor.quant.scales)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it compares a tensor of %s with a number; "
				 "nnloop knows 8 and 16 bits",
				 nn_data_type_name(x->tensor.quant.type));
	count = onnx_count_results(&x->tensor.quant);
	wide = onnx_alloc(import, count, sizeof(*wide));
	if (!wide)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		float real = onnx_read_element(&x->tensor.quant, i);

		wide[i] = compare_floats(import->op->becomes, at ? real : number,
					 at ? number : real);
		table[i % 256] = wide[i];
	}
	err = count == 256 ?
		      nn_build_table(&import->builder, &x->tensor, table, &bytes, &made) :
		      nn_build_wide_table(&import->builder, &x->tensor, wide, &halves, &made);
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &made, NULL, 0, &nn_quant_truth,
				     &made);
	return err ? err : onnx_define_stored(import, &made);
}

/* Whether input i is a number of float, which is broadcast to a tensor of any shape. */
static bool is_float_number(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);

	return value->kind == ONNX_CONST && nn_const_is_one(&value->constant, NN_ELEMENT_FLOAT) &&
	       value->tensor.rank <= onnx_input(import, !i)->tensor.rank;
}

int onnx_lower_compare(struct onnx_import *import)
{
	struct nn_operand operands[2];
	enum nn_data_type types[2];

	bool equal = !strcmp(import->op->becomes, "equal");
	/* It is of few types then. */
	bool old = equal && onnx_get_opset(import, import->op) < 11;

	for (uint32_t i = 0; i < 2; i++) {
		if (is_float_number(import, i) && !old)
			return compare_with_number(import, i);
		types[i] = onnx_stored_operand(import, onnx_input(import, i), &operands[i]);
	}
	if (types[0] && types[1]) {
		bool narrow = nn_data_type_size(types[0]) < 4 && types[0] != NN_BOOL;

		if (types[0] != types[1] || (types[0] == NN_BOOL && !equal) || (narrow && old) ||
		    (!equal && onnx_get_opset(import, import->op) < 9))
			return onnx_fail(import, -EINVAL, "its inputs are of %s and %s",
					 nn_data_type_name(types[0]), nn_data_type_name(types[1]));
		return build_compare(import, operands, "stored");
	}
	if (old)
		return onnx_fail(import, -EINVAL, "before opset 11 it is of bool, int32 and int64 only");
	for (uint32_t i = 0; i < 2; i++) {
		const struct onnx_value *value = onnx_operand_input(import, i);

		if (!value)
			return onnx_failed(import);
		operands[i] = onnx_operand_of(value);
	}
	/* Elements of one quantization are in the order of the reals that they are. */
	if (nn_operand_quant(&operands[0])->type == NN_INT16 &&
	    nn_quant_equal(nn_operand_quant(&operands[0]), nn_operand_quant(&operands[1])))
		return build_compare(import, operands, "stored");
	for (uint32_t i = 0; i < 2; i++) {
		const struct nn_quant *quant = nn_operand_quant(&operands[i]);

		if (quant->type == NN_INT16)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it compares tensors of 16 bits of several scales\n"
					 "quantize both with one scale and zero point, or to 8 bits");
		if (!nn_type_is_8bit(quant->type) || quant->scales)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its input %" PRIu32
					 " is not of 8 bits, with one scale", i);
	}
	return build_compare(import, operands, "float32");
}

/* ---- Cast ---- */

/* Integers as the reals that they are. */
static int cast_to_float(struct onnx_import *import, const struct onnx_value *x)
{
	struct nn_quant quant = { .type = x->tensor.quant.type, .scale = 1 };
	struct onnx_value value = { .kind = ONNX_REAL };
	int err;

	if (quant.type == NN_BOOL)
		quant.type = NN_UINT8;
	if (!onnx_is_computed(quant.type))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes float of %s; nnloop knows bool, int8, uint8 and int16",
				 nn_data_type_name(quant.type));
	err = nn_build_unary(&import->builder, "Cast", &x->tensor, NULL, 0, &quant, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

enum nn_element onnx_cast_target(struct onnx_import *import)
{
	const struct onnx_value *like = onnx_input(import, 1);

	if (like->kind == ONNX_ABSENT)
		return onnx_to_element(onnx_attr_int(import->node, "to", 0));
	if (like->kind == ONNX_CONST || like->kind == ONNX_ROW_COUNT)
		return like->constant.element;
	return like->kind == ONNX_STORED ? (enum nn_element)like->tensor.quant.type :
					   NN_ELEMENT_FLOAT;
}

int onnx_lower_cast(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	enum nn_element to = onnx_cast_target(import);
	enum nn_data_type type = nn_element_to_type(to);
	bool is_real = x->kind == ONNX_REAL || x->kind == ONNX_REAL_CONST ||
		       x->kind == ONNX_PENDING;
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (is_real && to == NN_ELEMENT_FLOAT)
		return onnx_lower_identity(import);
	if (is_real)
		return onnx_fail(import, -EOPNOTSUPP, "it makes %s of float", nn_element_name(to));
	if (x->kind == ONNX_CONST && x->constant.element == to)
		return onnx_lower_identity(import);
	if (x->kind != ONNX_STORED)
		return onnx_cast_numbers(import);
	if (x->tensor.quant.is_unsigned)
		return onnx_fail(import, -EOPNOTSUPP, "its input is of uint16");
	if (to == NN_ELEMENT_FLOAT)
		return cast_to_float(import, x);
	err = onnx_find_output_quant(import, type, &quant);
	if (!err && nn_quant_equal(&quant, &x->tensor.quant))
		return onnx_define(import, 0, x);
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &x->tensor, NULL, 0, &quant, &made);
	return err ? err : onnx_define_stored(import, &made);
}
