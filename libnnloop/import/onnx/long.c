// SPDX-License-Identifier: MIT
/*
 * Convolutions whose window or stride is longer than the graph's, as those of sound: the window's
 * parts become channels, one behind the other, of a convolution with a shorter window. The sums are
 * of the same products.
 *
 * Where a number divides the stride, a part has every so many-th place of the window and of the
 * line, and nothing is there twice; else a part has places that are next to each other.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MOST_PARTS 4096 /* so that a small file cannot take much memory */

/* Part p begins at element p * begin, goes on by `step`, and has place p * first + u * next of the
 * window at its own place u. */
struct parts {
	uint32_t axis, count, kernel;
	int64_t begin, step, first, next, stride, dilation;
};

bool onnx_is_long(struct onnx_import *import, const struct onnx_value *w)
{
	const Onnx__AttributeProto *strides = onnx_attr(import->node, "strides");

	for (size_t i = 0; strides && i < strides->n_ints; i++) {
		if (strides->ints[i] > NN_MAX_WINDOW)
			return true;
	}
	for (uint32_t i = 2; i < w->tensor.rank; i++) {
		if (w->tensor.dims[i] > NN_MAX_WINDOW)
			return true;
	}
	return false;
}

static int divide(struct onnx_import *import, const struct onnx_taps *taps, uint32_t i,
		  struct parts *parts)
{
	const int64_t kernel = taps->kernel[i], stride = taps->stride[i];

	*parts = (struct parts){ .axis = 2 + i, .dilation = taps->dilation[i] };
	for (int64_t by = 2; by <= stride && by <= MOST_PARTS && parts->dilation == 1; by++) {
		if (stride % by || stride / by > NN_MAX_WINDOW ||
		    (kernel + by - 1) / by > NN_MAX_WINDOW)
			continue;
		parts->count = by;
		parts->kernel = (kernel + by - 1) / by;
		parts->begin = parts->first = 1;
		parts->step = parts->next = by;
		parts->stride = stride / by;
		return 0;
	}
	if (stride > NN_MAX_WINDOW)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its stride is %" PRId64 ", and nnloop cannot divide it", stride);
	parts->count = (kernel + NN_MAX_WINDOW - 1) / NN_MAX_WINDOW;
	if (parts->count > MOST_PARTS)
		return onnx_fail(import, -EOPNOTSUPP, "its weights are %" PRId64 " long", kernel);
	parts->kernel = (kernel + parts->count - 1) / parts->count;
	parts->begin = parts->kernel * parts->dilation;
	parts->first = parts->kernel;
	parts->step = parts->next = 1;
	parts->stride = stride;
	return 0;
}

/* ---- The input ---- */

static struct onnx_value *copy_value(struct onnx_import *import, const struct onnx_value *value)
{
	struct onnx_value *made = onnx_alloc(import, 1, sizeof(*made));

	if (made)
		*made = *value;
	return made;
}

/* The input becomes as long as the windows reach, with the zero point where nothing is. */
static int pad(struct onnx_import *import, const struct onnx_taps *taps,
	       const struct parts *parts, struct nn_build_tensor *x)
{
	uint32_t before[NN_MAX_RANK] = { 0 }, after[NN_MAX_RANK] = { 0 };
	struct nn_steps steps[NN_MAX_RANK];
	int err = nn_build_layout(&import->builder, x, NN_LAYOUT_PLAIN, x);

	nn_all_steps(x, steps);
	for (uint32_t i = 0; i < taps->directions; i++) {
		int64_t reach = (taps->windows[i] - 1) * taps->stride[i] +
				taps->dilation[i] * (taps->kernel[i] - 1) + 1;
		int64_t end;

		if (i + 2 == parts->axis)
			reach = parts->begin * (parts->count - 1) +
				parts->step * ((taps->windows[i] - 1) * parts->stride +
					       parts->dilation * (parts->kernel - 1)) + 1;
		end = taps->before[i] + x->dims[2 + i];
		if (reach > INT32_MAX || reach <= taps->before[i])
			return onnx_fail(import, -EOPNOTSUPP, "its input is too large, or its padding");
		before[2 + i] = taps->before[i];
		after[2 + i] = reach > end ? reach - end : 0;
		steps[2 + i].count = reach < end ? reach - taps->before[i] : x->dims[2 + i];
	}
	if (!err)
		err = nn_build_steps(&import->builder, x, steps, x);
	return err ? err : nn_build_pad(&import->builder, x, before, after, "constant",
					x->quant.zero_point, x);
}

