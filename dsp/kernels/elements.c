// SPDX-License-Identifier: MIT
/* Runs calls of kernels that go element by element, one run of bytes after another (elements.h). */
#include <stddef.h>

#include "dsp/kernels/checks.h"
#include "dsp/kernels/elements.h"
#include "dsp/kernels/progress.h"

#define ELEMENT_WORK	128	/* at most */

/* Inputs that are elements, a bit for each. */
static uint32_t inputs_of(const struct nn_call *call)
{
	return nn_opcode_pitched_inputs(call->op->opcode);
}

bool nn_elements_are_dense(const struct nn_call *call)
{
	uint32_t inputs = inputs_of(call);

	for (uint32_t i = 0; inputs >> i; i++) {
		if ((inputs >> i & 1) && !nn_tensor_is_dense(&call->input[i]))
			return false;
	}
	return nn_tensor_is_dense(&call->output[0]);
}

static void take_pixels(struct nn_tensor *tensor, uint32_t pixels)
{
	uint32_t last = tensor->dims[tensor->rank - 1];

	for (uint32_t i = 0; i < tensor->rank; i++)
		tensor->dims[i] = 1;
	tensor->bytes = (uint64_t)pixels * last * nn_type_size(tensor->type);
	tensor->dims[tensor->rank - 1] = pixels * last;
	tensor->row_bytes = tensor->row_pitch = tensor->pitch = tensor->bytes;
	tensor->packed = false;
}

void nn_elements_take(struct nn_call *piece, const struct nn_call *call, uint32_t pixels)
{
	uint32_t inputs = inputs_of(call);

	*piece = *call;
	piece->next = NULL;
	take_pixels(&piece->output[0], pixels);
	for (uint32_t i = 0; inputs >> i; i++) {
		if (inputs >> i & 1)
			take_pixels(&piece->input[i], pixels);
	}
}

int nn_elements_run(const struct nn_call *call, int (*run)(const struct nn_call *call))
{
	uint64_t pixels = call->output[0].bytes;
	uint32_t inputs = inputs_of(call);
	struct progress progress = { .call = call };
	struct nn_call piece;

	if (nn_elements_are_dense(call))
		return run(call);
	nn_elements_take(&piece, call, 1);
	for (pixels /= piece.output[0].bytes; pixels; pixels--) {
		/* Each run of a few elements begins to count anew. */
		int ret = progress_add(&progress, NN_PAGE_WORK +
				       min_u32(piece.output[0].bytes, NN_TILE) * ELEMENT_WORK);

		if (!ret)
			ret = run(&piece);
		if (ret)
			return ret;
		piece.output[0].data += call->output[0].pitch;
		for (uint32_t i = 0; inputs >> i; i++)
			piece.input[i].data += inputs >> i & 1 ? call->input[i].pitch : 0;
	}
	return 0;
}
