// SPDX-License-Identifier: MIT
/*
 * ONNX's If, where its condition is known when the model is imported: the branch that is taken is
 * in its place.
 *
 * Which branch that is shows during the walk, but the list of nodes is made before. So the walk
 * takes note of it, and the import begins again with the branch in the list (onnx.c). Each time at
 * least one more If is decided, and what cannot run is only looked for when none is left.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "import/onnx/onnx.h"

#define MAX_HOPS 256 /* from a condition back to an input */

/* An If, and the graph that is taken of it. */
struct onnx_choice {
	const Onnx__NodeProto *node;
	const Onnx__GraphProto *branch;
};

static bool is_if(const Onnx__NodeProto *node)
{
	return !strcmp(node->op_type, "If") &&
	       (!node->domain || !*node->domain || !strcmp(node->domain, "ai.onnx"));
}

/* ---- Decisions ---- */

static int compare_choices(const void *a, const void *b)
{
	const struct onnx_choice *x = a, *y = b;

	return x->node < y->node ? -1 : x->node > y->node;
}

const Onnx__GraphProto *onnx_chosen_branch(const struct onnx_choices *choices,
					   const Onnx__NodeProto *node)
{
	const struct onnx_choice key = { .node = node }, *found;

	if (!choices->count || !is_if(node))
		return NULL;
	found = bsearch(&key, choices->list, choices->count, sizeof(key), compare_choices);
	return found ? found->branch : NULL;
}

const Onnx__GraphProto *onnx_taken_branch(const struct onnx_import *import,
					  const Onnx__NodeProto *node)
{
	return onnx_chosen_branch(import->choices, node);
}

bool onnx_sort_choices(struct onnx_choices *choices)
{
	bool more = choices->count > choices->sorted;

	if (more)
		qsort(choices->list, choices->count, sizeof(*choices->list), compare_choices);
	choices->sorted = choices->count;
	return more;
}

static int decide(struct onnx_import *import, const Onnx__GraphProto *branch)
{
	struct onnx_choices *choices = import->choices;
	size_t room = choices->room ? 2 * choices->room : 16;
	struct onnx_choice *list;

	if (choices->count == choices->room) {
		list = reallocarray(choices->list, room, sizeof(*list));
		if (!list)
			return nn_graph_no_memory(import->builder.graph);
		choices->list = list;
		choices->room = room;
	}
	choices->list[choices->count++] = (struct onnx_choice){ import->node, branch };
	return 0;
}

/* ---- The node ---- */

const char *onnx_find_source(struct onnx_import *import, const char *name)
{
	for (int hops = 0; hops < MAX_HOPS; hops++) {
		const struct onnx_value *value = onnx_find(import, name), *next = NULL;
		const Onnx__NodeProto *maker = value ? value->maker : NULL;

		if (value && value->is_input)
			return name;
		for (size_t k = 0; maker && k < maker->n_input && !next; k++) {
			const struct onnx_value *input = onnx_find(import, maker->input[k]);

			if (input && !onnx_is_const(input))
				next = input;
		}
		if (!next)
			return NULL;
		name = next->tensor.name;
	}
	return NULL;
}

static int refuse_if(struct onnx_import *import)
{
	const char *source = onnx_find_source(import, import->node->input[0]);

	if (!source)
		return onnx_fail(import, -EOPNOTSUPP,
				 "its condition is not known before the model runs\n"
				 "where it is always the same, export the model with the branch "
				 "that is taken in its place");
	return onnx_fail(import, -EOPNOTSUPP,
			 "its condition depends on input %s, and nnloop knows it where that is "
			 "known\nsay what the input is, if that is always the same: --set "
			 "NAME=VALUE, or which shape it has: --shape NAME=NUMBER,..., "
			 "nn_import_options",
			 onnx_quote(import, source));
}

int onnx_lower_if(struct onnx_import *import)
{
	const struct onnx_value *condition = onnx_input(import, 0);
	const Onnx__AttributeProto *attr;
	const Onnx__GraphProto *branch;
	bool is_true;
	int err;

	import->decides_rows |= condition->kind == ONNX_ROW_COUNT;
	if (condition->kind != ONNX_CONST || condition->constant.count != 1)
		return refuse_if(import);
	if (condition->constant.element != NN_ELEMENT_BOOL)
		return onnx_fail(import, -EINVAL, "its condition is no bool");
	is_true = nn_const_int(&condition->constant, 0);
	attr = onnx_attr(import->node, is_true ? "then_branch" : "else_branch");
	branch = attr ? attr->g : NULL;
	if (!branch || branch->n_output != import->node->n_output)
		return onnx_fail(import, -EINVAL, "it has other outputs than its branch");
	err = decide(import, branch);
	return err ? err : onnx_follow(import);
}

/* ---- In the list of nodes ---- */

Onnx__NodeProto *onnx_pass_on(struct nn_pool *pool, const Onnx__NodeProto *node,
			      const Onnx__GraphProto *branch, size_t i)
{
	static char identity[] = "Identity";
	Onnx__NodeProto *pass = nn_pool_alloc(pool, sizeof(*pass));
	char **ends = nn_pool_array(pool, 2, sizeof(*ends));

	if (!pass || !ends)
		return NULL;
	onnx__node_proto__init(pass);
	pass->op_type = identity;
	pass->n_input = pass->n_output = 1;
	pass->input = &ends[0];
	pass->output = &ends[1];
	ends[0] = branch->output[i]->name ? branch->output[i]->name : identity + strlen(identity);
	ends[1] = node->output[i];
	return pass;
}
