// SPDX-License-Identifier: MIT
/*
 * Hybrid TensorFlow Lite operators, as "dynamic range" models have them: weights of int8, or int4,
 * beside an input of float32, which is quantized by what is in it: as LiteRT's XNNPACK does, each
 * vector of a fully connected layer by itself, each image of a convolution, and each pixel where
 * the window is one. Sums are those of integers, and scales and bias are applied in float32
 * (import/dynamic.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/dynamic.h"
#include "import/floats.h"
#include "import/tflite/tflite.h"

static const struct nn_quant plain_int32 = { .type = NN_INT32 };

bool tflite_is_hybrid(const struct tflite_import *import)
{
	const struct tflite_tensor *weights;

	if (!tflite_has_input(import, 1))
		return false;
	weights = &import->tensors[import->now->inputs[1]];
	return weights->is_constant && weights->constant.element == NN_ELEMENT_INT8 &&
	       weights->scales.count;
}

/* Weights, their scales, and the bias; the weights are as they are stored then. */
struct hybrid {
	struct nn_build_weights weights;
	struct nn_quant stored;
	struct nn_const scales, bias;
	bool has_bias;
};

static int read_hybrid(struct tflite_import *import, uint32_t rank, uint32_t outputs_axis,
		       struct hybrid *out)
{
	struct nn_parameter *parameter = &out->weights.parameter;
	float *scales;
	int err;

	memset(out, 0, sizeof(*out));
	err = tflite_parameter_input(import, 1, parameter);
	if (!err && parameter->values->rank != rank)
		err = tflite_fail(import, -EINVAL,
				  "its weights have %" PRIu32 " dimensions, not %" PRIu32,
				  parameter->values->rank, rank);
	if (!err && parameter->quant->scales && parameter->quant->axis != outputs_axis)
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its weights have a scale for each index of dimension %" PRIu32
				  ", not %" PRIu32, parameter->quant->axis, outputs_axis);
	for (uint32_t i = 0; !err && i < parameter->values->dims[outputs_axis]; i++) {
		if (nn_quant_zero_point(parameter->quant, i))
			err = tflite_fail(import, -EOPNOTSUPP,
					  "its weights have zero points, which are 0 where their "
					  "input is of float32");
	}
	if (err)
		return err;
	out->weights.outputs = parameter->values->dims[outputs_axis];
	out->scales = (struct nn_const){
		.element = NN_ELEMENT_FLOAT,
		.rank = 1,
		.count = parameter->quant->scales ? out->weights.outputs : 1,
	};
	out->scales.dims[0] = out->scales.count;
	scales = tflite_alloc(import, out->scales.count, sizeof(*scales));
	if (!scales)
		return -ENOMEM;
	for (uint64_t i = 0; i < out->scales.count; i++)
		scales[i] = nn_quant_scale(parameter->quant, i);
	out->scales.data = scales;
	out->stored = (struct nn_quant){ .type = parameter->quant->type, .scale = 1 };
	parameter->quant = &out->stored;
	out->has_bias = tflite_has_input(import, 2);
	return out->has_bias ? tflite_float_constant(import, 2, &out->bias) : 0;
}

static int apply(struct tflite_import *import, const char *function, const struct nn_const *values,
		 struct nn_build_tensor *x)
{
	const struct nn_build_tensor from = *x;
	const struct nn_operand operands[2] = {
		{ .tensor = &from },
		{ .constant = { .name = "parameter", .values = values, .quant = &nn_quant_float } },
	};

	return nn_build_float_binary(&import->builder, function, operands, &nn_quant_float, x);
}

/* Sums of integers as reals: times the input's scale and the weights', with the bias. */
static int make_real(struct tflite_import *import, const struct hybrid *hybrid,
		     const struct nn_build_tensor *sums, const struct nn_build_tensor *scale,
		     struct nn_build_tensor *out)
{
	struct nn_build_tensor real;
	const struct nn_operand operands[2] = { { .tensor = &real }, { .tensor = scale } };
	int err = nn_build_float_convert(&import->builder, sums, &nn_quant_float, &real);

