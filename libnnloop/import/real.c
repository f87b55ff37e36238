// SPDX-License-Identifier: MIT
/* Operators of importers whose results are of float32: the operator Real. */
#include <errno.h>
#include <string.h>

#include "import/build.h"
#include "ops/support/formulas.h"

static const struct nn_quant real = { .type = NN_FLOAT32 };

static int append_real(struct nn_builder *builder, const struct nn_build_tensor *x,
		       const float *table, const char *function, struct nn_build_tensor *out)
{
	const struct nn_tensor_info info = {
		.type = NN_FLOAT32, .rank = 1, .dims = { x->quant.type == NN_INT16 ? 65536 : 256 }
	};
	const struct nn_attr attr = {
		.name = "function", .type = NN_ATTR_STRING, .string = function
	};
	struct nn_build_tensor inputs[2] = { *x };
	int err = table ? nn_build_const(builder, &info, table, &inputs[1]) : 0;

	return err ? err : nn_build_node(builder, "Real", inputs, table ? 2 : 1, &attr, 1, &real,
					 out);
}

/* The dimensions that stay, then those of the vectors; how many stay is returned. */
static uint32_t order_dims(uint32_t rank, uint32_t axes, uint32_t *perm)
{
	uint32_t count = 0, stay;

	for (uint32_t i = 0; i < rank; i++) {
		if (!(axes >> i & 1))
			perm[count++] = i;
	}
	stay = count;
	for (uint32_t i = 0; i < rank; i++) {
		if (axes >> i & 1)
			perm[count++] = i;
	}
	return stay;
}

/* Vectors as the last dimension, each behind the other as Real wants them. */
static int build_vectors(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axes,
			 struct nn_build_tensor *out)
{
	uint32_t perm[NN_MAX_RANK], dims[NN_MAX_RANK], stay, length = 1;
	struct nn_build_tensor turned;
	int err = nn_build_layout(builder, x, NN_LAYOUT_PLAIN, &turned);

	stay = order_dims(x->rank, axes, perm);
	if (!err)
		err = nn_build_transpose(builder, &turned, perm, &turned);
	if (!err)
		err = nn_build_layout(builder, &turned, NN_LAYOUT_PLAIN, &turned);
	if (err)
		return err;
	memcpy(dims, turned.dims, sizeof(dims));
	for (uint32_t i = stay; i < x->rank; i++)
		length *= turned.dims[i];
	dims[stay] = length;
	err = nn_build_reshape(builder, &turned, stay + 1, dims, out);
	return err ? err : nn_build_layout(builder, out, NN_LAYOUT_PLAIN, out);
}

static bool makes_one(const char *function)
{
	static const char *const functions[] = { "sum", "mean", "length", "log_sum", "log_sum_exp" };

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		if (!strcmp(functions[i], function))
			return true;
	}
	return false;
}

/* The elements of vectors back in the order that they came in. */
static int turn_back(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axes,
		     struct nn_build_tensor *out)
{
	uint32_t perm[NN_MAX_RANK], back[NN_MAX_RANK], dims[NN_MAX_RANK];
	int err;

	order_dims(x->rank, axes, perm);
	for (uint32_t i = 0; i < x->rank; i++) {
		back[perm[i]] = i;
		dims[i] = x->dims[perm[i]];
	}
	err = nn_build_reshape(builder, out, x->rank, dims, out);
	if (!err)
		err = nn_build_transpose(builder, out, back, out);
	return err ? err : nn_build_layout(builder, out, NN_LAYOUT_PLAIN, out);
}

int nn_build_real(struct nn_builder *builder, const struct nn_build_tensor *x,
		  const float *table, const char *function, uint32_t axes, bool keep_dims,
		  struct nn_build_tensor *out)
{
	uint32_t rank, dims[NN_MAX_RANK];
	struct nn_build_tensor from, made;
	int err;

