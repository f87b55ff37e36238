// SPDX-License-Identifier: MIT
/*
 * Div: a divided by b, element by element. In float32 a quotient by 0 is infinite, and 0 / 0 the
 * least value.
 *
 * docs/operators.md:
 * | `Div` | a, b, broadcast, 8-bit or int16 | `activation`, `rounding` (`float32`) | 8-bit or int16,
 * scale, zero point |
 */
#include "ops/support/binary.h"
#include "ops.h"

static int check_div(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	(void)graph;
	(void)opaque;
	return nn_check_float_binary(node, NN_BINARY_DIV);
}

static const struct nn_attr_spec attrs[] = { NN_BINARY_ATTRS, { 0 } };

const struct nn_op nn_op_div = {
	.name = "Div",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_div,
	.lower = nn_lower_binary,
};
