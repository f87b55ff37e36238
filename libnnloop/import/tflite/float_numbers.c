// SPDX-License-Identifier: MIT
/*
 * TensorFlow Lite operators of float32 that round, compare, number or add up (floats.c has the
 * others that make one element of each or of two).
 */
#include <errno.h>
#include <string.h>

#include "import/floats.h"
#include "import/tflite/tflite.h"

/* The two operands of the current node, broadcast to each other. */
struct two {
	struct nn_build_tensor tensors[2];
	struct nn_operand operands[2];
};

static int read_two(struct tflite_import *import, struct two *out)
{
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_float_operand(import, i, &out->tensors[i], &out->operands[i]);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_widen(import, i, out->operands);
	return err;
}

static int build(struct tflite_import *import, const char *function,
		 const struct nn_operand operands[2], const struct nn_quant *quant,
		 struct nn_build_tensor *out)
{
	return nn_build_float_binary(&import->builder, function, operands, quant, out);
}

int tflite_lower_float_not_equal(struct tflite_import *import)
{
	const struct nn_attr attr = {
		.name = "function", .type = NN_ATTR_STRING, .string = "xor"
	};
	struct nn_build_tensor equal, made;
	struct nn_operand operands[2];
	struct two two;
	int err = read_two(import, &two);

	if (!err)
		err = build(import, "Equal", two.operands, &nn_quant_truth, &equal);
	if (!err)
		err = nn_number_operand(&import->builder, true, &nn_quant_truth, &operands[0]);
	operands[1] = (struct nn_operand){ .tensor = &equal };
	if (!err)
		err = nn_build_whole_broadcast(&import->builder, "Integers", operands, 2, &attr, 1,
					       &nn_quant_truth, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ZEROS_LIKE, of a tensor of numbers. */
int tflite_lower_float_zeros(struct tflite_import *import)
{
	struct nn_build_tensor x, made;
	int err = tflite_float_tensor(import, 0, &x);

	if (!err)
		err = nn_build_float_by_number(&import->builder, "Mul", &x, 0, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_float_floor_div(struct tflite_import *import)
{
	struct nn_build_tensor quotient, made;
	struct two two;
	int err = read_two(import, &two);

	if (!err)
		err = build(import, "Div", two.operands, &nn_quant_float, &quotient);
	if (!err)
		err = nn_build_float_each(&import->builder, "Floor", NULL, NULL, &quotient, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* The remainder has the sign of the divisor: where it has the other one, the divisor is added. */
int tflite_lower_float_floor_mod(struct tflite_import *import)
{
	const float none = 0;
	const struct nn_const number = { .element = NN_ELEMENT_FLOAT, .rank = 1, .dims = { 1 },
					 .count = 1, .data = &none };
	struct nn_build_tensor rest, more, apart, is_apart, made;
	const struct nn_operand of_rest = { .tensor = &rest };
	const struct nn_operand choice[3] = { { .tensor = &is_apart }, { .tensor = &more }, of_rest };
	struct two two;
	int err = read_two(import, &two);

	if (!err)
		err = build(import, "Mod", two.operands, &nn_quant_float, &rest);
	two.operands[0] = of_rest;
	if (!err)
		err = build(import, "Add", two.operands, &nn_quant_float, &more);
	/* A product of signs is never too small for float32. */
	if (!err)
		err = nn_build_float_each(&import->builder, "Sign", NULL, NULL, &rest, &apart);
	two.operands[0].tensor = &apart;
	if (!err)
		err = build(import, "Mul", two.operands, &nn_quant_float, &made);
	two.operands[0].tensor = &made;
	two.operands[1] = (struct nn_operand){ .constant = { .name = "zero", .values = &number,
							     .quant = &nn_quant_float } };
	if (!err)
		err = build(import, "Less", two.operands, &nn_quant_truth, &is_apart);
	if (!err)
		err = nn_build_whole_broadcast(&import->builder, "Select", choice, 3, NULL, 0,
					       &nn_quant_float, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_float_cast(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	struct nn_build_tensor from, made;
	struct nn_quant quant;
	int err = x ? tflite_tensor_quant(import, &import->tensors[import->now->outputs[0]],
					  &quant) :
		      tflite_failed(import);

	if (err)
		return err;
	from = *x;
	if (from.quant.scale || from.quant.scales || quant.scale || quant.type == NN_UINT16)
		return tflite_fail(import, -EOPNOTSUPP, "it makes %s of %s, of which one has a scale",
				   nn_data_type_name(quant.type), nn_data_type_name(x->quant.type));
	if (from.quant.type == quant.type)
		return tflite_define(import, 0, x);
	err = nn_build_float_convert(&import->builder, &from, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_float_cumsum(struct tflite_import *import)
{
	static const char *const functions[] = { "cumulate", "cumulate_backwards",
						 "cumulate_before", "cumulate_behind" };
	const struct nn_const *axis = tflite_ints_input(import, 1);
	struct nn_float_along along = {
		.function = functions[2 * !!import->now->option[0] + !!import->now->option[1]],
	};
	struct nn_build_tensor x, made;
	uint32_t at;
	int err = axis ? tflite_float_tensor(import, 0, &x) : tflite_failed(import);

	if (!err && axis->count != 1)
		err = tflite_fail(import, -EINVAL, "it has not one axis");
	if (err)
		return err;
	at = tflite_find_axis(import, nn_const_int(axis, 0), x.rank);
	if (!at)
		return tflite_failed(import);
	along.axes = 1u << at;
	err = nn_build_float_reduce(&import->builder, &x, &along, &made);
	return err ? err : tflite_define(import, 0, &made);
}
