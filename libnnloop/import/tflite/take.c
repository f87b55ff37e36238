// SPDX-License-Identifier: MIT
/*
 * Operators that take elements by indices that are computed, and that make or find such indices.
 *
 * A model for one item has 1 as the batch's dimension, and its index 0 in it: of a batch each row
 * is of an item of its own, and an index of that dimension always the row itself.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

static int define_same(struct tflite_import *import, uint32_t i, const struct nn_quant *quant,
		       const struct nn_build_tensor *made)
{
	int err = tflite_same_quant(import, i, quant);

	return err ? err : tflite_define(import, i, made);
}

/* Input i, of int32 or int64. */
static const struct nn_build_tensor *read_indices(struct tflite_import *import, uint32_t i)
{
	const struct nn_build_tensor *indices = tflite_tensor_input(import, i);

	if (!indices || indices->quant.type == NN_INT32 || indices->quant.type == NN_INT64)
		return indices;
	tflite_fail(import, -EOPNOTSUPP, "its indices are of %s",
		    nn_data_type_name(indices->quant.type));
	return NULL;
}

/* ---- GATHER, GATHER_ND ---- */

/* Reads the data, a tensor or a constant. */
static int read_data(struct tflite_import *import, struct nn_operand *out)
{
	int err = tflite_stored_operand_input(import, 0, out);

	if (!err && nn_operand_quant(out)->scales)
		err = tflite_fail(import, -EOPNOTSUPP, "it takes from a constant with several scales");
	return err;
}

/* Each row of indices takes from the same constant, from its first dimensions, `depth` of them. */
static int take_from_constant(struct tflite_import *import, const struct nn_operand *from,
			      const struct nn_build_tensor *indices, uint32_t depth)
{
	const struct nn_take take = { .axis = 1, .depth = depth };
	struct nn_build_tensor data, places = *indices, made;
	int err = nn_build_row_constant(&import->builder, from, &data);

	/* A single number, as in the body of a WHILE, has no dimension for rows. */
	if (!err && !indices->rank)
		err = nn_build_lift(&import->builder, indices, &places);
	if (!err)
		err = nn_build_take(&import->builder, &data, &places, &take, &made);
	if (!err && !indices->rank)
		err = nn_build_lower(&import->builder, &made, &made);
	return err ? err : define_same(import, 0, &data.quant, &made);
}

/* Checks that both are of the rows of a batch. */
static int need_rows(struct tflite_import *import, const struct nn_build_tensor *x,
		     const struct nn_build_tensor *indices)
{
	if (import->one_is_batch && x->dims[0] == NN_ROWS && indices->dims[0] == NN_ROWS)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "it takes indices of the batch, which nnloop knows for models of one item "
			   "only");
}

/* The file's output has the indices' dimension 0, which is 1, behind the dimensions in front of the
 * axis. */
