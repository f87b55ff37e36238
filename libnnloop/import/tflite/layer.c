// SPDX-License-Identifier: MIT
/* Operators with weights or a window. */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/tflite/tflite.h"

/* The positions at which the other operators' entries have their options. */
enum fully_connected_option {
	FULLY_CONNECTED_ACTIVATION,
	FULLY_CONNECTED_KEEP_DIMS = 2,
	FULLY_CONNECTED_BIAS_TYPE = 4,
};
enum conv_bias_option { TRANSPOSE_CONV_BIAS_TYPE = 4, CONV_BIAS_TYPE = 6 };

/* Finds where windows are, of padding and strides, which all of them have as options 0, 1 and 2. */
int tflite_place_window(struct tflite_import *import, const struct nn_build_tensor *x,
			struct nn_window *window)
{
	static const int64_t none[4] = { 0 };
	const int64_t *option = import->now->option;
	const struct tflite_fold *fold = import->now->fold;

	window->stride[0] = option[TFLITE_CONV_STRIDE_H];
	window->stride[1] = option[TFLITE_CONV_STRIDE_W];
	return nn_window_place(&import->builder, window, x,
			       option[TFLITE_CONV_PADDING] == TFLITE_PADDING_VALID ?
				       NN_PADDING_GIVEN :
				       NN_PADDING_SAME_UPPER,
			       fold ? fold->padding : none, false);
}

/* Puts an activation behind an operator that cannot do it itself, and defines output 0. */
int tflite_finish_layer(struct tflite_import *import, const struct nn_range *range, bool done,
			struct nn_build_tensor *made)
{
	int err = 0;

	if (!done && nn_range_is_bounded(range))
		err = nn_build_clamp(&import->builder, made, range, &made->quant, made);
	if (!err && import->now->fold && import->now->fold->blocks)
		return tflite_finish_blocks(import, made);
	if (!err && import->now->fold)
		return tflite_define_tensor(import, import->now->fold->output, made);
	return err ? err : tflite_define(import, 0, made);
}

/*
 * Weights are of the input's type, but int8 where that is int16. Those of int8 are around 0; those
 * of uint8 have one scale. TensorFlow Lite's kernels rely on that, and do not all look.
 */
static int need_weights_of(struct tflite_import *import, enum nn_data_type x,
			   const struct nn_quant *quant)
{
	enum nn_data_type type = x == NN_UINT8 ? NN_UINT8 : NN_INT8;

	if (quant->type != type)
		return tflite_fail(import, -EOPNOTSUPP, "its input is of %s, and its weights are of %s",
				   nn_data_type_name(x), nn_data_type_name(quant->type));
	if (type == NN_UINT8 && quant->scales)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its weights are of uint8, and have several scales");
	for (uint64_t i = 0; i < (quant->zero_points ? quant->zero_points->count : 1); i++) {
		if (type == NN_INT8 && nn_quant_zero_point(quant, i))
			return tflite_fail(import, -EOPNOTSUPP,
					   "its weights are of int8, which needs zero point 0, not %" PRId64,
					   nn_quant_zero_point(quant, i));
	}
	return 0;
}

/* XNNPACK computes what gets less than 256 times as fine; other kernels round in another way. */
static int need_coarse(struct tflite_import *import, const struct nn_build_tensor *x,
		       const struct nn_build_weights *weights, const struct nn_quant *output)
{
	const struct nn_quant *quant = weights->parameter.quant;

	for (uint64_t i = 0; i < (quant->scales ? weights->outputs : 1); i++) {
		float ratio = x->quant.scale * nn_quant_scale(quant, i) / output->scale;

		if (x->quant.type != NN_INT16 && !(ratio < 256))
			return tflite_fail(import, -EOPNOTSUPP,
					   "its input scale times its weights scale over its output scale is "
					   "%g, and nnloop knows how it rounds below 256", (double)ratio);
	}
	return 0;
}

/* The type of bias and sums, which an option can say: that of sums that nnloop has. 0: unsaid. */
static int need_bias_type(struct tflite_import *import, enum nn_data_type x, int64_t type)
{
	enum nn_element said = type == 2 ? NN_ELEMENT_INT32 :
			       type == 4 ? NN_ELEMENT_INT64 :
					   NN_ELEMENT_NONE;

	if (!type || said == (x == NN_INT16 ? NN_ELEMENT_INT64 : NN_ELEMENT_INT32))
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "its option quantized_bias_type is %s; with an input of %s, nnloop knows %s",
			   tflite_type_name(type), nn_data_type_name(x),
			   x == NN_INT16 ? "int64" : "int32");
}

