// SPDX-License-Identifier: MIT
/*
 * Checks of operators that compute each element of one or two others, or of a matrix
 * (check-test.h).
 */
#include "../check-test.h"

static const struct right_call calls[] = {
	{ "requantize", { .opcode = NN_OPCODE_REQUANTIZE, .out_max = 127 },
	  { INT32(2, 5, 3), SCALES(64), [OUTPUT] = INT8(2, 5, 3) },
	  "out.type=2" },
	{ "requantize by one scale", { .opcode = NN_OPCODE_REQUANTIZE, .out_max = 127 },
	  { INT32(2), SCALES(64), [OUTPUT] = INT8(2) },
	  "out.type=2" },
	{ "rescale", { .opcode = NN_OPCODE_RESCALE, .out_max = 127 },
	  { INT16(2, 5, 3), [OUTPUT] = INT16(2, 5, 3) },
	  "in0.type=1 in0.type=2 out.type=1 out.type=2" },
	{ "rescale of sums", { .opcode = NN_OPCODE_RESCALE, .out_max = 127 },
	  { INT32(2, 5, 3), BIAS(6), [OUTPUT] = INT8(2, 5, 3) },
	  "out.type=2 out.type=3" },
	{ "add", { .opcode = NN_OPCODE_ADD, .out_max = 127, .add = { 1 << 20, 1 << 20, 20 } },
	  { INT8(2, 5, 3), INT8(2, 5, 3), [OUTPUT] = INT8(2, 5, 3) },
	  "in0.type=2 in1.type=2 out.type=2" },
	{ "add_float", { .opcode = NN_OPCODE_ADD_FLOAT, .out_max = 127, .add_float = { 1, 1, 1, NN_ADD_FUSED } },
	  { INT8(2, 5, 3), INT8(2, 5, 3), [OUTPUT] = INT8(2, 5, 3) },
	  "in0.type=2 in1.type=2 out.type=2" },
	{ "add_int16", { .opcode = NN_OPCODE_ADD_INT16, .out_max = 127, .add_int16 = { .left_shift = 15 } },
	  { INT16(2, 5, 3), INT16(2, 3), [OUTPUT] = INT16(2, 5, 3) },
	  "in0.rank in1.rank out.rank" },
	{ "add_int16 of one row", { .opcode = NN_OPCODE_ADD_INT16, .out_max = 127 },
	  { INT16(2, 5), INT16(1, 5), [OUTPUT] = INT16(2, 5) },
	  "in0.rank in1.rank in1.dim0 out.rank" },
	{ "binary_int16", { .opcode = NN_OPCODE_BINARY_INT16, .out_max = 127, .binary_int16 = { .function = NN_INT16_MUL } },
	  { INT16(2, 1, 3), INT16(2, 5, 1), [OUTPUT] = INT16(2, 5, 3) },
	  "" },
	{ "binary_int16 of the greatest", { .opcode = NN_OPCODE_BINARY_INT16, .out_max = 127, .binary_int16 = { .function = NN_INT16_MAX } },
	  { INT16(2, 5, 3), INT16(1, 5, 3), [OUTPUT] = INT16(2, 5, 3) },
	  "in1.dim0" },
	{ "binary", { .opcode = NN_OPCODE_BINARY, .out_max = 127, .binary = { NN_BINARY_MUL, 1, 1, 1 } },
	  { INT8(2, 1, 3), INT8(2, 5, 1), [OUTPUT] = INT8(2, 5, 3) },
	  "in0.type=2 in0.type=3 in1.type=2 in1.type=3 out.type=2 out.type=3" },
	{ "binary with one row", { .opcode = NN_OPCODE_BINARY, .out_max = 127, .binary = { NN_BINARY_MUL_ONCE, 1, 1, 1 } },
	  { INT8(2, 5), INT8(1, 5), [OUTPUT] = INT8(2, 5) },
	  "in0.type=2 in1.type=2 in1.dim0 out.type=2" },
	{ "binary by shifts", { .opcode = NN_OPCODE_BINARY, .out_max = 127,
	    .binary = { .function = NN_BINARY_ADD_SHIFTED, .add = { 1 << 20, 1 << 20, 20 } } },
	  { INT8(2, 5), INT8(2, 5), [OUTPUT] = INT8(2, 5) },
	  "in0.type=2 in1.type=2 out.type=2" },
	{ "binary in fixed point", { .opcode = NN_OPCODE_BINARY, .out_max = 127,
	    .binary = { .function = NN_BINARY_PRELU_FIXED, .by = { { 1 << 30, 0 }, { 1 << 30, 0 } } } },
	  { INT8(2, 5), INT8(2, 5), [OUTPUT] = INT8(2, 5) },
	  "in0.type=2 in1.type=2 out.type=2" },
	{ "binary of differences", { .opcode = NN_OPCODE_BINARY, .out_max = 127,
	    .binary = { .function = NN_BINARY_SQUARED_DIFFERENCE_FIXED, .by = { { 1 << 30, 0 }, { 1 << 30, 0 }, { 1 << 30, 0 } } } },
	  { INT8(2, 5), INT8(2, 5), [OUTPUT] = INT8(2, 5) },
	  "in0.type=2 in1.type=2 out.type=2" },
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
	{ "matmul_int16", { .opcode = NN_OPCODE_MATMUL_INT16, .out_max = 127, .matmul = { .by = { 1, -15 } } },
	  { INT16(2, 4, 5, 3), INT16(2, 4, 3, 6), [OUTPUT] = INT16(2, 4, 5, 6) },
	  "in0.type=1 in0.type=2 in1.type=1 in1.type=2 out.type=1 out.type=2" },
	{ "matmul_int16 by bytes", { .opcode = NN_OPCODE_MATMUL_INT16, .out_max = 127,
	    .matmul = { .form = NN_MATMUL_INT16_ONCE, .transpose_a = 1, .transpose_b = 1 } },
	  { INT16(2, 3, 5), INT8(2, 6, 3), [OUTPUT] = INT16(2, 5, 6) },
	  "in1.type=2 in1.type=3 out.type=1 out.type=2" },
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

static const struct parameter shifted_sums[] = {
	{ PLACE(add.multiplier_a), 1 << 21, true },	{ PLACE(add.multiplier_a), (1 << 21) + 1, false },
	{ PLACE(add.multiplier_a), -(1 << 21), true },	{ PLACE(add.multiplier_a), -(1 << 21) - 1, false },
	{ PLACE(add.multiplier_b), 1 << 21, true },	{ PLACE(add.multiplier_b), (1 << 21) + 1, false },
	{ PLACE(add.multiplier_b), -(1 << 21), true },	{ PLACE(add.multiplier_b), -(1 << 21) - 1, false },
	{ PLACE(add.shift), 1, true },			{ PLACE(add.shift), 0, false },
	{ PLACE(add.shift), 30, true },			{ PLACE(add.shift), 31, false },
};

static const struct parameter float_sums[] = {
	SCALE_AT(PLACE(add_float.scale_a)), SCALE_AT(PLACE(add_float.scale_b)), SCALE_AT(PLACE(add_float.scale_output)),
	{ PLACE(add_float.form), NN_ADD_DEQUANTIZED, true }, { PLACE(add_float.form), NN_ADD_FORMS, false },
};

static const struct parameter functions[] = {
	SCALE_AT(PLACE(binary.scale_a)), SCALE_AT(PLACE(binary.scale_b)), SCALE_AT(PLACE(binary.scale_output)),
	{ PLACE(binary.function), NN_BINARY_FUNCTIONS, false },
	/* These functions have other parameters, which are 0 here. */
	{ PLACE(binary.function), NN_BINARY_ADD_SHIFTED, false },
	{ PLACE(binary.function), NN_BINARY_MUL_ONCE, true },
};

static const struct parameter functions_of_one_scale[] = {
	{ PLACE(binary.function), NN_BINARY_MUL_FUSED, true }, { PLACE(binary.scale_a), 0, true }, { PLACE(binary.scale_b), 0, true },
	SCALE_AT(PLACE(binary.scale_output)),
};

static const struct parameter functions_by_shifts[] = {
	{ PLACE(binary.add.multiplier_a), 1 << 21, true }, { PLACE(binary.add.multiplier_a), (1 << 21) + 1, false },
	{ PLACE(binary.add.multiplier_b), 1 << 21, true }, { PLACE(binary.add.multiplier_b), (1 << 21) + 1, false },
	{ PLACE(binary.add.shift), 30, true },		   { PLACE(binary.add.shift), 31, false },
};

/* Values that a multiplier cannot have, and the ends of its exponent. */
#define FIXED_AT(fixed, least, most) \
	{ PLACE(fixed.multiplier), INT32_MIN, false }, { PLACE(fixed.multiplier), -INT32_MAX, true }, \
	{ PLACE(fixed.exponent), least, true }, { PLACE(fixed.exponent), (least) - 1, false }, \
	{ PLACE(fixed.exponent), most, true }, { PLACE(fixed.exponent), (most) + 1, false }

static const struct parameter fixed_functions[] = {
	FIXED_AT(binary.by[0], -31, 15), FIXED_AT(binary.by[1], -31, 15),
};

static const struct parameter differences[] = {
	FIXED_AT(binary.by[0], -31, 0), FIXED_AT(binary.by[1], -31, 0), FIXED_AT(binary.by[2], -31, 1),
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
	FIXED_AT(integers.by[0], -31, 15), FIXED_AT(integers.by[1], -31, 15),
};

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
	FIXED_AT(matmul.by, -31, 31), { PLACE(matmul.scale), 0, true },
};

