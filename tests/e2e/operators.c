// SPDX-License-Identifier: MIT
/*
 * Every model of tests/models/ops and tests/models/tflite on one device or two, in one pass and in
 * a loop of one item a pass.
 *
 * usage: operators [--streams N] [--workers N] [--all] [--looped|--whole] [--only FILE] DEVICE...
 *        operators --reach DEVICE
 *
 * The first device's outputs are compared with ONNX Runtime's: equal, but for products that it sums
 * in float, which may be one step off; and with TensorFlow Lite's, which they equal. The other
 * devices' are the same bytes as the first's, which is only asked where that may be a step off, or
 * of everything with --all. With --looped a model is run in a loop alone, if it can be, with
 * --whole in one pass. One program, because starting processes is what takes time in the VM.
 *
 * With --only the models alone that are listed in the file. --reach prints such a list: of models
 * that have, as they are planned, an operator that none before them in the folder had with an
 * output of elements of that size.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/nnloop/nnloop.h"
#include "tools/nnloop/npy.h"

#define MAX_TENSORS 4
#define MAX_DEVICES 4

/* Where ONNX Runtime sums in float, in an order that nothing defines. */
static const char *const float_sums[] = {
	"matmul_add",
	"loop_rows",
	"reducemean_1",
};

/* Where models are, what their names end with, and the list of them: a line has a name, words that
 * are not for here, and how many inputs there are. */
static struct folder {
	const char *below, *suffix, *list, *format;
	char path[128];
} folders[] = {
	{ "models/ops/", ".onnx", "levels.txt", "%63s %*s %" SCNu32 },
	{ "models/tflite/", ".tflite", "list.txt", "%63s %" SCNu32 },
};

struct test {
	const struct folder *folder;
	char name[64];
	bool exact; /* equal to the golden output */
	uint32_t input_count;
};

struct outputs {
	uint32_t count;
	struct output tensors[MAX_TENSORS];
};

static unsigned int count, failures;

static void result(bool good, const char *name, const char *what)
{
	count++;
	failures += !good;
	printf("%sok %u %s%s\n", good ? "" : "not ", count, name, what);
	fflush(stdout);
}

static void outputs_free(struct outputs *outputs)
{
	for (uint32_t i = 0; i < outputs->count; i++)
		free(outputs->tensors[i].data);
	outputs->count = 0;
}

/* ---- Running ---- */

static int read_inputs(const struct test *test, struct nn_graph *graph, struct items *inputs)
{
	uint32_t inputs_wanted = nn_graph_get_input_count(graph);

	if (inputs_wanted != test->input_count || inputs_wanted > MAX_TENSORS)
		return fail("%s has %u inputs", test->name, inputs_wanted);
	for (uint32_t i = 0; i < inputs_wanted; i++) {
		struct nn_tensor_info info;
		char path[256];

		snprintf(path, sizeof(path), "%s%s.in%u.npy", test->folder->path, test->name, i);
		if (nn_graph_get_input_info(graph, i, &info) || items_init(&inputs[i], &info, false))
			return 1;
		inputs[i].multiply = !strcmp(test->folder->suffix, ".tflite");
		if (items_add(&inputs[i], path, true))
			return 1;
	}
	return 0;
}

/* Side by side, and for each pass; 0: the library's choice. */
static uint32_t streams, workers;

static bool compare_all, only_looped, only_whole, only_reach;
static struct file only_listed;		/* without a path: all are meant */

static int prepare(const struct model *model, struct nn_device *device, uint32_t step,
		   const struct items *inputs, uint32_t input_count)
{
	uint32_t rows[MAX_TENSORS];
	const struct nn_prepare_options options = {
		.step = step,
		.input_rows = rows,
		.streams = streams,
		.workers = workers,
	};

	for (uint32_t i = 0; i < input_count; i++)
		rows[i] = inputs[i].count;
	return model_prepare(model, device, &options);
}

static int execute(struct nn_graph *graph, const struct items *inputs, uint32_t input_count,
		   struct outputs *outputs)
{
	struct nn_buffer in[MAX_TENSORS] = { 0 }, out[MAX_TENSORS] = { 0 };

	for (uint32_t i = 0; i < input_count; i++) {
		in[i].data = inputs[i].data;
		in[i].rows = inputs[i].count;
		in[i].size = inputs[i].count * inputs[i].item_bytes;
	}
	outputs->count = nn_graph_get_output_count(graph);
	if (outputs->count > MAX_TENSORS)
		return fail("too many outputs");
	for (uint32_t i = 0; i < outputs->count; i++) {
		struct output *output = &outputs->tensors[i];
		struct nn_tensor_info info;

		if (nn_graph_get_output_info(graph, i, &info))
			return fail_graph(graph);
		output_init(output, &info);
		out[i].size = output_bytes(output);
		out[i].data = output->data = malloc(out[i].size + 1);
		if (!output->data)
			return fail("out of memory");
	}
	if (nn_graph_execute(graph, in, input_count, out, outputs->count))
		return fail_graph(graph);
	for (uint32_t i = 0; i < outputs->count; i++)
		outputs->tensors[i].rows = out[i].rows;
	return 0;
}

