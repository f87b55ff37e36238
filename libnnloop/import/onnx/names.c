// SPDX-License-Identifier: MIT
/*
 * The nodes of an ONNX model in one list, and all names in it, by which everything refers to
 * everything.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

/* ---- Steps ---- */

static int count_steps(struct onnx_import *import, const Onnx__GraphProto *graph, bool inner);

/* The steps of a node with bodies of its own, where those are imported as scopes. */
static int count_bodies(struct onnx_import *import, const Onnx__NodeProto *node)
{
	const Onnx__GraphProto *bodies[2];
	uint32_t count = onnx_find_bodies(node, bodies);
	int err = 0;

	import->step_count += count;
	for (uint32_t i = 0; i < count && !err; i++)
		err = count_steps(import, bodies[i], true);
	return err;
}

static int count_steps(struct onnx_import *import, const Onnx__GraphProto *graph, bool inner)
{
	for (size_t i = 0; i < graph->n_node; i++) {
		const Onnx__NodeProto *node = graph->node[i];
		const Onnx__GraphProto *body, *branch;
		int err;

		if (!node->op_type || !*node->op_type)
			return onnx_fail(import, -EINVAL, "node %zu of %s has no operator", i,
					 inner ? "a Loop" : "the model");
		branch = onnx_taken_branch(import, node);
		if (branch) {
			import->step_count += branch->n_output;
			import->branch_count++;
			err = count_steps(import, branch, inner);
			if (err)
				return err;
			continue;
		}
		import->step_count++;
		import->has_control |= onnx_is_control(node) || onnx_finds_boxes(node);
		if (import->controlled && onnx_is_control(node)) {
			err = count_bodies(import, node);
			if (err)
				return err;
			continue;
		}
		body = inner ? NULL : onnx_loop_body(node); /* one level of them */
		if (!body)
			continue;
		err = count_steps(import, body, true);
		if (err)
			return err;
		import->step_count++;
	}
	return 0;
}

static int add_steps(struct onnx_import *import, const Onnx__GraphProto *graph, bool inner);

/* The nodes of a branch that is taken, and in front of what reads the If, what it passes on. */
static int add_branch(struct onnx_import *import, const Onnx__NodeProto *node,
		      const Onnx__GraphProto *branch, bool inner)
{
	int err;

	import->branches[import->branch_count++] = branch;
	err = add_steps(import, branch, inner);
	for (size_t i = 0; i < branch->n_output && !err; i++) {
		const Onnx__NodeProto *pass = onnx_pass_on(&import->builder.pool, node, branch, i);

		if (!pass)
			return nn_graph_no_memory(import->builder.graph);
		import->steps[import->step_count++] = (struct onnx_step){ .node = pass };
	}
	return err;
}

static void add_step(struct onnx_import *import, const Onnx__NodeProto *node, enum onnx_step_kind kind)
{
	import->steps[import->step_count++] = (struct onnx_step){ .node = node, .kind = kind };
}

/* A node with bodies: its begin, and each of these with an end. */
static int add_bodies(struct onnx_import *import, const Onnx__NodeProto *node)
{
	const Onnx__GraphProto *bodies[2];
	uint32_t count = onnx_find_bodies(node, bodies);
	int err = 0;

	/* Without any it is refused. */
	add_step(import, node, count ? ONNX_BODY_BEGIN : ONNX_NODE);
	for (uint32_t i = 0; i < count && !err; i++) {
		err = add_steps(import, bodies[i], true);
		add_step(import, node, i + 1 < count ? ONNX_BODY_NEXT : ONNX_BODY_END);
	}
	return err;
}

static int add_steps(struct onnx_import *import, const Onnx__GraphProto *graph, bool inner)
{
	int err = 0;

	for (size_t i = 0; i < graph->n_node && !err; i++) {
		const Onnx__NodeProto *node = graph->node[i];
		const Onnx__GraphProto *body = onnx_loop_body(node);
		const Onnx__GraphProto *branch = onnx_taken_branch(import, node);
		struct onnx_step *step = &import->steps[import->step_count];

		if (branch) {
			err = add_branch(import, node, branch, inner);
			continue;
		}
		if (import->controlled && onnx_is_control(node)) {
			err = add_bodies(import, node);
			continue;
		}
		import->step_count++;
		*step = (struct onnx_step){ .node = node };
		if (!body)
			continue;
		step->kind = inner ? ONNX_INNER_LOOP : ONNX_LOOP_BEGIN;
		if (inner)
			continue;
		err = add_steps(import, body, true);
		import->steps[import->step_count++] =
			(struct onnx_step){ .node = node, .kind = ONNX_LOOP_END };
	}
	return err;
}

/* One list of all nodes: a Loop's body stands where the Loop does, a taken branch for its If. */
static int list_steps(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	int err = count_steps(import, graph, false);

	if (err)
		return err;
	import->steps = onnx_alloc(import, import->step_count, sizeof(*import->steps));
	import->branches = onnx_alloc(import, import->branch_count, sizeof(*import->branches));
	if (!import->steps || !import->branches)
		return -ENOMEM;
	import->step_count = import->branch_count = 0;
	return add_steps(import, graph, false);
}

/* ---- Names ---- */

static int compare_values(const void *a, const void *b)
{
	return strcmp(((const struct onnx_value *)a)->tensor.name,
		      ((const struct onnx_value *)b)->tensor.name);
}

static void add_name(struct onnx_import *import, const char *name)
{
	if (name && *name)
		import->values[import->value_count++].tensor.name = name;
}

