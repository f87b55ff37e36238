// SPDX-License-Identifier: MIT
/*
 * The interpreter: checks a program, prepares it, and runs it pass by pass.
 *
 * Three layers of checks stand between a program and the memory it names. nn_program_check() looks
 * at what is the same in every pass: the header, regions, tensors, and through each kernel's
 * check() the operands, shapes and parameters of every operator. nn_program_prepare() holds regions
 * against their memory, and nn_program_run() looks at the rows of the pass. Kernels then rely on
 * that and check nothing themselves. Whoever adds a field: check it here.
 */
#include <stddef.h>

#include "dsp/program/interpreter.h"
#include "dsp/program/kernels.h"
#include "dsp/program/share.h"

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

/* The layout of a tensor's elements in memory, in bytes. */
struct layout {
	uint64_t row_bytes;	/* of one index of dimension 0 */
	uint64_t row_pitch;	/* to the next one */
	uint64_t pitch;		/* of pixels */
	uint64_t gap;		/* between the elements of two pixels */
};

/*
 * Correct for checked tensors, whose rows are below 2^32 bytes; of others row_pitch is too large.
 */
static struct layout tensor_layout(const struct nn_program_tensor *tensor)
{
	uint64_t size = nn_type_size(tensor->type), pixels = 1;
	uint32_t last = tensor->rank > 1 ? tensor->dims[tensor->rank - 1] : 1;
	uint32_t pitch = tensor->pitch ? tensor->pitch : last;

	/* Once a product is past 32 bits it stays so, and no product is past 64. */
	for (uint32_t i = 1; i + 1 < tensor->rank && pixels <= UINT32_MAX; i++)
		pixels *= tensor->dims[i];
	if (pixels > UINT32_MAX || pitch * size > UINT32_MAX)
		return (struct layout){ .row_pitch = UINT64_MAX };
	return (struct layout){
		.row_bytes = pixels * last * size,
		.row_pitch = pixels * (pitch * size),
		.pitch = pitch * size,
		.gap = (pitch - last) * size,
	};
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

static enum nn_program_reason check_header(const struct nn_program *program, uint32_t size)
{
	uint64_t need;

