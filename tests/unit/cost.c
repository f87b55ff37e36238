// SPDX-License-Identifier: MIT
/*
 * The cost of importing, preparing and asking about a graph grows linearly with its nodes, whatever
 * its shape. Cost is not time, which other work on the machine changes: this program's library is
 * compiled so that it calls a function for each basic block it enters, and those are counted.
 *
 * Each shape is made twice, by nn_graph_append() and as text. cost_onnx.c has those for ONNX.
 */
#include "cost.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "nn_device.h"
#include "nn_graph.h"
#include "nn_import.h"
#include "tap.h"

/* More than five times as many, for what grows with the logarithm as well. */
#define MOST_TIMES	6.0

static uint64_t blocks;

void __sanitizer_cov_trace_pc(void);
__attribute__((no_sanitize_coverage)) void __sanitizer_cov_trace_pc(void)
{
	blocks++;
}

/* ---- A graph in the making */

/* One of both is not NULL. */
struct maker {
	struct nn_graph *graph;
	FILE *text;
	uint32_t stride;		/* between ids, which tests count from 1 on */
	bool good;
};

/* A node, by keys of the text format; 0: it does not have that one. */
struct node {
	const char *op;
	uint32_t dims[4];
	const char *name;
	float scale;
	int64_t level, current, step;
	int64_t shape[2];		/* of a Reshape */
};

static void write_node(struct maker *maker, uint32_t id, const struct node *node,
		       const uint32_t *sources, uint32_t count)
{
	FILE *text = maker->text;

	fprintf(text, "%u %s", id * maker->stride, node->op);
	for (uint32_t i = 0; i < count; i++)
		fprintf(text, " %u:0", sources[i] * maker->stride);
	if (node->dims[1])
		fprintf(text, " shape=%u,%u", node->dims[0], node->dims[1]);
	if (node->scale)
		fprintf(text, " type=int8 scale=%g", (double)node->scale);
	if (node->level)
		fprintf(text, " level=%lld", (long long)node->level);
	if (node->current)
		fprintf(text, " current=%lld total=%lld", (long long)node->current,
			(long long)node->current);
	if (node->step)
		fprintf(text, " step=%lld", (long long)node->step);
	if (node->shape[0])
		fprintf(text, " shape=%lld,%lld", (long long)node->shape[0],
			(long long)node->shape[1]);
	if (node->name)
		fprintf(text, " name=%s", node->name);
	fputc('\n', text);
}

static void append_node(struct maker *maker, uint32_t id, const struct node *node,
			const uint32_t *sources, uint32_t count)
{
	static const int8_t zeros[8];
	struct nn_tensor_info info = {
		.type = NN_INT8,
		.rank = node->dims[1] ? 2 : 0,
		.dims = { node->dims[0], node->dims[1] },
		.scale = node->scale,
	};
	struct nn_attr attrs[4];
	struct nn_node_desc desc = {
		.id = id * maker->stride,
		.op = node->op,
		.name = node->name,
		.input_count = count,
		.attrs = attrs,
		.outputs = &info,
		.output_count = node->scale != 0,
	};
	struct nn_input *inputs = calloc(count + 1, sizeof(*inputs));

	for (uint32_t i = 0; i < count; i++)
		inputs[i].src_id = sources[i] * maker->stride;
	desc.inputs = inputs;
	if (node->level)
		attrs[desc.attr_count++] = (struct nn_attr){ .name = "level", .type = NN_ATTR_INT,
							     .i = node->level };
	if (node->current) {
		attrs[desc.attr_count++] = (struct nn_attr){ .name = "current",
							     .type = NN_ATTR_INT,
							     .i = node->current };
		attrs[desc.attr_count++] = (struct nn_attr){ .name = "total", .type = NN_ATTR_INT,
							     .i = node->current };
	}
	if (node->step)
		attrs[desc.attr_count++] = (struct nn_attr){ .name = "step", .type = NN_ATTR_INT,
							     .i = node->step };
	if (node->shape[0])
		attrs[desc.attr_count++] = (struct nn_attr){ .name = "shape",
							     .type = NN_ATTR_INTS, .count = 2,
							     .ints = node->shape };
	if (!strcmp(node->op, "Const")) {
		desc.data = zeros;
		desc.data_size = sizeof(zeros);
	}
	if (nn_graph_append(maker->graph, &desc)) {
		printf("# node %u: %s\n", id, nn_graph_error(maker->graph)->text);
		maker->good = false;
	}
	free(inputs);
}

