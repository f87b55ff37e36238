// SPDX-License-Identifier: MIT
/*
 * Operators of float32 tensors, for importers: each is one of the graph's operators whose names begin
 * with Float. What only moves elements is the same for all types (tensor.c, arrange.c).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/build.h"
#include "import/floats.h"

const struct nn_quant nn_quant_float = { .type = NN_FLOAT32 };

/* ---- Each element, and two ---- */

int nn_build_float_each(struct nn_builder *builder, const char *function, const float *alpha,
			const float *beta, const struct nn_build_tensor *x,
			struct nn_build_tensor *out)
{
	struct nn_attr attrs[3] = {
		{ .name = "function", .type = NN_ATTR_STRING, .string = function }
	};
	uint32_t count = 1;

	/* An infinite bound is what the attribute is without one. */
	if (alpha && isfinite(*alpha))
		attrs[count++] = (struct nn_attr){ .name = "alpha", .type = NN_ATTR_FLOAT,
						   .f = *alpha };
	if (beta && isfinite(*beta))
		attrs[count++] = (struct nn_attr){ .name = "beta", .type = NN_ATTR_FLOAT,
						   .f = *beta };
	return nn_build_unary(builder, "FloatEach", x, attrs, count, &nn_quant_float, out);
}

/* One element beside a tensor of more dimensions gets as many, so that the other stays as it is
 * stored. */
static int widen_single(struct nn_builder *builder, struct nn_operand operands[2], uint32_t i,
			struct nn_build_tensor *wide)
{
	const struct nn_build_tensor *one = operands[i].tensor, *other = operands[!i].tensor;
	uint32_t ones[NN_MAX_RANK];

	if (!one || !other || !one->rank || one->rank >= other->rank || !nn_is_single(one) ||
	    other->dims[0] != 1)
		return 0;
	for (uint32_t k = 0; k < other->rank; k++)
		ones[k] = 1;
	operands[i].tensor = wide;
	return nn_build_whole_reshape(builder, one, other->rank, ones, wide);
}

int nn_build_float_binary(struct nn_builder *builder, const char *function,
			  const struct nn_operand operands[2], const struct nn_quant *quant,
			  struct nn_build_tensor *out)
{
	const struct nn_attr attr = {
		.name = "function", .type = NN_ATTR_STRING, .string = function
	};
	struct nn_operand met[2] = { operands[0], operands[1] };
	struct nn_build_tensor wide[2];
	int err = widen_single(builder, met, 0, &wide[0]);

	if (!err)
		err = widen_single(builder, met, 1, &wide[1]);
	return err ? err : nn_build_whole_broadcast(builder, "FloatBinary", met, 2, &attr, 1, quant,
						    out);
}

int nn_build_float_by(struct nn_builder *builder, const char *function,
		      const struct nn_build_tensor *x, const struct nn_const *by,
		      struct nn_build_tensor *out)
{
	const struct nn_build_tensor from = *x;
	const struct nn_operand operands[2] = {
		{ .tensor = &from },
		{ .constant = { .name = "factor", .values = by, .quant = &nn_quant_float } },
	};

	return nn_build_float_binary(builder, function, operands, &nn_quant_float, out);
}

int nn_build_float_by_number(struct nn_builder *builder, const char *function,
			     const struct nn_build_tensor *x, float by, struct nn_build_tensor *out)
{
	const struct nn_const number = { .element = NN_ELEMENT_FLOAT, .rank = 1, .dims = { 1 },
					 .count = 1, .data = &by };

	return nn_build_float_by(builder, function, x, &number, out);
}

int nn_build_float_convert(struct nn_builder *builder, const struct nn_build_tensor *x,
			   const struct nn_quant *quant, struct nn_build_tensor *out)
{
	return nn_build_unary(builder, "FloatConvert", x, NULL, 0, quant, out);
}

/* ---- Windows ---- */

/* A constant of the graph whose elements the importer has made, of these dimensions. */
static int build_floats(struct nn_builder *builder, const float *data, uint32_t rank,
			const uint32_t *dims, struct nn_build_tensor *out)
{
	struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = rank };

	memcpy(info.dims, dims, rank * sizeof(*dims));
	return nn_build_kept_const(builder, &info, data, out);
}

#define OUTPUTS_AT_ONCE 16u /* whose weights are read side by side */

/* The weights of one place of the window: those of some outputs after the other. */
static void arrange_place(const struct nn_float_weights *weights, uint64_t place, float *to)
{
	const uint8_t *from = (const uint8_t *)weights->values->data;

	for (uint32_t first = 0; first < weights->outputs; first += OUTPUTS_AT_ONCE) {
		uint32_t end = weights->outputs - first > OUTPUTS_AT_ONCE ? first + OUTPUTS_AT_ONCE :
									    weights->outputs;

		for (uint32_t c = 0; c < weights->inputs; c++) {
			for (uint32_t o = first; o < end; o++)
				memcpy(&to[(uint64_t)c * weights->outputs + o],
				       from + 4 * (o * weights->output_stride + place +
						   c * weights->input_stride), sizeof(*to));
		}
	}
}

