// SPDX-License-Identifier: MIT
/*
 * A program and a library that were built with different versions of the headers. Prints TAP.
 *
 * This is built with the headers of 0.2 as they were frozen, with today's, and with ones whose
 * structures have grown by a field (grow-api, with GROWN defined); and it runs with today's library
 * and with one that was built with the grown headers. What the library fills in must not go beyond
 * the structure, and must fill all of it; what it reads must be read as long as it is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <nn_import.h>

static unsigned int checks, failures;

static int check(int condition, const char *name)
{
	printf("%sok %u %s\n", condition ? "" : "not ", ++checks, name);
	failures += !condition;
	return condition;
}

/* Not a byte behind a structure is written, and all of the structure is. */
#define BEHIND 64
#define FILL 0xa5

static int all_are(const void *bytes, size_t length, int value)
{
	const unsigned char *byte = bytes;

	while (length && *byte == value)
		byte++, length--;
	return !length;
}

#ifdef GROWN
/* No library of these tests knows this field, or sets it. */
#define tail_is_zero(x) (!(x).grown)
#else
#define tail_is_zero(x) 1
#endif

#define GUARDED(type) struct { type is; unsigned char behind[BEHIND]; }
#define fill(x) memset(&(x), FILL, sizeof(x))
#define untouched(x) all_are((x).behind, BEHIND, FILL)
#define well_filled(x) (untouched(x) && tail_is_zero((x).is))

/* ---- What the library fills in ---- */

static void test_errors(struct nn_device *device)
{
	GUARDED(struct nn_error) error;
	struct nn_device *none;
	int fd;

	fill(error);
	check(nn_device_open("no device", &none, &error.is) == -EINVAL && !none && well_filled(error) &&
	      error.is.code == -EINVAL && strstr(error.is.text, "no device"), "nn_device_open: its error");
	fill(error);
	check(!nn_device_open("host:1", &none, &error.is) && well_filled(error) && !error.is.code &&
	      !*error.is.text, "nn_device_open: no error");
	nn_device_close(none);
	check(nn_device_open("no device", &none, NULL) == -EINVAL, "nn_device_open: nobody asks");
	fill(error);
	check(nn_device_create_dmabuf(device, 0, &fd, &error.is) == -EINVAL && fd == -1 &&
	      well_filled(error) && error.is.code == -EINVAL, "nn_device_create_dmabuf: its error");
	check(!strcmp(nn_graph_error(NULL)->text, "out of memory") && tail_is_zero(*nn_graph_error(NULL)),
	      "nn_graph_error: no graph");
}

static void test_device_info(struct nn_device *device)
{
	GUARDED(struct nn_device_info) info;

	fill(info);
	nn_device_get_info(device, &info.is);
	check(well_filled(info) && info.is.kind == NN_DEVICE_HOST && info.is.workers == 1 && !*info.is.node,
	      "nn_device_get_info");
}

/*
 * A loop over three rows of two, one a pass: 1 Input, 2 Rows (an LCN of this program's), 3 Relu,
 * 4 OUTPUT.
 */
static int counts[2];

static int rows_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	GUARDED(struct nn_tensor) input;

	(void)graph;
	fill(input);
	if (nn_node_get_input(self, 0, &input.is) || !untouched(input) || !tail_is_zero(input.is.info) ||
	    input.is.info.rank != 2 || input.is.info.dims[1] != 2 || input.is.info.type != NN_INT8)
		return -EINVAL;
	++*(int *)opaque;
	if (nn_node_set_max_rows(self, 1))
		return -EINVAL;
	return nn_node_set_output(self, 0, &input.is.info, NN_LEVEL_OWN);
}

static int rows_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	uint32_t row = nn_loopstack_get_prev_batches(graph);
	GUARDED(struct nn_tensor) input, output;

	fill(input);
	fill(output);
	if (nn_node_get_input(self, 0, &input.is) || nn_node_get_output(self, 0, &output.is) ||
	    !untouched(input) || !untouched(output) || !tail_is_zero(input.is.info) ||
	    !tail_is_zero(output.is.info) || input.is.info.dims[0] != 3 || output.is.max_rows != 1)
		return -EINVAL;
	memcpy(output.is.data, (const int8_t *)input.is.data + 2 * row, 2);
	++((int *)opaque)[1];
	return nn_loopstack_push(graph, self, 1, 3);
}

