// SPDX-License-Identifier: MIT
/*
 * ONNX operators of float32 that multiply by weights, or go over images by windows: convolutions,
 * pools, products of matrices, and BatchNormalization, which is a weight and a bias for each channel.
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/floats.h"
#include "import/onnx/onnx.h"

/* ---- Convolutions ---- */

/* Weights and bias of the current node, inputs 1 and 2. */
static int read_weights(struct onnx_import *import, struct nn_const *values, struct nn_const *bias)
{
	int err = onnx_float_constant(import, 1, "weights", values);

	bias->data = NULL;
	if (!err && onnx_input(import, 2)->kind != ONNX_ABSENT)
		err = onnx_float_constant(import, 2, "bias", bias);
	return err;
}

/* A number for each output, if there is a bias. */
static int need_bias(struct onnx_import *import, const struct nn_const *bias, uint32_t outputs)
{
	if (!bias->data || (bias->rank == 1 && bias->count == outputs))
		return 0;
	return onnx_fail(import, -EINVAL,
			 "its bias has %" PRIu64 " elements, of %" PRIu32 " dimensions, for %" PRIu32
			 " outputs", bias->count, bias->rank, outputs);
}

static bool need_images(struct onnx_import *import, const struct onnx_value *x,
			const struct onnx_value *w)
{
	const uint32_t rank = x->tensor.rank;

	if ((rank == 4 || rank == 3) && w->tensor.rank == rank)
		return true;
	onnx_fail(import, -EOPNOTSUPP,
		  "its weights have %" PRIu32 " dimensions and its input has %" PRIu32
		  "; in float32 nnloop knows images of N, C, H, W, lines of N, C, L, and volumes of "
		  "N, C, D, H, W",
		  w->tensor.rank, rank);
	return false;
}

/* Gives what was built, as it is. */
static int emit_made(struct onnx_import *import, const struct onnx_pending *pending,
		     const struct nn_quant *quant, const char *activation,
		     struct nn_build_tensor *out)
{
	(void)import;
	(void)quant;
	(void)activation;
	*out = pending->operands[0]->tensor;
	return 0;
}

/* A convolution that is built, for what makes volumes of it, or lines. */
static struct onnx_pending *new_made(struct onnx_import *import, const struct nn_build_tensor *made)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_made, 1);
	struct onnx_value *value = onnx_alloc(import, 1, sizeof(*value));

	if (!pending || !value)
		return NULL;
	*value = onnx_float_value(made);
	pending->operands[0] = value;
	pending->rank = made->rank;
	memcpy(pending->dims, made->dims, sizeof(pending->dims));
	return pending;
}

/* Lowers the current node by what makes it of images, or with makes_lines of lines. */
static int lower_conv(struct onnx_import *import, onnx_make_fp make, bool makes_lines)
{
	struct onnx_value bias = *onnx_input(import, 2), w = { .kind = ONNX_CONST }, value;
	struct onnx_pending *pending;
	struct nn_build_tensor x, made;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err)
		err = read_weights(import, &w.constant, &bias.constant);
	if (err)
		return err;
	value = onnx_float_value(&x);
	w.tensor.rank = w.constant.rank;
	memcpy(w.tensor.dims, w.constant.dims, sizeof(w.tensor.dims));
	pending = onnx_new_in_directions(import, &value, &w, &bias, make, makes_lines);
	err = pending ? pending->emit(import, pending, &nn_quant_float, NULL, &made) :
			onnx_failed(import);
	return err ? err : onnx_define_float(import, 0, &made);
}

