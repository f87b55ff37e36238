// SPDX-License-Identifier: MIT
/*
 * FILL: struct nn_fill_params; no input, an output of any type of 32 bits or less. All of its
 * elements have the bits `value`, which has none beyond those of an element.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_fill_check(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 0, 1) || nn_type_size(output->type) > 4)
		return NN_REASON_OPERAND;
	if ((uint64_t)call->op->fill.value >> 8 * nn_type_size(output->type))
		return NN_REASON_PARAMETER;
	return NN_REASON_NONE;
}

int nn_fill_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	struct progress progress = { .call = call };
	uint32_t size = nn_type_size(output->type), value = call->op->fill.value;
	uint64_t elements = output->bytes / size;

	if (size == 1)
		return progress_fill(&progress, output->data, value, output->bytes);
	for (uint64_t i = 0; i < elements; i++) {
		int ret = progress_element(call, i);

		if (ret)
			return ret;
		if (size == 2)
			((uint16_t *)output->data)[i] = value;
		else
			((uint32_t *)output->data)[i] = value;
	}
	return 0;
}
