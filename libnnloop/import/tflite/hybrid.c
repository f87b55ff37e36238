// SPDX-License-Identifier: MIT
/*
 * Hybrid TensorFlow Lite operators, as "dynamic range" models have them: weights of int8, or int4,
 * beside an input of float32, which is quantized by what is in it: as LiteRT's XNNPACK does, each
 * vector of a fully connected layer by itself, each image of a convolution, and each pixel where
 * the window is one, without groups. Sums are those of integers, and scales and bias are applied in float32
 * (import/dynamic.h).
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/dynamic.h"
#include "import/floats.h"
#include "import/tflite/tflite.h"

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

/* Weights of `rank` dimensions, of which one is that of the outputs; input bias_at is the bias. */
static int read_hybrid(struct tflite_import *import, uint32_t rank, uint32_t outputs_axis,
		       uint32_t bias_at, struct hybrid *out)
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
	out->has_bias = tflite_has_input(import, bias_at);
	if (out->has_bias)
		err = tflite_float_constant(import, bias_at, &out->bias);
	if (!err && out->has_bias && out->bias.count != out->weights.outputs)
		err = tflite_fail(import, -EINVAL,
				  "its bias has %" PRIu64 " elements for %" PRIu32 " outputs",
				  out->bias.count, out->weights.outputs);
	if (!err && out->has_bias)
		nn_const_reshape(&out->bias, 1, &out->weights.outputs);
	return err;
}

/*
 * Sums of integers as reals: without the scale 1 that integers have in operators, with what they lack,
 * times the input's scale and the weights', with the bias.
 */
static int make_real(struct tflite_import *import, const struct hybrid *hybrid,
		     const struct nn_dynamic *x, const struct nn_const *of_weights,
		     const struct nn_build_tensor *sums, struct nn_build_tensor *out)
{
	struct nn_builder *builder = &import->builder;
	struct nn_build_tensor shift, plain, whole, real;
	const struct nn_operand operands[2] = { { .tensor = &real }, { .tensor = &x->scale } };
	int err = nn_build_unary(builder, "Cast", sums, NULL, 0, &nn_quant_int32, &plain);

	if (!err)
		err = nn_build_shift(builder, &x->zero, &shift);
	if (!err)
		err = nn_build_shifted(builder, &plain, &shift, of_weights, &whole);
	if (!err)
		err = nn_build_float_convert(builder, &whole, &nn_quant_float, &real);
	if (!err)
		err = nn_build_float_binary(builder, "Mul", operands, &nn_quant_float, out);
	if (!err)
		err = nn_build_float_by(builder, "Mul", out, &hybrid->scales, out);
	return err || !hybrid->has_bias ? err :
					  nn_build_float_by(builder, "Add", out, &hybrid->bias, out);
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
		err = read_hybrid(import, tensor->constant.rank, tensor->constant.rank - 1, 2,
				  &hybrid);
	if (err)
		return err;
	product.operands[1].constant = hybrid.weights.parameter;
	err = nn_build_dynamic(&import->builder, &x, 1u << (x.rank - 1), NN_DYNAMIC_XNNPACK,
			       &dynamic);
	product.operands[0].tensor = &dynamic.integers;
	if (!err)
		err = nn_build_product(&import->builder, &product, NULL, NULL, &nn_quant_int32, &sums);
	if (!err)
		err = sum_columns(import, &tensor->constant, transposed, &of_weights);
	return err ? err : make_real(import, &hybrid, &dynamic, &of_weights, &sums, out);
}

int tflite_build_hybrid_layer(struct tflite_import *import, struct nn_build_tensor *out)
{
	struct nn_build_tensor x, flat, sums;
	struct nn_dynamic dynamic;
	struct hybrid hybrid;
	struct nn_const of_weights;
	int err = tflite_float_tensor(import, 0, &x);

	if (!err)
		err = read_hybrid(import, 2, 0, 2, &hybrid);
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
					       NULL, NULL, &nn_quant_int32, &sums);
	if (!err)
		err = nn_sum_weights(&import->builder, &hybrid.weights, &of_weights);
	return err ? err : make_real(import, &hybrid, &dynamic, &of_weights, &sums, out);
}

/* Axes of an image that are quantized together: all of it, or each pixel, which XNNPACK multiplies
 * as the vectors of a layer where the window is one and there are no groups. */
