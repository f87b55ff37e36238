// SPDX-License-Identifier: MIT
/*
 * nnloop compare: a model's tensors beside those that another runtime computed from the same input:
 * how many elements differ, by how many steps, and which tensor is the first.
 *
 * The other runtime's are NAME.npy in a folder, by the names of the model's outputs and tensors, as
 * nnloop run --dump writes them. compare_names.c says which file is which tensor's, and
 * compare_array.c how the two are compared.
 */
#include <getopt.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "compare.h"
#include "options.h"
#include "tensors.h"

#define MOST_NAMES	3 /* of files that are no tensor's */

struct options {
	struct run_options run;
	const char *folder;
	uint32_t within;	/* steps that count as equal */
	bool all;		/* a line for equal tensors, too */
};

#define NEAR_HALF	0x1p-6 /* of a step: what other orders of a float sum can make */
#define NEAR_HALF_WIDE	0x1p-4 /* the same of tensors of 16 bits */

#define MOST_ROUNDING	4 /* steps that a rounding can be off, by far */

/* The exit statuses, as diff has them; fail() gives another one for what is an error here. */
enum { ALL_EQUAL, SOME_DIFFER, TROUBLE };

struct comparison {
	const struct options *options;
	struct array_files *files;
	const struct tensor *first;	/* of those that differ; NULL: none */
	bool is_another;		/* nothing is equal in front of that, nor much of it */
	bool has_heading;
	uint32_t compared, different;
	uint32_t left_out;		/* of another size */
	uint32_t missing;		/* tensors without a file, in front of the first */
};

/* ---- One tensor ---- */

static bool is_output(const struct tensor *tensor)
{
	return !strcmp(tensor->op, "OUTPUT");
}

/* An output must be there; a tensor of another shape in the middle is one of another name. */
static int tell_shape(const struct tensor *tensor, const struct npy *npy, const char *path)
{
	const struct output *output = tensor->output;
	char here[16 * NN_MAX_RANK] = "", there[24 * NN_MAX_RANK] = "";

	for (uint32_t k = 0; k < output->info.rank; k++)
		sprintf(here + strlen(here), "%s%" PRIu32, k ? "," : "",
			k ? output->info.dims[k] : output->rows);
	for (uint32_t k = 0; k < npy->rank; k++)
		sprintf(there + strlen(there), "%s%" PRIu64, k ? "," : "", npy->dims[k]);
	if (is_output(tensor))
		return fail("%s is of [%s], and the model's is of [%s]: is it from the same input?",
			    path, there, here);
	fprintf(stderr, "note: %s is of [%s], and the model's is of [%s]: left out\n", path, there,
		here);
	return 0;
}

/* Numbers of other types stand for something else. */
static bool has_type(const struct output *output, const struct npy *npy)
{
	enum nn_data_type type = output->info.type;

	if (npy->type == type || npy->type == NN_FLOAT32 || type == NN_FLOAT32)
		return true;
	if ((npy->type == NN_UINT16 || npy->type == NN_INT16) &&
	    (type == NN_UINT16 || type == NN_INT16))
		return output->info.scale;
	/* Indices and counts are of any width. */
	return !output->info.scale && nn_data_type_size(type) >= 4 &&
	       nn_data_type_size(npy->type) >= 4;
}

/* ---- All ---- */

/* Opens a file's array; 0, or the exit status after an error was printed. */
static int open_array(const struct comparison *comparison, const struct array_file *named,
		      char **path, struct file *file, struct npy *npy)
{
	size_t size = strlen(comparison->options->folder) + strlen(named->name) + 8;
	int status;

	*path = malloc(size);
	if (!*path)
		return fail("out of memory");
	snprintf(*path, size, "%s/%s.npy", comparison->options->folder, named->name);
	status = file_read(*path, file);
	if (!status) {
		status = npy_is(file) ? npy_read(file, npy) : fail("%s is no .npy file", *path);
		if (!status)
			return 0;
		file_free(file);
	}
	free(*path);
	return status;
}

static void close_array(char *path, struct file *file, struct npy *npy)
{
	npy_free(npy);
	file_free(file);
	free(path);
}

