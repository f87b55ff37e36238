// SPDX-License-Identifier: MIT
/*
 * nnloop compare: a model's tensors beside those that another runtime computed from the same input:
 * how many elements differ, by how many steps, and which tensor is the first.
 *
 * The other runtime's are NAME.npy in a folder, by the names of the model's outputs and tensors, as
 * nnloop run --dump writes them. Integers are compared as they are. Real numbers are compared in
 * steps of the tensor's scale, so a runtime that gives what integers stand for need not quantize it
 * again. In the middle of a graph nnloop has images' channels last, and a runtime whose file has
 * them first writes them first; both orders are tried, and the nearer one counts.
 */
#include <dirent.h>
#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "npy.h"
#include "options.h"
#include "tensors.h"

struct options {
	struct run_options run;
	const char *folder;
	uint32_t within;	/* steps that count as equal */
	bool all;		/* a line for equal tensors, too */
};

/* How one tensor differs from the other runtime's. */
struct difference {
	bool is_moved;		/* the other has channels first */
	uint64_t count;		/* of elements that differ by more than is allowed */
	double most;		/* steps */
	uint64_t first;		/* the first such element, in the file's order */
	double here, there;	/* what it is */
};

struct comparison {
	const struct options *options;
	const struct tensor *first;	/* of those that differ; NULL: none */
	uint32_t compared, different;
};

/* ---- One tensor ---- */

static double file_element(const struct npy *npy, uint64_t i)
{
	float real;
	int64_t whole = 0;
	uint16_t half;

	switch (npy->type) {
	case NN_FLOAT32:
		memcpy(&real, npy->data + 4 * i, sizeof(real));
		return real;
	case NN_UINT8:
	case NN_BOOL:
		return npy->data[i];
	case NN_INT8:
		return (int8_t)npy->data[i];
	case NN_UINT16:
	case NN_INT16:
		memcpy(&half, npy->data + 2 * i, sizeof(half));
		return npy->type == NN_INT16 ? (int16_t)half : half;
	case NN_INT32:
		memcpy(&whole, npy->data + 4 * i, 4);
		return (int32_t)whole;
	default:
		memcpy(&whole, npy->data + 8 * i, sizeof(whole));
		return whole;
	}
}

/*
 * Where element i of the file is here: at i, or, if the file has dimension 1 where it is the last
 * one here, where that puts it.
 */
static uint64_t place_of(const struct npy *npy, bool is_moved, uint64_t i)
{
	uint64_t inner = 1, channel, row;

	if (!is_moved)
		return i;
	for (uint32_t k = 2; k < npy->rank; k++)
		inner *= npy->dims[k];
	row = i / (inner * npy->dims[1]);
	channel = i / inner % npy->dims[1];
	return (row * inner + i % inner) * npy->dims[1] + channel;
}

static struct difference measure(const struct output *output, const struct npy *npy, bool is_moved,
				 uint32_t within)
{
	bool is_real = npy->type == NN_FLOAT32 || output->info.type == NN_FLOAT32;
	double step = is_real && output->info.scale ? (double)output->info.scale : 1;
	struct difference difference = { .is_moved = is_moved };

	for (uint64_t i = 0; i < npy->count; i++) {
		uint64_t at = place_of(npy, is_moved, i);
		double here = is_real ? (double)output_real_element(output, at) :
					(double)output_element(output, at);
		double there = file_element(npy, i);
		double steps = isnan(here) && isnan(there) ? 0 : fabs(here - there) / step;

		/* Real numbers that are nearer to this step than to another are this step. */
		if (is_real && output->info.scale)
			steps = rint(steps);
		if (steps <= within)
			continue;
		if (!difference.count++) {
			difference.first = i;
			difference.here = here;
			difference.there = there;
		}
		if (!(steps <= difference.most))
			difference.most = steps;
	}
	return difference;
}

/* The file's shape is the tensor's; with is_moved, if the last dimension is put behind the first. */
static bool has_shape(const struct output *output, const struct npy *npy, bool is_moved)
{
	uint32_t rank = output->info.rank;

	if (npy->rank != rank || !rank || npy->dims[0] != output->rows)
		return false;
	for (uint32_t k = 1; k < rank; k++) {
		uint32_t from = !is_moved ? k : k == 1 ? rank - 1 : k - 1;

		if (npy->dims[k] != output->info.dims[from])
			return false;
	}
	return true;
}

static int fail_shape(const struct output *output, const struct npy *npy, const char *path)
{
	char here[16 * NN_MAX_RANK] = "", there[24 * NN_MAX_RANK] = "";

	for (uint32_t k = 0; k < output->info.rank; k++)
		sprintf(here + strlen(here), "%s%" PRIu32, k ? "," : "",
			k ? output->info.dims[k] : output->rows);
	for (uint32_t k = 0; k < npy->rank; k++)
		sprintf(there + strlen(there), "%s%" PRIu64, k ? "," : "", npy->dims[k]);
	return fail("%s is of [%s], and the model's is of [%s]: is it from the same input?", path,
		    there, here);
}