/* Two inputs of the same kind in one node: descriptions of outputs are an array. */
static struct nn_graph *make_graph(void)
{
	struct nn_node_ops rows;
	struct nn_tensor_info two[2];
	struct nn_input from[2] = { { 1, 0 }, { 2, 0 } }, back[2] = { { 3, 0 }, { 1, 1 } };
	struct nn_node_desc desc[4];
	struct nn_graph *graph;

	if (nn_graph_create(&graph))
		return NULL;
	memset(&rows, 0, sizeof(rows));
	rows.name = "Rows";
	rows.flags = NN_NODE_FLAG_LCN;
	rows.check = rows_check;
	rows.execute = rows_execute;
	check(!nn_graph_register_op(graph, &rows, counts), "nn_graph_register_op");
	/* It was copied. */
	memset(&rows, FILL, sizeof(rows));

	memset(two, 0, sizeof(two));
	for (int i = 0; i < 2; i++) {
		two[i].name = i ? "second" : "first";
		two[i].type = i ? NN_INT32 : NN_INT8;
		two[i].scale = i ? 0 : 1;
		two[i].rank = 2;
		two[i].dims[0] = 3;
		two[i].dims[1] = 2 + i;
	}
	memset(desc, 0, sizeof(desc));
	desc[0].op = "Input";
	desc[0].outputs = two;
	desc[0].output_count = 2;
	desc[1].op = "Rows";
	desc[2].op = "Relu";
	desc[1].inputs = &from[0];
	desc[2].inputs = &from[1];
	desc[1].input_count = desc[2].input_count = 1;
	desc[3].op = "OUTPUT";
	desc[3].inputs = back;
	desc[3].input_count = 2;
	for (uint32_t i = 0; i < 4; i++) {
		desc[i].id = i + 1;
		if (!check(!nn_graph_append(graph, &desc[i]), "nn_graph_append"))
			printf("# %s\n", nn_graph_error(graph)->text);
	}
	return graph;
}

static void test_inputs(const struct nn_graph *graph)
{
	GUARDED(struct nn_tensor_info) info;

	fill(info);
	check(!nn_graph_get_input_info(graph, 1, &info.is) && well_filled(info) &&
	      !strcmp(info.is.name, "second") && info.is.type == NN_INT32 && info.is.dims[0] == 3 &&
	      info.is.dims[1] == 3 && nn_tensor_info_bytes(&info.is) == 36, "nn_graph_get_input_info");
	fill(info);
	check(nn_graph_get_input_info(graph, 2, &info.is) == -ENOENT && all_are(&info, sizeof(info), FILL),
	      "nn_graph_get_input_info: no such input");
}

static int see_push(const struct nn_push *push, void *opaque)
{
	(void)push;
	(void)opaque;
	return 0;
}

static void test_plan(struct nn_graph *graph)
{
	GUARDED(struct nn_plan_info) plan;
	GUARDED(struct nn_plan_node) node;
	GUARDED(struct nn_tensor_info) info;

	fill(plan);
	check(!nn_graph_get_plan(graph, &plan.is) && well_filled(plan) && plan.is.node_count == 4 &&
	      plan.is.partition_count == 2 && plan.is.input_bytes == 6 + 36, "nn_graph_get_plan");
	fill(node);
	check(!nn_graph_get_plan_node(graph, 1, &node.is) && well_filled(node) && node.is.id == 2 &&
	      !strcmp(node.is.op, "Rows") && node.is.flags == NN_NODE_FLAG_LCN && node.is.output_count == 1,
	      "nn_graph_get_plan_node");
	fill(info);
	check(!nn_graph_get_plan_output(graph, 1, 0, &info.is) && well_filled(info) && info.is.level == 1 &&
	      info.is.dims[0] == 1 && info.is.dims[1] == 2, "nn_graph_get_plan_output");
	fill(info);
	check(!nn_graph_get_output_info(graph, 1, &info.is) && well_filled(info) && !info.is.level &&
	      info.is.dims[0] == 3 && info.is.dims[1] == 3, "nn_graph_get_output_info");
	check(nn_graph_walk_passes(graph, see_push, NULL) == -EOPNOTSUPP && nn_graph_error(graph)->node == 2 &&
	      !strcmp(nn_graph_error(graph)->op, "Rows") && tail_is_zero(*nn_graph_error(graph)),
	      "nn_graph_walk_passes: depends on data");
}

static int take_push(const struct nn_push *push, void *opaque)
{
	uint32_t *pushes = opaque;

	if (push->lcn != 2 || push->level != 1 || push->counts.itercount != *pushes ||
	    push->counts.current_batches != (*pushes < 2 ? 2 : 1) || push->offset != *pushes * 2 ||
	    !tail_is_zero(*push))
		return 1;
	++*pushes;
	return 0;
}

