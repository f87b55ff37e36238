// SPDX-License-Identifier: MIT
/*
 * What the kernels' checks refuse. Each call here is right; every change of one operand, in its type, rank, level or one of its
 * dimensions, is refused, but for those listed with the call, and every parameter is at the end of its range or past it.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "dsp/kernels.h"

#define MAX_INPUTS	5
#define OUTPUT		MAX_INPUTS
#define OPERANDS	(MAX_INPUTS + 1)

/* Dimensions end with 0; the first one may be NO_ROWS. */
#define NO_ROWS		UINT32_MAX

struct operand {
	uint8_t type, level;
	bool packed;
	uint32_t dims[5];
};

#define INT8(...)	{ NN_TYPE_INT8, 0, false, { __VA_ARGS__ } }
#define INT32(...)	{ NN_TYPE_INT32, 0, false, { __VA_ARGS__ } }
#define ROWS(level, ...) { NN_TYPE_INT8, level, false, { __VA_ARGS__ } }
#define INT16(...)	{ NN_TYPE_INT16, 0, false, { __VA_ARGS__ } }
#define BOOL(...)	{ NN_TYPE_BOOL, 0, false, { __VA_ARGS__ } }
#define PACKED(type, n)	{ type, 0, true, { n } }
#define BIAS(n)		PACKED(NN_TYPE_INT32, n)
#define SCALE(n)	PACKED(NN_TYPE_FLOAT32, n)

#define WINDOW_OF(size, ...) \
	.window = { .kernel_h = size, .kernel_w = size, .stride_h = 2, .stride_w = 2, .dilation_h = 1, .dilation_w = 1, \
		    .pad_top = 1, .pad_left = 1, __VA_ARGS__ }
#define WINDOW		WINDOW_OF(3, )

struct right_call {
	const char *name;
	struct nn_program_op op;
	struct operand operands[OPERANDS];
	/* Changes that are right as well: OPERAND.type=N, OPERAND.dimN, OPERAND.packed, OPERAND.rank, OPERAND.level. */
	const char *also;
};

