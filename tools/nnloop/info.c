// SPDX-License-Identifier: MIT
/*
 * nnloop info: what a model takes and gives, and what it is made of. It plans the model as a run
 * would, but for no device.
 */
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "metadata.h"
#include "nnloop.h"
#include "options.h"

struct options {
	uint32_t rows;
	bool json;
	struct given given;
	const char *model;
};

/* The formats, by enum nn_model_format. */
static const struct format {
	const char *name, *words;
} formats[] = {
	[NN_MODEL_TEXT] = { "text", "text graph" },
	[NN_MODEL_ONNX] = { "onnx", "ONNX model" },
	[NN_MODEL_TFLITE] = { "tflite", "TensorFlow Lite model" },
};

static const struct format *format_of(const struct model *model)
{
	return &formats[model->format];
}

/* A tensor at the graph's end, and dimension 0 of it in words: a number, "N" for as many as the
 * inputs of variable batch have, a multiple of that, or "?". */
struct end {
	struct nn_tensor_info info;
	char rows[16];
};

/* Nodes of one partition with the same operator that run in the same place. */
struct kind {
	uint32_t partition, count, portable;	/* portable: that a DSP runs in portable C */
	const char *op;
	enum nn_runs_on runs_on;
};

struct summary {
	struct nn_plan_info plan;
	struct end *inputs, *outputs;
	uint32_t input_count, output_count;
	struct kind *kinds;	/* by partition, then by name */
	uint32_t kind_count;
	struct nn_plan_node *loops;	/* the outermost first */
	uint32_t loop_count;
	struct metadata metadata;
	bool refused;	/* there is no plan, as the graph's error says: nothing but inputs */
};

/* ---- What there is to say ---- */

/* Dimension 0 of what was `first` rows with `rows` items and is `more` rows with one more, 0 if
 * that is not known. */
static void say_rows(char *words, size_t size, uint32_t rows, uint32_t first, uint32_t more)
{
	if (first == NN_VARIABLE || more == NN_VARIABLE)
		snprintf(words, size, "?");
	else if (first == more)
		snprintf(words, size, "%u", first);
	else if (first == rows && more == rows + 1)
		snprintf(words, size, "N");
	else if (more > first && (uint64_t)(more - first) * rows == first)
		snprintf(words, size, "%uN", more - first);
	else
		snprintf(words, size, "?");
}

static int find_inputs(struct summary *summary, const struct nn_graph *graph)
{
	for (uint32_t i = 0; i < summary->input_count; i++) {
		struct end *input = &summary->inputs[i];

		if (nn_graph_get_input_info(graph, i, &input->info))
			return fail_graph(graph);
		if (input->info.dims[0] == NN_VARIABLE)
			snprintf(input->rows, sizeof(input->rows), "N");
		else
			snprintf(input->rows, sizeof(input->rows), "%u", input->info.dims[0]);
	}
	return 0;
}

/* Rows of each output with that many items; 0 where they are not known, and for all of them if the
 * model cannot run with so many. */
static int find_rows(const struct model *model, uint32_t item_count, uint32_t *output_rows,
		     uint32_t output_count)
{
	uint32_t *rows = model_rows(model, item_count);
	const struct nn_prepare_options options = {
		.input_rows = rows,
		.input_count = nn_graph_get_input_count(model->graph),
	};
	bool can_run;

	if (!rows)
		return EXIT_FAILURE;
	can_run = !nn_graph_prepare(model->graph, NULL, &options);
	free(rows);
	for (uint32_t i = 0; i < output_count && can_run; i++) {
		struct nn_tensor_info info;

		if (!nn_graph_get_output_info(model->graph, i, &info))
			output_rows[i] = info.dims[0];
	}
	return 0;
}

static int plan(const struct model *model, uint32_t item_count)
{
	uint32_t *rows = model_rows(model, item_count);
	int status;

	if (!rows)
		return EXIT_FAILURE;
	status = model_prepare(model, NULL, &(struct nn_prepare_options) { .input_rows = rows });
	free(rows);
	return status;
}

