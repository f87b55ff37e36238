// SPDX-License-Identifier: MIT
/* A plan for other programs: JSON, and dot, the language of graphviz. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "nnloop.h"

const char *plan_decided_on(const struct nn_plan_node *node)
{
	return node->decided_on == NN_DECIDED_ON_DEVICE ? " on the device" :
	       node->decided_on == NN_DECIDED_ON_HOST	? " on the host" : "";
}

/* Prints where a loop or condition is decided, if data decide about it. */
static void print_json_decided(const struct nn_plan_node *node, bool is_tree)
{
	if (!node->decided_on)
		return;
	if (!is_tree)
		printf(", \"most_iterations\": %" PRIu64, node->most_iterations);
	printf(", \"decided_on\": \"%s\"",
	       node->decided_on == NN_DECIDED_ON_DEVICE ? "device" : "host");
}

static void print_json_makes(const struct nn_graph *graph, uint32_t index, uint32_t count)
{
	printf("\"outputs\": [");
	for (uint32_t i = 0; i < count; i++) {
		struct nn_tensor_info info;

		if (nn_graph_get_plan_output(graph, index, i, &info))
			continue;
		printf("%s{", i ? ", " : "");
		print_json_tensor(&info, NULL);
		printf(", \"level\": %u}", info.level);
	}
	printf("]");
}

/* Prints what the graph takes and gives. */
static void print_json_ends(const struct nn_graph *graph, bool known)
{
	uint32_t count = nn_graph_get_input_count(graph);
	struct nn_tensor_info info;

	printf("\"inputs\": [");
	for (uint32_t i = 0; i < count && !nn_graph_get_input_info(graph, i, &info); i++) {
		printf("%s\n  {", i ? "," : "");
		print_json_tensor(&info, info.dims[0] == NN_VARIABLE ? "null" : NULL);
		printf("}");
	}
	count = nn_graph_get_output_count(graph);
	printf("\n],\n\"outputs\": [");
	for (uint32_t i = 0; i < count && !nn_graph_get_output_info(graph, i, &info); i++) {
		printf("%s\n  {", i ? "," : "");
		print_json_tensor(&info, !known && info.dims[0] == NN_VARIABLE ? "null" : NULL);
		printf("}");
	}
	printf("\n],\n");
}

static void print_json_count(const char *name, uint64_t count, bool known, const char *end)
{
	if (known)
		printf("\"%s\": %" PRIu64 "%s", name, count, end);
	else
		printf("\"%s\": null%s", name, end);
}

int plan_print_json(struct nn_graph *graph, bool verbose)
{
	static const char *const places[] = { "nowhere", "device", "cpu" };
	struct nn_plan_info plan;
	struct nn_input tensor;
	bool known = !plan_unknown(graph);

	(void)verbose;
	if (nn_graph_get_plan(graph, &plan))
		return fail_graph(graph);
	printf("{\n");
	print_json_ends(graph, known);
	printf("\"nodes\": [");
	for (uint32_t i = 0; i < plan.node_count; i++) {
		struct nn_plan_node node;

		if (nn_graph_get_plan_node(graph, i, &node))
			return fail_graph(graph);
		printf("%s\n  {\"id\": %u, \"op\": ", i ? "," : "", node.id);
		print_json_string(stdout, node.op);
		printf(", \"name\": ");
		print_json_string(stdout, node.name);
		if (plan.is_tree)
			printf(", \"loop\": %u, \"most_iterations\": %" PRIu64 ", \"static\": %s",
			       node.loop, node.most_iterations,
			       node.flags & NN_NODE_FLAG_STATIC ? "true" : "false");
		print_json_decided(&node, plan.is_tree);
		printf(", \"partition\": %u, \"runs_on\": \"%s\", \"part\": %u, \"lcn\": %s, \"view\": %s, \"portable\": %s, \"inputs\": [",
		       node.partition, places[node.runs_on], node.part,
		       node.flags & NN_NODE_FLAG_LCN ? "true" : "false",
		       node.flags & NN_NODE_FLAG_VIEW ? "true" : "false",
		       node.flags & NN_NODE_FLAG_PORTABLE ? "true" : "false");
		for (uint32_t k = 0; k < node.input_count; k++) {
			if (nn_graph_get_plan_input(graph, i, k, &tensor))
				return fail_graph(graph);
			printf("%s\"%u:%u\"", k ? ", " : "", tensor.src_id, tensor.output_idx);
		}
		printf("], ");
		print_json_makes(graph, i, node.output_count);
		printf("}");
	}
	printf("\n],\n\"sink\": [");
	for (uint32_t i = 0; i < plan.sink_count; i++) {
		if (nn_graph_get_plan_sink(graph, i, &tensor))
			return fail_graph(graph);
		printf("%s\"%u:%u\"", i ? ", " : "", tensor.src_id, tensor.output_idx);
	}
	printf("],\n\"partitions\": %u, \"programs\": %u, ", plan.partition_count,
	       plan.program_count);
	print_json_count("passes", plan.pass_count, known, ",\n");
	print_json_count("arena_bytes", plan.arena_bytes, true, ", ");
	print_json_count("arena_bytes_unlooped", plan.arena_bytes_unlooped, known, ", ");
	print_json_count("constant_bytes", plan.constant_bytes, true, ",\n");
	printf("\"streams\": %u, \"max_streams\": %u, ", plan.stream_count, plan.max_streams);
	print_json_count("stream_bytes", plan.stream_bytes, true, ", ");
	printf("\"workers\": %u,\n", plan.worker_count);
	print_json_count("input_bytes", plan.input_bytes, true, ", ");
	print_json_count("output_bytes", plan.output_bytes, known, ", ");
	print_json_count("bytes_moved", plan.bytes_moved, true, "\n}\n");
	return 0;
}

