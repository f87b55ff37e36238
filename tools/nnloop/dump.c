// SPDX-License-Identifier: MIT
/* nnloop run --dump: every tensor of a model in a file of its own, and a list of them. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "npy.h"
#include "run.h"

#define LIST "tensors.txt"
#define MAX_NAME 200 /* characters of a file's name: less than file systems take */

/* A tensor: the one that `source` says, which is output `index` of the run. */
struct tensor {
	uint32_t index;
	struct nn_input source;
	const char *op;
	char file[MAX_NAME + 32];
};

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

static int by_file(const void *a, const void *b)
{
	const struct tensor *const *x = a, *const *y = b;

	return strcmp((*x)->file, (*y)->file);
}

/* The tensor's name, as far as files can have it; without one, its node's name or id. */
static void name_file(struct tensor *tensor, const char *name, const char *node_name)
{
	size_t length = 0;

	if (!name || !*name)
		name = node_name;
	for (; name && name[length] && length < MAX_NAME; length++)
		tensor->file[length] = strchr("/\\:*?\"<>| ", name[length]) ||
						       (unsigned char)name[length] < ' ' ?
					       '_' :
					       name[length];
	if (!length || *tensor->file == '.')
		length = sprintf(tensor->file, "node%" PRIu32, tensor->source.src_id);
	tensor->file[length] = 0;
}

/* Tensors whose files have the same name get a number, all but the first. */
static int tell_apart(struct tensor *tensors, uint32_t count)
{
	struct tensor **sorted = calloc(count + 1, sizeof(*sorted));
	uint32_t same = 1;

	if (!sorted)
		return fail("out of memory");
	for (uint32_t i = 0; i < count; i++)
		sorted[i] = &tensors[i];
	qsort(sorted, count, sizeof(*sorted), by_file);
	for (uint32_t i = 1; i < count; i++) {
		char *file = sorted[i]->file;

		same = strcmp(file, sorted[i - same]->file) ? 1 : same + 1;
		if (same > 1) /* node and output: no two are the same */
			sprintf(file + strlen(file), ".node%" PRIu32 ".%" PRIu32,
				sorted[i]->source.src_id,
				sorted[i]->source.output_idx);
	}
	free(sorted);
	return 0;
}

/* ---- Files ---- */

static int write_tensor(const struct run *run, const struct tensor *tensor, FILE *list)
{
	const struct output *output = &run->outputs[tensor->index];
	size_t size = strlen(run->options->dump) + sizeof(tensor->file) + 8;
	char *path = malloc(size);
	struct out_file *file;
	int status;

	if (!path)
		return fail("out of memory");
	snprintf(path, size, "%s/%s.npy", run->options->dump, tensor->file);
	status = out_file_open(path, &file);
	if (!status)
		status = output_write(output, file, run->options->real);
	free(path);
	fprintf(list, "%s.npy\t%s\t%s %" PRIu32, tensor->file, tensor->op,
		nn_data_type_name(output->info.type), output->rows);
	for (uint32_t i = 1; i < output->info.rank; i++)
		fprintf(list, "x%" PRIu32, output->info.dims[i]);
	if (output->info.scale)
		fprintf(list, "\tscale %.9g zero point %" PRId32, (double)output->info.scale,
			output->info.zero_point);
	fputc('\n', list);
	return status;
}

static int write_all(const struct run *run, const struct tensor *tensors, uint32_t count)
{
	size_t size = strlen(run->options->dump) + sizeof("/" LIST);
	char *path = malloc(size);
	struct out_file *list;
	int status;

	if (!path)
		return fail("out of memory");
	snprintf(path, size, "%s/%s", run->options->dump, LIST);
	status = out_file_open(path, &list);
	for (uint32_t i = 0; i < count && !status; i++)
		status = write_tensor(run, &tensors[i], out_file_stream(list));
	if (!status)
		status = out_file_finish(list);
	free(path);
	return status;
}

int dump_write(const struct run *run)
{
	const struct nn_graph *graph = run->model.graph;
	uint32_t count = run->output_count - run->own_count, node_count, at = 0;
	struct tensor *tensors = calloc(count + 1, sizeof(*tensors));
	struct nn_plan_node *nodes = list_nodes(graph, &node_count, &at);
	int status;

	if (!tensors || !nodes) {
		free(tensors);
		free(nodes);
		return fail("out of memory");
	}
	for (uint32_t i = 0; i < count; i++) {
		struct tensor *tensor = &tensors[i];
		const struct nn_plan_node *node;

		tensor->index = run->own_count + i;
		nn_graph_get_plan_input(graph, at, tensor->index, &tensor->source);
		node = bsearch(&(struct nn_plan_node){ .id = tensor->source.src_id }, nodes,
			       node_count, sizeof(*nodes), by_id);
		tensor->op = node ? node->op : "";
		name_file(tensor, run->outputs[tensor->index].info.name,
			  node ? node->name : NULL);
	}
	status = tell_apart(tensors, count);
	if (!status)
		status = write_all(run, tensors, count);
	free(nodes);
	free(tensors);
	return status;
}
