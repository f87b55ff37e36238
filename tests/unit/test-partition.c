// SPDX-License-Identifier: MIT
/*
 * Partitions, order and Sink of random graphs, against their definition: a node's partition is the
 * number of loop-control nodes upstream of it, itself included; nodes are in order of partition,
 * and within one as they were appended; the Sink has every tensor, once, that is used in a higher
 * partition than the one that makes it. "Upstream" is worked out here from the edges alone, as the
 * closure of the relation, for all pairs of nodes.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "nn_graph.h"
#include "tap.h"

#define GRAPHS		12000
#define MAX_NODES	48
#define MAX_INPUTS	6
#define MAX_OUTPUTS	3
#define MAX_LCNS	4

enum kind { INPUT, CONST, NOP, LCN, OUTPUT };

struct node {
	enum kind kind;
	uint32_t id;
	unsigned int inputs, outputs;
	unsigned int source[MAX_INPUTS], index[MAX_INPUTS];	/* positions in the list */
	uint64_t upstream;		/* bit i: node i is upstream, or this one itself */
	unsigned int partition;
};

static struct node nodes[MAX_NODES];
static unsigned int node_count;
static uint32_t seed;
static unsigned int verdicts[4];	/* how many graphs were good, or wrong in each way */

static uint32_t draw(uint32_t below)
{
	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

/* ---- Random graphs ---- */

static void add_input(struct node *node, unsigned int source)
{
	node->source[node->inputs] = source;
	node->index[node->inputs] = draw(nodes[source].outputs);
	node->inputs++;
}

/* Mostly graphs with loops that are nested as they should be; now and then anything. */
static void make_nodes(void)
{
	unsigned int i, j, last_lcn = 0, loops = draw(6), wild = draw(4) == 0;
	unsigned int length = 3 + draw(MAX_NODES - 4);

	memset(nodes, 0, sizeof(nodes));
	node_count = length;
	for (i = 0; i < length; i++) {
		struct node *node = &nodes[i];

		do {
			node->id = 1 + draw(1000);
			for (j = 0; j < i && nodes[j].id != node->id; j++)
				;
		} while (j < i);
		node->outputs = 1 + draw(MAX_OUTPUTS);
		if (i == 0 || draw(12) == 0) {
			node->kind = i && draw(2) ? CONST : INPUT;
			node->outputs = node->kind == CONST ? 1 : node->outputs;
			continue;
		}
		node->kind = NOP;
		if (loops && draw(length) < 2 * loops)
			node->kind = LCN;
		for (j = 1 + draw(MAX_INPUTS - 1); j > 0; j--)
			add_input(node, draw(i));
		if (node->kind == LCN) {
			if (last_lcn && !(wild && draw(2)))
				add_input(node, last_lcn + draw(i - last_lcn));
			if (last_lcn && draw(8))
				node->source[0] = last_lcn, node->index[0] = 0;
			last_lcn = i;
		}
	}
	/* OUTPUT at the end, or now and then before: nothing reads it. */
	i = draw(10) ? length - 1 : 1 + draw(length - 1);
	for (j = i + 1; j < length; j++)
		if (nodes[j].source[0] == i || nodes[j].source[1] == i || nodes[j].source[2] == i ||
		    nodes[j].source[3] == i || nodes[j].source[4] == i || nodes[j].source[5] == i)
			i = length - 1;
	nodes[i].kind = OUTPUT;
	nodes[i].outputs = 0;
	if (!nodes[i].inputs)
		add_input(&nodes[i], draw(i));
	if (last_lcn && last_lcn < i && draw(8)) {
		nodes[i].source[0] = last_lcn;
		nodes[i].index[0] = 0;
	}
}

/* ---- The definition ---- */

static void find_upstream(void)
{
	unsigned int i, j, k;

	for (i = 0; i < node_count; i++) {
		nodes[i].upstream = 1ull << i;
		for (j = 0; j < nodes[i].inputs; j++)
			nodes[i].upstream |= 1ull << nodes[i].source[j];
	}
	for (k = 0; k < node_count; k++)
		for (i = 0; i < node_count; i++)
			if (nodes[i].upstream & 1ull << k)
				nodes[i].upstream |= nodes[k].upstream;
	for (i = 0; i < node_count; i++)
		for (j = 0; j < node_count; j++)
			if (nodes[j].kind == LCN && nodes[i].upstream & 1ull << j)
				nodes[i].partition++;
}

/* The node that prepare has to complain of, or NULL. */
static struct node *find_fault(void)
{
	struct node *previous = NULL, *output = NULL;
	unsigned int i, lcns = 0;

	for (i = 0; i < node_count; i++) {
		if (nodes[i].kind == OUTPUT)
			output = &nodes[i];
		if (nodes[i].kind != LCN)
			continue;
		if (previous && !(nodes[i].upstream & 1ull << (previous - nodes))) {
			verdicts[1]++;
			return &nodes[i];
		}
		if (lcns == MAX_LCNS) {
			verdicts[2]++;
			return &nodes[i];
		}
		lcns++;
		previous = &nodes[i];
	}
	if (output->partition != lcns) {
		verdicts[3]++;
		return output;
	}
	verdicts[0]++;
	return NULL;
}

/* ---- The library ---- */

static int lcn_check(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	struct nn_tensor_info info = { .type = NN_INT8, .rank = 1, .dims = { 1 } };
	uint32_t i;
	int err = 0;

	(void)graph;
	(void)opaque;
	for (i = 0; i < nn_node_get_output_count(self) && !err; i++)
		err = nn_node_set_output(self, i, &info, NN_LEVEL_OWN);
	return err;
}

static int lcn_execute(struct nn_graph *graph, struct nn_node *self, void *opaque)
{
	(void)opaque;
	return nn_loopstack_push(graph, self, 1, 1);
}

static const struct nn_node_ops lcn_ops = {
	.name = "Lcn",
	.flags = NN_NODE_FLAG_LCN,
	.check = lcn_check,
	.execute = lcn_execute,
};

static struct nn_graph *build(void)
{
	static const char *const names[] = { "Input", "Const", "Nop", "Lcn", "OUTPUT" };
	struct nn_tensor_info infos[MAX_OUTPUTS];
	struct nn_input inputs[MAX_INPUTS];
	struct nn_graph *graph;
	unsigned int i, j;

	if (nn_graph_create(&graph) || nn_graph_register_op(graph, &lcn_ops, NULL))
		exit(1);
	for (i = 0; i < MAX_OUTPUTS; i++)
		infos[i] = (struct nn_tensor_info){ .type = NN_INT8, .rank = 1, .dims = { 1 } };
	for (i = 0; i < node_count; i++) {
		const struct node *node = &nodes[i];
		struct nn_attr outputs = { .name = "outputs",
					   .type = NN_ATTR_INT,
					   .i = node->outputs };
		struct nn_node_desc desc = {
			.id = node->id,
			.op = names[node->kind],
			.inputs = inputs,
			.input_count = node->inputs,
			.attrs = &outputs,
			.attr_count = node->kind == NOP || node->kind == LCN,
		};

		if (node->kind == INPUT || node->kind == CONST) {
			desc.outputs = infos;
			desc.output_count = node->outputs;
		}
		if (node->kind == CONST) {
			desc.data = "x";
			desc.data_size = 1;
		}
		for (j = 0; j < node->inputs; j++)
			inputs[j] = (struct nn_input){ nodes[node->source[j]].id, node->index[j] };
		if (nn_graph_append(graph, &desc)) {
			printf("# append: node %u: %s\n", node->id, nn_graph_error(graph)->text);
			CHECK(!"append");
		}
	}
	return graph;
}

static bool check_order(struct nn_graph *graph)
{
	unsigned int partition, i, at = 0;
	struct nn_plan_node got;

	for (partition = 0; partition <= MAX_LCNS; partition++)
		for (i = 0; i < node_count; i++) {
			if (nodes[i].kind == CONST || nodes[i].partition != partition)
				continue;
			if (nn_graph_get_plan_node(graph, at++, &got) || got.id != nodes[i].id ||
			    got.partition != partition)
				return false;
		}
	return nn_graph_get_plan_node(graph, at, &got) == -ENOENT;
}

static bool check_sink(struct nn_graph *graph)
{
	bool wanted[MAX_NODES][MAX_OUTPUTS] = { { false } };
	unsigned int i, j, want = 0;
	struct nn_plan_info info;
	struct nn_input got;

	for (i = 0; i < node_count; i++)
		for (j = 0; j < nodes[i].inputs; j++) {
			unsigned int source = nodes[i].source[j];

			if (nodes[source].kind == CONST ||
			    nodes[source].partition >= nodes[i].partition)
				continue;
			want += !wanted[source][nodes[i].index[j]];
			wanted[source][nodes[i].index[j]] = true;
		}
	if (nn_graph_get_plan(graph, &info) || info.sink_count != want || !info.sink_id != !want)
		return false;
	for (i = 0; i < want; i++) {
		if (nn_graph_get_plan_sink(graph, i, &got))
			return false;
		for (j = 0; j < node_count && nodes[j].id != got.src_id; j++)
			;
		/* Each is taken off the list, so that a repeated one is not found again. */
		if (j == node_count || got.output_idx >= MAX_OUTPUTS || !wanted[j][got.output_idx])
			return false;
		wanted[j][got.output_idx] = false;
	}
	return nn_graph_get_plan_sink(graph, want, &got) == -ENOENT;
}

static void check_graph(unsigned int number)
{
	struct nn_prepare_options options = { .flags = NN_PREPARE_NO_OPTIMIZE };
	struct nn_graph *graph;
	struct node *fault;
	int err;

	seed = number;
	make_nodes();
	find_upstream();
	fault = find_fault();
	graph = build();
	err = nn_graph_prepare(graph, NULL, &options);
	if (fault)
		CHECK(err == -EINVAL && nn_graph_error(graph)->node == fault->id);
	else if (CHECK(!err))
		CHECK(check_order(graph) && check_sink(graph));
	if (!tap_good)
		printf("# graph %u: %s\n", number, nn_graph_error(graph)->text);
	nn_graph_destroy(graph);
}

static void test_random_graphs(void)
{
	unsigned int i;

	for (i = 0; i < GRAPHS && tap_good; i++)
		check_graph(i);
	printf("# %u graphs: %u good, %u parallel loops, %u too many loops, %u OUTPUT outside\n", i,
	       verdicts[0], verdicts[1], verdicts[2], verdicts[3]);
	for (i = 0; i < 4; i++)
		CHECK(verdicts[i] >= GRAPHS / 100);
}

int main(void)
{
	tap_run("partition, order and Sink of random graphs are what the definition says",
		test_random_graphs);
	return tap_end();
}