static int take_by_rows(struct tflite_import *import, const struct nn_build_tensor *x,
			const struct nn_build_tensor *indices, uint32_t axis)
{
	const struct nn_take take = { .axis = axis };
	uint32_t dims[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err = need_rows(import, x, indices);

	if (!err)
		err = nn_build_take(&import->builder, x, indices, &take, &made);
	if (!err && made.rank == NN_MAX_RANK)
		err = tflite_fail(import, -EOPNOTSUPP, "its output has more than %d dimensions",
				  NN_MAX_RANK);
	if (err)
		return err;
	memcpy(dims, made.dims, axis * sizeof(*dims));
	dims[axis] = 1;
	memcpy(dims + axis + 1, made.dims + axis, (made.rank - axis) * sizeof(*dims));
	err = nn_build_reshape(&import->builder, &made, made.rank + 1, dims, &made);
	return err ? err : define_same(import, 0, &x->quant, &made);
}

/* In a model of fixed shapes, such as one with a WHILE, dimension 0 is like any other. */
static int take_of_fixed(struct tflite_import *import, const struct nn_build_tensor *x,
			 const struct nn_build_tensor *indices, uint32_t axis)
{
	const struct nn_take take = { .axis = axis + 1 };
	struct nn_build_tensor data, places, made;
	int err = nn_build_lift(&import->builder, x, &data);

	if (!err)
		err = nn_build_lift(&import->builder, indices, &places);
	if (!err)
		err = nn_build_take(&import->builder, &data, &places, &take, &made);
	if (!err)
		err = nn_build_lower(&import->builder, &made, &made);
	return err ? err : define_same(import, 0, &x->quant, &made);
}

int tflite_lower_gather_computed(struct tflite_import *import)
{
	const struct nn_build_tensor *indices = read_indices(import, 1), *x;
	int64_t axis = import->now->option[0], batch_dims = import->now->option[1];
	struct nn_take take = { .axis = batch_dims, .each = true };
	struct nn_build_tensor made;
	struct nn_operand from;
	int err;

	if (!indices)
		return tflite_failed(import);
	err = read_data(import, &from);
	if (err)
		return err;
	x = from.tensor;
	if (axis < 0)
		axis += nn_operand_rank(&from);
	if (!x) {
		if (!axis && !batch_dims)
			return take_from_constant(import, &from, indices, 0);
		return tflite_fail(import, -EOPNOTSUPP,
				   "it takes from a constant, and not along dimension 0");
	}
	if (!batch_dims && axis >= 0 && axis < x->rank && !nn_is_rows(x->dims[0]) &&
	    !nn_is_rows(indices->dims[0]))
		return take_of_fixed(import, x, indices, axis);
	if (axis < 1 || axis >= x->rank || (batch_dims && axis != batch_dims))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its axis is dimension %" PRId64 ", which is the batch, or none, or not "
				   "the first behind batch_dims", axis);
	if (!batch_dims)
		return take_by_rows(import, x, indices, axis);
	if (indices->rank < axis || memcmp(x->dims, indices->dims, axis * sizeof(*x->dims)))
		return tflite_fail(import, -EINVAL,
				   "its first %" PRId64 " dimensions, batch_dims, are not the same",
				   batch_dims);
	err = nn_build_take(&import->builder, x, indices, &take, &made);
	return err ? err : define_same(import, 0, &x->quant, &made);
}

/* Reads how many dimensions an index is of, which are there. */
static int read_depth(struct tflite_import *import, uint32_t rank, uint32_t depth, uint32_t least)
{
	if (depth >= least && depth <= rank)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "its indices are of %" PRIu32 " dimensions of %" PRIu32
			   ", or of the batch alone", depth, rank);
}

/* Constant indices, as those of the elements behind the batch. */
static int gather_indices(struct tflite_import *import, const struct nn_build_tensor *x)
{
	const struct nn_const *indices = tflite_ints_input(import, 1);
	uint32_t depth, count, rest = 0, dims[NN_MAX_RANK];
	struct nn_build_tensor flat, made;
	int64_t *places;
	int err;

	if (!indices)
		return tflite_failed(import);
	if (indices->rank < 2 || indices->dims[0] != 1 || !indices->count)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its constant indices have no first dimension of 1, for the batch");
	depth = indices->dims[indices->rank - 1];
	err = need_rows(import, x, x);
	if (!err)
		err = read_depth(import, x->rank, depth, 2);
	if (err)
		return err;
	count = indices->count / depth;
	places = tflite_alloc(import, count, sizeof(*places));
	if (!places)
		return -ENOMEM;
	dims[0] = x->dims[0];
	dims[1] = 1;
	for (uint32_t k = 1; k < depth; k++)
		dims[1] *= x->dims[k];
	for (uint32_t k = depth; k < x->rank; k++)
		dims[2 + rest++] = x->dims[k];
	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < depth; k++) {
			int64_t at = nn_const_int(indices, (uint64_t)i * depth + k);

			if (at < 0 || at >= (k ? x->dims[k] : 1))
				return tflite_fail(import, -EOPNOTSUPP,
						   "it takes index %" PRId64 " of dimension %" PRIu32,
						   at, k);
			places[i] = k ? places[i] * x->dims[k] + at : 0;
		}
	}
	err = nn_build_reshape(&import->builder, x, 2 + rest, dims, &flat);
	if (!err)
		err = nn_build_gather(&import->builder, &flat, 1, places, count, &made);
	if (!err && indices->rank - 1 + rest > NN_MAX_RANK)
		err = tflite_fail(import, -EOPNOTSUPP, "its output has more than %d dimensions",
				  NN_MAX_RANK);
	if (err)
		return err;
	memcpy(dims + 1, indices->dims + 1, (indices->rank - 2) * sizeof(*dims));
	memcpy(dims + indices->rank - 1, x->dims + depth, rest * sizeof(*dims));
	err = nn_build_reshape(&import->builder, &made, indices->rank - 1 + rest, dims, &made);
	return err ? err : define_same(import, 0, &x->quant, &made);
}

