// SPDX-License-Identifier: MIT
/* ONNX operators that move elements further: padding, steps, parts, repetition, blocks. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

/*
 * Integers: constant input i or, where that is absent, an attribute. *values is NULL if the node
 * has neither.
 */
static int read_numbers(struct onnx_import *import, uint32_t i, const char *attr_name,
			int64_t **values, uint32_t *count)
{
	const struct onnx_value *value = onnx_input(import, i);
	const Onnx__AttributeProto *attr = attr_name ? onnx_attr(import->node, attr_name) : NULL;
	const struct nn_const *numbers = &value->constant;

	*values = NULL;
	*count = 0;
	if (value->kind == ONNX_ABSENT) {
		if (!attr)
			return 0;
		*count = attr->n_ints;
		*values = attr->ints;
		return *count ? 0 :
				onnx_fail(import, -EINVAL, "its attribute %s is empty", attr_name);
	}
	if (value->kind != ONNX_CONST || numbers->rank > 1 || !numbers->count ||
	    (numbers->element != NN_ELEMENT_INT64 && numbers->element != NN_ELEMENT_INT32))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32 " is no constant list of integers", i);
	*values = onnx_alloc(import, numbers->count, sizeof(**values));
	if (!*values)
		return -ENOMEM;
	*count = numbers->count;
	for (uint32_t k = 0; k < *count; k++)
		(*values)[k] = nn_const_int(numbers, k);
	return 0;
}

/*
 * Numbers for dimensions as the node names them, or for all: axes[k] is the dimension of number k.
 */
static int read_axes(struct onnx_import *import, uint32_t i, const char *attr_name, uint32_t rank,
		     uint32_t count, uint32_t axes[NN_MAX_RANK])
{
	uint32_t seen = 0, given;
	int64_t *values;
	int err = read_numbers(import, i, attr_name, &values, &given);

	if (err)
		return err;
	if ((values && given != count) || count > rank)
		return onnx_fail(import, -EINVAL,
				 "it has numbers for %" PRIu32 " of %" PRIu32
				 " dimensions, or other axes", count, rank);
	for (uint32_t k = 0; k < count; k++) {
		int64_t axis = values ? values[k] : k;

		axis += axis < 0 ? rank : 0;
		if (axis < 0 || axis >= rank || seen >> axis & 1)
			return onnx_fail(import, -EINVAL,
					 "its axes are not different ones of %" PRIu32, rank);
		seen |= 1u << axis;
		axes[k] = axis;
	}
	return 0;
}

/* The axis that its attribute says, which is not the batch. */
static int find_axis(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t *out)
{
	int64_t axis = onnx_attr_int(import->node, "axis", 0);

	axis += axis < 0 ? x->rank : 0;
	*out = axis;
	if (axis >= nn_is_rows(x->dims[0]) && axis < x->rank)
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "its axis is dimension %" PRId64 ", which is the batch, or none"
			 ONNX_KEEP_BATCH,
			 axis);
}

/* ---- Pad ---- */

struct onnx_padding {
	const char *mode;
	struct nn_steps steps[NN_MAX_RANK]; /* what is left of the input */
	uint32_t before[NN_MAX_RANK], after[NN_MAX_RANK];
	float value; /* of a real tensor */
};

static int read_padding(struct onnx_import *import, const struct nn_build_tensor *x,
			struct onnx_padding *padding)
{
	uint32_t axes[NN_MAX_RANK], count;
	int64_t *pads;
	int err = read_numbers(import, 1, "pads", &pads, &count);

