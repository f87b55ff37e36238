// SPDX-License-Identifier: MIT
/* nnloop run: a model and data in, data out. */
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "run.h"

/* ---- Options ---- */

static int add_output(const char *path, void *opaque)
{
	struct run_options *options = opaque;

	if (options->output_count == MAX_OUTPUTS)
		return usage_error("run", "more than %d outputs", MAX_OUTPUTS);
	options->outputs[options->output_count++] = path;
	return -1;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct run_options *options)
{
	const struct option_entry entries[] = {
		{ 'o', "output", "FILE",
		  "write the next output there: .npy, .txt or, with any other name,\n"
		  "raw. Without: text to standard output",
		  .set = add_output },
		{ 0, "device", "DEVICE",
		  "hexagon (the default, /dev/nnloop), another node such as\n"
		  "/dev/nnloop1, or host: this processor, or host:N: on N threads",
		  .text = &options->device },
		{ 0, "step", "N", "put a loop in front of a model that has none: N items in a pass",
		  .items = &options->step, .least = 1 },
		OPTION_SHAPE(&options->given),
		OPTION_SET(&options->given),
		OPTION_SIGNATURE(&options->given),
		OPTION_INTEGERS_ONLY(&options->given),
		OPTION_STREAMS(&options->streams),
		OPTION_WORKERS(&options->workers),
		OPTION_PASS_LIMIT(&options->pass_limit),
		{ 0, "labels", "FILE",
		  "names of the classes, one a line: print the five best of each item; or\n"
		  "numbers, the right class of each item: print the classes found and\n"
		  "how many are right",
		  .text = &options->labels },
		{ 0, "fit", NULL,
		  "scale pictures of any size to what the model takes, one a file, in\n"
		  "proportion, on the colour of their edges",
		  .flag = &options->fit },
		{ 0, "resize", NULL,
		  "the same, but stretch them to all of it, as most models were trained",
		  .flag = &options->resize },
		{ 0, "numbers", NULL,
		  "the model reads digits (docs/reader.md): print the numbers on each\n"
		  "page, which is a picture of any size, and how sure each is (0 to 1)",
		  .flag = &options->numbers },
		{ 0, "annotate", "DIR",
		  "with --numbers: write each page there with its digits framed",
		  .text = &options->annotate },
		{ 0, "truth", "FILE", "with --numbers: print how many digits of FILE were read",
		  .text = &options->truth },
		{ 0, "state", "FILE",
		  "begin with the state in FILE that an earlier run has left, if it is\n"
		  "there, and write there what this one leaves: a stream in pieces",
		  .text = &options->state },
		{ 0, "trace", "FILE",
		  "write a timeline that Perfetto and chrome://tracing open (JSON)",
		  .text = &options->trace },
		{ 0, "dump", "DIR",
		  "write each tensor of the model to DIR/NAME.npy, and a list of them, in\n"
		  "the order they are computed, to DIR/tensors.txt",
		  .text = &options->dump },
		{ 0, "real", NULL, "give real values instead of the stored integers",
		  .flag = &options->real },
		{ 0, "progress", NULL,
		  "show a progress bar even if standard error is no terminal, but a pipe",
		  .flag = &options->progress },
		{ 'q', "quiet", NULL, "show no progress bar and no notes, only errors",
		  .flag = &options->quiet },
		{ 'v', "verbose", NULL,
		  "say on standard error what ran: time, bytes, passes, submissions, DSP\n"
		  "packets",
		  .flag = &options->verbose },
		{ 0 },
	};
	const struct command_line line = {
		.command = "run",
		.words = "[OPTION...] MODEL [INPUT...]",
		.about =
	"Runs MODEL (ONNX, TensorFlow Lite, or text) on the items in the INPUT files: PNG and JPEG\n"
	"pictures (one, or several in one column), WAV files, .npy arrays (integers, or floats to be\n"
	"quantized) and raw tensors. All files together are the batch. A model with several inputs takes one file\n"
	"for each, in its order.\n",
		.entries = entries,
		.options = options,
	};
	int status;

	*options = (struct run_options) { .command = "run", .device = "hexagon" };
	status = options_parse(&line, argc, argv);
	if (status >= 0)
		return status;
	options->given.quiet = options->quiet;
	if (optind >= argc)
		return usage_error("run", "which model?");
	if ((options->annotate || options->truth) && !options->numbers)
		return usage_error("run", "--annotate and --truth go with --numbers");
	if (options->labels && options->numbers)
		return usage_error("run", "--labels and --numbers do not go together");
	options->fit |= options->numbers;
	if (options->resize && options->fit)
		return usage_error("run", "--resize does not go with --fit or --numbers");
	options->model = argv[optind];
	options->inputs = argv + optind + 1;
	options->input_count = argc - optind - 1;
	return -1;
}

