// SPDX-License-Identifier: MIT
/*
 * Models that compute in float32: a model that is refused as a quantized one, and quantizes nothing
 * that it computes, is imported again with tensors of float32. Weights may be of float16, or
 * integers that a DEQUANTIZE makes floats of. What only moves elements is the same as of integers.
 */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/floats.h"
#include "import/tflite/tflite.h"

bool tflite_is_of_floats(const struct tflite_import *import)
{
	bool any = false;

	for (uint32_t i = 0; i < import->tensor_count; i++) {
		const struct tflite_tensor *tensor = &import->tensors[i];

		if (tensor->is_constant && !tensor->is_worked_out)
			continue;
		if (tensor->scales.count && tensor->element != NN_ELEMENT_FLOAT)
			return false;
		any |= tensor->element == NN_ELEMENT_FLOAT;
	}
	return any;
}

/* ---- Operands ---- */

static const struct tflite_tensor *find_input(const struct tflite_import *import, uint32_t i)
{
	return tflite_has_input(import, i) ? &import->tensors[import->now->inputs[i]] : NULL;
}

static bool is_float_constant(const struct tflite_tensor *tensor)
{
	return tensor && tensor->is_constant && tensor->constant.element == NN_ELEMENT_FLOAT;
}

static int read_tensor(struct tflite_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = tflite_tensor_input(import, i);

	if (!x)
		return tflite_failed(import);
	if (!nn_is_float(x))
		return tflite_fail(import, -EOPNOTSUPP, "its input %s is of %s, beside float32",
				   tflite_quote(import, x->name), nn_data_type_name(x->quant.type));
	*out = *x;
	return 0;
}

static int read_constant(struct tflite_import *import, uint32_t i, struct nn_const *out)
{
	const struct tflite_tensor *tensor = find_input(import, i);

	if (!is_float_constant(tensor))
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input %" PRIu32 " is no constant of float32, which nnloop "
				   "needs beside an input of float32", i);
	*out = tensor->constant;
	return 0;
}

static int read_operand(struct tflite_import *import, uint32_t i, struct nn_build_tensor *tensor,
			struct nn_operand *out)
{
	const struct tflite_tensor *input = find_input(import, i);

	*out = (struct nn_operand){ .tensor = tensor };
	if (!is_float_constant(input))
		return read_tensor(import, i, tensor);
	*out = (struct nn_operand){ .constant = { .name = input->name, .values = &input->constant,
						  .quant = &nn_quant_float } };
	return 0;
}

/* Puts an activation behind what was made. */
static int limit(struct tflite_import *import, int64_t activation, struct nn_build_tensor *made)
{
	const struct nn_range range = tflite_activation_range(activation);
	const struct nn_build_tensor from = *made;

	if (!nn_range_is_bounded(&range))
		return 0;
	return nn_build_float_each(&import->builder, "clamp", &range.low, &range.high, &from, made);
}

/* ---- Layers ---- */

static int finish(struct tflite_import *import, int64_t activation, struct nn_build_tensor *made)
{
	int err = limit(import, activation, made);

	return err ? err : tflite_finish_layer(import, &nn_range_unbounded, true, made);
}

/* The image, weights of four dimensions and bias; `bias` is where that may be. */
static int read_layer(struct tflite_import *import, uint32_t x_at, uint32_t bias_at,
		      struct nn_build_tensor *x, struct nn_const *values, struct nn_const *bias,
		      struct nn_float_weights *weights)
{
	int err = 0;

	if (import->now->fold)
		*x = *import->now->fold->x;
	else
		err = read_tensor(import, x_at, x);
	if (!err)
		err = nn_need_image(&import->builder, x);
	if (!err)
		err = read_constant(import, 1, values);
	if (!err && values->rank != 4)
		err = tflite_fail(import, -EINVAL, "its weights have %" PRIu32 " dimensions, not 4",
				  values->rank);
	weights->values = values;
	weights->bias = NULL;
	if (err || !tflite_has_input(import, bias_at))
		return err;
	weights->bias = bias;
	return read_constant(import, bias_at, bias);
}

