// SPDX-License-Identifier: MIT
/*
 * ONNX operators that only move, quantize or clamp elements, and the table of all of them. Those
 * that compute are in compute.c.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "onnx.h"

int onnx_define(struct onnx_import *import, uint32_t i, const struct onnx_value *like)
{
	struct onnx_value *value = onnx_output(import, i);

	if (!value)
		return 0; /* an output that the model does not name is wanted by nobody */
	value->kind = like->kind;
	value->rank = like->rank;
	memcpy(value->dims, like->dims, sizeof(value->dims));
	value->constant = like->constant;
	value->quant = like->quant;
	value->stored = like->stored;
	value->pending = like->pending;
	value->unrounded = like->unrounded;
	value->rows_of = like->rows_of;
	return 0;
}

/* ---- Constants ---- */

static int define_const(struct onnx_import *import, const struct onnx_const *constant)
{
	struct onnx_value value = { .kind = ONNX_CONST,
				    .rank = constant->rank,
				    .constant = *constant };

	memcpy(value.dims, constant->dims, sizeof(value.dims));
	return onnx_define(import, 0, &value);
}

static int lower_constant(struct onnx_import *import)
{
	const Onnx__NodeProto *node = import->node;
	const Onnx__AttributeProto *attr = node->n_attribute == 1 ? node->attribute[0] : NULL;
	const char *name = attr && attr->name ? attr->name : "";
	struct onnx_const constant = { .count = 1 };
	int err;

	if (!strcmp(name, "value") && attr->t) {
		err = onnx_const_read(import, attr->t, &constant);
		return err ? err : define_const(import, &constant);
	}
	if (!strcmp(name, "value_float")) {
		constant.type = ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
		constant.data = &attr->f;
	} else if (!strcmp(name, "value_int")) {
		constant.type = ONNX__TENSOR_PROTO__DATA_TYPE__INT64;
		constant.data = &attr->i;
	} else if (!strcmp(name, "value_floats")) {
		constant = (struct onnx_const) { ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT,
						1,
						{ attr->n_floats },
						attr->n_floats,
						attr->floats };
	} else if (!strcmp(name, "value_ints")) {
		constant = (struct onnx_const) { ONNX__TENSOR_PROTO__DATA_TYPE__INT64,
						1,
						{ attr->n_ints },
						attr->n_ints,
						attr->ints };
	} else {
		return onnx_fail(import, -EOPNOTSUPP, "it is no constant that nnloop knows");
	}
	return define_const(import, &constant);
}

/* ---- Quantize, dequantize ---- */

/* Weights that the model quantizes itself, as QuantizeLinear is defined. */
static int quantize_const(struct onnx_import *import, const struct onnx_const *from,
			  const struct onnx_quant *quant)
{
	struct onnx_const to = *from;
	uint64_t inner = 1;
	int32_t min, max;
	int8_t *data;

	if (from->type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT ||
	    (quant->type != NN_INT8 && quant->type != NN_UINT8))
		return onnx_fail(import, -EOPNOTSUPP, "it quantizes a constant from %s to %s",
				 onnx_type_name(from->type), nn_data_type_name(quant->type));
	data = onnx_alloc(import, from->count, 1);
	if (!data)
		return -ENOMEM;
	for (uint32_t i = quant->axis + 1; quant->scales && i < from->rank; i++)
		inner *= from->dims[i];
	nn_type_range(quant->type, &min, &max);
	for (uint64_t i = 0; i < from->count; i++) {
		uint64_t index = quant->scales ? i / inner % from->dims[quant->axis] : 0;
		float scale = quant->scales ? quant->scales[index] : quant->scale;
		int32_t zero = quant->zero_point;
		float value;

		if (quant->zero_points)
			zero = onnx_const_int(quant->zero_points,
					      quant->zero_points->count == 1 ? 0 : index);
		value = nearbyintf(onnx_const_float(from, i) / scale) + zero;
		data[i] = (int32_t)fminf(fmaxf(value, min), max);
	}
	to.type = quant->type == NN_INT8 ? ONNX__TENSOR_PROTO__DATA_TYPE__INT8 :
					   ONNX__TENSOR_PROTO__DATA_TYPE__UINT8;
	to.data = data;
	return define_const(import, &to);
}

