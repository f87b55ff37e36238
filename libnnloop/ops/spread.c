// SPDX-License-Identifier: MIT
/*
 * Spread: an image whose pixels stand `stride` apart, with zero points in between and around. A
 * convolution of that, with its kernel turned around, is a transposed convolution.
 *
 * docs/operators.md:
 * | `Spread` | images | `stride` (1,1), `padding` (0,0,0,0: top, left, bottom, right; below 0:
 * so much is cut off) | as x |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"
#include "ops/support/window.h"

#include <errno.h>
#include <inttypes.h>

#define MOST_PADDING ((int64_t)1 << 20)
#define MOST_PIXELS ((int64_t)1 << 30) /* of a side */

/* The node's state, which check leaves for lower. */
struct spread {
	uint32_t stride[2];
	int32_t padding[2]; /* top, left */
};

static int check_spread(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct spread *spread = nn_node_make_state(node, sizeof(*spread));
	uint32_t dims[4] = { 0 };
	int64_t padding[4] = { 0 };
	int error;

	(void)graph;
	(void)opaque;
	if (!spread)
		return -ENOMEM;
	error = nn_node_need_any_image(node);
	if (!error)
		error = nn_node_get_pair(node, "stride", 1, 255, &spread->stride[0],
					 &spread->stride[1]);
	if (error)
		return error;
	nn_node_get_ints(node, "padding", 4, padding);
	dims[3] = from->dims[3];
	for (int i = 0; i < 2; i++) {
		int64_t before = padding[i], after = padding[i + 2], size;

		if (before < -MOST_PADDING || before > MOST_PADDING || after < -MOST_PADDING ||
		    after > MOST_PADDING)
			return nn_node_fail(node, -EINVAL,
					    "padding must be -%" PRId64 " to %" PRId64,
					    MOST_PADDING, MOST_PADDING);
		size = ((int64_t)from->dims[i + 1] - 1) * spread->stride[i] + 1 + before + after;
		if (size < 1 || size >= MOST_PIXELS)
			return nn_node_fail(node, -EINVAL,
					    "makes dimension %d %" PRId64 ", which must be 1 or "
					    "more and below 2^30",
					    i + 1, size);
		spread->padding[i] = before;
		dims[i + 1] = size;
	}
	error = nn_node_keep_quantization(node, 0, from);
	return error ? error : nn_node_infer_shape(node, 0, from, 4, dims);
}

static int lower_spread(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct spread *spread = node->state;
	struct nn_program_op *op;
	int error = nn_lower_unary(lowering, node, NN_OPCODE_SPREAD, node->inputs[0],
				   &node->outputs[0], &op);

	if (error)
		return error;
	op->spread = (struct nn_spread_params){
		.stride_h = spread->stride[0],
		.stride_w = spread->stride[1],
		.pad_top = spread->padding[0],
		.pad_left = spread->padding[1],
	};
	return 0;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "stride", .type = NN_ATTR_INTS, .min_count = 1, .max_count = 2 },
	{ .name = "padding", .type = NN_ATTR_INTS, .min_count = 4, .max_count = 4 },
	{ 0 }
};

const struct nn_op nn_op_spread = {
	.name = "Spread",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_spread,
	.lower = lower_spread,
};
