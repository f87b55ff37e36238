// SPDX-License-Identifier: MIT
/*
 * Appending nodes: everything that can be said about a node when it is appended. What needs other
 * nodes' shapes is found out when the graph is prepared.
 */
#include "graph.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "base/sized.h"

/* ---- Checking a description */

int nn_graph_check_quantization(struct nn_graph *graph, uint32_t id, const char *op,
				uint32_t output, const struct nn_tensor_info *info)
{
	int32_t min, max;
	uint32_t i;

	if (!nn_type_range(info->type, &min, &max))
		return nn_graph_fail_at(graph, id, op, -EINVAL, "output %u: unknown data type %u",
					output, (unsigned)info->type);
	if (info->zero_point < min || info->zero_point > max)
		return nn_graph_fail_at(graph, id, op, -EINVAL,
					"output %u: zero point %d is outside of %s, %d to %d",
					output, info->zero_point, nn_data_type_name(info->type),
					min, max);
	if (!info->scales)
		return 0;

	if (info->axis >= info->rank || info->scale_count != info->dims[info->axis])
		return nn_graph_fail_at(
			graph, id, op, -EINVAL,
			"output %u: there must be one scale for each index of dimension %u, not %u",
			output, info->axis, info->scale_count);
	for (i = 0; i < info->scale_count; i++)
		if (!isfinite(info->scales[i]) || info->scales[i] <= 0)
			return nn_graph_fail_at(graph, id, op, -EINVAL,
						"output %u: scale %u must be a positive number",
						output, i);
	return 0;
}

static int check_output(struct nn_graph *graph, const struct nn_op *op,
			const struct nn_node_desc *desc, uint32_t output)
{
	const struct nn_tensor_info *info = &desc->outputs[output];
	bool is_input = op->flags & NN_OP_INPUT, is_const = op->flags & NN_OP_CONST;
	char text[NN_SHAPE_TEXT];
	uint32_t i;

	if (info->rank > NN_MAX_RANK)
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"output %u: rank %u, at most %u is possible", output,
					info->rank, NN_MAX_RANK);
	if ((is_input || is_const) && (!info->rank || !info->type))
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"output %u needs a data type and a shape", output);
	for (i = 0; i < info->rank; i++)
		if (!info->dims[i] && !(is_input && i == 0))
			return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
						"output %u: dimension %u of %s is 0", output, i,
						nn_info_format_shape(info, text, sizeof(text)));
	if (info->rank && (nn_info_bytes(info) > NN_MAX_TENSOR_BYTES ||
			   nn_info_row_bytes(info) > NN_MAX_TENSOR_BYTES))
		return nn_graph_fail_at(graph, desc->id, desc->op, -EOVERFLOW,
					"output %u: a tensor of shape %s is larger than 2 GiB",
					output, nn_info_format_shape(info, text, sizeof(text)));
	if (!isfinite(info->scale) || info->scale < 0)
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"output %u: the scale must be a positive number", output);
	if (info->scales && info->scale)
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"output %u has a scale for each index and one for all",
					output);
	if (!info->scales && (info->axis || info->scale_count))
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"output %u has a dimension or a number of scales, and no "
					"scales", output);
	if (info->zero_point && !info->scale && !info->scales)
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"output %u: zero point %d is of no scale", output,
					info->zero_point);
	/* Without a type it is what the operator makes of it that counts. */
	if (!info->type)
		return 0;
	return nn_graph_check_quantization(graph, desc->id, desc->op, output, info);
}

static int check_inputs(struct nn_graph *graph, const struct nn_op *op,
			const struct nn_node_desc *desc)
{
	uint32_t i;

	if (desc->input_count < op->min_inputs || desc->input_count > op->max_inputs) {
		if (op->min_inputs == op->max_inputs)
			return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
						"takes %u inputs, not %u", op->min_inputs,
						desc->input_count);
		return nn_graph_fail_at(
			graph, desc->id, desc->op, -EINVAL, "takes %s %u inputs, not %u",
			desc->input_count < op->min_inputs ? "at least" : "at most",
			desc->input_count < op->min_inputs ? op->min_inputs : op->max_inputs,
			desc->input_count);
	}
	for (i = 0; i < desc->input_count; i++) {
		const struct nn_input *input = &desc->inputs[i];
		const struct nn_node *source;

		if (!input->src_id) {
			if (i >= op->min_inputs && op->max_inputs != NN_ANY_NUMBER &&
			    !input->output_idx)
				continue;
			return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
						"input %u is from node 0; ids begin at 1", i);
		}
		source = nn_graph_find(graph, input->src_id);
		if (!source)
			return nn_graph_fail_at(
				graph, desc->id, desc->op, -ENOENT,
				"input %u is from node %u, which has not been appended (yet)", i,
				input->src_id);
		if (input->output_idx >= source->output_count)
			return nn_graph_fail_at(
				graph, desc->id, desc->op, -EINVAL,
				"input %u is output %u of node %u (%s), which has %u", i,
				input->output_idx, source->id, source->op_name,
				source->output_count);
	}
	return 0;
}

