// SPDX-License-Identifier: MIT
/* Operators that only move elements: shapes, and concatenation. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/tflite/tflite.h"

/* Whether an output of these dimensions has none for the batch, which is not 1 there. */
static bool makes_item(const struct tflite_import *import, const struct nn_build_tensor *x,
		       uint32_t rank, const uint32_t *dims)
{
	return import->one_is_batch && x->dims[0] == NN_ROWS && dims[0] != NN_ROWS &&
	       rank < NN_MAX_RANK;
}

/* Makes one element a number without dimensions. */
static int reshape_to_number(struct tflite_import *import, const struct nn_build_tensor *x)
{
	const uint32_t one = 1;
	struct nn_build_tensor made;
	int err;

	if (!nn_is_single(x))
		return tflite_fail(import, -EOPNOTSUPP, "its output is a single number");
	err = nn_build_whole_reshape(&import->builder, x, 1, &one, &made);
	made.rank = 0;
	return err ? err : tflite_define(import, 0, &made);
}

/* Input 0 with the shape that the file says the output has. What the operator's own inputs say of
 * it was worked out by the converter, and is compared by the functions that call this. */
static int reshape(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_item_input(import, 0, false);
	uint32_t rank, dims[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err;

	if (!x)
		return tflite_failed(import);
	err = tflite_same_quant(import, 0, &x->quant);
	if (err)
		return err;
	tflite_output_shape(import, 0, &rank, dims);
	if (!rank)
		return reshape_to_number(import, x);
	if (makes_item(import, x, rank, dims)) {
		memmove(dims + 1, dims, rank * sizeof(*dims));
		dims[0] = NN_ROWS;
		err = nn_build_reshape(&import->builder, x, rank + 1, dims, &made);
		return err ? err : tflite_define_item(import, 0, &made);
	}
	err = nn_build_reshape(&import->builder, x, rank, dims, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/*
 * Takes in the shape that is wanted, as far as the file leaves the output's open: of one item, as
 * that is counted. -1 stands for what is left, and a number that does not fit is found later.
 */
static void fill_shape(struct tflite_import *import, const struct nn_const *shape)
{
	const struct nn_build_tensor *x = tflite_has_input(import, 0) ?
						  import->tensors[import->now->inputs[0]].made :
						  NULL;
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	uint32_t dims[NN_MAX_RANK];
	uint64_t elements = 1, known = 1;

	if (!x || shape->count != output->rank)
		return;
	for (uint32_t i = 0; i < x->rank; i++)
		elements *= x->dims[i] == NN_ROWS ? 1 : x->dims[i];
	for (uint32_t i = 0; i < output->rank; i++) {
		int64_t dim = nn_const_int(shape, i);

		if (dim > INT32_MAX || dim < -1 || !dim || known > INT32_MAX)
			return;
		known *= dim == -1 ? 1 : dim;
	}
	for (uint32_t i = 0; i < output->rank; i++) {
		int64_t dim = nn_const_int(shape, i);

		dims[i] = dim == -1 ? (int64_t)(elements / known) : dim;
	}
	tflite_fill_open(import, 0, output->rank, dims);
}

/* Dimensions as an option or an input gives them, of which -1 stands for what is left. */
static int check_shape(struct tflite_import *import, const struct nn_const *shape)
{
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];

	if (shape->count != output->rank)
		return tflite_fail(import, -EINVAL,
				   "it makes %" PRIu64 " dimensions, and its output has %" PRIu32,
				   shape->count, output->rank);
	for (uint32_t i = 0; i < output->rank; i++) {
		int64_t dim = nn_const_int(shape, i);

		if (dim != -1 && dim != output->dims[i])
			return tflite_fail(import, -EINVAL,
					   "it makes dimension %" PRIu32 " %" PRId64
					   ", and that of its output is %" PRIu32,
					   i, dim, output->dims[i]);
	}
	return 0;
}

/* The integers of option 0 of the current operator. */
static struct nn_const get_int_options(struct tflite_import *import)
{
	struct flatbuffer_vector vector =
		flatbuffer_get_vector(&import->buffer, &import->now->options, 0, 4);

	return (struct nn_const){
		.element = NN_ELEMENT_INT32,
		.rank = 1,
		.dims = { vector.count },
		.count = vector.count,
		.data = flatbuffer_elements(&import->buffer, &vector),
	};
}

/* The shape is input 1; models of old have it in the options only. */
int tflite_lower_reshape(struct tflite_import *import)
{
	const struct nn_const *shape;
	struct nn_const option;
	int err;

	if (tflite_has_input(import, 1)) {
		shape = tflite_ints_input(import, 1);
		if (!shape)
			return tflite_failed(import);
	} else {
		option = get_int_options(import);
		err = tflite_check_encoding(import);
		if (err)
			return err;
		shape = &option;
	}
	fill_shape(import, shape);
	err = check_shape(import, shape);
	return err ? err : reshape(import);
}

/* Lowers SQUEEZE: the dimensions that go are given, else all go that are 1. */
int tflite_lower_squeeze(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	struct nn_const axes = get_int_options(import);
	int err = tflite_check_encoding(import);
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	bool gone[NN_MAX_RANK] = { false }, same = true;
	uint32_t dims[NN_MAX_RANK], left = 0;

	if (!x || err)
		return tflite_failed(import);
	if (!axes.count)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it does not say which dimensions go, and the batch may be 1");
	for (uint64_t i = 0; i < axes.count; i++) {
		int64_t axis = nn_const_int(&axes, i);

		axis += axis < 0 ? x->rank : 0;
		/* The batch of a model for one item: what is left is the item's. */
		if (!axis && import->one_is_batch && x->dims[0] == NN_ROWS) {
			gone[0] = true;
			continue;
		}
		if (axis < 1 || axis >= x->rank || x->dims[axis] != 1)
			return tflite_fail(import, -EOPNOTSUPP,
					   "it takes away dimension %" PRId64
					   ", which is the batch, or not 1",
					   axis);
		gone[axis] = true;
	}
	for (uint32_t i = 0; i < x->rank; i++) {
		if (!gone[i])
			dims[left++] = x->dims[i];
	}
	tflite_fill_open(import, 0, left, dims);
	left = 0;
	for (uint32_t i = 0; i < x->rank; i++) {
		if (gone[i])
			continue;
		same = same && (x->dims[i] == NN_ROWS || output->dims[left] == x->dims[i]);
		left++;
	}
	if (output->rank != left || !same)
		return tflite_fail(import, -EINVAL,
				   "its output does not have the dimensions that are left");
	return reshape(import);
}

int tflite_lower_expand_dims(struct tflite_import *import)
{
	const struct nn_const *axis = tflite_ints_input(import, 1);
	const struct nn_build_tensor *x = axis ? tflite_tensor_input(import, 0) : NULL;
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	uint32_t dims[NN_MAX_RANK];
	int64_t at;

	if (!x)
		return tflite_failed(import);
	if (axis->count != 1)
		return tflite_fail(import, -EINVAL, "it has not one axis");
	at = nn_const_int(axis, 0);
	at += at < 0 ? x->rank + 1 : 0;
	for (uint32_t i = 0, from = 0; i <= x->rank && x->rank < NN_MAX_RANK; i++)
		dims[i] = i == at || from == x->rank ? 1 : x->dims[from++];
	if (x->rank < NN_MAX_RANK)
		tflite_fill_open(import, 0, x->rank + 1, dims);
	if (at < 1 || at > x->rank || output->rank != x->rank + 1 || output->dims[at] != 1)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it puts a dimension where nnloop has the batch, or where its "
				   "output has none");
	return reshape(import);
}

/*
 * An element of CONCATENATION in the output's quantization: its stored integer times a float32 plus
 * another one, each rounded, and then to the nearest, ties away from 0.
 */
static int64_t rescale(int32_t q, const struct nn_quant *from, const struct nn_quant *to)
{
	const float scale = from->scale * (1 / to->scale);
	const float offset = (float)-from->zero_point * scale;

	return (int64_t)roundf((float)(q + from->zero_point) * scale + offset);
}

/* An input of CONCATENATION, rescaled where the output has another quantization. */
static int rescale_part(struct tflite_import *import, const struct nn_build_tensor *x,
			struct nn_build_tensor *out)
{
	struct nn_quant quant;

	*out = *x;
	if (!nn_type_is_8bit(x->quant.type) || !x->quant.scale)
		return tflite_same_quant(import, 0, &x->quant) ?
			       tflite_failed(import) :
			       tflite_keep_stored(import, 0, out);
	if (tflite_typed_output_quant(import, x->quant.type, &quant))
		return tflite_failed(import);
	if (nn_quant_equal(&quant, &x->quant))
		return 0;
	if (x->quant.type != NN_UINT8)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its inputs and output are quantized in several ways; TensorFlow "
				   "Lite has no CONCATENATION of int8 that rescales");
	return tflite_build_table(import, x, rescale, &quant, out);
}