/*
 * Finds which outputs' rows depend on the batch, by planning for one item more. Leaves the model
 * planned for the number that is asked for.
 */
static int find_outputs(struct summary *summary, const struct model *model, uint32_t item_count)
{
	uint32_t *more = calloc(summary->output_count + 1, sizeof(*more));
	int status;

	if (!more)
		return fail("out of memory");
	status = find_rows(model, item_count + 1, more, summary->output_count);
	if (!status) {
		status = plan(model, item_count);
		summary->refused = status;
	}
	for (uint32_t i = 0; i < summary->output_count && !status; i++) {
		struct end *output = &summary->outputs[i];

		if (nn_graph_get_output_info(model->graph, i, &output->info))
			status = fail_graph(model->graph);
		else
			say_rows(output->rows, sizeof(output->rows), item_count,
				 output->info.dims[0], more[i]);
	}
	free(more);
	return status;
}

static int compare_kinds(const void *a, const void *b)
{
	const struct kind *x = a, *y = b;
	int names;

	if (x->partition != y->partition)
		return x->partition < y->partition ? -1 : 1;
	names = strcmp(x->op, y->op);
	return names ? names : (int)x->runs_on - (int)y->runs_on;
}

static int find_kinds(struct summary *summary, const struct nn_graph *graph)
{
	struct kind *kinds = summary->kinds;
	uint32_t count = summary->plan.node_count, last = 0;

	for (uint32_t i = 0; i < count; i++) {
		struct nn_plan_node node;

		if (nn_graph_get_plan_node(graph, i, &node))
			return fail_graph(graph);
		kinds[i] = (struct kind) { .partition = node.partition, .count = 1,
					   .op = node.op, .runs_on = node.runs_on };
		kinds[i].portable = node.flags & NN_NODE_FLAG_PORTABLE ? 1 : 0;
		if (node.flags & NN_NODE_FLAG_LCN)
			summary->loops[summary->loop_count++] = node;
	}
	qsort(kinds, count, sizeof(*kinds), compare_kinds);
	for (uint32_t i = 1; i < count; i++) {
		if (compare_kinds(&kinds[i], &kinds[last])) {
			kinds[++last] = kinds[i];
		} else {
			kinds[last].count++;
			kinds[last].portable += kinds[i].portable;
		}
	}
	summary->kind_count = count ? last + 1 : 0;
	return 0;
}

static int summarize(struct summary *summary, const struct model *model, uint32_t item_count)
{
	const struct nn_graph *graph = model->graph;
	int status;

	summary->input_count = nn_graph_get_input_count(graph);
	summary->output_count = nn_graph_get_output_count(graph);
	summary->inputs = calloc(summary->input_count + 1, sizeof(*summary->inputs));
	summary->outputs = calloc(summary->output_count + 1, sizeof(*summary->outputs));
	if (!summary->inputs || !summary->outputs)
		return fail("out of memory");
	status = find_inputs(summary, graph);
	if (!status)
		status = find_outputs(summary, model, item_count);
	if (status)
		return status;
	if (nn_graph_get_plan(graph, &summary->plan))
		return fail_graph(graph);
	summary->kinds = calloc(summary->plan.node_count + 1, sizeof(*summary->kinds));
	summary->loops = calloc(summary->plan.node_count + 1, sizeof(*summary->loops));
	if (!summary->kinds || !summary->loops)
		return fail("out of memory");
	return find_kinds(summary, graph);
}

static void summary_free(struct summary *summary)
{
	free(summary->inputs);
	free(summary->outputs);
	free(summary->kinds);
	free(summary->loops);
	metadata_free(&summary->metadata);
}

/* ---- As text ---- */

