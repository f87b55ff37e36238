// SPDX-License-Identifier: MIT
/* nnloop run: a model and data in, data out. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "nnloop.h"

static const char usage[] =
	"usage: nnloop run [OPTION...] MODEL [INPUT...]\n"
	"\n"
	"Runs MODEL (ONNX, or the text graph format) on the items in the INPUT files: PNG pictures\n"
	"(one, or several in one column), .npy arrays (integers, or floats to be quantized) and raw\n"
	"tensors. All files together are the batch. A model with several inputs takes one file for\n"
	"each, in its order.\n"
	"\n"
	"  -o, --output FILE     write the next output there: .npy, .txt or, with any other name,\n"
	"                        raw. Without: text to standard output\n"
	"      --device DEVICE   hexagon (the default, /dev/nnloop), another node such as\n"
	"                        /dev/nnloop1, or host: this processor\n"
	"      --step N          put a loop in front of a model that has none: N items in a pass\n"
	"      --labels FILE     the right class of each item, one a line: print the classes found\n"
	"                        and how many are right\n"
	"      --fit             scale pictures of any size to what the model takes, one a file\n"
	"      --numbers         the model reads digits (docs/reader.md): print the numbers on each\n"
	"                        page, which is a PNG of any size\n"
	"      --annotate DIR    with --numbers: write each page there with its digits framed\n"
	"      --truth FILE      with --numbers: print how many digits of FILE were read\n"
	"      --trace FILE      write a timeline that Perfetto and chrome://tracing open (JSON)\n"
	"      --real            give real values instead of the stored integers\n"
	"      --progress        show a progress bar even if standard error is no terminal\n"
	"  -v, --verbose         say on standard error what ran: passes, submissions, DSP packets\n"
	"  -h, --help            this\n";

#define MAX_OUTPUTS 64

struct options {
	const char *device, *labels, *annotate, *truth, *trace, *outputs[MAX_OUTPUTS];
	uint32_t output_count;
	uint32_t step;
	bool fit, numbers, real, progress, verbose;
	const char *model;
	char **inputs;
	uint32_t input_count;
};

/* Everything that a run holds, freed in one place. */
struct run {
	const struct options *options;
	struct model model;
	struct nn_device *device;
	struct items *inputs;
	uint32_t input_count;
	struct output *outputs;
	uint32_t output_count;
	/* counted by the trace */
	uint64_t passes;
	struct nn_counters counters;
	uint64_t least_packets, most_packets;
	struct trace *trace;	/* NULL without --trace */
	uint64_t shown;		/* 1 + passes that the progress bar shows */
};

/* ---- Options ---- */

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	enum { DEVICE = 256, STEP, LABELS, FIT, NUMBERS, ANNOTATE, TRUTH, TRACE, REAL, PROGRESS };
	static const struct option longs[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "device", required_argument, NULL, DEVICE },
		{ "step", required_argument, NULL, STEP },
		{ "labels", required_argument, NULL, LABELS },
		{ "fit", no_argument, NULL, FIT },
		{ "numbers", no_argument, NULL, NUMBERS },
		{ "annotate", required_argument, NULL, ANNOTATE },
		{ "truth", required_argument, NULL, TRUTH },
		{ "trace", required_argument, NULL, TRACE },
		{ "real", no_argument, NULL, REAL },
		{ "progress", no_argument, NULL, PROGRESS },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	uint64_t number;
	int option;

	*options = (struct options) { .device = "hexagon", .progress = isatty(STDERR_FILENO) };
	while ((option = getopt_long(argc, argv, "o:vh", longs, NULL)) != -1) {
		switch (option) {
		case 'o':
			if (options->output_count == MAX_OUTPUTS)
				return usage_error("run", "more than %d outputs", MAX_OUTPUTS);
			options->outputs[options->output_count++] = optarg;
			break;
		case DEVICE:
			options->device = optarg;
			break;
		case STEP:
			if (!parse_number(optarg, 1, INT32_MAX, &number))
				return usage_error("run", "--step %s: not a number of items",
						   optarg);
			options->step = number;
			break;
		case LABELS:
			options->labels = optarg;
			break;
		case FIT:
			options->fit = true;
			break;
		case NUMBERS:
			options->numbers = options->fit = true;
			break;
		case ANNOTATE:
			options->annotate = optarg;
			break;
		case TRUTH:
			options->truth = optarg;
			break;
		case TRACE:
			options->trace = optarg;
			break;
		case REAL:
			options->real = true;
			break;
		case PROGRESS:
			options->progress = true;
			break;
		case 'v':
			options->verbose = true;
			break;
		case 'h':
			fputs(usage, stdout);
			return EXIT_SUCCESS;
		default:
			fputs("nnloop run --help says what is possible\n", stderr);
			return EXIT_USAGE;
		}
	}
	if (optind >= argc)
		return usage_error("run", "which model?");
	if ((options->annotate || options->truth) && !options->numbers)
		return usage_error("run", "--annotate and --truth go with --numbers");
	if (options->labels && options->numbers)
		return usage_error("run", "--labels and --numbers do not go together");
	options->model = argv[optind];
	options->inputs = argv + optind + 1;
	options->input_count = argc - optind - 1;
	return -1;
}

