// SPDX-License-Identifier: MIT
/* ONNX operators that only move elements. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

int onnx_lower_identity(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int err = onnx_define(import, 0, x);

	return err ? err : onnx_repeat(import, x->repeated_for);
}

/* The identity, but in training. */
int onnx_lower_dropout(struct onnx_import *import)
{
	const struct onnx_value *training = onnx_input(import, 2);

	if (training->kind != ONNX_ABSENT &&
	    (training->kind != ONNX_CONST ||
	     !nn_const_is_one(&training->constant, NN_ELEMENT_BOOL) ||
	     *(const uint8_t *)training->constant.data))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its training_mode is not the constant false");
	return onnx_lower_identity(import);
}

/* Whether its first dimension is the batch, which may vary. */
static bool has_batch(const struct onnx_value *x)
{
	return !onnx_is_const(x) && nn_is_rows(x->tensor.dims[0]);
}

/* The current node's output is its input with other dimensions. */
static int reshape(struct onnx_import *import, uint32_t rank, const uint32_t *dims)
{
	static const uint32_t one = 1;
	const struct onnx_value *x = onnx_input(import, 0);
	const bool is_single = onnx_is_const(x) || (import->controlled && nn_is_single(&x->tensor));
	struct onnx_value value = *x;
	int err;

	if (!rank && !is_single && (has_batch(x) || import->apart))
		return onnx_fail(import, -EOPNOTSUPP, "it makes a tensor without dimensions");
	if (!rank && !is_single) {
		import->makes_bare = true;
		return reshape(import, 1, &one);
	}
	if (onnx_is_const(x)) {
		uint64_t count = 1;

		for (uint32_t i = 0; i < rank; i++)
			count *= dims[i];
		if (count != x->constant.count)
			return onnx_fail(import, -EINVAL,
					 "it makes %" PRIu64 " elements out of %" PRIu64, count,
					 x->constant.count);
		if (x->tensor.quant.scales)
			return onnx_fail(
				import, -EOPNOTSUPP,
				"it reshapes a constant with one scale per index of an axis");
		nn_const_reshape(&value.constant, rank, dims);
		value.tensor.rank = rank;
		memcpy(value.tensor.dims, dims, rank * sizeof(*dims));
		return onnx_define(import, 0, &value);
	}
	x = onnx_movable_input(import, 0);
	if (!x)
		return onnx_failed(import);
	if (import->loop_count && x->tensor.dims[0] != dims[0] && nn_is_rows(x->tensor.dims[0]) &&
	    nn_is_rows(dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes other rows of those of a loop" ONNX_KEEP_BATCH);
	value = *x;
	/* A single number is stored as a row of one. */
	if (!x->tensor.rank)
		value.tensor.rank = 1;
	if (!rank)
		err = nn_build_reshape(&import->builder, &value.tensor, 1, (uint32_t[]){ 1 },
				       &value.tensor);
	else
		err = nn_build_reshape(&import->builder, &value.tensor, rank, dims, &value.tensor);
	value.tensor.rank = rank;
	return err ? err : onnx_define(import, 0, &value);
}

int onnx_read_ints(struct onnx_import *import, uint32_t i, const char *attr_name,
		   int64_t values[NN_MAX_RANK], uint32_t *count)
{
	const struct onnx_value *value = onnx_input(import, i);
	const Onnx__AttributeProto *attr = attr_name ? onnx_attr(import->node, attr_name) : NULL;

	*count = 0;
	if (value->kind == ONNX_ABSENT) {
		if (!attr)
			return 0;
		if (attr->n_ints > NN_MAX_RANK)
			return onnx_fail(import, -EINVAL,
					 "its attribute %s has more than %d numbers", attr_name,
					 NN_MAX_RANK);
		for (size_t k = 0; k < attr->n_ints; k++)
			values[(*count)++] = attr->ints[k];
		return 0;
	}
	if (value->kind != ONNX_CONST || value->constant.element != NN_ELEMENT_INT64)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32
				 " is not a constant of int64, nor computed of shapes: they must be known",
				 i);
	if (value->constant.count > NN_MAX_RANK)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " has more than %d numbers",
				 i, NN_MAX_RANK);
	for (uint64_t k = 0; k < value->constant.count; k++)
		values[(*count)++] = nn_const_int(&value->constant, k);
	return 0;
}

