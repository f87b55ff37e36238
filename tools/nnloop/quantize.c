// SPDX-License-Identifier: MIT
/* nnloop quantize: of a model in float, and example inputs, a model of 8 bits. */
#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "examples.h"
#include "interrupt.h"
#include "options.h"
#include "out_file.h"
#include "progress.h"
#include "quantize.h"

#define MOST_NAMED	256	/* nodes of each kind */
#define BUDGET		0.5f	/* dB that a layer may cost if nothing else is said */
#define FEW_EXAMPLES	10	/* fewer say little about ranges */

/* Names of nodes that an option was given with. */
struct names {
	const char *at[MOST_NAMED];
	uint32_t count;
};

struct quantize_options {
	const char *model, *output, *device, *method, *activations, *report;
	const char *paths[1024];
	uint32_t path_count;
	struct names kept, wide;
	struct pixels pixels;
	struct given given;
	float budget;
	bool quiet, verbose, takes_bytes, all;
};

/* ---- Options ---- */

static int add_path(const char *value, void *opaque)
{
	struct quantize_options *options = opaque;

	if (options->path_count == sizeof(options->paths) / sizeof(*options->paths))
		return usage_error("quantize", "--examples: more than %zu files and folders",
				   sizeof(options->paths) / sizeof(*options->paths));
	options->paths[options->path_count++] = value;
	return -1;
}

static int add_name(struct names *names, const char *option, const char *name)
{
	if (names->count == MOST_NAMED)
		return usage_error("quantize", "--%s is given more than %d times", option,
				   MOST_NAMED);
	names->at[names->count++] = name;
	return -1;
}

static int add_kept(const char *value, void *opaque)
{
	return add_name(&((struct quantize_options *)opaque)->kept, "keep", value);
}

static int add_wide(const char *value, void *opaque)
{
	return add_name(&((struct quantize_options *)opaque)->wide, "int16", value);
}

/* One number for all channels, or three. */
static int read_numbers(const char *option, const char *value, double numbers[3])
{
	const char *at = value;
	int count = 0;
	char *end;

	while (count < 3) {
		numbers[count] = strtod(at, &end);
		if (end == at)
			break;
		count++;
		if (*end != ',')
			break;
		at = end + 1;
	}
	if (!count || *end || count == 2)
		return usage_error("quantize", "--%s %s: not one number, or three with commas in between",
				   option, value);
	if (count == 1)
		numbers[1] = numbers[2] = numbers[0];
	return -1;
}

static int set_mean(const char *value, void *opaque)
{
	return read_numbers("mean", value, ((struct quantize_options *)opaque)->pixels.mean);
}

static int set_deviation(const char *value, void *opaque)
{
	struct quantize_options *options = opaque;
	int status = read_numbers("std", value, options->pixels.deviation);

	for (int i = 0; i < 3 && status < 0; i++) {
		if (!(options->pixels.deviation[i] > 0))
			return usage_error("quantize", "--std %s: numbers above 0", value);
	}
	return status;
}

static int set_scale(const char *value, void *opaque)
{
	struct quantize_options *options = opaque;
	char *end;

	options->pixels.scale = strtod(value, &end);
	if (end == value || *end || !(options->pixels.scale > 0))
		return usage_error("quantize", "--scale %s: not a number above 0", value);
	return -1;
}

static int set_budget(const char *value, void *opaque)
{
	struct quantize_options *options = opaque;
	char *end;

	options->budget = strtof(value, &end);
	if (end == value || *end || !(options->budget > 0))
		return usage_error("quantize", "--budget %s: not a number of dB above 0", value);
	return -1;
}

