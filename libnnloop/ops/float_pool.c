// SPDX-License-Identifier: MIT
/*
 * FloatPool: the greatest element of each window, or the mean, channel by channel, of float32.
 *
 * docs/operators.md:
 * | `FloatPool` | x float32 `[n, h, w, c]` | `function` (`max`, `mean`), `kernel` (required: H,W),
 * `stride` (1,1), `padding`, `count_padding` (0; 1: a mean counts padding), `far` (below and to the
 * right: how much of the padding counts; all) | float32 |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops/support/pooling.h"
#include "ops/support/window.h"
#include "ops.h"

#include <errno.h>
#include <string.h>

/* How far elements of a window count. */
static int check_padding(struct nn_node *node, struct nn_float_pool_params *params)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info;
	const struct nn_attr *padding = nn_node_get_attr(node, "padding");
	int64_t pads[4] = { 0 }, far[2];

	if (padding && padding->type != NN_ATTR_STRING)
		nn_node_get_ints(node, "padding", 4, pads);
	far[0] = pads[2];
	far[1] = pads[3];
	nn_node_get_ints(node, "far", 2, far);
	if (far[0] < 0 || far[1] < 0 || far[0] > NN_MAX_FLOAT_WINDOW ||
	    far[1] > NN_MAX_FLOAT_WINDOW)
		return nn_node_fail(node, -EINVAL, "far must be 0 to %u in both directions",
				    NN_MAX_FLOAT_WINDOW);
	params->far_h = image->dims[1] + far[0];
	params->far_w = image->dims[2] + far[1];
	params->window.count_padding = params->form == NN_FLOAT_POOL_AVERAGE &&
				       nn_node_get_attr_int(node, "count_padding", 0);
	return 0;
}

static int check_float_pool(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *image = &node->inputs[0]->info;
	struct nn_float_pool_params *params = nn_node_make_state(node, sizeof(*params));
	const char *function = nn_node_get_string(node, "function", "max");
	uint32_t dims[4] = { 0 };
	int error;

	(void)graph;
	(void)opaque;
	if (!params)
		return -ENOMEM;
	error = nn_node_need_any_image(node);
	if (!error)
		error = nn_node_need_float(node);
	if (!error && strcmp(function, "max") && strcmp(function, "mean"))
		error = nn_node_fail(node, -EINVAL, "function is max or mean, not \"%s\"", function);
	if (!error)
		error = nn_node_get_pair(node, "kernel", 0, NN_MAX_FLOAT_WINDOW,
					 &params->window.kernel_h, &params->window.kernel_w);
	if (!error && params->window.kernel_h * params->window.kernel_w > NN_MAX_FLOAT_KERNEL)
		error = nn_node_fail(node, -EINVAL, "a kernel has at most 255 x 255 elements");
	if (error)
		return error;
	params->form = strcmp(function, "max") ? NN_FLOAT_POOL_AVERAGE : NN_FLOAT_POOL_MAX;
	error = nn_node_place_window(node, &params->window, &dims[1], &dims[2]);
	if (!error)
		error = check_padding(node, params);
	dims[3] = image->dims[3];
	return error ? error : nn_node_infer_unquantized(node, 0, NN_FLOAT32, image, 4, dims);
}

static int lower_float_pool(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_FLOAT_POOL, node->inputs[0],
				   &node->outputs[0], &op);

	if (!error)
		op->float_pool = *(const struct nn_float_pool_params *)node->state;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	NN_WINDOW_ATTRS,
	NN_KERNEL_ATTR,
	{ .name = "function", .type = NN_ATTR_STRING },
	{ .name = "count_padding", .type = NN_ATTR_INT, .is_flag = true },
	{ .name = "far", .type = NN_ATTR_INTS, .min_count = 2, .max_count = 2 },
	{ 0 }
};

const struct nn_op nn_op_float_pool = {
	.name = "FloatPool",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_float_pool,
	.lower = lower_float_pool,
};