static int lower_quantize(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_value value = { .kind = ONNX_STORED, .rank = x->rank };
	struct onnx_quant quant;
	int err;

	err = onnx_quant_read(import, onnx_input(import, 1), onnx_input(import, 2), 0,
			      onnx_attr_int(import->node, "axis", 1), x->rank, x->dims, &quant);
	if (err)
		return err;
	if (x->kind == ONNX_CONST)
		return quantize_const(import, &x->constant, &quant);
	if (x->kind != ONNX_PENDING && x->kind != ONNX_REAL)
		return onnx_fail(import, -EINVAL, "its input is no real tensor");
	memcpy(value.dims, x->dims, sizeof(value.dims));
	err = onnx_settle(import, x, &quant, &value.stored);
	return err ? err : onnx_define(import, 0, &value);
}

static int lower_dequantize(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_value value = *x;
	enum nn_data_type type = x->kind == ONNX_CONST ? onnx_to_nn_type(x->constant.type) :
							 x->stored.quant.type;
	int err;

	if (x->kind != ONNX_CONST && x->kind != ONNX_STORED)
		return onnx_fail(import, -EINVAL, "its input is no integer tensor");
	if (!type)
		return onnx_fail(import, -EOPNOTSUPP, "it dequantizes %s",
				 onnx_type_name(x->constant.type));
	err = onnx_quant_read(import, onnx_input(import, 1), onnx_input(import, 2), type,
			      onnx_attr_int(import->node, "axis", 1), x->rank, x->dims,
			      &value.quant);
	if (err)
		return err;
	if (x->kind == ONNX_CONST) {
		value.kind = ONNX_REAL_CONST;
		return onnx_define(import, 0, &value);
	}
	if (!onnx_quant_equal(&value.quant, &x->stored.quant))
		return onnx_fail(
			import, -EOPNOTSUPP,
			"it dequantizes with another scale or zero point than its input was quantized with");
	value.kind = ONNX_REAL;
	return onnx_define(import, 0, &value);
}

int onnx_find_quant(struct onnx_import *import, const struct onnx_value *value, bool stored,
		    enum nn_data_type type, struct onnx_quant *quant)
{
	const struct onnx_value *start = value;

	for (int hops = 0; value && hops < 64; hops++) {
		const struct onnx_value *next = NULL;

		for (uint32_t i = 0; i < value->user_count; i++) {
			const Onnx__NodeProto *user = import->steps[value->users[i]].node;
			const char *op = user->op_type;
			bool found = !strcmp(op, stored ? "DequantizeLinear" : "QuantizeLinear");

			if (!user->n_input || strcmp(user->input[0], value->name))
				continue;
			if (stored && !strncmp(op, "QLinear", 7) && strcmp(op, "QLinearConcat"))
				found = true;
			if (found && user->n_input >= 2) {
				struct onnx_value *scale = onnx_find(import, user->input[1]);
				struct onnx_value *zero =
					user->n_input > 2 ? onnx_find(import, user->input[2]) :
							    NULL;

				return onnx_quant_read(import, scale ? scale : &import->absent,
						       zero ? zero : &import->absent, type, 0, 0,
						       NULL, quant);
			}
			if (!next && user->n_output &&
			    (onnx_only_moves(user) || !strcmp(op, "Relu") || !strcmp(op, "Clip")))
				next = onnx_find(import, user->output[0]);
		}
		value = next;
	}
	*quant = (struct onnx_quant) { .type = type };
	if (stored)
		return 0;
	return onnx_fail(
		import, -EOPNOTSUPP,
		"%s is computed in float, and no QuantizeLinear follows; only quantized models can be run",
		onnx_quote(import, start->name));
}