int onnx_read_shape(struct onnx_import *import, uint32_t i, int64_t wanted[NN_MAX_RANK],
		    uint32_t *count, bool *keeps_batch)
{
	const struct onnx_value *x = onnx_input(import, 0), *shape = onnx_input(import, i);

	*keeps_batch = false;
	if (shape->kind != ONNX_ROW_COUNT)
		return onnx_read_ints(import, i, NULL, wanted, count);
	if (shape->constant.element != NN_ELEMENT_INT64 || shape->constant.count > NN_MAX_RANK)
		return onnx_fail(import, -EINVAL, "its shape is no list of up to %d int64",
				 NN_MAX_RANK);
	*count = shape->constant.count;
	for (uint32_t k = 0; k < *count; k++) {
		wanted[k] = nn_const_int(&shape->constant, k);
		if (shape->batch[k] && ((k && !import->apart) || wanted[k] < 1 || wanted[k] > INT32_MAX))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its shape has %" PRId64 " times the batch as dimension %"
					 PRIu32 ONNX_KEEP_BATCH, wanted[k], k);
	}
	/* Where the batch may be elsewhere, it is a single item. */
	*keeps_batch = shape->batch[0] && !import->apart;
	if (*keeps_batch && (onnx_is_const(x) || !onnx_same_rows(import, x, shape->rows_of)))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its shape has the rows of %s, which may be others than its own",
				 onnx_quote(import, shape->rows_of->tensor.name));
	return 0;
}

/* The rows that so many elements make for each of the caller's; what does not fit is left as it is,
 * and refused. */
static uint32_t find_rows(const struct onnx_value *x, uint64_t elements, uint64_t in_one)
{
	if (!in_one || elements % in_one || elements / in_one > INT32_MAX)
		return x->tensor.dims[0];
	return nn_rows_of(elements / in_one);
}

int onnx_lower_reshape(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t wanted[NN_MAX_RANK];
	uint32_t dims[NN_MAX_RANK] = { 0 }, count;
	uint64_t elements = 1, known = 1;
	bool keeps_batch;
	int open = -1;
	int err;

	err = onnx_read_shape(import, 1, wanted, &count, &keeps_batch);
	if (err)
		return err;
	for (uint32_t i = 1; i < x->tensor.rank; i++)
		elements *= x->tensor.dims[i];
	for (uint32_t i = 0; i < count; i++) {
		int64_t dim = wanted[i];

		if (dim == 0 && onnx_attr_int(import->node, "allowzero", 0))
			return onnx_fail(import, -EOPNOTSUPP, "it makes an empty tensor");
		if (dim == -1 && open >= 0)
			return onnx_fail(import, -EINVAL, "its shape has more than one -1");
		if (dim < -1 || dim > INT32_MAX || (dim == 0 && i >= x->tensor.rank))
			return onnx_fail(import, -EINVAL, "its shape has a dimension of %" PRId64,
					 dim);
		if (dim == -1) {
			open = i;
			continue;
		}
		dims[i] = dim ? dim : x->tensor.dims[i];
		if (i == 0 && keeps_batch)
			dims[i] = nn_rows_of(dim);
		else if (i == 0 && dim == 1 && import->one_is_batch && has_batch(x))
			dims[i] = NN_ROWS;
		else if (i > 0)
			known *= dims[i];
		if (known > INT32_MAX)
			return onnx_fail(import, -EINVAL, "its shape is too large");
	}
	if (has_batch(x)) {
		elements *= nn_rows_count(x->tensor.dims[0]);
		known *= open && count && nn_is_rows(dims[0]) ? nn_rows_count(dims[0]) : 1;
	} else {
		elements = onnx_is_const(x) ? x->constant.count : elements * x->tensor.dims[0];
		known *= open && count ? dims[0] : 1;
	}
	if (open == 0 && has_batch(x))
		dims[0] = find_rows(x, elements, known);
	else if (open >= 0)
		dims[open] = known ? elements / known : 0;
	return reshape(import, count, dims);
}

/* Flattens all that is in front of the axis to one dimension, and all behind it to another one. */
static int flatten_whole(struct onnx_import *import, int64_t axis)
{
	const struct onnx_value *x = onnx_input(import, 0);
	uint64_t dims[2] = { 1, 1 };

	if (axis < 0 || axis > x->tensor.rank)
		return onnx_fail(import, -EINVAL, "it flattens at axis %" PRId64 " of %" PRIu32,
				 axis, x->tensor.rank);
	for (uint32_t i = 0; i < x->tensor.rank; i++) {
		dims[i >= axis] *= x->tensor.dims[i];
		if (dims[i >= axis] > INT32_MAX)
			return onnx_fail(import, -EOPNOTSUPP, "its output is too large");
	}
	return reshape(import, 2, (uint32_t[]){ dims[0], dims[1] });
}