/* Numbers of other types stand for something else. */
static bool has_type(const struct output *output, const struct npy *npy)
{
	enum nn_data_type type = output->info.type;

	if (npy->type == type || npy->type == NN_FLOAT32 || type == NN_FLOAT32)
		return true;
	/* Indices and counts are of any width. */
	return !output->info.scale && nn_data_type_size(type) >= 4 &&
	       nn_data_type_size(npy->type) >= 4;
}

static int compare_arrays(const struct options *options, const struct output *output,
			  const struct npy *npy, const char *path, struct difference *difference)
{
	bool is_same = has_shape(output, npy, false), is_moved = has_shape(output, npy, true);
	struct difference moved;

	if (!has_type(output, npy))
		return fail("%s is of %s, and the model's is of %s", path, npy->name,
			    nn_data_type_name(output->info.type));
	/* A dimension of one more or less puts no element elsewhere. */
	if (!is_same && !is_moved) {
		if (npy->count != output->rows * output->row_elements)
			return fail_shape(output, npy, path);
		is_same = true;
	}
	*difference = measure(output, npy, !is_same, options->within);
	if (!is_same || !is_moved || !difference->count)
		return 0;
	moved = measure(output, npy, true, options->within);
	if (moved.count < difference->count)
		*difference = moved;
	return 0;
}

/* ---- All ---- */

static void print_line(const struct comparison *comparison, const char *name,
		       const struct npy *npy, const struct difference *difference)
{
	char index[24 * NN_MAX_RANK];

	if (!difference->count && !comparison->options->all)
		return;
	printf("%10" PRIu64 " %10" PRIu64 " %10.6g  %s", npy->count, difference->count,
	       difference->most, name);
	if (difference->count) {
		npy_print_index(npy, difference->first, index, sizeof(index));
		printf(" %s: %.9g, not %.9g", index, difference->here, difference->there);
	}
	putchar('\n');
}

/* Compares a tensor with the folder's, if that has it. */
static int compare_tensor(struct comparison *comparison, const struct tensor *tensor)
{
	const char *folder = comparison->options->folder;
	size_t size = strlen(folder) + sizeof(tensor->file) + 8;
	char *path = malloc(size);
	struct difference difference = { 0 };
	struct file file;
	struct npy npy;
	int status;

	if (!path)
		return fail("out of memory");
	snprintf(path, size, "%s/%s.npy", folder, tensor->file);
	status = file_read(path, &file);
	if (status) {
		free(path);
		return status;
	}
	status = npy_is(&file) ? npy_read(&file, &npy) : fail("%s is no .npy file", path);
	if (!status) {
		status = compare_arrays(comparison->options, tensor->output, &npy, path,
					&difference);
		if (!status) {
			print_line(comparison, tensor->file, &npy, &difference);
			comparison->compared++;
			comparison->different += difference.count != 0;
			if (difference.count && !comparison->first)
				comparison->first = tensor;
		}
		npy_free(&npy);
	}
	file_free(&file);
	free(path);
	return status;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct names {
	char **names;
	size_t count;
};

static void free_names(struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
}

/* The names of the folder's arrays, without .npy, sorted. */
static int list_folder(const char *folder, struct names *names)
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (!dir)
		return fail("cannot read the folder %s: %s", folder, strerror(errno));
	while ((entry = readdir(dir))) {
		char **more = reallocarray(names->names, names->count + 1, sizeof(*more));

		if (more)
			names->names = more;
		if (!more || (file_has_suffix(entry->d_name, ".npy") &&
			      !(more[names->count++] = strndup(entry->d_name,
							       strlen(entry->d_name) - 4)))) {
			closedir(dir);
			return fail("out of memory");
		}
	}
	closedir(dir);
	if (!names->count)
		return fail("there is no .npy file in %s", folder);
	qsort(names->names, names->count, sizeof(*names->names), by_name);
	return 0;
}

static bool has_name(const struct names *names, const char *name)
{
	return names->count &&
	       bsearch(&name, names->names, names->count, sizeof(name), by_name);
}

/* The model's own outputs as tensors: those whose shape is the file's own. */
static int list_outputs(const struct run *run, struct tensor **list)
{
	*list = calloc(run->own_count + 1, sizeof(**list));
	if (!*list)
		return fail("out of memory");
	for (uint32_t i = 0; i < run->own_count; i++) {
		struct tensor *tensor = &(*list)[i];

		tensor->output = &run->outputs[i];
		tensor->op = "OUTPUT";
		tensor->node = "";
		tensor_name_file(run->outputs[i].info.name, tensor->file);
		if (!*tensor->file || *tensor->file == '.')
			sprintf(tensor->file, "output%" PRIu32, i);
	}
	return 0;
}

static bool is_in(const struct tensor *tensors, uint32_t count, const char *file)
{
	for (uint32_t i = 0; i < count; i++) {
		if (!strcmp(tensors[i].file, file))
			return true;
	}
	return false;
}

static int compare_list(struct comparison *comparison, const struct names *names,
			const struct tensor *tensors, uint32_t count, const struct tensor *except,
			uint32_t except_count)
{
	int status = 0;

	for (uint32_t i = 0; i < count && !status; i++) {
		if (has_name(names, tensors[i].file) &&
		    !is_in(except, except_count, tensors[i].file))
			status = compare_tensor(comparison, &tensors[i]);
	}
	return status;
}

