// SPDX-License-Identifier: MIT
/*
 * Arg: where along a dimension the greatest or least element is.
 *
 * docs/operators.md:
 * | `Arg` | x, 8-bit, int16 or float32 | `function` (required: `max`, `min`), `axis` (the last; not 0; may
 * be negative), `keep_dims` (0: it goes; 1: it becomes 1), `last` (0: of equal elements the first;
 * 1: the last) | int32 |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

static int check_arg(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const char *function = nn_node_get_string(node, "function", "");
	struct nn_arg_params *arg = nn_node_make_state(node, sizeof(*arg));
	bool keep = nn_node_get_attr_int(node, "keep_dims", 0);
	struct nn_tensor_info *to = &node->outputs[0].info;
	uint32_t dims[NN_MAX_RANK] = { 0 }, rank = 0;
	int error, axis;

	(void)graph;
	(void)opaque;
	if (!arg)
		return -ENOMEM;
	if (from->type != NN_INT16 && from->type != NN_FLOAT32) {
		error = nn_node_need_bytes(node, from, "input");
		if (error)
			return error;
	}
	if (strcmp(function, "max") && strcmp(function, "min"))
		return nn_node_fail(node, -EINVAL, "function is max or min, not \"%s\"", function);
	axis = nn_node_get_axis(node, from, "go along");
	if (axis < 0)
		return axis;
	if (from->dims[axis] > INT32_MAX)
		return nn_node_fail(node, -EOPNOTSUPP, "numbers more than 2^31 - 1 elements");
	if ((to->type && to->type != NN_INT32) || to->scale || to->scales || to->zero_point)
		return nn_node_fail(node, -EINVAL, "makes plain numbers of int32");
	to->type = NN_INT32;
	for (uint32_t i = 0; i < from->rank; i++) {
		if (i != (uint32_t)axis || keep)
			dims[rank++] = i == (uint32_t)axis ? 1 : from->dims[i];
	}
	arg->axis = axis;
	arg->form = strcmp(function, "min") ? NN_ARG_MAX : NN_ARG_MIN;
	arg->last = nn_node_get_attr_int(node, "last", 0);
	return nn_node_infer_shape(node, 0, from, rank, dims);
}

static int lower_arg(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_ARG, node->inputs[0],
				   &node->outputs[0], &op);

	if (!error)
		op->arg = *(const struct nn_arg_params *)node->state;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "axis", .type = NN_ATTR_INT },
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "keep_dims", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "last", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_arg = {
	.name = "Arg",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_arg,
	.lower = lower_arg,
};
