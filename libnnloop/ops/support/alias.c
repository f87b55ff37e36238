// SPDX-License-Identifier: MIT
/*
 * Aliases (alias.h): outputs that are other names of inputs, and copies where that cannot be.
 */
#include "alias.h"

#include <errno.h>

#include "check.h"
#include "emit.h"

void nn_node_alias(struct nn_node *node, uint32_t output, uint32_t input)
{
	struct nn_value *root = nn_value_root(node->inputs[input]);

	/* A variable may change before the other name is used: that needs a copy. */
	if (root->persistent)
		return;
	node->outputs[output].storage = NN_STORAGE_ALIAS;
	node->outputs[output].base = root;
}

int nn_check_aliases(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	uint32_t i;
	int error;

	(void)graph;
	(void)opaque;
	for (i = 0; i < node->output_count; i++) {
		const struct nn_tensor_info *from = &node->inputs[i % node->input_count]->info;

		nn_node_default_quantization(node, i, from);
		if (node->outputs[i].info.type != from->type)
			return nn_node_fail(node, -EINVAL, "output %u is described as %s but is %s",
					    i, nn_data_type_name(node->outputs[i].info.type),
					    nn_data_type_name(from->type));
		error = nn_node_infer_shape(node, i, from, from->rank, from->dims);
		if (error)
			return error;
		nn_node_alias(node, i, i % node->input_count);
	}
	return 0;
}

/* Copies to another shape: where that has as many rows, row by row. */
static int copy_elements(struct nn_lowering *lowering, struct nn_node *node, struct nn_value *from,
			 struct nn_value *to)
{
	struct nn_copy_params copy = {
		.count = 1, .block = from->info.dims[0] * nn_info_row_bytes(&from->info)
	};

	if (from->info.dims[0] == to->info.dims[0])
		return nn_lower_copy(lowering, node, from, to);
	return nn_lower_copy_tensor(lowering, node, nn_lower_flat(lowering, from),
				    nn_lower_flat(lowering, to), &copy);
}

int nn_lower_aliases(struct nn_lowering *lowering, struct nn_node *node)
{
	uint32_t i;
	int error = 0;

	for (i = 0; i < node->output_count && !error; i++)
		if (node->outputs[i].storage != NN_STORAGE_ALIAS)
			error = copy_elements(lowering, node, node->inputs[i % node->input_count],
					      &node->outputs[i]);
	return error;
}