static int lower_conv(struct tflite_import *import)
{
	bool is_depthwise = !strcmp(import->now->op->name, "DEPTHWISE_CONV_2D");
	const int64_t *option = import->now->option;
	const int dilation = is_depthwise ? TFLITE_DEPTHWISE_DILATION_W : TFLITE_CONV_DILATION_W;
	struct nn_window window = { .dilation = { option[dilation + 1], option[dilation] } };
	struct nn_build_weights placed = { 0 };
	struct nn_float_weights weights;
	struct nn_const values, bias;
	struct nn_build_tensor x, made;
	uint32_t groups;
	int err = read_layer(import, 0, 2, &x, &values, &bias, &weights);

	if (err)
		return err;
	weights.outputs = values.dims[is_depthwise ? 3 : 0];
	weights.inputs = is_depthwise ? 1 : values.dims[3];
	weights.height = values.dims[1];
	weights.width = values.dims[2];
	weights.column_stride = values.dims[3];
	weights.row_stride = (uint64_t)values.dims[2] * values.dims[3];
	weights.output_stride = is_depthwise ? 1 : weights.row_stride * values.dims[1];
	weights.input_stride = is_depthwise ? 0 : 1;
	groups = x.dims[3] / weights.inputs;
	placed.outputs = weights.outputs;
	placed.inputs = weights.inputs;
	if (import->now->fold)
		memcpy(window.dilation, import->now->fold->dilation, sizeof(window.dilation));
	err = nn_window_set(&import->builder, &window.kernel[0], "height", weights.height);
	if (!err)
		err = nn_window_set(&import->builder, &window.kernel[1], "width", weights.width);
	if (!err)
		err = nn_need_groups(&import->builder, &x, &placed, groups);
	if (!err)
		err = tflite_place_window(import, &x, &window);
	if (!err)
		err = nn_build_float_conv(&import->builder, &x, &weights, groups, &window, &made);
	return err ? err : finish(import, option[is_depthwise ? TFLITE_DEPTHWISE_ACTIVATION :
								TFLITE_CONV_ACTIVATION], &made);
}

static int lower_transpose_conv(struct tflite_import *import)
{
	const int64_t *option = import->now->option;
	struct nn_transposed transposed = { .dilation = { 1, 1 } };
	struct nn_float_weights weights;
	struct nn_const values, bias;
	struct nn_build_tensor x, made;
	uint32_t shape[NN_MAX_RANK];
	int err = read_layer(import, 2, 3, &x, &values, &bias, &weights);

	if (!err)
		err = tflite_read_output_shape(import, shape, &x);
	if (!err && values.dims[3] != x.dims[3])
		err = tflite_fail(import, -EINVAL, "its weights are for %" PRIu32
				  " channels, and its input has %" PRIu32, values.dims[3], x.dims[3]);
	if (err)
		return err;
	weights.outputs = values.dims[0];
	weights.inputs = values.dims[3];
	weights.height = values.dims[1];
	weights.width = values.dims[2];
	weights.input_stride = 1;
	weights.column_stride = values.dims[3];
	weights.row_stride = (uint64_t)values.dims[2] * values.dims[3];
	weights.output_stride = weights.row_stride * values.dims[1];
	transposed.stride[0] = option[TFLITE_CONV_STRIDE_H];
	transposed.stride[1] = option[TFLITE_CONV_STRIDE_W];
	for (int i = 0; i < 2 && !err; i++) {
		transposed.outputs[i] = shape[i + 1];
		err = tflite_place_transposed(import, &transposed, i, x.dims[i + 1],
					      values.dims[i + 1]);
	}
	if (!err)
		err = nn_build_float_transposed(&import->builder, &x, &weights, 1, &transposed,
						&made);
	return err ? err : finish(import, option[TFLITE_CONV_ACTIVATION], &made);
}

static int lower_fully_connected(struct tflite_import *import)
{
	struct nn_float_weights weights = { .height = 1, .width = 1, .input_stride = 1 };
	struct nn_build_tensor x, flat, made;
	struct nn_const values, bias;
	int err = read_tensor(import, 0, &x);

	if (!err)
		err = read_constant(import, 1, &values);
	if (!err && tflite_has_input(import, 2))
		err = read_constant(import, 2, &bias);
	if (!err && values.rank != 2)
		err = tflite_fail(import, -EINVAL, "its weights have %" PRIu32 " dimensions, not 2",
				  values.rank);
	if (err)
		return err;
	weights.values = &values;
	weights.bias = tflite_has_input(import, 2) ? &bias : NULL;
	weights.outputs = values.dims[0];
	weights.inputs = weights.output_stride = values.dims[1];
	err = tflite_flatten(import, &x, weights.inputs, &flat);
	if (!err)
		err = nn_build_float_layer(&import->builder, &flat, &weights, &made);
	return err ? err : finish(import, import->now->option[0], &made);
}