	if (!err && (!pads || count % 2))
		err = onnx_fail(import, -EINVAL, "its pads are not two for each dimension");
	if (!err)
		err = read_axes(import, 3, NULL, x->rank, count / 2, axes);
	if (err)
		return err;
	if (onnx_input(import, 3)->kind == ONNX_ABSENT && count / 2 != x->rank)
		return onnx_fail(import, -EINVAL, "its pads are not two for each dimension");
	nn_all_steps(x, padding->steps);
	for (uint32_t k = 0; k < count / 2; k++) {
		int64_t before = pads[k], after = pads[count / 2 + k], size = x->dims[axes[k]];
		struct nn_steps *steps = &padding->steps[axes[k]];

		if (!axes[k] && nn_is_rows(x->dims[0]) && (before || after))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it pads the first dimension, which is the batch"
					 ONNX_KEEP_BATCH);
		if (before < -INT32_MAX || before > INT32_MAX || after < -INT32_MAX ||
		    after > INT32_MAX)
			return onnx_fail(import, -EINVAL, "it pads by %" PRId64 " and %" PRId64,
					 before, after);
		if (!axes[k] && nn_is_rows(x->dims[0]))
			continue;
		/* Below 0 it takes indices away. */
		if (before < 0)
			*steps = (struct nn_steps){ -before, 1, size + before < 1 ? 0 : size + before };
		if (after < 0)
			steps->count = steps->count + after < 1 ? 0 : steps->count + after;
		padding->before[axes[k]] = before < 0 ? 0 : before;
		padding->after[axes[k]] = after < 0 ? 0 : after;
		if ((before < 0 || after < 0) && strcmp(padding->mode, "constant"))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it takes indices away, and its mode is not constant");
	}
	return 0;
}

/* Whether there is as much of each dimension as is repeated. */
static int check_mode(struct onnx_import *import, const struct nn_build_tensor *x,
		      const struct onnx_padding *padding)
{
	bool reflect = !strcmp(padding->mode, "reflect");

	if (!reflect && strcmp(padding->mode, "wrap"))
		return 0;
	for (uint32_t i = nn_is_rows(x->dims[0]); i < x->rank; i++) {
		uint32_t most = x->dims[i] - reflect;

		if (padding->before[i] > most || padding->after[i] > most)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it pads dimension %" PRIu32 " by more than %" PRIu32
					 ", of which it takes what it pads with", i, most);
	}
	return 0;
}

/* A real number as it is quantized; whether it is the same then. */
static int quantize_value(struct onnx_import *import, float value, const struct nn_quant *quant,
			  int32_t *stored, bool *same)
{
	const struct nn_const real = { .element = NN_ELEMENT_FLOAT, .count = 1, .data = &value };
	struct nn_const made;
	int err;

	*stored = quant->zero_point;
	*same = value == 0;
	if (*same)
		return 0;
	if (quant->type == NN_FLOAT32 && import->floats) {
		memcpy(stored, &value, sizeof(*stored));
		*same = true;
		return 0;
	}
	if (isnan(value) || !onnx_is_computed(quant->type))
		return onnx_fail(import, -EOPNOTSUPP, "it pads %s with %g",
				 nn_data_type_name(quant->type), (double)value);
	err = nn_const_quantize(&import->builder, &real, quant, &made);
	if (err)
		return err;
	*stored = nn_const_int(&made, 0);
	*same = (float)(*stored - quant->zero_point) * quant->scale == value;
	return 0;
}

static int build_pad(struct onnx_import *import, const struct nn_build_tensor *x,
		     const struct onnx_padding *padding, int32_t value, struct nn_build_tensor *out)
{
	struct nn_build_tensor cut;
	int err = nn_build_steps(&import->builder, x, padding->steps, &cut);

	for (uint32_t i = 0; i < x->rank && !err; i++) {
		if ((padding->before[i] || padding->after[i]) &&
		    ((x->quant.type == NN_FLOAT32 && value && !import->floats) ||
		     nn_data_type_size(x->quant.type) > 4))
			err = onnx_fail(import, -EOPNOTSUPP, "it pads what is of %s, which nnloop "
					"moves only", nn_data_type_name(x->quant.type));
	}
	if (err)
		return err;
	return nn_build_pad(&import->builder, &cut, padding->before, padding->after, padding->mode,
			    value, out);
}

static int emit_pad(struct onnx_import *import, const struct onnx_pending *pending,
		    const struct nn_quant *quant, const char *activation,
		    struct nn_build_tensor *out)
{
	struct nn_build_tensor x;
	int32_t value;
	bool same;
	int err = onnx_settle(import, pending->operands[0], quant, &x);

