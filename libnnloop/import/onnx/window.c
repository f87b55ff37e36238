// SPDX-License-Identifier: MIT
/* ONNX operators whose window goes over images, or over lines: convolutions and pools. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* ---- Lines ---- */

/* Lines of N, C, L are images with a height of 1. */
static bool is_line(const struct nn_build_tensor *x)
{
	return x->rank == 3;
}

static void make_image_shape(const struct nn_build_tensor *line, uint32_t dims[4])
{
	dims[0] = line->dims[0];
	dims[1] = line->dims[1];
	dims[2] = 1;
	dims[3] = line->dims[2];
}

/* Views an operator's input as the image that it is: its shape only, nothing is appended. */
static int view_image(struct onnx_import *import, const struct nn_build_tensor *x,
		      struct nn_build_tensor *image)
{
	*image = *x;
	if (x->rank == 4)
		return 0;
	if (!is_line(x))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input has %" PRIu32
				 " dimensions; nnloop knows images of N, C, H, W and lines of "
				 "N, C, L only",
				 x->rank);
	image->rank = 4;
	make_image_shape(x, image->dims);
	return 0;
}

/* The same as a tensor. */
int onnx_build_image(struct onnx_import *import, const struct nn_build_tensor *x,
		       struct nn_build_tensor *image)
{
	uint32_t dims[4];

	*image = *x;
	if (!is_line(x))
		return 0;
	make_image_shape(x, dims);
	return nn_build_reshape(&import->builder, x, 4, dims, image);
}

/* Builds what an operator makes of the image that build_image() gave for x: lines, if x is. */
int onnx_build_like(struct onnx_import *import, const struct nn_build_tensor *x,
		      struct nn_build_tensor *out)
{
	const uint32_t dims[3] = { out->dims[0], out->dims[1], out->dims[3] };

	return is_line(x) ? nn_build_reshape(&import->builder, out, 3, dims, out) : 0;
}

/* The shape of that, for what is pending. */
static void set_shape(struct onnx_import *import, struct onnx_pending *pending,
		      const struct nn_build_tensor *x, uint32_t channels)
{
	nn_window_shape(&import->builder, &pending->window, x, channels, pending->dims);
	pending->rank = x->rank;
	if (is_line(x))
		pending->dims[2] = pending->dims[3];
}

/* ---- Windows ---- */

/* An attribute that is a number for each direction, 1 to `most`; 1 where it is absent, and for the
 * height where there is one direction only. */
static int read_pair(struct onnx_import *import, const char *name, uint32_t directions,
		     uint32_t most, uint32_t pair[2])
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, name);

	pair[0] = pair[1] = 1;
	if (!attr)
		return 0;
	if (attr->n_ints != directions)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its attribute %s has %zu numbers; its input of %" PRIu32
				 " dimensions takes %" PRIu32,
				 name, attr->n_ints, directions + 2, directions);
	for (uint32_t i = 0; i < directions; i++) {
		int err = nn_window_set(&import->builder, &pair[2 - directions + i], name,
					attr->ints[i], most);

		if (err)
			return err;
	}
	return 0;
}

/* The kernel is that of the weights, whatever the attribute, which was read, says or leaves out. */
static int take_kernel(struct onnx_import *import, const struct nn_build_weights *weights,
		       struct nn_window *window)
{
	const uint32_t size[2] = { weights->height, weights->width };
	uint32_t most = window->most ? window->most : NN_MAX_WINDOW;

	for (int i = 0; i < 2; i++) {
		if (onnx_attr(import->node, "kernel_shape") && window->kernel[i] != size[i])
			return onnx_fail(import, -EINVAL,
					 "its kernel_shape is not that of its weights");
		if (size[i] < 1 || size[i] > most)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its weights are %" PRIu32 " x %" PRIu32
					 "; nnloop knows windows up to %" PRIu32,
					 size[0], size[1], most);
		window->kernel[i] = size[i];
	}
	return 0;
}