/* A clamp that int8 and uint8 have. Weights are of 32 outputs, and rows of 8 (dsp/pack.h). */
static const struct right_call calls[] = {
	{ "conv2d", { .opcode = NN_OPCODE_CONV2D, .out_max = 127, WINDOW },
	  { INT8(2, 5, 5, 8), PACKED(NN_TYPE_UINT8, 9 * 8 * 32), BIAS(32), SCALE(32), [OUTPUT] = INT8(2, 3, 3, 32) },
	  "in0.type=2 in0.dim1 in0.dim2 out.type=2" },
	{ "conv2d to sums", { .opcode = NN_OPCODE_CONV2D, WINDOW },
	  { INT8(2, 5, 5, 8), PACKED(NN_TYPE_UINT8, 9 * 8 * 32), BIAS(32), [OUTPUT] = INT32(2, 3, 3, 32) },
	  "in0.type=2 in0.dim1 in0.dim2" },
	{ "depthwise_conv2d", { .opcode = NN_OPCODE_DEPTHWISE_CONV2D, .out_max = 127, WINDOW },
	  { INT8(2, 5, 5, 128), PACKED(NN_TYPE_INT8, 12 * 128), BIAS(128), SCALE(128), [OUTPUT] = INT8(2, 3, 3, 128) },
	  "in0.type=2 in0.dim1 in0.dim2 out.type=2" },
	{ "fully_connected", { .opcode = NN_OPCODE_FULLY_CONNECTED, .out_max = 127 },
	  { INT8(2, 8), PACKED(NN_TYPE_UINT8, 8 * 32), BIAS(32), SCALE(32), [OUTPUT] = INT8(2, 32) },
	  "in0.type=2 in0.rank out.type=2 out.rank" },
	{ "max_pool", { .opcode = NN_OPCODE_MAX_POOL, .out_max = 127, WINDOW },
	  { INT8(2, 5, 5, 4), [OUTPUT] = INT8(2, 3, 3, 4) },
	  "in0.dim1 in0.dim2" },
	{ "requantize", { .opcode = NN_OPCODE_REQUANTIZE, .out_max = 127 },
	  { INT32(2, 5, 3), SCALE(3), [OUTPUT] = INT8(2, 5, 3) },
	  "out.type=2" },
	{ "requantize by one scale", { .opcode = NN_OPCODE_REQUANTIZE, .out_max = 127 },
	  { INT32(2), SCALE(1), [OUTPUT] = INT8(2) },
	  "out.type=2" },
	{ "table", { .opcode = NN_OPCODE_TABLE },
	  { INT8(2, 5, 3), PACKED(NN_TYPE_UINT8, 256), [OUTPUT] = INT8(2, 15) },
	  "in0.type=2 in0.rank out.type=2 out.rank" },
	{ "transpose", { .opcode = NN_OPCODE_TRANSPOSE, .transpose = { { 0, 3, 1, 2 } } },
	  { INT8(2, 3, 4, 5), [OUTPUT] = INT8(2, 5, 3, 4) },
	  "" },
	{ "fill", { .opcode = NN_OPCODE_FILL, .fill = { 255 } },
	  { [OUTPUT] = INT8(2, 3, 4) },
	  "out.type=2 out.type=3 out.type=4 out.type=5 out.type=6 out.type=7 out.dim0 out.dim1 out.dim2 out.rank out.level" },
	{ "rotate_rows", { .opcode = NN_OPCODE_ROTATE_ROWS },
	  { ROWS(1, 4, 3), [OUTPUT] = ROWS(2, 8, 3) },
	  "in0.dim0 in0.rank out.dim0 out.rank out.level" },
	{ "row_numbers", { .opcode = NN_OPCODE_ROW_NUMBERS },
	  { ROWS(1, 4, 3), [OUTPUT] = { NN_TYPE_INT32, 2, false, { 8 } } },
	  "in0.type=2 in0.type=3 in0.type=4 in0.type=5 in0.type=6 in0.type=7 in0.type=8 "
	  "in0.dim0 in0.dim1 in0.rank out.dim0 out.level" },
	{ "conv2d_int16", { .opcode = NN_OPCODE_CONV2D_INT16, .out_max = 127, WINDOW },
	  { INT16(2, 5, 5, 8), PACKED(NN_TYPE_INT8, 9 * 8 * 6), BIAS(12), BIAS(12), [OUTPUT] = INT16(2, 3, 3, 6) },
	  "in0.dim1 in0.dim2" },
	{ "conv2d_int16 of groups", { .opcode = NN_OPCODE_CONV2D_INT16, .out_max = 127, WINDOW },
	  { INT16(2, 5, 5, 8), PACKED(NN_TYPE_INT8, 9 * 4 * 6), BIAS(12), BIAS(12), [OUTPUT] = INT16(2, 3, 3, 6) },
	  "in0.dim1 in0.dim2" },
	{ "add_int16", { .opcode = NN_OPCODE_ADD_INT16, .out_max = 127, .add_int16 = { .left_shift = 15 } },
	  { INT16(2, 5, 3), INT16(2, 3), [OUTPUT] = INT16(2, 5, 3) },
	  "in0.rank in1.rank out.rank" },
	{ "add_int16 of one row", { .opcode = NN_OPCODE_ADD_INT16, .out_max = 127 },
	  { INT16(2, 5), INT16(1, 5), [OUTPUT] = INT16(2, 5) },
	  "in0.rank in1.rank in1.dim0 out.rank" },
	{ "rescale", { .opcode = NN_OPCODE_RESCALE, .out_max = 127 },
	  { INT16(2, 5, 3), [OUTPUT] = INT16(2, 5, 3) },
	  "in0.type=1 in0.type=2 out.type=1 out.type=2" },
	{ "rescale of sums", { .opcode = NN_OPCODE_RESCALE, .out_max = 127 },
	  { INT32(2, 5, 3), BIAS(6), [OUTPUT] = INT8(2, 5, 3) },
	  "out.type=2 out.type=3" },
	{ "normalize", { .opcode = NN_OPCODE_NORMALIZE, .out_max = 127, .normalize = { .length = 5, .run = 2, .scale_output = 1 } },
	  { INT8(2, 3, 5), SCALE(4), SCALE(4), [OUTPUT] = INT8(2, 3, 5) },
	  "in0.type=2 out.type=2" },
	{ "l2_normalize", { .opcode = NN_OPCODE_L2_NORMALIZE, .out_max = 127 },
	  { INT8(2, 3, 5), [OUTPUT] = INT8(2, 3, 5) },
	  "" },
	{ "l2_normalize of 33025", { .opcode = NN_OPCODE_L2_NORMALIZE, .out_max = 127 },
	  { INT8(2, 33025), [OUTPUT] = INT8(2, 33025) },
	  "" },
	{ "normalize by given divisors",
	  { .opcode = NN_OPCODE_NORMALIZE, .out_max = 127,
	    .normalize = { .form = NN_NORMALIZE_GIVEN, .length = 5, .run = 2, .scale_output = 1 } },
	  { INT8(2, 3, 5), SCALE(4), SCALE(4), INT8(2, 3), SCALE(256), [OUTPUT] = INT8(2, 3, 5) },
	  "in0.type=2 in3.type=2 in3.rank out.type=2" },
	{ "spread", { .opcode = NN_OPCODE_SPREAD, .spread = { 2, 2, -1, 3 } },
	  { INT8(2, 5, 5, 4), [OUTPUT] = INT8(2, 7, 8, 4) },
	  "in0.dim1 in0.dim2 out.dim1 out.dim2" },
	{ "crop_resize", { .opcode = NN_OPCODE_CROP_RESIZE },
	  { INT8(2, 6, 7, 3), INT32(5, 4), INT32(5), [OUTPUT] = INT8(5, 2, 2, 3) },
	  "in0.dim0 in0.dim1 in0.dim2 in0.level out.dim1 out.dim2 in1.rank in2.rank" },
	{ "resize", { .opcode = NN_OPCODE_RESIZE },
	  { INT8(2, 5, 6, 3), PACKED(NN_TYPE_INT32, 4), PACKED(NN_TYPE_INT32, 7), [OUTPUT] = INT8(2, 4, 7, 3) },
	  "in0.dim1 in0.dim2" },
	{ "matmul", { .opcode = NN_OPCODE_MATMUL, .out_max = 127, .matmul = { .scale = 1 } },
	  { INT8(2, 4, 5, 3), INT8(2, 4, 3, 6), [OUTPUT] = INT8(2, 4, 5, 6) },
	  "in0.type=2 in1.type=2 out.type=2" },
	{ "matmul of turned matrices", { .opcode = NN_OPCODE_MATMUL,
	    .matmul = { .form = NN_MATMUL_SUM, .transpose_a = 1, .transpose_b = 1 } },
	  { INT8(2, 3, 5), INT8(2, 6, 3), [OUTPUT] = INT32(2, 5, 6) },
	  "in0.type=2 in1.type=2" },
	{ "matmul of one matrix", { .opcode = NN_OPCODE_MATMUL, .out_max = 127, .matmul = { .form = NN_MATMUL_FIXED } },
	  { INT8(1, 1, 5, 3), ROWS(1, 2, 4, 3, 6), [OUTPUT] = ROWS(1, 2, 4, 5, 6) },
	  "in0.type=2 in1.type=2 in0.level in1.dim0 out.type=2 out.dim0" },
	{ "integers", { .opcode = NN_OPCODE_INTEGERS, .integers = { .function = NN_INTEGERS_ADD } },
	  { INT32(2, 3, 4), INT32(2, 3, 4), [OUTPUT] = INT32(2, 3, 4) },
	  "" },
	{ "integers of one row", { .opcode = NN_OPCODE_INTEGERS, .integers = { .function = NN_INTEGERS_LESS } },
	  { INT8(1, 1, 4), ROWS(1, 2, 3, 4), [OUTPUT] = { NN_TYPE_BOOL, 1, false, { 2, 3, 4 } } },
	  "in0.level in1.dim0 out.dim0" },
	{ "integers in float32",
	  { .opcode = NN_OPCODE_INTEGERS, .integers = { NN_INTEGERS_EQUAL_FLOAT, .scale_a = 1, .scale_b = 1 } },
	  { INT8(2, 3), INT8(2, 3), [OUTPUT] = BOOL(2, 3) },
	  "in0.type=2 in1.type=2" },
	{ "integers in fixed point",
	  { .opcode = NN_OPCODE_INTEGERS, .integers = { NN_INTEGERS_EQUAL_FIXED, .by = { { 1 << 30, 0 }, { 1 << 30, 0 } } } },
	  { INT8(2, 3), INT8(2, 3), [OUTPUT] = BOOL(2, 3) },
	  "in0.type=2 in1.type=2" },
	{ "select", { .opcode = NN_OPCODE_SELECT },
	  { BOOL(2, 3), INT8(1, 3), INT8(2, 1), [OUTPUT] = INT8(2, 3) },
	  "in1.dim0" },
	{ "convert", { .opcode = NN_OPCODE_CONVERT },
	  { INT8(2, 3), [OUTPUT] = INT32(2, 3) },
	  "in0.type=2 in0.type=3 in0.type=4 in0.type=5 in0.type=7 in0.type=8 out.type=1 out.type=2 out.type=3 out.type=4 "
	  "out.type=7 out.type=8" },
	{ "arg", { .opcode = NN_OPCODE_ARG, .arg = { 2, NN_ARG_MAX, 0 } },
	  { INT8(2, 3, 4, 5), [OUTPUT] = INT32(2, 15) },
	  "in0.type=2 in0.dim2 in0.rank out.rank" },
	{ "cumulate", { .opcode = NN_OPCODE_CUMULATE, .out_max = 127, .cumulate = { 2, NN_CUMULATE_FLOAT, .scale_input = 1, .scale_output = 1 } },
	  { INT8(2, 3, 4), [OUTPUT] = INT8(2, 3, 4) },
	  "in0.type=2 out.type=2" },
	{ "cumulate integers", { .opcode = NN_OPCODE_CUMULATE, .cumulate = { 1, NN_CUMULATE_INTEGERS } },
	  { INT32(2, 3, 4), [OUTPUT] = INT32(2, 3, 4) },
	  "" },
	{ "take", { .opcode = NN_OPCODE_TAKE, .take = { 2, { 3, 4, 1, 1, 1, 1, 1 }, 2, 1, 5 } },
	  { INT8(2, 6, 4, 5), INT32(2, 2, 6, 2), [OUTPUT] = INT8(2, 2, 6, 5) },
	  "in1.type=8" },
	{ "take of one row", { .opcode = NN_OPCODE_TAKE, .take = { 1, { 3, 1, 1, 1, 1, 1, 1 }, 1, 0, 5 } },
	  { INT8(1, 3, 5), { NN_TYPE_INT64, 1, false, { 2, 4 } }, [OUTPUT] = ROWS(1, 2, 4, 5) },
	  "in0.level in1.type=5 in1.dim0 out.dim0 in0.rank in1.rank out.rank" },
	{ "top", { .opcode = NN_OPCODE_TOP },
	  { INT8(2, 3, 4), [OUTPUT] = INT32(2, 3, 4) },
	  "in0.type=2 in0.type=3 in0.type=4 in0.type=5 in0.type=7 in0.type=8 in0.dim2 out.type=8" },
	{ "logarithm", { .opcode = NN_OPCODE_SOFTMAX, .out_max = 127, .softmax = { 1, NN_SOFTMAX_LOG_FLOAT, 1 } },
	  { INT8(2, 3, 4), SCALE(256), [OUTPUT] = INT8(2, 3, 4) },
	  "in0.type=2 out.type=2" },
	{ "resize_linear", { .opcode = NN_OPCODE_RESIZE_LINEAR, .out_max = 127, .resize_linear = { 1, 1 } },
	  { INT8(2, 5, 6, 3), BIAS(4), BIAS(7), SCALE(8), SCALE(14), INT8(2, 4, 7, 3) },
	  "in0.type=2 in0.dim1 in0.dim2 out.type=2" },
	{ "resize_linear in whole numbers", { .opcode = NN_OPCODE_RESIZE_LINEAR, .out_max = 127 },
	  { INT8(2, 5, 6, 3), BIAS(4), BIAS(7), BIAS(4), BIAS(7), INT8(2, 4, 7, 3) },
	  "in0.dim1 in0.dim2" },
	{ "add", { .opcode = NN_OPCODE_ADD, .out_max = 127, .add = { 1 << 20, 1 << 20, 20 } },
	  { INT8(2, 5, 3), INT8(2, 5, 3), [OUTPUT] = INT8(2, 5, 3) },
	  "in0.type=2 in1.type=2 out.type=2" },
	{ "add_float", { .opcode = NN_OPCODE_ADD_FLOAT, .out_max = 127, .add_float = { 1, 1, 1, NN_ADD_FUSED } },
	  { INT8(2, 5, 3), INT8(2, 5, 3), [OUTPUT] = INT8(2, 5, 3) },
	  "in0.type=2 in1.type=2 out.type=2" },
	{ "binary", { .opcode = NN_OPCODE_BINARY, .out_max = 127, .binary = { NN_BINARY_MUL, 1, 1, 1 } },
	  { INT8(2, 1, 3), INT8(2, 5, 1), [OUTPUT] = INT8(2, 5, 3) },
	  "in0.type=2 in1.type=2 out.type=2" },
	{ "binary with one row", { .opcode = NN_OPCODE_BINARY, .out_max = 127, .binary = { NN_BINARY_MUL, 1, 1, 1 } },
	  { INT8(2, 5), INT8(1, 5), [OUTPUT] = INT8(2, 5) },
	  "in0.type=2 in1.type=2 in1.dim0 out.type=2" },
	{ "softmax", { .opcode = NN_OPCODE_SOFTMAX, .out_max = 127, .softmax = { 1, NN_SOFTMAX_FLOAT } },
	  { INT8(2, 5), SCALE(256), [OUTPUT] = INT8(2, 5) },
	  "in0.type=2 out.type=2" },
	{ "reduce", { .opcode = NN_OPCODE_REDUCE, .out_max = 127, .reduce = { 6, NN_REDUCE_MEAN, 1, 1 } },
	  { INT8(2, 5, 3, 4), [OUTPUT] = INT8(2, 4) },
	  "in0.type=2 in0.dim1 in0.dim2 out.type=2 in0.rank out.rank" },
	{ "reduce to the greatest", { .opcode = NN_OPCODE_REDUCE, .out_max = 127, .reduce = { 2, NN_REDUCE_MAX } },
	  { INT8(2, 5, 3, 4), [OUTPUT] = INT8(2, 1, 3, 4) },
	  "in0.dim1 in0.rank out.rank" },
	{ "average_pool", { .opcode = NN_OPCODE_AVERAGE_POOL, .out_max = 127,
			    WINDOW_OF(3, .multiplier = 1 << 30, .shift = 33) },
	  { INT8(2, 5, 5, 4), [OUTPUT] = INT8(2, 3, 3, 4) },
	  "in0.type=2 in0.dim1 in0.dim2 out.type=2" },
	{ "average_pool_away", { .opcode = NN_OPCODE_AVERAGE_POOL_AWAY, .out_max = 127, WINDOW },
	  { INT8(2, 5, 5, 4), [OUTPUT] = INT8(2, 3, 3, 4) },
	  "in0.dim1 in0.dim2" },
	{ "average_pool_float", { .opcode = NN_OPCODE_AVERAGE_POOL_FLOAT, .out_max = 127,
				  .average_float = { { 3, 3, 2, 2, 1, 1, 1, 1 }, 1, 1, NN_AVERAGE_EXACT } },
	  { INT8(2, 5, 5, 4), [OUTPUT] = INT8(2, 3, 3, 4) },
	  "in0.type=2 in0.dim1 in0.dim2 out.type=2" },
};

