// SPDX-License-Identifier: MIT
/* The execution of nnloop run: its buffers, the progress bar, an interrupt, and what is counted. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "interrupt.h"
#include "run.h"

static void pass_done(uint64_t done, uint64_t total, void *opaque)
{
	struct run *run = opaque;

	/* One that came when the execution had not quite begun cancelled nothing. */
	if (interrupt_came())
		nn_graph_cancel(run->model.graph);
	progress_show(&run->progress, done, total);
}

/* ---- Counting ---- */

static void count_pass(const struct nn_pass_record *pass, void *opaque)
{
	struct run *run = opaque;
	uint64_t packets = pass->counters.packets;

	if (!run->passes || packets < run->least_packets)
		run->least_packets = packets;
	if (packets > run->most_packets)
		run->most_packets = packets;
	run->passes++;
	run->longest += pass->longest;
	if (pass->workers > run->workers)
		run->workers = pass->workers;
	run->counters.packets += packets;
	run->counters.hvx_instructions += pass->counters.hvx_instructions;
	if (run->trace)
		trace_pass(run->trace, pass);
	if (run->watch)
		run->watch(pass, run->watch_opaque);
}

uint64_t run_count_items(const struct run *run)
{
	uint64_t fixed = 0, variable = 0;

	for (uint32_t i = 0; i < run->input_count; i++) {
		const struct items *items = &run->inputs[i];
		uint64_t *most = items->info.dims[0] == NN_VARIABLE ? &variable : &fixed;

		if (items->count > *most)
			*most = items->count;
	}
	return variable ? variable : fixed;
}

static void print_time(const struct run *run)
{
	uint64_t items = run_count_items(run);

	fprintf(stderr, "time:        %.3f ms", run->nanoseconds / 1e6);
	if (items && run->nanoseconds)
		fprintf(stderr, ", %.6g items a second", items * 1e9 / run->nanoseconds);
	fputc('\n', stderr);
}

static void print_bytes(const struct run *run)
{
	struct nn_plan_info plan;
	uint64_t in = 0, out = 0;

	if (nn_graph_get_plan(run->model.graph, &plan))
		return;
	for (uint32_t i = 0; i < run->input_count; i++)
		in += run->inputs[i].count * run->inputs[i].item_bytes;
	for (uint32_t i = 0; i < run->output_count; i++)
		out += output_bytes(&run->outputs[i]);
	fprintf(stderr,
		"moved:       %" PRIu64 " bytes in, %" PRIu64 " bytes out, %" PRIu64
		" in a full pass\n",
		in, out, plan.bytes_moved);
}

/* Whoever sees each pass has more of them submitted than there are else. */
static void print_decided(const struct run *run)
{
	struct nn_plan_node node;

	for (uint32_t i = 0; !nn_graph_get_plan_node(run->model.graph, i, &node); i++) {
		if (node.decided_on != NN_DECIDED_ON_DEVICE)
			continue;
		fprintf(stderr, "decided:     on the host, where each pass is seen; else on the device, in one submission\n");
		return;
	}
}

void run_print_stats(const struct run *run)
{
	struct nn_execution_stats stats;

	if (nn_graph_get_stats(run->model.graph, &stats))
		return;
	print_time(run);
	print_bytes(run);
	fprintf(stderr, "passes:      %" PRIu64 "\n", stats.passes);
	fprintf(stderr, "submissions: %" PRIu64 "\n", stats.submissions);
	print_decided(run);
	if (!run->counters.packets)
		return;
	fprintf(stderr,
		"packets:     %" PRIu64 ", %" PRIu64 " a pass on average, %" PRIu64 " to %" PRIu64
		"\n",
		run->counters.packets, run->counters.packets / run->passes, run->least_packets,
		run->most_packets);
	if (run->workers > 1)
		fprintf(stderr,
			"workers:     up to %u for a pass, %" PRIu64
			" packets from beginning to end\n",
			run->workers, run->longest);
	fprintf(stderr, "HVX:         %" PRIu64 " vector instructions\n",
		run->counters.hvx_instructions);
}

/* ---- Execution ---- */

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

/* Outputs of unknown size get more room. Whether there are any that can. */
static bool enlarge_outputs(struct run *run)
{
	bool larger = false;

	for (uint32_t i = 0; i < run->output_count; i++) {
		struct output *output = &run->outputs[i];
		uint64_t row = output->row_elements * nn_data_type_size(output->info.type);
		uint64_t most = MAX_BYTES / row, rows = 4ull * output->rows;

		if (output->info.dims[0] != NN_VARIABLE || output->rows >= most)
			continue;
		output->rows = rows < most ? rows : most;
		larger = true;
	}
	return larger;
}

/*
 * Executes once. 0, -ENOSPC when it is to be done again with larger outputs, or 1 after an error
 * was printed.
 */
static int execute_once(struct run *run, struct nn_buffer *buffers)
{
	struct nn_graph *graph = run->model.graph;
	struct nn_buffer *outputs = buffers + run->input_count;
	int err;

	for (uint32_t i = 0; i < run->input_count; i++) {
		const struct items *items = &run->inputs[i];

		buffers[i] = (struct nn_buffer) { .data = items->data,
						 .size = items->count * items->item_bytes,
						 .rows = items->count };
	}
	for (uint32_t i = 0; i < run->output_count; i++) {
		struct output *output = &run->outputs[i];
		size_t size = output_bytes(output);
		void *data = realloc(output->data, size + 1);

		if (!data)
			return fail("out of memory");
		output->data = data;
		outputs[i] = (struct nn_buffer) { .data = data, .size = size };
	}
	run->nanoseconds = now();
	err = nn_graph_execute(graph, buffers, run->input_count, outputs, run->output_count);
	run->nanoseconds = now() - run->nanoseconds;
	if (err == -ENOSPC && enlarge_outputs(run))
		return err;
	progress_end(&run->progress);
	if (err)
		return fail_graph(graph);
	for (uint32_t i = 0; i < run->output_count; i++)
		run->outputs[i].rows = outputs[i].rows;
	return 0;
}

int run_execute(struct run *run)
{
	struct nn_buffer *buffers = calloc(run->input_count + run->output_count, sizeof(*buffers));
	int status;

	if (!buffers)
		return fail("out of memory");
	progress_init(&run->progress, run->options->progress, run->options->quiet);
	nn_graph_set_progress(run->model.graph, pass_done, run);
	if (run->options->verbose || run->options->trace || run->watch)
		nn_graph_set_trace(run->model.graph, count_pass, run);
	interrupt_cancels(run->model.graph);
	while ((status = execute_once(run, buffers)) == -ENOSPC && !interrupt_came()) {
		/* A run whose outputs were too small does not count. */
		run->passes = 0;
		run->counters = (struct nn_counters) { 0 };
		run->longest = 0;
		trace_restart(run->trace);
	}
	/* One that came between two executions, or after the last pass. */
	if (status <= 0 && interrupt_came())
		status = fail("interrupted");
	interrupt_cancels(NULL);
	free(buffers);
	return status;
}