int onnx_read_window(struct onnx_import *import, uint32_t directions,
		     const struct nn_build_weights *weights, struct nn_window *window)
{
	int err = read_pair(import, "kernel_shape", directions, window->most, window->kernel);

	if (!err)
		err = read_pair(import, "strides", directions, window->most, window->stride);
	if (!err)
		err = read_pair(import, "dilations", directions, NN_MAX_WINDOW, window->dilation);
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

/* Reads pads in the order of `window`; those of directions that the model does not have are 0. */
static int read_pads(struct onnx_import *import, uint32_t directions, int64_t pads[4])
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "pads");

	memset(pads, 0, 4 * sizeof(*pads));
	if (!attr || !attr->n_ints)
		return 0;
	if (attr->n_ints != 2 * directions)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it has %zu pads; its input of %" PRIu32
				 " dimensions takes %" PRIu32,
				 attr->n_ints, directions + 2, 2 * directions);
	for (uint32_t i = 0; i < directions; i++) {
		pads[2 - directions + i] = attr->ints[i];
		pads[4 - directions + i] = attr->ints[directions + i];
	}
	return 0;
}

static int place_window(struct onnx_import *import, const struct nn_build_tensor *image,
			const int64_t pads[4], struct nn_window *window)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, "pads");
	const char *auto_pad = onnx_attr_string(import, "auto_pad", "NOTSET");
	enum nn_padding padding = NN_PADDING_GIVEN;
	bool given = !strcmp(auto_pad, "NOTSET");
	int err;

	if (!strcmp(auto_pad, "SAME_UPPER"))
		padding = NN_PADDING_SAME_UPPER;
	else if (!strcmp(auto_pad, "SAME_LOWER"))
		padding = NN_PADDING_SAME_LOWER;
	if (!given && attr && attr->n_ints)
		return onnx_fail(import, -EINVAL, "it has both auto_pad %s and pads", auto_pad);
	err = nn_window_place(&import->builder, window, image, padding, pads,
			      onnx_attr_int(import->node, "ceil_mode", 0));
	if (err || padding == NN_PADDING_GIVEN)
		return err;
	return need_same(import, window, image);
}

/* Strides, dilations and padding of the current node. weights: NULL: its kernel is what the
 * attribute kernel_shape says. */
int onnx_read_placed_window(struct onnx_import *import, const struct onnx_value *x,
		       const struct nn_build_weights *weights, struct nn_window *window)
{
	struct nn_build_tensor image;
	uint32_t directions;
	int64_t pads[4];
	int err;

	err = view_image(import, &x->tensor, &image);
	if (err)
		return err;
	directions = x->tensor.rank - 2;
	err = onnx_read_window(import, directions, weights, window);
	if (!err)
		err = read_pads(import, directions, pads);
	return err ? err : place_window(import, &image, pads, window);
}

/* ---- Convolution ---- */

int onnx_emit_conv(struct onnx_import *import, const struct onnx_pending *pending,
		   const struct nn_quant *quant, const char *activation,
		   struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	struct nn_build_tensor image;
	struct nn_parameter bias;
	int err = onnx_check_products(import, pending, quant);

	if (!err)
		err = onnx_build_image(import, x, &image);
	if (!err)
		err = nn_build_conv(&import->builder, &image, &pending->weights, pending->group,
				    onnx_parameter(pending->operands[2], &bias), &pending->window,
				    activation, quant, out);
	return err ? err : onnx_build_like(import, x, out);
}

int onnx_need_output_scales(struct onnx_import *import, const struct onnx_value *w, uint32_t axis)
{
	if (!w->tensor.quant.scales || w->tensor.quant.axis == axis)
		return 0;
	return onnx_fail_form(import,
			      "its weights have one scale per index of dimension %" PRIu32
			      ", not per output channel",
			      w->tensor.quant.axis);
}

