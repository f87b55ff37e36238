// SPDX-License-Identifier: MIT
/*
 * Loop-control nodes that count: BatchLoop over the rows of a batch, CountLoop as often as it is
 * told.
 */
#include "plan/lower.h"
#include "ops.h"
#include "plan/plan.h"

#include <errno.h>

/* ---- The owner output: which outer row each row of a pass belongs to */

static bool has_owner(const struct nn_node *node)
{
	return node->output_count > node->input_count;
}

static int set_owner(struct nn_node *node)
{
	struct nn_tensor_info info = { .type = NN_INT32, .rank = 1, .dims = { 1 } };

	return has_owner(node) ? nn_node_set_output(node, node->input_count, &info, NN_LEVEL_OWN)
			       : 0;
}

static int lower_owner(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int input, output;

	if (!has_owner(node))
		return 0;
	input = nn_lower_value(lowering, node->inputs[0]);
	output = nn_lower_value(lowering, &node->outputs[node->input_count]);
	if (input < 0 || output < 0)
		return input < 0 ? input : output;
	op = nn_lower_op(lowering, node, NN_OPCODE_ROW_NUMBERS);
	if (!op)
		return -ENOMEM;
	op->input[0] = input;
	op->output[0] = output;
	return 0;
}

/* All inputs have the same rows. */
static int check_rows(struct nn_node *node)
{
	const struct nn_tensor_info *first = &node->inputs[0]->info;
	uint32_t i;

	for (i = 1; i < node->input_count; i++) {
		const struct nn_tensor_info *info = &node->inputs[i]->info;

		if (info->level != first->level)
			return nn_node_fail(
				node, -EINVAL,
				"input %u counts rows of loop level %u, but input 0 of level %u", i,
				info->level, first->level);
		if (info->dims[0] != first->dims[0])
			return nn_node_fail(node, -EINVAL,
					    "input %u has %u rows, but input 0 has %u", i,
					    info->dims[0], first->dims[0]);
	}
	return 0;
}

/* ---- BatchLoop: hands its partition some rows of a batch at a time */

/*
 * How many rows iteration `k` of a batch of `rows` has, by the slicing rule of nnlib's
 * BatchSeqConfig: at most `graph_batch`, preferably a multiple of `quantum`, and the last two
 * passes of equal size rather than a small one at the end. Option bit 0 keeps the first passes at
 * graph_batch.
 */
static uint32_t slice(uint64_t rows, uint64_t graph_batch, uint64_t quantum, int64_t options,
		      uint64_t k)
{
	uint64_t passes = (rows + graph_batch - 1) / graph_batch, rest;

	if (rows <= graph_batch)
		return rows;
	if (rows % graph_batch == 0)
		return graph_batch;
	if (!(options & 1) && rows % (quantum * passes) == 0)
		return rows / passes;
	if (k + 2 < passes)
		return graph_batch;
	rest = rows - (passes - 2) * graph_batch;
	if (rest % (2 * quantum) == 0)
		return rest / 2;
	return k + 2 == passes ? graph_batch : rows % graph_batch;
}

static int check_batch_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	uint32_t i, rows = node->inputs[0]->info.dims[0];
	bool stepped = nn_node_get_attr(node, "step"),
	     sliced = nn_node_get_attr(node, "graph_batch");
	int64_t most = nn_node_get_attr_int(node, stepped ? "step" : "graph_batch", 0);
	int64_t quantum = nn_node_get_attr_int(node, "quantum", 1);
	int error;

	(void)graph;
	(void)opaque;
	if (stepped == sliced)
		return nn_node_fail(node, -EINVAL,
				    "needs step, or graph_batch with quantum and options");
	if (most < 1 || most > UINT32_MAX || quantum < 1 || quantum > UINT32_MAX)
		return nn_node_fail(node, -EINVAL,
				    "step, graph_batch and quantum must be from 1 to %u", UINT32_MAX);
	if (stepped && (nn_node_get_attr(node, "quantum") || nn_node_get_attr(node, "options")))
		return nn_node_fail(node, -EINVAL,
				    "quantum and options go with graph_batch, not with step");
	error = check_rows(node);
	if (error)
		return error;
	for (i = 0; i < node->input_count; i++) {
		if (nn_value_root(node->inputs[i])->persistent)
			return nn_node_fail(
				node, -EOPNOTSUPP,
				"cannot loop over a Variable, which may change: copy it first");
		error = nn_node_set_output_view(node, i, i);
		if (error)
			return error;
	}
	error = set_owner(node);
	if (error)
		return error;
	return nn_node_set_max_rows(node, most < rows ? most : rows);
}

