// SPDX-License-Identifier: MIT
/* The writer of ONNX models for tests (onnx_writer.h). */
#include "onnx_writer.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Fields of the format, by message. */
enum {
	MODEL_VERSION = 1, MODEL_GRAPH = 7, MODEL_OPSET = 8,
	OPSET_DOMAIN = 1, OPSET_VERSION = 2,
	GRAPH_NODE = 1, GRAPH_INITIALIZER = 5,
	NODE_INPUT = 1, NODE_OUTPUT = 2, NODE_OP = 4, NODE_ATTRIBUTE = 5,
	ATTRIBUTE_NAME = 1, ATTRIBUTE_INT = 3, ATTRIBUTE_INTS = 8, ATTRIBUTE_TYPE = 20,
	TYPE_INT = 2, TYPE_INTS = 7,
	TENSOR_DIM = 1, TENSOR_TYPE = 2, TENSOR_NAME = 8, TENSOR_DATA = 9,
	INFO_NAME = 1, INFO_TYPE = 2,
	TYPE_TENSOR = 1, TENSOR_ELEMENT = 1, TENSOR_SHAPE = 2, SHAPE_DIM = 1, DIM_VALUE = 1,
};

/* ---- Writing */

void begin(struct message *message)
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

void put_number(struct message *message, uint32_t field, uint64_t value)
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

void put_string(struct message *message, uint32_t field, const char *string)
{
	put_bytes(message, field, string, strlen(string));
}

void put_message(struct message *message, uint32_t field, struct message *inner)
{
	fclose(inner->stream);
	put_bytes(message, field, inner->data, inner->size);
	free(inner->data);
}

/* ---- Parts of a model */

void put_constant(struct message *graph, const char *name, uint32_t type, uint32_t rank,
		  const uint32_t *dims, const void *data, size_t size)
{
	struct message tensor;

	begin(&tensor);
	for (uint32_t i = 0; i < rank; i++)
		put_number(&tensor, TENSOR_DIM, dims[i]);
	put_number(&tensor, TENSOR_TYPE, type);
	put_string(&tensor, TENSOR_NAME, name);
	put_bytes(&tensor, TENSOR_DATA, data, size);
	put_message(graph, GRAPH_INITIALIZER, &tensor);
}

void put_float(struct message *graph, const char *name, float value)
{
	put_constant(graph, name, ELEMENT_FLOAT, 0, NULL, &value, sizeof(value));
}

void put_info(struct message *graph, uint32_t field, const char *name, uint32_t rank,
	      const uint32_t *dims)
{
	struct message info, type, tensor, shape, dim;

	begin(&shape);
	for (uint32_t i = 0; i < rank; i++) {
		begin(&dim);
		if (dims[i])
			put_number(&dim, DIM_VALUE, dims[i]);
		put_message(&shape, SHAPE_DIM, &dim);
	}
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

static void put_operands(struct message *node, const char *op, const char *output, va_list inputs)
{
	const char *input;

	while ((input = va_arg(inputs, const char *)))
		put_string(node, NODE_INPUT, input);
	put_string(node, NODE_OUTPUT, output);
	put_string(node, NODE_OP, op);
}

void put_node(struct message *graph, const char *op, const char *output, ...)
{
	struct message node;
	va_list inputs;

	begin(&node);
	va_start(inputs, output);
	put_operands(&node, op, output, inputs);
	va_end(inputs);
	put_message(graph, GRAPH_NODE, &node);
}

void put_node_with(struct message *graph, const char *op, const char *name, uint32_t count,
		   const int64_t *values, const char *output, ...)
{
	struct message node, attribute;
	va_list inputs;

	begin(&node);
	va_start(inputs, output);
	put_operands(&node, op, output, inputs);
	va_end(inputs);
	begin(&attribute);
	put_string(&attribute, ATTRIBUTE_NAME, name);
	for (uint32_t i = 0; i < count; i++)
		put_number(&attribute, ATTRIBUTE_INTS, values[i]);
	if (!count)
		put_number(&attribute, ATTRIBUTE_INT, *values);
	put_number(&attribute, ATTRIBUTE_TYPE, count ? TYPE_INTS : TYPE_INT);
	put_message(&node, NODE_ATTRIBUTE, &attribute);
	put_message(graph, GRAPH_NODE, &node);
}

char *end_model(struct message *graph, size_t *size)
{
	struct message model, opset;

	begin(&opset);
	put_string(&opset, OPSET_DOMAIN, "");
	put_number(&opset, OPSET_VERSION, 13);
	begin(&model);
	put_number(&model, MODEL_VERSION, 8);
	put_message(&model, MODEL_OPSET, &opset);
	put_message(&model, MODEL_GRAPH, graph);
	fclose(model.stream);
	*size = model.size;
	return model.data;
}
