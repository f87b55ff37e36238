// SPDX-License-Identifier: MIT
/* nnloop plan: how a graph is split into partitions, and where it runs. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"
#include "options.h"

typedef int (*print_fp)(struct nn_graph *graph, bool verbose);

struct options {
	uint32_t step, rows, streams, workers;
	uint64_t pass_limit;	/* 0: the library's */
	bool no_optimize, verbose, passes;
	print_fp print;
	struct given given;
	const char *model;
};

/* Prints where a node runs and what it makes. */
static void print_details(const struct nn_graph *graph, uint32_t index,
			  const struct nn_plan_node *node)
{
	static const char *const places[] = { "-", "device", "cpu" };

	if (!(node->flags & NN_NODE_FLAG_VIEW))
		printf(" on %s", places[node->runs_on]);
	if (node->runs_on == NN_RUNS_DEVICE)
		printf(" part %u", node->part);
	if (node->flags & NN_NODE_FLAG_PORTABLE)
		printf(node->runs_on == NN_RUNS_DEVICE ? " in portable C" :
							 ", on the device in portable C");
	for (uint32_t i = 0; i < node->output_count; i++) {
		struct nn_tensor_info info;

		if (nn_graph_get_plan_output(graph, index, i, &info))
			continue;
		printf("%s%s[", i ? ", " : " makes ", nn_data_type_name(info.type));
		for (uint32_t k = 0; k < info.rank; k++)
			printf("%s%u", k ? "," : "", info.dims[k]);
		printf("]");
		if (info.level)
			printf(" level %u", info.level);
	}
}

/* Prints what a node is a view of: all of its inputs, or one. */
static void print_view(const struct nn_graph *graph, uint32_t index,
		       const struct nn_plan_node *node)
{
	printf(" view of");
	for (uint32_t i = 0; i < node->input_count; i++) {
		struct nn_input tensor;

		if (!nn_graph_get_plan_input(graph, index, i, &tensor) && tensor.src_id)
			printf(" %u:%u", tensor.src_id, tensor.output_idx);
	}
}

static int skip_push(const struct nn_push *push, void *opaque)
{
	(void)push;
	(void)opaque;
	return 0;
}

const char *plan_unknown(struct nn_graph *graph)
{
	int err = nn_graph_walk_passes(graph, skip_push, NULL);

	if (!err)
		return NULL;
	return err == -EOPNOTSUPP ? "depends on data" : "an execution would fail";
}

/* unknown: why some of it is not known, or NULL. */
static void print_totals(const struct nn_plan_info *plan, const char *unknown)
{
	if (unknown)
		printf("passes unknown, %s\n", unknown);
	else
		printf("passes %" PRIu64 "\n", plan->pass_count);
	printf("programs %u\n", plan->program_count);
	printf("constants %" PRIu64 " bytes\n", plan->constant_bytes);
	printf("arena %" PRIu64 " bytes with the loop, ", plan->arena_bytes);
	if (unknown)
		printf("unknown without, %s\n", unknown);
	else
		printf("%" PRIu64 " without\n", plan->arena_bytes_unlooped);
	if (plan->single_stream)
		printf("streams 1, because %s\n", plan->single_stream);
	else
		printf("streams %u of at most %u, %" PRIu64 " bytes for each beyond the first\n",
		       plan->stream_count, plan->max_streams, plan->stream_bytes);
	if (plan->single_worker)
		printf("workers 1 for a pass, because %s\n", plan->single_worker);
	else
		printf("workers up to %u for a pass\n", plan->worker_count);
	printf("inputs %" PRIu64 " bytes, outputs ", plan->input_bytes);
	if (unknown)
		printf("unknown, %s\n", unknown);
	else
		printf("%" PRIu64 " bytes\n", plan->output_bytes);
	printf("moved %" PRIu64 " bytes in a full pass\n", plan->bytes_moved);
}

/*
 * The loop that a node of a tree runs in; of an LCN how often, and who decides that, in a chain only where
 * data do.
 */
static void print_loop(const struct nn_plan_node *node, bool is_tree)
{
	if (is_tree && node->loop)
		printf(" loop %u", node->loop);
	if (!(node->flags & NN_NODE_FLAG_LCN)) {
		if (node->decided_on)
			printf(", the condition of loop %u,%s", node->loop, plan_decided_on(node));
		return;
	}
	if (node->most_iterations && (is_tree || node->decided_on))
		printf(", at most %" PRIu64 " iteration%s", node->most_iterations,
		       node->most_iterations == 1 ? "" : "s");
	if (node->decided_on)
		printf(", as data say%s", plan_decided_on(node));
}