const struct onnx_value *onnx_movable_input(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);
	struct onnx_value *settled;
	struct onnx_quant quant;

	if (value->kind == ONNX_STORED || value->kind == ONNX_REAL)
		return value;
	if (value->kind != ONNX_PENDING) {
		onnx_fail(import, -EOPNOTSUPP, "its input %" PRIu32 " is %s", i,
			  value->kind == ONNX_ABSENT ? "absent" :
			  value->kind == ONNX_ROW_COUNT || value->kind == ONNX_ITERATION ?
						       "a number of a loop's" :
						       "a constant");
		return NULL;
	}
	if (onnx_find_quant(import, value, false, 0, &quant))
		return NULL;
	settled = onnx_alloc(import, 1, sizeof(*settled));
	if (!settled)
		return NULL;
	*settled = *value;
	if (onnx_settle(import, value, &quant, &settled->stored))
		return NULL;
	settled->kind = ONNX_REAL;
	return settled;
}

/* ---- Shapes ---- */

static int lower_identity(struct onnx_import *import)
{
	return onnx_define(import, 0, onnx_input(import, 0));
}

/* The current node's output is its input with other dimensions. */
static int reshape(struct onnx_import *import, uint32_t rank, const uint32_t *dims)
{
	const struct onnx_value *x = onnx_input(import, 0);
	uint64_t had, gets;
	struct onnx_value value;
	struct onnx_stored plain;
	int err;

	if (x->kind == ONNX_CONST || x->kind == ONNX_REAL_CONST) {
		value = *x;
		value.rank = value.constant.rank = rank;
		memcpy(value.dims, dims, sizeof(value.dims));
		memcpy(value.constant.dims, dims, sizeof(value.dims));
		if (x->quant.scales && x->kind == ONNX_REAL_CONST)
			return onnx_fail(
				import, -EOPNOTSUPP,
				"it reshapes a constant with one scale per index of an axis");
		return onnx_define(import, 0, &value);
	}
	x = onnx_movable_input(import, 0);
	if (!x)
		return onnx_failed(import);
	value = *x;
	value.rank = rank;
	memcpy(value.dims, dims, sizeof(value.dims));
	err = onnx_item_elements(import, x->rank, x->dims, &had);
	if (!err)
		err = onnx_item_elements(import, rank, dims, &gets);
	if (err)
		return err;
	if (had != gets || x->dims[0] != dims[0])
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes items of %" PRIu64 " elements out of items of %" PRIu64
				 "; the first dimension is the batch and must stay as it is",
				 gets, had);
	if (rank == x->rank && !memcmp(dims, x->dims, rank * sizeof(*dims)))
		return onnx_define(import, 0, &value);
	if (x->stored.layout == ONNX_NHWC && rank == 2) {
		value.stored.layout = ONNX_FLAT_NHWC;
		value.stored.channels = x->dims[1];
		value.stored.height = x->dims[2];
		value.stored.width = x->dims[3];
		return onnx_define(import, 0, &value);
	}
	if (x->stored.layout == ONNX_FLAT_NHWC && rank == 4 && dims[1] == x->stored.channels &&
	    dims[2] == x->stored.height && dims[3] == x->stored.width) {
		value.stored.layout = ONNX_NHWC;
		return onnx_define(import, 0, &value);
	}
	err = onnx_in_layout(import, x, ONNX_PLAIN, &plain);
	if (!err)
		err = onnx_append_reshape(import, &plain, rank, dims, &value.stored);
	return err ? err : onnx_define(import, 0, &value);
}