/* Whether the list that was given has a line with it. */
static bool is_wanted(const char *name)
{
	const uint8_t *at = only_listed.data, *end = at + only_listed.size, *line_end;
	size_t length = strlen(name);

	for (; at < end && (line_end = memchr(at, '\n', end - at)); at = line_end + 1) {
		if ((size_t)(line_end - at) == length && !memcmp(at, name, length))
			return true;
	}
	return false;
}

/*
 * Whether none before had an operator with such elements: by their size, and by whose it is, the
 * library chooses what the device runs.
 */
static bool reaches_more(const struct test *test, const struct nn_graph *graph)
{
	static struct {
		const struct folder *folder;
		char op[64];
		uint32_t size;
	} seen[1024];
	static uint32_t seen_count;
	struct nn_plan_node node;
	bool more = false;

	for (uint32_t i = 0; !nn_graph_get_plan_node(graph, i, &node); i++) {
		struct nn_tensor_info info = { 0 };
		uint32_t k = 0, size;

		if (node.runs_on == NN_RUNS_NOWHERE ||
		    nn_graph_get_plan_output(graph, i, 0, &info))
			continue;
		size = nn_data_type_size(info.type);
		while (k < seen_count &&
		       (strcmp(seen[k].op, node.op) || seen[k].size != size ||
			seen[k].folder != test->folder))
			k++;
		if (k < seen_count || k == sizeof(seen) / sizeof(*seen))
			continue;
		snprintf(seen[k].op, sizeof(seen[k].op), "%s", node.op);
		seen[k].size = size;
		seen[k].folder = test->folder;
		seen_count++;
		more = true;
	}
	return more;
}

/* 0, or 1 after an error was printed. */
static int run(const struct test *test, struct nn_device *device, uint32_t step,
	       struct outputs *outputs)
{
	struct items inputs[MAX_TENSORS] = { 0 };
	struct model model;
	char path[256];
	int status;

	snprintf(path, sizeof(path), "%s%s%s", test->folder->path, test->name,
		 test->folder->suffix);
	status = model_open(path, &model);
	if (!status)
		status = read_inputs(test, model.graph, inputs);
	if (!status)
		status = prepare(&model, device, step, inputs, test->input_count);
	if (!status && only_reach) {
		if (reaches_more(test, model.graph))
			printf("%s%s\n", test->name, test->folder->suffix);
	} else if (!status) {
		status = execute(model.graph, inputs, test->input_count, outputs);
	}
	for (uint32_t i = 0; i < MAX_TENSORS; i++)
		items_free(&inputs[i]);
	model_close(&model);
	return status;
}

/* ---- Comparing ---- */

/* How far element i is from ONNX Runtime's, which is a real one if the model ends in a
 * DequantizeLinear. */
static int32_t distance(const struct output *output, const struct npy *golden, uint64_t i)
{
	int64_t value = output_element(output, i), wide;
	int32_t wanted;
	int16_t narrow;
	float real;

	if (output->info.type == NN_FLOAT32)
		return golden->type == NN_FLOAT32 &&
				       !memcmp((const float *)output->data + i, golden->data + 4 * i,
					       sizeof(float)) ?
			       0 :
			       INT32_MAX;
	switch (golden->type) {
	case NN_BOOL:
	case NN_INT64:
		wide = golden->type == NN_BOOL ? golden->data[i] : golden->wide[i];
		return golden->type == output->info.type && value == wide ? 0 : INT32_MAX;
	case NN_UINT8:
		return abs((int32_t)value - golden->data[i]);
	case NN_INT8:
		return abs((int32_t)value - (int8_t)golden->data[i]);
	case NN_INT16:
		memcpy(&narrow, golden->data + 2 * i, sizeof(narrow));
		return abs((int32_t)value - narrow);
	case NN_INT32:
		memcpy(&wanted, golden->data + 4 * i, sizeof(wanted));
		return value == wanted ? 0 : INT32_MAX;
	case NN_FLOAT32:
		memcpy(&real, golden->data + 4 * i, sizeof(real));
		value -= output->info.zero_point;
		return (float)value * output->info.scale == real ? 0 : INT32_MAX;
	default:
		return INT32_MAX;
	}
}

static bool equals_golden(const struct test *test, const struct output *output, uint32_t index,
			  uint32_t output_count)
{
	uint64_t off = 0, elements = output->rows * output->row_elements;
	struct file file;
	struct npy golden;
	char path[256];
	int32_t most = 0;

	if (output_count == 1)
		snprintf(path, sizeof(path), "%s%s.golden.npy", test->folder->path, test->name);
	else
		snprintf(path, sizeof(path), "%s%s.golden.%u.npy", test->folder->path, test->name,
			 index);
	if (file_read(path, &file) || npy_read(&file, &golden))
		return false;
	if (golden.count != elements || golden.rank != output->info.rank) {
		printf("# %s has %" PRIu64 " elements, the golden output %" PRIu64 "\n",
		       test->name, elements, golden.count);
		most = INT32_MAX;
	}
	for (uint64_t i = 0; i < elements && golden.count == elements; i++) {
		int32_t by = distance(output, &golden, i);

		off += by > 0;
		most = by > most ? by : most;
	}
	if (off)
		printf("# %s: %" PRIu64 " of %" PRIu64 " elements are up to %d steps off\n",
		       test->name, off, elements, most);
	npy_free(&golden);
	file_free(&file);
	return most <= !test->exact;
}