static int print_text(struct nn_graph *graph, bool verbose)
{
	struct nn_plan_info plan;

	if (nn_graph_get_plan(graph, &plan))
		return fail_graph(graph);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		struct nn_plan_node node;

		if (nn_graph_get_plan_node(graph, i, &node))
			return fail_graph(graph);
		printf("node %u %s partition %u", node.id, node.op, node.partition);
		print_loop(&node, plan.is_tree);
		if (node.flags & NN_NODE_FLAG_VIEW)
			print_view(graph, i, &node);
		if (verbose)
			print_details(graph, i, &node);
		putchar('\n');
	}
	if (plan.sink_count) {
		printf("sink");
		for (uint32_t i = 0; i < plan.sink_count; i++) {
			struct nn_input tensor;

			if (nn_graph_get_plan_sink(graph, i, &tensor))
				return fail_graph(graph);
			printf(" %u:%u", tensor.src_id, tensor.output_idx);
		}
		putchar('\n');
	}
	if (!verbose)
		return 0;
	print_totals(&plan, plan_unknown(graph));
	return print_portable(graph, "");
}

/* ---- Passes ---- */

static int print_push(const struct nn_push *push, void *opaque)
{
	(void)opaque;
	printf("pass lcn %u level %u iter %u prev %u current %u total %u outer %u offset %" PRIu64
	       "\n",
	       push->lcn, push->level, push->counts.itercount, push->counts.prev_batches,
	       push->counts.current_batches, push->counts.total_batches,
	       push->counts.prev_outer_batches, push->offset);
	return 0;
}

/* All of them or none: which loop depends on data shows only when it is its turn. */
static int print_passes(struct nn_graph *graph)
{
	if (nn_graph_walk_passes(graph, skip_push, NULL) ||
	    nn_graph_walk_passes(graph, print_push, NULL))
		return fail_graph(graph);
	return 0;
}

/* ---- Options ---- */

static int set_format(const char *name, void *opaque)
{
	struct options *options = opaque;

	if (!strcmp(name, "json"))
		options->print = plan_print_json;
	else if (!strcmp(name, "dot"))
		options->print = plan_print_dot;
	else if (!strcmp(name, "text"))
		options->print = print_text;
	else
		return usage_error("plan", "--format %s: not text, json or dot", name);
	return -1;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	const struct option_entry entries[] = {
		{ 0, "step", "N", "put a loop in front of a model that has none: N items in a pass",
		  .items = &options->step, .least = 1 },
		{ 0, "rows", "N", "plan for N items in each input of variable batch (1)",
		  .items = &options->rows },
		OPTION_SHAPE(&options->given),
		OPTION_SET(&options->given),
		OPTION_SIGNATURE(&options->given),
		OPTION_INTEGERS_ONLY(&options->given),
		OPTION_STREAMS(&options->streams),
		OPTION_WORKERS(&options->workers),
		OPTION_PASS_LIMIT(&options->pass_limit),
		{ 0, "passes", NULL,
		  "print the pass sequence that execution will follow instead, one line for\n"
		  "each push of a loop",
		  .flag = &options->passes },
		{ 0, "format", "FORMAT",
		  "text, json, or dot: a drawing for graphviz, a box for each partition",
		  .set = set_format },
		{ 0, "no-optimize", NULL, "keep the graph as it is written, dead nodes included",
		  .flag = &options->no_optimize },
		{ 'v', "verbose", NULL,
		  "also where each node runs, what it makes, memory, bytes moved, and which\n"
		  "nodes a DSP runs in portable C",
		  .flag = &options->verbose },
		{ 0 },
	};
	const struct command_line line = {
		.command = "plan",
		.words = "[OPTION...] MODEL",
		.about =
	"Prints one line for each node of MODEL in execution order, `node ID OP partition P`, and if\n"
	"tensors cross from one partition to a later one, `sink SRC:IDX ...`. Constants have no lines.\n"
	"A node that has nothing to do, because what it makes is where its inputs are, is marked `view\n"
	"of SRC:IDX ...`.\n"
	"Needs no device.\n",
		.entries = entries,
		.options = options,
	};
	int status;

	*options = (struct options) { .rows = 1, .print = print_text };
	status = options_parse(&line, argc, argv);
	if (status >= 0)
		return status;
	if (options->passes && options->print != print_text)
		return usage_error("plan", "--passes prints text only");
	if (optind + 1 != argc)
		return usage_error("plan", optind >= argc ? "which model?" : "one model at a time");
	options->model = argv[optind];
	return -1;
}

static int prepare(const struct options *options, const struct model *model)
{
	uint32_t *rows = model_rows(model, options->rows);
	const struct nn_prepare_options prepare_options = {
		.flags = options->no_optimize ? NN_PREPARE_NO_OPTIMIZE : 0,
		.step = options->step,
		.input_rows = rows,
		.streams = options->streams,
		.workers = options->workers,
	};
	int status;

	if (!rows)
		return EXIT_FAILURE;
	if (options->pass_limit)
		nn_graph_set_pass_limit(model->graph, options->pass_limit);
	status = model_prepare(model, NULL, &prepare_options);
	free(rows);
	return status;
}

int plan_main(int argc, char **argv)
{
	struct options options;
	struct model model;
	int status;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	status = model_open(options.model, &options.given, &model);
	if (!status)
		status = prepare(&options, &model);
	if (!status && options.passes)
		status = print_passes(model.graph);
	else if (!status)
		status = options.print(model.graph, options.verbose);
	model_close(&model);
	return status;
}
