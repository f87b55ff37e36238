// SPDX-License-Identifier: MIT
/* ONNX operators whose window goes over images: convolutions and pools. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* ---- Windows ---- */

/* An attribute that is a number for each direction, 1 to 255; 1 where it is absent. */
static int read_pair(struct onnx_import *import, const char *name, uint32_t pair[2])
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, name);

	pair[0] = pair[1] = 1;
	if (!attr)
		return 0;
	if (attr->n_ints != 2)
		return onnx_fail(
			import, -EOPNOTSUPP,
			"its attribute %s has %zu numbers; nnloop knows windows of two dimensions",
			name, attr->n_ints);
	for (int i = 0; i < 2; i++) {
		int err = nn_window_set(&import->builder, &pair[i], name, attr->ints[i]);

		if (err)
			return err;
	}
	return 0;
}

/* The kernel is that of the weights, whatever the attribute, which was read, says or leaves out. */
static int take_kernel(struct onnx_import *import, const struct onnx_value *weights,
		       struct nn_window *window)
{
	const uint32_t *dims = weights->tensor.dims;

	for (int i = 0; i < 2; i++) {
		if (onnx_attr(import->node, "kernel_shape") && window->kernel[i] != dims[2 + i])
			return onnx_fail(import, -EINVAL,
					 "its kernel_shape is not that of its weights");
		if (dims[2 + i] < 1 || dims[2 + i] > NN_MAX_WINDOW)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its weights are %" PRIu32 " x %" PRIu32
					 "; nnloop knows windows up to %d",
					 dims[2], dims[3], NN_MAX_WINDOW);
		window->kernel[i] = dims[2 + i];
	}
	return 0;
}

int onnx_read_window(struct onnx_import *import, const struct onnx_value *weights,
		     struct nn_window *window)
{
	int err = read_pair(import, "kernel_shape", window->kernel);

	if (!err)
		err = read_pair(import, "strides", window->stride);
	if (!err)
		err = read_pair(import, "dilations", window->dilation);
	if (!err && weights)
		err = take_kernel(import, weights, window);
	return err;
}

/*
 * SAME_UPPER and SAME_LOWER, where strides are longer than the window: at which end the elements
 * are that no window has, if there are two or more, ONNX does not say.
 */
static int need_same(struct onnx_import *import, const struct nn_window *window,
		     const struct nn_build_tensor *image)
{
	for (int i = 0; i < 2; i++) {
		uint32_t extent = window->dilation[i] * (window->kernel[i] - 1) + 1;
		uint32_t reached = (window->windows[i] - 1) * window->stride[i] + extent;

		if (window->windows[i] && reached + 1 < image->dims[2 + i])
			return onnx_fail(import, -EOPNOTSUPP,
					 "its strides leave %" PRIu32
					 " elements out, and for auto_pad ONNX does not say which",
					 image->dims[2 + i] - reached);
	}
	return 0;
}

static int place_window(struct onnx_import *import, const struct onnx_value *x,
			struct nn_window *window)
{
	const Onnx__AttributeProto *pads = onnx_attr(import->node, "pads");
	const char *auto_pad = onnx_attr_string(import, "auto_pad", "NOTSET");
	enum nn_padding padding = NN_PADDING_GIVEN;
	bool given = !strcmp(auto_pad, "NOTSET");
	static const int64_t none[4];
	int err;

	if (!strcmp(auto_pad, "SAME_UPPER"))
		padding = NN_PADDING_SAME_UPPER;
	else if (!strcmp(auto_pad, "SAME_LOWER"))
		padding = NN_PADDING_SAME_LOWER;
	if (!given && pads && pads->n_ints)
		return onnx_fail(import, -EINVAL, "it has both auto_pad %s and pads", auto_pad);
	if (pads && pads->n_ints && pads->n_ints != 4)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it has %zu pads; nnloop knows windows of two dimensions",
				 pads->n_ints);
	err = nn_window_place(&import->builder, window, &x->tensor, padding,
			      pads && pads->n_ints ? pads->ints : none,
			      onnx_attr_int(import->node, "ceil_mode", 0));
	if (err || padding == NN_PADDING_GIVEN)
		return err;
	return need_same(import, window, &x->tensor);
}

