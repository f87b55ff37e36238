// SPDX-License-Identifier: MIT
/* Operators that move elements further: padding, repetition, parts in another order, blocks. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/tflite/tflite.h"

/* Output i has the input's quantization, and is what was made. */
static int define_same(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *x,
		       const struct nn_build_tensor *made)
{
	int err = tflite_same_quant(import, i, &x->quant);

	return err ? err : tflite_define(import, i, made);
}

/* A dimension that is not the batch, from the last one if negative; 0: the error is set. */
uint32_t tflite_find_axis(struct tflite_import *import, int64_t axis, uint32_t rank)
{
	if (axis < 0)
		axis += rank;
	if (axis >= 1 && axis < rank)
		return axis;
	tflite_fail(import, -EOPNOTSUPP,
		    "its axis is dimension %" PRId64 ", which is the batch, or none", axis);
	return 0;
}

/* ---- Padding ---- */

/* Input 1: how many indices more each dimension gets at its ends. */
static int read_padding(struct tflite_import *import, const struct nn_build_tensor *x,
			uint32_t before[NN_MAX_RANK], uint32_t after[NN_MAX_RANK])
{
	const struct nn_const *paddings = tflite_ints_input(import, 1);

	if (!paddings)
		return tflite_failed(import);
	if (paddings->count != 2ull * x->rank)
		return tflite_fail(import, -EINVAL,
				   "it has %" PRIu64 " paddings for %" PRIu32 " dimensions",
				   paddings->count, x->rank);
	for (uint32_t i = 0; i < x->rank; i++) {
		int64_t front = nn_const_int(paddings, 2 * i),
			end = nn_const_int(paddings, 2 * i + 1);

		if (front < 0 || end < 0 || front > INT32_MAX || end > INT32_MAX)
			return tflite_fail(import, -EINVAL,
					   "it pads dimension %" PRIu32 " by %" PRId64
					   " and %" PRId64, i, front, end);
		before[i] = front;
		after[i] = end;
	}
	if (before[0] || after[0])
		return tflite_fail(import, -EOPNOTSUPP, "it pads dimension 0, which is the batch");
	return 0;
}

static const char constant[] = "constant";

static int pad(struct tflite_import *import, const struct nn_build_tensor *x, const char *mode,
	       int32_t value)
{
	uint32_t before[NN_MAX_RANK], after[NN_MAX_RANK];
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err = read_padding(import, x, before, after);

	if (!err)
		err = tflite_output_quant(import, 0, &quant);
	if (!err && mode == constant && value == x->quant.zero_point &&
	    nn_quant_equal(&quant, &x->quant) && tflite_fold_pad(import, x, before, after))
		return 0;
	if (!err)
		err = nn_build_pad(&import->builder, x, before, after, mode, value, &made);
	return err ? err : define_same(import, 0, x, &made);
}

int tflite_lower_pad(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);

	return x ? pad(import, x, constant, x->quant.zero_point) : tflite_failed(import);
}

/* The constant's first element as operators have what they fill with: a float by its bits. */
static int32_t value_as_stored(const struct nn_const *values)
{
	float real;
	int32_t bits;

	if (values->element != NN_ELEMENT_FLOAT)
		return nn_const_int(values, 0);
	real = nn_const_float(values, 0);
	memcpy(&bits, &real, sizeof(bits));
	return bits;
}

/* Lowers PadV2, with a constant, which is input 2. */
int tflite_lower_pad_v2(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	struct nn_parameter value;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_parameter_input(import, 2, &value);
	if (err)
		return err;
	if (!nn_quant_equal(value.quant, &x->quant) ||
	    !nn_const_is_one(value.values, (enum nn_element)x->quant.type))
		return tflite_fail(import, -EOPNOTSUPP,
				   "what it pads with is no number that is quantized as its input");
	return pad(import, x, constant, value_as_stored(value.values));
}