	if (axes & 1 || x->rank < 2) {
		err = nn_build_lift(builder, x, &from);
		if (!err)
			err = nn_build_real(builder, &from, table, function, axes << 1, keep_dims,
					    &made);
		return err ? err : nn_build_lower(builder, &made, out);
	}
	if (!axes) {
		err = nn_build_layout(builder, x, NN_LAYOUT_PLAIN, &from);
		return err ? err : append_real(builder, &from, table, function, out);
	}
	err = build_vectors(builder, x, axes, &from);
	if (!err)
		err = append_real(builder, &from, table, function, out);
	if (err)
		return err;
	if (!makes_one(function))
		return turn_back(builder, x, axes, out);
	out->dims[out->rank - 1] = 1;
	nn_reduced_shape(x, axes, keep_dims, &rank, dims);
	return nn_build_reshape(builder, out, rank, dims, out);
}

/* A node that makes sums of vectors' elements. */
static int append_resample(struct nn_builder *builder, const struct nn_build_tensor *x,
			   const struct nn_resample *resample, struct nn_build_tensor *out)
{
	const struct nn_tensor_info taps = { .type = NN_INT32, .rank = 2,
					     .dims = { resample->size, resample->count } };
	const struct nn_tensor_info weights = { .type = NN_FLOAT32, .rank = 2,
						.dims = { resample->size, resample->count } };
	const struct nn_tensor_info biases = { .type = NN_FLOAT32, .rank = 1,
					       .dims = { resample->size } };
	struct nn_build_tensor inputs[4] = { *x };
	int err = nn_build_const(builder, &taps, resample->taps, &inputs[1]);

	if (!err)
		err = nn_build_const(builder, &weights, resample->weights, &inputs[2]);
	if (!err)
		err = nn_build_const(builder, &biases, resample->biases, &inputs[3]);
	if (!err)
		err = nn_build_node(builder, "Resample", inputs, 4, NULL, 0, &real, out);
	out->dims[out->rank - 1] = resample->size;
	return err;
}

int nn_build_resample(struct nn_builder *builder, const struct nn_build_tensor *x, uint32_t axis,
		      const struct nn_resample *resample, struct nn_build_tensor *out)
{
	struct nn_build_tensor from, like = *x;
	int err;

	if (!axis || x->rank < 2) {
		err = nn_build_lift(builder, x, &from);
		if (!err)
			err = nn_build_resample(builder, &from, axis + 1, resample, &like);
		return err ? err : nn_build_lower(builder, &like, out);
	}
	err = build_vectors(builder, x, 1u << axis, &from);
	if (!err)
		err = append_resample(builder, &from, resample, out);
	like.dims[axis] = resample->size;
	return err ? err : turn_back(builder, &like, 1u << axis, out);
}

/* A list of reals as a constant, of one for each of `count`. */
static int build_list(struct nn_builder *builder, const struct nn_const *values, float otherwise,
		      uint32_t count, struct nn_build_tensor *out)
{
	const struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = 1, .dims = { count } };
	float *list = nn_builder_alloc(builder, count, sizeof(*list));

	if (!list)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++)
		list[i] = !values->data ? otherwise :
					  nn_const_float(values, values->count == 1 ? 0 : i);
	return nn_build_const(builder, &info, list, out);
}

/* Vectors by their function, times the scale, plus the bias. */
static int append_scaled(struct nn_builder *builder, const struct nn_build_tensor *x,
			 const struct nn_normalization *normalization, struct nn_build_tensor *out)
{
	const struct nn_attr attrs[2] = {
		{ .name = "function", .type = NN_ATTR_STRING, .string = normalization->function },
		{ .name = "epsilon", .type = NN_ATTR_FLOAT, .f = normalization->epsilon },
	};
	const uint32_t length = x->dims[x->rank - 1];
	struct nn_build_tensor inputs[3] = { *x };
	int err = 0;

	if (strcmp(normalization->function, "scale"))
		err = nn_build_node(builder, "Real", x, 1, attrs, 2, &real, &inputs[0]);
	if (!err)
		err = build_list(builder, &normalization->scale, 1, length, &inputs[1]);
	if (!err)
		err = build_list(builder, &normalization->bias, 0, length, &inputs[2]);
	return err ? err : nn_build_node(builder, "RealScale", inputs, 3, NULL, 0, &real, out);
}