	if (!err)
		err = nn_build_float_binary(&import->builder, "Mul", operands, &nn_quant_float,
					    out);
	if (!err)
		err = apply(import, "Mul", &hybrid->scales, out);
	return err || !hybrid->has_bias ? err : apply(import, "Add", &hybrid->bias, out);
}

/* Sums without the scale 1 that integers have in operators, and with what they lack. */
static int shift_sums(struct tflite_import *import, const struct nn_dynamic *x,
		      const struct nn_const *of_weights, struct nn_build_tensor *sums)
{
	struct nn_build_tensor shift, plain;
	int err = nn_build_unary(&import->builder, "Cast", sums, NULL, 0, &plain_int32, &plain);

	if (!err)
		err = nn_build_shift(&import->builder, &x->zero, &shift);
	return err ? err : nn_build_shifted(&import->builder, &plain, &shift, of_weights, sums);
}

/* Sums of the columns of matrices: as many dimensions, 1 instead of the rows. */
static int sum_columns(struct tflite_import *import, const struct nn_const *from, bool transposed,
		       struct nn_const *out)
{
	uint32_t rank = from->rank, length = from->dims[rank - 1 - !transposed];
	uint32_t outputs = from->dims[rank - 1 - transposed];
	int32_t *sums = tflite_alloc(import, from->count / length, sizeof(*sums));

	if (!sums)
		return -ENOMEM;
	*out = *from;
	out->element = NN_ELEMENT_INT32;
	out->count = from->count / length;
	out->dims[rank - 2] = 1;
	out->dims[rank - 1] = outputs;
	out->data = sums;
	for (uint64_t i = 0; i < from->count; i++) {
		uint64_t matrix = i / ((uint64_t)length * outputs);
		uint64_t column = transposed ? i / length % outputs : i % outputs;

		sums[matrix * outputs + column] += (int32_t)nn_const_int(from, i);
	}
	return 0;
}

int tflite_build_hybrid_product(struct tflite_import *import, bool transposed,
				struct nn_build_tensor *out)
{
	static const int64_t zeros[2];
	struct nn_product product = { .transpose = { false, transposed }, .zero_points = zeros };
	const struct tflite_tensor *tensor = &import->tensors[import->now->inputs[1]];
	struct nn_build_tensor x, sums;
	struct nn_const of_weights;
	struct nn_dynamic dynamic;
	struct hybrid hybrid;
	int err = tflite_float_tensor(import, 0, &x);

	if (!err && (tensor->constant.rank < 2 || tensor->scales.count != 1))
		err = tflite_fail(import, -EOPNOTSUPP,
				  "its weights are no matrices, or have several scales");
	if (!err)
		err = read_hybrid(import, tensor->constant.rank, tensor->constant.rank - 1, &hybrid);
	if (err)
		return err;
	product.operands[1].constant = hybrid.weights.parameter;
	err = nn_build_dynamic(&import->builder, &x, 1u << (x.rank - 1), NN_DYNAMIC_XNNPACK,
			       &dynamic);
	product.operands[0].tensor = &dynamic.integers;
	if (!err)
		err = nn_build_product(&import->builder, &product, NULL, NULL, &plain_int32, &sums);
	if (!err)
		err = sum_columns(import, &tensor->constant, transposed, &of_weights);
	if (!err)
		err = shift_sums(import, &dynamic, &of_weights, &sums);
	return err ? err : make_real(import, &hybrid, &sums, &dynamic.scale, out);
}

