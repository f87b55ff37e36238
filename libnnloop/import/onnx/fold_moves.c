// SPDX-License-Identifier: MIT
/*
 * Shapes, orders and choices of numbers that are known while an ONNX model is imported (numbers.c):
 * lists of dimensions, indices and masks, which exporters write where the model's code makes them.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/numbers.h"

/* ---- Gather ---- */

/* The current node's axis, from the front; -1: the error is set. */
static int64_t read_axis(struct onnx_import *import, uint32_t rank)
{
	int64_t axis = onnx_attr_int(import->node, "axis", 0);

	axis += axis < 0 ? rank : 0;
	if (axis >= 0 && axis < rank)
		return axis;
	onnx_fail(import, -EINVAL, "its axis is not one of %" PRIu32 " dimensions", rank);
	return -1;
}

/* Elements that are one for each index of the dimensions from one to another. */
static uint32_t count_between(const uint32_t *dims, uint32_t from, uint32_t to)
{
	uint32_t count = 1;

	for (uint32_t i = from; i < to; i++)
		count *= dims[i];
	return count;
}

/* The shape that is gathered, with the indices' in place of the axis. */
static int make_gathered(struct onnx_import *import, const struct onnx_numbers *from,
			 const struct onnx_numbers *index, uint32_t axis, struct onnx_numbers *out)
{
	*out = (struct onnx_numbers){ .element = from->element, .rows_of = from->rows_of };
	if (from->rank + index->rank - 1 > NN_MAX_RANK)
		return onnx_fail(import, -EOPNOTSUPP, "it makes more than %d dimensions",
				 NN_MAX_RANK);
	for (uint32_t i = 0; i < axis; i++)
		out->dims[out->rank++] = from->dims[i];
	for (uint32_t i = 0; i < index->rank; i++)
		out->dims[out->rank++] = index->dims[i];
	for (uint32_t i = axis + 1; i < from->rank; i++)
		out->dims[out->rank++] = from->dims[i];
	if (from->rows_of && out->rank > 1)
		return onnx_fail_batch(import);
	return onnx_make_numbers(import, out);
}

int onnx_fold_gather(struct onnx_import *import)
{
	struct onnx_numbers from, index, out;
	uint32_t behind, size;
	int64_t axis;

	if (onnx_read_numbers(import, 0, &from) || onnx_read_numbers(import, 1, &index))
		return onnx_failed(import);
	if (index.rows_of || index.element == NN_ELEMENT_FLOAT)
		return onnx_fail(import, -EOPNOTSUPP, "of numbers it knows those by constants");
	axis = read_axis(import, from.rank);
	if (axis < 0 || make_gathered(import, &from, &index, axis, &out))
		return onnx_failed(import);
	behind = count_between(from.dims, axis + 1, from.rank);
	size = from.dims[axis];
	for (uint32_t k = 0; k < out.count; k++) {
		uint32_t outside = k / behind / index.count;
		int64_t at = index.at[k / behind % index.count].i;

		if (at < -(int64_t)size || at >= size)
			return onnx_fail(import, -EINVAL, "it takes number %" PRId64 " of %" PRIu32,
					 at, size);
		at += at < 0 ? size : 0;
		out.at[k] = from.at[(outside * size + at) * behind + k % behind];
	}
	return onnx_define_numbers(import, &out);
}

/* ---- Concat ---- */

/* The shape of all, one behind the other along the axis. */
static int make_joined(struct onnx_import *import, const struct onnx_numbers *in, uint32_t axis,
		       struct onnx_numbers *out)
{
	uint64_t size = 0;

	*out = in[0];
	out->rows_of = NULL;
	for (uint32_t i = 0; i < import->node->n_input; i++) {
		bool same = in[i].rank == out->rank && in[i].element == out->element;

		for (uint32_t k = 0; k < out->rank && same; k++)
			same = k == axis || in[i].dims[k] == out->dims[k];
		if (!same)
			return onnx_fail(import, -EINVAL,
					 "its inputs differ in type, or in more than one dimension");
		if (onnx_join_rows(import, out, &in[i]))
			return onnx_failed(import);
		size += in[i].dims[axis];
	}
	if (size > ONNX_MAX_NUMBERS)
		return onnx_fail(import, -EOPNOTSUPP, "it makes more than %u numbers",
				 ONNX_MAX_NUMBERS);
	out->dims[axis] = size;
	return onnx_make_numbers(import, out);
}