static void print_end(const struct end *end, uint32_t index)
{
	const struct nn_tensor_info *info = &end->info;

	printf("  ");
	/* Outputs of the text format have no names. */
	if (info->name && *info->name)
		print_json_string(stdout, info->name);
	else
		printf("%u", index);
	printf(" %s [%s", nn_data_type_name(info->type), end->rows);
	for (uint32_t i = 1; i < info->rank; i++)
		printf(",%u", info->dims[i]);
	printf("]");
	if (info->scales)
		printf(" %u scales for dimension %u", info->scale_count, info->axis);
	else if (info->scale)
		printf(" scale %.9g", (double)info->scale);
	if (info->scales || info->scale)
		printf(" zero point %d", info->zero_point);
	putchar('\n');
}

static void print_text(const struct summary *summary, const struct model *model)
{
	const struct nn_graph *graph = model->graph;
	static const char *const places[] = { "", " on the DSP", " on the host" };

	puts("inputs");
	for (uint32_t i = 0; i < summary->input_count; i++) {
		print_end(&summary->inputs[i], i);
		takes_print(&summary->inputs[i].info, model->channels_first,
			    metadata_find(&summary->metadata, summary->inputs[i].info.name));
	}
	open_dims_print(graph);
	if (summary->refused) {
		puts("reasons why it cannot run");
		print_refusals(stdout, graph);
		return;
	}
	puts("outputs");
	for (uint32_t i = 0; i < summary->output_count; i++) {
		print_end(&summary->outputs[i], i);
		if (!i && summary->metadata.labels)
			printf("    names of its classes are in the model: %s\n",
			       summary->metadata.labels_name);
	}
	puts("operators");
	for (uint32_t i = 0; i < summary->kind_count; i++) {
		const struct kind *kind = &summary->kinds[i];

		if (!i || kind->partition != kind[-1].partition)
			printf("  partition %u\n", kind->partition);
		printf("    %u %s%s", kind->count, kind->op, places[kind->runs_on]);
		if (kind->portable && kind->runs_on != NN_RUNS_DEVICE)
			printf(", rows of %u on the DSP in portable C", kind->portable);
		else if (kind->portable == kind->count)
			printf(" in portable C");
		else if (kind->portable)
			printf(", %u of them in portable C", kind->portable);
		putchar('\n');
	}
	print_portable(graph, "  ");
	puts(summary->loop_count ? "loops" : "no loops");
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct nn_plan_node *loop = &summary->loops[i];

		printf("  node %u %s ", loop->id, loop->op);
		if (*loop->name)
			print_json_string(stdout, loop->name);
		printf("%spartition %u: passes %s\n", *loop->name ? ", " : "", loop->partition,
		       loop->flags & NN_NODE_FLAG_STATIC ? "known before it runs"
							  : "depend on data");
	}
	printf("weights and other constants\n  %" PRIu64 " bytes on the device\n",
	       summary->plan.constant_bytes);
}

/* ---- As JSON ---- */

static void print_json_ends(const char *name, const struct end *ends, uint32_t count)
{
	printf("\"%s\": [", name);
	for (uint32_t i = 0; i < count; i++) {
		char rows[sizeof(ends[i].rows) + 2], *rest;

		/* A word is a string. */
		strtoul(ends[i].rows, &rest, 10);
		snprintf(rows, sizeof(rows), *rest ? "\"%s\"" : "%s", ends[i].rows);
		printf("%s\n  {", i ? "," : "");
		print_json_tensor(&ends[i].info, rows);
		printf("}");
	}
	printf("\n],\n");
}