static struct nn_program_op op;
static struct nn_call call;
static unsigned int tests, failed;

static void describe(struct nn_tensor *tensor, const struct operand *operand)
{
	*tensor = (struct nn_tensor){ .type = operand->type, .level = operand->level, .packed = operand->packed };
	for (unsigned int i = 0; i < NN_MAX_RANK; i++)
		tensor->dims[i] = 1;
	for (; operand->dims[tensor->rank]; tensor->rank++)
		tensor->dims[tensor->rank] = operand->dims[tensor->rank];
	tensor->row_bytes = operand->type ? nn_type_size(operand->type) : 0;
	for (unsigned int i = 1; i < tensor->rank; i++)
		tensor->row_bytes *= tensor->dims[i];
	if (tensor->dims[0] == NO_ROWS)
		tensor->dims[0] = 0;
	tensor->bytes = tensor->row_bytes * tensor->dims[0];
}

static bool is_right(const struct nn_program_op *wanted, const struct operand *operands)
{
	op = *wanted;
	memset(&call, 0, sizeof(call));
	call.op = &op;
	for (unsigned int i = 0; i < MAX_INPUTS; i++)
		describe(&call.input[i], &operands[i]);
	describe(&call.output[0], &operands[OUTPUT]);
	return nn_kernels_portable[op.opcode].check(&call) == NN_REASON_NONE;
}

