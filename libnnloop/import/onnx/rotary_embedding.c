// SPDX-License-Identifier: MIT
/*
 * ONNX's RotaryEmbedding: vectors of heads, cosines and sines, quantized or in float, for the
 * graph's operator of that name.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/onnx/onnx.h"

enum { X, COSINES, SINES, PLACES };

/* x of four dimensions, batch, heads, length, depth; of three the heads are behind the length. */
static int read_heads(struct onnx_import *import, struct nn_build_tensor *x)
{
	static const uint32_t perm[4] = { 0, 2, 1, 3 };
	const int64_t heads = onnx_attr_int(import->node, "num_heads", 0);
	uint32_t dims[4];
	int err = onnx_float_input(import, X, x);

	if (err || x->rank == 4)
		return err;
	if (x->rank != 3 || heads < 1 || x->dims[2] % heads)
		return onnx_fail(import, -EINVAL,
				 "its input has %" PRIu32
				 " dimensions, or num_heads does not divide the last", x->rank);
	dims[0] = x->dims[0];
	dims[1] = x->dims[1];
	dims[2] = heads;
	dims[3] = x->dims[2] / heads;
	err = nn_build_reshape(&import->builder, x, 4, dims, x);
	return err ? err : nn_build_transpose(&import->builder, x, perm, x);
}

/* Cosines or sines: of one for all items two dimensions, of one for each three. */
static int read_angles(struct onnx_import *import, uint32_t i, const struct nn_build_tensor *x,
		       struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, i);
	const bool of_all = onnx_input(import, PLACES)->kind != ONNX_ABSENT;
	struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = 4, .dims = { 1, 1 } };
	struct nn_const floats;
	int err;

	if (value->tensor.rank != (of_all ? 2 : 3))
		return onnx_fail(import, -EINVAL,
				 "its input %" PRIu32 " has %" PRIu32 " dimensions, not %d", i,
				 value->tensor.rank, of_all ? 2 : 3);
	if (!onnx_is_const(value)) {
		err = onnx_float_input(import, i, out);
		if (err)
			return err;
		if (nn_is_rows(out->dims[0]) != nn_is_rows(x->dims[0]) ||
		    (of_all && nn_is_rows(out->dims[0])))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its input and its angles have other first dimensions");
		memcpy(info.dims + 2, out->dims, 2 * sizeof(*info.dims));
		return of_all ? nn_build_whole_reshape(&import->builder, out, 4, info.dims, out) :
				onnx_add_rows(import, out, out);
	}
	err = onnx_read_floats(import, value, "angles", &floats);
	if (err)
		return err;
	if (!of_all && nn_is_rows(x->dims[0]) && floats.dims[0] != 1)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its angles are for %" PRIu32 " items, which may be others",
				 floats.dims[0]);
	memcpy(info.dims + (of_all ? 2 : 1), floats.dims, floats.rank * sizeof(*info.dims));
	err = nn_build_const(&import->builder, &info, floats.data, out);
	out->rank = info.rank;
	memcpy(out->dims, info.dims, sizeof(out->dims));
	return err;
}

static int read_places(struct onnx_import *import, const struct nn_build_tensor *x,
		       struct nn_build_tensor *out)
{
	const struct onnx_value *places = onnx_input(import, PLACES);

	if (places->kind != ONNX_STORED || places->tensor.quant.type != NN_INT64 ||
	    places->tensor.rank != 2 ||
	    nn_is_rows(places->tensor.dims[0]) != nn_is_rows(x->dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its position_ids are no tensor of int64 with as many rows");
	return onnx_add_rows(import, &places->tensor, out);
}

/* The angles must be as many as the attribute says, or be for all of a vector. */
static int check_depth(struct onnx_import *import, const struct nn_build_tensor *inputs)
{
	const int64_t turned = onnx_attr_int(import->node, "rotary_embedding_dim", 0);
	const uint32_t depth = inputs[X].dims[4];

	if (turned < 0 || turned % 2 || turned > depth ||
	    2 * (uint64_t)inputs[COSINES].dims[3] != (uint64_t)(turned ? turned : depth))
		return onnx_fail(import, -EINVAL,
				 "its vectors have %" PRIu32 " elements, and its angles %" PRIu32,
				 depth, inputs[COSINES].dims[3]);
	return 0;
}

/* The result as the model knows it, of `rank` dimensions. */
static int build_result(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t rank,
			struct nn_build_tensor *made)
{
	static const uint32_t perm[4] = { 0, 2, 1, 3 };
	uint32_t dims[4];
	int err;

	made->layout = NN_LAYOUT_PLAIN;
	made->rank = x->rank;
	memcpy(made->dims, x->dims, sizeof(made->dims));
	if (!nn_is_rows(made->dims[0])) {
		err = nn_build_lower(&import->builder, made, made);
	} else {
		dims[0] = made->dims[0];
		memcpy(dims + 1, made->dims + 2, 3 * sizeof(*dims));
		err = nn_build_reshape(&import->builder, made, 4, dims, made);
	}
	if (err || rank == 4)
		return err;
	err = nn_build_transpose(&import->builder, made, perm, made);
	memcpy(dims, made->dims, sizeof(dims));
	dims[2] *= made->dims[3];
	return err ? err : nn_build_reshape(&import->builder, made, 3, dims, made);
}

int onnx_lower_rotary_embedding(struct onnx_import *import)
{
	static const struct nn_quant real = { .type = NN_FLOAT32 };
	const struct nn_attr attr = {
		.name = "interleaved", .type = NN_ATTR_INT,
		.i = onnx_attr_int(import->node, "interleaved", 0),
	};
	const bool has_places = onnx_input(import, PLACES)->kind != ONNX_ABSENT;
	struct nn_build_tensor x, inputs[4], made;
	int err = read_heads(import, &x);

	if (!err)
		err = onnx_add_rows(import, &x, &inputs[X]);
	for (uint32_t i = COSINES; i <= SINES && !err; i++)
		err = read_angles(import, i, &x, &inputs[i]);
	if (!err && has_places)
		err = read_places(import, &x, &inputs[PLACES]);
	if (!err)
		err = check_depth(import, inputs);
	if (!err)
		err = nn_build_node(&import->builder, "RotaryEmbedding", inputs, 3 + has_places,
				    &attr, 1, &real, &made);
	if (!err)
		err = build_result(import, &inputs[X], onnx_input(import, X)->tensor.rank, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}