/* ---- Executions ---- */

struct seen {
	unsigned int passes, operators;
	int wrong;
};

static void see_pass(const struct nn_pass_record *pass, void *opaque)
{
	/* A Relu reads its table, too. */
	static const struct {
		uint32_t node;
		const char *op;
		uint64_t bytes_read, bytes_written;
	} expected[] = { { 3, "Relu", 256 + 2, 2 }, { 4, "OUTPUT", 36, 36 } };
	struct seen *seen = opaque;
	uint32_t i;

	if (pass->partition != 1 || pass->depth != 1 || pass->counts[0].prev_batches != seen->passes ||
	    pass->counts[0].total_batches != 3 || pass->end_ns < pass->start_ns || !tail_is_zero(*pass) ||
	    pass->longest || pass->op_count != 2)
		seen->wrong = 1;
	seen->passes++;
	for (i = 0; i < pass->op_count && i < 2; i++, seen->operators++)
		if (pass->ops[i].node != expected[i].node || strcmp(pass->ops[i].op, expected[i].op) ||
		    pass->ops[i].bytes_read != expected[i].bytes_read ||
		    pass->ops[i].bytes_written != expected[i].bytes_written || !tail_is_zero(pass->ops[i]))
			seen->wrong = 1;
}

static const int8_t first[3][2] = { { 1, -1 }, { -2, 2 }, { -3, 3 } };
static const int8_t positive[3][2] = { { 1, 0 }, { 0, 2 }, { 0, 3 } };
static const int32_t second[3][3] = { { 1, 2, 3 }, { 4, 5, 6 }, { 7, 8, 9 } };

struct buffers {
	struct nn_buffer in[2], out[2];
	int8_t positive[3][2];
	int32_t second[3][3];
};

static void set_buffers(struct buffers *buffers)
{
	memset(buffers, 0, sizeof(*buffers));
	buffers->in[0].data = (void *)first;
	buffers->in[0].size = sizeof(first);
	buffers->in[0].rows = 3;
	buffers->in[1].data = (void *)second;
	buffers->in[1].size = sizeof(second);
	buffers->in[1].rows = 3;
	buffers->out[0].data = buffers->positive;
	buffers->out[0].size = sizeof(positive);
	buffers->out[1].data = buffers->second;
	buffers->out[1].size = sizeof(second);
}

static int results_are_right(const struct buffers *buffers)
{
	return buffers->out[0].rows == 3 && buffers->out[1].rows == 3 &&
	       !memcmp(buffers->positive, positive, sizeof(positive)) &&
	       !memcmp(buffers->second, second, sizeof(second));
}

static void test_execute(struct nn_graph *graph)
{
	GUARDED(struct nn_execution_stats) stats;
	struct seen seen = { 0 };
	struct buffers buffers;

	check(!nn_graph_set_trace(graph, see_pass, &seen), "nn_graph_set_trace");
	set_buffers(&buffers);
	if (!check(!nn_graph_execute(graph, buffers.in, 2, buffers.out, 2) && results_are_right(&buffers),
		   "nn_graph_execute"))
		printf("# %s\n", nn_graph_error(graph)->text);
	check(seen.passes == 3 && seen.operators == 6 && !seen.wrong && counts[0] && counts[1] == 3,
	      "each pass was traced, and each operator");
	fill(stats);
	check(!nn_graph_get_stats(graph, &stats.is) && well_filled(stats) && stats.is.passes == 3 &&
	      stats.is.pushes == 3, "nn_graph_get_stats");
	nn_graph_set_trace(graph, NULL, NULL);
	set_buffers(&buffers);
	check(!nn_graph_start(graph, buffers.in, 2, buffers.out, 2) && !nn_graph_wait(graph, -1) &&
	      results_are_right(&buffers), "nn_graph_start");
}

/* ---- What the program fills in ---- */

