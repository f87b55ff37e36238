// SPDX-License-Identifier: MIT
/*
 * Partitions and the Sink.
 *
 * A node's partition is the number of LCNs upstream of it, an LCN counting itself. Because each LCN
 * must be downstream from the one before it, that is the highest partition among its inputs: one
 * pass over the nodes, in the order they were appended, finds it, and the tensors that are used in
 * a higher partition than the one that makes them. Those must outlive the passes of the loops in
 * between: they are the inputs of a Sink at the end of the graph.
 */
#include "plan.h"

#include <errno.h>

struct sink_list {
	struct nn_value **values;
	uint32_t count;
};

static void sink_add(struct sink_list *sink, struct nn_value *value)
{
	if (value->in_sink)
		return;
	value->in_sink = true;
	sink->values[sink->count++] = value;
}

/* Lowest and highest partition of a node's inputs; both 0 if it has none but constants. */
static void get_input_range(const struct nn_node *node, uint32_t *min, uint32_t *max)
{
	bool any = false;
	uint32_t i;

	*min = 0;
	*max = 0;
	for (i = 0; i < node->input_count; i++) {
		const struct nn_value *value = node->inputs[i];

		if (!value || nn_value_is_const(value))
			continue;
		if (!any || value->node->refs < *min)
			*min = value->node->refs;
		if (!any || value->node->refs > *max)
			*max = value->node->refs;
		any = true;
	}
}

/* Inputs that come from a partition below `partition` cross a boundary, and go to the Sink. */
static void sink_inputs(struct sink_list *sink, const struct nn_node *node, uint32_t partition)
{
	uint32_t i;

	for (i = 0; i < node->input_count; i++)
		if (node->inputs[i] && !nn_value_is_const(node->inputs[i]) &&
		    node->inputs[i]->node->refs < partition)
			sink_add(sink, node->inputs[i]);
}

static int enter_lcn(struct nn_plan *plan, struct nn_node *node, uint32_t max_partition)
{
	uint32_t loops = nn_plan_count_loops(plan);
	struct nn_scope *around = &plan->scopes[loops], *scope = around + 1;

	if (max_partition > loops)
		return nn_graph_fail(plan->graph, node, -EINVAL,
				     "takes a Variable of loop %u, but is not inside of that loop",
				     max_partition);
	if (max_partition != loops)
		return nn_graph_fail(
			plan->graph, node, -EINVAL,
			"this loop is not downstream from the loop of node %u (%s): loops must be nested, one inside the other",
			around->lcn->id, around->lcn->op_name);
	if (loops == NN_MAX_LOOPSTACK)
		return nn_graph_fail(plan->graph, node, -EINVAL,
				     "is one loop too many: a graph can have %d", NN_MAX_LOOPSTACK);
	*scope = (struct nn_scope){
		.parent = around, .lcn = node, .number = loops + 1, .level = loops + 1,
	};
	plan->scope_count++;
	node->refs = scope->level;
	return 0;
}

/*
 * A Variable is in the loop whose iterations it keeps its value over, wherever it is listed. It is
 * set at the head of the partition, behind the LCN, unless its initial value is made in that
 * partition.
 */
enum { HEAD_LCN, HEAD_VARIABLE, HEAD_NONE, HEADS };

static uint32_t place_in_list(const struct nn_node *node)
{
	uint32_t head = HEAD_NONE;

	if (nn_node_is_lcn(node))
		head = HEAD_LCN;
	else if (nn_node_has(node, NN_OP_STATE) &&
		 (nn_value_is_const(node->inputs[0]) || node->inputs[0]->node->refs < node->refs))
		head = HEAD_VARIABLE;
	return node->refs * HEADS + head;
}

/* Stable, in linear time: partitions are few. */
static int sort_nodes(struct nn_plan *plan)
{
	struct nn_node **sorted = nn_pool_array(&plan->pool, plan->node_count, sizeof(*sorted));
	uint32_t start[(NN_MAX_LOOPSTACK + 1) * HEADS + 1] = { 0 };
	uint32_t i;

	if (!sorted)
		return nn_graph_no_memory(plan->graph);
	for (i = 0; i < plan->node_count; i++)
		start[place_in_list(plan->nodes[i]) + 1]++;
	for (i = 1; i < (NN_MAX_LOOPSTACK + 1) * HEADS; i++)
		start[i] += start[i - 1];
	for (i = 0; i < plan->node_count; i++)
		sorted[start[place_in_list(plan->nodes[i])]++] = plan->nodes[i];
	plan->nodes = sorted;
	return 0;
}

/* The loop that a Variable says it belongs to. */
static int enter_variable(struct nn_plan *plan, struct nn_node *node, uint32_t max_partition)
{
	int64_t level = nn_node_get_attr_int(node, "level", 0);
	int64_t least = !nn_node_persists(node);

	if (level < least || level > NN_MAX_LOOPSTACK)
		return nn_graph_fail(plan->graph, node, -EINVAL,
				     "needs level=%d to %d, the loop that it belongs to", (int)least,
				     NN_MAX_LOOPSTACK);
	if (max_partition > level)
		return nn_graph_fail(
			plan->graph, node, -EINVAL,
			"belongs to loop %u, but its initial value is made in loop %u, inside of that",
			(uint32_t)level, max_partition);
	node->refs = level;
	return 0;
}

