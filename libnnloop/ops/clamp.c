// SPDX-License-Identifier: MIT
/*
 * Clamp: x limited to min .. max.
 *
 * docs/operators.md:
 * | `Clamp` | x, 8-bit or int16 | `min`, `max` (real values) | as x unless given |
 */
#include "ops/support/activation.h"
#include "ops/support/function.h"
#include "ops.h"

#include <math.h>

static struct nn_limits get_limits(const struct nn_node *node)
{
	return (struct nn_limits){
		.min = nn_node_get_float(node, "min", -INFINITY),
		.max = nn_node_get_float(node, "max", INFINITY),
	};
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "min", .type = NN_ATTR_FLOAT },
	{ .name = "max", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_clamp = {
	.name = "Clamp",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = nn_check_function,
	.lower = nn_lower_activation,
	.get_limits = get_limits,
};
