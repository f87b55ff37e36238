// SPDX-License-Identifier: MIT
/*
 * Slices along the last dimension that are views: some channels of each pixel of their input, where
 * that is. So nothing copies them, and they have no memory of their own.
 *
 * Works on what inference found, before overwrite.c, which leaves alone what has no memory of its
 * own, and the input, too, which has a reader. A Slice is a view if all who read it can have pixels
 * apart, by the name that it has; else it is a copy for all. Who runs on the host cannot, and
 * neither can OUTPUT, nor the Sink, so what they read is a copy.
 *
 * Some who can (struct nn_node, gathers) put pixels side by side before they read them, which takes
 * as long as the copy. So two of them have the copy. One alone has the view: that takes as long,
 * but needs no memory, and has fewer bytes to read and write.
 */
#include "plan.h"

/*
 * While this works, first_use is 1 of what is read by who needs its pixels side by side, and
 * `moves` how many gather them.
 */

static void look_at_readers(struct nn_plan *plan)
{
	uint32_t i, j;

	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];

		for (j = 0; j < node->input_count; j++) {
			struct nn_value *root;

			if (!node->inputs[j])
				continue;
			root = nn_value_root(node->inputs[j]);
			if (!nn_node_reads_strided(node, j))
				root->first_use = 1;
			root->moves += nn_node_gathers(node, j);
		}
	}
}

/*
 * Whether a Slice's input has pixels in memory that nobody writes while the Slice can be read. Rows
 * that a loop hands out are none that a program could describe so.
 */
static bool has_pixels(const struct nn_node *slice)
{
	const struct nn_tensor_info *info = &slice->inputs[0]->info;
	const struct nn_value *root = nn_value_root(slice->inputs[0]);

	if (root->persistent || nn_value_is_const(root) || info->rank < 2)
		return false;
	return root->storage == NN_STORAGE_NONE || root->storage == NN_STORAGE_CHANNELS ||
	       root->storage == NN_STORAGE_INPUT;
}

/*
 * Places a view in the pixels of its input, or where this is a view, in those that this is in: no
 * chain is long.
 */
static void place_view(struct nn_node *slice)
{
	struct nn_value *output = &slice->outputs[0], *input = slice->inputs[0];

	output->storage = NN_STORAGE_CHANNELS;
	output->base = input;
	output->offset = (uint64_t)slice->first_channel * nn_data_type_size(output->info.type);
	if (input->storage != NN_STORAGE_CHANNELS)
		return;
	output->base = input->base;
	output->offset += input->offset;
}

void nn_plan_place_views(struct nn_plan *plan)
{
	uint32_t i, j;

	look_at_readers(plan);
	for (i = 0; i < plan->node_count; i++) {
		struct nn_node *node = plan->nodes[i];
		const struct nn_value *output = &node->outputs[0];

		if (!node->takes_channels || node->runs_on != NN_RUNS_DEVICE ||
		    output->storage != NN_STORAGE_NONE || output->persistent ||
		    output->first_use || output->moves > 1 || !has_pixels(node))
			continue;
		place_view(node);
	}
	for (i = 0; i < plan->node_count; i++)
		for (j = 0; j < plan->nodes[i]->output_count; j++)
			plan->nodes[i]->outputs[j].first_use =
				plan->nodes[i]->outputs[j].moves = 0;
}
