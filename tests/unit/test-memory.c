// SPDX-License-Identifier: MIT
/*
 * The memory plan: no tensor is overwritten while it is still needed, whatever the loops do.
 *
 * Random graphs with up to three loops are executed. Their nodes are `Mix`, an operator of this
 * test that hashes its inputs and the loop counts on the host, Concat on the device, and Nop, which
 * is only another name. The expected hashes come from an evaluation that gives every tensor memory
 * of its own.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nn_graph.h"
#include "libnnloop/plan/plan.h"
#include "tap.h"

#define GRAPHS		1500
#define MAX_NODES	40
#define MAX_INPUTS	4
#define MAX_WIDTH	600
#define LOOPS		3

enum kind { INPUT, LCN, MIX, CONCAT, NOP, KINDS };

struct node {
	enum kind kind;
	unsigned int inputs, source[MAX_INPUTS], partition, width;
	uint8_t data[MAX_WIDTH];
};

static struct node nodes[MAX_NODES];
static unsigned int node_count, loop_count;
static uint32_t seed, expected, got;

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

/* ---- Random graphs: all tensors are one row ---- */

/* A Nop of an LCN's output counts rows, too. */
static bool counts_rows(unsigned int i)
{
	while (nodes[i].kind == NOP)
		i = nodes[i].source[0];
	return nodes[i].kind == LCN;
}

static void make_nodes(void)
{
	unsigned int i, j, last_lcn = 0, wanted_loops = draw(LOOPS + 1);

	memset(nodes, 0, sizeof(nodes));
	node_count = 8 + draw(MAX_NODES - 8);
	loop_count = 0;
	for (i = 0; i < node_count; i++) {
		struct node *node = &nodes[i];

		node->width = 1 + draw(200);
		if (i < 2)
			continue;
		node->kind = MIX + draw(3);
		if (loop_count < wanted_loops && draw(6) == 0)
			node->kind = LCN;
		node->inputs = node->kind == MIX || node->kind == CONCAT ? 1 + draw(MAX_INPUTS) : 1;
		for (j = 0; j < node->inputs; j++) {
			/* Old tensors as often as new ones. */
			node->source[j] = draw(2) ? draw(i) : i - 1 - draw(i < 4 ? i : 4);
			/* What counts the rows of a loop is of another level than what Mix makes.
			 */
			while (node->kind == CONCAT && counts_rows(node->source[j]))
				node->source[j]--;
		}
		if (node->kind == LCN && last_lcn)
			node->source[0] = last_lcn;
		if (node->kind == CONCAT)
			for (j = 0, node->width = 0; j < node->inputs; j++)
				node->width += nodes[node->source[j]].width;
		if (node->kind == LCN || node->kind == NOP)
			node->width = nodes[node->source[0]].width;
		if (node->width > MAX_WIDTH) {
			node->kind = MIX;
			node->width = 1 + draw(200);
		}
		for (j = 0; j < node->inputs; j++)
			if (nodes[node->source[j]].partition > node->partition)
				node->partition = nodes[node->source[j]].partition;
		if (node->kind == LCN) {
			node->partition = ++loop_count;
			last_lcn = i;
		}
	}
}

static uint32_t hash(uint32_t value, const uint8_t *data, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		value = (value ^ data[i]) * 16777619;
	return value;
}

static void fill(uint8_t *data, unsigned int width, uint32_t value)
{
	unsigned int i;

	for (i = 0; i < width; i++)
		data[i] = (uint8_t)((value = value * 1664525 + 1013904223) >> 24);
}

/* ---- The evaluation ---- */

static void evaluate(unsigned int partition, uint32_t rows_before)
{
	unsigned int i, j, at;
	uint32_t value, iteration;

	for (i = 0; i < node_count; i++) {
		struct node *node = &nodes[i];

		if (node->partition != partition || node->kind == INPUT)
			continue;
		if (node->kind == MIX) {
			value = rows_before;
			for (j = 0; j < node->inputs; j++)
				value = hash(value, nodes[node->source[j]].data,
					     nodes[node->source[j]].width);
			fill(node->data, node->width, value);
			expected = (expected ^ value) * 16777619;
			continue;
		}
		for (j = 0, at = 0; j < node->inputs; j++) {
			memcpy(node->data + at, nodes[node->source[j]].data,
			       nodes[node->source[j]].width);
			at += nodes[node->source[j]].width;
		}
	}
	/* Each loop goes round twice, one row at a time, and counts go on over the loops around it.
	 */
	static uint32_t outer[LOOPS + 1];

	if (!partition)
		memset(outer, 0, sizeof(outer));
	if (partition == loop_count)
		return;
	for (iteration = 0; iteration < 2; iteration++)
		evaluate(partition + 1, outer[partition + 1] + iteration + 1);
	outer[partition + 1] += 2;
}

/* ---- The operator ---- */

static int mix_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor_info info = { .type = NN_UINT8, .rank = 2, .dims = { 1, 1 } };

	(void)graph;
	(void)opaque;
	info.dims[1] = (uint32_t)nn_node_get_attr_int(self, "width", 1);
	return nn_node_set_output(self, 0, &info, 0);
}

static int mix_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	const struct nn_loopcounts *counts = nn_loopstack_get_counts(graph);
	uint32_t i, value = 0;
	struct nn_tensor tensor;

	(void)opaque;
	if (counts->current_batches && nn_node_get_attr_int(self, "partition", 0))
		value = counts->prev_batches + counts->prev_outer_batches + 1;
	for (i = 0; i < nn_node_get_input_count(self); i++) {
		if (nn_node_get_input(self, i, &tensor))
			return -1;
		value = hash(value, tensor.data, tensor.info.dims[1]);
	}
	if (nn_node_get_output(self, 0, &tensor))
		return -1;
	fill(tensor.data, tensor.info.dims[1], value);
	got = (got ^ value) * 16777619;
	return 0;
}

