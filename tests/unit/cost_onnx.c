// SPDX-License-Identifier: MIT
/* ONNX models of many nodes, written field by field. */
#include "cost.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "onnx_writer.h"

/* Names with a number, a few of which are alive at the same time. */
static const char *numbered(const char *prefix, uint32_t number)
{
	static char names[8][48];
	static uint32_t next;
	char *name = names[next++ % 8];

	snprintf(name, sizeof(names[0]), "/block/%s_%" PRIu32, prefix, number);
	return name;
}

/* The tensors' dimensions: N x 8. */
static const uint32_t bytes[] = { 0, 8 };

/* ---- Shapes */

/* Real operators, each rounded at once. */
static void make_chain(struct message *graph, uint32_t nodes)
{
	uint32_t i;

	put_node(graph, "Identity", numbered("q", 0), "x", NULL);
	for (i = 0; 3 * i < nodes; i++) {
		put_node(graph, "DequantizeLinear", numbered("d", i), numbered("q", i), "scale",
			 NULL);
		put_node(graph, "Add", numbered("a", i), numbered("d", i), numbered("d", i), NULL);
		put_node(graph, "QuantizeLinear", numbered("q", i + 1), numbered("a", i), "scale",
			 NULL);
	}
	put_info(graph, GRAPH_OUTPUT, numbered("q", i), 2, bytes);
}

/* Each rounded with a scale of its own. */
static void make_scales(struct message *graph, uint32_t nodes)
{
	uint32_t i;

	put_node(graph, "Identity", numbered("q", 0), "x", NULL);
	put_float(graph, numbered("s", 0), 1);
	for (i = 0; 3 * i < nodes; i++) {
		put_node(graph, "DequantizeLinear", numbered("d", i), numbered("q", i),
			 numbered("s", i), NULL);
		put_float(graph, numbered("s", i + 1), i % 2 ? 0.5f : 1);
		put_node(graph, "Add", numbered("a", i), numbered("d", i), numbered("d", i), NULL);
		put_node(graph, "QuantizeLinear", numbered("q", i + 1), numbered("a", i),
			 numbered("s", i + 1), NULL);
	}
	put_info(graph, GRAPH_OUTPUT, numbered("q", i), 2, bytes);
}

static void make_outputs(struct message *graph, uint32_t nodes)
{
	put_node(graph, "DequantizeLinear", "d", "x", "scale", NULL);
	for (uint32_t i = 0; 2 * i < nodes; i++) {
		put_node(graph, "Add", numbered("a", i), "d", "d", NULL);
		put_node(graph, "QuantizeLinear", numbered("q", i), numbered("a", i), "scale",
			 NULL);
		put_info(graph, GRAPH_OUTPUT, numbered("q", i), 2, bytes);
	}
}

/* A sum that only the last of many readers rounds, and that all the others move. */
static void make_readers(struct message *graph, uint32_t nodes)
{
	put_node(graph, "DequantizeLinear", "d", "x", "scale", NULL);
	put_node(graph, "Add", "sum", "d", "d", NULL);
	for (uint32_t i = 0; i < nodes; i++)
		put_node(graph, "Flatten", numbered("f", i), "sum", NULL);
	put_node(graph, "QuantizeLinear", "q", "sum", "scale", NULL);
	put_info(graph, GRAPH_OUTPUT, "q", 2, bytes);
}

static void make_weights(struct message *graph, uint32_t nodes)
{
	static const uint32_t square[] = { 8, 8 };
	static const int8_t weights[64] = { 1 };
	uint32_t i;

	put_node(graph, "Identity", numbered("q", 0), "x", NULL);
	for (i = 0; 4 * i < nodes; i++) {
		put_constant(graph, numbered("w", i), ELEMENT_INT8, 2, square, weights,
			     sizeof(weights));
		put_node(graph, "DequantizeLinear", numbered("d", i), numbered("q", i), "scale",
			 NULL);
		put_node(graph, "DequantizeLinear", numbered("v", i), numbered("w", i), "scale",
			 "zero", NULL);
		put_node(graph, "MatMul", numbered("a", i), numbered("d", i), numbered("v", i),
			 NULL);
		put_node(graph, "QuantizeLinear", numbered("q", i + 1), numbered("a", i), "scale",
			 NULL);
	}
	put_info(graph, GRAPH_OUTPUT, numbered("q", i), 2, bytes);
}

/* Operators that there are not, each another one. */
static void make_unknown(struct message *graph, uint32_t nodes)
{
	put_node(graph, "Identity", numbered("q", 0), "x", NULL);
	for (uint32_t i = 0; i < nodes; i++)
		put_node(graph, numbered("Op", i), numbered("q", i + 1), numbered("q", i), NULL);
	put_info(graph, GRAPH_OUTPUT, numbered("q", nodes), 2, bytes);
}

/* A product that cannot be made, as its last weight shows, and that is asked for often. Its
 * weights could stay as they are if they all had one zero point. */
static void make_wrong_weight(struct message *graph, uint32_t nodes)
{
	int8_t *weights = malloc(8 * (size_t)nodes), *low = malloc(nodes);
	float *scales = malloc(nodes * sizeof(*scales));
	uint32_t i;

	if (!weights || !low || !scales)
		exit(1);
	memset(weights, -1, 8 * (size_t)nodes); /* 127 steps from -128 */
	weights[8 * (size_t)nodes - 1] = 0;
	memset(low, INT8_MIN, nodes);
	low[0] = 0;
	for (i = 0; i < nodes; i++)
		scales[i] = 1;
	put_constant(graph, "w", ELEMENT_INT8, 2, (const uint32_t[]){ 8, nodes }, weights,
		     8 * (size_t)nodes);
	put_constant(graph, "low", ELEMENT_INT8, 1, &nodes, low, nodes);
	put_constant(graph, "scales", ELEMENT_FLOAT, 1, &nodes, scales, nodes * sizeof(*scales));
	put_node(graph, "DequantizeLinear", "d", "x", "scale", NULL);
	put_node(graph, "DequantizeLinear", "v", "w", "scales", "low", NULL);
	put_node(graph, "MatMul", "sum", "d", "v", NULL);
	for (i = 0; 2 * i < nodes; i++) {
		put_node(graph, "Relu", numbered("r", i), "sum", NULL);
		put_node(graph, "QuantizeLinear", numbered("q", i), numbered("r", i), "scale",
			 NULL);
	}
	put_info(graph, GRAPH_OUTPUT, numbered("q", 0), 2, bytes);
	free(scales);
	free(low);
	free(weights);
}

const char *const onnx_shapes[] = {
	"ONNX: a chain", "ONNX: many scales", "ONNX: many outputs", "ONNX: many readers",
	"ONNX: many weights", "ONNX: unknown operators", "ONNX: a wrong weight", NULL,
};
const uint32_t onnx_refused_shape = 5;

static void (*const makers[])(struct message *graph, uint32_t nodes) = {
	make_chain, make_scales, make_outputs, make_readers, make_weights, make_unknown,
	make_wrong_weight,
};

char *write_onnx(uint32_t shape, uint32_t nodes, size_t *size)
{
	struct message graph;

	begin(&graph);
	put_info(&graph, GRAPH_INPUT, "x", 2, bytes);
	put_float(&graph, "scale", 1);
	put_constant(&graph, "zero", ELEMENT_INT8, 0, NULL, "", 1);
	makers[shape](&graph, nodes);
	return end_model(&graph, size);
}
