// SPDX-License-Identifier: MIT
/* Nodes and tensors of a model: which node makes and reads what. */
#include <stdlib.h>
#include <string.h>

#include "quantize/quantizer.h"

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

uint32_t quantizer_find(const struct nn_quantizer *quantizer, const char *name)
{
	uint32_t low = 0, high = quantizer->tensor_count;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;
		int order = strcmp(quantizer->tensors[middle].name, name);

		if (!order)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NO_TENSOR;
}

struct quantizer_tensor *quantizer_tensor(const struct nn_quantizer *quantizer, uint32_t tensor)
{
	return tensor == NO_TENSOR ? NULL : &quantizer->tensors[tensor];
}

struct quantizer_tensor *quantizer_input(const struct nn_quantizer *quantizer,
					 const struct quantizer_node *node, size_t i)
{
	return i < node->proto->n_input ? quantizer_tensor(quantizer, node->inputs[i]) : NULL;
}

struct quantizer_node *quantizer_maker(const struct nn_quantizer *quantizer,
				       const struct quantizer_node *node, size_t i)
{
	const struct quantizer_tensor *tensor = quantizer_input(quantizer, node, i);

	return tensor ? tensor->producer : NULL;
}

const char *quantizer_node_name(const struct quantizer_node *node)
{
	if (node->proto->name && *node->proto->name)
		return node->proto->name;
	return node->proto->n_output ? node->proto->output[0] : "";
}

/* All names, each once, in order. */
static int list_tensors(struct nn_quantizer *quantizer, const Onnx__GraphProto *graph)
{
	size_t room = graph->n_input + graph->n_initializer, count = 0;
	const char **names;

	for (size_t i = 0; i < graph->n_node; i++)
		room += graph->node[i]->n_input + graph->node[i]->n_output;
	names = nn_pool_array(&quantizer->pool, room + 1, sizeof(*names));
	quantizer->tensors = nn_pool_array(&quantizer->pool, room + 1, sizeof(*quantizer->tensors));
	if (!names || !quantizer->tensors)
		return quantizer_no_memory(quantizer);
	for (size_t i = 0; i < graph->n_input; i++)
		names[count++] = graph->input[i]->name;
	for (size_t i = 0; i < graph->n_initializer; i++)
		names[count++] = graph->initializer[i]->name;
	for (size_t i = 0; i < graph->n_node; i++) {
		for (size_t k = 0; k < graph->node[i]->n_input; k++)
			names[count++] = graph->node[i]->input[k];
		for (size_t k = 0; k < graph->node[i]->n_output; k++)
			names[count++] = graph->node[i]->output[k];
	}
	qsort(names, count, sizeof(*names), compare_names);
	for (size_t i = 0; i < count; i++) {
		if (*names[i] && (!i || strcmp(names[i], names[i - 1])))
			quantizer->tensors[quantizer->tensor_count++].name = names[i];
	}
	return 0;
}

static bool is_float_info(const Onnx__ValueInfoProto *info)
{
	return info->type && info->type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE &&
	       info->type->tensor_type->elem_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
}

/* Takes note of tensors that no node of the graph makes, and of outputs. */
static void mark_given(struct nn_quantizer *quantizer, const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_initializer; i++) {
		struct quantizer_tensor *tensor =
			&quantizer->tensors[quantizer_find(quantizer, graph->initializer[i]->name)];

		tensor->constant = graph->initializer[i];
		tensor->is_known = true;
	}
	for (size_t i = 0; i < graph->n_input; i++) {
		struct quantizer_tensor *tensor =
			&quantizer->tensors[quantizer_find(quantizer, graph->input[i]->name)];

		tensor->is_float = is_float_info(graph->input[i]);
	}
	for (size_t i = 0; i < graph->n_output; i++) {
		const char *name = graph->output[i]->name;
		uint32_t tensor = name ? quantizer_find(quantizer, name) : NO_TENSOR;

		if (tensor != NO_TENSOR)
			quantizer->tensors[tensor].is_output = true;
	}
}

/* Whether a node makes floats, by what it reads. */
static void mark_made(struct nn_quantizer *quantizer, struct quantizer_node *node)
{
	const Onnx__NodeProto *proto = node->proto;
	bool is_known = true, is_float = false;

	for (size_t k = 0; k < proto->n_input; k++) {
		struct quantizer_tensor *tensor;

		if (node->inputs[k] == NO_TENSOR)
			continue;
		tensor = &quantizer->tensors[node->inputs[k]];
		tensor->reader_count++;
		is_known &= tensor->is_known;
		is_float |= tensor->is_float;
	}
	for (size_t k = 0; k < proto->n_output; k++) {
		struct quantizer_tensor *tensor;

		if (node->outputs[k] == NO_TENSOR)
			continue;
		tensor = &quantizer->tensors[node->outputs[k]];
		tensor->producer = node;
		/* Nothing is quantized whose type is not known: results of graphs in nodes, indices. */
		tensor->is_float = is_float && !k && !quantizer_makes_no_float(proto);
		if (is_float && !strcmp(proto->op_type, "Split"))
			tensor->is_float = true;
		tensor->is_known = is_known && proto->n_input;
	}
}

static void mark_captured(struct nn_quantizer *quantizer, const Onnx__NodeProto *node)
{
	bool has_graph = false;

	for (size_t i = 0; i < node->n_attribute; i++)
		has_graph |= !!node->attribute[i]->g;
	for (uint32_t i = 0; has_graph && i < quantizer->tensor_count; i++)
		quantizer->tensors[i].is_captured |=
			quantizer_captures(node, quantizer->tensors[i].name);
}

static uint32_t *find_all(struct nn_quantizer *quantizer, char **names, size_t count)
{
	uint32_t *found = nn_pool_array(&quantizer->pool, count + 1, sizeof(*found));

	for (size_t i = 0; i < count && found; i++)
		found[i] = *names[i] ? quantizer_find(quantizer, names[i]) : NO_TENSOR;
	return found;
}

int quantizer_index(struct nn_quantizer *quantizer)
{
	Onnx__GraphProto *graph = quantizer->model->graph;
	int err = list_tensors(quantizer, graph);

	if (err)
		return err;
	mark_given(quantizer, graph);
	quantizer->nodes = nn_pool_array(&quantizer->pool, graph->n_node + 1, sizeof(*quantizer->nodes));
	if (!quantizer->nodes)
		return quantizer_no_memory(quantizer);
	for (size_t i = 0; i < graph->n_node; i++) {
		struct quantizer_node *node = &quantizer->nodes[i];

		node->proto = graph->node[i];
		node->role = quantizer_find_role(node->proto);
		node->inputs = find_all(quantizer, node->proto->input, node->proto->n_input);
		node->outputs = find_all(quantizer, node->proto->output, node->proto->n_output);
		if (!node->inputs || !node->outputs)
			return quantizer_no_memory(quantizer);
		mark_made(quantizer, node);
		mark_captured(quantizer, node->proto);
	}
	quantizer->node_count = graph->n_node;
	quantizer_find_channels(quantizer);
	return 0;
}
