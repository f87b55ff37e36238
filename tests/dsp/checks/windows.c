// SPDX-License-Identifier: MIT
/*
 * Convolutions, pools and what else has a window or weights, see check-test.h.
 */
#include "../check-test.h"

/* Weights are of 32 outputs, and rows of 8, or of 32 outputs more than there are (dsp/program/pack.h). */
static const struct right_call calls[] = {
	{ "conv2d", { .opcode = NN_OPCODE_CONV2D, .out_max = 127, WINDOW },
	  { INT8(2, 5, 5, 8), PACKED(NN_TYPE_UINT8, 9 * 8 * 32), BIAS(32), SCALES(32), [OUTPUT] = INT8(2, 3, 3, 32) },
	  "in0.type=2 in0.dim1 in0.dim2 out.type=2" },
	{ "conv2d to sums", { .opcode = NN_OPCODE_CONV2D, WINDOW },
	  { INT8(2, 5, 5, 8), PACKED(NN_TYPE_UINT8, 9 * 8 * 32), BIAS(32), [OUTPUT] = INT32(2, 3, 3, 32) },
	  "in0.type=2 in0.dim1 in0.dim2" },
	{ "depthwise_conv2d", { .opcode = NN_OPCODE_DEPTHWISE_CONV2D, .out_max = 127, WINDOW },
	  { INT8(2, 5, 5, 128), PACKED(NN_TYPE_INT8, 12 * 160), BIAS(160), SCALES(160), [OUTPUT] = INT8(2, 3, 3, 128) },
	  "in0.type=2 in0.dim1 in0.dim2 out.type=2" },
	{ "fully_connected", { .opcode = NN_OPCODE_FULLY_CONNECTED, .out_max = 127 },
	  { INT8(2, 8), PACKED(NN_TYPE_UINT8, 8 * 32), BIAS(32), SCALES(32), [OUTPUT] = INT8(2, 32) },
	  "in0.type=2 in0.rank out.type=2 out.rank" },
	{ "pool_int16", { .opcode = NN_OPCODE_POOL_INT16, .out_max = 127, WINDOW },
	  { INT16(2, 5, 5, 8), [OUTPUT] = INT16(2, 3, 3, 8) },
	  "in0.dim1 in0.dim2" },
	{ "conv2d_int16", { .opcode = NN_OPCODE_CONV2D_INT16, .out_max = 127, WINDOW },
	  { INT16(2, 5, 5, 8), PACKED(NN_TYPE_INT8, 9 * 8 * 6), BIAS(12), BIAS(12), [OUTPUT] = INT16(2, 3, 3, 6) },
	  "in0.dim1 in0.dim2" },
	{ "conv2d_int16 of groups", { .opcode = NN_OPCODE_CONV2D_INT16, .out_max = 127, WINDOW },
	  { INT16(2, 5, 5, 8), PACKED(NN_TYPE_INT8, 9 * 4 * 6), BIAS(12), BIAS(12), [OUTPUT] = INT16(2, 3, 3, 6) },
	  "in0.dim1 in0.dim2" },
	{ "max_pool", { .opcode = NN_OPCODE_MAX_POOL, .out_max = 127, WINDOW },
	  { INT8(2, 5, 5, 4), [OUTPUT] = INT8(2, 3, 3, 4) },
	  "in0.dim1 in0.dim2" },
	{ "max_pool over much", { .opcode = NN_OPCODE_MAX_POOL, .out_max = 127, WINDOW },
	  { INT8(1, 500, 500, 1), [OUTPUT] = INT8(1, 1, 1, 1) },
	  "in0.dim1 in0.dim2 out.dim1 out.dim2" },
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
	{ PLACE(average_float.order), NN_AVERAGE_ROWS, true }, { PLACE(average_float.order), NN_AVERAGE_ZERO_POINT, true },
	{ PLACE(average_float.order), NN_AVERAGE_ORDERS, false },
};

static const struct parameter wide_pools[] = {
	{ PLACE(pool_int16.average), 1, true },		{ PLACE(pool_int16.average), 2, false },
	{ PLACE(pool_int16.window.dilation_h), 2, false }, { PLACE(pool_int16.window.dilation_w), 2, false },
	{ PLACE(pool_int16.window.count_padding), 1, false }, { PLACE(pool_int16.window.multiplier), 1, false },
	{ PLACE(pool_int16.window.shift), 1, false },
};

