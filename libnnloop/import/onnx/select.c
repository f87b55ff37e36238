// SPDX-License-Identifier: MIT
/*
 * ONNX's Where: of two tensors, each element from the one or the other; and Trilu, whose other one
 * is 0.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

static int build_select(struct onnx_import *import, const struct nn_operand operands[3],
			const struct nn_quant *quant, struct nn_build_tensor *out)
{
	return nn_build_broadcast(&import->builder, "Select", operands, 3, NULL, 0, quant, out);
}

/* A constant of reals, rounded as `quant` says. */
static int round_constant(struct onnx_import *import, const struct onnx_value *value,
			  const struct nn_quant *quant, struct nn_operand *out)
{
	struct nn_const *rounded = onnx_alloc(import, 1, sizeof(*rounded));
	struct nn_const reals = value->constant;
	float *data = onnx_alloc(import, reals.count, sizeof(*data));
	int err;

	if (!rounded || !data)
		return -ENOMEM;
	for (uint64_t i = 0; i < reals.count; i++) {
		data[i] = value->kind == ONNX_CONST ?
				  nn_const_float(&value->constant, i) :
				  (float)(nn_const_int(&value->constant, i) -
					  value->tensor.quant.zero_point) *
					  value->tensor.quant.scale;
		if (isnan(data[i]))
			return onnx_fail(import, -EOPNOTSUPP, "its constant %s has a NaN",
					 onnx_quote(import, value->tensor.name));
	}
	reals.element = NN_ELEMENT_FLOAT;
	reals.data = data;
	err = nn_const_quantize(&import->builder, &reals, quant, rounded);
	*out = (struct nn_operand){
		.constant = { .name = value->tensor.name, .values = rounded, .quant = quant }
	};
	return err;
}

/* Each element is rounded as it would be behind: first, or not at all. */
static int emit_where(struct onnx_import *import, const struct onnx_pending *pending,
		      const struct nn_quant *quant, const char *activation,
		      struct nn_build_tensor *out)
{
	struct nn_operand operands[3];
	struct nn_build_tensor settled[3];
	int err = 0;

	(void)activation;
	onnx_stored_operand(import, pending->operands[0], &operands[0]);
	for (uint32_t i = 1; i < 3 && !err; i++) {
		const struct onnx_value *value = pending->operands[i];

		operands[i] = (struct nn_operand){ .tensor = &settled[i] };
		err = onnx_is_const(value) ?
			      round_constant(import, value, quant, &operands[i]) :
			      onnx_settle(import, value, quant, &settled[i]);
	}
	return err ? err : build_select(import, operands, quant, out);
}

/* Input i as a real tensor, or a constant of reals or of what stands for them. */
static const struct onnx_value *real_operand(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);

	if (value->kind == ONNX_CONST && value->constant.element == NN_ELEMENT_FLOAT)
		return value;
	if (value->kind == ONNX_REAL_CONST && value->tensor.quant.scales) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its input %" PRIu32 " has one scale for each index of a dimension", i);
		return NULL;
	}
	return onnx_operand_input(import, i);
}

static int where_of_reals(struct onnx_import *import)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_where, 3);
	struct onnx_value moved = { .kind = ONNX_REAL };
	struct nn_operand operands[3];

	if (!pending)
		return -ENOMEM;
	pending->operands[0] = onnx_input(import, 0);
	onnx_stored_operand(import, pending->operands[0], &operands[0]);
	for (uint32_t i = 1; i < 3; i++) {
		pending->operands[i] = real_operand(import, i);
		if (!pending->operands[i])
			return onnx_failed(import);
		operands[i] = onnx_operand_of(pending->operands[i]);
	}
	if (nn_broadcast_all(&import->builder, operands, 3, &pending->rank, pending->dims))
		return onnx_failed(import);
	/* What is quantized in one way stays as it is. */
	if (operands[1].tensor && operands[2].tensor &&
	    nn_quant_equal(&operands[1].tensor->quant, &operands[2].tensor->quant)) {
		int err = build_select(import, operands, &operands[1].tensor->quant, &moved.tensor);

		return err ? err : onnx_define(import, 0, &moved);
	}
	return onnx_define_pending(import, pending);
}

