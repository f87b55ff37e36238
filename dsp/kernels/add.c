// SPDX-License-Identifier: MIT
/*
 * ADD: two inputs and an output of the same dimensions, 8 bit, any types. floor((q(a) *
 * multiplier_a + q(b) * multiplier_b + 2^(shift - 1)) / 2^shift) + zero point, clamped.
 * |multipliers| at most 2^21, shift in 1 .. 30: nn_pack_add_params(). In place of either.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/elements.h"
#include "dsp/kernels/numbers.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_add_check(const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;
	enum nn_program_reason reason = check_pairs(call);

	if (reason)
		return reason;
	if (!add_is_valid(params) || !clamp_is_valid(call))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

static int run_add(const struct nn_call *call)
{
	const struct nn_add_params *params = &call->op->add;
	const struct nn_tensor *a = &call->input[0], *b = &call->input[1];
	const struct nn_tensor *output = &call->output[0];
	int32_t flip_a = flip_of(a), flip_b = flip_of(b);
	int32_t half = (int32_t)(1u << (params->shift - 1));

	for (uint64_t i = 0; i < output->bytes; i++) {
		int32_t qa = load_8bit(&a->data[i], flip_a) - a->zero_point;
		int32_t qb = load_8bit(&b->data[i], flip_b) - b->zero_point;
		int32_t sum = (qa * params->multiplier_a + qb * params->multiplier_b + half) >>
			      params->shift;
		int ret = progress_element(call, i);

		if (ret)
			return ret;
		output->data[i] =
			clamp_int(sum + output->zero_point, call->op->out_min, call->op->out_max);
	}
	return 0;
}

int nn_add_portable(const struct nn_call *call)
{
	return nn_elements_run(call, run_add);
}
