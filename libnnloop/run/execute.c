// SPDX-License-Identifier: MIT
/*
 * Execution: passes are collected as the run loop comes to them, and go down to the device
 * together.
 *
 * A submission is due when something on the host is going to look at data (an operator of the
 * application's, an LCN that is not static, a loop end that is not the default), when it is as long
 * as the device takes, and at the end. So a nest of static loops is one submission, and of a nest
 * with a data-dependent loop around static ones, all passes of the inner ones between two pushes of
 * the outer.
 */
#include "execute.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "loop.h"
#include "plan/bind.h"
#include "prepare.h"

#define MAX_PENDING	4096u		/* passes that are collected at most */
#define PROFILE_BYTES                                                                              \
	(256u << 10) /* memory for counters of one submission, but at least for one pass */

/* What a pass is in the graph. */
struct pass_origin {
	const struct nn_part *part;
	uint32_t depth;			/* loops that are running */
	struct nn_loopcounts counts[NN_MAX_LOOPSTACK];
};

struct nn_execution {
	struct nn_loop loop;		/* first: the run loop's callbacks get it */
	struct nn_graph *graph;
	struct nn_plan *plan;
	struct nn_buffer *outputs;
	uint64_t *output_rows;		/* written so far, by slot */

	struct nn_pass *pending;	/* for the device */
	struct pass_origin *origins;	/* and what they are, one for each */
	uint32_t pending_count, pending_max;
	uint64_t profile_used;
	bool on_cpu;			/* between begin and end of CPU access */

	uint64_t total;			/* passes there will be, 0: not known */
	struct nn_execution_stats stats;
};

/* ---- Submitting */

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + now.tv_nsec;
}

static void report_progress(void *opaque, uint32_t passes_done)
{
	struct nn_execution *execution = opaque;
	struct nn_graph *graph = execution->graph;

	if (graph->progress)
		graph->progress(execution->stats.passes + passes_done, execution->total,
				graph->progress_opaque);
}

static int describe_failure(struct nn_execution *execution, int error,
			    const struct nn_run_result *result)
{
	struct nn_graph *graph = execution->graph;
	const struct nn_node *node = NULL;
	char where[48] = "";

	if (atomic_load(&graph->cancelled) && error == -ECANCELED)
		return nn_graph_fail(graph, NULL, error, "cancelled after %llu passes",
				     (unsigned long long)execution->stats.passes +
					     result->passes_done);
	if (result->passes_done < execution->pending_count) {
		struct nn_program *program =
			execution->pending[result->passes_done].program->program;

		if (result->fail_op < program->op_count)
			node = nn_plan_find(execution->plan,
					    nn_program_ops(program)[result->fail_op].node);
		snprintf(where, sizeof(where), " in pass %llu",
			 (unsigned long long)execution->stats.passes + result->passes_done + 1);
	}
	switch (error) {
	case -EFAULT:
		return nn_graph_fail(graph, node, error,
				     "DSP fault%s: %s 0x%llx, which is outside of its memory",
				     where, result->fault_access == 2 ? "write to" : "read of",
				     (unsigned long long)result->fault_address);
	case -EINVAL:
		return nn_graph_fail(graph, node, error, "the device refused the program%s: %s",
				     where, nn_program_reason_text(result->fail_reason));
	case -ETIMEDOUT:
		return nn_graph_fail(graph, node, error, "the DSP made no progress%s and was reset",
				     where);
	case -EIO:
		return nn_graph_fail(graph, node, error, "the DSP worker died%s and was restarted",
				     where);
	case -ECANCELED:
		return nn_graph_fail(
			graph, NULL, error,
			"the passes were given up because the queue was lost; run again for a new queue");
	case -ENODEV:
		return nn_graph_fail(graph, NULL, error,
				     "the device is gone: its board or driver was removed or died");
	}
	return nn_graph_fail(graph, node, error, "the device failed%s: %s", where,
			     strerror(-error));
}

static uint64_t profile_size(const struct nn_part *part)
{
	return (1ull + part->program->op_count) * sizeof(struct nn_profile_record);
}