int onnx_lower_flatten(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axis = onnx_attr_int(import->node, "axis", 1);
	uint64_t elements, rows = nn_rows_count(x->tensor.dims[0]);
	uint32_t dims[NN_MAX_RANK] = { 0 };
	int err;

	if (axis < 0)
		axis += x->tensor.rank;
	if (!has_batch(x))
		return flatten_whole(import, axis);
	if (axis < 1 || axis > x->tensor.rank)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it flattens at axis %" PRId64
				 ", and the batch must stay the first dimension" ONNX_KEEP_BATCH,
				 axis);
	err = nn_item_elements(&import->builder, x->tensor.rank, x->tensor.dims, &elements);
	if (err)
		return err;
	for (uint32_t i = 1; i < axis; i++)
		rows *= x->tensor.dims[i];
	dims[0] = find_rows(x, rows, 1);
	dims[1] = elements * nn_rows_count(x->tensor.dims[0]) / nn_rows_count(dims[0]);
	return reshape(import, 2, dims);
}

int onnx_lower_squeeze(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axes[NN_MAX_RANK];
	uint32_t dims[NN_MAX_RANK] = { 0 }, count, rank = 0;
	int err;

	err = onnx_read_ints(import, 1, "axes", axes, &count);
	if (err)
		return err;
	for (uint32_t k = 0; k < count; k++) {
		if (axes[k] < -(int64_t)x->tensor.rank || axes[k] >= x->tensor.rank)
			return onnx_fail(import, -EINVAL,
					 "it drops dimension %" PRId64 " of %" PRIu32, axes[k],
					 x->tensor.rank);
	}
	for (uint32_t i = 0; i < x->tensor.rank; i++) {
		bool is_batch = i == 0 && has_batch(x);
		bool drop = !count && (x->tensor.dims[i] == 1 || is_batch);

		for (uint32_t k = 0; k < count; k++)
			drop |= axes[k] == i || axes[k] == (int64_t)i - x->tensor.rank;
		if (drop && is_batch && !count)
			return onnx_fail(
				import, -EOPNOTSUPP,
				"without axes it drops the batch, too, where that is one item");
		if (drop && (is_batch || x->tensor.dims[i] != 1))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it drops dimension %" PRIu32 ", which is %s", i,
					 is_batch ? "the batch" : "not 1");
		if (!drop)
			dims[rank++] = x->tensor.dims[i];
	}
	return reshape(import, rank, dims);
}

int onnx_lower_unsqueeze(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axes[NN_MAX_RANK];
	uint32_t dims[NN_MAX_RANK] = { 0 }, count, rank, from = 0;
	int err;

	err = onnx_read_ints(import, 1, "axes", axes, &count);
	if (err)
		return err;
	if (x->rowless) {
		if (count != 1 || (axes[0] != 0 && axes[0] != -(int64_t)x->tensor.rank))
			return onnx_fail(import, -EOPNOTSUPP,
					 "a row that a Loop takes must get its dimension 0 back");
		return onnx_define(import, 0, x);
	}
	rank = x->tensor.rank + count;
	if (rank > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP, "it makes a tensor of %" PRIu32 " dimensions",
				 rank);
	for (uint32_t i = 0; i < rank; i++) {
		bool added = false;

		for (uint32_t k = 0; k < count; k++)
			added |= axes[k] == i || axes[k] == (int64_t)i - rank;
		if (added && i == 0 && has_batch(x))
			return onnx_fail(
				import, -EOPNOTSUPP,
				"it adds a dimension in front of the batch" ONNX_KEEP_BATCH);
		if (!added && from == x->tensor.rank)
			return onnx_fail(import, -EINVAL,
					 "its axes are not different ones of %" PRIu32, rank);
		dims[i] = added ? 1 : x->tensor.dims[from++];
	}
	return reshape(import, rank, dims);
}

