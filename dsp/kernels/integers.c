// SPDX-License-Identifier: MIT
/*
 * INTEGERS: two inputs and an output, which are broadcast as dsp/kernels/broadcast.h says. A
 * function of two elements a and b:
 *
 * ADD, SUB, MUL, DIV, FLOOR_DIV, MOD, FLOOR_MOD, MIN, MAX, AND, OR, XOR: all three of one type of
 * integers or bool. DIV is a / b toward 0, FLOOR_DIV downward, MOD and FLOOR_MOD are what these
 * leave, a - b * that; by 0 all of them are 0. AND, OR and XOR are bit by bit. Of what is too large
 * the low bits are kept; of a bool, whether it is not 0.
 *
 * EQUAL, NOT_EQUAL, LESS, LESS_OR_EQUAL: bool, of two inputs of one type of integers or bool, as
 * they are stored. EQUAL_FLOAT ... LESS_OR_EQUAL_FLOAT: of two of 8 bit, any types, of q(a) *
 * scale_a and q(b) * scale_b, rounded to float32. EQUAL_FIXED ... LESS_OR_EQUAL_FIXED: the same of
 * q(a) * 2^8 by by[0] and q(b) * 2^8 by by[1] (nn_fixed_multiply() of dsp/program/fixed.h), as TensorFlow
 * Lite's own kernels compare.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/broadcast.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define COMPARED_BITS	16	/* of an element of 8 bits and a sign, times 2^8 */

static bool is_comparison(uint32_t function)
{
	return function >= NN_INTEGERS_EQUAL;
}

static bool types_are_valid(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	uint32_t function = call->op->integers.function;

	if (call->output[0].type != (is_comparison(function) ? NN_TYPE_BOOL : a->type))
		return false;
	if (function >= NN_INTEGERS_EQUAL_FLOAT)
		return is_8bit(a) && is_8bit(b);
	return is_integer(a) && a->type == b->type;
}

static bool params_are_valid(const struct nn_integers_params *params)
{
	if (params->function >= NN_INTEGERS_EQUAL_FIXED)
		return nn_fixed_fits(params->by[0], COMPARED_BITS) &&
		       nn_fixed_fits(params->by[1], COMPARED_BITS);
	if (params->function >= NN_INTEGERS_EQUAL_FLOAT)
		return is_scale(params->scale_a) && is_scale(params->scale_b);
	return true;
}

enum nn_program_reason nn_integers_check(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1))
		return NN_REASON_OPERAND;
	if (call->op->integers.function >= NN_INTEGERS_FUNCTIONS)
		return NN_REASON_PARAMETER;
	if (!types_are_valid(call))
		return NN_REASON_OPERAND;
	if (!goes_with(&call->input[0], output) || !goes_with(&call->input[1], output))
		return NN_REASON_SHAPE;
	return params_are_valid(&call->op->integers) ? NN_REASON_NONE : NN_REASON_PARAMETER;
}

/*
 * Tables of bytes compare what rises with them: no multiplier of a comparison is below 0. uint32 and
 * uint64 have no vectors.
 */
bool nn_integers_has_vectors(const struct nn_call *call)
{
	const struct nn_integers_params *params = &call->op->integers;

	if (nn_type_is_wide_unsigned(call->input[0].type))
		return false;
	return params->function < NN_INTEGERS_EQUAL_FIXED ||
	       (params->by[0].multiplier >= 0 && params->by[1].multiplier >= 0);
}

