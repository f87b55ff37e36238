// SPDX-License-Identifier: MIT
/*
 * Add: the sum of two tensors, element by element.
 *
 * docs/operators.md:
 * | `Add` | a, b of the same shape | `activation` | 8-bit, scale, zero point |
 */
#include "activation.h"
#include "check.h"
#include "emit.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

#include "dsp/pack.h"

static int check_add(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	struct nn_tensor_info *output = &node->outputs[0].info;
	struct nn_add_params *params = nn_node_make_state(node, sizeof(*params));
	char text[2][NN_SHAPE_TEXT];
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	error = nn_node_need_8bit(node, a, "first input");
	if (error)
		return error;
	error = nn_node_need_8bit(node, b, "second input");
	if (error)
		return error;
	error = nn_node_need_8bit(node, output, "output");
	if (error)
		return error;
	if (a->rank != b->rank || a->level != b->level ||
	    memcmp(a->dims, b->dims, a->rank * sizeof(*a->dims)))
		return nn_node_fail(node, -EINVAL,
				    "the inputs must have the same shape and level, not %s and %s",
				    nn_info_format_shape(a, text[0], sizeof(text[0])),
				    nn_info_format_shape(b, text[1], sizeof(text[1])));
	error = nn_check_activation(node);
	if (error)
		return error;
	if (nn_pack_add_params(params, a->scale, b->scale, output->scale))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	return nn_node_infer_shape(node, 0, a, a->rank, a->dims);
}

static int lower_add(struct nn_lowering *lowering, struct nn_node *node)
{
	int a = nn_lower_value(lowering, node->inputs[0]);
	int b = nn_lower_value(lowering, node->inputs[1]);
	int output = nn_lower_value(lowering, &node->outputs[0]);
	struct nn_program_op *op;

	if (a < 0 || b < 0 || output < 0)
		return -ENOMEM;
	op = nn_lower_op(lowering, node, NN_OPCODE_ADD);
	if (!op)
		return -ENOMEM;
	op->input[0] = a;
	op->input[1] = b;
	op->output[0] = output;
	op->add = *(const struct nn_add_params *)node->state;
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	NN_ACTIVATION_ATTR,
	{ 0 }
};

const struct nn_op nn_op_add = {
	.name = "Add",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_add,
	.lower = lower_add,
};