static void trace_pass(struct nn_execution *execution, const struct pass_origin *pass,
		       const struct nn_profile_record *records, uint64_t start, uint64_t end)
{
	struct nn_graph *graph = execution->graph;
	struct nn_program *program = pass->part->program;
	struct nn_op_record *ops = calloc(program->op_count + 1, sizeof(*ops));
	struct nn_pass_record record = {
		.partition = pass->part->partition,
		.part = pass->part->number,
		.depth = pass->depth,
		.submission = execution->stats.submissions,
		.start_ns = start,
		.end_ns = end,
		.ops = ops,
		.op_count = ops ? program->op_count : 0,
	};
	struct nn_node *const *node = execution->plan->nodes + pass->part->first;
	struct nn_node *const *last = node + pass->part->count - 1;
	uint32_t i;

	memcpy(record.counts, pass->counts, sizeof(record.counts));
	for (i = 0; i < record.op_count; i++) {
		ops[i].node = nn_program_ops(program)[i].node;
		/* Operators are in the order of the part's nodes. */
		while (node < last && (*node)->id != ops[i].node)
			node++;
		ops[i].op = (*node)->op_name;
		if (records)
			ops[i].counters = (struct nn_counters){ records[i + 1].packets,
								records[i + 1].instructions,
								records[i + 1].hvx_instructions };
	}
	if (records)
		record.counters = (struct nn_counters){ records[0].packets, records[0].instructions,
							records[0].hvx_instructions };
	graph->trace(&record, graph->trace_opaque);
	free(ops);
}

static void trace_submission(struct nn_execution *execution, uint32_t count, uint64_t start,
			     uint64_t end)
{
	struct nn_binding *binding = execution->plan->binding;
	const uint8_t *profile = execution->profile_used ? binding->profile.data : NULL;
	uint32_t i;

	if (!execution->graph->trace)
		return;
	if (profile)
		binding->device->ops->block_begin(binding->device, &binding->profile, false);
	for (i = 0; i < count; i++) {
		const struct pass_origin *pass = &execution->origins[i];

		trace_pass(execution, pass, (const void *)profile, start, end);
		if (profile)
			profile += profile_size(pass->part);
	}
	if (profile)
		binding->device->ops->block_end(binding->device, &binding->profile, false);
}

/* Run what was collected. */
static int flush(struct nn_execution *execution)
{
	struct nn_binding *binding = execution->plan->binding;
	struct nn_watch watch = {
		.progress = report_progress,
		.opaque = execution,
		.cancelled = &execution->graph->cancelled,
	};
	struct nn_run_result result;
	uint64_t start;
	int error;

	if (!execution->pending_count)
		return 0;
	if (execution->on_cpu) {
		nn_plan_end_cpu(execution->plan);
		execution->on_cpu = false;
	}
	start = now_ns();
	execution->stats.submissions++;
	error = binding->device->ops->queue_run(binding->queue, execution->pending,
						execution->pending_count, binding->memory, &watch,
						&result);
	if (error)
		describe_failure(execution, error, &result);
	trace_submission(execution, result.passes_done, start, now_ns());
	execution->stats.passes += result.passes_done;
	execution->pending_count = 0;
	execution->profile_used = 0;
	if (result.queue_lost)
		nn_binding_drop_queue(binding);
	return error;
}

/* Where this pass's counters go; 0: nowhere. Fresh memory for each pass, cleared. */
static int take_profile(struct nn_execution *execution, const struct nn_part *part,
			uint32_t *address)
{
	struct nn_binding *binding = execution->plan->binding;
	uint64_t size = profile_size(part);
	int error;

	*address = 0;
	if (!(execution->plan->flags & NN_PREPARE_PROFILE) || binding->device->in_place)
		return 0;
	if (execution->profile_used + size > binding->profile.size) {
		error = flush(execution);
		if (error)
			return error;
	}
	if (size > binding->profile.size) {
		if (binding->profile.size)
			binding->device->ops->block_destroy(binding->device, &binding->profile);
		error = binding->device->ops->block_create(
			binding->device, size > PROFILE_BYTES ? size : PROFILE_BYTES,
			&binding->profile, &execution->graph->error);
		if (error)
			return error;
	}
	memset((uint8_t *)binding->profile.data + execution->profile_used, 0, size);
	*address = binding->profile.address + execution->profile_used;
	execution->profile_used += size;
	return 0;
}

