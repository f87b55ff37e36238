// SPDX-License-Identifier: MIT
/*
 * The interpreter on the host, with sanitizers: each reason to refuse a program has a program that
 * is refused for it, rows are checked pass by pass, and randomly damaged programs are refused or
 * run within their memory.
 */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dsp/program/interpreter.h"
#include "dsp/kernels/weights.h"
#include "tensor.h"

#define REGION_SIZE	32768u
#define MUTATIONS	20000

enum { CONSTANTS, ARENA, INPUT, OUTPUT, REGIONS };

static struct {
	struct nn_program header;
	struct nn_program_region region[REGIONS];
	struct nn_program_tensor tensor[96];
	struct nn_program_op op[32];
} parts;

static uint32_t tensors, ops, region_used[REGIONS];
static uint8_t program[sizeof(parts)] __attribute__((aligned(8)));
static uint32_t program_size;
static uint8_t scratch[NN_SCRATCH_SIZE] __attribute__((aligned(128)));

static int tests, failed;

static void result(int ok, const char *name)
{
	tests++;
	failed += !ok;
	printf("%sok %d %s\n", ok ? "" : "not ", tests, name);
}

/* A program of every operator */

static uint16_t place_tensor(uint8_t type, uint8_t level, uint8_t place, uint32_t source,
			     uint32_t rank, const uint32_t *dims)
{
	struct nn_program_tensor *tensor = &parts.tensor[tensors];
	uint32_t bytes = nn_type_size(type);

	tensor->type = type;
	tensor->rank = rank;
	tensor->level = level;
	tensor->place = place;
	tensor->source = source;
	for (uint32_t i = 0; i < rank; i++) {
		tensor->dims[i] = dims[i];
		bytes *= dims[i];
	}
	if (place != NN_PLACE_VIEW) {
		tensor->offset = region_used[source];
		region_used[source] += (bytes + 127) / 128 * 128;
		if (region_used[source] > REGION_SIZE)
			abort();
	}
	return tensors++;
}

static uint16_t constant(uint8_t type, uint32_t elements)
{
	return place_tensor(type, 0, NN_PLACE_REGION, CONSTANTS, DIMS(elements));
}

static uint16_t scales(uint32_t lanes)
{
	return place_tensor(NN_TYPE_INT32, 0, NN_PLACE_REGION, CONSTANTS,
			    DIMS(NN_SCALE_ROWS, lanes));
}

static uint16_t arena(uint8_t type, uint32_t rank, const uint32_t *dims)
{
	return place_tensor(type, 1, NN_PLACE_REGION, ARENA, rank, dims);
}

/* Channels of another one, from number `first` on. */
static uint16_t part(uint16_t whole, uint32_t first, uint32_t channels)
{
	struct nn_program_tensor *tensor = &parts.tensor[tensors];
	uint32_t last = parts.tensor[whole].rank - 1;

	*tensor = parts.tensor[whole];
	tensor->offset += first * nn_type_size(tensor->type);
	tensor->pitch = tensor->dims[last];
	tensor->dims[last] = channels;
	return tensors++;
}

static struct nn_program_op *add_op(enum nn_opcode opcode, const uint16_t *inputs, uint32_t count,
				    uint16_t output)
{
	struct nn_program_op *op = &parts.op[ops++];

	memset(op->input, 0xff, sizeof(op->input));
	memset(op->output, 0xff, sizeof(op->output));
	memcpy(op->input, inputs, count * sizeof(*inputs));
	op->output[0] = output;
	op->opcode = opcode;
	op->node = 100 + ops;
	if (nn_opcode_is_clamped(opcode) && parts.tensor[output].type != NN_TYPE_INT32)
		op->out_max = 127;
	return op;
}

#define ADD_OP(opcode, output, ...) add_op(opcode, (const uint16_t[]){ __VA_ARGS__ }, \
					   sizeof((const uint16_t[]){ __VA_ARGS__ }) / 2, output)

static void set_window(struct nn_program_op *op, uint32_t kernel, uint32_t stride, uint32_t pad)
{
	op->window = square_window(kernel, stride, 1, pad);
}

static void set_average(struct nn_program_op *op)
{
	set_window(op, 2, 2, 1);
	op->average_float.scale_input = 0.1f;
	op->average_float.scale_output = 0.2f;
}

/* Indices of what the targeted tests damage. */
static uint16_t batch, view, placed, first_pitched;
/* Indices of operators of the program. */
#define RAW		7
#define AVERAGED	13
#define ADDED		14

