// SPDX-License-Identifier: MIT
/*
 * The TensorFlow Lite importer on what it must refuse: models of tests/models/tflite-refused, each
 * with words that the sentence has; and models that are cut, or of which a byte is another one. And
 * its table of operators, which docs/tflite.md has: `test-tflite --table` prints it.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/tflite/tflite.h"
#include "tap.h"

#define MODELS MODELS_DIR "tflite/"
#define REFUSED MODELS_DIR "tflite-refused/"

struct bytes {
	char *data;
	size_t size;
};

static struct bytes read_file(const char *path)
{
	FILE *file = fopen(path, "re");
	struct bytes bytes = { 0 };

	if (!file)
		return bytes;
	fseek(file, 0, SEEK_END);
	bytes.size = ftell(file);
	rewind(file);
	bytes.data = malloc(bytes.size);
	if (bytes.data && fread(bytes.data, 1, bytes.size, file) != bytes.size)
		bytes.size = 0;
	fclose(file);
	return bytes;
}

/* Imports a copy of just the first `size` bytes, so that a sanitizer sees what is read behind them.
 * text: of 512 bytes, what the graph says. */
static int import(const char *data, size_t size, char *text)
{
	char *copy = malloc(size ? size : 1);
	struct nn_graph *graph;
	int err = -ENOMEM;

	if (!copy || nn_graph_create(&graph))
		return err;
	memcpy(copy, data, size);
	err = nn_graph_import_tflite(graph, copy, size);
	snprintf(text, 512, "%s", nn_graph_error(graph)->text);
	if (err && nn_graph_append(graph, &(struct nn_node_desc){
				.id = 1, .op = "Const", .data = "x", .data_size = 1, .output_count = 1,
				.outputs = &(struct nn_tensor_info){
					.type = NN_INT8, .rank = 1, .dims = { 1 }, .scale = 1 } }))
		err = 1; /* it was not empty */
	nn_graph_destroy(graph);
	free(copy);
	return err;
}

static void test_refused(void)
{
	char line[256], path[256], name[64], text[512];
	FILE *list = fopen(REFUSED "list.txt", "re");

	if (!CHECK(list != NULL))
		return;
	while (fgets(line, sizeof(line), list)) {
		struct bytes bytes;
		int at, err;

		if (*line == '#' || sscanf(line, "%63s %n", name, &at) != 1)
			continue;
		line[strcspn(line, "\n")] = '\0';
		snprintf(path, sizeof(path), REFUSED "%s.tflite", name);
		bytes = read_file(path);
		err = import(bytes.data, bytes.size, text);
		if (!CHECK((err == -EINVAL || err == -EOPNOTSUPP) && strstr(text, &line[at])))
			printf("# %s: %d, %s\n", name, err, text);
		free(bytes.data);
	}
	fclose(list);
}

/* Calls a function for each model that is not refused. */
static void for_each_model(void (*function)(const char *name, const struct bytes *bytes))
{
	DIR *dir = opendir(MODELS);
	struct dirent *entry;
	char path[512];

	if (!CHECK(dir != NULL))
		return;
	while ((entry = readdir(dir))) {
		struct bytes bytes;

		if (!strstr(entry->d_name, ".tflite"))
			continue;
		snprintf(path, sizeof(path), MODELS "%s", entry->d_name);
		bytes = read_file(path);
		if (CHECK(bytes.size > 0))
			function(entry->d_name, &bytes);
		free(bytes.data);
	}
	closedir(dir);
}

#define UNREAD 16 /* bytes at the end: the empty buffer of tensors that are computed */

static void cut(const char *name, const struct bytes *bytes)
{
	char text[512];

	/* The archive behind a described model is no part of it. */
	if (!strncmp(name, "described", 9))
		return;
	for (size_t size = 0; size < bytes->size - UNREAD; size += 1 + size / 128) {
		int err = import(bytes->data, size, text);

		if (!CHECK(err < 0 && text[0]))
			printf("# %s, %zu bytes of %zu: %d, %s\n", name, size, bytes->size, err,
			       text);
	}
}