struct onnx_pending *onnx_new_conv(struct onnx_import *import, const struct onnx_value *x,
				   const struct onnx_value *w, const struct onnx_value *bias)
{
	int64_t group = onnx_attr_int(import->node, "group", 1);
	const uint32_t *kernel = w->tensor.dims;
	struct nn_build_weights *weights;
	struct onnx_pending *pending;

	if ((x->tensor.rank != 4 && !is_line(&x->tensor)) || w->tensor.rank != x->tensor.rank) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its weights have %" PRIu32 " dimensions and its input has %" PRIu32
			  "; nnloop knows images of N, C, H, W, lines of N, C, L, and volumes of "
			  "N, C, D, H, W",
			  w->tensor.rank, x->tensor.rank);
		return NULL;
	}
	if (onnx_is_long(import, w))
		return onnx_new_long(import, x, w, bias, onnx_new_conv);
	pending = onnx_new_weighted(import, onnx_emit_conv, x, w, bias);
	if (!pending)
		return NULL;
	weights = &pending->weights;
	weights->outputs = kernel[0];
	weights->inputs = kernel[1];
	weights->height = is_line(&w->tensor) ? 1 : kernel[2];
	weights->width = kernel[w->tensor.rank - 1];
	weights->column_stride = 1;
	weights->row_stride = weights->width;
	weights->input_stride = (uint64_t)weights->height * weights->width;
	weights->output_stride = weights->input_stride * kernel[1];
	if (nn_need_groups(&import->builder, &x->tensor, weights, group))
		return NULL;
	if (onnx_need_output_scales(import, w, 0))
		return NULL;
	if (onnx_is_const(bias) && (bias->tensor.rank != 1 || bias->tensor.dims[0] != kernel[0])) {
		onnx_fail(import, -EINVAL, "its bias has %" PRIu64 " elements for %" PRIu32
			  " outputs", bias->constant.count, kernel[0]);
		return NULL;
	}
	pending->group = group;
	if (onnx_read_placed_window(import, x, weights, &pending->window))
		return NULL;
	set_shape(import, pending, &x->tensor, kernel[0]);
	return pending;
}

int onnx_lower_conv(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0), *w = onnx_input(import, 1);

	if (x && w->kind == ONNX_REAL && !w->unrounded && !w->promised)
		return onnx_define_pending(import, onnx_new_patches(import, x, w));
	w = x ? onnx_weights_input(import, 1) : NULL;
	return onnx_define_pending(import,
				   w ? onnx_new_in_directions(import, x, w, onnx_input(import, 2),
							      onnx_new_conv, true) :
				       NULL);
}

int onnx_lower_qlinear_conv(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_linear_input(import, 0, 0),
				*w = x ? onnx_linear_input(import, 3, 0) : NULL;

	if (w && (x->kind != ONNX_REAL || w->kind != ONNX_REAL_CONST))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its weights are no constant, or its input is one");
	return onnx_define_linear(import,
				  w ? onnx_new_in_directions(import, x, w, onnx_input(import, 8),
							     onnx_new_conv, true) :
				      NULL,
				  6, 0);
}

/* ---- Pools ---- */

static int build_pool(struct onnx_import *import, const char *op, const struct nn_build_tensor *x,
		      const struct nn_window *window, const struct nn_quant *quant,
		      struct nn_build_tensor *out)
{
	struct nn_build_tensor image;
	int err = onnx_build_image(import, x, &image);

	if (!err)
		err = nn_build_pool(&import->builder, op, &image, window, quant, out);
	return err ? err : onnx_build_like(import, x, out);
}

