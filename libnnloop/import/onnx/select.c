// SPDX-License-Identifier: MIT
/*
 * ONNX's Where: of two tensors, each element from the one or the other; Trilu, whose other one is
 * 0; OneHot and Hardmax, of which both are numbers.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

static int build_select(struct onnx_import *import, const struct nn_operand operands[3],
			const struct nn_quant *quant, struct nn_build_tensor *out)
{
	return nn_build_whole_broadcast(&import->builder, "Select", operands, 3, NULL, 0, quant,
					out);
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

int onnx_settle_choice(struct onnx_import *import, const struct onnx_value *value,
		       const struct nn_quant *quant, struct nn_build_tensor *settled,
		       struct nn_operand *out)
{
	*out = (struct nn_operand){ .tensor = settled };
	return onnx_is_const(value) ? round_constant(import, value, quant, out) :
				      onnx_settle(import, value, quant, settled);
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
	for (uint32_t i = 1; i < 3 && !err; i++)
		err = onnx_settle_choice(import, pending->operands[i], quant, &settled[i],
					 &operands[i]);
	return err ? err : build_select(import, operands, quant, out);
}

/* Whether it is a real tensor, or a constant of reals or of what stands for them. */
static const struct onnx_value *real_operand(struct onnx_import *import, uint32_t i,
					     const struct onnx_value *value)
{
	if (value->kind == ONNX_CONST && value->constant.element == NN_ELEMENT_FLOAT)
		return value;
	if (value->kind == ONNX_REAL_CONST && value->tensor.quant.scales) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its input %" PRIu32 " has one scale for each index of a dimension", i);
		return NULL;
	}
	return value->kind == ONNX_REAL_CONST ? value : onnx_operand_input(import, i);
}

const struct onnx_value *onnx_choice_input(struct onnx_import *import, uint32_t i)
{
	return real_operand(import, i, onnx_input(import, i));
}

static int select_reals(struct onnx_import *import, const struct onnx_value *const values[3])
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_where, 3);
	struct onnx_value moved = { .kind = ONNX_REAL };
	struct nn_operand operands[3];

	if (!pending)
		return -ENOMEM;
	pending->operands[0] = values[0];
	onnx_stored_operand(import, pending->operands[0], &operands[0]);
	for (uint32_t i = 1; i < 3; i++) {
		pending->operands[i] = real_operand(import, i, values[i]);
		if (!pending->operands[i])
			return onnx_failed(import);
		operands[i] = onnx_operand_of(pending->operands[i]);
	}
	if (nn_broadcast_whole_all(&import->builder, operands, 3, &pending->rank,
				   pending->dims))
		return onnx_failed(import);
	/* Operands that are quantized alike stay as they are. */
	if (operands[1].tensor && operands[2].tensor &&
	    nn_quant_equal(&operands[1].tensor->quant, &operands[2].tensor->quant)) {
		int err = build_select(import, operands, &operands[1].tensor->quant, &moved.tensor);

		return err ? err : onnx_define(import, 0, &moved);
	}
	return onnx_define_pending(import, pending);
}

