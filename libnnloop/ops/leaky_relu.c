// SPDX-License-Identifier: MIT
/*
 * LeakyRelu: x where it is not below 0, elsewhere alpha * x.
 *
 * docs/operators.md:
 * | `LeakyRelu` | x, 8-bit or int16 | `alpha` (0.01): what values below 0 are multiplied by
 * | as x unless given |
 */
#include "ops/support/function.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

static double leaky_relu(double x, const void *opaque)
{
	const float *alpha = opaque;

	return x < 0 ? *alpha * x : x;
}

static int lower_leaky_relu(struct nn_lowering *lowering, struct nn_node *node)
{
	float alpha = nn_node_get_float(node, "alpha", 0.01f);

	if (!isfinite(alpha))
		return nn_node_fail(node, -EINVAL, "alpha must be a finite number");
	return nn_lower_table(lowering, node, leaky_relu, &alpha);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "alpha", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_leaky_relu = {
	.name = "LeakyRelu",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = nn_check_function,
	.lower = lower_leaky_relu,
};