/* Whether `change` is a word of the call's list. */
static bool is_listed(const struct right_call *right, const char *change)
{
	size_t length = strlen(change);

	for (const char *at = right->also; (at = strstr(at, change)); at++) {
		if ((at == right->also || at[-1] == ' ') && (!at[length] || at[length] == ' '))
			return true;
	}
	return false;
}

static bool try_change(const struct right_call *right, const struct operand *operands, unsigned int which,
		       const char *field, unsigned int number)
{
	char change[32];

	snprintf(change, sizeof(change), which == OUTPUT ? "out." : "in%u.", which);
	snprintf(change + strlen(change), sizeof(change) - strlen(change), field, number);
	if (is_right(&right->op, operands) == is_listed(right, change))
		return true;
	printf("# %s: %s is %s\n", right->name, change, is_listed(right, change) ? "refused" : "taken");
	return false;
}

static bool try_operand(const struct right_call *right, unsigned int which)
{
	struct operand operands[OPERANDS], *changed = &operands[which];
	unsigned int rank = 0;
	bool good = true;

	for (unsigned int type = 0; type <= NN_TYPE_INT64; type++) {
		memcpy(operands, right->operands, sizeof(operands));
		changed->type = type;
		if (type != right->operands[which].type)
			good &= try_change(right, operands, which, "type=%u", type);
	}
	if (!right->operands[which].type)
		return good;
	for (; right->operands[which].dims[rank]; rank++) {
		memcpy(operands, right->operands, sizeof(operands));
		changed->dims[rank]++;
		good &= try_change(right, operands, which, "dim%u", rank);
	}
	if (rank < 4) {
		memcpy(operands, right->operands, sizeof(operands));
		changed->dims[rank] = 1;
		good &= try_change(right, operands, which, "rank", 0);
	}
	memcpy(operands, right->operands, sizeof(operands));
	/* What is packed is of no loop: the interpreter says so. */
	if (right->operands[which].packed) {
		changed->packed = false;
		return try_change(right, operands, which, "packed", 0) && good;
	}
	changed->level++;
	return try_change(right, operands, which, "level", 0) && good;
}

static void result(bool good, const char *name, const char *what)
{
	tests++;
	failed += !good;
	printf("%sok %u %s: %s\n", good ? "" : "not ", tests, name, what);
}

static void test_operands(const struct right_call *right)
{
	bool good = is_right(&right->op, right->operands);

	if (!good)
		printf("# %s: refused\n", right->name);
	for (unsigned int i = 0; i < OPERANDS; i++)
		good &= try_operand(right, i);
	result(good, right->name, "operands");
}

/* Parameters, by their places in the operator, and whether they are right. */
struct parameter {
	size_t place;
	int32_t value;
	bool right;
};

#define PLACE(field)	offsetof(struct nn_program_op, field)

static const struct parameter windows[] = {
	{ PLACE(window.kernel_h), 0, false },	{ PLACE(window.kernel_w), 0, false },
	{ PLACE(window.stride_h), 0, false },	{ PLACE(window.stride_w), 0, false },
	{ PLACE(window.stride_h), 1, true },	{ PLACE(window.stride_w), 1, true },
	{ PLACE(window.stride_h), 3, false },	{ PLACE(window.stride_w), 3, false },
	{ PLACE(window.dilation_h), 0, false }, { PLACE(window.dilation_w), 0, false },
	{ PLACE(window.pad_top), 0, true },	{ PLACE(window.pad_left), 0, true },
	{ PLACE(window.pad_top), 2, true },	{ PLACE(window.pad_left), 2, true },
	{ PLACE(window.pad_top), 3, false },	{ PLACE(window.pad_left), 3, false },
};

static const struct parameter dilations[] = {
	{ PLACE(window.dilation_h), 255, true },	{ PLACE(window.dilation_w), 255, true },
	{ PLACE(window.dilation_h), 256, false },	{ PLACE(window.dilation_w), 256, false },
};

