// SPDX-License-Identifier: MIT
/*
 * The list of operators, attributes, and what the checks of all families have in common.
 */
#include "ops.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "plan/plan.h"

static const struct nn_op *const ops[NN_OP_COUNT] = {
	[NN_OP_INPUT] = &nn_op_input,
	[NN_OP_CONST] = &nn_op_const,
	[NN_OP_OUTPUT] = &nn_op_output,
	[NN_OP_SINK] = &nn_op_sink,
	[NN_OP_NOP] = &nn_op_nop,
	[NN_OP_COPY] = &nn_op_copy,
	[NN_OP_CONV2D] = &nn_op_conv2d,
	[NN_OP_DEPTHWISE_CONV2D] = &nn_op_depthwise_conv2d,
	[NN_OP_FULLY_CONNECTED] = &nn_op_fully_connected,
	[NN_OP_MAX_POOL] = &nn_op_max_pool,
	[NN_OP_AVERAGE_POOL] = &nn_op_average_pool,
	[NN_OP_ADD] = &nn_op_add,
	[NN_OP_REQUANTIZE] = &nn_op_requantize,
	[NN_OP_RELU] = &nn_op_relu,
	[NN_OP_RELU6] = &nn_op_relu6,
	[NN_OP_CLAMP] = &nn_op_clamp,
	[NN_OP_SIGMOID] = &nn_op_sigmoid,
	[NN_OP_TANH] = &nn_op_tanh,
	[NN_OP_RESHAPE] = &nn_op_reshape,
	[NN_OP_TRANSPOSE] = &nn_op_transpose,
	[NN_OP_CONCAT] = &nn_op_concat,
	[NN_OP_BATCH_LOOP] = &nn_op_batch_loop,
	[NN_OP_COUNT_LOOP] = &nn_op_count_loop,
	[NN_OP_PROPOSAL] = &nn_op_proposal,
	[NN_OP_VARIABLE] = &nn_op_variable,
	[NN_OP_ASSIGN] = &nn_op_assign,
	[NN_OP_CROP_RESIZE] = &nn_op_crop_resize,
};

const struct nn_op *nn_op_get(enum nn_op_id id)
{
	return ops[id];
}

const struct nn_op *nn_op_find(const struct nn_graph *graph, const char *name)
{
	const struct nn_op *op;
	uint32_t i;

	for (op = graph->registered; op; op = op->next)
		if (!strcmp(op->name, name))
			return op;
	for (i = 0; i < NN_OP_COUNT; i++)
		if (i != NN_OP_SINK && !strcasecmp(ops[i]->name, name))
			return ops[i];
	return NULL;
}

/* ---- Registered operators */

static int check_registered(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_node_ops *user = node->op->user;
	const struct nn_tensor_info *rows = nn_node_rows(node);
	uint32_t i;

	if (user->check)
		return user->check(graph, node, opaque);

	for (i = 0; i < node->output_count; i++) {
		struct nn_tensor_info *info = &node->outputs[i].info;
		const struct nn_value *like =
			node->input_count ? node->inputs[i % node->input_count] : NULL;

		if (like)
			nn_node_default_quantization(node, i, &like->info);
		if (!info->rank && like) {
			info->rank = like->info.rank;
			memcpy(info->dims, like->info.dims, sizeof(info->dims));
		}
		info->level = rows ? rows->level : 0;
		if (rows && rows->level)
			info->dims[0] = rows->dims[0];
	}
	return 0;
}

int nn_graph_register_op(struct nn_graph *graph, const struct nn_node_ops *user, void *opaque)
{
	const uint32_t known = NN_NODE_FLAG_LCN | NN_NODE_FLAG_STATIC;
	struct nn_op *op;
	int error = 0;

	nn_graph_lock(graph);
	if (!user || !user->name || !*user->name || !user->execute || (user->flags & ~known) ||
	    (user->flags & known) == NN_NODE_FLAG_STATIC) {
		error = nn_graph_fail(
			graph, NULL, -EINVAL,
			"an operator needs a name, an execute function and flags that make sense");
		goto unlock;
	}
	if (nn_op_find(graph, user->name) || !strcasecmp(user->name, nn_op_sink.name)) {
		error = nn_graph_fail_at(graph, 0, user->name, -EEXIST,
					 "there is an operator \"%s\" already", user->name);
		goto unlock;
	}
	op = calloc(1, sizeof(*op));
	if (!op) {
		error = nn_graph_no_memory(graph);
		goto unlock;
	}
	op->name = user->name;
	op->flags = user->flags | NN_OP_REGISTERED;
	if (user->check)
		op->flags |= NN_OP_MIXED_LEVELS;
	op->max_inputs = NN_ANY_NUMBER;
	op->outputs = NN_ANY_NUMBER;
	op->check = check_registered;
	op->execute = user->execute;
	op->opaque = opaque;
	op->user = user;
	op->next = graph->registered;
	graph->registered = op;
unlock:
	nn_graph_unlock(graph);
	return error;
}

