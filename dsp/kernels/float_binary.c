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
#include "dsp/kernels/progress.h"
#include "dsp/kernels/reals.h"

#define ELEMENT_WORK	224
#define MODULO_WORK	4096

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

int nn_float_binary_portable(const struct nn_call *call)
{
	enum nn_float_two function = call->op->float_binary.function;
	uint32_t work = function == NN_FLOAT_MODULO ? MODULO_WORK :
			function == NN_FLOAT_POWER ? REAL_LONG_WORK : ELEMENT_WORK;
	const struct nn_tensor *output = &call->output[0];
	uint64_t count = output->bytes / nn_type_size(output->type);
	struct progress progress = { .call = call };
	struct broadcast walk;

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