/* The weights in the order of FloatConv2d: the outputs last. */
static float *arrange_weights(struct nn_builder *builder, const struct nn_float_weights *weights)
{
	uint64_t count = (uint64_t)weights->height * weights->width * weights->inputs *
			 weights->outputs;
	float *out = count <= INT32_MAX ? nn_builder_alloc_kept(builder, count, sizeof(*out)) : NULL;
	float *to = out;

	if (count > INT32_MAX)
		nn_builder_fail(builder, -EOPNOTSUPP, "its weights have more than 2^31 elements");
	for (uint32_t y = 0; out && y < weights->height; y++) {
		for (uint32_t x = 0; x < weights->width; x++) {
			arrange_place(weights, y * weights->row_stride + x * weights->column_stride, to);
			to += (uint64_t)weights->inputs * weights->outputs;
		}
	}
	return out;
}

static int build_weights(struct nn_builder *builder, const struct nn_float_weights *weights,
			 struct nn_build_tensor out[2])
{
	const uint32_t dims[4] = { weights->height, weights->width, weights->inputs,
				   weights->outputs };
	float *data, *bias;
	int err;

	if (weights->bias && weights->bias->count != 1 &&
	    weights->bias->count != weights->outputs)
		return nn_builder_fail(builder, -EINVAL,
				       "its bias has %" PRIu64 " elements for %" PRIu32 " outputs",
				       weights->bias->count, weights->outputs);
	data = arrange_weights(builder, weights);
	if (!data)
		return nn_builder_failed(builder);
	bias = nn_builder_alloc_kept(builder, weights->outputs, sizeof(*bias));
	if (!bias)
		return -ENOMEM;
	for (uint32_t o = 0; weights->bias && o < weights->outputs; o++)
		bias[o] = nn_const_float(weights->bias, weights->bias->count == 1 ? 0 : o);
	err = build_floats(builder, data, 4, dims, &out[0]);
	return err ? err : build_floats(builder, bias, 1, &weights->outputs, &out[1]);
}

int nn_build_float_conv(struct nn_builder *builder, const struct nn_build_tensor *x,
			const struct nn_float_weights *weights, uint32_t groups,
			const struct nn_window *window, struct nn_build_tensor *out)
{
	int64_t dilation[2] = { window->dilation[0], window->dilation[1] };
	int64_t stride[2] = { window->stride[0], window->stride[1] }, padding[4];
	const struct nn_attr attrs[] = {
		{ .name = "stride", .type = NN_ATTR_INTS, .count = 2, .ints = stride },
		{ .name = "padding", .type = NN_ATTR_INTS, .count = 4, .ints = padding },
		{ .name = "dilation", .type = NN_ATTR_INTS, .count = 2, .ints = dilation },
		{ .name = "groups", .type = NN_ATTR_INT, .i = groups },
	};
	struct nn_build_tensor inputs[3];
	int err = nn_build_image(builder, x, &inputs[0]);

	for (int i = 0; i < 4; i++)
		padding[i] = window->padding[i];
	if (!err)
		err = build_weights(builder, weights, &inputs[1]);
	if (!err)
		err = nn_build_node(builder, "FloatConv2d", inputs, 3, attrs, 4, &nn_quant_float,
				    out);
	if (err)
		return err;
	nn_window_shape(builder, window, &inputs[0], weights->outputs, out->dims);
	out->layout = nn_image_layout(builder);
	return 0;
}

/* ---- Pools ---- */

int nn_build_float_pool(struct nn_builder *builder, const struct nn_build_tensor *x,
			const char *function, const struct nn_window *window, const uint32_t far[2],
			struct nn_build_tensor *out)
{
	int64_t kernel[2] = { window->kernel[0], window->kernel[1] };
	int64_t stride[2] = { window->stride[0], window->stride[1] }, padding[4];
	int64_t counted[2] = { far[0], far[1] };
	const struct nn_attr attrs[] = {
		{ .name = "function", .type = NN_ATTR_STRING, .string = function },
		{ .name = "kernel", .type = NN_ATTR_INTS, .count = 2, .ints = kernel },
		{ .name = "stride", .type = NN_ATTR_INTS, .count = 2, .ints = stride },
		{ .name = "padding", .type = NN_ATTR_INTS, .count = 4, .ints = padding },
		{ .name = "count_padding", .type = NN_ATTR_INT, .i = window->count_padding },
		{ .name = "far", .type = NN_ATTR_INTS, .count = 2, .ints = counted },
	};
	struct nn_build_tensor image;
	int err = nn_build_image(builder, x, &image);