/* Input 1 as weights of four dimensions, or of two, of outputs and inputs; x is what they are
 * multiplied by, and input bias_at is the bias. */
static int read_weights(struct tflite_import *import, struct nn_build_weights *weights,
			uint32_t rank, const struct nn_build_tensor *x, uint32_t bias_at,
			struct nn_parameter *bias)
{
	struct nn_parameter *parameter = &weights->parameter;
	int err = tflite_parameter_input(import, 1, parameter);

	if (!err && parameter->values->rank != rank)
		err = tflite_fail(import, -EINVAL, "its weights have %u dimensions, not %u",
				  parameter->values->rank, rank);
	if (!err && !parameter->quant->scale && !parameter->quant->scales)
		err = tflite_fail(import, -EOPNOTSUPP, "its weights are not quantized");
	if (!err && !nn_type_is_8bit(parameter->quant->type))
		err = tflite_fail(import, -EOPNOTSUPP, "its weights are of %s",
				  nn_data_type_name(parameter->quant->type));
	if (!err)
		err = need_weights_of(import, x->quant.type, parameter->quant);
	if (!err && tflite_has_input(import, bias_at))
		err = tflite_bias_input(import, bias_at, bias);
	return err;
}

/*
 * Finds how output 0 is quantized, which is made of x and weights; and whether the activation is
 * possible.
 */
static int find_result(struct tflite_import *import, const struct nn_build_tensor *x,
		       const struct nn_build_weights *weights, struct nn_range *range,
		       struct nn_quant *quant)
{
	int err = tflite_wide_output_quant(import, x, quant);

	if (!err)
		err = tflite_typed_output_quant(import, x->quant.type, quant);
	if (!err && quant->type == NN_INT16)
		err = tflite_need_wide_activation(import, range);
	if (!err)
		err = need_coarse(import, x, weights, quant);
	if (!err)
		tflite_settle_range(range, quant);
	return err;
}

/*
 * TensorFlow Lite adds a bias as the integers that it is, whatever scales the file gives it, but for
 * weights of one scale it fails where the bias is off by a fiftieth of an output's step.
 */
static int settle_bias(struct tflite_import *import, const struct nn_build_tensor *x,
		       const struct nn_build_weights *weights, const struct nn_quant *output,
		       struct nn_parameter *bias)
{
	struct nn_quant *plain;
	float step;

	if (!bias->values)
		return 0;
	step = x->quant.scale * nn_quant_scale(weights->parameter.quant, 0);
	if (!weights->parameter.quant->scales && bias->quant->scale &&
	    !(fabsf(step - bias->quant->scale) / output->scale <= 0.02f))
		return 0; /* refused by whoever adds it */
	plain = tflite_alloc(import, 1, sizeof(*plain));
	if (!plain)
		return -ENOMEM;
	plain->type = bias->quant->type;
	bias->quant = plain;
	return 0;
}

/* The scales of weights are those of outputs, which are this dimension. */
static int need_scales_of(struct tflite_import *import, const struct nn_build_weights *weights,
			  uint32_t axis)
{
	const struct nn_quant *quant = weights->parameter.quant;

	if (!quant->scales || quant->axis == axis)
		return 0;
	return tflite_fail(import, -EOPNOTSUPP,
			   "its weights have a scale for each index of dimension %u, not %u",
			   quant->axis, axis);
}

/* ---- Convolutions ---- */

static int lower_conv(struct tflite_import *import, const struct nn_build_weights *weights,
		      const struct nn_build_tensor *x, uint32_t group,
		      struct nn_parameter *bias, struct nn_window *window, int64_t activation)
{
	struct nn_range range = tflite_activation_range(activation);
	const char *inside = nn_range_activation(&range);
	struct nn_build_weights own = *weights;
	struct nn_build_tensor image = *x, made;
	struct nn_quant quant;
	int err;

