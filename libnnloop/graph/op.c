// SPDX-License-Identifier: MIT
/*
 * Operators by name, and what a node's description says about one: outputs and attributes.
 */
#include "graph.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

const struct nn_op *nn_op_find(const struct nn_graph *graph, const char *name)
{
	const struct nn_op *const *built_in, *op;

	for (op = graph->registered; op; op = op->next)
		if (!strcmp(op->name, name))
			return op;
	for (built_in = graph->built_in; *built_in; built_in++)
		if (!((*built_in)->flags & NN_OP_INTERNAL) && !strcasecmp((*built_in)->name, name))
			return *built_in;
	return NULL;
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

/* Inputs of a loop-control node that it does not hand out. */
static uint32_t count_kept(const struct nn_op *op, const struct nn_node_desc *desc)
{
	const struct nn_attr *counted = find_attr(desc->attrs, desc->attr_count, "counted");

	if ((op->flags & NN_NODE_FLAG_LCN) && !(op->flags & NN_OP_REGISTERED) && counted &&
	    counted->type == NN_ATTR_INT && counted->i)
		return 1;
	return op->kept_inputs;
}

uint32_t nn_op_count_outputs(const struct nn_op *op, const struct nn_node_desc *desc)
{
	const struct nn_attr *attr = find_attr(desc->attrs, desc->attr_count, "outputs");
	const struct nn_attr *owner = find_attr(desc->attrs, desc->attr_count, "owner");
	uint32_t count = op->outputs;

	if (count == NN_ANY_NUMBER) {
		if (attr && attr->type == NN_ATTR_INT)
			count = attr->i > 0 && attr->i < NN_ANY_NUMBER ? attr->i : NN_ANY_NUMBER;
		else if (op->flags & (NN_OP_REGISTERED | NN_OP_INPUT))
			count = desc->output_count ? desc->output_count : 1;
		else
			count = desc->input_count - count_kept(op, desc);
		/* Loops can have one more output: which outer row each row belongs to. */
		if ((op->flags & NN_NODE_FLAG_LCN) && !(op->flags & NN_OP_REGISTERED) && owner &&
		    owner->type == NN_ATTR_INT && owner->i)
			count++;
	}
	/* Inputs and constants are nothing without a description, others may do without. */
	if (desc->output_count > count ||
	    ((op->flags & (NN_OP_INPUT | NN_OP_CONST)) && desc->output_count != count))
		return NN_ANY_NUMBER;
	return count;
}

/* The kind of value that an attribute has to be, in words for a message. */
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
	if (spec->is_flag && (attr->i < 0 || attr->i > 1))
		return nn_graph_fail_at(graph, desc->id, desc->op, -EINVAL,
					"attribute %s must be 0 or 1", attr->name);
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
