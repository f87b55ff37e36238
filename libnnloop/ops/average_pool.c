// SPDX-License-Identifier: MIT
/*
 * AveragePool: the mean of each window, channel by channel.
 *
 * docs/operators.md:
 * | `AveragePool` | x, 8-bit or int16 | as `MaxPool`, `count_padding` (0: padding is not part of
 * the mean), `rounding` (`half_up`, `half_away`, `float32_columns`, `float32_rows`,
 * `float32_quarters`, `float32_once`, `float32_zero_point`; of int16 `half_away`) | 8-bit or
 * int16; scale and zero point as x unless given |
 */
#include "ops/support/check.h"
#include "ops.h"
#include "ops/support/pooling.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "dsp/program/pack.h"

#define MOST_FINER 0x1p22f /* float32_zero_point: input scale / output scale */

static const char *const float_orders[NN_AVERAGE_ORDERS] = {
	[NN_AVERAGE_COLUMNS] = "float32_columns",
	[NN_AVERAGE_ROWS] = "float32_rows",
	[NN_AVERAGE_QUARTERS] = "float32_quarters",
	[NN_AVERAGE_EXACT] = "float32_once",
	[NN_AVERAGE_ZERO_POINT] = "float32_zero_point",
};

/* The kernel compares stored integers, which mean the same on both sides then. */
static int check_half_away(struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	bool same = from->type == to->type && from->scale == to->scale &&
		    from->zero_point == to->zero_point;

	if (same && !nn_node_get_attr_int(node, "count_padding", 0))
		return 0;
	return nn_node_fail(node, -EOPNOTSUPP,
			    "rounding half_away needs an output that is quantized as the input, "
			    "and count_padding=0");
}

/* 16 bits are TensorFlow Lite's, or in float32 any. */
static bool is_int16(const struct nn_node *node)
{
	return node->inputs[0]->info.type == NN_INT16 &&
	       strncmp(nn_node_get_string(node, "rounding", "half_up"), "float32", 7);
}

static int check_int16(struct nn_node *node)
{
	int error = nn_node_need_quantized(node, &node->inputs[0]->info, "input");

	if (!error && strcmp(nn_node_get_string(node, "rounding", "half_up"), "half_away"))
		error = nn_node_fail(node, -EOPNOTSUPP, "of int16 rounding is half_away");
	return error ? error : check_half_away(node);
}

/* With int16 sums are of float32, in one of the orders of ONNX Runtime. */
static int check_wide(struct nn_node *node)
{
	const char *rounding = nn_node_get_string(node, "rounding", "half_up");

	if (node->inputs[0]->info.type != NN_INT16 && node->outputs[0].info.type != NN_INT16)
		return 0;
	for (int i = NN_AVERAGE_COLUMNS; i <= NN_AVERAGE_QUARTERS; i++) {
		if (!strcmp(rounding, float_orders[i]))
			return 0;
	}
	return nn_node_fail(node, -EOPNOTSUPP, "of int16 cannot round %s", rounding);
}

/* A mean past 31 bits, or an infinite one, comes out of ONNX Runtime as the least value. */
static int check_zero_point(struct nn_node *node, const struct nn_average_float_params *pool)
{
	uint32_t area = pool->window.kernel_h * pool->window.kernel_w;

	if (pool->scale_input / pool->scale_output > MOST_FINER)
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the scales of input and output differ too much");
	if (!isfinite(pool->scale_input * 255 * (float)area))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "the input's scale is too large: float32 cannot hold the sum "
				    "of a window");
	return 0;
}

static int choose_rounding(struct nn_node *node, struct nn_average_float_params *pool,
			   float scale_input, float scale_output)
{
	const char *rounding = nn_node_get_string(node, "rounding", "half_up");

	if (!strcmp(rounding, "half_away"))
		return check_half_away(node);

	if (!strcmp(rounding, "half_up")) {
		if (nn_pack_average_pool_params(&pool->window, scale_input, scale_output))
			return nn_node_fail(node, -EOPNOTSUPP,
					    "input scale / output scale must be between 2^-20 and 8");
		return 0;
	}
	while (strcmp(rounding, float_orders[pool->order])) {
		if (++pool->order == NN_AVERAGE_ORDERS)
			return nn_node_fail(node, -EINVAL,
					    "rounding is half_up, half_away, float32_columns, "
					    "float32_rows, float32_quarters, float32_once or "
					    "float32_zero_point, not \"%s\"",
					    rounding);
	}
	if (!isnormal(scale_input) || !isnormal(scale_output))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "rounding in float32 needs scales of at least 2^-126");
	pool->scale_input = scale_input;
	pool->scale_output = scale_output;
	return pool->order == NN_AVERAGE_ZERO_POINT ? check_zero_point(node, pool) : 0;
}

static int check_average_pool(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct nn_tensor_info *output = &node->outputs[0].info;
	struct nn_average_float_params *pool;
	int error;

	(void)graph;
	(void)opaque;
	error = nn_pooling_check(node);
	if (error)
		return error;
	pool = node->state;
	pool->window.count_padding = nn_node_get_attr_int(node, "count_padding", 0);
	if (is_int16(node))
		return check_int16(node);
	error = nn_node_need_scale(node, &node->inputs[0]->info, "input");
	if (!error)
		error = nn_node_need_real(node, output, "output");
	if (error)
		return error;
	error = check_wide(node);
	if (error)
		return error;
	return choose_rounding(node, pool, node->inputs[0]->info.scale, output->scale);
}

static int lower_average_pool(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_average_float_params *pool = node->state;
	enum nn_opcode opcode = NN_OPCODE_AVERAGE_POOL_AWAY;

	if (is_int16(node))
		return nn_pooling_lower_int16(lowering, node, true);
	if (pool->scale_output)
		opcode = NN_OPCODE_AVERAGE_POOL_FLOAT;
	else if (pool->window.multiplier)
		opcode = NN_OPCODE_AVERAGE_POOL;
	return nn_pooling_lower(lowering, node, opcode);
}

static const struct nn_attr_spec attrs[] = {
	NN_WINDOW_ATTRS,
	NN_KERNEL_ATTR,
	{ .name = "count_padding", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "rounding", .type = NN_ATTR_STRING },
	{ 0 }
};

const struct nn_op nn_op_average_pool = {
	.name = "AveragePool",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_average_pool,
	.lower = lower_average_pool,
};
