// SPDX-License-Identifier: MIT
/*
 * See join.h.
 *
 * Where an operand of a piece is follows from where the output of the piece is, because all operands
 * but tables have its elements in its order.
 */
#include "../kernels/checks.h"
#include "../kernels/elements.h"
#include "join.h"
#include "table_vectors.h"
#include "vector.h"

bool nn_call_joins(const struct nn_call *call, const struct nn_call *next)
{
	uint32_t steps = 0;

	if ((call->op->opcode != NN_OPCODE_CONV2D && call->op->opcode != NN_OPCODE_FULLY_CONNECTED) ||
	    !is_8bit(&call->output[0]) || !nn_elements_are_dense(next))
		return false;
	for (; call->next; call = call->next)
		steps++;
	return steps < JOIN_MOST &&
	       (next->op->opcode == NN_OPCODE_TABLE || next->op->opcode == NN_OPCODE_ADD ||
		next->op->opcode == NN_OPCODE_ADD_FLOAT);
}

/* What a sum looks at: elements side by side. */
static void describe(struct nn_tensor *piece, const struct nn_tensor *tensor)
{
	piece->data = tensor->data;
	piece->type = tensor->type;
	piece->zero_point = tensor->zero_point;
	piece->row_pitch = piece->row_bytes = 0;
}

/* A sum's, with this scratch memory. */
static void settle_sum(struct join_step *step, struct nn_run *run, uint8_t *scratch, uint32_t size)
{
	const struct nn_call *call = step->call;
	struct nn_call *piece = &step->piece;

	piece->op = call->op;
	piece->run = run;
	piece->scratch = scratch;
	piece->scratch_size = size;
	describe(&piece->input[0], &call->input[0]);
	describe(&piece->input[1], &call->input[1]);
	describe(&piece->output[0], &call->output[0]);
	if (call->op->opcode == NN_OPCODE_ADD)
		nn_add_settle(&step->add, piece);
	else
		nn_add_float_settle(&step->add_float, piece);
}

bool nn_join_settle(struct join *join, const struct nn_call *call)
{
	/* ADD_FLOAT's; but most is the call's own. */
	uint32_t size = min_u32(ADD_FLOAT_SCRATCH, call->scratch_size / 4 / VECTOR * VECTOR);
	const struct nn_call *next;

	if (!call->next)
		return false;
	join->count = 0;
	join->scratch_size = 0;
	for (next = call->next; next; next = next->next) {
		struct join_step *step = &join->step[join->count++];

		step->call = next;
		if (next->op->opcode == NN_OPCODE_TABLE)
			continue;
		settle_sum(step, call->run, call->scratch + call->scratch_size - size, size);
		if (next->op->opcode == NN_OPCODE_ADD_FLOAT)
			join->scratch_size = size;
	}
	return true;
}

static int run_table(const struct nn_call *call, struct progress *progress, uint8_t *at,
		     uint32_t offset, uint32_t bytes)
{
	int ret = progress_add(progress, bytes / 8);

	if (!ret)
		nn_table_bytes(at, call->input[0].data + offset, call->input[1].data, bytes);
	return ret;
}

static int run_sum(struct join_step *step, struct progress *progress, uint8_t *at, uint32_t offset,
		   uint32_t bytes)
{
	struct progress own = { &step->piece, progress->work };
	int ret;

	step->piece.input[0].data = step->call->input[0].data + offset;
	step->piece.input[1].data = step->call->input[1].data + offset;
	step->piece.output[0].data = at;
	step->piece.output[0].bytes = bytes;
	if (step->call->op->opcode == NN_OPCODE_ADD)
		ret = nn_add_run(&own, &step->add);
	else
		ret = nn_add_float_run(&own, &step->add_float);
	progress->work = own.work;
	return ret;
}

int nn_join_run(struct join *join, struct progress *progress, uint8_t *at, uint32_t bytes)
{
	int ret = 0;

	for (uint32_t i = 0; i < join->count && !ret; i++) {
		struct join_step *step = &join->step[i];
		uint32_t offset = at - step->call->output[0].data;

		if (step->call->op->opcode == NN_OPCODE_TABLE)
			ret = run_table(step->call, progress, at, offset, bytes);
		else
			ret = run_sum(step, progress, at, offset, bytes);
	}
	return ret;
}
