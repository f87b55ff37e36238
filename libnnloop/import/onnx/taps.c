// SPDX-License-Identifier: MIT
/*
 * Pools of windows that the graph's pools do not have: with dilations, in three directions, longer
 * ones, and norms. What each place of the window has for all windows is a slice with steps; the
 * slices are put side by side along a new last dimension, which is reduced.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/floats.h"
#include "import/onnx/onnx.h"

#define MOST_TAPS 1024 /* so that a small file cannot take much memory */

int onnx_read_list(struct onnx_import *import, const char *name, uint32_t count,
		   int64_t otherwise, int64_t *out)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, name);

	for (uint32_t i = 0; i < count; i++)
		out[i] = otherwise;
	if (!attr || !attr->n_ints)
		return 0;
	if (attr->n_ints != count)
		return onnx_fail(import, -EINVAL,
				 "its attribute %s has %zu numbers, and its input takes %" PRIu32,
				 name, attr->n_ints, count);
	for (uint32_t i = 0; i < count; i++) {
		if (attr->ints[i] > INT32_MAX)
			return onnx_fail(import, -EOPNOTSUPP, "its attribute %s has %" PRId64, name,
					 attr->ints[i]);
		out[i] = attr->ints[i];
	}
	return 0;
}

static int read_padding(struct onnx_import *import, struct onnx_taps *taps)
{
	int64_t pads[2 * ONNX_DIRECTIONS];
	int err = onnx_read_list(import, "pads", 2 * taps->directions, 0, pads);

	if (err)
		return err;
	for (uint32_t i = 0; i < taps->directions; i++) {
		taps->before[i] = pads[i];
		taps->after[i] = pads[taps->directions + i];
	}
	return 0;
}

/* How many windows there are along direction i, of so many elements, and what is padded for that. */
static int place(struct onnx_import *import, struct onnx_taps *taps, uint32_t i, int64_t size)
{
	const char *auto_pad = onnx_attr_string(import, "auto_pad", "NOTSET");
	const int64_t extent = taps->dilation[i] * (taps->kernel[i] - 1) + 1;
	const int64_t stride = taps->stride[i];
	int64_t left = size + taps->before[i] + taps->after[i] - extent, missing;

	if (!strncmp(auto_pad, "SAME", 4)) {
		taps->windows[i] = (size + stride - 1) / stride;
		missing = (taps->windows[i] - 1) * stride + extent - size;
		if (missing < -1)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its strides leave %" PRId64
					 " elements out, and for auto_pad ONNX does not say which",
					 -missing);
		missing = missing < 0 ? 0 : missing;
		taps->before[i] = !strcmp(auto_pad, "SAME_UPPER") ? missing / 2 :
								    missing - missing / 2;
		taps->after[i] = missing - taps->before[i];
		return 0;
	}
	if (left < 0)
		return onnx_fail(import, -EINVAL,
				 "its window is %" PRId64 " long, and there are %" PRId64, extent,
				 size + taps->before[i] + taps->after[i]);
	taps->windows[i] = left / stride + 1;
	/* One that begins behind the last element is none. */
	if (onnx_attr_int(import->node, "ceil_mode", 0) && left % stride &&
	    taps->windows[i] * stride < size + taps->before[i]) {
		taps->windows[i]++;
		taps->after[i] += stride - left % stride;
		taps->over = true;
	}
	return 0;
}

int onnx_read_taps(struct onnx_import *import, const struct nn_build_tensor *x,
		   const uint32_t *kernel, struct onnx_taps *taps)
{
	const char *auto_pad = onnx_attr_string(import, "auto_pad", "NOTSET");
	const Onnx__AttributeProto *pads = onnx_attr(import->node, "pads");
	int err;

	if (x->rank < 3 || x->rank - 2 > ONNX_DIRECTIONS)
		return onnx_fail(import, -EOPNOTSUPP, "its input has %" PRIu32 " dimensions",
				 x->rank);
	*taps = (struct onnx_taps){ .directions = x->rank - 2 };
	if (strcmp(auto_pad, "NOTSET") && pads && pads->n_ints)
		return onnx_fail(import, -EINVAL, "it has both auto_pad %s and pads", auto_pad);
	err = onnx_read_list(import, "kernel_shape", taps->directions, 1, taps->kernel);
	for (uint32_t i = 0; i < taps->directions && kernel && !err; i++) {
		if (onnx_attr(import->node, "kernel_shape") && taps->kernel[i] != kernel[i])
			err = onnx_fail(import, -EINVAL,
					"its kernel_shape is not that of its weights");
		taps->kernel[i] = kernel[i];
	}
	if (!err)
		err = onnx_read_list(import, "strides", taps->directions, 1, taps->stride);
	if (!err)
		err = onnx_read_list(import, "dilations", taps->directions, 1, taps->dilation);
	if (!err)
		err = read_padding(import, taps);
	for (uint32_t i = 0; i < taps->directions && !err; i++)
		err = place(import, taps, i, x->dims[2 + i]);
	return err;
}

