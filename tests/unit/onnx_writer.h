/* SPDX-License-Identifier: MIT */
/* Writes ONNX models, field by field, as large as a test wants them. */
#ifndef ONNX_WRITER_H
#define ONNX_WRITER_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Types of a tensor's elements. */
enum { ELEMENT_FLOAT = 1, ELEMENT_UINT8 = 2, ELEMENT_INT8 = 3, ELEMENT_INT32 = 6 };

/* Fields of a graph for put_info(). */
enum { GRAPH_INPUT = 11, GRAPH_OUTPUT = 12 };

/* A message that is being written: a graph, or a part of one. */
struct message {
	FILE *stream;
	char *data;
	size_t size;
};

void begin(struct message *message);
void put_number(struct message *message, uint32_t field, uint64_t value);
void put_string(struct message *message, uint32_t field, const char *string);
/* The inner message is complete, and gone. */
void put_message(struct message *message, uint32_t field, struct message *inner);

/* A constant of a graph; of rank 0, one element. */
void put_constant(struct message *graph, const char *name, uint32_t type, uint32_t rank,
		  const uint32_t *dims, const void *data, size_t size);
void put_float(struct message *graph, const char *name, float value);
/* An input or output of unsigned bytes; a dimension of 0 is not known. */
void put_info(struct message *graph, uint32_t field, const char *name, uint32_t rank,
	      const uint32_t *dims);
/* A node with one output, and the inputs that follow, up to a NULL. */
void put_node(struct message *graph, const char *op, const char *output, ...);
/* The same with one attribute: a number, or `count` of them. */
void put_node_with(struct message *graph, const char *op, const char *name, uint32_t count,
		   const int64_t *values, const char *output, ...);
/* The model of a graph, of opset 13, which the caller frees. The graph is gone. */
char *end_model(struct message *graph, size_t *size);

#endif
