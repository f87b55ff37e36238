// SPDX-License-Identifier: MIT
/* ONNX operators that go along dimensions of tensors: reductions, ArgMax, Softmax. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define USE_QDQ "\nquantize with QuantFormat.QDQ, not QOperator"

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
	if (!count && nn_is_rows(x->dims[0]))
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
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	const char *function = pending->op->becomes;
	bool can_cancel = !strcmp(function, "sum") || !strcmp(function, "mean");
	int err = can_cancel ? onnx_check_sums(import, onnx_find_span(&x->quant), quant) : 0;

	(void)activation;
	if (err)
		return err;
	return nn_build_reduce(&import->builder, "Reduce", x, pending->axis, pending->keep_dims,
			       function, quant, out);
}

/*
 * Whether a sum or product of elements can become infinite. ONNX Runtime takes several at a time,
 * in an order of its own: whether 0 comes before or after the infinite makes 0 of it, or no number.
 */
static bool may_overflow(const struct nn_build_tensor *x, uint32_t axes, bool is_product)
{
	double most, elements = 1, bits;
	int32_t low, high;

	nn_type_range(x->quant.type, &low, &high);
	most = fmax(fabs((double)low - x->quant.zero_point),
		    fabs((double)high - x->quant.zero_point));
	for (uint32_t i = 0; i < x->rank; i++)
		elements *= axes >> i & 1 ? x->dims[i] : 1;
	bits = log2(most * x->quant.scale);
	return (is_product ? elements * bits : log2(elements) + bits) >= FLT_MAX_EXP - 1;
}

/* Whether nothing is left of the dimensions of x where these are reduced. */
static void note_bare(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
		      bool keep_dims)
{
	import->makes_bare = !keep_dims && axes == (1u << x->tensor.rank) - 1;
}

static void shape_reduced(struct onnx_import *import, struct onnx_pending *pending,
			  const struct onnx_value *x)
{
	note_bare(import, x, pending->axis, pending->keep_dims);
	nn_reduced_shape(&x->tensor, pending->axis, pending->keep_dims, &pending->rank,
			 pending->dims);
}

/* Describes what is reduced of x, and how. */
static void describe_reduced(struct onnx_import *import, struct onnx_pending *pending,
			     const struct onnx_value *x, uint32_t axes, bool keep_dims)
{
	pending->op = import->op;
	pending->operands[0] = x;
	pending->axis = axes;
	pending->keep_dims = keep_dims;
	shape_reduced(import, pending, x);
}

/* Sums, products and means. */
int onnx_lower_reduce(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_pending *pending;
	bool is_product = !strcmp(import->op->becomes, "prod");
	const float *reals;
	uint32_t axes;
	int err;

	if (onnx_is_counted(x) && !strcmp(import->op->becomes, "sum")) {
		err = onnx_read_axes(import, &x->tensor, &axes);
		return err ? err : onnx_reduce_counted(import, x, axes);
	}
	x = onnx_results_input(import, 0, &reals);
	pending = x ? onnx_new_pending(import, emit_reduce, 1) : NULL;
	if (!pending)
		return onnx_failed(import);
	err = onnx_read_axes(import, &x->tensor, &pending->axis);
	if (err)
		return err;
	if (!pending->axis)
		return onnx_define(import, 0, onnx_input(import, 0));
	if ((reals || onnx_is_float(x)) && is_product)
		return onnx_fail_float(import, "it multiplies what is computed in float");
	if (!reals && !onnx_is_float(x) && may_overflow(&x->tensor, pending->axis, is_product))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its result can be more than float32 has, before it is rounded\n"
				 "reduce fewer elements at a time, and quantize in between");
	describe_reduced(import, pending, x, pending->axis,
			 onnx_attr_int(import->node, "keepdims", 1));
	if (!is_product)
		onnx_set_real(pending, reals, import->op->becomes, pending->axis);
	if (!reals && !onnx_is_float(x) && !strcmp(import->op->becomes, "mean") &&
	    onnx_begin_moment(import, pending))
		return -ENOMEM;
	return onnx_define_pending(import, pending);
}