int onnx_build_tap(struct onnx_import *import, const struct nn_build_tensor *padded,
		   const struct onnx_taps *taps, uint32_t tap, struct nn_build_tensor *out)
{
	struct nn_steps steps[NN_MAX_RANK];

	nn_all_steps(padded, steps);
	for (uint32_t i = taps->directions; i--; tap /= taps->kernel[i])
		steps[2 + i] = (struct nn_steps){ tap % taps->kernel[i] * taps->dilation[i],
						  taps->stride[i], taps->windows[i] };
	return nn_build_steps(&import->builder, padded, steps, out);
}

/* The same with a new last dimension. */
static int build_tap(struct onnx_import *import, const struct nn_build_tensor *padded,
		     const struct onnx_taps *taps, uint32_t tap, struct nn_build_tensor *out)
{
	uint32_t dims[NN_MAX_RANK];
	int err = onnx_build_tap(import, padded, taps, tap, out);

	memcpy(dims, out->dims, sizeof(dims));
	dims[padded->rank] = 1;
	return err ? err :
		     nn_build_reshape(&import->builder, out, padded->rank + 1, dims, out);
}

/* Whether windows have a place where nothing is. */
static bool is_padded(const struct onnx_taps *taps)
{
	for (uint32_t i = 0; i < taps->directions; i++) {
		if (taps->before[i] || taps->after[i])
			return true;
	}
	return false;
}

/* One window, without dilations or padding: it goes over a part of x, which is reduced as it is. */
static bool is_one(const struct onnx_taps *taps)
{
	for (uint32_t i = 0; i < taps->directions; i++) {
		if (taps->windows[i] != 1 || (taps->dilation[i] != 1 && taps->kernel[i] != 1))
			return false;
	}
	return !is_padded(taps);
}

static int build_one(struct onnx_import *import, const struct nn_build_tensor *x,
		     const struct onnx_taps *taps, struct nn_build_tensor *out)
{
	struct nn_steps steps[NN_MAX_RANK];

	for (uint32_t i = 0; i < x->rank; i++)
		steps[i] = (struct nn_steps){ 0, 1, i < 2 ? x->dims[i] : taps->kernel[i - 2] };
	return nn_build_steps(&import->builder, x, steps, out);
}

int onnx_pad_taps(struct onnx_import *import, const struct nn_build_tensor *x,
		  struct onnx_taps *taps, int32_t value, struct nn_build_tensor *out)
{
	uint32_t before[NN_MAX_RANK] = { 0 }, after[NN_MAX_RANK] = { 0 };
	uint64_t count = 1;
	int err;

	for (uint32_t i = 0; i < taps->directions; i++) {
		count *= taps->kernel[i];
		if (count > MOST_TAPS)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its window has more than %d places; with dilations, in "
					 "three directions, computed weights, or more than %d in "
					 "one, nnloop knows no more", MOST_TAPS, NN_MAX_WINDOW);
		before[2 + i] = taps->before[i];
		after[2 + i] = taps->after[i];
	}
	taps->count = count;
	err = nn_build_layout(&import->builder, x, NN_LAYOUT_PLAIN, out);
	return err ? err : nn_build_pad(&import->builder, out, before, after, "constant", value,
					out);
}

/* The result is reduced; it has `value`, an integer as it is stored, where windows are padded. */
static int build_taps(struct onnx_import *import, const struct nn_build_tensor *x,
		      struct onnx_taps *taps, int32_t value, struct nn_build_tensor *out)
{
	uint32_t axis, dims[NN_MAX_RANK];
	struct nn_build_tensor *parts, padded;
	int err;

	taps->keep = is_one(taps);
	taps->axes = taps->keep ? (1u << x->rank) - 4 : 1u << x->rank;
	if (taps->keep)
		return build_one(import, x, taps, out);
	err = onnx_pad_taps(import, x, taps, value, &padded);
	parts = err ? NULL : onnx_alloc(import, taps->count, sizeof(*parts));
	if (!parts)
		return err ? err : -ENOMEM;
	for (uint32_t i = 0; i < taps->count && !err; i++)
		err = build_tap(import, &padded, taps, i, &parts[i]);
	if (!err)
		err = nn_concat_shape(&import->builder, parts, taps->count, -1, &axis, dims);
	return err ? err : nn_build_concat(&import->builder, parts, taps->count, axis, out);
}

