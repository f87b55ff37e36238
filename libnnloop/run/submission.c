// SPDX-License-Identifier: MIT
/*
 * Submissions (submission.h): collecting passes, cutting them into jobs, and handing these to the
 * device.
 */
#include "submission.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/sized.h"
#include "dsp/program/interpreter.h"
#include "ops/support/layer.h"
#include "ops/support/work.h"
#include "plan/bind.h"

#define MAX_PASSES	4096u		/* that are collected at most */

int nn_submission_init(struct nn_submission *submission, struct nn_graph *graph)
{
	const struct nn_plan *plan = graph->plan;
	uint32_t max = plan->binding->device->info.max_passes;

	*submission = (struct nn_submission){
		.graph = graph,
		.plan = graph->plan,
		.max = max < MAX_PASSES ? max : MAX_PASSES,
		.total = plan->walk_error ? 0 : plan->pass_count,
	};
	submission->passes = calloc(submission->max, sizeof(*submission->passes));
	submission->origins = calloc(submission->max, sizeof(*submission->origins));
	if (submission->passes && submission->origins)
		return 0;
	nn_submission_free(submission);
	return nn_graph_no_memory(graph);
}

void nn_submission_free(struct nn_submission *submission)
{
	free(submission->origins);
	free(submission->passes);
	submission->origins = NULL;
	submission->passes = NULL;
}

void nn_submission_begin_cpu(struct nn_submission *submission)
{
	if (!submission->on_cpu)
		nn_plan_begin_cpu(submission->plan);
	submission->on_cpu = true;
}

void nn_submission_end_cpu(struct nn_submission *submission)
{
	if (submission->on_cpu)
		nn_plan_end_cpu(submission->plan);
	submission->on_cpu = false;
}

/* ---- Running */

void nn_submission_report(void *opaque, uint32_t passes_done)
{
	struct nn_submission *submission = opaque;
	struct nn_graph *graph = submission->graph;

	if (graph->progress)
		graph->progress(submission->stats.passes + passes_done, submission->total,
				graph->progress_opaque);
}