int onnx_lower_max_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_ordered_input(import, 0);
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
	if (onnx_has_taps(import) || x->tensor.rank > 4)
		return onnx_lower_max_taps(import);
	value = *x;
	err = onnx_read_placed_window(import, x, NULL, &window);
	if (!err)
		err = build_pool(import, "MaxPool", &x->tensor, &window, &x->tensor.quant,
				 &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

static int emit_average_pool(struct onnx_import *import, const struct onnx_pending *pending,
			     const struct nn_quant *quant, const char *activation,
			     struct nn_build_tensor *out)
{
	(void)activation;
	return build_pool(import, "AveragePool", &pending->operands[0]->tensor, &pending->window,
			  quant, out);
}

/* Whether the window is all of the image, without padding. */
static bool covers(const struct onnx_value *x, const struct nn_window *window)
{
	uint32_t height = is_line(&x->tensor) ? 1 : x->tensor.dims[2];
	uint32_t width = x->tensor.dims[x->tensor.rank - 1];

	for (int i = 0; i < 4; i++) {
		if (window->padding[i])
			return false;
	}
	return window->kernel[0] == height && window->kernel[1] == width;
}

/*
 * The order in which ONNX Runtime adds a window's elements. It has three ways: for a window that
 * covers the image; for small windows that move by one or two columns, as long as a row fits its
 * buffer of 2045 sums, in images; and for all others. Since opset 19, and with both ceil_mode and
 * count_include_pad, AveragePool goes the last way always.
 */
static const char *find_rounding(struct onnx_import *import, const struct onnx_value *x,
				 const struct nn_window *window)
{
	const Onnx__AttributeProto *pads = onnx_attr(import->node, "pads");
	bool is_image = !is_line(&x->tensor);
	uint32_t width = x->tensor.dims[x->tensor.rank - 1];
	uint64_t row = (uint64_t)width + window->padding[1] + window->padding[3];
	bool ceil_mode = onnx_attr_int(import->node, "ceil_mode", 0);

	if (onnx_get_opset(import, import->op) >= 19 || (ceil_mode && window->count_padding))
		return "float32_rows";
	if (covers(x, window) && window->stride[0] == 1 && window->stride[1] == 1)
		return "float32_quarters";
	if (ceil_mode) /* what it adds does not count */
		row = (uint64_t)width + window->padding[1] +
		      (pads && pads->n_ints == 4 ? pads->ints[3] : 0);
	if (is_image && window->stride[1] <= 2 && window->kernel[0] <= 32 &&
	    window->kernel[1] <= 32 && row <= 2045)
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
	set_shape(import, pending, &x->tensor, x->tensor.dims[1]);
	return pending;
}

/* An average that waits; w and bias are none. */
static struct onnx_pending *new_average_pool(struct onnx_import *import, const struct onnx_value *x,
					     const struct onnx_value *w,
					     const struct onnx_value *bias)
{
	struct nn_window window = {
		.count_padding = onnx_attr_int(import->node, "count_include_pad", 0),
	};

	(void)w;
	(void)bias;
	if (onnx_read_placed_window(import, x, NULL, &window))
		return NULL;
	window.rounding = find_rounding(import, x, &window);
	return new_average(import, x, &window);
}

int onnx_lower_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0);

	if (!x)
		return onnx_failed(import);
	if (onnx_has_taps(import) || (x->tensor.rank > 4 && !onnx_is_flat(import, x)))
		return onnx_lower_average_taps(import);
	return onnx_define_pending(
		import, onnx_new_in_directions(import, x, NULL, NULL, new_average_pool, true));
}

/* The mean of an image or line that is larger than a pool's window. */
static int emit_mean(struct onnx_import *import, const struct onnx_pending *pending,
		     const struct nn_quant *quant, const char *activation,
		     struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	int err = onnx_check_sums(import, onnx_find_span(&x->quant), quant);

	(void)activation;
	return err ? err : nn_build_reduce(&import->builder, "Reduce", x, (1u << x->rank) - 4, true,
					   "mean", quant, out);
}

static bool is_large(const struct nn_build_tensor *x)
{
	for (uint32_t i = 2; i < x->rank; i++) {
		if (x->dims[i] > NN_MAX_WINDOW)
			return true;
	}
	return false;
}

static struct onnx_pending *new_mean(struct onnx_import *import, const struct onnx_value *x)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_mean, 1);

	if (!pending)
		return NULL;
	pending->operands[0] = x;
	nn_reduced_shape(&x->tensor, (1u << x->tensor.rank) - 4, true, &pending->rank,
			 pending->dims);
	return pending;
}