/* Constant integers: input i, or before opset 13 an attribute. */
static int read_ints(struct onnx_import *import, uint32_t i, const char *attr_name, int64_t *values,
		     uint32_t *count)
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
	if (value->kind != ONNX_CONST ||
	    value->constant.type != ONNX__TENSOR_PROTO__DATA_TYPE__INT64)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32
				 " is not a constant of int64: shapes must be known",
				 i);
	if (value->constant.count > NN_MAX_RANK)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " has more than %d numbers",
				 i, NN_MAX_RANK);
	for (uint64_t k = 0; k < value->constant.count; k++)
		values[(*count)++] = onnx_const_int(&value->constant, k);
	return 0;
}

static int lower_reshape(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t wanted[NN_MAX_RANK];
	uint32_t dims[NN_MAX_RANK] = { 0 }, count;
	uint64_t elements = 1, known = 1;
	int open = -1;
	int err;

	err = read_ints(import, 1, "shape", wanted, &count);
	if (err)
		return err;
	if (!count)
		return onnx_fail(import, -EOPNOTSUPP, "it makes a tensor without dimensions");
	for (uint32_t i = 1; i < x->rank; i++)
		elements *= x->dims[i];
	for (uint32_t i = 0; i < count; i++) {
		int64_t dim = wanted[i];

		if (dim == 0 && onnx_attr_int(import->node, "allowzero", 0))
			return onnx_fail(import, -EOPNOTSUPP, "it makes an empty tensor");
		if (dim == -1 && open >= 0)
			return onnx_fail(import, -EINVAL, "its shape has more than one -1");
		if (dim < -1 || dim > INT32_MAX || (dim == 0 && i >= x->rank))
			return onnx_fail(import, -EINVAL, "its shape has a dimension of %" PRId64,
					 dim);
		if (dim == -1) {
			open = i;
			continue;
		}
		dims[i] = dim ? dim : x->dims[i];
		if (i == 0 && dim == 1 && import->one_is_batch)
			dims[i] = ONNX_ROWS;
		else if (i > 0)
			known *= dims[i];
		if (known > INT32_MAX)
			return onnx_fail(import, -EINVAL, "its shape is too large");
	}
	if (x->kind == ONNX_CONST || x->kind == ONNX_REAL_CONST) {
		elements = x->constant.count;
		known *= open ? dims[0] : 1;
	}
	if (open == 0 && x->kind != ONNX_CONST && x->kind != ONNX_REAL_CONST)
		dims[0] = x->dims[0];
	else if (open >= 0)
		dims[open] = known ? elements / known : 0;
	return reshape(import, count, dims);
}

static int lower_flatten(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axis = onnx_attr_int(import->node, "axis", 1);
	uint32_t dims[NN_MAX_RANK] = { x->dims[0], 1 };
	uint64_t elements;
	int err;

	if (axis != 1 && axis + (int64_t)x->rank != 1)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it flattens at axis %" PRId64
				 "; the batch must stay as it is (axis 1)",
				 axis);
	err = onnx_item_elements(import, x->rank, x->dims, &elements);
	dims[1] = elements;
	return err ? err : reshape(import, 2, dims);
}

static int lower_squeeze(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axes[NN_MAX_RANK];
	uint32_t dims[NN_MAX_RANK] = { 0 }, count, rank = 0;
	int err;

	err = read_ints(import, 1, "axes", axes, &count);
	if (err)
		return err;
	for (uint32_t i = 0; i < x->rank; i++) {
		bool drop = !count && i > 0 && x->dims[i] == 1;

		for (uint32_t k = 0; k < count; k++)
			drop |= axes[k] == i || axes[k] + (int64_t)x->rank == i;
		if (drop && (i == 0 || x->dims[i] != 1))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it drops dimension %" PRIu32 ", which is %s", i,
					 i ? "not 1" : "the batch");
		if (!drop)
			dims[rank++] = x->dims[i];
	}
	return reshape(import, rank, dims);
}

