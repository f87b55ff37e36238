// SPDX-License-Identifier: MIT
/*
 * ONNX operators that take elements by indices that are computed: Gather, GatherElements, GatherND;
 * and TopK, which finds such indices.
 *
 * An index of the graph's is of one row, so that what goes along the first dimension is a single
 * row first (nn_build_lift()), where that dimension is fixed. So is a constant that indices of any
 * row are of.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* ---- Operands ---- */

/* A dimension of x, from the attribute. */
static int find_axis(struct onnx_import *import, const struct nn_build_tensor *x, int64_t otherwise,
		     uint32_t *out)
{
	int64_t axis = onnx_attr_int(import->node, "axis", otherwise);

	if (axis < -(int64_t)x->rank || axis >= x->rank)
		return onnx_fail(import, -EINVAL,
				 "its axis %" PRId64 " is not one of %" PRIu32 " dimensions", axis,
				 x->rank);
	*out = axis + (axis < 0 ? x->rank : 0);
	return 0;
}

static bool is_index_type(enum nn_data_type type)
{
	return type == NN_INT32 || type == NN_INT64;
}

int onnx_need_indices(struct onnx_import *import, struct nn_operand *out, enum nn_data_type *type)
{
	*type = onnx_stored_operand(import, onnx_input(import, 1), out);
	if (is_index_type(*type))
		return 0;
	return onnx_fail(import, -EOPNOTSUPP, "its indices are not of int32 or int64");
}

/* Reads the data: a tensor that moves, or a constant of integers, or of what is quantized. */
static const struct onnx_value *read_data(struct onnx_import *import, struct nn_operand *out)
{
	const struct onnx_value *x = onnx_input(import, 0);
	enum nn_data_type type;
	struct nn_quant *quant;

	if (x->kind == ONNX_REAL_CONST && !x->tensor.quant.scales) {
		*out = onnx_operand_of(x);
		return x;
	}
	type = x->kind == ONNX_CONST ? onnx_stored_operand(import, x, out) : 0;
	if (type) {
		quant = onnx_alloc(import, 1, sizeof(*quant));
		if (!quant || onnx_find_output_quant(import, type, quant))
			return NULL;
		out->constant.quant = quant;
		return x;
	}
	if (onnx_is_const(x)) {
		onnx_fail_float(import, "its data is a constant that is not quantized, or with "
				"several scales");
		return NULL;
	}
	x = onnx_movable_input(import, 0);
	if (x)
		*out = (struct nn_operand){ .tensor = &x->tensor };
	return x;
}

int onnx_lift(struct onnx_import *import, const struct nn_operand *operand,
	      struct nn_build_tensor *out)
{
	return operand->tensor ? nn_build_lift(&import->builder, operand->tensor, out) :
				 nn_build_row_constant(&import->builder, operand, out);
}

/* Defines what was taken of x as the current node's output, quantized as x is. */
static int define_taken(struct onnx_import *import, uint32_t i, const struct onnx_value *x,
			const struct nn_build_tensor *taken)
{
	struct onnx_value value = {
		.kind = x->kind == ONNX_CONST	   ? ONNX_STORED :
			x->kind == ONNX_REAL_CONST ? ONNX_REAL :
						     x->kind,
		.tensor = *taken,
		.promised = x->promised,
		.unrounded = x->unrounded,
	};

	return onnx_define(import, i, &value);
}

/* ---- Gather ---- */

/* Whether indices are of rows that only the run knows, and their data has a fixed number. */
static bool is_one_for_all(const struct nn_operand operands[2])
{
	return operands[0].tensor && operands[1].tensor &&
	       nn_is_rows(operands[1].tensor->dims[0]) && !nn_is_rows(operands[0].tensor->dims[0]);
}

int onnx_lower_gather_computed(struct onnx_import *import)
{
	const struct nn_build_tensor *given = &onnx_input(import, 1)->tensor;
	struct nn_build_tensor data, indices = *given, made;
	struct nn_operand operands[2];
	const struct onnx_value *x;
	struct nn_take take = { 0 };
	enum nn_data_type type;
	bool by_rows;
	int err = onnx_need_indices(import, &operands[1], &type);

	if (err)
		return err;
	x = read_data(import, &operands[0]);
	if (!x || find_axis(import, &x->tensor, 0, &take.axis))
		return onnx_failed(import);
	err = onnx_check_iteration(import, given, &x->tensor, take.axis);
	if (err)
		return err;
	/* Each row of indices takes from one constant, or one row for all. */
	by_rows = (!operands[0].tensor || is_one_for_all(operands)) && !take.axis;
	take.axis++;
	err = onnx_lift(import, &operands[0], &data);
	if (!err && !by_rows)
		err = nn_build_lift(&import->builder, given, &indices);
	if (!err)
		err = nn_build_take(&import->builder, &data, &indices, &take, &made);
	if (!err && !by_rows)
		err = nn_build_lower(&import->builder, &made, &made);
	return err ? err : define_taken(import, 0, x, &made);
}