/* Windows, of which some are of what was made between. */
static void build_pitched_windows(uint16_t whole, uint16_t raw)
{
	struct nn_program_op *op;

	set_window(ADD_OP(NN_OPCODE_MAX_POOL, part(whole, 7, 4), part(whole, 1, 4)), 3, 1, 1);
	op = ADD_OP(NN_OPCODE_AVERAGE_POOL, part(whole, 0, 3), part(whole, 8, 3));
	set_window(op, 3, 1, 1);
	op->window.multiplier = 1 << 30;
	op->window.shift = 36;
	set_average(ADD_OP(NN_OPCODE_AVERAGE_POOL_FLOAT, part(whole, 4, 2), part(whole, 10, 2)));
	set_window(ADD_OP(NN_OPCODE_AVERAGE_POOL_AWAY, part(whole, 2, 5), part(whole, 7, 5)),
		   3, 1, 1);
	set_window(ADD_OP(NN_OPCODE_DEPTHWISE_CONV2D, part(whole, 6, 6), part(whole, 1, 3),
			  constant(NN_TYPE_INT8, depthwise_weight_bytes(6, 3, 3)),
			  constant(NN_TYPE_INT32, 64), scales(64)),
		   3, 1, 1);
	set_window(ADD_OP(NN_OPCODE_DEPTHWISE_CONV2D, part(raw, 1, 4), part(whole, 3, 4),
			  constant(NN_TYPE_INT8, depthwise_weight_bytes(4, 2, 2)),
			  constant(NN_TYPE_INT32, 64)),
		   2, 1, 0);
}

/*
 * All that can read or write channels of another tensor, some of it in place or between its pixels.
 */
static void build_pitched(uint16_t images)
{
	uint16_t whole = arena(NN_TYPE_UINT8, DIMS(4, 2, 2, 12)), x = part(whole, 5, 4);
	uint16_t raw = arena(NN_TYPE_INT32, DIMS(4, 1, 1, 9));
	uint16_t resized = arena(NN_TYPE_INT8, DIMS(4, 5, 3, 7));

	first_pitched = whole;
	set_window(ADD_OP(NN_OPCODE_CONV2D, part(whole, 0, 5), images,
			  constant(NN_TYPE_UINT8, conv2d_weight_bytes(5, 3, 3, 3)),
			  constant(NN_TYPE_INT32, 32), scales(32)),
		   3, 3, 0);
	ADD_OP(NN_OPCODE_TABLE, x, part(whole, 1, 4), constant(NN_TYPE_UINT8, 256));
	ADD_OP(NN_OPCODE_ADD, x, part(whole, 0, 4), x)->add =
		(struct nn_add_params){ 1 << 20, 1 << 20, 20 };
	ADD_OP(NN_OPCODE_ADD_FLOAT, part(whole, 9, 3), part(whole, 6, 3), part(whole, 2, 3))
		->add_float = (struct nn_add_float_params){ 0.1f, 0.2f, 0.3f, NN_ADD_DEQUANTIZED };
	set_window(ADD_OP(NN_OPCODE_CONV2D, part(raw, 2, 6), part(whole, 4, 8),
			  constant(NN_TYPE_UINT8, conv2d_weight_bytes(6, 2, 2, 8)),
			  constant(NN_TYPE_INT32, 32)),
		   2, 1, 0);
	ADD_OP(NN_OPCODE_RESIZE, part(resized, 3, 3), images, constant(NN_TYPE_INT32, 5),
	       constant(NN_TYPE_INT32, 3));
	ADD_OP(NN_OPCODE_COPY, arena(NN_TYPE_UINT8, DIMS(4, 16)), whole)->copy =
		(struct nn_copy_params){ 4, 4, 5, 12, 0, 4 };
	build_pitched_windows(whole, raw);
}