int onnx_fold_concat(struct onnx_import *import)
{
	uint32_t count = import->node->n_input, to = 0, axis, outside;
	struct onnx_numbers *in = onnx_alloc(import, count, sizeof(*in)), out;
	int64_t found;

	if (!in)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		if (onnx_read_numbers(import, i, &in[i]))
			return onnx_failed(import);
	}
	found = read_axis(import, in[0].rank);
	if (found < 0 || make_joined(import, in, found, &out))
		return onnx_failed(import);
	axis = found;
	outside = count_between(out.dims, 0, axis);
	for (uint32_t o = 0; o < outside; o++) {
		for (uint32_t i = 0; i < count; i++) {
			uint32_t part = in[i].count / outside;

			memcpy(&out.at[to], &in[i].at[o * part], part * sizeof(*out.at));
			to += part;
		}
	}
	return onnx_define_numbers(import, &out);
}

/* ---- Reshape ---- */

/* Returns how many numbers say the other shape: input 1, or before opset 13 an attribute. */
static uint64_t count_axes(struct onnx_import *import)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "axes");
	const struct onnx_value *axes = onnx_input(import, 1);

	return axes->kind == ONNX_CONST ? axes->constant.count : attr ? attr->n_ints : 0;
}

/* Whether a Reshape makes a list of a list, by its only number. */
static bool keeps_list(struct onnx_import *import, const struct onnx_numbers *numbers)
{
	const struct nn_const *shape = &onnx_input(import, 1)->constant;
	int64_t count;

	if (strcmp(import->node->op_type, "Reshape") || numbers->rank != 1 ||
	    onnx_input(import, 1)->kind != ONNX_CONST || shape->count != 1 ||
	    shape->element != NN_ELEMENT_INT64)
		return false;
	count = nn_const_int(shape, 0);
	return count == -1 || count == numbers->count;
}

/* Numbers with a batch have one dimension or, if there is one of them, none. */
int onnx_fold_reshape(struct onnx_import *import)
{
	const char *op = import->node->op_type;
	struct onnx_numbers out;
	uint32_t rank;

	if (onnx_read_numbers(import, 0, &out))
		return onnx_failed(import);
	rank = !strcmp(op, "Reshape") ? count_axes(import) : !strcmp(op, "Unsqueeze");
	if (!strcmp(op, "Identity") || keeps_list(import, &out))
		return onnx_define_numbers(import, &out);
	if (out.count != 1 || rank > 1 || (!strcmp(op, "Unsqueeze") && count_axes(import) != 1) ||
	    (strcmp(op, "Reshape") && out.rank == rank))
		return onnx_fail(import, -EOPNOTSUPP,
				 "of numbers of a shape it knows one, with one dimension or none");
	out.rank = rank;
	out.dims[0] = 1;
	return onnx_define_numbers(import, &out);
}

/* ---- Expand ---- */

int onnx_fold_expand(struct onnx_import *import)
{
	struct onnx_numbers in, out;
	int64_t wanted[NN_MAX_RANK];
	uint32_t dims[NN_MAX_RANK], rank;
	int err = onnx_read_item_ints(import, 1, wanted, &rank);

	if (err)
		return err;
	for (uint32_t i = 0; i < rank; i++) {
		if (wanted[i] < 1 || wanted[i] > ONNX_MAX_NUMBERS)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it makes a dimension of %" PRId64 " of numbers",
					 wanted[i]);
		dims[i] = wanted[i];
	}
	if (onnx_read_numbers(import, 0, &in))
		return onnx_failed(import);
	out = (struct onnx_numbers){ .element = in.element, .rows_of = in.rows_of };
	err = onnx_join_numbers(import, &out, in.rank, in.dims);
	if (!err)
		err = onnx_join_numbers(import, &out, rank, dims);
	if (!err)
		err = onnx_make_numbers(import, &out);
	for (uint32_t k = 0; k < out.count && !err; k++)
		out.at[k] = *onnx_number_at(&in, &out, k);
	return err ? err : onnx_define_numbers(import, &out);
}

