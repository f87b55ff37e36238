// SPDX-License-Identifier: MIT
/*
 * Convolutions of volumes, N, C, D, H, W, as ones of images. The places of the window along the
 * depth become channels, so that what is left of it is a window of height and width; and the slices
 * that windows begin at stand one below the other in one high image. Windows of which one slice has
 * the upper and another the lower part are made as well, and dropped.
 *
 * The depth of a transposed convolution is one of an ordinary convolution, with its window turned
 * around, of slices that stand a stride apart, with zero points in between. Slices of the high
 * image are as far apart as what two of them make does not meet.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define VOLUME_RANK 5
enum { DEPTH, HEIGHT, WIDTH };

/* The depth and the height: of the depth a window of `taps` places, `apart` slices apart, begins at
 * every `step`-th slice, `slices` times, each `rows` high. */
struct stack {
	uint32_t taps, apart, step, slices, rows, groups;
	bool is_turned; /* the last place of the window comes first */
};

/* ---- The input ---- */

/* Dimension i becomes `size` long: `before` zero points come in front of it, or so many indices go
 * if it is below 0, and behind it what is missing comes, or what is too much goes. */
static int fit(struct onnx_import *import, struct nn_build_tensor *x, uint32_t i, int64_t before,
	       int64_t size)
{
	const int64_t gone = before < 0 ? -before : 0, front = before < 0 ? 0 : before;
	uint32_t pads[2][NN_MAX_RANK] = { { 0 } };
	struct nn_steps steps[NN_MAX_RANK];
	int err;

	if (size > INT32_MAX || size <= front || x->dims[i] <= gone)
		return onnx_fail(import, -EOPNOTSUPP, "its input is too large, or its padding");
	nn_all_steps(x, steps);
	steps[i] = (struct nn_steps){ gone, 1, x->dims[i] - gone };
	if (size - front < steps[i].count)
		steps[i].count = size - front;
	pads[0][i] = front;
	pads[1][i] = size - front - steps[i].count;
	err = nn_build_steps(&import->builder, x, steps, x);
	return err ? err : nn_build_pad(&import->builder, x, pads[0], pads[1], "constant",
					x->quant.zero_point, x);
}

/* The slices where the window's places are, as channels of a high image; those of a group are next
 * to each other. */
static int build_stack(struct onnx_import *import, const struct stack *stack,
		       struct nn_build_tensor *x)
{
	const uint32_t channels = x->dims[1], width = x->dims[2 + WIDTH];
	struct nn_build_tensor *parts = onnx_alloc(import, stack->taps, sizeof(*parts));
	uint32_t dims[NN_MAX_RANK] = { x->dims[0], stack->groups, channels / stack->groups,
				       stack->slices * stack->rows, width };
	struct nn_steps steps[NN_MAX_RANK];
	uint32_t axis, shape[NN_MAX_RANK];
	int err = parts ? 0 : -ENOMEM;

	nn_all_steps(x, steps);
	for (uint32_t t = 0; t < stack->taps && !err; t++) {
		steps[2 + DEPTH] = (struct nn_steps){ (int64_t)t * stack->apart, stack->step,
						      stack->slices };
		err = nn_build_steps(&import->builder, x, steps, &parts[t]);
		if (!err)
			err = nn_build_reshape(&import->builder, &parts[t], VOLUME_RANK, dims,
					       &parts[t]);
	}
	if (!err && stack->taps > 1)
		err = nn_concat_shape(&import->builder, parts, stack->taps, 2, &axis, shape);
	if (!err && stack->taps > 1)
		err = nn_build_concat(&import->builder, parts, stack->taps, axis, x);
	else if (!err)
		*x = parts[0];
	if (err)
		return err;
	dims[1] = channels * stack->taps;
	memmove(dims + 2, dims + 3, 2 * sizeof(*dims));
	return nn_build_reshape(&import->builder, x, VOLUME_RANK - 1, dims, x);
}

