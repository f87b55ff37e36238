// SPDX-License-Identifier: MIT
/*
 * FLOAT_BINARY: a, b FLOAT32 and output FLOAT32, or BOOL of a comparison, which are broadcast as
 * dsp/kernels/broadcast.h says; in place of either that is not broadcast, unless the output is BOOL.
 * Each element is a function of two (enum nn_float_two):
 *
 *	ADD SUB MUL DIV: float32's, rounded to nearest, ties to even
 *	MIN MAX: no number if one is none		PRELU: a, or a * b where a < 0
 *	POWER: a to the power of b as C defines it, in double, rounded to float32; a square, and a
 *		cube, by multiplications of float32
 *	SQUARED_DIFFERENCE: (a - b) * (a - b)	MODULO: a - b * trunc(a / b), exactly
 *	EQUAL .. GREATER_OR_EQUAL: 1 or 0; what is no number is unequal to all
 */
#include "dsp/kernels/broadcast.h"
#include "dsp/kernels/float.h"
#include "dsp/kernels/float_divide.h"
#include "dsp/kernels/progress.h"
#include "dsp/kernels/reals.h"

#define ELEMENT_WORK	224
#define MODULO_WORK	4096
#define ROW_WORK	64
#define ROW_ELEMENT_WORK 16
#define DIVIDE_WORK	96
#define PIECE		1024u	/* elements of a row between two looks at the work done */
#define STEP		4u	/* that are made at a time */

static bool compares(uint32_t function)
{
	return function >= NN_FLOAT_EQUAL && function < NN_FLOAT_TWO_FUNCTIONS;
}

enum nn_program_reason nn_float_binary_check(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t function = call->op->float_binary.function;

	if (!operands_are(call, 2, 1) || !is_float(&call->input[0]) || !is_float(&call->input[1]))
		return NN_REASON_OPERAND;
	if (function >= NN_FLOAT_TWO_FUNCTIONS)
		return NN_REASON_PARAMETER;
	if (output->type != (compares(function) ? NN_TYPE_BOOL : NN_TYPE_FLOAT32))
		return NN_REASON_OPERAND;
	if (!goes_with(&call->input[0], output) || !goes_with(&call->input[1], output))
		return NN_REASON_SHAPE;
	return NN_REASON_NONE;
}

/* Subtracts multiples of the magnitude of b, from the greatest on, and returns what is left of a. */
static float modulo(float a, float b)
{
	uint32_t x = bits_of_float(a) & 0x7fffffff, y = bits_of_float(b) & 0x7fffffff;
	uint32_t sign = bits_of_float(a) & 1u << 31;
	double rest, divisor, step;

	if (x >= 0x7f800000 || !y || y > 0x7f800000)
		return (union float_bits){ .bits = FLOAT_NOT_A_NUMBER }.value;
	rest = (union float_bits){ .bits = x }.value;
	divisor = (union float_bits){ .bits = y }.value;
	if (y == 0x7f800000 || rest < divisor)
		return a;
	for (step = divisor; step <= rest; step *= 2)
		;
	for (; step >= divisor; step *= 0.5) {
		if (rest >= step)
			rest -= step;
	}
	return (union float_bits){ .bits = bits_of_float((float)rest) | sign }.value;
}

static float compute(enum nn_float_two function, float a, float b)
{
	switch (function) {
	case NN_FLOAT_ADD:
		return a + b;
	case NN_FLOAT_SUB:
		return a - b;
	case NN_FLOAT_MUL:
		return a * b;
	case NN_FLOAT_DIV:
		return a / b;
	case NN_FLOAT_MIN:
		return float_lesser(a, b);
	case NN_FLOAT_MAX:
		return float_greater(a, b);
	case NN_FLOAT_PRELU:
		return a < 0 ? a * b : a;
	case NN_FLOAT_SQUARED_DIFFERENCE:
		return (a - b) * (a - b);
	case NN_FLOAT_MODULO:
		return modulo(a, b);
	default:
		return b == 2 ? a * a : b == 3 ? a * a * a : (float)real_power(a, b);
	}
}

static bool compare(enum nn_float_two function, float a, float b)
{
	if (!float_is_number(a) || !float_is_number(b))
		return false;
	switch (function) {
	case NN_FLOAT_EQUAL:
		return a == b;
	case NN_FLOAT_LESS:
		return a < b;
	case NN_FLOAT_LESS_OR_EQUAL:
		return a <= b;
	case NN_FLOAT_GREATER:
		return a > b;
	default:
		return a >= b;
	}
}