int onnx_fold_tile(struct onnx_import *import)
{
	struct onnx_numbers in, out;
	int64_t repeats[NN_MAX_RANK];
	uint32_t count;
	int err = onnx_read_item_ints(import, 1, repeats, &count);

	if (!err)
		err = onnx_read_numbers(import, 0, &in);
	if (err)
		return err;
	if (count != in.rank)
		return onnx_fail(import, -EINVAL, "it has not one number for each dimension");
	out = (struct onnx_numbers){ .element = in.element, .rank = in.rank, .rows_of = in.rows_of };
	for (uint32_t i = 0; i < count; i++) {
		if (repeats[i] < 1 || repeats[i] > ONNX_MAX_NUMBERS)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its number for dimension %" PRIu32 " is %" PRId64, i,
					 repeats[i]);
		if ((uint64_t)repeats[i] * in.dims[i] > ONNX_MAX_NUMBERS)
			return onnx_fail(import, -EOPNOTSUPP, "it makes more than %u numbers",
					 ONNX_MAX_NUMBERS);
		out.dims[i] = repeats[i] * in.dims[i];
	}
	err = onnx_make_numbers(import, &out);
	for (uint32_t k = 0; k < out.count && !err; k++) {
		uint32_t at = 0, stride = 1, left = k;

		for (uint32_t i = in.rank; i--; left /= out.dims[i]) {
			at += stride * (left % out.dims[i] % in.dims[i]);
			stride *= in.dims[i];
		}
		out.at[k] = in.at[at];
	}
	return err ? err : onnx_define_numbers(import, &out);
}

/* ---- Slice ---- */

/* Where a part of a dimension begins, its step, and how many indices it has. */
struct part {
	int64_t begin, step;
	uint32_t count;
};

/* An end as ONNX clamps it: counted from the back if negative, and to where the step leads. */
static int64_t clamp_end(int64_t end, int64_t size, int64_t step, bool is_begin)
{
	int64_t low = step < 0 ? -1 : 0, high = step < 0 ? size - 1 : size;

	if (end < 0)
		end = end < -size ? low : end + size;
	if (is_begin && step < 0 && end < 0)
		end = 0;
	return end < low ? low : end > high ? high : end;
}

static int find_part(struct onnx_import *import, int64_t begin, int64_t end, int64_t step,
		     uint32_t size, struct part *part)
{
	int64_t count;

	if (!step || step < -INT32_MAX || step > INT32_MAX)
		return onnx_fail(import, -EINVAL, "its step is %" PRId64, step);
	begin = clamp_end(begin, size, step, true);
	end = clamp_end(end, size, step, false);
	count = step > 0 ? (end - begin + step - 1) / step : (begin - end - step - 1) / -step;
	*part = (struct part){ begin, step, count > 0 ? count : 0 };
	return 0;
}

/* Reads input i of a Slice, of numbers that do not depend on the batch, or the attribute that it was
 * before opset 10. */
static int read_list(struct onnx_import *import, uint32_t i, const char *attr_name,
		     int64_t values[NN_MAX_RANK], uint32_t *count)
{
	struct onnx_numbers numbers;

	*count = 0;
	if (onnx_input(import, i)->kind == ONNX_ABSENT)
		return onnx_read_ints(import, i, attr_name, values, count);
	if (onnx_read_numbers(import, i, &numbers))
		return onnx_failed(import);
	if (numbers.element == NN_ELEMENT_FLOAT || numbers.count > NN_MAX_RANK)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " is no list of integers", i);
	for (uint32_t k = 0; k < numbers.count; k++) {
		if (numbers.at[k].batch)
			return onnx_fail_batch(import);
		values[k] = numbers.at[k].i;
	}
	*count = numbers.count;
	return 0;
}

/* The parts of all dimensions, of which those that are not named are whole. */
static int find_parts(struct onnx_import *import, const struct onnx_numbers *in,
		      struct part parts[NN_MAX_RANK])
{
	int64_t begins[NN_MAX_RANK], ends[NN_MAX_RANK], axes[NN_MAX_RANK], steps[NN_MAX_RANK];
	uint32_t counts[4];
	int err = read_list(import, 1, "starts", begins, &counts[0]);