	if (size < sizeof(*program) || size > NN_PROGRAM_MAX_SIZE ||
	    program->magic != NN_PROGRAM_MAGIC)
		return NN_REASON_HEADER;
	/* Whatever else another version has, it has these two where these have them. */
	if (program->version != NN_PROGRAM_VERSION &&
	    program->version != NN_PROGRAM_VERSION_COUNTS)
		return NN_REASON_VERSION;
	if (program->size != size || program->reserved[0] || program->reserved[1] ||
	    program->tensor_count >= NN_NO_TENSOR)
		return NN_REASON_HEADER;
	need = sizeof(*program) +
	       (uint64_t)program->region_count * sizeof(struct nn_program_region) +
	       (uint64_t)program->tensor_count * sizeof(struct nn_program_tensor) +
	       (uint64_t)program->op_count * sizeof(struct nn_program_op);
	return need == size ? NN_REASON_NONE : NN_REASON_HEADER;
}

static enum nn_program_reason check_region(const struct nn_program_region *region)
{
	if (region->base % 128 || (uint64_t)region->base + region->size > 1ull << 32)
		return NN_REASON_ADDRESS;
	if (region->flags & ~NN_REGION_WRITABLE || region->reserved)
		return NN_REASON_REGION;
	return NN_REASON_NONE;
}

static bool tensor_fields_are_valid(const struct nn_program_tensor *tensor, uint32_t levels,
				    struct layout *layout)
{
	if (!nn_type_size(tensor->type) || tensor->rank < 1 || tensor->rank > NN_MAX_RANK)
		return false;
	if (tensor->level >= levels || !zero_point_fits(tensor->type, tensor->zero_point))
		return false;
	for (uint32_t i = 1; i < NN_MAX_RANK; i++) {
		if ((i < tensor->rank) == !tensor->dims[i])
			return false;
	}
	if (tensor->pitch &&
	    (tensor->rank < 2 || tensor->pitch < tensor->dims[tensor->rank - 1]))
		return false;
	*layout = tensor_layout(tensor);
	return layout->row_pitch <= UINT32_MAX;
}

/* Whether its rows fit a region, all that there is room for. Behind the last pixel is no gap. */
static bool fits_region(const struct nn_program_tensor *tensor, const struct layout *layout,
			const struct nn_program_region *region)
{
	/* Below 2^64 - 2^32, both factors being below 2^32. */
	uint64_t bytes = tensor->dims[0] * layout->row_pitch;

	if (bytes)
		bytes -= layout->gap;
	return tensor->offset + bytes <= region->size;
}

/* Whether a tensor is valid where levels are below `levels`. */
static bool tensor_is_valid(const struct nn_program *program, uint32_t index, uint32_t levels)
{
	const struct nn_program_tensor *tensor = &program_tensors(program)[index], *source;
	struct layout layout;

	if (!tensor_fields_are_valid(tensor, levels, &layout))
		return false;

	switch (tensor->place) {
	case NN_PLACE_OUTPUT:
		if (!tensor->level)
			return false;
		/* fall through */
	case NN_PLACE_REGION:
		return tensor->source < program->region_count &&
		       tensor->offset % nn_type_size(tensor->type) == 0 &&
		       fits_region(tensor, &layout, &program_regions(program)[tensor->source]);
	case NN_PLACE_VIEW:
		if (tensor->source >= index || tensor->offset || tensor->pitch)
			return false;
		source = &program_tensors(program)[tensor->source];
		return tensor->level <= NN_MAX_LEVELS &&
		       nn_level_is_inside(tensor->level, source->level) &&
		       source->type == tensor->type &&
		       !source->pitch &&
		       tensor_layout(source).row_bytes == layout.row_bytes;
	}
	return false;
}

/*
 * Describes a tensor for check(), and for where run() begins: dims[0] and bytes are those of the
 * most rows.
 */
static void describe_tensor(const struct nn_program *program, uint16_t index, struct nn_tensor *out)
{
	const struct nn_program_tensor *tensor;
	struct layout layout;

	if (index == NN_NO_TENSOR) {
		out->type = 0;
		return;
	}
	tensor = &program_tensors(program)[index];
	layout = tensor_layout(tensor);
	out->data = NULL;
	out->type = tensor->type;
	out->rank = tensor->rank;
	out->level = tensor->level;
	out->packed = !tensor->level && tensor->place == NN_PLACE_REGION &&
		      tensor->offset % 128 == 0;
	out->zero_point = tensor->zero_point;
	out->dims[0] = tensor->dims[0];
	for (uint32_t i = 1; i < NN_MAX_RANK; i++)
		out->dims[i] = tensor->dims[i] ? tensor->dims[i] : 1;
	out->row_bytes = layout.row_bytes;
	out->bytes = tensor->dims[0] * layout.row_bytes;
	out->row_pitch = layout.row_pitch;
	out->pitch = layout.pitch;
}

static const struct {
	bool output;	/* can have a pitch, */
	uint8_t inputs;	/* and so can these, a bit for each */
} pitched[NN_OPCODE_END] = {
#define NN_PITCHED(ID, inputs) [NN_OPCODE_##ID] = { true, inputs },
#include "dsp/program/operators.h"
};

uint32_t nn_opcode_pitched_inputs(uint32_t opcode)
{
	return pitched[opcode].inputs;
}

/* Operands have a pitch only where the operator can have one. */
static bool pitches_are_valid(const struct nn_call *call)
{
	uint32_t inputs = pitched[call->op->opcode].inputs;
	uint32_t outputs = pitched[call->op->opcode].output;

	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++) {
		if (call->input[i].type && !nn_tensor_is_dense(&call->input[i]) &&
		    !(inputs >> i & 1))
			return false;
	}
	for (uint32_t i = 0; i < NN_MAX_OP_OUTPUTS; i++) {
		if (call->output[i].type && !nn_tensor_is_dense(&call->output[i]) &&
		    !(outputs >> i & 1))
			return false;
	}
	return true;
}

/* The words of parameters that each opcode has. */
static const uint8_t param_words[NN_OPCODE_END] = {
#define NN_PARAMS(ID, last) \
	[NN_OPCODE_##ID] = (offsetof(struct nn_program_op, last) - \
			    offsetof(struct nn_program_op, words) + \
			    sizeof(((struct nn_program_op *)NULL)->last)) / sizeof(uint32_t),
#include "dsp/program/operators.h"
};