int tflite_lower_gather_nd(struct tflite_import *import)
{
	const struct nn_build_tensor *indices;
	struct nn_take take = { .axis = 1 };
	struct nn_build_tensor made, behind;
	struct nn_operand from;
	uint32_t depth;
	int err = read_data(import, &from);

	if (err)
		return err;
	if (from.tensor && tflite_has_input(import, 1) &&
	    import->tensors[import->now->inputs[1]].is_constant)
		return gather_indices(import, from.tensor);
	indices = read_indices(import, 1);
	if (!indices)
		return tflite_failed(import);
	depth = indices->rank > 1 ? indices->dims[indices->rank - 1] : 0;
	err = read_depth(import, nn_operand_rank(&from), depth, from.tensor ? 2 : 1);
	if (err)
		return err;
	if (!from.tensor)
		return take_from_constant(import, &from, indices, depth);
	/* An index of the batch is 0, as the model has one item. */
	take.depth = depth - 1;
	err = need_rows(import, from.tensor, indices);
	if (!err)
		err = nn_build_slice(&import->builder, indices, indices->rank - 1, 1, take.depth,
				     &behind);
	if (!err)
		err = nn_build_take(&import->builder, from.tensor, &behind, &take, &made);
	return err ? err : define_same(import, 0, &from.tensor->quant, &made);
}

/* ---- ONE_HOT ---- */

#define MOST_DEPTH 65536 /* so that a small file cannot take much memory */

/* 0, 1, ... of the type, with `behind` dimensions of 1 behind them. */
static int make_numbers(struct tflite_import *import, const struct nn_quant *quant, uint32_t depth,
			uint32_t behind, struct nn_operand *out)
{
	struct nn_const *numbers = tflite_alloc(import, 1, sizeof(*numbers));
	uint32_t size = nn_data_type_size(quant->type);
	uint8_t *data;

	if (tflite_make_numbers(import, depth))
		return tflite_failed(import);
	data = tflite_alloc(import, depth, size);
	if (!numbers || !data)
		return -ENOMEM;
	*numbers = (struct nn_const){
		.element = (enum nn_element)quant->type, .rank = 1 + behind, .dims = { depth },
		.count = depth, .data = data,
	};
	for (uint32_t i = 1; i <= behind; i++)
		numbers->dims[i] = 1;
	for (uint32_t i = 0; i < depth; i++)
		memcpy(data + i * size, &i, sizeof(i)); /* the low bytes come first */
	*out = (struct nn_operand){
		.constant = { .name = "indices", .values = numbers, .quant = quant },
	};
	return 0;
}

/* Input i: a number that is stored as the output is. */
static int read_value(struct tflite_import *import, uint32_t i, const struct nn_quant *quant,
		      struct nn_operand *out)
{
	int err = tflite_stored_operand_input(import, i, out);

	if (err)
		return err;
	if (out->tensor || out->constant.values->count != 1 ||
	    !nn_quant_equal(out->constant.quant, quant))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input %" PRIu32 " is no constant of one number that is quantized "
				   "as its output", i);
	return 0;
}

/*
 * Builds where the indices are equal to the position along `axis`; what is no index is so nowhere.
 */
static int build_hits(struct tflite_import *import, const struct nn_build_tensor *indices,
		      uint32_t axis, uint32_t depth, struct nn_build_tensor *out)
{
	const struct nn_attr attrs[] = {
		{ .name = "function", .type = NN_ATTR_STRING, .string = "equal" },
		{ .name = "rounding", .type = NN_ATTR_STRING, .string = "stored" },
	};
	struct nn_operand operands[2];
	struct nn_build_tensor lifted;
	uint32_t dims[NN_MAX_RANK];
	int err;

	memcpy(dims, indices->dims, axis * sizeof(*dims));
	dims[axis] = 1;
	memcpy(dims + axis + 1, indices->dims + axis, (indices->rank - axis) * sizeof(*dims));
	err = nn_build_reshape(&import->builder, indices, indices->rank + 1, dims, &lifted);
	operands[0] = (struct nn_operand){ .tensor = &lifted };
	if (!err)
		err = make_numbers(import, &indices->quant, depth, indices->rank - axis,
				   &operands[1]);
	return err ? err : nn_build_whole_broadcast(&import->builder, "Compare", operands, 2, attrs, 2,
					      &nn_quant_truth, out);
}

