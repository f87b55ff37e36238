// SPDX-License-Identifier: MIT
/*
 * CONVERT: an input and an output of the same dimensions, of any types of integers or bool: the low
 * bits of each element as it is stored, its sign carried on; to bool, whether it is not 0.
 */
#include "dsp/kernels/checks.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_convert_check(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];

	if (!operands_are(call, 1, 1) || !is_integer(input) || !is_integer(output))
		return NN_REASON_OPERAND;
	return same_dims(input, output) ? NN_REASON_NONE : NN_REASON_SHAPE;
}

/* The vector kernel would make a uint32 longer with its highest bit as a sign. */
bool nn_convert_has_vectors(const struct nn_call *call)
{
	return call->input[0].type != NN_TYPE_UINT32 || nn_type_size(call->output[0].type) <= 4;
}

int nn_convert_portable(const struct nn_call *call)
{
	const struct nn_tensor *input = &call->input[0], *output = &call->output[0];
	uint32_t from = nn_type_size(input->type), to = nn_type_size(output->type);
	uint64_t elements = output->bytes / to;

	for (uint64_t i = 0; i < elements; i++) {
		int ret = progress_element(call, i);

		if (ret)
			return ret;
		store_integer(output->data + i * to, output->type,
			      load_integer(input->data + i * from, input->type));
	}
	return 0;
}