/* ---- Data ---- */

static int read_inputs(struct run *run)
{
	const struct options *options = run->options;
	uint32_t count = nn_graph_get_input_count(run->model.graph);
	int status = 0;

	if (count == 1 && !options->input_count)
		return usage_error("run", "no input for the model");
	if (count != 1 && options->input_count != count)
		return usage_error("run", "%s has %u inputs, and takes as many files, not %u",
				   options->model, count, options->input_count);
	if (!count && options->numbers)
		return fail("%s has no input for a page", options->model);
	run->inputs = calloc(count + 1, sizeof(*run->inputs));
	if (!run->inputs)
		return fail("out of memory");
	run->input_count = count;
	for (uint32_t i = 0; i < count && !status; i++) {
		struct nn_tensor_info info;

		if (nn_graph_get_input_info(run->model.graph, i, &info))
			return fail_graph(run->model.graph);
		status = items_init(&run->inputs[i], &info, run->options->fit);
	}
	for (uint32_t i = 0; i < options->input_count && !status; i++)
		status = items_add(&run->inputs[count > 1 ? i : 0], options->inputs[i],
				   run->model.channels_first);
	for (uint32_t i = 0; i < count && !status; i++) {
		const struct items *items = &run->inputs[i];

		if (items->info.dims[0] != NN_VARIABLE && items->count != items->info.dims[0])
			return fail("input %s takes exactly %u items, and is given %" PRIu64,
				    items_name(items), items->info.dims[0], items->count);
	}
	return status;
}

static int allocate_outputs(struct run *run)
{
	uint32_t count = nn_graph_get_output_count(run->model.graph);

	if (run->options->output_count > count)
		return usage_error("run", "%s has %u outputs, and %u files are named for them",
				   run->options->model, count, run->options->output_count);
	run->outputs = calloc(count, sizeof(*run->outputs));
	if (!run->outputs)
		return fail("out of memory");
	run->output_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct output *output = &run->outputs[i];

		if (nn_graph_get_output_info(run->model.graph, i, &output->info))
			return fail_graph(run->model.graph);
		output->row_elements = 1;
		for (uint32_t k = 1; k < output->info.rank; k++)
			output->row_elements *= output->info.dims[k];
		/* Only the data can tell: begin with a guess. */
		output->rows = output->info.dims[0] != NN_VARIABLE ? output->info.dims[0] : 1024;
	}
	return 0;
}

/* ---- Progress ---- */

/* Called more often than anything changes. */
static void show_progress(uint64_t done, uint64_t total, void *opaque)
{
	static const char bar[] = "########################################";
	int width = total ? done * (sizeof(bar) - 1) / total : 0;
	struct run *run = opaque;

	if (run->shown == done + 1)
		return;
	run->shown = done + 1;
	if (total)
		fprintf(stderr, "\r[%-40.*s] pass %" PRIu64 " of %" PRIu64, width, bar, done, total);
	else
		fprintf(stderr, "\rpass %" PRIu64, done);
	fflush(stderr);
}