static const struct nn_node_ops mix_ops = {
	.name = "Mix",
	.check = mix_check,
	.execute = mix_execute,
};

/* ---- Comparing ---- */

static struct nn_graph *build(void)
{
	static char text[16384];
	size_t used = 0;
	struct nn_graph *graph;
	unsigned int i, j, last = 0;

	for (i = 0; i < node_count; i++) {
		const struct node *node = &nodes[i];
		static const char *const names[] = { "Input", "CountLoop", "Mix", "Concat", "Nop" };

		used += (size_t)snprintf(text + used, sizeof(text) - used, "%u %s", i + 1,
					 names[node->kind]);
		for (j = 0; j < node->inputs; j++)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %u:0",
						 node->source[j] + 1);
		if (node->kind == INPUT)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " shape=1,%u",
						 node->width);
		if (node->kind == MIX)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 " width=%u partition=%u", node->width,
						 node->partition);
		if (node->kind == LCN)
			used += (size_t)snprintf(text + used, sizeof(text) - used,
						 " current=1 total=2");
		used += (size_t)snprintf(text + used, sizeof(text) - used, "\n");
		if (node->partition == loop_count && !counts_rows(i))
			last = i;
	}
	used += (size_t)snprintf(text + used, sizeof(text) - used, "%u OUTPUT", node_count + 1);
	for (i = 0; i < node_count; i++)
		if (i == last || (nodes[i].partition && nodes[i].kind == LCN) || draw(6) == 0)
			used += (size_t)snprintf(text + used, sizeof(text) - used, " %u:0", i + 1);
	snprintf(text + used, sizeof(text) - used, "\n");

	if (nn_graph_create(&graph) || nn_graph_register_op(graph, &mix_ops, NULL))
		exit(1);
	if (!CHECK(!nn_graph_import_text(graph, text, strlen(text))))
		printf("# %s\n%s", nn_graph_error(graph)->text, text);
	return graph;
}

static void check_outputs(struct nn_graph *graph, const struct nn_buffer *outputs)
{
	const struct nn_node *output = graph->plan->output;
	unsigned int i;

	for (i = 0; i < output->input_count; i++) {
		unsigned int which = output->inputs[i]->node->id - 1;

		/* The last of a loop's rows is what the last iteration made. */
		CHECK(outputs[i].rows >= 1);
		CHECK(!memcmp((uint8_t *)outputs[i].data +
				      (outputs[i].rows - 1) * nodes[which].width,
			      nodes[which].data, nodes[which].width));
	}
}

/* Tensors in the arena, for the count below. */
static unsigned int shared, alone;

static void count_sharing(const struct nn_graph *graph)
{
	const struct nn_plan *plan = graph->plan;
	uint64_t sum = 0;
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++)
		for (j = 0; j < plan->nodes[i]->output_count; j++)
			if (plan->nodes[i]->outputs[j].storage == NN_STORAGE_ARENA)
				sum += (nn_info_bytes(&plan->nodes[i]->outputs[j].info) + 127) &
				       ~127ull;
	if (plan->arena_bytes < sum)
		shared++;
	else
		alone++;
}

static void check_graph(struct nn_device *device, unsigned int number)
{
	struct nn_prepare_options options = { .flags = number % 2 ? NN_PREPARE_NO_OPTIMIZE : 0 };
	struct nn_buffer inputs[MAX_NODES] = { 0 }, outputs[MAX_NODES] = { 0 };
	uint32_t i, input_count = 0, output_count;
	struct nn_graph *graph;

	seed = number * 31 + 7;
	make_nodes();
	for (i = 0; i < node_count; i++)
		if (nodes[i].kind == INPUT) {
			fill(nodes[i].data, nodes[i].width, draw(1 << 20));
			inputs[input_count].data = nodes[i].data;
			inputs[input_count++].size = nodes[i].width;
		}
	graph = build();
	if (!CHECK(!nn_graph_prepare(graph, device, &options))) {
		printf("# graph %u: node %u: %s\n", number, nn_graph_error(graph)->node,
		       nn_graph_error(graph)->text);
		goto out;
	}
	count_sharing(graph);
	output_count = nn_graph_get_output_count(graph);
	for (i = 0; i < output_count; i++) {
		outputs[i].size = 16 * MAX_WIDTH;
		outputs[i].data = calloc(1, outputs[i].size);
	}
	expected = 0;
	got = 0;
	if (!CHECK(!nn_graph_execute(graph, inputs, input_count, outputs, output_count)))
		printf("# %s\n", nn_graph_error(graph)->text);
	evaluate(0, 0);
	/* Without dead nodes there are fewer hashes; the outputs tell all the same. */
	if (options.flags)
		CHECK(got == expected);
	check_outputs(graph, outputs);
	for (i = 0; i < output_count; i++)
		free(outputs[i].data);
	if (!tap_good)
		printf("# in graph %u\n", number);
out:
	nn_graph_destroy(graph);
}

static void test_random_graphs(void)
{
	struct nn_device *device;
	unsigned int i;

	if (!CHECK(!nn_device_open("host", &device, NULL)))
		return;
	for (i = 0; i < GRAPHS && tap_good; i++)
		check_graph(device, i);
	nn_device_close(device);
	printf("# %u graphs; in %u of them tensors share memory\n", i, shared);
	CHECK(shared > GRAPHS / 2);
}

int main(void)
{
	tap_run("no tensor is overwritten while it is needed", test_random_graphs);
	return tap_end();
}