static bool has_same_dims(const struct npy *a, const struct npy *b)
{
	if (a->rank != b->rank)
		return false;
	for (uint32_t k = 0; k < a->rank; k++) {
		if (a->dims[k] != b->dims[k])
			return false;
	}
	return true;
}

/* From the file with the real numbers that became these integers, if there is one. */
static double read_from_half(const struct comparison *comparison, const struct tensor *tensor,
			     const struct array_file *integers, const struct npy *npy)
{
	const struct array_file *named = array_files_find_real(comparison->files, tensor->file);
	struct difference difference = { .from_half = 1 };
	struct file file;
	struct npy real;
	char *path;

	if (!named || named == integers || open_array(comparison, named, &path, &file, &real))
		return 1;
	if (real.type == NN_FLOAT32 && npy->type != NN_FLOAT32 && has_same_dims(&real, npy))
		compare_arrays(tensor->output, npy, &real, comparison->options->within,
			       &difference);
	close_array(path, &file, &real);
	return difference.from_half;
}

static bool is_rounding(const struct tensor *tensor, const struct difference *difference)
{
	bool is_wide = nn_data_type_size(tensor->output->info.type) == 2;

	return difference->most <= 1 &&
	       difference->from_half <= (is_wide ? NEAR_HALF_WIDE : NEAR_HALF);
}

static void print_line(struct comparison *comparison, const struct tensor *tensor,
		       const struct npy *npy, const struct difference *difference)
{
	char index[24 * NN_MAX_RANK];

	if (!difference->count && !comparison->options->all)
		return;
	if (!comparison->has_heading)
		printf("%10s %10s %10s  tensor, and its first element that differs\n", "elements",
		       "differ", "most steps");
	comparison->has_heading = true;
	printf("%10" PRIu64 " %10" PRIu64 " %10.6g  %s", npy->count, difference->count,
	       difference->most, tensor->file);
	if (difference->count) {
		npy_print_index(npy, difference->first, index, sizeof(index));
		printf(" %s: %.9g, not %.9g", index, difference->here, difference->there);
	}
	if (difference->count && is_rounding(tensor, difference))
		printf("; %s within 2^%d of half a step: rounding",
		       difference->count == 1 ? "it lies" : "each lies",
		       difference->from_half > 0 ? (int)ceil(log2(difference->from_half)) : -52);
	putchar('\n');
}

static int compare_file(struct comparison *comparison, const struct tensor *tensor,
			struct array_file *named)
{
	struct difference difference = { 0 };
	struct file file;
	struct npy npy;
	char *path;
	int status = open_array(comparison, named, &path, &file, &npy);

	if (status)
		return status;
	if (!has_type(tensor->output, &npy)) {
		status = fail("%s is of %s, and the model's is of %s", path, npy.name,
			      nn_data_type_name(tensor->output->info.type));
	} else if (!compare_arrays(tensor->output, &npy, NULL, comparison->options->within,
				   &difference)) {
		status = tell_shape(tensor, &npy, path);
		comparison->left_out++;
	} else {
		if (difference.count && difference.from_half >= 0.5)
			difference.from_half = read_from_half(comparison, tensor, named,
							      &npy);
		print_line(comparison, tensor, &npy, &difference);
		comparison->compared++;
		comparison->different += difference.count != 0;
		if (difference.count && !comparison->first) {
			comparison->first = tensor;
			comparison->is_another = comparison->compared == 1 &&
						 difference.count > npy.count / 2 &&
						 difference.most > MOST_ROUNDING;
		}
	}
	close_array(path, &file, &npy);
	return status;
}

