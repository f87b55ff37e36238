/* SPDX-License-Identifier: MIT */
/*
 * Helpers of the tests of the ONNX importer: models read, changed, and imported from a copy of
 * exactly their size.
 */
#ifndef ONNX_MODEL_H
#define ONNX_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nn_graph.h"
#include "libnnloop/import/onnx/onnx.h"

static unsigned int count, failures;

static inline void result(bool good, const char *name, const char *detail)
{
	count++;
	failures += !good;
	printf("%sok %u %s\n", good ? "" : "not ", count, name);
	if (!good)
		printf("# %s\n", detail);
}

struct bytes {
	uint8_t *data;
	size_t size;
};

static inline struct bytes read_file(const char *path)
{
	struct bytes bytes = { 0 };
	FILE *stream = fopen(path, "rb");
	long size;

	if (!stream || fseek(stream, 0, SEEK_END) || (size = ftell(stream)) < 0 ||
	    fseek(stream, 0, SEEK_SET)) {
		printf("Bail out! cannot read %s\n", path);
		exit(1);
	}
	bytes.data = malloc(size + 1);
	bytes.size = fread(bytes.data, 1, size, stream);
	fclose(stream);
	return bytes;
}

/* Imports a copy of exactly that size, so that a read past its end is found. The error's text goes
 * to `text`. */
static inline int import(const uint8_t *data, size_t size, char text[512])
{
	uint8_t *copy = malloc(size);
	struct nn_graph *graph;
	int err;

	if (size)
		memcpy(copy, data, size);
	if (nn_graph_create(&graph))
		exit(1);
	err = nn_graph_import_onnx(graph, copy, size);
	snprintf(text, 512, "%s", nn_graph_error(graph)->text);
	if (err && nn_graph_get_input_count(graph))
		snprintf(text, 512, "the graph is not empty after a failed import");
	nn_graph_destroy(graph);
	free(copy);
	return err;
}

static inline bool is_sentence(const char *text)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < length; i++) {
		if (text[i] < ' ' || text[i] > '~')
			return false;
	}
	return length > 10;
}

/* ---- Models that are changed ---- */

static inline const Onnx__NodeProto *find(const Onnx__ModelProto *model, const char *op)
{
	for (size_t i = 0; i < model->graph->n_node; i++) {
		if (!strcmp(model->graph->node[i]->op_type, op))
			return model->graph->node[i];
	}
	printf("Bail out! no %s in the model\n", op);
	exit(1);
}

static inline Onnx__TensorProto *find_tensor(const Onnx__ModelProto *model, const char *name)
{
	for (size_t i = 0; i < model->graph->n_initializer; i++) {
		if (!strcmp(model->graph->initializer[i]->name, name))
			return model->graph->initializer[i];
	}
	printf("Bail out! no tensor %s in the model\n", name);
	exit(1);
}

static inline Onnx__AttributeProto *find_attr(const Onnx__NodeProto *node, const char *name)
{
	for (size_t i = 0; i < node->n_attribute; i++) {
		if (!strcmp(node->attribute[i]->name, name))
			return node->attribute[i];
	}
	printf("Bail out! no attribute %s in the model\n", name);
	exit(1);
}

/* A changed string is put in place and forgotten: the model is packed and dropped right after. */
static inline void set(char **string, const char *value)
{
	*string = (char *)(uintptr_t)value;
}

/* A model of tests/models/ops with something changed, and how it is refused; or that it is not. */
struct onnx_change {
	const char *name, *model;
	void (*change)(Onnx__ModelProto *model);
	int code;
	const char *says; /* NULL: nothing, with code 0 */
};

/* Unpacked models live in a pool: changes put strings into them that must not be freed one by
 * one. */
static inline void *pool_alloc(void *pool, size_t size)
{
	return nn_pool_alloc(pool, size);
}

static inline void pool_free(void *pool, void *memory)
{
	(void)pool;
	(void)memory;
}

static inline void onnx_test_change(const struct onnx_change *change)
{
	struct nn_pool pool = { 0 };
	ProtobufCAllocator allocator = { pool_alloc, pool_free, &pool };
	char path[256], detail[600], text[512] = "";
	Onnx__ModelProto *model;
	struct bytes bytes;
	uint8_t *packed;
	size_t size;
	int err;

	snprintf(path, sizeof(path), MODELS_DIR "ops/%s.onnx", change->model);
	bytes = read_file(path);
	model = onnx__model_proto__unpack(&allocator, bytes.size, bytes.data);
	if (!model) {
		printf("Bail out! cannot unpack %s\n", path);
		exit(1);
	}
	change->change(model);
	size = onnx__model_proto__get_packed_size(model);
	packed = malloc(size);
	onnx__model_proto__pack(model, packed);
	err = import(packed, size, text);
	snprintf(detail, sizeof(detail), "%d %s", err, text);
	result(err == change->code && (!err || is_sentence(text)) &&
		       (!change->says || strstr(text, change->says)),
	       change->name, detail);
	nn_pool_free(&pool);
	free(packed);
	free(bytes.data);
}

#endif