static int lower_unsqueeze(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	int64_t axes[NN_MAX_RANK];
	uint32_t dims[NN_MAX_RANK] = { 0 }, count, rank, from = 0;
	int err;

	err = read_ints(import, 1, "axes", axes, &count);
	if (err)
		return err;
	if (x->rowless) {
		if (count != 1 || (axes[0] != 0 && axes[0] + (int64_t)x->rank != 0))
			return onnx_fail(import, -EOPNOTSUPP,
					 "a row that a Loop takes must get its dimension 0 back");
		return onnx_define(import, 0, x);
	}
	rank = x->rank + count;
	if (rank > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP, "it makes a tensor of %" PRIu32 " dimensions",
				 rank);
	for (uint32_t i = 0; i < rank; i++) {
		bool added = false;

		for (uint32_t k = 0; k < count; k++)
			added |= axes[k] == i || axes[k] + (int64_t)rank == i;
		if (!added && from == x->rank)
			return onnx_fail(import, -EINVAL,
					 "its axes are not different ones of %" PRIu32, rank);
		dims[i] = added ? 1 : x->dims[from++];
	}
	return reshape(import, rank, dims);
}

static int transpose_const(struct onnx_import *import, const struct onnx_value *x,
			   const uint32_t *perm)
{
	struct onnx_value value = *x;
	uint64_t rows, columns;
	uint32_t size;
	uint8_t *data;

	if (x->rank != 2)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it transposes a constant of %" PRIu32 " dimensions", x->rank);
	if (perm[0] == 0)
		return onnx_define(import, 0, x);
	rows = x->dims[0];
	columns = x->dims[1];
	size = x->constant.type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ?
		       8 :
		       nn_data_type_size(onnx_to_nn_type(x->constant.type));
	data = onnx_alloc(import, x->constant.count, size);
	if (!data)
		return -ENOMEM;
	for (uint64_t row = 0; row < rows; row++) {
		for (uint64_t column = 0; column < columns; column++)
			memcpy(data + (column * rows + row) * size,
			       (const uint8_t *)x->constant.data + (row * columns + column) * size,
			       size);
	}
	value.constant.data = data;
	value.dims[0] = value.constant.dims[0] = columns;
	value.dims[1] = value.constant.dims[1] = rows;
	value.quant.axis = !x->quant.axis;
	return onnx_define(import, 0, &value);
}

static int lower_transpose(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "perm");
	uint32_t perm[NN_MAX_RANK], seen = 0;
	int64_t stored_perm[NN_MAX_RANK];
	enum onnx_layout layout;
	struct onnx_stored input;
	struct onnx_value value;
	bool same = true;
	int err;

	if (attr && attr->n_ints != x->rank)
		return onnx_fail(import, -EINVAL,
				 "its perm has %zu numbers for %" PRIu32 " dimensions",
				 attr->n_ints, x->rank);
	for (uint32_t i = 0; i < x->rank; i++) {
		int64_t from = attr ? attr->ints[i] : x->rank - 1 - i;

		if (from < 0 || from >= x->rank || seen & 1u << from)
			return onnx_fail(import, -EINVAL, "its perm is no permutation");
		seen |= 1u << from;
		perm[i] = from;
	}
	if (x->kind == ONNX_CONST || x->kind == ONNX_REAL_CONST)
		return transpose_const(import, x, perm);
	x = onnx_movable_input(import, 0);
	if (!x)
		return onnx_failed(import);
	if (perm[0] != 0)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it moves the first dimension, which is the batch");
	value = *x;
	for (uint32_t i = 0; i < x->rank; i++)
		value.dims[i] = x->dims[perm[i]];
	layout = x->stored.layout;
	/* From N, H, W, C as the model has it: the tensor is already what nnloop wants of an image.
	 */
	if (layout == ONNX_PLAIN && x->rank == 4 && perm[1] == 3 && perm[2] == 1 && perm[3] == 2) {
		value.stored.layout = ONNX_NHWC;
		return onnx_define(import, 0, &value);
	}
	if (layout == ONNX_FLAT_NHWC) {
		err = onnx_in_layout(import, x, ONNX_PLAIN, &input);
		layout = ONNX_PLAIN;
	} else {
		err = onnx_in_layout(import, x, layout, &input);
	}
	if (err)
		return err;
	for (uint32_t i = 0; i < x->rank; i++) {
		stored_perm[i] = onnx_layout_axis(layout, perm[i]);
		same &= stored_perm[i] == i;
	}
	if (same) {
		value.stored = input;
	} else {
		struct nn_attr perm_attr = {
			.name = "perm", .type = NN_ATTR_INTS, .count = x->rank, .ints = stored_perm
		};

		err = onnx_append(import, "Transpose", &input, 1, &perm_attr, 1, &input.quant,
				  &value.stored);
	}
	value.stored.layout = ONNX_PLAIN;
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Clamps ---- */

