// SPDX-License-Identifier: MIT
/* TensorFlow Lite operators with weights or a window, as ONNX has them. */
#include <string.h>

#include "quantize/tflite/convert.h"

/* The options of MediaPipe's Convolution2DTransposeBias, which the importer has checked. */
enum { CUSTOM_PADDING, CUSTOM_STRIDE_W, CUSTOM_STRIDE_H, CUSTOM_VALID = 2 };

/* Where a window is, in both directions. */
struct placed {
	int64_t kernel[2], stride[2], dilation[2];
	int64_t padding[4]; /* top, left, bottom, right */
};

/* Options 0 to 2 are the padding and the strides. */
static struct placed place_window(const struct conversion *c, uint32_t height, uint32_t width,
				  int64_t dilation_h, int64_t dilation_w)
{
	const int64_t *option = c->now->option;
	struct placed placed = {
		.kernel = { height, width },
		.stride = { option[TFLITE_CONV_STRIDE_H], option[TFLITE_CONV_STRIDE_W] },
		.dilation = { dilation_h, dilation_w },
	};

	for (int i = 0; i < 2 && option[TFLITE_CONV_PADDING] != TFLITE_PADDING_VALID; i++) {
		int64_t size = convert_input(c, 0)->dims[i + 1], stride = placed.stride[i];
		int64_t outputs = (size + stride - 1) / stride;
		int64_t total = (outputs - 1) * stride +
				(placed.kernel[i] - 1) * placed.dilation[i] + 1 - size;

		if (total <= 0)
			continue;
		placed.padding[i] = total / 2;
		placed.padding[i + 2] = total - total / 2;
	}
	return placed;
}

static void set_window(struct conversion *c, Onnx__NodeProto *node, const struct placed *placed)
{
	convert_set_ints(c, node, "kernel_shape", placed->kernel, 2);
	convert_set_ints(c, node, "strides", placed->stride, 2);
	convert_set_ints(c, node, "pads", placed->padding, 4);
}

static bool has_input(const struct conversion *c, uint32_t i)
{
	return i < c->now->input_count && c->now->inputs[i] >= 0;
}

/* ---- Convolutions ---- */

static void write_conv(struct conversion *c, int activation_at, int dilation_at,
		       const uint32_t perm[4], bool is_depthwise)
{
	const int64_t activation = c->now->option[activation_at];
	struct nn_const weights = convert_floats(c, 1), bias;
	const char *inputs[3], *made;
	struct placed placed;
	Onnx__NodeProto *node;
	int64_t groups;

	if (c->err)
		return;
	placed = place_window(c, weights.dims[1], weights.dims[2],
			      c->now->option[dilation_at + 1], c->now->option[dilation_at]);
	groups = convert_input(c, 0)->dims[3] / (is_depthwise ? 1 : weights.dims[3]);
	weights = convert_permute(c, &weights, perm);
	inputs[0] = convert_read(c, 0, CONVERT_TURNED);
	inputs[1] = convert_constant(c, convert_input(c, 1)->name, &weights);
	if (has_input(c, 2)) {
		bias = convert_floats(c, 2);
		inputs[2] = convert_constant(c, convert_input(c, 2)->name, &bias);
	}
	made = convert_inner(c, activation, CONVERT_TURNED);
	node = convert_add(c, "Conv", inputs, has_input(c, 2) ? 3 : 2, made);
	set_window(c, node, &placed);
	convert_set_ints(c, node, "dilations", placed.dilation, 2);
	convert_set_int(c, node, "group", groups);
	convert_activate(c, activation, made, CONVERT_TURNED);
}

void convert_conv(struct conversion *c)
{
	/* From outputs, height, width, inputs. */
	static const uint32_t perm[4] = { 0, 3, 1, 2 };

	write_conv(c, TFLITE_CONV_ACTIVATION, TFLITE_CONV_DILATION_W, perm, false);
}

void convert_depthwise_conv(struct conversion *c)
{
	/* From 1, height, width, outputs. */
	static const uint32_t perm[4] = { 3, 0, 1, 2 };

	write_conv(c, TFLITE_DEPTHWISE_ACTIVATION, TFLITE_DEPTHWISE_DILATION_W, perm, true);
}

