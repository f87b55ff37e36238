// SPDX-License-Identifier: MIT
/*
 * Copy: another name of its input, or a copy where that cannot be.
 *
 * docs/operators.md:
 * | `Copy` | x | | as x |
 */
#include "ops/support/alias.h"
#include "ops.h"

const struct nn_op nn_op_copy = {
	.name = "Copy",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = nn_check_aliases,
	.lower = nn_lower_aliases,
};