/* Slices that stand a stride apart. */
static int build_spread(struct onnx_import *import, int64_t stride, struct nn_build_tensor *x)
{
	uint32_t dims[NN_MAX_RANK], after[NN_MAX_RANK] = { 0 };
	const uint32_t before[NN_MAX_RANK] = { 0 };
	int err;

	if (stride == 1)
		return 0;
	if (x->dims[2 + DEPTH] > INT32_MAX / stride)
		return onnx_fail(import, -EOPNOTSUPP, "its input is too large, or its strides");
	memcpy(dims, x->dims, sizeof(dims));
	memmove(dims + 4, dims + 3, 2 * sizeof(*dims));
	dims[3] = 1;
	after[3] = stride - 1;
	err = nn_build_reshape(&import->builder, x, VOLUME_RANK + 1, dims, x);
	if (!err)
		err = nn_build_pad(&import->builder, x, before, after, "constant",
				   x->quant.zero_point, x);
	memmove(dims + 3, dims + 4, 2 * sizeof(*dims));
	dims[2 + DEPTH] *= stride;
	return err ? err : nn_build_reshape(&import->builder, x, VOLUME_RANK, dims, x);
}

/* ---- The weights ---- */

/*
 * The window's places along the depth as inputs, in front of the others of a group. Of
 * [outer, inputs, inner, depth, window], inputs are those of a group and `outer` are outputs or, of
 * a transposed convolution, groups, of which `inner` are the outputs.
 */
static int stack_weights(struct onnx_import *import, const struct stack *stack, uint32_t outer,
			 uint32_t inputs, uint32_t inner, struct onnx_value *w)
{
	struct nn_const *c = &w->constant;
	const uint32_t size = nn_element_size(c->element), depth = c->dims[2 + DEPTH];
	const uint64_t window = (uint64_t)c->dims[2 + HEIGHT] * c->dims[2 + WIDTH] * size;
	uint8_t *data = onnx_alloc(import, c->count, size), *to = data;
	uint32_t dims[VOLUME_RANK - 1] = { c->dims[0], c->dims[1], c->dims[2 + HEIGHT],
					   c->dims[2 + WIDTH] };

	if (!data)
		return -ENOMEM;
	for (uint64_t k = 0; k < (uint64_t)outer * depth * inputs * inner; k++, to += window) {
		const uint64_t n = k % inner, i = k / inner % inputs;
		const uint64_t t = k / inner / inputs % depth, o = k / inner / inputs / depth;
		const uint64_t place = stack->is_turned ? depth - 1 - t : t;

		memcpy(to,
		       (const uint8_t *)c->data +
			       (((o * inputs + i) * inner + n) * depth + place) * window,
		       window);
	}
	dims[stack->is_turned ? 0 : 1] *= depth;
	c->data = data;
	nn_const_reshape(c, VOLUME_RANK - 1, dims);
	w->tensor.rank = VOLUME_RANK - 1;
	memcpy(w->tensor.dims, dims, sizeof(dims));
	return 0;
}

/* ---- The result ---- */

/* The high image's slices, of each the rows that are of that slice alone. */
static int emit_volume(struct onnx_import *import, const struct onnx_pending *pending,
		       const struct nn_quant *quant, const char *activation,
		       struct nn_build_tensor *out)
{
	uint32_t dims[NN_MAX_RANK];
	struct nn_steps steps[NN_MAX_RANK];
	int err = pending->inner->emit(import, pending->inner, quant, activation, out);

	memcpy(dims, pending->dims, sizeof(dims));
	dims[2 + HEIGHT] = pending->inner->dims[2] / dims[2 + DEPTH];
	if (!err)
		err = nn_build_reshape(&import->builder, out, pending->rank, dims, out);
	if (err)
		return err;
	nn_all_steps(out, steps);
	steps[2 + HEIGHT].count = pending->dims[2 + HEIGHT];
	return nn_build_steps(&import->builder, out, steps, out);
}

