// SPDX-License-Identifier: MIT
/*
 * ONNX's Attention: queries, keys and values, which are quantized or computed in float, become
 * tensors of heads for the graph's operator of that name. Its results are of float32.
 *
 * Where the first dimension is the batch, each row is one item; else there is one row, which has
 * all items (nn_build_lift()).
 */
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define RANK 5 /* of the graph's operands: rows, batch, heads, length, depth */
#define MOST_IN_MASK (1u << 24) /* so that a small file cannot take much memory */

enum { QUERIES, KEYS, VALUES, MASK, PAST_KEYS, PAST_VALUES, COUNTS };
enum { RESULT, PRESENT_KEYS, PRESENT_VALUES, PRODUCTS };

static const struct nn_quant real = { .type = NN_FLOAT32 };

int onnx_float_input(struct onnx_import *import, uint32_t i, struct nn_build_tensor *out)
{
	const struct onnx_value *value = onnx_input(import, i);

	if (onnx_has_real(value))
		return onnx_make_real(import, value, out);
	if (value->kind == ONNX_REAL && value->tensor.quant.type == NN_FLOAT32) {
		*out = value->tensor;
		return 0;
	}
	value = onnx_real_input(import, i);
	if (!value)
		return onnx_failed(import);
	if (!nn_type_is_8bit(value->tensor.quant.type) || value->tensor.quant.scales)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its input %" PRIu32 " is of %s, or has several scales", i,
				 nn_data_type_name(value->tensor.quant.type));
	*out = value->tensor;
	return 0;
}

int onnx_define_float(struct onnx_import *import, uint32_t i, const struct nn_build_tensor *made)
{
	const struct onnx_value value = { .kind = ONNX_REAL, .promised = true, .tensor = *made };

	return onnx_define(import, i, &value);
}

int onnx_to_float(struct onnx_import *import, const struct nn_build_tensor *x,
		     struct nn_build_tensor *out)
{
	float table[256];

	if (x->quant.type == NN_FLOAT32) {
		*out = *x;
		return 0;
	}
	for (int i = 0; i < 256; i++)
		table[i] = onnx_read_element(&x->quant, i);
	return nn_build_real(&import->builder, x, table, "each", 0, true, out);
}

int onnx_add_rows(struct onnx_import *import, const struct nn_build_tensor *x,
		  struct nn_build_tensor *out)
{
	uint32_t dims[NN_MAX_RANK] = { x->dims[0], 1 };
	int err;

	if (!nn_is_rows(x->dims[0])) {
		err = nn_build_lift(&import->builder, x, out);
	} else {
		memcpy(dims + 2, x->dims + 1, (x->rank - 1) * sizeof(*dims));
		err = nn_build_reshape(&import->builder, x, x->rank + 1, dims, out);
	}
	return err ? err : nn_build_layout(&import->builder, out, NN_LAYOUT_PLAIN, out);
}

/* ---- Heads ---- */

/* An operand of four dimensions, batch, heads, length, depth; of three the heads are behind the
 * length. */
static int read_heads(struct onnx_import *import, uint32_t i, const char *attr,
		      struct nn_build_tensor *out)
{
	static const uint32_t perm[4] = { 0, 2, 1, 3 };
	const int64_t heads = onnx_attr_int(import->node, attr, 0);
	uint32_t dims[4];
	int err = onnx_float_input(import, i, out);

	if (err || out->rank == 4)
		return err;
	if (out->rank != 3)
		return onnx_fail(import, -EINVAL, "its input %" PRIu32 " has %" PRIu32 " dimensions",
				 i, out->rank);
	if (heads < 1 || out->dims[2] % heads)
		return onnx_fail(import, -EINVAL,
				 "its input %" PRIu32 " has three dimensions, and %s does not "
				 "divide the last", i, attr);
	dims[0] = out->dims[0];
	dims[1] = out->dims[1];
	dims[2] = heads;
	dims[3] = out->dims[2] / heads;
	err = nn_build_reshape(&import->builder, out, 4, dims, out);
	return err ? err : nn_build_transpose(&import->builder, out, perm, out);
}

