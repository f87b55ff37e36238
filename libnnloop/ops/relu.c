// SPDX-License-Identifier: MIT
/*
 * Relu: the greater of x and 0.
 *
 * docs/operators.md:
 * | `Relu`, `Relu6` | x, 8-bit or int16 | | as x unless given |
 */
#include "ops/support/activation.h"
#include "ops/support/function.h"
#include "ops.h"

#include <math.h>

static struct nn_limits get_limits(const struct nn_node *node)
{
	(void)node;
	return (struct nn_limits){ .min = 0, .max = INFINITY };
}

const struct nn_op nn_op_relu = {
	.name = "Relu",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = nn_check_function,
	.lower = nn_lower_activation,
	.get_limits = get_limits,
};
