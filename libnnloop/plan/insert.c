// SPDX-License-Identifier: MIT
/*
 * Nodes that the library puts into a graph: a loop in front of a graph that has none, more outputs,
 * the Sink at the end.
 */
#include "plan.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "ops/ops.h"

/* A node that the library puts in; it gets an id of its own. NULL if there is no memory. */
static struct nn_node *add_node(struct nn_plan *plan, const struct nn_op *op, uint32_t input_count,
				uint32_t output_count)
{
	struct nn_node *node = nn_pool_alloc(&plan->pool, sizeof(*node));
	uint32_t i;

	if (!node)
		return NULL;
	/* Above all of the user's; where those reach the top, the lowest that is free. */
	do {
		plan->next_id++;
	} while (!plan->next_id || nn_graph_find(plan->graph, plan->next_id));
	node->graph = plan->graph;
	node->op = op;
	node->id = plan->next_id;
	node->op_name = op->name;
	node->name = "";
	node->input_count = input_count;
	node->output_count = output_count;
	node->inputs = nn_pool_array(&plan->pool, input_count, sizeof(*node->inputs));
	node->outputs = nn_pool_array(&plan->pool, output_count, sizeof(*node->outputs));
	node->limits = (struct nn_limits){ -INFINITY, INFINITY };
	if (!node->inputs || !node->outputs)
		return NULL;
	for (i = 0; i < output_count; i++) {
		node->outputs[i].node = node;
		node->outputs[i].index = i;
	}
	return node;
}

/* ---- The loop */

/* Everybody takes from the loop what it takes, which is not in the list yet. */
static void replace_inputs(struct nn_plan *plan, const struct nn_node *loop)
{
	uint32_t i, j;

	for (i = 0; i < loop->input_count; i++)
		loop->inputs[i]->next = &loop->outputs[i];
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->input_count; j++)
			if (node->inputs[j] && node->inputs[j]->next)
				node->inputs[j] = node->inputs[j]->next;
	}
	for (i = 0; i < loop->input_count; i++)
		loop->inputs[i]->next = NULL;
}

/* The list becomes: constants and inputs, the loop, everything else; each in its old order. */
static void insert_after_inputs(struct nn_plan *plan, struct nn_node *loop, struct nn_node **list)
{
	uint32_t i, count = 0, pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < plan->node_count; i++) {
			bool source = nn_node_has(plan->nodes[i], NN_OP_INPUT | NN_OP_CONST);

			if (source == !pass)
				list[count++] = plan->nodes[i];
		}
		if (!pass)
			list[count++] = loop;
	}
	plan->nodes = list;
	plan->node_count = count;
}

int nn_plan_insert_loop(struct nn_plan *plan)
{
	struct nn_node *loop,
		**list = nn_pool_array(&plan->pool, plan->node_count + 1, sizeof(*list));
	struct nn_attr *attr = nn_pool_alloc(&plan->pool, sizeof(*attr));
	uint32_t i, count = 0;

	if (!list || !attr)
		return nn_graph_no_memory(plan->graph);
	for (i = 0; i < plan->node_count; i++)
		if (nn_node_is_lcn(plan->nodes[i]))
			return nn_graph_fail(
				plan->graph, plan->nodes[i], -EINVAL,
				"the graph has a loop already: a step cannot be put in front");
	for (i = 0; i < plan->input_count; i++)
		count += plan->input_variable[i];
	if (!count)
		return nn_graph_fail(
			plan->graph, NULL, -EINVAL,
			"no input has a variable number of rows: there is nothing to run in steps");

	loop = add_node(plan, &nn_op_batch_loop, count, count);
	if (!loop)
		return nn_graph_no_memory(plan->graph);
	*attr = (struct nn_attr){ .name = "step", .type = NN_ATTR_INT, .i = plan->step };
	loop->attrs = attr;
	loop->attr_count = 1;
	for (i = 0, count = 0; i < plan->input_count; i++)
		if (plan->input_variable[i])
			loop->inputs[count++] = plan->inputs[i];
	replace_inputs(plan, loop);
	insert_after_inputs(plan, loop, list);
	return 0;
}

/* ---- Outputs */

/* Whether a node makes what is worth looking at: not what the caller has already. */
static bool makes_tensors(const struct nn_node *node)
{
	return !nn_node_has(node, NN_OP_INPUT | NN_OP_CONST | NN_OP_END);
}

/* Whether OUTPUT can take what a node makes: in a tree it is in the same loop, or outside of that. */
static bool is_seen(const struct nn_plan *plan, const struct nn_node *node)
{
	const struct nn_scope *scope = plan->output->scope;

	if (!plan->is_tree)
		return true;
	while (scope && scope != node->scope)
		scope = scope->parent;
	return scope;
}

int nn_plan_output_all(struct nn_plan *plan)
{
	struct nn_node *output = plan->output;
	struct nn_value **inputs;
	size_t count = output->input_count;

	for (uint32_t i = 0; i < plan->node_count; i++)
		count += makes_tensors(plan->nodes[i]) ? plan->nodes[i]->output_count : 0;
	inputs = nn_pool_array(&plan->pool, count, sizeof(*inputs));
	if (!inputs)
		return nn_graph_no_memory(plan->graph);
	memcpy(inputs, output->inputs, output->input_count * sizeof(*inputs));
	count = output->input_count;
	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (uint32_t j = 0; makes_tensors(node) && is_seen(plan, node) &&
				     j < node->output_count; j++)
			inputs[count++] = &node->outputs[j];
	}
	output->inputs = inputs;
	output->input_count = count;
	return 0;
}

/* ---- The Sink */

int nn_plan_add_sink(struct nn_plan *plan, struct nn_value *const *values, uint32_t count)
{
	struct nn_node *sink = add_node(plan, &nn_op_sink, count, 0);
	struct nn_node **nodes =
		nn_pool_array(&plan->pool, (size_t)plan->node_count + 1, sizeof(*nodes));

	if (!sink || !nodes)
		return nn_graph_no_memory(plan->graph);
	memcpy(sink->inputs, values, count * sizeof(*values));
	sink->refs = nn_plan_count_loops(plan);
	plan->sink = sink;

	memcpy(nodes, plan->nodes, plan->node_count * sizeof(*nodes));
	nodes[plan->node_count++] = sink;
	plan->nodes = nodes;
	return 0;
}