static struct onnx_pending *wrap(struct onnx_import *import, const struct onnx_pending *inner,
				 const int64_t windows[ONNX_DIRECTIONS])
{
	struct onnx_pending *pending = onnx_wrap_pending(import, emit_volume, inner);

	if (!pending)
		return NULL;
	pending->rank = VOLUME_RANK;
	pending->dims[0] = inner->dims[0];
	pending->dims[1] = inner->dims[1];
	for (int i = 0; i < 3; i++)
		pending->dims[2 + i] = windows[i];
	return pending;
}

/* ---- Both ---- */

struct operands {
	struct onnx_value x, w;
	const struct onnx_value *bias;
};

static struct operands *read_operands(struct onnx_import *import, const struct onnx_value *x,
				      const struct onnx_value *w, const struct onnx_value *bias)
{
	struct operands *operands = onnx_alloc(import, 1, sizeof(*operands));

	if (!operands)
		return NULL;
	*operands = (struct operands){ .x = *x, .w = *w, .bias = bias };
	return nn_build_layout(&import->builder, &x->tensor, NN_LAYOUT_PLAIN,
			       &operands->x.tensor) ?
		       NULL :
		       operands;
}

/* Asks for the convolution of the high image, by a node that says where its window is. */
static struct onnx_pending *make_image(struct onnx_import *import, const struct operands *operands,
				       const struct onnx_attrs *attrs, onnx_make_fp make)
{
	const Onnx__NodeProto *node = import->node;
	struct onnx_pending *inner;

	import->node = onnx_replace_window(import, attrs);
	inner = import->node ? make(import, &operands->x, &operands->w, operands->bias) : NULL;
	import->node = node;
	return inner;
}

static bool need_groups(struct onnx_import *import, int64_t groups, uint32_t channels,
			uint32_t outputs)
{
	if (groups >= 1 && groups <= channels && !(channels % groups) && !(outputs % groups))
		return true;
	onnx_fail(import, -EINVAL,
		  "its %" PRId64 " groups do not divide %" PRIu32 " channels and %" PRIu32
		  " outputs", groups, channels, outputs);
	return false;
}

static bool need_windows(struct onnx_import *import, const struct onnx_taps *taps)
{
	for (uint32_t i = 0; i < taps->directions; i++) {
		if (taps->kernel[i] < 1 || taps->kernel[i] > NN_MAX_WINDOW || taps->stride[i] < 1 ||
		    taps->stride[i] > NN_MAX_WINDOW || taps->dilation[i] < 1 ||
		    taps->dilation[i] > NN_MAX_WINDOW) {
			onnx_fail(import, -EOPNOTSUPP,
				  "its window over volumes is longer than %d in a direction, or its "
				  "strides or dilations are", NN_MAX_WINDOW);
			return false;
		}
	}
	return true;
}

static int64_t extent(const struct onnx_taps *taps, int i)
{
	return taps->dilation[i] * (taps->kernel[i] - 1) + 1;
}

/* How many steps reach so far. */
static int64_t count_steps(int64_t reach, int64_t step)
{
	return (reach + step - 1) / step;
}

/* ---- Convolution ---- */

/* The padding of the high image's width, or its zero points, where that is longer than a window. */
static int place_width(struct onnx_import *import, const struct onnx_taps *taps,
		       struct nn_build_tensor *x, int64_t pads[4])
{
	const int64_t reach = (taps->windows[WIDTH] - 1) * taps->stride[WIDTH] +
			      extent(taps, WIDTH);
	const int64_t before = taps->before[WIDTH], after = reach - before - x->dims[3];

	if (before >= extent(taps, WIDTH) || after >= extent(taps, WIDTH))
		return fit(import, x, 3, before, reach);
	pads[1] = before;
	pads[3] = after > 0 ? after : 0;
	return 0;
}

