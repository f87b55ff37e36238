// SPDX-License-Identifier: MIT
/*
 * Inference: what every tensor is, in execution order: type, shape, quantization, level, and the
 * most rows of each level.
 */
#include "plan.h"
#include "ops/support/check.h"

#include <errno.h>

/* Inputs that are not constant have one level, unless the operator says that it copes. */
static int check_levels(struct nn_plan *plan, struct nn_node *node)
{
	const struct nn_value *first = NULL;
	uint32_t i;

	if (node->op->flags & NN_OP_MIXED_LEVELS)
		return 0;
	for (i = 0; i < node->input_count; i++) {
		const struct nn_value *value = node->inputs[i];

		if (!value || nn_value_is_const(value) || nn_is_one_row(node, &value->info))
			continue;
		if (first && value->info.level != first->info.level)
			return nn_graph_fail(
				plan->graph, node, -EINVAL,
				"input %u counts rows of loop level %u, but others of level %u", i,
				value->info.level, first->info.level);
		first = value;
	}
	return 0;
}

static void settle_max_rows(struct nn_plan *plan, struct nn_node *node)
{
	uint32_t i, rows = 0;

	if (!node->max_rows_set) {
		for (i = 0; i < node->input_count; i++)
			if (node->inputs[i] && node->inputs[i]->info.dims[0] > rows)
				rows = node->inputs[i]->info.dims[0];
		node->max_rows = rows;
	}
	plan->max_rows[nn_node_level(node)] = node->max_rows;
	plan->full_rows[nn_node_level(node)] =
		node->full_rows > node->max_rows ? node->full_rows : node->max_rows;
}

static int check_outputs(struct nn_plan *plan, struct nn_node *node)
{
	char text[NN_SHAPE_TEXT];
	uint32_t i, j;
	int error;

	for (i = 0; i < node->output_count; i++) {
		struct nn_tensor_info *info = &node->outputs[i].info;

		if (!info->type || !info->rank)
			return nn_graph_fail(plan->graph, node, -EINVAL,
					     "nothing says what type and shape output %u has", i);
		if (!nn_level_is_count(info->level) && info->level > nn_node_level(node))
			return nn_graph_fail(
				plan->graph, node, -EINVAL,
				"output %u is of loop level %u, but only %u loops are around the node",
				i, info->level, nn_node_level(node));
		if (info->scales && info->type != NN_INT32 && !(node->op->flags & NN_OP_CONST))
			return nn_graph_fail(plan->graph, node, -EINVAL,
					     "output %u has more than one scale, which only constants "
					     "and sums of int32 may have", i);
		if (info->level)
			info->dims[0] = plan->max_rows[info->level];
		for (j = 1; j < info->rank; j++)
			if (!info->dims[j])
				return nn_graph_fail(plan->graph, node, -EINVAL,
						     "dimension %u of output %u is 0", j, i);
		if (nn_info_bytes(info) > NN_MAX_TENSOR_BYTES ||
		    nn_info_row_bytes(info) > NN_MAX_TENSOR_BYTES)
			return nn_graph_fail(plan->graph, node, -EOVERFLOW,
					     "output %u, %s, is larger than 2 GiB", i,
					     nn_info_format_shape(info, text, sizeof(text)));
		error = nn_graph_check_quantization(plan->graph, node->id, node->op_name, i, info);
		if (error)
			return error;
	}
	return 0;
}

static int call_check(struct nn_plan *plan, struct nn_node *node)
{
	struct nn_graph *graph = plan->graph;
	int error;

	graph->running.node = node;
	graph->running.check = true;
	error = node->op->check(graph, node, node->op->opaque);
	graph->running.node = NULL;
	graph->running.check = false;
	return nn_graph_end_callback(graph, node, error, "check");
}

static int infer_node(struct nn_plan *plan, struct nn_node *node)
{
	bool lcn = nn_node_is_lcn(node);
	int error;

	error = check_levels(plan, node);
	if (error)
		return error;
	if (lcn)
		node->total_rows = NN_ROWS_UNKNOWN;
	error = call_check(plan, node);
	if (error)
		return error;
	if (lcn)
		settle_max_rows(plan, node);

	if (lcn || node->op->execute)
		node->runs_on = NN_RUNS_CPU;
	else if (node->op->lower)
		node->runs_on = NN_RUNS_DEVICE;
	return check_outputs(plan, node);
}

/* Whether it is a Variable that is set before the LCN of its loop, which says how many rows it has. */
static bool is_set_before_loop(const struct nn_node *node)
{
	return nn_node_has(node, NN_OP_STATE) && node->runs_in != node->scope;
}

/* Infers the Variables that are set right before the LCN at a position of the list. */
static int infer_variables(struct nn_plan *plan, uint32_t lcn)
{
	uint32_t first = lcn;
	int error = 0;

	while (first && is_set_before_loop(plan->nodes[first - 1]) &&
	       plan->nodes[first - 1]->scope == plan->nodes[lcn]->scope)
		first--;
	for (; first < lcn && !error; first++)
		error = infer_node(plan, plan->nodes[first]);
	return error;
}

/* Whether a node counts rows of its inputs over all iterations of the loops around it. */
static bool counts_over_all(const struct nn_node *node)
{
	return nn_node_has(node, NN_OP_END) ||
	       (nn_node_is_lcn(node) && nn_node_get_attr_int(node, "owner", 0));
}

/*
 * Rows of a count that leave an inner loop are packed anew in each iteration of the loop around that
 * (run/loop.c), so nobody in there can count them over all of these.
 */
static int check_counts(struct nn_plan *plan)
{
	uint32_t i, j, k;

	for (i = 0; i < plan->count_count; i++) {
		const struct nn_count *count = &plan->counts[i];

		for (j = 0; count->of && count->scope->level > 1 && j < plan->node_count; j++) {
			const struct nn_node *node = plan->nodes[j];

			if (!counts_over_all(node) || !nn_scope_has(count->scope, node->runs_in))
				continue;
			for (k = 0; k < node->input_count; k++)
				if (node->inputs[k]->info.level == count->of)
					return nn_graph_fail(
						plan->graph, node, -EOPNOTSUPP,
						"counts the rows of input %u over all iterations, but they also leave the loop of node %u, which is inside of another: take them behind that loop",
						k, count->scope->lcn->id);
		}
	}
	return 0;
}

int nn_plan_infer(struct nn_plan *plan)
{
	uint32_t i;
	int error = 0;

	for (i = 0; i < plan->node_count; i++) {
		if (!is_set_before_loop(plan->nodes[i]))
			error = infer_node(plan, plan->nodes[i]);
		if (!error && nn_node_is_lcn(plan->nodes[i]))
			error = infer_variables(plan, i);
		if (error)
			return error;
	}
	return check_counts(plan);
}