static const struct parameter large_windows[] = {
	{ PLACE(window.kernel_h), 255, true },	{ PLACE(window.kernel_w), 255, true },
	{ PLACE(window.kernel_h), 256, false }, { PLACE(window.kernel_w), 256, false },
	{ PLACE(window.stride_h), 255, true },	{ PLACE(window.stride_w), 255, true },
	{ PLACE(window.stride_h), 256, false }, { PLACE(window.stride_w), 256, false },
	{ PLACE(window.dilation_h), 2, false }, { PLACE(window.dilation_w), 2, false },
};

static const struct parameter clamps[] = {
	{ PLACE(out_min), -128, true }, { PLACE(out_min), -129, false }, { PLACE(out_min), 127, true },
	{ PLACE(out_min), 128, false }, { PLACE(out_max), 0, true },	 { PLACE(out_max), -1, false },
	{ PLACE(out_max), 128, false },
};

static const char *const clamped[] = {
	"resize_linear", "cumulate", "add", "add_float", "binary", "softmax", "reduce", "average_pool", "average_pool_float", "matmul",
	"logarithm",
};

/* Rows of 15 bytes: three blocks of two that begin four apart, up to the end. */
static const struct parameter copies[] = {
	{ PLACE(copy.count), 0, false },      { PLACE(copy.count), 1, true },
	{ PLACE(copy.count), 4, false },      { PLACE(copy.block), 0, false },
	{ PLACE(copy.block), 1, true },	      { PLACE(copy.block), 3, false },
	{ PLACE(copy.src_offset), 6, false }, { PLACE(copy.dst_offset), 6, false },
	{ PLACE(copy.src_offset), 0, true },  { PLACE(copy.dst_offset), 0, true },
	{ PLACE(copy.src_stride), 5, false }, { PLACE(copy.dst_stride), 5, false },
	{ PLACE(copy.src_stride), 0, true },  { PLACE(copy.dst_stride), 1, false },
	{ PLACE(copy.dst_stride), 2, true },
};

/* Rows of 15 elements: 2 x 3 of them, from 3 + 8i - j to 4 + 5i + 2j. */
static const struct parameter moves[] = {
	{ PLACE(move.count[0]), 0, false },	  { PLACE(move.count[0]), 2, true },
	{ PLACE(move.count[0]), 3, false },	  { PLACE(move.count[0]), -1, false },
	{ PLACE(move.count[4]), 3, false },	  { PLACE(move.count[5]), 4, false },
	{ PLACE(move.count[5]), 1, true },	  { PLACE(move.src_offset), 1, false },
	{ PLACE(move.src_offset), 2, true },	  { PLACE(move.src_offset), 6, true },
	{ PLACE(move.src_offset), 7, false },	  { PLACE(move.src_offset), -1, false },
	{ PLACE(move.dst_offset), 0, true },	  { PLACE(move.dst_offset), 5, true },
	{ PLACE(move.dst_offset), 6, false },	  { PLACE(move.src_stride[4]), 11, true },
	{ PLACE(move.src_stride[4]), 12, false }, { PLACE(move.src_stride[4]), -1, true },
	{ PLACE(move.src_stride[4]), -2, false }, { PLACE(move.src_stride[4]), INT32_MIN, false },
	{ PLACE(move.src_stride[5]), 1, true },	  { PLACE(move.src_stride[5]), 2, false },
	{ PLACE(move.dst_stride[4]), 6, true },	  { PLACE(move.dst_stride[4]), 7, false },
	{ PLACE(move.dst_stride[4]), -4, true },  { PLACE(move.dst_stride[4]), -5, false },
	{ PLACE(move.dst_stride[5]), 0, true },	  { PLACE(move.dst_stride[5]), INT32_MAX, false },
	{ PLACE(move.src_stride[0]), INT32_MAX, true },
};

static const struct parameter fills[] = {
	{ PLACE(fill.value), 0, true }, { PLACE(fill.value), 256, false }, { PLACE(fill.value), -1, false },
};

static const struct parameter permutations[] = {
	{ PLACE(transpose.permutation[0]), 1, false }, { PLACE(transpose.permutation[1]), 0, false },
	{ PLACE(transpose.permutation[1]), 1, false }, { PLACE(transpose.permutation[1]), 4, false },
	{ PLACE(transpose.permutation[2]), 2, false }, { PLACE(transpose.permutation[3]), 3, false },
};

static const struct parameter spreads[] = {
	{ PLACE(spread.stride_h), 0, false },	    { PLACE(spread.stride_w), 0, false },
	{ PLACE(spread.stride_h), 255, true },	    { PLACE(spread.stride_w), 255, true },
	{ PLACE(spread.stride_h), 256, false },	    { PLACE(spread.stride_w), 256, false },
	{ PLACE(spread.pad_top), 1 << 30, false },  { PLACE(spread.pad_left), 1 << 30, false },
	{ PLACE(spread.pad_top), -(1 << 30), false }, { PLACE(spread.pad_left), -(1 << 30), false },
	{ PLACE(spread.pad_top), -100, true },	    { PLACE(spread.pad_left), 100, true },
};

static const struct parameter sums[] = {
	{ PLACE(add_int16.left_shift), 16, false },	{ PLACE(add_int16.left_shift), 15, true },
	{ PLACE(add_int16.subtract), 1, true },		{ PLACE(add_int16.subtract), 2, false },
	{ PLACE(add_int16.a.exponent), 1, false },	{ PLACE(add_int16.b.exponent), 1, false },
	{ PLACE(add_int16.output.exponent), 1, false },	{ PLACE(add_int16.a.exponent), -31, true },
	{ PLACE(add_int16.b.exponent), -31, true },	{ PLACE(add_int16.output.exponent), -31, true },
	{ PLACE(add_int16.a.exponent), -32, false },	{ PLACE(add_int16.b.exponent), -32, false },
	{ PLACE(add_int16.output.exponent), -32, false },
	{ PLACE(out_min), -32768, true },		{ PLACE(out_min), -32769, false },
	{ PLACE(out_max), 32767, true },		{ PLACE(out_max), 32768, false },
};

static const struct parameter rescalings[] = {
	{ PLACE(rescale.by.exponent), 14, true },	{ PLACE(rescale.by_below.exponent), 14, true },
	{ PLACE(rescale.by.exponent), 15, false },	{ PLACE(rescale.by_below.exponent), 15, false },
	{ PLACE(rescale.by.exponent), -31, true },	{ PLACE(rescale.by_below.exponent), -31, true },
	{ PLACE(rescale.by.exponent), -32, false },	{ PLACE(rescale.by_below.exponent), -32, false },
	{ PLACE(out_min), -32768, true },		{ PLACE(out_min), -32769, false },
};

