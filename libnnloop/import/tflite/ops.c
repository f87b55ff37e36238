// SPDX-License-Identifier: MIT
/* The TensorFlow Lite operators that nnloop knows. */
#include <string.h>

#include "import/tflite/tflite.h"

/* The options of operators, in the order of the format's tables. */
#define OPTION(its_kind, its_name, if_absent, least, most)                                      \
	{                                                                                       \
		.name = its_name, .kind = TFLITE_##its_kind, .otherwise = if_absent, .low = least, \
		.high = most,                                                                   \
	}
#define PADDING OPTION(BYTE, "padding", 0, 0, 1)
#define ACTIVATION OPTION(BYTE, "fused_activation_function", 0, 0, 3)
#define STRIDES OPTION(INT, "stride_w", 0, 1, 255), OPTION(INT, "stride_h", 0, 1, 255)
#define DILATIONS                                                                               \
	OPTION(INT, "dilation_w_factor", 1, 1, 255), OPTION(INT, "dilation_h_factor", 1, 1, 255)
#define NOT_SET(its_name) OPTION(BYTE, its_name, 0, 0, 0)
/* A tensor's type as the format numbers it. */
#define BIAS_TYPE OPTION(BYTE, "quantized_bias_type", 0, 0, 4)

static const struct tflite_option conv[] = {
	PADDING, STRIDES, ACTIVATION, DILATIONS, BIAS_TYPE,
};
static const struct tflite_option depthwise_conv[] = {
	PADDING,
	STRIDES,
	/* The shape of the weights says as much, and is what counts. */
	OPTION(INT, "depth_multiplier", 0, 0, INT32_MAX),
	ACTIVATION,
	DILATIONS,
};
static const struct tflite_option pool[] = {
	PADDING,
	STRIDES,
	OPTION(INT, "filter_width", 0, 1, 65535),
	OPTION(INT, "filter_height", 0, 1, 65535),
	ACTIVATION,
};
static const struct tflite_option fully_connected[] = {
	ACTIVATION,
	NOT_SET("weights_format"),
	OPTION(BYTE, "keep_num_dims", 0, 0, 1),
	/* Models that compute in float have this option. */
	OPTION(BYTE, "asymmetric_quantize_inputs", 0, 0, 1),
	BIAS_TYPE,
};
static const struct tflite_option add[] = {
	ACTIVATION,
	/* This option is of 16 bits only. */
	OPTION(BYTE, "pot_scale_int16", 1, 0, 1),
};
static const struct tflite_option if_graphs[] = {
	OPTION(INT, "then_subgraph_index", 0, 0, INT32_MAX),
	OPTION(INT, "else_subgraph_index", 0, 0, INT32_MAX),
};
static const struct tflite_option while_graphs[] = {
	OPTION(INT, "cond_subgraph_index", 0, 0, INT32_MAX),
	OPTION(INT, "body_subgraph_index", 0, 0, INT32_MAX),
};
/* int32 or int64. */
static const struct tflite_option arg_max[] = { OPTION(BYTE, "output_type", 0, 2, 4) };
static const struct tflite_option batch_matmul[] = {
	OPTION(BYTE, "adj_x", 0, 0, 1),
	OPTION(BYTE, "adj_y", 0, 0, 1),
	/* Models that compute in float have this option. */
	OPTION(BYTE, "asymmetric_quantize_inputs", 0, 0, 1),
};
static const struct tflite_option mul[] = { ACTIVATION };
static const struct tflite_option no_activation[] = { NOT_SET("fused_activation_function") };
static const struct tflite_option gelu[] = { OPTION(BYTE, "approximate", 0, 0, 1) };
static const struct tflite_option concatenation[] = {
	OPTION(INT, "axis", 0, INT32_MIN, INT32_MAX),
	NOT_SET("fused_activation_function"),
};
static const struct tflite_option leaky_relu[] = { OPTION(FLOAT, "alpha", 0, 0, 0) };
static const struct tflite_option reduce[] = { OPTION(BYTE, "keep_dims", 0, 0, 1) };
static const struct tflite_option reshape[] = { OPTION(INTS, "new_shape", 0, 0, 0) };
static const struct tflite_option resize_bilinear[] = {
	/* Old files have these, and the size as an input. */
	OPTION(INT, "new_height", 0, INT32_MIN, INT32_MAX),
	OPTION(INT, "new_width", 0, INT32_MIN, INT32_MAX),
	OPTION(BYTE, "align_corners", 0, 0, 1),
	OPTION(BYTE, "half_pixel_centers", 0, 0, 1),
};
static const struct tflite_option resize_nearest[] = {
	OPTION(BYTE, "align_corners", 0, 0, 1),
	OPTION(BYTE, "half_pixel_centers", 0, 0, 1),
};
static const struct tflite_option softmax[] = { OPTION(FLOAT, "beta", 0, 0, 0) };
static const struct tflite_option split[] = { OPTION(INT, "num_splits", 0, 1, INT32_MAX) };
static const struct tflite_option transpose_conv[] = { PADDING, STRIDES, ACTIVATION, BIAS_TYPE };
static const struct tflite_option gather[] = {
	OPTION(INT, "axis", 0, INT32_MIN, INT32_MAX),
	OPTION(INT, "batch_dims", 0, 0, 7),
};
static const struct tflite_option shape[] = { OPTION(BYTE, "out_type", 0, 2, 4) };
static const struct tflite_option one_hot[] = { OPTION(INT, "axis", 0, INT32_MIN, INT32_MAX) };
static const struct tflite_option cumsum[] = {
	OPTION(BYTE, "exclusive", 0, 0, 1),
	OPTION(BYTE, "reverse", 0, 0, 1),
};
static const struct tflite_option call_once[] = {
	OPTION(INT, "init_subgraph_index", 0, 0, INT32_MAX),
};
static const struct tflite_option var_handle[] = {
	OPTION(INTS, "container", 0, 0, 0),
	OPTION(INTS, "shared_name", 0, 0, 0),
};
static const struct tflite_option mirror_pad[] = { OPTION(BYTE, "mode", 0, 0, 1) };
static const struct tflite_option blocks[] = { OPTION(INT, "block_size", 0, 1, INT32_MAX) };
static const struct tflite_option pack[] = {
	OPTION(INT, "values_count", 0, 1, INT32_MAX),
	OPTION(INT, "axis", 0, INT32_MIN, INT32_MAX),
};
static const struct tflite_option unpack[] = {
	OPTION(INT, "num", 0, 1, INT32_MAX),
	OPTION(INT, "axis", 0, INT32_MIN, INT32_MAX),
};
static const struct tflite_option strided_slice[] = {
	OPTION(INT, "begin_mask", 0, 0, 255),
	OPTION(INT, "end_mask", 0, 0, 255),
	OPTION(INT, "ellipsis_mask", 0, 0, 255),
	OPTION(INT, "new_axis_mask", 0, 0, 255),
	OPTION(INT, "shrink_axis_mask", 0, 0, 255),
	OPTION(BYTE, "offset", 0, 0, 0),
};
/* The types, which the tensors say as well. */
static const struct tflite_option cast[] = {
	OPTION(BYTE, "in_data_type", 0, 0, 127),
	OPTION(BYTE, "out_data_type", 0, 0, 127),
};
/* Options of a custom operator, which have names. */
static const struct tflite_option detection[] = {
	OPTION(INT, "detections_per_class", 100, 1, INT32_MAX),
	OPTION(FLOAT, "h_scale", 0, 0, 0),
	OPTION(INT, "max_classes_per_detection", 0, 1, TFLITE_MAX_BOXES),
	OPTION(INT, "max_detections", 0, 1, TFLITE_MAX_BOXES),
	OPTION(FLOAT, "nms_iou_threshold", 0, 0, 0),
	OPTION(FLOAT, "nms_score_threshold", 0, 0, 0),
	OPTION(INT, "num_classes", 0, 1, 65536),
	OPTION(INT, "use_regular_nms", 0, 0, 1),
	OPTION(FLOAT, "w_scale", 0, 0, 0),
	OPTION(FLOAT, "x_scale", 0, 0, 0),
	OPTION(FLOAT, "y_scale", 0, 0, 0),
};
static const struct tflite_option svdf[] = {
	OPTION(INT, "rank", 0, 1, INT32_MAX),
	OPTION(BYTE, "fused_activation_function", 0, 1, 1),
	/* Models that compute in float have this option. */
	OPTION(BYTE, "asymmetric_quantize_inputs", 0, 0, 1),
};
static const struct tflite_option lstm[] = {
	/* The hyperbolic tangent. */
	OPTION(BYTE, "fused_activation_function", 0, 4, 4),
	OPTION(FLOAT, "cell_clip", 0, 0, 0),
	OPTION(FLOAT, "proj_clip", 0, 0, 0),
	NOT_SET("time_major"),
	/* Models that compute in float have this option. */
	OPTION(BYTE, "asymmetric_quantize_inputs", 0, 0, 1),
	NOT_SET("diagonal_recurrent_tensors"),
};
static const struct tflite_option lstm_both[] = {
	OPTION(BYTE, "fused_activation_function", 0, 4, 4),
	OPTION(FLOAT, "cell_clip", 0, 0, 0),
	OPTION(FLOAT, "proj_clip", 0, 0, 0),
	OPTION(BYTE, "merge_outputs", 0, 0, 1),
	OPTION(BYTE, "time_major", 1, 0, 0),
	OPTION(BYTE, "asymmetric_quantize_inputs", 0, 0, 1),
};
static const struct tflite_option rnn[] = {
	NOT_SET("time_major"),
	OPTION(BYTE, "fused_activation_function", 0, 1, 4),
	OPTION(BYTE, "asymmetric_quantize_inputs", 0, 0, 1),
};
static const struct tflite_option squeeze[] = { OPTION(INTS, "squeeze_dims", 0, 0, 0) };

