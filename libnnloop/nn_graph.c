// SPDX-License-Identifier: MIT
/*
 * The public calls that need more than one floor: the life of a graph, and appending to one.
 *
 * The other public functions are each on the lowest floor that has what they need.
 */
#include "nn_graph.h"

#include "graph/graph.h"
#include "ops/ops.h"
#include "plan/plan.h"
#include "run/async.h"

uint32_t nn_version(void)
{
	return NN_VERSION;
}

int nn_graph_create(struct nn_graph **graph)
{
	return nn_graph_make(nn_ops, graph);
}

static void drop_plan(struct nn_graph *graph)
{
	nn_plan_destroy(graph->plan);
	graph->plan = NULL;
}

void nn_graph_destroy(struct nn_graph *graph)
{
	if (!graph)
		return;
	nn_async_destroy(graph);
	drop_plan(graph);
	nn_graph_free(graph);
}

int nn_graph_append_sized(struct nn_graph *graph, const struct nn_node_desc *desc, size_t size,
			  size_t info_size)
{
	int error;

	nn_graph_lock(graph);
	error = nn_graph_append_theirs(graph, desc, size, info_size);
	if (!error)
		drop_plan(graph);
	nn_graph_unlock(graph);
	return error;
}
