// SPDX-License-Identifier: MIT
/*
 * Add: the sum of two tensors, element by element.
 *
 * docs/operators.md:
 * | `Add` | a, b, broadcast, 8-bit or, with `float32`, int16 | `activation`, `rounding` (`half_up`,
 * `float32`, `float32_fused`) | 8-bit or, with `float32`, int16; scale, zero point |
 */
#include "ops/support/binary.h"
#include "ops.h"
#include "ops/support/sum.h"

static const struct nn_attr_spec attrs[] = { NN_BINARY_ATTRS, { 0 } };

const struct nn_op nn_op_add = {
	.name = "Add",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = nn_check_add,
	.lower = nn_lower_sum,
};