int nn_build_real_normalize(struct nn_builder *builder, const struct nn_build_tensor *x,
			    const struct nn_normalization *normalization,
			    struct nn_build_tensor *out)
{
	struct nn_normalization lifted = *normalization;
	struct nn_build_tensor from;
	int err;

	if (normalization->axes & 1 || x->rank < 2) {
		lifted.axes <<= 1;
		err = nn_build_lift(builder, x, &from);
		if (!err)
			err = nn_build_real_normalize(builder, &from, &lifted, &from);
		return err ? err : nn_build_lower(builder, &from, out);
	}
	err = build_vectors(builder, x, normalization->axes, &from);
	if (!err)
		err = append_scaled(builder, &from, normalization, out);
	return err ? err : turn_back(builder, x, normalization->axes, out);
}

int nn_build_real_each(struct nn_builder *builder, const char *function,
		       const struct nn_formula_parameters *parameters,
		       const struct nn_operand *operands, uint32_t count,
		       struct nn_build_tensor *out)
{
	int64_t is_tanh = parameters->is_tanh;
	const struct nn_attr attrs[] = {
		{ .name = "function", .type = NN_ATTR_STRING, .string = function },
		{ .name = "alpha", .type = NN_ATTR_FLOAT, .f = parameters->alpha },
		{ .name = "beta", .type = NN_ATTR_FLOAT, .f = parameters->beta },
		{ .name = "tanh", .type = NN_ATTR_INT, .i = is_tanh },
	};

	if (count == 1)
		return nn_build_unary(builder, "RealEach", operands[0].tensor, attrs, 4, &real, out);
	return nn_build_whole_broadcast(builder, "RealEach", operands, 2, attrs, 4, &real,
					out);
}

int nn_build_real_transposed(struct nn_builder *builder, const struct nn_build_tensor *x,
			     const struct nn_const *weights, const struct nn_const *bias,
			     uint32_t group, const struct nn_transposed *transposed,
			     struct nn_build_tensor *out)
{
	const uint32_t outputs = weights->dims[1] * group;
	struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = 4 };
	int64_t size[2], stride[2], dilation[2], before[2];
	const struct nn_attr attrs[] = {
		{ .name = "size", .type = NN_ATTR_INTS, .count = 2, .ints = size },
		{ .name = "stride", .type = NN_ATTR_INTS, .count = 2, .ints = stride },
		{ .name = "dilation", .type = NN_ATTR_INTS, .count = 2, .ints = dilation },
		{ .name = "before", .type = NN_ATTR_INTS, .count = 2, .ints = before },
		{ .name = "groups", .type = NN_ATTR_INT, .i = group },
	};
	struct nn_build_tensor inputs[3];
	int err = nn_build_layout(builder, x, NN_LAYOUT_PLAIN, &inputs[0]);

	memcpy(info.dims, weights->dims, 4 * sizeof(*info.dims));
	for (int i = 0; i < 2; i++) {
		size[i] = transposed->outputs[i];
		stride[i] = transposed->stride[i];
		dilation[i] = transposed->dilation[i];
		before[i] = transposed->before[i];
	}
	if (!err)
		err = nn_build_const(builder, &info, weights->data, &inputs[1]);
	if (!err)
		err = build_list(builder, bias, 0, outputs, &inputs[2]);
	if (!err)
		err = nn_build_node(builder, "RealTransposed", inputs, 3, attrs, 5, &real, out);
	if (err)
		return err;
	out->layout = NN_LAYOUT_PLAIN;
	out->dims[1] = outputs;
	out->dims[2] = transposed->outputs[0];
	out->dims[3] = transposed->outputs[1];
	return 0;
}
