// SPDX-License-Identifier: MIT
/*
 * Add: the sum of two tensors, element by element.
 *
 * docs/operators.md:
 * | `Add` | a, b of the same shape | `activation`, `rounding` (`half_up`, `float32`,
 * `float32_fused`) | 8-bit, scale, zero point |
 */
#include "activation.h"
#include "check.h"
#include "emit.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "dsp/pack.h"

#define MOST_FUSED 0x1p22f /* input scale / output scale */

/* What a node computes: the operator of the program, with its parameters. */
struct add_state {
	enum nn_opcode opcode;
	union {
		struct nn_add_params half_up;
		struct nn_add_float_params in_float;
	};
};

static int choose_rounding(struct nn_node *node, struct add_state *state, float scale_a,
			   float scale_b, float scale_output)
{
	const char *rounding = nn_node_get_string(node, "rounding", "half_up");

	state->opcode = NN_OPCODE_ADD_FLOAT;
	state->in_float = (struct nn_add_float_params){
		.scale_a = scale_a, .scale_b = scale_b, .scale_output = scale_output
	};
	if (!strcmp(rounding, "float32")) {
		state->in_float.form = NN_ADD_DEQUANTIZED;
	} else if (!strcmp(rounding, "float32_fused")) {
		state->in_float.form = NN_ADD_FUSED;
		/* Sums past 31 bits come out of ONNX Runtime as the least value. */
		if (fmaxf(scale_a, scale_b) / scale_output > MOST_FUSED)
			return nn_node_fail(node, -EOPNOTSUPP,
					    "the scales of inputs and output differ too much");
	} else if (!strcmp(rounding, "half_up")) {
		state->opcode = NN_OPCODE_ADD;
		if (nn_pack_add_params(&state->half_up, scale_a, scale_b, scale_output))
			return nn_node_fail(node, -EOPNOTSUPP,
					    "the scales of inputs and output differ too much");
		return 0;
	} else {
		return nn_node_fail(node, -EINVAL,
				    "rounding is half_up, float32 or float32_fused, not \"%s\"",
				    rounding);
	}
	if (!isnormal(scale_a) || !isnormal(scale_b) || !isnormal(scale_output))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "rounding in float32 needs scales of at least 2^-126");
	return 0;
}

static int check_add(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	struct nn_tensor_info *output = &node->outputs[0].info;
	struct add_state *state = nn_node_make_state(node, sizeof(*state));
	char text[2][NN_SHAPE_TEXT];
	int error;

	(void)graph;
	(void)opaque;
	if (!state)
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
	error = choose_rounding(node, state, a->scale, b->scale, output->scale);
	if (error)
		return error;
	return nn_node_infer_shape(node, 0, a, a->rank, a->dims);
}

static int lower_add(struct nn_lowering *lowering, struct nn_node *node)
{
	int a = nn_lower_value(lowering, node->inputs[0]);
	int b = nn_lower_value(lowering, node->inputs[1]);
	int output = nn_lower_value(lowering, &node->outputs[0]);
	const struct add_state *state = node->state;
	struct nn_program_op *op;

	if (a < 0 || b < 0 || output < 0)
		return -ENOMEM;
	op = nn_lower_op(lowering, node, state->opcode);
	if (!op)
		return -ENOMEM;
	op->input[0] = a;
	op->input[1] = b;
	op->output[0] = output;
	if (state->opcode == NN_OPCODE_ADD)
		op->add = state->half_up;
	else
		op->add_float = state->in_float;
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	NN_ACTIVATION_ATTR,
	{ .name = "rounding", .type = NN_ATTR_STRING },
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