	(void)activation;
	if (!err)
		err = quantize_value(import, pending->padding->value, quant, &value, &same);
	return err ? err : build_pad(import, &x, pending->padding, value, out);
}

/* Reads the value that it pads with: an integer for integers, else a real number. */
static int read_pad_value(struct onnx_import *import, const struct onnx_value *x,
			  struct onnx_padding *padding, int32_t *stored)
{
	const struct onnx_value *value = onnx_input(import, 2);
	const struct nn_quant *quant = &value->tensor.quant;
	enum nn_element element =
		x->kind == ONNX_STORED ?
			(enum nn_element)nn_quant_model_type(&x->tensor.quant) :
			NN_ELEMENT_FLOAT;
	int32_t less = x->tensor.quant.is_unsigned ? NN_UNSIGNED : 0;

	*stored = -less;
	padding->value = onnx_attr_float(import->node, "value", 0);
	if (value->kind == ONNX_ABSENT)
		return x->kind == ONNX_STORED && padding->value != 0 ?
			       onnx_fail(import, -EOPNOTSUPP, "it pads integers with a real number") :
			       0;
	if (value->kind == ONNX_REAL_CONST && value->constant.count == 1 && !quant->scales &&
	    x->kind == ONNX_REAL) {
		padding->value = (float)(nn_const_int(&value->constant, 0) - quant->zero_point) *
				 quant->scale;
		return 0;
	}
	if (value->kind != ONNX_CONST || !nn_const_is_one(&value->constant, element))
		return onnx_fail(import, -EOPNOTSUPP,
				 "what it pads with is no constant of its input's type");
	if (x->kind == ONNX_STORED)
		*stored = nn_const_int(&value->constant, 0) - less;
	else
		padding->value = nn_const_float(&value->constant, 0);
	return 0;
}

/* Defines a padding that waits for its QuantizeLinear: its value is none of the input's steps. */
static int define_waiting(struct onnx_import *import, const struct onnx_value *x,
			  const struct onnx_padding *padding)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_pad, 1);

	if (!pending)
		return -ENOMEM;
	pending->operands[0] = x;
	pending->padding = padding;
	pending->rank = x->tensor.rank;
	pending->dims[0] = x->tensor.dims[0];
	for (uint32_t i = nn_is_rows(x->tensor.dims[0]); i < x->tensor.rank; i++) {
		uint64_t size = (uint64_t)padding->steps[i].count + padding->before[i] +
				padding->after[i];

		if (size > INT32_MAX)
			return onnx_fail(import, -EOPNOTSUPP, "its output is too large");
		pending->dims[i] = size;
	}
	return onnx_define_pending(import, pending);
}