static const struct parameter wide_matmuls[] = {
	{ PLACE(matmul.form), NN_MATMUL_INT16_FORMS, false },
	{ PLACE(matmul.transpose_a), 1, false },	 { PLACE(matmul.transpose_b), 1, false },
	{ PLACE(matmul.transpose_a), 2, false },	 { PLACE(matmul.transpose_b), 2, false },
	{ PLACE(matmul.zero_a), -32768, true },		 { PLACE(matmul.zero_b), -32768, true },
	{ PLACE(matmul.zero_a), 32767, true },		 { PLACE(matmul.zero_b), 32767, true },
	{ PLACE(matmul.zero_a), -32769, false },	 { PLACE(matmul.zero_b), -32769, false },
	{ PLACE(matmul.zero_a), 32768, false },		 { PLACE(matmul.zero_b), 32768, false },
	{ PLACE(matmul.by.multiplier), 0, true },	 { PLACE(matmul.by.multiplier), -1, false },
	{ PLACE(matmul.by.multiplier), 32767, true },	 { PLACE(matmul.by.multiplier), 32768, false },
	{ PLACE(matmul.by.exponent), -62, true },	 { PLACE(matmul.by.exponent), -63, false },
	{ PLACE(matmul.by.exponent), -1, true },	 { PLACE(matmul.by.exponent), 0, false },
};