static int check_words(struct quantize_options *options)
{
	const char *layout = options->pixels.layout;
	int i = 0;

	if (layout && strcmp(layout, "nchw") && strcmp(layout, "nhwc"))
		return usage_error("quantize", "--layout %s: not nchw or nhwc", layout);
	if (strcmp(options->activations, "uint8") && strcmp(options->activations, "int8"))
		return usage_error("quantize", "--activations %s: not uint8 or int8",
				   options->activations);
	while (quantize_methods[i] && strcmp(quantize_methods[i], options->method))
		i++;
	if (!quantize_methods[i])
		return usage_error("quantize", "--method %s: not auto, min-max, percentile, entropy, squared-error or each",
				   options->method);
	if (options->all && options->budget > 0)
		return usage_error("quantize", "--all and --budget: no layer costs too much, or some do");
	if (!options->all && !(options->budget > 0))
		options->budget = BUDGET;
	if (!options->path_count)
		return usage_error("quantize", "--examples: which inputs? 100 to 500 of them are good");
	if (!options->output)
		return usage_error("quantize", "-o: which file is to be written?");
	return -1;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct quantize_options *options)
{
	const struct option_entry entries[] = {
		{ 'e', "examples", "PATH",
		  "\na file of inputs, or a folder of them, as nnloop run takes them: pictures,\n"
		  "which are stretched to the input's size, WAV files and .npy arrays; .npz\n"
		  "archives of arrays by the inputs' names. Can be given several times",
		  .set = add_path },
		{ 'o', "output", "FILE", "write the quantized model there, an ONNX file",
		  .text = &options->output },
		{ 0, "mean", "N[,N,N]", "\nof pictures: (pixel * scale - mean) / std is what the model gets (0)",
		  .set = set_mean },
		{ 0, "std", "N[,N,N]", "\nlikewise (1)", .set = set_deviation },
		{ 0, "scale", "N", "likewise (1/255)", .set = set_scale },
		{ 0, "layout", "LAYOUT", "\nof pictures: nchw or nhwc (as the shape says)",
		  .text = &options->pixels.layout },
		{ 0, "bgr", NULL, "of pictures: blue comes first, red last",
		  .flag = &options->pixels.blue_first },
		{ 0, "uint8-input", NULL,
		  "\nthe quantized model takes pictures as they are, bytes, and does what\n"
		  "--mean, --std and --scale say itself", .flag = &options->takes_bytes },
		{ 0, "method", "METHOD",
		  "\nhow ranges are found: min-max, percentile, entropy, squared-error, or\n"
		  "auto, that of them with which the outputs differ least (auto); each: the\n"
		  "same for one tensor after the other, which takes a while",
		  .text = &options->method },
		{ 0, "activations", "TYPE", "\nuint8 or int8 (uint8)", .text = &options->activations },
		{ 0, "keep", "NODE", "leave that node in float; can be given several times",
		  .set = add_kept },
		{ 0, "int16", "NODE",
		  "\nhave activations of 16 bits at that node; can be given several times",
		  .set = add_wide },
		{ 0, "budget", "DB",
		  "\nlayers that cost the outputs more, in dB of SQNR, get activations of 16\n"
		  "bits or stay in float, whichever takes fewer packets (0.5)",
		  .set = set_budget },
		{ 0, "all", NULL, "\nhave 8 bits wherever there can be, whatever a layer costs",
		  .flag = &options->all },
		{ 0, "report", "DIR", "write report.json there, and report.html, a page with pictures",
		  .text = &options->report },
		OPTION_SHAPE(&options->given),
		OPTION_SET(&options->given),
		{ 0, "device", "DEVICE", "\nhost, or host:N: on N threads (host)", .text = &options->device },
		{ 'q', "quiet", NULL, "say nothing but errors", .flag = &options->quiet },
		{ 'v', "verbose", NULL, "say all tensors and layers, too", .flag = &options->verbose },
		{ 0 },
	};
	const struct command_line line = {
		.command = "quantize",
		.words = "[OPTION...] MODEL --examples PATH... -o OUT.onnx",
		.about =
	"Makes of MODEL, an ONNX or TensorFlow Lite model in float, an ONNX model of 8 bits that computes\n"
	"nearly the same: by the ranges that its tensors have on example inputs. Says how much the outputs\n"
	"differ.\n",
		.entries = entries,
		.options = options,
	};
	int status;

	*options = (struct quantize_options){
		.device = "host", .method = "auto", .activations = "uint8",
		.pixels = { .scale = 1.0 / 255, .deviation = { 1, 1, 1 } },
	};
	status = options_parse(&line, argc, argv);
	if (status >= 0)
		return status;
	options->given.quiet = options->quiet;
	if (optind >= argc)
		return usage_error("quantize", "which model?");
	options->model = argv[optind++];
	/* A shell has made many words of one pattern. */
	for (status = -1; optind < argc && status < 0; optind++)
		status = add_path(argv[optind], options);
	return status < 0 ? check_words(options) : status;
}

/* ---- Examples ---- */

static int fail_quantizer(const struct nn_quantizer *quantizer, const char *path)
{
	return fail("%s (%s)", nn_quantizer_error(quantizer)->text, path);
}

/* All examples that a file has. */
static int feed_file(struct nn_quantizer *quantizer, const struct examples *examples,
		     const char *path, uint64_t *fed)
{
	struct items items[examples->input_count + 1];
	struct nn_buffer inputs[examples->input_count + 1];
	uint64_t count = 0;
	int status;

	memset(items, 0, sizeof(items));
	memset(inputs, 0, sizeof(inputs));
	status = examples_read(examples, path, items, &count);
	for (uint64_t k = 0; k < count && !status; k++) {
		for (uint32_t i = 0; i < examples->input_count; i++) {
			uint32_t rows = examples_rows(examples, i);

			inputs[i].rows = rows;
			inputs[i].size = rows * items[i].item_bytes;
			inputs[i].data = items[i].data + k * inputs[i].size;
		}
		if (nn_quantizer_feed(quantizer, inputs, examples->input_count))
			status = fail_quantizer(quantizer, path);
		else
			++*fed;
	}
	for (uint32_t i = 0; i < examples->input_count; i++)
		items_free(&items[i]);
	return status;
}

