// SPDX-License-Identifier: MIT
/* ONNX operators that compute: fully connected, with its bias. Other products are in matmul.c. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* ---- Fully connected: Gemm, and MatMul of weights ---- */

static int emit_fc(struct onnx_import *import, const struct onnx_pending *pending,
		   const struct nn_quant *quant, const char *activation,
		   struct nn_build_tensor *out)
{
	struct nn_parameter bias;
	int err = onnx_check_products(import, pending, quant);

	if (!err)
		err = nn_build_fully_connected(&import->builder, &pending->operands[0]->tensor,
					       &pending->weights,
					       onnx_parameter(pending->operands[2], &bias),
					       activation, quant, out);

	/* A vector's product has no dimension for outputs, of which there is one. */
	if (!err && pending->rank < out->rank)
		err = nn_build_reshape(&import->builder, out, pending->rank, pending->dims, out);
	return err;
}

struct onnx_pending *onnx_new_fc(struct onnx_import *import, const struct onnx_value *x,
				 const struct onnx_value *w, const struct onnx_value *bias,
				 uint32_t output_axis)
{
	struct onnx_pending *pending = onnx_new_weighted(import, emit_fc, x, w, bias);
	uint32_t last = x->tensor.dims[x->tensor.rank - 1];
	struct nn_build_weights *weights;

	if (!pending)
		return NULL;
	weights = &pending->weights;
	weights->outputs = w->tensor.dims[output_axis];
	weights->inputs = w->tensor.dims[!output_axis];
	weights->height = weights->width = 1;
	weights->output_stride = output_axis ? 1 : weights->inputs;
	weights->input_stride = output_axis ? weights->outputs : 1;
	if (x->tensor.rank < 2 || w->tensor.rank != 2 || !weights->outputs ||
	    weights->inputs != last) {
		onnx_fail(import, -EINVAL,
			  "its weights are of %" PRIu32 " dimensions, %" PRIu32 " x %" PRIu32
			  ", which does not fit an input of %" PRIu32
			  " dimensions, the last %" PRIu32,
			  w->tensor.rank, w->tensor.dims[0], w->tensor.dims[1], x->tensor.rank,
			  last);
		return NULL;
	}
	if (w->tensor.quant.scales && w->tensor.quant.axis != output_axis) {
		onnx_fail_form(import, "its weights have one scale per input, not per output");
		return NULL;
	}
	pending->rank = x->tensor.rank;
	memcpy(pending->dims, x->tensor.dims, sizeof(pending->dims));
	pending->dims[pending->rank - 1] = weights->outputs;
	return pending;
}

/*
 * A Gemm of a form that layers of integers do not have: its literal definition is in float32.
 * Factors would be ones of its products.
 */
static const char *find_other_gemm(struct onnx_import *import)
{
	const struct onnx_value *bias = onnx_input(import, 2);

	if (onnx_attr_float(import->node, "alpha", 1) != 1)
		return "it has an alpha";
	if (bias->kind != ONNX_ABSENT && onnx_attr_float(import->node, "beta", 1) != 1)
		return "it has a beta";
	if (onnx_attr_int(import->node, "transA", 0))
		return "its first input is transposed";
	if (bias->kind != ONNX_ABSENT && !onnx_is_const(bias))
		return "what it adds is no constant";
	for (uint32_t i = 0; i + 1 < bias->tensor.rank && onnx_is_const(bias); i++) {
		if (bias->tensor.dims[i] != 1)
			return "what it adds has several rows";
	}
	return onnx_is_const(onnx_input(import, 1)) ? NULL : "its weights are no constant";
}

bool onnx_is_other_gemm(struct onnx_import *import)
{
	return !import->op->domain && !strcmp(import->op->name, "Gemm") && find_other_gemm(import);
}

