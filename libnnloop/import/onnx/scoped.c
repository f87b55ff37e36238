// SPDX-License-Identifier: MIT
/*
 * Names of a model's graphs within graphs, which are made different from each other once the file
 * has been read: a body or branch may call its own values as another one does, or as the graph
 * around it does, and everything behind this knows one value for each name.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MAX_NAME 256 /* characters of a new one */

/* A name that some graph of the model defines. */
struct scoped_name {
	const char *name; /* a string of the model that stays as it is; NULL: an empty place */
	const char *now; /* what it is called in the graph that is being looked at; NULL: itself */
	uint32_t graph; /* that defined it last */
};

/* The name that one had outside of a graph. */
struct scoped_before {
	const char *name, *now;
	uint32_t graph;
};

struct scoped {
	struct scoped_name *names; /* a table whose size is a power of two, never full */
	size_t size, count;
	struct scoped_before *before; /* a stack */
	size_t before_count, before_room;
	uint32_t graphs, renamed;
};

/* ---- The table ---- */

static struct scoped_name *find_place(const struct scoped *scoped, const char *name)
{
	uint64_t hash = 14695981039346656037u;
	size_t at;

	for (const char *c = name; *c; c++)
		hash = (hash ^ (uint8_t)*c) * 1099511628211u;
	for (at = hash & (scoped->size - 1); scoped->names[at].name;
	     at = (at + 1) & (scoped->size - 1)) {
		if (!strcmp(scoped->names[at].name, name))
			break;
	}
	return &scoped->names[at];
}

static bool grow(struct scoped *scoped)
{
	struct scoped from = *scoped;

	if (2 * (scoped->count + 1) < scoped->size)
		return true;
	scoped->size = from.size ? 2 * from.size : 1024;
	scoped->names = calloc(scoped->size, sizeof(*scoped->names));
	for (size_t i = 0; scoped->names && i < from.size; i++) {
		if (from.names[i].name)
			*find_place(scoped, from.names[i].name) = from.names[i];
	}
	free(from.names);
	return scoped->names;
}

/* Remembers what a name is outside of the graph that defines it anew. */
static bool remember(struct scoped *scoped, const struct scoped_name *name)
{
	size_t room = scoped->before_room ? 2 * scoped->before_room : 64;
	struct scoped_before *before = scoped->before;

	if (scoped->before_count == scoped->before_room) {
		before = reallocarray(before, room, sizeof(*before));
		if (!before)
			return false;
		scoped->before = before;
		scoped->before_room = room;
	}
	before[scoped->before_count++] =
		(struct scoped_before){ name->name, name->now, name->graph };
	return true;
}

/* ---- Definitions ---- */

/* Gives a string a new name that no graph has, and tells the table. */
static bool rename_it(struct scoped *scoped, struct scoped_name *place, char **string)
{
	char text[MAX_NAME];
	const char *key = place->name;
	struct scoped_name *own;

	do {
		snprintf(text, sizeof(text), "%.*s#%u", MAX_NAME - 16, key, ++scoped->renamed);
	} while (find_place(scoped, text)->name);
	if (!onnx_set_string(string, text) || !grow(scoped))
		return false;
	own = find_place(scoped, *string);
	*own = (struct scoped_name){ .name = *string, .graph = scoped->graphs };
	scoped->count++;
	find_place(scoped, key)->now = *string;
	return true;
}

/* A name that graph number `graph` defines. */
static bool define(struct scoped *scoped, uint32_t graph, char **string)
{
	struct scoped_name *place;

	if (!*string || !**string)
		return true;
	if (!grow(scoped))
		return false;
	place = find_place(scoped, *string);
	if (!place->name) {
		*place = (struct scoped_name){ .name = *string, .graph = graph };
		scoped->count++;
		return true;
	}
	/* A graph may list its constants among its inputs; whatever it defines twice, it still does. */
	if (place->graph == graph)
		return !place->now || onnx_set_string(string, place->now);
	if (!remember(scoped, place))
		return false;
	place->graph = graph;
	return rename_it(scoped, place, string);
}

static bool define_all(struct scoped *scoped, uint32_t graph, const Onnx__GraphProto *of)
{
	bool done = true;

	for (size_t i = 0; i < of->n_input && done; i++)
		done = define(scoped, graph, &of->input[i]->name);
	for (size_t i = 0; i < of->n_initializer && done; i++)
		done = define(scoped, graph, &of->initializer[i]->name);
	for (size_t i = 0; i < of->n_node; i++) {
		for (size_t k = 0; k < of->node[i]->n_output && done; k++)
			done = define(scoped, graph, &of->node[i]->output[k]);
	}
	return done;
}

/* ---- References ---- */

static bool follow(const struct scoped *scoped, char **string)
{
	const struct scoped_name *place;

	if (!*string || !**string)
		return true;
	place = find_place(scoped, *string);
	return !place->now || onnx_set_string(string, place->now);
}

static bool scope_graph(struct scoped *scoped, const Onnx__GraphProto *graph)
{
	size_t before = scoped->before_count;
	bool done = define_all(scoped, ++scoped->graphs, graph);

	for (size_t i = 0; i < graph->n_node && done; i++) {
		const Onnx__NodeProto *node = graph->node[i];

		for (size_t k = 0; k < node->n_input && done; k++)
			done = follow(scoped, &node->input[k]);
		for (size_t k = 0; k < node->n_attribute && done; k++)
			done = !node->attribute[k]->g || scope_graph(scoped, node->attribute[k]->g);
	}
	for (size_t i = 0; i < graph->n_output && done; i++)
		done = follow(scoped, &graph->output[i]->name);
	while (scoped->before_count > before) {
		const struct scoped_before *was = &scoped->before[--scoped->before_count];
		struct scoped_name *place = find_place(scoped, was->name);

		place->now = was->now;
		place->graph = was->graph;
	}
	return done;
}

static bool has_graphs(const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_node; i++) {
		for (size_t k = 0; k < graph->node[i]->n_attribute; k++) {
			if (graph->node[i]->attribute[k]->g)
				return true;
		}
	}
	return false;
}

bool onnx_scope_names(const Onnx__ModelProto *model)
{
	struct scoped scoped = { 0 };
	bool done = true;

	if (!model->graph || !has_graphs(model->graph))
		return true;
	done = grow(&scoped) && scope_graph(&scoped, model->graph);
	free(scoped.names);
	free(scoped.before);
	return done;
}
