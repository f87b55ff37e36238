// SPDX-License-Identifier: MIT
/*
 * Outputs that are written over an input, which nobody else reads: the sum of two tensors in the
 * place of one of them, an activation in the place of what it is of.
 *
 * That is less memory, and more of it near the device. And where an operator works in place of what
 * the one before it in the program has made, the two can be run as one: the DSP does that behind
 * convolutions (nn_call_fuses() in dsp/program/kernels.h). So of two inputs it is the one that is made
 * last.
 *
 * Works on what inference found: operators say in node->may_overwrite which inputs it can be.
 */
#include "plan.h"

/*
 * While this works, last_use counts who reads a root, under any name, and first_use is the node,
 * from 1 on, that gives it another one.
 */

/* Who gives an input another name does not look at it, unless that is assigned to a variable. */
static void count_readers(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		node->order = i;
		for (j = 0; j < node->output_count && !nn_node_has(node, NN_OP_ASSIGNS); j++)
			if (node->outputs[j].storage == NN_STORAGE_ALIAS)
				node->outputs[j].base->first_use = i + 1;
		for (j = 0; j < node->input_count; j++)
			if (node->inputs[j] && nn_value_root(node->inputs[j])->first_use != i + 1)
				nn_value_root(node->inputs[j])->last_use++;
	}
}

/* It is in memory of its own, made anew in each pass that reads it. */
static bool is_free(const struct nn_node *node, const struct nn_value *root)
{
	return root->storage == NN_STORAGE_NONE && !root->persistent && !nn_value_is_const(root) &&
	       root->last_use == 1 && root->node->runs_on == NN_RUNS_DEVICE &&
	       root->node->refs == node->refs;
}

static bool fits(const struct nn_tensor_info *to, const struct nn_tensor_info *from)
{
	return to->level == from->level && to->dims[0] == from->dims[0] &&
	       nn_data_type_size(to->type) == nn_data_type_size(from->type) &&
	       nn_info_row_bytes(to) == nn_info_row_bytes(from);
}

/* The root of the input that output 0 is written over; NULL: none. */
static struct nn_value *choose(const struct nn_node *node)
{
	struct nn_value *chosen = NULL;
	uint32_t i;

	if (!node->may_overwrite || node->outputs[0].storage != NN_STORAGE_NONE)
		return NULL;
	for (i = 0; i < node->input_count; i++) {
		struct nn_value *root;

		if (!(node->may_overwrite >> i & 1))
			continue;
		root = nn_value_root(node->inputs[i]);
		if (is_free(node, root) && fits(&node->outputs[0].info, &root->info) &&
		    (!chosen || chosen->node->order < root->node->order))
			chosen = root;
	}
	return chosen;
}

void nn_plan_overwrite(struct nn_plan *plan)
{
	uint32_t i, j;

	count_readers(plan);
	for (i = 0; i < plan->node_count; i++)
		plan->nodes[i]->overwritten = choose(plan->nodes[i]);
	/*
	 * Until now roots were what they are without it. In the order of the list, so that names
	 * are of what is a root then, and no chain of them is long.
	 */
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->output_count; j++)
			node->outputs[j].first_use = node->outputs[j].last_use = 0;
		if (!node->overwritten)
			continue;
		node->outputs[0].storage = NN_STORAGE_ALIAS;
		node->outputs[0].base = nn_value_root(node->overwritten);
	}
}
