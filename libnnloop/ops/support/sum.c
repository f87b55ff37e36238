// SPDX-License-Identifier: MIT
/*
 * Add and Sub (sum.h): which of several ways of rounding, and which operator of a program.
 */
#include "sum.h"

#include <errno.h>
#include <math.h>

#include "binary.h"
#include "check.h"
#include "emit.h"

#include "dsp/program/pack.h"

#define MOST_FUSED 0x1p22f /* input scale / output scale */

enum rounding { HALF_UP, FLOAT32, FLOAT32_FUSED };

/* The node's state: the operator of the program that computes it, with its parameters. */
struct sum_state {
	enum nn_opcode opcode;
	union {
		struct nn_add_params half_up;
		struct nn_add_float_params in_float;
		struct nn_binary_params broadcast;
	};
};

static int choose_half_up(struct nn_node *node, struct sum_state *state, bool is_difference)
{
	struct nn_add_params params;

	if (nn_pack_add_params(&params, node->inputs[0]->info.scale, node->inputs[1]->info.scale,
			       node->outputs[0].info.scale))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	if (is_difference)
		params.multiplier_b = -params.multiplier_b;
	if (nn_binary_is_plain(node)) {
		state->opcode = NN_OPCODE_ADD;
		state->half_up = params;
		return 0;
	}
	state->opcode = NN_OPCODE_BINARY;
	state->broadcast = (struct nn_binary_params){
		.function = NN_BINARY_ADD_SHIFTED,
		.add = params,
	};
	return 0;
}

static int choose_float(struct nn_node *node, struct sum_state *state, bool is_difference,
			bool is_fused)
{
	struct nn_binary_params params;
	int error = nn_binary_in_float(node, is_difference ? NN_BINARY_SUB : NN_BINARY_ADD,
				       &params);

	if (error)
		return error;
	/* Sums past 31 bits come out of ONNX Runtime as the least value. */
	if (is_fused && fmaxf(params.scale_a, params.scale_b) / params.scale_output > MOST_FUSED)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	if (is_fused)
		params.function = NN_BINARY_ADD_FUSED;
	if (is_difference || nn_binary_has_16_bits(node) || !nn_binary_is_plain(node)) {
		state->opcode = NN_OPCODE_BINARY;
		state->broadcast = params;
		return 0;
	}
	state->opcode = NN_OPCODE_ADD_FLOAT;
	state->in_float = (struct nn_add_float_params){
		.scale_a = params.scale_a,
		.scale_b = params.scale_b,
		.scale_output = params.scale_output,
		.form = is_fused ? NN_ADD_FUSED : NN_ADD_DEQUANTIZED,
	};
	return 0;
}

static int check_sum(struct nn_node *node, bool is_difference)
{
	static const char *const add[] = { "half_up", "float32", "float32_fused", NULL };
	static const char *const sub[] = { "half_up", "float32", NULL };
	struct sum_state *state = nn_node_make_state(node, sizeof(*state));
	int rounding, error;

	if (!state)
		return -ENOMEM;
	error = nn_check_binary(node);
	if (error)
		return error;
	rounding = nn_binary_rounding(node, is_difference ? sub : add);
	if (rounding < 0)
		return rounding;
	if (rounding == HALF_UP)
		error = choose_half_up(node, state, is_difference);
	else
		error = choose_float(node, state, is_difference, rounding == FLOAT32_FUSED);
	node->may_be_strided = state->opcode != NN_OPCODE_BINARY;
	if (node->may_be_strided)
		node->may_overwrite = node->may_read_strided = 3;
	return error;
}

int nn_check_add(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)graph;
	(void)opaque;
	return check_sum(node, false);
}

int nn_check_sub(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)graph;
	(void)opaque;
	return check_sum(node, true);
}

int nn_lower_sum(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct sum_state *state = node->state;
	struct nn_program_op *op;
	int error = nn_lower_two(lowering, node, state->opcode, &op);

	if (error)
		return error;
	nn_lower_limits(op, node);
	if (state->opcode == NN_OPCODE_ADD)
		op->add = state->half_up;
	else if (state->opcode == NN_OPCODE_ADD_FLOAT)
		op->add_float = state->in_float;
	else
		op->binary = state->broadcast;
	return 0;
}