static void add_list(struct maker *maker, uint32_t id, const struct node *node,
		     const uint32_t *sources, uint32_t count)
{
	if (maker->text)
		write_node(maker, id, node, sources, count);
	else
		append_node(maker, id, node, sources, count);
}

/* A node with the sources that follow, up to a 0. */
static void add(struct maker *maker, uint32_t id, struct node node, ...)
{
	uint32_t sources[4], count = 0;
	va_list arguments;

	va_start(arguments, node);
	while (count < 4 && (sources[count] = va_arg(arguments, uint32_t)))
		count++;
	va_end(arguments);
	add_list(maker, id, &node, sources, count);
}

#define NODE(...) ((struct node){ __VA_ARGS__ })
#define INPUT NODE(.op = "Input", .dims = { 1, 8 }, .scale = 1)
#define ADD NODE(.op = "Add", .scale = 1)
#define OUTPUT NODE(.op = "OUTPUT")

/* 0 to count - 1, in an order that is neither that nor its reverse. */
static uint32_t shuffled(uint32_t i, uint32_t count)
{
	return (i * 7919ull + 17) % count;
}

/* ---- Shapes */

static void make_chain(struct maker *maker, uint32_t nodes)
{
	add(maker, 1, INPUT, 0);
	for (uint32_t i = 2; i < nodes; i++)
		add(maker, i, ADD, i - 1, i > 2 ? i - 2 : 1, 0);
	add(maker, nodes, OUTPUT, nodes - 1, 0);
}

/* Makes aliases, which nobody computes: other names for the same elements. */
static void make_aliases(struct maker *maker, uint32_t nodes)
{
	add(maker, 1, INPUT, 0);
	for (uint32_t i = 2; i < nodes; i++)
		add(maker, i, NODE(.op = "Reshape", .shape = { 1, 8 }), i - 1, 0);
	add(maker, nodes, OUTPUT, nodes - 1, 0);
}

/* Activations, which are fused. */
static void make_fused(struct maker *maker, uint32_t nodes)
{
	add(maker, 1, INPUT, 0);
	add(maker, 2, ADD, 1, 1, 0);
	for (uint32_t i = 3; i < nodes; i++)
		add(maker, i, NODE(.op = "Relu"), i - 1, 0);
	add(maker, nodes, OUTPUT, nodes - 1, 0);
}

/* One value that all read, and as many outputs as nodes. */
static void make_outputs(struct maker *maker, uint32_t nodes)
{
	uint32_t *sources = calloc(nodes, sizeof(*sources));

	add(maker, 1, INPUT, 0);
	for (uint32_t i = 2; i < nodes; i++) {
		add(maker, i, ADD, 1, 1, 0);
		sources[i - 2] = i;
	}
	add_list(maker, nodes, &OUTPUT, sources, nodes - 2);
	free(sources);
}

/* Half of all values are alive at the same time, of five sizes, and end in another order than they
 * begin in, so that their memory is free in pieces. */
static void make_wide(struct maker *maker, uint32_t nodes)
{
	uint32_t sizes = 5, half = (nodes - 2 * sizes) / (2 * sizes) * sizes, last[5], id;

	for (id = 1; id <= sizes; id++)
		add(maker, id,
		    NODE(.op = "Input", .dims = { 1, 128 * id * id }, .scale = 1), 0);
	for (uint32_t i = 0; i < half; i++, id++)
		add(maker, id, ADD, 1 + i % sizes, 1 + i % sizes, 0);
	memcpy(last, (uint32_t[]){ 1, 2, 3, 4, 5 }, sizeof(last));
	for (uint32_t i = 0; i < half; i++, id++) {
		uint32_t source = shuffled(i, half), *sum = &last[source % sizes];

		add(maker, id, ADD, *sum, sizes + 1 + source, 0);
		*sum = id;
	}
	add_list(maker, id, &OUTPUT, last, sizes);
}