static void count_pass(const struct nn_pass_record *pass, void *opaque)
{
	struct run *run = opaque;
	uint64_t packets = pass->counters.packets;

	if (!run->passes || packets < run->least_packets)
		run->least_packets = packets;
	if (packets > run->most_packets)
		run->most_packets = packets;
	run->passes++;
	run->counters.packets += packets;
	run->counters.hvx_instructions += pass->counters.hvx_instructions;
	if (run->trace)
		trace_pass(run->trace, pass);
}

static void print_device(const struct nn_device *device)
{
	struct nn_device_info info;

	nn_device_get_info(device, &info);
	fprintf(stderr, "device:      %s\n", info.name);
	if (info.kind == NN_DEVICE_HEXAGON)
		fprintf(stderr, "             %s, interface %u.%u, firmware %u.%u\n", info.node,
			info.uapi_major, info.uapi_minor, info.firmware_version >> 16,
			info.firmware_version & 0xffff);
}

static void print_stats(const struct run *run)
{
	struct nn_execution_stats stats;

	if (nn_graph_get_stats(run->model.graph, &stats))
		return;
	fprintf(stderr, "passes:      %" PRIu64 "\n", stats.passes);
	fprintf(stderr, "submissions: %" PRIu64 "\n", stats.submissions);
	if (!run->counters.packets)
		return;
	fprintf(stderr,
		"packets:     %" PRIu64 ", %" PRIu64 " a pass on average, %" PRIu64 " to %" PRIu64
		"\n",
		run->counters.packets, run->counters.packets / run->passes, run->least_packets,
		run->most_packets);
	fprintf(stderr, "HVX:         %" PRIu64 " vector instructions\n",
		run->counters.hvx_instructions);
}

/* ---- Execution ---- */

static struct nn_graph *running; /* what an interrupt cancels */

static void interrupt(int signal)
{
	(void)signal;
	nn_graph_cancel(running);
}

static int prepare(struct run *run)
{
	struct nn_prepare_options prepare = { .step = run->options->step,
					      .input_count = run->input_count };
	uint32_t *rows = calloc(run->input_count + 1, sizeof(*rows));
	int err;

	if (!rows)
		return fail("out of memory");
	for (uint32_t i = 0; i < run->input_count; i++)
		rows[i] = run->inputs[i].count;
	prepare.input_rows = rows;
	if (run->options->verbose || run->options->trace)
		prepare.flags |= NN_PREPARE_PROFILE;
	err = nn_graph_prepare(run->model.graph, run->device, &prepare);
	free(rows);
	return err ? fail_graph(run->model.graph) : 0;
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

/* Executes once. 0, -ENOSPC when it is to be done again with larger outputs, or 1 after an error was
 * printed. */
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
		size_t size = output->rows * output->row_elements *
			      nn_data_type_size(output->info.type);
		void *data = realloc(output->data, size + 1);

		if (!data)
			return fail("out of memory");
		output->data = data;
		outputs[i] = (struct nn_buffer) { .data = data, .size = size };
	}
	err = nn_graph_execute(graph, buffers, run->input_count, outputs, run->output_count);
	if (err == -ENOSPC && enlarge_outputs(run))
		return err;
	if (run->options->progress)
		fputc('\n', stderr);
	if (err)
		return fail_graph(graph);
	for (uint32_t i = 0; i < run->output_count; i++)
		run->outputs[i].rows = outputs[i].rows;
	return 0;
}

static int execute(struct run *run)
{
	struct nn_buffer *buffers = calloc(run->input_count + run->output_count, sizeof(*buffers));
	struct sigaction action = { .sa_handler = interrupt, .sa_flags = SA_RESETHAND };
	int status;

	if (!buffers)
		return fail("out of memory");
	if (run->options->progress)
		nn_graph_set_progress(run->model.graph, show_progress, run);
	if (run->options->verbose || run->options->trace)
		nn_graph_set_trace(run->model.graph, count_pass, run);
	running = run->model.graph;
	/* A second interrupt ends the program at once. */
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	while ((status = execute_once(run, buffers)) == -ENOSPC) {
		/* What was too small does not count. */
		run->passes = 0;
		run->counters = (struct nn_counters) { 0 };
		trace_restart(run->trace);
	}
	free(buffers);
	return status;
}

/* ---- Results ---- */