	for (int i = 0; i < 4; i++)
		padding[i] = window->padding[i];
	if (!err)
		err = nn_build_node(builder, "FloatPool", &image, 1, attrs, 6, &nn_quant_float, out);
	if (err)
		return err;
	nn_window_shape(builder, window, &image,
			image.dims[nn_image_axis(builder, NN_IMAGE_CHANNELS)], out->dims);
	out->layout = nn_image_layout(builder);
	return 0;
}

/* ---- Products ---- */

int nn_build_float_layer(struct nn_builder *builder, const struct nn_build_tensor *x,
			 const struct nn_float_weights *weights, struct nn_build_tensor *out)
{
	uint32_t dims[4] = { x->dims[0], 1, 1, x->dims[x->rank - 1] }, made[NN_MAX_RANK];
	uint32_t rank = x->rank;
	struct nn_build_tensor inputs[3];
	int err;

	if (rank < 2) {
		err = nn_build_lift(builder, x, &inputs[0]);
		if (!err)
			err = nn_build_float_layer(builder, &inputs[0], weights, &inputs[0]);
		return err ? err : nn_build_lower(builder, &inputs[0], out);
	}
	memcpy(made, x->dims, sizeof(made));
	made[rank - 1] = weights->outputs;
	for (uint32_t i = 1; i + 1 < rank; i++)
		dims[2] *= x->dims[i];
	err = nn_build_layout(builder, x, NN_LAYOUT_PLAIN, &inputs[0]);
	if (!err)
		err = nn_build_stored_reshape(builder, &inputs[0], 4, dims, &inputs[0]);
	if (!err)
		err = build_weights(builder, weights, &inputs[1]);
	if (!err)
		err = nn_build_node(builder, "FloatConv2d", inputs, 3, NULL, 0, &nn_quant_float,
				    out);
	if (!err && rank != 4)
		err = nn_build_stored_reshape(builder, out, rank, made, out);
	else if (!err && made[1] != 1)
		err = nn_build_stored_reshape(builder, out, rank, made, out);
	out->rank = rank;
	out->layout = NN_LAYOUT_PLAIN;
	memcpy(out->dims, made, sizeof(made));
	return err;
}

/* A tensor whose first dimension is fixed as one row of so many dimensions, with ones in front. */
static int lift_to(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t rank,
		   struct nn_build_tensor *out)
{
	uint32_t dims[NN_MAX_RANK], ones = rank - x->rank;

	for (uint32_t i = 0; i < rank; i++)
		dims[i] = i < ones ? 1 : x->dims[i - ones];
	return nn_build_whole_reshape(builder, x, rank, dims, out);
}

/* Operands whose first dimensions are fixed, as those of one row. */
static int build_lifted_product(struct nn_builder *builder, const struct nn_product *product,
				uint32_t rank, struct nn_build_tensor *out)
{
	struct nn_product lifted = *product;
	struct nn_build_tensor tensors[2], made;
	int err = 0;

	if (rank == NN_MAX_RANK)
		return nn_builder_fail(builder, -EOPNOTSUPP,
				       "it multiplies matrices of %d dimensions", NN_MAX_RANK);
	for (uint32_t i = 0; i < 2 && !err; i++) {
		if (!product->operands[i].tensor)
			continue;
		err = lift_to(builder, product->operands[i].tensor, rank + 1, &tensors[i]);
		lifted.operands[i].tensor = &tensors[i];
	}
	if (!err)
		err = nn_build_float_product(builder, &lifted, &made);
	return err ? err : nn_build_lower(builder, &made, out);
}

static bool is_fixed(const struct nn_operand *operand)
{
	return operand->tensor && !nn_is_rows(operand->tensor->dims[0]);
}

/* Whether it is one row of so many dimensions, or a constant. */
static bool is_lifted(const struct nn_operand *operand, uint32_t rank)
{
	return !operand->tensor || (operand->tensor->dims[0] == 1 && operand->tensor->rank == rank);
}

int nn_build_float_product(struct nn_builder *builder, const struct nn_product *product,
			   struct nn_build_tensor *out)
{
	const struct nn_attr attrs[2] = {
		{ .name = "transpose_a", .type = NN_ATTR_INT, .i = product->transpose[0] },
		{ .name = "transpose_b", .type = NN_ATTR_INT, .i = product->transpose[1] },
	};
	uint32_t rank, dims[NN_MAX_RANK], most;
	struct nn_build_tensor inputs[2];
	int err;

