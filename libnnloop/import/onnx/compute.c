// SPDX-License-Identifier: MIT
/*
 * ONNX operators that compute: convolution, fully connected, average pool, Add. Each leaves a
 * pending operator, whose emit function appends the node when a QuantizeLinear has said what its
 * result is; the QLinear operators say so themselves.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "onnx.h"

#define MAX_WINDOW 255 /* kernel, stride, dilation */

/* ---- Operands ---- */

/* Input i as a real tensor. */
static const struct onnx_value *real_input(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);
	const char *wrong = NULL;

	if (value->kind == ONNX_REAL && !value->unrounded)
		return value;
	if (value->kind == ONNX_REAL)
		wrong = "is a float input of the model that no QuantizeLinear quantizes";
	else if (value->kind == ONNX_ABSENT)
		wrong = "is absent";
	else if (value->kind == ONNX_PENDING)
		wrong = "is computed in float: no QuantizeLinear and DequantizeLinear are in between";
	else if (value->kind == ONNX_STORED)
		wrong = "is a tensor of integers";
	else
		wrong = "is a constant";
	onnx_fail(import, -EOPNOTSUPP, "its input %" PRIu32 " %s", i, wrong);
	return NULL;
}

/* Input i as constant weights, dequantized. */
static const struct onnx_value *weights_input(struct onnx_import *import, uint32_t i)
{
	const struct onnx_value *value = onnx_input(import, i);

	if (value->kind == ONNX_REAL_CONST)
		return value;
	onnx_fail(import, -EOPNOTSUPP,
		  value->kind == ONNX_CONST ? "its weights are not quantized" :
					      "its weights are no constant");
	return NULL;
}

/* Input i as a stored tensor with scale and zero point in the two inputs behind it, as the QLinear
 * operators have them. */
static const struct onnx_value *linear_input(struct onnx_import *import, uint32_t i, int64_t axis)
{
	const struct onnx_value *x = onnx_input(import, i);
	enum nn_data_type type = x->kind == ONNX_CONST ? onnx_to_nn_type(x->constant.type) :
							 x->stored.quant.type;
	struct onnx_value *value = onnx_alloc(import, 1, sizeof(*value));

	if (!value)
		return NULL;
	*value = *x;
	if ((x->kind != ONNX_CONST && x->kind != ONNX_STORED) || !type) {
		onnx_fail(import, -EINVAL, "its input %" PRIu32 " is no integer tensor", i);
		return NULL;
	}
	if (onnx_quant_read(import, onnx_input(import, i + 1), onnx_input(import, i + 2), type,
			    axis, x->rank, x->dims, &value->quant))
		return NULL;
	if (x->kind == ONNX_CONST) {
		value->kind = ONNX_REAL_CONST;
		return value;
	}
	if (!onnx_quant_equal(&value->quant, &x->stored.quant)) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its input %" PRIu32 " was made with another scale or zero point", i);
		return NULL;
	}
	value->kind = ONNX_REAL;
	return value;
}

static struct onnx_pending *new_pending(struct onnx_import *import, onnx_emit_fp emit,
					uint32_t operand_count)
{
	struct onnx_pending *pending = onnx_alloc(import, 1, sizeof(*pending));

	if (!pending)
		return NULL;
	pending->emit = emit;
	pending->node = import->node;
	pending->operand_count = operand_count;
	pending->operands = onnx_alloc(import, operand_count, sizeof(*pending->operands));
	pending->low = -INFINITY;
	pending->high = INFINITY;
	return pending->operands ? pending : NULL;
}

static int define_pending(struct onnx_import *import, struct onnx_pending *pending, uint32_t rank,
			  const uint32_t *dims)
{
	struct onnx_value value = { .kind = ONNX_PENDING, .rank = rank, .pending = pending };
	uint64_t elements;
	int err;

	memcpy(value.dims, dims, rank * sizeof(*dims));
	err = onnx_item_elements(import, rank, dims, &elements);
	return err ? err : onnx_define(import, 0, &value);
}

