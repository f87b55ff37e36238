// SPDX-License-Identifier: MIT
/*
 * ConvTranspose. ONNX Runtime computes it in float, in an order that nothing defines: what comes
 * out here is the exact sum, rounded once. quantize_static() leaves its weights in float in models
 * with QLinear operators; such a one is computed in float on the host's processor.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* `count` numbers of an attribute, or 0 for each if it is absent. */
static int read_numbers(struct onnx_import *import, const char *name, uint32_t count,
			int64_t *numbers)
{
	const Onnx__AttributeProto *attr = onnx_attr(import->node, name);

	for (uint32_t i = 0; i < count; i++)
		numbers[i] = 0;
	if (!attr || !attr->n_ints)
		return 0;
	if (attr->n_ints != count)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its attribute %s has %zu numbers, and its input takes %" PRIu32,
				 name, attr->n_ints, count);
	for (uint32_t i = 0; i < count; i++) {
		numbers[i] = attr->ints[i];
		if (numbers[i] < 0 || numbers[i] > INT32_MAX)
			return onnx_fail(import, -EOPNOTSUPP, "its attribute %s is %" PRId64, name,
					 numbers[i]);
	}
	return 0;
}

/*
 * One direction. Without a shape that is given the output is as large as the pads leave it; with
 * one the pads follow from it, the larger half of them in front, or with auto_pad SAME_UPPER
 * behind.
 * `given`: the shape, 0: none.
 */
static int place(struct onnx_import *import, uint32_t i, uint32_t kernel, uint32_t size,
		 const int64_t pads[2], int64_t more, int64_t given,
		 struct onnx_direction *out)
{
	int64_t extent = (int64_t)(kernel - 1) * out->dilation + 1;
	int64_t whole = ((int64_t)size - 1) * out->stride + extent + more;
	int64_t before = pads[0], outputs = whole - pads[0] - pads[1];

	const char *auto_pad = onnx_attr_string(import, "auto_pad", "NOTSET");
	bool is_upper = !strcmp(auto_pad, "SAME_UPPER"), is_same = !strncmp(auto_pad, "SAME", 4);

	if (strcmp(auto_pad, "NOTSET") && (given || pads[0] || pads[1]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "it has both auto_pad %s and pads or an output_shape", auto_pad);
	/* A window shorter than its stride leaves elements out: ONNX does not say at which end. */
	if (is_same && whole < (int64_t)size * out->stride)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its window is shorter than its stride, and auto_pad is %s",
				 auto_pad);
	if (is_same)
		given = (int64_t)size * out->stride;
	if (more >= out->stride)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its output_padding is %" PRId64 ", which is not below its stride "
				 "%" PRIu32, more, out->stride);
	if (given) {
		if (pads[0] || pads[1])
			return onnx_fail(import, -EOPNOTSUPP,
					 "it has both output_shape and pads");
		/* ONNX's shape inference does not understand an output smaller than the input. */
		if (given > whole || given < size)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its output_shape is %" PRId64 "; nnloop can do %" PRIu32
					 " to %" PRId64,
					 given, size, whole);
		before = is_upper ? (whole - given) / 2 : whole - given - (whole - given) / 2;
		outputs = given;
	}
	if (outputs < 1 || outputs > INT32_MAX / 2)
		return onnx_fail(import, -EOPNOTSUPP,
				 "dimension %" PRIu32 " of its output would be %" PRId64, i + 2,
				 outputs);
	out->before = before;
	out->outputs = outputs;
	return 0;
}

int onnx_read_directions(struct onnx_import *import, uint32_t count, const uint32_t *kernel,
			 const uint32_t *sizes, struct onnx_direction *out)
{
	int64_t pads[2 * ONNX_DIRECTIONS], more[ONNX_DIRECTIONS], shape[ONNX_DIRECTIONS];
	int err = read_numbers(import, "pads", 2 * count, pads);

	if (!err)
		err = read_numbers(import, "output_padding", count, more);
	if (!err)
		err = read_numbers(import, "output_shape", count, shape);
	for (uint32_t i = 0; i < count && !err; i++) {
		const int64_t both[2] = { pads[i], pads[count + i] };

		err = place(import, i, kernel[i], sizes[i], both, more[i], shape[i], &out[i]);
	}
	return err;
}

/* Strides, dilations, pads and the output's size. */
static int read_place(struct onnx_import *import, const struct onnx_value *x,
		      struct onnx_pending *pending)
{
	struct nn_window *window = &pending->window;
	struct nn_transposed *transposed = &pending->transposed;
	struct onnx_direction directions[2];
	int err = onnx_read_window(import, 2, &pending->weights, window);

	for (int i = 0; i < 2; i++)
		directions[i] = (struct onnx_direction){ .stride = window->stride[i],
							 .dilation = window->dilation[i] };
	if (!err)
		err = onnx_read_directions(import, 2, window->kernel, x->tensor.dims + 2,
					   directions);
	for (int i = 0; i < 2 && !err; i++) {
		transposed->stride[i] = directions[i].stride;
		transposed->dilation[i] = directions[i].dilation;
		transposed->before[i] = directions[i].before;
		window->windows[i] = transposed->outputs[i] = directions[i].outputs;
	}
	return err;
}

int onnx_read_transposed(struct onnx_import *import, const struct nn_build_tensor *x,
			 const uint32_t kernel[2], struct nn_transposed *out)
{
	struct onnx_pending pending = {
		.weights = { .height = kernel[0], .width = kernel[1] },
		.window = { .most = NN_MAX_FLOAT_WINDOW },
	};
	const struct onnx_value value = { .tensor = *x };
	int err = read_place(import, &value, &pending);

	*out = pending.transposed;
	return err;
}

