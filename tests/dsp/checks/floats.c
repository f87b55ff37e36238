// SPDX-License-Identifier: MIT
/*
 * Checks of operators of float32 (check-test.h).
 */
#include "../check-test.h"

#define FLOAT(...)	{ NN_TYPE_FLOAT32, 0, false, { __VA_ARGS__ } }
#define INFINITE	0x7f800000
#define NO_NUMBER	0x7fc00000
#define BELOW_0		((int32_t)0xbf800000)

static const struct right_call calls[] = {
	{ "float_conv2d", { .opcode = NN_OPCODE_FLOAT_CONV2D,
			    .float_conv2d = { WINDOW, .groups = 1, .low = -1, .high = 6 } },
	  { FLOAT(2, 5, 5, 4), PACKED(NN_TYPE_FLOAT32, 216), SCALE(6), [OUTPUT] = FLOAT(2, 3, 3, 6) },
	  "in0.dim1 in0.dim2 in1.rank" },
	{ "float_conv2d of groups", { .opcode = NN_OPCODE_FLOAT_CONV2D,
				      .float_conv2d = { WINDOW, .groups = 2, .low = -1, .high = 6 } },
	  { FLOAT(2, 5, 5, 4), PACKED(NN_TYPE_FLOAT32, 108), SCALE(6), [OUTPUT] = FLOAT(2, 3, 3, 6) },
	  "in0.dim1 in0.dim2 in1.rank" },
	{ "float_pool", { .opcode = NN_OPCODE_FLOAT_POOL,
			  .float_pool = { WINDOW, .form = NN_FLOAT_POOL_AVERAGE, .far_h = 6, .far_w = 6 } },
	  { FLOAT(2, 5, 5, 4), [OUTPUT] = FLOAT(2, 3, 3, 4) },
	  "in0.dim1 in0.dim2" },
	{ "float_pool over much", { .opcode = NN_OPCODE_FLOAT_POOL,
				    .float_pool = { WINDOW, .far_h = 501, .far_w = 501 } },
	  { FLOAT(1, 500, 500, 1), [OUTPUT] = FLOAT(1, 1, 1, 1) },
	  "in0.dim1 in0.dim2 out.dim1 out.dim2" },
	{ "float_pool of the most elements", { .opcode = NN_OPCODE_FLOAT_POOL,
					       .float_pool = { WINDOW_OF(255, ), .far_h = 501, .far_w = 501 } },
	  { FLOAT(1, 500, 500, 1), [OUTPUT] = FLOAT(1, 1, 1, 1) },
	  "in0.dim1 in0.dim2 out.dim1 out.dim2" },
	{ "float_matmul", { .opcode = NN_OPCODE_FLOAT_MATMUL },
	  { FLOAT(2, 3, 4), FLOAT(2, 4, 5), [OUTPUT] = FLOAT(2, 3, 5) },
	  "" },
	{ "float_matmul of one matrix", { .opcode = NN_OPCODE_FLOAT_MATMUL, .float_matmul = { 1, 1 } },
	  { FLOAT(2, 7, 4, 3), FLOAT(1, 1, 5, 4), [OUTPUT] = FLOAT(2, 7, 3, 5) },
	  "in1.dim0" },
	{ "float_each", { .opcode = NN_OPCODE_FLOAT_EACH }, { FLOAT(2, 5, 3), [OUTPUT] = FLOAT(2, 5, 3) }, "" },
	{ "float_binary", { .opcode = NN_OPCODE_FLOAT_BINARY },
	  { FLOAT(2, 1, 3), FLOAT(2, 5, 1), [OUTPUT] = FLOAT(2, 5, 3) },
	  "" },
	{ "float_binary that compares", { .opcode = NN_OPCODE_FLOAT_BINARY, .float_binary = { NN_FLOAT_EQUAL } },
	  { FLOAT(2, 5, 3), FLOAT(1, 5, 3), [OUTPUT] = BOOL(2, 5, 3) },
	  "in1.dim0" },
	{ "float_reduce", { .opcode = NN_OPCODE_FLOAT_REDUCE, .float_reduce = { NN_FLOAT_SUM, 5, 3 } },
	  { FLOAT(2, 7, 5, 3), [OUTPUT] = FLOAT(2, 7, 1, 3) },
	  "in0.rank out.rank" },
	{ "float_reduce to vectors", { .opcode = NN_OPCODE_FLOAT_REDUCE, .float_reduce = { NN_FLOAT_SOFTMAX, 5, 3 } },
	  { FLOAT(2, 7, 5, 3), [OUTPUT] = FLOAT(2, 7, 5, 3) },
	  "in0.rank out.rank" },
	{ "float_convert", { .opcode = NN_OPCODE_FLOAT_CONVERT, .float_convert = { NN_FLOAT_FROM, 1 } },
	  { INT8(2, 5, 3), [OUTPUT] = FLOAT(2, 5, 3) },
	  "in0.type=2 in0.type=3 in0.type=5 in0.type=6 in0.type=7 in0.type=8" },
	{ "float_convert that quantizes", { .opcode = NN_OPCODE_FLOAT_CONVERT, .float_convert = { NN_FLOAT_QUANTIZE, 1 } },
	  { FLOAT(2, 5, 3), [OUTPUT] = INT8(2, 5, 3) },
	  "out.type=2 out.type=3" },
	{ "float_convert that cuts", { .opcode = NN_OPCODE_FLOAT_CONVERT, .float_convert = { NN_FLOAT_CUT, 1 } },
	  { FLOAT(2, 5, 3), [OUTPUT] = INT8(2, 5, 3) },
	  "out.type=2 out.type=3 out.type=5 out.type=7 out.type=8" },
	{ "float_resize", { .opcode = NN_OPCODE_FLOAT_RESIZE },
	  { FLOAT(2, 5, 3, 4), BIAS(7), BIAS(9), SCALE(14), SCALE(18), [OUTPUT] = FLOAT(2, 7, 9, 4) },
	  "in0.dim1 in0.dim2" },
};

