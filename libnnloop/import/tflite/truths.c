// SPDX-License-Identifier: MIT
/*
 * Comparisons of float32 with a number of the model, behind a DEQUANTIZE: whether one holds is a
 * function of the integer that was dequantized.
 */
#include <errno.h>
#include <string.h>

#include "import/tflite/tflite.h"

enum { LESS = 1, EQUAL = 2, MORE = 4 };

/* Comparisons, and how an element may be beside the number. */
static const struct {
	const char *name;
	uint32_t holds;
} comparisons[] = {
	{ "EQUAL", EQUAL },	       { "GREATER", MORE }, { "GREATER_EQUAL", MORE | EQUAL },
	{ "LESS", LESS },	       { "LESS_EQUAL", LESS | EQUAL },
	{ "NOT_EQUAL", LESS | MORE },
};

static uint32_t find_comparison(const char *name)
{
	for (size_t i = 0; i < sizeof(comparisons) / sizeof(*comparisons); i++) {
		if (!strcmp(comparisons[i].name, name))
			return comparisons[i].holds;
	}
	return 0;
}

bool tflite_has_truths(const struct tflite_import *import)
{
	return find_comparison(import->now->op->name) != 0;
}

static uint32_t compare(float a, float b)
{
	return a < b ? LESS : a > b ? MORE : a == b ? EQUAL : 0;
}

/* A table of what holds, of bytes or halfwords as the elements are; 1 is true. */
static int build_table(struct tflite_import *import, const struct tflite_tensor *x, float number,
		       bool turned, struct nn_build_tensor *made)
{
	const struct nn_quant steps = { .type = x->made->quant.type, .scale = 1 };
	const uint32_t holds = find_comparison(import->now->op->name);
	const uint32_t count = tflite_count_integers(x);
	int16_t *wide = tflite_alloc(import, count, sizeof(*wide));
	uint8_t *bytes = tflite_alloc(import, count, sizeof(*bytes));

	if (!wide || !bytes)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		const float real = tflite_read_real(x, 0, i);

		wide[i] = (holds & (turned ? compare(number, real) : compare(real, number))) != 0;
		bytes[i] = wide[i];
	}
	return steps.type == NN_INT16 ?
		       nn_build_wide_table(&import->builder, x->made, wide, &steps, made) :
		       nn_build_table(&import->builder, x->made, bytes, &steps, made);
}

int tflite_lower_truths(struct tflite_import *import, const struct tflite_tensor *x, uint32_t at)
{
	struct nn_parameter parameter;
	struct nn_build_tensor made;
	int err = tflite_real_parameter_input(import, !at, &parameter);

	if (err)
		return err;
	if (!nn_const_is_one(parameter.values, NN_ELEMENT_FLOAT) || (x->reals && x->real_sets != 1))
		return tflite_fail(import, -EOPNOTSUPP,
				   "behind DEQUANTIZE, nnloop knows it with a constant of one number");
	err = build_table(import, x, nn_const_float(parameter.values, 0), at, &made);
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &made, NULL, 0, &nn_quant_truth,
				     &made);
	return err ? err : tflite_define(import, 0, &made);
}
