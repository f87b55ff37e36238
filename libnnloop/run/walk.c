// SPDX-License-Identifier: MIT
/*
 * Walking through the passes of a plan without running them, as far as they do not depend on data.
 */
#include "walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "loop.h"

struct walk {
	struct nn_loop loop;
	nn_push_fp function;		/* NULL: only add up */
	void *opaque;
	size_t push_size;		/* of the program's nn_push */
	void *push_room;		/* for one */
	uint64_t device_passes;
	uint64_t total_rows[NN_MAX_LOOPSTACK + 1];
	/* Rows of the outputs that earlier iterations of the outermost loop have come to. */
	uint64_t earlier_rows[NN_MAX_LOOPSTACK + 1];
	bool overlaps;
};

static int walk_synchronize(struct nn_loop *loop, struct nn_node *node)
{
	return nn_graph_fail(
		loop->plan->graph, node, -EOPNOTSUPP,
		"the passes of this loop are not known before it runs: they depend on data");
}

static int walk_run(struct nn_loop *loop, uint32_t partition)
{
	struct walk *walk = (struct walk *)loop;
	const struct nn_plan *plan = loop->plan;
	uint32_t i;

	for (i = plan->first_part[partition]; i < plan->first_part[partition + 1]; i++)
		walk->device_passes +=
			plan->parts[i].program && nn_loop_runs_part(loop, &plan->parts[i]);
	return 0;
}

/* A part that decides about a loop: the walk ends there. */
static int walk_begin(struct nn_loop *loop, const struct nn_part *part)
{
	(void)loop;
	(void)part;
	return 0;
}

static int walk_pushed(struct nn_loop *loop, const struct nn_scope *scope)
{
	uint32_t level = scope->level;
	struct walk *walk = (struct walk *)loop;
	struct nn_push push = {
		.lcn = scope->lcn->id,
		.level = level,
		.counts = *nn_graph_counts(loop->plan->graph, level),
	};

	push.offset = (uint64_t)push.counts.prev_batches + push.counts.prev_outer_batches;
	if (level == 1)
		memcpy(walk->earlier_rows, walk->total_rows, sizeof(walk->earlier_rows));
	/* OUTPUT counts rows of loops that are around it alone. */
	if (nn_scope_has(scope, loop->plan->output->scope)) {
		if (push.offset < walk->earlier_rows[level])
			walk->overlaps = true;
		if (push.offset + push.counts.current_batches > walk->total_rows[level])
			walk->total_rows[level] = push.offset + push.counts.current_batches;
	}
	if (!walk->function)
		return 0;
	nn_sized_give(walk->push_room, walk->push_size, &push, sizeof(push));
	return walk->function(walk->push_room, walk->opaque);
}

static int walk_plan(struct nn_plan *plan, struct walk *walk)
{
	walk->loop.plan = plan;
	walk->loop.pass_limit = plan->graph->pass_limit;
	walk->loop.synchronize = walk_synchronize;
	walk->loop.run = walk_run;
	walk->loop.begin = walk_begin;
	walk->loop.pushed_hook = walk_pushed;
	return nn_loop_run(&walk->loop);
}

static void add_up(struct nn_plan *plan)
{
	struct walk walk = { 0 };
	uint32_t i;

	plan->walk_error = walk_plan(plan, &walk);
	plan->push_count = walk.loop.pushes;
	plan->outer_pushes = walk.loop.outer_pushes;
	plan->rows_overlap = walk.overlaps;
	plan->pass_count = walk.device_passes;
	for (i = 1; i <= NN_MAX_LOOPSTACK; i++)
		plan->total_rows[i] = walk.total_rows[i];
}

void nn_plan_walk(struct nn_plan *plan)
{
	add_up(plan);
	/* Not the caller's error: an execution that comes to it reports it. */
	plan->graph->error = (struct nn_error){ 0 };
}

int nn_plan_check_pass_limit(struct nn_plan *plan)
{
	uint64_t limit = plan->graph->pass_limit;

	if (plan->walk_error ? plan->walk_error != -ELOOP : plan->push_count <= limit)
		return 0;
	/* The limit may be another one now. */
	add_up(plan);
	if (plan->walk_error == -ELOOP)
		return plan->walk_error;
	plan->graph->error = (struct nn_error){ 0 };
	return 0;
}

int nn_graph_walk_passes_sized(struct nn_graph *graph, nn_push_fp function, void *opaque,
			       size_t size)
{
	struct walk walk = { .function = function, .opaque = opaque, .push_size = size };
	int error;

	nn_graph_lock(graph);
	if (!graph->plan) {
		error = nn_graph_fail(graph, NULL, -EINVAL, "the graph is not prepared");
		goto unlock;
	}
	walk.push_room = malloc(size);
	error = walk.push_room ? walk_plan(graph->plan, &walk) : nn_graph_no_memory(graph);
	free(walk.push_room);
unlock:
	nn_graph_unlock(graph);
	return error;
}
