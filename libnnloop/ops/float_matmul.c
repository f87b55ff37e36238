// SPDX-License-Identifier: MIT
/*
 * FloatMatMul: matrices times matrices, of float32.
 *
 * docs/operators.md:
 * | `FloatMatMul` | a, b float32: their last two dimensions are matrices, `[m, k]` and `[k, p]`; those
 * before, of which there are one or more, are broadcast | `transpose_a`, `transpose_b` (0; 1: its
 * matrices are the other way around) | float32 |
 */
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

static int check_float_matmul(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	struct nn_float_matmul_params *params = nn_node_make_state(node, sizeof(*params));
	uint32_t dims[NN_MAX_RANK];
	const struct nn_tensor_info *rows;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	if (a->type != NN_FLOAT32 || b->type != NN_FLOAT32)
		return nn_node_fail(node, -EINVAL, "needs inputs of float32");
	params->transpose_a = nn_node_get_attr_int(node, "transpose_a", 0);
	params->transpose_b = nn_node_get_attr_int(node, "transpose_b", 0);
	rows = nn_binary_matrices(node, params->transpose_a, params->transpose_b, dims);
	return rows ? nn_node_infer_unquantized(node, 0, NN_FLOAT32, rows, rows->rank, dims) :
		      -EINVAL;
}

static int lower_float_matmul(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_two(lowering, node, NN_OPCODE_FLOAT_MATMUL, &op);

	if (!error)
		op->float_matmul = *(const struct nn_float_matmul_params *)node->state;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "transpose_a", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "transpose_b", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_float_matmul = {
	.name = "FloatMatMul",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_float_matmul,
	.lower = lower_float_matmul,
};
