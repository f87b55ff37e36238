// SPDX-License-Identifier: MIT
/* The ONNX operators that nnloop knows. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MICROSOFT "com.microsoft"
#define NNLOOP "org.nnloop"

/* Before opset 10 models are quantized by the operators of com.microsoft. */
#define ONNX .opsets = { 7, ONNX_NEWEST }
#define SINCE(opset) .opsets = { opset, ONNX_NEWEST }
#define MICROSOFTS .opsets = { 1, 1 }
/* Zero points that functions of com.microsoft may leave out, for ONNX Runtime: they are 0 then. */
#define ZERO_POINTS (1u << 2 | 1u << 4)
/* Known in float32 only. */
#define IN_FLOAT .lower = onnx_refuse_integers
#define OWN .opsets = { 1, 1 }, .is_function = true, .outputs = ONNX_ANY_COUNT

/* ANY: whatever ONNX allows, or the operator's function says what of it; NONE: refused. */
#define ANY NULL
#define NONE ONNX_NO_VALUE
#define ATTR(kind, its_name, its_values, ...)                                         \
	{                                                                             \
		.name = its_name, .type = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__##kind, \
		.values = its_values, __VA_ARGS__                                     \
	}
/* A function that makes one element of each. */
#define FUNCTION .lower = onnx_refuse_function, .inputs = { { 1, 1 } }
#define ATTRS(...) (const struct onnx_attr_rule[]){ __VA_ARGS__, { 0 } }
/* Attributes that all windows have. */
#define AUTO_PAD ATTR(STRING, "auto_pad", "NOTSET|SAME_UPPER|SAME_LOWER|VALID")
#define WINDOW ATTR(INTS, "pads", "0.."), ATTR(INTS, "strides", "1..255")
#define LONG_WINDOW ATTR(INTS, "pads", "0.."), ATTR(INTS, "strides", "1..")

/* Attributes that recurrent layers have. */
#define RECURRENT                                                                     \
	ATTR(FLOATS, "activation_alpha", NONE), ATTR(FLOATS, "activation_beta", NONE), \
	ATTR(STRINGS, "activations", ANY), ATTR(FLOAT, "clip", NONE),                 \
	ATTR(STRING, "direction", "forward|reverse|bidirectional"),                   \
	ATTR(INT, "hidden_size", "1.."), ATTR(INT, "layout", "0..1", .first = 14)

/* Reductions, whose axes are an input as of an opset. */
#define REDUCTION(opset)                                                              \
	.inputs = { { 1, 1 }, { 1, 2, .first = opset } },                             \
	.attrs = ATTRS(ATTR(INTS, "axes", ANY, .last = (opset) - 1),                  \
		       ATTR(INT, "keepdims", "0..1"),                                 \
		       ATTR(INT, "noop_with_empty_axes", "0..1", .first = opset))

/* The reduction of ScatterElements and ScatterND. */
#define SCATTER_REDUCTION                                                             \
	ATTR(STRING, "reduction", "none|add|mul", .first = 16, .last = 17),           \
		ATTR(STRING, "reduction", "none|add|mul|min|max", .first = 18)

/* Rules that ArgMax and ArgMin share. */
#define ARG                                                                           \
	.inputs = { { 1, 1 } },                                                       \
	.attrs = ATTRS(ATTR(INT, "axis", "0..", .last = 10),                          \
		       ATTR(INT, "axis", ANY, .first = 11), ATTR(INT, "keepdims", "0..1"), \
		       ATTR(INT, "select_last_index", "0..1", .first = 12))
/* Rules that Softmax and its logarithm share. */
#define SOFTMAX                                                                       \
	.lower = onnx_lower_softmax, .inputs = { { 1, 1 } },                          \
	.attrs = ATTRS(ATTR(INT, "axis", "0..", .last = 10),                          \
		       ATTR(INT, "axis", ANY, .first = 11))

/* Resize's coordinates, in all opsets that have the attribute. */
#define COORDINATES "half_pixel|pytorch_half_pixel|align_corners|asymmetric|tf_crop_and_resize"