static const struct parameter wide_matmuls_once[] = {
	{ PLACE(matmul.form), NN_MATMUL_INT16_FORMS, false },
	{ PLACE(matmul.zero_a), -32768, true },		 { PLACE(matmul.zero_b), -128, true },
	{ PLACE(matmul.zero_a), 32767, true },		 { PLACE(matmul.zero_b), 127, true },
	{ PLACE(matmul.zero_a), -32769, false },	 { PLACE(matmul.zero_b), -129, false },
	{ PLACE(matmul.zero_a), 32768, false },		 { PLACE(matmul.zero_b), 128, false },
	{ PLACE(matmul.by.multiplier), INT32_MAX, true }, { PLACE(matmul.by.multiplier), -1, false },
	{ PLACE(matmul.by.exponent), -31, true },	 { PLACE(matmul.by.exponent), -32, false },
	{ PLACE(matmul.by.exponent), 30, true },	 { PLACE(matmul.by.exponent), 31, false },
};

static const struct parameter products[] = {
	FIXED_AT(binary_int16.by, -31, 0), { PLACE(binary_int16.function), NN_INT16_MIN, true },
	{ PLACE(binary_int16.function), NN_INT16_FUNCTIONS, false },
};

/* Without a number to multiply by. */
static const struct parameter greatest[] = {
	{ PLACE(binary_int16.by.exponent), 5, true }, { PLACE(binary_int16.function), NN_INT16_FUNCTIONS, false },
};

