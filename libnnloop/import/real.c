// SPDX-License-Identifier: MIT
/* Operators of importers whose results are of float32: the operator Real. */
#include <string.h>

#include "import/build.h"

static const struct nn_quant real = { .type = NN_FLOAT32 };

static int append_real(struct nn_builder *builder, const struct nn_build_tensor *x,
		       const float table[256], const char *function, struct nn_build_tensor *out)
{
	const struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = 1, .dims = { 256 } };
	const struct nn_attr attr = {
		.name = "function", .type = NN_ATTR_STRING, .string = function
	};
	struct nn_build_tensor inputs[2] = { *x };
	int err = nn_build_const(builder, &info, table, &inputs[1]);

	return err ? err : nn_build_node(builder, "Real", inputs, 2, &attr, 1, &real, out);
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
		  const float table[256], const char *function, uint32_t axes, bool keep_dims,
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