static int transpose_const(struct onnx_import *import, const struct onnx_value *x,
			   const uint32_t *perm)
{
	struct onnx_value value = *x;
	bool same = true;
	int err = 0;

	for (uint32_t i = 0; i < x->tensor.rank; i++) {
		same &= perm[i] == i;
		if (perm[i] == x->tensor.quant.axis)
			value.tensor.quant.axis = i;
	}
	if (x->repeated_for && perm[0])
		return onnx_fail(import, -EOPNOTSUPP,
				 "it moves the first dimension, which is the batch" ONNX_KEEP_BATCH);
	if (!same)
		err = nn_const_transpose(&import->builder, &x->constant, perm, &value.constant);
	if (err)
		return err;
	memcpy(value.tensor.dims, value.constant.dims, sizeof(value.tensor.dims));
	err = onnx_define(import, 0, &value);
	return err ? err : onnx_repeat(import, x->repeated_for);
}

int onnx_lower_transpose(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "perm");
	uint32_t perm[NN_MAX_RANK], seen = 0, rank = x->tensor.rank;
	struct onnx_value value;
	int err;

	if (attr && attr->n_ints != rank)
		return onnx_fail(import, -EINVAL,
				 "its perm has %zu numbers for %" PRIu32 " dimensions",
				 attr->n_ints, rank);
	for (uint32_t i = 0; i < rank; i++) {
		int64_t from = attr ? attr->ints[i] : rank - 1 - i;

		if (from < 0 || from >= rank || seen & 1u << from)
			return onnx_fail(import, -EINVAL, "its perm is no permutation");
		seen |= 1u << from;
		perm[i] = from;
	}
	if (onnx_is_const(x))
		return transpose_const(import, x, perm);
	x = onnx_movable_input(import, 0);
	if (!x)
		return onnx_failed(import);
	if (perm[0] != 0 && has_batch(x))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it moves the first dimension, which is the batch" ONNX_KEEP_BATCH);
	value = *x;
	err = nn_build_transpose(&import->builder, &x->tensor, perm, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Concat ---- */

/* The first operand that is a tensor; NULL: none. */
static const struct onnx_value *first_tensor(const struct onnx_pending *pending)
{
	for (uint32_t i = 0; i < pending->operand_count; i++) {
		if (!onnx_is_const(pending->operands[i]))
			return pending->operands[i];
	}
	return NULL;
}

int onnx_repeat_operand(struct onnx_import *import, const struct nn_operand *constant,
			const struct nn_build_tensor *part, struct nn_build_tensor *out)
{
	struct nn_operand operands[3] = { { 0 }, { .tensor = part }, *constant };
	int err = nn_number_operand(&import->builder, 0, &nn_quant_truth, &operands[0]);

	return err ? err : nn_build_broadcast(&import->builder, "Select", operands, 3, NULL, 0,
					      constant->constant.quant, out);
}

/* A constant, quantized as the tensors are, for each of their rows. */
static int repeat_rows(struct onnx_import *import, const struct nn_operand *constant,
		       const struct nn_build_tensor *like, uint32_t axis,
		       struct nn_build_tensor *out)
{
	struct nn_build_tensor part;
	int err = nn_build_slice(&import->builder, like, axis, 0, 1, &part);

	return err ? err : onnx_repeat_operand(import, constant, &part, out);
}

/* The same where the constant is for each item, with rows of its own: one row in front of these. */
static int repeat_items(struct onnx_import *import, const struct nn_operand *constant,
			const struct nn_build_tensor *like, uint32_t axis,
			struct nn_build_tensor *out)
{
	struct nn_const values = *constant->constant.values;
	uint32_t dims[NN_MAX_RANK] = { 1 };
	struct nn_operand lifted = *constant;
	struct nn_build_tensor item;
	int err = nn_build_lift(&import->builder, like, &item);

	if (err)
		return err;
	memcpy(dims + 1, values.dims, values.rank * sizeof(*dims));
	nn_const_reshape(&values, values.rank + 1, dims);
	lifted.constant.values = &values;
	err = repeat_rows(import, &lifted, &item, axis + 1, out);
	return err ? err : nn_build_lower(&import->builder, out, out);
}

/* A constant part as a tensor, with as many rows as `like`, which is one of the others. */
int onnx_build_part(struct onnx_import *import, const struct nn_operand *constant,
		    const struct nn_build_tensor *like, uint32_t axis,
		    struct nn_build_tensor *out)
{
	const struct nn_const *values = constant->constant.values;
	int err;

	if (nn_is_rows(like->dims[0]))
		return repeat_rows(import, constant, like, axis, out);
	if (import->builder.each_item)
		return repeat_items(import, constant, like, axis, out);
	err = nn_build_operand(&import->builder, constant, values->rank, NN_LAYOUT_PLAIN, out);
	if (err)
		return err;
	out->name = constant->constant.name;
	out->layout = NN_LAYOUT_PLAIN;
	out->rank = values->rank;
	memcpy(out->dims, values->dims, sizeof(out->dims));
	out->quant = *constant->constant.quant;
	return 0;
}

static int emit_concat(struct onnx_import *import, const struct onnx_pending *pending,
		       const struct nn_quant *quant, const char *activation,
		       struct nn_build_tensor *out)
{
	struct nn_build_tensor *parts = onnx_alloc(import, pending->operand_count, sizeof(*parts));
	const struct nn_build_tensor *like = NULL;
	struct nn_operand operand;
	int err = 0;

	(void)activation;
	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < pending->operand_count && !err; i++) {
		if (onnx_is_const(pending->operands[i]))
			continue;
		err = onnx_settle(import, pending->operands[i], quant, &parts[i]);
		like = like ? like : &parts[i];
	}
	for (uint32_t i = 0; i < pending->operand_count && !err; i++) {
		if (!onnx_is_const(pending->operands[i]))
			continue;
		err = onnx_settle_choice(import, pending->operands[i], quant, &parts[i], &operand);
		if (!err)
			err = onnx_build_part(import, &operand, like, pending->axis, &parts[i]);
	}
	return err ? err : nn_build_concat(&import->builder, parts, pending->operand_count,
					   pending->axis, out);
}