static int lower_pool(struct tflite_import *import)
{
	bool is_max = !strcmp(import->now->op->name, "MAX_POOL_2D");
	const int64_t *option = import->now->option;
	struct nn_window window = {
		.kernel = { option[TFLITE_POOL_HEIGHT], option[TFLITE_POOL_WIDTH] },
		.dilation = { 1, 1 },
	};
	const uint32_t far[2] = { 0, 0 };
	struct nn_build_tensor x, made;
	int err = read_tensor(import, 0, &x);

	if (!err)
		err = nn_need_image(&import->builder, &x);
	if (!err)
		err = tflite_place_window(import, &x, &window);
	if (!err)
		err = nn_build_float_pool(&import->builder, &x, is_max ? "max" : "mean", &window,
					  far, &made);
	return err ? err : finish(import, option[TFLITE_POOL_ACTIVATION], &made);
}

static int lower_batch_matmul(struct tflite_import *import)
{
	struct nn_product product = {
		.transpose = { import->now->option[0], import->now->option[1] },
	};
	struct nn_build_tensor tensors[2], made;
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++)
		err = read_operand(import, i, &tensors[i], &product.operands[i]);
	if (!err)
		err = nn_build_float_product(&import->builder, &product, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- Each element, and two ---- */

static int define_each(struct tflite_import *import, const char *function, const float *alpha,
		       const float *beta)
{
	struct nn_build_tensor x, made;
	int err = read_tensor(import, 0, &x);

	if (!err)
		err = nn_build_float_each(&import->builder, function, alpha, beta, &x, &made);
	return err ? err : tflite_define(import, 0, &made);
}

static int lower_each(struct tflite_import *import)
{
	static const char *const names[][2] = {
		{ "ABS", "Abs" },	{ "CEIL", "Ceil" },	   { "COS", "Cos" },
		{ "ELU", "Elu" },	{ "EXP", "Exp" },	   { "FLOOR", "Floor" },
		{ "HARD_SWISH", "HardSwish" }, { "LOG", "Log" },   { "LOGISTIC", "Sigmoid" },
		{ "NEG", "Neg" },	{ "RELU", "Relu" },	   { "ROUND", "Round" },
		{ "RSQRT", "rsqrt" },	{ "SIN", "Sin" },	   { "SQRT", "Sqrt" },
		{ "SQUARE", "square" }, { "TANH", "Tanh" },
	};
	const char *name = import->now->op->name;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i][0], name))
			return define_each(import, names[i][1], NULL, NULL);
	}
	if (!strcmp(name, "GELU"))
		return define_each(import, import->now->option[0] ? "GeluTanh" : "Gelu", NULL, NULL);
	if (!strcmp(name, "LEAKY_RELU"))
		return define_each(import, "LeakyRelu", &import->now->float_option[0], NULL);
	return define_each(import, "clamp", &(const float){ strcmp(name, "RELU6") ? -1 : 0 },
			   &(const float){ strcmp(name, "RELU6") ? 1 : 6 });
}

