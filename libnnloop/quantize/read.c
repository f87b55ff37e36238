// SPDX-License-Identifier: MIT
/*
 * Reads a float model. The importer has read it before, so the file is sound: what is nested how
 * deeply, what occurs how often, and where data in other files is, has been checked.
 *
 * In the model that comes of it constants are in one place, and have their data in the file:
 * Constant nodes have become initializers, and no initializer is an input.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "import/folder.h"
#include "import/options.h"
#include "quantize/quantizer.h"

#define SHOWN 100 /* characters of names in messages */

/* ---- Looking at nodes ---- */

bool quantizer_is_ours(const Onnx__NodeProto *node)
{
	return !node->domain || !*node->domain || !strcmp(node->domain, "ai.onnx");
}

const Onnx__AttributeProto *quantizer_attribute(const Onnx__NodeProto *node, const char *name)
{
	for (size_t i = 0; i < node->n_attribute; i++) {
		if (node->attribute[i]->name && !strcmp(node->attribute[i]->name, name))
			return node->attribute[i];
	}
	return NULL;
}

int64_t quantizer_attribute_int(const Onnx__NodeProto *node, const char *name, int64_t otherwise)
{
	const Onnx__AttributeProto *attribute = quantizer_attribute(node, name);

	return attribute ? attribute->i : otherwise;
}

bool quantizer_attribute_is(const Onnx__NodeProto *node, const char *name, const char *string,
			    const char *otherwise)
{
	const Onnx__AttributeProto *attribute = quantizer_attribute(node, name);

	if (!attribute)
		return !strcmp(otherwise, string);
	return attribute->s.len == strlen(string) && !memcmp(attribute->s.data, string, attribute->s.len);
}

/* Whether a graph reads a name; it may also make one of that name, which is as good. */
static bool graph_reads(const Onnx__GraphProto *graph, const char *name)
{
	for (size_t i = 0; i < graph->n_node; i++) {
		const Onnx__NodeProto *node = graph->node[i];

		for (size_t k = 0; k < node->n_input; k++) {
			if (!strcmp(node->input[k], name))
				return true;
		}
		if (quantizer_captures(node, name))
			return true;
	}
	for (size_t i = 0; i < graph->n_output; i++) {
		if (graph->output[i]->name && !strcmp(graph->output[i]->name, name))
			return true;
	}
	return false;
}

bool quantizer_captures(const Onnx__NodeProto *node, const char *name)
{
	for (size_t i = 0; i < node->n_attribute; i++) {
		if (node->attribute[i]->g && graph_reads(node->attribute[i]->g, name))
			return true;
	}
	return false;
}

char *quantizer_new_name(struct nn_quantizer *quantizer, struct nn_pool *pool, const char *name,
			 const char *behind)
{
	size_t length = strlen(name) + strlen(behind);
	char *made = nn_pool_alloc(pool, length + 32);

	if (!made)
		return NULL;
	strcpy(made, name);
	strcat(made, behind);
	/* Few models have such names. */
	while (quantizer_find(quantizer, made) != NO_TENSOR && length < strlen(name) + strlen(behind) + 30)
		made[length++] = '_';
	return made;
}

/* ---- Constants ---- */

/* Puts data that is in another file in the tensor. */
static int embed(struct nn_quantizer *quantizer, struct nn_folder *folder, Onnx__TensorProto *tensor)
{
	uint64_t offset = 0, length = 0;
	const char *location = NULL;
	const void *data;
	size_t size;
	int err;

	if (!tensor->n_external_data)
		return 0;
	for (size_t i = 0; i < tensor->n_external_data; i++) {
		const Onnx__StringStringEntryProto *entry = tensor->external_data[i];

		if (!strcmp(entry->key, "location"))
			location = entry->value;
		else if (!strcmp(entry->key, "offset"))
			offset = strtoull(entry->value, NULL, 10);
		else if (!strcmp(entry->key, "length"))
			length = strtoull(entry->value, NULL, 10);
	}
	err = location ? nn_folder_get(folder, location, &data, &size) : -EINVAL;
	if (!err && offset > size)
		err = -EINVAL;
	if (err)
		return quantizer_fail(quantizer, err, "the data of a constant cannot be read: %s",
				      strerror(-err));
	if (!length)
		length = size - offset;
	if (length > size - offset)
		return quantizer_fail(quantizer, -EINVAL, "the data of a constant ends before it should");
	tensor->has_raw_data = true;
	tensor->raw_data.len = length;
	tensor->raw_data.data = nn_pool_copy(&quantizer->pool, (const uint8_t *)data + offset, length);
	tensor->n_external_data = 0;
	tensor->has_data_location = false;
	return tensor->raw_data.data ? 0 : quantizer_no_memory(quantizer);
}

/* The tensor that a Constant node is; NULL: it is one of strings, or no memory. */
static Onnx__TensorProto *constant_of(struct nn_pool *pool, const Onnx__NodeProto *node)
{
	const Onnx__AttributeProto *attribute = node->n_attribute == 1 ? node->attribute[0] : NULL;
	const char *name = attribute && attribute->name ? attribute->name : "";
	int64_t count;

	if (!strcmp(name, "value") && attribute->t) {
		attribute->t->name = node->output[0];
		return attribute->t;
	}
	if (!strcmp(name, "value_float"))
		return quantizer_constant_new(pool, node->output[0],
					      ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 0, &count,
					      &attribute->f);
	if (!strcmp(name, "value_int"))
		return quantizer_constant_new(pool, node->output[0],
					      ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 0, &count,
					      &attribute->i);
	if (!strcmp(name, "value_floats")) {
		count = attribute->n_floats;
		return quantizer_constant_new(pool, node->output[0],
					      ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, 1, &count,
					      attribute->floats);
	}
	if (!strcmp(name, "value_ints")) {
		count = attribute->n_ints;
		return quantizer_constant_new(pool, node->output[0],
					      ONNX__TENSOR_PROTO__DATA_TYPE__INT64, 1, &count,
					      attribute->ints);
	}
	return NULL;
}

