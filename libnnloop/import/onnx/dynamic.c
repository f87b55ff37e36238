// SPDX-License-Identifier: MIT
/*
 * ONNX operators of models that are quantized dynamically, as quantize_dynamic() writes them:
 * DynamicQuantizeLinear, and the products that ONNX Runtime makes of it, of com.microsoft. Their
 * scale is that of a whole tensor, so a model of them runs on each item of a batch by itself.
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "import/dynamic.h"
#include "import/floats.h"
#include "import/onnx/onnx.h"

/* ---- Scalars ---- */

/* A value without dimensions, of a tensor of one element. */
static int make_scalar(struct onnx_import *import, enum onnx_kind kind,
		       const struct nn_build_tensor *one, struct onnx_value *out)
{
	const uint32_t dims[1] = { 1 };
	int err;

	*out = (struct onnx_value){ .kind = kind, .promised = kind == ONNX_REAL };
	err = nn_build_whole_reshape(&import->builder, one, 1, dims, &out->tensor);
	out->bare = !import->controlled;
	/* Where all shapes are the model's, it has none at all. */
	if (import->controlled)
		out->tensor.rank = 0;
	return err;
}

/* ---- Quantization ---- */

/* The elements as one row, in the order in which they are stored. */
static int build_row(struct onnx_import *import, const struct nn_build_tensor *x,
		     struct nn_build_tensor *out)
{
	uint32_t dims[2] = { 1, 1 };
	struct nn_build_tensor from = *x;

	if (!from.rank)
		from.dims[0] = 1;
	for (uint32_t i = 0; i < x->rank; i++)
		dims[1] *= x->dims[i];
	if (x->rank < 2 || x->dims[0] != 1)
		return nn_build_whole_reshape(&import->builder, &from, 2, dims, out);
	*out = from;
	if (x->rank > 2)
		from.layout = NN_LAYOUT_PLAIN;
	if (x->rank > 2 && nn_build_stored_reshape(&import->builder, &from, 2, dims, out))
		return onnx_failed(import);
	out->rank = 2;
	memcpy(out->dims, dims, sizeof(dims));
	return 0;
}

/* And back. */
static int build_unrow(struct onnx_import *import, const struct nn_build_tensor *row,
		       const struct nn_build_tensor *x, struct nn_build_tensor *out)
{
	const uint32_t one[1] = { 1 };
	uint32_t stored[NN_MAX_RANK];
	int err;

	if (!x->rank) {
		err = nn_build_whole_reshape(&import->builder, row, 1, one, out);
		out->rank = 0;
		return err;
	}
	if (x->rank < 2 || x->dims[0] != 1)
		return nn_build_whole_reshape(&import->builder, row, x->rank, x->dims, out);
	*out = *row;
	for (uint32_t i = 0; i < x->rank; i++)
		stored[nn_layout_axis(x->layout, i)] = x->dims[i];
	if (x->rank > 2 &&
	    nn_build_stored_reshape(&import->builder, row, x->rank, stored, out))
		return onnx_failed(import);
	out->rank = x->rank;
	memcpy(out->dims, x->dims, sizeof(out->dims));
	nn_build_keep_layout(out, x);
	return 0;
}

/* A tensor of float32 as uint8, with scale and zero point, which have no dimensions. */
struct quantized {
	struct onnx_value integers, scale, zero;
};

static int quantize(struct onnx_import *import, const struct nn_build_tensor *x,
		    struct quantized *out)
{
	struct nn_build_tensor row;
	struct nn_dynamic dynamic;
	int err;