/* ---- GatherElements ---- */

void onnx_find_turn(uint32_t rank, uint32_t axis, uint32_t *there, uint32_t *back)
{
	for (uint32_t i = 0; i < rank; i++)
		there[i] = i < axis ? i : i + 1 < rank ? i + 1 : axis;
	for (uint32_t i = 0; i < rank; i++)
		back[there[i]] = i;
}

/* Along a dimension, not the first, of which each vector has indices of its own. */
static int take_along(struct onnx_import *import, const struct nn_build_tensor *x,
		      const struct nn_build_tensor *indices, uint32_t axis,
		      struct nn_build_tensor *out)
{
	const struct nn_take take = { .axis = x->rank - 1, .each = true };
	uint32_t there[NN_MAX_RANK], back[NN_MAX_RANK];
	struct nn_build_tensor data, turned;
	int err;

	onnx_find_turn(x->rank, axis, there, back);
	err = nn_build_transpose(&import->builder, x, there, &data);
	if (!err)
		err = nn_build_transpose(&import->builder, indices, there, &turned);
	if (!err)
		err = nn_build_take(&import->builder, &data, &turned, &take, out);
	return err ? err : nn_build_transpose(&import->builder, out, back, out);
}

/* Cuts the data to the indices' other dimensions, which may be fewer. */
static int cut_data(struct onnx_import *import, const struct nn_build_tensor *indices,
		    uint32_t axis, struct nn_build_tensor *x)
{
	int err = 0;

	if (indices->rank != x->rank)
		return onnx_fail(import, -EINVAL,
				 "its indices have %" PRIu32 " dimensions, its data %" PRIu32,
				 indices->rank, x->rank);
	for (uint32_t i = 1; i < x->rank && !err; i++) {
		if (i == axis)
			continue;
		if (indices->dims[i] > x->dims[i])
			return onnx_fail(import, -EINVAL, "its indices are larger than its data");
		err = nn_build_slice(&import->builder, x, i, 0, indices->dims[i], x);
	}
	return err;
}

int onnx_lower_gather_elements(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	struct nn_build_tensor data, indices, made;
	struct nn_operand given, from;
	enum nn_data_type type;
	uint32_t axis = 0;
	bool lifted;
	int err = x ? onnx_need_indices(import, &given, &type) : onnx_failed(import);

	if (!err)
		err = find_axis(import, &x->tensor, 0, &axis);
	if (err)
		return err;
	from = (struct nn_operand){ .tensor = &x->tensor };
	lifted = !given.tensor || !axis || given.tensor->dims[0] != x->tensor.dims[0];
	if (lifted) {
		axis++;
		err = onnx_lift(import, &from, &data);
		if (!err)
			err = onnx_lift(import, &given, &indices);
	} else {
		data = x->tensor;
		indices = *given.tensor;
	}
	if (!err)
		err = cut_data(import, &indices, axis, &data);
	if (!err)
		err = take_along(import, &data, &indices, axis, &made);
	if (!err && lifted)
		err = nn_build_lower(&import->builder, &made, &made);
	return err ? err : define_taken(import, 0, x, &made);
}

/* ---- GatherND ---- */

const uint32_t *onnx_dims_of(const struct nn_operand *operand, uint32_t *rank)
{
	*rank = operand->tensor ? operand->tensor->rank : operand->constant.values->rank;
	return operand->tensor ? operand->tensor->dims : operand->constant.values->dims;
}

/* Reads how many dimensions an index is of, and checks that they are there. */
static int read_indices(struct onnx_import *import, const struct nn_operand operands[2],
			int64_t batch, uint32_t *depth)
{
	uint32_t ranks[2];
	const uint32_t *x = onnx_dims_of(&operands[0], &ranks[0]);
	const uint32_t *indices = onnx_dims_of(&operands[1], &ranks[1]);

	if (!ranks[1] || batch < 0 || batch >= ranks[0] || batch >= ranks[1])
		return onnx_fail(import, -EINVAL,
				 "its batch_dims are %" PRId64 " of %" PRIu32 " and %" PRIu32
				 " dimensions", batch, ranks[0], ranks[1]);
	*depth = indices[ranks[1] - 1];
	if (!*depth || *depth > ranks[0] - batch)
		return onnx_fail(import, -EINVAL,
				 "its indices are of %" PRIu32 " dimensions, and there are %" PRId64,
				 *depth, ranks[0] - batch);
	if (memcmp(x, indices, batch * sizeof(*x)))
		return onnx_fail(import, -EINVAL,
				 "its first %" PRId64 " dimensions are not the same", batch);
	return 0;
}