int onnx_lower_pad(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	struct onnx_padding *padding = onnx_alloc(import, 1, sizeof(*padding));
	struct onnx_value value;
	int32_t stored = 0;
	bool same = true;
	int err;

	if (!x || !padding)
		return onnx_failed(import);
	if (x->kind == ONNX_STORED && onnx_get_opset(import, import->op) < 11)
		return onnx_fail(import, -EINVAL,
				 "it pads integers, which it does from opset 11 on");
	padding->mode = onnx_attr_string(import, "mode", "constant");
	err = read_padding(import, &x->tensor, padding);
	if (!err)
		err = check_mode(import, &x->tensor, padding);
	if (!err && !strcmp(padding->mode, "constant")) {
		err = read_pad_value(import, x, padding, &stored);
		if (!err && x->kind == ONNX_REAL)
			err = quantize_value(import, padding->value, &x->tensor.quant, &stored,
					     &same);
	}
	if (err)
		return err;
	if (!same)
		return define_waiting(import, x, padding);
	value = *x;
	err = build_pad(import, &x->tensor, padding, stored, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- CenterCropPad ---- */

/* Half of what is taken away or added along dimension i is in front, rounded down. */
static int center(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t i,
		  int64_t wanted, struct onnx_padding *padding)
{
	int64_t size = x->dims[i], begin;

	if (wanted < 1 || wanted > INT32_MAX)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes %" PRId64 " of dimension %" PRIu32, wanted, i);
	if (!i && nn_is_rows(x->dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it crops or pads the first dimension, which is the batch"
				 ONNX_KEEP_BATCH);
	begin = (wanted < size ? size - wanted : wanted - size) / 2;
	if (wanted < size) {
		padding->steps[i] = (struct nn_steps){ begin, 1, wanted };
	} else {
		padding->before[i] = begin;
		padding->after[i] = wanted - size - begin;
	}
	return 0;
}

int onnx_lower_center_crop_pad(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	const Onnx__AttributeProto *named = onnx_attr(import->node, "axes");
	struct onnx_padding padding = { .mode = "constant" };
	int64_t wanted[NN_MAX_RANK];
	struct onnx_value value;
	uint32_t count, seen = 0;
	int err = x ? onnx_read_ints(import, 1, NULL, wanted, &count) : onnx_failed(import);

	if (err)
		return err;
	if (count != (named ? named->n_ints : x->tensor.rank))
		return onnx_fail(import, -EINVAL, "its shape has not a number for each axis");
	nn_all_steps(&x->tensor, padding.steps);
	for (uint32_t k = 0; k < count && !err; k++) {
		int64_t axis = named ? named->ints[k] : k;

		axis += axis < 0 ? x->tensor.rank : 0;
		if (axis < 0 || axis >= x->tensor.rank || seen >> axis & 1)
			return onnx_fail(import, -EINVAL,
					 "its axes are not different ones of %" PRIu32,
					 x->tensor.rank);
		seen |= 1u << axis;
		err = center(import, &x->tensor, axis, wanted[k], &padding);
	}
	value = *x;
	if (!err)
		err = build_pad(import, &x->tensor, &padding,
				x->kind == ONNX_REAL ? x->tensor.quant.zero_point : 0,
				&value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Slice, Split, Gather ---- */

/* Indices from start to end, of which both count from the end if negative, and are clamped. */
static struct nn_steps find_steps(int64_t start, int64_t end, int64_t step, int64_t size)
{
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1, count;

	step = step > INT32_MAX ? INT32_MAX : step < -INT32_MAX ? -INT32_MAX : step;
	start += start < 0 ? size : 0;
	end += end < 0 ? size : 0;
	start = start < 0 ? 0 : start > high ? high : start;
	end = end < low ? low : end > high ? high : end;
	count = step > 0 ? (end - start + step - 1) / step : (start - end - step - 1) / -step;
	return (struct nn_steps){ start, step, count < 0 ? 0 : count };
}

/* Whether it takes the batch as it is, however many items that has. */
static bool takes_all_rows(const struct onnx_import *import, int64_t start, int64_t end,
			   int64_t step)
{
	return !start && step == 1 && (end >= INT32_MAX || (import->one_is_batch && end >= 1));
}

int onnx_lower_slice(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	int64_t *starts = NULL, *ends = NULL, *strides = NULL;
	uint32_t count = 0, counts[2] = { 0 }, axes[NN_MAX_RANK];
	struct nn_steps steps[NN_MAX_RANK];
	struct onnx_value value;
	int err = x ? read_numbers(import, 1, "starts", &starts, &count) : onnx_failed(import);

	if (!err)
		err = read_numbers(import, 2, "ends", &ends, &counts[0]);
	if (!err)
		err = read_numbers(import, 4, NULL, &strides, &counts[1]);
	if (!err && (!starts || counts[0] != count || (strides && counts[1] != count)))
		err = onnx_fail(import, -EINVAL,
				"its starts, ends and steps have different numbers");
	if (!err)
		err = read_axes(import, 3, "axes", x->tensor.rank, count, axes);
	if (err)
		return err;
	nn_all_steps(&x->tensor, steps);
	for (uint32_t k = 0; k < count; k++) {
		int64_t step = strides ? strides[k] : 1, size = x->tensor.dims[axes[k]];

		if (!step)
			return onnx_fail(import, -EINVAL, "it has a step of 0");
		if (axes[k] || !nn_is_rows(size))
			steps[axes[k]] = find_steps(starts[k], ends[k], step, size);
		else if (!takes_all_rows(import, starts[k], ends[k], step))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it takes a part of the first dimension, which is the batch"
					 ONNX_KEEP_BATCH);
	}
	value = *x;
	err = nn_build_steps(&import->builder, &x->tensor, steps, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/*
 * Reports an error if parts of a real tensor that is not rounded yet are rounded in more than one
 * way.
 */
static int need_one_quant(struct onnx_import *import, const struct nn_quant *quant)
{
	for (uint32_t i = 0; i < import->node->n_output; i++) {
		const struct onnx_value *output = onnx_output(import, i);
		struct nn_quant other;
		int err;

		if (!output || !output->user_count)
			continue;
		err = onnx_find_quant(import, output, false, 0, &other);
		if (err)
			return err;
		if (!nn_quant_equal(quant, &other))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its outputs are quantized in different ways, and its input is not");
	}
	return 0;
}

/* Finds how many indices each output has. */
static int find_parts(struct onnx_import *import, int64_t size, uint32_t parts, int64_t *sizes)
{
	const Onnx__AttributeProto *wanted = onnx_attr(import->node, "num_outputs");
	int64_t *given, left = size;
	uint32_t count;
	int err = read_numbers(import, 1, "split", &given, &count);

	if (err)
		return err;
	if ((given && (count != parts || wanted)) || (wanted && wanted->i != parts))
		return onnx_fail(import, -EINVAL,
				 "it has other outputs than sizes, or sizes and num_outputs");
	if (!given && !wanted && size % parts)
		return onnx_fail(import, -EINVAL,
				 "it splits %" PRId64 " into %" PRIu32 " equal parts", size, parts);
	for (uint32_t i = 0; i < parts; i++) {
		sizes[i] = given ? given[i] : (size + parts - 1) / parts;
		if (!given && sizes[i] > left)
			sizes[i] = left;
		if (sizes[i] < 1 || sizes[i] > left)
			return onnx_fail(import, -EOPNOTSUPP,
					 "output %" PRIu32 " of it gets %" PRId64
					 " indices of %" PRId64 " that are left", i, sizes[i], left);
		left -= sizes[i];
	}
	return left ? onnx_fail(import, -EINVAL, "%" PRId64 " indices are left", left) : 0;
}

int onnx_lower_split(struct onnx_import *import)
{
	bool waits = onnx_input(import, 0)->kind == ONNX_PENDING;
	const struct onnx_value *x = onnx_movable_input(import, 0);
	uint32_t parts = import->node->n_output, axis;
	int64_t *sizes = onnx_alloc(import, parts, sizeof(*sizes)), begin = 0;
	struct onnx_value value;
	int err;

	if (!x || !sizes)
		return onnx_failed(import);
	err = find_axis(import, &x->tensor, &axis);
	if (err || !parts)
		return err ? err : onnx_fail(import, -EINVAL, "it has no outputs");
	err = waits ? need_one_quant(import, &x->tensor.quant) : 0;
	if (!err)
		err = find_parts(import, x->tensor.dims[axis], parts, sizes);
	for (uint32_t i = 0; i < parts && !err; i++) {
		value = *x;
		import->builder.result = import->node->output[i];
		/* Nobody reads an output without a name. */
		if (onnx_output(import, i))
			err = nn_build_slice(&import->builder, &x->tensor, axis, begin, sizes[i],
					     &value.tensor);
		if (!err)
			err = onnx_define(import, i, &value);
		begin += sizes[i];
	}
	return err;
}

int onnx_lower_gather_constant(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0), *index = onnx_input(import, 1);
	const struct nn_const *indices = &index->constant;
	uint32_t axis, dims[NN_MAX_RANK], rank;
	struct onnx_value value;
	int64_t *numbers;
	int err;

	if (!x || find_axis(import, &x->tensor, &axis))
		return onnx_failed(import);
	rank = x->tensor.rank - 1 + indices->rank;
	if ((indices->element != NN_ELEMENT_INT64 && indices->element != NN_ELEMENT_INT32) ||
	    !indices->count || !rank || rank > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its indices are no integers, or its output is empty or has not 1 to %d dimensions",
				 NN_MAX_RANK);
	numbers = onnx_alloc(import, indices->count, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	for (uint64_t i = 0; i < indices->count; i++) {
		numbers[i] = nn_const_int(indices, i);
		numbers[i] += numbers[i] < 0 ? x->tensor.dims[axis] : 0;
	}
	value = *x;
	err = nn_build_gather(&import->builder, &x->tensor, axis, numbers, indices->count,
			      &value.tensor);
	if (err)
		return err;
	memcpy(dims, x->tensor.dims, axis * sizeof(*dims));
	memcpy(dims + axis, indices->dims, indices->rank * sizeof(*dims));
	memcpy(dims + axis + indices->rank, x->tensor.dims + axis + 1,
	       (x->tensor.rank - axis - 1) * sizeof(*dims));
	err = nn_build_reshape(&import->builder, &value.tensor, rank, dims, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* The elements in a row, of which the first dimension is fixed. */
static int flatten(struct onnx_import *import, const struct nn_build_tensor *x,
		   struct nn_build_tensor *out)
{
	uint64_t count = 1;

	if (nn_is_rows(x->dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "without an axis it goes along the first dimension, which is the "
				 "batch" ONNX_KEEP_BATCH);
	for (uint32_t i = 0; i < x->rank; i++)
		count *= x->dims[i];
	if (count > INT32_MAX)
		return onnx_fail(import, -EOPNOTSUPP, "its input is too large");
	return nn_build_whole_reshape(&import->builder, x, 1, (uint32_t[]){ count }, out);
}

int onnx_lower_compress(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	const struct nn_const *wanted = &onnx_input(import, 1)->constant;
	struct onnx_value value;
	uint32_t axis = 0, count = 0;
	int64_t *indices;
	int err;

	if (!x)
		return onnx_failed(import);
	if (onnx_input(import, 1)->kind != ONNX_CONST || wanted->element != NN_ELEMENT_BOOL ||
	    wanted->rank != 1)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its condition is no constant list of bools: how much it makes is "
				 "not known");
	value = *x;
	err = onnx_attr(import->node, "axis") ? find_axis(import, &x->tensor, &axis) :
						flatten(import, &x->tensor, &value.tensor);
	indices = onnx_alloc(import, wanted->count, sizeof(*indices));
	if (err || !indices)
		return err ? err : -ENOMEM;
	for (uint64_t i = 0; i < wanted->count; i++) {
		if (nn_const_int(wanted, i))
			indices[count++] = i;
	}
	if (wanted->count > value.tensor.dims[axis] || !count)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its condition is for more than the %" PRIu32
				 " indices of its axis, or takes none", value.tensor.dims[axis]);
	err = nn_build_gather(&import->builder, &value.tensor, axis, indices, count, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- The same again ---- */

/* Input 1: numbers for the last dimensions of x; the others get 1. */
static int read_dims(struct onnx_import *import, const struct nn_build_tensor *x,
		     uint32_t dims[NN_MAX_RANK])
{
	int64_t *numbers;
	uint32_t count;
	int err = read_numbers(import, 1, NULL, &numbers, &count);

	if (err)
		return err;
	if (!numbers || count > x->rank)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes %" PRIu32 " dimensions of %" PRIu32, count, x->rank);
	for (uint32_t i = 0; i < x->rank; i++) {
		int64_t number = i < x->rank - count ? 1 : numbers[i - (x->rank - count)];

		if (number < 1 || number > INT32_MAX)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its number for dimension %" PRIu32 " is %" PRId64, i,
					 number);
		dims[i] = number;
	}
	return 0;
}

int onnx_lower_tile(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	uint32_t repeats[NN_MAX_RANK];
	struct onnx_value value;
	int err = x ? read_dims(import, &x->tensor, repeats) : onnx_failed(import);

	if (err)
		return err;
	if (onnx_input(import, 1)->constant.count != x->tensor.rank)
		return onnx_fail(import, -EINVAL, "it has not one number for each dimension");
	if (nn_is_rows(x->tensor.dims[0]) && repeats[0] != 1)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it repeats the first dimension, which is the batch" ONNX_KEEP_BATCH);
	value = *x;
	err = nn_build_tile(&import->builder, &x->tensor, repeats, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* A tensor with so many dimensions, of which those in front are 1, if its first one is fixed. */
static int add_ones(struct onnx_import *import, uint64_t count, struct nn_build_tensor *tensor)
{
	uint32_t dims[NN_MAX_RANK], ones = count - tensor->rank;

	if (count <= tensor->rank || count > NN_MAX_RANK || nn_is_rows(tensor->dims[0]))
		return 0;
	for (uint32_t i = 0; i < count; i++)
		dims[i] = i < ones ? 1 : tensor->dims[i - ones];
	return nn_build_whole_reshape(&import->builder, tensor, count, dims, tensor);
}

/*
 * A constant whose first dimension of 1 is repeated for the batch, and which has all others as they
 * are: it stays what it is, and who puts it beside tensors repeats it.
 */
static int repeat_constant(struct onnx_import *import)
{
	const struct onnx_value *shape = onnx_input(import, 1);
	struct onnx_value value = *onnx_input(import, 0);
	bool same = shape->constant.count == value.constant.rank && shape->batch[0] &&
		    nn_const_int(&shape->constant, 0) == 1 && value.constant.dims[0] == 1;
	int err;

	for (uint32_t i = 1; i < value.constant.rank && same; i++) {
		int64_t wanted = nn_const_int(&shape->constant, i);

		same = !shape->batch[i] && (wanted == 1 || wanted == value.constant.dims[i]);
	}
	if (!same)
		return onnx_fail(import, -EOPNOTSUPP,
				 "of a constant it knows one whose first dimension of 1 is repeated "
				 "for the batch");
	err = onnx_define(import, 0, &value);
	return err ? err : onnx_repeat(import, shape->rows_of);
}

/* Dimensions of 1 become larger, and where its shape says 1, they stay. */
int onnx_lower_expand(struct onnx_import *import)
{
	const struct onnx_value *x;
	uint32_t dims[NN_MAX_RANK];
	struct onnx_value value;
	int err;

	if (onnx_is_const(onnx_input(import, 0)) && onnx_input(import, 1)->kind == ONNX_ROW_COUNT)
		return repeat_constant(import);
	x = onnx_movable_input(import, 0);
	if (!x)
		return onnx_failed(import);
	value = *x;
	err = add_ones(import, onnx_input(import, 1)->constant.count, &value.tensor);
	if (!err)
		err = read_dims(import, &value.tensor, dims);
	if (err)
		return err;
	for (uint32_t i = 0; i < value.tensor.rank; i++)
		dims[i] = dims[i] == 1 ? value.tensor.dims[i] : dims[i];
	err = nn_build_expand(&import->builder, &value.tensor, dims, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Blocks ---- */

/* -1: the error is set. */
static int64_t read_block(struct onnx_import *import)
{
	int64_t block = onnx_attr_int(import->node, "blocksize", 0);

	if (block >= 1 && block <= INT32_MAX)
		return block;
	onnx_fail(import, -EINVAL, "its blocksize is %" PRId64, block);
	return -1;
}

int onnx_lower_depth_to_space(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	int64_t block = x ? read_block(import) : -1;
	struct onnx_value value;
	int err;

	if (block < 0)
		return onnx_failed(import);
	value = *x;
	err = nn_build_depth_to_space(&import->builder, &x->tensor, block,
				      !strcmp(onnx_attr_string(import, "mode", "DCR"), "DCR"),
				      &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

int onnx_lower_space_to_depth(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	int64_t block = x ? read_block(import) : -1;
	struct onnx_value value;
	int err;

	if (block < 0)
		return onnx_failed(import);
	value = *x;
	err = nn_build_space_to_depth(&import->builder, &x->tensor, block, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}
