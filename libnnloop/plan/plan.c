// SPDX-License-Identifier: MIT
/*
 * Making a plan, and answering questions about it.
 */
#include "plan.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bind.h"
#include "run/loop.h"
#include "ops/ops.h"

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
	node->clamp_min = -INFINITY;
	node->clamp_max = INFINITY;
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

struct nn_node *nn_plan_add_node(struct nn_plan *plan, const struct nn_op *op, uint32_t input_count,
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
	node->clamp_min = -INFINITY;
	node->clamp_max = INFINITY;
	if (!node->inputs || !node->outputs)
		return NULL;
	for (i = 0; i < output_count; i++) {
		node->outputs[i].node = node;
		node->outputs[i].index = i;
	}
	return node;
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
		if (!nn_node_is(plan->nodes[i], NN_OP_OUTPUT))
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

		for (j = 0; nn_node_is(node, NN_OP_INPUT) && j < node->output_count; j++, slot++) {
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

/* ---- A loop in front of a graph that has none */

static void replace_inputs(struct nn_plan *plan, const struct nn_node *loop)
{
	uint32_t i, j, k;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; node != loop && j < node->input_count; j++)
			for (k = 0; k < loop->input_count; k++)
				if (node->inputs[j] == loop->inputs[k])
					node->inputs[j] = &loop->outputs[k];
	}
}

/* The list becomes: constants and inputs, the loop, everything else; each in its old order. */
static void insert_after_inputs(struct nn_plan *plan, struct nn_node *loop, struct nn_node **list)
{
	uint32_t i, count = 0, pass;

	for (pass = 0; pass < 2; pass++) {
		for (i = 0; i < plan->node_count; i++) {
			bool source = nn_node_is(plan->nodes[i], NN_OP_INPUT) ||
				      nn_node_is(plan->nodes[i], NN_OP_CONST);

			if (source == !pass)
				list[count++] = plan->nodes[i];
		}
		if (!pass)
			list[count++] = loop;
	}
	plan->nodes = list;
	plan->node_count = count;
}

static int insert_loop(struct nn_plan *plan)
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

	loop = nn_plan_add_node(plan, nn_op_get(NN_OP_BATCH_LOOP), count, count);
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

/* ---- Making and freeing */

void nn_plan_destroy(struct nn_plan *plan)
{
	struct nn_pool pool;

	if (!plan)
		return;
	nn_binding_destroy(plan);
	free(plan->constants);
	/* The plan itself is in its pool. */
	pool = plan->pool;
	nn_pool_free(&pool);
}

static int make_plan(struct nn_plan *plan, const uint32_t *input_rows, bool have_constants)
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
		error = insert_loop(plan);
		if (error)
			return error;
	}
	error = nn_plan_optimize(plan);
	if (error)
		return error;
	error = nn_plan_partition(plan);
	if (error)
		return error;
	error = nn_plan_infer(plan);
	if (error)
		return error;
	error = nn_plan_memory(plan);
	if (error)
		return error;
	return nn_plan_lower(plan, have_constants);
}

int nn_plan_create(struct nn_graph *graph, struct nn_device *device, uint32_t flags, uint32_t step,
		   const uint32_t *input_rows, struct nn_plan *earlier, struct nn_plan **result)
{
	struct nn_binding *binding = earlier ? earlier->binding : NULL;
	struct nn_pool pool = { 0 };
	struct nn_plan *plan = nn_pool_alloc(&pool, sizeof(*plan));
	int error;

	if (!plan)
		return nn_graph_no_memory(graph);
	plan->pool = pool;
	plan->graph = graph;
	plan->flags = flags;
	plan->step = step;
	graph->preparing = plan;
	error = make_plan(plan, input_rows, binding != NULL);
	graph->preparing = NULL;
	if (!error)
		nn_plan_walk(plan);
	if (!error && device)
		error = nn_plan_bind(plan, device, binding);
	if (error) {
		nn_plan_destroy(plan);
		return error;
	}
	*result = plan;
	return 0;
}

int nn_graph_prepare(struct nn_graph *graph, struct nn_device *device,
		     const struct nn_prepare_options *options)
{
	static const struct nn_prepare_options defaults;
	struct nn_plan *plan;
	int error;

	if (!options)
		options = &defaults;
	nn_graph_lock(graph);
	error = -EINVAL;
	if (options->flags & ~(NN_PREPARE_NO_OPTIMIZE | NN_PREPARE_PROFILE)) {
		nn_graph_fail(graph, NULL, error, "unknown flags 0x%x", options->flags);
		goto unlock;
	}
	if (options->input_rows && options->input_count != nn_graph_get_input_count(graph)) {
		nn_graph_fail(graph, NULL, error,
			      "row counts are given for %u inputs, but the graph has %u",
			      options->input_count, nn_graph_get_input_count(graph));
		goto unlock;
	}
	error = nn_plan_create(graph, device, options->flags, options->step, options->input_rows,
			       NULL, &plan);
	if (error)
		goto unlock;
	nn_plan_destroy(graph->plan);
	graph->plan = plan;
unlock:
	nn_graph_unlock(graph);
	return error;
}