static int check_desc(struct nn_graph *graph, const struct nn_op *op,
		      const struct nn_node_desc *desc, uint32_t *output_count)
{
	uint32_t i;
	int error;

	error = check_inputs(graph, op, desc);
	if (error)
		return error;
	error = nn_op_check_attrs(graph, op, desc);
	if (error)
		return error;

	*output_count = nn_op_count_outputs(op, desc);
	if (*output_count > NN_MAX_COUNT)
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"cannot have %u outputs described", desc->output_count);
	for (i = 0; i < desc->output_count; i++) {
		error = check_output(graph, op, desc, i);
		if (error)
			return error;
	}

	if (op->flags & NN_OP_CONST) {
		uint64_t size = nn_info_bytes(&desc->outputs[0]);

		if (!desc->data || desc->data_size != size)
			return nn_graph_fail_at(
				graph, desc->id, desc->op, -EINVAL,
				"has %zu bytes of data, but its shape and type make %llu",
				desc->data ? desc->data_size : 0, (unsigned long long)size);
	} else if (desc->data) {
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"has data, which only a Const can");
	}
	return 0;
}

/* ---- Making a node */

/* Copy an attribute into the pool; false if there is no memory. */
static bool copy_attr(struct nn_pool *pool, struct nn_attr *to, const struct nn_attr *from)
{
	*to = *from;
	to->name = nn_pool_string(pool, from->name);
	if (!to->name)
		return false;
	switch (from->type) {
	case NN_ATTR_INTS:
		to->ints = nn_pool_copy(pool, from->ints, from->count * sizeof(*from->ints));
		return to->ints;
	case NN_ATTR_FLOATS:
		to->floats = nn_pool_copy(pool, from->floats, from->count * sizeof(*from->floats));
		return to->floats;
	case NN_ATTR_STRING:
		to->string = nn_pool_string(pool, from->string);
		return to->string;
	default:
		return true;
	}
}

static bool copy_info(struct nn_pool *pool, struct nn_tensor_info *to,
		      const struct nn_tensor_info *from)
{
	uint32_t i;

	*to = *from;
	to->level = 0;
	for (i = to->rank; i < NN_MAX_RANK; i++)
		to->dims[i] = 0;
	if (from->name) {
		to->name = nn_pool_string(pool, from->name);
		if (!to->name)
			return false;
	}
	if (!from->scales) {
		to->scale_count = 0;
		to->axis = 0;
		return true;
	}
	to->scales = nn_pool_copy(pool, from->scales, from->scale_count * sizeof(*from->scales));
	return to->scales;
}

static struct nn_node *make_node(struct nn_graph *graph, const struct nn_op *op,
				 const struct nn_node_desc *desc, uint32_t output_count,
				 bool copy_data)
{
	struct nn_pool *pool = &graph->pool;
	struct nn_node *node = nn_pool_alloc(pool, sizeof(*node));
	uint32_t i;

	if (!node)
		return NULL;
	node->graph = graph;
	node->op = op;
	node->id = desc->id;
	node->input_count = desc->input_count;
	node->output_count = output_count;
	node->attr_count = desc->attr_count;
	node->op_name = nn_pool_string(pool, desc->op);
	node->name = nn_pool_string(pool, desc->name ? desc->name : "");
	node->inputs = nn_pool_array(pool, node->input_count, sizeof(*node->inputs));
	node->outputs = nn_pool_array(pool, node->output_count, sizeof(*node->outputs));
	node->attrs = nn_pool_array(pool, node->attr_count, sizeof(*node->attrs));
	if (!node->op_name || !node->name || !node->inputs || !node->outputs || !node->attrs)
		return NULL;

	for (i = 0; i < node->input_count; i++)
		if (desc->inputs[i].src_id)
			node->inputs[i] = &nn_graph_find(graph, desc->inputs[i].src_id)
						   ->outputs[desc->inputs[i].output_idx];
	for (i = 0; i < node->attr_count; i++)
		if (!copy_attr(pool, &node->attrs[i], &desc->attrs[i]))
			return NULL;
	for (i = 0; i < node->output_count; i++) {
		node->outputs[i].node = node;
		node->outputs[i].index = i;
		if (i < desc->output_count &&
		    !copy_info(pool, &node->outputs[i].info, &desc->outputs[i]))
			return NULL;
	}
	node->data = desc->data;
	if (desc->data && copy_data) {
		node->data = nn_pool_copy(pool, desc->data, desc->data_size);
		if (!node->data)
			return NULL;
	}
	return node;
}