static void build_program(void)
{
	uint16_t x, y, z, sum, raw, flat, pooled;
	struct nn_program_op *op;

	batch = place_tensor(NN_TYPE_INT8, 0, NN_PLACE_REGION, INPUT, DIMS(11, 6, 6, 3));
	view = place_tensor(NN_TYPE_INT8, 1, NN_PLACE_VIEW, batch, DIMS(4, 6, 6, 3));
	x = arena(NN_TYPE_UINT8, DIMS(4, 6, 6, 5));
	set_window(ADD_OP(NN_OPCODE_CONV2D, x, view,
			  constant(NN_TYPE_UINT8, conv2d_weight_bytes(5, 3, 3, 3)),
			  constant(NN_TYPE_INT32, 32), scales(32)),
		   3, 1, 1);
	y = arena(NN_TYPE_INT8, DIMS(4, 3, 3, 5));
	set_window(ADD_OP(NN_OPCODE_DEPTHWISE_CONV2D, y, x,
			  constant(NN_TYPE_INT8, depthwise_weight_bytes(5, 3, 3)),
			  constant(NN_TYPE_INT32, 64), scales(64)),
		   3, 2, 1);
	pooled = y;
	z = arena(NN_TYPE_INT8, DIMS(4, 2, 2, 5));
	set_window(ADD_OP(NN_OPCODE_MAX_POOL, z, y), 2, 2, 0);
	sum = arena(NN_TYPE_UINT8, DIMS(4, 2, 2, 5));
	op = ADD_OP(NN_OPCODE_AVERAGE_POOL, sum, y);
	set_window(op, 2, 2, 1);
	op->window.multiplier = 1 << 30;
	op->window.shift = 36;
	ADD_OP(NN_OPCODE_ADD, z, sum, z)->add = (struct nn_add_params){ 1 << 20, 1 << 20, 20 };
	ADD_OP(NN_OPCODE_TABLE, sum, z, constant(NN_TYPE_UINT8, 256));
	flat = arena(NN_TYPE_UINT8, DIMS(4, 30));
	ADD_OP(NN_OPCODE_COPY, flat, sum)->copy = (struct nn_copy_params){ 4, 5, 0, 5, 3, 6 };
	raw = arena(NN_TYPE_INT32, DIMS(4, 10));
	ADD_OP(NN_OPCODE_FULLY_CONNECTED, raw, flat,
	       constant(NN_TYPE_UINT8, conv2d_weight_bytes(10, 1, 1, 30)),
	       constant(NN_TYPE_INT32, 32));
	x = arena(NN_TYPE_UINT8, DIMS(4, 10));
	ADD_OP(NN_OPCODE_REQUANTIZE, x, raw, scales(64));
	y = arena(NN_TYPE_INT8, DIMS(4, 3, 6, 6));
	memcpy(ADD_OP(NN_OPCODE_TRANSPOSE, y, view)->transpose.permutation,
	       (uint32_t[]){ 0, 3, 1, 2 }, 16);
	ADD_OP(NN_OPCODE_ROTATE_ROWS, arena(NN_TYPE_INT8, DIMS(4, 6, 6, 3)), batch);
	ADD_OP(NN_OPCODE_ROW_NUMBERS, arena(NN_TYPE_INT32, DIMS(4)), batch);
	ADD_OP(NN_OPCODE_CROP_RESIZE, arena(NN_TYPE_INT8, DIMS(4, 4, 5, 3)), view,
	       place_tensor(NN_TYPE_INT32, 1, NN_PLACE_REGION, INPUT, DIMS(4, 4)),
	       place_tensor(NN_TYPE_INT32, 1, NN_PLACE_REGION, INPUT, DIMS(4)));
	sum = arena(NN_TYPE_UINT8, DIMS(4, 2, 2, 5));
	set_average(ADD_OP(NN_OPCODE_AVERAGE_POOL_FLOAT, sum, pooled));
	ADD_OP(NN_OPCODE_ADD_FLOAT, arena(NN_TYPE_INT8, DIMS(4, 2, 2, 5)), sum, sum)->add_float =
		(struct nn_add_float_params){ 0.1f, 0.2f, 0.3f, NN_ADD_DEQUANTIZED };
	placed = place_tensor(NN_TYPE_UINT8, 1, NN_PLACE_OUTPUT, OUTPUT, DIMS(11, 10));
	ADD_OP(NN_OPCODE_COPY, placed, x)->copy = (struct nn_copy_params){ 1, 10, 0, 0, 0, 0 };
	build_pitched(view);

	for (uint32_t i = 0; i < REGIONS; i++) {
		parts.region[i].base = 0x80000000u + i * REGION_SIZE;
		parts.region[i].size = REGION_SIZE;
	}
	parts.region[ARENA].flags = parts.region[OUTPUT].flags = NN_REGION_WRITABLE;
}

/* Assembles `program` from `parts`. */
static void assemble(void)
{
	uint8_t *to = program;

	parts.header.magic = NN_PROGRAM_MAGIC;
	parts.header.version = NN_PROGRAM_VERSION;
	parts.header.region_count = REGIONS;
	parts.header.tensor_count = tensors;
	parts.header.op_count = ops;
	program_size = sizeof(parts.header) + sizeof(parts.region) +
		       tensors * sizeof(parts.tensor[0]) + ops * sizeof(parts.op[0]);
	parts.header.size = program_size;
	memcpy(to, &parts.header, sizeof(parts.header));
	to += sizeof(parts.header);
	memcpy(to, parts.region, sizeof(parts.region));
	to += sizeof(parts.region);
	memcpy(to, parts.tensor, tensors * sizeof(parts.tensor[0]));
	to += tensors * sizeof(parts.tensor[0]);
	memcpy(to, parts.op, ops * sizeof(parts.op[0]));
}

static struct nn_program_region *region_of(uint32_t i)
{
	return &((struct nn_program_region *)(program + sizeof(struct nn_program)))[i];
}