/* Words of parameters that no kernel reads have to be 0. */
static bool params_are_known(const struct nn_program_op *op)
{
	uint32_t unknown = 0;

	for (uint32_t i = param_words[op->opcode]; i < NN_PARAM_WORDS; i++)
		unknown |= op->words[i];
	return !unknown;
}

static const bool clamped[NN_OPCODE_END] = {
#define NN_CLAMPED(ID) [NN_OPCODE_##ID] = true,
#include "dsp/program/operators.h"
};

bool nn_opcode_is_clamped(uint32_t opcode)
{
	return clamped[opcode];
}

/* Kernels that clamp look at the range. */
static bool clamp_is_known(const struct nn_call *call)
{
	uint8_t type = call->output[0].type;
	bool narrow = type == NN_TYPE_UINT8 || type == NN_TYPE_INT8 || type == NN_TYPE_INT16;

	return (narrow && clamped[call->op->opcode]) || (!call->op->out_min && !call->op->out_max);
}

static enum nn_program_reason check_op(const struct nn_program *program,
				       const struct nn_program_op *op)
{
	const struct nn_program_tensor *origin;
	struct nn_call call = { .op = op };
	enum nn_program_reason reason;
	uint32_t i;

	if (op->opcode >= NN_OPCODE_END || !nn_kernels[op->opcode].name)
		return NN_REASON_OPCODE;
	if (!params_are_known(op))
		return NN_REASON_PARAMETER;

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
	if (!pitches_are_valid(&call))
		return NN_REASON_PITCH;
	reason = nn_kernels[op->opcode].check(&call);
	if (!reason && !clamp_is_known(&call))
		reason = NN_REASON_PARAMETER;
	return reason;
}

/*
 * One of so many operators or tensors is reported as progress, while they are checked or prepared.
 */
#define REPORTED	16

/*
 * Reports operator or tensor number `i`. Non-zero ends the check: it is what the callback returned.
 */
static int report(struct nn_run *run, uint32_t i, struct nn_failure *failure)
{
	if (!run || i % REPORTED != REPORTED - 1)
		return 0;
	failure->reason = NN_REASON_NONE;
	failure->op = NN_SAME_OP;
	return run->progress(run, NN_SAME_OP);
}

int nn_program_check(const void *data, uint32_t size, struct nn_failure *failure)
{
	return nn_program_check_long(data, size, NULL, failure);
}

int nn_program_check_long(const void *data, uint32_t size, struct nn_run *run,
			  struct nn_failure *failure)
{
	const struct nn_program *program = data;
	enum nn_program_reason reason;
	uint32_t i, levels;
	int ret;

	reason = check_header(program, size);
	if (reason)
		return fail(failure, reason, NN_SAME_OP);
	levels = nn_program_has_counts(program) ? NN_LEVELS : 1 + NN_MAX_LEVELS;

	for (i = 0; i < program->region_count; i++) {
		reason = check_region(&program_regions(program)[i]);
		if (reason)
			return fail(failure, reason, NN_SAME_OP);
	}
	for (i = 0; i < program->tensor_count; i++) {
		ret = report(run, i, failure);
		if (ret)
			return ret;
		if (!tensor_is_valid(program, i, levels))
			return fail(failure, NN_REASON_TENSOR, NN_SAME_OP);
	}
	for (i = 0; i < program->op_count; i++) {
		ret = report(run, i, failure);
		if (ret)
			return ret;
		reason = check_op(program, &program_ops(program)[i]);
		if (reason)
			return fail(failure, reason, i);
	}
	failure->reason = NN_REASON_NONE;
	failure->op = NN_SAME_OP;
	return 0;
}

/* Preparing */

#define NO_ARGUMENT	NN_ARG_COUNT_ALL

#define ROWS_OF(count)		[NN_LEVEL_OF_COUNT(count)] = NN_ARG_COUNT_ROWS(count)
#define OUT_FIRST_OF(count)	[NN_LEVEL_OF_COUNT(count)] = NN_ARG_COUNT_OUT_FIRST(count)
#define EIGHT(OF, count)	OF(count), OF(count + 1), OF(count + 2), OF(count + 3), \
				OF(count + 4), OF(count + 5), OF(count + 6), OF(count + 7)

