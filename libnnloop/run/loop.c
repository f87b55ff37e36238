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
	const struct nn_loopcounts *counts = nn_graph_counts(graph, nn_node_level(lcn));
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

/*
 * Rows that a loop has collected before are those of earlier iterations of the loops around it. Those
 * of a count whose rows it collects are packed anew, from row 0 on.
 */
static void begin_counts(struct nn_loop *loop, const struct nn_scope *scope)
{
	struct nn_count_state *counts = loop->plan->graph->running.counts;
	uint32_t i;

	for (i = 0; i < loop->plan->count_count; i++) {
		const uint32_t of = loop->plan->counts[i].of;

		if (loop->plan->counts[i].scope != scope)
			continue;
		counts[i].out_first += counts[i].rows;
		counts[i].rows = 0;
		if (of)
			counts[of - NN_LEVEL_OF_COUNT(0)] = (struct nn_count_state){ 0 };
	}
}

/* The loop has ended with these counts. */
static void end_counts(struct nn_loop *loop, const struct nn_scope *scope,
		       const struct nn_loopcounts *counts)
{
	const struct nn_graph *graph = loop->plan->graph;
	uint32_t i;

	for (i = 0; i < loop->plan->count_count; i++) {
		const struct nn_count *count = &loop->plan->counts[i];
		struct nn_count_state *state = &loop->plan->graph->running.counts[i];

		if (count->scope != scope)
			continue;
		if (count->of)
			state->rows = nn_graph_out_first(graph, count->of) +
				      nn_graph_count(graph, count->of)->rows;
		else
			state->rows = counts->prev_outer_batches -
				      loop->kept[scope->number].prev_outer_batches;
	}
	loop->kept[scope->number] = *counts;
}

/* *skipped: it has no iteration. */
static int enter_scope(struct nn_loop *loop, const struct nn_scope *scope, bool *skipped)
{
	struct nn_graph *graph = loop->plan->graph;
	struct nn_running *running = &graph->running;
	struct nn_node *lcn = scope->lcn;
	int error;

	if (!loop->goes_on[scope->level]) {
		graph->loopstack.entries[graph->loopstack.n].counts = loop->kept[scope->number];
		begin_counts(loop, scope);
	}
	if (nn_node_is_before_loop(lcn) && !loop->goes_on[scope->level]) {
		const struct nn_plan *plan = loop->plan;

		error = loop->begin(loop, &plan->parts[plan->first_part[lcn->refs]]);
		if (error)
			return error;
	}
	if (!nn_node_is_static(lcn) &&
	    !((lcn->op->flags & NN_OP_LOOKS_ONCE) && loop->goes_on[scope->level])) {
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
	running->skipped = false;
	running->push_error = 0;
	running->node = lcn;
	error = lcn->op->execute(graph, lcn, lcn->op->opaque);
	running->node = NULL;
	if (running->push_error)
		return running->push_error;
	error = nn_graph_end_callback(graph, lcn, error, "execute");
	if (error)
		return error;
	*skipped = running->skipped;
	if (*skipped)
		return 0;
	if (!running->pushed)
		return nn_graph_fail(graph, lcn, -EINVAL,
				     "returned from execute without pushing its loop");
	loop->pushes++;
	loop->outer_pushes += scope->level == 1;
	error = check_views(graph, lcn);
	if (error || !loop->pushed_hook)
		return error;
	return loop->pushed_hook(loop, scope);
}

/* Pop the loop of a scope. *again: it goes on, at its LCN. */
static int pop(struct nn_loop *loop, const struct nn_scope *scope, bool *again)
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
	loop->goes_on[scope->level] = *again;
	if (!*again)
		end_counts(loop, scope, &entry->counts);
	return 0;
}

/* Does a step, and says which is the next one. */
static int do_step(struct nn_loop *loop, const struct nn_step *step, uint32_t *next)
{
	bool elsewhere = false;
	int error = 0;

	switch (step->kind) {
	case NN_STEP_RUN:
		return loop->run(loop, step->partition);
	case NN_STEP_ENTER:
		error = enter_scope(loop, step->scope, &elsewhere);
		if (elsewhere)
			*next = step->scope->end + 1;
		return error;
	case NN_STEP_END:
		error = pop(loop, step->scope, &elsewhere);
		if (elsewhere)
			*next = step->scope->enter;
	}
	return error;
}

static int run_steps(struct nn_loop *loop)
{
	const struct nn_plan *plan = loop->plan;
	uint32_t i, next;
	int error;

	for (i = 0; i < plan->step_count; i = next) {
		next = i + 1;
		error = do_step(loop, &plan->steps[i], &next);
		if (error)
			return error;
	}
	return 0;
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
	error = run_steps(loop);
	graph->running = (struct nn_running){ 0 };
	memset(&graph->loopstack, 0, sizeof(graph->loopstack));
	return error;
}