static int add_pass(struct nn_execution *execution, const struct nn_part *part)
{
	const struct nn_loopstack *stack = &execution->graph->loopstack;
	struct pass_origin origin = { .part = part, .depth = stack->n };
	struct nn_pass pass = { .program = &part->bound };
	int i, error;

	for (i = 0; i < stack->n; i++) {
		const struct nn_loopcounts *counts = &stack->entries[i].counts;

		origin.counts[i] = *counts;
		pass.args[NN_ARG_FIRST(i + 1)] = counts->prev_batches;
		pass.args[NN_ARG_ROWS(i + 1)] = counts->current_batches;
		pass.args[NN_ARG_OUT_FIRST(i + 1)] =
			counts->prev_batches + counts->prev_outer_batches;
	}
	if (execution->pending_count == execution->pending_max) {
		error = flush(execution);
		if (error)
			return error;
	}
	error = take_profile(execution, part, &pass.args[NN_ARG_PROFILE]);
	if (error)
		return error;
	execution->origins[execution->pending_count] = origin;
	execution->pending[execution->pending_count++] = pass;
	return 0;
}

/* ---- The run loop's callbacks */

static int execution_synchronize(struct nn_loop *loop, struct nn_node *node)
{
	struct nn_execution *execution = (struct nn_execution *)loop;
	int error;

	(void)node;
	error = flush(execution);
	if (error)
		return error;
	if (atomic_load(&execution->graph->cancelled))
		return nn_graph_fail(execution->graph, NULL, -ECANCELED,
				     "cancelled after %llu passes",
				     (unsigned long long)execution->stats.passes);
	if (!execution->on_cpu) {
		nn_plan_begin_cpu(execution->plan);
		execution->on_cpu = true;
	}
	return 0;
}