/* ---- Data ---- */

/* Has pixels as the model says that it wants them, if it says so. */
static int normalize(const struct run *run, struct items *items)
{
	const struct normalization *normalization = metadata_find(&run->metadata, items->info.name);
	struct picture_shape shape;

	if (!takes_pictures(&items->info, run->model.channels_first, &shape) ||
	    !normalization_fits(normalization, shape.channels))
		return 0;
	return items_normalize(items, normalization);
}

static void note_normalization(const struct run *run, const struct items *items)
{
	const struct normalization *normalization = metadata_find(&run->metadata, items->info.name);

	if (!items->pixels || !items->has_pictures || run->options->quiet)
		return;
	fprintf(stderr, "note: pixels of input %s are normalized as the model says:", items_name(items));
	normalization_print(stderr, normalization);
	putc('\n', stderr);
}

int run_init_items(struct run *run, uint32_t input)
{
	struct items *items = &run->inputs[input];
	struct nn_tensor_info info;
	int status;

	if (nn_graph_get_input_info(run->model.graph, input, &info))
		return fail_graph(run->model.graph);
	status = items_init(items, &info, run->options->fit);
	/* Pages that were not made smaller have noise in blots, which would be made ink. */
	items->even_out = run->options->numbers && !run->keeps_size;
	items->keep_size = run->keeps_size;
	items->resize = run->options->resize;
	items->multiply = run->model.format == NN_MODEL_TFLITE;
	return status ? status : normalize(run, items);
}

int run_read_inputs(struct run *run)
{
	const struct run_options *options = run->options;
	uint32_t count = nn_graph_get_input_count(run->model.graph);
	int status = 0;

	if (count == 1 && !options->input_count)
		return usage_error(options->command, "no input for the model");
	if (count != 1 && options->input_count != count)
		return usage_error(options->command, "%s has %u inputs, and takes as many files, not %u",
				   options->model, count, options->input_count);
	if (!count && options->numbers)
		return fail("%s has no input for a page", options->model);
	run->inputs = calloc(count + 1, sizeof(*run->inputs));
	if (!run->inputs)
		return fail("out of memory");
	run->input_count = count;
	for (uint32_t i = 0; i < count && !status; i++)
		status = run_init_items(run, i);
	for (uint32_t i = 0; i < options->input_count && !status; i++)
		status = items_add(&run->inputs[count > 1 ? i : 0], options->inputs[i],
				   run->model.channels_first);
	for (uint32_t i = 0; i < count && !status; i++) {
		const struct items *items = &run->inputs[i];

		note_normalization(run, items);
		if (items->info.dims[0] != NN_VARIABLE && items->count != items->info.dims[0])
			return fail("input %s takes exactly %u items, and is given %" PRIu64,
				    items_name(items), items->info.dims[0], items->count);
	}
	return status;
}

int run_allocate_outputs(struct run *run)
{
	uint32_t count = nn_graph_get_output_count(run->model.graph);

	if (run->options->output_count > run->own_count)
		return usage_error(run->options->command, "%s has %u outputs, and %u files are named for them",
				   run->options->model, run->own_count, run->options->output_count);
	run->outputs = calloc(count + 1, sizeof(*run->outputs));
	if (!run->outputs)
		return fail("out of memory");
	run->output_count = count;
	for (uint32_t i = 0; i < count; i++) {
		struct nn_tensor_info info;

		if (nn_graph_get_output_info(run->model.graph, i, &info))
			return fail_graph(run->model.graph);
		output_init(&run->outputs[i], &info);
	}
	return 0;
}

/* Opens the outputs: what cannot be written is found out before anything is computed. */
static int open_outputs(struct run *run)
{
	const struct run_options *options = run->options;
	int status = 0;

	for (uint32_t i = 0; i < options->output_count && !status; i++) {
		status = out_file_spares(options->outputs[i], options->model);
		for (uint32_t k = 0; k < options->input_count && !status; k++)
			status = out_file_spares(options->outputs[i], options->inputs[k]);
		if (!status && strcmp(options->outputs[i], "-"))
			status = out_file_open(options->outputs[i], &run->files[i]);
	}
	if (!status && options->dump)
		status = folder_check(options->dump);
	if (!status && options->annotate)
		status = annotate_check(run->inputs[0].pages, run->inputs[0].count,
					options->annotate);
	return status;
}