/* The parts' channels, group by group. */
static int build_parts(struct onnx_import *import, const struct parts *parts, uint32_t groups,
		       uint32_t windows, struct nn_build_tensor *x)
{
	struct nn_build_tensor *made = onnx_alloc(import, parts->count, sizeof(*made));
	const uint32_t count = parts->dilation * (parts->kernel - 1) +
			       (windows - 1) * parts->stride + 1;
	uint32_t axis, dims[NN_MAX_RANK], channels = x->dims[1];
	struct nn_steps steps[NN_MAX_RANK];
	int err = made ? 0 : -ENOMEM;

	nn_all_steps(x, steps);
	for (uint32_t p = 0; p < parts->count && !err; p++) {
		steps[parts->axis] = (struct nn_steps){ p * parts->begin, parts->step, count };
		err = nn_build_steps(&import->builder, x, steps, &made[p]);
		dims[0] = x->dims[0];
		dims[1] = groups;
		dims[2] = channels / groups;
		memcpy(dims + 3, made[p].dims + 2, (x->rank - 2) * sizeof(*dims));
		if (!err && groups > 1)
			err = nn_build_reshape(&import->builder, &made[p], x->rank + 1, dims,
					       &made[p]);
	}
	if (!err)
		err = nn_concat_shape(&import->builder, made, parts->count, groups > 1 ? 2 : 1,
				      &axis, dims);
	if (!err)
		err = nn_build_concat(&import->builder, made, parts->count, axis, x);
	if (err || groups == 1)
		return err;
	dims[1] = channels * parts->count;
	memmove(dims + 2, dims + 3, (x->rank - 3) * sizeof(*dims));
	return nn_build_reshape(&import->builder, x, x->rank - 1, dims, x);
}

/* ---- The weights ---- */

/* Element i of the zero points that there is one of for each output. */
static int64_t zero_of(const struct onnx_value *w, uint32_t output)
{
	return nn_quant_zero_point(&w->tensor.quant, w->tensor.quant.scales ? output : 0);
}

/* The weights with the parts' channels: where the window has no such place, zero points. */
static int divide_weights(struct onnx_import *import, const struct parts *parts,
			  struct onnx_value *w)
{
	const struct nn_const *from = &w->constant;
	const uint32_t size = nn_element_size(from->element), axis = parts->axis;
	uint32_t dims[NN_MAX_RANK], outputs = from->dims[0], channels = from->dims[1];
	uint64_t outer = 1, inner = 1, count, at = 0;
	uint8_t *data;

	for (uint32_t i = 2; i < axis; i++)
		outer *= from->dims[i];
	for (uint32_t i = axis + 1; i < from->rank; i++)
		inner *= from->dims[i];
	memcpy(dims, from->dims, sizeof(dims));
	dims[1] *= parts->count;
	dims[axis] = parts->kernel;
	if (onnx_need_output_scales(import, w, 0))
		return onnx_failed(import);
	if (size != 1)
		return onnx_fail(import, -EOPNOTSUPP, "its weights are of %s, and long",
				 nn_element_name(from->element));
	count = outputs * (uint64_t)channels * parts->count * outer * parts->kernel * inner;
	data = count > INT32_MAX ? NULL : onnx_alloc(import, count, size);
	if (!data)
		return -ENOMEM;
	for (uint64_t k = 0; k < count / inner; k++, at += inner) {
		uint64_t rest = k;
		uint32_t u = rest % parts->kernel, o, part, channel, row;
		int64_t place;

		rest /= parts->kernel;
		row = rest % outer;
		rest /= outer;
		channel = rest % channels;
		rest /= channels;
		part = rest % parts->count;
		o = rest / parts->count;
		place = part * parts->first + u * parts->next;
		if (place < from->dims[axis])
			memcpy(data + at,
			       (const uint8_t *)from->data +
				       (((o * (uint64_t)channels + channel) * outer + row) *
						from->dims[axis] + place) * inner,
			       inner);
		else
			memset(data + at, (int)zero_of(w, o), inner);
	}
	w->constant.data = data;
	w->constant.count = count;
	memcpy(w->constant.dims, dims, sizeof(dims));
	memcpy(w->tensor.dims, dims, sizeof(dims));
	return 0;
}

/* ---- The convolution ---- */

/* One direction after the other, each of which is shorter then. */
struct onnx_pending *onnx_new_long(struct onnx_import *import, const struct onnx_value *x,
				   const struct onnx_value *w, const struct onnx_value *bias,
				   onnx_make_fp make)
{
	const Onnx__NodeProto *node = import->node;
	const int64_t groups = onnx_attr_int(node, "group", 1);
	struct onnx_taps *taps = onnx_alloc(import, 1, sizeof(*taps));
	struct onnx_value *image = copy_value(import, x), *weights = copy_value(import, w);
	struct onnx_attrs attrs = { 0 };
	struct onnx_pending *made;
	struct parts parts;
	uint32_t i = 0;

	if (!taps || !image || !weights)
		return NULL;
	if (groups < 1 || groups > x->tensor.dims[1] || x->tensor.dims[1] % groups) {
		onnx_fail(import, -EINVAL, "its %" PRId64 " groups do not divide %" PRIu32
			  " channels", groups, x->tensor.dims[1]);
		return NULL;
	}
	if (onnx_read_taps(import, &x->tensor, w->tensor.dims + 2, taps))
		return NULL;
	while (taps->kernel[i] <= NN_MAX_WINDOW && taps->stride[i] <= NN_MAX_WINDOW)
		i++;
	if (divide(import, taps, i, &parts) || pad(import, taps, &parts, &image->tensor) ||
	    build_parts(import, &parts, groups, taps->windows[i], &image->tensor) ||
	    divide_weights(import, &parts, weights))
		return NULL;
	taps->stride[i] = parts.stride;
	attrs.count = taps->directions;
	memcpy(attrs.strides, taps->stride, sizeof(attrs.strides));
	memcpy(attrs.dilations, taps->dilation, sizeof(attrs.dilations));
	import->node = onnx_replace_window(import, &attrs);
	made = import->node ? make(import, image, weights, bias) : NULL;
	import->node = node;
	return made;
}
