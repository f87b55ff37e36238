// SPDX-License-Identifier: MIT
/*
 * Branches of a model's Ifs that are always taken, because of what somebody says of an input or of its
 * shape: the quantizer works on the model with these in the places of the Ifs, for only the nodes of
 * the model itself are quantized.
 */
#include <stdlib.h>
#include <string.h>

#include "import/import.h"
#include "quantize/quantizer.h"

bool quantizer_has_branches(const struct nn_quantizer *quantizer)
{
	const Onnx__GraphProto *graph = quantizer->model->graph;

	for (size_t i = 0; i < graph->n_node; i++) {
		if (quantizer_is_ours(graph->node[i]) && !strcmp(graph->node[i]->op_type, "If"))
			return true;
	}
	return false;
}

int quantizer_unfold(struct nn_quantizer *quantizer, const struct nn_model_source *from,
		     uint8_t **bytes, size_t *size)
{
	struct nn_model_source source = *from;
	struct nn_graph *graph;
	int err;

	source.options = &quantizer->options;
	if (nn_graph_create(&graph))
		return quantizer_no_memory(quantizer);
	nn_graph_lock(graph);
	err = nn_import_onnx_unfolded(graph, &source, bytes, size);
	nn_graph_unlock(graph);
	if (err)
		quantizer_fail_graph(quantizer, graph, err);
	nn_graph_destroy(graph);
	return err;
}

/* Whether a node reads a name, or a graph in it does. */
static bool reads(const Onnx__NodeProto *node, const char *name)
{
	for (size_t k = 0; k < node->n_input; k++) {
		if (!strcmp(node->input[k], name))
			return true;
	}
	return quantizer_captures(node, name);
}

/* Whether an output of the model, or one of the nodes from `first` on, is a name. */
static bool is_wanted(const Onnx__GraphProto *graph, size_t first, const char *name)
{
	for (size_t i = 0; i < graph->n_output; i++) {
		if (graph->output[i]->name && !strcmp(graph->output[i]->name, name))
			return true;
	}
	for (size_t i = first; i < graph->n_node; i++) {
		if (graph->node[i] && reads(graph->node[i], name))
			return true;
	}
	return false;
}

static void drop_nodes(Onnx__GraphProto *graph)
{
	size_t kept = 0;

	for (size_t i = graph->n_node; i-- > 0;) {
		bool wanted = false;

		for (size_t k = 0; k < graph->node[i]->n_output && !wanted; k++)
			wanted = *graph->node[i]->output[k] &&
				 is_wanted(graph, i + 1, graph->node[i]->output[k]);
		if (!wanted)
			graph->node[i] = NULL;
	}
	for (size_t i = 0; i < graph->n_node; i++) {
		if (graph->node[i])
			graph->node[kept++] = graph->node[i];
	}
	graph->n_node = kept;
}

static bool drop_input(Onnx__GraphProto *graph, const char *name)
{
	for (size_t i = 0; i < graph->n_input; i++) {
		if (strcmp(graph->input[i]->name, name) || is_wanted(graph, 0, name))
			continue;
		memmove(&graph->input[i], &graph->input[i + 1],
			(graph->n_input - i - 1) * sizeof(*graph->input));
		graph->n_input--;
		return true;
	}
	return false;
}

int quantizer_drop_unread(struct nn_quantizer *quantizer)
{
	struct nn_import_options *options = &quantizer->options;
	struct nn_import_value *values =
		nn_pool_copy(&quantizer->pool, options->values,
			     options->value_count * sizeof(*values));
	uint32_t kept = 0;

	if (!values)
		return quantizer_no_memory(quantizer);
	drop_nodes(quantizer->model->graph);
	for (uint32_t i = 0; i < options->value_count; i++) {
		if (!values[i].name || !drop_input(quantizer->model->graph, values[i].name))
			values[kept++] = values[i];
	}
	options->values = values;
	options->value_count = kept;
	return 0;
}