/* Arguments by level. */
static const uint8_t rows_args[NN_LEVELS] = {
	0, NN_ARG_ROWS(1), NN_ARG_ROWS(2), NN_ARG_ROWS(3), NN_ARG_ROWS(4),
	EIGHT(ROWS_OF, 0), EIGHT(ROWS_OF, 8),
};

const uint8_t nn_out_first_args[NN_LEVELS] = {
	0, NN_ARG_OUT_FIRST(1), NN_ARG_OUT_FIRST(2), NN_ARG_OUT_FIRST(3), NN_ARG_OUT_FIRST(4),
	EIGHT(OUT_FIRST_OF, 0), EIGHT(OUT_FIRST_OF, 8),
};

/*
 * Which of their rows tensors have in a pass: the same for all of one level, whose rows begin in
 * the same way. There are so many ways at most: for a region and an output of each count, which are
 * 32; for a region and an output at each loop level, and for a view of level 0, of any way of a
 * count or of any way of a lower level, 35, 70, 140 and 280. Number 0 is level 0, where views may
 * begin.
 */
#define POSITIONS	(1 + 32 + 35 + 70 + 140 + 280)

struct position {
	uint8_t rows_arg;		/* argument that says how many rows */
	uint8_t start_arg;		/* where they begin in the source, or NO_ARGUMENT: at 0 */
	uint16_t source;		/* a view's; else 0 */
	uint32_t room;			/* of the tensor that has room for the fewest rows */

	/* Set for the pass that runs. */
	uint32_t rows;
	uint32_t row;			/* the first, of the tensor in a region */
};

/* An operand that is not the same in every pass. */
struct operand {
	struct nn_tensor *tensor;
	uint8_t *base;			/* row 0 */
	uint32_t row_bytes, row_pitch;
	const struct position *position;
};

struct operation {
	struct operation *next;		/* that is not joined with it, or NULL */
	uint32_t index;			/* in the program */
	int (*run)(const struct nn_call *call);
	const struct operand *operands;
	uint32_t operand_count;
	const uint32_t *first;		/* of output 0's level */
	struct nn_call call;
};

struct nn_prepared {
	struct operation *operations;	/* the first, or NULL */
	uint32_t position_count;
	uint32_t levels;			/* the highest of loops that a tensor has */
	uint32_t first[NN_LEVELS];	/* by level, in the pass that runs; of 0 and counts 0 */
	struct position position[POSITIONS];
} __attribute__((aligned(8)));	/* numbers, operations, operands follow */

static bool has_level(const struct nn_program *program, uint16_t index)
{
	return index != NN_NO_TENSOR && program_tensors(program)[index].level;
}

/* Operands of a level other than 0. */
static uint32_t count_operands(const struct nn_program *program)
{
	const struct nn_program_op *op = program_ops(program);
	uint32_t count = 0;

	for (uint32_t i = 0; i < program->op_count; i++, op++) {
		for (uint32_t j = 0; j < NN_MAX_OP_INPUTS; j++)
			count += has_level(program, op->input[j]);
		for (uint32_t j = 0; j < NN_MAX_OP_OUTPUTS; j++)
			count += has_level(program, op->output[j]);
	}
	return count;
}

/* A position's number for each tensor. */
static uint32_t numbers_size(const struct nn_program *program)
{
	return (program->tensor_count * sizeof(uint16_t) + 7) & ~7u;
}

_Static_assert(sizeof(struct nn_prepared) + (NN_NO_TENSOR + 1) * sizeof(uint16_t) +
		       NN_PROGRAM_MAX_SIZE / sizeof(struct nn_program_op) *
			       (sizeof(struct operation) + (NN_MAX_OP_INPUTS + NN_MAX_OP_OUTPUTS) *
								   sizeof(struct operand)) <=
		       NN_PREPARED_MAX_SIZE, "of the longest program");

uint32_t nn_program_prepared_size(const struct nn_program *program)
{
	return sizeof(struct nn_prepared) + numbers_size(program) +
	       program->op_count * sizeof(struct operation) +
	       count_operands(program) * sizeof(struct operand);
}

