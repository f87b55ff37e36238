// SPDX-License-Identifier: MIT
/*
 * ADD_INT16: two inputs and an output INT16, all zero points 0. Element i of a row of the output
 * is made of element i modulo their number of a row of each input; an input of level 0 with one
 * row has that for each row. With the functions of dsp/program/fixed.h:
 *
 *	scaled(x, s) = multiply(x, s with left_shift added to its exponent), so that a shift to the
 *		left makes no second rounding, or x / 2^-s.exponent where s.multiplier is 0
 *	scaled(scaled(a, a's) +- scaled(b, b's), the output's without left_shift), clamped
 *
 * Exponents of a, b and output are -31 .. 0. In place, where the input has all of the output's
 * dimensions. As TensorFlow Lite's own kernels do it.
 */
#include "dsp/program/fixed.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

static bool is_downscale(const struct nn_fixed *scale)
{
	return scale->exponent >= -31 && scale->exponent <= 0;
}

enum nn_program_reason nn_add_int16_check(const struct nn_call *call)
{
	const struct nn_add_int16_params *params = &call->op->add_int16;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 2, 1) || !is_int16(a) || !is_int16(b) || !is_int16(output))
		return NN_REASON_OPERAND;
	if (!has_rows_for(a, output) || !has_rows_for(b, output) ||
	    output->row_bytes % a->row_bytes || output->row_bytes % b->row_bytes)
		return NN_REASON_SHAPE;
	if (params->left_shift > 15 || params->subtract > 1 || !is_downscale(&params->a) ||
	    !is_downscale(&params->b) || !is_downscale(&params->output) || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

static int32_t scale(int32_t value, uint32_t left_shift, const struct nn_fixed *by)
{
	if (!by->multiplier)
		return (int32_t)nn_divide_away(value, (uint32_t)-by->exponent);
	return nn_fixed_multiply(value, (struct nn_fixed){ by->multiplier,
							   by->exponent + (int32_t)left_shift });
}

/* The elements of a row of an input. */
static const int16_t *get_row(const struct nn_tensor *input, uint32_t row)
{
	if (!input->level && input->dims[0] == 1)
		row = 0;
	return (const int16_t *)(input->data + row * input->row_bytes);
}

#define ROW_WORK	64
#define ELEMENT_WORK	64

int nn_add_int16_portable(const struct nn_call *call)
{
	const struct nn_add_int16_params *params = &call->op->add_int16;
	const struct nn_tensor *output = &call->output[0];
	uint64_t length = output->row_bytes / 2, length_a = call->input[0].row_bytes / 2,
		 length_b = call->input[1].row_bytes / 2;
	struct progress progress = { .call = call };
	int16_t *out = (int16_t *)output->data;

	for (uint32_t row = 0; row < output->dims[0]; row++) {
		const int16_t *a = get_row(&call->input[0], row);
		const int16_t *b = get_row(&call->input[1], row);
		uint64_t at_a = 0, at_b = 0;
		int ret = progress_add(&progress, ROW_WORK);

		for (uint64_t i = 0; i < length && !ret; i++, out++) {
			int32_t left = scale(a[at_a], params->left_shift, &params->a);
			int32_t right = scale(b[at_b], params->left_shift, &params->b);
			uint32_t sum = params->subtract ? (uint32_t)left - (uint32_t)right :
							  (uint32_t)left + (uint32_t)right;

			at_a = at_a + 1 < length_a ? at_a + 1 : 0;
			at_b = at_b + 1 < length_b ? at_b + 1 : 0;
			*out = (int16_t)clamp_int(scale((int32_t)sum, 0, &params->output),
						  call->op->out_min, call->op->out_max);
			ret = progress_add(&progress, ELEMENT_WORK);
		}
		if (ret)
			return ret;
	}
	return 0;
}
