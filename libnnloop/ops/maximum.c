// SPDX-License-Identifier: MIT
/*
 * Maximum: the greater of two elements. In docs/operators.md it is with Minimum.
 */
#include "ops/support/binary.h"
#include "ops.h"

static int check_maximum(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)graph;
	(void)opaque;
	if (nn_binary_is_int16(node))
		return nn_check_binary_int16(node, NN_INT16_MAX);
	return nn_check_float_binary(node, NN_BINARY_MAX);
}

static const struct nn_attr_spec attrs[] = { NN_BINARY_ATTRS, { 0 } };

const struct nn_op nn_op_maximum = {
	.name = "Maximum",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_maximum,
	.lower = nn_lower_binary,
};
