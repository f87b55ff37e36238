// SPDX-License-Identifier: MIT
/*
 * Reduce: one element of all along some dimensions.
 *
 * docs/operators.md:
 * | `Reduce` | x, 8-bit or int16 | `axes` (required): the dimensions, not 0; may be negative;
 * `function` (required: `sum`, `prod`, `mean`, `squares`: their sum, `length`: the root of that,
 * `max`, `min`, `mean_away`, `mean_whole`; of 8 bits `sum_away`, `sum_linear`, `mean_once`,
 * `mean_linear`, `variance`; of int16 `mean_fixed`, `mean_scaled`; with these two, and `mean_away`
 * and `mean_whole` of int16, zero points are 0, elements 65535 at most, and dimensions one behind
 * the other), `keep_dims` (0: they go; 1: they become 1) | 8-bit or int16; of int16 int16 but for
 * the first five; scale and zero point as x unless given; `max`, `min`, `mean_whole`: as x |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"
#include "ops/support/reduce.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#define MOST_ELEMENTS (1u << 23)

static const char *const functions[NN_REDUCE_FORMS + 2] = {
	[NN_REDUCE_MAX] = "max",
	[NN_REDUCE_MIN] = "min",
	[NN_REDUCE_SUM] = "sum",
	[NN_REDUCE_PROD] = "prod",
	[NN_REDUCE_MEAN] = "mean",
	[NN_REDUCE_MEAN_ONCE] = "mean_once",
	[NN_REDUCE_MEAN_AWAY] = "mean_away",
	[NN_REDUCE_MEAN_WHOLE] = "mean_whole",
	[NN_REDUCE_VARIANCE] = "variance",
	[NN_REDUCE_SUM_AWAY] = "sum_away",
	[NN_REDUCE_SQUARES] = "squares",
	[NN_REDUCE_LENGTH] = "length",
	[NN_REDUCE_MEAN_LINEAR] = "mean_linear",
	[NN_REDUCE_SUM_LINEAR] = "sum_linear",
	[NN_REDUCE_MEAN_FIXED] = "mean_fixed",
	[NN_REDUCE_MEAN_SCALED] = "mean_scaled",
};

static bool keeps_quantization(uint32_t form)
{
	return form == NN_REDUCE_MAX || form == NN_REDUCE_MIN || form == NN_REDUCE_MEAN_WHOLE;
}

/* The function, and a bit for each dimension that is reduced. */
static int read_attrs(struct nn_node *node, uint32_t rank, struct nn_reduce_params *reduce)
{
	const struct nn_attr *attr = nn_node_get_attr(node, "axes");
	const char *function = nn_node_get_string(node, "function", "");
	int64_t axes[NN_MAX_RANK] = { 0 };
	uint32_t count = 0;

	while (strcmp(function, functions[reduce->form])) {
		if (++reduce->form > NN_REDUCE_MEAN_SCALED)
			return nn_node_fail(node, -EINVAL, "has no function \"%s\"", function);
	}
	if (attr)
		count = attr->type == NN_ATTR_INTS ? attr->count : 1;
	if (!count)
		return nn_node_fail(node, -EINVAL, "needs axes");
	nn_node_get_ints(node, "axes", count, axes);
	for (uint32_t i = 0; i < count; i++) {
		int64_t axis = axes[i] + (axes[i] < 0 ? rank : 0);

		if (!axis)
			return nn_node_fail(node, -EOPNOTSUPP,
					    "cannot reduce dimension 0, which counts rows");
		if (axis < 0 || axis >= rank || reduce->axes >> axis & 1)
			return nn_node_fail(node, -EINVAL,
					    "axes are not different ones of the dimensions");
		reduce->axes |= 1u << axis;
	}
	return 0;
}

/* Functions in float32, of any elements. */
static bool is_in_float(uint32_t form)
{
	return form == NN_REDUCE_SUM || form == NN_REDUCE_PROD || form == NN_REDUCE_MEAN ||
	       form == NN_REDUCE_SQUARES || form == NN_REDUCE_LENGTH;
}

