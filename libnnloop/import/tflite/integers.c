// SPDX-License-Identifier: MIT
/*
 * Operators of integers and bools: arithmetic, logic, comparisons, SELECT, CAST. Comparisons are of
 * 8-bit tensors, too, as TensorFlow Lite's own kernels scale them.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

#define MAX_BROADCAST 4 /* dimensions, of TensorFlow Lite's own kernels */
#define MAX_BROADCAST_MUL 6

static enum nn_data_type type_of(const struct nn_operand *operand)
{
	return nn_operand_quant(operand)->type;
}

bool tflite_is_plain(const struct tflite_import *import)
{
	const struct tflite_tensor *tensor;

	if (!tflite_has_input(import, 0))
		return false;
	tensor = &import->tensors[import->now->inputs[0]];
	return tensor->element == NN_ELEMENT_INT32 || tensor->element == NN_ELEMENT_INT64 ||
	       tensor->element == NN_ELEMENT_BOOL;
}

/* Inputs `first` and on, all of one type. */
static int read_operands(struct tflite_import *import, uint32_t first, uint32_t count,
			 struct nn_operand *operands)
{
	int err = 0;

	for (uint32_t i = first; i < count && !err; i++) {
		err = tflite_stored_operand_input(import, i, &operands[i]);
		if (!err && type_of(&operands[i]) != type_of(&operands[first]))
			err = tflite_fail(import, -EINVAL, "its inputs are of %s and %s",
					  nn_data_type_name(type_of(&operands[first])),
					  nn_data_type_name(type_of(&operands[i])));
	}
	return err;
}

int tflite_need_broadcast(struct tflite_import *import, const struct nn_operand *operands,
			  uint32_t count)
{
	uint32_t most = strcmp(import->now->op->name, "MUL") ? MAX_BROADCAST : MAX_BROADCAST_MUL;
	uint32_t rank, dims[NN_MAX_RANK];
	int err = nn_broadcast_whole_all(&import->builder, operands, count, &rank, dims);

	/* An operator of one input has a number beside it only here. */
	if (import->now->input_count == 1)
		return err;
	for (uint32_t i = 0; i < count && !err && rank > most; i++) {
		const struct nn_build_tensor *tensor = operands[i].tensor;

		if (!tensor || memcmp(tensor->dims, dims, rank * sizeof(*dims)))
			err = tflite_fail(import, -EOPNOTSUPP,
					  "it broadcasts to %" PRIu32 " dimensions; nnloop knows up "
					  "to %" PRIu32, rank, most);
	}
	return err;
}