static int execute_batch_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	int64_t step = nn_node_get_attr_int(node, "step", 0);
	const struct nn_loopcounts *counts = nn_loopstack_get_counts(graph);
	struct nn_tensor batch;
	uint32_t rows, current;
	int error;

	(void)opaque;
	error = nn_node_get_input(node, 0, &batch);
	if (error)
		return error;
	rows = batch.info.dims[0];
	if (step) {
		current = rows - counts->prev_batches;
		if (current > step)
			current = step;
	} else {
		current = slice(rows, nn_node_get_attr_int(node, "graph_batch", 1),
				nn_node_get_attr_int(node, "quantum", 1),
				nn_node_get_attr_int(node, "options", 0), counts->itercount);
	}
	return nn_loopstack_push(graph, node, current, rows);
}

static const struct nn_attr_spec batch_loop_attrs[] = {
	{ .name = "step", .type = NN_ATTR_INT },
	{ .name = "graph_batch", .type = NN_ATTR_INT },
	{ .name = "quantum", .type = NN_ATTR_INT },
	{ .name = "options", .type = NN_ATTR_INT },
	{ .name = "owner", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_batch_loop = {
	.name = "BatchLoop",
	.flags = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC | NN_OP_BODY,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = batch_loop_attrs,
	.check = check_batch_loop,
	.execute = execute_batch_loop,
	.lower = lower_owner,
};

/* ---- CountLoop: only counts. Each output goes round the rows of its input */

static int check_count_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	int64_t current = nn_node_get_attr_int(node, "current", -1),
		total = nn_node_get_attr_int(node, "total", -1);
	uint32_t i;
	int error;

	(void)graph;
	(void)opaque;
	if (current < 0 || current > UINT32_MAX || total < 0 || total > UINT32_MAX)
		return nn_node_fail(node, -EINVAL, "needs current and total, from 0 to %u",
				    UINT32_MAX);
	for (i = 0; i < node->input_count; i++) {
		error = nn_node_set_output(node, i, &node->inputs[i]->info, NN_LEVEL_OWN);
		if (error)
			return error;
	}
	error = set_owner(node);
	if (error)
		return error;
	return nn_node_set_max_rows(node, current);
}

static int execute_count_loop(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)opaque;
	return nn_loopstack_push(graph, node, nn_node_get_attr_int(node, "current", 0),
				 nn_node_get_attr_int(node, "total", 0));
}

static int lower_count_loop(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int input, output;
	uint32_t i;

	for (i = 0; i < node->input_count; i++) {
		input = nn_lower_value(lowering, node->inputs[i]);
		output = nn_lower_value(lowering, &node->outputs[i]);
		if (input < 0 || output < 0)
			return input < 0 ? input : output;
		op = nn_lower_op(lowering, node, NN_OPCODE_ROTATE_ROWS);
		if (!op)
			return -ENOMEM;
		op->input[0] = input;
		op->output[0] = output;
	}
	return lower_owner(lowering, node);
}

static const struct nn_attr_spec count_loop_attrs[] = {
	{ .name = "current", .type = NN_ATTR_INT },
	{ .name = "total", .type = NN_ATTR_INT },
	{ .name = "owner", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_count_loop = {
	.name = "CountLoop",
	.flags = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC | NN_OP_BODY | NN_OP_MIXED_LEVELS,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = count_loop_attrs,
	.check = check_count_loop,
	.execute = execute_count_loop,
	.lower = lower_count_loop,
};
