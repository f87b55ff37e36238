// SPDX-License-Identifier: MIT
/*
 * Making a plan and freeing it.
 */
#include "plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bind.h"

/* ---- A copy of the graph */

static struct nn_node *copy_node(struct nn_plan *plan, struct nn_node *from)
{
	struct nn_node *node = nn_pool_copy(&plan->pool, from, sizeof(*from));
	uint32_t i;

	if (!node)
		return NULL;
	node->inputs = nn_pool_array(&plan->pool, node->input_count, sizeof(*node->inputs));
	node->outputs = nn_pool_copy(&plan->pool, from->outputs,
				     node->output_count * sizeof(*node->outputs));
	if (!node->inputs || !node->outputs)
		return NULL;
	for (i = 0; i < node->input_count; i++)
		if (from->inputs[i])
			node->inputs[i] =
				&from->inputs[i]->node->copy->outputs[from->inputs[i]->index];
	for (i = 0; i < node->output_count; i++)
		node->outputs[i].node = node;
	node->limits = (struct nn_limits){ -INFINITY, INFINITY };
	from->copy = node;
	return node;
}

static int copy_nodes(struct nn_plan *plan)
{
	struct nn_graph *graph = plan->graph;
	uint32_t i;

	/* Room for nodes that the library puts in. */
	plan->nodes =
		nn_pool_array(&plan->pool, (size_t)graph->node_count + 1, sizeof(*plan->nodes));
	if (!plan->nodes)
		return nn_graph_no_memory(graph);
	for (i = 0; i < graph->node_count; i++) {
		plan->nodes[i] = copy_node(plan, graph->nodes[i]);
		if (!plan->nodes[i])
			return nn_graph_no_memory(graph);
	}
	plan->node_count = graph->node_count;
	plan->next_id = graph->max_id;
	return 0;
}

struct nn_node *nn_plan_find(const struct nn_plan *plan, uint32_t id)
{
	uint32_t i;

	for (i = 0; i < plan->node_count; i++)
		if (plan->nodes[i]->id == id)
			return plan->nodes[i];
	return NULL;
}

static int find_output(struct nn_plan *plan)
{
	uint32_t i;

	for (i = 0; i < plan->node_count; i++) {
		if (!nn_node_has(plan->nodes[i], NN_OP_END))
			continue;
		if (plan->output)
			return nn_graph_fail(
				plan->graph, plan->nodes[i], -EINVAL,
				"is a second OUTPUT beside node %u: a graph has one, with as many inputs as it likes",
				plan->output->id);
		plan->output = plan->nodes[i];
	}
	if (!plan->output)
		return nn_graph_fail(plan->graph, NULL, -EINVAL, "the graph has no OUTPUT");
	return 0;
}

static int find_inputs(struct nn_plan *plan, const uint32_t *rows)
{
	uint32_t i, j, slot = 0;

	plan->input_count = nn_graph_get_input_count(plan->graph);
	plan->inputs = nn_pool_array(&plan->pool, plan->input_count, sizeof(*plan->inputs));
	plan->input_rows = nn_pool_array(&plan->pool, plan->input_count, sizeof(*plan->input_rows));
	plan->input_variable =
		nn_pool_array(&plan->pool, plan->input_count, sizeof(*plan->input_variable));
	if (!plan->inputs || !plan->input_rows || !plan->input_variable)
		return nn_graph_no_memory(plan->graph);

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; nn_node_has(node, NN_OP_INPUT) && j < node->output_count; j++, slot++) {
			struct nn_value *value = &node->outputs[j];
			uint32_t fixed = value->info.dims[0];

			plan->inputs[slot] = value;
			plan->input_variable[slot] = fixed == NN_VARIABLE;
			if (plan->input_variable[slot])
				value->info.dims[0] = rows ? rows[slot] : 1;
			else if (rows && rows[slot] && rows[slot] != fixed)
				return nn_graph_fail(plan->graph, node, -EINVAL,
						     "input %u takes exactly %u rows, not %u", slot,
						     fixed, rows[slot]);
			plan->input_rows[slot] = value->info.dims[0];
			value->storage = NN_STORAGE_INPUT;
			value->slot = slot;
			if (nn_info_bytes(&value->info) > NN_MAX_TENSOR_BYTES)
				return nn_graph_fail(plan->graph, node, -EOVERFLOW,
						     "%u rows of input %u are larger than 2 GiB",
						     value->info.dims[0], slot);
		}
	}
	return 0;
}