static uint16_t find_position(struct nn_prepared *prepared, uint8_t rows_arg, uint8_t start_arg,
			      uint16_t source)
{
	struct position *position = prepared->position;
	uint32_t i;

	for (i = 1; i < prepared->position_count; i++) {
		if (position[i].rows_arg == rows_arg && position[i].start_arg == start_arg &&
		    position[i].source == source)
			return i;
	}
	position[i] = (struct position){ rows_arg, start_arg, source, .room = UINT32_MAX };
	prepared->position_count++;
	return i;
}

/* All positions, and which of them each tensor has, whether an operator uses it or not. */
static void prepare_positions(struct nn_prepared *prepared, const struct nn_program *program,
			      uint16_t *number)
{
	const struct nn_program_tensor *tensor = program_tensors(program), *limit;
	struct position *position;

	prepared->position[0] = (struct position){ .rows = UINT32_MAX };
	prepared->position_count = 1;
	prepared->levels = 0;
	prepared->first[0] = 0;
	for (uint32_t i = 0; i < program->tensor_count; i++, tensor++) {
		uint16_t source = 0;
		uint8_t start = NO_ARGUMENT;

		number[i] = 0;
		if (!tensor->level)
			continue;
		if (tensor->level > prepared->levels)
			prepared->levels = tensor->level;
		limit = tensor;
		if (tensor->place == NN_PLACE_OUTPUT) {
			start = nn_out_first_args[tensor->level];
		} else if (tensor->place == NN_PLACE_VIEW) {
			start = NN_ARG_FIRST(tensor->level);
			source = number[tensor->source];
			limit = &program_tensors(program)[tensor->source];
		}
		number[i] = find_position(prepared, rows_args[tensor->level], start, source);
		position = &prepared->position[number[i]];
		/* The source's rows are the limit of a view of another level. */
		if (!source && limit->dims[0] < position->room)
			position->room = limit->dims[0];
	}
	if (prepared->levels <= NN_MAX_LEVELS)
		return;
	prepared->levels = NN_MAX_LEVELS;
	for (uint32_t i = NN_LEVEL_OF_COUNT(0); i < NN_LEVELS; i++)
		prepared->first[i] = 0;
}

/* An operand's description; true if it goes on to the list. */
static bool prepare_operand(struct nn_prepared *prepared, const struct nn_program *program,
			    const struct nn_memory *memory, const uint16_t *number, uint16_t index,
			    struct nn_tensor *tensor, struct operand *operand)
{
	const struct nn_program_tensor *origin;

	describe_tensor(program, index, tensor);
	if (!tensor->type)
		return false;
	origin = view_origin(program, &program_tensors(program)[index]);
	/* An empty region may have no memory. */
	tensor->data = (uint8_t *)((uintptr_t)memory[origin->source].base + origin->offset);
	if (!tensor->level)
		return false;
	*operand = (struct operand){
		.tensor = tensor,
		.base = tensor->data,
		.position = &prepared->position[number[index]],
		.row_bytes = tensor->row_bytes,
		.row_pitch = tensor->row_pitch,
	};
	return true;
}

/* Whether two operands are the same rows of the same memory, as many bytes at the same offsets. */
static bool lie_together(const struct nn_program *program, uint16_t a, uint16_t b)
{
	const struct nn_program_tensor *x, *y;
	struct layout of_x, of_y;

	if (a == NN_NO_TENSOR || b == NN_NO_TENSOR)
		return false;
	x = &program_tensors(program)[a];
	y = &program_tensors(program)[b];
	if (x->offset != y->offset || x->source != y->source || x->place != y->place ||
	    x->level != y->level || x->dims[0] != y->dims[0])
		return false;
	of_x = tensor_layout(x);
	of_y = tensor_layout(y);
	/* Pixels with as many bytes and the same pitch have the same gaps. */
	return of_x.row_bytes == of_y.row_bytes && of_x.row_pitch == of_y.row_pitch &&
	       of_x.gap == of_y.gap;
}

/* Whether an operator is in place of the output of one before it, whose kernel joins it. */
static bool is_fused(const struct nn_program *program, const struct operation *lead,
		     const struct operation *operation)
{
	const struct nn_program_op *op = operation->call.op;
	uint16_t output = lead->call.op->output[0];

	return lie_together(program, output, op->output[0]) &&
	       (lie_together(program, output, op->input[0]) ||
		lie_together(program, output, op->input[1])) &&
	       nn_call_fuses(&lead->call, &operation->call);
}

