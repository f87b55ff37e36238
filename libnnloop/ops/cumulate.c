// SPDX-License-Identifier: MIT
/*
 * Cumulate: the sum of all elements along a dimension up to each of them.
 *
 * docs/operators.md:
 * | `Cumulate` | x, 8-bit or int16, or integers of 32 or 64 bits | `axis` (the last; not 0; may be
 * negative), `exclusive` (0; 1: up to the one before), `backwards` (0; 1: from the last one on) |
 * 8-bit, of int16 int16; scale and zero point as x unless given; or as x |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

static int check_reals(struct nn_node *node, struct nn_cumulate_params *cumulate)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	int error = nn_node_need_scale(node, from, "input");

	nn_node_default_quantization(node, 0, from);
	if (!error)
		error = nn_node_need_real(node, to, "output");
	if (!error && (from->type == NN_INT16) != (to->type == NN_INT16))
		error = nn_node_fail(node, -EINVAL, "of int16 makes int16, and of 8 bits 8");
	if (!error && (!isnormal(from->scale) || !isnormal(to->scale)))
		error = nn_node_fail(node, -EOPNOTSUPP, "needs scales of at least 2^-126");
	cumulate->scale_input = from->scale;
	cumulate->scale_output = to->scale;
	return error;
}

static int check_cumulate(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct nn_cumulate_params *cumulate = nn_node_make_state(node, sizeof(*cumulate));
	int axis, error;

	(void)graph;
	(void)opaque;
	if (!cumulate)
		return -ENOMEM;
	axis = nn_node_get_axis(node, from, "go along");
	if (axis < 0)
		return axis;
	cumulate->axis = axis;
	cumulate->exclusive = nn_node_get_attr_int(node, "exclusive", 0);
	cumulate->backwards = nn_node_get_attr_int(node, "backwards", 0);
	if (nn_type_is_integer(from->type) && nn_data_type_size(from->type) > 2) {
		cumulate->form = NN_CUMULATE_INTEGERS;
		error = nn_node_keep_quantization(node, 0, from);
	} else {
		cumulate->form = NN_CUMULATE_FLOAT;
		error = nn_node_need_real(node, from, "input, where it is not of 32 or 64 bits,");
		if (!error)
			error = check_reals(node, cumulate);
	}
	return error ? error : nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int lower_cumulate(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_CUMULATE, node->inputs[0],
				   &node->outputs[0], &op);

	if (error)
		return error;
	op->cumulate = *(const struct nn_cumulate_params *)node->state;
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "axis", .type = NN_ATTR_INT },
	{ .name = "backwards", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "exclusive", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_cumulate = {
	.name = "Cumulate",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_cumulate,
	.lower = lower_cumulate,
};