int nn_submission_describe(struct nn_submission *submission, const struct nn_job *job,
			   const struct nn_node *node, uint64_t done, uint64_t failed)
{
	const struct nn_run_result *result = &job->result;
	struct nn_graph *graph = submission->graph;
	int error = job->error;
	char where[48] = "";

	if (atomic_load(&graph->cancelled) && error == -ECANCELED)
		return nn_graph_fail(graph, NULL, error, "cancelled after %llu passes",
				     (unsigned long long)done);
	if (failed)
		snprintf(where, sizeof(where), " in pass %llu", (unsigned long long)failed);
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
		return nn_graph_fail(graph, node, error,
				     "the DSP made no progress%s and was reset, or kept others waiting for longer than pass_limit_ms",
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

/* `done` passes of the submission are complete, of all jobs; this is the first job that failed. */
static int describe_failure(struct nn_submission *submission, const struct nn_job *job,
			    uint32_t done)
{
	const uint64_t before = submission->stats.passes;
	const struct nn_run_result *result = &job->result;
	const uint32_t failed = job->passes - submission->passes + result->passes_done;
	const struct nn_node *node = NULL;
	struct nn_program *program;

	if (result->passes_done >= job->count)
		return nn_submission_describe(submission, job, NULL, before + done, 0);
	program = submission->passes[failed].program->program;
	if (result->fail_op < program->op_count)
		node = nn_plan_find(submission->plan,
				    nn_program_ops(program)[result->fail_op].node);
	return nn_submission_describe(submission, job, node, before + done, before + failed + 1);
}

/* Adds what one worker counted. */
static void add_counters(struct nn_counters *counters, const struct nn_profile_record *record)
{
	counters->packets += record->packets;
	counters->instructions += record->instructions;
	counters->hvx_instructions += record->hvx_instructions;
}

static void add_memory(struct nn_memory_counters *memory, const struct nn_memory_record *record)
{
	memory->size = record->size;
	memory->fetched += record->fetched;
	memory->allocated += record->allocated;
	memory->written_back += record->written_back;
}

/*
 * Reads what the workers of a pass have counted, each in records of its own. One that had no part
 * in the pass has not counted it.
 */
static void read_profile(struct nn_pass_record *pass, struct nn_op_record *ops,
			 const uint8_t *profile, uint32_t sets)
{
	const uint64_t count = 1ull + pass->op_count;
	const uint64_t bytes = count * (sizeof(struct nn_profile_record) +
					sizeof(struct nn_memory_record));
	uint64_t around = 0;
	uint32_t i, k;

	for (k = 0; k < sets; k++, profile += bytes) {
		const struct nn_profile_record *records = (const void *)profile;
		const struct nn_memory_record *memory = (const void *)(records + count);
		uint64_t in_ops = 0;

		if (k && !records[0].calls)
			continue;
		pass->workers++;
		add_counters(&pass->counters, &records[0]);
		add_memory(&pass->memory, &memory[0]);
		for (i = 0; i < pass->op_count; i++) {
			add_counters(&ops[i].counters, &records[i + 1]);
			add_memory(&ops[i].memory, &memory[i + 1]);
			in_ops += records[i + 1].packets;
			if (records[i + 1].packets > ops[i].longest)
				ops[i].longest = records[i + 1].packets;
		}
		if (records[0].packets > in_ops && records[0].packets - in_ops > around)
			around = records[0].packets - in_ops;
	}
	pass->longest = around;
	for (i = 0; i < pass->op_count; i++)
		pass->longest += ops[i].longest;
}

/* Calls the program's function, with records that are as long as the program's. */
static void show_pass(struct nn_graph *graph, struct nn_pass_record *record)
{
	const size_t size = graph->trace_op_size;
	const struct nn_op_record *ops = record->ops;
	void *theirs = NULL, *shown = record;
	uint32_t i;

	if (size != sizeof(*ops)) {
		theirs = calloc(record->op_count + 1, size);
		if (!theirs)
			record->op_count = 0;
		for (i = 0; i < record->op_count; i++)
			nn_sized_give(nn_sized_at(theirs, size, i), size, &ops[i], sizeof(ops[i]));
		record->ops = theirs;
	}
	if (graph->trace_room) {
		shown = graph->trace_room;
		nn_sized_give(shown, graph->trace_size, record, sizeof(*record));
	}
	graph->trace(shown, graph->trace_opaque);
	free(theirs);
}

/* profile: what the device wrote of the pass, or NULL. */
static void trace_pass(struct nn_submission *submission, const struct nn_pass_origin *pass,
		       const void *profile, uint64_t start, uint64_t end)
{
	bool has_times = submission->plan->binding->device->in_place;
	const uint64_t *times = has_times ? profile : NULL;
	const uint32_t *args = submission->passes[pass - submission->origins].args;
	uint32_t rows[NN_LEVELS] = { 0 };
	struct nn_graph *graph = submission->graph;
	struct nn_program *program = pass->part->program;
	struct nn_op_record *ops = calloc(program->op_count + 1, sizeof(*ops));
	struct nn_pass_record record = {
		.partition = pass->part->partition,
		.part = pass->part->number,
		.depth = pass->depth,
		.submission = submission->stats.submissions,
		.start_ns = start,
		.end_ns = end,
		.ops = ops,
		.op_count = ops ? program->op_count : 0,
	};
	struct nn_node *const *node = submission->plan->nodes + pass->part->first;
	struct nn_node *const *last = node + pass->part->count - 1;
	uint32_t i;

	memcpy(record.counts, pass->counts, sizeof(record.counts));
	for (i = 0; i < pass->depth; i++)
		rows[i + 1] = pass->counts[i].current_batches;
	for (i = 0; i < NN_MAX_COUNTS; i++)
		rows[NN_LEVEL_OF_COUNT(i)] = args[NN_ARG_COUNT_ROWS(i)];
	for (i = 0; i < record.op_count; i++) {
		const struct nn_program_op *op = &nn_program_ops(program)[i];
		const struct nn_work work = nn_op_work(op, nn_program_tensors(program), rows);

		ops[i].node = op->node;
		ops[i].bytes_read = work.bytes_read;
		ops[i].bytes_written = work.bytes_written;
		ops[i].nanoseconds = times ? times[i] : 0;
		/* Operators are in the order of the part's nodes. */
		while (node < last && (*node)->id != ops[i].node)
			node++;
		ops[i].op = (*node)->op_name;
		ops[i].macs = nn_layer_count_macs(*node, work.macs);
	}
	if (profile && !has_times && ops)
		read_profile(&record, ops, profile, submission->plan->worker_count);
	show_pass(graph, &record);
	free(ops);
}

/* The passes that are complete, in the loop's order. */
static void trace_submission(struct nn_submission *submission, const struct nn_job *jobs,
			     uint32_t job_count, uint64_t start, uint64_t end)
{
	struct nn_binding *binding = submission->plan->binding;
	const uint8_t *profile = submission->profile_used ? binding->profile.data : NULL;
	const struct nn_pass_origin *pass = submission->origins;
	uint32_t i, k;

	if (!submission->graph->trace)
		return;
	if (profile)
		binding->device->ops->block_begin(binding->device, &binding->profile, false);
	for (k = 0; k < job_count; k++) {
		for (i = 0; i < jobs[k].count; i++, pass++) {
			if (i < jobs[k].result.passes_done)
				trace_pass(submission, pass, profile, start, end);
			if (profile)
				profile += nn_part_profile_bytes(submission->plan, pass->part);
		}
	}
	if (profile)
		binding->device->ops->block_end(binding->device, &binding->profile, false);
}

/* Cut the passes into jobs, with as many iterations each or one less. Returns how many jobs, and
 * of each which stream it is for. */
static uint32_t cut(struct nn_submission *submission, struct nn_job *jobs, uint32_t *streams)
{
	struct nn_binding *binding = submission->plan->binding;
	uint64_t iterations = submission->origins[submission->count - 1].iteration + 1ull;
	uint32_t count = submission->stream_count, i;

	if (count > iterations)
		count = iterations;
	for (i = 0; i < count; i++) {
		streams[i] = (submission->stream + i) % submission->stream_count;
		jobs[i] = (struct nn_job){ .queue = binding->streams[streams[i]].queue };
	}
	for (i = 0; i < submission->count; i++) {
		const struct nn_pass_origin *origin = &submission->origins[i];
		uint32_t number = origin->iteration * count / iterations;
		struct nn_job *job = &jobs[number];

		if (!job->count++)
			job->passes = &submission->passes[i];
		submission->passes[i].program =
			&binding->streams[streams[number]]
				 .programs[origin->part - submission->plan->parts];
	}
	submission->stream = streams[count - 1];
	return count;
}

/* Chooses as many workers as any of the passes is worth, unless jobs run side by side. */
static void choose_workers(const struct nn_submission *submission, struct nn_job *jobs,
			   uint32_t count)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		jobs[i].workers = 1;
	for (i = 0; i < submission->count && count == 1; i++)
		if (submission->origins[i].part->workers > jobs[0].workers)
			jobs[0].workers = submission->origins[i].part->workers;
}

int nn_submission_run(struct nn_submission *submission)
{
	struct nn_binding *binding = submission->plan->binding;
	struct nn_watch watch = {
		.progress = nn_submission_report,
		.opaque = submission,
		.cancelled = &submission->graph->cancelled,
	};
	uint32_t streams[NN_MAX_JOBS], count, i, done = 0;
	const struct nn_job *failed = NULL;
	struct nn_job jobs[NN_MAX_JOBS];
	uint64_t start;

	if (!submission->count)
		return 0;
	nn_submission_end_cpu(submission);
	count = cut(submission, jobs, streams);
	choose_workers(submission, jobs, count);
	start = nn_clock_ns();
	submission->stats.submissions++;
	binding->device->ops->jobs_run(binding->device, jobs, count, &watch);
	for (i = 0; i < count; i++) {
		done += jobs[i].result.passes_done;
		if (jobs[i].error && !failed)
			failed = &jobs[i];
	}
	if (failed)
		describe_failure(submission, failed, done);
	trace_submission(submission, jobs, count, start, nn_clock_ns());
	submission->stats.passes += done;
	submission->count = 0;
	submission->profile_used = 0;
	for (i = 0; i < count; i++)
		if (jobs[i].result.queue_lost)
			nn_binding_drop_queue(binding, streams[i]);
	return failed ? failed->error : 0;
}

/* Tells the pass where its counters go, if they are wanted. Fresh memory for each pass, cleared. */
static int take_profile(struct nn_submission *submission, const struct nn_part *part,
			struct nn_pass *pass)
{
	struct nn_binding *binding = submission->plan->binding;
	uint64_t size = nn_part_profile_bytes(submission->plan, part);
	uint8_t *place;
	int error;

	if (!(submission->plan->flags & NN_PREPARE_PROFILE))
		return 0;
	if (submission->profile_used + size > binding->profile.size) {
		error = nn_submission_run(submission);
		if (error)
			return error;
	}
	place = (uint8_t *)binding->profile.data + submission->profile_used;
	memset(place, 0, size);
	if (binding->device->in_place)
		pass->times = (uint64_t *)place;
	else
		pass->args[NN_ARG_PROFILE] = binding->profile.address + submission->profile_used;
	submission->profile_used += size;
	return 0;
}

uint8_t *nn_submission_arena(const struct nn_submission *submission)
{
	return submission->plan->binding->streams[submission->stream].arena.data;
}

/* Whether a program has tensors with the rows of a count. */
static bool has_count(struct nn_program *program, uint32_t count)
{
	uint32_t i;

	for (i = 0; i < program->tensor_count; i++)
		if (nn_program_tensors(program)[i].level == NN_LEVEL_OF_COUNT(count))
			return true;
	return false;
}

/*
 * The row counts that a pass's program has. Those for which a pass has no room keep the DSP's control
 * programs alone.
 */
static int take_counts(struct nn_submission *submission, const struct nn_part *part,
		       struct nn_pass *pass)
{
	const struct nn_plan *plan = submission->plan;
	uint32_t most = plan->binding->device->pass_counts, k;

	for (k = 0; k < plan->count_count; k++) {
		const struct nn_count_state *count = &submission->graph->running.counts[k];

		/* An argument that is not there is 0. */
		if (k >= most && ((!count->rows && !count->out_first) || !has_count(part->program, k)))
			continue;
		if (k >= most)
			return nn_graph_fail(
				submission->graph, plan->counts[k].scope->lcn, -E2BIG,
				"only the run knows the rows of more than %u loops like this one, which the DSP keeps as long as it runs all loops itself; here the host runs them, and its passes have no room for so many: run the model without a trace, without operators on the host, and with room in each output for as many rows as there can be",
				most);
		pass->args[NN_ARG_COUNT_ROWS(k)] = count->rows;
		pass->args[NN_ARG_COUNT_OUT_FIRST(k)] = count->out_first;
	}
	return 0;
}

int nn_submission_add(struct nn_submission *submission, const struct nn_part *part,
		      uint64_t iteration)
{
	const struct nn_loopstack *stack = &submission->graph->loopstack;
	struct nn_pass_origin origin = { .part = part, .depth = stack->n };
	struct nn_pass pass = { 0 };
	int i, error;

	for (i = 0; i < stack->n; i++) {
		const struct nn_loopcounts *counts = &stack->entries[i].counts;

		origin.counts[i] = *counts;
		pass.args[NN_ARG_FIRST(i + 1)] = counts->prev_batches;
		pass.args[NN_ARG_ROWS(i + 1)] = counts->current_batches;
		pass.args[NN_ARG_OUT_FIRST(i + 1)] =
			counts->prev_batches + counts->prev_outer_batches;
	}
	/* Other programs have no such arguments. */
	if (nn_program_has_counts(part->program)) {
		error = take_counts(submission, part, &pass);
		if (error)
			return error;
	}
	if (submission->count == submission->max) {
		error = nn_submission_run(submission);
		if (error)
			return error;
	}
	error = take_profile(submission, part, &pass);
	if (error)
		return error;
	if (submission->count)
		origin.iteration = submission->origins[submission->count - 1].iteration +
				   (iteration != submission->iteration);
	submission->iteration = iteration;
	submission->origins[submission->count] = origin;
	submission->passes[submission->count++] = pass;
	return 0;
}
