// SPDX-License-Identifier: MIT
/*
 * Execution: the run loop with a device. Its passes are collected (submission.h), and nodes that
 * execute on the host run in between.
 */
#include "execute.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/sized.h"
#include "controlled.h"
#include "loop.h"
#include "plan/bind.h"
#include "prepare.h"
#include "state.h"
#include "submission.h"
#include "walk.h"

struct nn_execution {
	struct nn_loop loop;		/* first: the run loop's callbacks get it */
	struct nn_graph *graph;
	struct nn_plan *plan;
	uint64_t *output_rows;		/* written so far, by slot */
	struct nn_buffer *outputs;	/* in `buffers`, behind the inputs */
	struct nn_buffer *their_outputs;	/* the program's, which are told their rows */
	size_t their_size;		/* of each of these */

	struct nn_submission submission;
	struct nn_buffer buffers[];	/* the program's as the library has them */
};

/* ---- The run loop's callbacks */

static int execution_synchronize(struct nn_loop *loop, struct nn_node *node)
{
	struct nn_execution *execution = (struct nn_execution *)loop;
	int error;

	(void)node;
	error = nn_submission_run(&execution->submission);
	if (error)
		return error;
	if (atomic_load(&execution->graph->cancelled))
		return nn_graph_fail(execution->graph, NULL, -ECANCELED,
				     "cancelled after %llu passes",
				     (unsigned long long)execution->submission.stats.passes);
	nn_submission_begin_cpu(&execution->submission);
	return 0;
}

/*
 * Rows of an output that no pass has written and none is going to, unless a loop-end function goes
 * back: they are zeros. Passes that were collected write to others.
 */
static int clear_rows(struct nn_execution *execution, uint32_t slot, uint64_t first, uint64_t end)
{
	struct nn_plan *plan = execution->plan;
	const struct nn_block *block = &plan->binding->buffers[plan->input_count + slot];
	uint64_t row = nn_info_row_bytes(&plan->output->inputs[slot]->info);

	if (!block->data)
		return nn_graph_fail(
			execution->graph, plan->output, -EOPNOTSUPP,
			"rows %llu to %llu of output %u are skipped, and its dma-buf cannot be mapped to clear them",
			(unsigned long long)first, (unsigned long long)end - 1, slot);
	nn_submission_begin_cpu(&execution->submission);
	memset((uint8_t *)block->data + first * row, 0, (end - first) * row);
	return 0;
}

/* The rows that OUTPUT takes in the pass to come must have room. Those before are cleared. */
static int check_outputs(struct nn_execution *execution)
{
	const struct nn_plan *plan = execution->plan;
	uint32_t slot;

	for (slot = 0; slot < plan->output->input_count; slot++) {
		const struct nn_value *value = plan->output->inputs[slot];
		uint64_t first, end;
		int error;

		if (!value->info.level) {
			execution->output_rows[slot] = value->info.dims[0];
			continue;
		}
		first = nn_graph_out_first(execution->graph, value->info.level);
		end = first + nn_graph_rows(execution->graph, value);
		if (end > plan->binding->output_rooms[slot])
			return nn_graph_fail(execution->graph, plan->output, -ENOSPC,
					     "output %u has room for %llu rows, but there are %llu",
					     slot,
					     (unsigned long long)plan->binding->output_rooms[slot],
					     (unsigned long long)end);
		if (first > execution->output_rows[slot]) {
			error = clear_rows(execution, slot, execution->output_rows[slot], first);
			if (error)
				return error;
		}
		if (end > execution->output_rows[slot])
			execution->output_rows[slot] = end;
	}
	return 0;
}

static int run_host_node(struct nn_execution *execution, struct nn_node *node)
{
	struct nn_graph *graph = execution->graph;
	int error;

	error = execution_synchronize(&execution->loop, node);
	if (error)
		return error;
	graph->running.node = node;
	error = node->op->execute(graph, node, node->op->opaque);
	graph->running.node = NULL;
	return nn_graph_end_callback(graph, node, error, "execute");
}

static int execution_run_partition(struct nn_loop *loop, uint32_t partition)
{
	struct nn_execution *execution = (struct nn_execution *)loop;
	struct nn_plan *plan = execution->plan;
	uint32_t i;
	int error = 0;

	if (partition == plan->output->refs)
		error = check_outputs(execution);
	for (i = plan->first_part[partition]; i < plan->first_part[partition + 1] && !error; i++) {
		const struct nn_part *part = &plan->parts[i];

		if (!nn_loop_runs_part(loop, part))
			continue;
		if (part->host_node)
			error = run_host_node(execution, part->host_node);
		else if (part->program)
			error = nn_submission_add(&execution->submission, part,
						  loop->outer_pushes);
	}
	return error;
}