	if (!err)
		err = read_list(import, 2, "ends", ends, &counts[1]);
	if (!err)
		err = read_list(import, 3, "axes", axes, &counts[2]);
	if (!err)
		err = read_list(import, 4, NULL, steps, &counts[3]);
	if (!err && (counts[0] != counts[1] || (counts[2] && counts[2] != counts[0]) ||
		     (counts[3] && counts[3] != counts[0]) || counts[0] > in->rank))
		err = onnx_fail(import, -EINVAL, "its starts, ends, axes and steps are not as many");
	for (uint32_t i = 0; i < in->rank; i++)
		parts[i] = (struct part){ 0, 1, in->dims[i] };
	for (uint32_t i = 0; i < counts[0] && !err; i++) {
		int64_t axis = counts[2] ? axes[i] : i;

		axis += axis < 0 ? in->rank : 0;
		if (axis < 0 || axis >= in->rank)
			return onnx_fail(import, -EINVAL,
					 "its axis is not one of %" PRIu32 " dimensions", in->rank);
		err = find_part(import, begins[i], ends[i], counts[3] ? steps[i] : 1,
				in->dims[axis], &parts[axis]);
	}
	return err;
}

int onnx_fold_slice(struct onnx_import *import)
{
	struct part parts[NN_MAX_RANK];
	struct onnx_numbers in, out;
	int err;

	if (onnx_read_numbers(import, 0, &in))
		return onnx_failed(import);
	err = find_parts(import, &in, parts);
	if (err)
		return err;
	out = in;
	for (uint32_t i = 0; i < in.rank; i++)
		out.dims[i] = parts[i].count;
	err = onnx_make_numbers(import, &out);
	if (err)
		return err;
	for (uint32_t k = 0; k < out.count; k++) {
		uint32_t at = 0, stride = 1, left = k;

		for (uint32_t i = in.rank; i--; left /= out.dims[i]) {
			at += stride * (parts[i].begin + left % out.dims[i] * parts[i].step);
			stride *= in.dims[i];
		}
		out.at[k] = in.at[at];
	}
	return onnx_define_numbers(import, &out);
}

/* ---- Range ---- */

/* How many numbers there are from one to another by a step; more than there can be if too many. */
static double count_steps(enum nn_element element, const struct onnx_number end[3])
{
	double from = end[0].i, to = end[1].i, by = end[2].i, count;

	if (element == NN_ELEMENT_FLOAT) {
		from = (double)end[0].f;
		to = (double)end[1].f;
		by = (double)end[2].f;
	}
	count = ceil((to - from) / by);
	return count > 0 ? count : 0;
}

/* Whether the current node counts from 0 by 1. */
static bool counts_items(struct onnx_import *import)
{
	const struct nn_const *from = &onnx_input(import, 0)->constant;
	const struct nn_const *by = &onnx_input(import, 2)->constant;

	return from->count == 1 && by->count == 1 && from->element != NN_ELEMENT_FLOAT &&
	       by->element == from->element && !nn_const_int(from, 0) && nn_const_int(by, 0) == 1;
}

int onnx_fold_range(struct onnx_import *import)
{
	struct onnx_numbers out = { .rank = 1 }, in;
	struct onnx_number end[3];
	double count;

	for (uint32_t i = 0; i < 3; i++) {
		if (onnx_read_numbers(import, i, &in))
			return onnx_failed(import);
		if (in.count != 1 || (i && in.element != out.element) ||
		    in.element == NN_ELEMENT_BOOL)
			return onnx_fail(import, -EINVAL,
					 "its inputs are not three numbers of one type");
		/* From 0 on: so many for each item (apart.c). */
		if (in.at[0].batch && (i != 1 || !import->apart || !counts_items(import)))
			return onnx_fail_batch(import);
		out.element = in.element;
		end[i] = in.at[0];
		if (end[i].i < -INT32_MAX || end[i].i > INT32_MAX || !isfinite(end[i].f))
			return onnx_fail(import, -EOPNOTSUPP,
					 "it counts from or to a number of more than 32 bits");
	}
	if (in.element == NN_ELEMENT_FLOAT ? end[2].f == 0 : !end[2].i)
		return onnx_fail(import, -EINVAL, "it counts by 0");
	count = count_steps(out.element, end);
	if (count < 1 || count > ONNX_MAX_NUMBERS)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it makes %g numbers; nnloop knows 1 to %u", count,
				 ONNX_MAX_NUMBERS);
	out.dims[0] = count;
	if (onnx_make_numbers(import, &out))
		return onnx_failed(import);
	for (uint32_t k = 0; k < out.count; k++)
		out.at[k] = (struct onnx_number){
			.i = end[0].i + k * end[2].i,
			.f = end[0].f + (float)k * end[2].f,
		};
	return onnx_define_numbers(import, &out);
}