static void test_cut(void)
{
	for_each_model(cut);
}

/*
 * Whatever a byte is, a model is imported or refused with a sentence. Of these values each byte gets
 * all, or else the one whose turn it is: models have much in common, in other places.
 */
static void change(const char *name, const struct bytes *bytes)
{
	static const char values[] = { 0, 1, 0x7f, (char)0x80, (char)0xff };
	static unsigned int next;
	char text[512];

	for (size_t i = 0; i < bytes->size; i += 1 + i / 256) {
		char was = bytes->data[i];

		for (size_t k = 0; k < (tap_all() ? sizeof(values) : 1); k++) {
			int err;

			bytes->data[i] = values[next++ % sizeof(values)];
			err = import(bytes->data, bytes->size, text);
			if (!CHECK(!err || (err < 0 && text[0])))
				printf("# %s, byte %zu is %d: %d, %s\n", name, i, bytes->data[i],
				       err, text);
		}
		bytes->data[i] = was;
	}
}

static void test_changed(void)
{
	for_each_model(change);
}

/* Tests where the root of a file leads, and what is wrong then. */
static void test_root(void)
{
	static const struct {
		uint32_t to;
		const char *wrong;
	} roots[] = {
		{ 0, "an offset in it leads out of it" },
		{ 8, NULL },
		{ 6, "something in it is not aligned" },
		{ 16, "it ends before something that it refers to" },
		{ 17, "an offset in it leads out of it" },
		{ UINT32_MAX, "an offset in it leads out of it" },
	};

	for (size_t i = 0; i < sizeof(roots) / sizeof(*roots); i++) {
		/* A table without fields at 8, and what describes it at 12. */
		uint32_t words[4] = { roots[i].to, 0, (uint32_t)-4, 4 | 4 << 16 };
		struct flatbuffer buffer;
		struct flatbuffer_table root;

		CHECK(flatbuffer_open(&buffer, words, sizeof(words)));
		root = flatbuffer_root(&buffer);
		if (!CHECK(root.at == (roots[i].wrong ? 0 : 8) &&
			   (roots[i].wrong ? buffer.wrong && !strcmp(buffer.wrong, roots[i].wrong) : !buffer.wrong)))
			printf("# to %u: %s\n", roots[i].to, buffer.wrong ? buffer.wrong : "nothing wrong");
	}
}

/*
 * A description has its own length and the table's, which hold themselves and where the description
 * is.
 */
static void test_described(void)
{
	static const struct {
		uint16_t length, size;
		const char *wrong;
	} tables[] = {
		{ 4, 4, NULL },
		{ 6, 4, NULL },
		{ 4, 6, NULL },
		{ 2, 4, "the description of a table in it makes no sense" },
		{ 3, 4, "the description of a table in it makes no sense" },
		{ 5, 4, "the description of a table in it makes no sense" },
		{ 4, 3, "the description of a table in it makes no sense" },
		{ 4, 0, "the description of a table in it makes no sense" },
		{ 10, 4, "it ends before something that it refers to" },
		{ 4, 14, "it ends before something that it refers to" },
	};

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++) {
		uint32_t words[5] = { 8, 0, (uint32_t)-4, tables[i].length | (uint32_t)tables[i].size << 16 };
		struct flatbuffer buffer;

		CHECK(flatbuffer_open(&buffer, words, sizeof(words)));
		flatbuffer_root(&buffer);
		if (!CHECK(tables[i].wrong ? buffer.wrong && !strcmp(buffer.wrong, tables[i].wrong) : !buffer.wrong))
			printf("# %u and %u: %s\n", tables[i].length, tables[i].size, buffer.wrong ? buffer.wrong : "nothing wrong");
	}
}