/* ---- Descriptions */

static const struct nn_attr *find_attr(const struct nn_attr *attrs, uint32_t count,
				       const char *name)
{
	uint32_t i;

	for (i = 0; i < count; i++)
		if (!strcmp(attrs[i].name, name))
			return &attrs[i];
	return NULL;
}

uint32_t nn_op_count_outputs(const struct nn_op *op, const struct nn_node_desc *desc)
{
	const struct nn_attr *attr = find_attr(desc->attrs, desc->attr_count, "outputs");
	const struct nn_attr *owner = find_attr(desc->attrs, desc->attr_count, "owner");
	uint32_t count = op->outputs;

	if (count == NN_ANY_NUMBER) {
		if (attr && attr->type == NN_ATTR_INT)
			count = attr->i > 0 && attr->i < NN_ANY_NUMBER ? attr->i : NN_ANY_NUMBER;
		else if (op->flags & NN_OP_REGISTERED || op == &nn_op_input)
			count = desc->output_count ? desc->output_count : 1;
		else
			count = desc->input_count;
		/* Loops can have one more output: which outer row each row belongs to. */
		if ((op->flags & NN_NODE_FLAG_LCN) && !(op->flags & NN_OP_REGISTERED) && owner &&
		    owner->type == NN_ATTR_INT && owner->i)
			count++;
	}
	/* Inputs and constants are nothing without a description, others may do without. */
	if (desc->output_count > count ||
	    ((op == &nn_op_input || op == &nn_op_const) && desc->output_count != count))
		return NN_ANY_NUMBER;
	return count;
}

/* What an attribute has to be, for a message. */
static const char *describe_spec(const struct nn_attr_spec *spec)
{
	switch (spec->type) {
	case NN_ATTR_INT:
		return "a whole number";
	case NN_ATTR_INTS:
		return spec->or_string ? "whole numbers or a word" : "whole numbers";
	case NN_ATTR_FLOAT:
		return "a number";
	case NN_ATTR_FLOATS:
		return "numbers";
	default:
		return "a word";
	}
}

static int check_attr(struct nn_graph *graph, const struct nn_node_desc *desc,
		      const struct nn_attr *attr, const struct nn_attr_spec *spec)
{
	bool right = attr->type == spec->type;
	uint32_t count = attr->count;

	if (attr->type == NN_ATTR_INT || attr->type == NN_ATTR_FLOAT)
		count = 1;
	switch (spec->type) {
	case NN_ATTR_FLOAT:
		right |= attr->type == NN_ATTR_INT;
		break;
	case NN_ATTR_INTS:
		right |= attr->type == NN_ATTR_INT;
		if (right && (count < spec->min_count || count > spec->max_count))
			return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
						"attribute %s has %u numbers, but takes %u to %u",
						attr->name, count, spec->min_count,
						spec->max_count);
		break;
	default:
		break;
	}
	if (attr->type == NN_ATTR_STRING && spec->or_string)
		right = true;
	if (!right)
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"attribute %s must be %s", attr->name,
					describe_spec(spec));
	return 0;
}

int nn_op_check_attrs(struct nn_graph *graph, const struct nn_op *op,
		      const struct nn_node_desc *desc)
{
	const struct nn_attr_spec *spec;
	uint32_t i;
	int error;

	for (i = 0; i < desc->attr_count; i++) {
		const struct nn_attr *attr = &desc->attrs[i];

		if (!attr->name || (attr->type == NN_ATTR_STRING && !attr->string) ||
		    (attr->type == NN_ATTR_INTS && attr->count && !attr->ints) ||
		    (attr->type == NN_ATTR_FLOATS && attr->count && !attr->floats) ||
		    attr->type < NN_ATTR_INT || attr->type > NN_ATTR_STRING)
			return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
						"attribute %u is incomplete", i);
		if (find_attr(desc->attrs, i, attr->name))
			return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
						"attribute %s is given twice", attr->name);
		if (!op->attrs) {
			if (op->flags & NN_OP_REGISTERED)
				continue;
			return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
						"has no attribute %s", attr->name);
		}
		for (spec = op->attrs; spec->name; spec++)
			if (!strcmp(spec->name, attr->name))
				break;
		if (!spec->name)
			return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
						"has no attribute %s", attr->name);
		error = check_attr(graph, desc, attr, spec);
		if (error)
			return error;
	}
	return 0;
}