static struct onnx_pending *new_conv(struct onnx_import *import, const struct onnx_value *x,
				     const struct onnx_value *w, const struct onnx_value *bias)
{
	int64_t group = onnx_attr_int(import->node, "group", 1);
	const struct nn_const *values = &w->constant;
	struct nn_window window = { .most = NN_MAX_FLOAT_WINDOW };
	struct nn_build_weights placed = { 0 };
	struct nn_float_weights weights;
	struct nn_build_tensor image, made;

	if (!need_images(import, x, w))
		return NULL;
	weights = (struct nn_float_weights){
		.values = values,
		.bias = bias->constant.data ? &bias->constant : NULL,
		.outputs = values->dims[0],
		.inputs = values->dims[1],
		.height = values->rank == 3 ? 1 : values->dims[2],
		.width = values->dims[values->rank - 1],
		.column_stride = 1,
	};
	weights.row_stride = weights.width;
	weights.input_stride = (uint64_t)weights.height * weights.width;
	weights.output_stride = weights.input_stride * weights.inputs;
	placed.outputs = weights.outputs;
	placed.inputs = weights.inputs;
	placed.height = weights.height;
	placed.width = weights.width;
	if (nn_need_groups(&import->builder, &x->tensor, &placed, group) ||
	    need_bias(import, &bias->constant, weights.outputs) ||
	    onnx_read_placed_window(import, x, &placed, &window) ||
	    onnx_build_image(import, &x->tensor, &image) ||
	    nn_build_float_conv(&import->builder, &image, &weights, group, &window, &made) ||
	    onnx_build_like(import, &x->tensor, &made))
		return NULL;
	return new_made(import, &made);
}

int onnx_lower_float_conv(struct onnx_import *import)
{
	return lower_conv(import, new_conv, true);
}

/* ---- Transposed ones ---- */

static struct onnx_pending *new_transposed(struct onnx_import *import, const struct onnx_value *x,
					   const struct onnx_value *w,
					   const struct onnx_value *bias)
{
	int64_t group = onnx_attr_int(import->node, "group", 1);
	const struct nn_const *values = &w->constant;
	const uint32_t channels = x->tensor.dims[1];
	struct nn_transposed transposed;
	struct nn_float_weights weights;
	struct nn_build_tensor made;

	if (!need_images(import, x, w))
		return NULL;
	if (group < 1 || channels % group || values->dims[0] != channels) {
		onnx_fail(import, -EINVAL,
			  "its weights are for %" PRIu32 " channels in %" PRId64
			  " groups, and its input has %" PRIu32,
			  values->dims[0], group, channels);
		return NULL;
	}
	weights = (struct nn_float_weights){
		.values = values,
		.bias = bias->constant.data ? &bias->constant : NULL,
		.outputs = values->dims[1] * group,
		.inputs = values->dims[0] / group,
		.height = values->dims[2],
		.width = values->dims[3],
		.column_stride = 1,
		.row_stride = values->dims[3],
		.output_stride = (uint64_t)values->dims[2] * values->dims[3],
	};
	weights.input_stride = weights.output_stride * values->dims[1];
	if (need_bias(import, &bias->constant, weights.outputs) ||
	    onnx_read_transposed(import, &x->tensor, values->dims + 2, &transposed) ||
	    nn_build_float_transposed(&import->builder, &x->tensor, &weights, group, &transposed,
				      &made))
		return NULL;
	return new_made(import, &made);
}

int onnx_lower_float_conv_transpose(struct onnx_import *import)
{
	return lower_conv(import, new_transposed, false);
}

/* ---- Pools ---- */

/* How much of the padding behind an image counts: what the model gives, not what ceil_mode adds. */
static void find_far(struct onnx_import *import, const struct nn_window *window, uint32_t far[2])
{
	const Onnx__AttributeProto *pads = onnx_attr(import->node, "pads");
	bool given = !strcmp(onnx_attr_string(import, "auto_pad", "NOTSET"), "NOTSET");

	far[0] = window->padding[2];
	far[1] = window->padding[3];
	if (!given)
		return;
	far[0] = pads && pads->n_ints == 4 ? pads->ints[2] : 0;
	far[1] = pads && pads->n_ints ? pads->ints[pads->n_ints - 1] : 0;
}