struct onnx_pending *onnx_new_volume(struct onnx_import *import, const struct onnx_value *x,
				     const struct onnx_value *w, const struct onnx_value *bias,
				     onnx_make_fp make)
{
	const int64_t groups = onnx_attr_int(import->node, "group", 1);
	const uint32_t channels = x->tensor.dims[1], *kernel = w->tensor.dims;
	struct operands *operands = read_operands(import, x, w, bias);
	struct onnx_attrs attrs = { .count = 2 };
	struct onnx_pending *inner;
	struct onnx_taps taps;
	struct stack stack;
	int64_t rows;

	if (!operands || !need_groups(import, groups, channels, kernel[0]) ||
	    onnx_read_taps(import, &x->tensor, kernel + 2, &taps) || !need_windows(import, &taps))
		return NULL;
	if (kernel[1] != channels / groups) {
		onnx_fail(import, -EINVAL,
			  "its weights have %" PRIu32 " inputs of a group, and its input %" PRIu32,
			  kernel[1], (uint32_t)(channels / groups));
		return NULL;
	}
	if (onnx_need_output_scales(import, w, 0))
		return NULL;
	/* As high as the windows of a slice reach, and a multiple of their stride. */
	rows = taps.stride[HEIGHT] *
	       count_steps((taps.windows[HEIGHT] - 1) * taps.stride[HEIGHT] + extent(&taps, HEIGHT),
			   taps.stride[HEIGHT]);
	if (rows * taps.windows[DEPTH] > INT32_MAX) {
		onnx_fail(import, -EOPNOTSUPP, "its input is too large, or its padding");
		return NULL;
	}
	stack = (struct stack){ .taps = kernel[2], .apart = taps.dilation[DEPTH],
				.step = taps.stride[DEPTH], .slices = taps.windows[DEPTH],
				.rows = rows, .groups = groups };
	if (fit(import, &operands->x.tensor, 2 + DEPTH, taps.before[DEPTH],
		(taps.windows[DEPTH] - 1) * taps.stride[DEPTH] + extent(&taps, DEPTH)) ||
	    fit(import, &operands->x.tensor, 2 + HEIGHT, taps.before[HEIGHT], rows) ||
	    build_stack(import, &stack, &operands->x.tensor) ||
	    stack_weights(import, &stack, kernel[0], kernel[1], 1, &operands->w))
		return NULL;
	for (int i = 0; i < 2; i++) {
		attrs.strides[i] = taps.stride[HEIGHT + i];
		attrs.dilations[i] = taps.dilation[HEIGHT + i];
	}
	/* So that each slice, the last one too, has as many windows as its rows have strides. */
	attrs.pads[2] = extent(&taps, HEIGHT) - taps.stride[HEIGHT];
	if (attrs.pads[2] < 0)
		attrs.pads[2] = 0;
	if (place_width(import, &taps, &operands->x.tensor, attrs.pads))
		return NULL;
	inner = make_image(import, operands, &attrs, make);
	return inner ? wrap(import, inner, taps.windows) : NULL;
}

/* ---- Transposed convolution ---- */

/* Where outputs are in each direction: `before` are cut off in front, `windows` are left. */
static bool read_transposed(struct onnx_import *import, const struct onnx_value *x,
			    const uint32_t *kernel, struct onnx_taps *taps)
{
	struct onnx_direction directions[3];
	int64_t given[3];

	*taps = (struct onnx_taps){ .directions = 3 };
	if (onnx_read_list(import, "strides", 3, 1, taps->stride) ||
	    onnx_read_list(import, "dilations", 3, 1, taps->dilation) ||
	    onnx_read_list(import, "kernel_shape", 3, 0, given))
		return false;
	for (int i = 0; i < 3; i++) {
		taps->kernel[i] = kernel[i];
		if (given[i] && given[i] != kernel[i]) {
			onnx_fail(import, -EINVAL, "its kernel_shape is not that of its weights");
			return false;
		}
		directions[i] = (struct onnx_direction){ .stride = taps->stride[i],
							 .dilation = taps->dilation[i] };
	}
	if (!need_windows(import, taps) ||
	    onnx_read_directions(import, 3, kernel, x->tensor.dims + 2, directions))
		return false;
	for (int i = 0; i < 3; i++) {
		taps->before[i] = directions[i].before;
		taps->windows[i] = directions[i].outputs;
	}
	return true;
}