static int lower_two(struct tflite_import *import)
{
	static const char *const names[][2] = {
		{ "ADD", "Add" },	  { "SUB", "Sub" },	{ "MUL", "Mul" },
		{ "DIV", "Div" },	  { "MAXIMUM", "Max" }, { "MINIMUM", "Min" },
		{ "PRELU", "PRelu" },	  { "SQUARED_DIFFERENCE", "SquaredDifference" },
		{ "EQUAL", "Equal" },	  { "LESS", "Less" },	{ "LESS_EQUAL", "LessOrEqual" },
		{ "GREATER", "Greater" }, { "GREATER_EQUAL", "GreaterOrEqual" },
	};
	const char *function = NULL;
	struct nn_build_tensor tensors[2], made;
	struct nn_operand operands[2];
	bool compares, has_activation;
	int err = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i][0], import->now->op->name))
			function = names[i][1];
	}
	compares = !strcmp(function, "Equal") || !strncmp(function, "Less", 4) ||
		   !strncmp(function, "Greater", 7);
	has_activation = !strcmp(function, "Add") || !strcmp(function, "Sub") ||
			 !strcmp(function, "Mul");
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = read_operand(import, i, &tensors[i], &operands[i]);
	if (!err)
		err = nn_build_float_binary(&import->builder, function, operands,
					    compares ? &nn_quant_truth : &nn_quant_float, &made);
	if (!err && has_activation)
		err = limit(import, import->now->option[0], &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- Along dimensions ---- */

static int define_reduced(struct tflite_import *import, const struct nn_build_tensor *x,
			  const struct nn_float_along *reduction, bool keep_dims)
{
	uint32_t rank, dims[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err = nn_build_float_reduce(&import->builder, x, reduction, &made);

	nn_reduced_shape(x, reduction->axes, keep_dims, &rank, dims);
	if (!err && !keep_dims)
		err = nn_build_reshape(&import->builder, &made, rank, dims, &made);
	return err ? err : tflite_define(import, 0, &made);
}

static int lower_reduce(struct tflite_import *import)
{
	static const char *const names[][2] = {
		{ "MEAN", "mean" },	  { "SUM", "sum" },	    { "REDUCE_MAX", "max" },
		{ "REDUCE_MIN", "min" },  { "REDUCE_PROD", "prod" },
	};
	struct nn_float_along reduction = { .makes_one = true };
	struct nn_build_tensor x;
	int err = read_tensor(import, 0, &x);

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i][0], import->now->op->name))
			reduction.function = names[i][1];
	}
	if (!err)
		err = tflite_read_axes(import, &x, &reduction.axes);
	return err ? err : define_reduced(import, &x, &reduction, import->now->option[0]);
}

/* SOFTMAX, LOG_SOFTMAX and L2_NORMALIZATION: of the last dimension. */
static int lower_vectors(struct tflite_import *import)
{
	bool is_softmax = !strcmp(import->now->op->name, "SOFTMAX");
	struct nn_float_along reduction = {
		.function = is_softmax ? "softmax" :
			    !strcmp(import->now->op->name, "LOG_SOFTMAX") ? "log_softmax" : "l2",
	};
	float beta = is_softmax ? import->now->float_option[0] : 1;
	struct nn_build_tensor x, made;
	int err = read_tensor(import, 0, &x);

	if (err)
		return err;
	/* TensorFlow Lite's least length of a vector. */
	if (!strcmp(reduction.function, "l2"))
		reduction.epsilon = 1e-6f;
	if (beta != 1) {
		const struct nn_const number = { .element = NN_ELEMENT_FLOAT, .rank = 1, .dims = { 1 },
						 .count = 1, .data = &beta };
		const struct nn_operand operands[2] = {
			{ .tensor = &x },
			{ .constant = { .name = "beta", .values = &number,
					.quant = &nn_quant_float } },
		};

		err = nn_build_float_binary(&import->builder, "Mul", operands, &nn_quant_float,
					    &made);
		x = made;
	}
	reduction.axes = 1u << (x.rank - 1);
	return err ? err : define_reduced(import, &x, &reduction, true);
}

/* ---- Others ---- */

/* A constant stays one; integers that are computed become floats. */
static int lower_dequantize(struct tflite_import *import)
{
	const struct tflite_tensor *input = find_input(import, 0);
	struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	struct nn_quant quant;
	int err = 0;

	if (!input || !input->is_constant || !input->constant.element)
		return tflite_lower_dequantize(import);
	output->constant = input->constant;
	if (input->constant.element != NN_ELEMENT_FLOAT) {
		struct nn_parameter weights;

		err = tflite_parameter_input(import, 0, &weights);
		if (err)
			return err;
		quant = *weights.quant;
		if (!quant.scale && !quant.scales)
			return tflite_fail(import, -EOPNOTSUPP, "its input has no scale");
		err = nn_const_dequantize(&import->builder, &input->constant, &quant,
					  &output->constant);
	}
	output->is_constant = !err;
	output->is_worked_out = true;
	return err;
}