int onnx_lower_where(struct onnx_import *import)
{
	struct nn_operand operands[3];
	const struct nn_quant *quant;
	struct nn_build_tensor made;
	enum nn_data_type types[3];
	int err;

	for (uint32_t i = 0; i < 3; i++)
		types[i] = onnx_stored_operand(import, onnx_input(import, i), &operands[i]);
	if (types[0] != NN_BOOL)
		return onnx_fail(import, -EINVAL, "its condition is no tensor of bool");
	if (!types[1] || !types[2])
		return where_of_reals(import);
	quant = operands[1].tensor ? &operands[1].tensor->quant :
		operands[2].tensor ? &operands[2].tensor->quant :
				     operands[1].constant.quant;
	for (uint32_t i = 1; i < 3; i++) {
		if (types[i] != types[1] ||
		    (operands[i].tensor && !nn_quant_equal(&operands[i].tensor->quant, quant)))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it selects from integers of different types or scales");
		operands[i].constant.quant = quant;
	}
	err = build_select(import, operands, quant, &made);
	return err ? err : onnx_define_stored(import, &made);
}

/* ---- Trilu ---- */

#define MOST_IN_MATRIX (1u << 24) /* so that a small file cannot take much memory */

/* How far the diagonal is from the main one, to the right. */
static int read_diagonal(struct onnx_import *import, int64_t *k)
{
	const struct onnx_value *value = onnx_input(import, 1);

	*k = 0;
	if (value->kind == ONNX_ABSENT)
		return 0;
	if (value->kind != ONNX_CONST || !nn_const_is_one(&value->constant, NN_ELEMENT_INT64))
		return onnx_fail(import, -EOPNOTSUPP, "its k is no constant of one int64");
	*k = nn_const_int(&value->constant, 0);
	return 0;
}

/* A bool for each element of the last two dimensions: whether it is kept. */
static int make_triangle(struct onnx_import *import, const struct nn_build_tensor *x, int64_t k,
			 struct nn_operand *out)
{
	const uint32_t height = x->dims[x->rank - 2], width = x->dims[x->rank - 1];
	const bool upper = onnx_attr_int(import->node, "upper", 1);
	struct nn_const *mask = onnx_alloc(import, 1, sizeof(*mask));
	uint64_t count = (uint64_t)height * width;
	uint8_t *keeps;

	if (count > MOST_IN_MATRIX)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its matrices are %" PRIu32 " x %" PRIu32
				 "; nnloop knows up to %u elements",
				 height, width, MOST_IN_MATRIX);
	keeps = onnx_alloc(import, count, sizeof(*keeps));
	if (!mask || !keeps)
		return -ENOMEM;
	for (uint32_t row = 0; row < height; row++) {
		for (uint32_t column = 0; column < width; column++) {
			int64_t right = (int64_t)column - row;

			*keeps++ = upper ? right >= k : right <= k;
		}
	}
	*mask = (struct nn_const){
		.element = NN_ELEMENT_BOOL, .rank = 2, .dims = { height, width }, .count = count,
		.data = keeps - count
	};
	*out = (struct nn_operand){
		.constant = { .name = "triangle", .values = mask, .quant = &nn_quant_truth }
	};
	return 0;
}

/* A matrix is lifted: its first dimension must be no batch, and is no row of its own. */
int onnx_lower_trilu(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	struct nn_operand operands[3];
	struct nn_build_tensor tensor;
	struct onnx_value value;
	int32_t zero;
	int64_t k;
	int err;

	if (!x)
		return onnx_failed(import);
	if (x->tensor.rank < 2)
		return onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions",
				 x->tensor.rank);
	value = *x;
	tensor = x->tensor;
	zero = x->kind == ONNX_REAL ? x->tensor.quant.zero_point : 0;
	err = read_diagonal(import, &k);
	if (!err && x->tensor.rank == 2)
		err = nn_build_lift(&import->builder, &x->tensor, &tensor);
	if (!err)
		err = make_triangle(import, &tensor, k, &operands[0]);
	if (!err)
		err = nn_number_operand(&import->builder, zero, &x->tensor.quant, &operands[2]);
	operands[1] = (struct nn_operand){ .tensor = &tensor };
	if (!err)
		err = build_select(import, operands, &x->tensor.quant, &value.tensor);
	if (!err && x->tensor.rank == 2)
		err = nn_build_lower(&import->builder, &value.tensor, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}
