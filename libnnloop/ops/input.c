// SPDX-License-Identifier: MIT
/*
 * Input: what an execution takes.
 *
 * docs/operators.md:
 * | `Input` | none | | type, shape, quantization, name of each output; dimension 0 may be
 * `NN_VARIABLE` |
 */
#include "ops/support/check.h"
#include "ops.h"

static const struct nn_attr_spec attrs[] = {
	{ .name = "outputs", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_input = {
	.name = "Input",
	.outputs = NN_ANY_NUMBER,
	.attrs = attrs,
	.flags = NN_OP_INPUT,
	.check = nn_check_nothing,
};