/*
 * Reads and assigns of a Variable keep the order of the list, which sorting by partition would
 * change: all Assigns, and all nodes that read a Variable that is assigned, are in one partition.
 * Without optimizing nobody has listed its Assigns; the first one will do.
 */
static int check_variables(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		if (nn_node_has(node, NN_OP_ASSIGNS) && !node->inputs[0]->node->next_assign)
			node->inputs[0]->node->next_assign = node;
	}
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->input_count; j++) {
			const struct nn_node *variable, *assign;

			if (!node->inputs[j] || !nn_node_has(node->inputs[j]->node, NN_OP_STATE))
				continue;
			variable = node->inputs[j]->node;
			assign = variable->next_assign;
			if (assign && assign->refs != node->refs)
				return nn_graph_fail(
					plan->graph, node, -EINVAL,
					"takes the Variable of node %u in partition %u, but node %u assigns it in partition %u: loops change the order of the list; copy it there, and take the copy",
					variable->id, node->refs, assign->id, assign->refs);
		}
	}
	return 0;
}

/* RUN 0, ENTER 1, RUN 1, ... END 1: a partition has the number of its scope. */
static int make_steps(struct nn_plan *plan)
{
	uint32_t i, count = 0, loops = nn_plan_count_loops(plan);

	plan->partition_count = plan->scope_count;
	plan->steps = nn_pool_array(&plan->pool, 3 * plan->scope_count, sizeof(*plan->steps));
	if (!plan->steps)
		return nn_graph_no_memory(plan->graph);
	for (i = 0; i <= loops; i++) {
		if (i) {
			plan->scopes[i].enter = count;
			plan->steps[count++] = (struct nn_step){ .kind = NN_STEP_ENTER,
								 .scope = &plan->scopes[i] };
		}
		plan->steps[count++] = (struct nn_step){ .kind = NN_STEP_RUN, .partition = i };
	}
	for (i = loops; i; i--) {
		plan->scopes[i].end = count;
		plan->steps[count++] =
			(struct nn_step){ .kind = NN_STEP_END, .scope = &plan->scopes[i] };
	}
	plan->step_count = count;
	for (i = 0; i < plan->node_count; i++)
		plan->nodes[i]->scope = plan->nodes[i]->runs_in =
			&plan->scopes[plan->nodes[i]->refs];
	return 0;
}

int nn_plan_partition(struct nn_plan *plan)
{
	struct sink_list sink = { 0 };
	uint64_t outputs = 0;
	bool need_sort = false, variables = false;
	const struct nn_scope *last;
	uint32_t i, previous = 0;
	int error;

	plan->scope_count = 1;
	for (i = 0; i < plan->node_count; i++)
		outputs += plan->nodes[i]->output_count;
	sink.values = nn_pool_array(&plan->pool, outputs, sizeof(*sink.values));
	if (!sink.values)
		return nn_graph_no_memory(plan->graph);

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];
		uint32_t min, max;

		variables = variables || nn_node_has(node, NN_OP_STATE);
		if (!nn_plan_count_loops(plan) && !variables && !nn_node_is_lcn(node)) {
			node->refs = 0;
			continue;
		}
		get_input_range(node, &min, &max);
		if (nn_node_is_lcn(node)) {
			error = enter_lcn(plan, node, max);
			if (error)
				return error;
			sink_inputs(&sink, node, node->refs);
		} else if (nn_node_has(node, NN_OP_STATE)) {
			error = enter_variable(plan, node, max);
			if (error)
				return error;
			sink_inputs(&sink, node, node->refs);
			need_sort = true;
		} else {
			node->refs = max;
			if (min < max)
				sink_inputs(&sink, node, max);
		}
		if (node->refs < previous)
			need_sort = true;
		previous = node->refs;
	}

	for (i = 0; variables && i < plan->node_count; i++)
		if (nn_node_has(plan->nodes[i], NN_OP_STATE) &&
		    plan->nodes[i]->refs > nn_plan_count_loops(plan))
			return nn_graph_fail(plan->graph, plan->nodes[i], -EINVAL,
					     "belongs to loop %u, but the graph has only %u",
					     plan->nodes[i]->refs, nn_plan_count_loops(plan));
	last = &plan->scopes[nn_plan_count_loops(plan)];
	if (plan->output->refs != last->level)
		return nn_graph_fail(
			plan->graph, plan->output, -EINVAL,
			"is in partition %u, outside of the loop of node %u (%s): it must be downstream from the last loop",
			plan->output->refs, last->lcn->id, last->lcn->op_name);
	if (variables) {
		error = check_variables(plan);
		if (error)
			return error;
	}
	if (need_sort) {
		error = sort_nodes(plan);
		if (error)
			return error;
	}
	if (sink.count) {
		error = nn_plan_add_sink(plan, sink.values, sink.count);
		if (error)
			return error;
	}
	return make_steps(plan);
}