/* Prints the class of each item, and how many are as they should be. */
static int compare_labels(const struct run *run)
{
	const struct output *output = &run->outputs[0];
	uint32_t right = 0, row = 0;
	struct file file;
	char *at;
	int status;

	status = file_read(run->options->labels, &file);
	if (status)
		return status;
	at = realloc(file.data, file.size + 1);
	if (!at) {
		status = fail("out of memory");
		goto free_file;
	}
	file.data = (uint8_t *)at;
	at[file.size] = 0;
	for (char *line = strtok(at, "\n"); line; line = strtok(NULL, "\n"), row++) {
		uint64_t label;
		uint32_t class;

		line[strcspn(line, "\r")] = 0;
		if (!parse_number(line, 0, UINT32_MAX, &label)) {
			status = fail("line %u of %s is no class number", row + 1, file.path);
			goto free_file;
		}
		if (row >= output->rows)
			continue;
		class = output_class(output, row);
		right += class == label;
		if (class == label)
			printf("%u\n", class);
		else
			printf("%u wrong, it is %" PRIu64 "\n", class, label);
	}
	if (row != output->rows)
		status = fail("%s has %u labels for %u items", file.path, row, output->rows);
	else if (row)
		printf("%u of %u right (%.2f %%)\n", right, row, 100.0 * right / row);
free_file:
	file_free(&file);
	return status;
}

/* Tensors of the text format have no names. */
static void print_output_name(const struct nn_tensor_info *info, uint32_t i)
{
	if (info->name && *info->name)
		printf("# %s\n", info->name);
	else
		printf("# output %u\n", i);
}

static int write_outputs(const struct run *run)
{
	int status = 0;

	for (uint32_t i = 0; i < run->output_count && !status; i++) {
		const char *path = i < run->options->output_count ? run->options->outputs[i] : NULL;

		if (!path && (run->options->labels || run->options->numbers))
			continue;
		if (!path && run->output_count > 1)
			print_output_name(&run->outputs[i].info, i);
		status = output_write(&run->outputs[i], path, run->options->real);
	}
	return status;
}

static int write_numbers(const struct run *run)
{
	const struct options *options = run->options;
	struct numbers numbers;
	int status;

	status = numbers_read(&numbers, &run->inputs[0], run->outputs, run->output_count);
	if (!status)
		numbers_print(&numbers);
	if (!status && options->truth)
		status = numbers_compare(&numbers, options->truth);
	if (!status && options->annotate)
		status = numbers_annotate(&numbers, options->annotate);
	numbers_free(&numbers);
	return status;
}

static int open_device(struct run *run)
{
	struct nn_error error;
	int err;

	err = nn_device_open(run->options->device, &run->device, &error);
	if (err == -ENOENT || err == -ENODEV)
		return fail("%s; --device host runs the model on this processor", error.text);
	return err ? fail("%s", error.text) : 0;
}

static int run_model(struct run *run)
{
	int status;

	status = model_open(run->options->model, &run->model);
	if (!status)
		status = read_inputs(run);
	if (!status)
		status = open_device(run);
	if (!status)
		status = prepare(run);
	if (!status)
		status = allocate_outputs(run);
	if (status)
		return status;
	if (run->options->verbose)
		print_device(run->device);
	if (run->options->trace)
		status = trace_open(run->options->trace, run->device, run->options->model,
				    &run->trace);
	if (!status)
		status = execute(run);
	/* An execution that failed leaves the timeline up to there. */
	status |= trace_close(run->trace);
	if (status)
		return status;
	if (run->options->verbose)
		print_stats(run);
	status = write_outputs(run);
	if (!status && run->options->labels)
		status = compare_labels(run);
	if (!status && run->options->numbers)
		status = write_numbers(run);
	return status;
}

int run_main(int argc, char **argv)
{
	struct options options;
	struct run run = { .options = &options };
	int status;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	status = run_model(&run);
	model_close(&run.model);
	nn_device_close(run.device);
	for (uint32_t i = 0; i < run.input_count; i++)
		items_free(&run.inputs[i]);
	for (uint32_t i = 0; i < run.output_count; i++)
		free(run.outputs[i].data);
	free(run.inputs);
	free(run.outputs);
	return status;
}
