// SPDX-License-Identifier: MIT
/* ONNX operators that go along dimensions of tensors: reductions, ArgMax, Softmax. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/onnx/onnx.h"

/*
 * A bit for each dimension that is reduced: input 1 or the attribute; without either all, or with
 * noop_with_empty_axes none.
 */
int onnx_read_axes(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t *axes)
{
	int64_t values[NN_MAX_RANK];
	uint32_t count, all = 0;
	int err = onnx_read_ints(import, 1, "axes", values, &count);

	*axes = 0;
	if (err)
		return err;
	if (!count && onnx_attr_int(import->node, "noop_with_empty_axes", 0))
		return 0;
	if (!count && x->dims[0] == NN_ROWS)
		return onnx_fail(import, -EOPNOTSUPP,
				 "without axes it reduces all dimensions, the batch, too"
				 ONNX_KEEP_BATCH);
	for (; !count && all < x->rank; all++)
		values[all] = all;
	count += all;
	return nn_read_axes(&import->builder, x, values, count, axes);
}

static int emit_reduce(struct onnx_import *import, const struct onnx_pending *pending,
		       const struct nn_quant *quant, const char *activation,
		       struct nn_build_tensor *out)
{
	(void)activation;
	return nn_build_reduce(&import->builder, "Reduce", &pending->operands[0]->tensor,
			       pending->axis, pending->keep_dims, pending->op->becomes, quant,
			       out);
}

/* Whether a product of elements can become infinite, of which 0 would make no number. */
static bool may_overflow(const struct nn_build_tensor *x, uint32_t axes)
{
	double most, factors = 1;
	int32_t low, high;

	nn_type_range(x->quant.type, &low, &high);
	most = fmax(fabs((double)low - x->quant.zero_point), fabs((double)high - x->quant.zero_point));
	for (uint32_t i = 0; i < x->rank; i++)
		factors *= axes >> i & 1 ? x->dims[i] : 1;
	return factors * log2(most * x->quant.scale) >= FLT_MAX_EXP - 1;
}

/* Sums, products and means. */
int onnx_lower_reduce(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0);
	struct onnx_pending *pending = x ? onnx_new_pending(import, emit_reduce, 1) : NULL;
	int err;

	if (!pending)
		return onnx_failed(import);
	err = onnx_read_axes(import, &x->tensor, &pending->axis);
	if (err)
		return err;
	if (!pending->axis)
		return onnx_define(import, 0, x);
	pending->op = import->op;
	pending->operands[0] = x;
	pending->may_be_nan = !strcmp(import->op->becomes, "prod") &&
			      may_overflow(&x->tensor, pending->axis);
	pending->keep_dims = onnx_attr_int(import->node, "keepdims", 1);
	nn_reduced_shape(&x->tensor, pending->axis, pending->keep_dims, &pending->rank,
			 pending->dims);
	if (!strcmp(import->op->becomes, "mean") && onnx_begin_moment(import, pending))
		return -ENOMEM;
	return onnx_define_pending(import, pending);
}

/* The greatest or least element, which is one of those that there are. */
static int lower_extreme(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
			 bool keep_dims)
{
	struct onnx_value value = *x;
	int err;

	if (!axes)
		return onnx_define(import, 0, x);
	if (!nn_type_is_8bit(x->tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	err = nn_build_reduce(&import->builder, "Reduce", &x->tensor, axes, keep_dims,
			      import->op->becomes, &x->tensor.quant, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

int onnx_lower_reduce_extreme(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);
	uint32_t axes;
	int err;

	if (!x)
		return onnx_failed(import);
	if (x->kind == ONNX_STORED && onnx_get_opset(import, import->op) < 12)
		return onnx_fail(import, -EINVAL, "it takes integers from opset 12 on");
	err = onnx_read_axes(import, &x->tensor, &axes);
	return err ? err : lower_extreme(import, x, axes,
					 onnx_attr_int(import->node, "keepdims", 1));
}

int onnx_lower_global_max_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_movable_input(import, 0);

	if (!x)
		return onnx_failed(import);
	if (x->kind == ONNX_STORED)
		return onnx_fail(import, -EINVAL, "its input is a tensor of integers");
	if (x->tensor.rank < 3)
		return onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions",
				 x->tensor.rank);
	return lower_extreme(import, x, (1u << x->tensor.rank) - 4, true);
}

/* ---- ArgMax, ArgMin ---- */

/* Of what is rounded: in float elements differ that are equal then. */
int onnx_lower_arg(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_value value = { .kind = ONNX_STORED };
	int64_t axis = onnx_attr_int(import->node, "axis", 0);
	struct nn_arg arg = {
		.function = import->op->becomes,
		.keep_dims = onnx_attr_int(import->node, "keepdims", 1),
		.last = onnx_attr_int(import->node, "select_last_index", 0),
	};
	uint32_t axes;
	int err;

	if (x->kind != ONNX_STORED)
		x = onnx_real_input(import, 0);
	if (!x)
		return onnx_failed(import);
	if (!nn_type_is_8bit(x->tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	err = nn_read_axes(&import->builder, &x->tensor, &axis, 1, &axes);
	if (err)
		return err;
	arg.axis = axis + (axis < 0 ? x->tensor.rank : 0);
	err = nn_build_arg(&import->builder, &x->tensor, &arg, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

/* ---- Softmax, LogSoftmax ---- */

static int emit_softmax(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, const char *activation,
			struct nn_build_tensor *out)
{
	(void)activation;
	return nn_build_softmax(&import->builder, &pending->operands[0]->tensor, pending->axis,
				onnx_get_opset(import, pending->op) < 13,
				pending->op->becomes != NULL, quant, out);
}

int onnx_lower_softmax(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0);
	struct onnx_pending *pending = x ? onnx_new_pending(import, emit_softmax, 1) : NULL;
	bool is_old = onnx_get_opset(import, import->op) < 13;
	int64_t axis = onnx_attr_int(import->node, "axis", is_old ? 1 : -1);
	uint32_t axes;
	int err;

	if (!pending)
		return onnx_failed(import);
	err = nn_read_axes(&import->builder, &x->tensor, &axis, 1, &axes);
	if (err)
		return err;
	pending->op = import->op;
	pending->axis = axis + (axis < 0 ? x->tensor.rank : 0);
	pending->operands[0] = x;
	pending->rank = x->tensor.rank;
	memcpy(pending->dims, x->tensor.dims, sizeof(pending->dims));
	return onnx_define_pending(import, pending);
}
