// SPDX-License-Identifier: MIT
/*
 * Operators of a program compute a few elements here (compute.h), by their portable kernels, which
 * define them.
 */
#include "compute.h"

#include "dsp/program/interpreter.h"
#include "dsp/program/kernels.h"

static void describe(struct nn_tensor *tensor, const struct nn_program_tensor *as, uint8_t *data,
		     uint32_t count)
{
	*tensor = (struct nn_tensor){
		.data = data,
		.type = as->type,
		.rank = 2,
		.zero_point = as->zero_point,
		.dims = { 1, count, 1, 1, 1, 1, 1, 1 },
		.row_bytes = count,
		.bytes = count,
		.row_pitch = count,
		.pitch = count,
	};
}

bool nn_compute_two(const struct nn_program_op *op, const struct nn_program_tensor *tensors,
		    const uint8_t *a, const uint8_t *b, uint8_t *results, uint32_t count)
{
	struct nn_run run = { 0 };
	struct nn_call call = { .op = op, .run = &run };

	if (op->opcode != NN_OPCODE_BINARY && op->opcode != NN_OPCODE_ADD &&
	    op->opcode != NN_OPCODE_ADD_FLOAT)
		return false;
	describe(&call.input[0], &tensors[op->input[0]], (uint8_t *)a, count);
	describe(&call.input[1], &tensors[op->input[1]], (uint8_t *)b, count);
	describe(&call.output[0], &tensors[op->output[0]], results, count);
	if (nn_kernels_portable[op->opcode].check(&call))
		return false;
	return !nn_kernels_portable[op->opcode].run(&call);
}