/* Strides, dilations and padding of the current node. weights: NULL: its kernel is what the
 * attribute kernel_shape says. */
static int read_window(struct onnx_import *import, const struct onnx_value *x,
		       const struct onnx_value *weights, struct nn_window *window)
{
	int err;

	err = nn_need_image(&import->builder, &x->tensor);
	if (err)
		return err;
	err = onnx_read_window(import, weights, window);
	return err ? err : place_window(import, x, window);
}

/* ---- Convolution ---- */

static int emit_conv(struct onnx_import *import, const struct onnx_pending *pending,
		     const struct nn_quant *quant, const char *activation,
		     struct nn_build_tensor *out)
{
	struct nn_parameter bias;

	return nn_build_conv(&import->builder, &pending->operands[0]->tensor, &pending->weights,
			     pending->group, onnx_parameter(pending->operands[2], &bias),
			     &pending->window, activation, quant, out);
}

static struct onnx_pending *new_conv(struct onnx_import *import, const struct onnx_value *x,
				     const struct onnx_value *w, const struct onnx_value *bias)
{
	int64_t group = onnx_attr_int(import->node, "group", 1);
	struct onnx_pending *pending = onnx_new_weighted(import, emit_conv, x, w, bias);
	const uint32_t *kernel = w->tensor.dims;
	struct nn_build_weights *weights;

	if (!pending)
		return NULL;
	weights = &pending->weights;
	if (x->tensor.rank != 4 || w->tensor.rank != 4) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its weights have %" PRIu32 " dimensions and its input has %" PRIu32
			  "; nnloop knows images of N, C, H, W only",
			  w->tensor.rank, x->tensor.rank);
		return NULL;
	}
	weights->outputs = kernel[0];
	weights->inputs = kernel[1];
	weights->height = kernel[2];
	weights->width = kernel[3];
	weights->column_stride = 1;
	weights->row_stride = kernel[3];
	weights->input_stride = (uint64_t)kernel[2] * kernel[3];
	weights->output_stride = weights->input_stride * kernel[1];
	if (nn_need_groups(&import->builder, &x->tensor, weights, group))
		return NULL;
	if (w->tensor.quant.scales && w->tensor.quant.axis != 0) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its weights have one scale per index of dimension %" PRIu32
			  ", not per output channel",
			  w->tensor.quant.axis);
		return NULL;
	}
	if (onnx_is_const(bias) && (bias->tensor.rank != 1 || bias->tensor.dims[0] != kernel[0])) {
		onnx_fail(import, -EINVAL, "its bias has %" PRIu64 " elements for %" PRIu32
			  " outputs", bias->constant.count, kernel[0]);
		return NULL;
	}
	pending->group = group;
	if (read_window(import, x, w, &pending->window))
		return NULL;
	pending->rank = 4;
	nn_window_shape(&import->builder, &pending->window, &x->tensor, kernel[0], pending->dims);
	return pending;
}

int onnx_lower_conv(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0),
				*w = x ? onnx_weights_input(import, 1) : NULL;

	return onnx_define_pending(import,
				   w ? new_conv(import, x, w, onnx_input(import, 2)) : NULL);
}

int onnx_lower_qlinear_conv(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_linear_input(import, 0, 0),
				*w = x ? onnx_linear_input(import, 3, 0) : NULL;

	if (w && (x->kind != ONNX_REAL || w->kind != ONNX_REAL_CONST))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its weights are no constant, or its input is one");
	return onnx_define_linear(import, w ? new_conv(import, x, w, onnx_input(import, 8)) : NULL,
				  6, 0);
}

/* ---- Pools ---- */