static void test_options(struct nn_device *device)
{
	static const char text[] = "1 Input shape=0,2 type=int8 scale=1\n"
				   "2 Relu 1:0\n"
				   "3 OUTPUT 2:0\n";
	const uint32_t batch = 5;
	struct nn_prepare_options options;
	GUARDED(struct nn_tensor_info) info;
	struct nn_graph *graph;

	if (!check(!nn_graph_create(&graph) && !nn_graph_import_text(graph, text, strlen(text)), "a graph"))
		return;
	memset(&options, 0, sizeof(options));
	options.step = 2;
	options.input_rows = &batch;
	options.input_count = 1;
	fill(info);
	check(!nn_graph_prepare(graph, device, &options) && !nn_graph_get_output_info(graph, 0, &info.is) &&
	      well_filled(info) && info.is.dims[0] == 5, "nn_graph_prepare");
	check(!nn_graph_prepare(graph, device, NULL), "nn_graph_prepare: no options");
#ifdef GROWN
	options.grown = 1;
	check(nn_graph_prepare(graph, device, &options) == -E2BIG && nn_graph_error(graph)->code == -E2BIG &&
	      strstr(nn_graph_error(graph)->text, "nn_prepare_options"), "nn_graph_prepare: what it does not know");
#endif
	nn_graph_destroy(graph);
}

static void test_pushes(struct nn_device *device)
{
	static const char text[] = "1 Input shape=5,2 type=int8 scale=1\n"
				   "2 BatchLoop 1:0 step=2\n"
				   "3 Relu 2:0\n"
				   "4 OUTPUT 3:0\n";
	struct nn_graph *graph;
	uint32_t pushes = 0;

	check(!nn_graph_create(&graph) && !nn_graph_import_text(graph, text, strlen(text)) &&
	      !nn_graph_prepare(graph, device, NULL) && !nn_graph_walk_passes(graph, take_push, &pushes) &&
	      pushes == 3, "nn_graph_walk_passes: each push");
	nn_graph_destroy(graph);
}

#ifdef GROWN
static int set_grown_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor input;

	(void)graph;
	if (nn_node_get_input(self, 0, &input))
		return -EINVAL;
	input.info.grown = 1;
	*(int *)opaque = nn_node_set_output(self, 0, &input.info, 0);
	return *(int *)opaque;
}

static int do_nothing(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	(void)graph;
	(void)self;
	(void)opaque;
	return 0;
}

/* A library that does not know a field must not take no notice of it. */
static void test_unknown(struct nn_device *device)
{
	static const char text[] = "1 Input shape=3,2 type=int8 scale=1\n"
				   "2 Sets 1:0\n"
				   "3 OUTPUT 2:0\n";
	struct nn_tensor_info info = { .type = NN_INT8, .rank = 1, .dims = { 4 }, .scale = 1 };
	struct nn_node_desc desc = { .id = 1, .op = "Input", .outputs = &info, .output_count = 1 };
	struct nn_node_ops ops = { .name = "Sets", .check = set_grown_check, .execute = do_nothing };
	struct nn_graph *graph;
	struct buffers buffers;
	int said = 0;

	if (!check(!nn_graph_create(&graph), "a graph"))
		return;
	desc.grown = 1;
	check(nn_graph_append(graph, &desc) == -E2BIG, "nn_graph_append: a description it does not know");
	desc.grown = 0;
	info.grown = 1;
	check(nn_graph_append(graph, &desc) == -E2BIG, "nn_graph_append: a tensor that it does not know");
	check(nn_graph_error(graph)->code == -E2BIG && strstr(nn_graph_error(graph)->text, "for a later one"),
	      "and a sentence");
	ops.grown = 1;
	check(nn_graph_register_op(graph, &ops, &said) == -E2BIG, "nn_graph_register_op: what it does not know");
	ops.grown = 0;
	check(!nn_graph_register_op(graph, &ops, &said) &&
	      !nn_graph_import_text(graph, text, strlen(text)) &&
	      nn_graph_prepare(graph, device, NULL) == -E2BIG && said == -E2BIG,
	      "nn_node_set_output: what it does not know");
	nn_graph_destroy(graph);

	graph = make_graph();
	if (!check(graph && !nn_graph_prepare(graph, device, NULL), "a graph"))
		return;
	set_buffers(&buffers);
	buffers.in[1].grown = 1;
	check(nn_graph_execute(graph, buffers.in, 2, buffers.out, 2) == -E2BIG,
	      "nn_graph_execute: an input that it does not know");
	set_buffers(&buffers);
	buffers.out[1].grown = 1;
	check(nn_graph_start(graph, buffers.in, 2, buffers.out, 2) == -E2BIG,
	      "nn_graph_start: an output that it does not know");
	nn_graph_destroy(graph);
}
#endif

