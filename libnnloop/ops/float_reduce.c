// SPDX-License-Identifier: MIT
/*
 * FloatReduce: functions of the vectors that some dimensions of a tensor of float32, one behind the
 * other, make up.
 *
 * docs/operators.md:
 * | `FloatReduce` | x float32 | `function` (required: `sum`, `mean`, `prod`, `max`, `min`, `sum_magnitudes`,
 * `sum_squares`, `length`, `log_sum`, `log_sum_exp`; `softmax`, `log_softmax`, `deviation`, `rms`,
 * `hardmax`, `l1`, `l2`; `cumulate`, `cumulate_backwards`, `cumulate_before`, `cumulate_behind`),
 * `axis` (the last; not 0; may be negative), `count` (1: how many dimensions), `epsilon` (0) | float32;
 * of `sum` to `log_sum_exp` these dimensions are 1 |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static const char *const functions[NN_FLOAT_REDUCTIONS] = {
	[NN_FLOAT_SUM] = "sum",
	[NN_FLOAT_MEAN] = "mean",
	[NN_FLOAT_PRODUCT] = "prod",
	[NN_FLOAT_REDUCE_MAX] = "max",
	[NN_FLOAT_REDUCE_MIN] = "min",
	[NN_FLOAT_SUM_MAGNITUDES] = "sum_magnitudes",
	[NN_FLOAT_SUM_SQUARES] = "sum_squares",
	[NN_FLOAT_LENGTH] = "length",
	[NN_FLOAT_LOG_SUM] = "log_sum",
	[NN_FLOAT_LOG_SUM_EXPONENTIAL] = "log_sum_exp",
	[NN_FLOAT_SOFTMAX] = "softmax",
	[NN_FLOAT_LOG_SOFTMAX] = "log_softmax",
	[NN_FLOAT_DEVIATION] = "deviation",
	[NN_FLOAT_RMS] = "rms",
	[NN_FLOAT_HARD_MAX] = "hardmax",
	[NN_FLOAT_DIVIDE_BY_SUM] = "l1",
	[NN_FLOAT_DIVIDE_BY_LENGTH] = "l2",
	[NN_FLOAT_CUMULATE] = "cumulate",
	[NN_FLOAT_CUMULATE_BACKWARDS] = "cumulate_backwards",
	[NN_FLOAT_CUMULATE_BEFORE] = "cumulate_before",
	[NN_FLOAT_CUMULATE_BEHIND] = "cumulate_behind",
};

static int find_function(const struct nn_node *node)
{
	const char *name = nn_node_get_string(node, "function", "");

	for (int i = 0; i < NN_FLOAT_REDUCTIONS; i++) {
		if (functions[i] && !strcmp(functions[i], name))
			return i;
	}
	return nn_node_fail((struct nn_node *)node, -EINVAL, "has no function \"%s\"", name);
}

static int check_vectors(struct nn_node *node, struct nn_float_reduce_params *params,
			 uint32_t dims[NN_MAX_RANK])
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int64_t count = nn_node_get_attr_int(node, "count", 1);
	int axis = nn_node_get_axis(node, from, "go along");

	if (axis < 0)
		return axis;
	if (count < 1 || count > (int64_t)from->rank - axis)
		return nn_node_fail(node, -EINVAL, "count must be dimensions from the axis on");
	memcpy(dims, from->dims, sizeof(from->dims));
	params->length = params->inner = 1;
	for (uint32_t i = axis; i < from->rank; i++) {
		if (i >= axis + count) {
			params->inner *= from->dims[i];
			continue;
		}
		params->length *= from->dims[i];
		if (params->function < NN_FLOAT_SOFTMAX)
			dims[i] = 1;
	}
	return 0;
}

static int check_float_reduce(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct nn_float_reduce_params *params = nn_node_make_state(node, sizeof(*params));
	int function = find_function(node), error;
	uint32_t dims[NN_MAX_RANK];

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	if (function < 0)
		return function;
	error = nn_node_need_float(node);
	if (error)
		return error;
	params->function = function;
	params->epsilon = nn_node_get_float(node, "epsilon", 0);
	if (!(params->epsilon >= 0) || !isfinite(params->epsilon))
		return nn_node_fail(node, -EINVAL, "epsilon must be 0 or above");
	error = check_vectors(node, params, dims);
	if (error)
		return error;
	if (params->function >= NN_FLOAT_SOFTMAX)
		node->may_overwrite = 1;
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, from, from->rank, dims);
}

static int lower_float_reduce(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_FLOAT_REDUCE, node->inputs[0],
				   &node->outputs[0], &op);

	if (!error)
		op->float_reduce = *(const struct nn_float_reduce_params *)node->state;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "axis", .type = NN_ATTR_INT },
	{ .name = "count", .type = NN_ATTR_INT },
	{ .name = "epsilon", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_float_reduce = {
	.name = "FloatReduce",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_float_reduce,
	.lower = lower_float_reduce,
};