static int emit_transposed(struct onnx_import *import, const struct onnx_pending *pending,
			   const struct nn_quant *quant, const char *activation,
			   struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	struct nn_parameter bias;
	int err = onnx_check_products(import, pending, quant);

	if (err)
		return err;
	return nn_build_transposed(&import->builder, x, &pending->weights, pending->group,
				   onnx_parameter(pending->operands[2], &bias),
				   &pending->transposed, NN_TRANSPOSED_ONCE, activation, quant,
				   out);
}

/* Weights are [inputs, outputs of a group, height, width]. */
static int read_weights(struct onnx_import *import, const struct onnx_value *x,
			const struct onnx_value *w, int64_t group,
			struct nn_build_weights *weights)
{
	const uint32_t *dims = w->tensor.dims;

	if (x->tensor.rank != 4 || w->tensor.rank != 4)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its weights have %" PRIu32 " dimensions and its input has %" PRIu32
				 "; nnloop knows images of N, C, H, W, lines of N, C, L, and "
				 "volumes of N, C, D, H, W",
				 w->tensor.rank, x->tensor.rank);
	if (dims[0] != x->tensor.dims[1] || group < 1 || group > dims[0] || dims[0] % group ||
	    dims[1] > INT32_MAX / group)
		return onnx_fail(import, -EINVAL,
				 "%" PRIu32 " channels and weights of %" PRIu32 " x %" PRIu32
				 " do not fit %" PRId64 " groups",
				 x->tensor.dims[1], dims[0], dims[1], group);
	weights->inputs = dims[0] / group;
	weights->outputs = dims[1] * group;
	weights->height = dims[2];
	weights->width = dims[3];
	weights->column_stride = 1;
	weights->row_stride = dims[3];
	weights->output_stride = (uint64_t)dims[2] * dims[3];
	weights->input_stride = weights->output_stride * dims[1];
	/* No dimension has the outputs of several groups. */
	if (onnx_need_output_scales(import, w, group == 1 ? 1 : NN_MAX_RANK))
		return onnx_failed(import);
	return nn_need_groups(&import->builder, &x->tensor, weights, group);
}

static struct onnx_pending *new_transposed(struct onnx_import *import, const struct onnx_value *x,
					   const struct onnx_value *w,
					   const struct onnx_value *bias)
{
	int64_t group = onnx_attr_int(import->node, "group", 1);
	struct onnx_pending *pending = onnx_new_weighted(import, emit_transposed, x, w, bias);
	uint32_t outputs;

	if (!pending || read_weights(import, x, w, group, &pending->weights) ||
	    read_place(import, x, pending))
		return NULL;
	outputs = pending->weights.outputs;
	if (onnx_is_const(bias) && (bias->tensor.rank != 1 || bias->tensor.dims[0] != outputs)) {
		onnx_fail(import, -EINVAL,
			  "its bias has %" PRIu64 " elements for %" PRIu32 " outputs",
			  bias->constant.count, outputs);
		return NULL;
	}
	pending->group = group;
	pending->rank = 4;
	nn_window_shape(&import->builder, &pending->window, &x->tensor, outputs, pending->dims);
	return pending;
}

/* ---- In float32 ---- */

static int make_real(struct onnx_import *import, const struct onnx_pending *pending,
		     struct nn_build_tensor *out)
{
	struct nn_build_tensor x;
	int err = onnx_build_float(import, pending, &x);

	return err ? err : nn_build_real_transposed(&import->builder, &x,
						    pending->weights.parameter.values,
						    &pending->bias, pending->group,
						    &pending->transposed, out);
}

/* Makes one whose weights, or whose input, are not quantized. */
static struct onnx_pending *new_float(struct onnx_import *import, const struct onnx_value *x,
				      const float *reals)
{
	const struct onnx_value *bias = onnx_input(import, 2);
	struct onnx_value *w = onnx_alloc(import, 1, sizeof(*w));
	struct onnx_pending *pending;

	if (!w)
		return NULL;
	*w = *onnx_input(import, 1);
	if (!onnx_is_const(w)) {
		onnx_fail(import, -EOPNOTSUPP, "its weights are no constant");
		return NULL;
	}
	if (onnx_read_floats(import, w, "weights", &w->constant))
		return NULL;
	w->kind = ONNX_CONST;
	w->tensor.quant = (struct nn_quant){ 0 };
	pending = new_transposed(import, x, w, bias);
	if (!pending)
		return NULL;
	if (bias->kind != ONNX_ABSENT && onnx_read_floats(import, bias, "bias", &pending->bias))
		return NULL;
	onnx_set_float(pending, reals, make_real);
	pending->emit = onnx_emit_real;
	pending->takes_activation = false;
	return pending;
}

int onnx_lower_conv_transpose(struct onnx_import *import)
{
	const float *reals;
	const struct onnx_value *x = onnx_results_input(import, 0, &reals), *w = onnx_input(import, 1);

	if (x && (reals || onnx_is_float(x) || w->kind == ONNX_CONST))
		return onnx_define_pending(import, new_float(import, x, reals));
	w = x ? onnx_weights_input(import, 1) : NULL;
	return onnx_define_pending(import,
				   w ? onnx_new_in_directions(import, x, w, onnx_input(import, 2),
							      new_transposed, false) :
				       NULL);
}