/* Scales are positive and normal: the least is 2^-126, and below the greatest is no infinity. */
#define SCALE_AT(place) \
	{ place, 0x00800000, true }, { place, 0x007fffff, false }, { place, 0, false }, { place, 0x7f7fffff, true }, \
	{ place, 0x7f800000, false }, { place, 0x7fc00000, false }, { place, (int32_t)0xbf800000, false }

static const struct parameter matmuls[] = {
	{ PLACE(matmul.form), NN_MATMUL_FORMS, false },	 { PLACE(matmul.form), NN_MATMUL_SUM, false },
	{ PLACE(matmul.form), NN_MATMUL_FIXED, true },	 SCALE_AT(PLACE(matmul.scale)),
	{ PLACE(matmul.transpose_a), 1, false },	 { PLACE(matmul.transpose_b), 1, false },
	{ PLACE(matmul.transpose_a), 2, false },	 { PLACE(matmul.transpose_b), 2, false },
	{ PLACE(matmul.zero_a), -128, true },		 { PLACE(matmul.zero_b), -128, true },
	{ PLACE(matmul.zero_a), 127, true },		 { PLACE(matmul.zero_b), 127, true },
	{ PLACE(matmul.zero_a), -129, false },		 { PLACE(matmul.zero_b), -129, false },
	{ PLACE(matmul.zero_a), 128, false },		 { PLACE(matmul.zero_b), 128, false },
	{ PLACE(matmul.by.exponent), 31, true },
};

static const struct parameter sums_of_products[] = {
	{ PLACE(matmul.form), NN_MATMUL_FLOAT, false },	 { PLACE(matmul.form), NN_MATMUL_FIXED, false },
	{ PLACE(matmul.transpose_a), 3, false },	 { PLACE(matmul.transpose_b), 3, false },
};

static const struct parameter fixed_matmuls[] = {
	{ PLACE(matmul.by.exponent), 31, true },	 { PLACE(matmul.by.exponent), 32, false },
	{ PLACE(matmul.by.exponent), -31, true },	 { PLACE(matmul.by.exponent), -32, false },
	{ PLACE(matmul.by.multiplier), INT32_MIN, false }, { PLACE(matmul.scale), 0, true },
};

static const struct parameter integer_functions[] = {
	{ PLACE(integers.function), NN_INTEGERS_XOR, true },
	{ PLACE(integers.function), NN_INTEGERS_EQUAL, false },
	{ PLACE(integers.function), NN_INTEGERS_FUNCTIONS, false },
};

static const struct parameter float_comparisons[] = {
	{ PLACE(integers.function), NN_INTEGERS_LESS_OR_EQUAL_FLOAT, true },
	{ PLACE(integers.function), NN_INTEGERS_LESS_OR_EQUAL, true },
	{ PLACE(integers.function), NN_INTEGERS_XOR, false },
	SCALE_AT(PLACE(integers.scale_a)), SCALE_AT(PLACE(integers.scale_b)),
};

static const struct parameter fixed_comparisons[] = {
	{ PLACE(integers.function), NN_INTEGERS_LESS_OR_EQUAL_FIXED, true },
	{ PLACE(integers.function), NN_INTEGERS_EQUAL_FLOAT, false },
	{ PLACE(integers.function), NN_INTEGERS_FUNCTIONS, false },
	{ PLACE(integers.by[0].exponent), 15, true }, { PLACE(integers.by[0].exponent), 16, false },
	{ PLACE(integers.by[1].exponent), 15, true }, { PLACE(integers.by[1].exponent), 16, false },
};

static const struct parameter args[] = {
	{ PLACE(arg.axis), 0, false },	   { PLACE(arg.axis), 1, false }, { PLACE(arg.axis), 3, false },
	{ PLACE(arg.axis), 4, false },	   { PLACE(arg.last), 1, true },  { PLACE(arg.last), 2, false },
	{ PLACE(arg.form), NN_ARG_MIN, true }, { PLACE(arg.form), NN_ARG_FORMS, false },
};

static const struct parameter takes[] = {
	{ PLACE(take.depth), 0, false },    { PLACE(take.depth), 1, false },	{ PLACE(take.depth), 3, false },
	{ PLACE(take.depth), 8, false },    { PLACE(take.sizes[0]), 4, false }, { PLACE(take.sizes[0]), 0, false },
	{ PLACE(take.sizes[1]), 3, false }, { PLACE(take.sizes[2]), 0, false }, { PLACE(take.sizes[2]), 2, false },
	{ PLACE(take.sizes[6]), 2, false }, { PLACE(take.parts), 0, false },	{ PLACE(take.parts), 4, false },
	{ PLACE(take.each), 0, false },	    { PLACE(take.each), 2, false },	{ PLACE(take.run), 0, false },
	{ PLACE(take.run), 10, false },	    { PLACE(take.sizes[0]), -1, false }, { PLACE(take.parts), -1, false },
};

static const struct parameter tops[] = {
	{ PLACE(top.least), 1, true }, { PLACE(top.least), 2, false },
};

static const struct parameter cumulations[] = {
	{ PLACE(cumulate.axis), 0, false },	   { PLACE(cumulate.axis), 1, true },
	{ PLACE(cumulate.axis), 3, false },	   { PLACE(cumulate.exclusive), 1, true },
	{ PLACE(cumulate.exclusive), 2, false },   { PLACE(cumulate.backwards), 1, true },
	{ PLACE(cumulate.backwards), 2, false },   { PLACE(cumulate.form), NN_CUMULATE_INTEGERS, true },
	{ PLACE(cumulate.form), NN_CUMULATE_FORMS, false },
	SCALE_AT(PLACE(cumulate.scale_input)), SCALE_AT(PLACE(cumulate.scale_output)),
};

static const struct parameter logarithms[] = {
	{ PLACE(softmax.form), NN_SOFTMAX_FORMS, false },  { PLACE(softmax.form), NN_SOFTMAX_LOG_TENSORFLOW, true },
	SCALE_AT(PLACE(softmax.scale_input)), SCALE_AT(PLACE(softmax.scale_output)),
};

static const struct parameter exponentials[] = {
	SCALE_AT(PLACE(softmax.scale_output)),
	{ PLACE(softmax.form), NN_SOFTMAX_TENSORFLOW, true }, { PLACE(softmax.form), NN_SOFTMAX_FORMS, false },
};