static int execution_begin(struct nn_loop *loop, const struct nn_part *part)
{
	struct nn_execution *execution = (struct nn_execution *)loop;

	return nn_submission_add(&execution->submission, part, loop->outer_pushes);
}

static void *execution_locate(void *loop, struct nn_value *value)
{
	struct nn_execution *execution = loop;
	struct nn_plan *plan = execution->plan;
	struct nn_value *root = nn_value_root(value);
	uint64_t row = nn_info_row_bytes(&root->info);
	uint8_t *data;

	switch (root->storage) {
	case NN_STORAGE_CONST:
		return (void *)root->node->data;
	case NN_STORAGE_INPUT:
		return plan->binding->buffers[root->slot].data;
	case NN_STORAGE_ARENA:
		return nn_submission_arena(&execution->submission) + root->offset;
	case NN_STORAGE_OUTPUT:
		data = plan->binding->buffers[plan->input_count + root->slot].data;
		if (!root->info.level)
			return data;
		return data + nn_graph_out_first(execution->graph, root->info.level) * row;
	case NN_STORAGE_VIEW:
		data = execution_locate(loop, root->base);
		return data ? data + nn_graph_counts(execution->graph, root->info.level)
						       ->prev_batches *
					       row :
			      NULL;
	default:
		return NULL;
	}
}

/* ---- Begin, run, end */

static bool same_rows(const struct nn_plan *plan, const struct nn_buffer *inputs)
{
	uint32_t i;

	for (i = 0; i < plan->input_count; i++)
		if (inputs[i].rows != plan->input_rows[i] &&
		    (inputs[i].rows || plan->input_variable[i]))
			return false;
	return true;
}

/* Plan again for other row counts; on failure the old plan stays. */
static int replan(struct nn_graph *graph, const struct nn_buffer *inputs)
{
	struct nn_plan *earlier = graph->plan, *plan;
	uint32_t *rows = calloc(earlier->input_count + 1, sizeof(*rows));
	const struct nn_prepare_options options = {
		.flags = earlier->flags,
		.step = earlier->step,
		.input_rows = rows,
		.input_count = earlier->input_count,
		.streams = earlier->streams_wanted,
		.workers = earlier->workers_wanted,
	};
	uint32_t i;
	int error;

	if (!rows)
		return nn_graph_no_memory(graph);
	for (i = 0; i < earlier->input_count; i++)
		rows[i] = inputs[i].rows;
	nn_plan_release_streams(earlier);
	error = nn_prepare_plan(graph, earlier->binding->device, &options, earlier, &plan);
	free(rows);
	if (error)
		return error;
	graph->plan = plan;
	nn_plan_destroy(earlier);
	return 0;
}

static int check_counts(struct nn_graph *graph, const struct nn_buffer *inputs,
			uint32_t input_count, const struct nn_buffer *outputs,
			uint32_t output_count)
{
	const struct nn_plan *plan = graph->plan;

	if (!plan)
		return nn_graph_fail(graph, NULL, -EINVAL, "the graph is not prepared");
	if (!plan->binding)
		return nn_graph_fail(
			graph, NULL, -EINVAL,
			"the graph was prepared without a device and cannot be executed");
	if ((input_count && !inputs) || !outputs)
		return nn_graph_fail(graph, NULL, -EINVAL, "the %s are NULL",
				     outputs ? "inputs" : "outputs");
	if (input_count != plan->input_count)
		return nn_graph_fail(graph, NULL, -EINVAL, "the graph takes %u inputs, not %u",
				     plan->input_count, input_count);
	if (output_count != plan->output->input_count)
		return nn_graph_fail(graph, NULL, -EINVAL, "the graph gives %u outputs, not %u",
				     plan->output->input_count, output_count);
	return 0;
}

static void destroy(struct nn_execution *execution)
{
	nn_submission_free(&execution->submission);
	free(execution->output_rows);
	free(execution);
}

static int take_buffers(struct nn_graph *graph, struct nn_buffer *buffers,
			const struct nn_buffer *theirs, uint32_t count, size_t size)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!nn_sized_take(&buffers[i], sizeof(*buffers), nn_sized_at(theirs, size, i),
				   size))
			return nn_graph_fail_newer(graph, "struct nn_buffer of an input or output");
	return 0;
}

int nn_execution_begin(struct nn_graph *graph, const struct nn_buffer *inputs, uint32_t input_count,
		       struct nn_buffer *outputs, uint32_t output_count, size_t size,
		       struct nn_execution **result)
{
	struct nn_execution *execution;
	int error;

