// SPDX-License-Identifier: MIT
/*
 * Relu6: x limited to 0 .. 6. In docs/operators.md it is with Relu.
 */
#include "ops/support/activation.h"
#include "ops/support/function.h"
#include "ops.h"

#include <math.h>

static struct nn_limits get_limits(const struct nn_node *node)
{
	(void)node;
	return (struct nn_limits){ .min = 0, .max = 6 };
}

const struct nn_op nn_op_relu6 = {
	.name = "Relu6",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = nn_check_function,
	.lower = nn_lower_activation,
	.get_limits = get_limits,
};