static struct nn_program_tensor *tensor_of(uint32_t i)
{
	return &((struct nn_program_tensor *)region_of(REGIONS))[i];
}

static struct nn_program_op *op_of(uint32_t i)
{
	return &((struct nn_program_op *)tensor_of(tensors))[i];
}

/* Passes */

static int calls, limit;

static int count_progress(struct nn_run *run, uint32_t op)
{
	(void)run;
	(void)op;
	return ++calls == limit ? 77 : 0;
}

/* Each region is an allocation of its own, so that a byte outside of it is found. */
static int run_pass(const uint32_t *arg, struct nn_failure *failure)
{
	const struct nn_program *header = (const struct nn_program *)program;
	struct nn_memory *memory = calloc(header->region_count + 1, sizeof(*memory));
	void *room = malloc(nn_program_prepared_size(header));
	struct nn_run run = {
		.arg = arg,
		.scratch = scratch,
		.scratch_size = sizeof(scratch),
		.progress = count_progress,
	};
	const struct nn_program_region *region = (const void *)(header + 1);
	int ret;

	for (uint32_t i = 0; i < header->region_count; i++) {
		memory[i].size = region[i].size;
		memory[i].base = malloc(region[i].size);
		memset(memory[i].base, i == CONSTANTS ? 0x3d : 0x11, region[i].size);
		memory[i].writable = region[i].flags & NN_REGION_WRITABLE;
	}
	calls = 0;
	run.prepared = nn_program_prepare(header, memory, room, failure);
	ret = run.prepared ? nn_program_run(&run, failure) : -1;
	free(room);
	for (uint32_t i = 0; i < header->region_count; i++)
		free(memory[i].base);
	free(memory);
	return ret;
}

static const uint32_t four_rows[NN_ARG_COUNT] = { 4, 4, 4 };

static void test_valid(void)
{
	struct nn_failure failure;

	assemble();
	result(!nn_program_check(program, program_size, &failure),
	       "a program of every operator is accepted");
	result(!run_pass(four_rows, &failure) && calls >= (int)ops,
	       "and runs, reporting progress for each operator");
	limit = 10;
	result(run_pass(four_rows, &failure) == 77 && calls == 10,
	       "it stops when progress() says so");
	limit = 0;
}

/* Checking and preparing a long program is reported, too, and can be ended at each report. */
static void test_long(void)
{
	const struct nn_program *header = (const struct nn_program *)program;
	const struct nn_memory memory[REGIONS] = {
		[0 ... REGIONS - 1] = { NULL, REGION_SIZE, true },
	};
	struct nn_run run = { .progress = count_progress };
	struct nn_failure failure;
	int all, check, i;
	bool good = true;
	void *room;

	assemble();
	room = malloc(nn_program_prepared_size(header));
	calls = 0;
	good &= !nn_program_check_long(program, program_size, &run, &failure);
	check = calls;
	good &= nn_program_prepare_long(header, memory, room, &run, &failure) != NULL;
	all = calls;
	result(good && check >= (int)(tensors + ops) / 32 && all - check >= (int)ops / 32,
	       "a long program is checked and prepared with reports of progress");
	for (i = 1; i <= all; i++) {
		calls = 0;
		limit = i;
		failure.reason = NN_REASON_TENSOR;
		if (i <= check) {
			good &= nn_program_check_long(program, program_size, &run, &failure) == 77;
		} else {
			good &= !nn_program_check_long(program, program_size, &run, &failure);
			good &= !nn_program_prepare_long(header, memory, room, &run, &failure);
		}
		good &= failure.reason == NN_REASON_NONE && calls == i;
	}
	limit = 0;
	free(room);
	result(good, "each of them can end that");
}

/* Targeted damage */

#define DAMAGE(name) static void name(void)

