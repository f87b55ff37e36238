// SPDX-License-Identifier: MIT
/* The ONNX operators that nnloop knows. */
#include <errno.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MICROSOFT "com.microsoft"
#define NNLOOP "org.nnloop"

static const struct onnx_op ops[] = {
	{ .name = "Add", .lower = onnx_lower_add },
	{ .name = "AveragePool", .lower = onnx_lower_average_pool },
	{ .name = "Clip", .lower = onnx_lower_clip },
	{ .name = "Concat", .lower = onnx_lower_concat, .only_moves = true },
	{ .name = "Constant", .lower = onnx_lower_constant },
	{ .name = "Conv", .lower = onnx_lower_conv },
	{ .name = "DequantizeLinear", .lower = onnx_lower_dequantize },
	{ .name = "Dropout", .lower = onnx_lower_identity, .only_moves = true },
	{ .name = "Flatten", .lower = onnx_lower_flatten, .only_moves = true },
	{ .name = "Gather", .lower = onnx_lower_gather, .only_moves = true },
	{ .name = "Gemm", .lower = onnx_lower_gemm },
	{ .name = "GlobalAveragePool", .lower = onnx_lower_global_average_pool },
	{ .name = "Identity", .lower = onnx_lower_identity, .only_moves = true },
	{ .name = "LeakyRelu", .lower = onnx_lower_unary, .becomes = "LeakyRelu", .attr = "alpha",
	  .otherwise = 0.01f },
	{ .name = "MatMul", .lower = onnx_lower_matmul },
	{ .name = "MaxPool", .lower = onnx_lower_max_pool, .only_moves = true },
	{ .name = "QLinearConv", .lower = onnx_lower_qlinear_conv },
	{ .name = "QLinearMatMul", .lower = onnx_lower_qlinear_matmul },
	{ .name = "QuantizeLinear", .lower = onnx_lower_quantize },
	{ .name = "Relu", .lower = onnx_lower_relu },
	{ .name = "Reshape", .lower = onnx_lower_reshape, .only_moves = true },
	{ .name = "Shape", .lower = onnx_lower_shape },
	{ .name = "Squeeze", .lower = onnx_lower_squeeze, .only_moves = true },
	{ .name = "Transpose", .lower = onnx_lower_transpose, .only_moves = true },
	{ .name = "Unsqueeze", .lower = onnx_lower_unsqueeze, .only_moves = true },

	{ MICROSOFT, "QLinearAdd", .lower = onnx_lower_qlinear_add },
	{ MICROSOFT, "QLinearGlobalAveragePool", .lower = onnx_lower_qlinear_global_average_pool },

	{ NNLOOP, "BatchLoop", .lower = onnx_lower_loop, .only_moves = true },
	{ NNLOOP, "CountLoop", .lower = onnx_lower_loop, .only_moves = true },
	{ NNLOOP, "CropResize", .lower = onnx_lower_crop_resize, .only_moves = true },
	{ NNLOOP, "Proposal", .lower = onnx_lower_proposal },
};

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

int onnx_lower_node(struct onnx_import *import)
{
	const char *domain = import->node->domain;

	import->op = onnx_find_op(import->node);
	if (import->op && import->op->only_moves && onnx_is_index(import))
		return onnx_lower_index(import);
	if (import->op)
		return import->op->lower(import);
	if (domain && *domain)
		return onnx_fail(import, -EOPNOTSUPP,
				 "nnloop has no operator of that name in domain %s",
				 onnx_quote(import, domain));
	return onnx_fail(import, -EOPNOTSUPP, "nnloop has no such operator");
}
