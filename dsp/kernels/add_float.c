// SPDX-License-Identifier: MIT
/*
 * ADD_FLOAT: two inputs and an output of the same dimensions, 8 bit, any types. Everything in
 * float32: each operation rounds to nearest, ties to even, and fma() once. rint() to nearest, ties
 * to even.
 *
 * NN_ADD_DEQUANTIZED: rint((q(a) * scale_a + q(b) * scale_b) / scale_output) + zero point, clamped.
 *
 * NN_ADD_FUSED: with ratio_a = scale_a / scale_output, ratio_b likewise, and zero_a, zero_b and
 * zero_output the zero points: rint(fma(a, ratio_a, fma(b, ratio_b, zero_output - fma(zero_a,
 * ratio_a, zero_b * ratio_b)))), clamped.
 *
 * The first is ONNX's DequantizeLinear, Add and QuantizeLinear as ONNX Runtime computes them, the
 * second its QLinearAdd on processors with fused multiplication and addition. In place of either.
 */
#include "dsp/kernels/add_float.h"
#include "dsp/kernels/checks.h"
#include "dsp/kernels/elements.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_add_float_check(const struct nn_call *call)
{
	const struct nn_add_float_params *params = &call->op->add_float;
	enum nn_program_reason reason = check_pairs(call);

	if (reason)
		return reason;
	if (!is_scale(params->scale_a) || !is_scale(params->scale_b) ||
	    !is_scale(params->scale_output) || params->form >= NN_ADD_FORMS ||
	    !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

/* Sums whose scales are too far apart, or from 1, are no integers that fit 32 bits. */
bool nn_add_float_has_vectors(const struct nn_call *call)
{
	return add_float_is_in_integers(&call->op->add_float);
}

#define ELEMENT_WORK	128	/* most of it is the division, which the DSP has no instruction for */

static int run_add_float(const struct nn_call *call)
{
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	const struct float_sum sum = float_sum_of(call, &call->op->add_float);
	struct progress progress = { .call = call };
	int32_t flip_a = flip_of(a), flip_b = flip_of(b), result;

	for (uint64_t i = 0; i < output->bytes; i++) {
		int32_t va = load_8bit(&a->data[i], flip_a), vb = load_8bit(&b->data[i], flip_b);
		int ret = progress_add(&progress, ELEMENT_WORK);

		if (ret)
			return ret;
		if (sum.params->form == NN_ADD_FUSED)
			result = add_fused(&sum, va, vb);
		else
			result = round_float(add_dequantized(&sum, va, vb) /
					     sum.params->scale_output) +
				 sum.zero_output;
		output->data[i] = clamp_int(result, call->op->out_min, call->op->out_max);
	}
	return 0;
}

int nn_add_float_portable(const struct nn_call *call)
{
	return nn_elements_run(call, run_add_float);
}