DAMAGE(magic) { program[0] ^= 1; }
DAMAGE(version) { ((struct nn_program *)program)->version = NN_PROGRAM_VERSION_COUNTS + 1; }
DAMAGE(version_before) { ((struct nn_program *)program)->version = NN_PROGRAM_VERSION - 1; }
DAMAGE(version_of_other_size)
{
	((struct nn_program *)program)->version = NN_PROGRAM_VERSION_COUNTS + 1;
	((struct nn_program *)program)->size += 8;
	((struct nn_program *)program)->reserved[0] = 1;
}
DAMAGE(header_size) { ((struct nn_program *)program)->size -= 4; }
DAMAGE(count) { ((struct nn_program *)program)->op_count++; }
DAMAGE(huge_count) { ((struct nn_program *)program)->tensor_count = 0x80000000u; }
DAMAGE(reserved) { ((struct nn_program *)program)->reserved[1] = 1; }
DAMAGE(region_base) { region_of(1)->base += 64; }
DAMAGE(region_end) { region_of(1)->base = 0xffffff80u; }
DAMAGE(region_flags) { region_of(1)->flags |= 2; }
DAMAGE(region_reserved) { region_of(0)->reserved = 1; }
DAMAGE(tensor_type) { tensor_of(0)->type = 7; }
DAMAGE(tensor_rank) { tensor_of(0)->rank = 9; }
DAMAGE(tensor_level) { tensor_of(view)->level = 5; }
DAMAGE(tensor_place) { tensor_of(0)->place = 3; }
DAMAGE(tensor_region) { tensor_of(0)->source = REGIONS; }
DAMAGE(tensor_offset) { tensor_of(batch)->offset = REGION_SIZE - 11 * 6 * 6 * 3 + 1; }
DAMAGE(tensor_align) { tensor_of(op_of(0)->input[2])->offset += 2; }
DAMAGE(tensor_dims)
{
	tensor_of(0)->dims[1] = tensor_of(0)->dims[2] = tensor_of(0)->dims[3] = 0x10000;
}
DAMAGE(tensor_zero_dim) { tensor_of(0)->dims[2] = 0; }
DAMAGE(tensor_surplus_dim) { tensor_of(0)->dims[5] = 1; }
DAMAGE(tensor_zero_point) { tensor_of(0)->zero_point = 128; }
DAMAGE(view_later) { tensor_of(view)->source = view; }
DAMAGE(view_level) { tensor_of(batch)->level = 1; }
DAMAGE(view_type) { tensor_of(view)->type = NN_TYPE_UINT8; }
DAMAGE(view_row) { tensor_of(view)->dims[3] = 4; }
DAMAGE(view_offset) { tensor_of(view)->offset = 4; }
DAMAGE(output_level) { tensor_of(placed)->level = 0; }
DAMAGE(opcode_zero) { op_of(2)->opcode = 0; }
DAMAGE(opcode_end) { op_of(2)->opcode = NN_OPCODE_END; }
DAMAGE(input_missing) { op_of(0)->input[0] = NN_NO_TENSOR; }
DAMAGE(input_surplus) { op_of(2)->input[1] = 0; }
DAMAGE(input_index) { op_of(0)->input[0] = tensors; }
DAMAGE(input_type) { tensor_of(op_of(8)->input[0])->type = NN_TYPE_FLOAT32; }
DAMAGE(output_missing) { op_of(0)->output[0] = NN_NO_TENSOR; }
DAMAGE(output_index) { op_of(0)->output[0] = tensors; }
DAMAGE(output_read_only) { region_of(ARENA)->flags = 0; }
DAMAGE(constant_unaligned) { tensor_of(op_of(0)->input[3])->offset += 4; }
DAMAGE(weights_short) { tensor_of(op_of(0)->input[1])->dims[0]--; }
DAMAGE(scales_short) { tensor_of(op_of(0)->input[3])->dims[1] = 5; }
DAMAGE(scales_of_another_kind) { tensor_of(op_of(0)->input[3])->dims[0]--; }
DAMAGE(scales_not_repeated) { tensor_of(op_of(1)->input[3])->dims[1] = 32; }
DAMAGE(bias_short) { tensor_of(op_of(0)->input[2])->dims[0] = 5; }
DAMAGE(channels) { tensor_of(op_of(2)->output[0])->dims[3] = 4; }
DAMAGE(window_outside) { op_of(0)->window.stride_h = 2; }
DAMAGE(rows_differ) { tensor_of(op_of(2)->input[0])->level = 2; }
DAMAGE(copy_too_long) { op_of(6)->copy.count = 6; }
DAMAGE(copy_wraps) { op_of(6)->copy.dst_stride = 0xfffffff0u; }
DAMAGE(kernel_zero) { op_of(0)->window.kernel_w = 0; }
DAMAGE(stride_zero) { op_of(0)->window.stride_w = 0; }
DAMAGE(pad_too_wide) { op_of(0)->window.pad_left = 3; }
DAMAGE(clamp_empty) { op_of(0)->out_min = 128; }
DAMAGE(clamp_outside) { op_of(1)->out_max = 128; }
DAMAGE(clamp_of_copy) { op_of(6)->out_max = 127; }
DAMAGE(clamp_of_copy_below) { op_of(6)->out_min = -1; }
DAMAGE(clamp_of_sums) { op_of(RAW)->out_max = 127; }
DAMAGE(average_multiplier) { op_of(3)->window.multiplier = 5; }
DAMAGE(average_shift) { op_of(3)->window.shift = 32; }
DAMAGE(average_order) { op_of(AVERAGED)->average_float.order = NN_AVERAGE_ORDERS; }
DAMAGE(average_zero) { op_of(AVERAGED)->average_float.scale_input = 0; }
DAMAGE(average_infinite) { op_of(AVERAGED)->average_float.scale_output = __builtin_inff(); }
DAMAGE(average_integers) { op_of(AVERAGED)->window.shift = 36; }
DAMAGE(average_padding) { op_of(AVERAGED)->window.count_padding = 2; }
DAMAGE(sum_form) { op_of(ADDED)->add_float.form = NN_ADD_FORMS; }
DAMAGE(sum_negative) { op_of(ADDED)->add_float.scale_a = -1; }
DAMAGE(sum_subnormal) { op_of(ADDED)->add_float.scale_b = 1e-40f; }
DAMAGE(sum_no_number) { op_of(ADDED)->add_float.scale_output = __builtin_nanf(""); }
DAMAGE(add_shift) { op_of(4)->add.shift = 31; }
DAMAGE(copy_overlaps) { op_of(6)->copy.dst_stride = 4; }
DAMAGE(permutation_twice) { op_of(9)->transpose.permutation[1] = 1; }
DAMAGE(params_of_averages) { op_of(0)->window.count_padding = 1; }
DAMAGE(params_of_none) { op_of(5)->words[0] = 1; }
DAMAGE(params_behind) { op_of(4)->words[3] = 1; }
DAMAGE(params_last) { op_of(9)->words[NN_PARAM_WORDS - 1] = 0x80000000u; }
DAMAGE(permutation_rows)
{
	op_of(9)->transpose.permutation[0] = 3;
	op_of(9)->transpose.permutation[1] = 0;
}

