// SPDX-License-Identifier: MIT
/*
 * SELECT: a condition, bool, and two inputs and an output of any one type, all of which are
 * broadcast as dsp/kernels/broadcast.h says: the element of the first where the condition is not 0,
 * else that of the second, as it is stored.
 */
#include "dsp/kernels/broadcast.h"
#include "dsp/kernels/integer.h"
#include "dsp/kernels/progress.h"

enum nn_program_reason nn_select_check(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];

	if (!operands_are(call, 3, 1) || call->input[0].type != NN_TYPE_BOOL ||
	    call->input[1].type != output->type || call->input[2].type != output->type)
		return NN_REASON_OPERAND;
	for (uint32_t i = 0; i < 3; i++) {
		if (!goes_with(&call->input[i], output))
			return NN_REASON_SHAPE;
	}
	return NN_REASON_NONE;
}

#define ELEMENT_WORK	128

int nn_select_portable(const struct nn_call *call)
{
	const struct nn_tensor *output = &call->output[0];
	uint32_t size = nn_type_size(output->type);
	struct progress progress = { .call = call };
	struct broadcast walk;

	broadcast_begin(&walk, call, 3);
	for (uint64_t at = 0; at < output->bytes; at += size) {
		int ret = progress_add(&progress, ELEMENT_WORK);

		if (ret)
			return ret;
		move_element(output->data + at, *walk.at[0] ? walk.at[1] : walk.at[2], size);
		broadcast_next(&walk);
	}
	return 0;
}
