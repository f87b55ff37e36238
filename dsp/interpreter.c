// SPDX-License-Identifier: MIT
/*
 * The interpreter: checks a program, and runs it for one pass.
 *
 * Three layers of checks stand between a program and the memory it names. nn_program_check() looks
 * at what is the same in every pass: the header, regions, tensors, and through each kernel's
 * check() the operands, shapes and parameters of every operator. nn_program_run() looks at the rows
 * of the pass. Kernels then rely on both and check nothing themselves. Whoever adds a field: check
 * it here.
 */
#include <stddef.h>

#include "interpreter.h"
#include "kernels.h"

static const struct nn_program_region *program_regions(const struct nn_program *program)
{
	return (const struct nn_program_region *)(program + 1);
}

static const struct nn_program_tensor *program_tensors(const struct nn_program *program)
{
	return (const struct nn_program_tensor *)(program_regions(program) + program->region_count);
}

static const struct nn_program_op *program_ops(const struct nn_program *program)
{
	return (const struct nn_program_op *)(program_tensors(program) + program->tensor_count);
}

static bool zero_point_fits(uint8_t type, int32_t zero_point)
{
	switch (type) {
	case NN_TYPE_INT8:
		return zero_point >= INT8_MIN && zero_point <= INT8_MAX;
	case NN_TYPE_UINT8:
		return zero_point >= 0 && zero_point <= 255;
	case NN_TYPE_INT16:
		return zero_point >= INT16_MIN && zero_point <= INT16_MAX;
	case NN_TYPE_UINT16:
		return zero_point >= 0 && zero_point <= 65535;
	case NN_TYPE_INT32:
		return true;
	}
	return zero_point == 0;
}

/* Bytes of one index of dimension 0. Correct for checked tensors only. */
static uint64_t tensor_row_bytes(const struct nn_program_tensor *tensor)
{
	uint64_t bytes = nn_type_size(tensor->type);

	for (uint32_t i = 1; i < tensor->rank; i++)
		bytes *= tensor->dims[i];
	return bytes;
}

static uint32_t tensor_rows(const struct nn_program_tensor *tensor, const uint32_t *arg)
{
	return tensor->level ? arg[NN_ARG_ROWS(tensor->level)] : tensor->dims[0];
}

/*
 * The tensor in a region that a chain of views begins with. Each view is at a higher level than its
 * source, so the chain is short.
 */
static const struct nn_program_tensor *view_origin(const struct nn_program *program,
						   const struct nn_program_tensor *tensor)
{
	while (tensor->place == NN_PLACE_VIEW)
		tensor = &program_tensors(program)[tensor->source];
	return tensor;
}

/* Program checks */

static int fail(struct nn_failure *failure, enum nn_program_reason reason, uint32_t op)
{
	failure->reason = reason;
	failure->op = op;
	return -1;
}

static bool header_is_valid(const struct nn_program *program, uint32_t size)
{
	uint64_t need;

	if (size < sizeof(*program) || size > NN_PROGRAM_MAX_SIZE)
		return false;
	if (program->magic != NN_PROGRAM_MAGIC || program->version != NN_PROGRAM_VERSION ||
	    program->size != size)
		return false;
	if (program->reserved[0] || program->reserved[1] || program->tensor_count >= NN_NO_TENSOR)
		return false;
	need = sizeof(*program) +
	       (uint64_t)program->region_count * sizeof(struct nn_program_region) +
	       (uint64_t)program->tensor_count * sizeof(struct nn_program_tensor) +
	       (uint64_t)program->op_count * sizeof(struct nn_program_op);
	return need == size;
}

static enum nn_program_reason check_region(const struct nn_program_region *region)
{
	if (region->base % 128 || (uint64_t)region->base + region->size > 1ull << 32)
		return NN_REASON_ADDRESS;
	if (region->flags & ~NN_REGION_WRITABLE || region->reserved)
		return NN_REASON_REGION;
	return NN_REASON_NONE;
}

