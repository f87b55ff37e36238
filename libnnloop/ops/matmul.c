// SPDX-License-Identifier: MIT
/*
 * MatMul: matrices times matrices, of which neither need be constant. Where those on the right are
 * one constant matrix, FullyConnected is the quicker operator.
 *
 * docs/operators.md:
 * | `MatMul` | a, b, 8-bit, or one of them or both int16: their last two dimensions are matrices,
 * `[m, k]` and `[k, p]`; those before, of which there are one or more, are broadcast |
 * `transpose_a`, `transpose_b` (0; 1: its matrices are the other way around), `activation`,
 * `rounding` (`float32_once`, `fixed_point`; with int16 `fixed_point`, `once_even`), `zero_points`
 * (int32 only: those of a and b, instead of their own; sums are plain integers then) | 8-bit or,
 * with int16, int16 as well, scale, zero point; int32: the sums |
 */
#include "ops/support/activation.h"
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

#include <errno.h>
#include <math.h>

static int infer_shape(struct nn_node *node, const struct nn_matmul_params *params)
{
	const struct nn_tensor_info *rows;
	uint32_t dims[NN_MAX_RANK];

	rows = nn_binary_matrices(node, params->transpose_a, params->transpose_b, dims);
	return rows ? nn_node_infer_shape(node, 0, rows, rows->rank, dims) : -EINVAL;
}

/* The sums as they are, which inputs that are plain integers have, too. */
static int check_sum(struct nn_node *node, struct nn_matmul_params *params)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	struct nn_tensor_info *output = &node->outputs[0].info;
	int64_t zeros[2] = { params->zero_a, params->zero_b };
	int32_t low, high;

	if (output->scale || output->scales || output->zero_point)
		return nn_node_fail(node, -EINVAL,
				    "an int32 output has the scale of a times that of b, and must not "
				    "be given another");
	if (node->limits.min != -INFINITY || node->limits.max != INFINITY)
		return nn_node_fail(node, -EOPNOTSUPP, "an activation needs an 8-bit output");
	if (nn_node_get_attr(node, "rounding"))
		return nn_node_fail(node, -EINVAL, "rounding is for an 8-bit output");
	nn_node_get_ints(node, "zero_points", 2, zeros);
	for (uint32_t i = 0; i < 2; i++) {
		nn_type_range(i ? b->type : a->type, &low, &high);
		if (zeros[i] < low || zeros[i] > high)
			return nn_node_fail(node, -EINVAL,
					    "zero_points must be values of the inputs' types");
	}
	params->form = NN_MATMUL_SUM;
	params->zero_a = zeros[0];
	params->zero_b = zeros[1];
	/* Zero points by themselves come with plain numbers, which have no scale. */
	if (!nn_node_get_attr(node, "zero_points"))
		output->scale = a->scale * b->scale;
	return 0;
}

/* Finds the number that sums are multiplied by. */
static int check_scales(struct nn_node *node, struct nn_matmul_params *params)
{
	static const char *const roundings[] = { "float32_once", "fixed_point", NULL };
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	float product = a->scale * b->scale, output = node->outputs[0].info.scale;
	int rounding = nn_binary_rounding(node, roundings), bits = 16;

	if (rounding < 0)
		return rounding;
	if (nn_node_get_attr(node, "zero_points"))
		return nn_node_fail(node, -EINVAL, "zero_points are for an int32 output");
	if (rounding) {
		uint32_t products = a->dims[a->rank - (params->transpose_a ? 2 : 1)];

		while (products >> (bits - 16))
			bits++;
		params->form = NN_MATMUL_FIXED;
		return nn_binary_fixed(node, (double)product / output, bits, &params->by);
	}
	params->form = NN_MATMUL_FLOAT;
	params->scale = product / output;
	if (!isnormal(params->scale))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	return 0;
}

static bool is_wide(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT16 || node->inputs[1]->info.type == NN_INT16;
}

/* TensorFlow Lite's int16 has zero point 0. */
static int need_operand(struct nn_node *node, const struct nn_tensor_info *info, const char *what,
			bool any_zero_point)
{
	return any_zero_point ? nn_node_need_real(node, info, what) :
				nn_node_need_quantized(node, info, what);
}

/*
 * With int16: as TensorFlow Lite's own kernels, with a multiplier of 15 bits, or with one of 31 and
 * ties to even.
 */
static int check_wide(struct nn_node *node, struct nn_matmul_params *params)
{
	static const char *const roundings[] = { "fixed_point", "once_even", NULL };
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	const struct nn_tensor_info *output = &node->outputs[0].info;
	int error, rounding = nn_binary_rounding(node, roundings);
	float product = a->scale * b->scale;

	if (rounding < 0)
		return rounding;
	if (nn_node_get_attr(node, "zero_points"))
		return nn_node_fail(node, -EINVAL, "zero_points are for an int32 output");
	error = need_operand(node, a, "first input", rounding);
	if (!error)
		error = need_operand(node, b, "second input", rounding);
	if (!error)
		error = need_operand(node, output, "output", rounding);
	if (error)
		return error;
	if (rounding) {
		params->form = NN_MATMUL_INT16_ONCE;
		return nn_binary_fixed(node, (double)product / output->scale, 1, &params->by);
	}
	params->form = NN_MATMUL_INT16_FIXED;
	if (nn_pack_fixed_sum((double)product / output->scale, &params->by.multiplier,
			      &params->by.exponent))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	/* It is a shift to the right. */
	params->by.exponent = -params->by.exponent;
	return 0;
}

static int check_matmul(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *a = &node->inputs[0]->info, *b = &node->inputs[1]->info;
	struct nn_matmul_params *params = nn_node_make_state(node, sizeof(*params));
	bool is_sum = node->outputs[0].info.type == NN_INT32;
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	params->transpose_a = nn_node_get_attr_int(node, "transpose_a", 0);
	params->transpose_b = nn_node_get_attr_int(node, "transpose_b", 0);
	params->zero_a = a->zero_point;
	params->zero_b = b->zero_point;
	if (is_wide(node)) {
		error = nn_check_activation(node);
		if (!error)
			error = check_wide(node, params);
		return error ? error : infer_shape(node, params);
	}
	error = nn_node_need_bytes(node, a, "first input");
	if (!error)
		error = nn_node_need_bytes(node, b, "second input");
	if (!error)
		error = nn_check_activation(node);
	if (!error)
		error = infer_shape(node, params);
	if (error)
		return error;
	if (a->scales || b->scales)
		return nn_node_fail(node, -EINVAL, "an input has more than one scale");
	if (is_sum)
		return check_sum(node, params);
	error = nn_node_need_8bit(node, a, "first input");
	if (!error)
		error = nn_node_need_8bit(node, b, "second input");
	if (!error)
		error = nn_node_need_8bit(node, &node->outputs[0].info, "output");
	return error ? error : check_scales(node, params);
}

static int lower_matmul(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_two(lowering, node,
				 is_wide(node) ? NN_OPCODE_MATMUL_INT16 : NN_OPCODE_MATMUL, &op);

	if (error)
		return error;
	op->matmul = *(const struct nn_matmul_params *)node->state;
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "transpose_a", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "transpose_b", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "zero_points", .type = NN_ATTR_INTS, .min_count = 2, .max_count = 2 },
	NN_BINARY_ATTRS,
	{ 0 }
};

const struct nn_op nn_op_matmul = {
	.name = "MatMul",
	.flags = NN_OP_LIMITS,
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_matmul,
	.lower = lower_matmul,
};
