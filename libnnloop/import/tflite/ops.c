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

static const struct tflite_option conv[] = {
	PADDING, STRIDES, ACTIVATION, DILATIONS, NOT_SET("quantized_bias_type"),
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
	OPTION(INT, "filter_width", 0, 1, 255),
	OPTION(INT, "filter_height", 0, 1, 255),
	ACTIVATION,
};
static const struct tflite_option fully_connected[] = {
	ACTIVATION,
	NOT_SET("weights_format"),
	OPTION(BYTE, "keep_num_dims", 0, 0, 1),
	/* Of models that compute in float. */
	OPTION(BYTE, "asymmetric_quantize_inputs", 0, 0, 1),
	NOT_SET("quantized_bias_type"),
};
static const struct tflite_option add[] = {
	ACTIVATION,
	/* Of 16 bits. */
	OPTION(BYTE, "pot_scale_int16", 1, 0, 1),
};
static const struct tflite_option concatenation[] = {
	OPTION(INT, "axis", 0, INT32_MIN, INT32_MAX),
	NOT_SET("fused_activation_function"),
};
static const struct tflite_option leaky_relu[] = { OPTION(FLOAT, "alpha", 0, 0, 0) };
static const struct tflite_option reshape[] = { OPTION(INTS, "new_shape", 0, 0, 0) };
static const struct tflite_option softmax[] = { OPTION(FLOAT, "beta", 0, 0, 0) };
static const struct tflite_option split[] = { OPTION(INT, "num_splits", 0, 1, INT32_MAX) };
static const struct tflite_option strided_slice[] = {
	OPTION(INT, "begin_mask", 0, 0, 255),
	OPTION(INT, "end_mask", 0, 0, 255),
	OPTION(INT, "ellipsis_mask", 0, 0, 0),
	OPTION(INT, "new_axis_mask", 0, 0, 0),
	OPTION(INT, "shrink_axis_mask", 0, 0, 0),
	OPTION(BYTE, "offset", 0, 0, 0),
};
/* Of a custom operator, by their names. */
static const struct tflite_option detection[] = {
	OPTION(INT, "detections_per_class", 100, 1, INT32_MAX),
	OPTION(FLOAT, "h_scale", 0, 0, 0),
	OPTION(INT, "max_classes_per_detection", 0, 1, 65536),
	OPTION(INT, "max_detections", 0, 1, 65536),
	OPTION(FLOAT, "nms_iou_threshold", 0, 0, 0),
	OPTION(FLOAT, "nms_score_threshold", 0, 0, 0),
	OPTION(INT, "num_classes", 0, 1, 65536),
	OPTION(INT, "use_regular_nms", 0, 0, 1),
	OPTION(FLOAT, "w_scale", 0, 0, 0),
	OPTION(FLOAT, "x_scale", 0, 0, 0),
	OPTION(FLOAT, "y_scale", 0, 0, 0),
};
static const struct tflite_option squeeze[] = { OPTION(INTS, "squeeze_dims", 0, 0, 0) };

/* The last of its versions, and which of the format's tables of options it has. */
#define NONE .options_type = 0
#define OPTIONS(type, list) \
	.options_type = type, .options = list, .option_count = sizeof(list) / sizeof(*list)
#define INPUTS(min, max) .min_inputs = min, .max_inputs = max, .outputs = 1
#define OP(its_code, its_name, last, function, ...)                                             \
	{                                                                                       \
		.name = its_name, .code = its_code, .version = last, .lower = tflite_lower_##function, \
		__VA_ARGS__                                                                     \
	}

static const struct tflite_op ops[] = {
	OP(0, "ADD", 2, add, INPUTS(2, 2), OPTIONS(11, add)),
	OP(1, "AVERAGE_POOL_2D", 2, average_pool, INPUTS(1, 1), OPTIONS(5, pool)),
	OP(2, "CONCATENATION", 2, concatenation, INPUTS(1, UINT8_MAX), OPTIONS(10, concatenation)),
	OP(3, "CONV_2D", 5, conv, INPUTS(2, 3), OPTIONS(1, conv)),
	OP(4, "DEPTHWISE_CONV_2D", 6, depthwise_conv, INPUTS(2, 3), OPTIONS(2, depthwise_conv)),
	OP(6, "DEQUANTIZE", 3, dequantize, INPUTS(1, 1), .options_type = 38),
	OP(9, "FULLY_CONNECTED", 9, fully_connected, INPUTS(2, 3), OPTIONS(8, fully_connected)),
	OP(14, "LOGISTIC", 2, unary, INPUTS(1, 1), NONE, .becomes = "Sigmoid"),
	OP(17, "MAX_POOL_2D", 2, max_pool, INPUTS(1, 1), OPTIONS(5, pool)),
	OP(19, "RELU", 2, relu, INPUTS(1, 1), NONE),
	OP(20, "RELU_N1_TO_1", 1, relu_n1_to_1, INPUTS(1, 1), NONE),
	OP(21, "RELU6", 2, relu6, INPUTS(1, 1), NONE),
	OP(22, "RESHAPE", 1, reshape, INPUTS(1, 2), OPTIONS(17, reshape)),
	OP(25, "SOFTMAX", 2, softmax, INPUTS(1, 1), OPTIONS(9, softmax)),
	OP(28, "TANH", 2, unary, INPUTS(1, 1), NONE, .becomes = "Tanh"),
	OP(39, "TRANSPOSE", 4, transpose, INPUTS(2, 2), .options_type = 26),
	OP(43, "SQUEEZE", 1, squeeze, INPUTS(1, 1), OPTIONS(30, squeeze)),
	OP(45, "STRIDED_SLICE", 4, strided_slice, INPUTS(4, 4), OPTIONS(32, strided_slice)),
	OP(49, "SPLIT", 4, split, .min_inputs = 2, .max_inputs = 2, .outputs = TFLITE_ANY_COUNT,
	   OPTIONS(35, split)),
	OP(65, "SLICE", 3, slice, INPUTS(3, 3), .options_type = 48),
	OP(70, "EXPAND_DIMS", 1, expand_dims, INPUTS(2, 2), .options_type = 52),
	OP(98, "LEAKY_RELU", 2, leaky_relu, INPUTS(1, 1), OPTIONS(75, leaky_relu)),
	OP(TFLITE_CODE_QUANTIZE, "QUANTIZE", 3, quantize, INPUTS(1, 1), .options_type = 89),
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
