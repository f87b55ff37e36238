// SPDX-License-Identifier: MIT
/* ONNX models of many nodes, written field by field. */
#include "cost.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Fields of the format, by message. */
enum {
	MODEL_VERSION = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8,
	OPSET_DOMAIN = 1, OPSET_VERSION = 2,
	GRAPH_NODE = 1, GRAPH_INITIALIZER = 5, GRAPH_INPUT = 11, GRAPH_OUTPUT = 12,
	NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP = 4,
	TENSOR_DIM = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_DATA = 9,
	INFO_NAME = 1, INFO_TYPE = 2,
	TYPE_TENSOR = 1, TENSOR_ELEMENT = 1, TENSOR_SHAPE = 2, SHAPE_DIM = 1, DIM_VALUE = 1,
};

enum { ELEMENT_FLOAT = 1, ELEMENT_UINT8 = 2, ELEMENT_INT8 = 3 };

/* ---- Writing */

/* A message; its bytes are complete when it is closed. */
struct message {
	FILE *stream;
	char *data;
	size_t size;
};

static void begin(struct message *message)
{
	message->stream = open_memstream(&message->data, &message->size);
	if (!message->stream)
		exit(1);
}

static void put_varint(struct message *message, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		fputc((int)(value & 0x7f) | 0x80, message->stream);
	fputc((int)value, message->stream);
}

static void put_number(struct message *message, uint32_t field, uint64_t value)
{
	put_varint(message, field << 3);
	put_varint(message, value);
}

static void put_bytes(struct message *message, uint32_t field, const void *data, size_t size)
{
	put_varint(message, field << 3 | 2);
	put_varint(message, size);
	fwrite(data, 1, size, message->stream);
}

static void put_string(struct message *message, uint32_t field, const char *string)
{
	put_bytes(message, field, string, strlen(string));
}

/* The inner message is complete, and gone. */
static void put_message(struct message *message, uint32_t field, struct message *inner)
{
	fclose(inner->stream);
	put_bytes(message, field, inner->data, inner->size);
	free(inner->data);
}

/* ---- Parts of a model */

/* A tensor of one dimension, or two. */
static void put_constant(struct message *graph, const char *name, uint32_t type, uint32_t rows,
			 uint32_t columns, const void *data, size_t size)
{
	struct message tensor;

	begin(&tensor);
	if (rows)
		put_number(&tensor, TENSOR_DIM, rows);
	if (columns)
		put_number(&tensor, TENSOR_DIM, columns);
	put_number(&tensor, TENSOR_TYPE, type);
	put_string(&tensor, TENSOR_NAME, name);
	put_bytes(&tensor, TENSOR_DATA, data, size);
	put_message(graph, GRAPH_INITIALIZER, &tensor);
}

static void put_float(struct message *graph, const char *name, float value)
{
	put_constant(graph, name, ELEMENT_FLOAT, 0, 0, &value, sizeof(value));
}

/* A tensor of bytes, N x 8. */
static void put_info(struct message *graph, uint32_t field, const char *name)
{
	struct message info, type, tensor, shape, dim;

	begin(&shape);
	begin(&dim);
	put_message(&shape, SHAPE_DIM, &dim);
	begin(&dim);
	put_number(&dim, DIM_VALUE, 8);
	put_message(&shape, SHAPE_DIM, &dim);
	begin(&tensor);
	put_number(&tensor, TENSOR_ELEMENT, ELEMENT_UINT8);
	put_message(&tensor, TENSOR_SHAPE, &shape);
	begin(&type);
	put_message(&type, TYPE_TENSOR, &tensor);
	begin(&info);
	put_string(&info, INFO_NAME, name);
	put_message(&info, INFO_TYPE, &type);
	put_message(graph, field, &info);
}

/* A node of one output, "PREFIX NUMBER", and the inputs that follow, up to a NULL. */
static void put_node(struct message *graph, const char *op, const char *output, ...)
{
	struct message node;
	const char *input;
	va_list inputs;

	begin(&node);
	va_start(inputs, output);
	while ((input = va_arg(inputs, const char *)))
		put_string(&node, NODE_INPUT, input);
	va_end(inputs);
	put_string(&node, NODE_OUTPUT, output);
	put_string(&node, NODE_OP, op);
	put_message(graph, GRAPH_NODE, &node);
}

/* Names with a number, a few of which are alive at the same time. */
static const char *numbered(const char *prefix, uint32_t number)
{
	static char names[8][48];
	static uint32_t next;
	char *name = names[next++ % 8];

	snprintf(name, sizeof(names[0]), "/block/%s_%" PRIu32, prefix, number);
	return name;
}

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
	put_info(graph, GRAPH_OUTPUT, numbered("q", i));
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
	put_info(graph, GRAPH_OUTPUT, numbered("q", i));
}

static void make_outputs(struct message *graph, uint32_t nodes)
{
	put_node(graph, "DequantizeLinear", "d", "x", "scale", NULL);
	for (uint32_t i = 0; 2 * i < nodes; i++) {
		put_node(graph, "Add", numbered("a", i), "d", "d", NULL);
		put_node(graph, "QuantizeLinear", numbered("q", i), numbered("a", i), "scale",
			 NULL);
		put_info(graph, GRAPH_OUTPUT, numbered("q", i));
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
	put_info(graph, GRAPH_OUTPUT, "q");
}

static void make_weights(struct message *graph, uint32_t nodes)
{
	static const int8_t weights[64] = { 1 };
	uint32_t i;

	put_node(graph, "Identity", numbered("q", 0), "x", NULL);
	for (i = 0; 4 * i < nodes; i++) {
		put_constant(graph, numbered("w", i), ELEMENT_INT8, 8, 8, weights, sizeof(weights));
		put_node(graph, "DequantizeLinear", numbered("d", i), numbered("q", i), "scale",
			 NULL);
		put_node(graph, "DequantizeLinear", numbered("v", i), numbered("w", i), "scale",
			 "zero", NULL);
		put_node(graph, "MatMul", numbered("a", i), numbered("d", i), numbered("v", i),
			 NULL);
		put_node(graph, "QuantizeLinear", numbered("q", i + 1), numbered("a", i), "scale",
			 NULL);
	}
	put_info(graph, GRAPH_OUTPUT, numbered("q", i));
}

const char *const onnx_shapes[] = {
	"ONNX: a chain", "ONNX: many scales", "ONNX: many outputs", "ONNX: many readers",
	"ONNX: many weights", NULL,
};

static void (*const makers[])(struct message *graph, uint32_t nodes) = {
	make_chain, make_scales, make_outputs, make_readers, make_weights,
};

char *write_onnx(uint32_t shape, uint32_t nodes, size_t *size)
{
	struct message model, graph, opset;

	begin(&graph);
	put_info(&graph, GRAPH_INPUT, "x");
	put_float(&graph, "scale", 1);
	put_constant(&graph, "zero", ELEMENT_INT8, 0, 0, "", 1);
	makers[shape](&graph, nodes);
	begin(&opset);
	put_string(&opset, OPSET_DOMAIN, "");
	put_number(&opset, OPSET_VERSION, 13);
	begin(&model);
	put_number(&model, MODEL_VERSION, 8);
	put_message(&model, MODEL_OPSET, &opset);
	put_message(&model, MODEL_GRAPH, &graph);
	fclose(model.stream);
	*size = model.size;
	return model.data;
}