/* The last of its versions, and which of the format's tables of options it has. */
#define NONE .options_type = 0
#define OPTIONS(type, list) \
	.options_type = type, .options = list, .option_count = sizeof(list) / sizeof(*list)
#define INPUTS(min, max) .min_inputs = min, .max_inputs = max, .outputs = 1
/* TensorFlow Lite's own kernels hand on what is stored, and ask for no quantization. */
#define STORED_8 .stored = TFLITE_STORED_8
#define STORED_16 .stored = TFLITE_STORED_16
#define STORED .stored = TFLITE_STORED_8 | TFLITE_STORED_16
#define OP(its_code, its_name, last, function, ...)                                                \
	{                                                                                          \
		.name = its_name, .code = its_code, .version = last,                               \
		.lower = tflite_lower_##function, __VA_ARGS__                                      \
	}

static const struct tflite_op ops[] = {
	OP(0, "ADD", 4, sum, .takes_items = true, INPUTS(2, 2), OPTIONS(11, add), .function = "add",
	   .becomes = "Add",
	   .compute = tflite_compute_binary),
	OP(1, "AVERAGE_POOL_2D", 3, average_pool, STORED, INPUTS(1, 1), OPTIONS(5, pool)),
	OP(2, "CONCATENATION", 3, concatenation, STORED_16, INPUTS(1, UINT8_MAX),
	   OPTIONS(10, concatenation),
	   .compute = tflite_compute_concatenation),
	OP(3, "CONV_2D", 6, conv, INPUTS(2, 3), OPTIONS(1, conv), .float_version = 8),
	OP(4, "DEPTHWISE_CONV_2D", 6, depthwise_conv, INPUTS(2, 3), OPTIONS(2, depthwise_conv),
	   .float_version = 7),
	OP(5, "DEPTH_TO_SPACE", 2, depth_to_space, INPUTS(1, 1), OPTIONS(94, blocks)),
	OP(6, "DEQUANTIZE", 3, dequantize, INPUTS(1, 1), .options_type = 38),
	OP(8, "FLOOR", 1, real, INPUTS(1, 1), NONE),
	/*
	 * XNNPACK leaves version 8 to the kernels that know sparse weights, also where they are
	 * dense.
	 */
	OP(9, "FULLY_CONNECTED", 9, fully_connected, .takes_items = true, INPUTS(2, 3), OPTIONS(8,
	   fully_connected),
	   .not_version = 8, .float_version = 13),
	OP(11, "L2_NORMALIZATION", 2, l2_normalization, INPUTS(1, 1), OPTIONS(12, no_activation)),
	OP(14, "LOGISTIC", 3, unary, .takes_items = true, INPUTS(1, 1), NONE, .becomes = "Sigmoid"),
	OP(17, "MAX_POOL_2D", 3, max_pool, STORED_16, INPUTS(1, 1), OPTIONS(5, pool)),
	OP(18, "MUL", 5, mul, .takes_items = true, INPUTS(2, 2), OPTIONS(21, mul),
	   .function = "mul",
	   .becomes = "Mul",
	   .compute = tflite_compute_binary),
	OP(19, "RELU", 3, relu, .takes_items = true, INPUTS(1, 1), NONE),
	OP(20, "RELU_N1_TO_1", 1, relu_n1_to_1, .takes_items = true, INPUTS(1, 1), NONE),
	OP(21, "RELU6", 3, relu6, .takes_items = true, INPUTS(1, 1), NONE),
	OP(22, "RESHAPE", 1, reshape, STORED, INPUTS(1, 2), OPTIONS(17, reshape),
	   .compute = tflite_compute_same),
	OP(23, "RESIZE_BILINEAR", 4, resize_bilinear, STORED_16, INPUTS(2, 2),
	   OPTIONS(15, resize_bilinear)),
	OP(25, "SOFTMAX", 3, softmax, STORED_8, .takes_items = true, INPUTS(1, 1), OPTIONS(9, softmax)),
	OP(26, "SPACE_TO_DEPTH", 2, space_to_depth, INPUTS(1, 1), OPTIONS(19, blocks)),
	OP(27, "SVDF", 3, svdf, INPUTS(5, 5), OPTIONS(6, svdf), .has_state = true),
	OP(28, "TANH", 3, unary, .takes_items = true, INPUTS(1, 1), NONE, .becomes = "Tanh"),
	OP(34, "PAD", 4, pad, STORED_16, INPUTS(2, 2), .options_type = 22),
	OP(35, "UNIDIRECTIONAL_SEQUENCE_RNN", 3, only_in_float, INPUTS(5, 5), OPTIONS(31, rnn),
	   .has_state = true),
	OP(36, "GATHER", 5, gather, STORED, INPUTS(2, 2), OPTIONS(23, gather),
	   .compute = tflite_compute_gather),
	OP(37, "BATCH_TO_SPACE_ND", 4, batch_to_space, INPUTS(3, 3), .options_type = 24),
	OP(38, "SPACE_TO_BATCH_ND", 4, space_to_batch, INPUTS(3, 3), .options_type = 25),
	OP(39, "TRANSPOSE", 6, transpose, STORED_16, .takes_items = true, INPUTS(2, 2),
	   .options_type = 26),
	OP(40, "MEAN", 3, mean, INPUTS(2, 2), OPTIONS(27, reduce)),
	OP(41, "SUB", 5, sum, .takes_items = true, INPUTS(2, 2), OPTIONS(28, add),
	   .function = "sub",
	   .becomes = "Sub",
	   .compute = tflite_compute_binary),
	OP(42, "DIV", 2, div, INPUTS(2, 2), OPTIONS(29, no_activation), .function = "div",
	   .compute = tflite_compute_binary),
	OP(43, "SQUEEZE", 1, squeeze, INPUTS(1, 1), OPTIONS(30, squeeze),
	   .compute = tflite_compute_same),
	OP(44, "UNIDIRECTIONAL_SEQUENCE_LSTM", 4, lstm, INPUTS(20, 24), OPTIONS(71, lstm),
	   .has_state = true),
	OP(45, "STRIDED_SLICE", 8, strided_slice, STORED_16, .takes_items = true, INPUTS(4, 4),
	   OPTIONS(32, strided_slice), .compute = tflite_compute_strided_slice),
	OP(47, "EXP", 2, exp, INPUTS(1, 1), .options_type = 33),
	OP(48, "TOPK_V2", 2, top_k, .min_inputs = 2, .max_inputs = 2, .outputs = 2,
	   .options_type = 34),
	OP(49, "SPLIT", 4, split, STORED_16, .takes_items = true, .min_inputs = 2, .max_inputs = 2,
	   .outputs = TFLITE_ANY_COUNT, OPTIONS(35, split)),
	OP(50, "LOG_SOFTMAX", 2, log_softmax, INPUTS(1, 1), .options_type = 36),
	OP(52, "BIDIRECTIONAL_SEQUENCE_LSTM", 3, only_in_float, .min_inputs = 48, .max_inputs = 48,
	   .outputs = TFLITE_ANY_COUNT, OPTIONS(69, lstm_both), .has_state = true),
	OP(53, "CAST", 3, cast, INPUTS(1, 1), OPTIONS(37, cast),
	   .compute = tflite_compute_same),
	OP(54, "PRELU", 1, prelu, INPUTS(2, 2), NONE, .becomes = "PRelu"),
	OP(55, "MAXIMUM", 4, extreme, STORED, .takes_items = true, INPUTS(2, 2), .options_type = 39,
	   .function = "max",
	   .becomes = "Maximum",
	   .compute = tflite_compute_binary),
	OP(56, "ARG_MAX", 2, arg, INPUTS(2, 2), OPTIONS(40, arg_max), .becomes = "max"),
	OP(57, "MINIMUM", 4, extreme, STORED, .takes_items = true, INPUTS(2, 2), .options_type = 39,
	   .function = "min",
	   .becomes = "Minimum",
	   .compute = tflite_compute_binary),
	OP(58, "LESS", 2, compare, INPUTS(2, 2), .options_type = 41, .function = "less"),
	OP(59, "NEG", 1, integers, INPUTS(1, 1), .options_type = 42, .function = "sub"),
	OP(60, "PADV2", 4, pad_v2, INPUTS(3, 3), .options_type = 43),
	OP(61, "GREATER", 2, compare, INPUTS(2, 2), .options_type = 44, .function = "greater"),
	OP(62, "GREATER_EQUAL", 2, compare, INPUTS(2, 2), .options_type = 45,
	   .function = "greater_or_equal"),
	OP(63, "LESS_EQUAL", 2, compare, INPUTS(2, 2), .options_type = 46,
	   .function = "less_or_equal"),
	OP(64, "SELECT", 3, select, INPUTS(3, 3), .options_type = 47),
	OP(65, "SLICE", 5, slice, STORED_16, .takes_items = true, INPUTS(3, 3), .options_type = 48,
	   .compute = tflite_compute_slice),
	OP(66, "SIN", 1, real, INPUTS(1, 1), NONE),
	OP(67, "TRANSPOSE_CONV", 4, transpose_conv, INPUTS(3, 4), OPTIONS(49, transpose_conv)),
	OP(69, "TILE", 3, tile, STORED, INPUTS(2, 2), .options_type = 51),
	OP(70, "EXPAND_DIMS", 1, expand_dims, INPUTS(2, 2), .options_type = 52,
	   .compute = tflite_compute_same),
	OP(71, "EQUAL", 2, compare, INPUTS(2, 2), .options_type = 53, .function = "equal"),
	OP(72, "NOT_EQUAL", 2, compare, INPUTS(2, 2), .options_type = 54, .function = "not_equal"),
	OP(73, "LOG", 2, log, INPUTS(1, 1), NONE),
	OP(74, "SUM", 2, reduce_sum, STORED_16, INPUTS(2, 2), OPTIONS(27, reduce), .function = "add",
	   .compute = tflite_compute_reduction),
	OP(75, "SQRT", 2, sqrt, INPUTS(1, 1), NONE),
	OP(76, "RSQRT", 2, rsqrt, INPUTS(1, 1), NONE),
	OP(77, "SHAPE", 1, shape, INPUTS(1, 1), OPTIONS(55, shape)),
	OP(79, "ARG_MIN", 2, arg, INPUTS(2, 2), OPTIONS(57, arg_max), .becomes = "min"),
	OP(81, "REDUCE_PROD", 2, known, INPUTS(2, 2), OPTIONS(27, reduce), .function = "prod",
	   .compute = tflite_compute_reduction),
	OP(82, "REDUCE_MAX", 3, reduce_extreme, STORED_8, INPUTS(2, 2), OPTIONS(27, reduce),
	   .becomes = "max",
	   .function = "max", .compute = tflite_compute_reduction),
	OP(83, "PACK", 4, pack, .takes_items = true, INPUTS(1, UINT8_MAX), OPTIONS(59, pack),
	   .compute = tflite_compute_pack),
	OP(84, "LOGICAL_OR", 1, integers, INPUTS(2, 2), .options_type = 60, .function = "or"),
	OP(85, "ONE_HOT", 1, one_hot, INPUTS(4, 4), OPTIONS(61, one_hot)),
	OP(86, "LOGICAL_AND", 1, integers, INPUTS(2, 2), .options_type = 62, .function = "and"),
	OP(87, "LOGICAL_NOT", 1, integers, INPUTS(1, 1), .options_type = 63, .function = "xor"),
	OP(88, "UNPACK", 4, unpack, .takes_items = true, .min_inputs = 1, .max_inputs = 1,
	   .outputs = TFLITE_ANY_COUNT,
	   OPTIONS(64, unpack)),
	OP(89, "REDUCE_MIN", 3, reduce_extreme, STORED_8, INPUTS(2, 2), OPTIONS(27, reduce),
	   .becomes = "min",
	   .function = "min", .compute = tflite_compute_reduction),
	OP(90, "FLOOR_DIV", 2, integers, INPUTS(2, 2), .options_type = 65, .function = "floor_div",
	   .compute = tflite_compute_binary),
	OP(92, "SQUARE", 1, real, INPUTS(1, 1), .options_type = 66),
	OP(93, "ZEROS_LIKE", 1, zeros_like, INPUTS(1, 1), .options_type = 67),
	OP(94, "FILL", 3, fill, INPUTS(2, 2), .options_type = 68),
	OP(95, "FLOOR_MOD", 1, integers, INPUTS(2, 2), .options_type = 72, .function = "floor_mod",
	   .compute = tflite_compute_binary),
	OP(96, "RANGE", 1, known, INPUTS(3, 3), .options_type = 73,
	   .compute = tflite_compute_range),
	OP(97, "RESIZE_NEAREST_NEIGHBOR", 4, resize_nearest, STORED, INPUTS(2, 2),
	   OPTIONS(74, resize_nearest)),
	OP(98, "LEAKY_RELU", 2, leaky_relu, .takes_items = true, INPUTS(1, 1), OPTIONS(75,
	   leaky_relu)),
	OP(99, "SQUARED_DIFFERENCE", 2, squared_difference, INPUTS(2, 2), .options_type = 76,
	   .becomes = "SquaredDifference"),
	OP(100, "MIRROR_PAD", 3, mirror_pad, INPUTS(2, 2), OPTIONS(77, mirror_pad)),
	OP(101, "ABS", 3, abs, INPUTS(1, 1), .options_type = 78),
	OP(102, "SPLIT_V", 2, split_v, .min_inputs = 3, .max_inputs = 3, .outputs = TFLITE_ANY_COUNT,
	   OPTIONS(79, split)),
	OP(104, "CEIL", 1, real, INPUTS(1, 1), NONE),
	OP(105, "REVERSE_V2", 3, reverse, STORED_8, INPUTS(2, 2), .options_type = 81),
	OP(107, "GATHER_ND", 3, gather_nd, INPUTS(2, 2), .options_type = 83),
	OP(108, "COS", 1, real, INPUTS(1, 1), .options_type = 84),
	OP(111, "ELU", 1, elu, INPUTS(1, 1), NONE),
	OP(TFLITE_CODE_QUANTIZE, "QUANTIZE", 3, quantize, .takes_items = true, INPUTS(1, 1),
	   .options_type = 89),
	OP(116, "ROUND", 1, real, INPUTS(1, 1), NONE),
	OP(117, "HARD_SWISH", 1, hard_swish, .takes_items = true, INPUTS(1, 1), .options_type = 91),
	OP(118, "IF", 1, if, .min_inputs = 1, .max_inputs = UINT8_MAX,
	   .outputs = TFLITE_ANY_COUNT, OPTIONS(92, if_graphs)),
	OP(119, "WHILE", 1, while, .min_inputs = 1, .max_inputs = UINT8_MAX,
	   .outputs = TFLITE_ANY_COUNT, OPTIONS(93, while_graphs)),
	OP(120, "NON_MAX_SUPPRESSION_V4", 1, non_max_suppression, .min_inputs = 5, .max_inputs = 5,
	   .outputs = 2, .options_type = 95),
	OP(121, "NON_MAX_SUPPRESSION_V5", 1, non_max_suppression, .min_inputs = 6, .max_inputs = 6,
	   .outputs = 3, .options_type = 96),
	OP(123, "SELECT_V2", 1, select, INPUTS(3, 3), .options_type = 98),
	OP(124, "DENSIFY", 1, only_in_float, INPUTS(1, 1), .options_type = 99),
	OP(126, "BATCH_MATMUL", 4, batch_matmul, INPUTS(2, 2), OPTIONS(101, batch_matmul)),
	OP(128, "CUMSUM", 1, cumsum, INPUTS(2, 2), OPTIONS(102, cumsum)),
	OP(129, "CALL_ONCE", 1, var_handle, OPTIONS(103, call_once)),
	OP(130, "BROADCAST_TO", 3, broadcast_to, INPUTS(2, 2), .options_type = 104),
	OP(142, "VAR_HANDLE", 1, var_handle, .outputs = 1, OPTIONS(111, var_handle)),
	OP(143, "READ_VARIABLE", 1, read_variable, INPUTS(1, 1), .options_type = 112),
	OP(144, "ASSIGN_VARIABLE", 1, assign_variable, .has_state = true, .min_inputs = 2,
	   .max_inputs = 2, .options_type = 113),
	OP(150, "GELU", 2, gelu, INPUTS(1, 1), OPTIONS(116, gelu)),
	OP(-1, "Convolution2DTransposeBias", 1, only_in_float, INPUTS(3, 3), NONE),
	OP(-1, "TFLite_Detection_PostProcess", 1, detection, .min_inputs = 3, .max_inputs = 3,
	   .outputs = 4, OPTIONS(0, detection)),
};

const struct tflite_op *tflite_get_ops(uint32_t *count)
{
	*count = sizeof(ops) / sizeof(*ops);
	return ops;
}

const struct tflite_op *tflite_find_op(int32_t code, const char *custom)
{
	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (ops[i].code == code && (code >= 0 || (custom && !strcmp(ops[i].name, custom))))
			return &ops[i];
	}
	return NULL;
}