static struct onnx_pending *new_global_average(struct onnx_import *import,
					       const struct onnx_value *x, const float *reals,
					       const char *rounding)
{
	struct onnx_pending *pending;
	struct nn_build_tensor image;
	struct nn_window window;
	bool is_image = x->tensor.rank != 5 || !strcmp(rounding, "float32_once");

	if (is_image && view_image(import, &x->tensor, &image))
		return NULL;
	if (!is_image || (is_large(&x->tensor) && strcmp(rounding, "float32_once"))) {
		pending = new_mean(import, x);
	} else {
		if (nn_window_cover(&import->builder, &window, &image))
			return NULL;
		window.rounding = rounding;
		pending = new_average(import, x, &window);
	}
	if (!pending)
		return NULL;
	pending->keep_dims = true;
	onnx_set_real(pending, reals, "mean", (1u << x->tensor.rank) - 4);
	return pending;
}

int onnx_lower_global_average_pool(struct onnx_import *import)
{
	const float *reals;
	const struct onnx_value *x = onnx_results_input(import, 0, &reals);

	return onnx_define_pending(
		import, x ? new_global_average(import, x, reals, "float32_quarters") : NULL);
}

static int emit_turned_pool(struct onnx_import *import, const struct onnx_pending *pending,
			    const struct nn_quant *quant, const char *activation,
			    struct nn_build_tensor *out)
{
	uint32_t perm[NN_MAX_RANK] = { 0 };
	int err = emit_average_pool(import, pending, quant, activation, out);

	if (err)
		return err;
	for (uint32_t i = 1; i < out->rank; i++)
		perm[i] = i + 1 < out->rank ? i + 1 : 1;
	return nn_build_transpose(&import->builder, out, perm, out);
}

/* The images of a QLinear pool, whose attribute channels_last says where their channels are, with
 * the channels behind the batch. */
static const struct onnx_value *pool_input(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_linear_input(import, 0, 0);
	uint32_t perm[NN_MAX_RANK] = { 0 };
	struct onnx_value *turned;

	if (!x)
		return NULL;
	if (x->kind != ONNX_REAL) {
		onnx_fail(import, -EOPNOTSUPP, "its input is a constant");
		return NULL;
	}
	if (!onnx_attr_int(import->node, "channels_last", 0))
		return x;
	turned = onnx_alloc(import, 1, sizeof(*turned));
	if (!turned)
		return NULL;
	*turned = *x;
	for (uint32_t i = 1; i < x->tensor.rank; i++)
		perm[i] = i > 1 ? i - 1 : x->tensor.rank - 1;
	if (nn_build_transpose(&import->builder, &x->tensor, perm, &turned->tensor))
		return NULL;
	return turned;
}

static int define_linear_pool(struct onnx_import *import, const struct onnx_value *x,
			      struct onnx_pending *pending)
{
	if (pending && onnx_attr_int(import->node, "channels_last", 0))
		pending->emit = emit_turned_pool;
	return onnx_define_linear(import, pending, 3, x->tensor.quant.type);
}

/* Where the window is all of the image, ONNX Runtime does what QLinearGlobalAveragePool does. */
int onnx_lower_qlinear_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = pool_input(import);
	struct nn_window window = { 0 };
	int err;

	if (!x)
		return onnx_failed(import);
	err = onnx_need_scalars(import, 1);
	if (!err)
		err = onnx_need_scalars(import, 3);
	if (!err)
		err = onnx_read_placed_window(import, x, NULL, &window);
	if (err)
		return err;
	/* Not before: what ceil_mode adds counts as padding, too. */
	window.count_padding = onnx_attr_int(import->node, "count_include_pad", 0);
	window.rounding = covers(x, &window) ? "float32_once" : "float32_zero_point";
	return define_linear_pool(import, x, new_average(import, x, &window));
}

int onnx_lower_qlinear_global_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = pool_input(import);

	if (!x)
		return onnx_failed(import);
	return define_linear_pool(import, x, new_global_average(import, x, NULL, "float32_once"));
}
