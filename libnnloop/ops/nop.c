// SPDX-License-Identifier: MIT
/*
 * Nop: its outputs are other names of its inputs.
 *
 * docs/operators.md:
 * | `Nop` | 1 or more | `outputs` (as many as inputs) | output i is a copy of input i modulo
 * their number, of that input's level |
 */
#include "ops/support/alias.h"
#include "ops.h"

static const struct nn_attr_spec attrs[] = {
	{ .name = "outputs", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_nop = {
	.name = "Nop",
	.flags = NN_OP_MIXED_LEVELS,
	.min_inputs = 1,
	.max_inputs = NN_ANY_NUMBER,
	.outputs = NN_ANY_NUMBER,
	.attrs = attrs,
	.check = nn_check_aliases,
	.lower = nn_lower_aliases,
};