struct onnx_pending *onnx_new_transposed_volume(struct onnx_import *import,
						const struct onnx_value *x,
						const struct onnx_value *w,
						const struct onnx_value *bias, onnx_make_fp make)
{
	const int64_t groups = onnx_attr_int(import->node, "group", 1);
	const uint32_t channels = x->tensor.dims[1], *kernel = w->tensor.dims;
	struct operands *operands = read_operands(import, x, w, bias);
	struct onnx_attrs attrs = { .count = 2 };
	int64_t rows, more, stride, whole, reach, front;
	struct onnx_pending *inner;
	struct onnx_taps taps;
	struct stack stack;

	if (!operands || !need_groups(import, groups, channels, channels))
		return NULL;
	if (kernel[0] != channels) {
		onnx_fail(import, -EINVAL, "its weights have %" PRIu32 " inputs, and its input %" PRIu32,
			  kernel[0], channels);
		return NULL;
	}
	if (!read_transposed(import, x, kernel + 2, &taps))
		return NULL;
	stride = taps.stride[HEIGHT];
	/* What a slice makes ends before what the next one's first output that stays is. */
	whole = ((int64_t)x->tensor.dims[2 + HEIGHT] - 1) * stride + extent(&taps, HEIGHT);
	reach = taps.before[HEIGHT] + taps.windows[HEIGHT];
	if (reach < whole - taps.before[HEIGHT])
		reach = whole - taps.before[HEIGHT];
	rows = count_steps(reach, stride);
	if (rows < x->tensor.dims[2 + HEIGHT])
		rows = x->tensor.dims[2 + HEIGHT];
	/* Rows behind the last slice, so that it, too, has as many outputs as the others. */
	more = taps.before[HEIGHT] + stride - extent(&taps, HEIGHT);
	more = more > 0 ? count_steps(more, stride) : 0;
	front = extent(&taps, DEPTH) - 1 - taps.before[DEPTH];
	if ((rows + more) * taps.windows[DEPTH] * stride > INT32_MAX / 2) {
		onnx_fail(import, -EOPNOTSUPP, "its input is too large, or its padding");
		return NULL;
	}
	stack = (struct stack){ .taps = kernel[2], .apart = taps.dilation[DEPTH], .step = 1,
				.slices = taps.windows[DEPTH], .rows = rows, .groups = groups,
				.is_turned = true };
	if (build_spread(import, taps.stride[DEPTH], &operands->x.tensor) ||
	    fit(import, &operands->x.tensor, 2 + DEPTH, front,
		taps.windows[DEPTH] + extent(&taps, DEPTH) - 1) ||
	    fit(import, &operands->x.tensor, 2 + HEIGHT, 0, rows) ||
	    build_stack(import, &stack, &operands->x.tensor) ||
	    (more && fit(import, &operands->x.tensor, 2, 0, operands->x.tensor.dims[2] + more)) ||
	    stack_weights(import, &stack, groups, channels / groups, kernel[1], &operands->w))
		return NULL;
	for (int i = 0; i < 2; i++) {
		const int64_t size = operands->x.tensor.dims[2 + i];
		const int k = HEIGHT + i;
		int64_t left = (size - 1) * taps.stride[k] + extent(&taps, k) - taps.before[k];

		left -= i ? taps.windows[k] : taps.windows[DEPTH] * rows * stride;
		attrs.strides[i] = taps.stride[k];
		attrs.dilations[i] = taps.dilation[k];
		attrs.pads[i] = taps.before[k];
		attrs.pads[2 + i] = left > 0 ? left : 0;
		attrs.more[i] = left < 0 ? -left : 0;
	}
	inner = make_image(import, operands, &attrs, make);
	return inner ? wrap(import, inner, taps.windows) : NULL;
}