int tflite_lower_concatenation(struct tflite_import *import)
{
	uint32_t count = import->now->input_count, axis, dims[NN_MAX_RANK];
	struct nn_build_tensor *parts = tflite_alloc(import, count, sizeof(*parts)), made;
	uint32_t like = 0;
	int err = 0;

	if (!parts)
		return -ENOMEM;
	while (like + 1 < count && tflite_is_constant_part(import, like))
		like++;
	for (uint32_t i = 0; i < count; i++) {
		const struct nn_build_tensor *x;

		if (i != like && tflite_is_constant_part(import, i))
			continue;
		x = tflite_tensor_input(import, i);
		if (!x)
			return tflite_failed(import);
		if (x->rank != (i > like ? parts[like].rank : x->rank))
			return tflite_fail(import, -EINVAL,
					   "its inputs have different numbers of dimensions");
		err = rescale_part(import, x, &parts[i]);
		if (err)
			return err;
	}
	for (uint32_t i = 0; i < count && !err; i++) {
		if (i != like && tflite_is_constant_part(import, i))
			err = tflite_repeat_part(import, i, &parts[like], import->now->option[0],
						 &parts[i]);
	}
	if (err)
		return err;
	err = nn_concat_shape(&import->builder, parts, count, import->now->option[0], &axis, dims);
	if (!err)
		err = nn_build_concat(&import->builder, parts, count, axis, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_transpose(struct tflite_import *import)
{
	const struct nn_const *order = tflite_ints_input(import, 1);
	const struct nn_build_tensor *x = order ? tflite_tensor_input(import, 0) : NULL;
	uint32_t perm[NN_MAX_RANK], rank, seen = 0;
	struct nn_build_tensor made;
	int err;

	if (!x)
		return tflite_failed(import);
	rank = x->rank - import->is_lifted;
	if (order->count != rank)
		return tflite_fail(import, -EINVAL, "it orders %" PRIu64 " dimensions of %" PRIu32,
				   order->count, rank);
	for (uint32_t i = 0; i < rank; i++) {
		int64_t from = nn_const_int(order, i);

		if (from < 0 || from >= rank || seen & 1u << from)
			return tflite_fail(import, -EINVAL,
					   "its order of dimensions is not one of each");
		seen |= 1u << from;
		perm[i] = from;
	}
	/* A batch of one item may be anywhere. */
	if (perm[0] && !import->is_lifted && x->dims[0] == NN_ROWS && tflite_lift(import)) {
		x = tflite_tensor_input(import, 0);
		if (!x)
			return tflite_failed(import);
	}
	if (import->is_lifted) {
		for (uint32_t i = x->rank - 1; i; i--)
			perm[i] = perm[i - 1] + 1;
		perm[0] = 0;
	}
	if (perm[0])
		return tflite_fail(import, -EOPNOTSUPP,
				   "it moves dimension 0, which is the batch");
	err = tflite_same_quant(import, 0, &x->quant);
	if (!err)
		err = nn_build_transpose(&import->builder, x, perm, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- Parts of tensors ---- */

/* Input `from` cut to sizes[] from begins[] on, in all dimensions. */
static int slice(struct tflite_import *import, const struct nn_build_tensor *from,
		 const int64_t *begins, const int64_t *sizes, struct nn_build_tensor *out)
{
	struct nn_build_tensor made = *from;
	int err = tflite_same_quant(import, 0, &from->quant);

	for (uint32_t i = 1; i < from->rank && !err; i++) {
		if (begins[i] < 0 || sizes[i] < 1 || begins[i] > (int64_t)from->dims[i] ||
		    sizes[i] > (int64_t)from->dims[i] - begins[i])
			return tflite_fail(import, -EINVAL,
					   "it takes %" PRId64 " indices from %" PRId64
					   " on of dimension %" PRIu32 ", which has %" PRIu32,
					   sizes[i], begins[i], i, from->dims[i]);
		err = nn_build_slice(&import->builder, &made, i, begins[i], sizes[i], &made);
	}
	*out = made;
	return err;
}

/* A constant that has a number for each dimension of x. */
static const struct nn_const *dims_input(struct tflite_import *import, uint32_t i,
					 const struct nn_build_tensor *x)
{
	const struct nn_const *numbers = tflite_ints_input(import, i);

	if (!numbers || numbers->count == x->rank - import->is_lifted)
		return numbers;
	tflite_fail(import, -EINVAL, "it has %" PRIu64 " numbers for %" PRIu32 " dimensions",
		    numbers->count, x->rank - import->is_lifted);
	return NULL;
}

static int fail_rows(struct tflite_import *import)
{
	return tflite_fail(import, -EOPNOTSUPP, "it takes a part of dimension 0, which is the batch");
}

int tflite_lower_slice(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	const struct nn_const *begin = x ? dims_input(import, 1, x) : NULL;
	const struct nn_const *size = begin ? dims_input(import, 2, x) : NULL;
	int64_t begins[NN_MAX_RANK] = { 0 }, sizes[NN_MAX_RANK];
	uint32_t first = import->is_lifted;
	struct nn_build_tensor made;
	int err;

	if (!size)
		return tflite_failed(import);
	sizes[0] = x->dims[0];
	for (uint32_t i = first; i < x->rank; i++) {
		begins[i] = nn_const_int(begin, i - first);
		sizes[i] = nn_const_int(size, i - first);
		if (sizes[i] == -1 && begins[i] >= 0)
			sizes[i] = (int64_t)x->dims[i] - begins[i];
	}
	/* -1 is all; 1 is all of a batch that the model was made for. */
	if (!first && (begins[0] || (nn_const_int(size, 0) != -1 &&
				     sizes[0] != (x->dims[0] == NN_ROWS ? 1 : x->dims[0]))))
		return fail_rows(import);
	err = slice(import, x, begins, sizes, &made);
	return err ? err : tflite_define(import, 0, &made);
}

enum strided_slice_option { BEGIN_MASK, END_MASK, ELLIPSIS_MASK, NEW_AXIS_MASK, SHRINK_MASK };

/*
 * Finds what entry `entry` of STRIDED_SLICE takes of a dimension of `size` indices. Bounds count
 * from its end if negative, and are clamped to it.
 */
int tflite_find_steps(struct tflite_import *import, const struct nn_const *bounds[3],
		      uint32_t entry, int64_t size, struct nn_steps *steps)
{
	const int64_t *option = import->now->option;
	int64_t begin = nn_const_int(bounds[0], entry), end = nn_const_int(bounds[1], entry);
	int64_t step = nn_const_int(bounds[2], entry), count;
	/* The range in which a slice may begin and end. */
	int64_t low = step > 0 ? 0 : -1, high = step > 0 ? size : size - 1;

	if (!step || step < -INT32_MAX || step > INT32_MAX)
		return tflite_fail(import, -EINVAL, "its stride is %" PRId64, step);
	begin += begin < 0 ? size : 0;
	end += end < 0 ? size : 0;
	if (option[SHRINK_MASK] >> entry & 1) {
		if (begin < 0 || begin >= size || step != 1 ||
		    (begin && option[BEGIN_MASK] >> entry & 1))
			return tflite_fail(import, -EOPNOTSUPP,
					   "it takes index %" PRId64 " of %" PRId64
					   ", with a stride of %" PRId64, begin, size, step);
		*steps = (struct nn_steps){ begin, 1, 1 };
		return 0;
	}
	begin = begin < low ? low : begin > high ? high : begin;
	end = end < low ? low : end > high ? high : end;
	if (option[BEGIN_MASK] >> entry & 1)
		begin = step > 0 ? low : high;
	if (option[END_MASK] >> entry & 1)
		end = step > 0 ? high : low;
	count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
	if (count < 1)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it takes nothing of a dimension of %" PRId64, size);
	*steps = (struct nn_steps){ begin, step, count };
	return 0;
}

/* The dimensions that entries go through, as the file has them: x's, and new ones. */
struct slicing {
	const struct nn_const *bounds[3]; /* begin, end, stride */
	struct nn_steps steps[NN_MAX_RANK];
	uint32_t taken; /* dimensions of x so far */
	uint32_t rank, dims[NN_MAX_RANK]; /* of the output */
};

static int add_new_axis(struct tflite_import *import, struct slicing *slicing)
{
	if (!slicing->rank)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it puts a dimension in front of dimension 0, which is the batch");
	if (slicing->rank == NN_MAX_RANK)
		return tflite_fail(import, -EOPNOTSUPP, "it makes more than %d dimensions",
				   NN_MAX_RANK);
	slicing->dims[slicing->rank++] = 1;
	return 0;
}

/* The next dimension of x, by an entry or, if that is negative, whole. */
static int add_dimension(struct tflite_import *import, const struct nn_build_tensor *x, int entry,
			 struct slicing *slicing)
{
	uint32_t i = slicing->taken++;
	int64_t size = i || x->dims[0] != NN_ROWS ? x->dims[i] : 1;
	bool is_one = entry >= 0 && import->now->option[SHRINK_MASK] >> entry & 1;
	struct nn_steps *steps = &slicing->steps[i];
	int err;

	*steps = (struct nn_steps){ 0, 1, size };
	if (entry >= 0) {
		err = tflite_find_steps(import, slicing->bounds, entry, size, steps);
		if (err)
			return err;
	}
	if (!i && (steps->begin || steps->step != 1 || steps->count != size || is_one))
		return fail_rows(import);
	if (is_one)
		return 0;
	if (slicing->rank == NN_MAX_RANK)
		return tflite_fail(import, -EOPNOTSUPP, "it makes more than %d dimensions",
				   NN_MAX_RANK);
	slicing->dims[slicing->rank++] = i ? steps->count : x->dims[0];
	return 0;
}

/* Goes through the entries, of which one may stand for all dimensions that no other one is for. */
static int read_slicing(struct tflite_import *import, const struct nn_build_tensor *x,
			struct slicing *slicing)
{
	const int64_t *option = import->now->option;
	uint32_t count = slicing->bounds[0]->count, named = 0, ellipses = 0;
	uint32_t rank = x->rank - import->is_lifted; /* as the file has it */
	int err = 0;

	if (import->is_lifted)
		err = add_dimension(import, x, -1, slicing);
	for (uint32_t i = 0; i < count; i++) {
		bool ellipsis = option[ELLIPSIS_MASK] >> i & 1;

		ellipses += ellipsis;
		named += !ellipsis && !(option[NEW_AXIS_MASK] >> i & 1);
	}
	if (ellipses > 1 || named > rank)
		return tflite_fail(import, -EINVAL,
				   "it slices %" PRIu32 " dimensions of %" PRIu32
				   ", or has two ellipses", named, rank);
	/* TensorFlow Lite lets it stand for one all the same. */
	if (ellipses && named == rank)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its ellipsis stands for no dimension, which TensorFlow Lite "
				   "takes for one");
	for (uint32_t i = 0; i < count && !err; i++) {
		if (option[ELLIPSIS_MASK] >> i & 1) {
			for (uint32_t k = named; k < rank && !err; k++)
				err = add_dimension(import, x, -1, slicing);
		} else if (option[NEW_AXIS_MASK] >> i & 1) {
			err = add_new_axis(import, slicing);
		} else {
			err = add_dimension(import, x, i, slicing);
		}
	}
	while (slicing->taken < x->rank && !err)
		err = add_dimension(import, x, -1, slicing);
	return err;
}

int tflite_lower_strided_slice(struct tflite_import *import)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, 0);
	struct slicing slicing = { .rank = 0 };
	struct nn_build_tensor made;
	int err;

	for (uint32_t i = 0; i < 3 && x; i++) {
		slicing.bounds[i] = tflite_ints_input(import, i + 1);
		if (!slicing.bounds[i])
			return tflite_failed(import);
		if (slicing.bounds[i]->count != slicing.bounds[0]->count ||
		    slicing.bounds[i]->count > NN_MAX_RANK)
			return tflite_fail(import, -EINVAL,
					   "its bounds and strides have different numbers, or more than %d",
					   NN_MAX_RANK);
	}
	if (!x)
		return tflite_failed(import);
	err = read_slicing(import, x, &slicing);
	if (!err)
		err = tflite_same_quant(import, 0, &x->quant);
	if (!err)
		err = nn_build_steps(&import->builder, x, slicing.steps, &made);
	if (!err)
		err = nn_build_reshape(&import->builder, &made, slicing.rank, slicing.dims, &made);
	return err ? err : tflite_define(import, 0, &made);
}

int tflite_lower_split(struct tflite_import *import)
{
	const struct nn_const *axis = tflite_ints_input(import, 0);
	const struct nn_build_tensor *x = axis ? tflite_tensor_input(import, 1) : NULL;
	uint32_t count = import->now->output_count;
	struct nn_build_tensor made;
	int64_t at;
	int err;

	if (!x)
		return tflite_failed(import);
	if (axis->count != 1 || import->now->option[0] != count)
		return tflite_fail(import, -EINVAL,
				   "it has not one axis, or other outputs than num_splits");
	at = nn_const_int(axis, 0);
	if (at >= -(int64_t)x->rank && at < x->rank)
		at += at < 0 ? x->rank : import->is_lifted;
	if (at == 0 && count == 1) {
		err = tflite_same_quant(import, 0, &x->quant);
		return err ? err : tflite_define(import, 0, x);
	}
	if (at < 1 || at >= x->rank || x->dims[at] % count)
		return tflite_fail(import, -EOPNOTSUPP,
				   "it splits dimension %" PRId64
				   ", which is the batch, none, or no multiple of %" PRIu32,
				   at, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t size = x->dims[at] / count;

		import->builder.result = import->tensors[import->now->outputs[i]].name;
		err = tflite_same_quant(import, i, &x->quant);
		if (!err)
			err = nn_build_slice(&import->builder, x, at, i * size, size, &made);
		if (!err)
			err = tflite_define(import, i, &made);
		if (err)
			return err;
	}
	return 0;
}