static void make_constants(struct maker *maker, uint32_t nodes)
{
	add(maker, 1, INPUT, 0);
	add(maker, 2, ADD, 1, 1, 0);
	for (uint32_t i = 3; i + 1 < nodes; i += 2) {
		add(maker, i, NODE(.op = "Const", .dims = { 1, 8 }, .scale = 1), 0);
		add(maker, i + 1, ADD, i - 1, i, 0);
	}
	add(maker, nodes, OUTPUT, (nodes - 1) & ~1u, 0);
}

/* Makes inputs with a variable batch, so that a loop can be put in front of all of them. */
static void make_inputs(struct maker *maker, uint32_t nodes)
{
	uint32_t half = nodes / 2;

	for (uint32_t i = 1; i <= half; i++)
		add(maker, i, NODE(.op = "Input", .dims = { 0, 8 }, .scale = 1), 0);
	add(maker, half + 1, ADD, 1, 1, 0);
	for (uint32_t i = 2; i < half; i++)
		add(maker, half + i, ADD, half + i - 1, i, 0);
	add(maker, 2 * half, OUTPUT, 2 * half - 1, 0);
}

static void make_names(struct maker *maker, uint32_t nodes)
{
	char name[80];

	add(maker, 1, INPUT, 0);
	for (uint32_t i = 2; i < nodes; i++) {
		snprintf(name, sizeof(name), "/encoder/block/attention/residual/Add_%u", i);
		add(maker, i, NODE(.op = "Add", .scale = 1, .name = name), i - 1, 1, 0);
	}
	add(maker, nodes, OUTPUT, nodes - 1, 0);
}

/*
 * Two loops; in each partition nodes with inputs from near and far, so that half of all tensors
 * cross a boundary, and listed so that they must be sorted.
 */
static void make_loops(struct maker *maker, uint32_t nodes)
{
	uint32_t lcn = 0;

	add(maker, 1, INPUT, 0);
	for (uint32_t i = 2; i < nodes; i++) {
		uint32_t far = 1 + i / 4;

		if (i == nodes / 3 || i == 2 * (nodes / 3)) {
			add(maker, i, NODE(.op = "CountLoop", .current = 1), lcn ? lcn : 1, 0);
			lcn = i;
		} else if (i % 5 == 0) {
			add(maker, i, NODE(.op = "Nop"), far, far, far, 0);
		} else {
			add(maker, i, NODE(.op = "Nop"), i - 1 - (i > 2 && i % 3 == 0),
			    1 + (i - 1) / 2, i % 7 ? 1 : i / 3 + 1, 0);
		}
	}
	add(maker, nodes, OUTPUT, nodes - 1, lcn, nodes / 2, 0);
}

/* Views of the same rows by many nodes, and a loop with many outputs. */
static void make_views(struct maker *maker, uint32_t nodes)
{
	uint32_t half = nodes / 2, *sources = calloc(half, sizeof(*sources));

	for (uint32_t i = 0; i < half; i++) {
		sources[i] = i + 1;
		add(maker, i + 1, NODE(.op = "Input", .dims = { 4, 8 }, .scale = 1), 0);
	}
	add_list(maker, half + 1, &NODE(.op = "BatchLoop", .step = 2), sources, half);
	for (uint32_t i = half + 2; i < nodes; i++)
		add(maker, i, ADD, i - 1, half + 1, 0);
	add(maker, nodes, OUTPUT, nodes - 1, 0);
	free(sources);
}

static void make_variables(struct maker *maker, uint32_t nodes)
{
	uint32_t i;

	add(maker, 1, NODE(.op = "Input", .dims = { 1, 8 }, .scale = 1), 0);
	add(maker, 2, NODE(.op = "CountLoop", .current = 1), 1, 0);
	add(maker, 3, NODE(.op = "Const", .dims = { 1, 8 }, .scale = 1), 0);
	for (i = 4; i + 3 < nodes; i += 3) {
		add(maker, i, NODE(.op = "Variable", .level = 1), 3, 0);
		add(maker, i + 1, ADD, i > 4 ? i - 2 : 2, i, 0);
		add(maker, i + 2, NODE(.op = "Assign"), i, i + 1, 0);
	}
	add(maker, i, OUTPUT, i - 2, 0);
}

