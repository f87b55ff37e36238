// SPDX-License-Identifier: MIT
/*
 * Inputs of a Concat along the last dimension that are made where they belong in its output: some
 * channels of each of its pixels. So nothing copies them, and they have no memory of their own.
 *
 * Works on what inference, views.c and overwrite.c found. Operators say in node->may_be_strided that
 * they can write their output so, and what that is written over as well. Others may look at it, as
 * far as they can have strided pixels and come before the Concat: what is behind it may be written
 * over all of its output. Views of what is made there are there, too: if a Concat puts together
 * again all that a tensor was divided into, and others', nothing of it is copied.
 *
 * A copy into the Concat is saved, but who gathers or scatters (struct nn_node) takes as long as
 * that for strided pixels. So of one that makes a tensor and those that read it there may be
 * one such at most: then nothing takes longer, and there are fewer bytes to read and write, and to
 * keep.
 */
#include "plan.h"

/*
 * While this works, last_use is the last position in the list that reads a root, under any name, or
 * a view of it, first_use is 1 if one of its names or readers is not for this, and `moves` is how
 * often its pixels would be gathered and scattered.
 */

static bool has_channels(const struct nn_tensor_info *info, uint32_t channels)
{
	return info->rank > 1 && info->dims[info->rank - 1] == channels;
}

static void look_at_output(const struct nn_node *node, struct nn_value *value)
{
	struct nn_value *root = nn_value_root(value);
	const struct nn_tensor_info *info = &root->info;

	if (!node->may_be_strided || value->index || node->runs_on != NN_RUNS_DEVICE ||
	    !has_channels(&value->info, info->dims[info->rank - 1]))
		root->first_use = 1;
	root->moves += node->scatters;
}

static void look_at_input(const struct nn_node *node, uint32_t input, uint32_t position)
{
	struct nn_value *root = nn_value_root(node->inputs[input]);
	bool is_overwritten = node->overwritten && root == nn_value_root(&node->outputs[0]);

	if (!is_overwritten && !nn_node_reads_strided(node, input))
		root->first_use = 1;
	root->moves += nn_node_gathers(node, input);
	root->last_use = position;
	while (root->storage == NN_STORAGE_CHANNELS) {
		root = nn_value_root(root->base);
		root->last_use = position;
	}
}

static void look_at_names(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		node->order = i;
		for (j = 0; j < node->output_count; j++)
			look_at_output(node, &node->outputs[j]);
		for (j = 0; j < node->input_count; j++)
			if (node->inputs[j])
				look_at_input(node, j, i);
	}
}

/*
 * Into the `slot` of a root without a place how many inputs of a Concat are in it: that, or views.
 */
static void count_inputs(struct nn_node *concat)
{
	uint32_t i;

	for (i = 0; i < concat->input_count; i++) {
		struct nn_value *value = nn_value_root(concat->inputs[i]);

		while (value->storage == NN_STORAGE_CHANNELS)
			value = nn_value_root(value->base);
		if (value->storage == NN_STORAGE_NONE)
			value->slot++;
	}
}

/* No place that has been found since has a slot. */
static void forget_counts(struct nn_node *concat)
{
	uint32_t i;

	for (i = 0; i < concat->input_count; i++) {
		struct nn_value *value = nn_value_root(concat->inputs[i]);

		for (; value->storage == NN_STORAGE_CHANNELS; value = nn_value_root(value->base))
			value->slot = 0;
		if (value->storage == NN_STORAGE_NONE)
			value->slot = 0;
	}
}

/* Whether a root that `count` inputs of a Concat are in, and no more, can be made there. */
static bool can_be_strided(const struct nn_node *concat, const struct nn_value *root,
			   uint32_t count)
{
	return root->storage == NN_STORAGE_NONE && !root->persistent && !nn_value_is_const(root) &&
	       !root->first_use && root->moves <= 1 && root->last_use == concat->order &&
	       root->node->refs == concat->refs && root->slot == count;
}

static uint32_t channels_of(const struct nn_value *value)
{
	return value->info.dims[value->info.rank - 1];
}

/*
 * Returns what inputs of a Concat from number `first` on are in: a root, or one of which they are
 * views, one behind the other and all that there is of it. *count: how many. NULL: they are no
 * such.
 */
static struct nn_value *find_whole(const struct nn_node *concat, uint32_t first, uint32_t *count)
{
	struct nn_value *whole = nn_value_root(concat->inputs[first]), *view = whole;
	uint64_t offset = 0;
	uint32_t i, channels = 0;

	*count = 1;
	if (view->storage != NN_STORAGE_CHANNELS)
		return whole;
	whole = nn_value_root(view->base);
	for (i = first; i < concat->input_count && channels < channels_of(whole); i++) {
		view = nn_value_root(concat->inputs[i]);
		if (view->storage != NN_STORAGE_CHANNELS || nn_value_root(view->base) != whole ||
		    view->offset != offset)
			return NULL;
		channels += channels_of(view);
		offset = (uint64_t)channels * nn_data_type_size(view->info.type);
	}
	*count = i - first;
	return channels == channels_of(whole) ? whole : NULL;
}

static void place_inputs(struct nn_node *concat)
{
	struct nn_value *output = &concat->outputs[0];
	uint32_t i, count, channels = 0;

	count_inputs(concat);
	for (i = 0; i < concat->input_count; i++) {
		struct nn_value *whole = find_whole(concat, i, &count);

		if (whole && can_be_strided(concat, whole, count)) {
			whole->storage = NN_STORAGE_CHANNELS;
			whole->base = output;
			whole->offset = (uint64_t)channels * nn_data_type_size(whole->info.type);
		}
		channels += channels_of(concat->inputs[i]);
	}
	forget_counts(concat);
}

void nn_plan_place_channels(struct nn_plan *plan)
{
	uint32_t i, j;

	look_at_names(plan);
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		if (node->concats_channels && node->runs_on == NN_RUNS_DEVICE &&
		    node->outputs[0].storage == NN_STORAGE_NONE && !node->outputs[0].persistent)
			place_inputs(node);
	}
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->output_count; j++)
			node->outputs[j].first_use = node->outputs[j].last_use =
				node->outputs[j].moves = 0;
	}
}