/* The rows that OUTPUT takes in the pass to come must have room. */
static int check_outputs(struct nn_execution *execution)
{
	const struct nn_plan *plan = execution->plan;
	uint32_t slot;

	for (slot = 0; slot < plan->output->input_count; slot++) {
		const struct nn_value *value = plan->output->inputs[slot];
		const struct nn_loopcounts *counts;
		uint64_t first, end;

		if (!value->info.level) {
			execution->output_rows[slot] = value->info.dims[0];
			continue;
		}
		counts = nn_graph_counts(execution->graph, value->info.level);
		first = (uint64_t)counts->prev_batches + counts->prev_outer_batches;
		end = first + counts->current_batches;
		if (end > plan->binding->output_rooms[slot])
			return nn_graph_fail(execution->graph, plan->output, -ENOSPC,
					     "output %u has room for %llu rows, but there are %llu",
					     slot,
					     (unsigned long long)plan->binding->output_rooms[slot],
					     (unsigned long long)end);
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

	if (partition == plan->lcn_count)
		error = check_outputs(execution);
	for (i = plan->first_part[partition]; i < plan->first_part[partition + 1] && !error; i++) {
		const struct nn_part *part = &plan->parts[i];

		if (!nn_loop_runs_part(loop, part))
			continue;
		if (part->host_node)
			error = run_host_node(execution, part->host_node);
		else if (part->program)
			error = add_pass(execution, part);
	}
	return error;
}

static void *execution_locate(void *loop, struct nn_value *value)
{
	struct nn_execution *execution = loop;
	struct nn_plan *plan = execution->plan;
	struct nn_value *root = nn_value_root(value);
	uint64_t row = nn_info_row_bytes(&root->info);
	const struct nn_loopcounts *counts;
	uint8_t *data;

	switch (root->storage) {
	case NN_STORAGE_CONST:
		return (void *)root->node->data;
	case NN_STORAGE_INPUT:
		return plan->binding->buffers[root->slot].data;
	case NN_STORAGE_ARENA:
		return (uint8_t *)plan->binding->arena.data + root->offset;
	case NN_STORAGE_OUTPUT:
		data = plan->binding->buffers[plan->input_count + root->slot].data;
		if (!root->info.level)
			return data;
		counts = nn_graph_counts(execution->graph, root->info.level);
		return data + ((uint64_t)counts->prev_batches + counts->prev_outer_batches) * row;
	case NN_STORAGE_VIEW:
		data = execution_locate(loop, root->base);
		return data ? data + nn_graph_counts(execution->graph, root->info.level)->prev_batches * row
			    : NULL;
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
	uint32_t i;
	int error;

	if (!rows)
		return nn_graph_no_memory(graph);
	for (i = 0; i < earlier->input_count; i++)
		rows[i] = inputs[i].rows;
	error = nn_prepare_plan(graph, earlier->binding->device, earlier->flags, earlier->step, rows,
				earlier, &plan);
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
	free(execution->output_rows);
	free(execution->origins);
	free(execution->pending);
	free(execution);
}

int nn_execution_begin(struct nn_graph *graph, const struct nn_buffer *inputs, uint32_t input_count,
		       struct nn_buffer *outputs, uint32_t output_count,
		       struct nn_execution **result)
{
	struct nn_execution *execution;
	uint32_t max_passes;
	int error;

	error = check_counts(graph, inputs, input_count, outputs, output_count);
	if (error)
		return error;
	if (!same_rows(graph->plan, inputs)) {
		error = replan(graph, inputs);
		if (error)
			return error;
	}
	execution = calloc(1, sizeof(*execution));
	if (!execution)
		return nn_graph_no_memory(graph);
	execution->graph = graph;
	execution->plan = graph->plan;
	execution->outputs = outputs;
	max_passes = graph->plan->binding->device->info.max_passes;
	execution->pending_max = max_passes < MAX_PENDING ? max_passes : MAX_PENDING;
	execution->pending = calloc(execution->pending_max, sizeof(*execution->pending));
	execution->origins = calloc(execution->pending_max, sizeof(*execution->origins));
	execution->output_rows = calloc(output_count, sizeof(*execution->output_rows));
	if (!execution->pending || !execution->origins || !execution->output_rows) {
		error = nn_graph_no_memory(graph);
		goto free_execution;
	}
	error = nn_plan_bind_buffers(graph->plan, inputs, outputs);
	if (error)
		goto unbind;
	error = nn_binding_need_queue(graph, graph->plan->binding);
	if (error)
		goto unbind;

	if (!graph->plan->walk_error)
		execution->total = graph->plan->pass_count;
	execution->loop = (struct nn_loop){
		.plan = graph->plan,
		.pass_limit = graph->pass_limit,
		.synchronize = execution_synchronize,
		.run = execution_run_partition,
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

int nn_execution_run(struct nn_execution *execution)
{
	struct nn_graph *graph = execution->graph;
	struct nn_error failure;
	int error, late;

	error = nn_loop_run(&execution->loop);
	/* Passes before the one that failed are to be complete, as if they had gone down one by
	 * one. */
	failure = graph->error;
	late = flush(execution);
	if (error)
		graph->error = failure;
	else
		error = late;
	if (execution->on_cpu)
		nn_plan_end_cpu(execution->plan);
	execution->on_cpu = false;

	if (!error)
		nn_plan_fetch_outputs(execution->plan, execution->outputs, execution->output_rows);
	execution->stats.pushes = execution->loop.pushes;
	graph->stats = execution->stats;
	return error;
}

void nn_execution_end(struct nn_execution *execution)
{
	nn_plan_unbind_buffers(execution->plan);
	destroy(execution);
}

int nn_graph_execute(struct nn_graph *graph, const struct nn_buffer *inputs, uint32_t input_count,
		     struct nn_buffer *outputs, uint32_t output_count)
{
	struct nn_execution *execution;
	int error;

	error = nn_graph_lock_idle(graph);
	if (error)
		return error;
	error = nn_execution_begin(graph, inputs, input_count, outputs, output_count, &execution);
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

int nn_graph_get_stats(const struct nn_graph *graph, struct nn_execution_stats *stats)
{
	*stats = graph->stats;
	return 0;
}