	window->kernel[0] = weights->height;
	window->kernel[1] = weights->width;
	if (import->now->fold)
		memcpy(window->dilation, import->now->fold->dilation, sizeof(window->dilation));
	err = nn_need_groups(&import->builder, x, weights, group);
	if (!err)
		err = tflite_place_window(import, x, window);
	if (!err)
		err = tflite_shorten_conv(import, group, &image, &own, window);
	if (!err)
		err = find_result(import, x, weights, &range, &quant);
	if (!err)
		err = settle_bias(import, x, weights, &quant, bias);
	if (!err)
		err = nn_build_conv(&import->builder, &image, &own, group,
				    bias->values ? bias : NULL, window, inside, &quant, &made);
	return err ? err : tflite_finish_layer(import, &range, inside, &made);
}

/* The image that is convolved, weights and bias; the weights' outputs are dimension `axis`. NULL:
 * the error is set. */
static const struct nn_build_tensor *read_conv(struct tflite_import *import, uint32_t axis,
					       struct nn_build_weights *weights,
					       struct nn_parameter *bias)
{
	const struct nn_build_tensor *x = import->now->fold ? import->now->fold->x :
							      tflite_quantized_input(import, 0);
	const uint32_t *dims;

	if (!x || nn_need_image(&import->builder, x) ||
	    read_weights(import, weights, 4, x, 2, bias) ||
	    need_scales_of(import, weights, axis))
		return NULL;
	dims = weights->parameter.values->dims;
	weights->outputs = dims[axis];
	weights->height = dims[1];
	weights->width = dims[2];
	weights->row_stride = (uint64_t)dims[2] * dims[3];
	weights->column_stride = dims[3];
	return x;
}

int tflite_lower_conv(struct tflite_import *import)
{
	const int64_t *option = import->now->option;
	struct nn_window window = {
		.dilation = { option[TFLITE_CONV_DILATION_H], option[TFLITE_CONV_DILATION_W] },
	};
	struct nn_build_weights weights = { .input_stride = 1 };
	struct nn_parameter bias = { 0 };
	const struct nn_build_tensor *x = read_conv(import, 0, &weights, &bias);

	if (!x)
		return tflite_failed(import);
	if (need_bias_type(import, x->quant.type, option[CONV_BIAS_TYPE]))
		return tflite_failed(import);
	weights.inputs = weights.parameter.values->dims[3];
	weights.output_stride = weights.row_stride * weights.height;
	/* A constant has elements. */
	return lower_conv(import, &weights, x, x->dims[3] / weights.inputs, &bias, &window,
			  option[TFLITE_CONV_ACTIVATION]);
}

int tflite_lower_depthwise_conv(struct tflite_import *import)
{
	const int64_t *option = import->now->option;
	struct nn_window window = {
		.dilation = { option[TFLITE_DEPTHWISE_DILATION_H],
			      option[TFLITE_DEPTHWISE_DILATION_W] },
	};
	struct nn_build_weights weights = { .inputs = 1, .output_stride = 1 };
	struct nn_parameter bias = { 0 };
	const struct nn_build_tensor *x = read_conv(import, 3, &weights, &bias);

	if (!x)
		return tflite_failed(import);
	if (weights.parameter.values->dims[0] != 1)
		return tflite_fail(import, -EINVAL, "dimension 0 of its weights is %u, not 1",
				   weights.parameter.values->dims[0]);
	return lower_conv(import, &weights, x, x->dims[3], &bias, &window,
			  option[TFLITE_DEPTHWISE_ACTIVATION]);
}

/* ---- Transposed convolutions ---- */

/*
 * Places a transposed convolution in one direction: how much of the output of the whole is cut off
 * in front. The output's size says the padding, as if a convolution were to make the input of it.
 */
static int place_direction(struct tflite_import *import, struct nn_transposed *transposed, int i,
			   uint32_t inputs, uint32_t kernel, bool valid)
{
	uint32_t outputs = transposed->outputs[i], stride = transposed->stride[i];
	uint64_t windows, needed;

	windows = valid ? (outputs < kernel ? 0 : (outputs - kernel) / stride + 1) :
			  ((uint64_t)outputs + stride - 1) / stride;
	if (windows != inputs)
		return tflite_fail(import, -EINVAL,
				   "its output has %u in dimension %d, which %u do not make",
				   outputs, i + 1, inputs);
	needed = (windows - 1) * stride + kernel;
	transposed->before[i] = needed > outputs ? (needed - outputs) / 2 : 0;
	return 0;
}

