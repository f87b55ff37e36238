// SPDX-License-Identifier: MIT
/*
 * Mul: the product of two tensors, element by element.
 *
 * docs/operators.md:
 * | `Mul` | a, b, broadcast, 8-bit or int16 | `activation`, `rounding` (`float32`,
 * `float32_once`, `float32_fused`; of int16 `fixed_point`) | 8-bit or int16, scale, zero point |
 */
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

static int check_mul(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	static const char *const roundings[] = { "float32", "float32_once", "float32_fused", NULL };
	struct nn_binary_params *params;
	int rounding, error;

	(void)graph;
	(void)opaque;
	if (nn_binary_is_int16(node))
		return nn_check_binary_int16(node, NN_INT16_MUL);
	rounding = nn_binary_begin(node, roundings, &params);
	if (rounding < 0)
		return rounding;
	error = nn_binary_in_float(node, NN_BINARY_MUL, params);
	if (error || !rounding)
		return error;
	*params = (struct nn_binary_params){
		.function = rounding == 1 ? NN_BINARY_MUL_ONCE : NN_BINARY_MUL_FUSED,
		.scale_output = params->scale_a * params->scale_b / params->scale_output,
	};
	/* Products past 31 bits come out of ONNX Runtime as the least value. */
	if (!isnormal(params->scale_output) ||
	    (params->function == NN_BINARY_MUL_FUSED && params->scale_output > 0x1p14f))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	return 0;
}

static const struct nn_attr_spec attrs[] = { NN_BINARY_ATTRS, { 0 } };

const struct nn_op nn_op_mul = {
	.name = "Mul",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_mul,
	.lower = nn_lower_binary,
};