/* A constant that is added to a product of `rank` dimensions must be one row of it, or a number. */
static bool is_bias(struct onnx_import *import, const struct onnx_value *bias, uint32_t rank)
{
	if (bias->tensor.rank > rank) {
		onnx_fail(import, -EOPNOTSUPP,
			  "it adds a constant of %" PRIu32 " dimensions to a product of %" PRIu32,
			  bias->tensor.rank, rank);
		return false;
	}
	for (uint32_t i = 0; i + 1 < bias->tensor.rank; i++) {
		if (bias->tensor.dims[i] == 1)
			continue;
		onnx_fail(import, -EOPNOTSUPP,
			  "it adds a constant that has %" PRIu32 " rows, not one for all items",
			  bias->tensor.dims[i]);
		return false;
	}
	return true;
}

int onnx_lower_gemm(struct onnx_import *import)
{
	const char *other = find_other_gemm(import);
	const struct onnx_value *bias = onnx_input(import, 2), *x, *w;
	uint32_t output_axis = onnx_attr_int(import->node, "transB", 0) ? 0 : 1;

	if (other)
		return onnx_fail_form(import, "%s, which nnloop knows in float32", other);
	x = onnx_real_input(import, 0);
	w = x ? onnx_weights_input(import, 1) : NULL;
	if (!w || (bias->kind != ONNX_ABSENT && !is_bias(import, bias, 2)))
		return onnx_failed(import);
	if (x->tensor.rank != 2)
		return onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions",
				 x->tensor.rank);
	return onnx_define_pending(import, onnx_new_fc(import, x, w, bias, output_axis));
}

int onnx_lower_qgemm(struct onnx_import *import)
{
	uint32_t output_axis = onnx_attr_int(import->node, "transB", 0) ? 0 : 1;
	const struct onnx_value *x = onnx_linear_input(import, 0, 0),
				*w = x ? onnx_linear_input(import, 3, output_axis) : NULL;
	const struct onnx_value *bias = onnx_input(import, 6);

	if (w && (x->kind != ONNX_REAL || w->kind != ONNX_REAL_CONST))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its second operand is no constant, or its first is one");
	if (!w || (bias->kind != ONNX_ABSENT && !is_bias(import, bias, 2)))
		return onnx_failed(import);
	if (x->tensor.rank != 2)
		return onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions",
				 x->tensor.rank);
	if (onnx_input(import, 7)->kind == ONNX_ABSENT)
		return onnx_fail_float(import, "without a scale of its output it makes floats");
	return onnx_define_linear(import, onnx_new_fc(import, x, w, bias, output_axis), 7, 0);
}

/* ---- Add ---- */

/* MatMul, then Add of a constant: the bias of a fully connected operator. */
static struct onnx_pending *add_bias(struct onnx_import *import, const struct onnx_value *product,
				     const struct onnx_value *bias)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_fc, 3);
	const struct onnx_value **operands;

	if (!pending || !is_bias(import, bias, product->tensor.rank))
		return NULL;
	operands = pending->operands;
	memcpy(operands, product->pending->operands, 2 * sizeof(*operands));
	*pending = *product->pending;
	pending->operands = operands;
	operands[2] = bias;
	return pending;
}

static bool is_product(const struct onnx_value *value)
{
	return value->kind == ONNX_PENDING && value->pending->emit == emit_fc &&
	       value->tensor.rank == value->pending->operands[0]->tensor.rank &&
	       value->pending->operands[2]->kind == ONNX_ABSENT &&
	       !nn_range_is_bounded(&value->pending->range);
}

int onnx_lower_add(struct onnx_import *import)
{
	const struct onnx_value *a = onnx_input(import, 0), *b = onnx_input(import, 1);

	if (is_product(a) && onnx_is_const(b))
		return onnx_define_pending(import, add_bias(import, a, b));
	if (is_product(b) && onnx_is_const(a))
		return onnx_define_pending(import, add_bias(import, b, a));
	return onnx_lower_binary(import);
}
