// SPDX-License-Identifier: MIT
/*
 * TensorFlow Lite operators of float32 that multiply by weights, or go over images by windows (floats.c
 * has the others).
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/floats.h"
#include "import/tflite/tflite.h"

static int finish(struct tflite_import *import, int64_t activation, struct nn_build_tensor *made)
{
	int err = tflite_limit_float(import, activation, made);

	return err ? err : tflite_finish_layer(import, &nn_range_unbounded, true, made);
}

static int read_image(struct tflite_import *import, uint32_t i, struct nn_build_tensor *x)
{
	int err = 0;

	if (import->now->fold)
		*x = *import->now->fold->x;
	else
		err = tflite_float_tensor(import, i, x);
	return err ? err : nn_need_image(&import->builder, x);
}

/* The image, weights of four dimensions and bias; `bias` is where that may be. */
static int read_layer(struct tflite_import *import, uint32_t x_at, uint32_t bias_at,
		      struct nn_build_tensor *x, struct nn_const *values, struct nn_const *bias,
		      struct nn_float_weights *weights)
{
	int err = read_image(import, x_at, x);

	if (!err)
		err = tflite_float_constant(import, 1, values);
	if (!err && values->rank != 4)
		err = tflite_fail(import, -EINVAL, "its weights have %" PRIu32 " dimensions, not 4",
				  values->rank);
	weights->values = values;
	weights->bias = NULL;
	if (err || !tflite_has_input(import, bias_at))
		return err;
	weights->bias = bias;
	return tflite_float_constant(import, bias_at, bias);
}

/* A convolution of float32, with weights of float32. */
static int build_conv(struct tflite_import *import, bool is_depthwise, struct nn_window *window,
		      struct nn_build_tensor *out)
{
	struct nn_build_weights placed = { 0 };
	struct nn_float_weights weights;
	struct nn_const values, bias;
	struct nn_build_tensor x;
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
	err = nn_window_set(&import->builder, &window->kernel[0], "height", weights.height,
			    NN_MAX_FLOAT_WINDOW);
	if (!err)
		err = nn_window_set(&import->builder, &window->kernel[1], "width", weights.width,
				    NN_MAX_FLOAT_WINDOW);
	if (!err)
		err = nn_need_groups(&import->builder, &x, &placed, groups);
	if (!err)
		err = tflite_place_window(import, &x, window);
	return err ? err : nn_build_float_conv(&import->builder, &x, &weights, groups, window, out);
}

int tflite_lower_float_conv(struct tflite_import *import)
{
	bool is_depthwise = !strcmp(import->now->op->name, "DEPTHWISE_CONV_2D");
	const int64_t *option = import->now->option;
	const int dilation = is_depthwise ? TFLITE_DEPTHWISE_DILATION_W : TFLITE_CONV_DILATION_W;
	struct nn_window window = { .dilation = { option[dilation + 1], option[dilation] } };
	struct nn_build_tensor x, made;
	int err;

	if (import->now->fold)
		memcpy(window.dilation, import->now->fold->dilation, sizeof(window.dilation));
	if (tflite_is_hybrid(import)) {
		err = read_image(import, 0, &x);
		if (!err)
			err = tflite_build_hybrid_conv(import, &x, is_depthwise, &window, &made);
	} else {
		err = build_conv(import, is_depthwise, &window, &made);
	}
	return err ? err : finish(import, option[is_depthwise ? TFLITE_DEPTHWISE_ACTIVATION :
								TFLITE_CONV_ACTIVATION], &made);
}

int tflite_need_channels(struct tflite_import *import, const struct nn_build_tensor *x,
			 const uint32_t weights[4])
{
	if (weights[3] != x->dims[3])
		return tflite_fail(import, -EINVAL, "its weights are for %" PRIu32
				   " channels, and its input has %" PRIu32, weights[3], x->dims[3]);
	return 0;
}

/* Places a transposed convolution whose strides and outputs are known, and makes it. */
static int build_transposed(struct tflite_import *import, const struct nn_build_tensor *x,
			    struct nn_float_weights *weights, struct nn_transposed *transposed,
			    bool valid, int64_t activation)
{
	const uint32_t *dims = weights->values->dims;
	struct nn_build_tensor made;
	int err = tflite_need_channels(import, x, dims);

	weights->outputs = dims[0];
	weights->inputs = dims[3];
	weights->height = dims[1];
	weights->width = dims[2];
	weights->input_stride = 1;
	weights->column_stride = dims[3];
	weights->row_stride = (uint64_t)dims[2] * dims[3];
	weights->output_stride = weights->row_stride * dims[1];
	if (!err)
		err = tflite_place_transposed(import, x, dims, valid, transposed);
	if (!err)
		err = nn_build_float_transposed(&import->builder, x, weights, 1, transposed, &made);
	return err ? err : finish(import, activation, &made);
}

int tflite_lower_float_transpose_conv(struct tflite_import *import)
{
	const int64_t *option = import->now->option;
	struct nn_transposed transposed = {
		.dilation = { 1, 1 },
		.stride = { option[TFLITE_CONV_STRIDE_H], option[TFLITE_CONV_STRIDE_W] },
	};
	bool valid = option[TFLITE_CONV_PADDING] == TFLITE_PADDING_VALID;
	struct nn_float_weights weights;
	struct nn_const values, bias;
	uint32_t shape[NN_MAX_RANK];
	struct nn_build_tensor x, made;
	int err = tflite_is_hybrid(import) ? read_image(import, 2, &x) :
					     read_layer(import, 2, 3, &x, &values, &bias, &weights);

	if (!err)
		err = tflite_read_output_shape(import, shape, &x);
	if (err)
		return err;
	memcpy(transposed.outputs, shape + 1, sizeof(transposed.outputs));
	if (!tflite_is_hybrid(import))
		return build_transposed(import, &x, &weights, &transposed, valid,
					option[TFLITE_CONV_ACTIVATION]);
	err = tflite_build_hybrid_transposed(import, &x, &transposed, valid, &made);
	return err ? err : finish(import, option[TFLITE_CONV_ACTIVATION], &made);
}