	if (x->rank && nn_is_rows(x->dims[0]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "the scale that it finds is that of all items of a batch, of which "
				 "there is any number" ONNX_FIX_SHAPES);
	memset(out, 0, sizeof(*out));
	err = build_row(import, x, &row);
	if (!err)
		err = nn_build_dynamic(&import->builder, &row, 1u << 1, NN_DYNAMIC_ONNX,
				       &dynamic);
	out->integers.kind = ONNX_STORED;
	if (!err)
		err = build_unrow(import, &dynamic.integers, x, &out->integers.tensor);
	if (!err)
		err = make_scalar(import, ONNX_REAL, &dynamic.scale, &out->scale);
	return err ? err : make_scalar(import, ONNX_STORED, &dynamic.zero, &out->zero);
}

/* Input i, where the model computes in float32. */
static int read_float(struct onnx_import *import, uint32_t i, struct nn_build_tensor *out)
{
	if (!import->floats)
		return onnx_fail_float(import, "it finds scales of what is computed in float");
	return onnx_float_tensor(import, i, out);
}

int onnx_lower_dynamic_quantize(struct onnx_import *import)
{
	struct quantized made;
	struct nn_build_tensor x;
	int err = read_float(import, 0, &x);

	if (!err)
		err = quantize(import, &x, &made);
	if (!err)
		err = onnx_define(import, 0, &made.integers);
	if (!err)
		err = onnx_define(import, 1, &made.scale);
	return err ? err : onnx_define(import, 2, &made.zero);
}

/* ---- Products ---- */

/* x by an operand of float32, an input or what a tensor has been quantized with. */
static int apply(struct onnx_import *import, const char *function, const struct onnx_value *by,
		 struct nn_build_tensor *x)
{
	const struct nn_build_tensor from = *x;
	struct nn_operand operands[2] = { { .tensor = &from }, { .tensor = &by->tensor } };
	struct nn_const constant;
	int err = 0;

	if (onnx_is_const(by)) {
		err = onnx_read_floats(import, by, "operand", &constant);
		operands[1] = (struct nn_operand){ .constant = { .name = by->tensor.name,
								 .values = &constant,
								 .quant = &nn_quant_float } };
	} else if (by->kind != ONNX_REAL || by->tensor.quant.type != NN_FLOAT32) {
		err = onnx_fail(import, -EOPNOTSUPP, "%s is no tensor of float32, nor a constant",
				onnx_quote(import, by->tensor.name));
	}
	return err ? err : nn_build_float_binary(&import->builder, function, operands,
						 &nn_quant_float, x);
}

/* Sums of integers as reals: times the product of two scales, with a bias where there is one. */
static int define_reals(struct onnx_import *import, struct nn_build_tensor *sums,
			const struct onnx_value *scales[2], const struct onnx_value *bias)
{
	struct onnx_value product = *scales[0];
	struct nn_build_tensor made;
	int err;

	if (onnx_is_const(scales[0]) && onnx_is_const(scales[1]))
		return onnx_fail(import, -EOPNOTSUPP,
				 "both its scales are constants\nquantize the model statically");
	if (onnx_is_const(scales[0]))
		product = *scales[1];
	err = apply(import, "Mul", scales[onnx_is_const(scales[0]) ? 0 : 1], &product.tensor);
	if (!err)
		err = nn_build_float_convert(&import->builder, sums, &nn_quant_float, &made);
	if (!err)
		err = apply(import, "Mul", &product, &made);
	if (!err && bias->kind != ONNX_ABSENT)
		err = apply(import, "Add", bias, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

int onnx_lower_dynamic_quantize_matmul(struct onnx_import *import)
{
	const struct onnx_value *scales[2] = { NULL, onnx_input(import, 2) };
	struct nn_build_tensor x, sums;
	struct quantized a;
	int err = read_float(import, 0, &x);

	if (!err)
		err = quantize(import, &x, &a);
	if (!err)
		err = onnx_build_sums(import, &a.integers, onnx_input(import, 1), &a.zero,
				      onnx_input(import, 3), &sums);
	scales[0] = &a.scale;
	return err ? err : define_reals(import, &sums, scales, onnx_input(import, 4));
}

int onnx_lower_matmul_integer_to_float(struct onnx_import *import)
{
	const struct onnx_value *scales[2] = { onnx_input(import, 2), onnx_input(import, 3) };
	struct nn_build_tensor sums;
	int err;

	if (!import->floats)
		return onnx_fail_float(import, "its scales are computed in float");
	err = onnx_build_sums(import, onnx_input(import, 0), onnx_input(import, 1),
			      onnx_input(import, 4), onnx_input(import, 5), &sums);
	return err ? err : define_reals(import, &sums, scales, onnx_input(import, 6));
}