/* ---- The steps of a run ---- */

int run_open_device(struct run *run)
{
	struct nn_error error;
	int err;

	err = nn_device_open(run->options->device, &run->device, &error);
	if (err == -ENOENT || err == -ENODEV)
		return fail("%s; --device host runs the model on this processor", error.text);
	return err ? fail("%s", error.text) : 0;
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

int run_prepare(struct run *run, uint32_t flags)
{
	const struct run_options *options = run->options;
	uint32_t *rows = calloc(run->input_count + 1, sizeof(*rows));
	const struct nn_prepare_options prepare_options = {
		.flags = flags,
		.step = options->step,
		.input_rows = rows,
		.streams = options->streams,
		.workers = options->workers,
	};
	int status;

	if (!rows)
		return fail("out of memory");
	for (uint32_t i = 0; i < run->input_count; i++)
		rows[i] = run->inputs[i].count;
	if (options->pass_limit)
		nn_graph_set_pass_limit(run->model.graph, options->pass_limit);
	run->own_count = nn_graph_get_output_count(run->model.graph);
	status = model_prepare(&run->model, run->device, &prepare_options);
	free(rows);
	return status;
}

/* Notes that a loop of one pass is right, but may not be what was meant. */
static void note_long_step(const struct run *run)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < run->input_count; i++) {
		if (run->inputs[i].info.dims[0] == NN_VARIABLE && run->inputs[i].count > most)
			most = run->inputs[i].count;
	}
	if (most && run->options->step > most)
		fprintf(stderr, "note: --step %u takes the whole batch at once, which has %" PRIu64
			" item%s\n", run->options->step, most, most == 1 ? "" : "s");
}

/* Opens the model, as large as the pages are where --numbers is given and it reads pages of any size. */
static int open_model(struct run *run)
{
	const struct run_options *options = run->options;
	struct given given = options->given;
	bool is_open = options->numbers && !given.shape_count && strcmp(options->model, "-");
	int status;

	given.quiet |= is_open;
	status = model_open(options->model, &given, &run->model);
	if (status || !is_open)
		return status;
	given.quiet = options->given.quiet;
	status = page_size_give(run->model.graph, options->inputs, options->input_count, &given);
	if (status)
		return status;
	if (!given.shape_count) {
		if (!given.quiet)
			open_dims_note(run->model.graph);
		return 0;
	}
	run->keeps_size = true;
	model_close(&run->model);
	return model_open(options->model, &given, &run->model);
}

static int run_model(struct run *run)
{
	uint32_t flags = run->options->verbose || run->options->trace ? NN_PREPARE_PROFILE : 0;
	int status;

	if (run->options->dump)
		flags |= NN_PREPARE_ALL_TENSORS;

	status = open_model(run);
	if (!status)
		model_read_metadata(&run->model, run->options->model, &run->metadata);
	if (!status)
		status = run_read_inputs(run);
	if (!status)
		status = run_open_device(run);
	if (!status)
		status = run_prepare(run, flags);
	if (!status)
		status = run_allocate_outputs(run);
	if (!status)
		status = open_outputs(run);
	if (!status)
		status = run_open_state(run);
	if (status)
		return status;
	if (run->options->trace)
		status = trace_open(run->options->trace, run->device, run->model.graph,
				    run->options->model, &run->trace);
	if (status)
		return status;
	if (!run->options->quiet)
		note_long_step(run);
	if (run->options->verbose)
		print_device(run->device);
	status = run_execute(run);
	/* An execution that failed leaves the timeline up to there. */
	status |= trace_close(run->trace);
	if (status)
		return status;
	if (run->options->verbose)
		run_print_stats(run);
	status = run_write_results(run);
	return status ? status : run_write_state(run);
}

void run_free(struct run *run)
{
	model_close(&run->model);
	metadata_free(&run->metadata);
	nn_device_close(run->device);
	for (uint32_t i = 0; i < run->input_count; i++)
		items_free(&run->inputs[i]);
	for (uint32_t i = 0; i < run->output_count; i++)
		free(run->outputs[i].data);
	free(run->inputs);
	free(run->outputs);
}

int run_main(int argc, char **argv)
{
	struct run_options options;
	struct run run = { .options = &options };
	int status;

	status = parse_options(argc, argv, &options);
	if (status >= 0)
		return status;
	status = run_model(&run);
	run_free(&run);
	return status;
}