/* The same for a QLinear operator, whose inputs scale and scale + 1 are its output's. */
static int define_linear(struct onnx_import *import, struct onnx_pending *pending, uint32_t rank,
			 const uint32_t *dims, uint32_t scale)
{
	struct onnx_value value = { .kind = ONNX_PENDING, .rank = rank, .pending = pending };
	struct onnx_quant quant;
	uint64_t elements;
	int err;

	memcpy(value.dims, dims, rank * sizeof(*dims));
	err = onnx_item_elements(import, rank, dims, &elements);
	if (!err)
		err = onnx_quant_read(import, onnx_input(import, scale),
				      onnx_input(import, scale + 1), 0, 0, 0, NULL, &quant);
	if (!err)
		err = onnx_settle(import, &value, &quant, &value.stored);
	value.kind = ONNX_STORED;
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Weights and bias ---- */

/* Weight i without its zero point; nnloop's weights are int8 and symmetric. */
static int read_weight(struct onnx_import *import, const struct onnx_value *w, uint64_t i,
		       uint64_t channel, int8_t *out)
{
	int64_t value = onnx_const_int(&w->constant, i);

	if (w->quant.zero_points)
		value -= onnx_const_int(w->quant.zero_points,
					w->quant.zero_points->count == 1 ? 0 : channel);
	else
		value -= w->quant.zero_point;
	if (value < INT8_MIN || value > INT8_MAX)
		return onnx_fail(import, -EOPNOTSUPP,
				 "weight %" PRIu64 " is %" PRId64
				 " steps from its zero point; nnloop has room for -128 to 127",
				 i, value);
	*out = value;
	return 0;
}

static void describe_weights(const struct onnx_value *w, uint32_t outputs, uint32_t axis,
			     struct nn_tensor_info *info)
{
	info->name = w->name;
	info->type = NN_INT8;
	if (!w->quant.scales) {
		info->scale = w->quant.scale;
		return;
	}
	info->scales = w->quant.scales;
	info->scale_count = outputs;
	info->axis = axis;
}

static float weight_scale(const struct onnx_value *w, uint32_t output)
{
	return w->quant.scales ? w->quant.scales[output] : w->quant.scale;
}

/*
 * A bias, as int32 in steps of x scale * weights scale. One of floats will do where they are such
 * steps exactly.
 */
static int append_bias(struct onnx_import *import, const struct onnx_value *bias,
		       const struct onnx_value *x, const struct onnx_value *w, uint32_t outputs,
		       struct onnx_stored *out)
{
	const struct onnx_const *c = &bias->constant;
	struct nn_tensor_info info = {
		.name = bias->name, .type = NN_INT32, .rank = 1, .dims = { outputs }
	};
	int32_t *values = onnx_alloc(import, outputs, sizeof(*values));

	if (!values)
		return -ENOMEM;
	if (bias->kind != ONNX_CONST && bias->kind != ONNX_REAL_CONST)
		return onnx_fail(import, -EOPNOTSUPP, "its bias is no constant");
	if (c->count != outputs && c->count != 1)
		return onnx_fail(import, -EINVAL,
				 "its bias has %" PRIu64 " elements for %" PRIu32 " outputs",
				 c->count, outputs);
	if (c->type != ONNX__TENSOR_PROTO__DATA_TYPE__INT32 &&
	    c->type != ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT)
		return onnx_fail(import, -EOPNOTSUPP, "its bias is of %s", onnx_type_name(c->type));
	for (uint32_t i = 0; i < outputs; i++) {
		uint64_t k = c->count == 1 ? 0 : i;
		float step = x->stored.quant.scale * weight_scale(w, i);
		int64_t value;

		if (c->type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT) {
			float steps = nearbyintf(onnx_const_float(c, k) / step);

			if (!(fabsf(steps) < 0x1p24f) || steps * step != onnx_const_float(c, k))
				return onnx_fail(import, -EOPNOTSUPP, "its bias is not quantized");
			values[i] = steps;
			continue;
		}
		value = onnx_const_int(c, k);
		if (bias->kind == ONNX_REAL_CONST) {
			float scale = bias->quant.scales ? bias->quant.scales[k] :
							   bias->quant.scale;

			if (!(fabsf(scale - step) <= 1e-5f * step))
				return onnx_fail(
					import, -EOPNOTSUPP,
					"element %" PRIu32
					" of its bias has scale %g; input and weights make it %g",
					i, (double)scale, (double)step);
			if (bias->quant.zero_points)
				value -= onnx_const_int(bias->quant.zero_points,
							bias->quant.zero_points->count == 1 ? 0 :
											      k);
			else
				value -= bias->quant.zero_point;
		}
		if (value < INT32_MIN || value > INT32_MAX)
			return onnx_fail(import, -EOPNOTSUPP, "its bias is out of range");
		values[i] = value;
	}
	return onnx_append_const(import, &info, values, out);
}

/* ---- Windows ---- */

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
		if (attr->ints[i] < 1 || attr->ints[i] > MAX_WINDOW)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its attribute %s is %" PRId64 ", not 1 to %d", name,
					 attr->ints[i], MAX_WINDOW);
		pair[i] = attr->ints[i];
	}
	return 0;
}