/* ---- Nodes of the host's: each is a part of its own */

static int execute_host(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)graph;
	(void)node;
	(void)opaque;
	return 0;
}

static void make_parts(struct maker *maker, uint32_t nodes)
{
	add(maker, 1, INPUT, 0);
	for (uint32_t i = 2; i < nodes; i++)
		add(maker, i, i % 2 ? ADD : NODE(.op = "Host"), i - 1, i % 2 ? i - 2 : 0, 0);
	add(maker, nodes, OUTPUT, nodes - 1, 0);
}

/* ---- Costs */

/* Asks what `nnloop plan` asks. */
static void ask(struct nn_graph *graph)
{
	struct nn_plan_info plan;
	struct nn_plan_node node;
	struct nn_tensor_info info;
	struct nn_input source;

	CHECK(!nn_graph_get_plan(graph, &plan));
	for (uint32_t i = 0; i < plan.node_count; i++) {
		CHECK(!nn_graph_get_plan_node(graph, i, &node));
		for (uint32_t k = 0; k < node.input_count; k++)
			CHECK(!nn_graph_get_plan_input(graph, i, k, &source));
		for (uint32_t k = 0; k < node.output_count; k++)
			CHECK(!nn_graph_get_plan_output(graph, i, k, &info));
	}
	for (uint32_t i = 0; i < plan.sink_count; i++)
		CHECK(!nn_graph_get_plan_sink(graph, i, &source));
	for (uint32_t i = 0; i < nn_graph_get_input_count(graph); i++)
		CHECK(!nn_graph_get_input_info(graph, i, &info));
	for (uint32_t i = 0; i < nn_graph_get_output_count(graph); i++)
		CHECK(!nn_graph_get_output_info(graph, i, &info));
}

static struct nn_graph *create(void)
{
	static const struct nn_node_ops host = { .name = "Host", .execute = execute_host };
	struct nn_graph *graph;

	if (nn_graph_create(&graph) || nn_graph_register_op(graph, &host, NULL))
		exit(1);
	return graph;
}

/*
 * Returns the cost of preparing a graph, with what has been counted before, asking about its plan,
 * and destroying it. `device`: NULL or where its constants go.
 */
static uint64_t cost_of_plan(struct nn_graph *graph, struct nn_device *device, uint32_t step)
{
	static const uint32_t flags[] = { NN_PREPARE_NO_OPTIMIZE, 0 };

	for (int i = 0; i < 2; i++)
		if (!CHECK(!nn_graph_prepare(graph, device,
					     &(struct nn_prepare_options){ .flags = flags[i],
									   .step = step })))
			printf("# %u: %s\n", nn_graph_error(graph)->node,
			       nn_graph_error(graph)->text);
	ask(graph);
	nn_graph_destroy(graph);
	return blocks;
}

static uint64_t cost_of_import(const void *data, size_t size, uint32_t step)
{
	struct nn_graph *graph = create();

	blocks = 0;
	if (!CHECK(!nn_graph_import(graph, data, size, NULL)))
		printf("# %u: %s\n", nn_graph_error(graph)->node, nn_graph_error(graph)->text);
	return cost_of_plan(graph, NULL, step);
}

/* The cost of a model that cannot run. */
static uint64_t cost_of_refusal(const void *data, size_t size)
{
	struct nn_graph *graph = create();
	struct nn_refusal refusal;

	blocks = 0;
	CHECK(nn_graph_import(graph, data, size, NULL) == -EOPNOTSUPP);
	for (uint32_t i = 0; !nn_graph_get_refusal(graph, i, &refusal); i++)
		CHECK(refusal.count);
	nn_graph_destroy(graph);
	return blocks;
}

