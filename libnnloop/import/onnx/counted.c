// SPDX-License-Identifier: MIT
/*
 * Reductions of integers that no scale belongs to: sums, which keep their low bits, the greatest and
 * the least, and where these are. The dimensions that are reduced become the last one: what is summed
 * up to its end is the sum of all, and the first element in order is the greatest.
 */
#include <errno.h>
#include <string.h>

#include "import/onnx/onnx.h"

bool onnx_is_counted(const struct onnx_value *x)
{
	return x->kind == ONNX_STORED && !x->tensor.quant.scale && !x->tensor.quant.is_unsigned;
}

/* The tensor with the dimensions that are reduced as its last one; one whose first dimension is
 * among them gets another one in front of it. */
static int turn(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
		bool *lifted, struct nn_build_tensor *out)
{
	struct nn_operand operand = { .tensor = &x->tensor };
	uint32_t perm[NN_MAX_RANK], dims[NN_MAX_RANK], rank = 0, count = 0;
	uint64_t elements = 1;
	int err = 0;

	*out = x->tensor;
	*lifted = axes & 1;
	if (*lifted) {
		err = onnx_lift(import, &operand, out);
		axes <<= 1;
	}
	for (uint32_t i = 0; i < out->rank; i++) {
		if (axes >> i & 1)
			continue;
		dims[rank++] = out->dims[i];
		perm[count++] = i;
	}
	for (uint32_t i = 0; i < out->rank; i++) {
		if (!(axes >> i & 1))
			continue;
		elements *= out->dims[i];
		perm[count++] = i;
	}
	if (err)
		return err;
	if (elements > INT32_MAX)
		return onnx_fail(import, -EOPNOTSUPP, "it reduces more than 2^31 elements");
	dims[rank] = elements;
	err = nn_build_transpose(&import->builder, out, perm, out);
	return err ? err : nn_build_reshape(&import->builder, out, rank + 1, dims, out);
}

/* Defines what is left of x: `made` has one element for all that is reduced. */
static int define(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
		  bool lifted, struct nn_build_tensor *made)
{
	const bool keep = onnx_attr_int(import->node, "keepdims", 1);
	uint32_t dims[NN_MAX_RANK] = { 1 }, rank;
	int err;

	import->makes_bare = !keep && axes == (1u << x->tensor.rank) - 1;
	nn_reduced_shape(&x->tensor, axes, keep, &rank, dims + lifted);
	err = nn_build_reshape(&import->builder, made, rank + lifted, dims, made);
	if (!err && lifted)
		err = nn_build_lower(&import->builder, made, made);
	return err ? err : onnx_define_stored(import, made);
}

/* The last of the sums up to each element. */
static int build_sum(struct onnx_import *import, const struct nn_build_tensor *x,
		     struct nn_build_tensor *made)
{
	const struct nn_cumulation cumulation = { .axis = x->rank - 1 };
	struct nn_steps steps[NN_MAX_RANK];
	int err = nn_build_cumulate(&import->builder, x, &cumulation, &x->quant, made);

	nn_all_steps(x, steps);
	steps[x->rank - 1] = (struct nn_steps){ (int64_t)x->dims[x->rank - 1] - 1, 1, 1 };
	return err ? err : nn_build_steps(&import->builder, made, steps, made);
}

int onnx_reduce_counted(struct onnx_import *import, const struct onnx_value *x, uint32_t axes)
{
	const bool is_sum = !strcmp(import->op->becomes, "sum");
	const bool is_least = !strcmp(import->op->becomes, "min");
	struct nn_take first = { .each = true };
	struct nn_build_tensor turned, made;
	bool lifted;
	int err;

	if (!axes)
		return onnx_define(import, 0, x);
	if (nn_data_type_size(x->tensor.quant.type) < 4 &&
	    (is_sum || x->tensor.quant.type != NN_BOOL))
		return onnx_fail(import, -EINVAL, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	err = turn(import, x, axes, &lifted, &turned);
	if (!err && is_sum) {
		err = build_sum(import, &turned, &made);
	} else if (!err) {
		first.axis = turned.rank - 1;
		err = nn_build_top(&import->builder, &turned, 1, is_least, &made);
		if (!err)
			err = nn_build_take(&import->builder, &turned, &made, &first, &made);
	}
	return err ? err : define(import, x, axes, lifted, &made);
}

int onnx_arg_counted(struct onnx_import *import, const struct onnx_value *x)
{
	const bool is_least = !strcmp(import->op->becomes, "min");
	const int64_t axis = onnx_attr_int(import->node, "axis", 0);
	struct nn_build_tensor turned, made;
	uint32_t axes;
	bool lifted;
	int err = nn_read_axes(&import->builder, &x->tensor, &axis, 1, &axes);

	if (err)
		return err;
	if (onnx_attr_int(import->node, "select_last_index", 0))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its select_last_index is 1, and its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	err = turn(import, x, axes, &lifted, &turned);
	if (!err)
		err = nn_build_top(&import->builder, &turned, 1, is_least, &made);
	return err ? err : define(import, x, axes, lifted, &made);
}
