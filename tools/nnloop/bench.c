// SPDX-License-Identifier: MIT
/*
 * nnloop bench: how long a model takes, and which operators that is. Runs are timed first, without
 * any counting; then the model is prepared once more and its operators are counted: packets on the
 * DSP, which are the same in every run, and time on the host device.
 */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench.h"
#include "options.h"

#define MAX_RUNS	1000000

struct options {
	struct run_options run;
	uint32_t rows, repeat;	/* rows 0: not given */
	bool json, verbose;
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * 1000000000ull + time.tv_nsec;
}

/* ---- Inputs ---- */

/* The same bytes every time. Integers of more than 16 bits are zeros: they may be indices. */
static void fill_items(struct items *items)
{
	uint32_t size = nn_data_type_size(items->info.type), state = 1;
	uint64_t bytes = items->count * items->item_bytes;

	for (uint64_t i = 0; i < bytes; i++) {
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		if (items->info.type == NN_BOOL)
			items->data[i] = state >> 8 & 1;
		else
			items->data[i] = size <= 2 ? state >> 8 : 0;
	}
}

static int make_inputs(struct run *run, uint32_t rows)
{
	uint32_t count = nn_graph_get_input_count(run->model.graph);

	run->inputs = calloc(count + 1, sizeof(*run->inputs));
	if (!run->inputs)
		return fail("out of memory");
	run->input_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct items *items = &run->inputs[i];
		int status = run_init_items(run, i);

		if (status)
			return status;
		items->count = items->info.dims[0] != NN_VARIABLE ? items->info.dims[0] : rows;
		if (items->count > MAX_BYTES / items->item_bytes)
			return fail("%u items make input %s larger than 2 GiB", rows,
				    items_name(items));
		items->data = malloc(items->count * items->item_bytes + 1);
		if (!items->data)
			return fail("out of memory");
		fill_items(items);
	}
	return 0;
}

/* ---- Counting ---- */

const uint32_t bench_roofs[BENCH_ROOFS] = { 8, 16, 32 };

/* Operators are in the order of the nodes, and passes begin again. */
static struct bench_node *find_node(struct bench *bench, uint32_t id)
{
	for (uint32_t i = 0; i < bench->node_count; i++) {
		uint32_t at = (bench->at + i) % bench->node_count;

		if (bench->nodes[at].info.id != id)
			continue;
		bench->at = at;
		return &bench->nodes[at];
	}
	return NULL;
}

static void add_count(struct bench_count *count, const struct nn_op_record *op)
{
	count->packets += op->counters.packets;
	count->nanoseconds += op->nanoseconds;
	count->macs += op->macs;
	count->bytes_read += op->bytes_read;
	count->bytes_written += op->bytes_written;
	count->fetched += op->memory.fetched;
	count->allocated += op->memory.allocated;
	count->written_back += op->memory.written_back;
}

static void count_pass(const struct nn_pass_record *pass, void *opaque)
{
	struct bench *bench = opaque;
	uint32_t last = 0;

	bench->passes++;
	bench->packets += pass->counters.packets;
	bench->memory_size = pass->memory.size;
	if (pass->submission != bench->submission) {
		bench->submissions += pass->end_ns - pass->start_ns;
		bench->submission = pass->submission;
		bench->submission_count++;
	}
	for (uint32_t i = 0; i < pass->op_count; i++) {
		struct bench_node *node = find_node(bench, pass->ops[i].node);

		add_count(&bench->total, &pass->ops[i]);
		if (!node)
			continue;
		add_count(&node->count, &pass->ops[i]);
		/* A node can be several operators. */
		node->count.passes += !i || pass->ops[i].node != last;
		last = pass->ops[i].node;
	}
}

static void divide(struct bench_count *count, uint32_t by)
{
	count->passes /= by;
	count->packets /= by;
	count->nanoseconds /= by;
	count->macs /= by;
	count->bytes_read /= by;
	count->bytes_written /= by;
	count->fetched /= by;
	count->allocated /= by;
	count->written_back /= by;
}

/* Raises the roofs of operators that bytes rather than packets would bound. */
static void raise_roofs(struct bench *bench)
{
	memset(bench->total.at_roof, 0, sizeof(bench->total.at_roof));
	for (uint32_t i = 0; i < bench->node_count; i++) {
		struct bench_count *count = &bench->nodes[i].count;

		for (uint32_t roof = 0; roof < BENCH_ROOFS; roof++) {
			uint64_t least = bench_traffic(count) / bench_roofs[roof];

			count->at_roof[roof] = least > count->packets ? least : count->packets;
			bench->total.at_roof[roof] += count->at_roof[roof];
		}
	}
}

