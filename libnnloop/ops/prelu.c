// SPDX-License-Identifier: MIT
/*
 * PRelu: x where it is not below 0, elsewhere slope * x.
 *
 * docs/operators.md:
 * | `PRelu` | x, slope, broadcast, 8-bit or, with `float32`, int16 | `activation`, `rounding`
 * (`float32`, `fixed_point`) | 8-bit or, with `float32`, int16; scale, zero point |
 */
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops.h"

#include <errno.h>

static int check_prelu(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	static const char *const roundings[] = { "float32", "fixed_point", NULL };
	struct nn_binary_params *params;
	int rounding = nn_binary_begin(node, roundings, &params), error;
	float x, product;

	(void)graph;
	(void)opaque;
	if (rounding < 0)
		return rounding;
	error = nn_binary_in_float(node, NN_BINARY_PRELU, params);
	if (error || !rounding)
		return error;
	x = params->scale_a / params->scale_output;
	product = params->scale_a * params->scale_b / params->scale_output;
	*params = (struct nn_binary_params){ .function = NN_BINARY_PRELU_FIXED };
	error = nn_binary_fixed(node, x, 16, &params->by[0]);
	return error ? error : nn_binary_fixed(node, product, 16, &params->by[1]);
}

static const struct nn_attr_spec attrs[] = { NN_BINARY_ATTRS, { 0 } };

const struct nn_op nn_op_prelu = {
	.name = "PRelu",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_prelu,
	.lower = nn_lower_binary,
};