int tflite_lower_mirror_pad(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	uint32_t before[NN_MAX_RANK], after[NN_MAX_RANK];
	bool symmetric = import->now->option[0];

	if (!x || read_padding(import, x, before, after))
		return tflite_failed(import);
	for (uint32_t i = 1; i < x->rank; i++) {
		uint32_t most = x->dims[i] - !symmetric;

		if (before[i] > most || after[i] > most)
			return tflite_fail(import, -EINVAL,
					   "it mirrors more of dimension %" PRIu32
					   " than there is, %" PRIu32, i, x->dims[i]);
	}
	return pad(import, x, symmetric ? "symmetric" : "reflect", 0);
}

/* ---- Several tensors ---- */

/* The axis of PACK and UNPACK in tensors of `rank` dimensions, those in front of which a batch is
 * put where it is dimension 0 of one item. 0: the error is set. */
static uint32_t find_part_axis(struct tflite_import *import, int64_t axis, uint32_t rank)
{
	axis += axis < 0 ? rank - import->is_lifted : 0;
	if (!axis && !import->is_lifted)
		rank += tflite_lift(import);
	if (axis >= 0)
		return tflite_find_axis(import, axis + import->is_lifted, rank);
	/* It is not counted from the back a second time. */
	tflite_fail(import, -EOPNOTSUPP, "its axis is dimension %" PRId64 ", which is none", axis);
	return 0;
}

/* One more dimension, `axis`, along which the inputs lie. */
int tflite_lower_pack(struct tflite_import *import)
{
	uint32_t count = import->now->input_count, axis = 0, dims[NN_MAX_RANK + 1];
	struct nn_build_tensor *parts = tflite_alloc(import, count, sizeof(*parts)), made;
	const struct nn_build_tensor *first = tflite_tensor_input(import, 0);
	int err;

	if (!parts)
		return -ENOMEM;
	if (import->now->option[0] != count)
		return tflite_fail(import, -EINVAL, "it packs %" PRId64 " of %" PRIu32 " inputs",
				   import->now->option[0], count);
	if (!first)
		return tflite_failed(import);
	axis = find_part_axis(import, import->now->option[1], first->rank + 1);
	if (!axis)
		return tflite_failed(import);
	for (uint32_t i = 0; i < count; i++) {
		const struct nn_build_tensor *x = tflite_tensor_input(import, i);

		if (!x)
			return tflite_failed(import);
		if (i && (x->rank + 1 != parts[0].rank ||
			  !nn_quant_equal(&x->quant, &parts[0].quant)))
			return tflite_fail(import, -EOPNOTSUPP,
					   "its inputs have other dimensions or quantizations");
		if (x->rank == NN_MAX_RANK)
			return tflite_fail(import, -EOPNOTSUPP, "its output has %d dimensions",
					   NN_MAX_RANK + 1);
		memcpy(dims, x->dims, axis * sizeof(*dims));
		dims[axis] = 1;
		memcpy(dims + axis + 1, x->dims + axis, (x->rank - axis) * sizeof(*dims));
		err = nn_build_reshape(&import->builder, x, x->rank + 1, dims, &parts[i]);
		if (err)
			return err;
	}
	err = nn_concat_shape(&import->builder, parts, count, axis, &axis, dims);
	if (!err)
		err = nn_build_concat(&import->builder, parts, count, axis, &made);
	return err ? err : define_same(import, 0, &parts[0], &made);
}

/*
 * Output i of `size` indices of dimension `axis`, from `begin` on; without that dimension if
 * `drop`.
 */
