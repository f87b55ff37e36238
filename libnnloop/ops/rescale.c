// SPDX-License-Identifier: MIT
/*
 * Rescale: x in another quantization, or times alpha where it is below 0, in integers that are
 * rounded twice. As TensorFlow Lite's own kernels rescale (gemmlowp's fixed-point arithmetic):
 * scales come together in a float32, that becomes a multiplier of 31 bits, and
 *
 *	high = the upper half of 2 * q(x) * multiplier, to the nearest, ties up
 *	high / 2^shift, to the nearest, ties away from 0, plus the zero point
 *
 * An int32, which is a convolution's sums, says by what each index of its last dimension is
 * multiplied: a multiplier and a shift to the left, struct nn_fixed of dsp/program/fixed.h. With a
 * shift that is 128 more, the second rounding is with ties up, too.
 *
 * docs/operators.md:
 * | `Rescale` | x, 8-bit or int16; or x int32, multipliers and shifts int32 `[c, 2]` | `alpha`
 * (1): what values below 0 are multiplied by | as x unless given |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

/* The factors that elements are multiplied by. */
struct rescaling {
	struct nn_fixed by, by_below;
};

/* Checks a node whose input is sums, with the constant that has a scale for each output. */
static int check_sums(struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_value *scales = node->input_count > 1 ? node->inputs[1] : NULL;
	const int32_t *scale;
	int error;

	if (!scales || !nn_value_is_const(scales) || scales->info.type != NN_INT32 ||
	    from->rank < 2 ||
	    nn_info_bytes(&scales->info) != from->dims[from->rank - 1] * 2ull * sizeof(*scale))
		return nn_node_fail(node, -EINVAL,
				    "int32 needs a constant of a multiplier and a shift for each "
				    "index of its last dimension, of int32");
	if (from->zero_point || nn_node_get_attr(node, "alpha"))
		return nn_node_fail(node, -EINVAL, "int32 must have zero point 0 and no alpha");
	scale = scales->node->data;
	for (uint32_t i = 0; i < from->dims[from->rank - 1]; i++) {
		int32_t shift = scale[2 * i + 1];

		if (shift > 30)
			shift -= NN_TIES_UP;
		if (shift < -31 || shift > 30)
			return nn_node_fail(node, -EINVAL,
					    "shifts must be -31 to 30, or 128 more");
	}
	error = nn_node_need_quantized(node, &node->outputs[0].info, "output");
	return error ? error : nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int check_rescale(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	struct rescaling *rescaling = nn_node_make_state(node, sizeof(*rescaling));
	float alpha = nn_node_get_float(node, "alpha", 1), ratio, ratio_below, most;
	int error;

	(void)graph;
	(void)opaque;
	if (!rescaling)
		return -ENOMEM;
	if (from->type == NN_INT32)
		return check_sums(node);
	if (node->input_count > 1)
		return nn_node_fail(node, -EINVAL, "has multipliers for int32 only");
	error = nn_node_need_quantized(node, from, "input");
	if (error)
		return error;
	nn_node_default_quantization(node, 0, from);
	error = nn_node_need_quantized(node, to, "output");
	if (error)
		return error;
	/* The limit makes sure that no element is longer than 32 bits. */
	most = nn_type_is_8bit(from->type) && nn_type_is_8bit(to->type) ? 0x1p16f : 0x1p14f;
	ratio = from->scale / to->scale;
	ratio_below = from->scale * alpha / to->scale;
	if (!(ratio < most) || !(fabsf(ratio_below) < most))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "input scale / output scale, and alpha times that, must be "
				    "below %g",
				    (double)most);
	rescaling->by = nn_pack_fixed(ratio);
	rescaling->by_below = nn_pack_fixed(ratio_below);
	node->may_be_strided = nn_type_is_8bit(from->type) && nn_type_is_8bit(to->type);
	node->may_overwrite = node->may_read_strided = node->may_be_strided;
	return nn_node_infer_shape(node, 0, from, from->rank, from->dims);
}

static int lower_elements(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct rescaling *rescaling = node->state;
	int scales = NN_NO_TENSOR, error;
	struct nn_program_op *op;

	if (node->input_count > 1) {
		const struct nn_value *from = node->inputs[1];
		uint64_t bytes = nn_info_bytes(&from->info);
		void *data;

		scales = nn_lower_constant(lowering, NN_TYPE_INT32, bytes / sizeof(int32_t), &data);
		if (scales < 0)
			return scales;
		if (data)
			memcpy(data, from->node->data, bytes);
	}
	error = nn_lower_unary(lowering, node, NN_OPCODE_RESCALE, node->inputs[0],
			       &node->outputs[0], &op);
	if (error)
		return error;
	op->input[1] = scales;
	op->rescale.by = rescaling->by;
	op->rescale.by_below = rescaling->by_below;
	nn_lower_limits(op, node);
	return 0;
}

static int lower_rescale(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	const struct rescaling *rescaling = node->state;
	int32_t min, max, from_min, from_max;
	struct nn_program_op *op;
	int error, table;
	void *data;

	if (!nn_type_is_8bit(from->type) || !nn_type_is_8bit(to->type))
		return lower_elements(lowering, node);
	table = nn_lower_constant(lowering, NN_TYPE_UINT8, 256, &data);
	if (table < 0)
		return table;
	nn_type_range(to->type, &min, &max);
	nn_type_range(from->type, &from_min, &from_max);
	for (int32_t i = from_min; data && i <= from_max; i++) {
		int32_t q = i - from->zero_point;
		struct nn_fixed by = q < 0 ? rescaling->by_below : rescaling->by;
		int64_t y = (int64_t)nn_fixed_multiply(q, by) + to->zero_point;

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
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_rescale,
	.lower = lower_rescale,
};