static const struct parameter plain_softmaxes[] = {
	{ PLACE(softmax.form), NN_SOFTMAX_FLOAT, true },	   { PLACE(softmax.form), NN_SOFTMAX_LOG_TENSORFLOW, false },
	{ PLACE(softmax.form), NN_SOFTMAX_LOG_FLOAT, false },
};

static const struct parameter linear[] = {
	SCALE_AT(PLACE(resize_linear.scale_input)), SCALE_AT(PLACE(resize_linear.scale_output)),
};

static const struct parameter float_sums[] = {
	SCALE_AT(PLACE(add_float.scale_a)), SCALE_AT(PLACE(add_float.scale_b)), SCALE_AT(PLACE(add_float.scale_output)),
	{ PLACE(add_float.form), NN_ADD_DEQUANTIZED, true }, { PLACE(add_float.form), NN_ADD_FORMS, false },
};

static const struct parameter shifted_sums[] = {
	{ PLACE(add.multiplier_a), 1 << 21, true },	{ PLACE(add.multiplier_a), (1 << 21) + 1, false },
	{ PLACE(add.multiplier_a), -(1 << 21), true },	{ PLACE(add.multiplier_a), -(1 << 21) - 1, false },
	{ PLACE(add.multiplier_b), 1 << 21, true },	{ PLACE(add.multiplier_b), (1 << 21) + 1, false },
	{ PLACE(add.multiplier_b), -(1 << 21), true },	{ PLACE(add.multiplier_b), -(1 << 21) - 1, false },
	{ PLACE(add.shift), 1, true },			{ PLACE(add.shift), 0, false },
	{ PLACE(add.shift), 30, true },			{ PLACE(add.shift), 31, false },
};

static const struct parameter functions[] = {
	SCALE_AT(PLACE(binary.scale_a)), SCALE_AT(PLACE(binary.scale_b)), SCALE_AT(PLACE(binary.scale_output)),
	{ PLACE(binary.function), NN_BINARY_FUNCTIONS, false },
	/* Whose parameters are others, which are 0 here. */
	{ PLACE(binary.function), NN_BINARY_ADD_SHIFTED, false },
	{ PLACE(binary.function), NN_BINARY_MUL_ONCE, true },
};

static const struct parameter reductions[] = {
	SCALE_AT(PLACE(reduce.scale_input)), SCALE_AT(PLACE(reduce.scale_output)),
	{ PLACE(reduce.form), NN_REDUCE_FORMS, false },	   { PLACE(reduce.form), NN_REDUCE_MEAN_WHOLE, true },
	{ PLACE(reduce.axes), 0, false },		   { PLACE(reduce.axes), 7, false },
	{ PLACE(reduce.axes), 14, false },		   { PLACE(reduce.axes), 6 | 1 << 4, false },
	{ PLACE(reduce.axes), 6 | (int32_t)(1u << 31), false },
};

/* Without scales, too. */
static const struct parameter greatest[] = {
	{ PLACE(reduce.form), NN_REDUCE_MIN, true },	{ PLACE(reduce.form), NN_REDUCE_MEAN_WHOLE, true },
	{ PLACE(reduce.form), NN_REDUCE_SUM, false },	{ PLACE(reduce.form), NN_REDUCE_PROD, false },
	{ PLACE(reduce.form), NN_REDUCE_MEAN, false },	{ PLACE(reduce.form), NN_REDUCE_MEAN_ONCE, false },
	{ PLACE(reduce.form), NN_REDUCE_MEAN_AWAY, false },
};

static const struct parameter averages[] = {
	{ PLACE(window.multiplier), (1 << 30) - 1, false }, { PLACE(window.multiplier), INT32_MAX, true },
	{ PLACE(window.shift), 32, false },		    { PLACE(window.shift), 62, true },
	{ PLACE(window.shift), 63, false },		    { PLACE(window.count_padding), 1, true },
	{ PLACE(window.count_padding), 2, false },	    { PLACE(window.dilation_h), 2, false },
	{ PLACE(window.dilation_w), 2, false },
};

static const struct parameter whole_averages[] = {
	{ PLACE(window.multiplier), 1, false },	   { PLACE(window.shift), 1, false },
	{ PLACE(window.count_padding), 1, false },
};

static const struct parameter float_averages[] = {
	SCALE_AT(PLACE(average_float.scale_input)), SCALE_AT(PLACE(average_float.scale_output)),
	{ PLACE(window.multiplier), 1, false },		     { PLACE(window.shift), 1, false },
	{ PLACE(window.count_padding), 1, true },	     { PLACE(window.count_padding), 2, false },
	{ PLACE(average_float.order), NN_AVERAGE_ROWS, true }, { PLACE(average_float.order), NN_AVERAGE_ORDERS, false },
};

static const struct parameter normalizations[] = {
	{ PLACE(normalize.form), NN_NORMALIZE_SUM, true },	{ PLACE(normalize.form), NN_NORMALIZE_GIVEN, false },
	{ PLACE(normalize.form), NN_NORMALIZE_FORMS, false },	{ PLACE(normalize.length), 15, true },
	{ PLACE(normalize.length), 1, true },			{ PLACE(normalize.length), 0, false },
	{ PLACE(normalize.length), 4, false },			{ PLACE(normalize.length), 30, false },
	{ PLACE(normalize.run), 1, true },			{ PLACE(normalize.run), 0, false },
	SCALE_AT(PLACE(normalize.scale_output)),
};

static const struct parameter long_vectors[] = {
	{ PLACE(normalize.length), 1 << 23, true },	{ PLACE(normalize.length), 1 << 24, false },
};

static void test_parameters(const struct right_call *right, const struct parameter *parameters, size_t count,
			    const char *what)
{
	bool good = is_right(&right->op, right->operands);

	for (size_t i = 0; i < count; i++) {
		struct nn_program_op changed = right->op;

		memcpy((char *)&changed + parameters[i].place, &parameters[i].value, sizeof(parameters[i].value));
		if (is_right(&changed, right->operands) == parameters[i].right)
			continue;
		printf("# %s: %d at %zu is %s\n", right->name, parameters[i].value, parameters[i].place,
		       parameters[i].right ? "refused" : "taken");
		good = false;
	}
	result(good, right->name, what);
}

