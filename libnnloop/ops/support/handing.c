// SPDX-License-Identifier: MIT
/*
 * Handing out rows in turn (handing.h).
 */
#include "handing.h"

#include <errno.h>
#include <string.h>

#include "check.h"
#include "emit.h"

static bool squeezes(const struct nn_node *node)
{
	return nn_node_get_attr_int(node, "squeeze", 0);
}

bool nn_info_is_single(const struct nn_tensor_info *info)
{
	return info->dims[0] == 1 && nn_info_row_elements(info) == 1;
}

static int set_output(struct nn_node *node, uint32_t index, const struct nn_tensor_info *from)
{
	struct nn_tensor_info info = *from;

	if (!squeezes(node))
		return nn_node_set_output(node, index, &info, NN_LEVEL_OWN);
	if (info.scales)
		return nn_node_fail(node, -EINVAL,
				    "cannot squeeze input %u, which has more than one scale",
				    index + node->input_count - node->output_count);
	if (info.rank > 1) {
		info.rank--;
		memmove(info.dims, info.dims + 1, info.rank * sizeof(*info.dims));
	} else {
		info.dims[0] = 1;
	}
	return nn_node_set_output(node, index, &info, 0);
}

int nn_hand_out_set(struct nn_node *node, uint32_t kept)
{
	uint32_t i;
	int error = 0;

	for (i = kept; i < node->input_count && !error; i++)
		error = set_output(node, i - kept, &node->inputs[i]->info);
	return error;
}

int nn_hand_out_lower(struct nn_lowering *lowering, struct nn_node *node, uint32_t kept)
{
	struct nn_program_op *op;
	uint32_t i;
	int input, output;

	for (i = kept; i < node->input_count; i++) {
		struct nn_value *from = node->inputs[i], *to = &node->outputs[i - kept];

		input = nn_lower_value(lowering, from);
		output = squeezes(node) ?
				 nn_lower_single_row(lowering, to, nn_node_level(node)) :
				 nn_lower_value(lowering, to);
		if (input < 0 || output < 0)
			return input < 0 ? input : output;
		op = nn_lower_op(lowering, node, NN_OPCODE_ROTATE_ROWS);
		if (!op)
			return -ENOMEM;
		op->input[0] = input;
		op->output[0] = output;
	}
	return 0;
}