/* The same of integers, which are as they are. */
static int concat_integers(struct onnx_import *import, const struct onnx_pending *pending)
{
	struct nn_build_tensor *parts = onnx_alloc(import, pending->operand_count, sizeof(*parts));
	const struct nn_build_tensor *like = &first_tensor(pending)->tensor;
	struct nn_operand operand;
	struct nn_build_tensor made;
	int err = 0;

	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < pending->operand_count && !err; i++) {
		parts[i] = pending->operands[i]->tensor;
		if (!onnx_is_const(pending->operands[i]))
			continue;
		onnx_stored_operand(import, pending->operands[i], &operand);
		operand.constant.quant = &like->quant;
		err = onnx_build_part(import, &operand, like, pending->axis, &parts[i]);
	}
	if (!err)
		err = nn_build_concat(&import->builder, parts, pending->operand_count,
				      pending->axis, &made);
	return err ? err : onnx_define_stored(import, &made);
}

/* An operand of a Concat: what moves, or a constant beside it. */
static const struct onnx_value *concat_operand(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);

	if (value->kind == ONNX_REAL_CONST ||
	    (value->kind == ONNX_CONST && value->constant.element == NN_ELEMENT_FLOAT))
		return onnx_choice_input(import, i);
	return value->kind == ONNX_CONST ? value : onnx_movable_input(import, i);
}

/* Whether a constant goes with the first tensor: both are of integers of one type, or of reals. */
static bool goes_with(const struct onnx_value *value, const struct onnx_value *tensor)
{
	if (!onnx_is_const(value))
		return value->kind == tensor->kind;
	if (value->kind == ONNX_CONST && value->constant.element != NN_ELEMENT_FLOAT)
		return tensor->kind == ONNX_STORED &&
		       nn_element_to_type(value->constant.element) == tensor->tensor.quant.type;
	return tensor->kind == ONNX_REAL;
}

/* The shape of a part; a constant has one row for each that there is, as the model for one item
 * says, or one that repeats it. */
static struct nn_build_tensor part_of(const struct onnx_import *import,
				      const struct onnx_value *value,
				      const struct onnx_value *tensor)
{
	struct nn_build_tensor part = value->tensor;
	bool is_repeated = value->repeated_for &&
			   onnx_same_rows(import, value->repeated_for, tensor);

	if (onnx_is_const(value) && (import->one_is_batch || is_repeated) && part.rank &&
	    part.dims[0] == 1)
		part.dims[0] = nn_is_rows(tensor->tensor.dims[0]) ? NN_ROWS : 1;
	return part;
}

