// SPDX-License-Identifier: MIT
/*
 * A timeline of an execution in the Trace Event Format (JSON), which Perfetto and chrome://tracing
 * open: a track for the queue's submissions and, inside each, its passes and their operators.
 *
 * The host's clock says when a submission began and when it was known to be done. What happened
 * inside is laid out in proportion to the packets that the DSP executed; the host device counts
 * none, and there passes and operators share their submission evenly. The file says which.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "nnloop.h"
#include "out_file.h"

#define PROCESS	1 /* the device */
#define QUEUE	1 /* a graph has one queue */

struct trace {
	struct out_file *file;
	FILE *stream;		/* of that */
	/* The passes of the submission that is being collected. */
	struct nn_pass_record *passes;
	uint32_t count, room;
	uint64_t origin_ns;
	long start;		/* where in the file the first submission begins */
	bool out_of_memory;
};

/*
 * The loops and conditions that data decide about: how often they run at most, and where that is decided
 * when nobody watches.
 */
static void write_decided(FILE *stream, const struct nn_graph *graph)
{
	struct nn_plan_node node;
	bool any = false;

	for (uint32_t i = 0; !nn_graph_get_plan_node(graph, i, &node); i++) {
		if (!node.decided_on)
			continue;
		fprintf(stream, "%s{\"node\": %u, \"op\": ", any ? ", " : ", \"decided by data\": [",
			node.id);
		print_json_string(stream, node.op);
		if (node.most_iterations)
			fprintf(stream, ", \"most_iterations\": %" PRIu64, node.most_iterations);
		fprintf(stream, ", \"untraced\": \"%s\"}",
			node.decided_on == NN_DECIDED_ON_DEVICE ? "device" : "host");
		any = true;
	}
	fprintf(stream, "%s", any ? "]" : "");
}

int trace_open(const char *path, const struct nn_device *device, const struct nn_graph *graph,
	       const char *title, struct trace **trace)
{
	struct nn_device_info info;
	int status;

	*trace = calloc(1, sizeof(**trace));
	if (!*trace)
		return fail("out of memory");
	status = out_file_open(path, &(*trace)->file);
	if (status) {
		free(*trace);
		*trace = NULL;
		return status;
	}
	(*trace)->stream = out_file_stream((*trace)->file);
	nn_device_get_info(device, &info);
	fprintf((*trace)->stream, "{\"displayTimeUnit\": \"ns\",\n\"otherData\": {\"model\": ");
	print_json_string((*trace)->stream, title);
	fprintf((*trace)->stream, ", \"inside a submission\": \"%s\"",
		info.kind == NN_DEVICE_HEXAGON ? "in proportion to packets, not measured times" :
						 "shared evenly, nothing is measured");
	write_decided((*trace)->stream, graph);
	fprintf((*trace)->stream, "},\n\"traceEvents\": [\n");
	fprintf((*trace)->stream,
		"{\"ph\": \"M\", \"pid\": %d, \"name\": \"process_name\", \"args\": {\"name\": ",
		PROCESS);
	print_json_string((*trace)->stream, info.name);
	fprintf((*trace)->stream,
		"}},\n{\"ph\": \"M\", \"pid\": %d, \"tid\": %d, \"name\": \"thread_name\", \"args\": {\"name\": \"queue %d\"}}",
		PROCESS, QUEUE, QUEUE);
	(*trace)->start = ftell((*trace)->stream);
	return 0;
}

void trace_restart(struct trace *trace)
{
	if (!trace)
		return;
	while (trace->count)
		free((void *)trace->passes[--trace->count].ops);
	trace->origin_ns = 0;
	/* A file that cannot be rewound, such as a pipe, keeps what it was given. */
	if (!fflush(trace->stream) && !ftruncate(fileno(trace->stream), trace->start))
		fseek(trace->stream, trace->start, SEEK_SET);
}

/* A stretch of time, in nanoseconds since the first submission. */
struct span {
	double start, length;
};

/* The part of a span from @from to @to out of @whole: never beyond its end. */
static struct span part_of(const struct span *span, double from, double to, double whole)
{
	double start = span->start + span->length * (from / whole);

	return (struct span) { start, span->start + span->length * (to / whole) - start };
}

/* Begins a slice; the caller adds what else is in its args, and closes it. */
static void begin_slice(const struct trace *trace, const char *name, const struct span *span)
{
	/* Whole nanoseconds of both ends, so that slices stay inside of each other. */
	uint64_t start = span->start, end = span->start + span->length;

	fprintf(trace->stream,
		",\n{\"ph\": \"X\", \"pid\": %d, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f, \"name\": ",
		PROCESS, QUEUE, start / 1000.0, (end - start) / 1000.0);
	print_json_string(trace->stream, name);
	fprintf(trace->stream, ", \"args\": {");
}

