// SPDX-License-Identifier: MIT
/*
 * Graphs: their lives, their lock, their nodes by id, and what applications set and ask.
 */
#include "graph.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#define DEFAULT_PASS_LIMIT	((uint64_t)1 << 20)

/* A condition variable that waits by CLOCK_MONOTONIC. Positive errno, as pthread functions. */
static int init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;
	int error;

	error = pthread_condattr_init(&attributes);
	if (error)
		return error;
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	error = pthread_cond_init(condition, &attributes);
	pthread_condattr_destroy(&attributes);
	return error;
}

int nn_graph_make(const struct nn_op *const *built_in, struct nn_graph **result)
{
	struct nn_graph *graph = calloc(1, sizeof(*graph));
	int error;

	*result = NULL;
	if (!graph)
		return -ENOMEM;
	error = pthread_mutex_init(&graph->lock, NULL);
	if (error)
		goto free_graph;
	error = init_condition(&graph->idle);
	if (error)
		goto destroy_lock;

	graph->built_in = built_in;
	graph->pass_limit = DEFAULT_PASS_LIMIT;
	*result = graph;
	return 0;

destroy_lock:
	pthread_mutex_destroy(&graph->lock);
free_graph:
	free(graph);
	return -error;
}

void nn_graph_clear(struct nn_graph *graph)
{
	nn_pool_free(&graph->pool);
	free(graph->nodes);
	graph->nodes = NULL;
	graph->node_count = 0;
	graph->node_room = 0;
	free(graph->table.slots);
	graph->table = (struct nn_node_table){ 0 };
	graph->max_id = 0;
}

void nn_graph_free(struct nn_graph *graph)
{
	nn_graph_clear(graph);
	free(graph->refusals);
	while (graph->registered) {
		struct nn_op *op = graph->registered;

		graph->registered = op->next;
		free(op);
	}
	pthread_cond_destroy(&graph->idle);
	pthread_mutex_destroy(&graph->lock);
	free(graph);
}

static void clear_errors(struct nn_graph *graph)
{
	graph->error = (struct nn_error){ 0 };
	graph->told = (struct nn_error){ 0 };
	free(graph->refusals);
	graph->refusals = NULL;
}

void nn_graph_lock(struct nn_graph *graph)
{
	pthread_mutex_lock(&graph->lock);
	while (graph->busy)
		pthread_cond_wait(&graph->idle, &graph->lock);
	clear_errors(graph);
}

int nn_graph_lock_idle(struct nn_graph *graph)
{
	pthread_mutex_lock(&graph->lock);
	while (graph->busy && !graph->started)
		pthread_cond_wait(&graph->idle, &graph->lock);
	if (graph->started) {
		nn_error_set(&graph->told, -EBUSY,
			     "an execution that was started has not been waited for");
		pthread_mutex_unlock(&graph->lock);
		return -EBUSY;
	}
	clear_errors(graph);
	return 0;
}

void nn_graph_unlock(struct nn_graph *graph)
{
	if (!graph->busy)
		graph->told = graph->error;
	pthread_mutex_unlock(&graph->lock);
}

/* ---- Ids */

static uint32_t hash_id(uint32_t id)
{
	return (id * 0x9e3779b1u) ^ (id >> 15);
}

struct nn_node *nn_graph_find(const struct nn_graph *graph, uint32_t id)
{
	const struct nn_node_table *table = &graph->table;
	uint32_t i;

	if (!table->size)
		return NULL;
	for (i = hash_id(id);; i++) {
		struct nn_node *node = table->slots[i & (table->size - 1)];

		if (!node || node->id == id)
			return node;
	}
}

static void table_insert(struct nn_node_table *table, struct nn_node *node)
{
	uint32_t i = hash_id(node->id);

	while (table->slots[i & (table->size - 1)])
		i++;
	table->slots[i & (table->size - 1)] = node;
}

/* Room for one more node, in the list and in the table. */
static int reserve(struct nn_graph *graph)
{
	uint32_t i;

	if (graph->node_count == graph->node_room) {
		uint32_t room = graph->node_room ? graph->node_room * 2 : 64;
		struct nn_node **nodes = realloc(graph->nodes, room * sizeof(*nodes));

		if (!nodes)
			return -ENOMEM;
		graph->nodes = nodes;
		graph->node_room = room;
	}
	if ((graph->node_count + 1) * 3ull > graph->table.size * 2ull) {
		struct nn_node_table table = { .size = graph->table.size ? graph->table.size * 2
									 : 128 };

		table.slots = calloc(table.size, sizeof(*table.slots));
		if (!table.slots)
			return -ENOMEM;
		for (i = 0; i < graph->node_count; i++)
			table_insert(&table, graph->nodes[i]);
		free(graph->table.slots);
		graph->table = table;
	}
	return 0;
}

int nn_graph_add(struct nn_graph *graph, struct nn_node *node)
{
	if (reserve(graph))
		return -ENOMEM;
	graph->nodes[graph->node_count++] = node;
	table_insert(&graph->table, node);
	if (node->id > graph->max_id)
		graph->max_id = node->id;
	return 0;
}

/* ---- What applications set */

int nn_graph_set_pass_limit(struct nn_graph *graph, uint64_t limit)
{
	int error = 0;

	nn_graph_lock(graph);
	if (limit)
		graph->pass_limit = limit;
	else
		error = nn_graph_fail(graph, NULL, -EINVAL, "the pass limit must be at least 1");
	nn_graph_unlock(graph);
	return error;
}

int nn_graph_set_progress(struct nn_graph *graph, nn_progress_fp function, void *opaque)
{
	nn_graph_lock(graph);
	graph->progress = function;
	graph->progress_opaque = opaque;
	nn_graph_unlock(graph);
	return 0;
}

int nn_graph_set_trace(struct nn_graph *graph, nn_trace_fp function, void *opaque)
{
	nn_graph_lock(graph);
	graph->trace = function;
	graph->trace_opaque = opaque;
	nn_graph_unlock(graph);
	return 0;
}

/* ---- Inputs, before and after preparing */

static struct nn_value *find_input(const struct nn_graph *graph, uint32_t index)
{
	uint32_t i;

	for (i = 0; i < graph->node_count; i++) {
		struct nn_node *node = graph->nodes[i];

		if (!nn_node_has(node, NN_OP_INPUT))
			continue;
		if (index < node->output_count)
			return &node->outputs[index];
		index -= node->output_count;
	}
	return NULL;
}

uint32_t nn_graph_get_input_count(const struct nn_graph *graph)
{
	uint32_t i, count = 0;

	for (i = 0; i < graph->node_count; i++)
		if (nn_node_has(graph->nodes[i], NN_OP_INPUT))
			count += graph->nodes[i]->output_count;
	return count;
}

int nn_graph_get_input_info(const struct nn_graph *graph, uint32_t index,
			    struct nn_tensor_info *info)
{
	const struct nn_value *value = find_input(graph, index);

	if (!value)
		return -ENOENT;
	*info = value->info;
	return 0;
}