int onnx_read_window(struct onnx_import *import, const struct onnx_value *x,
		     const struct onnx_value *weights, struct onnx_pending *window, uint32_t *dims)
{
	const Onnx__AttributeProto *pads = onnx_attr(import->node, "pads");
	const char *auto_pad = onnx_attr_string(import, "auto_pad", "NOTSET");
	bool same = !strcmp(auto_pad, "SAME_UPPER") || !strcmp(auto_pad, "SAME_LOWER");
	bool ceil_mode = onnx_attr_int(import->node, "ceil_mode", 0);
	int err;

	if (x->rank != 4)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input has %" PRIu32
				 " dimensions; nnloop knows images of N, C, H, W only",
				 x->rank);
	if (!weights && !onnx_attr(import->node, "kernel_shape"))
		return onnx_fail(import, -EINVAL, "it has no attribute kernel_shape");
	err = read_pair(import, "kernel_shape", window->kernel);
	if (!err)
		err = read_pair(import, "strides", window->stride);
	if (!err)
		err = read_pair(import, "dilations", window->dilation);
	if (err)
		return err;
	if (weights) {
		for (int i = 0; i < 2; i++) {
			if (onnx_attr(import->node, "kernel_shape") &&
			    window->kernel[i] != weights->dims[2 + i])
				return onnx_fail(import, -EINVAL,
						 "its kernel_shape is not that of its weights");
			if (weights->dims[2 + i] < 1 || weights->dims[2 + i] > MAX_WINDOW)
				return onnx_fail(import, -EOPNOTSUPP,
						 "its weights are %" PRIu32 " x %" PRIu32
						 "; nnloop knows windows up to %d",
						 weights->dims[2], weights->dims[3], MAX_WINDOW);
			window->kernel[i] = weights->dims[2 + i];
		}
	}
	if (!same && strcmp(auto_pad, "NOTSET") && strcmp(auto_pad, "VALID"))
		return onnx_fail(import, -EINVAL,
				 "its auto_pad is none of NOTSET, VALID, SAME_UPPER, SAME_LOWER");
	if (pads && pads->n_ints && pads->n_ints != 4)
		return onnx_fail(import, -EOPNOTSUPP,
				 "it has %zu pads; nnloop knows windows of two dimensions",
				 pads->n_ints);
	for (int i = 0; i < 2; i++) {
		int64_t size = x->dims[2 + i],
			extent = (int64_t)window->dilation[i] * (window->kernel[i] - 1) + 1;
		int64_t stride = window->stride[i], before = 0, after = 0, out;

		if (pads && pads->n_ints && !strcmp(auto_pad, "NOTSET")) {
			before = pads->ints[i];
			after = pads->ints[2 + i];
		}
		if (before < 0 || after < 0 || before >= extent || after >= extent)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its padding of %" PRId64 " and %" PRId64
					 " is not less than its window of %" PRId64,
					 before, after, extent);
		if (same) {
			int64_t pad;

			out = (size + stride - 1) / stride;
			pad = (out - 1) * stride + extent - size;
			pad = pad > 0 ? pad : 0;
			before = !strcmp(auto_pad, "SAME_LOWER") ? (pad + 1) / 2 : pad / 2;
			after = pad - before;
		} else {
			int64_t room = size + before + after - extent;

			if (room < 0)
				return onnx_fail(import, -EINVAL,
						 "its window of %" PRId64
						 " does not fit an input of %" PRId64,
						 extent, size);
			out = room / stride + 1;
			/* One more window where some is left, if it begins inside of the input. */
			if (ceil_mode && room % stride && out * stride < size + before) {
				if (window->count_padding)
					return onnx_fail(
						import, -EOPNOTSUPP,
						"it has both ceil_mode and count_include_pad");
				out++;
				after = (out - 1) * stride + extent - size - before;
			}
		}
		window->padding[i] = before;
		window->padding[2 + i] = after;
		dims[2 + i] = out;
	}
	return 0;
}