static int emit_nothing(struct onnx_import *import, const struct onnx_value *value,
			const struct onnx_quant *quant, const char *activation,
			struct onnx_stored *out)
{
	(void)activation;
	return onnx_settle(import, value->pending->operands[0], quant, out);
}

/* The input, clamped in its real range. */
static int clamp(struct onnx_import *import, float low, float high)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_pending *pending = onnx_alloc(import, 1, sizeof(*pending));
	struct onnx_value value = *x;

	if (!pending)
		return -ENOMEM;
	if (!(low <= high))
		return onnx_fail(import, -EINVAL, "it clamps to nothing: %g to %g", (double)low,
				 (double)high);
	if (x->kind == ONNX_PENDING) {
		*pending = *x->pending;
	} else if (x->kind == ONNX_REAL && !x->unrounded) {
		*pending = (struct onnx_pending) { .emit = emit_nothing,
						  .node = import->node,
						  .low = -INFINITY,
						  .high = INFINITY };
		pending->operands = onnx_alloc(import, 1, sizeof(*pending->operands));
		if (!pending->operands)
			return -ENOMEM;
		pending->operands[0] = x;
		pending->operand_count = 1;
	} else {
		return onnx_fail(import, -EOPNOTSUPP, "its input is not quantized");
	}
	pending->low = fminf(fmaxf(pending->low, low), high);
	pending->high = fminf(fmaxf(pending->high, low), high);
	value.kind = ONNX_PENDING;
	value.pending = pending;
	return onnx_define(import, 0, &value);
}

static int lower_relu(struct onnx_import *import)
{
	return clamp(import, 0, INFINITY);
}

static int lower_clip(struct onnx_import *import)
{
	float bounds[2] = { onnx_attr_float(import->node, "min", -INFINITY),
			    onnx_attr_float(import->node, "max", INFINITY) };

	for (uint32_t i = 0; i < 2; i++) {
		const struct onnx_value *bound = onnx_input(import, i + 1);

		if (bound->kind == ONNX_ABSENT)
			continue;
		if (bound->kind == ONNX_REAL_CONST && bound->constant.count == 1 &&
		    !bound->quant.scales)
			bounds[i] =
				(onnx_const_int(&bound->constant, 0) - bound->quant.zero_point) *
				bound->quant.scale;
		else if (bound->kind == ONNX_CONST && bound->constant.count == 1 &&
			 bound->constant.type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT)
			bounds[i] = onnx_const_float(&bound->constant, 0);
		else
			return onnx_fail(import, -EOPNOTSUPP, "its bounds are no constants");
	}
	return clamp(import, bounds[0], bounds[1]);
}

/* ---- Max pool, Concat ---- */

static int lower_max_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	struct onnx_pending window = { 0 };
	struct onnx_value value;
	struct onnx_stored input;
	int err;

	if (!x)
		return onnx_failed(import);
	if (import->node->n_output > 1 && *import->node->output[1])
		return onnx_fail(import, -EOPNOTSUPP,
				 "its second output, the indices, is not supported");
	value = *x;
	err = onnx_read_window(import, x, NULL, &window, value.dims);
	if (!err)
		err = onnx_in_layout(import, x, ONNX_NHWC, &input);
	if (!err)
		err = onnx_append_window(import, "MaxPool", &input, 1, &window, NULL, &input.quant,
					 &value.stored);
	if (err)
		return err;
	value.stored.layout = ONNX_NHWC;
	return onnx_define(import, 0, &value);
}