struct nn_prepared *nn_program_prepare(const struct nn_program *program,
				       const struct nn_memory *memory, void *room,
				       struct nn_failure *failure)
{
	return nn_program_prepare_long(program, memory, room, NULL, failure);
}

struct nn_prepared *nn_program_prepare_long(const struct nn_program *program,
					    const struct nn_memory *memory, void *room,
					    struct nn_run *run, struct nn_failure *failure)
{
	struct nn_prepared *prepared = room;
	uint16_t *number = (uint16_t *)(prepared + 1);
	struct operation *operation =
		(struct operation *)((uint8_t *)number + numbers_size(program));
	struct operand *operand = (struct operand *)(operation + program->op_count);
	struct operation *lead = NULL;		/* that those behind it may join, */
	const uint8_t *written = NULL;		/* and its output */
	const struct nn_program_op *op = program_ops(program);

	for (uint32_t i = 0; i < program->region_count; i++) {
		const struct nn_program_region *region = &program_regions(program)[i];

		if (memory[i].size < region->size ||
		    (region->flags & NN_REGION_WRITABLE && !memory[i].writable)) {
			fail(failure, NN_REASON_REGION, NN_SAME_OP);
			return NULL;
		}
	}

	prepared->operations = program->op_count ? operation : NULL;
	prepare_positions(prepared, program, number);
	for (uint32_t i = 0; i < program->op_count; i++, op++, operation++) {
		struct nn_call *call = &operation->call;

		if (report(run, i, failure))
			return NULL;
		*operation = (struct operation){
			.next = operation + 1,
			.index = i,
			.run = nn_kernels[op->opcode].run,
			.operands = operand,
		};
		call->op = op;
		for (uint32_t j = 0; j < NN_MAX_OP_OUTPUTS; j++)
			operand += prepare_operand(prepared, program, memory, number, op->output[j],
						   &call->output[j], operand);
		for (uint32_t j = 0; j < NN_MAX_OP_INPUTS; j++)
			operand += prepare_operand(prepared, program, memory, number, op->input[j],
						   &call->input[j], operand);
		operation->operand_count = operand - operation->operands;
		operation->first = &prepared->first[call->output[0].level];
		if (call->output[0].data == written && lead &&
		    is_fused(program, lead, operation)) {
			/*
			 * Its operands, which follow in the list, get their rows with the others.
			 */
			lead->operand_count = operand - lead->operands;
			lead->next = operation->next;
			operation[-1].call.next = call;
		} else {
			lead = operation;
			written = call->output[0].data;
		}
	}
	if (lead)
		lead->next = NULL;
	return prepared;
}

/* A pass */

/* Sets where each tensor is in this pass. False: its rows do not fit. */
static bool place_rows(struct nn_prepared *prepared, const uint32_t *arg)
{
	for (uint32_t level = 1; level <= prepared->levels; level++)
		prepared->first[level] = arg[NN_ARG_FIRST(level)];
	for (uint32_t i = 1; i < prepared->position_count; i++) {
		struct position *position = &prepared->position[i];
		const struct position *source = &prepared->position[position->source];
		uint32_t room = position->room < source->rows ? position->room : source->rows;
		uint32_t start = 0;

		if (position->start_arg != NO_ARGUMENT)
			start = arg[position->start_arg];
		position->rows = arg[position->rows_arg];
		if (position->rows > room || start > room - position->rows)
			return false;
		position->row = source->row + start;
	}
	return true;
}

static bool has_output(const struct nn_call *call)
{
	for (uint32_t i = 0; i < NN_MAX_OP_OUTPUTS; i++) {
		if (call->output[i].type && call->output[i].dims[0])
			return true;
	}
	return false;
}

/* The operands' rows in this pass. False: there is nothing to do. */
static inline bool place_operands(struct operation *operation)
{
	const struct operand *operand = operation->operands;
	const struct nn_call *call = &operation->call;

	/* Two or three, as a rule. */
#ifdef __clang__
#pragma clang loop unroll(disable)
#endif
	for (uint32_t i = operation->operand_count; i > 0; i--, operand++) {
		uint32_t rows = operand->position->rows, row = operand->position->row;
		struct nn_tensor *tensor = operand->tensor;

		tensor->data = (uint8_t *)((uintptr_t)operand->base +
					   (uint64_t)row * operand->row_pitch);
		tensor->dims[0] = rows;
		tensor->bytes = (uint64_t)rows * operand->row_bytes;
	}
	/* An operand that is absent has no rows. */
	return __builtin_expect(!!call->output[0].dims[0], 1) || has_output(call);
}