int onnx_for_each_graph(struct onnx_import *import, onnx_graph_fp function)
{
	int err = function(import, import->model->graph);

	for (uint32_t i = 0; i < import->step_count && !err; i++) {
		const Onnx__GraphProto *bodies[2];
		uint32_t count = 0;

		if (import->steps[i].kind == ONNX_LOOP_BEGIN)
			err = function(import, onnx_loop_body(import->steps[i].node));
		else if (import->steps[i].kind == ONNX_BODY_BEGIN)
			count = onnx_find_bodies(import->steps[i].node, bodies);
		for (uint32_t k = 0; k < count && !err; k++)
			err = function(import, bodies[k]);
	}
	for (uint32_t i = 0; i < import->branch_count && !err; i++)
		err = function(import, import->branches[i]);
	return err;
}

static int count_names(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	import->value_count += graph->n_initializer + graph->n_input;
	return 0;
}

static int add_graph_names(struct onnx_import *import, const Onnx__GraphProto *graph)
{
	for (size_t i = 0; i < graph->n_initializer; i++)
		add_name(import, graph->initializer[i]->name);
	/* Before version 4 of the format, initializers are listed among the inputs. */
	for (size_t i = 0; i < graph->n_input; i++)
		add_name(import, graph->input[i]->name);
	return 0;
}

/* A node of two steps or more makes its outputs at the last. */
static bool makes_outputs(const struct onnx_step *step)
{
	return step->kind != ONNX_LOOP_BEGIN && step->kind != ONNX_BODY_BEGIN &&
	       step->kind != ONNX_BODY_NEXT;
}

static int index_names(struct onnx_import *import)
{
	uint32_t kept = 0;
	size_t count;

	onnx_for_each_graph(import, count_names);
	count = import->value_count;
	for (uint32_t i = 0; i < import->step_count; i++)
		count += import->steps[i].node->n_output;
	import->value_count = 0;
	import->values = onnx_alloc(import, count, sizeof(*import->values));
	if (!import->values)
		return -ENOMEM;
	onnx_for_each_graph(import, add_graph_names);
	qsort(import->values, import->value_count, sizeof(*import->values), compare_values);
	for (uint32_t i = 0; i < import->value_count; i++) {
		if (!kept ||
		    strcmp(import->values[kept - 1].tensor.name, import->values[i].tensor.name))
			import->values[kept++].tensor.name = import->values[i].tensor.name;
	}
	import->value_count = kept;
	for (uint32_t i = 0; i < import->step_count; i++) {
		const struct onnx_step *step = &import->steps[i];

		for (size_t k = 0; makes_outputs(step) && k < step->node->n_output; k++)
			add_name(import, step->node->output[k]);
	}
	qsort(import->values, import->value_count, sizeof(*import->values), compare_values);
	for (uint32_t i = 1; i < import->value_count; i++) {
		if (!strcmp(import->values[i - 1].tensor.name, import->values[i].tensor.name))
			return onnx_fail(import, -EINVAL, "the model defines %s twice",
					 onnx_quote(import, import->values[i].tensor.name));
	}
	return 0;
}

/* Makes the list of nodes that read each name. */
static int index_users(struct onnx_import *import)
{
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t i = 0; fill && i < import->value_count; i++) {
			struct onnx_value *value = &import->values[i];

			value->users = onnx_alloc(import, value->user_count, sizeof(*value->users));
			if (!value->users)
				return -ENOMEM;
			value->user_count = 0;
		}
		for (uint32_t i = 0; i < import->step_count; i++) {
			const Onnx__NodeProto *node = import->steps[i].node;

			if (!onnx_is_first(&import->steps[i]))
				continue;
			for (size_t k = 0; fill && k < node->n_output; k++) {
				struct onnx_value *value = onnx_find(import, node->output[k]);

				if (value)
					value->maker = node;
			}
			for (size_t k = 0; k < node->n_input; k++) {
				struct onnx_value *value = onnx_find(import, node->input[k]);

				if (!value)
					continue;
				if (fill)
					value->users[value->user_count] = i;
				value->user_count++;
			}
		}
	}
	return 0;
}

int onnx_index(struct onnx_import *import)
{
	int err = list_steps(import, import->model->graph);

	if (!err)
		err = index_names(import);
	if (!err)
		err = index_users(import);
	for (uint32_t i = 0; i < import->value_count && !err; i++)
		onnx_index_quantizers(import, &import->values[i]);
	for (size_t i = 0; i < import->model->graph->n_output && !err; i++) {
		struct onnx_value *value = onnx_find(import, import->model->graph->output[i]->name);

		if (value)
			value->is_output = true;
	}
	for (uint32_t i = 0; i < import->step_count && !err; i++) {
		if (import->steps[i].kind == ONNX_BODY_BEGIN)
			onnx_index_bodies(import, import->steps[i].node);
	}
	return err;
}

/* ---- Finding values ---- */

static int compare_names(const void *name, const void *value)
{
	return strcmp(name, ((const struct onnx_value *)value)->tensor.name);
}

struct onnx_value *onnx_find(struct onnx_import *import, const char *name)
{
	if (!name || !*name)
		return NULL;
	return bsearch(name, import->values, import->value_count, sizeof(*import->values),
		       compare_names);
}

struct onnx_value *onnx_input(struct onnx_import *import, uint32_t i)
{
	struct onnx_value *value =
		i < import->node->n_input ? onnx_find(import, import->node->input[i]) : NULL;

	return value ? value : &import->absent;
}

struct onnx_value *onnx_output(struct onnx_import *import, uint32_t i)
{
	return i < import->node->n_output ? onnx_find(import, import->node->output[i]) : NULL;
}