	error = check_counts(graph, inputs, input_count, outputs, output_count);
	if (error)
		return error;
	execution = calloc(1, sizeof(*execution) + ((size_t)input_count + output_count) *
							   sizeof(*execution->buffers));
	if (!execution)
		return nn_graph_no_memory(graph);
	execution->graph = graph;
	execution->outputs = execution->buffers + input_count;
	execution->their_outputs = outputs;
	execution->their_size = size;
	error = take_buffers(graph, execution->buffers, inputs, input_count, size);
	if (!error)
		error = take_buffers(graph, execution->outputs, outputs, output_count, size);
	if (error)
		goto free_execution;
	if (!same_rows(graph->plan, execution->buffers)) {
		error = replan(graph, execution->buffers);
		if (error)
			goto free_execution;
	}
	error = nn_plan_check_pass_limit(graph->plan);
	if (error)
		goto free_execution;
	execution->plan = graph->plan;
	execution->output_rows = calloc(output_count, sizeof(*execution->output_rows));
	if (!execution->output_rows) {
		error = nn_graph_no_memory(graph);
		goto free_execution;
	}
	error = nn_submission_init(&execution->submission, graph);
	if (error)
		goto free_execution;
	error = nn_plan_bind_buffers(graph->plan, execution->buffers, execution->outputs);
	if (error)
		goto unbind;
	error = nn_binding_need_queues(graph, graph->plan->binding,
				       &execution->submission.stream_count);
	if (error)
		goto unbind;

	execution->loop = (struct nn_loop){
		.plan = graph->plan,
		.pass_limit = graph->pass_limit,
		.synchronize = execution_synchronize,
		.run = execution_run_partition,
		.begin = execution_begin,
		.locate = execution_locate,
	};
	atomic_store(&graph->cancelled, false);
	*result = execution;
	return 0;

unbind:
	nn_plan_unbind_buffers(graph->plan);
free_execution:
	destroy(execution);
	return error;
}

static void fetch_outputs(struct nn_execution *execution)
{
	struct nn_plan *plan = execution->plan;
	uint32_t i;

	nn_plan_fetch_outputs(plan, execution->outputs, execution->output_rows);
	for (i = 0; i < plan->output->input_count; i++) {
		struct nn_buffer *theirs =
			nn_sized_at(execution->their_outputs, execution->their_size, i);

		theirs->rows = execution->outputs[i].rows;
	}
}

int nn_execution_run(struct nn_execution *execution)
{
	const bool controlled = nn_controlled_is_possible(execution->plan);
	struct nn_graph *graph = execution->graph;
	struct nn_error failure;
	bool again = false;
	int error, late;

	error = nn_state_load(&execution->submission);
	if (!error && controlled)
		error = nn_controlled_run(&execution->submission, execution->output_rows, &again);
	if (!error && again)
		error = nn_state_load(&execution->submission);
	if (!error && (!controlled || again))
		error = nn_loop_run(&execution->loop);
	/* Passes before the one that failed are to be complete, as if they had gone down one by
	 * one. */
	failure = graph->error;
	late = nn_submission_run(&execution->submission);
	if (error)
		graph->error = failure;
	else
		error = late;
	if (!error)
		nn_state_store(&execution->submission);
	nn_submission_end_cpu(&execution->submission);

	if (!error)
		fetch_outputs(execution);
	graph->stats = execution->submission.stats;
	if (!controlled || again)
		graph->stats.pushes = execution->loop.pushes;
	return error;
}

void nn_execution_end(struct nn_execution *execution)
{
	nn_binding_drop_further_queues(execution->plan->binding);
	nn_plan_unbind_buffers(execution->plan);
	destroy(execution);
}

int nn_graph_execute_sized(struct nn_graph *graph, const struct nn_buffer *inputs,
			   uint32_t input_count, struct nn_buffer *outputs, uint32_t output_count,
			   size_t size)
{
	struct nn_execution *execution;
	int error;

	error = nn_graph_lock_idle(graph);
	if (error)
		return error;
	error = nn_execution_begin(graph, inputs, input_count, outputs, output_count, size,
				   &execution);
	if (error)
		goto unlock;
	graph->busy = true;
	nn_graph_unlock(graph);

	error = nn_execution_run(execution);

	pthread_mutex_lock(&graph->lock);
	nn_execution_end(execution);
	graph->busy = false;
	pthread_cond_broadcast(&graph->idle);
unlock:
	nn_graph_unlock(graph);
	return error;
}

void nn_graph_cancel(struct nn_graph *graph)
{
	atomic_store(&graph->cancelled, true);
}

int nn_graph_get_stats_sized(const struct nn_graph *graph, struct nn_execution_stats *stats,
			     size_t size)
{
	nn_sized_give(stats, size, &graph->stats, sizeof(graph->stats));
	return 0;
}