/* Feeds all examples; factors, terms: of the bytes of pictures, if the model is to take these. */
static int feed(struct nn_quantizer *quantizer, const struct quantize_options *options,
		struct nn_quantize_options *how, float factors[3], float terms[3])
{
	struct progress progress;
	struct examples examples;
	uint64_t fed = 0;
	int status = examples_init(&examples, nn_quantizer_get_graph(quantizer), &options->pixels);

	if (!status && options->takes_bytes)
		status = examples_find_pixels(&examples, factors, terms, &how->pixel_channels,
					      &how->pixel_axis);
	for (uint32_t i = 0; i < options->path_count && !status; i++)
		status = examples_add(&examples, options->paths[i]);
	progress_init(&progress, false, options->quiet);
	progress.what = "file";
	progress.tells_left = true;
	for (uint32_t i = 0; i < examples.count && !status; i++) {
		progress_show(&progress, i, examples.count);
		status = feed_file(quantizer, &examples, examples.files[i], &fed);
	}
	progress_show(&progress, examples.count, examples.count);
	progress_end(&progress);
	examples_free(&examples);
	if (!status && fed < FEW_EXAMPLES && !options->quiet)
		fprintf(stderr, "warning: %" PRIu64 " example%s say little about the ranges of tensors; 100 to 500 are good\n",
			fed, fed == 1 ? "" : "s");
	return status;
}

/* ---- The model ---- */

static uint32_t find_method(const char *name)
{
	uint32_t method = 0;

	while (strcmp(quantize_methods[method], name))
		method++;
	return method;
}

static int write_model(const struct nn_quantizer *quantizer, struct out_file *file)
{
	const void *data;
	size_t size;

	nn_quantizer_get_model(quantizer, &data, &size);
	fwrite(data, 1, size, out_file_stream(file));
	return out_file_finish(file);
}

static void show_step(uint64_t done, uint64_t total, void *opaque)
{
	progress_show(opaque, done, total);
}

static int write_report(const struct nn_quantizer *quantizer, const struct quantize_options *options)
{
	const char *folder = options->report;
	size_t size = strlen(folder) + sizeof("/report.json");
	char *path = malloc(size);
	int status;

	if (!path)
		return fail("out of memory");
	snprintf(path, size, "%s/report.json", folder);
	status = quantize_write_json(quantizer, options->model, path);
	snprintf(path, size, "%s/report.html", folder);
	if (!status)
		status = quantize_write_html(quantizer, options->model, path);
	free(path);
	return status;
}

static int quantize(struct nn_quantizer *quantizer, const struct quantize_options *options)
{
	const struct nn_import_options import = {
		.shapes = options->given.shapes, .shape_count = options->given.shape_count,
		.values = options->given.values, .value_count = options->given.value_count,
	};
	float factors[3], terms[3];
	struct nn_quantize_options how = {
		.method = find_method(options->method),
		.activations = strcmp(options->activations, "int8") ? NN_UINT8 : NN_INT8,
		.keep = options->kept.at,
		.keep_count = options->kept.count,
		.int16 = options->wide.at,
		.int16_count = options->wide.count,
		.budget = options->budget,
		.pixel_factors = factors,
		.pixel_terms = terms,
	};
	struct progress progress;
	struct out_file *file;
	int status = out_file_spares(options->output, options->model);

	if (!status)
		status = out_file_open(options->output, &file);
	if (!status && options->report)
		status = folder_check(options->report);
	if (!status && nn_quantizer_read_file(quantizer, options->model, &import))
		status = fail_quantizer(quantizer, options->model);
	if (!status)
		status = feed(quantizer, options, &how, factors, terms);
	progress_init(&progress, false, options->quiet);
	progress.what = "step";
	progress.tells_left = true;
	nn_quantizer_set_progress(quantizer, show_step, &progress);
	if (!status && nn_quantizer_choose(quantizer, &how))
		status = fail_quantizer(quantizer, options->model);
	if (!status)
		status = write_model(quantizer, file);
	progress_end(&progress);
	progress.what = "layer";
	/* It was done to spend the budget, or nobody would see it. */
	if (!status && (!options->quiet || options->report) && options->all &&
	    nn_quantizer_measure_layers(quantizer))
		status = fail_quantizer(quantizer, options->model);
	progress_end(&progress);
	if (!status && options->report)
		status = write_report(quantizer, options);
	if (!status && !options->quiet)
		quantize_print(quantizer, options->verbose);
	return status;
}

int quantize_main(int argc, char **argv)
{
	struct quantize_options options;
	struct nn_quantizer *quantizer = NULL;
	struct nn_device *device = NULL;
	struct model model = { 0 };
	struct nn_error error;
	int status = parse_options(argc, argv, &options);

	if (status >= 0)
		return status;
	/* It says what is wrong, and what is left open; the quantizer reads it itself. */
	status = model_open(options.model, &options.given, &model);
	model_close(&model);
	if (!status && nn_device_open(options.device, &device, &error))
		status = fail("%s", error.text);
	if (!status && nn_quantizer_create(device, &quantizer))
		status = fail("out of memory");
	if (!status)
		status = quantize(quantizer, &options);
	nn_quantizer_destroy(quantizer);
	nn_device_close(device);
	return status;
}