static int compare_ids(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

/* Edges between nodes; constants have none. `ids`: of all nodes, sorted. */
static int print_dot_edges(const struct nn_graph *graph, const struct nn_plan_info *plan,
			   const uint32_t *ids)
{
	struct nn_input tensor;

	for (uint32_t i = 0; i < plan->node_count; i++) {
		struct nn_plan_node node;

		if (nn_graph_get_plan_node(graph, i, &node))
			return fail_graph(graph);
		for (uint32_t k = 0; k < node.input_count; k++) {
			if (nn_graph_get_plan_input(graph, i, k, &tensor))
				return fail_graph(graph);
			if (bsearch(&tensor.src_id, ids, plan->node_count, sizeof(*ids),
				    compare_ids))
				printf("\tn%u -> n%u;\n", tensor.src_id, node.id);
		}
	}
	for (uint32_t i = 0; i < plan->sink_count; i++) {
		if (nn_graph_get_plan_sink(graph, i, &tensor))
			return fail_graph(graph);
		printf("\tn%u -> sink [style=dashed, label=\"%u:%u\"];\n", tensor.src_id,
		       tensor.src_id, tensor.output_idx);
	}
	return 0;
}

/* Ends the boxes of loops that a node is not in, and begins that of one which it opens. */
static void print_dot_loops(const struct nn_plan_node *node, uint32_t *loops, uint32_t *depth)
{
	while (*depth > node->level ||
	       (*depth && *depth == node->level && loops[*depth - 1] != node->loop)) {
		printf("\t}\n");
		--*depth;
	}
	if (*depth == node->level)
		return;
	printf("\tsubgraph cluster_%u {\n\t\tlabel=\"loop of node %u\";\n", node->loop, node->loop);
	loops[(*depth)++] = node->loop;
}

/* A line more for a loop or condition that data decide about. */
static void print_dot_decided(const struct nn_plan_node *node)
{
	if (!node->decided_on)
		return;
	if (node->most_iterations)
		printf("\\nat most %" PRIu64 " iteration%s,", node->most_iterations,
		       node->most_iterations == 1 ? "" : "s");
	else
		printf("\\ndecided");
	printf("%s", plan_decided_on(node));
}

/*
 * A box for each partition, or in a tree for each loop, its LCN first; the Sink's edges dashed, and what only is a view; grey
 * what a DSP runs in portable C.
 */
int plan_print_dot(struct nn_graph *graph, bool verbose)
{
	struct nn_plan_info plan;
	uint32_t partition = ~0u, depth = 0;
	uint32_t loops[NN_MAX_LOOPSTACK];
	uint32_t *ids;
	int status;

	(void)verbose;
	if (nn_graph_get_plan(graph, &plan))
		return fail_graph(graph);
	ids = calloc(plan.node_count + 1, sizeof(*ids));
	if (!ids)
		return fail("out of memory");
	printf("digraph nnloop {\n\tnode [shape=box, fontname=\"sans-serif\"];\n");
	/* In execution order, partitions follow one after the other. */
	for (uint32_t i = 0; i < plan.node_count; i++) {
		struct nn_plan_node node;

		if (nn_graph_get_plan_node(graph, i, &node))
			break;
		ids[i] = node.id;
		if (plan.is_tree) {
			print_dot_loops(&node, loops, &depth);
		} else if (node.partition != partition) {
			printf("%s\tsubgraph cluster_%u {\n\t\tlabel=\"partition %u\";\n",
			       i ? "\t}\n" : "", node.partition, node.partition);
			partition = node.partition;
		}
		printf("\t\tn%u [label=\"%u %s", node.id, node.id, node.op);
		print_dot_decided(&node);
		printf("\"%s];\n",
		       node.flags & NN_NODE_FLAG_LCN	  ? ", shape=house, style=bold" :
		       node.flags & NN_NODE_FLAG_VIEW	  ? ", style=dashed" :
		       node.flags & NN_NODE_FLAG_PORTABLE ? ", style=filled, fillcolor=grey" : "");
	}
	while (depth) {
		printf("\t}\n");
		depth--;
	}
	printf("%s", plan.node_count && !plan.is_tree ? "\t}\n" : "");
	if (plan.sink_count)
		printf("\tsink [label=\"Sink\", shape=cylinder];\n");
	qsort(ids, plan.node_count, sizeof(*ids), compare_ids);
	status = print_dot_edges(graph, &plan, ids);
	free(ids);
	if (!status)
		printf("}\n");
	return status;
}