#define TEST_PARAMETERS(right, parameters) \
	test_parameters(right, parameters, sizeof(parameters) / sizeof(*(parameters)), #parameters)

static const struct right_call large_pool = {
	"max_pool over much", { .opcode = NN_OPCODE_MAX_POOL, .out_max = 127, WINDOW },
	{ INT8(1, 500, 500, 1), [OUTPUT] = INT8(1, 1, 1, 1) }, "",
};

/* Of which the squares need more than 31 bits. */
static const struct right_call too_long = {
	"l2_normalize of 33026", { .opcode = NN_OPCODE_L2_NORMALIZE, .out_max = 127 },
	{ INT8(2, 33026), [OUTPUT] = INT8(2, 33026) }, "",
};

static const struct right_call long_rows = {
	"normalize of long rows", { .opcode = NN_OPCODE_NORMALIZE, .out_max = 127,
				    .normalize = { .length = 1, .run = 1, .scale_output = 1 } },
	{ INT8(1, 1 << 24), SCALE(1), SCALE(1), [OUTPUT] = INT8(1, 1 << 24) }, "",
};

/* Nothing to take the scales of runs from. */
static const struct right_call no_scales = {
	"normalize without scales", { .opcode = NN_OPCODE_NORMALIZE, .out_max = 127,
				      .normalize = { .length = 5, .run = 2, .scale_output = 1 } },
	{ INT8(2, 3, 5), SCALE(NO_ROWS), SCALE(NO_ROWS), [OUTPUT] = INT8(2, 3, 5) }, "",
};

static const struct right_call real_sums = {
	"integers of float32", { .opcode = NN_OPCODE_INTEGERS, .integers = { .function = NN_INTEGERS_ADD } },
	{ { NN_TYPE_FLOAT32, 0, false, { 2 } }, { NN_TYPE_FLOAT32, 0, false, { 2 } },
	  [OUTPUT] = { NN_TYPE_FLOAT32, 0, false, { 2 } } }, "",
};

/* Beyond the rank a dimension is 1, and so as long as the output would be. */
static const struct right_call no_axis = {
	"arg of no dimension", { .opcode = NN_OPCODE_ARG, .arg = { 2, NN_ARG_MAX, 0 } },
	{ INT8(2, 15), [OUTPUT] = INT32(2, 15) }, "",
};

static const struct right_call copy = {
	"copy", { .opcode = NN_OPCODE_COPY, .copy = { 3, 2, 5, 4, 5, 4 } },
	{ INT8(2, 15), [OUTPUT] = INT8(2, 15) }, "",
};

static void test_refused(const struct right_call *wrong)
{
	result(!is_right(&wrong->op, wrong->operands), wrong->name, "is refused");
}

static const struct right_call *find_call(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	}
	return NULL;
}
/* Counts, offsets of input and output, strides of these. */
static const struct right_call move = {
	"move", { .opcode = NN_OPCODE_MOVE,
		  .move = { { 1, 1, 1, 1, 2, 3 }, 3, 4, { 0, 0, 0, 0, 8, -1 }, { 0, 0, 0, 0, 5, 2 } } },
	{ INT8(2, 15), [OUTPUT] = INT8(2, 15) }, "in0.dim1 out.dim1 in0.rank out.rank",
};

int main(void)
{
	const struct right_call *depthwise = &calls[2], *pool = &calls[4], *transpose = &calls[8];

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++)
		test_operands(&calls[i]);
	TEST_PARAMETERS(pool, windows);
	TEST_PARAMETERS(depthwise, dilations);
	TEST_PARAMETERS(&large_pool, large_windows);
	TEST_PARAMETERS(pool, clamps);
	TEST_PARAMETERS(depthwise, clamps);
	TEST_PARAMETERS(&calls[5], clamps);
	TEST_PARAMETERS(&copy, copies);
	TEST_PARAMETERS(transpose, permutations);
	TEST_PARAMETERS(find_call("spread"), spreads);
	TEST_PARAMETERS(find_call("add_int16"), sums);
	TEST_PARAMETERS(find_call("rescale"), rescalings);
	TEST_PARAMETERS(find_call("normalize"), clamps);
	TEST_PARAMETERS(find_call("normalize"), normalizations);
	TEST_PARAMETERS(&long_rows, long_vectors);
	TEST_PARAMETERS(find_call("l2_normalize"), clamps);
	test_refused(&too_long);
	test_refused(&no_scales);
	test_refused(&no_axis);
	test_refused(&real_sums);
	test_operands(&move);
	TEST_PARAMETERS(&move, moves);
	TEST_PARAMETERS(find_call("fill"), fills);
	TEST_PARAMETERS(find_call("matmul"), matmuls);
	TEST_PARAMETERS(find_call("matmul of turned matrices"), sums_of_products);
	TEST_PARAMETERS(find_call("matmul of one matrix"), fixed_matmuls);
	TEST_PARAMETERS(find_call("integers"), integer_functions);
	TEST_PARAMETERS(find_call("integers in float32"), float_comparisons);
	TEST_PARAMETERS(find_call("integers in fixed point"), fixed_comparisons);
	TEST_PARAMETERS(find_call("arg"), args);
	TEST_PARAMETERS(find_call("cumulate"), cumulations);
	TEST_PARAMETERS(find_call("take"), takes);
	TEST_PARAMETERS(find_call("top"), tops);
	TEST_PARAMETERS(find_call("logarithm"), logarithms);
	TEST_PARAMETERS(find_call("softmax"), exponentials);
	TEST_PARAMETERS(find_call("softmax"), plain_softmaxes);
	TEST_PARAMETERS(find_call("resize_linear"), linear);
	TEST_PARAMETERS(find_call("add"), shifted_sums);
	TEST_PARAMETERS(find_call("add_float"), float_sums);
	TEST_PARAMETERS(find_call("binary"), functions);
	TEST_PARAMETERS(find_call("reduce"), reductions);
	TEST_PARAMETERS(find_call("reduce to the greatest"), greatest);
	TEST_PARAMETERS(find_call("average_pool"), averages);
	TEST_PARAMETERS(find_call("average_pool_away"), whole_averages);
	TEST_PARAMETERS(find_call("average_pool_float"), float_averages);
	for (size_t i = 0; i < sizeof(clamped) / sizeof(*clamped); i++)
		TEST_PARAMETERS(find_call(clamped[i]), clamps);
	printf("1..%u\n", tests);
	return failed != 0;
}
