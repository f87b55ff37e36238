// SPDX-License-Identifier: MIT
/*
 * Softmax: e to the power of each element, over the sum of these along the last dimension; or the
 * logarithm of that.
 *
 * docs/operators.md:
 * | `Softmax` | x, 8-bit or int16, of 2 dimensions or more | `beta` (1): what elements are
 * multiplied by first; `log` (0; 1: its logarithm; of int16 with `float32`); `rounding`
 * (`tensorflow`; `float32`) | 8-bit or int16, scale, zero point; of int16 with `tensorflow` int16,
 * scale 2^-15; its logarithm with `tensorflow` 8-bit |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"
#include "ops/support/softmax.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool is_float(const struct nn_node *node)
{
	return !strcmp(nn_node_get_string(node, "rounding", "tensorflow"), "float32");
}

static bool is_log(const struct nn_node *node)
{
	return nn_node_get_attr_int(node, "log", 0);
}

static bool is_wide(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT16 && !is_float(node);
}

static int need_types(struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	int error = is_float(node) ? nn_node_need_real(node, from, "input") :
				     nn_node_need_8bit(node, from, "input");

	if (error)
		return error;
	return is_float(node) || !is_log(node) ? nn_node_need_real(node, to, "output") :
						 nn_node_need_8bit(node, to, "output");
}

static int check_softmax(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	float beta = nn_node_get_float(node, "beta", 1);
	int error;

	(void)graph;
	(void)opaque;
	if (!is_wide(node)) {
		error = need_types(node);
		if (error)
			return error;
	}
	if (from->rank < 2)
		return nn_node_fail(node, -EINVAL, "needs 2 dimensions or more, the first are rows");
	if (!isfinite(beta) || beta < 0)
		return nn_node_fail(node, -EINVAL, "beta must be a finite number, not below 0");
	if (!is_float(node) &&
	    strcmp(nn_node_get_string(node, "rounding", "tensorflow"), "tensorflow"))
		return nn_node_fail(node, -EINVAL, "rounding is tensorflow or float32");
	if (is_wide(node) && is_log(node))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "of int16 it has logarithms with rounding float32 only");
	error = is_wide(node) ? nn_check_softmax_int16(node) : 0;
	if (error)
		return error;
	if (!isnormal(node->outputs[0].info.scale))
		return nn_node_fail(node, -EOPNOTSUPP, "needs an output scale of at least 2^-126");
	if (is_log(node) && !isnormal(from->scale * beta))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "needs an input scale, times beta, of at least 2^-126");
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int lower_softmax(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	float step = -from->scale * nn_node_get_float(node, "beta", 1);
	struct nn_program_op *op;
	int error, table, size = from->type == NN_INT16 ? 65536 : 256;
	void *data;

	if (is_wide(node))
		return nn_lower_softmax_int16(lowering, node);
	table = nn_lower_constant(lowering, NN_TYPE_FLOAT32, size, &data);
	if (table < 0)
		return table;
	/* In double: whatever the processor's expf() is like, the nearest float. */
	for (int i = 0; data && i < size; i++)
		((float *)data)[i] = (float)exp(step * (float)i);
	error = nn_lower_unary(lowering, node, NN_OPCODE_SOFTMAX, node->inputs[0],
			       &node->outputs[0], &op);
	if (error)
		return error;
	op->input[1] = table;
	op->softmax.scale_output = node->outputs[0].info.scale;
	op->softmax.form = is_float(node) ? NN_SOFTMAX_FLOAT : NN_SOFTMAX_TENSORFLOW;
	if (is_log(node)) {
		op->softmax.form =
			is_float(node) ? NN_SOFTMAX_LOG_FLOAT : NN_SOFTMAX_LOG_TENSORFLOW;
		op->softmax.scale_input = -step;
	}
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "beta", .type = NN_ATTR_FLOAT },
	{ .name = "log", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "rounding", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_softmax = {
	.name = "Softmax",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_softmax,
	.lower = lower_softmax,
};