int onnx_append_window(struct onnx_import *import, const char *op, const struct onnx_stored *inputs,
		       uint32_t input_count, const struct onnx_pending *window,
		       const char *activation, const struct onnx_quant *quant,
		       struct onnx_stored *out)
{
	bool conv = strstr(op, "Conv2d");
	int64_t kernel[2] = { window->kernel[0], window->kernel[1] };
	int64_t stride[2] = { window->stride[0], window->stride[1] };
	int64_t dilation[2] = { window->dilation[0], window->dilation[1] };
	int64_t padding[4] = { window->padding[0], window->padding[1], window->padding[2],
			       window->padding[3] };
	struct nn_attr attrs[6] = {
		{ .name = "stride", .type = NN_ATTR_INTS, .count = 2, .ints = stride },
		{ .name = "padding", .type = NN_ATTR_INTS, .count = 4, .ints = padding },
	};
	uint32_t count = 2;

	if (conv)
		attrs[count++] = (struct nn_attr) {
			.name = "dilation", .type = NN_ATTR_INTS, .count = 2, .ints = dilation
		};
	else
		attrs[count++] = (struct nn_attr) {
			.name = "kernel", .type = NN_ATTR_INTS, .count = 2, .ints = kernel
		};
	if (window->count_padding)
		attrs[count++] =
			(struct nn_attr) { .name = "count_padding", .type = NN_ATTR_INT, .i = 1 };
	if (activation)
		attrs[count++] = (struct nn_attr) { .name = "activation",
						   .type = NN_ATTR_STRING,
						   .string = activation };
	return onnx_append(import, op, inputs, input_count, attrs, count, quant, out);
}

/* ---- Convolution ---- */

/* [O, I / group, KH, KW] to [O, KH, KW, I], zero where a group does not look; or, where each group
 * is one channel, to [1, KH, KW, O]. */
static int append_conv_weights(struct onnx_import *import, const struct onnx_value *w,
			       uint32_t channels, uint32_t group, bool depthwise,
			       struct onnx_stored *out)
{
	uint32_t outputs = w->dims[0], inner = w->dims[1], height = w->dims[2], width = w->dims[3];
	struct nn_tensor_info info = { .rank = 4, .dims = { outputs, height, width, channels } };
	uint64_t size = (uint64_t)outputs * height * width * (depthwise ? 1 : channels);
	uint64_t from = 0;
	int8_t *to;
	int err;

	if (depthwise) {
		info.dims[0] = 1;
		info.dims[3] = outputs;
	}
	if (size > INT32_MAX)
		return onnx_fail(import, -EOPNOTSUPP, "its weights are too large");
	to = onnx_alloc(import, size, 1);
	if (!to)
		return -ENOMEM;
	for (uint32_t o = 0; o < outputs; o++) {
		uint64_t first = (uint64_t)o / (outputs / group) * inner;

		for (uint32_t i = 0; i < inner; i++) {
			for (uint32_t k = 0; k < height * width; k++) {
				uint64_t at = depthwise ? (uint64_t)k * outputs + o :
							  ((uint64_t)o * height * width + k) *
									  channels +
								  first + i;

				err = read_weight(import, w, from++, o, &to[at]);
				if (err)
					return err;
			}
		}
	}
	describe_weights(w, outputs, depthwise ? 3 : 0, &info);
	return onnx_append_const(import, &info, to, out);
}

static int emit_conv(struct onnx_import *import, const struct onnx_value *value,
		     const struct onnx_quant *quant, const char *activation,
		     struct onnx_stored *out)
{
	const struct onnx_pending *pending = value->pending;
	const struct onnx_value *x = pending->operands[0], *w = pending->operands[1],
				*bias = pending->operands[2];
	bool depthwise = pending->group > 1 && pending->group == x->dims[1];
	struct onnx_stored inputs[3];
	uint32_t count = 2;
	int err;

	err = onnx_in_layout(import, x, ONNX_NHWC, &inputs[0]);
	if (!err)
		err = append_conv_weights(import, w, x->dims[1], pending->group, depthwise,
					  &inputs[1]);
	if (!err && bias->kind != ONNX_ABSENT)
		err = append_bias(import, bias, x, w, w->dims[0], &inputs[count++]);
	if (!err)
		err = onnx_append_window(import, depthwise ? "DepthwiseConv2d" : "Conv2d", inputs,
					 count, pending, activation, quant, out);
	out->layout = ONNX_NHWC;
	return err;
}