static int build(struct tflite_import *import, const char *op, const struct nn_operand *operands,
		 uint32_t count, const struct nn_attr *attrs, uint32_t attr_count,
		 const struct nn_quant *quant)
{
	struct nn_build_tensor made;
	int err = tflite_need_broadcast(import, operands, count);

	if (!err)
		err = nn_build_whole_broadcast(&import->builder, op, operands, count, attrs, attr_count,
					 quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- Arithmetic, logic ---- */

static int need_types(struct tflite_import *import, enum nn_data_type type)
{
	const char *op = import->now->op->name;
	bool logical = !strncmp(op, "LOGICAL_", 8);

	if (logical ? type == NN_BOOL : type == NN_INT32 || type == NN_INT64)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP, "its inputs are of %s; nnloop knows %s there",
			   nn_data_type_name(type), logical ? "bool" : "int32 and int64");
}

int tflite_lower_integers(struct tflite_import *import)
{
	/* One input: 0 less that, or that exclusive or 1. */
	bool of_one = import->now->input_count == 1;
	const char *function = import->now->op->function;
	struct nn_operand operands[2];
	struct nn_attr attr = { .name = "function", .type = NN_ATTR_STRING, .string = function };
	struct nn_quant quant, plain;
	int err = read_operands(import, 0, import->now->input_count, operands);

	if (!err)
		err = need_types(import, type_of(&operands[0]));
	if (!err)
		err = tflite_typed_output_quant(import, type_of(&operands[0]), &quant);
	if (err)
		return err;
	if (of_one) {
		operands[1] = operands[0];
		plain = (struct nn_quant){ .type = quant.type };
		err = nn_number_operand(&import->builder, plain.type == NN_BOOL, &plain,
					&operands[0]);
	}
	return err ? err : build(import, "Integers", operands, 2, &attr, 1, &quant);
}

int tflite_lower_plain_squared_difference(struct tflite_import *import)
{
	struct nn_attr attr = { .name = "function", .type = NN_ATTR_STRING, .string = "sub" };
	struct nn_build_tensor difference, made;
	struct nn_operand operands[2];
	struct nn_quant quant;
	int err = read_operands(import, 0, 2, operands);

	if (!err)
		err = tflite_typed_output_quant(import, NN_INT32, &quant);
	if (!err)
		err = tflite_need_broadcast(import, operands, 2);
	if (!err)
		err = nn_build_whole_broadcast(&import->builder, "Integers", operands, 2, &attr, 1, &quant,
					 &difference);
	if (err)
		return err;
	attr.string = "mul";
	for (uint32_t i = 0; i < 2; i++)
		operands[i] = (struct nn_operand){ .tensor = &difference };
	err = nn_build_whole_broadcast(&import->builder, "Integers", operands, 2, &attr, 1, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- Comparisons ---- */

static int need_scale_below_one(struct tflite_import *import, const struct nn_operand *operand)
{
	const struct nn_quant *quant = nn_operand_quant(operand);

	if (quant->scale && quant->scale < 1)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "it compares what has scale %g; TensorFlow Lite knows those below 1",
			   (double)quant->scale);
}

/* LiteRT compares what is equal of int16 as reals, and what is less as it is stored. */
static int need_wide_scales(struct tflite_import *import, const char *word,
			    const struct nn_operand operands[2])
{
	if ((strcmp(word, "equal") && strcmp(word, "not_equal")) ||
	    nn_quant_equal(nn_operand_quant(&operands[0]), nn_operand_quant(&operands[1])))
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "it compares int16 of scales %g and %g; nnloop knows that of one scale",
			   (double)nn_operand_quant(&operands[0])->scale,
			   (double)nn_operand_quant(&operands[1])->scale);
}

int tflite_lower_compare(struct tflite_import *import)
{
	const char *word = import->now->op->function;
	struct nn_operand operands[2], two[2];
	bool scaled;
	struct nn_attr attrs[] = {
		{ .name = "function", .type = NN_ATTR_STRING },
		{ .name = "rounding", .type = NN_ATTR_STRING, .string = "stored" },
	};
	struct nn_quant quant;
	int err = read_operands(import, 0, 2, operands);

	if (err)
		return err;
	scaled = nn_type_is_8bit(type_of(&operands[0]));
	if (type_of(&operands[0]) == NN_INT16)
		err = need_wide_scales(import, word, operands);
	else if (!scaled && !tflite_is_plain(import))
		return tflite_fail(import, -EOPNOTSUPP, "its inputs are of %s",
				   nn_data_type_name(type_of(&operands[0])));
	if (type_of(&operands[0]) == NN_BOOL && !strstr(word, "equal"))
		return tflite_fail(import, -EINVAL, "its inputs are of bool");
	for (uint32_t i = 0; i < 2 && scaled && !err; i++)
		err = need_scale_below_one(import, &operands[i]);
	if (!err)
		err = tflite_typed_output_quant(import, nn_quant_truth.type, &quant);
	if (err)
		return err;
	if (scaled)
		attrs[1].string = "fixed_point";
	attrs[0].string = nn_turn_comparison(word, operands, two);
	return build(import, "Compare", two, 2, attrs, 2, &nn_quant_truth);
}

/* ---- SELECT, CAST ---- */

/* SELECT takes whole rows by a condition of one dimension, which SELECT_V2 broadcasts. */
static int need_same_shapes(struct tflite_import *import, const struct nn_operand operands[3])
{
	for (uint32_t i = 0; i < 3; i++) {
		const struct nn_build_tensor *a = operands[i].tensor, *first = operands[0].tensor;

		if (!a || !first || a->rank != first->rank ||
		    memcmp(a->dims, first->dims, a->rank * sizeof(*a->dims)))
			return tflite_fail(import, -EOPNOTSUPP,
					   "its inputs are not three tensors of one shape");
	}
	return 0;
}

int tflite_lower_select(struct tflite_import *import)
{
	struct nn_operand operands[3];
	struct nn_quant quant;
	int err = read_operands(import, 1, 3, operands);

	if (!err)
		err = tflite_stored_operand_input(import, 0, &operands[0]);
	if (!err && type_of(&operands[0]) != NN_BOOL)
		err = tflite_fail(import, -EINVAL, "its condition is of %s",
				  nn_data_type_name(type_of(&operands[0])));
	if (!err && !strcmp(import->now->op->name, "SELECT"))
		err = need_same_shapes(import, operands);
	if (!err)
		err = tflite_output_quant(import, 0, &quant);
	for (uint32_t i = 1; i < 3 && !err; i++) {
		if (!nn_quant_equal(nn_operand_quant(&operands[i]), &quant))
			err = tflite_fail(import, -EOPNOTSUPP,
					  "its inputs and its output are quantized in different "
					  "ways");
	}
	return err ? err : build(import, "Select", operands, 3, NULL, 0, &quant);
}

/* Its options are the types, which the tensors have as well. */
int tflite_lower_cast(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_tensor_quant(import, &import->tensors[import->now->outputs[0]], &quant);
	if (!err && (!nn_type_is_integer(x->quant.type) || !nn_type_is_integer(quant.type)))
		err = tflite_fail(import, -EOPNOTSUPP, "it makes %s of %s",
				  nn_data_type_name(quant.type), nn_data_type_name(x->quant.type));
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", x, NULL, 0, &quant, &made);
	return err ? err : tflite_define(import, 0, &made);
}