/* ---- Attributes of a node */

const struct nn_attr *nn_node_get_attr(const struct nn_node *node, const char *name)
{
	return find_attr(node->attrs, node->attr_count, name);
}

int64_t nn_node_get_attr_int(const struct nn_node *node, const char *name, int64_t otherwise)
{
	const struct nn_attr *attr = nn_node_get_attr(node, name);

	return attr && attr->type == NN_ATTR_INT ? attr->i : otherwise;
}

void nn_node_get_ints(const struct nn_node *node, const char *name, uint32_t count, int64_t *values)
{
	const struct nn_attr *attr = nn_node_get_attr(node, name);
	uint32_t i;

	if (!attr)
		return;
	for (i = 0; i < count; i++) {
		if (attr->type == NN_ATTR_INT)
			values[i] = attr->i;
		else if (attr->type == NN_ATTR_INTS && i < attr->count)
			values[i] = attr->ints[i];
	}
}

const char *nn_node_get_string(const struct nn_node *node, const char *name, const char *otherwise)
{
	const struct nn_attr *attr = nn_node_get_attr(node, name);

	return attr && attr->type == NN_ATTR_STRING ? attr->string : otherwise;
}

float nn_node_get_float(const struct nn_node *node, const char *name, float otherwise)
{
	const struct nn_attr *attr = nn_node_get_attr(node, name);

	if (!attr)
		return otherwise;
	return attr->type == NN_ATTR_INT ? (float)attr->i : attr->f;
}

/* ---- Inference */

const struct nn_tensor_info *nn_node_rows(const struct nn_node *node)
{
	uint32_t i;

	for (i = 0; i < node->input_count; i++)
		if (node->inputs[i] && !nn_value_is_const(node->inputs[i]))
			return &node->inputs[i]->info;
	return node->input_count && node->inputs[0] ? &node->inputs[0]->info : NULL;
}

void nn_node_default_quantization(struct nn_node *node, uint32_t output,
				  const struct nn_tensor_info *like)
{
	struct nn_tensor_info *info = &node->outputs[output].info;

	if (!info->scale && !info->scales && (!info->type || info->type == like->type)) {
		info->scale = like->scale;
		info->zero_point = like->zero_point;
		info->scales = like->scales;
		info->scale_count = like->scale_count;
		info->axis = like->axis;
	}
	if (!info->type)
		info->type = like->type;
}

int nn_node_infer_shape(struct nn_node *node, uint32_t output, const struct nn_tensor_info *rows,
			uint32_t rank, const uint32_t *dims)
{
	struct nn_tensor_info *info = &node->outputs[output].info,
			      inferred = { .rank = rank, .level = rows->level };
	char got[NN_SHAPE_TEXT], want[NN_SHAPE_TEXT];
	uint32_t i;

	memcpy(inferred.dims, dims, rank * sizeof(*dims));
	inferred.dims[0] = rows->dims[0];
	for (i = rows->level ? 1 : 0; info->rank && i < rank; i++)
		if (info->dims[i] != inferred.dims[i])
			break;
	if (info->rank && (info->rank != rank || i < rank))
		return nn_node_fail(node, -EINVAL, "output %u is described as %s but is %s", output,
				    nn_info_format_shape(info, got, sizeof(got)),
				    nn_info_format_shape(&inferred, want, sizeof(want)));
	info->rank = rank;
	memcpy(info->dims, inferred.dims, sizeof(info->dims));
	info->level = rows->level;
	return 0;
}

void nn_node_alias(struct nn_node *node, uint32_t output, uint32_t input)
{
	struct nn_value *root = nn_value_root(node->inputs[input]);

	/* A variable may change before the other name is used: that needs a copy. */
	if (root->persistent)
		return;
	node->outputs[output].storage = NN_STORAGE_ALIAS;
	node->outputs[output].base = root;
}

int nn_node_need_8bit(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	if (!nn_type_is_8bit(info->type))
		return nn_node_fail(node, -EINVAL, "the %s must be int8 or uint8, not %s", what,
				    info->type ? nn_data_type_name(info->type) : "without a type");
	return nn_node_need_scale(node, info, what);
}

int nn_node_need_scale(struct nn_node *node, const struct nn_tensor_info *info, const char *what)
{
	if (!info->scale && !info->scales)
		return nn_node_fail(node, -EINVAL, "the %s has no scale", what);
	return 0;
}