/* The past ones come first, and then the new ones: in float where they are quantized otherwise. */
static int add_past(struct onnx_import *import, uint32_t past, struct nn_build_tensor *present)
{
	struct nn_build_tensor parts[2];
	uint32_t axis, dims[NN_MAX_RANK];
	int err;

	if (onnx_input(import, past)->kind == ONNX_ABSENT)
		return 0;
	err = onnx_float_input(import, past, &parts[0]);
	parts[1] = *present;
	if (!err && parts[0].rank != 4)
		return onnx_fail(import, -EINVAL, "its past has %" PRIu32 " dimensions",
				 parts[0].rank);
	for (uint32_t i = 0; i < 2 && !err && !nn_quant_equal(&parts[0].quant, &present->quant); i++)
		err = onnx_to_float(import, &parts[i], &parts[i]);
	if (!err)
		err = nn_concat_shape(&import->builder, parts, 2, 2, &axis, dims);
	return err ? err : nn_build_concat(&import->builder, parts, 2, axis, present);
}

/* ---- Mask ---- */

/* Dimensions as the graph's operator has them, behind that of the rows. */
static int find_mask_dims(struct onnx_import *import, const struct onnx_value *mask,
			  const struct nn_build_tensor *keys, uint32_t dims[RANK])
{
	uint32_t rank = mask->tensor.rank, ones = 4 - rank;

	if (!rank || rank > 4)
		return onnx_fail(import, -EINVAL, "its mask has %" PRIu32 " dimensions", rank);
	for (uint32_t i = 0; i < 4; i++)
		dims[i + 1] = i < ones ? 1 : mask->tensor.dims[i - ones];
	dims[0] = 1;
	if (dims[4] == keys->dims[2] || dims[4] == 1 || (onnx_is_const(mask) && dims[4] < keys->dims[2]))
		return 0;
	return onnx_fail(import, -EOPNOTSUPP,
			 "its mask is for %" PRIu32 " keys of %" PRIu32
			 "; nnloop knows that of a constant", dims[4], keys->dims[2]);
}

/* A constant as floats, of which one behind its last is minus infinity. */
static int build_constant_mask(struct onnx_import *import, const struct onnx_value *mask,
			       const struct nn_build_tensor *keys, const uint32_t dims[RANK],
			       struct nn_build_tensor *out)
{
	struct nn_tensor_info info = { .type = NN_FLOAT32, .rank = RANK };
	const uint32_t own = dims[4], length = own == 1 ? 1 : keys->dims[2];
	const uint64_t rows = mask->constant.count / own;
	struct nn_const floats = { 0 };
	float *data;
	int err = 0;

	if (rows * length > MOST_IN_MASK)
		return onnx_fail(import, -EOPNOTSUPP, "its mask has more than %u elements",
				 MOST_IN_MASK);
	if (mask->constant.element != NN_ELEMENT_BOOL || mask->kind != ONNX_CONST)
		err = onnx_read_floats(import, mask, "mask", &floats);
	data = onnx_alloc(import, rows * length, sizeof(*data));
	if (err || !data)
		return err ? err : -ENOMEM;
	for (uint64_t i = 0; i < rows * length; i++) {
		uint64_t from = i / length * own + i % length;

		if (i % length >= own)
			data[i] = -INFINITY;
		else if (floats.data)
			data[i] = nn_const_float(&floats, from);
		else
			data[i] = nn_const_int(&mask->constant, from) ? 0 : -INFINITY;
	}
	memcpy(info.dims, dims, RANK * sizeof(*dims));
	info.dims[4] = length;
	return nn_build_const(&import->builder, &info, data, out);
}

static int build_mask(struct onnx_import *import, const struct nn_build_tensor *queries,
		      const struct nn_build_tensor *keys, struct nn_build_tensor *out)
{
	const struct onnx_value *mask = onnx_input(import, MASK);
	const bool has_batch = nn_is_rows(queries->dims[0]);
	uint32_t dims[RANK];
	int err = find_mask_dims(import, mask, keys, dims);

	if (err)
		return err;
	if (onnx_is_const(mask)) {
		if (has_batch && dims[1] != 1)
			return onnx_fail(import, -EOPNOTSUPP,
					 "its mask is for %" PRIu32 " items, which may be others",
					 dims[1]);
		return build_constant_mask(import, mask, keys, dims, out);
	}
	if (mask->kind == ONNX_STORED && mask->tensor.quant.type == NN_BOOL)
		*out = mask->tensor;
	else
		err = onnx_float_input(import, MASK, out);
	if (err)
		return err;
	if (has_batch && (mask->tensor.rank != 4 || !nn_is_rows(mask->tensor.dims[0])))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its mask is one for all items; nnloop knows that of a constant");
	if (has_batch)
		return onnx_add_rows(import, out, out);
	return nn_build_whole_reshape(&import->builder, out, RANK, dims, out);
}