static uint32_t find_axes(const struct nn_window *window, bool is_depthwise, uint32_t groups)
{
	bool is_layer = !is_depthwise && groups == 1;

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
	int err = read_hybrid(import, 4, is_depthwise ? 3 : 0, 2, &hybrid);

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
		err = nn_build_dynamic(&import->builder, x, find_axes(window, is_depthwise, groups),
				       NN_DYNAMIC_XNNPACK, &dynamic);
	if (!err)
		err = nn_build_conv(&import->builder, &dynamic.integers, weights, groups, NULL,
				    window, NULL, &nn_quant_int32, &sums);
	if (!err)
		err = nn_sum_window(&import->builder, weights, window, x, &of_weights);
	return err ? err : make_real(import, &hybrid, &dynamic, &of_weights, &sums, out);
}

/* Sums of the weights that meet an element of the image, for each element that is made. */
static int sum_spread(struct tflite_import *import, const struct nn_const *from,
		      const struct nn_build_tensor *x, const struct nn_transposed *transposed,
		      struct nn_const *out)
{
	uint32_t outputs = from->dims[0], area = from->dims[1] * from->dims[2];
	const uint32_t *made = transposed->outputs;
	int32_t *sums, *of_taps = tflite_alloc(import, (size_t)area * outputs, sizeof(*of_taps));

	*out = (struct nn_const){ .element = NN_ELEMENT_INT32, .rank = 4,
				  .dims = { 1, made[0], made[1], outputs },
				  .count = (uint64_t)made[0] * made[1] * outputs };
	if (out->count > INT32_MAX)
		return tflite_fail(import, -EOPNOTSUPP, "it makes more than 2^31 elements");
	sums = tflite_alloc(import, out->count, sizeof(*sums));
	if (!sums || !of_taps)
		return -ENOMEM;
	out->data = sums;
	for (uint64_t i = 0; i < from->count; i++) {
		uint64_t tap = i / from->dims[3];

		of_taps[tap % area * outputs + tap / area] += (int32_t)nn_const_int(from, i);
	}
	for (uint64_t i = 0; i < (uint64_t)x->dims[1] * x->dims[2] * area; i++) {
		uint64_t pixel = i / area, tap = i % area;
		uint64_t y = pixel / x->dims[2] * transposed->stride[0] + tap / from->dims[2];
		uint64_t z = pixel % x->dims[2] * transposed->stride[1] + tap % from->dims[2];

		y -= transposed->before[0];
		z -= transposed->before[1];
		/* What is cut off in front is beyond all ends here. */
		for (uint32_t o = 0; y < made[0] && z < made[1] && o < outputs; o++)
			sums[(y * made[1] + z) * outputs + o] += of_taps[tap * outputs + o];
	}
	return 0;
}

int tflite_build_hybrid_transposed(struct tflite_import *import, const struct nn_build_tensor *x,
				   struct nn_transposed *transposed, bool valid,
				   struct nn_build_tensor *out)
{
	struct nn_dynamic dynamic;
	struct nn_const of_weights;
	struct nn_build_tensor sums;
	struct nn_build_weights *weights;
	const uint32_t *dims;
	struct hybrid hybrid;
	int err = read_hybrid(import, 4, 0, 3, &hybrid);

	if (err)
		return err;
	weights = &hybrid.weights;
	dims = weights->parameter.values->dims;
	weights->inputs = dims[3];
	weights->height = dims[1];
	weights->width = dims[2];
	weights->input_stride = 1;
	weights->column_stride = dims[3];
	weights->row_stride = (uint64_t)dims[2] * dims[3];
	weights->output_stride = weights->row_stride * dims[1];
	err = tflite_need_channels(import, x, dims);
	if (!err)
		err = tflite_place_transposed(import, x, dims, valid, transposed);
	if (!err)
		err = nn_build_dynamic(&import->builder, x, 1u << 1 | 1u << 2 | 1u << 3,
				       NN_DYNAMIC_XNNPACK, &dynamic);
	if (!err)
		err = nn_build_transposed(&import->builder, &dynamic.integers, weights, 1, NULL,
					  transposed, NN_TRANSPOSED_ONCE, NULL, &nn_quant_int32, &sums);
	if (!err)
		err = sum_spread(import, weights->parameter.values, x, transposed, &of_weights);
	return err ? err : make_real(import, &hybrid, &dynamic, &of_weights, &sums, out);
}
