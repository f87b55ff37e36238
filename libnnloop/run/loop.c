// SPDX-License-Identifier: MIT
/*
 * The run loop: pushes, passes and pops of the loops of a plan, as an execution goes.
 */
#include "loop.h"

#include <errno.h>
#include <string.h>

/* A view must stay within the rows that its source has in this pass. */
static int check_views(struct nn_graph *graph, struct nn_node *lcn)
{
	const struct nn_loopcounts *counts = nn_graph_counts(graph, lcn->refs);
	uint32_t i;

	for (i = 0; i < lcn->output_count; i++) {
		const struct nn_value *value = &lcn->outputs[i];

		if (value->storage != NN_STORAGE_VIEW)
			continue;
		if ((uint64_t)counts->prev_batches + counts->current_batches >
		    nn_graph_rows(graph, value->base))
			return nn_graph_fail(
				graph, lcn, -ERANGE,
				"a pass of %u rows after %u leaves its input, which has %u",
				counts->current_batches, counts->prev_batches,
				nn_graph_rows(graph, value->base));
	}
	return 0;
}

static int enter_lcn(struct nn_loop *loop, struct nn_node *lcn)
{
	struct nn_graph *graph = loop->plan->graph;
	struct nn_running *running = &graph->running;
	int error;

	if (!(lcn->op->flags & NN_NODE_FLAG_STATIC) &&
	    !((lcn->op->flags & NN_OP_LOOKS_ONCE) && loop->goes_on[lcn->refs])) {
		error = loop->synchronize(loop, lcn);
		if (error)
			return error;
	}
	if (loop->pushes >= loop->pass_limit)
		return nn_graph_fail(
			graph, lcn, -ELOOP,
			"the loop takes more than %llu passes, which is the graph's limit",
			(unsigned long long)loop->pass_limit);

	running->pushed = false;
	running->push_error = 0;
	running->node = lcn;
	error = lcn->op->execute(graph, lcn, lcn->op->opaque);
	running->node = NULL;
	if (running->push_error)
		return running->push_error;
	error = nn_graph_end_callback(graph, lcn, error, "execute");
	if (error)
		return error;
	if (!running->pushed)
		return nn_graph_fail(graph, lcn, -EINVAL,
				     "returned from execute without pushing its loop");
	loop->pushes++;
	loop->outer_pushes += lcn->refs == 1;
	error = check_views(graph, lcn);
	if (error || !loop->pushed_hook)
		return error;
	return loop->pushed_hook(loop, lcn->refs);
}

/* Pop one loop. *again: it goes on, at its LCN. */
static int pop(struct nn_loop *loop, bool *again)
{
	struct nn_graph *graph = loop->plan->graph;
	struct nn_loopstack_entry *entry = &graph->loopstack.entries[--graph->loopstack.n];
	struct nn_node *lcn = entry->nodep;
	int result;

	*again = false;
	if (entry->loopend_function != nn_loopend_default) {
		result = loop->synchronize(loop, lcn);
		if (result)
			return result;
	}
	graph->running.pushed = false;
	graph->running.ending = true;
	graph->running.node = lcn;
	result = entry->loopend_function(graph, lcn, &entry->counts, entry->opaque);
	graph->running.node = NULL;
	graph->running.ending = false;
	*again = result > 0;
	result = nn_graph_end_callback(graph, lcn, *again ? 0 : result, "loop-end function");
	if (result)
		return result;
	loop->goes_on[lcn->refs] = *again;
	return 0;
}

static int run_partitions(struct nn_loop *loop)
{
	struct nn_plan *plan = loop->plan;
	struct nn_loopstack *stack = &plan->graph->loopstack;
	uint32_t partition = 0;
	bool again;
	int error;

	for (;;) {
		for (; partition <= plan->lcn_count; partition++) {
			if (partition) {
				error = enter_lcn(loop, plan->lcns[partition - 1]);
				if (error)
					return error;
			}
			error = loop->run(loop, partition);
			if (error)
				return error;
		}
		do {
			if (!stack->n)
				return 0;
			error = pop(loop, &again);
			if (error)
				return error;
		} while (!again);
		partition = stack->n + 1;
	}
}

int nn_loop_run(struct nn_loop *loop)
{
	struct nn_graph *graph = loop->plan->graph;
	int error;

	memset(&graph->loopstack, 0, sizeof(graph->loopstack));
	graph->running = (struct nn_running){
		.passes = true,
		.locate = loop->locate,
		.opaque = loop,
	};
	error = run_partitions(loop);
	graph->running = (struct nn_running){ 0 };
	memset(&graph->loopstack, 0, sizeof(graph->loopstack));
	return error;
}
