// SPDX-License-Identifier: MIT
/*
 * DIV of 8 bits, as TensorFlow Lite's own kernel computes it: each of the 65536 pairs of elements
 * has its quotient in a table.
 */
#include <errno.h>
#include <math.h>

#include "import/tflite/tflite.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

#define PAIRS 65536

/* The upper half of 2 * a * b, to the nearest, ties away from 0. */
static int32_t multiply_high(int32_t a, int32_t b)
{
	const int64_t product = (int64_t)a * b;

	return (int32_t)((product + (product < 0 ? 1 - (1 << 30) : 1 << 30)) / (1ll << 31));
}

/* 2^31 / (1 + a / 2^31) by three steps of Newton's method, with 29 bits of fraction in between. */
static int32_t invert(int32_t a)
{
	const int32_t half = (int32_t)(((int64_t)a + INT32_MAX + 1) / 2);
	int32_t x = 1515870810 + multiply_high(half, -1010580540); /* 48 / 17, -32 / 17 */

	for (int i = 0; i < 3; i++) {
		const int32_t rest = (1 << 29) - multiply_high(half, x);

		x += nn_fixed_raise(multiply_high(x, rest), 2);
	}
	return nn_fixed_raise(x, 1);
}

static uint32_t count_zeros(uint32_t x)
{
	return x ? (uint32_t)__builtin_clz(x) : 32;
}

/*
 * x / 2^bits, to the nearest, ties away from 0. Of more bits than 31 TensorFlow Lite's rounding makes
 * something else, which is what x86-64 does with such shifts of 32 bits.
 */
static int64_t shift_down(int32_t x, uint32_t bits)
{
	if (bits <= 31)
		return nn_divide_away(x, bits);
	return (int64_t)(x >> (bits & 31)) + (x >= 0);
}

/* The quotient of a / b in steps of the output; `by`: what a step is of both scales' quotient. */
static int64_t divide(int32_t a, int32_t b, struct nn_fixed by)
{
	const uint32_t size = (uint32_t)(b < 0 ? -b : b), zeros = count_zeros(size);
	const int32_t over = b < 0 ? -a : a;
	const uint32_t room = count_zeros((uint32_t)(over < 0 ? ~over : over)) - 1;
	int32_t quotient;

	if (!b)
		return 0;
	quotient = (int32_t)((uint32_t)over << room);
	quotient = multiply_high(quotient, invert((int32_t)((size << zeros) - (1u << 31))));
	quotient = multiply_high(quotient, by.multiplier);
	return shift_down(quotient, room + 31 - zeros - (uint32_t)by.exponent);
}

/* The quotient of each pair, the first one's integers up front, in their order. */
static uint8_t *make_table(struct tflite_import *import, const struct nn_quant *quants[2],
			   const struct nn_quant *output)
{
	const struct nn_fixed by =
		nn_pack_fixed((double)(quants[0]->scale / (quants[1]->scale * output->scale)));
	uint8_t *table = tflite_alloc(import, PAIRS, 1);
	int32_t low, high;

	if (!table)
		return NULL;
	nn_type_range(output->type, &low, &high);
	for (uint32_t i = 0; i < PAIRS; i++) {
		const int32_t a = low + (int32_t)(i >> 8) - quants[0]->zero_point;
		const int32_t b = low + (int32_t)(i & 255) - quants[1]->zero_point;
		const int64_t y = divide(a, b, by) + output->zero_point;

		table[i] = (uint8_t)(y < low ? low : y > high ? high : y);
	}
	return table;
}

static int build_integers(struct tflite_import *import, const char *function,
			  const struct nn_operand operands[2], struct nn_build_tensor *made)
{
	const struct nn_attr attr = { .name = "function", .type = NN_ATTR_STRING,
				      .string = function };

	return nn_build_broadcast(&import->builder, "Integers", operands, 2, &attr, 1,
				  &nn_quant_int32, made);
}

/* An operand as int32, times 256 and more by half of all pairs where it is the first one. */
static int index_operand(struct tflite_import *import, const struct nn_operand *operand, bool first,
			 int32_t low, struct nn_build_tensor *made, struct nn_operand *out)
{
	struct nn_operand two[2] = { { .tensor = made } };
	const int32_t by = first ? 256 : 1;
	int err;

	*out = (struct nn_operand){ .tensor = made };
	if (!operand->tensor) {
		const struct nn_const *values = operand->constant.values;
		struct nn_const *indices = tflite_alloc(import, 1, sizeof(*indices));
		int32_t *numbers = tflite_alloc(import, values->count, sizeof(*numbers));

		if (!indices || !numbers)
			return -ENOMEM;
		for (uint64_t i = 0; i < values->count; i++)
			numbers[i] = by * ((int32_t)nn_const_int(values, i) - low);
		*indices = *values;
		indices->element = NN_ELEMENT_INT32;
		indices->data = numbers;
		*out = (struct nn_operand){ .constant = { .name = "divisor", .values = indices,
							  .quant = &nn_quant_int32 } };
		return 0;
	}
	err = nn_build_unary(&import->builder, "Cast", operand->tensor, NULL, 0, &nn_quant_int32,
			     made);
	if (!err)
		err = nn_number_operand(&import->builder, by, &nn_quant_int32, &two[1]);
	if (!err && first)
		err = build_integers(import, "mul", two, made);
	if (!err)
		err = nn_number_operand(&import->builder, -by * low, &nn_quant_int32, &two[1]);
	if (!err && low)
		err = build_integers(import, "add", two, made);
	return err;
}

int tflite_build_quotient(struct tflite_import *import, const struct nn_operand operands[2],
			  const struct nn_quant *quant, struct nn_build_tensor *made)
{
	const struct nn_quant *quants[2] = { nn_operand_quant(&operands[0]),
					     nn_operand_quant(&operands[1]) };
	const float ratio = quants[0]->scale / (quants[1]->scale * quant->scale);
	const struct nn_take take = { .axis = 1 };
	struct nn_const values = { .element = (enum nn_element)quant->type, .rank = 1,
				   .dims = { PAIRS }, .count = PAIRS };
	const struct nn_operand from = { .constant = { .name = "quotients", .values = &values,
						       .quant = quant } };
	struct nn_build_tensor parts[2], indices, table;
	struct nn_operand indexed[2];
	int32_t low, high;
	int err = 0;

	/* So that what is shifted is so to the right. */
	if (!(ratio < 0x1p15))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input scales over its output scale are %g, and nnloop knows it "
				   "below 32768", (double)ratio);
	values.data = make_table(import, quants, quant);
	if (!values.data)
		return -ENOMEM;
	nn_type_range(quant->type, &low, &high);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = index_operand(import, &operands[i], !i, low, &parts[i], &indexed[i]);
	if (!err)
		err = build_integers(import, "add", indexed, &indices);
	if (!err)
		err = nn_build_row_constant(&import->builder, &from, &table);
	return err ? err : nn_build_take(&import->builder, &table, &indices, &take, made);
}
