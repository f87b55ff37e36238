// SPDX-License-Identifier: MIT
/*
 * Nodes as operators' check and execute functions see them.
 */
#include <errno.h>
#include <string.h>

#include "run/loop.h"
#include "ops/ops.h"

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
	struct nn_loop *loop = node->graph->loop;

	tensor->info = value->info;
	tensor->max_rows = value->info.dims[0];
	tensor->data = NULL;
	if (node->graph->running_check || !loop) {
		tensor->data = (void *)value->node->data;
		return;
	}
	if (loop->locate)
		tensor->data = loop->locate(loop, value);
}

int nn_node_get_input(const struct nn_node *node, uint32_t index, struct nn_tensor *tensor)
{
	struct nn_loop *loop = node->graph->loop;

	if (index >= node->input_count || !node->inputs[index])
		return -ENOENT;
	describe(node, node->inputs[index], tensor);
	if (nn_value_is_const(node->inputs[index]))
		tensor->data = (void *)node->inputs[index]->node->data;
	else if (nn_node_is_lcn(node) && (node->op->flags & NN_NODE_FLAG_STATIC))
		tensor->data = NULL;
	if (loop && !node->graph->running_check)
		tensor->info.dims[0] = nn_loop_rows(loop, node->inputs[index]);
	return 0;
}

int nn_node_get_output(const struct nn_node *node, uint32_t index, struct nn_tensor *tensor)
{
	struct nn_loop *loop = node->graph->loop;
	struct nn_value *value;

	if (index >= node->output_count)
		return -ENOENT;
	value = &node->outputs[index];
	describe(node, value, tensor);
	/* An LCN's own rows are not known before it pushes. */
	if (loop && !node->graph->running_check &&
	    !(nn_node_is_lcn(node) && value->info.level == node->refs && !loop->pushed))
		tensor->info.dims[0] = nn_loop_rows(loop, value);
	return 0;
}

/* The functions below say what a node is, which only its check may. */
static int check_only(struct nn_node *node)
{
	if (node->graph->running_check && node->graph->running == node)
		return 0;
	return nn_node_fail(node, -EINVAL, "described its outputs outside of its check");
}

int nn_node_set_output(struct nn_node *node, uint32_t index, const struct nn_tensor_info *info,
		       uint32_t level)
{
	struct nn_tensor_info *output;
	int32_t min, max;
	int error;

	error = check_only(node);
	if (error)
		return error;
	if (level == NN_LEVEL_OWN)
		level = node->refs;
	if (index >= node->output_count || info->rank < 1 || info->rank > NN_MAX_RANK ||
	    level > node->refs || !nn_type_range(info->type, &min, &max) ||
	    info->zero_point < min || info->zero_point > max)
		return nn_node_fail(node, -EINVAL, "describes output %u wrongly", index);
	output = &node->outputs[index].info;
	*output = *info;
	if (info->scales) {
		output->scales = nn_pool_copy(&node->graph->preparing->pool, info->scales,
					      info->scale_count * sizeof(*info->scales));
		if (!output->scales)
			return nn_graph_no_memory(node->graph);
	}
	memset(output->dims + info->rank, 0, (NN_MAX_RANK - info->rank) * sizeof(*output->dims));
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
	output->info.level = node->refs;
	output->storage = NN_STORAGE_VIEW;
	output->base = nn_value_root(node->inputs[input]);
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