/* Where there is no mask, and what is behind it is there: nothing is added. */
static int build_no_mask(struct onnx_import *import, struct nn_build_tensor *out)
{
	static const float zero;
	const struct nn_tensor_info info = {
		.type = NN_FLOAT32, .rank = RANK, .dims = { 1, 1, 1, 1, 1 }
	};

	return nn_build_const(&import->builder, &info, &zero, out);
}

/* How many keys there are for each item. */
static int build_counts(struct onnx_import *import, const struct nn_build_tensor *queries,
			struct nn_build_tensor *out)
{
	const struct onnx_value *counts = onnx_input(import, COUNTS);
	const uint32_t one[2] = { NN_ROWS, 1 };

	if (counts->kind != ONNX_STORED || counts->tensor.quant.type != NN_INT64 ||
	    counts->tensor.rank != 1)
		return onnx_fail(import, -EOPNOTSUPP, "its nonpad_kv_seqlen is no tensor of int64");
	if (nn_is_rows(queries->dims[0]) != nn_is_rows(counts->tensor.dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its nonpad_kv_seqlen has not as many rows as its queries");
	if (!nn_is_rows(queries->dims[0]))
		return nn_build_lift(&import->builder, &counts->tensor, out);
	return nn_build_reshape(&import->builder, &counts->tensor, 2, one, out);
}

/* ---- The operator ---- */

static int build(struct onnx_import *import, const struct nn_build_tensor *inputs, uint32_t count,
		 const char *function, struct nn_build_tensor *out)
{
	const Onnx__NodeProto *node = import->node;
	const struct nn_build_tensor *queries = &inputs[QUERIES];
	const bool has_past = onnx_input(import, PAST_KEYS)->kind != ONNX_ABSENT;
	const float scale = onnx_attr_float(node, "scale", 1 / sqrtf(queries->dims[RANK - 1]));
	const struct nn_attr attrs[] = {
		{ .name = "scale", .type = NN_ATTR_FLOAT, .f = scale },
		{ .name = "softcap", .type = NN_ATTR_FLOAT,
		  .f = onnx_attr_float(node, "softcap", 0) },
		{ .name = "causal", .type = NN_ATTR_INT, .i = onnx_attr_int(node, "is_causal", 0) },
		{ .name = "past", .type = NN_ATTR_INT,
		  .i = has_past ? onnx_input(import, PAST_KEYS)->tensor.dims[2] : 0 },
		{ .name = "left", .type = NN_ATTR_INT,
		  .i = onnx_attr_int(node, "left_window_size", -1) },
		{ .name = "right", .type = NN_ATTR_INT,
		  .i = onnx_attr_int(node, "right_window_size", -1) },
		{ .name = "function", .type = NN_ATTR_STRING, .string = function },
	};
	const bool is_output = !strcmp(function, "output");
	uint32_t dims[4];
	int err = nn_build_node(&import->builder, "Attention", inputs, count, attrs,
				sizeof(attrs) / sizeof(*attrs), &real, out);

	if (err)
		return err;
	out->layout = NN_LAYOUT_PLAIN;
	out->rank = RANK;
	memcpy(out->dims, queries->dims, sizeof(out->dims));
	out->dims[4] = is_output ? inputs[VALUES].dims[4] : inputs[KEYS].dims[3];
	if (!nn_is_rows(out->dims[0]))
		return nn_build_lower(&import->builder, out, out);
	dims[0] = out->dims[0];
	memcpy(dims + 1, out->dims + 2, 3 * sizeof(*dims));
	return nn_build_reshape(&import->builder, out, 4, dims, out);
}

/* Heads behind the length again, side by side. */
static int join_heads(struct onnx_import *import, struct nn_build_tensor *made)
{
	static const uint32_t perm[4] = { 0, 2, 1, 3 };
	uint32_t dims[3];
	int err = nn_build_transpose(&import->builder, made, perm, made);

	memcpy(dims, made->dims, sizeof(dims));
	dims[2] *= made->dims[3];
	return err ? err : nn_build_reshape(&import->builder, made, 3, dims, made);
}

static int check_heads(struct onnx_import *import, const struct nn_build_tensor *x)
{
	for (uint32_t i = KEYS; i <= VALUES; i++) {
		if (nn_is_rows(x[i].dims[0]) != nn_is_rows(x[QUERIES].dims[0]) ||
		    (!nn_is_rows(x[i].dims[0]) && x[i].dims[0] != x[QUERIES].dims[0]))
			return onnx_fail(import, -EOPNOTSUPP,
					 "its queries, keys and values have other first dimensions");
	}
	if (x[KEYS].dims[3] != x[QUERIES].dims[3] || x[VALUES].dims[1] != x[KEYS].dims[1] ||
	    x[VALUES].dims[2] != x[KEYS].dims[2] || x[QUERIES].dims[1] % x[KEYS].dims[1])
		return onnx_fail(import, -EINVAL, "its queries, keys and values do not fit");
	return 0;
}

/* The outputs that are wanted beside the first: what is kept for the next, and the products. */
static int define_others(struct onnx_import *import, const struct nn_build_tensor *heads,
			 const struct nn_build_tensor *inputs, uint32_t count)
{
	static const char *const functions[] = { "scores", "capped", "masked", "weights" };
	const int64_t mode = onnx_attr_int(import->node, "qk_matmul_output_mode", 0);
	struct nn_build_tensor made;
	int err = 0;

	for (uint32_t i = PRESENT_KEYS; i <= PRESENT_VALUES && !err; i++) {
		const struct nn_build_tensor *present = &heads[i - PRESENT_KEYS + KEYS];
		const struct onnx_value value = {
			.kind = ONNX_REAL, .promised = present->quant.type == NN_FLOAT32,
			.tensor = *present,
		};

		err = onnx_define(import, i, &value);
	}
	if (err || !onnx_output(import, PRODUCTS))
		return err;
	err = build(import, inputs, count, functions[mode], &made);
	return err ? err : onnx_define_float(import, PRODUCTS, &made);
}

int onnx_lower_attention(struct onnx_import *import)
{
	const bool joined = onnx_input(import, QUERIES)->tensor.rank == 3;
	const bool counted = onnx_input(import, COUNTS)->kind != ONNX_ABSENT;
	struct nn_build_tensor heads[3], inputs[5], made;
	uint32_t count = 3;
	int err = read_heads(import, QUERIES, "q_num_heads", &heads[QUERIES]);

	if (!err)
		err = read_heads(import, KEYS, "kv_num_heads", &heads[KEYS]);
	if (!err)
		err = read_heads(import, VALUES, "kv_num_heads", &heads[VALUES]);
	if (!err && (onnx_input(import, PAST_KEYS)->kind == ONNX_ABSENT) !=
			    (onnx_input(import, PAST_VALUES)->kind == ONNX_ABSENT))
		err = onnx_fail(import, -EINVAL, "it has one of past_key and past_value only");
	if (!err)
		err = add_past(import, PAST_KEYS, &heads[KEYS]);
	if (!err)
		err = add_past(import, PAST_VALUES, &heads[VALUES]);
	if (!err)
		err = check_heads(import, heads);
	for (uint32_t i = 0; i < 3 && !err; i++)
		err = onnx_add_rows(import, &heads[i], &inputs[i]);
	if (!err && onnx_input(import, MASK)->kind != ONNX_ABSENT)
		err = build_mask(import, &heads[QUERIES], &heads[KEYS], &inputs[count++]);
	else if (!err && counted)
		err = build_no_mask(import, &inputs[count++]);
	if (!err && counted)
		err = build_counts(import, &heads[QUERIES], &inputs[count++]);
	if (!err)
		err = build(import, inputs, count, "output", &made);
	if (!err && joined)
		err = join_heads(import, &made);
	if (!err)
		err = onnx_define_float(import, RESULT, &made);
	return err ? err : define_others(import, heads, inputs, count);
}