static struct onnx_pending *new_conv(struct onnx_import *import, const struct onnx_value *x,
				     const struct onnx_value *w, const struct onnx_value *bias,
				     uint32_t *dims)
{
	int64_t group = onnx_attr_int(import->node, "group", 1);
	struct onnx_pending *pending = new_pending(import, emit_conv, 3);

	if (!pending)
		return NULL;
	pending->takes_activation = true;
	pending->operands[0] = x;
	pending->operands[1] = w;
	pending->operands[2] = bias;
	if (x->rank != 4 || w->rank != 4) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its weights have %" PRIu32 " dimensions and its input has %" PRIu32
			  "; nnloop knows images of N, C, H, W only",
			  w->rank, x->rank);
		return NULL;
	}
	if (group < 1 || group > x->dims[1] || x->dims[1] % group ||
	    w->dims[1] != x->dims[1] / group || !w->dims[0] || w->dims[0] % group) {
		onnx_fail(import, -EINVAL,
			  "%" PRIu32 " channels and weights of %" PRIu32 " x %" PRIu32
			  " do not fit %" PRId64 " groups",
			  x->dims[1], w->dims[0], w->dims[1], group);
		return NULL;
	}
	if (w->quant.scales && w->quant.axis != 0) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its weights have one scale per index of dimension %" PRIu32
			  ", not per output channel",
			  w->quant.axis);
		return NULL;
	}
	pending->group = group;
	memcpy(dims, x->dims, sizeof(x->dims));
	dims[1] = w->dims[0];
	return onnx_read_window(import, x, w, pending, dims) ? NULL : pending;
}

int onnx_lower_conv(struct onnx_import *import)
{
	const struct onnx_value *x = real_input(import, 0),
				*w = x ? weights_input(import, 1) : NULL;
	struct onnx_pending *pending;
	uint32_t dims[NN_MAX_RANK];

	if (!w)
		return onnx_failed(import);
	pending = new_conv(import, x, w, onnx_input(import, 2), dims);
	return pending ? define_pending(import, pending, 4, dims) : onnx_failed(import);
}

int onnx_lower_qlinear_conv(struct onnx_import *import)
{
	const struct onnx_value *x = linear_input(import, 0, 0),
				*w = x ? linear_input(import, 3, 0) : NULL;
	struct onnx_pending *pending;
	uint32_t dims[NN_MAX_RANK];

	if (!w)
		return onnx_failed(import);
	if (x->kind != ONNX_REAL || w->kind != ONNX_REAL_CONST)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its weights are no constant, or its input is one");
	pending = new_conv(import, x, w, onnx_input(import, 8), dims);
	return pending ? define_linear(import, pending, 4, dims, 6) : onnx_failed(import);
}

/* ---- Fully connected: Gemm, MatMul ---- */

static uint32_t fc_outputs(const struct onnx_pending *pending)
{
	return pending->operands[1]->dims[pending->weights_by_output ? 0 : 1];
}

static uint32_t fc_inputs(const struct onnx_pending *pending)
{
	return pending->operands[1]->dims[pending->weights_by_output ? 1 : 0];
}

/* To [O, K], K in the order that x is stored in. */
static int append_fc_weights(struct onnx_import *import, const struct onnx_pending *pending,
			     struct onnx_stored *out)
{
	const struct onnx_value *x = pending->operands[0], *w = pending->operands[1];
	uint32_t outputs = fc_outputs(pending), inputs = fc_inputs(pending);
	struct nn_tensor_info info = { .rank = 2, .dims = { outputs, inputs } };
	bool permute = x->stored.layout == ONNX_FLAT_NHWC;
	uint64_t area = permute ? (uint64_t)x->stored.height * x->stored.width : 1;
	int8_t *to = onnx_alloc(import, (uint64_t)outputs * inputs, 1);
	int err;

	if (!to)
		return -ENOMEM;
	for (uint64_t o = 0; o < outputs; o++) {
		for (uint64_t k = 0; k < inputs; k++) {
			uint64_t from = pending->weights_by_output ? o * inputs + k :
								     k * outputs + o;
			uint64_t at = permute ? k % area * x->stored.channels + k / area : k;

			err = read_weight(import, w, from, o, &to[o * inputs + at]);
			if (err)
				return err;
		}
	}
	describe_weights(w, outputs, 0, &info);
	if (x->rank > 2) { /* as a 1x1 convolution, see emit_fc() */
		info.rank = 4;
		info.dims[1] = info.dims[2] = 1;
		info.dims[3] = inputs;
	}
	return onnx_append_const(import, &info, to, out);
}

/* One vector per item is a fully connected operator; several are the pixels of a 1x1 convolution.
 */