int tflite_place_transposed(struct tflite_import *import, const struct nn_build_tensor *x,
			    const uint32_t weights[4], bool valid, struct nn_transposed *out)
{
	int err = 0;

	for (int i = 0; i < 2 && !err; i++)
		err = place_direction(import, out, i, x->dims[i + 1], weights[i + 1], valid);
	return err;
}

/* x, of which a run fails where the shape that it brings is not the output's. */
static int expect_shape(struct tflite_import *import, const struct nn_build_tensor *shape,
			struct nn_build_tensor *x)
{
	const struct nn_build_tensor inputs[2] = { *x, *shape };
	int64_t values[4];
	struct nn_attr attr = { .name = "values", .type = NN_ATTR_INTS, .count = 4, .ints = values };

	for (uint32_t i = 0; i < 4; i++)
		values[i] = import->tensors[import->now->outputs[0]].dims[i];
	return nn_build_node(&import->builder, "Expect", inputs, 2, &attr, 1, &x->quant, x);
}

/*
 * The output's shape, input 0: it must be what the file says of the output. Where it is an input of
 * the model, that is only known when it runs, and x is such that the run fails if it is another
 * one.
 */
int tflite_read_output_shape(struct tflite_import *import, uint32_t dims[NN_MAX_RANK],
			     struct nn_build_tensor *x)
{
	const struct tflite_tensor *input = NULL;
	const struct nn_const *shape;
	uint32_t rank;

	if (tflite_has_input(import, 0))
		input = &import->tensors[import->now->inputs[0]];
	if (input && input->is_constant && input->element == NN_ELEMENT_INT32 &&
	    input->constant.count == 4) {
		for (uint32_t i = 0; i < 4; i++)
			dims[i] = nn_const_int(&input->constant, i);
		tflite_fill_open(import, 0, 4, dims);
	}
	tflite_output_shape(import, 0, &rank, dims);
	if (rank != 4)
		return tflite_fail(import, -EINVAL, "its output has %u dimensions, not 4", rank);
	if (input && input->adds_batch && input->element == NN_ELEMENT_INT32 && input->dims[0] == 4)
		return expect_shape(import, input->made, x);
	shape = tflite_ints_input(import, 0);
	if (!shape)
		return tflite_failed(import);
	if (shape->count != 4)
		return tflite_fail(import, -EINVAL, "it makes %u dimensions, not 4",
				   (uint32_t)shape->count);
	for (uint32_t i = 0; i < 4; i++) {
		uint32_t dim = import->tensors[import->now->outputs[0]].dims[i];

		if (nn_const_int(shape, i) != dim)
			return tflite_fail(import, -EINVAL,
					   "it makes dimension %u %d, and that of its output is %u",
					   i, (int)nn_const_int(shape, i), dim);
	}
	return 0;
}

/* XNNPACK's has with SAME padding no pixels that no window reaches. */
static bool has_xnnpack_transposed(const struct tflite_import *import,
				   const struct nn_build_weights *weights)
{
	const struct tflite_tensor *shape = &import->tensors[import->now->inputs[0]];
	const int64_t *option = import->now->option;

	/* The output's shape is a constant of the file, too; it is not where the batch may vary. */
	if (shape->adds_batch || shape->is_worked_out)
		return false;
	return option[TFLITE_CONV_PADDING] == TFLITE_PADDING_VALID ||
	       (weights->height >= option[TFLITE_CONV_STRIDE_H] &&
		weights->width >= option[TFLITE_CONV_STRIDE_W]);
}