static void test_refusals(void)
{
	static const char text[] = "1 Input shape=3,2 type=int8 scale=1\n"
				   "2 Nobody 1:0\n"
				   "3 OUTPUT 2:0\n";
	GUARDED(struct nn_refusals_info) info;
	GUARDED(struct nn_refusal) refusal;
	enum nn_model_format format;
	struct nn_graph *graph;

	if (!check(!nn_graph_create(&graph), "a graph"))
		return;
	check(nn_graph_import(graph, text, strlen(text), &format) == -EOPNOTSUPP && format == NN_MODEL_TEXT,
	      "a model that cannot run");
	fill(info);
	check(!nn_graph_get_refusals(graph, &info.is) && well_filled(info) && info.is.node_count == 3 &&
	      info.is.refused_count == 1 && info.is.kind_count == 1, "nn_graph_get_refusals");
	fill(refusal);
	check(!nn_graph_get_refusal(graph, 0, &refusal.is) && well_filled(refusal) &&
	      !strcmp(refusal.is.op, "Nobody") && refusal.is.count == 1, "nn_graph_get_refusal");
	nn_graph_destroy(graph);
}

/* An ONNX model that only passes on x, of uint8 and of dimensions n and h. */
static const unsigned char open_model[] =
	"\x08\x08\x12\x09" "tests/e2e" ":=\x12\x04" "test"
	"Z\x15\x0a\x01" "x\x12\x10\x0a\x0e\x08\x02\x12\x0a\x0a\x03\x12\x01" "n\x0a\x03\x12\x01" "h"
	"b\x09\x0a\x01" "y\x12\x04\x0a\x02\x08\x02"
	"\x0a\x13\x0a\x01" "x\x12\x01" "y\x1a\x01" "y\"\x08" "Identity" "B\x02\x10\x0d";

static void test_import_options(void)
{
	struct nn_import_shape shape = { .rank = 2, .dims = { 1, 5 } };
	struct nn_import_options options = { .shapes = &shape, .shape_count = 1 };
	GUARDED(struct nn_open_dim) open;
	struct nn_graph *graph;

	if (!check(!nn_graph_create(&graph), "a graph"))
		return;
	check(!nn_graph_import_with(graph, open_model, sizeof(open_model) - 1, &options, NULL),
	      "nn_graph_import_with");
	fill(open);
	check(!nn_graph_get_open_dim(graph, 1, &open.is) && well_filled(open) && open.is.dim == 1 &&
	      open.is.size == 5 && open.is.given == 1 && !strcmp(open.is.input, "x") &&
	      !strcmp(open.is.symbol, "h") && !strcmp(open.is.shape, "1,h"), "nn_graph_get_open_dim");
	check(nn_graph_get_open_dim(graph, 2, &open.is) == -ENOENT, "nn_graph_get_open_dim: no more");
	nn_graph_destroy(graph);
	if (!check(!nn_graph_create(&graph), "a graph"))
		return;
	check(!nn_graph_import_with(graph, open_model, sizeof(open_model) - 1, NULL, NULL) &&
	      !nn_graph_get_open_dim(graph, 1, &open.is) && open.is.size == 1 && !open.is.given,
	      "nn_graph_import_with: no options");
	nn_graph_destroy(graph);
	if (!check(!nn_graph_create(&graph), "a graph"))
		return;
	check(nn_graph_import_file_with(graph, "/nonexistent", &options, NULL) == -ENOENT,
	      "nn_graph_import_file_with");
#ifdef GROWN
	options.grown = 1;
	check(nn_graph_import_with(graph, open_model, sizeof(open_model) - 1, &options, NULL) == -E2BIG,
	      "nn_graph_import_with: options that it does not know");
	check(nn_graph_import_file_with(graph, "/nonexistent", &options, NULL) == -E2BIG,
	      "nn_graph_import_file_with: options that it does not know");
#endif
	nn_graph_destroy(graph);
}

int main(void)
{
	struct nn_device *device;
	struct nn_graph *graph;

	if (nn_device_open("host:1", &device, NULL)) {
		printf("Bail out! no device\n");
		return 1;
	}
	check(nn_version() >= NN_MAKE_VERSION(0, 2, 0) && nn_version() >> 16 == NN_VERSION_MAJOR, "nn_version");
	test_errors(device);
	test_device_info(device);
	graph = make_graph();
	if (graph) {
		test_inputs(graph);
		if (!check(!nn_graph_prepare(graph, device, NULL), "nn_graph_prepare"))
			printf("# %s\n", nn_graph_error(graph)->text);
		test_plan(graph);
		test_execute(graph);
		nn_graph_destroy(graph);
	}
	test_options(device);
	test_pushes(device);
	test_refusals();
	test_import_options();
#ifdef GROWN
	test_unknown(device);
#endif
	nn_device_close(device);
	printf("1..%u\n", checks);
	return failures > 0;
}