bool onnx_has_dilations(struct onnx_import *import)
{
	const Onnx__AttributeProto *dilations = onnx_attr(import->node, "dilations");

	for (size_t i = 0; dilations && i < dilations->n_ints; i++) {
		if (dilations->ints[i] != 1)
			return true;
	}
	return false;
}

/* A pool's windows, of which ONNX Runtime does not have all that ONNX says there are. */
static int check_same(struct onnx_import *import)
{
	const char *auto_pad = onnx_attr_string(import, "auto_pad", "NOTSET");

	if (!onnx_has_dilations(import) || strncmp(auto_pad, "SAME", 4))
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "it has both dilations and auto_pad %s, of which ONNX Runtime makes fewer "
			 "windows than ONNX says\ngive its pads as numbers", auto_pad);
}

static bool is_long(struct onnx_import *import, const char *name)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, name);

	for (size_t i = 0; attr && i < attr->n_ints; i++) {
		if (attr->ints[i] > NN_MAX_WINDOW)
			return true;
	}
	return false;
}

bool onnx_has_taps(struct onnx_import *import)
{
	return onnx_has_dilations(import) || is_long(import, "kernel_shape") ||
	       is_long(import, "strides");
}

/* Whether a window along direction i, of so many elements, has none of them. */
static bool is_beside(const struct onnx_taps *taps, uint32_t i, int64_t size)
{
	for (int64_t w = 0; w < taps->windows[i]; w++) {
		int64_t begin = w * taps->stride[i] - taps->before[i], k = 0;

		while (k < taps->kernel[i] && (begin + k * taps->dilation[i] < 0 ||
					       begin + k * taps->dilation[i] >= size))
			k++;
		if (k == taps->kernel[i])
			return true;
	}
	return false;
}

/* A window that has none of the elements has no greatest one. */
static int check_beside(struct onnx_import *import, const struct onnx_taps *taps,
			const struct nn_build_tensor *x)
{
	for (uint32_t i = 0; i < taps->directions; i++) {
		if (is_beside(taps, i, x->dims[2 + i]))
			return onnx_fail(import, -EOPNOTSUPP,
					 "one of its windows has padding only, which has no greatest "
					 "element");
	}
	return 0;
}