static bool tensor_fields_are_valid(const struct nn_program_tensor *tensor, uint64_t *row_bytes)
{
	uint64_t bytes = nn_type_size(tensor->type);

	if (!bytes || tensor->rank < 1 || tensor->rank > NN_MAX_RANK)
		return false;
	if (tensor->level > NN_MAX_LEVELS || !zero_point_fits(tensor->type, tensor->zero_point))
		return false;
	for (uint32_t i = 1; i < NN_MAX_RANK; i++) {
		if ((i < tensor->rank) != (tensor->dims[i] > 0))
			return false;
		if (i >= tensor->rank)
			continue;
		bytes *= tensor->dims[i];	/* both below 2^32 */
		if (bytes > UINT32_MAX)
			return false;
	}
	*row_bytes = bytes;
	return true;
}

static bool tensor_is_valid(const struct nn_program *program, uint32_t index)
{
	const struct nn_program_tensor *tensor = &program_tensors(program)[index], *source;
	uint64_t row_bytes;

	if (!tensor_fields_are_valid(tensor, &row_bytes))
		return false;

	switch (tensor->place) {
	case NN_PLACE_OUTPUT:
		if (!tensor->level)
			return false;
		/* fall through */
	case NN_PLACE_REGION:
		return tensor->source < program->region_count &&
		       tensor->offset % nn_type_size(tensor->type) == 0 &&
		       tensor->offset + tensor->dims[0] * row_bytes <=
			       program_regions(program)[tensor->source].size;
	case NN_PLACE_VIEW:
		if (tensor->source >= index || tensor->offset)
			return false;
		source = &program_tensors(program)[tensor->source];
		return source->level < tensor->level && source->type == tensor->type &&
		       tensor_row_bytes(source) == row_bytes;
	}
	return false;
}

/* What check() and run() have in common; dims[0] and bytes are those of the most rows. */
static void describe_tensor(const struct nn_program *program, uint16_t index, struct nn_tensor *out)
{
	const struct nn_program_tensor *tensor;
	uint32_t i;

	if (index == NN_NO_TENSOR) {
		out->type = 0;
		return;
	}
	tensor = &program_tensors(program)[index];
	out->data = NULL;
	out->type = tensor->type;
	out->rank = tensor->rank;
	out->level = tensor->level;
	out->packed = !tensor->level && tensor->place == NN_PLACE_REGION &&
		      tensor->offset % 128 == 0;
	out->zero_point = tensor->zero_point;
	for (i = 0; i < tensor->rank; i++)
		out->dims[i] = tensor->dims[i];
	for (; i < NN_MAX_RANK; i++)
		out->dims[i] = 1;
	out->row_bytes = tensor_row_bytes(tensor);
	out->bytes = tensor->dims[0] * out->row_bytes;
}

static enum nn_program_reason check_op(const struct nn_program *program,
				       const struct nn_program_op *op)
{
	const struct nn_program_tensor *origin;
	struct nn_call call = { .op = op };
	uint32_t i;

	if (op->opcode >= NN_OPCODE_END || !nn_kernels[op->opcode].name)
		return NN_REASON_OPCODE;

	for (i = 0; i < NN_MAX_OP_INPUTS; i++) {
		if (op->input[i] != NN_NO_TENSOR && op->input[i] >= program->tensor_count)
			return NN_REASON_OPERAND;
		describe_tensor(program, op->input[i], &call.input[i]);
	}
	for (i = 0; i < NN_MAX_OP_OUTPUTS; i++) {
		if (op->output[i] == NN_NO_TENSOR)
			continue;
		if (op->output[i] >= program->tensor_count)
			return NN_REASON_OPERAND;
		origin = view_origin(program, &program_tensors(program)[op->output[i]]);
		if (!(program_regions(program)[origin->source].flags & NN_REGION_WRITABLE))
			return NN_REASON_OPERAND;
		describe_tensor(program, op->output[i], &call.output[i]);
	}
	return nn_kernels[op->opcode].check(&call);
}