/* Returns how many nodes of an operator there are in a model. */
static uint32_t count_nodes(const char *path, const char *op)
{
	struct bytes bytes = read_file(path);
	struct nn_graph *graph;
	uint32_t count = 0;

	if (!CHECK(!nn_graph_create(&graph)))
		return 0;
	CHECK(!nn_graph_import_tflite(graph, bytes.data, bytes.size));
	for (uint32_t i = 0; i < graph->node_count; i++)
		count += !strcmp(graph->nodes[i]->op_name, op);
	nn_graph_destroy(graph);
	free(bytes.data);
	return count;
}

/*
 * Operators whose work a convolution can do as well have no nodes; results are those of any model.
 */
static void test_folded(void)
{
	CHECK(count_nodes(MODELS "pad_conv.tflite", "Pad") == 0);
	CHECK(count_nodes(MODELS "pad_conv_first.tflite", "Pad") == 0);
	CHECK(count_nodes(MODELS "pad_depthwise.tflite", "Pad") == 0);
	CHECK(count_nodes(MODELS "pad_conv_far.tflite", "Pad") == 1);
	CHECK(count_nodes(MODELS "pad_conv_read.tflite", "Pad") == 1);
	CHECK(count_nodes(MODELS "space_to_batch_conv.tflite", "Conv2d") == 1);
}

/* ---- The table ---- */

static size_t print_option(char *to, const struct tflite_option *option)
{
	if (option->kind == TFLITE_FLOAT || option->kind == TFLITE_INTS ||
	    (option->low == INT32_MIN && option->high == INT32_MAX))
		return sprintf(to, "`%s`; ", option->name);
	if (option->low == option->high)
		return sprintf(to, "`%s`: %d; ", option->name, option->low);
	if (option->high == INT32_MAX)
		return sprintf(to, "`%s`: %d..; ", option->name, option->low);
	return sprintf(to, "`%s`: %d..%d; ", option->name, option->low, option->high);
}

/* An operator's row. */
static void print_row(char *row, const struct tflite_op *op)
{
	row += sprintf(row, "| `%s` | ", op->name);
	if (op->not_version)
		row += sprintf(row, "1 to %u, ", op->not_version - 1);
	if (op->not_version + 1 < op->version)
		row += sprintf(row, "%u to ", op->not_version + 1);
	row += sprintf(row, "%u | ", op->version);
	for (uint32_t i = 0; i < op->option_count; i++)
		row += print_option(row, &op->options[i]);
	if (op->option_count)
		row -= 2;
	else
		row--;
	sprintf(row, " |\n");
}

static void test_table(void)
{
	struct bytes docs = read_file("docs/tflite.md");
	uint32_t count;
	const struct tflite_op *ops = tflite_get_ops(&count);
	char *text = calloc(1, docs.size + 1), row[1024];

	if (!CHECK(docs.size > 0 && text != NULL))
		return;
	memcpy(text, docs.data, docs.size);
	for (uint32_t i = 0; i < count; i++) {
		print_row(row, &ops[i]);
		if (!CHECK(strstr(text, row) != NULL))
			printf("# docs/tflite.md has not %s", row);
		if (ops[i].code < 0)
			continue; /* its options are not in a table of the format's */
		CHECK(!strcmp(ops[i].name, tflite_code_name(ops[i].code)));
		CHECK(ops[i].option_count <= TFLITE_MAX_OPTIONS);
	}
	free(docs.data);
	free(text);
}

/*
 * Defaults in the format's schema of options that a file leaves out, where they are not 0 or false.
 */
static const struct {
	const char *name;
	int value;
	const char *of; /* the only operator; NULL: all that have the option */
} defaults[] = {
	{ "time_major", 1, "BIDIRECTIONAL_SEQUENCE_LSTM" },
	{ "dilation_w_factor", 1, NULL },
	{ "dilation_h_factor", 1, NULL },
	{ "pot_scale_int16", 1, NULL },
	{ "detections_per_class", 100, NULL },
};