static const struct {
	void (*damage)(void);
	const char *name;
	enum nn_program_reason reason;
	int op;			/* -1: none in particular */
} cases[] = {
	{ magic, "magic", NN_REASON_HEADER, -1 },
	{ version, "version", NN_REASON_VERSION, -1 },
	{ version_before, "version before", NN_REASON_VERSION, -1 },
	{ version_of_other_size, "version of another form", NN_REASON_VERSION, -1 },
	{ header_size, "size in the header", NN_REASON_HEADER, -1 },
	{ count, "one operator more than there is", NN_REASON_HEADER, -1 },
	{ huge_count, "number of tensors", NN_REASON_HEADER, -1 },
	{ reserved, "reserved word of the header", NN_REASON_HEADER, -1 },
	{ region_base, "misaligned region", NN_REASON_ADDRESS, -1 },
	{ region_end, "region past 2^32", NN_REASON_ADDRESS, -1 },
	{ region_flags, "unknown region flag", NN_REASON_REGION, -1 },
	{ region_reserved, "reserved word of a region", NN_REASON_REGION, -1 },
	{ tensor_type, "type", NN_REASON_TENSOR, -1 },
	{ tensor_rank, "rank", NN_REASON_TENSOR, -1 },
	{ tensor_level, "level", NN_REASON_TENSOR, -1 },
	{ tensor_place, "place", NN_REASON_TENSOR, -1 },
	{ tensor_region, "tensor in no region", NN_REASON_TENSOR, -1 },
	{ tensor_offset, "tensor past its region by a byte", NN_REASON_TENSOR, -1 },
	{ tensor_align, "misaligned tensor", NN_REASON_TENSOR, -1 },
	{ tensor_dims, "dimensions past 2^32", NN_REASON_TENSOR, -1 },
	{ tensor_zero_dim, "dimension of 0", NN_REASON_TENSOR, -1 },
	{ tensor_surplus_dim, "dimension past the rank", NN_REASON_TENSOR, -1 },
	{ tensor_zero_point, "zero point outside of the type", NN_REASON_TENSOR, -1 },
	{ view_later, "view of itself", NN_REASON_TENSOR, -1 },
	{ view_level, "view at its source's level", NN_REASON_TENSOR, -1 },
	{ view_type, "view of another type", NN_REASON_TENSOR, -1 },
	{ view_row, "view with other rows", NN_REASON_TENSOR, -1 },
	{ view_offset, "view with an offset", NN_REASON_TENSOR, -1 },
	{ output_level, "placed output outside of every loop", NN_REASON_TENSOR, -1 },
	{ opcode_zero, "opcode 0", NN_REASON_OPCODE, 2 },
	{ opcode_end, "opcode past the last", NN_REASON_OPCODE, 2 },
	{ input_missing, "missing input", NN_REASON_OPERAND, 0 },
	{ input_surplus, "surplus input", NN_REASON_OPERAND, 2 },
	{ input_index, "input that is no tensor", NN_REASON_OPERAND, 0 },
	{ input_type, "input of a wrong type", NN_REASON_OPERAND, 7 },
	{ output_missing, "missing output", NN_REASON_OPERAND, 0 },
	{ output_index, "output that is no tensor", NN_REASON_OPERAND, 0 },
	{ output_read_only, "output in a read-only region", NN_REASON_OPERAND, 0 },
	{ constant_unaligned, "scales at an odd place", NN_REASON_OPERAND, 0 },
	{ weights_short, "weights a byte short", NN_REASON_SHAPE, 0 },
	{ bias_short, "bias not rounded up", NN_REASON_SHAPE, 0 },
	{ scales_short, "scales not rounded up", NN_REASON_SHAPE, 0 },
	{ scales_of_another_kind, "scales with a row less", NN_REASON_OPERAND, 0 },
	{ scales_not_repeated, "scales that are not repeated", NN_REASON_SHAPE, 1 },
	{ channels, "output with other channels", NN_REASON_SHAPE, 2 },
	{ window_outside, "window that begins outside of the input", NN_REASON_SHAPE, 0 },
	{ rows_differ, "input and output of different levels", NN_REASON_SHAPE, 1 },
	{ copy_too_long, "copy past the row", NN_REASON_SHAPE, 6 },
	{ copy_wraps, "copy past 2^32", NN_REASON_SHAPE, 6 },
	{ kernel_zero, "kernel of 0", NN_REASON_PARAMETER, 0 },
	{ stride_zero, "stride of 0", NN_REASON_PARAMETER, 0 },
	{ pad_too_wide, "padding as wide as the kernel", NN_REASON_PARAMETER, 0 },
	{ clamp_empty, "empty clamp", NN_REASON_PARAMETER, 0 },
	{ clamp_outside, "clamp outside of the type", NN_REASON_PARAMETER, 1 },
	{ clamp_of_copy, "clamp of a copy", NN_REASON_PARAMETER, 6 },
	{ clamp_of_copy_below, "clamp of a copy from below", NN_REASON_PARAMETER, 6 },
	{ clamp_of_sums, "clamp of sums of 32 bits", NN_REASON_PARAMETER, RAW },
	{ average_multiplier, "multiplier of a mean", NN_REASON_PARAMETER, 3 },
	{ average_shift, "shift of a mean", NN_REASON_PARAMETER, 3 },
	{ average_order, "order of a mean in float32", NN_REASON_PARAMETER, AVERAGED },
	{ average_zero, "scale of 0 of a mean", NN_REASON_PARAMETER, AVERAGED },
	{ average_infinite, "infinite scale of a mean", NN_REASON_PARAMETER, AVERAGED },
	{ average_integers, "shift of a mean in float32", NN_REASON_PARAMETER, AVERAGED },
	{ average_padding, "padding of a mean in float32", NN_REASON_PARAMETER, AVERAGED },
	{ sum_form, "form of a sum in float32", NN_REASON_PARAMETER, ADDED },
	{ sum_negative, "negative scale of a sum", NN_REASON_PARAMETER, ADDED },
	{ sum_subnormal, "subnormal scale of a sum", NN_REASON_PARAMETER, ADDED },
	{ sum_no_number, "scale of a sum that is no number", NN_REASON_PARAMETER, ADDED },
	{ add_shift, "shift of a sum", NN_REASON_PARAMETER, 4 },
	{ copy_overlaps, "copy whose blocks overlap", NN_REASON_PARAMETER, 6 },
	{ permutation_twice, "permutation with a dimension twice", NN_REASON_PARAMETER, 9 },
	{ permutation_rows, "permutation that moves the rows", NN_REASON_PARAMETER, 9 },
	{ params_of_averages, "padding of a mean, of a convolution", NN_REASON_PARAMETER, 0 },
	{ params_of_none, "parameter of an operator without any", NN_REASON_PARAMETER, 5 },
	{ params_behind, "word behind the parameters", NN_REASON_PARAMETER, 4 },
	{ params_last, "last word of the parameters' room", NN_REASON_PARAMETER, 9 },
};