/*
 * Reads the options of Convolution2DTransposeBias: the structure in which TensorFlow Lite has those
 * of TRANSPOSE_CONV, as it is in memory. Its last fields, of which one is an activation and one the
 * type of the bias, may be missing, and are 0.
 */
static int read_custom_options(struct tflite_import *import, struct nn_transposed *transposed,
			       bool *valid)
{
	enum { PADDING, STRIDE_W, STRIDE_H, FIELDS = 5 };
	enum { SAME = 1, VALID };
	const struct tflite_operator *now = import->now;
	const uint8_t *at = now->custom_options;
	uint32_t fields[FIELDS] = { 0 }, count = now->custom_size / 4;

	for (uint32_t i = 0; at && i < count && i < FIELDS; i++, at += 4)
		fields[i] = at[0] | at[1] << 8 | at[2] << 16 | (uint32_t)at[3] << 24;
	if (count < 3 || count > FIELDS || now->custom_size % 4 || fields[PADDING] < SAME ||
	    fields[PADDING] > VALID || fields[3] || fields[4])
		return tflite_fail(import, -EOPNOTSUPP,
				   "its options are not a padding of 1 or 2 and two strides");
	*valid = fields[PADDING] == VALID;
	for (int i = 0; i < 2; i++) {
		transposed->stride[i] = fields[i ? STRIDE_W : STRIDE_H];
		if (transposed->stride[i] < 1 || transposed->stride[i] > NN_MAX_WINDOW)
			return tflite_fail(import, -EOPNOTSUPP,
					   "its option stride_%c is %" PRIu32 "; nnloop can do 1 to "
					   "%d only", "hw"[i], transposed->stride[i], NN_MAX_WINDOW);
	}
	return 0;
}

/* MediaPipe's own, which makes as many pixels as there are strides, with what windows reach beyond. */
int tflite_lower_float_transpose_bias(struct tflite_import *import)
{
	struct nn_transposed transposed = { .dilation = { 1, 1 } };
	struct nn_float_weights weights;
	struct nn_const values, bias;
	struct nn_build_tensor x;
	bool valid = false;
	int err = read_layer(import, 0, 2, &x, &values, &bias, &weights);

	if (!err)
		err = read_custom_options(import, &transposed, &valid);
	for (int i = 0; i < 2 && !err; i++) {
		uint32_t stride = transposed.stride[i], kernel = values.dims[i + 1];

		transposed.outputs[i] = (x.dims[i + 1] - 1) * stride +
					(valid || kernel < stride ? kernel : stride);
	}
	return err ? err : build_transposed(import, &x, &weights, &transposed, valid, 0);
}

/* A layer of float32, with weights of float32. */
static int build_layer(struct tflite_import *import, struct nn_build_tensor *out)
{
	struct nn_float_weights weights = { .height = 1, .width = 1, .input_stride = 1 };
	struct nn_build_tensor x, flat;
	struct nn_const values, bias;
	int err = tflite_float_tensor(import, 0, &x);

	if (!err)
		err = tflite_float_constant(import, 1, &values);
	if (!err && tflite_has_input(import, 2))
		err = tflite_float_constant(import, 2, &bias);
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
	return err ? err : nn_build_float_layer(&import->builder, &flat, &weights, out);
}

int tflite_lower_float_fully_connected(struct tflite_import *import)
{
	struct nn_build_tensor made;
	int err = tflite_is_hybrid(import) ? tflite_build_hybrid_layer(import, &made) :
					     build_layer(import, &made);

	return err ? err : finish(import, import->now->option[0], &made);
}

int tflite_lower_float_pool(struct tflite_import *import)
{
	bool is_max = !strcmp(import->now->op->name, "MAX_POOL_2D");
	const int64_t *option = import->now->option;
	struct nn_window window = {
		.kernel = { option[TFLITE_POOL_HEIGHT], option[TFLITE_POOL_WIDTH] },
		.dilation = { 1, 1 },
	};
	const uint32_t far[2] = { 0, 0 };
	struct nn_build_tensor x, made;
	int err = tflite_float_tensor(import, 0, &x);

	if (!err)
		err = nn_need_image(&import->builder, &x);
	if (!err)
		err = tflite_place_window(import, &x, &window);
	if (!err)
		err = nn_build_float_pool(&import->builder, &x, is_max ? "max" : "mean", &window,
					  far, &made);
	return err ? err : finish(import, option[TFLITE_POOL_ACTIVATION], &made);
}

int tflite_lower_float_batch_matmul(struct tflite_import *import)
{
	struct nn_product product = {
		.transpose = { import->now->option[0], import->now->option[1] },
	};
	struct nn_build_tensor tensors[2], made;
	int err = 0;

	if (tflite_is_hybrid(import) && !product.transpose[0]) {
		err = tflite_build_hybrid_product(import, product.transpose[1], &made);
		return err ? err : tflite_define(import, 0, &made);
	}
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = tflite_float_operand(import, i, &tensors[i], &product.operands[i]);
	if (!err)
		err = nn_build_float_product(&import->builder, &product, &made);
	return err ? err : tflite_define(import, 0, &made);
}