static const struct trial trials[] = {
	{ "requantize", BYTE_CLAMPS },
	{ "rescale", PARAMETERS(rescalings) },
	{ "add", BYTE_CLAMPS },
	{ "add", PARAMETERS(shifted_sums) },
	{ "add_float", BYTE_CLAMPS },
	{ "add_float", PARAMETERS(float_sums) },
	{ "add_int16", PARAMETERS(sums) },
	{ "binary_int16", PARAMETERS(products) },
	{ "binary_int16 of the greatest", PARAMETERS(greatest) },
	{ "binary", BYTE_CLAMPS },
	{ "binary", PARAMETERS(functions) },
	{ "binary with one row", PARAMETERS(functions_of_one_scale) },
	{ "binary by shifts", PARAMETERS(functions_by_shifts) },
	{ "binary in fixed point", PARAMETERS(fixed_functions) },
	{ "binary of differences", PARAMETERS(differences) },
	{ "integers", PARAMETERS(integer_functions) },
	{ "integers in float32", PARAMETERS(float_comparisons) },
	{ "integers in fixed point", PARAMETERS(fixed_comparisons) },
	{ "matmul", BYTE_CLAMPS },
	{ "matmul", PARAMETERS(matmuls) },
	{ "matmul of turned matrices", PARAMETERS(sums_of_products) },
	{ "matmul of one matrix", PARAMETERS(fixed_matmuls) },
	{ "matmul_int16", PARAMETERS(wide_matmuls) },
	{ "matmul_int16 by bytes", PARAMETERS(wide_matmuls_once) },
};

static const struct right_call refused[] = {
	{ "matmul_int16 of bytes alone", { .opcode = NN_OPCODE_MATMUL_INT16, .out_max = 127 },
	  { INT8(1, 5, 3), INT8(1, 3, 6), [OUTPUT] = INT16(1, 5, 6) }, "" },
	{ "matmul of two dimensions", { .opcode = NN_OPCODE_MATMUL, .out_max = 127, .matmul = { .scale = 1 } },
	  { INT8(5, 3), INT8(3, 6), [OUTPUT] = INT8(5, 6) }, "" },
	{ "integers of float32", { .opcode = NN_OPCODE_INTEGERS, .integers = { .function = NN_INTEGERS_ADD } },
	  { { NN_TYPE_FLOAT32, 0, false, { 2 } }, { NN_TYPE_FLOAT32, 0, false, { 2 } },
	  [OUTPUT] = { NN_TYPE_FLOAT32, 0, false, { 2 } } }, "" },
};

static const struct size sizes[] = {
	{ "requantize", 0, ZERO_POINT, 1, false },
	{ "requantize", OUTPUT, ZERO_POINT, 1, true },
	{ "rescale", 0, ZERO_POINT, 1, false },
	{ "rescale", OUTPUT, ZERO_POINT, 1, false },
	{ "rescale of sums", 0, ZERO_POINT, 1, false },
	{ "rescale of sums", OUTPUT, ZERO_POINT, 1, true },
	{ "add_int16", 0, ZERO_POINT, 1, false },
	{ "add_int16", 1, ZERO_POINT, 1, false },
	{ "add_int16", OUTPUT, ZERO_POINT, 1, false },
	{ "binary_int16", 0, ZERO_POINT, 1, false },
	{ "binary_int16", 1, ZERO_POINT, 1, false },
	{ "binary_int16", OUTPUT, ZERO_POINT, 1, false },
	{ "add", 0, ZERO_POINT, 1, true },
};

const struct check_test nn_arithmetic_checks = {
	CALLS_TRIALS_SIZES,
	REFUSED,
};