/* ---- Making and freeing */

void nn_plan_destroy(struct nn_plan *plan)
{
	struct nn_pool pool;

	if (!plan)
		return;
	nn_binding_destroy(plan);
	nn_pool_free(&plan->constants.pool);
	/* The plan itself is in its pool. */
	pool = plan->pool;
	nn_pool_free(&pool);
}

/* Finds out what is known of a plan before there is memory for it. */
static int infer_plan(struct nn_plan *plan, const uint32_t *input_rows)
{
	int error;

	error = copy_nodes(plan);
	if (error)
		return error;
	error = find_output(plan);
	if (error)
		return error;
	error = find_inputs(plan, input_rows);
	if (error)
		return error;
	if (plan->step) {
		error = nn_plan_insert_loop(plan);
		if (error)
			return error;
	}
	plan->is_tree = nn_plan_has_tree(plan);
	if (plan->flags & NN_PREPARE_ALL_TENSORS) {
		/* Which tensors OUTPUT can take of a tree is known with its scopes, behind optimizing. */
		if (plan->is_tree)
			plan->flags |= NN_PREPARE_NO_OPTIMIZE;
		else
			error = nn_plan_output_all(plan);
		if (error)
			return error;
	}
	error = nn_plan_optimize(plan);
	if (error)
		return error;
	error = plan->is_tree ? nn_plan_find_scopes(plan) : nn_plan_partition(plan);
	if (error)
		return error;
	return nn_plan_infer(plan);
}

static int make_plan(struct nn_plan *plan, const uint32_t *input_rows)
{
	int error = infer_plan(plan, input_rows);

	if (error)
		return error;
	if (!(plan->flags & NN_PREPARE_NO_OPTIMIZE)) {
		error = nn_plan_merge_functions(plan);
		if (error)
			return error;
		nn_plan_place_views(plan);
		nn_plan_overwrite(plan);
		nn_plan_place_channels(plan);
	}
	error = nn_plan_memory(plan);
	if (error)
		return error;
	return nn_plan_lower(plan);
}

/* NULL: there is no memory. */
static struct nn_plan *begin_plan(struct nn_graph *graph, uint32_t flags, uint32_t step)
{
	struct nn_pool pool = { 0 };
	struct nn_plan *plan = nn_pool_alloc(&pool, sizeof(*plan));

	if (!plan)
		return NULL;
	plan->pool = pool;
	plan->graph = graph;
	plan->flags = flags;
	plan->step = step;
	return plan;
}

/* Runs one of the functions above, which may ask the graph for the plan's memory and rows. */
static int prepare(struct nn_plan *plan, const uint32_t *input_rows,
		   int (*make)(struct nn_plan *plan, const uint32_t *input_rows))
{
	struct nn_preparation preparation = {
		.pool = &plan->pool,
		.max_rows = plan->max_rows,
		.full_rows = plan->full_rows,
		.counts = plan->counts,
		.count_count = &plan->count_count,
	};
	int error;

	plan->graph->preparing = &preparation;
	error = make(plan, input_rows);
	plan->graph->preparing = NULL;
	return error;
}

int nn_plan_create(struct nn_graph *graph, uint32_t flags, uint32_t step,
		   const uint32_t *input_rows, const struct nn_plan *earlier,
		   struct nn_plan **result)
{
	struct nn_plan *plan = begin_plan(graph, flags, step);
	int error;

	if (!plan)
		return nn_graph_no_memory(graph);
	plan->constants.written_before = earlier && earlier->binding;
	error = prepare(plan, input_rows, make_plan);
	if (error) {
		nn_plan_destroy(plan);
		return error;
	}
	*result = plan;
	return 0;
}

int nn_plan_check(struct nn_graph *graph, const uint32_t *input_rows)
{
	struct nn_plan *plan = begin_plan(graph, 0, 0);
	int error;

	if (!plan)
		return nn_graph_no_memory(graph);
	error = prepare(plan, input_rows, infer_plan);
	nn_plan_destroy(plan);
	return error;
}
