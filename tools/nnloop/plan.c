// SPDX-License-Identifier: MIT
/* nnloop plan: how a graph is split into partitions, and where it runs. */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nnloop.h"

static const char usage[] =
	"usage: nnloop plan [OPTION...] MODEL\n"
	"\n"
	"Prints one line for each node of MODEL in execution order, `node ID OP partition P`, and if\n"
	"tensors cross from one partition to a later one, `sink SRC:IDX ...`. Constants have no lines.\n"
	"Needs no device.\n"
	"\n"
	"      --step N          put a loop in front of a model that has none: N items in a pass\n"
	"      --rows N          plan for N items in each input of variable batch (1)\n"
	"      --passes          print the pass sequence that execution will follow instead, one line for\n"
	"                        each push of a loop\n"
	"      --format FORMAT   text, json, or dot: a drawing for graphviz, a box for each partition\n"
	"      --no-optimize     keep the graph as it is written, dead nodes included\n"
	"  -v, --verbose         also where each node runs, what it makes, memory, bytes moved\n"
	"  -h, --help            this\n";

typedef int (*print_fp)(const struct nn_graph *graph, bool verbose);

struct options {
	uint32_t step, rows;
	bool no_optimize, verbose, passes;
	print_fp print;
	const char *model;
};

/* Where a node runs and what it makes. */
static void print_details(const struct nn_graph *graph, uint32_t index,
			  const struct nn_plan_node *node)
{
	static const char *const places[] = { "-", "device", "cpu" };

	printf(" on %s", places[node->runs_on]);
	if (node->runs_on == NN_RUNS_DEVICE)
		printf(" part %u", node->part);
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

static int print_text(const struct nn_graph *graph, bool verbose)
{
	struct nn_plan_info plan;

	if (nn_graph_get_plan(graph, &plan))
		return fail_graph(graph);
	for (uint32_t i = 0; i < plan.node_count; i++) {
		struct nn_plan_node node;

		if (nn_graph_get_plan_node(graph, i, &node))
			return fail_graph(graph);
		printf("node %u %s partition %u", node.id, node.op, node.partition);
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
	printf("passes %" PRIu64 "\n", plan.pass_count);
	printf("programs %u\n", plan.program_count);
	printf("constants %" PRIu64 " bytes\n", plan.constant_bytes);
	printf("arena %" PRIu64 " bytes with the loop, %" PRIu64 " without\n", plan.arena_bytes,
	       plan.arena_bytes_unlooped);
	printf("inputs %" PRIu64 " bytes, outputs %" PRIu64 " bytes\n", plan.input_bytes,
	       plan.output_bytes);
	printf("moved %" PRIu64 " bytes in a full pass\n", plan.bytes_moved);
	return 0;
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

static int skip_push(const struct nn_push *push, void *opaque)
{
	(void)push;
	(void)opaque;
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

static print_fp find_format(const char *name)
{
	if (!strcmp(name, "json"))
		return plan_print_json;
	if (!strcmp(name, "dot"))
		return plan_print_dot;
	return !strcmp(name, "text") ? print_text : NULL;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	enum { STEP = 256, ROWS, NO_OPTIMIZE, PASSES, FORMAT };
	static const struct option longs[] = {
		{ "step", required_argument, NULL, STEP },
		{ "rows", required_argument, NULL, ROWS },
		{ "no-optimize", no_argument, NULL, NO_OPTIMIZE },
		{ "passes", no_argument, NULL, PASSES },
		{ "format", required_argument, NULL, FORMAT },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	uint64_t number;
	int option;

	*options = (struct options) { .rows = 1, .print = print_text };
	while ((option = getopt_long(argc, argv, "vh", longs, NULL)) != -1) {
		switch (option) {
		case STEP:
		case ROWS:
			if (!parse_number(optarg, option == STEP, INT32_MAX, &number))
				return usage_error("plan", "--%s %s: not a number of items",
						   option == STEP ? "step" : "rows", optarg);
			*(option == STEP ? &options->step : &options->rows) = number;
			break;
		case NO_OPTIMIZE:
			options->no_optimize = true;
			break;
		case PASSES:
			options->passes = true;
			break;
		case FORMAT:
			options->print = find_format(optarg);
			if (!options->print)
				return usage_error("plan", "--format %s: not text, json or dot",
						   optarg);
			break;
		case 'v':
			options->verbose = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		default:
			fputs("nnloop plan --help says what is possible\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (options->passes && options->print != print_text)
		return usage_error("plan", "--passes prints text only");
	if (optind + 1 != argc)
		return usage_error("plan", optind >= argc ? "which model?" : "one model at a time");
	options->model = argv[optind];
	return -1;
}

static int prepare(const struct options *options, struct nn_graph *graph)
{
	struct nn_prepare_options prepare = { .step = options->step,
					      .input_count = nn_graph_get_input_count(graph) };
	uint32_t *rows = calloc(prepare.input_count + 1, sizeof(*rows));
	int err = 0;

	if (!rows)
		return fail("out of memory");
	for (uint32_t i = 0; i < prepare.input_count && !err; i++) {
		struct nn_tensor_info info;

		err = nn_graph_get_input_info(graph, i, &info);
		rows[i] = info.dims[0] != NN_VARIABLE ? info.dims[0] : options->rows;
	}
	prepare.input_rows = rows;
	if (options->no_optimize)
		prepare.flags |= NN_PREPARE_NO_OPTIMIZE;
	if (!err)
		err = nn_graph_prepare(graph, NULL, &prepare);
	free(rows);
	return err ? fail_graph(graph) : 0;
}

int plan_main(int argc, char **argv)
{
	struct options options;
	struct model model;
	int status;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	status = model_open(options.model, &model);
	if (!status)
		status = prepare(&options, model.graph);
	if (!status && options.passes)
		status = print_passes(model.graph);
	else if (!status)
		status = options.print(model.graph, options.verbose);
	model_close(&model);
	return status;
}