/* Operands, and the shape that comes of them. `like`: the first that is a tensor. */
static int begin_concat(struct onnx_import *import, struct onnx_pending *pending, int64_t axis,
			const struct onnx_value **like)
{
	uint32_t count = pending->operand_count;
	struct nn_build_tensor *parts = onnx_alloc(import, count, sizeof(*parts));

	*like = first_tensor(pending);
	if (!parts)
		return -ENOMEM;
	if (!*like)
		return onnx_fail(import, -EOPNOTSUPP, "its inputs are constants");
	for (uint32_t i = 0; i < count; i++) {
		const struct onnx_value *value = pending->operands[i];

		if (value->tensor.rank != (*like)->tensor.rank || !goes_with(value, *like))
			return onnx_fail(import, -EINVAL,
					 "its inputs have different ranks or types");
		if (onnx_is_const(value) && !value->constant.count)
			return onnx_fail(import, -EOPNOTSUPP, "its constant %s has no elements",
					 onnx_quote(import, value->tensor.name));
		if (onnx_is_const(value) && (*like)->unrounded)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it adds a constant to a float input of the model, which "
					 "is not quantized" ONNX_QUANTIZE_INPUT);
		parts[i] = part_of(import, value, *like);
	}
	pending->rank = parts[0].rank;
	return nn_concat_shape(&import->builder, parts, count, axis, &pending->axis,
			       pending->dims);
}

/* Whether all parts are quantized alike, so that they are moved and not rounded. */
static bool are_alike(const struct onnx_pending *pending)
{
	for (uint32_t i = 0; i < pending->operand_count; i++) {
		if (onnx_is_const(pending->operands[i]) ||
		    !nn_quant_equal(&pending->operands[i]->tensor.quant,
				    &pending->operands[0]->tensor.quant))
			return false;
	}
	return true;
}

static bool are_integers(const struct onnx_pending *pending)
{
	const struct onnx_value *like = first_tensor(pending);

	for (uint32_t i = 0; i < pending->operand_count; i++) {
		const struct onnx_value *value = pending->operands[i];

		if (value->kind == ONNX_STORED &&
		    !nn_quant_equal(&value->tensor.quant, &like->tensor.quant))
			return false;
	}
	return like->kind == ONNX_STORED;
}

int onnx_lower_concat(struct onnx_import *import)
{
	struct onnx_pending *pending =
		onnx_new_pending(import, emit_concat, import->node->n_input);
	uint32_t count = import->node->n_input;
	const struct onnx_value *like;
	struct nn_build_tensor *parts;
	struct onnx_value value;
	int err;

	if (!pending)
		return -ENOMEM;
	if (!count)
		return onnx_fail(import, -EINVAL, "it has no inputs");
	for (uint32_t i = 0; i < count; i++) {
		pending->operands[i] = concat_operand(import, i);
		if (!pending->operands[i])
			return onnx_failed(import);
	}
	err = begin_concat(import, pending, onnx_attr_int(import->node, "axis", 1), &like);
	if (err)
		return err;
	if (are_integers(pending))
		return concat_integers(import, pending);
	if (like->kind == ONNX_STORED)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its inputs are integers of different scales");
	value = *like;
	for (uint32_t i = 0; i < count; i++) {
		value.promised |= pending->operands[i]->promised;
		value.unrounded |= pending->operands[i]->unrounded;
	}
	if (!are_alike(pending)) {
		memcpy(value.tensor.dims, pending->dims, sizeof(pending->dims));
		value.kind = ONNX_PENDING;
		value.pending = pending;
		return onnx_define(import, 0, &value);
	}
	parts = onnx_alloc(import, count, sizeof(*parts));
	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		parts[i] = pending->operands[i]->tensor;
	err = nn_build_concat(&import->builder, parts, count, pending->axis, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* Scale and zero point of the output come first, then operands with theirs. */
int onnx_lower_qlinear_concat(struct onnx_import *import)
{
	uint32_t count = (import->node->n_input - 2) / 3;
	struct onnx_pending *pending = onnx_new_pending(import, emit_concat, count);
	const struct onnx_value *like;

	if (!pending)
		return -ENOMEM;
	if (!count || import->node->n_input != 2 + 3 * count)
		return onnx_fail(import, -EINVAL, "it has %zu inputs, not 2 and 3 for each operand",
				 import->node->n_input);
	for (uint32_t i = 0; i < count; i++) {
		const struct onnx_value *x = onnx_linear_input(import, 2 + 3 * i, 0);

		if (!x)
			return onnx_failed(import);
		pending->operands[i] = x;
		if (onnx_is_const(x) && x->tensor.quant.scales)
			return onnx_fail(import, -EOPNOTSUPP,
					 "an operand has one scale for each index of a dimension");
	}
	if (begin_concat(import, pending, onnx_attr_int(import->node, "axis", 0), &like))
		return onnx_failed(import);
	return onnx_define_linear(import, pending, 0, 0);
}