static inline int run_call(struct nn_run *run, const struct operation *operation,
			   struct nn_call *call)
{
	call->run = run;
	call->first = *operation->first;
	call->scratch = run->scratch;
	call->scratch_size = run->scratch_size;
	return operation->run(call);
}

static int run_operation(struct nn_run *run, struct operation *operation)
{
	return place_operands(operation) ? run_call(run, operation, &operation->call) : 0;
}

int nn_program_run(struct nn_run *run, struct nn_failure *failure)
{
	struct nn_prepared *prepared = run->prepared;
	struct operation *operation = prepared->operations;
	int ret;

	failure->reason = NN_REASON_NONE;
	failure->op = NN_SAME_OP;
	if (!place_rows(prepared, run->arg))
		return fail(failure, NN_REASON_ROWS, NN_SAME_OP);

	for (; operation; operation = operation->next) {
		ret = run->progress ? run->progress(run, operation->index) : 0;
		if (!ret)
			ret = run_operation(run, operation);
		if (ret) {
			failure->op = operation->index;
			return ret;
		}
		if (run->finished)
			run->finished(run, operation->index);
	}
	return 0;
}

/* A pass by several workers */

/* An operator which has its operands: parts begin .. end - 1 of `parts`. */
static int run_parts(struct nn_run *run, const struct operation *operation, uint32_t parts,
		     uint32_t begin, uint32_t end)
{
	struct nn_call call = operation->call;
	struct nn_program_op op;
	int ret = run->progress ? run->progress(run, operation->index) : 0;

	if (ret)
		return ret;
	if (parts > 1)
		nn_call_take_parts(&call, &op, begin, end);
	ret = run_call(run, operation, &call);
	if (!ret && run->finished)
		run->finished(run, operation->index);
	return ret;
}

uint32_t nn_program_count_parts(const struct nn_program *program, uint32_t op)
{
	struct nn_call call = { .op = &program_ops(program)[op] };

	describe_tensor(program, call.op->output[0], &call.output[0]);
	return nn_call_parts(&call);
}

bool nn_program_op_has_vectors(const struct nn_program *program, uint32_t op)
{
	struct nn_call call = { .op = &program_ops(program)[op] };

	for (uint32_t i = 0; i < NN_MAX_OP_INPUTS; i++)
		describe_tensor(program, call.op->input[i], &call.input[i]);
	for (uint32_t i = 0; i < NN_MAX_OP_OUTPUTS; i++)
		describe_tensor(program, call.op->output[i], &call.output[i]);
	return nn_call_has_vectors(&call);
}

int nn_program_run_share(struct nn_run *run, const struct nn_share *share,
			 struct nn_failure *failure)
{
	struct nn_prepared *prepared = run->prepared;
	struct operation *operation = prepared->operations;
	bool has_run = false, were_several = false;	/* of operators before: any, the last one */
	int ret;

	failure->reason = NN_REASON_NONE;
	failure->op = NN_SAME_OP;
	/* First: where a pass fails, all have done the one before. */
	ret = share->barrier(run);
	if (ret)
		return ret;
	if (!place_rows(prepared, run->arg))
		return fail(failure, NN_REASON_ROWS, NN_SAME_OP);

	for (; operation; operation = operation->next) {
		uint32_t parts, begin, end;

		if (!place_operands(operation))
			continue;
		parts = nn_call_parts(&operation->call);
		begin = nn_share_begin(parts, share->index, share->count);
		end = nn_share_begin(parts, share->index + 1, share->count);
		if (has_run && (were_several || parts > 1))
			ret = share->barrier(run);
		has_run = true;
		were_several = parts > 1;
		if (!ret && begin < end)
			ret = run_parts(run, operation, parts, begin, end);
		if (ret) {
			failure->op = operation->index;
			return ret;
		}
	}
	return 0;
}