/* Concatenates tensors that have one quantization by now. */
static int append_concat(struct onnx_import *import, const struct onnx_value *parts, uint32_t count,
			 uint32_t axis, struct onnx_stored *out)
{
	struct onnx_stored *inputs = onnx_alloc(import, count, sizeof(*inputs));
	enum onnx_layout layout = ONNX_PLAIN;
	int64_t stored_axis;
	struct nn_attr attr = { .name = "axis", .type = NN_ATTR_INT };
	int err;

	if (!inputs)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		if (parts[i].stored.layout == ONNX_NHWC)
			layout = ONNX_NHWC;
	}
	for (uint32_t i = 0; i < count; i++) {
		err = onnx_in_layout(import, &parts[i], layout, &inputs[i]);
		if (err)
			return err;
	}
	stored_axis = onnx_layout_axis(layout, axis);
	attr.i = stored_axis;
	err = onnx_append(import, "Concat", inputs, count, &attr, 1, &inputs[0].quant, out);
	out->layout = layout;
	return err;
}

static int emit_concat(struct onnx_import *import, const struct onnx_value *value,
		       const struct onnx_quant *quant, const char *activation,
		       struct onnx_stored *out)
{
	const struct onnx_pending *pending = value->pending;
	struct onnx_value *parts = onnx_alloc(import, pending->operand_count, sizeof(*parts));
	int err;

	(void)activation;
	if (!parts)
		return -ENOMEM;
	for (uint32_t i = 0; i < pending->operand_count; i++) {
		parts[i] = *pending->operands[i];
		err = onnx_settle(import, pending->operands[i], quant, &parts[i].stored);
		if (err)
			return err;
	}
	return append_concat(import, parts, pending->operand_count, pending->axis, out);
}

static int lower_concat(struct onnx_import *import)
{
	uint32_t count = import->node->n_input;
	struct onnx_pending *pending = onnx_alloc(import, 1, sizeof(*pending));
	struct onnx_value *parts = onnx_alloc(import, count, sizeof(*parts));
	const struct onnx_value **operands = onnx_alloc(import, count, sizeof(*operands));
	int64_t axis = onnx_attr_int(import->node, "axis", 1);
	struct onnx_value value;
	bool same = true;
	int err;

	if (!pending || !parts || !operands)
		return -ENOMEM;
	if (!count)
		return onnx_fail(import, -EINVAL, "it has no inputs");
	for (uint32_t i = 0; i < count; i++) {
		operands[i] = onnx_movable_input(import, i);
		if (!operands[i])
			return onnx_failed(import);
		parts[i] = *operands[i];
		if (operands[i]->rank != operands[0]->rank ||
		    operands[i]->kind != operands[0]->kind)
			return onnx_fail(import, -EINVAL,
					 "its inputs have different ranks or types");
		same &= onnx_quant_equal(&parts[i].stored.quant, &parts[0].stored.quant);
	}
	value = parts[0];
	if (axis < 0)
		axis += value.rank;
	if (axis < 1 || axis >= value.rank)
		return onnx_fail(import, -EOPNOTSUPP, "it concatenates along dimension %" PRId64,
				 axis);
	for (uint32_t i = 1; i < count; i++) {
		for (uint32_t k = 0; k < value.rank; k++) {
			if (k != axis && parts[i].dims[k] != value.dims[k])
				return onnx_fail(import, -EINVAL,
						 "its inputs differ in dimension %" PRIu32, k);
		}
		if ((uint64_t)value.dims[axis] + parts[i].dims[axis] > INT32_MAX)
			return onnx_fail(import, -EINVAL, "its output is too large");
		value.dims[axis] += parts[i].dims[axis];
	}
	if (same) {
		err = append_concat(import, parts, count, axis, &value.stored);
		return err ? err : onnx_define(import, 0, &value);
	}
	if (value.kind == ONNX_STORED)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its inputs are integers of different scales");
	*pending = (struct onnx_pending) {
		.emit = emit_concat,
		.node = import->node,
		.operands = operands,
		.operand_count = count,
		.axis = axis,
		.low = -INFINITY,
		.high = INFINITY,
	};
	value.kind = ONNX_PENDING;
	value.pending = pending;
	return onnx_define(import, 0, &value);
}

