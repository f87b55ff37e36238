// SPDX-License-Identifier: MIT
/*
 * SquaredDifference: the square of a - b, element by element, rounded several times as TensorFlow
 * Lite's own kernels do.
 *
 * docs/operators.md:
 * | `SquaredDifference` | a, b, broadcast | `activation`, `rounding` (`fixed_point`)
 * | 8-bit, scale, zero point |
 */
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

static int check_squared_difference(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	static const char *const roundings[] = { "fixed_point", NULL };
	struct nn_binary_params *params;
	const struct nn_tensor_info *output = &node->outputs[0].info;
	double a, b, twice;
	int error = nn_binary_begin(node, roundings, &params);

	(void)graph;
	(void)opaque;
	if (error)
		return error;
	a = node->inputs[0]->info.scale;
	b = node->inputs[1]->info.scale;
	/* Both are brought to steps of twice the greater scale, 2^7 times as fine. */
	twice = 2 * fmax(a, b);
	params->function = NN_BINARY_SQUARED_DIFFERENCE_FIXED;
	error = nn_binary_fixed(node, a / twice, 15, &params->by[0]);
	if (!error)
		error = nn_binary_fixed(node, b / twice, 15, &params->by[1]);
	if (!error)
		error = nn_binary_fixed(node,
					twice * twice / ((1 << 14) * (double)output->scale), 30,
					&params->by[2]);
	return error;
}

static const struct nn_attr_spec attrs[] = { NN_BINARY_ATTRS, { 0 } };

const struct nn_op nn_op_squared_difference = {
	.name = "SquaredDifference",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_squared_difference,
	.lower = nn_lower_binary,
};
