// SPDX-License-Identifier: MIT
/*
 * Slice: some of the indices of a dimension, one behind the other.
 *
 * docs/operators.md:
 * | `Slice` | x | `axis` (not 0; may be negative), `begin` (0), `size` (all that there are from
 * `begin` on) | as x |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The node's state, which check leaves for lower. */
struct slice {
	uint32_t axis, begin;
};

static int check_slice(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	struct slice *slice = nn_node_make_state(node, sizeof(*slice));
	uint32_t dims[NN_MAX_RANK];
	int64_t begin, size;
	int axis, error;

	(void)graph;
	(void)opaque;
	if (!slice)
		return -ENOMEM;
	axis = nn_node_get_axis(node, from, "slice");
	if (axis < 0)
		return axis;
	begin = nn_node_get_attr_int(node, "begin", 0);
	if (begin < 0 || begin >= from->dims[axis])
		return nn_node_fail(node, -EINVAL, "begins at %" PRId64 " of %" PRIu32, begin,
				    from->dims[axis]);
	size = nn_node_get_attr_int(node, "size", from->dims[axis] - begin);
	if (size < 1 || size > from->dims[axis] - begin)
		return nn_node_fail(node, -EINVAL, "has size %" PRId64 " of the %" PRId64 " left",
				    size, from->dims[axis] - begin);
	slice->axis = axis;
	slice->begin = begin;
	node->takes_channels = axis + 1 == (int)from->rank;
	node->first_channel = begin;
	memcpy(dims, from->dims, sizeof(dims));
	dims[axis] = size;
	error = nn_node_keep_quantization(node, 0, from);
	return error ? error : nn_node_infer_shape(node, 0, from, from->rank, dims);
}

static int lower_slice(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *to = &node->outputs[0].info;
	const struct slice *slice = node->state;
	struct nn_copy_params copy = { 0 };
	uint32_t inner;
	int input;

	/* Whoever reads it finds it in the input. */
	if (node->outputs[0].storage == NN_STORAGE_CHANNELS)
		return 0;
	nn_info_around(to, slice->axis, &copy.count, &inner);
	inner *= nn_data_type_size(to->type);
	copy.block = copy.dst_stride = to->dims[slice->axis] * inner;
	copy.src_stride = from->dims[slice->axis] * inner;
	if (node->takes_channels)
		input = nn_lower_pixels(lowering, node->inputs[0], &copy.src_offset,
					&copy.src_stride);
	else
		input = nn_lower_value(lowering, node->inputs[0]);
	copy.src_offset += slice->begin * inner;
	return nn_lower_copy_tensor(lowering, node, input,
				    nn_lower_value(lowering, &node->outputs[0]), &copy);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "axis", .type = NN_ATTR_INT },
	{ .name = "begin", .type = NN_ATTR_INT },
	{ .name = "size", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_slice = {
	.name = "Slice",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_slice,
	.lower = lower_slice,
};