/* inputs: which are the image, and the bias. */
static void write_transposed(struct conversion *c, uint32_t image, uint32_t bias_at,
			     const int64_t stride[2], int64_t activation)
{
	/* From outputs, height, width, inputs. */
	static const uint32_t perm[4] = { 3, 0, 1, 2 };
	struct nn_const weights = convert_floats(c, 1), bias;
	int64_t padding[4] = { 0 }, more[2] = { 0 }, kernel[2];
	const char *inputs[3], *made;
	Onnx__NodeProto *node;

	if (c->err)
		return;
	for (int i = 0; i < 2; i++) {
		int64_t total;

		kernel[i] = weights.dims[i + 1];
		total = (convert_input(c, image)->dims[i + 1] - 1) * stride[i] + kernel[i] -
			convert_output(c, 0)->dims[i + 1];
		if (total < 0)
			more[i] = -total;
		else
			padding[i] = total / 2;
		padding[i + 2] = total < 0 ? 0 : total - total / 2;
	}
	weights = convert_permute(c, &weights, perm);
	inputs[0] = convert_read(c, image, CONVERT_TURNED);
	inputs[1] = convert_constant(c, convert_input(c, 1)->name, &weights);
	if (has_input(c, bias_at)) {
		bias = convert_floats(c, bias_at);
		inputs[2] = convert_constant(c, convert_input(c, bias_at)->name, &bias);
	}
	made = convert_inner(c, activation, CONVERT_TURNED);
	node = convert_add(c, "ConvTranspose", inputs, has_input(c, bias_at) ? 3 : 2, made);
	convert_set_ints(c, node, "kernel_shape", kernel, 2);
	convert_set_ints(c, node, "strides", stride, 2);
	convert_set_ints(c, node, "pads", padding, 4);
	if (more[0] || more[1])
		convert_set_ints(c, node, "output_padding", more, 2);
	convert_activate(c, activation, made, CONVERT_TURNED);
}

void convert_transpose_conv(struct conversion *c)
{
	const int64_t *option = c->now->option;
	const int64_t stride[2] = { option[TFLITE_CONV_STRIDE_H], option[TFLITE_CONV_STRIDE_W] };

	write_transposed(c, 2, 3, stride, option[TFLITE_CONV_ACTIVATION]);
}

void convert_transpose_bias(struct conversion *c)
{
	const uint8_t *at = c->now->custom_options;
	const int64_t stride[2] = { at[4 * CUSTOM_STRIDE_H], at[4 * CUSTOM_STRIDE_W] };

	write_transposed(c, 0, 2, stride, TFLITE_ACTIVATION_NONE);
}

/* ---- Products ---- */

void convert_fully_connected(struct conversion *c)
{
	const int64_t activation = c->now->option[0];
	const struct tflite_tensor *x = convert_input(c, 0), *made = convert_output(c, 0);
	struct nn_const weights = convert_floats(c, 1), bias;
	bool is_reshaped = made->rank != 2;
	const char *inputs[3], *inner, *list[2];
	Onnx__NodeProto *node;

	if (c->err)
		return;
	inputs[0] = convert_read(c, 0, CONVERT_PLAIN);
	if (x->rank != 2 || x->dims[1] != weights.dims[1]) {
		const int64_t dims[2] = { -1, weights.dims[1] };

		list[0] = inputs[0];
		list[1] = convert_list(c, dims, 2);
		inputs[0] = convert_new_name(c, x->name);
		convert_add(c, "Reshape", list, 2, inputs[0]);
	}
	inputs[1] = convert_constant(c, convert_input(c, 1)->name, &weights);
	if (has_input(c, 2)) {
		bias = convert_floats(c, 2);
		inputs[2] = convert_constant(c, convert_input(c, 2)->name, &bias);
	}
	inner = is_reshaped ? convert_new_name(c, made->name) :
			      convert_inner(c, activation, CONVERT_PLAIN);
	node = convert_add(c, "Gemm", inputs, has_input(c, 2) ? 3 : 2, inner);
	convert_set_int(c, node, "transB", 1);
	if (is_reshaped) {
		list[0] = inner;
		inner = convert_inner(c, activation, CONVERT_PLAIN);
		convert_reshape(c, list[0], made, inner);
	}
	convert_activate(c, activation, inner, CONVERT_PLAIN);
}

