// SPDX-License-Identifier: MIT
/*
 * A model of whose Ifs the import has decided some, as a model that has the branches that are taken in
 * their places: for those who work on the model itself. Names of graphs within graphs are
 * different from each other (scoped.c).
 */
#include <errno.h>
#include <stdlib.h>

#include "import/onnx/onnx.h"

/* A tensor whose bytes are the file's for a while, and what they are else. */
struct lent {
	Onnx__TensorProto *tensor;
	ProtobufCBinaryData own;
	struct lent *next;
};

struct unfolding {
	const struct onnx_choices *choices;
	const struct nn_model_source *source;
	struct lent *lent;
	struct nn_pool pool;
	Onnx__NodeProto **nodes;
	Onnx__TensorProto **constants;
	size_t node_count, constant_count;
};

/* Counts what a graph has, branches in it included. */
static void count(struct unfolding *unfolding, const Onnx__GraphProto *graph)
{
	unfolding->constant_count += graph->n_initializer;
	for (size_t i = 0; i < graph->n_node; i++) {
		const Onnx__GraphProto *branch =
			onnx_chosen_branch(unfolding->choices, graph->node[i]);

		unfolding->node_count += branch ? branch->n_output : 1;
		if (branch)
			count(unfolding, branch);
	}
}

/* False: no memory. */
static bool fill(struct unfolding *unfolding, const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_initializer; i++)
		unfolding->constants[unfolding->constant_count++] = graph->initializer[i];
	for (size_t i = 0; i < graph->n_node; i++) {
		Onnx__NodeProto *node = graph->node[i];
		const Onnx__GraphProto *branch = onnx_chosen_branch(unfolding->choices, node);

		if (!branch) {
			unfolding->nodes[unfolding->node_count++] = node;
			continue;
		}
		if (!fill(unfolding, branch))
			return false;
		for (size_t k = 0; k < branch->n_output; k++) {
			Onnx__NodeProto *pass = onnx_pass_on(&unfolding->pool, node, branch, k);

			if (!pass)
				return false;
			unfolding->nodes[unfolding->node_count++] = pass;
		}
	}
	return true;
}

/* ---- Bytes of constants, of which the structures have only a reference to the file ---- */

static bool lend(struct unfolding *unfolding, Onnx__TensorProto *tensor)
{
	struct lent *lent;
	const void *data;
	uint64_t size;

	if (!onnx_find_raw(unfolding->source, tensor, &data, &size) ||
	    data == tensor->raw_data.data)
		return true;
	lent = nn_pool_alloc(&unfolding->pool, sizeof(*lent));
	if (!lent)
		return false;
	*lent = (struct lent){ tensor, tensor->raw_data, unfolding->lent };
	unfolding->lent = lent;
	tensor->raw_data.data = (uint8_t *)data;
	tensor->raw_data.len = size;
	return true;
}

static bool lend_all(struct unfolding *unfolding, const Onnx__GraphProto *graph)
{
	bool good = true;

	for (size_t i = 0; i < graph->n_initializer && good; i++)
		good = lend(unfolding, graph->initializer[i]);
	for (size_t i = 0; i < graph->n_node; i++) {
		for (size_t k = 0; k < graph->node[i]->n_attribute && good; k++) {
			const Onnx__AttributeProto *attribute = graph->node[i]->attribute[k];

			if (attribute->t)
				good = lend(unfolding, attribute->t);
			if (attribute->g && good)
				good = lend_all(unfolding, attribute->g);
		}
	}
	return good;
}

static void take_back(struct unfolding *unfolding)
{
	for (const struct lent *lent = unfolding->lent; lent; lent = lent->next)
		lent->tensor->raw_data = lent->own;
}

/* ---- The model ---- */

static bool unfold(struct unfolding *unfolding, const Onnx__ModelProto *from, uint8_t **bytes,
		   size_t *size)
{
	Onnx__GraphProto graph = *from->graph;
	Onnx__ModelProto model = *from;

	count(unfolding, from->graph);
	unfolding->nodes = nn_pool_array(&unfolding->pool, unfolding->node_count + 1,
					 sizeof(*unfolding->nodes));
	unfolding->constants = nn_pool_array(&unfolding->pool, unfolding->constant_count + 1,
					     sizeof(*unfolding->constants));
	unfolding->node_count = unfolding->constant_count = 0;
	if (!unfolding->nodes || !unfolding->constants || !fill(unfolding, from->graph))
		return false;
	graph.node = unfolding->nodes;
	graph.n_node = unfolding->node_count;
	graph.initializer = unfolding->constants;
	graph.n_initializer = unfolding->constant_count;
	model.graph = &graph;
	if (lend_all(unfolding, &graph)) {
		*size = onnx__model_proto__get_packed_size(&model);
		*bytes = malloc(*size + 1);
	}
	if (*bytes)
		onnx__model_proto__pack(&model, *bytes);
	take_back(unfolding);
	return *bytes;
}

int onnx_unfold(const struct onnx_choices *choices, const struct nn_model_source *source,
		const Onnx__ModelProto *model, uint8_t **bytes, size_t *size)
{
	struct unfolding unfolding = { .choices = choices, .source = source };
	bool good;

	*bytes = NULL;
	if (!choices->count)
		return 0;
	good = unfold(&unfolding, model, bytes, size);
	nn_pool_free(&unfolding.pool);
	return good ? 0 : -ENOMEM;
}