/* Each is the same in every run, but for nanoseconds. */
static void take_mean(struct bench *bench)
{
	uint32_t runs = bench->counted_runs;

	for (uint32_t i = 0; i < bench->node_count; i++)
		divide(&bench->nodes[i].count, runs);
	divide(&bench->total, runs);
	bench->packets /= runs;
	bench->passes /= runs;
	bench->submission_count /= runs;
	bench->submissions /= runs;
	bench->counted /= runs;
}

static int list_nodes(struct bench *bench)
{
	const struct nn_graph *graph = bench->run.model.graph;
	struct nn_plan_info plan;

	if (nn_graph_get_plan(graph, &plan))
		return fail_graph(graph);
	bench->nodes = calloc(plan.node_count + 1, sizeof(*bench->nodes));
	if (!bench->nodes)
		return fail("out of memory");
	bench->node_count = plan.node_count;
	for (uint32_t i = 0; i < plan.node_count; i++) {
		if (nn_graph_get_plan_node(graph, i, &bench->nodes[i].info))
			return fail_graph(graph);
	}
	return 0;
}

static int count_operators(struct bench *bench)
{
	struct run *run = &bench->run;
	int status = run_prepare(run, NN_PREPARE_PROFILE);

	if (!status)
		status = list_nodes(bench);
	/* Packets are exact; times are not. */
	/* A program is new to the DSP in its first run, and checked there. */
	if (!status)
		status = run_execute(run);
	bench->counted_runs = bench->device.kind == NN_DEVICE_HEXAGON ? 1 : bench->repeat;
	run->watch = count_pass;
	run->watch_opaque = bench;
	for (uint32_t i = 0; i < bench->counted_runs && !status; i++) {
		/* Submissions are numbered from 1 in each. */
		bench->submission = 0;
		status = run_execute(run);
		bench->counted += run->nanoseconds;
	}
	if (!status) {
		take_mean(bench);
		raise_roofs(bench);
	}
	return status;
}

/* Counts the packets that it takes the device to decide about loops by itself. */
static int count_control(struct bench *bench)
{
	struct nn_graph *graph = bench->run.model.graph;
	struct nn_execution_stats stats;
	int status;

	/* Nobody sees its passes. */
	bench->run.watch = NULL;
	nn_graph_set_trace(graph, NULL, NULL);
	status = run_execute(&bench->run);
	if (!status && !nn_graph_get_stats(graph, &stats)) {
		bench->control = stats.control_packets;
		bench->controlled = stats.submissions;
	}
	return status;
}

static void count_longest(const struct nn_pass_record *pass, void *opaque)
{
	struct bench *bench = opaque;

	if (pass->workers > bench->workers)
		bench->workers = pass->workers;
	bench->longest += pass->longest;
}

/* A second execution of the same: in the first each worker has the programs to check. */
static int count_together(struct bench *bench)
{
	struct run *run = &bench->run;
	int status;

	run->watch = NULL;
	status = run_prepare(run, NN_PREPARE_PROFILE);
	if (!status)
		status = run_execute(run);
	run->watch = count_longest;
	return status ? status : run_execute(run);
}

/* ---- Timing ---- */

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

uint64_t bench_percentile(const struct bench *bench, uint32_t percent)
{
	return bench->runs[((uint64_t)(bench->repeat - 1) * percent + 50) / 100];
}

static int time_runs(struct bench *bench)
{
	struct run *run = &bench->run;
	/* The first may enlarge outputs, and memory is new to it. */
	int status = run_execute(run);

	bench->first = run->nanoseconds;
	bench->runs = calloc(bench->repeat, sizeof(*bench->runs));
	if (!status && !bench->runs)
		return fail("out of memory");
	for (uint32_t i = 0; i < bench->repeat && !status; i++) {
		status = run_execute(run);
		bench->runs[i] = run->nanoseconds;
	}
	if (!status)
		qsort(bench->runs, bench->repeat, sizeof(*bench->runs), compare);
	return status;
}