int tflite_lower_transpose_conv(struct tflite_import *import)
{
	const struct nn_build_tensor *input = tflite_quantized_input(import, 2), *x;
	struct nn_build_weights weights = { .input_stride = 1 };
	struct nn_parameter bias = { 0 };
	struct nn_build_tensor expected;
	struct nn_transposed transposed = { .dilation = { 1, 1 } };
	const int64_t *option = import->now->option;
	struct nn_range range = tflite_activation_range(option[TFLITE_CONV_ACTIVATION]);
	const char *inside = nn_range_activation(&range);
	uint32_t shape[NN_MAX_RANK];
	const uint32_t *dims;
	struct nn_build_tensor made;
	struct nn_quant quant;
	bool twice;
	int err;

	if (!input)
		return tflite_failed(import);
	expected = *input;
	x = &expected;
	err = nn_need_image(&import->builder, x);
	if (!err)
		err = need_bias_type(import, x->quant.type, option[TRANSPOSE_CONV_BIAS_TYPE]);
	if (!err)
		err = read_weights(import, &weights, 4, x, 3, &bias);
	if (!err)
		err = need_scales_of(import, &weights, 0);
	if (!err)
		err = tflite_read_output_shape(import, shape, &expected);
	if (err)
		return err;
	dims = weights.parameter.values->dims;
	weights.outputs = dims[0];
	weights.height = dims[1];
	weights.width = dims[2];
	weights.inputs = weights.column_stride = dims[3];
	weights.row_stride = (uint64_t)dims[2] * dims[3];
	weights.output_stride = weights.row_stride * dims[1];
	transposed.stride[0] = option[TFLITE_CONV_STRIDE_H];
	transposed.stride[1] = option[TFLITE_CONV_STRIDE_W];
	memcpy(transposed.outputs, shape + 1, sizeof(transposed.outputs));
	err = tflite_place_transposed(import, x, dims,
				      option[TFLITE_CONV_PADDING] == TFLITE_PADDING_VALID,
				      &transposed);
	if (!err)
		err = nn_need_groups(&import->builder, x, &weights, 1);
	if (!err)
		err = find_result(import, x, &weights, &range, &quant);
	if (!err)
		err = settle_bias(import, x, &weights, &quant, &bias);
	twice = x->quant.type != NN_INT16 && !has_xnnpack_transposed(import, &weights);
	if (twice)
		inside = NULL;
	if (!err)
		err = nn_build_transposed(&import->builder, x, &weights, 1,
					  bias.values ? &bias : NULL, &transposed,
					  twice ? NN_TRANSPOSED_TWICE : NN_TRANSPOSED_ONCE, inside,
					  &quant, &made);
	return err ? err : tflite_finish_layer(import, &range, inside, &made);
}

/* ---- Fully connected ---- */

/* x as it is multiplied: all of an item at once, or, where the dimensions stay, the last one. */
int tflite_flatten(struct tflite_import *import, const struct nn_build_tensor *x, uint32_t inputs,
		   struct nn_build_tensor *out)
{
	uint32_t dims[3] = { x->dims[0], 0, inputs };
	uint64_t elements;
	int err;

	*out = *x;
	if (import->now->option[FULLY_CONNECTED_KEEP_DIMS]) {
		if (x->rank >= 2 && x->dims[x->rank - 1] == inputs)
			return 0;
		return tflite_fail(import, -EINVAL,
				   "its weights are for %u inputs, and it has another number",
				   inputs);
	}
	err = nn_item_elements(&import->builder, x->rank, x->dims, &elements);
	if (err)
		return err;
	/* Several vectors of one item are rows of the result. */
	if (elements != inputs && elements % inputs == 0 && x->dims[0] == NN_ROWS)
		tflite_lift(import);
	dims[1] = import->is_lifted ? elements / inputs : inputs;
	return nn_build_reshape(&import->builder, x, 2 + import->is_lifted, dims, out);
}

/*
 * Whether what is multiplied is 0 everywhere, and without a bias: then so is the result, as in the
 * first step of a recurrent layer, whatever scales the converter had for them.
 */
static bool makes_zeros(struct tflite_import *import)
{
	const struct tflite_tensor *filled = tflite_filled_input(import, 0);

	return filled && !filled->is_real && !tflite_has_input(import, 2) &&
	       filled->filler == tflite_first_zero_point(filled);
}

