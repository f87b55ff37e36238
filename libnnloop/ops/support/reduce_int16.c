// SPDX-License-Identifier: MIT
/*
 * Reduce of int16, as TensorFlow Lite's own kernels compute it, along dimensions that lie one
 * behind the other.
 */
#include "reduce.h"

#include <errno.h>
#include <math.h>

#include "check.h"
#include "emit.h"

#include "dsp/program/fixed.h"
#include "dsp/program/pack.h"

#define MOST_ELEMENTS 65535

/* The elements of the dimensions of `axes`, and of those behind them. */
static int place_axes(struct nn_node *node, uint32_t axes, struct nn_reduce_int16_params *params)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	uint32_t last = 31 - __builtin_clz(axes);
	uint64_t count = 1, inner = 1;

	if ((axes + (axes & -axes)) & axes)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "of int16 the axes must be dimensions one behind the other");
	for (uint32_t i = 1; i < from->rank; i++) {
		if (axes >> i & 1)
			count *= from->dims[i];
		else if (i > last)
			inner *= from->dims[i];
	}
	if (count > MOST_ELEMENTS)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "of int16 it reduces %d elements to one at most", MOST_ELEMENTS);
	params->count = count;
	params->inner = inner;
	return 0;
}

/* Makes 1 / count part of a multiplier, as TensorFlow Lite does: with as many bits as that has. */
static void divide_fixed(struct nn_fixed *by, uint32_t count)
{
	int bits = 31 - __builtin_clz(count);

	if (bits > 31 + by->exponent)
		bits = 31 + by->exponent;
	by->multiplier = (int32_t)(((int64_t)by->multiplier << bits) / count);
	by->exponent -= bits;
}

static int choose_mean(struct nn_node *node, uint32_t form, struct nn_reduce_int16_params *params)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;

	params->scale = from->scale / to->scale;
	if (form == NN_REDUCE_MEAN_AWAY) {
		params->form = NN_REDUCE_INT16_MEAN_AWAY;
		if (!isnormal(params->scale))
			return nn_node_fail(node, -EOPNOTSUPP,
					    "the scales of input and output differ too much");
		return 0;
	}
	params->form = form == NN_REDUCE_MEAN_FIXED ? NN_REDUCE_INT16_MEAN_FIXED :
						      NN_REDUCE_INT16_MEAN_SCALED;
	if (params->scale < 0x1p15f)
		params->by = nn_pack_fixed((double)from->scale / (double)to->scale);
	params->scale = 0;
	if (params->form == NN_REDUCE_INT16_MEAN_SCALED)
		divide_fixed(&params->by, params->count);
	if (!params->by.multiplier ||
	    !nn_fixed_fits(params->by, 48 - __builtin_clz(params->count)))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of input and output differ too much for so many elements");
	return 0;
}

int nn_check_reduce_int16(struct nn_node *node, uint32_t form, uint32_t axes)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	struct nn_reduce_int16_params *params = nn_node_make_state(node, sizeof(*params));
	bool is_extreme = form == NN_REDUCE_MAX || form == NN_REDUCE_MIN;
	int error;

	if (!params)
		return -ENOMEM;
	error = is_extreme ? nn_node_need_scale(node, from, "input") :
			     nn_node_need_quantized(node, from, "input");
	if (!error && !is_extreme)
		error = nn_node_need_quantized(node, to, "output");
	if (!error)
		error = place_axes(node, axes, params);
	if (error)
		return error;
	if (to->type != NN_INT16)
		return nn_node_fail(node, -EINVAL, "of int16 it makes int16");
	if (form == NN_REDUCE_MEAN_AWAY || form >= NN_REDUCE_FORMS)
		return choose_mean(node, form, params);
	if (form == NN_REDUCE_MAX)
		params->form = NN_REDUCE_INT16_MAX;
	else if (form == NN_REDUCE_MIN)
		params->form = NN_REDUCE_INT16_MIN;
	else if (form == NN_REDUCE_MEAN_WHOLE)
		params->form = NN_REDUCE_INT16_MEAN_WHOLE;
	else
		return nn_node_fail(node, -EOPNOTSUPP, "has no such function of int16");
	if (!nn_info_same_quantization(to, from))
		return nn_node_fail(node, -EINVAL, "cannot change the scale");
	return 0;
}

int nn_lower_reduce_int16(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_REDUCE_INT16, node->inputs[0],
				   &node->outputs[0], &op);

	if (error)
		return error;
	op->reduce_int16 = *(const struct nn_reduce_int16_params *)node->state;
	nn_lower_limits(op, node);
	return 0;
}
