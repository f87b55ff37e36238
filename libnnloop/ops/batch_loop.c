// SPDX-License-Identifier: MIT
/*
 * BatchLoop: a loop-control node that hands its partition some rows of a batch at a time, or windows
 * of another dimension (support/slices.h).
 *
 * docs/operators.md:
 * | `BatchLoop` | 1 or more with the same number of rows, and of what else is cut | `step`; or
 * `window`, `stride` (`window`), `tail` (`short`; `pad`, `drop`); or `graph_batch`, `quantum` (1),
 * `options` (0); `axis` (0); `owner` (0) | output i: rows of input i, a view, of the loop's level; or a
 * window of dimension `axis`, with as many rows as the input has |
 */
#include "ops/support/check.h"
#include "ops.h"
#include "ops/support/owner.h"
#include "ops/support/slices.h"

#include <errno.h>

/* All inputs have the same rows, and keep their elements. */
int nn_batch_loop_check_inputs(struct nn_node *node)
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
	for (i = 0; i < node->input_count; i++)
		if (nn_value_root(node->inputs[i])->persistent)
			return nn_node_fail(
				node, -EOPNOTSUPP,
				"cannot loop over a Variable, which may change: copy it first");
	return 0;
}

/*
 * Returns how many rows iteration `k` of a batch of `rows` has, by the slicing rule of nnlib's
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
	if (nn_slices_are_wanted(node))
		return nn_slices_check(node);
	if (stepped == sliced)
		return nn_node_fail(node, -EINVAL,
				    "needs step, or graph_batch with quantum and options");
	if (most < 1 || most > UINT32_MAX || quantum < 1 || quantum > UINT32_MAX)
		return nn_node_fail(node, -EINVAL,
				    "step, graph_batch and quantum must be from 1 to %u", UINT32_MAX);
	if (stepped && (nn_node_get_attr(node, "quantum") || nn_node_get_attr(node, "options")))
		return nn_node_fail(node, -EINVAL,
				    "quantum and options go with graph_batch, not with step");
	error = nn_batch_loop_check_inputs(node);
	if (error)
		return error;
	for (i = 0; i < node->input_count; i++) {
		error = nn_node_set_output_view(node, i, i);
		if (error)
			return error;
	}
	error = nn_owner_set(node);
	if (error)
		return error;
	node->full_rows = most;
	node->total_rows = rows;
	node->total_level = node->inputs[0]->info.level;
	node->most_trips = rows ? ((uint64_t)rows + most - 1) / most : 1;
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
	if (node->state)
		return nn_slices_push(node, rows, counts->prev_batches);
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

static int lower_batch_loop(struct nn_lowering *lowering, struct nn_node *node)
{
	int error = node->state ? nn_slices_lower(lowering, node) : 0;

	return error ? error : nn_owner_lower(lowering, node);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "step", .type = NN_ATTR_INT },
	{ .name = "axis", .type = NN_ATTR_INT },
	{ .name = "window", .type = NN_ATTR_INT },
	{ .name = "stride", .type = NN_ATTR_INT },
	{ .name = "tail", .type = NN_ATTR_STRING },
	{ .name = "graph_batch", .type = NN_ATTR_INT },
	{ .name = "quantum", .type = NN_ATTR_INT },
	{ .name = "options", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "owner", .type = NN_ATTR_INT, .is_flag = true },
	{ 0 }
};

const struct nn_op nn_op_batch_loop = {
	.name = "BatchLoop",
	.flags = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC | NN_OP_BODY,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = attrs,
	.check = check_batch_loop,
	.execute = execute_batch_loop,
	.lower = lower_batch_loop,
};