static int lower_resize(struct tflite_import *import)
{
	const struct nn_const *size = tflite_ints_input(import, 1);
	bool align = import->now->option[2], half = import->now->option[3];
	struct nn_resize resize = {
		.mode = "linear",
		/* ONNX's names for the same positions. */
		.coordinates = align ? "align_corners" : half ? "half_pixel" : "asymmetric",
	};
	struct nn_build_tensor x, made;
	int err = size ? read_tensor(import, 0, &x) : tflite_failed(import);

	if (!err)
		err = nn_need_image(&import->builder, &x);
	if (!err && size->count != 2)
		err = tflite_fail(import, -EINVAL, "its size is %" PRIu64 " numbers, not 2",
				  size->count);
	for (uint32_t i = 0; i < 2 && !err; i++) {
		int64_t pixels = nn_const_int(size, i);

		if (pixels < 1 || pixels > UINT16_MAX)
			return tflite_fail(import, -EOPNOTSUPP,
					   "it makes %" PRId64 " pixels; nnloop knows 1 to %d",
					   pixels, UINT16_MAX);
		resize.size[i] = pixels;
	}
	if (!err)
		err = nn_build_resize(&import->builder, &x, &resize, &nn_quant_float, &made);
	return err ? err : tflite_define(import, 0, &made);
}

/* ---- The table ---- */

static const struct form {
	const char *name;
	int (*lower)(struct tflite_import *import);
} forms[] = {
	{ "ABS", lower_each },
	{ "ADD", lower_two },
	{ "AVERAGE_POOL_2D", lower_pool },
	{ "BATCH_MATMUL", lower_batch_matmul },
	{ "CEIL", lower_each },
	{ "CONV_2D", lower_conv },
	{ "COS", lower_each },
	{ "DEPTHWISE_CONV_2D", lower_conv },
	{ "DIV", lower_two },
	{ "ELU", lower_each },
	{ "EQUAL", lower_two },
	{ "EXP", lower_each },
	{ "FLOOR", lower_each },
	{ "FULLY_CONNECTED", lower_fully_connected },
	{ "GELU", lower_each },
	{ "GREATER", lower_two },
	{ "GREATER_EQUAL", lower_two },
	{ "HARD_SWISH", lower_each },
	{ "L2_NORMALIZATION", lower_vectors },
	{ "LEAKY_RELU", lower_each },
	{ "LESS", lower_two },
	{ "LESS_EQUAL", lower_two },
	{ "LOG", lower_each },
	{ "LOGISTIC", lower_each },
	{ "LOG_SOFTMAX", lower_vectors },
	{ "MAXIMUM", lower_two },
	{ "MAX_POOL_2D", lower_pool },
	{ "MEAN", lower_reduce },
	{ "MINIMUM", lower_two },
	{ "MUL", lower_two },
	{ "NEG", lower_each },
	{ "PRELU", lower_two },
	{ "REDUCE_MAX", lower_reduce },
	{ "REDUCE_MIN", lower_reduce },
	{ "REDUCE_PROD", lower_reduce },
	{ "RELU", lower_each },
	{ "RELU6", lower_each },
	{ "RELU_N1_TO_1", lower_each },
	{ "RESIZE_BILINEAR", lower_resize },
	{ "ROUND", lower_each },
	{ "RSQRT", lower_each },
	{ "SIN", lower_each },
	{ "SOFTMAX", lower_vectors },
	{ "SQRT", lower_each },
	{ "SQUARE", lower_each },
	{ "SQUARED_DIFFERENCE", lower_two },
	{ "SUB", lower_two },
	{ "SUM", lower_reduce },
	{ "TANH", lower_each },
	{ "TRANSPOSE_CONV", lower_transpose_conv },
};

static const struct form *find_form(const struct tflite_import *import)
{
	static const struct form dequantize = { "DEQUANTIZE", lower_dequantize };

	if (!strcmp(import->now->op->name, dequantize.name))
		return &dequantize;
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		if (!strcmp(forms[i].name, import->now->op->name))
			return &forms[i];
	}
	return NULL;
}

bool tflite_has_floats(const struct tflite_import *import)
{
	const struct form *form = import->floats ? find_form(import) : NULL;

	if (!form || form->lower == lower_dequantize)
		return form;
	for (uint32_t i = 0; i < import->now->input_count; i++) {
		const struct tflite_tensor *tensor = find_input(import, i);

		if (tensor && tensor->element == NN_ELEMENT_FLOAT)
			return true;
	}
	return false;
}

int tflite_lower_floats(struct tflite_import *import)
{
	return find_form(import)->lower(import);
}
