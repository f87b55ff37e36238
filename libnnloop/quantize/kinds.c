// SPDX-License-Identifier: MIT
/* The operators of ONNX, and what quantizing means to each. */
#include <stdlib.h>
#include <string.h>

#include "quantize/quantizer.h"

/* In the order of their names. */
static const struct kind {
	const char *name;
	enum quantizer_role role;
} kinds[] = {
	{ "Abs", QUANTIZER_FUNCTION },
	{ "Add", QUANTIZER_BINARY },
	{ "AveragePool", QUANTIZER_OWN },
	{ "BatchNormalization", QUANTIZER_OWN },
	{ "Celu", QUANTIZER_FUNCTION },
	{ "Clip", QUANTIZER_FUNCTION },
	{ "Concat", QUANTIZER_MOVE },
	{ "Conv", QUANTIZER_PRODUCT },
	{ "ConvTranspose", QUANTIZER_PRODUCT },
	{ "DepthToSpace", QUANTIZER_MOVE },
	{ "Div", QUANTIZER_BINARY },
	{ "Dropout", QUANTIZER_MOVE },
	{ "Elu", QUANTIZER_FUNCTION },
	{ "Erf", QUANTIZER_FUNCTION },
	{ "Exp", QUANTIZER_FUNCTION },
	{ "Expand", QUANTIZER_MOVE },
	{ "Flatten", QUANTIZER_MOVE },
	{ "Gather", QUANTIZER_MOVE },
	{ "Gelu", QUANTIZER_FUNCTION },
	{ "Gemm", QUANTIZER_PRODUCT },
	{ "GlobalAveragePool", QUANTIZER_OWN },
	{ "GlobalMaxPool", QUANTIZER_MOVE },
	{ "HardSigmoid", QUANTIZER_FUNCTION },
	{ "HardSwish", QUANTIZER_FUNCTION },
	{ "Identity", QUANTIZER_MOVE },
	{ "InstanceNormalization", QUANTIZER_OWN },
	{ "LayerNormalization", QUANTIZER_OWN },
	{ "LeakyRelu", QUANTIZER_FUNCTION },
	{ "LogSoftmax", QUANTIZER_OWN },
	{ "LpNormalization", QUANTIZER_OWN },
	{ "MatMul", QUANTIZER_PRODUCT },
	{ "Max", QUANTIZER_BINARY },
	{ "MaxPool", QUANTIZER_MOVE },
	{ "Min", QUANTIZER_BINARY },
	{ "Mish", QUANTIZER_FUNCTION },
	{ "Mul", QUANTIZER_BINARY },
	{ "Neg", QUANTIZER_FUNCTION },
	{ "PRelu", QUANTIZER_BINARY },
	{ "Pad", QUANTIZER_MOVE },
	{ "Pow", QUANTIZER_BINARY },
	{ "RMSNormalization", QUANTIZER_OWN },
	{ "ReduceMax", QUANTIZER_MOVE },
	{ "ReduceMean", QUANTIZER_OWN },
	{ "ReduceMin", QUANTIZER_MOVE },
	{ "ReduceSum", QUANTIZER_OWN },
	{ "Relu", QUANTIZER_FUNCTION },
	{ "Reshape", QUANTIZER_MOVE },
	{ "Resize", QUANTIZER_MOVE },
	{ "Selu", QUANTIZER_FUNCTION },
	{ "Sigmoid", QUANTIZER_FUNCTION },
	{ "Slice", QUANTIZER_MOVE },
	{ "Softmax", QUANTIZER_OWN },
	{ "Softplus", QUANTIZER_FUNCTION },
	{ "Softsign", QUANTIZER_FUNCTION },
	{ "SpaceToDepth", QUANTIZER_MOVE },
	{ "Split", QUANTIZER_MOVE },
	{ "Sqrt", QUANTIZER_FUNCTION },
	{ "Squeeze", QUANTIZER_MOVE },
	{ "Sub", QUANTIZER_BINARY },
	{ "Swish", QUANTIZER_FUNCTION },
	{ "Tanh", QUANTIZER_FUNCTION },
	{ "Tile", QUANTIZER_MOVE },
	{ "Transpose", QUANTIZER_MOVE },
	{ "Unsqueeze", QUANTIZER_MOVE },
};

/* Operators whose result has no floats, or is not known to. */
static const char *const others[] = {
	"And", "ArgMax", "ArgMin", "Cast", "CastLike", "Constant", "ConstantOfShape", "Equal",
	"Greater", "GreaterOrEqual", "If", "IsInf", "IsNaN", "Less", "LessOrEqual", "Loop",
	"NonMaxSuppression", "NonZero", "Not", "Or", "Scan", "Shape", "Size", "Xor",
};

static int compare_name(const void *name, const void *kind)
{
	return strcmp(name, ((const struct kind *)kind)->name);
}

static int compare_other(const void *name, const void *other)
{
	return strcmp(name, *(const char *const *)other);
}

/* Loop-control nodes hand on rows, or gather them. */
static bool is_loop_control(const Onnx__NodeProto *node)
{
	return node->domain && !strcmp(node->domain, "org.nnloop") &&
	       (!strcmp(node->op_type, "BatchLoop") || !strcmp(node->op_type, "Collect"));
}

enum quantizer_role quantizer_find_role(const Onnx__NodeProto *node)
{
	const struct kind *kind = bsearch(node->op_type, kinds, sizeof(kinds) / sizeof(*kinds),
					  sizeof(*kinds), compare_name);

	if (is_loop_control(node))
		return QUANTIZER_MOVE;
	if (!kind || !quantizer_is_ours(node))
		return QUANTIZER_OPAQUE;
	/* Cubic interpolation goes beyond what it is given. */
	if (!strcmp(node->op_type, "Resize") && quantizer_attribute_is(node, "mode", "cubic", "nearest"))
		return QUANTIZER_OWN;
	return kind->role;
}

bool quantizer_makes_no_float(const Onnx__NodeProto *node)
{
	return bsearch(node->op_type, others, sizeof(others) / sizeof(*others), sizeof(*others),
		       compare_other);
}

bool quantizer_is_clamp(const Onnx__NodeProto *node)
{
	return quantizer_is_ours(node) &&
	       (!strcmp(node->op_type, "Relu") || !strcmp(node->op_type, "Clip"));
}

int quantizer_outputs_axis(const Onnx__NodeProto *node, const Onnx__TensorProto *weights)
{
	if (!strcmp(node->op_type, "Conv"))
		return 0;
	if (!strcmp(node->op_type, "ConvTranspose"))
		return quantizer_attribute_int(node, "group", 1) == 1 ? 1 : -1;
	if (!strcmp(node->op_type, "Gemm"))
		return quantizer_attribute_int(node, "transB", 0) ? 0 : 1;
	return weights->n_dims == 2 ? 1 : -1;
}