/* A condition, and what the current node's output is where it holds, and where not. */
static int select_values(struct onnx_import *import, const struct onnx_value *const values[3])
{
	struct nn_operand operands[3];
	const struct nn_quant *quant;
	struct nn_quant found;
	struct nn_build_tensor made;
	enum nn_data_type types[3];
	int err;

	for (uint32_t i = 0; i < 3; i++)
		types[i] = onnx_stored_operand(import, values[i], &operands[i]);
	if (types[0] != NN_BOOL)
		return onnx_fail(import, -EINVAL, "its condition is no tensor of bool");
	if (!types[1] || !types[2])
		return select_reals(import, values);
	err = operands[1].tensor || operands[2].tensor ?
		      0 :
		      onnx_find_output_quant(import, types[1], &found);
	if (err)
		return err;
	quant = operands[1].tensor ? &operands[1].tensor->quant :
		operands[2].tensor ? &operands[2].tensor->quant :
				     &found;
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

int onnx_lower_where(struct onnx_import *import)
{
	const struct onnx_value *values[3] = { onnx_input(import, 0), onnx_input(import, 1),
					       onnx_input(import, 2) };

	return select_values(import, values);
}

/* ---- Trilu ---- */

#define MOST_IN_MATRIX (1u << 24) /* so that a small file cannot take much memory */

/* Reads how far the diagonal is from the main one, to the right. */
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
	const struct onnx_value *x = onnx_ordered_input(import, 0);
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

/* ---- OneHot, Hardmax ---- */

#define MOST_DEPTH (1u << 24) /* so that a small file cannot take much memory */

/* The numbers from `first` on, one for each index of a dimension with `behind` more behind it. */
static int make_numbers(struct onnx_import *import, const struct nn_quant *quant, int64_t first,
			uint32_t depth, uint32_t behind, struct nn_operand *out)
{
	struct nn_const *numbers = onnx_alloc(import, 1, sizeof(*numbers));
	uint32_t size = nn_data_type_size(quant->type);
	uint8_t *data = onnx_alloc(import, depth, size);

	if (!numbers || !data)
		return -ENOMEM;
	*numbers = (struct nn_const){
		.element = (enum nn_element)quant->type, .rank = 1 + behind, .dims = { depth },
		.count = depth, .data = data
	};
	for (uint32_t i = 1; i <= behind; i++)
		numbers->dims[i] = 1;
	for (uint32_t i = 0; i < depth; i++) {
		int64_t number = first + i; /* of which the low bytes come first */

		memcpy(data + i * size, &number, size);
	}
	*out = (struct nn_operand){
		.constant = { .name = "indices", .values = numbers, .quant = quant }
	};
	return 0;
}

/* Whether an index, of which dimension `axis` is 1, is that of this place along the axis. */
static int build_hits(struct onnx_import *import, const struct nn_build_tensor *indices,
		      uint32_t axis, int64_t first, uint32_t depth, struct nn_build_tensor *out)
{
	const struct nn_quant plain = { .type = indices->quant.type };
	const struct nn_attr attr = {
		.name = "function", .type = NN_ATTR_STRING, .string = "equal"
	};
	struct nn_operand operands[2] = { { .tensor = indices } };
	int err = make_numbers(import, &plain, first, depth, indices->rank - 1 - axis,
			       &operands[1]);

	return err ? err : nn_build_whole_broadcast(&import->builder, "Compare", operands, 2, &attr, 1,
						    &nn_quant_truth, out);
}

/* Takes number i of a constant of two or more numbers. */
static int take_number(struct onnx_import *import, const struct onnx_value *values, uint64_t i,
		       const struct onnx_value **out)
{
	struct onnx_value *value = onnx_alloc(import, 1, sizeof(*value));

	if (!value)
		return -ENOMEM;
	*value = *values;
	value->tensor.rank = 0;
	value->constant.rank = 0;
	value->constant.count = 1;
	value->constant.data = (const uint8_t *)values->constant.data +
			       i * nn_element_size(values->constant.element);
	*out = value;
	return 0;
}

static int select_numbers(struct onnx_import *import, const struct nn_build_tensor *hits,
			  const struct onnx_value *off_and_on)
{
	struct onnx_value *condition = onnx_alloc(import, 1, sizeof(*condition));
	const struct onnx_value *values[3] = { condition };
	int err;

	if (!condition)
		return -ENOMEM;
	*condition = (struct onnx_value){ .kind = ONNX_STORED, .tensor = *hits };
	err = take_number(import, off_and_on, 1, &values[1]);
	if (!err)
		err = take_number(import, off_and_on, 0, &values[2]);
	return err ? err : select_values(import, values);
}

/* A whole number, also as a float. */
static int read_depth(struct onnx_import *import, uint32_t *depth)
{
	const struct onnx_value *value = onnx_input(import, 1);
	const struct nn_const *constant = &value->constant;
	double number = 0;

	if (value->kind != ONNX_CONST || constant->count != 1 || constant->rank > 1)
		return onnx_fail(import, -EOPNOTSUPP, "its depth is no constant of one number");
	number = constant->element == NN_ELEMENT_FLOAT ? nn_const_float(constant, 0) :
							 (double)nn_const_int(constant, 0);
	if (!(number >= 1 && number <= MOST_DEPTH) || number != floor(number))
		return onnx_fail(import, -EOPNOTSUPP, "its depth is %g; nnloop knows 1 to %u",
				 number, MOST_DEPTH);
	*depth = number;
	return 0;
}

/* The two values, off and on. */
static int check_values(struct onnx_import *import)
{
	const struct onnx_value *values = onnx_input(import, 2);

	if (!onnx_is_const(values))
		return onnx_fail(import, -EOPNOTSUPP, "its values are no constant");
	if (values->constant.count != 2 || values->constant.rank != 1)
		return onnx_fail(import, -EINVAL, "its values are not two numbers");
	return 0;
}

/* The indices with a dimension of 1 for `axis`. */
static int add_axis(struct onnx_import *import, const struct nn_build_tensor *indices,
		    uint32_t axis, struct nn_build_tensor *out)
{
	uint32_t dims[NN_MAX_RANK];

	if (!axis)
		return nn_build_lift(&import->builder, indices, out);
	memcpy(dims, indices->dims, axis * sizeof(*dims));
	dims[axis] = 1;
	memcpy(dims + axis + 1, indices->dims + axis, (indices->rank - axis) * sizeof(*dims));
	return nn_build_reshape(&import->builder, indices, indices->rank + 1, dims, out);
}

/* Indices below 0 count from the end, and what is no index is off everywhere. */
int onnx_lower_one_hot(struct onnx_import *import)
{
	const struct onnx_value *indices = onnx_input(import, 0);
	int64_t axis = onnx_attr_int(import->node, "axis", -1), rank = indices->tensor.rank;
	const struct nn_attr attr = {
		.name = "function", .type = NN_ATTR_STRING, .string = "or"
	};
	struct nn_build_tensor lifted, hits[2];
	const struct nn_operand both[2] = { { .tensor = &hits[0] }, { .tensor = &hits[1] } };
	uint32_t depth = 0;
	int err;

	if (indices->kind != ONNX_STORED || (indices->tensor.quant.type != NN_INT32 &&
					     indices->tensor.quant.type != NN_INT64))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its indices are no tensor of int32 or int64");
	if (rank == NN_MAX_RANK || axis < -rank - 1 || axis > rank)
		return onnx_fail(import, -EINVAL,
				 "its axis %" PRId64 " is not one of %" PRId64 " dimensions", axis,
				 rank + 1);
	axis += axis < 0 ? rank + 1 : 0;
	err = read_depth(import, &depth);
	if (!err)
		err = check_values(import);
	if (!err)
		err = add_axis(import, &indices->tensor, axis, &lifted);
	if (!err)
		err = build_hits(import, &lifted, axis, 0, depth, &hits[0]);
	if (!err)
		err = build_hits(import, &lifted, axis, -(int64_t)depth, depth, &hits[1]);
	if (!err)
		err = nn_build_broadcast(&import->builder, "Integers", both, 2, &attr, 1,
					 &nn_quant_truth, &hits[0]);
	return err ? err : select_numbers(import, &hits[0], onnx_input(import, 2));
}

/* 1 for the first of the greatest elements along an axis; before opset 13 along that and all behind
 * it. */
int onnx_lower_hardmax(struct onnx_import *import)
{
	static const float off_and_on[2] = { 0, 1 };
	const struct onnx_value *x = onnx_real_input(import, 0);
	bool is_old = onnx_get_opset(import, import->op) < 13;
	int64_t axis = onnx_attr_int(import->node, "axis", is_old ? 1 : -1);
	struct nn_arg arg = { .function = "max", .keep_dims = true };
	struct onnx_value numbers = {
		.kind = ONNX_CONST, .constant = { .element = NN_ELEMENT_FLOAT, .data = off_and_on }
	};
	struct nn_build_tensor flat, made;
	uint32_t axes, rank;
	int err = x ? nn_read_axes(&import->builder, &x->tensor, &axis, 1, &axes) :
		      onnx_failed(import);

	if (err)
		return err;
	if (!nn_type_is_8bit(x->tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	arg.axis = axis + (axis < 0 ? x->tensor.rank : 0);
	flat = x->tensor;
	rank = is_old ? arg.axis + 1 : flat.rank;
	for (uint32_t i = rank; i < flat.rank; i++)
		flat.dims[arg.axis] *= flat.dims[i];
	err = nn_build_reshape(&import->builder, &x->tensor, rank, flat.dims, &flat);
	if (!err)
		err = nn_build_arg(&import->builder, &flat, &arg, &made);
	if (!err)
		err = build_hits(import, &made, arg.axis, 0, flat.dims[arg.axis], &made);
	if (!err)
		err = nn_build_reshape(&import->builder, &made, x->tensor.rank, x->tensor.dims,
				       &made);
	return err ? err : select_numbers(import, &made, &numbers);
}
