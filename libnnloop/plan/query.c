// SPDX-License-Identifier: MIT
/*
 * Answering questions about a plan.
 */
#include "plan.h"

#include <errno.h>
#include <string.h>

#include "base/sized.h"
#include "plan/decide.h"

uint32_t nn_graph_get_output_count(const struct nn_graph *graph)
{
	uint32_t i;

	if (graph->plan)
		return graph->plan->output->input_count;
	for (i = 0; i < graph->node_count; i++)
		if (nn_node_has(graph->nodes[i], NN_OP_END))
			return graph->nodes[i]->input_count;
	return 0;
}

int nn_graph_get_output_info_sized(const struct nn_graph *graph, uint32_t index,
				   struct nn_tensor_info *theirs, size_t size)
{
	const struct nn_plan *plan = graph->plan;
	struct nn_tensor_info info;

	if (!plan)
		return -EINVAL;
	if (index >= plan->output->input_count)
		return -ENOENT;
	info = plan->output->inputs[index]->info;
	if (info.level)
		info.dims[0] = !nn_plan_knows_rows(plan, info.level) ||
					       plan->total_rows[info.level] > UINT32_MAX
				       ? NN_VARIABLE
				       : plan->total_rows[info.level];
	nn_sized_give(theirs, size, &info, sizeof(info));
	return 0;
}

/* Bytes of a buffer that takes all rows of an output; 0 if only the data can tell. */
static uint64_t output_bytes(const struct nn_plan *plan, const struct nn_value *value)
{
	uint64_t rows = value->info.dims[0];

	if (value->info.level)
		rows = nn_plan_knows_rows(plan, value->info.level) ?
			       plan->total_rows[value->info.level] : 0;
	return rows * nn_info_row_bytes(&value->info);
}

int nn_graph_get_plan_sized(const struct nn_graph *graph, struct nn_plan_info *theirs, size_t size)
{
	const struct nn_plan *plan = graph->plan;
	struct nn_plan_info info;
	uint64_t rows[NN_MAX_LOOPSTACK + 1];
	uint32_t i;

	if (!plan)
		return -EINVAL;
	info = (struct nn_plan_info){
		.node_count = plan->node_count - (plan->sink != NULL),
		.sink_count = plan->sink ? plan->sink->input_count : 0,
		.sink_id = plan->sink ? plan->sink->id : 0,
		.partition_count = plan->partition_count,
		.arena_bytes = plan->arena_bytes,
		.constant_bytes = plan->constants.bytes,
		.bytes_moved = plan->bytes_moved,
		.macs = plan->macs,
		.float_macs = plan->float_macs,
		.float_packets = plan->float_packets,
		.float_ops = plan->float_ops,
		.stream_count = plan->stream_count,
		.max_streams = plan->max_streams,
		.stream_bytes = plan->arena_bytes + nn_plan_program_bytes(plan),
		.single_stream = plan->single_reason,
		.worker_count = plan->own_workers ? plan->own_workers : plan->worker_count,
		.single_worker = plan->alone_reason,
		.is_tree = plan->is_tree,
	};
	for (i = 0; i < plan->part_count; i++)
		info.program_count += plan->parts[i].program != NULL;
	for (i = 0; i < plan->input_count; i++)
		info.input_bytes += nn_info_bytes(&plan->inputs[i]->info);
	if (plan->walk_error)
		goto give;

	info.push_count = plan->push_count;
	info.pass_count = plan->pass_count;
	memcpy(rows, plan->total_rows, sizeof(rows));
	info.arena_bytes_unlooped = plan->is_tree ? 0 : nn_plan_arena_bytes(plan, rows);
	for (i = 0; i < plan->output->input_count; i++)
		info.output_bytes += output_bytes(plan, plan->output->inputs[i]);
give:
	nn_sized_give(theirs, size, &info, sizeof(info));
	return 0;
}

/* A node by its index among those that the questions are about: all but the Sink, which is the
 * last. */
static struct nn_node *plan_node(const struct nn_graph *graph, uint32_t index, int *error)
{
	const struct nn_plan *plan = graph->plan;

	*error = plan ? -ENOENT : -EINVAL;
	if (!plan || index >= plan->node_count - (plan->sink != NULL))
		return NULL;
	return plan->nodes[index];
}

/* A view has inputs and outputs, and nothing to do between them. */
static bool is_view(const struct nn_node *node)
{
	return node->runs_on == NN_RUNS_NOWHERE && node->input_count && node->output_count;
}

int nn_graph_get_plan_node_sized(const struct nn_graph *graph, uint32_t index,
				 struct nn_plan_node *theirs, size_t size)
{
	const struct nn_node *node;
	struct nn_plan_node info;
	int error;

	node = plan_node(graph, index, &error);
	if (!node)
		return error;
	info = (struct nn_plan_node){
		.id = node->id,
		.op = node->op_name,
		.name = node->name,
		.partition = node->refs,
		.runs_on = node->runs_on,
		.part = node->part,
		.flags = (node->op->flags & NN_NODE_FLAG_LCN) |
			 (nn_node_is_static(node) ? NN_NODE_FLAG_STATIC : 0) |
			 (is_view(node) ? NN_NODE_FLAG_VIEW : 0) |
			 (node->is_portable ? NN_NODE_FLAG_PORTABLE : 0),
		.input_count = node->input_count,
		.output_count = node->output_count,
		.loop = node->runs_in->lcn ? node->runs_in->lcn->id : 0,
		.level = node->runs_in->level,
		.most_iterations = nn_node_is_lcn(node) ? node->most_trips : 0,
		.decided_on = nn_plan_decided_on(graph->plan, node),
	};
	nn_sized_give(theirs, size, &info, sizeof(info));
	return 0;
}

int nn_graph_get_plan_input(const struct nn_graph *graph, uint32_t index, uint32_t input,
			    struct nn_input *source)
{
	const struct nn_node *node;
	int error;

	node = plan_node(graph, index, &error);
	if (!node)
		return error;
	if (input >= node->input_count)
		return -ENOENT;
	*source = (struct nn_input){ 0 };
	if (node->inputs[input])
		*source = (struct nn_input){ node->inputs[input]->node->id,
					     node->inputs[input]->index };
	return 0;
}

int nn_graph_get_plan_output_sized(const struct nn_graph *graph, uint32_t index, uint32_t output,
				   struct nn_tensor_info *info, size_t size)
{
	const struct nn_node *node;
	int error;

	node = plan_node(graph, index, &error);
	if (!node)
		return error;
	if (output >= node->output_count)
		return -ENOENT;
	nn_sized_give(info, size, &node->outputs[output].info, sizeof(node->outputs[output].info));
	return 0;
}

int nn_graph_get_plan_sink(const struct nn_graph *graph, uint32_t index, struct nn_input *tensor)
{
	const struct nn_plan *plan = graph->plan;

	if (!plan)
		return -EINVAL;
	if (!plan->sink || index >= plan->sink->input_count)
		return -ENOENT;
	*tensor = (struct nn_input){ plan->sink->inputs[index]->node->id,
				     plan->sink->inputs[index]->index };
	return 0;
}