int onnx_lower_max_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	struct nn_window window = { 0 };
	struct onnx_value value;
	int err;

	if (!x)
		return onnx_failed(import);
	if (x->kind == ONNX_STORED && onnx_get_opset(import, import->op) < 12)
		return onnx_fail(import, -EINVAL, "it takes integers from opset 12 on");
	if (import->node->n_output > 1 && *import->node->output[1])
		return onnx_fail(import, -EOPNOTSUPP,
				 "its second output, the indices, is not supported");
	value = *x;
	err = read_window(import, x, NULL, &window);
	if (!err)
		err = nn_build_pool(&import->builder, "MaxPool", &x->tensor, &window,
				    &x->tensor.quant, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

static int emit_average_pool(struct onnx_import *import, const struct onnx_pending *pending,
			     const struct nn_quant *quant, const char *activation,
			     struct nn_build_tensor *out)
{
	(void)activation;
	return nn_build_pool(&import->builder, "AveragePool", &pending->operands[0]->tensor,
			     &pending->window, quant, out);
}

/*
 * The order in which ONNX Runtime adds a window's elements. It has three ways: for a window that
 * covers the image; for small windows that move by one or two columns, as long as a row fits its
 * buffer of 2045 sums; and for all others. Since opset 19, and with both ceil_mode and
 * count_include_pad, AveragePool goes the last way always.
 */
static const char *find_rounding(struct onnx_import *import, const struct onnx_value *x,
				 const struct nn_window *window)
{
	const Onnx__AttributeProto *pads = onnx_attr(import->node, "pads");
	uint32_t height = x->tensor.dims[2], width = x->tensor.dims[3];
	uint64_t row = (uint64_t)width + window->padding[1] + window->padding[3];
	bool ceil_mode = onnx_attr_int(import->node, "ceil_mode", 0);
	bool covers = window->kernel[0] == height && window->kernel[1] == width &&
		      window->stride[0] == 1 && window->stride[1] == 1;

	for (int i = 0; i < 4; i++)
		covers &= window->padding[i] == 0;
	if (onnx_get_opset(import, import->op) >= 19 || (ceil_mode && window->count_padding))
		return "float32_rows";
	if (covers)
		return "float32_quarters";
	if (ceil_mode) /* what it adds does not count */
		row = (uint64_t)width + window->padding[1] +
		      (pads && pads->n_ints == 4 ? pads->ints[3] : 0);
	if (window->stride[1] <= 2 && window->kernel[0] <= 32 && window->kernel[1] <= 32 &&
	    row <= 2045)
		return "float32_columns";
	return "float32_rows";
}

static struct onnx_pending *new_average(struct onnx_import *import, const struct onnx_value *x,
					const struct nn_window *window)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_average_pool, 1);

	if (!pending)
		return NULL;
	pending->operands[0] = x;
	pending->window = *window;
	pending->rank = 4;
	nn_window_shape(&import->builder, window, &x->tensor, x->tensor.dims[1], pending->dims);
	return pending;
}

int onnx_lower_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0);
	struct nn_window window = {
		.count_padding = onnx_attr_int(import->node, "count_include_pad", 0),
	};
	int err;

	if (!x)
		return onnx_failed(import);
	err = read_window(import, x, NULL, &window);
	if (err)
		return err;
	window.rounding = find_rounding(import, x, &window);
	return onnx_define_pending(import, new_average(import, x, &window));
}

static struct onnx_pending *new_global_average(struct onnx_import *import,
					       const struct onnx_value *x, const char *rounding)
{
	struct nn_window window;

	if (nn_window_cover(&import->builder, &window, &x->tensor))
		return NULL;
	window.rounding = rounding;
	return new_average(import, x, &window);
}

int onnx_lower_global_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0);

	return onnx_define_pending(
		import, x ? new_global_average(import, x, "float32_quarters") : NULL);
}

int onnx_lower_qlinear_global_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_linear_input(import, 0, 0);

	if (!x)
		return onnx_failed(import);
	if (x->kind != ONNX_REAL)
		return onnx_fail(import, -EOPNOTSUPP, "its input is a constant");
	return onnx_define_linear(import, new_global_average(import, x, "float32_once"), 3,
				  x->tensor.quant.type);
}