int onnx_lower_max_taps(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_ordered_input(import, 0);
	struct onnx_value value;
	struct onnx_taps taps;
	int32_t low, high;
	int err = x ? check_same(import) : onnx_failed(import);

	if (!err)
		err = onnx_read_taps(import, &x->tensor, NULL, &taps);
	if (err)
		return err;
	if (!onnx_is_computed(x->tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	err = check_beside(import, &taps, &x->tensor);
	if (err)
		return err;
	nn_type_range(x->tensor.quant.type, &low, &high);
	value = *x;
	err = build_taps(import, &x->tensor, &taps, low, &value.tensor);
	return err ? err : onnx_define_extreme(import, &value, taps.axes, taps.keep);
}

/* Input 0 as taps: 0 where the windows are padded. NULL: the error is set. */
static const struct onnx_value *real_taps(struct onnx_import *import, struct onnx_taps *taps)
{
	const struct onnx_value *x = onnx_real_input(import, 0);
	struct onnx_value *value = onnx_alloc(import, 1, sizeof(*value));

	if (!x || !value || check_same(import) ||
	    onnx_read_taps(import, &x->tensor, NULL, taps))
		return NULL;
	if (!onnx_is_computed(x->tensor.quant.type) ||
	    (!strcmp(import->node->op_type, "LpPool") && !nn_type_is_8bit(x->tensor.quant.type))) {
		onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
			  nn_data_type_name(x->tensor.quant.type));
		return NULL;
	}
	*value = *x;
	return build_taps(import, &x->tensor, taps, x->tensor.quant.zero_point, &value->tensor) ?
		       NULL :
		       value;
}

bool onnx_is_other_average(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_taps taps;

	if (import->op->lower != onnx_lower_average_pool || x->tensor.rank < 3 ||
	    (x->kind != ONNX_REAL && x->kind != ONNX_PENDING))
		return false;
	if (!onnx_has_taps(import) && (x->tensor.rank < 5 || onnx_is_flat(import, x)))
		return false;
	return !onnx_read_taps(import, &x->tensor, NULL, &taps) && !is_one(&taps) && !taps.over &&
	       is_padded(&taps) && !onnx_attr_int(import->node, "count_include_pad", 0);
}

int onnx_lower_average_taps(struct onnx_import *import)
{
	struct onnx_taps taps;
	const struct onnx_value *value = real_taps(import, &taps);

	if (!value)
		return onnx_failed(import);
	if (taps.over || (is_padded(&taps) && !onnx_attr_int(import->node, "count_include_pad", 0)))
		return onnx_fail_form(import,
				      "its windows are padded, and what is padded does not count; "
				      "with dilations, in three directions, or a window longer than "
				      "255, nnloop knows that it counts, and no ceil_mode");
	return onnx_define_mean(import, value, taps.axes, taps.keep);
}

int onnx_lower_lp_pool(struct onnx_import *import)
{
	struct onnx_taps taps;
	const struct onnx_value *value = real_taps(import, &taps);

	if (!value)
		return onnx_failed(import);
	return onnx_define_magnitudes(import, value, taps.axes, taps.keep);
}

/* ---- In float32 ---- */

/* How many places of each window count, as floats that are broadcast with what the pool makes. */
static int count_places(struct onnx_import *import, const struct onnx_taps *taps,
			const struct nn_build_tensor *x, bool with_padding, struct nn_const *out)
{
	float *counts;

	*out = (struct nn_const){ .element = NN_ELEMENT_FLOAT, .rank = taps->directions, .count = 1 };
	for (uint32_t i = 0; i < taps->directions; i++) {
		out->dims[i] = taps->windows[i];
		out->count *= taps->windows[i];
	}
	counts = onnx_alloc(import, out->count, sizeof(*counts));
	out->data = counts;
	for (uint64_t w = 0; counts && w < out->count; w++) {
		uint64_t left = w, count = 1;

		for (uint32_t i = taps->directions; i--; left /= taps->windows[i]) {
			int64_t at = left % taps->windows[i] * taps->stride[i] - taps->before[i];
			uint64_t some = 0;

			for (int64_t k = 0; k < taps->kernel[i]; k++, at += taps->dilation[i])
				some += with_padding || (at >= 0 && at < x->dims[2 + i]);
			count *= some;
		}
		counts[w] = (float)count;
	}
	return counts ? 0 : -ENOMEM;
}

/* Sums of windows by how many of their places count. */
static int divide(struct onnx_import *import, const struct onnx_taps *taps,
		  const struct nn_build_tensor *x, const struct nn_build_tensor *sums,
		  struct nn_build_tensor *out)
{
	bool with_padding = onnx_attr_int(import->node, "count_include_pad", 0);
	struct nn_const counts;
	int err = 0;

	if (taps->over && with_padding)
		err = onnx_fail(import, -EOPNOTSUPP,
				"in float32, with dilations or in three directions, nnloop knows "
				"ceil_mode of padding that does not count");
	if (!err)
		err = count_places(import, taps, x, with_padding, &counts);
	for (uint64_t i = 0; !err && i < counts.count; i++) {
		if (!nn_const_float(&counts, i))
			err = onnx_fail(import, -EOPNOTSUPP, "one of its windows has padding only");
	}
	return err ? err : nn_build_float_by(&import->builder, "Div", sums, &counts, out);
}

int onnx_lower_float_taps(struct onnx_import *import, const struct nn_build_tensor *x, bool is_max)
{
	const float lowest = is_max ? -INFINITY : 0;
	struct nn_float_along along = { .function = is_max ? "max" : "sum", .makes_one = true };
	struct nn_build_tensor all, made;
	struct onnx_taps taps;
	uint32_t rank, dims[NN_MAX_RANK];
	int32_t bits;
	int err = check_same(import);

	memcpy(&bits, &lowest, sizeof(bits));
	if (!err)
		err = onnx_read_taps(import, x, NULL, &taps);
	if (!err && is_max)
		err = check_beside(import, &taps, x);
	if (!err)
		err = build_taps(import, x, &taps, bits, &all);
	if (err)
		return err;
	along.axes = taps.axes;
	err = nn_build_float_reduce(&import->builder, &all, &along, &made);
	nn_reduced_shape(&all, taps.axes, taps.keep, &rank, dims);
	if (!err && !taps.keep)
		err = nn_build_reshape(&import->builder, &made, rank, dims, &made);
	all = made;
	if (!err && !is_max)
		err = divide(import, &taps, x, &all, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}