	most = nn_operand_rank(&product->operands[0]);
	if (nn_operand_rank(&product->operands[1]) > most)
		most = nn_operand_rank(&product->operands[1]);
	if ((is_fixed(&product->operands[0]) || is_fixed(&product->operands[1])) &&
	    (most < 3 || !is_lifted(&product->operands[0], most) ||
	     !is_lifted(&product->operands[1], most)))
		return build_lifted_product(builder, product, most, out);
	err = nn_product_shape(builder, product, &rank, dims);
	for (uint32_t i = 0; i < 2 && !err; i++)
		err = nn_build_operand(builder, &product->operands[i], rank, NN_LAYOUT_PLAIN,
				       &inputs[i]);
	if (!err)
		err = nn_build_node(builder, "FloatMatMul", inputs, 2, attrs, 2, &nn_quant_float,
				    out);
	if (err)
		return err;
	out->layout = NN_LAYOUT_PLAIN;
	out->rank = rank;
	memcpy(out->dims, dims, rank * sizeof(*dims));
	return 0;
}

/* ---- Along dimensions ---- */

/* Whether bits are one behind the other; the first, and how many. */
static bool is_run(uint32_t axes, uint32_t *first, uint32_t *count)
{
	*first = __builtin_ctz(axes);
	*count = __builtin_popcount(axes);
	return axes >> *first == (1u << *count) - 1;
}

/* The axes as they are stored in a layout. */
static uint32_t store_axes(enum nn_layout layout, uint32_t rank, uint32_t axes)
{
	uint32_t stored = 0;

	for (uint32_t i = 0; i < rank; i++) {
		if (axes >> i & 1)
			stored |= 1u << nn_layout_axis(layout, i);
	}
	return stored;
}

static int append_reduce(struct nn_builder *builder, const struct nn_build_tensor *x,
			 const char *function, uint32_t first, uint32_t count, float epsilon,
			 struct nn_build_tensor *out)
{
	const struct nn_attr attrs[] = {
		{ .name = "function", .type = NN_ATTR_STRING, .string = function },
		{ .name = "axis", .type = NN_ATTR_INT, .i = first },
		{ .name = "count", .type = NN_ATTR_INT, .i = count },
		{ .name = "epsilon", .type = NN_ATTR_FLOAT, .f = epsilon },
	};
	struct nn_build_tensor from = *x;
	int err = nn_build_node(builder, "FloatReduce", &from, 1, attrs, 4, &nn_quant_float, out);

	nn_build_keep_layout(out, x);
	return err;
}

/* Dimensions that are apart, side by side behind the others, and back. */
static int build_turned(struct nn_builder *builder, const struct nn_build_tensor *x,
			const struct nn_float_along *reduction, struct nn_build_tensor *out)
{
	uint32_t perm[NN_MAX_RANK], back[NN_MAX_RANK], count = 0;
	struct nn_float_along turned = *reduction;
	struct nn_build_tensor from;
	int err;

	turned.axes = 0;
	for (int want = 0; want < 2; want++) {
		for (uint32_t i = 0; i < x->rank; i++) {
			if ((reduction->axes >> i & 1) != (uint32_t)want)
				continue;
			back[i] = count;
			turned.axes |= (uint32_t)want << count;
			perm[count++] = i;
		}
	}
	err = nn_build_layout(builder, x, NN_LAYOUT_PLAIN, &from);
	if (!err)
		err = nn_build_transpose(builder, &from, perm, &from);
	if (!err)
		err = nn_build_float_reduce(builder, &from, &turned, &from);
	return err ? err : nn_build_transpose(builder, &from, back, out);
}

int nn_build_float_reduce(struct nn_builder *builder, const struct nn_build_tensor *x,
			  const struct nn_float_along *reduction, struct nn_build_tensor *out)
{
	enum nn_layout layout = x->layout == NN_LAYOUT_NHWC ? NN_LAYOUT_NHWC : NN_LAYOUT_PLAIN;
	struct nn_float_along lifted = *reduction;
	struct nn_build_tensor from;
	uint32_t first, count;
	int err;

	if (reduction->axes & 1) {
		lifted.axes <<= 1;
		err = nn_build_lift(builder, x, &from);
		if (!err)
			err = nn_build_float_reduce(builder, &from, &lifted, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	/* In the model's order dimensions of several are counted one by one. */
	if (!is_run(store_axes(layout, x->rank, reduction->axes), &first, &count)) {
		layout = NN_LAYOUT_PLAIN;
		if (!is_run(reduction->axes, &first, &count))
			return build_turned(builder, x, reduction, out);
	}
	err = nn_build_layout(builder, x, layout, &from);
	if (!err)
		err = append_reduce(builder, &from, reduction->function, first, count,
				    reduction->epsilon, out);
	for (uint32_t i = 0; i < x->rank && reduction->makes_one && !err; i++) {
		if (reduction->axes >> i & 1)
			out->dims[i] = 1;
	}
	return err;
}