static const struct parameter convolutions[] = {
	{ PLACE(float_conv2d.groups), 0, false },	{ PLACE(float_conv2d.groups), 2, false },
	{ PLACE(float_conv2d.groups), 3, false },	{ PLACE(float_conv2d.low), NO_NUMBER, false },
	{ PLACE(float_conv2d.high), NO_NUMBER, false },	{ PLACE(float_conv2d.high), INFINITE, true },
	{ PLACE(float_conv2d.high), BELOW_0, true },	{ PLACE(float_conv2d.low), INFINITE, false },
	{ PLACE(window.count_padding), 1, false },	{ PLACE(window.multiplier), 1, false },
	{ PLACE(window.shift), 1, false },		{ PLACE(window.stride_h), 0, false },
	{ PLACE(window.pad_top), 3, false },
};

static const struct parameter large_windows[] = {
	{ PLACE(window.kernel_h), NN_MAX_FLOAT_WINDOW, true },
	{ PLACE(window.kernel_w), NN_MAX_FLOAT_WINDOW, true },
	{ PLACE(window.kernel_h), NN_MAX_FLOAT_WINDOW + 1, false },
	{ PLACE(window.kernel_w), NN_MAX_FLOAT_WINDOW + 1, false },
	{ PLACE(window.stride_h), NN_MAX_FLOAT_WINDOW, true },
	{ PLACE(window.stride_w), NN_MAX_FLOAT_WINDOW, true },
	{ PLACE(window.stride_h), NN_MAX_FLOAT_WINDOW + 1, false },
	{ PLACE(window.stride_w), NN_MAX_FLOAT_WINDOW + 1, false },
};

static const struct parameter most_elements[] = {
	{ PLACE(window.kernel_h), 254, true },	{ PLACE(window.kernel_h), 256, false },
	{ PLACE(window.kernel_w), 256, false },
};

static const struct parameter pools[] = {
	{ PLACE(float_pool.form), NN_FLOAT_POOL_FORMS, false },
	{ PLACE(float_pool.form), NN_FLOAT_POOL_MAX, true },
	{ PLACE(float_pool.far_h), 5, true },		{ PLACE(float_pool.far_h), 4, false },
	{ PLACE(float_pool.far_w), 4, false },		{ PLACE(float_pool.far_w), 1 << 30, false },
	{ PLACE(float_pool.far_h), 1 << 30, false },	{ PLACE(window.count_padding), 1, true },
	{ PLACE(window.count_padding), 2, false },	{ PLACE(window.dilation_h), 2, false },
	{ PLACE(window.dilation_w), 2, false },		{ PLACE(window.multiplier), 1, false },
	{ PLACE(window.shift), 1, false },
};

static const struct parameter products[] = {
	{ PLACE(float_matmul.transpose_a), 1, false },	{ PLACE(float_matmul.transpose_a), 2, false },
	{ PLACE(float_matmul.transpose_b), 2, false },
};

