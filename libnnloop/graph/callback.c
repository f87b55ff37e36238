// SPDX-License-Identifier: MIT
/*
 * Nodes, and what runs, as operators' check and execute functions see them.
 */
#include "graph.h"

#include <errno.h>
#include <string.h>

#include "base/sized.h"

uint32_t nn_graph_rows(const struct nn_graph *graph, const struct nn_value *value)
{
	const uint32_t level = value->info.level;

	if (nn_level_is_count(level))
		return nn_graph_count(graph, level)->rows;
	return level ? nn_graph_counts(graph, level)->current_batches : value->info.dims[0];
}

uint32_t nn_node_make_count(struct nn_node *collect, uint32_t of, uint32_t most)
{
	const struct nn_preparation *preparing = collect->graph->preparing;
	const struct nn_count wanted = { collect->runs_in, of };
	uint32_t i = 0;

	while (i < *preparing->count_count && (preparing->counts[i].scope != wanted.scope ||
					       preparing->counts[i].of != wanted.of))
		i++;
	if (i == NN_MAX_COUNTS) {
		nn_node_fail(collect, -EINVAL,
			     "collects as many rows as only the run knows, and a graph can have %d such numbers",
			     NN_MAX_COUNTS);
		return 0;
	}
	if (i == *preparing->count_count)
		preparing->counts[(*preparing->count_count)++] = wanted;
	preparing->max_rows[NN_LEVEL_OF_COUNT(i)] = most;
	return NN_LEVEL_OF_COUNT(i);
}

void *nn_graph_locate(const struct nn_graph *graph, struct nn_value *value)
{
	const struct nn_running *running = &graph->running;

	return running->locate ? running->locate(running->opaque, value) : NULL;
}

/* Values have the rows of a pass: an execution or a walk called, not the making of a plan. */
static bool in_pass(const struct nn_node *node)
{
	return node->graph->running.passes && !node->graph->running.check;
}

uint32_t nn_node_get_id(const struct nn_node *node)
{
	return node->id;
}

const char *nn_node_get_op(const struct nn_node *node)
{
	return node->op_name;
}

uint32_t nn_node_get_input_count(const struct nn_node *node)
{
	return node->input_count;
}

uint32_t nn_node_get_output_count(const struct nn_node *node)
{
	return node->output_count;
}

static void describe(const struct nn_node *node, struct nn_value *value, struct nn_tensor *tensor)
{
	*tensor = (struct nn_tensor){
		.data = in_pass(node) ? nn_graph_locate(node->graph, value)
				      : (void *)value->node->data,
		.max_rows = value->info.dims[0],
		.info = value->info,
	};
}

int nn_node_get_input_sized(const struct nn_node *node, uint32_t index, struct nn_tensor *theirs,
			    size_t size)
{
	struct nn_tensor tensor;

	if (index >= node->input_count || !node->inputs[index])
		return -ENOENT;
	describe(node, node->inputs[index], &tensor);
	if (nn_value_is_const(node->inputs[index]))
		tensor.data = (void *)node->inputs[index]->node->data;
	else if (nn_node_is_lcn(node) && nn_node_is_static(node))
		tensor.data = NULL;
	if (in_pass(node))
		tensor.info.dims[0] = nn_graph_rows(node->graph, node->inputs[index]);
	nn_sized_give(theirs, size, &tensor, sizeof(tensor));
	return 0;
}

int nn_node_get_output_sized(const struct nn_node *node, uint32_t index, struct nn_tensor *theirs,
			     size_t size)
{
	struct nn_tensor tensor;
	struct nn_value *value;

	if (index >= node->output_count)
		return -ENOENT;
	value = &node->outputs[index];
	describe(node, value, &tensor);
	/* An LCN's own rows are not known before it pushes. */
	if (in_pass(node) && !(nn_node_is_lcn(node) && value->info.level == nn_node_level(node) &&
			       !node->graph->running.pushed))
		tensor.info.dims[0] = nn_graph_rows(node->graph, value);
	nn_sized_give(theirs, size, &tensor, sizeof(tensor));
	return 0;
}

/* The functions below say what a node is, which only its check may. */
static int check_only(struct nn_node *node)
{
	if (node->graph->running.check && node->graph->running.node == node)
		return 0;
	return nn_node_fail(node, -EINVAL, "described its outputs outside of its check");
}

/* Whether outputs of a node can be of a level: of a loop around it, or of a count that an input has. */
static bool level_is_seen(const struct nn_node *node, uint32_t level)
{
	uint32_t i;

	for (i = 0; nn_level_is_count(level) && i < node->input_count; i++)
		if (node->inputs[i] && node->inputs[i]->info.level == level)
			return true;
	return level <= nn_node_level(node);
}

int nn_node_set_output_sized(struct nn_node *node, uint32_t index,
			     const struct nn_tensor_info *theirs, uint32_t level, size_t size)
{
	struct nn_tensor_info *output, info;
	int32_t min, max;
	int error;

	error = check_only(node);
	if (error)
		return error;
	if (!nn_sized_take(&info, sizeof(info), theirs, size))
		return nn_graph_fail_newer(node->graph, "description of an output");
	if (level == NN_LEVEL_OWN)
		level = nn_node_level(node);
	if (index >= node->output_count || info.rank < 1 || info.rank > NN_MAX_RANK ||
	    !level_is_seen(node, level) || !nn_type_range(info.type, &min, &max) ||
	    info.zero_point < min || info.zero_point > max)
		return nn_node_fail(node, -EINVAL, "describes output %u wrongly", index);
	output = &node->outputs[index].info;
	*output = info;
	if (info.scales) {
		output->scales = nn_pool_copy(node->graph->preparing->pool, info.scales,
					      info.scale_count * sizeof(*info.scales));
		if (!output->scales)
			return nn_graph_no_memory(node->graph);
	}
	memset(output->dims + info.rank, 0, (NN_MAX_RANK - info.rank) * sizeof(*output->dims));
	output->level = level;
	return 0;
}

int nn_node_set_output_view(struct nn_node *node, uint32_t index, uint32_t input)
{
	struct nn_value *output;
	int error;

	error = check_only(node);
	if (error)
		return error;
	if (!nn_node_is_lcn(node) || index >= node->output_count || input >= node->input_count ||
	    !node->inputs[input])
		return nn_node_fail(node, -EINVAL,
				    "describes output %u as a view of what is none of its inputs",
				    index);
	output = &node->outputs[index];
	output->info = node->inputs[input]->info;
	output->info.level = nn_node_level(node);
	output->storage = NN_STORAGE_VIEW;
	/* Not its root: a Reshape can have made rows of another length. */
	output->base = node->inputs[input];
	return 0;
}

int nn_node_set_max_rows(struct nn_node *node, uint32_t rows)
{
	int error = check_only(node);

	if (error)
		return error;
	node->max_rows = rows;
	node->max_rows_set = true;
	return 0;
}