static const struct onnx_op ops[] = {
	{ .name = "Abs", FUNCTION, ONNX },
	{ .name = "Acos", FUNCTION, ONNX },
	{ .name = "Acosh", FUNCTION, SINCE(9) },
	{ .name = "Add", .lower = onnx_lower_add, ONNX, .inputs = { { 2, 2 } }, .becomes = "Add" },
	{ .name = "And", .lower = onnx_lower_integers, ONNX, .inputs = { { 2, 2 } } },
	{ .name = "ArgMax", .lower = onnx_lower_arg, ONNX, ARG, .becomes = "max" },
	{ .name = "ArgMin", .lower = onnx_lower_arg, ONNX, ARG, .becomes = "min" },
	{ .name = "Asin", FUNCTION, ONNX },
	{ .name = "Asinh", FUNCTION, SINCE(9) },
	{ .name = "Atan", FUNCTION, ONNX },
	{ .name = "Atanh", FUNCTION, SINCE(9) },
	{ .name = "Attention", .lower = onnx_lower_attention, SINCE(23),
	  .inputs = { { 3, 6 }, { 3, 7, .first = 24 } }, .outputs = 4,
	  .attrs = ATTRS(ATTR(INT, "is_causal", "0..1"), ATTR(INT, "kv_num_heads", "1.."),
			 ATTR(INT, "left_window_size", "-1..", .first = 25),
			 ATTR(INT, "q_num_heads", "1.."),
			 ATTR(INT, "qk_matmul_output_mode", "0..3"),
			 ATTR(INT, "right_window_size", "-1..", .first = 25),
			 ATTR(FLOAT, "scale", ANY), ATTR(FLOAT, "softcap", "0.."),
			 ATTR(INT, "softmax_precision", "1|11")) },
	{ .name = "AveragePool", .lower = onnx_lower_average_pool, ONNX, .inputs = { { 1, 1 } },
	  .becomes = "mean",
	  .attrs = ATTRS(AUTO_PAD, ATTR(INT, "ceil_mode", "0..1", .first = 10),
			 ATTR(INT, "count_include_pad", "0..1"),
			 ATTR(INTS, "dilations", "1..255", .first = 19),
			 ATTR(INTS, "kernel_shape", "1..", .required = true), LONG_WINDOW) },
	{ .name = "BatchNormalization", .lower = onnx_lower_batch_normalization, SINCE(9),
	  .inputs = { { 5, 5 } }, .outputs = 5,
	  .attrs = ATTRS(ATTR(FLOAT, "epsilon", ANY), ATTR(FLOAT, "momentum", ANY),
			 ATTR(INT, "training_mode", "0", .first = 14)) },
	{ .name = "BitShift", .lower = onnx_lower_bit_shift, SINCE(11), .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(STRING, "direction", "LEFT|RIGHT", .required = true)) },
	{ .name = "BitwiseAnd", .lower = onnx_lower_integers, SINCE(18), .inputs = { { 2, 2 } } },
	{ .name = "BitwiseNot", .lower = onnx_lower_integers, SINCE(18), .inputs = { { 1, 1 } } },
	{ .name = "BitwiseOr", .lower = onnx_lower_integers, SINCE(18), .inputs = { { 2, 2 } } },
	{ .name = "BitwiseXor", .lower = onnx_lower_integers, SINCE(18), .inputs = { { 2, 2 } } },
	{ .name = "Cast", .lower = onnx_lower_cast, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(STRING, "round_mode", "up", .first = 24),
			 ATTR(INT, "saturate", "0..1", .first = 19),
			 ATTR(INT, "to", "1|2|3|4|5|6|7|9|12|13", .required = true)) },
	{ .name = "CastLike", .lower = onnx_lower_cast, SINCE(15), .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(STRING, "round_mode", "up", .first = 24),
			 ATTR(INT, "saturate", "0..1", .first = 19)) },
	{ .name = "Ceil", FUNCTION, ONNX },
	{ .name = "Celu", FUNCTION, SINCE(12),
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY)) },
	{ .name = "CenterCropPad", .lower = onnx_lower_center_crop_pad, SINCE(18),
	  .inputs = { { 2, 2 } }, .attrs = ATTRS(ATTR(INTS, "axes", ANY)), .only_moves = true },
	{ .name = "Clip", .lower = onnx_lower_clip, ONNX,
	  .inputs = { { 1, 1 }, { 1, 3, .first = 11 } },
	  .attrs = ATTRS(ATTR(FLOAT, "max", ANY, .last = 10, .any_float = true),
			 ATTR(FLOAT, "min", ANY, .last = 10, .any_float = true)) },
	{ .name = "Compress", .lower = onnx_lower_compress, SINCE(9), .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "axis", "0..", .last = 10),
			 ATTR(INT, "axis", ANY, .first = 11)),
	  .only_moves = true },
	{ .name = "Concat", .lower = onnx_lower_concat, ONNX, .inputs = { { 1, ONNX_ANY_COUNT } },
	  .attrs = ATTRS(ATTR(INT, "axis", "0..", .last = 10, .required = true),
			 ATTR(INT, "axis", ANY, .first = 11, .required = true)),
	  .only_moves = true },
	{ .name = "Constant", .lower = onnx_lower_constant, ONNX,
	  .attrs = ATTRS(ATTR(SPARSE_TENSOR, "sparse_value", NONE, .first = 11),
			 ATTR(TENSOR, "value", ANY, .last = 10, .required = true),
			 ATTR(TENSOR, "value", ANY, .first = 11),
			 ATTR(FLOAT, "value_float", ANY, .first = 12, .any_float = true),
			 ATTR(FLOATS, "value_floats", ANY, .first = 12, .any_float = true),
			 ATTR(INT, "value_int", ANY, .first = 12),
			 ATTR(INTS, "value_ints", ANY, .first = 12),
			 ATTR(STRING, "value_string", NONE, .first = 12),
			 ATTR(STRINGS, "value_strings", NONE, .first = 12)) },
	{ .name = "ConstantOfShape", .lower = onnx_lower_constant_of_shape, SINCE(9),
	  .inputs = { { 1, 1 } }, .attrs = ATTRS(ATTR(TENSOR, "value", ANY)) },
	{ .name = "Conv", .lower = onnx_lower_conv, ONNX, .inputs = { { 2, 3 } },
	  .attrs = ATTRS(AUTO_PAD, ATTR(INTS, "dilations", "1..255"), ATTR(INT, "group", "1.."),
			 ATTR(INTS, "kernel_shape", "1.."), LONG_WINDOW) },
	{ .name = "ConvInteger", .lower = onnx_lower_conv_integer, SINCE(10),
	  .inputs = { { 2, 4 } },
	  .attrs = ATTRS(AUTO_PAD, ATTR(INTS, "dilations", "1..255"), ATTR(INT, "group", "1.."),
			 ATTR(INTS, "kernel_shape", "1.."), LONG_WINDOW) },
	{ .name = "ConvTranspose", .lower = onnx_lower_conv_transpose, ONNX,
	  .inputs = { { 2, 3 } },
	  .attrs = ATTRS(AUTO_PAD, ATTR(INTS, "dilations", "1..255"),
			 ATTR(INT, "group", "1.."), ATTR(INTS, "kernel_shape", "1.."),
			 ATTR(INTS, "output_padding", "0.."),
			 ATTR(INTS, "output_shape", NONE, .last = 10),
			 ATTR(INTS, "output_shape", "1..", .first = 11), LONG_WINDOW) },
	{ .name = "Cos", FUNCTION, ONNX },
	{ .name = "Cosh", FUNCTION, SINCE(9) },
	{ .name = "CumSum", .lower = onnx_lower_cum_sum, SINCE(11), .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "exclusive", "0..1"), ATTR(INT, "reverse", "0..1")) },
	{ .name = "DepthToSpace", .lower = onnx_lower_depth_to_space, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INT, "blocksize", "1..", .required = true),
			 ATTR(STRING, "mode", "DCR|CRD", .first = 11)),
	  .only_moves = true },
	{ .name = "DequantizeLinear", .lower = onnx_lower_dequantize, SINCE(10), .inputs = { { 2, 3 } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY, .first = 13),
			 ATTR(INT, "block_size", "0", .first = 21),
			 ATTR(INT, "output_dtype", "0..1", .first = 23)) },
	{ .name = "Div", .lower = onnx_lower_binary, ONNX, .inputs = { { 2, 2 } },
	  .becomes = "Div" },
	{ .name = "Dropout", .lower = onnx_lower_dropout, ONNX,
	  .inputs = { { 1, 1 }, { 1, 3, .first = 12 } }, .outputs = 2,
	  .attrs = ATTRS(ATTR(FLOAT, "ratio", ANY, .last = 11),
			 ATTR(INT, "seed", ANY, .first = 12)),
	  .only_moves = true },
	{ .name = "DynamicQuantizeLinear", .lower = onnx_lower_dynamic_quantize, SINCE(11),
	  .inputs = { { 1, 1 } }, .outputs = 3 },
	{ .name = "Einsum", .lower = onnx_lower_einsum, SINCE(12),
	  .inputs = { { 1, ONNX_ANY_COUNT } },
	  .attrs = ATTRS(ATTR(STRING, "equation", ANY, .required = true)) },
	{ .name = "Elu", FUNCTION, ONNX,
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY)) },
	{ .name = "Equal", .lower = onnx_lower_compare, ONNX, .inputs = { { 2, 2 } },
	  .becomes = "equal" },
	{ .name = "Erf", FUNCTION, SINCE(9) },
	{ .name = "Exp", FUNCTION, ONNX },
	{ .name = "Expand", .lower = onnx_lower_expand, SINCE(8), .inputs = { { 2, 2 } },
	  .only_moves = true },
	{ .name = "Flatten", .lower = onnx_lower_flatten, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INT, "axis", "0..", .last = 10), ATTR(INT, "axis", ANY, .first = 11)),
	  .only_moves = true },
	{ .name = "Floor", FUNCTION, ONNX },
	{ .name = "Gather", .lower = onnx_lower_gather, ONNX, .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY)), .only_moves = true },
	{ .name = "GatherElements", .lower = onnx_lower_gather_elements, SINCE(11),
	  .inputs = { { 2, 2 } }, .attrs = ATTRS(ATTR(INT, "axis", ANY)), .only_moves = true },
	{ .name = "GatherND", .lower = onnx_lower_gather_nd, SINCE(11), .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "batch_dims", "0..", .first = 12)), .only_moves = true },
	{ .name = "Gelu", FUNCTION, SINCE(20),
	  .attrs = ATTRS(ATTR(STRING, "approximate", "none|tanh")) },
	{ .name = "Gemm", .lower = onnx_lower_gemm, ONNX,
	  .inputs = { { 3, 3 }, { 2, 3, .first = 11 } },
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY), ATTR(FLOAT, "beta", ANY),
			 ATTR(INT, "transA", "0..1"), ATTR(INT, "transB", "0..1")) },
	{ .name = "GlobalAveragePool", .lower = onnx_lower_global_average_pool, ONNX,
	  .inputs = { { 1, 1 } } },
	{ .name = "GlobalLpPool", .lower = onnx_lower_global_lp_pool, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INT, "p", "2")), .becomes = "length" },
	{ .name = "GlobalMaxPool", .lower = onnx_lower_global_max_pool, ONNX,
	  .inputs = { { 1, 1 } }, .becomes = "max", .only_moves = true },
	{ .name = "Greater", .lower = onnx_lower_compare, ONNX, .inputs = { { 2, 2 } },
	  .becomes = "greater" },
	{ .name = "GreaterOrEqual", .lower = onnx_lower_compare, SINCE(12), .inputs = { { 2, 2 } },
	  .becomes = "greater_or_equal" },
	{ .name = "Hardmax", .lower = onnx_lower_hardmax, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INT, "axis", "0..", .last = 10),
			 ATTR(INT, "axis", ANY, .first = 11)) },
	{ .name = "GridSample", .lower = onnx_lower_grid_sample, SINCE(16), .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "align_corners", "0..1"),
			 ATTR(STRING, "mode", "bilinear|nearest|bicubic", .last = 19),
			 ATTR(STRING, "mode", "linear|nearest|cubic", .first = 20),
			 ATTR(STRING, "padding_mode", "zeros|border|reflection")) },
	{ .name = "GroupNormalization", IN_FLOAT, SINCE(21), .inputs = { { 3, 3 } },
	  .attrs = ATTRS(ATTR(FLOAT, "epsilon", ANY),
			 ATTR(INT, "num_groups", "1..", .required = true),
			 ATTR(INT, "stash_type", "1")) },
	{ .name = "GRU", .lower = onnx_lower_recurrent, ONNX, .inputs = { { 3, 6 } }, .outputs = 2,
	  .attrs = ATTRS(RECURRENT, ATTR(INT, "linear_before_reset", "0..1")) },
	{ .name = "HardSigmoid", FUNCTION, ONNX,
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY), ATTR(FLOAT, "beta", ANY)) },
	{ .name = "HardSwish", FUNCTION, SINCE(14) },
	{ .name = "Identity", .lower = onnx_lower_identity, ONNX,
	  .inputs = { { 1, 1 } }, .only_moves = true },
	{ .name = "If", .lower = onnx_lower_if, ONNX, .inputs = { { 1, 1 } },
	  .outputs = ONNX_ANY_COUNT,
	  .attrs = ATTRS(ATTR(GRAPH, "else_branch", ANY, .required = true),
			 ATTR(GRAPH, "then_branch", ANY, .required = true)) },
	{ .name = "InstanceNormalization", .lower = onnx_lower_instance_normalization, ONNX,
	  .inputs = { { 3, 3 } }, .attrs = ATTRS(ATTR(FLOAT, "epsilon", ANY)) },
	{ .name = "LayerNormalization", .lower = onnx_lower_layer_normalization, SINCE(17),
	  .inputs = { { 2, 3 } }, .outputs = 3,
	  .attrs = ATTRS(ATTR(INT, "axis", ANY), ATTR(FLOAT, "epsilon", ANY),
			 ATTR(INT, "stash_type", "1")) },
	{ .name = "LeakyRelu", FUNCTION, ONNX,
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY)), .becomes = "LeakyRelu", .attr = "alpha",
	  .otherwise = 0.01f },
	{ .name = "Less", .lower = onnx_lower_compare, ONNX, .inputs = { { 2, 2 } },
	  .becomes = "less" },
	{ .name = "LessOrEqual", .lower = onnx_lower_compare, SINCE(12), .inputs = { { 2, 2 } },
	  .becomes = "less_or_equal" },
	{ .name = "Log", FUNCTION, ONNX },
	{ .name = "LogSoftmax", SOFTMAX, ONNX, .becomes = "LogSoftmax" },
	{ .name = "Loop", ONNX,
	  .inputs = { { 3, ONNX_ANY_COUNT }, { 2, ONNX_ANY_COUNT, .first = 11 } },
	  .outputs = ONNX_ANY_COUNT,
	  .attrs = ATTRS(ATTR(GRAPH, "body", ANY, .required = true)) },
	{ .name = "LpNormalization", .lower = onnx_lower_lp_normalization, ONNX,
	  .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY), ATTR(INT, "p", "1..2")) },
	{ .name = "LpPool", .lower = onnx_lower_lp_pool, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(AUTO_PAD, ATTR(INT, "ceil_mode", "0..1", .first = 18),
			 ATTR(INTS, "dilations", "1..255", .first = 18),
			 ATTR(INTS, "kernel_shape", "1..", .required = true),
			 ATTR(INT, "p", "2"), LONG_WINDOW),
	  .becomes = "length" },
	{ .name = "LRN", IN_FLOAT, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY), ATTR(FLOAT, "beta", ANY),
			 ATTR(FLOAT, "bias", ANY), ATTR(INT, "size", "1..", .required = true)) },
	{ .name = "LSTM", .lower = onnx_lower_recurrent, ONNX, .inputs = { { 3, 8 } }, .outputs = 3,
	  .attrs = ATTRS(RECURRENT, ATTR(INT, "input_forget", "0..1")) },
	{ .name = "MatMul", .lower = onnx_lower_matmul, ONNX, .inputs = { { 2, 2 } } },
	{ .name = "MatMulInteger", .lower = onnx_lower_matmul_integer, SINCE(10),
	  .inputs = { { 2, 4 } } },
	{ .name = "Max", .lower = onnx_lower_extreme, SINCE(8), .inputs = { { 1, ONNX_ANY_COUNT } },
	  .becomes = "Maximum" },
	{ .name = "MaxPool", .lower = onnx_lower_max_pool, ONNX, .inputs = { { 1, 1 } }, .outputs = 2,
	  .attrs = ATTRS(AUTO_PAD, ATTR(INT, "ceil_mode", "0..1", .first = 10),
			 ATTR(INTS, "dilations", "1..255", .first = 10),
			 ATTR(INTS, "kernel_shape", "1..", .required = true),
			 ATTR(INT, "storage_order", "0..1", .first = 8), LONG_WINDOW),
	  .becomes = "max", .only_moves = true },
	{ .name = "Mean", IN_FLOAT, SINCE(8), .inputs = { { 1, ONNX_ANY_COUNT } } },
	{ .name = "MeanVarianceNormalization", IN_FLOAT, SINCE(9), .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INTS, "axes", ANY)) },
	{ .name = "Min", .lower = onnx_lower_extreme, SINCE(8), .inputs = { { 1, ONNX_ANY_COUNT } },
	  .becomes = "Minimum" },
	{ .name = "Mish", FUNCTION, SINCE(18) },
	{ .name = "Mod", .lower = onnx_lower_integers, SINCE(10), .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "fmod", "0..1")) },
	{ .name = "Mul", .lower = onnx_lower_binary, ONNX, .inputs = { { 2, 2 } },
	  .becomes = "Mul" },
	{ .name = "Neg", FUNCTION, ONNX },
	{ .name = "NegativeLogLikelihoodLoss", .lower = onnx_lower_loss, SINCE(12),
	  .inputs = { { 2, 3 } },
	  .attrs = ATTRS(ATTR(INT, "ignore_index", ANY),
			 ATTR(STRING, "reduction", "none|mean|sum")) },
	{ .name = "NonMaxSuppression", .lower = onnx_lower_non_max_suppression, SINCE(10),
	  .inputs = { { 2, 5 } }, .attrs = ATTRS(ATTR(INT, "center_point_box", "0..1")) },
	{ .name = "Not", .lower = onnx_lower_integers, ONNX, .inputs = { { 1, 1 } } },
	{ .name = "OneHot", .lower = onnx_lower_one_hot, SINCE(11), .inputs = { { 3, 3 } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY)) },
	{ .name = "Or", .lower = onnx_lower_integers, ONNX, .inputs = { { 2, 2 } } },
	{ .name = "Pad", .lower = onnx_lower_pad, ONNX,
	  .inputs = { { 1, 1 }, { 2, 3, .first = 11 }, { 2, 4, .first = 18 } },
	  .attrs = ATTRS(ATTR(STRING, "mode", "constant|reflect|edge", .last = 18),
			 ATTR(STRING, "mode", "constant|reflect|edge|wrap", .first = 19),
			 ATTR(INTS, "pads", ANY, .last = 10, .required = true),
			 ATTR(FLOAT, "value", ANY, .last = 10)),
	  .only_moves = true },
	{ .name = "Pow", .lower = onnx_refuse_function, ONNX, .inputs = { { 2, 2 } } },
	{ .name = "PRelu", .lower = onnx_lower_prelu, ONNX, .inputs = { { 2, 2 } },
	  .becomes = "PRelu" },
	{ .name = "QLinearConv", .lower = onnx_lower_qlinear_conv, SINCE(10), .inputs = { { 8, 9 } },
	  .attrs = ATTRS(AUTO_PAD, ATTR(INTS, "dilations", "1..255"), ATTR(INT, "group", "1.."),
			 ATTR(INTS, "kernel_shape", "1.."), LONG_WINDOW) },
	{ .name = "QLinearMatMul", .lower = onnx_lower_qlinear_matmul, SINCE(10),
	  .inputs = { { 8, 8 } } },
	{ .name = "QuantizeLinear", .lower = onnx_lower_quantize, SINCE(10), .inputs = { { 2, 3 } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY, .first = 13),
			 ATTR(INT, "block_size", "0", .first = 21),
			 ATTR(INT, "output_dtype", "0|2|3|4|5", .first = 21),
			 ATTR(INT, "precision", "0..1", .first = 23),
			 ATTR(INT, "saturate", "0..1", .first = 19)) },
	{ .name = "Range", .lower = onnx_refuse_numbers, SINCE(11), .inputs = { { 3, 3 } },
	  .attrs = ATTRS(ATTR(INT, "stash_type", "1", .first = 27)) },
	{ .name = "Reciprocal", FUNCTION, ONNX },
	{ .name = "ReduceL1", .lower = onnx_lower_reduce_magnitudes, ONNX, REDUCTION(18),
	  .becomes = "sum" },
	{ .name = "ReduceL2", .lower = onnx_lower_reduce_magnitudes, ONNX, REDUCTION(18),
	  .becomes = "length" },
	{ .name = "ReduceLogSum", .lower = onnx_lower_reduce_log, ONNX, REDUCTION(18),
	  .becomes = "log_sum" },
	{ .name = "ReduceLogSumExp", .lower = onnx_lower_reduce_log, ONNX, REDUCTION(18),
	  .becomes = "log_sum_exp" },
	{ .name = "ReduceMax", .lower = onnx_lower_reduce_extreme, ONNX, REDUCTION(18),
	  .becomes = "max", .only_moves = true },
	{ .name = "ReduceMean", .lower = onnx_lower_reduce, ONNX, REDUCTION(18), .becomes = "mean" },
	{ .name = "ReduceMin", .lower = onnx_lower_reduce_extreme, ONNX, REDUCTION(18),
	  .becomes = "min", .only_moves = true },
	{ .name = "ReduceProd", .lower = onnx_lower_reduce, ONNX, REDUCTION(18), .becomes = "prod" },
	{ .name = "ReduceSum", .lower = onnx_lower_reduce, ONNX, REDUCTION(13), .becomes = "sum" },
	{ .name = "ReduceSumSquare", .lower = onnx_lower_reduce_magnitudes, ONNX, REDUCTION(18),
	  .becomes = "squares" },
	{ .name = "Relu", .lower = onnx_lower_relu, ONNX, .inputs = { { 1, 1 } } },
	{ .name = "Reshape", .lower = onnx_lower_reshape, ONNX, .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "allowzero", "0..1", .first = 14)), .only_moves = true },
	{ .name = "Resize", .lower = onnx_lower_resize, SINCE(10),
	  .inputs = { { 2, 2 }, { 3, 4, .first = 11 }, { 1, 4, .first = 13 } },
	  .attrs = ATTRS(ATTR(INT, "antialias", "0..1", .first = 18),
			 ATTR(INTS, "axes", ANY, .first = 18),
			 ATTR(STRING, "coordinate_transformation_mode",
			      COORDINATES "|tf_half_pixel_for_nn", .first = 11, .last = 12),
			 ATTR(STRING, "coordinate_transformation_mode", COORDINATES, .first = 13,
			      .last = 18),
			 ATTR(STRING, "coordinate_transformation_mode",
			      COORDINATES "|half_pixel_symmetric", .first = 19),
			 ATTR(FLOAT, "cubic_coeff_a", ANY, .first = 11),
			 ATTR(INT, "exclude_outside", "0..1", .first = 11),
			 ATTR(FLOAT, "extrapolation_value", ANY, .first = 11),
			 ATTR(STRING, "keep_aspect_ratio_policy", "stretch|not_larger|not_smaller",
			      .first = 18),
			 ATTR(STRING, "mode", "nearest|linear", .last = 10),
			 ATTR(STRING, "mode", "nearest|linear|cubic", .first = 11),
			 ATTR(STRING, "nearest_mode",
			      "round_prefer_floor|round_prefer_ceil|floor|ceil", .first = 11)),
	  .only_moves = true },
	{ .name = "RMSNormalization", .lower = onnx_lower_rms_normalization, SINCE(23),
	  .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY), ATTR(FLOAT, "epsilon", ANY),
			 ATTR(INT, "stash_type", "1")) },
	{ .name = "RNN", .lower = onnx_lower_recurrent, ONNX, .inputs = { { 3, 6 } }, .outputs = 2,
	  .attrs = ATTRS(RECURRENT) },
	{ .name = "RoiAlign", .lower = onnx_lower_roi_align, SINCE(10), .inputs = { { 3, 3 } },
	  .attrs = ATTRS(ATTR(STRING, "coordinate_transformation_mode",
			      "half_pixel|output_half_pixel", .first = 16),
			 ATTR(STRING, "mode", "avg|max"), ATTR(INT, "output_height", "1..65536"),
			 ATTR(INT, "output_width", "1..65536"),
			 ATTR(INT, "sampling_ratio", "0..1024"),
			 ATTR(FLOAT, "spatial_scale", ANY)) },
	{ .name = "RotaryEmbedding", .lower = onnx_lower_rotary_embedding, SINCE(23),
	  .inputs = { { 3, 4 } },
	  .attrs = ATTRS(ATTR(INT, "interleaved", "0..1"), ATTR(INT, "num_heads", "0.."),
			 ATTR(INT, "rotary_embedding_dim", "0..")) },
	{ .name = "Round", FUNCTION, SINCE(11) },
	{ .name = "Scan", .lower = onnx_lower_scan, SINCE(9), .inputs = { { 1, ONNX_ANY_COUNT } },
	  .outputs = ONNX_ANY_COUNT,
	  .attrs = ATTRS(ATTR(GRAPH, "body", ANY, .required = true),
			 ATTR(INT, "num_scan_inputs", "1..", .required = true),
			 ATTR(INTS, "scan_input_axes", ANY),
			 ATTR(INTS, "scan_input_directions", "0..1"),
			 ATTR(INTS, "scan_output_axes", ANY),
			 ATTR(INTS, "scan_output_directions", "0..1")) },
	{ .name = "Scatter", .lower = onnx_lower_scatter, .opsets = { 9, 10 },
	  .inputs = { { 3, 3 } }, .attrs = ATTRS(ATTR(INT, "axis", ANY)) },
	{ .name = "ScatterElements", .lower = onnx_lower_scatter, SINCE(11), .inputs = { { 3, 3 } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY), SCATTER_REDUCTION) },
	{ .name = "ScatterND", .lower = onnx_lower_scatter, SINCE(11), .inputs = { { 3, 3 } },
	  .attrs = ATTRS(SCATTER_REDUCTION) },
	{ .name = "Selu", FUNCTION, ONNX,
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY), ATTR(FLOAT, "gamma", ANY)) },
	{ .name = "Shape", .lower = onnx_lower_shape, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INT, "end", ANY, .first = 15),
			 ATTR(INT, "start", ANY, .first = 15)) },
	{ .name = "Shrink", FUNCTION, SINCE(9),
	  .attrs = ATTRS(ATTR(FLOAT, "bias", ANY), ATTR(FLOAT, "lambd", ANY)) },
	{ .name = "Sigmoid", FUNCTION, ONNX, .becomes = "Sigmoid" },
	{ .name = "Sign", FUNCTION, SINCE(9) },
	{ .name = "Sin", FUNCTION, ONNX },
	{ .name = "Sinh", FUNCTION, SINCE(9) },
	{ .name = "Size", .lower = onnx_lower_size, ONNX, .inputs = { { 1, 1 } } },
	{ .name = "Slice", .lower = onnx_lower_slice, ONNX,
	  .inputs = { { 1, 1 }, { 3, 5, .first = 10 } },
	  .attrs = ATTRS(ATTR(INTS, "axes", "0..", .last = 9),
			 ATTR(INTS, "ends", ANY, .last = 9, .required = true),
			 ATTR(INTS, "starts", ANY, .last = 9, .required = true)),
	  .only_moves = true },
	{ .name = "Softmax", SOFTMAX, ONNX },
	{ .name = "SoftmaxCrossEntropyLoss", .lower = onnx_lower_loss, SINCE(12),
	  .inputs = { { 2, 3 } }, .outputs = 2,
	  .attrs = ATTRS(ATTR(INT, "ignore_index", ANY),
			 ATTR(STRING, "reduction", "none|mean|sum")) },
	{ .name = "Softplus", FUNCTION, ONNX },
	{ .name = "Softsign", FUNCTION, ONNX },
	{ .name = "SpaceToDepth", .lower = onnx_lower_space_to_depth, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INT, "blocksize", "1..", .required = true),
			 ATTR(STRING, "mode", "DCR", .first = 28)), .only_moves = true },
	{ .name = "Split", .lower = onnx_lower_split, ONNX,
	  .inputs = { { 1, 1 }, { 1, 2, .first = 13 } }, .outputs = ONNX_ANY_COUNT,
	  .attrs = ATTRS(ATTR(INT, "axis", ANY), ATTR(INT, "num_outputs", "1..", .first = 18),
			 ATTR(INTS, "split", "1..", .last = 12)),
	  .only_moves = true },
	{ .name = "Sqrt", FUNCTION, ONNX },
	{ .name = "Squeeze", .lower = onnx_lower_squeeze, ONNX,
	  .inputs = { { 1, 1 }, { 1, 2, .first = 13 } },
	  .attrs = ATTRS(ATTR(INTS, "axes", "0..", .last = 10),
			 ATTR(INTS, "axes", ANY, .first = 11, .last = 12)),
	  .only_moves = true },
	{ .name = "Sub", .lower = onnx_lower_binary, ONNX, .inputs = { { 2, 2 } },
	  .becomes = "Sub" },
	{ .name = "Sum", .lower = onnx_lower_sum, SINCE(8), .inputs = { { 1, ONNX_ANY_COUNT } },
	  .becomes = "Add" },
	{ .name = "Swish", FUNCTION, SINCE(24), .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY)) },
	{ .name = "Tan", FUNCTION, ONNX },
	{ .name = "Tanh", FUNCTION, ONNX, .becomes = "Tanh" },
	{ .name = "ThresholdedRelu", FUNCTION, SINCE(10),
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY)) },
	{ .name = "Tile", .lower = onnx_lower_tile, ONNX, .inputs = { { 2, 2 } },
	  .only_moves = true },
	{ .name = "TopK", .lower = onnx_lower_top_k, SINCE(10), .inputs = { { 2, 2 } }, .outputs = 2,
	  .attrs = ATTRS(ATTR(INT, "axis", ANY), ATTR(INT, "largest", "0..1", .first = 11),
			 ATTR(INT, "sorted", "1", .first = 11)),
	  .only_moves = true },
	{ .name = "Transpose", .lower = onnx_lower_transpose, ONNX, .inputs = { { 1, 1 } },
	  .attrs = ATTRS(ATTR(INTS, "perm", ANY)), .only_moves = true },
	{ .name = "Trilu", .lower = onnx_lower_trilu, SINCE(14), .inputs = { { 1, 2 } },
	  .attrs = ATTRS(ATTR(INT, "upper", "0..1")), .only_moves = true },
	{ .name = "Unsqueeze", .lower = onnx_lower_unsqueeze, ONNX,
	  .inputs = { { 1, 1 }, { 2, 2, .first = 13 } },
	  .attrs = ATTRS(ATTR(INTS, "axes", "0..", .last = 10, .required = true),
			 ATTR(INTS, "axes", ANY, .first = 11, .last = 12, .required = true)),
	  .only_moves = true },
	{ .name = "Upsample", .lower = onnx_lower_resize, .opsets = { 7, 9 },
	  .inputs = { { 1, 1 }, { 2, 2, .first = 9 } },
	  .attrs = ATTRS(ATTR(STRING, "mode", "nearest|linear"),
			 ATTR(FLOATS, "scales", ANY, .last = 8, .required = true)),
	  .only_moves = true },
	{ .name = "Where", .lower = onnx_lower_where, SINCE(9), .inputs = { { 3, 3 } } },
	{ .name = "Xor", .lower = onnx_lower_integers, ONNX, .inputs = { { 2, 2 } } },

	{ MICROSOFT, "DequantizeLinear", .lower = onnx_lower_dequantize, MICROSOFTS,
	  .inputs = { { 2, 3 } }, .attrs = ATTRS(ATTR(INT, "axis", ANY)) },
	{ MICROSOFT, "DynamicQuantizeMatMul", .lower = onnx_lower_dynamic_quantize_matmul, MICROSOFTS,
	  .inputs = { { 3, 5 } } },
	{ MICROSOFT, "MatMulIntegerToFloat", .lower = onnx_lower_matmul_integer_to_float, MICROSOFTS,
	  .inputs = { { 4, 7 } } },
	{ MICROSOFT, "QGemm", .lower = onnx_lower_qgemm, MICROSOFTS, .inputs = { { 6, 9 } },
	  .attrs = ATTRS(ATTR(FLOAT, "alpha", "1"), ATTR(INT, "transA", "0"),
			 ATTR(INT, "transB", "0..1")) },
	{ MICROSOFT, "QLinearAdd", .lower = onnx_lower_qlinear_binary, MICROSOFTS,
	  .inputs = { { 7, 8 } }, .becomes = "Add" },
	{ MICROSOFT, "QLinearAveragePool", .lower = onnx_lower_qlinear_average_pool, MICROSOFTS,
	  .inputs = { { 4, 5 } },
	  .attrs = ATTRS(AUTO_PAD, ATTR(INT, "ceil_mode", "0..1"),
			 ATTR(INT, "channels_last", "0..1"), ATTR(INT, "count_include_pad", "0..1"),
			 ATTR(INTS, "kernel_shape", "1..255", .required = true), WINDOW) },
	{ MICROSOFT, "QLinearConcat", .lower = onnx_lower_qlinear_concat, MICROSOFTS,
	  .inputs = { { 3, ONNX_ANY_COUNT } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY, .required = true)) },
	{ MICROSOFT, "QLinearGlobalAveragePool", .lower = onnx_lower_qlinear_global_average_pool,
	  MICROSOFTS, .inputs = { { 5, 5 } }, .attrs = ATTRS(ATTR(INT, "channels_last", "0..1")) },
	{ MICROSOFT, "QLinearLeakyRelu", .lower = onnx_lower_qlinear_function, MICROSOFTS,
	  .inputs = { { 5, 5 } }, .may_lack = ZERO_POINTS, .attrs = ATTRS(ATTR(FLOAT, "alpha", ANY)) },
	{ MICROSOFT, "QLinearMul", .lower = onnx_lower_qlinear_binary, MICROSOFTS,
	  .inputs = { { 7, 8 } }, .becomes = "Mul" },
	{ MICROSOFT, "QLinearSigmoid", .lower = onnx_lower_qlinear_function, MICROSOFTS,
	  .inputs = { { 5, 5 } }, .may_lack = ZERO_POINTS },
	{ MICROSOFT, "QLinearSoftmax", .lower = onnx_lower_qlinear_softmax, MICROSOFTS,
	  .inputs = { { 5, 5 } }, .may_lack = 1 << 2,
	  .attrs = ATTRS(ATTR(INT, "axis", ANY), ATTR(INT, "opset", "1..", .required = true)) },
	{ MICROSOFT, "QuantizeLinear", .lower = onnx_lower_quantize, MICROSOFTS,
	  .inputs = { { 2, 3 } }, .attrs = ATTRS(ATTR(INT, "axis", ANY)) },

	/* nn_graph_append() says which values these can have. */
	{ NNLOOP, "BatchLoop", .lower = onnx_lower_loop, OWN, .inputs = { { 1, ONNX_ANY_COUNT } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY), ATTR(INT, "graph_batch", ANY),
			 ATTR(INT, "options", ANY), ATTR(INT, "owner", ANY),
			 ATTR(INT, "quantum", ANY), ATTR(INT, "step", ANY), ATTR(INT, "stride", ANY),
			 ATTR(STRING, "tail", "short|pad|drop"), ATTR(INT, "window", ANY)),
	  .only_moves = true },
	{ NNLOOP, "Collect", .lower = onnx_lower_collect, OWN, .inputs = { { 2, 2 } },
	  .attrs = ATTRS(ATTR(INT, "axis", ANY, .required = true)), .only_moves = true },
	{ NNLOOP, "CountLoop", .lower = onnx_lower_loop, OWN, .inputs = { { 1, ONNX_ANY_COUNT } },
	  .attrs = ATTRS(ATTR(INT, "current", ANY, .required = true), ATTR(INT, "owner", ANY),
			 ATTR(INT, "total", ANY, .required = true)),
	  .only_moves = true },
	{ NNLOOP, "CropResize", .lower = onnx_lower_crop_resize, OWN, .inputs = { { 3, 3 } },
	  .attrs = ATTRS(ATTR(INT, "height", "1..65535", .required = true),
			 ATTR(INT, "width", "1..65535", .required = true)),
	  .only_moves = true },
	{ NNLOOP, "Proposal", .lower = onnx_lower_proposal, OWN, .inputs = { { 4, 4 } },
	  .attrs = ATTRS(ATTR(INT, "after", ANY), ATTR(INT, "before", ANY),
			 ATTR(INT, "delta_shift", ANY), ATTR(INT, "delta_zero", ANY),
			 ATTR(INT, "iou", ANY), ATTR(INT, "min_size", ANY),
			 ATTR(INT, "score_min", ANY), ATTR(INT, "step", ANY),
			 ATTR(INTS, "stride", ANY)) },
};