/* counters: NULL where nothing counts. */
static void end_slice(const struct trace *trace, const struct nn_counters *counters)
{
	if (counters)
		fprintf(trace->stream,
			"\"packets\": %" PRIu64 ", \"instructions\": %" PRIu64
			", \"hvx_instructions\": %" PRIu64,
			counters->packets, counters->instructions, counters->hvx_instructions);
	fprintf(trace->stream, "}}");
}

/* "partition 2 [0+8 of 211, 3+1 of 5]": for each loop, rows before and in the pass, and in all. */
static void name_pass(const struct nn_pass_record *pass, char *name, size_t size)
{
	size_t at = snprintf(name, size, "partition %u", pass->partition);

	if (pass->part)
		at += snprintf(name + at, size - at, " part %u", pass->part);
	for (uint32_t i = 0; i < pass->depth; i++)
		at += snprintf(name + at, size - at, "%s%u+%u of %u", i ? ", " : " [",
			       pass->counts[i].prev_batches, pass->counts[i].current_batches,
			       pass->counts[i].total_batches);
	if (pass->depth)
		snprintf(name + at, size - at, "]");
}

static void write_counts(const struct trace *trace, const struct nn_pass_record *pass)
{
	fprintf(trace->stream, "\"loops\": [");
	for (uint32_t i = 0; i < pass->depth; i++) {
		const struct nn_loopcounts *counts = &pass->counts[i];

		fprintf(trace->stream,
			"%s{\"iter\": %u, \"prev\": %u, \"current\": %u, \"total\": %u, \"outer\": %u}",
			i ? ", " : "", counts->itercount, counts->prev_batches,
			counts->current_batches, counts->total_batches, counts->prev_outer_batches);
	}
	fprintf(trace->stream, "]%s", pass->counters.packets ? ", " : "");
}

static void write_pass(const struct trace *trace, const struct nn_pass_record *pass,
		       const struct span *span)
{
	uint64_t packets = pass->counters.packets, done = 0;
	char name[256];

	name_pass(pass, name, sizeof(name));
	begin_slice(trace, name, span);
	write_counts(trace, pass);
	end_slice(trace, packets ? &pass->counters : NULL);
	for (uint32_t i = 0; i < pass->op_count; i++) {
		const struct nn_op_record *op = &pass->ops[i];
		uint64_t size = packets ? op->counters.packets : 1;
		struct span part = part_of(span, done, done + size,
					   packets ? packets : pass->op_count);

		snprintf(name, sizeof(name), "%s %u", op->op, op->node);
		begin_slice(trace, name, &part);
		/* An operator that another one did the work of has zeros. */
		end_slice(trace, packets ? &op->counters : NULL);
		done += size;
	}
}

/* Writes the submission that has been collected. */
static void write_submission(struct trace *trace)
{
	const struct nn_pass_record *first = trace->passes;
	uint64_t packets = 0, done = 0;
	struct span span;
	char name[64];

	if (!trace->count)
		return;
	for (uint32_t i = 0; i < trace->count; i++)
		packets += trace->passes[i].counters.packets;
	span.start = first->start_ns - trace->origin_ns;
	span.length = first->end_ns - first->start_ns;
	snprintf(name, sizeof(name), "submission %" PRIu64, first->submission);
	begin_slice(trace, name, &span);
	fprintf(trace->stream, "\"passes\": %u", trace->count);
	end_slice(trace, NULL);
	for (uint32_t i = 0; i < trace->count; i++) {
		struct nn_pass_record *pass = &trace->passes[i];
		uint64_t size = packets ? pass->counters.packets : 1;
		struct span part = part_of(&span, done, done + size,
					   packets ? packets : trace->count);

		write_pass(trace, pass, &part);
		done += size;
		free((void *)pass->ops);
	}
	trace->count = 0;
}

void trace_pass(struct trace *trace, const struct nn_pass_record *pass)
{
	struct nn_op_record *ops;

	if (trace->count && trace->passes[0].submission != pass->submission)
		write_submission(trace);
	if (!trace->origin_ns)
		trace->origin_ns = pass->start_ns;
	if (trace->count == trace->room) {
		uint32_t room = 2 * trace->room + 16;
		void *passes = realloc(trace->passes, room * sizeof(*trace->passes));

		if (!passes) {
			trace->out_of_memory = true;
			return;
		}
		trace->passes = passes;
		trace->room = room;
	}
	ops = malloc(pass->op_count * sizeof(*ops) + 1);
	if (!ops) {
		trace->out_of_memory = true;
		return;
	}
	if (pass->op_count)
		memcpy(ops, pass->ops, pass->op_count * sizeof(*ops));
	trace->passes[trace->count] = *pass;
	trace->passes[trace->count++].ops = ops;
}

int trace_close(struct trace *trace)
{
	int status = 0;

	if (!trace)
		return 0;
	write_submission(trace);
	fprintf(trace->stream, "\n]}\n");
	if (trace->out_of_memory)
		status = fail("out of memory: %s is not complete", out_file_path(trace->file));
	status |= out_file_finish(trace->file);
	free(trace->passes);
	free(trace);
	return status;
}