static bool same(const struct outputs *a, const struct outputs *b)
{
	bool equal = a->count == b->count;

	for (uint32_t i = 0; i < a->count && equal; i++) {
		size_t size = output_bytes(&a->tensors[i]);

		equal = size == output_bytes(&b->tensors[i]) &&
			!memcmp(a->tensors[i].data, b->tensors[i].data, size);
	}
	return equal;
}

/* ---- Tests ---- */

static bool test_step(const struct test *test, struct nn_device **devices, char **names,
		      uint32_t device_count, uint32_t step)
{
	struct outputs first = { 0 };
	bool good;

	good = !run(test, devices[0], step, &first);
	for (uint32_t i = 0; i < first.count && good; i++)
		good = equals_golden(test, &first.tensors[i], i, first.count);
	if (test->exact && !compare_all)
		device_count = 1;
	for (uint32_t d = 1; d < device_count && good; d++) {
		struct outputs other = { 0 };

		good = !run(test, devices[d], step, &other) && same(&first, &other);
		if (!good)
			printf("# %s and %s differ\n", names[0], names[d]);
		outputs_free(&other);
	}
	outputs_free(&first);
	return good;
}

static bool is_listed(const char *const *list, size_t size, const char *name)
{
	for (size_t i = 0; i < size; i++) {
		if (!strcmp(list[i], name))
			return true;
	}
	return false;
}

#define IS_LISTED(list, name) is_listed(list, sizeof(list) / sizeof(*(list)), name)

/* Models with a loop of their own cannot get another one, nor those whose rows are fixed. */
static bool has_loop(const char *name)
{
	return !strncmp(name, "whole_", 6) || strstr(name, "loop") || strstr(name, "proposal") ||
	       strstr(name, "crop");
}

/* Whether there is a list. */
static bool test_folder(const struct folder *folder, struct nn_device **devices, char **names,
			uint32_t device_count)
{
	char line[256];
	FILE *list;

	snprintf(line, sizeof(line), "%s%s", folder->path, folder->list);
	list = fopen(line, "re");
	if (!list) {
		fail("cannot open %s: %s", line, strerror(errno));
		return false;
	}
	while (fgets(line, sizeof(line), list)) {
		struct test test = { .folder = folder };

		if (*line == '#' ||
		    sscanf(line, folder->format, test.name, &test.input_count) != 2)
			continue;
		test.exact = !IS_LISTED(float_sums, test.name);
		snprintf(line, sizeof(line), "%s%s", test.name, folder->suffix);
		if (only_listed.path && !is_wanted(line))
			continue;
		if (only_reach) {
			struct outputs none = { 0 };

			if (run(&test, devices[0], 0, &none))
				return false;
			continue;
		}
		if (!only_looped || has_loop(test.name))
			result(test_step(&test, devices, names, device_count, 0), test.name,
			       folder->suffix);
		if (!only_whole && !has_loop(test.name))
			result(test_step(&test, devices, names, device_count, 1), test.name,
			       ", in a loop");
	}
	fclose(list);
	return true;
}

int main(int argc, char **argv)
{
	struct nn_device *devices[MAX_DEVICES];
	uint32_t device_count;
	struct nn_error error;
	bool good = true;

	for (; argc > 2 && argv[1][0] == '-'; argc--, argv++) {
		compare_all |= !strcmp(argv[1], "--all");
		only_looped |= !strcmp(argv[1], "--looped");
		only_whole |= !strcmp(argv[1], "--whole");
		only_reach |= !strcmp(argv[1], "--reach");
		if (!strcmp(argv[1], "--only")) {
			if (file_read(argv[2], &only_listed))
				return 1;
			argc--;
			argv++;
			continue;
		}
		if (strcmp(argv[1], "--workers") && strcmp(argv[1], "--streams"))
			continue;
		*(strcmp(argv[1], "--workers") ? &streams : &workers) = strtoul(argv[2], NULL, 10);
		argc--;
		argv++;
	}
	device_count = argc - 1;
	if (argc < 2 || argc > 1 + MAX_DEVICES)
		return fail("usage: operators [--streams N] [--workers N] [--all] [--looped|--whole] [--only FILE] DEVICE...");
	for (uint32_t i = 0; i < device_count; i++) {
		if (nn_device_open(argv[1 + i], &devices[i], &error))
			return fail("%s", error.text);
	}
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(folders[i].path, sizeof(folders[i].path), "%s/%s", getenv("O") ?: "build",
			 folders[i].below);
		good &= test_folder(&folders[i], devices, argv + 1, device_count);
	}
	for (uint32_t i = 0; i < device_count; i++)
		nn_device_close(devices[i]);
	file_free(&only_listed);
	if (!only_reach)
		printf("1..%u\n", count);
	return failures > 0 || !good;
}