static void test_damage(void)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct nn_failure failure = { 0, 0 };
		int ret;

		assemble();
		cases[i].damage();
		ret = nn_program_check(program, program_size, &failure);
		if (ret != -1 || failure.reason != cases[i].reason ||
		    failure.op != (uint32_t)cases[i].op)
			printf("# returned %d, reason %d, op %d\n", ret, failure.reason,
			       (int)failure.op);
		result(ret == -1 && failure.reason == cases[i].reason &&
			       failure.op == (uint32_t)cases[i].op,
		       cases[i].name);
	}
}

static void test_rows(void)
{
	static const struct {
		const char *name;
		uint32_t arg[3];
		int ret;
	} passes[] = {
		{ "the last rows", { 7, 4, 7 }, 0 },
		{ "a ragged pass", { 8, 3, 8 }, 0 },
		{ "a pass without rows", { 11, 0, 11 }, 0 },
		{ "rows past the source's end", { 8, 4, 7 }, -1 },
		{ "first row past 2^32", { 0xfffffffcu, 4, 0 }, -1 },
		{ "rows past the output's room", { 7, 4, 8 }, -1 },
		{ "output row past 2^32", { 0, 4, 0xfffffffcu }, -1 },
		{ "more rows than the arena has room for", { 0, 5, 0 }, -1 },
	};

	for (size_t i = 0; i < sizeof(passes) / sizeof(passes[0]); i++) {
		uint32_t arg[NN_ARG_COUNT] = { passes[i].arg[0], passes[i].arg[1],
					       passes[i].arg[2] };
		struct nn_failure failure;
		int ret;

		assemble();
		nn_program_check(program, program_size, &failure);
		ret = run_pass(arg, &failure);
		result(ret == passes[i].ret && (failure.reason == NN_REASON_ROWS) == (ret < 0),
		       passes[i].name);
	}
}

