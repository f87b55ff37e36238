// SPDX-License-Identifier: MIT
/*
 * Graphs: their lives, their lock, their nodes by id, and what applications set and ask.
 */
#include "graph.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "base/sized.h"

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
	free(graph->inputs);
	graph->inputs = NULL;
	graph->input_count = 0;
	graph->input_room = 0;
}

void nn_graph_free(struct nn_graph *graph)
{
	nn_graph_clear(graph);
	free(graph->refusals);
	free(graph->open);
	free(graph->trace_room);
	while (graph->registered) {
		struct nn_op *op = graph->registered;

		graph->registered = op->next;
		free(op);
	}
	pthread_cond_destroy(&graph->idle);
	pthread_mutex_destroy(&graph->lock);
	free(graph);
}

void nn_graph_clear_errors(struct nn_graph *graph)
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
	nn_graph_clear_errors(graph);
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
	nn_graph_clear_errors(graph);
	return 0;
}

void nn_graph_unlock(struct nn_graph *graph)
{
	if (!graph->busy)
		graph->told = graph->error;
	pthread_mutex_unlock(&graph->lock);
}

/* ---- Ids */

/* The slot where a search begins. The upper bits of the product depend on all bits of the id, so
 * that ids with a stride are scattered as well. */
static uint32_t first_slot(const struct nn_node_table *table, uint32_t id)
{
	return (id * 0x9e3779b1u) >> (32 - table->bits);
}

static uint32_t next_slot(const struct nn_node_table *table, uint32_t slot)
{
	return (slot + 1) & ((1u << table->bits) - 1);
}

struct nn_node *nn_graph_find(const struct nn_graph *graph, uint32_t id)
{
	const struct nn_node_table *table = &graph->table;
	uint32_t slot;

	if (!table->slots)
		return NULL;
	slot = first_slot(table, id);
	while (table->slots[slot] && table->slots[slot]->id != id)
		slot = next_slot(table, slot);
	return table->slots[slot];
}

static void table_insert(struct nn_node_table *table, struct nn_node *node)
{
	uint32_t slot = first_slot(table, node->id);

	while (table->slots[slot])
		slot = next_slot(table, slot);
	table->slots[slot] = node;
}

/* Room in an array for so many elements, which at least doubles it. *room stays without memory. */
static int reserve(void *array, size_t size, uint64_t count, uint32_t *room)
{
	uint64_t wanted = *room ? *room : 64;
	void **place = array, *memory;

	if (count <= *room)
		return 0;
	while (wanted < count)
		wanted *= 2;
	memory = wanted <= UINT32_MAX ? realloc(*place, wanted * size) : NULL;
	if (!memory)
		return -ENOMEM;
	*place = memory;
	*room = wanted;
	return 0;
}

/* Room for one more node in the table. */
static int reserve_slot(struct nn_graph *graph)
{
	struct nn_node_table table = { .bits = graph->table.slots ? graph->table.bits + 1 : 7 };
	uint32_t i;

	if (graph->table.slots && (graph->node_count + 1) * 3ull <= 2ull << graph->table.bits)
		return 0;
	table.slots = table.bits < 32 ? calloc(1ull << table.bits, sizeof(*table.slots)) : NULL;
	if (!table.slots)
		return -ENOMEM;
	for (i = 0; i < graph->node_count; i++)
		table_insert(&table, graph->nodes[i]);
	free(graph->table.slots);
	graph->table = table;
	return 0;
}

int nn_graph_add(struct nn_graph *graph, struct nn_node *node)
{
	uint32_t inputs = nn_node_has(node, NN_OP_INPUT) ? node->output_count : 0, i;

	if (reserve(&graph->nodes, sizeof(*graph->nodes), graph->node_count + 1ull,
		    &graph->node_room) ||
	    reserve(&graph->inputs, sizeof(*graph->inputs), (uint64_t)graph->input_count + inputs,
		    &graph->input_room) ||
	    reserve_slot(graph))
		return -ENOMEM;
	graph->nodes[graph->node_count++] = node;
	table_insert(&graph->table, node);
	if (node->id > graph->max_id)
		graph->max_id = node->id;
	for (i = 0; i < inputs; i++)
		graph->inputs[graph->input_count++] = &node->outputs[i];
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

int nn_graph_set_trace_sized(struct nn_graph *graph, nn_trace_fp function, void *opaque,
			     size_t size, size_t op_size)
{
	void *room = NULL;
	int error = 0;

	nn_graph_lock(graph);
	if (size != sizeof(struct nn_pass_record)) {
		room = malloc(size);
		if (!room) {
			error = nn_graph_no_memory(graph);
			goto unlock;
		}
	}
	free(graph->trace_room);
	graph->trace_room = room;
	graph->trace = function;
	graph->trace_opaque = opaque;
	graph->trace_size = size;
	graph->trace_op_size = op_size;
unlock:
	nn_graph_unlock(graph);
	return error;
}

/* ---- Inputs, before and after preparing */

uint32_t nn_graph_get_input_count(const struct nn_graph *graph)
{
	return graph->input_count;
}

int nn_graph_get_input_info_sized(const struct nn_graph *graph, uint32_t index,
				  struct nn_tensor_info *info, size_t size)
{
	const struct nn_tensor_info *own;

	if (index >= graph->input_count)
		return -ENOENT;
	own = &graph->inputs[index]->info;
	nn_sized_give(info, size, own, sizeof(*own));
	return 0;
}
