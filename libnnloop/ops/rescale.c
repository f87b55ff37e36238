// SPDX-License-Identifier: MIT
/*
 * Rescale: x in another quantization, or times alpha where it is below 0, in integers that are
 * rounded twice. As TensorFlow Lite's own kernels rescale (gemmlowp's fixed-point arithmetic):
 * scales come together in a float32, which becomes a multiplier of 31 bits. dsp/fixed.h
 * has the arithmetic.
 *
 * docs/operators.md:
 * | `Rescale` | x, 8-bit | `alpha` (1): what values below 0 are multiplied by
 * | as x unless given |
 */
#include "check.h"
#include "emit.h"
#include "function.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

#include "dsp/fixed.h"
#include "dsp/pack.h"

static int lower_rescale(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	float alpha = nn_node_get_float(node, "alpha", 1);
	float ratio = from->scale / to->scale, ratio_below = from->scale * alpha / to->scale;
	struct nn_fixed same, below;
	int32_t min, max, from_min, from_max;
	struct nn_program_op *op;
	int error, table;
	void *data;

	/* So that no product is longer than 63 bits. */
	if (!(ratio < 0x1p16f) || !(fabsf(ratio_below) < 0x1p16f))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "input scale / output scale, and alpha times that, must be "
				    "below 2^16");
	same = nn_pack_fixed(ratio);
	below = nn_pack_fixed(ratio_below);
	table = nn_lower_constant(lowering, NN_TYPE_UINT8, 256, &data);
	if (table < 0)
		return table;
	nn_type_range(to->type, &min, &max);
	nn_type_range(from->type, &from_min, &from_max);
	for (int32_t i = from_min; data && i <= from_max; i++) {
		int64_t q = i - from->zero_point;
		int64_t y = nn_rescale(q, q < 0 ? below : same) + to->zero_point;

		((uint8_t *)data)[(uint8_t)i] = (uint8_t)(y < min ? min : y > max ? max : y);
	}
	error = nn_lower_unary(lowering, node, NN_OPCODE_TABLE, node->inputs[0], &node->outputs[0],
			       &op);
	if (!error)
		op->input[1] = table;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "alpha", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_rescale = {
	.name = "Rescale",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = nn_check_function,
	.lower = lower_rescale,
};
