// SPDX-License-Identifier: MIT
/* All tensors of a run, and files named for them: for --dump and for nnloop compare. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "tensors.h"

/* ---- Nodes ---- */

static int by_id(const void *a, const void *b)
{
	const struct nn_plan_node *x = a, *y = b;

	return (x->id > y->id) - (x->id < y->id);
}

/* The plan's nodes by their ids, and at which index OUTPUT was. NULL: out of memory. */
static struct nn_plan_node *list_nodes(const struct nn_graph *graph, uint32_t *count,
				       uint32_t *output)
{
	struct nn_plan_info info;
	struct nn_plan_node *nodes;

	if (nn_graph_get_plan(graph, &info))
		return NULL;
	nodes = calloc(info.node_count + 1, sizeof(*nodes));
	if (!nodes)
		return NULL;
	for (*count = 0; !nn_graph_get_plan_node(graph, *count, &nodes[*count]); ++*count) {
		if (!strcasecmp(nodes[*count].op, "OUTPUT"))
			*output = *count;
	}
	qsort(nodes, *count, sizeof(*nodes), by_id);
	return nodes;
}

/* ---- Names ---- */

/* Tensors of one file stay in the order in which they are computed. */
static int by_file(const void *a, const void *b)
{
	const struct tensor *const *x = a, *const *y = b;
	int order = strcmp((*x)->file, (*y)->file);

	return order ? order : (*x > *y) - (*x < *y);
}

void tensor_name_file(const char *name, char *file)
{
	size_t length = 0;

	for (; name && name[length] && length < MAX_TENSOR_NAME; length++)
		file[length] = strchr("/\\:*?\"<>| ", name[length]) ||
					       (unsigned char)name[length] < ' ' ?
				       '_' :
				       name[length];
	file[length] = 0;
}

/* Names a tensor's file after the tensor; if that has no name, after its node, or its node's id. */
static void name_file(struct tensor *tensor)
{
	const char *name = tensor->output->info.name;

	tensor_name_file(name && *name ? name : tensor->node, tensor->file);
	tensor->is_named = *tensor->file && *tensor->file != '.';
	if (!tensor->is_named)
		sprintf(tensor->file, "node%" PRIu32, tensor->source.src_id);
}

/*
 * Tensors whose files have the same name get a number, all but one: importers call what they make
 * on the way to a tensor as that. So it is the last node's, and of that the first.
 */
static void number_files(struct tensor **same, uint32_t count)
{
	uint32_t last = same[count - 1]->source.src_id;
	bool is_found = false;

	for (uint32_t i = 0; i < count; i++) {
		char *file = same[i]->file;

		if (!is_found && same[i]->source.src_id == last) {
			is_found = true;
			continue;
		}
		same[i]->is_named = false;
		/* Node and output: no two are the same. */
		sprintf(file + strlen(file), ".node%" PRIu32 ".%" PRIu32, same[i]->source.src_id,
			same[i]->source.output_idx);
	}
}

static int tell_apart(struct tensor *tensors, uint32_t count)
{
	struct tensor **sorted = calloc(count + 1, sizeof(*sorted));

	if (!sorted)
		return fail("out of memory");
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &tensors[i];
	qsort(sorted, count, sizeof(*sorted), by_file);
	for (uint32_t i = 0, end; i < count; i = end) {
		for (end = i + 1; end < count && !strcmp(sorted[i]->file, sorted[end]->file);)
			end++;
		number_files(sorted + i, end - i);
	}
	free(sorted);
	return 0;
}

int tensors_list(const struct run *run, struct tensor **list, uint32_t *count)
{
	const struct nn_graph *graph = run->model.graph;
	uint32_t node_count, at = 0;
	struct nn_plan_node *nodes = list_nodes(graph, &node_count, &at);
	struct tensor *tensors;
	int status;

	*count = run->output_count - run->own_count;
	tensors = calloc(*count + 1, sizeof(*tensors));
	if (!tensors || !nodes) {
		free(tensors);
		free(nodes);
		return fail("out of memory");
	}
	for (uint32_t i = 0; i < *count; i++) {
		struct tensor *tensor = &tensors[i];
		const struct nn_plan_node *node;

		tensor->output = &run->outputs[run->own_count + i];
		nn_graph_get_plan_input(graph, at, run->own_count + i, &tensor->source);
		node = bsearch(&(struct nn_plan_node){ .id = tensor->source.src_id }, nodes,
			       node_count, sizeof(*nodes), by_id);
		/* These are the graph's own strings. */
		tensor->op = node ? node->op : "";
		tensor->node = node ? node->name : "";
		name_file(tensor);
	}
	free(nodes);
	status = tell_apart(tensors, *count);
	if (status)
		free(tensors);
	else
		*list = tensors;
	return status;
}
