// SPDX-License-Identifier: MIT
/*
 * Tanh: the hyperbolic tangent. In docs/operators.md it is with Sigmoid.
 */
#include "ops/support/function.h"
#include "ops.h"

#include <math.h>

static double hyperbolic_tangent(double x, const void *opaque)
{
	(void)opaque;
	return tanh(x);
}

static int lower_tanh(struct nn_lowering *lowering, struct nn_node *node)
{
	return nn_lower_table(lowering, node, hyperbolic_tangent, NULL);
}

const struct nn_op nn_op_tanh = {
	.name = "Tanh",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = nn_check_function,
	.lower = lower_tanh,
};