static int append(struct nn_graph *graph, const struct nn_node_desc *desc, bool copy_data)
{
	struct nn_pool_mark mark = nn_pool_get_mark(&graph->pool);
	uint32_t output_count;
	const struct nn_op *op;
	struct nn_node *node;
	int error;

	if (!desc || !desc->op || (desc->input_count && !desc->inputs) ||
	    (desc->attr_count && !desc->attrs) || (desc->output_count && !desc->outputs))
		return nn_graph_fail(graph, NULL, -EINVAL, "a node's description is incomplete");
	if (!desc->id)
		return nn_graph_fail_at(graph, 0, desc->op, -EINVAL, "node id 0 is not allowed");
	if (nn_graph_find(graph, desc->id))
		return nn_graph_fail_at(graph, desc->id, desc->op, -EEXIST,
					"there is a node with this id already");
	op = nn_op_find(graph, desc->op);
	if (!op)
		return nn_graph_fail_at(graph, desc->id, desc->op, -EOPNOTSUPP,
					"there is no operator \"%s\"", desc->op);
	if (desc->input_count > NN_MAX_COUNT || desc->attr_count > NN_MAX_COUNT ||
	    desc->output_count > NN_MAX_COUNT)
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"has more than %u inputs, outputs or attributes",
					NN_MAX_COUNT);
	error = check_desc(graph, op, desc, &output_count);
	if (error)
		return error;

	node = make_node(graph, op, desc, output_count, copy_data);
	if (!node || nn_graph_add(graph, node)) {
		nn_pool_rewind(&graph->pool, mark);
		return nn_graph_no_memory(graph);
	}
	return 0;
}

int nn_graph_append_locked(struct nn_graph *graph, const struct nn_node_desc *desc)
{
	return append(graph, desc, true);
}

/* The program's descriptions of outputs as the library has them. To be freed. */
static int take_outputs(struct nn_graph *graph, const struct nn_node_desc *desc, size_t size,
			struct nn_tensor_info **result)
{
	struct nn_tensor_info *outputs = calloc(desc->output_count, sizeof(*outputs));
	uint32_t i;

	*result = outputs;
	if (!outputs)
		return nn_graph_no_memory(graph);
	for (i = 0; i < desc->output_count; i++)
		if (!nn_sized_take(&outputs[i], sizeof(*outputs),
				   nn_sized_at(desc->outputs, size, i), size))
			return nn_graph_fail_newer(graph, "description of an output");
	return 0;
}

int nn_graph_append_theirs(struct nn_graph *graph, const struct nn_node_desc *theirs, size_t size,
			   size_t info_size)
{
	struct nn_tensor_info *outputs = NULL;
	struct nn_node_desc desc;
	int error = 0;

	if (!theirs)
		return nn_graph_append_locked(graph, NULL);
	if (!nn_sized_take(&desc, sizeof(desc), theirs, size))
		return nn_graph_fail_newer(graph, "description of a node");
	/* Too many are refused before anybody looks at them. */
	if (info_size != sizeof(*outputs) && desc.outputs && desc.output_count &&
	    desc.output_count <= NN_MAX_COUNT) {
		error = take_outputs(graph, &desc, info_size, &outputs);
		desc.outputs = outputs;
	}
	if (!error)
		error = nn_graph_append_locked(graph, &desc);
	free(outputs);
	return error;
}

int nn_graph_append_kept(struct nn_graph *graph, const struct nn_node_desc *desc)
{
	return append(graph, desc, false);
}