/* ---- ScatterND ---- */

/* The updates' shape: that of the indices but their last dimension, then what is behind these. */
static bool fits(const struct onnx_numbers *data, const struct onnx_numbers *index,
		 const struct onnx_numbers *updates)
{
	uint32_t depth = index->dims[index->rank - 1], lists = index->rank - 1;

	if (updates->rank != lists + data->rank - depth)
		return false;
	for (uint32_t i = 0; i < updates->rank; i++) {
		if (updates->dims[i] !=
		    (i < lists ? index->dims[i] : data->dims[i - lists + depth]))
			return false;
	}
	return true;
}

/* Where a list of indices leads to, in elements. */
static int find_place(struct onnx_import *import, const struct onnx_numbers *data,
		      const struct onnx_number *list, uint32_t depth, uint32_t *at)
{
	*at = 0;
	for (uint32_t i = 0; i < depth; i++) {
		int64_t index = list[i].i, size = data->dims[i];

		if (index < -size || index >= size)
			return onnx_fail(import, -EINVAL,
					 "it puts something at index %" PRId64 " of %" PRId64,
					 index, size);
		*at = *at * size + index + (index < 0 ? size : 0);
	}
	*at *= count_between(data->dims, depth, data->rank);
	return 0;
}

int onnx_fold_scatter(struct onnx_import *import)
{
	struct onnx_numbers data, index, updates;
	uint32_t depth, lists, part, at;

	if (onnx_read_numbers(import, 0, &data) || onnx_read_numbers(import, 1, &index) ||
	    onnx_read_numbers(import, 2, &updates))
		return onnx_failed(import);
	if (strcmp(onnx_attr_string(import, "reduction", "none"), "none") || data.rows_of ||
	    index.rows_of || updates.rows_of || index.element == NN_ELEMENT_FLOAT ||
	    data.element != updates.element)
		return onnx_fail(import, -EOPNOTSUPP,
				 "of numbers it knows constants of one type that replace others");
	depth = index.rank ? index.dims[index.rank - 1] : 0;
	if (!depth || depth > data.rank || !fits(&data, &index, &updates))
		return onnx_fail(import, -EINVAL, "its indices or its updates have another shape");
	lists = index.count / depth;
	part = count_between(data.dims, depth, data.rank);
	for (uint32_t i = 0; i < lists; i++) {
		if (find_place(import, &data, &index.at[i * depth], depth, &at))
			return onnx_failed(import);
		memcpy(&data.at[at], &updates.at[i * part], part * sizeof(*data.at));
	}
	return onnx_define_numbers(import, &data);
}

/* ---- Trilu ---- */

int onnx_fold_trilu(struct onnx_import *import)
{
	bool upper = onnx_attr_int(import->node, "upper", 1), has_k = import->node->n_input > 1 &&
		     onnx_input(import, 1)->kind != ONNX_ABSENT;
	struct onnx_numbers x, k = { 0 };
	uint32_t height, width;
	int64_t by = 0;

	if (onnx_read_numbers(import, 0, &x) || (has_k && onnx_read_numbers(import, 1, &k)))
		return onnx_failed(import);
	if (x.rank < 2 || x.rows_of || k.rows_of ||
	    (has_k && (k.count != 1 || k.element != NN_ELEMENT_INT64)))
		return onnx_fail(import, -EOPNOTSUPP,
				 "of numbers it knows matrices of constants, and one that is its k");
	if (has_k)
		by = k.at[0].i < -INT32_MAX ? -INT32_MAX : k.at[0].i > INT32_MAX ? INT32_MAX : k.at[0].i;
	height = x.dims[x.rank - 2];
	width = x.dims[x.rank - 1];
	for (uint32_t i = 0; i < x.count; i++) {
		int64_t beside = (int64_t)(i % width) - i / width % height - by;

		if (upper ? beside < 0 : beside > 0)
			x.at[i] = (struct onnx_number){ 0 };
	}
	return onnx_define_numbers(import, &x);
}