static void print_json(const struct summary *summary, const struct model *model)
{
	const struct nn_graph *graph = model->graph;
	static const char *const places[] = { "nowhere", "device", "cpu" };

	printf("{\n");
	print_json_ends("inputs", summary->inputs, summary->input_count);
	open_dims_print_json(graph);
	print_json_refusals(graph);
	if (summary->refused) {
		printf("\n}\n");
		return;
	}
	printf(",\n");
	print_json_ends("outputs", summary->outputs, summary->output_count);
	printf("\"operators\": [");
	for (uint32_t i = 0; i < summary->kind_count; i++) {
		const struct kind *kind = &summary->kinds[i];

		printf("%s\n  {\"op\": ", i ? "," : "");
		print_json_string(stdout, kind->op);
		printf(", \"count\": %u, \"portable\": %u, \"partition\": %u, \"runs_on\": \"%s\"}",
		       kind->count, kind->portable, kind->partition, places[kind->runs_on]);
	}
	printf("\n],\n\"loops\": [");
	for (uint32_t i = 0; i < summary->loop_count; i++) {
		const struct nn_plan_node *loop = &summary->loops[i];

		printf("%s\n  {\"id\": %u, \"op\": ", i ? "," : "", loop->id);
		print_json_string(stdout, loop->op);
		printf(", \"name\": ");
		print_json_string(stdout, loop->name);
		printf(", \"partition\": %u, \"depends_on_data\": %s}", loop->partition,
		       loop->flags & NN_NODE_FLAG_STATIC ? "false" : "true");
	}
	printf("\n],\n\"partitions\": %u, \"constant_bytes\": %" PRIu64 "\n}\n",
	       summary->plan.partition_count, summary->plan.constant_bytes);
}

/* ---- What cannot be imported ---- */

/* All that is known of it. */
static void print_refused(const struct model *model, bool json)
{
	struct nn_refusals_info info;

	if (nn_graph_get_refusals(model->graph, &info))
		return;
	if (!json) {
		printf("%s of %u node%s, of which %u cannot run\n"
		       "reasons why it cannot run\n",
		       format_of(model)->words,
		       info.node_count, info.node_count == 1 ? "" : "s", info.refused_count);
		print_refusals(stdout, model->graph);
		open_dims_print(model->graph);
		return;
	}
	printf("{\n\"format\": \"%s\", \"nodes\": %u, \"refused\": %u,\n",
	       format_of(model)->name, info.node_count,
	       info.refused_count);
	open_dims_print_json(model->graph);
	print_json_refusals(model->graph);
	printf("\n}\n");
}

/* ---- The command ---- */

static int set_format(const char *name, void *opaque)
{
	struct options *options = opaque;

	options->json = !strcmp(name, "json");
	if (!options->json && strcmp(name, "text"))
		return usage_error("info", "--format %s: not text or json", name);
	return -1;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	const struct option_entry entries[] = {
		{ 0, "rows", "N", "look at it with N items in each input of variable batch (1)",
		  .items = &options->rows, .least = 1 },
		OPTION_SHAPE(&options->given),
		OPTION_SET(&options->given),
		OPTION_SIGNATURE(&options->given),
		OPTION_INTEGERS_ONLY(&options->given),
		{ 0, "format", "FORMAT", "text or json", .set = set_format },
		{ 0 },
	};
	const struct command_line line = {
		.command = "info",
		.words = "[OPTION...] MODEL",
		.about =
	"Prints what MODEL takes and gives, its operators as they will be run, by partition and by where\n"
	"that is, its loops and the size of its weights; of a model that cannot run, all reasons. Needs no\n"
	"device.\n",
		.entries = entries,
		.options = options,
	};
	int status;

	*options = (struct options) { .rows = 1 };
	status = options_parse(&line, argc, argv);
	if (status >= 0)
		return status;
	if (optind + 1 != argc)
		return usage_error("info", optind >= argc ? "which model?" : "one model at a time");
	options->model = argv[optind];
	return -1;
}

int info_main(int argc, char **argv)
{
	struct summary summary = { 0 };
	struct options options;
	struct model model;
	int status;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	status = model_try(options.model, &options.given, &model);
	if (model.refusal) {
		print_refused(&model, options.json);
	} else if (!status) {
		model_read_metadata(&model, options.model, &summary.metadata);
		status = summarize(&summary, &model, options.rows);
		if (!status || summary.refused)
			(options.json ? print_json : print_text)(&summary, &model);
	}
	summary_free(&summary);
	model_close(&model);
	return status;
}