/* ---- Questions */

uint32_t nn_graph_get_output_count(const struct nn_graph *graph)
{
	uint32_t i;

	if (graph->plan)
		return graph->plan->output->input_count;
	for (i = 0; i < graph->node_count; i++)
		if (nn_node_is(graph->nodes[i], NN_OP_OUTPUT))
			return graph->nodes[i]->input_count;
	return 0;
}

int nn_graph_get_output_info(const struct nn_graph *graph, uint32_t index,
			     struct nn_tensor_info *info)
{
	const struct nn_plan *plan = graph->plan;
	uint32_t level;

	if (!plan)
		return -EINVAL;
	if (index >= plan->output->input_count)
		return -ENOENT;
	*info = plan->output->inputs[index]->info;
	level = info->level;
	if (!level)
		return 0;
	info->dims[0] = plan->walk_error || plan->total_rows[level] > UINT32_MAX
				? NN_VARIABLE
				: plan->total_rows[level];
	return 0;
}

/* Bytes of a buffer that takes all rows of an output; 0 if only the data can tell. */
static uint64_t output_bytes(const struct nn_plan *plan, const struct nn_value *value)
{
	uint64_t rows =
		value->info.level ? plan->total_rows[value->info.level] : value->info.dims[0];

	return rows * nn_info_row_bytes(&value->info);
}

int nn_graph_get_plan(const struct nn_graph *graph, struct nn_plan_info *info)
{
	const struct nn_plan *plan = graph->plan;
	uint64_t rows[NN_MAX_LOOPSTACK + 1];
	uint32_t i;

	if (!plan)
		return -EINVAL;
	*info = (struct nn_plan_info){
		.node_count = plan->node_count - (plan->sink != NULL),
		.sink_count = plan->sink ? plan->sink->input_count : 0,
		.sink_id = plan->sink ? plan->sink->id : 0,
		.partition_count = plan->lcn_count + 1,
		.arena_bytes = plan->arena_bytes,
		.constant_bytes = plan->constant_bytes,
		.bytes_moved = plan->bytes_moved,
	};
	for (i = 0; i < plan->part_count; i++)
		info->program_count += plan->parts[i].program != NULL;
	for (i = 0; i < plan->input_count; i++)
		info->input_bytes += nn_info_bytes(&plan->inputs[i]->info);
	if (plan->walk_error)
		return 0;

	info->push_count = plan->push_count;
	info->pass_count = plan->pass_count;
	memcpy(rows, plan->total_rows, sizeof(rows));
	info->arena_bytes_unlooped = nn_plan_arena_bytes(plan, rows);
	for (i = 0; i < plan->output->input_count; i++)
		info->output_bytes += output_bytes(plan, plan->output->inputs[i]);
	return 0;
}

/* A node by its index among those that the questions are about: all but the Sink, which is the
 * last. */
static struct nn_node *plan_node(const struct nn_graph *graph, uint32_t index, int *error)
{
	const struct nn_plan *plan = graph->plan;

	*error = plan ? -ENOENT : -EINVAL;
	if (!plan || index >= plan->node_count - (plan->sink != NULL))
		return NULL;
	return plan->nodes[index];
}

int nn_graph_get_plan_node(const struct nn_graph *graph, uint32_t index, struct nn_plan_node *info)
{
	const struct nn_node *node;
	int error;

	node = plan_node(graph, index, &error);
	if (!node)
		return error;
	*info = (struct nn_plan_node){
		.id = node->id,
		.op = node->op_name,
		.name = node->name,
		.partition = node->refs,
		.runs_on = node->runs_on,
		.part = node->part,
		.flags = node->op->flags & (NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC),
		.input_count = node->input_count,
		.output_count = node->output_count,
	};
	return 0;
}

int nn_graph_get_plan_input(const struct nn_graph *graph, uint32_t index, uint32_t input,
			    struct nn_input *source)
{
	const struct nn_node *node;
	int error;

	node = plan_node(graph, index, &error);
	if (!node)
		return error;
	if (input >= node->input_count)
		return -ENOENT;
	*source = (struct nn_input){ 0 };
	if (node->inputs[input])
		*source = (struct nn_input){ node->inputs[input]->node->id,
					     node->inputs[input]->index };
	return 0;
}

int nn_graph_get_plan_output(const struct nn_graph *graph, uint32_t index, uint32_t output,
			     struct nn_tensor_info *info)
{
	const struct nn_node *node;
	int error;

	node = plan_node(graph, index, &error);
	if (!node)
		return error;
	if (output >= node->output_count)
		return -ENOENT;
	*info = node->outputs[output].info;
	return 0;
}

int nn_graph_get_plan_sink(const struct nn_graph *graph, uint32_t index, struct nn_input *tensor)
{
	const struct nn_plan *plan = graph->plan;

	if (!plan)
		return -EINVAL;
	if (!plan->sink || index >= plan->sink->input_count)
		return -ENOENT;
	*tensor = (struct nn_input){ plan->sink->inputs[index]->node->id,
				     plan->sink->inputs[index]->index };
	return 0;
}
