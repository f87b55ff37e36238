// SPDX-License-Identifier: MIT
/*
 * BINARY_INT16: two inputs and an output of INT16, all zero points 0, which are broadcast as
 * dsp/kernels/broadcast.h says. A function of two elements a and b, clamped:
 *
 *	NN_INT16_MUL	nn_fixed_multiply(a * b, by) of dsp/program/fixed.h, with an exponent of -31 .. 0
 *	NN_INT16_MIN, NN_INT16_MAX	the lesser, the greater; by is not used
 *
 * As TensorFlow Lite's own kernels do it.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/broadcast.h"
#include "dsp/kernels/int16_pattern.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

#define PRODUCT_BITS	31
#define ELEMENT_WORK	64

enum nn_program_reason nn_binary_int16_check(const struct nn_call *call)
{
	const struct nn_binary_int16_params *params = &call->op->binary_int16;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !is_int16(a) || !is_int16(b) || !is_int16(output))
		return NN_REASON_OPERAND;
	if (!goes_with(a, output) || !goes_with(b, output))
		return NN_REASON_SHAPE;
	if (params->function >= NN_INT16_FUNCTIONS || !clamp_is_valid(call) ||
	    (params->function == NN_INT16_MUL && !nn_fixed_fits(params->by, PRODUCT_BITS)))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

static int32_t compute(const struct nn_binary_int16_params *params, int32_t a, int32_t b)
{
	switch (params->function) {
	case NN_INT16_MIN:
		return a < b ? a : b;
	case NN_INT16_MAX:
		return a > b ? a : b;
	default:
		return nn_fixed_multiply(a * b, params->by);
	}
}

int nn_binary_int16_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	int16_t *out = (int16_t *)output->data;
	struct broadcast walk;

	broadcast_begin(&walk, call, 2);
	for (uint64_t i = 0; i < output->bytes / 2; i++) {
		int ret = progress_add(&progress, ELEMENT_WORK);

		if (ret)
			return ret;
		out[i] = (int16_t)clamp_int(compute(&call->op->binary_int16,
						    *(const int16_t *)walk.at[0],
						    *(const int16_t *)walk.at[1]),
					    call->op->out_min, call->op->out_max);
		broadcast_next(&walk);
	}
	return 0;
}

/* Inputs that are broadcast in two or more separate dimensions are not laid out for vectors. */
bool nn_binary_int16_has_vectors(const struct nn_call *call)
{
	struct int16_pattern pattern;

	return int16_pattern_of(call, 0, &pattern) && int16_pattern_of(call, 1, &pattern);
}