static int define_part(struct tflite_import *import, uint32_t i, const struct nn_build_tensor *x,
		       uint32_t axis, int64_t begin, int64_t size, bool drop)
{
	uint32_t dims[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err;

	import->builder.result = import->tensors[import->now->outputs[i]].name;
	err = nn_build_slice(&import->builder, x, axis, begin, size, &made);
	if (!err && drop) {
		memcpy(dims, made.dims, axis * sizeof(*dims));
		memcpy(dims + axis, made.dims + axis + 1, (x->rank - axis - 1) * sizeof(*dims));
		err = nn_build_reshape(&import->builder, &made, x->rank - 1, dims, &made);
	}
	return err ? err : define_same(import, i, x, &made);
}

int tflite_lower_unpack(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	uint32_t axis = x ? find_part_axis(import, import->now->option[1], x->rank) : 0;
	int err = 0;

	x = axis ? tflite_tensor_input(import, 0) : NULL;
	if (!x)
		return tflite_failed(import);
	if (import->now->option[0] != x->dims[axis] || import->now->output_count != x->dims[axis])
		return tflite_fail(import, -EINVAL,
				   "it makes %" PRIu32 " outputs of dimension %" PRIu32
				   ", which is %" PRIu32,
				   import->now->output_count, axis, x->dims[axis]);
	for (uint32_t i = 0; i < import->now->output_count && !err; i++)
		err = define_part(import, i, x, axis, i, 1, true);
	return err;
}

/* Lowers SplitV, which is like SPLIT, with sizes of its own; one may be -1, what is left. */
int tflite_lower_split_v(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	const struct nn_const *sizes = x ? tflite_ints_input(import, 1) : NULL;
	const struct nn_const *axes = sizes ? tflite_ints_input(import, 2) : NULL;
	uint32_t count = import->now->output_count, axis, open = 0;
	int64_t begin = 0, left;
	int err = 0;

	if (!axes)
		return tflite_failed(import);
	if (axes->count != 1 || sizes->count != count || import->now->option[0] != count)
		return tflite_fail(import, -EINVAL,
				   "it has not one axis, or other outputs than sizes");
	axis = tflite_find_axis(import, nn_const_int(axes, 0), x->rank);
	if (!axis)
		return tflite_failed(import);
	left = x->dims[axis];
	for (uint32_t i = 0; i < count; i++) {
		int64_t size = nn_const_int(sizes, i);

		open += size == -1;
		left -= size < 0 ? 0 : size;
		if ((size < 1 && size != -1) || left < 0)
			break;
	}
	if (open > 1 || left < open || (!open && left))
		return tflite_fail(import, -EINVAL,
				   "its sizes are not parts of dimension %" PRIu32 ", of %" PRIu32,
				   axis, x->dims[axis]);
	for (uint32_t i = 0; i < count && !err; i++) {
		int64_t size = nn_const_int(sizes, i);

		size = size == -1 ? left : size;
		if (size < 1)
			return tflite_fail(import, -EOPNOTSUPP, "output %" PRIu32 " is empty", i);
		err = define_part(import, i, x, axis, begin, size, false);
		begin += size;
	}
	return err;
}

/* ---- Indices ---- */

int tflite_lower_gather(struct tflite_import *import)
{
	const struct nn_const *indices;
	const struct nn_build_tensor *x;
	uint32_t axis, dims[NN_MAX_RANK];
	struct nn_build_tensor made;
	int64_t *numbers;
	int err;

	if (tflite_has_input(import, 1) && !import->tensors[import->now->inputs[1]].is_constant)
		return tflite_lower_gather_computed(import);
	x = tflite_tensor_input(import, 0);
	indices = x ? tflite_ints_input(import, 1) : NULL;
	axis = indices ? tflite_find_axis(import, import->now->option[0], x->rank) : 0;
	if (!axis)
		return tflite_failed(import);
	if (import->now->option[1])
		return tflite_fail(import, -EOPNOTSUPP,
				   "its indices are a constant, and its option batch_dims is not 0");
	if (x->rank - 1 + indices->rank > NN_MAX_RANK || !indices->count)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its output is empty, or has more than %d dimensions",
				   NN_MAX_RANK);
	numbers = tflite_alloc(import, indices->count, sizeof(*numbers));
	if (!numbers)
		return -ENOMEM;
	for (uint64_t i = 0; i < indices->count; i++)
		numbers[i] = nn_const_int(indices, i);
	err = nn_build_gather(&import->builder, x, axis, numbers, indices->count, &made);
	if (err)
		return err;
	memcpy(dims, x->dims, axis * sizeof(*dims));
	memcpy(dims + axis, indices->dims, indices->rank * sizeof(*dims));
	memcpy(dims + axis + indices->rank, x->dims + axis + 1,
	       (x->rank - axis - 1) * sizeof(*dims));
	err = nn_build_reshape(&import->builder, &made, x->rank - 1 + indices->rank, dims, &made);
	return err ? err : define_same(import, 0, x, &made);
}