static const struct shape {
	const char *name;
	void (*make)(struct maker *maker, uint32_t nodes);
	uint32_t step;			/* to prepare with */
	uint32_t stride;
} shapes[] = {
	{ .name = "a chain", .make = make_chain },
	{ .name = "a chain of reshapes", .make = make_aliases },
	{ .name = "activations", .make = make_fused },
	{ .name = "many outputs", .make = make_outputs },
	{ .name = "many values at the same time", .make = make_wide },
	{ .name = "many constants", .make = make_constants },
	{ .name = "many inputs", .make = make_inputs },
	{ .name = "many inputs with a loop in front", .make = make_inputs, .step = 2 },
	{ .name = "many names", .make = make_names },
	{ .name = "ids far apart", .make = make_chain, .stride = 4096 },
	{ .name = "ids very far apart", .make = make_chain, .stride = 1 << 16 },
	{ .name = "two loops", .make = make_loops },
	{ .name = "a loop of many inputs", .make = make_views },
	{ .name = "many Variables", .make = make_variables },
	{ .name = "many parts", .make = make_parts },
};
static const struct shape *shape;

static uint64_t cost_of_calls(uint32_t nodes)
{
	struct maker maker = { .stride = shape->stride ? shape->stride : 1, .good = true };
	struct nn_device *device;

	if (nn_device_open("host", &device, NULL))
		exit(1);
	blocks = 0;
	maker.graph = create();
	shape->make(&maker, nodes);
	CHECK(maker.good);
	cost_of_plan(maker.graph, device, shape->step);
	nn_device_close(device);
	return blocks;
}

static uint64_t cost_of_text(uint32_t nodes)
{
	struct maker maker = { .stride = shape->stride ? shape->stride : 1 };
	uint64_t cost;
	char *data;
	size_t size;

	maker.text = open_memstream(&data, &size);
	if (!maker.text)
		exit(1);
	shape->make(&maker, nodes);
	fclose(maker.text);
	cost = cost_of_import(data, size, shape->step);
	free(data);
	return cost;
}

static uint32_t onnx_shape;

static uint64_t cost_of_onnx(uint32_t nodes)
{
	size_t size;
	char *data = write_onnx(onnx_shape, nodes, &size);
	uint64_t cost;

	if (onnx_shape < onnx_refused_shape)
		cost = cost_of_import(data, size, 0);
	else
		cost = cost_of_refusal(data, size);
	free(data);
	return cost;
}

/* Every second operator is one that there is not, each another one. */
static uint64_t cost_of_unknown(uint32_t nodes)
{
	uint64_t cost;
	char *data;
	size_t size;
	FILE *text = open_memstream(&data, &size);

	if (!text)
		exit(1);
	fprintf(text, "1 Input\n");
	for (uint32_t i = 2; i < nodes; i += 2)
		fprintf(text, "%u Op%u %u:0\n%u Nop %u:0\n", i, i, i - 1, i + 1, i);
	fclose(text);
	cost = cost_of_refusal(data, size);
	free(data);
	return cost;
}

static void compare_costs(uint64_t (*cost)(uint32_t nodes), const char *how)
{
	uint32_t nodes = tap_all() ? 10000 : 4000;
	uint64_t small = cost(nodes), large = cost(5 * nodes);
	double times = (double)large / (double)small;

	printf("# %u nodes %s: %llu basic blocks; %u: %llu, %.2f times as many\n", nodes, how,
	       (unsigned long long)small, 5 * nodes, (unsigned long long)large, times);
	CHECK(small > nodes * 20);
	CHECK(times > 4 && times <= MOST_TIMES);
}

static void test_shape(void)
{
	compare_costs(cost_of_calls, "by calls");
	compare_costs(cost_of_text, "of text");
}

static void test_unknown(void)
{
	compare_costs(cost_of_unknown, "of text");
}

static void test_onnx_shape(void)
{
	compare_costs(cost_of_onnx, "of ONNX");
}

int main(void)
{
	for (shape = shapes; shape < shapes + sizeof(shapes) / sizeof(*shapes); shape++)
		tap_run(shape->name, test_shape);
	tap_run("unknown operators", test_unknown);
	for (onnx_shape = 0; onnx_shapes[onnx_shape]; onnx_shape++)
		tap_run(onnx_shapes[onnx_shape], test_onnx_shape);
	return tap_end();
}
