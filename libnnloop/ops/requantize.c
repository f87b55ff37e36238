// SPDX-License-Identifier: MIT
/*
 * Requantize: the same real values in another quantization. From int32 by the operator of that
 * name, from 8 and 16 bits by a table.
 *
 * docs/operators.md:
 * | `Requantize` | x, 8-bit, int16 or int32 | | 8-bit, or of 8 and 16 bits int16, scale, zero point
 * |
 */
#include "ops/support/check.h"
#include "dsp/program/pack.h"
#include "ops/support/emit.h"
#include "ops/support/function.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

static int check_requantize(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int error;

	if (from->type != NN_INT32) {
		error = nn_node_need_real(node, &node->outputs[0].info, "output");
		return error ? error : nn_check_function(graph, node, opaque);
	}
	error = nn_node_need_8bit(node, &node->outputs[0].info, "output");
	if (!error && !from->scales)
		error = nn_node_need_scale(node, from, "input");
	if (error)
		return error;
	if (from->zero_point || (from->scales && from->axis != from->rank - 1))
		return nn_node_fail(
			node, -EINVAL,
			"an int32 input must have zero point 0 and scales of the last dimension");
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static double identity(double x, const void *opaque)
{
	(void)opaque;
	return x;
}

/* Makes the scales, in `packed`, for which there is room, if it is not NULL. */
static int make_scales(struct nn_node *node, uint32_t count, int32_t *packed)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const uint32_t lanes = nn_pack_repeated_lanes(count);
	float *scales;

	if (!packed)
		return 0;
	scales = nn_node_alloc(node, count, sizeof(*scales));
	if (!scales)
		return -ENOMEM;
	for (uint32_t i = 0; i < count; i++) {
		scales[i] = (from->scales ? from->scales[i] : from->scale) /
			    node->outputs[0].info.scale;
		if (!isnormal(scales[i]))
			return nn_node_fail(node, -EINVAL,
					    "input scale / output scale is not a normal number");
	}
	nn_pack_scales(packed, lanes, lanes, scales, NULL, count);
	return 0;
}

static int lower_requantize(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	uint32_t count = from->scales ? from->scale_count : 1;
	const uint32_t lanes = nn_pack_repeated_lanes(count);
	struct nn_program_op *op;
	int error, scale;
	void *data;

	if (from->type != NN_INT32)
		return nn_lower_table(lowering, node, identity, NULL);

	error = nn_lower_bytes(lowering, (uint64_t)NN_SCALE_ROWS * lanes * sizeof(int32_t), &data);
	if (!error)
		error = make_scales(node, count, data);
	if (error)
		return error;
	scale = nn_lower_part(lowering, NN_TYPE_INT32, 0, NN_SCALE_ROWS, lanes);
	if (scale < 0)
		return scale;
	error = nn_lower_unary(lowering, node, NN_OPCODE_REQUANTIZE, node->inputs[0],
			       &node->outputs[0], &op);
	if (error)
		return error;
	op->input[1] = scale;
	nn_lower_limits(op, node);
	return 0;
}

const struct nn_op nn_op_requantize = {
	.name = "Requantize",
	.flags = NN_OP_REQUANTIZES,
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.check = check_requantize,
	.lower = lower_requantize,
};