static int emit_fc(struct onnx_import *import, const struct onnx_value *value,
		   const struct onnx_quant *quant, const char *activation, struct onnx_stored *out)
{
	const struct onnx_pending *pending = value->pending;
	const struct onnx_value *x = pending->operands[0], *bias = pending->operands[2];
	struct nn_attr attr = { .name = "activation",
				.type = NN_ATTR_STRING,
				.string = activation };
	uint32_t image[4] = { 0, 1, 1, fc_inputs(pending) };
	struct onnx_stored inputs[3], pixels;
	uint32_t count = 2;
	int err;

	err = onnx_in_layout(import, x,
			     x->stored.layout == ONNX_FLAT_NHWC ? ONNX_FLAT_NHWC : ONNX_PLAIN,
			     &inputs[0]);
	if (!err && x->rank > 2) {
		pixels = inputs[0];
		for (uint32_t i = 1; i < x->rank - 1; i++)
			image[2] *= x->dims[i];
		err = onnx_append_reshape(import, &pixels, 4, image, &inputs[0]);
	}
	if (!err)
		err = append_fc_weights(import, pending, &inputs[1]);
	if (!err && bias->kind != ONNX_ABSENT)
		err = append_bias(import, bias, x, pending->operands[1], fc_outputs(pending),
				  &inputs[count++]);
	if (err)
		return err;
	if (x->rank == 2)
		return onnx_append(import, "FullyConnected", inputs, count, &attr,
				   activation ? 1 : 0, quant, out);
	err = onnx_append(import, "Conv2d", inputs, count, &attr, activation ? 1 : 0, quant,
			  &pixels);
	return err ? err : onnx_append_reshape(import, &pixels, value->rank, value->dims, out);
}

static struct onnx_pending *new_fc(struct onnx_import *import, const struct onnx_value *x,
				   const struct onnx_value *w, const struct onnx_value *bias,
				   bool weights_by_output, uint32_t *dims)
{
	struct onnx_pending *pending = new_pending(import, emit_fc, 3);

	if (!pending)
		return NULL;
	pending->takes_activation = true;
	pending->operands[0] = x;
	pending->operands[1] = w;
	pending->operands[2] = bias;
	pending->weights_by_output = weights_by_output;
	if (x->rank < 2 || w->rank != 2 || !fc_outputs(pending) ||
	    fc_inputs(pending) != x->dims[x->rank - 1]) {
		onnx_fail(import, -EINVAL,
			  "its weights are of %" PRIu32 " dimensions, %" PRIu32 " x %" PRIu32
			  ", which does not fit an input of %" PRIu32
			  " dimensions, the last %" PRIu32,
			  w->rank, w->dims[0], w->dims[1], x->rank, x->dims[x->rank - 1]);
		return NULL;
	}
	if (w->quant.scales && w->quant.axis != (weights_by_output ? 0 : 1)) {
		onnx_fail(import, -EOPNOTSUPP,
			  "its weights have one scale per input, not per output");
		return NULL;
	}
	memcpy(dims, x->dims, sizeof(x->dims));
	dims[x->rank - 1] = fc_outputs(pending);
	return pending;
}

int onnx_lower_gemm(struct onnx_import *import)
{
	const struct onnx_value *x = real_input(import, 0),
				*w = x ? weights_input(import, 1) : NULL;
	struct onnx_pending *pending;
	uint32_t dims[NN_MAX_RANK];

	if (!w)
		return onnx_failed(import);
	if (onnx_attr_float(import->node, "alpha", 1) != 1 ||
	    onnx_attr_float(import->node, "beta", 1) != 1 ||
	    onnx_attr_int(import->node, "transA", 0))
		return onnx_fail(import, -EOPNOTSUPP,
				 "nnloop knows it with alpha 1, beta 1 and transA 0 only");
	if (x->rank != 2)
		return onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions", x->rank);
	pending = new_fc(import, x, w, onnx_input(import, 2),
			 onnx_attr_int(import->node, "transB", 0), dims);
	return pending ? define_pending(import, pending, x->rank, dims) : onnx_failed(import);
}

int onnx_lower_matmul(struct onnx_import *import)
{
	const struct onnx_value *x = real_input(import, 0),
				*w = x ? weights_input(import, 1) : NULL;
	struct onnx_pending *pending;
	uint32_t dims[NN_MAX_RANK];

	if (!w)
		return onnx_failed(import);
	pending = new_fc(import, x, w, &import->absent, false, dims);
	return pending ? define_pending(import, pending, x->rank, dims) : onnx_failed(import);
}

