// SPDX-License-Identifier: MIT
/*
 * Sigmoid: 1 / (1 + exp(-x)).
 *
 * docs/operators.md:
 * | `Sigmoid`, `Tanh` | x, 8-bit or int16 | | 8-bit or int16, scale, zero point |
 */
#include "ops/support/function.h"
#include "ops.h"

#include <math.h>

static double sigmoid(double x, const void *opaque)
{
	(void)opaque;
	return 1 / (1 + exp(-x));
}

static int lower_sigmoid(struct nn_lowering *lowering, struct nn_node *node)
{
	return nn_lower_table(lowering, node, sigmoid, NULL);
}

const struct nn_op nn_op_sigmoid = {
	.name = "Sigmoid",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = nn_check_function,
	.lower = lower_sigmoid,
};