int onnx_lower_float_pool(struct onnx_import *import)
{
	bool is_max = !strcmp(import->node->op_type, "MaxPool");
	struct nn_window window = {
		.most = NN_MAX_FLOAT_WINDOW,
		.count_padding = !is_max && onnx_attr_int(import->node, "count_include_pad", 0),
	};
	struct nn_build_tensor x, image, made;
	struct onnx_value value;
	uint32_t far[2];
	int err = onnx_float_tensor(import, 0, &x);

	if (err)
		return err;
	if (import->node->n_output > 1 && *import->node->output[1])
		return onnx_fail(import, -EOPNOTSUPP,
				 "its second output, the indices, is not supported");
	if (onnx_has_dilations(import) || x.rank > 4)
		return onnx_lower_float_taps(import, &x, is_max);
	value = onnx_float_value(&x);
	err = onnx_read_placed_window(import, &value, NULL, &window);
	if (!err)
		err = onnx_build_image(import, &x, &image);
	find_far(import, &window, far);
	if (!err)
		err = nn_build_float_pool(&import->builder, &image, is_max ? "max" : "mean",
					  &window, far, &made);
	if (!err)
		err = onnx_build_like(import, &x, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

/* ---- LRN ---- */

#define MOST_CHANNELS 4096 /* so that a small file cannot take much memory */

/* For each channel the sum of squares of those beside it, as a convolution of 1 x 1 with a band of
 * alpha / size, and the bias. */
static int sum_beside(struct onnx_import *import, const struct nn_build_tensor *squares,
		      struct nn_build_tensor *out)
{
	int64_t size = onnx_attr_int(import->node, "size", 1);
	float alpha = onnx_attr_float(import->node, "alpha", 1e-4f) / size;
	uint32_t channels = squares->dims[1];
	/* How many count on each side: never more than there are. */
	uint32_t beside = (size - 1) / 2 < channels ? (size - 1) / 2 : channels;
	float bias = onnx_attr_float(import->node, "bias", 1);
	float *band = onnx_alloc(import, (uint64_t)channels * channels, sizeof(*band));
	const struct nn_const values = { .element = NN_ELEMENT_FLOAT, .rank = 2,
					 .dims = { channels, channels },
					 .count = (uint64_t)channels * channels, .data = band };
	const struct nn_const added = { .element = NN_ELEMENT_FLOAT, .count = 1, .data = &bias };
	const struct nn_float_weights weights = {
		.values = &values, .bias = &added, .outputs = channels, .inputs = channels,
		.height = 1, .width = 1, .output_stride = channels, .input_stride = 1,
	};
	const struct nn_window window = { .kernel = { 1, 1 }, .stride = { 1, 1 },
					  .dilation = { 1, 1 },
					  .windows = { squares->dims[2], squares->dims[3] } };
	struct nn_build_tensor image;
	int err = band ? 0 : -ENOMEM;

	for (uint32_t c = 0; c < channels && !err; c++) {
		for (uint32_t i = c < beside ? 0 : c - beside; i <= c + beside && i < channels; i++)
			band[(uint64_t)c * channels + i] = alpha;
	}
	if (!err)
		err = onnx_build_image(import, squares, &image);
	if (!err)
		err = nn_build_float_conv(&import->builder, &image, &weights, 1, &window, out);
	return err ? err : onnx_build_like(import, squares, out);
}

int onnx_lower_float_lrn(struct onnx_import *import)
{
	const float power = -onnx_attr_float(import->node, "beta", 0.75f);
	const struct nn_const number = { .element = NN_ELEMENT_FLOAT, .count = 1, .data = &power };
	struct nn_build_tensor x, squares, sums, factors, made;
	const struct nn_operand square[2] = { { .tensor = &x }, { .tensor = &x } };
	const struct nn_operand raise[2] = {
		{ .tensor = &sums }, { .constant = { .values = &number, .quant = &nn_quant_float } },
	};
	const struct nn_operand scale[2] = { { .tensor = &x }, { .tensor = &factors } };
	struct nn_builder *builder = &import->builder;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err && x.rank != 4)
		err = onnx_fail(import, -EOPNOTSUPP,
				"its input has %" PRIu32 " dimensions; nnloop knows images", x.rank);
	if (!err && x.dims[1] > MOST_CHANNELS)
		err = onnx_fail(import, -EOPNOTSUPP, "its input has %" PRIu32
				" channels; nnloop knows up to %d", x.dims[1], MOST_CHANNELS);
	if (!err && onnx_attr_int(import->node, "size", 1) % 2 == 0)
		err = onnx_fail(import, -EOPNOTSUPP, "its size is %" PRId64
				"; nnloop knows odd ones", onnx_attr_int(import->node, "size", 1));
	if (!err)
		err = nn_build_float_binary(builder, "Mul", square, &nn_quant_float, &squares);
	if (!err)
		err = sum_beside(import, &squares, &sums);
	if (!err)
		err = nn_build_float_binary(builder, "Pow", raise, &nn_quant_float, &factors);
	if (!err)
		err = nn_build_float_binary(builder, "Mul", scale, &nn_quant_float, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

/* ---- Products ---- */

/* x times a constant matrix, [inputs, outputs] or transposed, and a bias. */
static int build_layer(struct onnx_import *import, const struct nn_build_tensor *x,
		       const struct nn_const *values, const struct nn_const *bias, bool transposed,
		       struct nn_build_tensor *out)
{
	uint32_t inputs = values->dims[transposed], outputs = values->dims[!transposed];
	const struct nn_float_weights weights = {
		.values = values,
		.bias = bias,
		.outputs = outputs,
		.inputs = inputs,
		.height = 1,
		.width = 1,
		.output_stride = transposed ? inputs : 1,
		.input_stride = transposed ? 1 : outputs,
	};

	if (values->rank != 2 || !outputs || x->dims[x->rank - 1] != inputs)
		return onnx_fail(import, -EINVAL,
				 "its weights are %" PRIu32 " x %" PRIu32
				 ", which does not fit an input whose last dimension is %" PRIu32,
				 values->dims[0], values->dims[1], x->dims[x->rank - 1]);
	return nn_build_float_layer(&import->builder, x, &weights, out);
}

static int add(struct onnx_import *import, const struct nn_build_tensor *x,
	       const struct nn_operand *other, struct nn_build_tensor *out)
{
	const struct nn_operand operands[2] = { { .tensor = x }, *other };

	return nn_build_float_binary(&import->builder, "Add", operands, &nn_quant_float, out);
}

/* A constant times a number. */
static int scale_constant(struct onnx_import *import, struct nn_const *constant, float by)
{
	float *to;

	if (by == 1 && constant->element == NN_ELEMENT_FLOAT)
		return 0;
	to = onnx_alloc(import, constant->count, sizeof(*to));
	if (!to)
		return -ENOMEM;
	for (uint64_t i = 0; i < constant->count; i++)
		to[i] = nn_const_float(constant, i) * by;
	constant->data = to;
	constant->element = NN_ELEMENT_FLOAT;
	return 0;
}

static bool is_bias(const struct nn_const *bias, uint32_t outputs)
{
	if (bias->count != 1 && bias->count != outputs)
		return false;
	return !bias->rank || bias->count == 1 || bias->dims[bias->rank - 1] == outputs;
}

/* A tensor times a number. */
static int scale_tensor(struct onnx_import *import, struct nn_build_tensor *x, float by)
{
	return by == 1 ? 0 : nn_build_float_by_number(&import->builder, "Mul", x, by, x);
}

int onnx_lower_float_gemm(struct onnx_import *import)
{
	float alpha = onnx_attr_float(import->node, "alpha", 1);
	float beta = onnx_attr_float(import->node, "beta", 1);
	bool transpose_a = onnx_attr_int(import->node, "transA", 0);
	bool transpose_b = onnx_attr_int(import->node, "transB", 0);
	/* Nothing is added of what is multiplied by 0, even if it is no number. */
	bool has_bias = onnx_input(import, 2)->kind != ONNX_ABSENT && beta != 0, is_row = false;
	struct nn_build_tensor tensors[3], product, made;
	struct nn_operand operands[3];
	struct nn_const constants[3];
	int err = 0;

	for (uint32_t i = 0; i < 2U + has_bias && !err; i++)
		err = onnx_float_operand(import, i, &tensors[i], &constants[i], &operands[i]);
	if (!err && has_bias && nn_operand_rank(&operands[2]) > 2)
		err = onnx_fail(import, -EINVAL,
				"it adds a %s of %" PRIu32 " dimensions to a product of 2",
				operands[2].tensor ? "tensor" : "constant",
				nn_operand_rank(&operands[2]));
	if (!err && has_bias && beta != 1)
		err = operands[2].tensor ? scale_tensor(import, &tensors[2], beta) :
					   scale_constant(import, &constants[2], beta);
	if (err)
		return err;
	if (operands[0].tensor && !operands[1].tensor && tensors[0].rank == 2 && !transpose_a) {
		if (alpha != 1)
			err = scale_constant(import, &constants[1], alpha);
		is_row = has_bias && !operands[2].tensor &&
			 is_bias(&constants[2], constants[1].dims[!transpose_b]);
		if (!err)
			err = build_layer(import, &tensors[0], &constants[1],
					  is_row ? &constants[2] : NULL, transpose_b, &made);
	} else {
		const struct nn_product factors = { .operands = { operands[0], operands[1] },
						    .transpose = { transpose_a, transpose_b } };

		err = nn_build_float_product(&import->builder, &factors, &made);
		if (!err)
			err = scale_tensor(import, &made, alpha);
	}
	if (!err && has_bias && !is_row) {
		product = made;
		err = add(import, &product, &operands[2], &made);
	}
	if (!err && has_bias && !is_row && made.dims[0] != product.dims[0])
		err = onnx_fail(import, -EOPNOTSUPP,
				"what it adds has %" PRIu32 " rows, not one for all items",
				onnx_input(import, 2)->tensor.dims[0]);
	if (!err && (made.rank != 2 || (has_bias && !is_row && made.dims[1] != product.dims[1])))
		err = onnx_fail(import, -EINVAL,
				"its operands are no matrices, or what it adds is larger than their "
				"product");
	return err ? err : onnx_define_float(import, 0, &made);
}

/* A vector as a matrix: on the left a row, on the right a column. */
static int make_matrix(struct onnx_import *import, struct nn_operand *operand, bool is_right,
		       struct nn_build_tensor *tensor, struct nn_const *constant)
{
	uint32_t dims[2] = { 1, 1 };

	if (nn_operand_rank(operand) != 1)
		return 0;
	if (!operand->tensor) {
		dims[!is_right] = constant->dims[0];
		nn_const_reshape(constant, 2, dims);
		return 0;
	}
	dims[!is_right] = tensor->dims[0];
	return nn_build_reshape(&import->builder, tensor, 2, dims, tensor);
}

/* Takes away the dimension of 1 that a vector got. */
static int drop_ones(struct onnx_import *import, const bool vectors[2],
		     struct nn_build_tensor *made)
{
	uint32_t dims[NN_MAX_RANK], rank = 0;

	for (uint32_t i = 0; i < made->rank; i++) {
		if (!(vectors[0] && i + 2 == made->rank) && !(vectors[1] && i + 1 == made->rank))
			dims[rank++] = made->dims[i];
	}
	if (rank == made->rank)
		return 0;
	if (!rank)
		return onnx_fail(import, -EOPNOTSUPP, "it makes a tensor without dimensions");
	return nn_build_reshape(&import->builder, made, rank, dims, made);
}

int onnx_lower_float_matmul(struct onnx_import *import)
{
	struct nn_build_tensor tensors[2], made;
	struct nn_operand operands[2];
	struct nn_const constants[2];
	bool vectors[2] = { false, false };
	int err = 0;

	for (uint32_t i = 0; i < 2 && !err; i++) {
		err = onnx_float_operand(import, i, &tensors[i], &constants[i], &operands[i]);
		if (err)
			break;
		vectors[i] = nn_operand_rank(&operands[i]) == 1;
		err = make_matrix(import, &operands[i], i, &tensors[i], &constants[i]);
	}
	if (err)
		return err;
	if (operands[0].tensor && !operands[1].tensor && constants[1].rank == 2) {
		err = build_layer(import, &tensors[0], &constants[1], NULL, false, &made);
	} else {
		const struct nn_product product = { .operands = { operands[0], operands[1] } };

		err = nn_build_float_product(&import->builder, &product, &made);
	}
	if (!err)
		err = drop_ones(import, vectors, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

/* ---- BatchNormalization ---- */

/* A number for each channel as a constant that is broadcast. */
static int make_channels(struct onnx_import *import, const struct nn_build_tensor *x,
			 struct nn_const *out, float **data)
{
	uint32_t channels = x->rank > 1 ? x->dims[1] : 1;

	*data = onnx_alloc(import, channels, sizeof(**data));
	*out = (struct nn_const){ .element = NN_ELEMENT_FLOAT, .rank = x->rank, .count = channels,
				  .data = *data };
	for (uint32_t i = 0; i < x->rank; i++)
		out->dims[i] = i == 1 ? channels : 1;
	return *data ? 0 : -ENOMEM;
}

/* Finds what is multiplied and added for each channel: in double, rounded once. */
static int fold_moments(struct onnx_import *import, const struct nn_build_tensor *x,
			struct nn_const *scale, struct nn_const *bias)
{
	float epsilon = onnx_attr_float(import->node, "epsilon", 1e-5f), *factors, *terms;
	struct nn_const given[4];
	int err = make_channels(import, x, scale, &factors);

	if (!err)
		err = make_channels(import, x, bias, &terms);
	for (uint32_t i = 0; i < 4 && !err; i++) {
		err = onnx_float_constant(import, 1 + i, "parameter", &given[i]);
		if (!err && given[i].count != scale->count)
			err = onnx_fail(import, -EINVAL,
					"its parameter %" PRIu32 " has %" PRIu64
					" elements for %" PRIu64 " channels", i + 1, given[i].count,
					scale->count);
	}
	for (uint64_t c = 0; c < scale->count && !err; c++) {
		double factor = nn_const_float(&given[0], c) /
				sqrt((double)nn_const_float(&given[3], c) + epsilon);

		factors[c] = factor;
		terms[c] = nn_const_float(&given[1], c) - nn_const_float(&given[2], c) * factor;
	}
	return err;
}

/* Images: a convolution of each channel with a window of one element. */
static int scale_image(struct onnx_import *import, const struct nn_build_tensor *x,
		       const struct nn_const *scale, const struct nn_const *bias,
		       struct nn_build_tensor *out)
{
	const struct nn_float_weights weights = {
		.values = scale, .bias = bias, .outputs = x->dims[1], .inputs = 1,
		.height = 1, .width = 1, .output_stride = 1,
	};
	const struct nn_window window = {
		.kernel = { 1, 1 }, .stride = { 1, 1 }, .dilation = { 1, 1 },
		.windows = { x->dims[2], x->dims[3] },
	};

	return nn_build_float_conv(&import->builder, x, &weights, x->dims[1], &window, out);
}

int onnx_lower_float_batch_normalization(struct onnx_import *import)
{
	struct nn_const scale, bias;
	struct nn_operand operands[2];
	struct nn_build_tensor x, made;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err)
		err = fold_moments(import, &x, &scale, &bias);
	if (!err && x.rank == 4) {
		err = scale_image(import, &x, &scale, &bias, &made);
	} else if (!err) {
		operands[0] = (struct nn_operand){ .tensor = &x };
		operands[1] = (struct nn_operand){ .constant = { .name = "scale", .values = &scale,
								 .quant = &nn_quant_float } };
		err = nn_build_float_binary(&import->builder, "Mul", operands, &nn_quant_float,
					    &made);
		operands[1].constant.values = &bias;
		if (!err)
			err = add(import, &made, &operands[1], &made);
	}
	return err ? err : onnx_define_float(import, 0, &made);
}