int tflite_lower_one_hot(struct tflite_import *import)
{
	const struct nn_build_tensor *indices = read_indices(import, 0);
	const struct nn_const *depth = indices ? tflite_ints_input(import, 1) : NULL;
	int64_t axis = import->now->option[0], number;
	struct nn_build_tensor hits, made;
	struct nn_operand operands[3] = { { .tensor = &hits } };
	struct nn_quant quant;
	int err;

	if (!depth)
		return tflite_failed(import);
	number = depth->count == 1 ? nn_const_int(depth, 0) : 0;
	if (number < 1 || number > MOST_DEPTH)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its depth is not one number from 1 to %d", MOST_DEPTH);
	axis += axis == -1 ? indices->rank + 1 : 0;
	if (axis < 1 || axis > indices->rank || indices->rank == NN_MAX_RANK)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its axis is dimension %" PRId64 ", which is the batch, or none", axis);
	err = tflite_output_quant(import, 0, &quant);
	for (uint32_t i = 1; i < 3 && !err; i++)
		err = read_value(import, 1 + i, &quant, &operands[i]);
	if (!err)
		err = build_hits(import, indices, axis, number, &hits);
	if (!err)
		err = nn_build_whole_broadcast(&import->builder, "Select", operands, 3, NULL, 0, &quant,
					 &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- TOPK_V2 ---- */

/* Lowers TOPK_V2: the first of equal elements comes first. */
int tflite_lower_top_k(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	const struct nn_const *count = x ? tflite_ints_input(import, 1) : NULL;
	struct nn_take take = { .each = true };
	struct nn_build_tensor places, made;
	int64_t number;
	int err;

	if (!count)
		return tflite_failed(import);
	if (!nn_type_is_8bit(x->quant.type) && x->quant.type != NN_INT32 &&
	    x->quant.type != NN_INT64 && x->quant.type != NN_FLOAT32)
		return tflite_fail(import, -EOPNOTSUPP, "its input is of %s",
				   nn_data_type_name(x->quant.type));
	number = count->count == 1 ? nn_const_int(count, 0) : 0;
	if (x->rank < 2 || number < 1 || number > x->dims[x->rank - 1])
		return tflite_fail(import, -EOPNOTSUPP,
				   "its k is not one number from 1 to as many as there are, or goes over "
				   "the batch");
	take.axis = x->rank - 1;
	err = nn_build_top(&import->builder, x, number, false, &places);
	if (!err)
		err = nn_build_take(&import->builder, x, &places, &take, &made);
	if (!err)
		err = define_same(import, 0, &x->quant, &made);
	if (err)
		return err;
	import->builder.result = import->tensors[import->now->outputs[1]].name;
	err = nn_build_unary(&import->builder, "Cast", &places, NULL, 0, &nn_quant_int32, &made);
	return err ? err : define_same(import, 1, &nn_quant_int32, &made);
}

/* ---- CUMSUM ---- */

int tflite_lower_cumsum(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	const struct nn_const *axis = x ? tflite_ints_input(import, 1) : NULL;
	struct nn_cumulation cumulation = {
		.exclusive = import->now->option[0],
		.backwards = import->now->option[1],
	};
	struct nn_build_tensor made;
	int err;

	if (!axis)
		return tflite_failed(import);
	if (x->quant.type != NN_INT32 && x->quant.type != NN_INT64)
		return tflite_fail(import, -EOPNOTSUPP, "its input is of %s; nnloop knows int32 and int64",
				   nn_data_type_name(x->quant.type));
	if (axis->count != 1)
		return tflite_fail(import, -EINVAL, "it has %" PRIu64 " axes", axis->count);
	cumulation.axis = tflite_find_axis(import, nn_const_int(axis, 0), x->rank);
	if (!cumulation.axis)
		return tflite_failed(import);
	err = nn_build_cumulate(&import->builder, x, &cumulation, &x->quant, &made);
	return err ? err : define_same(import, 0, &x->quant, &made);
}