/* ---- Rows ---- */

/* Some elements of a row; from one of an input to the next it is 1, or 0 where there is one for all. */
struct row {
	const float *a, *b;
	uint32_t step_a, step_b;
	float *out;
	uint32_t count;
};

/* Elements are loaded before any is stored, which compilers cannot do where one is in place. */
static inline __attribute__((always_inline)) void make_row(struct row row,
							   enum nn_float_two function)
{
	const struct float_divisor by = float_divisor_of(*row.b);
	const bool by_one = function == NN_FLOAT_DIV && !row.step_b;
	float a[STEP], b[STEP];

	for (uint32_t left = row.count / STEP; left; left--, row.out += STEP) {
#pragma GCC unroll 4
		for (uint32_t i = 0; i < STEP; i++, row.a += row.step_a, row.b += row.step_b) {
			a[i] = *row.a;
			b[i] = *row.b;
		}
#pragma GCC unroll 4
		for (uint32_t i = 0; i < STEP; i++)
			row.out[i] = float_result(by_one ? float_divide(a[i], &by) :
							   compute(function, a[i], b[i]));
	}
	for (uint32_t left = row.count % STEP; left; left--) {
		*row.out++ = float_result(compute(function, *row.a, *row.b));
		row.a += row.step_a;
		row.b += row.step_b;
	}
}

static void make_some_row(const struct row *row, enum nn_float_two function)
{
	switch (function) {
	case NN_FLOAT_ADD:
		make_row(*row, NN_FLOAT_ADD);
		break;
	case NN_FLOAT_SUB:
		make_row(*row, NN_FLOAT_SUB);
		break;
	case NN_FLOAT_MUL:
		make_row(*row, NN_FLOAT_MUL);
		break;
	case NN_FLOAT_DIV:
		make_row(*row, NN_FLOAT_DIV);
		break;
	case NN_FLOAT_MIN:
		make_row(*row, NN_FLOAT_MIN);
		break;
	case NN_FLOAT_MAX:
		make_row(*row, NN_FLOAT_MAX);
		break;
	default:
		break;
	}
}

static bool has_rows(enum nn_float_two function)
{
	return function <= NN_FLOAT_MAX;
}

static int run_rows(const struct nn_call *call, enum nn_float_two function)
{
	const struct nn_tensor *output = &call->output[0];
	const uint32_t work = function == NN_FLOAT_DIV ? DIVIDE_WORK : ROW_ELEMENT_WORK;
	struct progress progress = { .call = call };
	struct broadcast walk;
	uint32_t step[NN_BROADCAST_INPUTS], outer;
	float *out = (float *)output->data;
	uint64_t run;

	broadcast_begin(&walk, call, 2);
	outer = output->rank - broadcast_run(&walk, &run, step);
	for (uint64_t left = output->bytes / sizeof(float); left; left -= run) {
		struct row row = {
			.a = (const float *)walk.at[0],
			.b = (const float *)walk.at[1],
			.step_a = step[0],
			.step_b = step[1],
			.out = out,
		};

		for (uint64_t i = 0; i < run; i += row.count) {
			int ret;

			row.count = run - i < PIECE ? run - i : PIECE;
			ret = progress_add(&progress, ROW_WORK + work * row.count);
			if (ret)
				return ret;
			make_some_row(&row, function);
			row.a += row.step_a * row.count;
			row.b += row.step_b * row.count;
			row.out += row.count;
		}
		out += run;
		broadcast_next_of(&walk, outer);
	}
	return 0;
}

int nn_float_binary_portable(const struct nn_call *call)
{
	enum nn_float_two function = call->op->float_binary.function;
	uint32_t work = function == NN_FLOAT_MODULO ? MODULO_WORK :
			function == NN_FLOAT_POWER ? REAL_LONG_WORK : ELEMENT_WORK;
	const struct nn_tensor *output = &call->output[0];
	uint64_t count = output->bytes / nn_type_size(output->type);
	struct progress progress = { .call = call };
	struct broadcast walk;

	if (has_rows(function))
		return run_rows(call, function);
	broadcast_begin(&walk, call, 2);
	for (uint64_t i = 0; i < count; i++) {
		float a = *(const float *)walk.at[0], b = *(const float *)walk.at[1];
		int ret = progress_add(&progress, work);

		if (ret)
			return ret;
		if (compares(function))
			output->data[i] = compare(function, a, b);
		else
			((float *)output->data)[i] = float_result(compute(function, a, b));
		broadcast_next(&walk);
	}
	return 0;
}
