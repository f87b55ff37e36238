// SPDX-License-Identifier: MIT
/*
 * Maximum: the greater of two elements. In docs/operators.md it is with Minimum.
 */
#include "binary.h"
#include "check.h"
#include "ops.h"

#include <errno.h>

static int check_maximum(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	static const char *const roundings[] = { "float32", NULL };
	struct nn_binary_params *params = nn_node_make_state(node, sizeof(*params));
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	error = nn_check_binary(node);
	if (error)
		return error;
	error = nn_binary_rounding(node, roundings);
	return error ? error : nn_binary_in_float(node, NN_BINARY_MAX, params);
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