const struct onnx_op *onnx_get_ops(uint32_t *count)
{
	*count = sizeof(ops) / sizeof(*ops);
	return ops;
}

const struct onnx_op *onnx_find_op(const Onnx__NodeProto *node)
{
	const char *domain = node->domain && strcmp(node->domain, "ai.onnx") ? node->domain : "";

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (!strcmp(ops[i].name, node->op_type) &&
		    !strcmp(ops[i].domain ? ops[i].domain : "", domain))
			return &ops[i];
	}
	return NULL;
}

bool onnx_only_moves(const Onnx__NodeProto *node)
{
	const struct onnx_op *op = onnx_find_op(node);

	return op && op->only_moves;
}

/* Whether an operator takes a tensor without dimensions; the others look at the last of them. */
static bool takes_single(const struct onnx_op *op)
{
	static const char *const names[] = {
		"Cast", "CastLike", "Constant", "DequantizeLinear", "Equal", "Expand", "Gather",
		"Greater", "GreaterOrEqual", "Identity", "Less", "LessOrEqual", "QuantizeLinear",
		"Reshape", "Shape", "Size", "Squeeze", "Unsqueeze", "Where",
	};

	for (size_t i = 0; !op->domain && i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(op->name, names[i]))
			return true;
	}
	return false;
}