int tflite_lower_reverse(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	const struct nn_const *axes = x ? tflite_ints_input(import, 1) : NULL;
	struct nn_steps steps[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err;

	if (!axes)
		return tflite_failed(import);
	nn_all_steps(x, steps);
	for (uint64_t i = 0; i < axes->count; i++) {
		uint32_t axis = tflite_find_axis(import, nn_const_int(axes, i), x->rank);

		if (!axis)
			return tflite_failed(import);
		steps[axis] = (struct nn_steps){ x->dims[axis] - 1, -1, x->dims[axis] };
	}
	err = nn_build_steps(&import->builder, x, steps, &made);
	return err ? err : define_same(import, 0, x, &made);
}

/* ---- The same again ---- */

/* Input 1: a number for each dimension. */
static int read_dims(struct tflite_import *import, const struct nn_build_tensor *x,
		     uint32_t dims[NN_MAX_RANK])
{
	const struct nn_const *numbers = tflite_ints_input(import, 1);

	if (!numbers)
		return tflite_failed(import);
	if (numbers->count != x->rank)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it has %" PRIu64 " numbers for %" PRIu32 " dimensions",
				   numbers->count, x->rank);
	for (uint32_t i = 0; i < x->rank; i++) {
		int64_t number = nn_const_int(numbers, i);

		if (number < 1 || number > INT32_MAX)
			return tflite_fail(import, -EOPNOTSUPP,
					   "its number for dimension %" PRIu32 " is %" PRId64, i,
					   number);
		dims[i] = number;
	}
	return 0;
}

int tflite_lower_tile(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	uint32_t repeats[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err = x ? read_dims(import, x, repeats) : tflite_failed(import);

	if (!err && repeats[0] != 1)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "it repeats dimension 0, which is the batch");
	if (!err)
		err = nn_build_tile(&import->builder, x, repeats, &made);
	return err ? err : define_same(import, 0, x, &made);
}

int tflite_lower_broadcast_to(struct tflite_import *import)
{
	const struct nn_build_tensor *x;
	uint32_t dims[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err;

	if (tflite_is_constant_part(import, 0))
		return tflite_broadcast_constant(import);
	x = tflite_tensor_input(import, 0);
	err = x ? read_dims(import, x, dims) : tflite_failed(import);
	if (!err && x->dims[0] == NN_ROWS && dims[0] == 1)
		dims[0] = NN_ROWS;
	if (!err)
		err = nn_build_expand(&import->builder, x, dims, &made);
	return err ? err : define_same(import, 0, x, &made);
}

/* ---- Blocks ---- */

int tflite_lower_depth_to_space(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	struct nn_build_tensor made;
	int err = x ? nn_build_depth_to_space(&import->builder, x, import->now->option[0], true,
					      &made) :
		      tflite_failed(import);

	return err ? err : define_same(import, 0, x, &made);
}

int tflite_lower_space_to_depth(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	struct nn_build_tensor made;
	int err = x ? nn_build_space_to_depth(&import->builder, x, import->now->option[0], &made) :
		      tflite_failed(import);

	return err ? err : define_same(import, 0, x, &made);
}
