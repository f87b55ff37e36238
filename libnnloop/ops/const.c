// SPDX-License-Identifier: MIT
/*
 * Const: a tensor that is part of the graph.
 *
 * docs/operators.md:
 * | `Const` | none | | type, shape, quantization, and the data |
 */
#include "ops/support/check.h"
#include "ops.h"

const struct nn_op nn_op_const = {
	.name = "Const",
	.outputs = 1,
	.flags = NN_OP_CONST,
	.check = nn_check_nothing,
};