int nn_program_check(const void *data, uint32_t size, struct nn_failure *failure)
{
	const struct nn_program *program = data;
	enum nn_program_reason reason;
	uint32_t i;

	if (!header_is_valid(program, size))
		return fail(failure, NN_REASON_HEADER, NN_SAME_OP);

	for (i = 0; i < program->region_count; i++) {
		reason = check_region(&program_regions(program)[i]);
		if (reason)
			return fail(failure, reason, NN_SAME_OP);
	}
	for (i = 0; i < program->tensor_count; i++) {
		if (!tensor_is_valid(program, i))
			return fail(failure, NN_REASON_TENSOR, NN_SAME_OP);
	}
	for (i = 0; i < program->op_count; i++) {
		reason = check_op(program, &program_ops(program)[i]);
		if (reason)
			return fail(failure, reason, i);
	}
	failure->reason = NN_REASON_NONE;
	failure->op = NN_SAME_OP;
	return 0;
}

/* A pass */

static bool rows_fit(const struct nn_program *program, const struct nn_program_tensor *tensor,
		     const uint32_t *arg)
{
	uint32_t rows;

	if (!tensor->level)
		return true;
	rows = arg[NN_ARG_ROWS(tensor->level)];
	switch (tensor->place) {
	case NN_PLACE_REGION:
		return rows <= tensor->dims[0];
	case NN_PLACE_OUTPUT:
		return (uint64_t)arg[NN_ARG_OUT_FIRST(tensor->level)] + rows <= tensor->dims[0];
	default:
		return (uint64_t)arg[NN_ARG_FIRST(tensor->level)] + rows <=
		       tensor_rows(&program_tensors(program)[tensor->source], arg);
	}
}

static void resolve_tensor(const struct nn_run *run, uint16_t index, struct nn_tensor *out)
{
	const struct nn_program_tensor *tensor;
	uint64_t row;

	describe_tensor(run->program, index, out);
	if (!out->type)
		return;

	tensor = &program_tensors(run->program)[index];
	out->dims[0] = tensor_rows(tensor, run->arg);
	out->bytes = out->dims[0] * out->row_bytes;
	for (row = 0; tensor->place == NN_PLACE_VIEW;
	     tensor = &program_tensors(run->program)[tensor->source])
		row += run->arg[NN_ARG_FIRST(tensor->level)];
	if (tensor->place == NN_PLACE_OUTPUT)
		row += run->arg[NN_ARG_OUT_FIRST(tensor->level)];
	out->data = run->memory[tensor->source].base + tensor->offset + row * out->row_bytes;
}

static int run_op(struct nn_run *run, const struct nn_program_op *op)
{
	struct nn_call call;
	bool empty = true;
	uint32_t i;

	call.op = op;
	call.run = run;
	call.scratch = run->scratch;
	call.scratch_size = run->scratch_size;
	for (i = 0; i < NN_MAX_OP_OUTPUTS; i++) {
		resolve_tensor(run, op->output[i], &call.output[i]);
		if (call.output[i].type && call.output[i].dims[0])
			empty = false;
	}
	if (empty)
		return 0;
	for (i = 0; i < NN_MAX_OP_INPUTS; i++)
		resolve_tensor(run, op->input[i], &call.input[i]);
	call.first = call.output[0].level ? run->arg[NN_ARG_FIRST(call.output[0].level)] : 0;
	return nn_kernels[op->opcode].run(&call);
}

int nn_program_run(struct nn_run *run, struct nn_failure *failure)
{
	const struct nn_program *program = run->program;
	uint32_t i;
	int ret;

	failure->reason = NN_REASON_NONE;
	failure->op = NN_SAME_OP;
	for (i = 0; i < program->region_count; i++) {
		const struct nn_program_region *region = &program_regions(program)[i];

		if (run->memory[i].size < region->size ||
		    (region->flags & NN_REGION_WRITABLE && !run->memory[i].writable))
			return fail(failure, NN_REASON_REGION, NN_SAME_OP);
	}
	for (i = 0; i < program->tensor_count; i++) {
		if (!rows_fit(program, &program_tensors(program)[i], run->arg))
			return fail(failure, NN_REASON_ROWS, NN_SAME_OP);
	}

	for (i = 0; i < program->op_count; i++) {
		failure->op = i;
		ret = run->progress ? run->progress(run, i) : 0;
		if (ret)
			return ret;
		ret = run_op(run, &program_ops(program)[i]);
		if (ret)
			return ret;
		if (run->finished)
			run->finished(run, i);
	}
	failure->op = NN_SAME_OP;
	return 0;
}