int onnx_define_mean(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
		     bool keep_dims)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_reduce, 1);

	if (!pending)
		return -ENOMEM;
	if (may_overflow(&x->tensor, axes, false))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its result can be more than float32 has, before it is rounded");
	describe_reduced(import, pending, x, axes, keep_dims);
	return onnx_define_pending(import, pending);
}

/* Logarithms of sums, and of sums of powers of e. */
int onnx_lower_reduce_log(struct onnx_import *import)
{
	const float *reals;
	const struct onnx_value *x = onnx_results_input(import, 0, &reals);
	struct onnx_pending *pending = x ? onnx_new_pending(import, onnx_emit_real, 1) : NULL;
	int err;

	if (!pending)
		return onnx_failed(import);
	err = onnx_read_axes(import, &x->tensor, &pending->axis);
	if (err)
		return err;
	if (!pending->axis)
		return onnx_fail_float(import, "it reduces no dimension");
	describe_reduced(import, pending, x, pending->axis,
			 onnx_attr_int(import->node, "keepdims", 1));
	pending->may_be_nan = !strcmp(import->op->becomes, "log_sum");
	onnx_set_real(pending, reals, import->op->becomes, pending->axis);
	if (!pending->real)
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s, or has several scales",
				 nn_data_type_name(x->tensor.quant.type));
	return onnx_define_pending(import, pending);
}

/* Magnitudes of 16 bits: what uint16 has is from the least int16 on. */
static int build_wide_magnitudes(struct onnx_import *import, const struct nn_build_tensor *x,
				 struct nn_build_tensor *out)
{
	const struct nn_quant steps = {
		.type = NN_INT16, .scale = x->quant.scale, .zero_point = INT16_MIN
	};
	int16_t *table = onnx_alloc(import, 65536, sizeof(*table));

	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < 65536; i++)
		table[i] = INT16_MIN + abs((int16_t)i - x->quant.zero_point);
	return nn_build_wide_table(&import->builder, x, table, &steps, out);
}

/* The sum of magnitudes, which are as many steps of the input's scale: uint8 has all of them. */
static int emit_magnitudes(struct onnx_import *import, const struct onnx_pending *pending,
			   const struct nn_quant *quant, const char *activation,
			   struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	const struct nn_quant steps = { .type = NN_UINT8, .scale = x->quant.scale };
	struct nn_build_tensor magnitudes;
	uint8_t table[256];
	int err;

	(void)activation;
	if (x->quant.type == NN_INT16) {
		err = build_wide_magnitudes(import, x, &magnitudes);
		return err ? err : nn_build_reduce(&import->builder, "Reduce", &magnitudes,
						   pending->axis, pending->keep_dims,
						   pending->op->becomes, quant, out);
	}
	for (int i = 0; i < 256; i++) {
		int32_t stored = x->quant.type == NN_INT8 ? (int8_t)i : i;

		table[i] = abs(stored - x->quant.zero_point);
	}
	err = nn_build_table(&import->builder, x, table, &steps, &magnitudes);
	if (err)
		return err;
	return nn_build_reduce(&import->builder, "Reduce", &magnitudes, pending->axis,
			       pending->keep_dims, pending->op->becomes, quant, out);
}

/*
 * Sums of magnitudes or squares, or roots of the latter: nothing that they are made of is below 0.
 */
int onnx_define_magnitudes(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
			   bool keep_dims)
{
	bool is_of_squares = strcmp(import->op->becomes, "sum");
	struct onnx_pending *pending =
		onnx_new_pending(import, is_of_squares ? emit_reduce : emit_magnitudes, 1);

	if (!pending)
		return -ENOMEM;
	if (is_of_squares && onnx_check_squares(import, &x->tensor, axes))
		return onnx_failed(import);
	pending->op = import->op;
	pending->operands[0] = x;
	pending->axis = axes;
	pending->keep_dims = keep_dims;
	if (!strcmp(import->op->becomes, "length"))
		onnx_set_real(pending, NULL, "length", axes);
	if (strcmp(import->op->becomes, "squares") &&
	    onnx_begin_length(import, pending, is_of_squares))
		return -ENOMEM;
	shape_reduced(import, pending, x);
	return onnx_define_pending(import, pending);
}

