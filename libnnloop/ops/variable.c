// SPDX-License-Identifier: MIT
/*
 * Variable: keeps a tensor over the iterations of a loop; an Assign changes it.
 *
 * A Variable is in the partition of its loop (plan/partition.c). It has memory that nothing else
 * uses, and is set to its initial value in the loop's first iteration only, by a part of its own.
 * Where loops are a tree (plan/scopes.c), one whose initial value is made outside of its loop is set
 * before that begins, so that it has a value also where there is no iteration.
 * With persist=1 it is in its loop, or in none, keeps its value over executions too, and its memory
 * is filled before the first pass (run/state.c). The initial value is a constant then, and as large.
 *
 * Readers read that memory at their place in the list of nodes, Assigns write it at theirs; so
 * that no other name is left behind that would see a later value, names of it are copies
 * (nn_node_alias).
 *
 * docs/operators.md:
 * | `Variable` | initial value | `level` or `loop` (one of them is required without `persist`): the
 * loop, by how deep it is or by its node; `fixed` (0); `persist` (0) | as the initial value |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>

/* A Variable that persists has as many rows in each execution as it has between two. */
static int check_persistent(struct nn_node *node, uint32_t full_rows)
{
	const struct nn_value *initial = node->inputs[0];
	char text[NN_SHAPE_TEXT];

	if (!nn_value_is_const(initial))
		return nn_node_fail(node, -EINVAL,
				    "persists, and needs a constant as its initial value");
	if (nn_node_level(node) && !nn_node_get_attr_int(node, "fixed", 0) &&
	    initial->info.dims[0] != full_rows)
		return nn_node_fail(
			node, -EINVAL,
			"persists, and its initial value, %s, must have the %u rows of a full pass",
			nn_info_format_shape(&initial->info, text, sizeof(text)), full_rows);
	return 0;
}

static int check_variable(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *initial = &node->inputs[0]->info;
	struct nn_tensor_info rows = { .level = nn_node_level(node) };
	char text[NN_SHAPE_TEXT];
	uint32_t full = graph->preparing->full_rows[rows.level];
	int error;

	(void)opaque;
	node->outputs[0].persistent = true;
	if (nn_node_persists(node)) {
		error = check_persistent(node, full);
		if (error)
			return error;
	}
	nn_node_default_quantization(node, 0, initial);
	if (!nn_info_same_quantization(&node->outputs[0].info, initial))
		return nn_node_fail(node, -EINVAL,
				    "has another type or quantization than its initial value");
	if (!rows.level || nn_node_get_attr_int(node, "fixed", 0)) {
		/* Rows of a loop around it are the same in all of its iterations. */
		if (initial->level && node->runs_in == node->scope)
			return nn_node_fail(
				node, -EINVAL,
				"a fixed variable needs an initial value without a loop's rows");
		return nn_node_infer_shape(node, 0, initial, initial->rank, initial->dims);
	}
	/* A batch may be shorter than a full pass. */
	rows.dims[0] = graph->preparing->max_rows[rows.level];
	if (initial->level ? initial->level != rows.level
			   : initial->dims[0] != 1 && initial->dims[0] != rows.dims[0] &&
				     initial->dims[0] != full)
		return nn_node_fail(
			node, -EINVAL,
			"the initial value, %s, must have 1 row, or the %u of a full pass",
			nn_info_format_shape(initial, text, sizeof(text)), full);
	return nn_node_infer_shape(node, 0, &rows, initial->rank, initial->dims);
}

/* All rows are set, whatever number of them the first pass has: as one long row, of which a batch
 * that is shorter than a pass takes the beginning, or one row many times. */
static int lower_variable(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_value *initial = node->inputs[0], *variable = &node->outputs[0];
	uint32_t rows = variable->info.dims[0], block = initial->info.dims[0];
	struct nn_copy_params copy;
	int input, output;

	if (nn_node_persists(node))
		return 0;
	if (initial->info.level)
		return nn_lower_copy(lowering, node, initial, variable);
	/* Also where there are no rows, because plans for other batches have the same constants. */
	input = nn_lower_value(lowering, initial);
	if (input < 0)
		return input;
	if (!rows || !block)
		return 0;
	if (block > rows)
		block = rows;
	copy = (struct nn_copy_params){
		.count = rows / block,
		.block = block * nn_info_row_bytes(&variable->info),
	};
	copy.dst_stride = copy.block;
	input = nn_lower_flat(lowering, initial);
	/* The loop whose rows it has does not run before it begins. */
	output = node->runs_in == node->scope ? nn_lower_flat(lowering, variable) :
						nn_lower_whole(lowering, variable);
	return nn_lower_copy_tensor(lowering, node, input, output, &copy);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "level", .type = NN_ATTR_INT },
	{ .name = "loop", .type = NN_ATTR_INT },
	{ .name = "fixed", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "persist", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_variable = {
	.name = "Variable",
	.flags = NN_OP_STATE,
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_variable,
	.lower = lower_variable,
};
