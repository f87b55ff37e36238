// SPDX-License-Identifier: MIT
/*
 * FloatConv2d: a convolution of float32; with `groups` as many as channels it is a depthwise one, and
 * with weights of one pixel a fully connected layer of each pixel.
 *
 * docs/operators.md:
 * | `FloatConv2d` | x float32 `[n, h, w, ic]`; weights float32 `[kh, kw, ic / groups, oc]`, bias float32
 * `[oc]`, constants | `stride` (1,1), `dilation` (1,1), `padding` (0,0,0,0: top, left, bottom, right;
 * or `same`, `valid`), `groups` (1), `low`, `high` (what it is clamped to; without them it is not) |
 * float32 |
 */
#include "ops/support/activation.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops/support/window.h"
#include "ops.h"

#include <errno.h>
#include <math.h>

enum { X, WEIGHTS, BIAS };

/* A constant of float32 of so many dimensions. */
static int need_constant(struct nn_node *node, uint32_t i, uint32_t rank, const char *what)
{
	const struct nn_value *value = node->inputs[i];

	if (nn_value_is_const(value) && value->info.type == NN_FLOAT32 && value->info.rank == rank)
		return 0;
	return nn_node_fail(node, -EINVAL, "%s must be a constant of float32, of %u dimensions",
			    what, rank);
}

static int check_shapes(struct nn_node *node, struct nn_float_conv2d_params *params)
{
	const struct nn_tensor_info *image = &node->inputs[X]->info;
	const struct nn_tensor_info *weights = &node->inputs[WEIGHTS]->info;
	int64_t groups = nn_node_get_attr_int(node, "groups", 1);

	if (groups < 1 || image->dims[3] % groups || weights->dims[3] % groups ||
	    weights->dims[2] != image->dims[3] / groups)
		return nn_node_fail(node, -EINVAL,
				    "%u channels and weights of %u inputs and %u outputs are no %lld "
				    "groups",
				    image->dims[3], weights->dims[2], weights->dims[3],
				    (long long)groups);
	if (node->inputs[BIAS]->info.dims[0] != weights->dims[3])
		return nn_node_fail(node, -EINVAL, "the bias has %u elements for %u outputs",
				    node->inputs[BIAS]->info.dims[0], weights->dims[3]);
	if (weights->dims[0] > NN_MAX_FLOAT_WINDOW || weights->dims[1] > NN_MAX_FLOAT_WINDOW ||
	    weights->dims[0] * weights->dims[1] > NN_MAX_FLOAT_KERNEL)
		return nn_node_fail(node, -EINVAL,
				    "a kernel has 1 to %u rows and columns, and at most 255 x 255 "
				    "elements", NN_MAX_FLOAT_WINDOW);
	params->groups = groups;
	params->window.kernel_h = weights->dims[0];
	params->window.kernel_w = weights->dims[1];
	return 0;
}

static int check_float_conv2d(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *image = &node->inputs[X]->info;
	struct nn_float_conv2d_params *params = nn_node_make_state(node, sizeof(*params));
	/* Limits of a clamp behind it that optimizing made part of it. */
	const struct nn_limits behind = node->limits;
	uint32_t dims[4] = { 0 };
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	error = nn_node_need_any_image(node);
	if (!error)
		error = nn_node_need_float(node);
	if (!error)
		error = need_constant(node, WEIGHTS, 4, "the weights");
	if (!error)
		error = need_constant(node, BIAS, 1, "the bias");
	if (!error)
		error = check_shapes(node, params);
	if (!error)
		error = nn_node_place_window(node, &params->window, &dims[1], &dims[2]);
	if (error)
		return error;
	params->low = nn_node_get_float(node, "low", -INFINITY);
	params->high = nn_node_get_float(node, "high", INFINITY);
	if (!(params->low <= params->high))
		return nn_node_fail(node, -EINVAL, "low must not be above high");
	node->limits = (struct nn_limits){ params->low, params->high };
	nn_node_limit(node, behind);
	params->low = node->limits.min;
	params->high = node->limits.max;
	dims[3] = node->inputs[WEIGHTS]->info.dims[3];
	return nn_node_infer_unquantized(node, 0, NN_FLOAT32, image, 4, dims);
}

static int lower_float_conv2d(struct nn_lowering *lowering, struct nn_node *node)
{
	int weights = nn_lower_value(lowering, node->inputs[WEIGHTS]);
	int bias = weights < 0 ? weights : nn_lower_value(lowering, node->inputs[BIAS]);
	struct nn_program_op *op;
	int error = bias < 0 ? bias : nn_lower_unary(lowering, node, NN_OPCODE_FLOAT_CONV2D,
						     node->inputs[X], &node->outputs[0], &op);

	if (error)
		return error;
	op->input[1] = weights;
	op->input[2] = bias;
	op->float_conv2d = *(const struct nn_float_conv2d_params *)node->state;
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	NN_WINDOW_ATTRS,
	{ .name = "dilation", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },
	{ .name = "groups", .type = NN_ATTR_INT },
	{ .name = "low", .type = NN_ATTR_FLOAT },
	{ .name = "high", .type = NN_ATTR_FLOAT },
	{ 0 }
};

const struct nn_op nn_op_float_conv2d = {
	.name = "FloatConv2d",
	.min_inputs = 3,
	.max_inputs = 3,
	.outputs = 1,
	.attrs = attrs,
	.check = check_float_conv2d,
	.lower = lower_float_conv2d,
};