int onnx_lower_gather_nd(struct onnx_import *import)
{
	int64_t batch = onnx_attr_int(import->node, "batch_dims", 0);
	struct nn_take take = { .axis = batch, .each = batch };
	struct nn_build_tensor inputs[2], made;
	struct nn_operand operands[2];
	const struct onnx_value *x;
	enum nn_data_type type;
	bool lifted[2];
	int err = onnx_need_indices(import, &operands[1], &type);

	if (err)
		return err;
	if (type != NN_INT64)
		return onnx_fail(import, -EINVAL, "its indices are of int32");
	x = read_data(import, &operands[0]);
	if (!x)
		return onnx_failed(import);
	err = read_indices(import, operands, batch, &take.depth);
	if (err)
		return err;
	if (!operands[0].tensor && !operands[1].tensor)
		return onnx_fail(import, -EOPNOTSUPP, "its data and its indices are constants");
	lifted[0] = !batch || !operands[0].tensor || !operands[1].tensor;
	/* Each row of indices takes from one constant, or one row for all. */
	lifted[1] = lifted[0] && !is_one_for_all(operands) &&
		    (operands[0].tensor || batch || operands[1].tensor->rank == 1);
	take.axis += lifted[0];
	take.each = take.axis > 1;
	for (uint32_t i = 0; i < 2 && !err; i++) {
		if (lifted[i])
			err = onnx_lift(import, &operands[i], &inputs[i]);
		else
			inputs[i] = *operands[i].tensor;
	}
	if (!err)
		err = nn_build_take(&import->builder, &inputs[0], &inputs[1], &take, &made);
	if (!err && lifted[1])
		err = nn_build_lower(&import->builder, &made, &made);
	return err ? err : define_taken(import, 0, x, &made);
}

/* ---- TopK ---- */

static int read_count(struct onnx_import *import, uint32_t size, uint32_t *count)
{
	const struct onnx_value *k = onnx_input(import, 1);
	int64_t number;

	if (k->kind != ONNX_CONST || !nn_const_is_one(&k->constant, NN_ELEMENT_INT64))
		return onnx_fail(import, -EOPNOTSUPP, "its K is no constant of one int64");
	number = nn_const_int(&k->constant, 0);
	if (number < 1 || number > size)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its K is %" PRId64 "; nnloop knows 1 to %" PRIu32
				 ", as many as there are", number, size);
	*count = number;
	return 0;
}

/* Elements that are equal come in their order, as in ONNX Runtime. */
/* TopK of a tensor of any of the types that it is for. */
static int build_top_k(struct onnx_import *import, const struct onnx_value *x)
{
	bool least = !onnx_attr_int(import->node, "largest", 1), lifted;
	uint32_t there[NN_MAX_RANK], back[NN_MAX_RANK], axis = 0, count = 0;
	struct onnx_value indices = { .kind = ONNX_STORED };
	struct nn_build_tensor data, made;
	struct nn_take take = { .each = true };
	struct nn_operand operand;
	int err;

	err = find_axis(import, &x->tensor, -1, &axis);
	if (!err && !axis && nn_is_rows(x->tensor.dims[0]))
		err = onnx_fail(import, -EOPNOTSUPP,
				"it goes over the first dimension, which is the batch"
				ONNX_KEEP_BATCH);
	if (!err)
		err = read_count(import, x->tensor.dims[axis], &count);
	if (err)
		return err;
	lifted = !axis;
	operand = (struct nn_operand){ .tensor = &x->tensor };
	data = x->tensor;
	if (lifted)
		err = onnx_lift(import, &operand, &data);
	take.axis = data.rank - 1;
	onnx_find_turn(data.rank, axis + lifted, there, back);
	if (!err)
		err = nn_build_transpose(&import->builder, &data, there, &data);
	if (!err)
		err = nn_build_top(&import->builder, &data, count, least, &indices.tensor);
	if (!err)
		err = nn_build_take(&import->builder, &data, &indices.tensor, &take, &made);
	if (!err)
		err = nn_build_transpose(&import->builder, &made, back, &made);
	if (!err)
		err = nn_build_transpose(&import->builder, &indices.tensor, back, &indices.tensor);
	if (!err && lifted)
		err = nn_build_lower(&import->builder, &made, &made);
	if (!err && lifted)
		err = nn_build_lower(&import->builder, &indices.tensor, &indices.tensor);
	if (!err)
		err = define_taken(import, 0, x, &made);
	return err ? err : onnx_define(import, 1, &indices);
}

int onnx_lower_top_k(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);

	if (x->kind != ONNX_STORED)
		x = onnx_real_input(import, 0);
	if (!x)
		return onnx_failed(import);
	if (x->kind == ONNX_STORED ? x->tensor.quant.type == NN_BOOL :
				     !onnx_is_computed(x->tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	if (x->kind == ONNX_STORED && onnx_get_opset(import, import->op) < 11)
		return onnx_fail(import, -EINVAL, "it takes integers from opset 11 on");
	return build_top_k(import, x);
}

int onnx_lower_float_top_k(struct onnx_import *import)
{
	struct onnx_value value;
	struct nn_build_tensor x;
	int err = onnx_float_tensor(import, 0, &x);

	value = onnx_float_value(&x);
	return err ? err : build_top_k(import, &value);
}