static bool is_listed(void *const *constants, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++) {
		if (!strcmp(((Onnx__TensorProto *)constants[i])->name, name))
			return true;
	}
	return false;
}

/* Constant nodes become initializers, and initializers are no inputs. */
static int gather_constants(struct nn_quantizer *quantizer, Onnx__GraphProto *graph)
{
	struct quantizer_list list = { (void **)graph->initializer, graph->n_initializer,
				       graph->n_initializer };
	size_t given = list.count, kept = 0;

	for (size_t i = 0; i < graph->n_input; i++) {
		if (!is_listed(list.items, given, graph->input[i]->name))
			graph->input[kept++] = graph->input[i];
	}
	graph->n_input = kept;
	kept = 0;
	for (size_t i = 0; i < graph->n_node; i++) {
		Onnx__NodeProto *node = graph->node[i];
		Onnx__TensorProto *constant = NULL;

		if (quantizer_is_ours(node) && !strcmp(node->op_type, "Constant") && node->n_output)
			constant = constant_of(&quantizer->pool, node);
		if (!constant)
			graph->node[kept++] = node;
		else if (!quantizer_push(&quantizer->pool, &list, constant))
			return quantizer_no_memory(quantizer);
	}
	graph->n_node = kept;
	graph->initializer = (Onnx__TensorProto **)list.items;
	graph->n_initializer = list.count;
	return 0;
}

/* ---- Checks ---- */

/* Strings that are absent are NULL, which nothing that compares them takes. */
static void fill_strings(Onnx__GraphProto *graph)
{
	static char none[1] = "";

	for (size_t i = 0; i < graph->n_node; i++) {
		if (!graph->node[i]->op_type)
			graph->node[i]->op_type = none;
	}
	for (size_t i = 0; i < graph->n_initializer; i++) {
		if (!graph->initializer[i]->name)
			graph->initializer[i]->name = none;
	}
	for (size_t i = 0; i < graph->n_input; i++) {
		if (!graph->input[i]->name)
			graph->input[i]->name = none;
	}
}

/* One that quantizes something is no float model. */
static int check_float(struct nn_quantizer *quantizer, const Onnx__GraphProto *graph)
{
	static const char *const begins[] = { "QuantizeLinear", "QLinear", "DequantizeLinear", "QGemm",
					      "DynamicQuantize", "MatMulInteger", "ConvInteger" };

	for (size_t i = 0; i < graph->n_node; i++) {
		for (size_t k = 0; k < sizeof(begins) / sizeof(*begins); k++) {
			char quoted[SHOWN + 8];

			if (strncmp(graph->node[i]->op_type, begins[k], strlen(begins[k])))
				continue;
			nn_error_quote(quoted, SHOWN, graph->node[i]->op_type);
			return quantizer_fail(quantizer, -EEXIST,
					      "the model is quantized already: it has %s; take the float model that it was made from",
					      quoted);
		}
	}
	return 0;
}

static void *pool_alloc(void *data, size_t size)
{
	return nn_pool_alloc(data, size);
}

static void pool_free(void *data, void *pointer)
{
	(void)data;
	(void)pointer;
}

static int unpack(struct nn_quantizer *quantizer, struct nn_folder *folder, const void *data,
		  size_t size)
{
	ProtobufCAllocator allocator = { pool_alloc, pool_free, &quantizer->pool };
	Onnx__ModelProto *model = onnx__model_proto__unpack(&allocator, size, data);
	int err = 0;

	if (!model || !model->graph)
		return quantizer_no_memory(quantizer);
	fill_strings(model->graph);
	for (size_t i = 0; i < model->graph->n_initializer && !err; i++)
		err = embed(quantizer, folder, model->graph->initializer[i]);
	if (!err)
		err = check_float(quantizer, model->graph);
	if (!err)
		err = gather_constants(quantizer, model->graph);
	if (!err)
		quantizer->model = model;
	return err;
}

static int read_onnx(struct nn_quantizer *quantizer, const char *path)
{
	struct nn_folder *folder;
	const char *failed;
	const void *data;
	size_t size;
	int err = nn_folder_open(path, &folder, &data, &size, &failed);

	if (err)
		return quantizer_fail(quantizer, err, "cannot %s the file: %s", failed, strerror(-err));
	err = unpack(quantizer, folder, data, size);
	if (!err && quantizer_has_branches(quantizer)) {
		struct nn_model_source source = { .data = data, .size = size, .folder = folder };
		uint8_t *unfolded = NULL;

		err = quantizer_unfold(quantizer, &source, &unfolded, &size);
		if (!err && unfolded)
			err = unpack(quantizer, folder, unfolded, size);
		if (!err && unfolded)
			err = quantizer_drop_unread(quantizer);
		free(unfolded);
	}
	if (!err && nn_folder_is_changed(folder))
		err = quantizer_fail(quantizer, -EBUSY, "the file, or one beside it, was changed while it was read");
	nn_folder_close(folder);
	return err ? err : quantizer_raise_opset(quantizer);
}

int quantizer_read(struct nn_quantizer *quantizer, const char *path, enum nn_model_format format)
{
	int err = format == NN_MODEL_TFLITE ? quantizer_read_tflite(quantizer, path) :
					      read_onnx(quantizer, path);

	if (!err)
		err = quantizer_fold(quantizer);
	if (!err)
		err = quantizer_find_normalizations(quantizer);
	if (!err)
		err = quantizer_index(quantizer);
	return err ? err : quantizer_find_pairs(quantizer);
}