static const struct parameter functions[] = {
	{ PLACE(float_each.function), NN_FLOAT_FUNCTIONS - 1, true },
	{ PLACE(float_each.function), NN_FLOAT_FUNCTIONS, false },
	{ PLACE(float_each.alpha), NO_NUMBER, false },	{ PLACE(float_each.alpha), INFINITE, true },
	{ PLACE(float_each.beta), NO_NUMBER, false },
};

static const struct parameter pairs[] = {
	{ PLACE(float_binary.function), NN_FLOAT_MODULO, true },
	{ PLACE(float_binary.function), NN_FLOAT_EQUAL, false },
	{ PLACE(float_binary.function), NN_FLOAT_TWO_FUNCTIONS, false },
};

static const struct parameter comparisons[] = {
	{ PLACE(float_binary.function), NN_FLOAT_GREATER_OR_EQUAL, true },
	{ PLACE(float_binary.function), NN_FLOAT_MODULO, false },
};

static const struct parameter reductions[] = {
	{ PLACE(float_reduce.function), NN_FLOAT_LOG_SUM_EXPONENTIAL, true },
	{ PLACE(float_reduce.function), NN_FLOAT_LOG_SUM_EXPONENTIAL + 1, false },
	{ PLACE(float_reduce.function), NN_FLOAT_SOFTMAX - 1, false },
	{ PLACE(float_reduce.function), NN_FLOAT_SOFTMAX, false },
	{ PLACE(float_reduce.function), NN_FLOAT_REDUCTIONS, false },
	{ PLACE(float_reduce.length), 0, false },	{ PLACE(float_reduce.length), 4, false },
	{ PLACE(float_reduce.length), 15, false },	{ PLACE(float_reduce.inner), 0, false },
	{ PLACE(float_reduce.inner), 2, false },	{ PLACE(float_reduce.inner), 1, true },
	{ PLACE(float_reduce.epsilon), BELOW_0, false },	{ PLACE(float_reduce.epsilon), INFINITE, false },
	{ PLACE(float_reduce.epsilon), NO_NUMBER, false },	{ PLACE(float_reduce.epsilon), 1, true },
};

static const struct parameter vectors[] = {
	{ PLACE(float_reduce.function), NN_FLOAT_REDUCTIONS - 1, true },
	{ PLACE(float_reduce.function), NN_FLOAT_MEAN, false },
};

static const struct parameter conversions[] = {
	{ PLACE(float_convert.form), NN_FLOAT_QUANTIZE, false },
	{ PLACE(float_convert.form), NN_FLOAT_CONVERSIONS, false },
	{ PLACE(float_convert.scale), 0, false },	{ PLACE(float_convert.scale), BELOW_0, false },
	{ PLACE(float_convert.scale), INFINITE, false },	{ PLACE(float_convert.scale), NO_NUMBER, false },
	{ PLACE(float_convert.scale), 0x40000000, true },
};

static const struct parameter cuts[] = {
	{ PLACE(float_convert.scale), 0x40000000, false },
	{ PLACE(float_convert.form), NN_FLOAT_FROM, false },
};

static const struct trial trials[] = {
	{ "float_conv2d", PARAMETERS(convolutions) },
	{ "float_pool", PARAMETERS(pools) },
	{ "float_pool over much", PARAMETERS(large_windows) },
	{ "float_pool of the most elements", PARAMETERS(most_elements) },
	{ "float_matmul", PARAMETERS(products) },
	{ "float_each", PARAMETERS(functions) },
	{ "float_binary", PARAMETERS(pairs) },
	{ "float_binary that compares", PARAMETERS(comparisons) },
	{ "float_reduce", PARAMETERS(reductions) },
	{ "float_reduce to vectors", PARAMETERS(vectors) },
	{ "float_convert", PARAMETERS(conversions) },
	{ "float_convert that cuts", PARAMETERS(cuts) },
};

static const struct size sizes[] = {
	{ "float_conv2d", 0, 1, (1 << 30) - 1, true },
	{ "float_conv2d", 0, 1, 1 << 30, false },
	{ "float_resize", 0, 1, (1 << 30) - 1, true },
	{ "float_resize", 0, 1, 1 << 30, false },
	{ "float_resize", 0, 2, 1 << 30, false },
};

const struct check_test nn_float_checks = {
	CALLS_TRIALS_SIZES,
};