static void test_defaults(void)
{
	uint32_t count;
	const struct tflite_op *ops = tflite_get_ops(&count);

	for (uint32_t i = 0; i < count; i++) {
		for (uint32_t k = 0; k < ops[i].option_count; k++) {
			const struct tflite_option *option = &ops[i].options[k];
			int value = 0;

			for (size_t n = 0; n < sizeof(defaults) / sizeof(*defaults); n++) {
				if (!strcmp(option->name, defaults[n].name) &&
				    (!defaults[n].of || !strcmp(defaults[n].of, ops[i].name)))
					value = defaults[n].value;
			}
			if (!CHECK(option->otherwise == value))
				printf("# %s: %s\n", ops[i].name, option->name);
		}
	}
}

/* The numbers of inputs and outputs that the format's operators have. */
static const struct {
	const char *name;
	uint32_t min_inputs, max_inputs;
} inputs[] = {
	{ "ADD", 2, 2 },
	{ "AVERAGE_POOL_2D", 1, 1 },
	{ "CONCATENATION", 1, UINT8_MAX },
	{ "CONV_2D", 2, 3 },
	{ "DEPTHWISE_CONV_2D", 2, 3 },
	{ "FULLY_CONNECTED", 2, 3 },
	{ "L2_NORMALIZATION", 1, 1 },
	{ "RSQRT", 1, 1 },
	{ "GELU", 1, 1 },
	{ "LOGISTIC", 1, 1 },
	{ "MAX_POOL_2D", 1, 1 },
	{ "RELU", 1, 1 },
	{ "RELU_N1_TO_1", 1, 1 },
	{ "RELU6", 1, 1 },
	{ "RESHAPE", 1, 2 },
	{ "SOFTMAX", 1, 1 },
	{ "TANH", 1, 1 },
	{ "TRANSPOSE", 2, 2 },
	{ "SQUEEZE", 1, 1 },
	{ "STRIDED_SLICE", 4, 4 },
	{ "SPLIT", 2, 2 },
	{ "SLICE", 3, 3 },
	{ "EXPAND_DIMS", 2, 2 },
	{ "LEAKY_RELU", 1, 1 },
	{ "DIV", 2, 2 },
	{ "SUM", 2, 2 },
	{ "SHAPE", 1, 1 },
	{ "REDUCE_PROD", 2, 2 },
	{ "ONE_HOT", 4, 4 },
	{ "ZEROS_LIKE", 1, 1 },
	{ "FILL", 2, 2 },
	{ "RANGE", 3, 3 },
	{ "GATHER", 2, 2 },
	{ "GATHER_ND", 2, 2 },
	{ "CUMSUM", 2, 2 },
};

static void test_inputs(void)
{
	uint32_t count, found = 0;
	const struct tflite_op *ops = tflite_get_ops(&count);

	for (uint32_t i = 0; i < count; i++) {
		for (size_t n = 0; n < sizeof(inputs) / sizeof(*inputs); n++) {
			if (strcmp(ops[i].name, inputs[n].name))
				continue;
			found++;
			if (!CHECK(ops[i].min_inputs == inputs[n].min_inputs &&
				   ops[i].max_inputs == inputs[n].max_inputs && tflite_find_op(ops[i].code, ops[i].name) == &ops[i] &&
				   ops[i].outputs == (strcmp(ops[i].name, "SPLIT") ? 1 : TFLITE_ANY_COUNT)))
				printf("# %s\n", ops[i].name);
		}
	}
	CHECK(found == sizeof(inputs) / sizeof(*inputs));
}

static int print_table(void)
{
	uint32_t count;
	const struct tflite_op *ops = tflite_get_ops(&count);
	char row[1024];

	for (uint32_t i = 0; i < count; i++) {
		print_row(row, &ops[i]);
		fputs(row, stdout);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "--table"))
		return print_table();
	tap_run("models that are refused", test_refused);
	tap_run("models that are cut", test_cut);
	tap_run("models of which a byte is another one", test_changed);
	tap_run("where a file begins", test_root);
	tap_run("what a table is", test_described);
	tap_run("what a convolution does for its neighbours", test_folded);
	tap_run("the table of operators", test_table);
	tap_run("options that are left out", test_defaults);
	tap_run("inputs and outputs of operators", test_inputs);
	return tap_end();
}
