// SPDX-License-Identifier: MIT
/*
 * Inputs of a Concat along the last dimension that are made where they belong in its output: some
 * channels of each of its pixels. So nothing copies them, and they have no memory of their own.
 *
 * Works on what inference and overwrite.c found. Operators say in node->may_be_apart that they can
 * write their output so, and what that is written over as well; nobody else may look at it but the
 * Concat, which then has nothing to do for it.
 */
#include "plan.h"

/*
 * While this works, last_use counts who reads a root, under any name, but for what is written over
 * it, and first_use is 1 if one of its names is not for this.
 */

static bool has_channels(const struct nn_tensor_info *info, uint32_t channels)
{
	return info->rank > 1 && info->dims[info->rank - 1] == channels;
}

static void look_at_output(const struct nn_node *node, struct nn_value *value)
{
	struct nn_value *root = nn_value_root(value);
	const struct nn_tensor_info *info = &root->info;

	if (!node->may_be_apart || value->index || node->runs_on != NN_RUNS_DEVICE ||
	    !has_channels(&value->info, info->dims[info->rank - 1]))
		root->first_use = 1;
}

static void look_at_names(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->output_count; j++)
			look_at_output(node, &node->outputs[j]);
		for (j = 0; j < node->input_count; j++) {
			struct nn_value *value = node->inputs[j];

			if (value &&
			    (!node->overwritten ||
			     nn_value_root(value) != nn_value_root(&node->outputs[0])))
				nn_value_root(value)->last_use++;
		}
	}
}

/* Whether a Concat, which reads it, is the only one. */
static bool can_be_apart(const struct nn_node *concat, const struct nn_value *root)
{
	return root->storage == NN_STORAGE_NONE && !root->persistent && !nn_value_is_const(root) &&
	       !root->first_use && root->last_use == 1 && root->node->refs == concat->refs;
}

static void place_inputs(struct nn_node *concat)
{
	struct nn_value *output = &concat->outputs[0];
	uint64_t offset = 0;
	uint32_t i;

	for (i = 0; i < concat->input_count; i++) {
		const struct nn_tensor_info *info = &concat->inputs[i]->info;
		struct nn_value *root = nn_value_root(concat->inputs[i]);

		if (can_be_apart(concat, root)) {
			root->storage = NN_STORAGE_CHANNELS;
			root->base = output;
			root->offset = offset;
		}
		offset += (uint64_t)info->dims[info->rank - 1] * nn_data_type_size(info->type);
	}
}

void nn_plan_place_channels(struct nn_plan *plan)
{
	uint32_t i, j;

	look_at_names(plan);
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		if (node->joins_channels && node->runs_on == NN_RUNS_DEVICE &&
		    node->outputs[0].storage == NN_STORAGE_NONE && !node->outputs[0].persistent)
			place_inputs(node);
	}
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->output_count; j++)
			node->outputs[j].first_use = node->outputs[j].last_use = 0;
	}
}