/* Whether input i may have no dimensions although others need them: a scale or a zero point. */
static bool takes_scalar(const struct onnx_op *op, uint32_t i)
{
	return i > 1 &&
	       (op->lower == onnx_lower_conv_integer || op->lower == onnx_lower_matmul_integer ||
		op->lower == onnx_lower_dynamic_quantize_matmul ||
		op->lower == onnx_lower_matmul_integer_to_float);
}

/* Refuses a node that reads a tensor without dimensions and is not prepared for it. */
static int check_singles(struct onnx_import *import)
{
	for (uint32_t i = 0; !takes_single(import->op) && i < import->node->n_input; i++) {
		const struct onnx_value *value = onnx_input(import, i);

		if (!value->tensor.rank && !takes_scalar(import->op, i) &&
		    (onnx_is_tensor(value) || value->kind == ONNX_PENDING))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its input %zu is a tensor without dimensions", (size_t)i);
	}
	return 0;
}

static int lower_node(struct onnx_import *import)
{
	int err;

	if (import->op->only_moves && onnx_is_index(import))
		return onnx_lower_index(import);
	if (onnx_has_numbers(import))
		return onnx_fold_numbers(import);
	if (onnx_is_in_float(import))
		return onnx_lower_in_float(import);
	if (onnx_has_integers(import))
		return onnx_lower_integers(import);
	if (onnx_is_function(import))
		return onnx_build_function(import);
	if (onnx_is_moment(import))
		return onnx_lower_moment(import);
	err = check_singles(import);
	if (err)
		return err;
	if (onnx_has_floats(import))
		return onnx_lower_floats(import);
	return import->op->lower(import);
}