static uint64_t state = 0x2545f4914f6cdd1dull;

static uint32_t random_below(uint32_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (uint32_t)(((state >> 16 & 0xffffffffu) * n) >> 32);
}

/* A word of these of the program. */
static void mutate(uint32_t begin, uint32_t bytes)
{
	static const uint32_t values[] = { 0,	1,	2,	    3,		4,
					   5,	8,	127,	    128,	255,
					   256, 0xffff, 0x7fffffff, 0x80000000, 0xffffffff };
	uint32_t at = begin + random_below(bytes / 4) * 4, word;

	memcpy(&word, program + at, 4);
	switch (random_below(5)) {
	case 0:
		word ^= 1u << random_below(32);
		break;
	case 1:
		word = values[random_below(sizeof(values) / sizeof(values[0]))];
		break;
	case 2:
		word += random_below(9) - 4;
		break;
	case 3:
		memcpy(&word, program + random_below(program_size / 4) * 4, 4);
		break;
	default:
		program[at + random_below(4)] = random_below(256);
		return;
	}
	memcpy(program + at, &word, 4);
}

/* Changes a tensor that has a pitch, or is in the place of those that do. */
static void mutate_pitched(void)
{
	uint32_t i = first_pitched + random_below(tensors - first_pitched);
	uint32_t begin = (uint8_t *)tensor_of(i) - program;

	if (!tensor_of(i)->pitch || random_below(2))
		mutate(begin, sizeof(struct nn_program_tensor));
	else
		mutate(begin + offsetof(struct nn_program_tensor, pitch), sizeof(uint32_t));
}

/* Whether an operand of the program has a pitch that the undamaged one does not have. */
static bool has_other_pitch(void)
{
	for (uint32_t i = 0; i < tensors; i++) {
		const struct nn_program_tensor *tensor = tensor_of(i);

		if (tensor->pitch != parts.tensor[i].pitch &&
		    tensor->pitch > tensor->dims[tensor->rank - 1])
			return true;
	}
	return false;
}

static bool are_small(void)
{
	for (uint32_t i = 0; i < REGIONS; i++) {
		if (region_of(i)->size > 1 << 20)
			return false;
	}
	return true;
}

/* Anything is damaged, or what has to do with pitches. */
static void test_mutations(bool pitches)
{
	uint32_t accepted = 0, ran = 0, pitched = 0;

	limit = 3000;
	for (uint32_t i = 0; i < MUTATIONS; i++) {
		uint32_t arg[NN_ARG_COUNT], n = 1 + random_below(4);
		struct nn_failure failure;
		bool good;

		assemble();
		while (n--) {
			if (pitches)
				mutate_pitched();
			else
				mutate(0, program_size);
		}
		for (uint32_t a = 0; a < NN_ARG_COUNT; a++)
			arg[a] = random_below(6);
		if (nn_program_check(program, program_size, &failure))
			continue;
		accepted++;
		if (!are_small())
			continue;
		good = run_pass(arg, &failure) == 0;
		ran += good;
		pitched += good && has_other_pitch();
	}
	limit = 0;
	printf("# %d programs damaged, %u accepted, %u ran to their end, %u with another pitch\n",
	       MUTATIONS, accepted, ran, pitched);
	result(accepted > MUTATIONS / 50 && ran > accepted / 20 &&
		       (!pitches || pitched > MUTATIONS / 50),
	       pitches ? "and so are those whose pitches are" :
			 "damaged programs are refused or run within their memory");
}

int main(void)
{
	size_t count = 3 + 2 + sizeof(cases) / sizeof(cases[0]) + 8 + 2;

	printf("TAP version 13\n1..%zu\n", count);
	build_program();
	test_valid();
	test_long();
	test_damage();
	test_rows();
	test_mutations(false);
	test_mutations(true);
	return failed ? 1 : 0;
}