/* Says what came out, and returns the exit status. */
static int conclude(const struct comparison *comparison, size_t files)
{
	const struct tensor *first = comparison->first;
	size_t unknown = files - comparison->compared;

	if (!comparison->compared)
		return fail("no file in %s has the name of a tensor of the model: nnloop run --dump "
			    "shows the names", comparison->options->folder);
	if (unknown)
		fprintf(stderr, "note: %zu of %zu files in %s are no tensors of the model, as nnloop "
			"runs it\n", unknown, files, comparison->options->folder);
	if (!first) {
		printf("%" PRIu32 " tensor%s, all equal", comparison->compared,
		       comparison->compared == 1 ? "" : "s");
		if (comparison->options->within)
			printf(" within %" PRIu32 " step%s", comparison->options->within,
			       comparison->options->within == 1 ? "" : "s");
		putchar('\n');
		return 0;
	}
	printf("%" PRIu32 " of %" PRIu32 " tensors differ; the first is %s",
	       comparison->different, comparison->compared, first->file);
	if (strcmp(first->op, "OUTPUT"))
		printf(", which %s%s%s%s makes", first->op, *first->node ? " \"" : "", first->node,
		       *first->node ? "\"" : "");
	putchar('\n');
	return 1;
}

static int compare_all(const struct run *run, const struct options *options)
{
	struct comparison comparison = { .options = options };
	struct tensor *tensors = NULL, *outputs = NULL;
	struct names names = { 0 };
	uint32_t count = 0;
	int status = list_folder(options->folder, &names);

	if (!status)
		status = tensors_list(run, &tensors, &count);
	if (!status)
		status = list_outputs(run, &outputs);
	if (!status)
		printf("%10s %10s %10s  tensor, and its first element that differs\n", "elements",
		       "differ", "most steps");
	if (!status)
		status = compare_list(&comparison, &names, tensors, count, outputs, run->own_count);
	if (!status)
		status = compare_list(&comparison, &names, outputs, run->own_count, NULL, 0);
	if (!status)
		status = conclude(&comparison, names.count);
	free(outputs);
	free(tensors);
	free_names(&names);
	return status;
}

/* ---- The command ---- */

static int compare_model(struct run *run, const struct options *options)
{
	int status = model_open(options->run.model, &options->run.given, &run->model);

	if (!status)
		status = run_read_inputs(run);
	if (!status)
		status = run_open_device(run);
	if (!status)
		status = run_prepare(run, NN_PREPARE_ALL_TENSORS);
	if (!status)
		status = run_allocate_outputs(run);
	if (!status)
		status = run_execute(run);
	if (!status)
		status = compare_all(run, options);
	return status;
}

/* -1: go on; else the exit status. */
static int parse_options(int argc, char **argv, struct options *options)
{
	const struct option_entry entries[] = {
		{ 0, "with", "DIR",
		  "another runtime's tensors, from the same input: NAME.npy, by the names\n"
		  "of outputs and tensors (as nnloop run --dump has them)",
		  .text = &options->folder },
		{ 0, "within", "N", "differences of at most N steps are none (0)",
		  .items = &options->within },
		{ 0, "all", NULL, "also a line for each tensor that is equal",
		  .flag = &options->all },
		{ 0, "device", "DEVICE",
		  "hexagon (the default, /dev/nnloop), another node such as\n"
		  "/dev/nnloop1, or host: this processor, or host:N: on N threads",
		  .text = &options->run.device },
		{ 0, "step", "N", "put a loop in front of a model that has none: N items in a pass",
		  .items = &options->run.step, .least = 1 },
		OPTION_SHAPE(&options->run.given),
		OPTION_SET(&options->run.given),
		{ 0, "resize", NULL, "stretch pictures of any size to what the model takes",
		  .flag = &options->run.resize },
		{ 0 },
	};
	const struct command_line line = {
		.command = "compare",
		.words = "[OPTION...] MODEL INPUT... --with DIR",
		.about =
	"Runs MODEL on the INPUT files, which are as for nnloop run, and says how its tensors differ from\n"
	"those that another runtime computed: how many elements, by how many steps of the tensor's scale,\n"
	"and which tensor is the first. Exit status 1: some differ.\n",
		.entries = entries,
		.options = options,
	};
	int status;

	*options = (struct options) {
		.run = { .command = "compare", .device = "hexagon", .quiet = true },
	};
	status = options_parse(&line, argc, argv);
	if (status >= 0)
		return status;
	if (optind >= argc)
		return usage_error("compare", "which model?");
	if (!options->folder)
		return usage_error("compare", "with what? --with DIR");
	options->run.model = argv[optind];
	options->run.inputs = argv + optind + 1;
	options->run.input_count = argc - optind - 1;
	return -1;
}

int compare_main(int argc, char **argv)
{
	struct options options;
	struct run run = { .options = &options.run };
	int status = parse_options(argc, argv, &options);

	if (status >= 0)
		return status;
	status = compare_model(&run, &options);
	run_free(&run);
	return status;
}