/* An operand whose last two dimensions may be the wrong way round. */
static const char *read_operand(struct conversion *c, uint32_t i, bool is_turned)
{
	const struct tflite_tensor *tensor = convert_input(c, i);
	const uint32_t rank = tensor->rank;
	const char *made, *name;
	uint32_t order[NN_MAX_RANK];
	int64_t perm[NN_MAX_RANK];
	Onnx__NodeProto *node;

	is_turned &= rank > 1;
	for (uint32_t k = 0; k < rank; k++)
		perm[k] = order[k] = k + 2 < rank ? k : 2 * rank - 3 - k;
	/* What is known is no tensor to the quantizer. */
	if (tensor->is_constant && (is_turned || tensor->constant.element != NN_ELEMENT_FLOAT)) {
		struct nn_const values = convert_floats(c, i);

		if (is_turned)
			values = convert_permute(c, &values, order);
		return c->err ? "" : convert_constant(c, tensor->name, &values);
	}
	name = convert_read(c, i, CONVERT_PLAIN);
	if (!is_turned)
		return name;
	made = convert_new_name(c, tensor->name);
	node = convert_add(c, "Transpose", &name, 1, made);
	convert_set_ints(c, node, "perm", perm, rank);
	return made;
}

void convert_batch_matmul(struct conversion *c)
{
	const char *inputs[2];

	for (uint32_t i = 0; i < 2; i++)
		inputs[i] = read_operand(c, i, c->now->option[i]);
	convert_add(c, "MatMul", inputs, 2, convert_define(c, 0, CONVERT_PLAIN));
}

/* ---- Windows without weights ---- */

/* An average is the mean of what there is of a window, as ONNX's is unless it says otherwise. */
void convert_pool(struct conversion *c)
{
	const int64_t *option = c->now->option, activation = option[TFLITE_POOL_ACTIVATION];
	const struct placed placed = place_window(c, option[TFLITE_POOL_HEIGHT],
						  option[TFLITE_POOL_WIDTH], 1, 1);
	const char *x = convert_read(c, 0, CONVERT_TURNED);
	const char *made = convert_inner(c, activation, CONVERT_TURNED);
	Onnx__NodeProto *node = convert_add(c, c->becomes, &x, 1, made);

	set_window(c, node, &placed);
	convert_activate(c, activation, made, CONVERT_TURNED);
}

static void write_resize(struct conversion *c, const char *mode, const char *coordinates,
			 const char *nearest)
{
	int64_t dims[NN_MAX_RANK];
	const char *inputs[4] = { convert_read(c, 0, CONVERT_TURNED), "", "", NULL };
	Onnx__NodeProto *node;

	convert_shape(convert_output(c, 0), CONVERT_TURNED, dims);
	inputs[3] = convert_list(c, dims, 4);
	node = convert_add(c, "Resize", inputs, 4, convert_define(c, 0, CONVERT_TURNED));
	convert_set_string(c, node, "mode", mode);
	convert_set_string(c, node, "coordinate_transformation_mode", coordinates);
	if (nearest)
		convert_set_string(c, node, "nearest_mode", nearest);
}

void convert_resize_bilinear(struct conversion *c)
{
	write_resize(c, "linear", c->now->option[2] ? "align_corners" :
				  c->now->option[3] ? "half_pixel" : "asymmetric", NULL);
}

void convert_resize_nearest(struct conversion *c)
{
	bool align = c->now->option[0], half = c->now->option[1];

	write_resize(c, "nearest", align ? "align_corners" : half ? "half_pixel" : "asymmetric",
		     align || half ? "round_prefer_ceil" : "floor");
}