static int lower_zeros(struct tflite_import *import)
{
	const struct tflite_tensor *output = &import->tensors[import->now->outputs[0]];
	const struct tflite_tensor *input = &import->tensors[import->now->inputs[0]];
	struct nn_parameter weights;
	uint32_t dims[NN_MAX_RANK];
	int err = tflite_parameter_input(import, 1, &weights);

	if (err)
		return err;
	memcpy(dims, input->dims, sizeof(dims));
	dims[1] = weights.values->dims[0];
	tflite_fill_open(import, 0, 2, dims);
	if (weights.values->rank != 2 || input->rank != 2 || output->rank != 2 ||
	    input->dims[1] != weights.values->dims[1] || output->dims[0] != input->dims[0] ||
	    output->dims[1] != weights.values->dims[0] || output->element != input->element ||
	    output->scales.count != 1)
		return tflite_fail(import, -EOPNOTSUPP,
				   "its input is filled with 0, and its weights or its output are of "
				   "other dimensions or types");
	tflite_define_filled(import, (int32_t)tflite_first_zero_point(output));
	return 0;
}

int tflite_lower_fully_connected(struct tflite_import *import)
{
	const struct nn_build_tensor *x;
	struct nn_range range =
		tflite_activation_range(import->now->option[FULLY_CONNECTED_ACTIVATION]);
	const char *inside = nn_range_activation(&range);
	struct nn_build_weights weights = { .height = 1, .width = 1, .input_stride = 1 };
	struct nn_parameter bias = { 0 };
	struct nn_build_tensor flat, made;
	struct nn_quant quant;
	int err;

	if (makes_zeros(import))
		return lower_zeros(import);
	x = tflite_quantized_input(import, 0);
	if (!x)
		return tflite_failed(import);
	err = need_bias_type(import, x->quant.type,
			     import->now->option[FULLY_CONNECTED_BIAS_TYPE]);
	if (!err)
		err = read_weights(import, &weights, 2, x, 2, &bias);
	if (!err)
		err = need_scales_of(import, &weights, 0);
	if (err)
		return err;
	weights.outputs = weights.parameter.values->dims[0];
	weights.inputs = weights.parameter.values->dims[1];
	weights.output_stride = weights.inputs;
	weights.is_long = import->now->option[FULLY_CONNECTED_BIAS_TYPE];
	err = tflite_flatten(import, x, weights.inputs, &flat);
	if (!err)
		err = find_result(import, x, &weights, &range, &quant);
	if (!err)
		err = settle_bias(import, x, &weights, &quant, &bias);
	if (!err)
		err = nn_build_fully_connected(&import->builder, &flat, &weights,
					       bias.values ? &bias : NULL, inside, &quant, &made);
	return err ? err : tflite_finish_layer(import, &range, inside, &made);
}

/* ---- Pools ---- */

static int lower_pool(struct tflite_import *import, const char *op, const char *rounding)
{
	const struct nn_build_tensor *x = tflite_quantized_input(import, 0);
	const int64_t *option = import->now->option;
	struct nn_range range = tflite_activation_range(option[TFLITE_POOL_ACTIVATION]);
	struct nn_window window = {
		.kernel = { option[TFLITE_POOL_HEIGHT], option[TFLITE_POOL_WIDTH] },
		.dilation = { 1, 1 },
		.rounding = rounding,
	};
	struct nn_build_tensor made;
	struct nn_quant quant;
	int err;

	if (!x)
		return tflite_failed(import);
	err = nn_need_image(&import->builder, x);
	if (!err)
		err = tflite_same_quant(import, 0, &x->quant);
	if (!err)
		err = tflite_output_quant(import, 0, &quant);
	if (!err)
		err = tflite_need_range(import, &range, &quant);
	if (!err)
		err = tflite_place_window(import, x, &window);
	if (!err && (window.kernel[0] > NN_MAX_WINDOW || window.kernel[1] > NN_MAX_WINDOW))
		err = rounding ? tflite_build_long_average(import, x, &window, &made) :
				 tflite_build_long_pool(import, x, &window, &made);
	else if (!err)
		err = nn_build_pool(&import->builder, op, x, &window, &x->quant, &made);
	if (!err)
		err = tflite_keep_stored(import, 0, &made);
	if (!err && x->quant.type == NN_INT16)
		err = tflite_limit_wide(import, &range, &made);
	return err ? err : tflite_finish_layer(import, &range, x->quant.type == NN_INT16, &made);
}

int tflite_lower_average_pool(struct tflite_import *import)
{
	return lower_pool(import, "AveragePool", "half_away");
}

int tflite_lower_max_pool(struct tflite_import *import)
{
	return lower_pool(import, "MaxPool", NULL);
}
