// SPDX-License-Identifier: MIT
/*
 * AddInt16: the sum or difference of two tensors of 16 bits, as TensorFlow Lite's own kernels
 * compute it: with multipliers of 31 bits, or, if it is told to and all scales are powers of two,
 * their exponents to a thousandth, with shifts. Then one of the inputs' scales is the output's, and
 * the other one's is not greater.
 *
 * docs/operators.md:
 * | `AddInt16` | a, b int16, of one shape or, of one of them, its last dimensions; that may be a
 * constant | `subtract` (0), `shift` (0: scales that are powers of two are as any others),
 * `activation` | int16, scale |
 */
#include "ops/support/activation.h"
#include "ops/support/binary.h"
#include "ops/support/emit.h"
#include "ops/support/check.h"
#include "ops.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "dsp/program/pack.h"

#define LEFT_SHIFT 15

/* The exponent of a scale that is a power of two, or nearly so. */
static bool find_exponent(float scale, int *exponent)
{
	float log2 = logf(scale) * (1.0f / logf(2.0f)), nearest = roundf(log2);

	*exponent = nearest;
	return fabsf(log2 - nearest) < 1e-3f;
}

/* Chooses shifts for scales that are powers of two; exponents[] are those of inputs and output. */
static int choose_shifts(struct nn_node *node, const int exponents[3],
			 struct nn_add_int16_params *params)
{
	int a = exponents[0] - exponents[2], b = exponents[1] - exponents[2];

	if (nn_info_row_elements(&node->inputs[0]->info) !=
	    nn_info_row_elements(&node->inputs[1]->info))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "with shifts the inputs must have one shape");
	if (a > 0 || b > 0 || (a && b) || a < -31 || b < -31)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "of scales that are powers of two, one of the inputs' must be "
				    "the output's, and the other one finer");
	params->a.exponent = a;
	params->b.exponent = b;
	return 0;
}

static int choose_scales(struct nn_node *node, struct nn_add_int16_params *params)
{
	int exponents[3];
	float a = node->inputs[0]->info.scale, b = node->inputs[1]->info.scale;
	double twice = 2 * (double)fmaxf(a, b);
	double output = twice / ((double)(1 << LEFT_SHIFT) * node->outputs[0].info.scale);

	if (nn_node_get_attr_int(node, "shift", 0) && find_exponent(a, &exponents[0]) &&
	    find_exponent(b, &exponents[1]) &&
	    find_exponent(node->outputs[0].info.scale, &exponents[2]))
		return choose_shifts(node, exponents, params);
	params->left_shift = LEFT_SHIFT;
	params->a = nn_pack_fixed(a / twice);
	params->b = nn_pack_fixed(b / twice);
	/* The kernels are for numbers below 1. */
	if (!(output < 1) || !params->a.multiplier || !params->b.multiplier)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	params->output = nn_pack_fixed(output);
	if (!params->output.multiplier || params->output.exponent > 0)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of inputs and output differ too much");
	/* TensorFlow Lite rounds inputs of one shape once: the two shifts are one. */
	if (nn_info_row_elements(&node->inputs[0]->info) ==
	    nn_info_row_elements(&node->inputs[1]->info)) {
		params->left_shift = 0;
		params->a.exponent += LEFT_SHIFT;
		params->b.exponent += LEFT_SHIFT;
	}
	return 0;
}

/* Whether the dimensions behind the first are the last ones of `of`, behind any number of ones. */
static bool is_end_of(const struct nn_tensor_info *info, const struct nn_tensor_info *of)
{
	uint32_t first = 1, skip;

	while (first < info->rank && info->dims[first] == 1)
		first++;
	if (info->rank - first >= of->rank)
		return false;
	skip = of->rank - (info->rank - first);
	return !memcmp(&info->dims[first], &of->dims[skip],
		       (info->rank - first) * sizeof(*of->dims));
}

/* The input whose shape the output has; NULL after an error. */
static const struct nn_tensor_info *find_shape(struct nn_node *node)
{
	const struct nn_value *a = node->inputs[0], *b = node->inputs[1];
	const struct nn_value *large = a, *small = b;
	char text[2][NN_SHAPE_TEXT];
	bool same_rows;

	if (nn_value_is_const(a) || (!nn_value_is_const(b) && nn_info_row_elements(&a->info) <
								 nn_info_row_elements(&b->info))) {
		large = b;
		small = a;
	}
	same_rows = small->info.level == large->info.level &&
		    small->info.dims[0] == large->info.dims[0];
	if (nn_value_is_const(large))
		nn_node_fail(node, -EOPNOTSUPP, "both inputs are constants");
	else if (!is_end_of(&small->info, &large->info) ||
		 !(nn_value_is_const(small) ? small->info.dims[0] == 1 : same_rows))
		nn_node_fail(node, -EOPNOTSUPP,
			     "the inputs must have one shape, or one of them the other's last "
			     "dimensions, not %s and %s",
			     nn_info_format_shape(&a->info, text[0], sizeof(text[0])),
			     nn_info_format_shape(&b->info, text[1], sizeof(text[1])));
	else
		return &large->info;
	return NULL;
}

static int check_add_int16(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct nn_add_int16_params *params = nn_node_make_state(node, sizeof(*params));
	const struct nn_tensor_info *infos[] = { &node->inputs[0]->info, &node->inputs[1]->info,
						 &node->outputs[0].info };
	const struct nn_tensor_info *shape;
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	for (int i = 0; i < 3; i++) {
		if (infos[i]->type != NN_INT16)
			return nn_node_fail(node, -EINVAL, "inputs and output must be int16");
		error = nn_node_need_quantized(node, infos[i], i < 2 ? "input" : "output");
		if (error)
			return error;
	}
	shape = find_shape(node);
	if (!shape)
		return node->graph->error.code;
	error = nn_check_activation(node);
	if (error)
		return error;
	params->subtract = nn_node_get_attr_int(node, "subtract", 0);
	error = choose_scales(node, params);
	return error ? error : nn_node_infer_shape(node, 0, shape, shape->rank, shape->dims);
}

static int lower_add_int16(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_add_int16_params *params = node->state;
	struct nn_program_op *op;
	int error = nn_lower_two(lowering, node, NN_OPCODE_ADD_INT16, &op);

	if (error)
		return error;
	op->add_int16 = *params;
	nn_lower_limits(op, node);
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "subtract", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "shift", .type = NN_ATTR_INT, .is_flag = true },
	NN_ACTIVATION_ATTR,
	{ 0 }
};

const struct nn_op nn_op_add_int16 = {
	.name = "AddInt16",
	.min_inputs = 2,
	.max_inputs = 2,
	.outputs = 1,
	.attrs = attrs,
	.check = check_add_int16,
	.lower = lower_add_int16,
};
