// SPDX-License-Identifier: MIT
/*
 * Minimum: the lesser of two elements.
 *
 * docs/operators.md:
 * | `Minimum`, `Maximum` | a, b, broadcast, 8-bit or int16 | `activation`, `rounding`
 * (`float32`; of int16 of one scale `fixed_point`) | 8-bit or int16, scale, zero point |
 */
#include "ops/support/binary.h"
#include "ops.h"

static int check_minimum(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)graph;
	(void)opaque;
	if (nn_binary_is_int16(node))
		return nn_check_binary_int16(node, NN_INT16_MIN);
	return nn_check_float_binary(node, NN_BINARY_MIN);
}

static const struct nn_attr_spec attrs[] = { NN_BINARY_ATTRS, { 0 } };

const struct nn_op nn_op_minimum = {
	.name = "Minimum",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_minimum,
	.lower = nn_lower_binary,
};