/* Whether an operator takes what has no dimensions: it makes one element of each, or of two. */
static bool takes_bare(const struct onnx_op *op)
{
	static int (*const lowers[])(struct onnx_import *import) = {
		onnx_refuse_function, onnx_lower_add,	   onnx_lower_binary,
		onnx_lower_cast,      onnx_lower_clip,	   onnx_lower_compare,
		onnx_lower_dequantize, onnx_lower_dynamic_quantize,
		onnx_lower_extreme,   onnx_lower_identity,
		onnx_lower_integers,  onnx_lower_quantize, onnx_lower_relu,
		onnx_lower_sum,
	};

	for (size_t i = 0; i < sizeof(lowers) / sizeof(*lowers); i++) {
		if (op->lower == lowers[i])
			return true;
	}
	return false;
}

/* Whether none of the inputs has dimensions; refuses the node where it needs to know of one. */
static int find_bare(struct onnx_import *import, bool *all)
{
	bool any = false;

	*all = takes_bare(import->op);
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		const struct onnx_value *value = onnx_input(import, i);

		if (value->bare && !takes_bare(import->op) && !takes_scalar(import->op, i))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its input %" PRIu32 " has no dimensions, which nnloop knows "
					 "of functions of elements\nkeep the dimensions: keepdims", i);
		any |= value->bare;
		*all &= value->bare || value->kind == ONNX_ABSENT || !value->tensor.rank;
	}
	*all &= any;
	return 0;
}

int onnx_lower_node(struct onnx_import *import)
{
	struct onnx_value *made = onnx_output(import, 0);
	bool all;
	int err;

	import->op = onnx_find_op(import->node);
	import->makes_bare = false;
	err = find_bare(import, &all);
	if (!err)
		err = lower_node(import);
	if (err || !made)
		return err;
	made->bare = all || import->makes_bare;
	/* Where all shapes are the model's, it has none at all. */
	if (made->bare && import->controlled && onnx_is_tensor(made)) {
		made->bare = false;
		made->tensor.rank = 0;
	}
	return 0;
}