static const struct trial trials[] = {
	{ "pool_int16", PARAMETERS(wide_pools) },
	{ "max_pool", PARAMETERS(windows) },
	{ "depthwise_conv2d", PARAMETERS(dilations) },
	{ "max_pool over much", PARAMETERS(large_windows) },
	{ "max_pool", BYTE_CLAMPS },
	{ "depthwise_conv2d", BYTE_CLAMPS },
	{ "average_pool", BYTE_CLAMPS },
	{ "average_pool_float", BYTE_CLAMPS },
	{ "average_pool", PARAMETERS(averages) },
	{ "average_pool_away", PARAMETERS(whole_averages) },
	{ "average_pool_float", PARAMETERS(float_averages) },
};

/* Right but for one thing that no change of one dimension makes wrong alone. */
static const struct right_call refused[] = {
	{ "depthwise_conv2d of one and a half outputs", { .opcode = NN_OPCODE_DEPTHWISE_CONV2D, .out_max = 127, WINDOW },
	  { INT8(2, 5, 5, 128), PACKED(NN_TYPE_INT8, 12 * 224), BIAS(224), SCALES(224), [OUTPUT] = INT8(2, 3, 3, 192) }, "" },
	/* 2^20 outputs of 128 rows of 2^37 weights. */
	{ "conv2d of 2^64 weights, and none", { .opcode = NN_OPCODE_CONV2D, .window = { 128, 128, 1, 1, 1, 1, 0, 0, 0, 0, 0 } },
	  { INT8(1, 1, 1, 1 << 30), PACKED(NN_TYPE_UINT8, NO_ROWS), BIAS(1 << 20), [OUTPUT] = INT32(1, 1, 1, 1 << 20) }, "" },
	{ "conv2d_int16 without inputs", { .opcode = NN_OPCODE_CONV2D_INT16, .out_max = 127, WINDOW },
	  { INT16(2, 5, 5, 8), PACKED(NN_TYPE_INT8, 9 * 6 - 1), BIAS(12), BIAS(12), [OUTPUT] = INT16(2, 3, 3, 6) }, "" },
	{ "conv2d_int16 of groups of 3 of 8", { .opcode = NN_OPCODE_CONV2D_INT16, .out_max = 127, WINDOW },
	  { INT16(2, 5, 5, 8), PACKED(NN_TYPE_INT8, 9 * 3 * 6), BIAS(12), BIAS(12), [OUTPUT] = INT16(2, 3, 3, 6) }, "" },
	{ "conv2d_int16 of 6 outputs in 8 groups", { .opcode = NN_OPCODE_CONV2D_INT16, .out_max = 127, WINDOW },
	  { INT16(2, 5, 5, 8), PACKED(NN_TYPE_INT8, 9 * 6), BIAS(12), BIAS(12), [OUTPUT] = INT16(2, 3, 3, 6) }, "" },
};

static const struct size sizes[] = {
	{ "max_pool", 0, 1, (1u << 30) - 1, true },
	{ "max_pool", 0, 1, 1u << 30, false },
	{ "max_pool", 0, 2, (1u << 30) - 1, true },
	{ "max_pool", 0, 2, 1u << 30, false },
	{ "conv2d_int16", 0, 1, (1u << 30) - 1, true },
	{ "conv2d_int16", 0, 1, 1u << 30, false },
	{ "conv2d_int16", 0, 2, (1u << 30) - 1, true },
	{ "conv2d_int16", 0, 2, 1u << 30, false },
	{ "conv2d", 0, ZERO_POINT, 1, true },
	{ "conv2d_int16", 0, ZERO_POINT, 1, false },
	{ "conv2d_int16", 1, ZERO_POINT, 1, true },
	{ "conv2d_int16", OUTPUT, ZERO_POINT, 1, true },
	{ "average_pool_away", 0, ZERO_POINT, 1, false },
	{ "average_pool_away", OUTPUT, ZERO_POINT, 1, false },
};

const struct check_test nn_window_checks = {
	CALLS_TRIALS_SIZES,
	REFUSED,
};