/* Input 0, of 8 bits; NULL: the error is set. */
static const struct onnx_value *magnitudes_input(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_real_input(import, 0);

	if (!x || onnx_is_computed(x->tensor.quant.type))
		return x;
	onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
		  nn_data_type_name(x->tensor.quant.type));
	return NULL;
}

int onnx_lower_reduce_magnitudes(struct onnx_import *import)
{
	const struct onnx_value *x = magnitudes_input(import);
	uint32_t axes;
	int err;

	if (!x)
		return onnx_failed(import);
	err = onnx_read_axes(import, &x->tensor, &axes);
	if (err)
		return err;
	if (!axes)
		return onnx_fail_float(import, "it reduces no dimension");
	return onnx_define_magnitudes(import, x, axes, onnx_attr_int(import->node, "keepdims", 1));
}

/* Lowers a norm of all that an image or line has for a channel. */
int onnx_lower_global_lp_pool(struct onnx_import *import)
{
	const struct onnx_value *x = magnitudes_input(import);

	if (!x)
		return onnx_failed(import);
	if (x->tensor.rank < 3)
		return onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions",
				 x->tensor.rank);
	return onnx_define_magnitudes(import, x, (1u << x->tensor.rank) - 4, true);
}

/* The greatest or least element, which is one of those that there are. */
int onnx_define_extreme(struct onnx_import *import, const struct onnx_value *x, uint32_t axes,
			bool keep_dims)
{
	struct onnx_value value = *x;
	int err;

	if (!axes)
		return onnx_define(import, 0, x);
	note_bare(import, x, axes, keep_dims);
	if (!onnx_is_computed(x->tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	err = nn_build_reduce(&import->builder, "Reduce", &x->tensor, axes, keep_dims,
			      import->op->becomes, &x->tensor.quant, &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

int onnx_lower_reduce_extreme(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_ordered_input(import, 0);
	uint32_t axes;
	int err;

	if (!x)
		return onnx_failed(import);
	if (x->kind == ONNX_STORED && onnx_get_opset(import, import->op) < 12)
		return onnx_fail(import, -EINVAL, "it takes integers from opset 12 on");
	if (x->kind == ONNX_STORED && x->tensor.quant.type == NN_BOOL &&
	    onnx_get_opset(import, import->op) < 20)
		return onnx_fail(import, -EINVAL, "it takes bools from opset 20 on");
	err = onnx_read_axes(import, &x->tensor, &axes);
	if (!err && onnx_is_counted(x) && !nn_type_is_8bit(x->tensor.quant.type))
		return onnx_reduce_counted(import, x, axes);
	return err ? err : onnx_define_extreme(import, x, axes,
					 onnx_attr_int(import->node, "keepdims", 1));
}

int onnx_lower_global_max_pool(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_ordered_input(import, 0);

	if (!x)
		return onnx_failed(import);
	if (x->kind == ONNX_STORED)
		return onnx_fail(import, -EINVAL, "its input is a tensor of integers");
	if (x->tensor.rank < 3)
		return onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions",
				 x->tensor.rank);
	return onnx_define_extreme(import, x, (1u << x->tensor.rank) - 4, true);
}

/* ---- ArgMax, ArgMin ---- */

/* Lowers ArgMax and ArgMin of rounded elements: in float some differ that are equal then. */
/* ArgMax or ArgMin of a tensor. */
static int build_arg(struct onnx_import *import, const struct onnx_value *x)
{
	const struct nn_quant wide = { .type = NN_INT64 };
	struct onnx_value value = { .kind = ONNX_STORED };
	int64_t axis = onnx_attr_int(import->node, "axis", 0);
	struct nn_arg arg = {
		.function = import->op->becomes,
		.keep_dims = onnx_attr_int(import->node, "keepdims", 1),
		.last = onnx_attr_int(import->node, "select_last_index", 0),
	};
	uint32_t axes;
	int err = nn_read_axes(&import->builder, &x->tensor, &axis, 1, &axes);

	if (err)
		return err;
	arg.axis = axis + (axis < 0 ? x->tensor.rank : 0);
	note_bare(import, x, axes, arg.keep_dims);
	err = nn_build_arg(&import->builder, &x->tensor, &arg, &value.tensor);
	if (!err)
		err = nn_build_unary(&import->builder, "Cast", &value.tensor, NULL, 0, &wide,
				     &value.tensor);
	return err ? err : onnx_define(import, 0, &value);
}

int onnx_lower_arg(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);

	if (x->kind != ONNX_STORED)
		x = onnx_real_input(import, 0);
	if (!x)
		return onnx_failed(import);
	if (onnx_is_counted(x) && !nn_type_is_8bit(x->tensor.quant.type) &&
	    x->tensor.quant.type != NN_BOOL)
		return onnx_arg_counted(import, x);
	if (!onnx_is_computed(x->tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	return build_arg(import, x);
}

int onnx_lower_float_arg(struct onnx_import *import)
{
	struct onnx_value value;
	struct nn_build_tensor x;
	int err = onnx_float_tensor(import, 0, &x);

	value = onnx_float_value(&x);
	return err ? err : build_arg(import, &value);
}

/* ---- CumSum ---- */

/* Its attributes, and its constant axis. */
static int read_cumulation(struct onnx_import *import, const struct nn_build_tensor *x,
			   struct nn_cumulation *cumulation)
{
	const struct onnx_value *value = onnx_input(import, 1);
	int64_t axis;
	uint32_t axes;
	int err;

	if (value->kind != ONNX_CONST || value->constant.rank > 1 ||
	    (!nn_const_is_one(&value->constant, NN_ELEMENT_INT32) &&
	     !nn_const_is_one(&value->constant, NN_ELEMENT_INT64)))
		return onnx_fail(import, -EOPNOTSUPP,
				 "its axis is no constant of one int32 or int64");
	axis = nn_const_int(&value->constant, 0);
	err = nn_read_axes(&import->builder, x, &axis, 1, &axes);
	cumulation->axis = axis + (axis < 0 ? x->rank : 0);
	cumulation->exclusive = onnx_attr_int(import->node, "exclusive", 0);
	cumulation->backwards = onnx_attr_int(import->node, "reverse", 0);
	return err;
}

static int emit_cumulation(struct onnx_import *import, const struct onnx_pending *pending,
			   const struct nn_quant *quant, const char *activation,
			   struct nn_build_tensor *out)
{
	const struct nn_build_tensor *x = &pending->operands[0]->tensor;
	struct nn_cumulation cumulation;
	int err = onnx_check_sums(import, onnx_find_span(&x->quant), quant);

	(void)activation;
	if (!err && (x->quant.type == NN_INT16) != (quant->type == NN_INT16))
		err = onnx_fail(import, -EOPNOTSUPP, "it makes %s of %s" ONNX_ONE_WIDTH,
				nn_data_type_name(nn_quant_model_type(quant)),
				nn_data_type_name(nn_quant_model_type(&x->quant)));
	if (!err)
		err = read_cumulation(import, x, &cumulation);
	return err ? err : nn_build_cumulate(&import->builder, x, &cumulation, quant, out);
}

/* Lowers CumSum of rounded elements, or of integers. */
int onnx_lower_cum_sum(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_input(import, 0);
	struct onnx_value value = { .kind = ONNX_STORED };
	struct nn_cumulation cumulation;
	struct onnx_pending *pending;
	int err;

	if (x->kind != ONNX_STORED)
		x = onnx_real_input(import, 0);
	if (!x)
		return onnx_failed(import);
	err = read_cumulation(import, &x->tensor, &cumulation);
	if (err)
		return err;
	if (x->kind == ONNX_STORED && (nn_data_type_size(x->tensor.quant.type) < 4 ||
				       x->tensor.quant.type == NN_FLOAT32))
		return onnx_fail(import, -EINVAL, "its input is of %s",
				 nn_data_type_name(x->tensor.quant.type));
	if (x->kind == ONNX_STORED) {
		err = nn_build_cumulate(&import->builder, &x->tensor, &cumulation,
					&x->tensor.quant, &value.tensor);
		return err ? err : onnx_define(import, 0, &value);
	}
	if (!onnx_is_computed(x->tensor.quant.type))
		return onnx_fail(import, -EOPNOTSUPP, "its input is quantized to %s" ONNX_8_BITS,
				 nn_data_type_name(x->tensor.quant.type));
	pending = onnx_new_pending(import, emit_cumulation, 1);
	if (!pending)
		return -ENOMEM;
	pending->operands[0] = x;
	pending->rank = x->tensor.rank;
	memcpy(pending->dims, x->tensor.dims, sizeof(pending->dims));
	return onnx_define_pending(import, pending);
}

/* ---- Softmax, LogSoftmax ---- */

static int emit_softmax(struct onnx_import *import, const struct onnx_pending *pending,
			const struct nn_quant *quant, const char *activation,
			struct nn_build_tensor *out)
{
	(void)activation;
	return nn_build_softmax(&import->builder, &pending->operands[0]->tensor, pending->axis,
				pending->and_behind, pending->op->becomes != NULL, quant, out);
}

/* A softmax of x; is_old: as before opset 13; axis: the attribute, where the model does not say. */
static struct onnx_pending *new_softmax(struct onnx_import *import, const struct onnx_value *x,
					const float *reals, bool is_old, int64_t axis)
{
	struct onnx_pending *pending = onnx_new_pending(import, emit_softmax, 1);
	uint32_t axes;

	axis = onnx_attr_int(import->node, "axis", axis);
	if (!pending || nn_read_axes(&import->builder, &x->tensor, &axis, 1, &axes))
		return NULL;
	pending->op = import->op;
	pending->axis = axis + (axis < 0 ? x->tensor.rank : 0);
	pending->and_behind = is_old;
	pending->operands[0] = x;
	if (is_old)
		axes = (1u << x->tensor.rank) - (1u << pending->axis);
	onnx_set_real(pending, reals, import->op->becomes ? "log_softmax" : "softmax", axes);
	pending->rank = x->tensor.rank;
	memcpy(pending->dims, x->tensor.dims, sizeof(pending->dims));
	return pending;
}

int onnx_lower_softmax(struct onnx_import *import)
{
	const float *reals;
	const struct onnx_value *x = onnx_results_input(import, 0, &reals);
	bool is_old = onnx_get_opset(import, import->op) < 13;
	int64_t axis = is_old ? 1 : -1;

	return onnx_define_pending(import,
				   x ? new_softmax(import, x, reals, is_old, axis) : NULL);
}

/* ONNX Runtime multiplies by the whole part of 1 / scale; a QuantizeLinear divides by the scale. */
static int check_qlinear_softmax(struct onnx_import *import, enum nn_data_type type)
{
	struct nn_quant quant;
	float steps;
	int err = onnx_quant_read(import, onnx_input(import, 3), onnx_input(import, 4), type, 0, 0,
				  NULL, &quant);

	if (err)
		return err;
	steps = 1 / quant.scale;
	if (steps != floorf(steps))
		return onnx_fail(import, -EOPNOTSUPP,
				 "1 / %.9g, its output's scale, is no whole number" USE_QDQ,
				 (double)quant.scale);
	return 0;
}

int onnx_lower_qlinear_softmax(struct onnx_import *import)
{
	const struct onnx_value *x = onnx_linear_input(import, 0, 0);
	bool is_old = onnx_attr_int(import->node, "opset", 0) < 13;
	struct onnx_pending *pending;

	if (!x)
		return onnx_failed(import);
	if (x->kind != ONNX_REAL)
		return onnx_fail(import, -EOPNOTSUPP, "its input is a constant");
	pending = new_softmax(import, x, NULL, is_old, -1);
	if (!pending || check_qlinear_softmax(import, x->tensor.quant.type))
		return onnx_failed(import);
	return onnx_define_linear(import, pending, 3, x->tensor.quant.type);
}