int onnx_lower_qlinear_matmul(struct onnx_import *import)
{
	const struct onnx_value *x = linear_input(import, 0, 0),
				*w = x ? linear_input(import, 3, 1) : NULL;
	struct onnx_pending *pending;
	uint32_t dims[NN_MAX_RANK];

	if (!w)
		return onnx_failed(import);
	if (x->kind != ONNX_REAL || w->kind != ONNX_REAL_CONST)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its second operand is no constant, or its first is one");
	pending = new_fc(import, x, w, &import->absent, false, dims);
	return pending ? define_linear(import, pending, x->rank, dims, 6) : onnx_failed(import);
}

/* ---- Add ---- */

static int emit_add(struct onnx_import *import, const struct onnx_value *value,
		    const struct onnx_quant *quant, const char *activation, struct onnx_stored *out)
{
	const struct onnx_value *a = value->pending->operands[0], *b = value->pending->operands[1];
	struct nn_attr attr = { .name = "activation",
				.type = NN_ATTR_STRING,
				.string = activation };
	enum onnx_layout layout = ONNX_PLAIN;
	struct onnx_stored inputs[2];
	int err;

	if (a->stored.layout == ONNX_NHWC || b->stored.layout == ONNX_NHWC)
		layout = ONNX_NHWC;
	err = onnx_in_layout(import, a, layout, &inputs[0]);
	if (!err)
		err = onnx_in_layout(import, b, layout, &inputs[1]);
	if (!err)
		err = onnx_append(import, "Add", inputs, 2, &attr, activation ? 1 : 0, quant, out);
	out->layout = layout;
	return err;
}

static struct onnx_pending *new_add(struct onnx_import *import, const struct onnx_value *a,
				    const struct onnx_value *b)
{
	struct onnx_pending *pending = new_pending(import, emit_add, 2);

	if (!pending)
		return NULL;
	if (a->rank != b->rank || memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims))) {
		onnx_fail(import, -EOPNOTSUPP, "its operands have different shapes");
		return NULL;
	}
	pending->takes_activation = true;
	pending->operands[0] = a;
	pending->operands[1] = b;
	return pending;
}

/* MatMul, then Add of a constant: the bias of a fully connected operator. */
static int add_bias(struct onnx_import *import, const struct onnx_value *product,
		    const struct onnx_value *bias)
{
	struct onnx_pending *pending = new_pending(import, emit_fc, 3);
	const struct onnx_value **operands;

	if (!pending)
		return -ENOMEM;
	for (uint32_t i = 0; i + 1 < bias->rank; i++) {
		if (bias->dims[i] != 1)
			return onnx_fail(import, -EOPNOTSUPP,
					 "it adds a constant of %" PRIu32
					 " dimensions to a product",
					 bias->rank);
	}
	operands = pending->operands;
	memcpy(operands, product->pending->operands, 2 * sizeof(*operands));
	*pending = *product->pending;
	pending->operands = operands;
	operands[2] = bias;
	return define_pending(import, pending, product->rank, product->dims);
}

static bool is_product(const struct onnx_value *value)
{
	return value->kind == ONNX_PENDING && value->pending->emit == emit_fc &&
	       value->pending->operands[2]->kind == ONNX_ABSENT &&
	       value->pending->low == -INFINITY && value->pending->high == INFINITY;
}

static bool is_const(const struct onnx_value *value)
{
	return value->kind == ONNX_CONST || value->kind == ONNX_REAL_CONST;
}

int onnx_lower_add(struct onnx_import *import)
{
	const struct onnx_value *a = onnx_input(import, 0), *b = onnx_input(import, 1);
	struct onnx_pending *pending;

	if (is_product(a) && is_const(b))
		return add_bias(import, a, b);
	if (is_product(b) && is_const(a))
		return add_bias(import, b, a);
	a = real_input(import, 0);
	b = a ? real_input(import, 1) : NULL;
	pending = b ? new_add(import, a, b) : NULL;
	return pending ? define_pending(import, pending, a->rank, a->dims) : onnx_failed(import);
}

int onnx_lower_qlinear_add(struct onnx_import *import)
{
	const struct onnx_value *a = linear_input(import, 0, 0),
				*b = a ? linear_input(import, 3, 0) : NULL;
	struct onnx_pending *pending;

	if (!b)
		return onnx_failed(import);
	if (a->kind != ONNX_REAL || b->kind != ONNX_REAL)
		return onnx_fail(import, -EOPNOTSUPP, "it adds a constant");
	pending = new_add(import, a, b);
	return pending ? define_linear(import, pending, a->rank, a->dims, 6) : onnx_failed(import);
}