/* Whether it is TensorFlow Lite's of int16, or an extreme where that takes its axes. */
static bool is_int16(const struct nn_node *node, const struct nn_reduce_params *reduce)
{
	uint32_t axes = reduce->axes;
	bool apart = (axes + (axes & -axes)) & axes;

	if (is_in_float(reduce->form) ||
	    (apart && (reduce->form == NN_REDUCE_MAX || reduce->form == NN_REDUCE_MIN)))
		return false;
	return node->inputs[0]->info.type == NN_INT16;
}

static int check_quantization(struct nn_node *node, uint32_t form)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	bool wide = from->type == NN_INT16 && (form == NN_REDUCE_MAX || form == NN_REDUCE_MIN);
	int error = is_in_float(form) ? nn_node_need_real(node, from, "input") :
		    wide	      ? nn_node_need_scale(node, from, "input") :
					nn_node_need_bytes(node, from, "input");

	if (error)
		return error;
	if (keeps_quantization(form) && !nn_info_same_quantization(to, from))
		return nn_node_fail(node, -EINVAL, "of function %s cannot change quantization",
				    functions[form]);
	if (keeps_quantization(form))
		return 0;
	error = nn_node_need_scale(node, from, "input");
	if (!error)
		error = is_in_float(form) ? nn_node_need_real(node, to, "output") :
					    nn_node_need_8bit(node, to, "output");
	if (!error && (!isnormal(from->scale) || !isnormal(to->scale)))
		error = nn_node_fail(node, -EOPNOTSUPP, "needs scales of at least 2^-126");
	return error;
}

static int check_reduce(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct nn_reduce_params *reduce = nn_node_make_state(node, sizeof(*reduce));
	bool keep = nn_node_get_attr_int(node, "keep_dims", 0);
	uint32_t dims[NN_MAX_RANK] = { 0 }, rank = 0;
	uint64_t elements = 1;
	int error;

	(void)graph;
	(void)opaque;
	if (!reduce)
		return -ENOMEM;
	error = read_attrs(node, from->rank, reduce);
	if (error)
		return error;
	for (uint32_t i = 0; i < from->rank; i++) {
		bool is_reduced = reduce->axes >> i & 1;

		if (!is_reduced || keep)
			dims[rank++] = is_reduced ? 1 : from->dims[i];
		if (is_reduced)
			elements *= from->dims[i];
		if (elements > MOST_ELEMENTS)
			return nn_node_fail(node, -EOPNOTSUPP,
					    "reduces more than %u elements to one", MOST_ELEMENTS);
	}
	nn_node_default_quantization(node, 0, from);
	if (is_int16(node, reduce)) {
		error = nn_check_reduce_int16(node, reduce->form, reduce->axes);
		return error ? error : nn_node_infer_shape(node, 0, from, rank, dims);
	}
	if (reduce->form >= NN_REDUCE_FORMS)
		return nn_node_fail(node, -EOPNOTSUPP, "has functions mean_fixed and mean_scaled of int16 only");
	error = check_quantization(node, reduce->form);
	if (error)
		return error;
	reduce->scale_input = from->scale;
	reduce->scale_output = node->outputs[0].info.scale;
	return nn_node_infer_shape(node, 0, from, rank, dims);
}

static int lower_reduce(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_reduce_params reduce = { 0 };
	struct nn_program_op *op;
	int error;

	/* The state is that of either operator. */
	error = read_attrs(node, node->inputs[0]->info.rank, &reduce);
	if (error)
		return error;
	if (is_int16(node, &reduce))
		return nn_lower_reduce_int16(lowering, node);
	error = nn_lower_unary(lowering, node, NN_OPCODE_REDUCE, node->inputs[0],
			       &node->outputs[0], &op);

	if (error)
		return error;
	op->reduce = *(const struct nn_reduce_params *)node->state;
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "axes", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "keep_dims", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_reduce = {
	.name = "Reduce",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_reduce,
	.lower = lower_reduce,
};