int tflite_build_hybrid_layer(struct tflite_import *import, struct nn_build_tensor *out)
{
	struct nn_build_tensor x, flat, sums;
	struct nn_dynamic dynamic;
	struct hybrid hybrid;
	struct nn_const of_weights;
	int err = tflite_float_tensor(import, 0, &x);

	if (!err)
		err = read_hybrid(import, 2, 0, &hybrid);
	if (err)
		return err;
	hybrid.weights.inputs = hybrid.weights.parameter.values->dims[1];
	hybrid.weights.output_stride = hybrid.weights.inputs;
	hybrid.weights.height = hybrid.weights.width = hybrid.weights.input_stride = 1;
	err = tflite_flatten(import, &x, hybrid.weights.inputs, &flat);
	if (!err)
		err = nn_build_dynamic(&import->builder, &flat, 1u << (flat.rank - 1),
				       NN_DYNAMIC_XNNPACK, &dynamic);
	if (!err)
		err = nn_build_fully_connected(&import->builder, &dynamic.integers, &hybrid.weights,
					       NULL, NULL, &plain_int32, &sums);
	if (!err)
		err = nn_sum_weights(&import->builder, &hybrid.weights, &of_weights);
	if (!err)
		err = shift_sums(import, &dynamic, &of_weights, &sums);
	return err ? err : make_real(import, &hybrid, &sums, &dynamic.scale, out);
}

/* Axes of an image that are quantized together: all of it, or each pixel, which XNNPACK multiplies
 * as the vectors of a layer. */
static uint32_t find_axes(const struct nn_window *window, bool is_depthwise)
{
	bool is_layer = !is_depthwise;

	for (uint32_t i = 0; i < 2; i++)
		is_layer &= window->kernel[i] == 1 && window->stride[i] == 1;
	return is_layer ? 1u << 3 : 1u << 1 | 1u << 2 | 1u << 3;
}

int tflite_build_hybrid_conv(struct tflite_import *import, const struct nn_build_tensor *x,
			     bool is_depthwise, struct nn_window *window,
			     struct nn_build_tensor *out)
{
	struct nn_build_weights *weights;
	struct nn_dynamic dynamic;
	struct nn_const of_weights;
	struct nn_build_tensor sums;
	const struct nn_const *values;
	struct hybrid hybrid;
	uint32_t groups = 0;
	int err = read_hybrid(import, 4, is_depthwise ? 3 : 0, &hybrid);

	if (err)
		return err;
	weights = &hybrid.weights;
	values = weights->parameter.values;
	if (is_depthwise && hybrid.scales.count == 1 && weights->outputs > 1)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its weights have one scale, for which LiteRT defines nothing "
				   "beside an input of float32");
	weights->inputs = is_depthwise ? 1 : values->dims[3];
	weights->height = values->dims[1];
	weights->width = values->dims[2];
	weights->column_stride = values->dims[3];
	weights->row_stride = (uint64_t)values->dims[2] * values->dims[3];
	weights->output_stride = is_depthwise ? 1 : weights->row_stride * values->dims[1];
	weights->input_stride = is_depthwise ? 0 : 1;
	groups = weights->inputs ? x->dims[3] / weights->inputs : 0;
	err = nn_window_set(&import->builder, &window->kernel[0], "height", weights->height, 0);
	if (!err)
		err = nn_window_set(&import->builder, &window->kernel[1], "width", weights->width,
				    0);
	if (!err)
		err = nn_need_groups(&import->builder, x, weights, groups);
	if (!err)
		err = tflite_place_window(import, x, window);
	if (!err)
		err = nn_build_dynamic(&import->builder, x, find_axes(window, is_depthwise),
				       NN_DYNAMIC_XNNPACK, &dynamic);
	if (!err)
		err = nn_build_conv(&import->builder, &dynamic.integers, weights, groups, NULL,
				    window, NULL, &plain_int32, &sums);
	if (!err)
		err = nn_sum_window(&import->builder, weights, window, x, &of_weights);
	if (!err)
		err = shift_sums(import, &dynamic, &of_weights, &sums);
	return err ? err : make_real(import, &hybrid, &sums, &dynamic.scale, out);
}