static int measure(struct bench *bench, struct options *options)
{
	uint32_t workers = options->run.workers;
	struct run *run = &bench->run;
	uint64_t start = now();
	int status = model_open(options->run.model, &options->run.given, &run->model);

	bench->import = now() - start;
	if (!status)
		status = options->run.input_count ? run_read_inputs(run) :
						    make_inputs(run, options->rows);
	if (!status)
		status = run_open_device(run);
	if (status)
		return status;
	nn_device_get_info(run->device, &bench->device);
	start = now();
	status = run_prepare(run, 0);
	bench->prepare = now() - start;
	if (!status)
		status = run_allocate_outputs(run);
	if (!status)
		status = time_runs(bench);
	/* Operators are measured by what one worker counts. */
	options->run.workers = 1;
	if (!status)
		status = count_operators(bench);
	if (!status && bench->device.kind == NN_DEVICE_HEXAGON)
		status = count_control(bench);
	options->run.workers = workers;
	if (!status && workers > 1 && bench->device.kind == NN_DEVICE_HEXAGON)
		status = count_together(bench);
	return status;
}

/* ---- The command ---- */

static int set_repeat(const char *value, void *opaque)
{
	struct options *options = opaque;
	uint64_t number;

	if (!parse_number(value, 1, MAX_RUNS, &number))
		return usage_error("bench", "--repeat %s: not a number of runs from 1 to %d", value,
				   MAX_RUNS);
	options->repeat = number;
	return -1;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	const struct option_entry entries[] = {
		{ 0, "device", "DEVICE",
		  "hexagon (the default, /dev/nnloop), another node such as\n"
		  "/dev/nnloop1, or host: this processor, or host:N: on N threads",
		  .text = &options->run.device },
		{ 0, "rows", "N",
		  "without INPUT: N items for each input of variable batch (those of one\n"
		  "step, or 1)",
		  .items = &options->rows, .least = 1 },
		{ 0, "step", "N", "put a loop in front of a model that has none: N items in a pass",
		  .items = &options->run.step, .least = 1 },
		OPTION_SHAPE(&options->run.given),
		OPTION_SET(&options->run.given),
		OPTION_SIGNATURE(&options->run.given),
		OPTION_INTEGERS_ONLY(&options->run.given),
		OPTION_STREAMS(&options->run.streams),
		OPTION_WORKERS(&options->run.workers),
		OPTION_PASS_LIMIT(&options->run.pass_limit),
		{ 0, "repeat", "N", "time N runs (10), behind a first one", .set = set_repeat },
		{ 0, "json", NULL, "for other programs: the same with each node by itself",
		  .flag = &options->json },
		{ 'v', "verbose", NULL, "also each node by itself", .flag = &options->verbose },
		{ 0 },
	};
	const struct command_line line = {
		.command = "bench",
		.words = "[OPTION...] MODEL [INPUT...]",
		.about =
	"Measures how long it takes to import, prepare and run MODEL, and for each kind of operator the\n"
	"DSP's packets or, on the host device, the time; multiplications (MACs), of which 256 fit a\n"
	"packet; and the bytes that it reads and writes. INPUT files are as for nnloop run; without,\n"
	"inputs are random, and the same every time.\n",
		.entries = entries,
		.options = options,
	};
	int status;

	*options = (struct options) {
		.run = { .command = "bench", .device = "hexagon", .quiet = true }, .repeat = 10,
	};
	status = options_parse(&line, argc, argv);
	if (status >= 0)
		return status;
	if (optind >= argc)
		return usage_error("bench", "which model?");
	options->run.model = argv[optind];
	options->run.inputs = argv + optind + 1;
	options->run.input_count = argc - optind - 1;
	if (options->rows && options->run.input_count)
		return usage_error("bench", "--rows does not go with INPUT files");
	if (!options->rows)
		options->rows = options->run.step ? options->run.step : 1;
	return -1;
}

int bench_main(int argc, char **argv)
{
	struct options options;
	struct bench bench = { .run = { .options = &options.run } };
	int status = parse_options(argc, argv, &options);

	if (status >= 0)
		return status;
	bench.repeat = options.repeat;
	status = measure(&bench, &options);
	if (!status && options.json)
		bench_print_json(&bench);
	else if (!status)
		bench_print_text(&bench, options.verbose);
	run_free(&bench.run);
	free(bench.runs);
	free(bench.nodes);
	return status;
}