/* ---- All operators ---- */

struct onnx_op {
	const char *domain, *name;
	int (*lower)(struct onnx_import *import);
	bool only_moves;
};

static const struct onnx_op ops[] = {
	{ "", "Add", onnx_lower_add, false },
	{ "", "AveragePool", onnx_lower_average_pool, false },
	{ "", "Clip", lower_clip, false },
	{ "", "Concat", lower_concat, true },
	{ "", "Constant", lower_constant, false },
	{ "", "Conv", onnx_lower_conv, false },
	{ "", "DequantizeLinear", lower_dequantize, false },
	{ "", "Dropout", lower_identity, true },
	{ "", "Flatten", lower_flatten, true },
	{ "", "Gemm", onnx_lower_gemm, false },
	{ "", "Gather", onnx_lower_gather, true },
	{ "", "GlobalAveragePool", onnx_lower_global_average_pool, false },
	{ "", "Identity", lower_identity, true },
	{ "", "LeakyRelu", onnx_lower_function, false },
	{ "", "MatMul", onnx_lower_matmul, false },
	{ "", "MaxPool", lower_max_pool, true },
	{ "", "QLinearConv", onnx_lower_qlinear_conv, false },
	{ "", "QLinearMatMul", onnx_lower_qlinear_matmul, false },
	{ "", "QuantizeLinear", lower_quantize, false },
	{ "", "Relu", lower_relu, false },
	{ "", "Reshape", lower_reshape, true },
	{ "", "Shape", onnx_lower_shape, false },
	{ "", "Squeeze", lower_squeeze, true },
	{ "", "Transpose", lower_transpose, true },
	{ "", "Unsqueeze", lower_unsqueeze, true },
	{ "com.microsoft", "QLinearAdd", onnx_lower_qlinear_add, false },
	{ "com.microsoft", "QLinearGlobalAveragePool", onnx_lower_qlinear_global_average_pool,
	  false },
	{ "org.nnloop", "BatchLoop", onnx_lower_loop, true },
	{ "org.nnloop", "CountLoop", onnx_lower_loop, true },
	{ "org.nnloop", "CropResize", onnx_lower_crop_resize, true },
	{ "org.nnloop", "Proposal", onnx_lower_proposal, false },
};

static const struct onnx_op *find_op(const Onnx__NodeProto *node)
{
	const char *domain = node->domain && strcmp(node->domain, "ai.onnx") ? node->domain : "";

	for (size_t i = 0; i < sizeof(ops) / sizeof(*ops); i++) {
		if (!strcmp(ops[i].name, node->op_type) && !strcmp(ops[i].domain, domain))
			return &ops[i];
	}
	return NULL;
}

bool onnx_only_moves(const Onnx__NodeProto *node)
{
	const struct onnx_op *op = find_op(node);

	return op && op->only_moves;
}

int onnx_lower_node(struct onnx_import *import)
{
	const struct onnx_op *op = find_op(import->node);
	const char *domain = import->node->domain;

	if (op && op->only_moves && onnx_is_index(import))
		return onnx_lower_index(import);
	if (op)
		return op->lower(import);
	if (domain && *domain)
		return onnx_fail(import, -EOPNOTSUPP,
				 "nnloop has no operator of that name in domain %s",
				 onnx_quote(import, domain));
	return onnx_fail(import, -EOPNOTSUPP, "nnloop has no such operator");
}