/* Compares a tensor with the folder's, if that has it. */
static int compare_tensor(struct comparison *comparison, const struct tensor *tensor)
{
	struct array_file *named = array_files_find(comparison->files, tensor->file);

	if (named)
		return compare_file(comparison, tensor, named);
	comparison->missing += !comparison->first && tensor->is_named;
	return 0;
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
		tensor->is_named = true;
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

static int compare_list(struct comparison *comparison, const struct tensor *tensors,
			uint32_t count, const struct tensor *except, uint32_t except_count)
{
	int status = 0;

	for (uint32_t i = 0; i < count && !status; i++) {
		if (!is_in(except, except_count, tensors[i].file))
			status = compare_tensor(comparison, &tensors[i]);
	}
	return status;
}

/* Says which files are no tensor's. */
static void tell_unknown(const struct comparison *comparison)
{
	const struct array_files *files = comparison->files;
	size_t unknown = 0;

	for (size_t i = 0; i < files->count; i++)
		unknown += !files->files[i].is_used;
	if (!unknown)
		return;
	fflush(stdout);
	fprintf(stderr, "note: %zu of %zu files in %s are no tensors of the model, as nnloop runs "
		"it:", unknown, files->count, comparison->options->folder);
	for (size_t i = 0, said = 0; i < files->count && said < MOST_NAMES; i++) {
		if (!files->files[i].is_used)
			fprintf(stderr, "%s %.60s", said++ ? "," : "",
				files->files[i].name);
	}
	fputs(unknown > MOST_NAMES ? ", ...\n" : "\n", stderr);
}

/* The name of one of the tensors, best of the last one that the model names. */
static const char *find_name(const struct tensor *tensors, uint32_t count,
			     const struct tensor *outputs)
{
	while (count && !tensors[count - 1].is_named)
		count--;
	return count ? tensors[count - 1].file : outputs[0].file;
}

/* Says what came out; 0, or the exit status after an error was printed. */
static int conclude(const struct comparison *comparison, const char *any)
{
	const struct tensor *first = comparison->first;

	if (!comparison->compared && comparison->left_out)
		return fail("no array in %s is as large as the model's tensor: are they from the "
			    "same input?", comparison->options->folder);
	if (!comparison->compared)
		return fail("no file in %s has the name of a tensor of the model, such as %.80s.npy: "
			    "nnloop run --dump writes all of them", comparison->options->folder,
			    any);
	tell_unknown(comparison);
	if (!first) {
		printf("%" PRIu32 " tensor%s, all equal", comparison->compared,
		       comparison->compared == 1 ? "" : "s");
		if (comparison->options->within)
			printf(" within %" PRIu32 " step%s", comparison->options->within,
			       comparison->options->within == 1 ? "" : "s");
		putchar('\n');
		return 0;
	}
	if (comparison->is_another)
		fprintf(stderr, "note: the first tensor is another one altogether: is it from the "
			"same input?\n");
	printf("%" PRIu32 " of %" PRIu32 " tensors differ; the first is %s",
	       comparison->different, comparison->compared, first->file);
	if (!is_output(first))
		printf(", which %s%s%s%s makes", first->op, *first->node ? " \"" : "", first->node,
		       *first->node ? "\"" : "");
	if (comparison->missing)
		printf("; %" PRIu32 " tensor%s in front of it %s no file", comparison->missing,
		       comparison->missing == 1 ? "" : "s",
		       comparison->missing == 1 ? "has" : "have");
	putchar('\n');
	return 0;
}

static int compare_all(const struct run *run, const struct options *options, bool *differ)
{
	struct array_files files = { 0 };
	struct comparison comparison = { .options = options, .files = &files };
	struct tensor *tensors = NULL, *outputs = NULL;
	uint32_t count = 0;
	int status = array_files_list(options->folder, &files);

	if (!status)
		status = tensors_list(run, &tensors, &count);
	if (!status)
		status = list_outputs(run, &outputs);
	if (!status) {
		for (uint32_t i = 0; i < count; i++)
			array_files_claim(&files, tensors[i].file);
		status = compare_list(&comparison, tensors, count, outputs, run->own_count);
	}
	if (!status)
		status = compare_list(&comparison, outputs, run->own_count, NULL, 0);
	if (!status)
		status = conclude(&comparison, find_name(tensors, count, outputs));
	*differ = comparison.first;
	free(outputs);
	free(tensors);
	array_files_free(&files);
	return status;
}

/* ---- The command ---- */

static int compare_model(struct run *run, const struct options *options, bool *differ)
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
		status = compare_all(run, options, differ);
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
		  .items = &options->within, .most = 65535 },
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
		OPTION_SIGNATURE(&options->run.given),
		OPTION_INTEGERS_ONLY(&options->run.given),
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
	"and which tensor is the first. Exit status 1: some differ; 2: an error.\n",
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
	bool differ = false;

	if (status >= 0)
		return status;
	status = compare_model(&run, &options, &differ);
	run_free(&run);
	return status ? TROUBLE : differ ? SOME_DIFFER : ALL_EQUAL;
}