/* Downward or toward 0; the one number without a positive one has itself, which is its low bits. */
static int64_t divide(int64_t a, int64_t b, bool down)
{
	int64_t quotient;

	if (b == 0)
		return 0;
	if (b == -1)
		return (int64_t)(0 - (uint64_t)a);
	quotient = a / b;
	return down && quotient * b != a && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

static int64_t remainder_of(int64_t a, int64_t b, bool down)
{
	if (b == 0)
		return 0;
	return (int64_t)((uint64_t)a - (uint64_t)divide(a, b, down) * (uint64_t)b);
}

/* The functions of uint64 that depend on the sign. */
static uint64_t compute_unsigned(uint32_t function, uint64_t a, uint64_t b)
{
	switch (function) {
	case NN_INTEGERS_DIV:
	case NN_INTEGERS_FLOOR_DIV:
		return b ? a / b : 0;
	case NN_INTEGERS_MOD:
	case NN_INTEGERS_FLOOR_MOD:
		return b ? a % b : 0;
	case NN_INTEGERS_MIN:
		return a < b ? a : b;
	case NN_INTEGERS_MAX:
		return a > b ? a : b;
	case NN_INTEGERS_LESS:
		return a < b;
	default:
		return a <= b;
	}
}

static bool uses_sign(uint32_t function)
{
	return (function >= NN_INTEGERS_DIV && function <= NN_INTEGERS_MAX) ||
	       function == NN_INTEGERS_LESS || function == NN_INTEGERS_LESS_OR_EQUAL;
}

static int64_t compute(uint32_t function, int64_t a, int64_t b)
{
	switch (function) {
	case NN_INTEGERS_ADD:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case NN_INTEGERS_SUB:
		return (int64_t)((uint64_t)a - (uint64_t)b);
	case NN_INTEGERS_MUL:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case NN_INTEGERS_DIV:
	case NN_INTEGERS_FLOOR_DIV:
		return divide(a, b, function == NN_INTEGERS_FLOOR_DIV);
	case NN_INTEGERS_MOD:
	case NN_INTEGERS_FLOOR_MOD:
		return remainder_of(a, b, function == NN_INTEGERS_FLOOR_MOD);
	case NN_INTEGERS_MIN:
		return a < b ? a : b;
	case NN_INTEGERS_MAX:
		return a > b ? a : b;
	case NN_INTEGERS_AND:
		return a & b;
	case NN_INTEGERS_OR:
		return a | b;
	case NN_INTEGERS_XOR:
		return a ^ b;
	case NN_INTEGERS_EQUAL:
		return a == b;
	case NN_INTEGERS_NOT_EQUAL:
		return a != b;
	case NN_INTEGERS_LESS:
		return a < b;
	default:
		return a <= b;
	}
}

static bool compare_float(uint32_t function, float x, float y)
{
	switch (function) {
	case NN_INTEGERS_EQUAL_FLOAT:
		return x == y;
	case NN_INTEGERS_NOT_EQUAL_FLOAT:
		return x != y;
	case NN_INTEGERS_LESS_FLOAT:
		return x < y;
	default:
		return x <= y;
	}
}

static int64_t compute_at(const struct nn_call *call, const struct broadcast *walk)
{
	const struct nn_integers_params *params = &call->op->integers;
	const struct nn_tensor *x = &call->input[0], *y = &call->input[1];
	int64_t a = load_integer(walk->at[0], x->type), b = load_integer(walk->at[1], y->type);

	if (x->type == NN_TYPE_UINT64 && uses_sign(params->function))
		return (int64_t)compute_unsigned(params->function, (uint64_t)a, (uint64_t)b);
	if (params->function < NN_INTEGERS_EQUAL_FLOAT)
		return compute(params->function, a, b);
	a -= x->zero_point;
	b -= y->zero_point;
	if (params->function < NN_INTEGERS_EQUAL_FIXED)
		return compare_float(params->function, (float)(int32_t)a * params->scale_a,
				     (float)(int32_t)b * params->scale_b);
	return compute(params->function - NN_INTEGERS_EQUAL_FIXED + NN_INTEGERS_EQUAL,
		       nn_fixed_multiply((int32_t)a * 256, params->by[0]),
		       nn_fixed_multiply((int32_t)b * 256, params->by[1]));
}

#define ELEMENT_WORK	800	/* most of it is a division, which the DSP has no instruction for */

int nn_integers_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t size = nn_type_size(output->type);
	struct progress progress = { .call = call };
	struct broadcast walk;

	broadcast_begin(&walk, call, 2);
	for (uint64_t at = 0; at < output->bytes; at += size) {
		int ret = progress_add(&progress, ELEMENT_WORK);

		if (ret)
			return ret;
		store_integer(output->data + at, output->type, compute_at(call, &walk));
		broadcast_next(&walk);
	}
	return 0;
}
