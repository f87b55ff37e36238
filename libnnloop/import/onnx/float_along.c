// SPDX-License-Identifier: MIT
/* ONNX operators of float32 that go along dimensions: reductions, Softmax, normalizations, sums. */
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "import/floats.h"
#include "import/onnx/onnx.h"

/* The graph's name for a reduction, by that of the model's operator. */
static const char *find_reduction(const char *name)
{
	static const char *const names[][2] = {
		{ "ReduceL1", "sum_magnitudes" },    { "ReduceL2", "length" },
		{ "ReduceLogSum", "log_sum" },	     { "ReduceLogSumExp", "log_sum_exp" },
		{ "ReduceMax", "max" },		     { "ReduceMean", "mean" },
		{ "ReduceMin", "min" },		     { "ReduceProd", "prod" },
		{ "ReduceSum", "sum" },		     { "ReduceSumSquare", "sum_squares" },
		{ "GlobalAveragePool", "mean" },     { "GlobalMaxPool", "max" },
		{ "GlobalLpPool", "length" },
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!strcmp(names[i][0], name))
			return names[i][1];
	}
	return NULL;
}

static int reduce(struct onnx_import *import, const struct nn_build_tensor *x, uint32_t axes,
		  bool keep_dims)
{
	const struct nn_float_along reduction = {
		.function = find_reduction(import->node->op_type), .axes = axes, .makes_one = true
	};
	uint32_t rank, dims[NN_MAX_RANK];
	struct nn_build_tensor made;
	int err = nn_build_float_reduce(&import->builder, x, &reduction, &made);

	nn_reduced_shape(x, axes, keep_dims, &rank, dims);
	if (!err && !keep_dims && !rank)
		err = onnx_fail(import, -EOPNOTSUPP,
				"it makes a tensor without dimensions\nkeep its dimensions");
	if (!err && !keep_dims)
		err = nn_build_reshape(&import->builder, &made, rank, dims, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

/* A reduction along no dimension: of each element what is made of it before it is summed, and of a
 * sum of one behind that. */
static int reduce_nothing(struct onnx_import *import, const struct nn_build_tensor *x)
{
	const struct nn_operand square[2] = { { .tensor = x }, { .tensor = x } };
	const char *name = import->node->op_type;
	struct nn_build_tensor made = *x;
	int err = 0;

	if (!strcmp(name, "ReduceL1") || !strcmp(name, "ReduceL2"))
		err = nn_build_float_each(&import->builder, "Abs", NULL, NULL, x, &made);
	else if (!strcmp(name, "ReduceLogSum"))
		err = nn_build_float_each(&import->builder, "Log", NULL, NULL, x, &made);
	else if (!strcmp(name, "ReduceSumSquare"))
		err = nn_build_float_binary(&import->builder, "Mul", square, &nn_quant_float, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

int onnx_lower_float_reduce(struct onnx_import *import)
{
	struct nn_build_tensor x;
	uint32_t axes;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err)
		err = onnx_read_axes(import, &x, &axes);
	if (err)
		return err;
	if (!axes)
		return reduce_nothing(import, &x);
	return reduce(import, &x, axes, onnx_attr_int(import->node, "keepdims", 1));
}

int onnx_lower_float_global_pool(struct onnx_import *import)
{
	struct nn_build_tensor x;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err && x.rank < 3)
		err = onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions", x.rank);
	return err ? err : reduce(import, &x, (1u << x.rank) - 4, true);
}

/* An axis of the current node, from the last one if negative. */
static int read_axis(struct onnx_import *import, const struct nn_build_tensor *x, int64_t axis,
		     uint32_t *out)
{
	uint32_t axes;
	int err = nn_read_axes(&import->builder, x, &axis, 1, &axes);

	*out = err ? 0 : __builtin_ctz(axes);
	return err;
}

/* Softmax, its logarithm and Hardmax: before opset 13 over all dimensions from the axis on. */
int onnx_lower_float_softmax(struct onnx_import *import)
{
	const char *name = import->node->op_type;
	bool and_behind = onnx_get_opset(import, import->op) < 13;
	int64_t axis = onnx_attr_int(import->node, "axis", and_behind ? 1 : -1);
	struct nn_float_along reduction = {
		.function = !strcmp(name, "Softmax") ? "softmax" :
			    !strcmp(name, "Hardmax") ? "hardmax" : "log_softmax",
	};
	struct nn_build_tensor x, made;
	uint32_t first;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err && and_behind && axis == x.rank)
		err = onnx_fail(import, -EOPNOTSUPP, "it goes along no dimension");
	if (!err)
		err = read_axis(import, &x, axis, &first);
	if (err)
		return err;
	reduction.axes = and_behind ? ((1u << x.rank) - 1) & -(1u << first) : 1u << first;
	err = nn_build_float_reduce(&import->builder, &x, &reduction, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

int onnx_lower_float_cum_sum(struct onnx_import *import)
{
	static const char *const functions[] = { "cumulate", "cumulate_backwards",
						 "cumulate_before", "cumulate_behind" };
	bool exclusive = onnx_attr_int(import->node, "exclusive", 0);
	bool reverse = onnx_attr_int(import->node, "reverse", 0);
	struct nn_float_along reduction = { .function = functions[2 * exclusive + reverse] };
	const struct onnx_value *axis = onnx_input(import, 1);
	struct nn_build_tensor x, made;
	uint32_t along;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err && (axis->kind != ONNX_CONST || axis->constant.count != 1 ||
		     axis->constant.element == NN_ELEMENT_FLOAT))
		err = onnx_fail(import, -EOPNOTSUPP, "its axis is no constant of one integer");
	if (!err)
		err = read_axis(import, &x, nn_const_int(&axis->constant, 0), &along);
	if (err)
		return err;
	reduction.axes = 1u << along;
	err = nn_build_float_reduce(&import->builder, &x, &reduction, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

/* x by another operand of the current node, a constant or not: input i, with `dims` if it is one. */
static int apply(struct onnx_import *import, const char *function, uint32_t i,
		 struct nn_build_tensor *x)
{
	struct nn_operand operands[2] = { { .tensor = x } };
	struct nn_build_tensor tensor, from = *x;
	struct nn_const constant;
	int err = onnx_float_operand(import, i, &tensor, &constant, &operands[1]);

	operands[0].tensor = &from;
	return err ? err : nn_build_float_binary(&import->builder, function, operands,
						 &nn_quant_float, x);
}

/* LayerNormalization, RMSNormalization: over all dimensions from the axis on. */
int onnx_lower_float_normalization(struct onnx_import *import)
{
	bool is_rms = !strcmp(import->node->op_type, "RMSNormalization");
	struct nn_float_along reduction = {
		.function = is_rms ? "rms" : "deviation",
		.epsilon = onnx_attr_float(import->node, "epsilon", 1e-5f),
	};
	struct nn_build_tensor x, made;
	uint32_t first;
	int err = onnx_float_tensor(import, 0, &x);

	for (uint32_t i = 1; i < import->node->n_output && !err; i++) {
		if (*import->node->output[i])
			err = onnx_fail(import, -EOPNOTSUPP,
					"its output %" PRIu32 " is not supported", i);
	}
	if (!err)
		err = read_axis(import, &x, onnx_attr_int(import->node, "axis", -1), &first);
	if (err)
		return err;
	reduction.axes = ((1u << x.rank) - 1) & -(1u << first);
	err = nn_build_float_reduce(&import->builder, &x, &reduction, &made);
	if (!err)
		err = apply(import, "Mul", 1, &made);
	if (!err && import->node->n_input > 2 && onnx_input(import, 2)->kind != ONNX_ABSENT)
		err = apply(import, "Add", 2, &made);
	if (!err && (made.rank != x.rank || memcmp(made.dims, x.dims, x.rank * sizeof(*x.dims))))
		err = onnx_fail(import, -EINVAL,
				"its scale or bias has more elements than what it normalizes");
	return err ? err : onnx_define_float(import, 0, &made);
}

/* A constant with a number for each channel, to be broadcast. */
static int apply_channels(struct onnx_import *import, const char *function, uint32_t i,
			  struct nn_build_tensor *x)
{
	struct nn_operand operands[2] = {
		{ .tensor = x },
		{ .constant = { .name = onnx_input(import, i)->tensor.name,
				.quant = &nn_quant_float } },
	};
	struct nn_build_tensor from = *x;
	struct nn_const constant;
	uint32_t dims[NN_MAX_RANK];
	int err = onnx_float_constant(import, i, "parameter", &constant);

	if (!err && constant.count != x->dims[1])
		err = onnx_fail(import, -EINVAL, "its input %" PRIu32 " has %" PRIu64
				" elements for %" PRIu32 " channels", i, constant.count, x->dims[1]);
	if (err)
		return err;
	for (uint32_t k = 0; k < x->rank; k++)
		dims[k] = k == 1 ? x->dims[1] : 1;
	nn_const_reshape(&constant, x->rank, dims);
	operands[0].tensor = &from;
	operands[1].constant.values = &constant;
	return nn_build_float_binary(&import->builder, function, operands, &nn_quant_float, x);
}

/* Over all that a channel has, or a group of them. */
int onnx_lower_float_instance_normalization(struct onnx_import *import)
{
	struct nn_float_along reduction = {
		.function = "deviation",
		.epsilon = onnx_attr_float(import->node, "epsilon", 1e-5f),
	};
	int64_t groups = onnx_attr_int(import->node, "num_groups", 0);
	struct nn_build_tensor x, lines, made;
	uint32_t dims[3];
	int err = onnx_float_tensor(import, 0, &x);

	if (!err && x.rank < 3)
		err = onnx_fail(import, -EINVAL, "its input has %" PRIu32 " dimensions", x.rank);
	if (!err && groups && x.dims[1] % groups)
		err = onnx_fail(import, -EINVAL, "%" PRIu32 " channels do not make %" PRId64
				" groups", x.dims[1], groups);
	lines = x;
	if (!err && groups) {
		dims[0] = x.dims[0];
		dims[1] = groups;
		dims[2] = x.dims[1] / groups;
		for (uint32_t i = 2; i < x.rank; i++)
			dims[2] *= x.dims[i];
		err = nn_build_reshape(&import->builder, &x, 3, dims, &lines);
	}
	if (err)
		return err;
	reduction.axes = (1u << lines.rank) - 4;
	err = nn_build_float_reduce(&import->builder, &lines, &reduction, &made);
	if (!err && groups)
		err = nn_build_reshape(&import->builder, &made, x.rank, x.dims, &made);
	if (!err)
		err = apply_channels(import, "Mul", 1, &made);
	if (!err)
		err = apply_channels(import, "Add", 2, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

/* MeanVarianceNormalization, which adds 1e-9 to the deviation. */
int onnx_lower_float_mean_variance(struct onnx_import *import)
{
	struct nn_float_along reduction = { .function = "deviation", .epsilon = 1e-18f };
	static const int64_t all_but_channels[] = { 0, 2, 3 };
	const Onnx__AttributeProto *axes = onnx_attr(import->node, "axes");
	struct nn_build_tensor x, made;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err)
		err = nn_read_axes(&import->builder, &x, axes ? axes->ints : all_but_channels,
				   axes ? axes->n_ints : 3, &reduction.axes);
	if (!err && !reduction.axes)
		err = onnx_fail(import, -EOPNOTSUPP, "it goes along no dimension");
	if (!err)
		err = nn_build_float_reduce(&import->builder, &x, &reduction, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}

int onnx_lower_float_lp_normalization(struct onnx_import *import)
{
	struct nn_float_along reduction = {
		.function = onnx_attr_int(import->node, "p", 2) == 1 ? "l1" : "l2",
		/* A vector of zeros stays that. */
		.epsilon = FLT_MIN,
	};
	struct nn_build_tensor x, made;
	uint32_t along;
	int err = onnx_float_tensor(import, 0, &x);

	if (!err)
		err = read_axis(import, &x, onnx_attr_int(import->node, "axis", -1), &along);
	if (err)
		return err;
	reduction.axes = 1u << along;
	err = nn_build_float_reduce(&import->builder, &x, &reduction, &made);
	return err ? err : onnx_define_float(import, 0, &made);
}