/* ---- Functions of one element, whose names and attributes are nnloop's ---- */

static int emit_function(struct onnx_import *import, const struct onnx_value *value,
			 const struct onnx_quant *quant, const char *activation,
			 struct onnx_stored *out)
{
	static const char *const names[] = { "alpha" };
	const struct onnx_stored *input = &value->pending->operands[0]->stored;
	struct nn_attr attrs[sizeof(names) / sizeof(*names)];
	uint32_t count = 0;
	int err;

	(void)activation;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!onnx_attr(import->node, names[i]))
			continue;
		attrs[count++] = (struct nn_attr) {
			.name = names[i],
			.type = NN_ATTR_FLOAT,
			.f = onnx_attr_float(import->node, names[i], 0),
		};
	}
	err = onnx_append(import, import->node->op_type, input, 1, attrs, count, quant, out);
	onnx_keep_layout(out, input);
	return err;
}

int onnx_lower_function(struct onnx_import *import)
{
	const struct onnx_value *x = real_input(import, 0);
	struct onnx_pending *pending = x ? new_pending(import, emit_function, 1) : NULL;

	if (!pending)
		return onnx_failed(import);
	pending->operands[0] = x;
	return define_pending(import, pending, x->rank, x->dims);
}

/* ---- Average pool ---- */

static int emit_average_pool(struct onnx_import *import, const struct onnx_value *value,
			     const struct onnx_quant *quant, const char *activation,
			     struct onnx_stored *out)
{
	const struct onnx_pending *pending = value->pending;
	struct onnx_stored input;
	int err;

	(void)activation;
	err = onnx_in_layout(import, pending->operands[0], ONNX_NHWC, &input);
	if (!err)
		err = onnx_append_window(import, "AveragePool", &input, 1, pending, NULL, quant,
					 out);
	out->layout = ONNX_NHWC;
	return err;
}

int onnx_lower_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = real_input(import, 0);
	struct onnx_pending *pending = x ? new_pending(import, emit_average_pool, 1) : NULL;
	uint32_t dims[NN_MAX_RANK];
	int err;

	if (!pending)
		return onnx_failed(import);
	pending->operands[0] = x;
	pending->count_padding = onnx_attr_int(import->node, "count_include_pad", 0);
	memcpy(dims, x->dims, sizeof(dims));
	err = onnx_read_window(import, x, NULL, pending, dims);
	if (!err && (pending->dilation[0] != 1 || pending->dilation[1] != 1))
		err = onnx_fail(import, -EOPNOTSUPP, "its window is dilated");
	return err ? err : define_pending(import, pending, 4, dims);
}

static struct onnx_pending *new_global_average(struct onnx_import *import,
					       const struct onnx_value *x, uint32_t *dims)
{
	struct onnx_pending *pending = new_pending(import, emit_average_pool, 1);

	if (!pending)
		return NULL;
	if (x->rank != 4 || x->dims[2] > MAX_WINDOW || x->dims[3] > MAX_WINDOW) {
		onnx_fail(import, -EOPNOTSUPP, "nnloop knows it for images of up to %d x %d only",
			  MAX_WINDOW, MAX_WINDOW);
		return NULL;
	}
	pending->operands[0] = x;
	memcpy(dims, x->dims, sizeof(x->dims));
	for (int i = 0; i < 2; i++) {
		pending->kernel[i] = dims[2 + i];
		pending->stride[i] = pending->dilation[i] = 1;
		dims[2 + i] = 1;
	}
	return pending;
}

int onnx_lower_global_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = real_input(import, 0);
	uint32_t dims[NN_MAX_RANK];
	struct onnx_pending *pending = x ? new_global_average(import, x, dims) : NULL;

	return pending ? define_pending(import, pending, 4, dims) : onnx_failed(import);
}

int onnx_lower_qlinear_global_average_pool(struct onnx_import *import)
{
	const struct onnx_value *x = linear_input(import, 0, 0);
	uint32_t dims[NN_MAX_RANK];
	struct onnx_pending *pending;

	if (!x)
		return onnx_failed(import);
	if (x->kind != ONNX_REAL || onnx_attr_int(import->node, "channels_last", 0))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input is a constant or has its channels last");
	pending = new_global_average(import, x, dims);
	return pending ? define_linear(import, pending, 4, dims, 3) : onnx_failed(import);
}
