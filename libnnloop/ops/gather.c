// SPDX-License-Identifier: MIT
/*
 * Gather: some of the indices of a dimension, in any order and as often as wanted.
 *
 * docs/operators.md:
 * | `Gather` | x | `axis` (not 0; may be negative); `indices` (required) | as x |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops/support/moving.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define MAX_PIECES 4096 /* which are operators of a program */
#define MANY_PIECES 8	/* of which one TAKE takes less time, if they are short */
#define SHORT_PIECE 8	/* indices */

/* The node's state, which check leaves for lower. */
struct gather {
	uint32_t axis, count, pieces;
	int64_t *indices;
};

/* Returns how many indices from number `first` on are as far from each other as the first two. */
static uint32_t measure_piece(const struct gather *gather, uint32_t first)
{
	const int64_t *at = &gather->indices[first];
	uint32_t left = gather->count - first, length = left < 2 ? left : 2;

	while (length < left && at[length] - at[length - 1] == at[1] - at[0])
		length++;
	return length;
}

/* Tells whether indices are taken one by one, as if they were computed. */
static bool are_scattered(const struct gather *gather)
{
	return gather->pieces > MANY_PIECES &&
	       gather->count < (uint64_t)gather->pieces * SHORT_PIECE;
}

static int check_indices(struct nn_node *node, struct gather *gather, uint32_t size)
{
	for (uint32_t i = 0; i < gather->count; i++) {
		if (gather->indices[i] < 0 || gather->indices[i] >= size)
			return nn_node_fail(node, -EINVAL,
					    "index %" PRId64 " is not one of %" PRIu32,
					    gather->indices[i], size);
	}
	for (uint32_t i = 0; i < gather->count; i += measure_piece(gather, i))
		gather->pieces++;
	if (gather->pieces > MAX_PIECES && !are_scattered(gather))
		return nn_node_fail(node, -EOPNOTSUPP,
				    "gathers %" PRIu32
				    " pieces of indices that follow each other, more than %d",
				    gather->pieces, MAX_PIECES);
	return 0;
}

static int check_gather(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_attr *indices = nn_node_get_attr(node, "indices");
	struct gather *gather = nn_node_make_state(node, sizeof(*gather));
	uint32_t dims[NN_MAX_RANK];
	int axis, error;

	(void)graph;
	(void)opaque;
	if (!gather)
		return -ENOMEM;
	axis = nn_node_get_axis(node, from, "gather along");
	if (axis < 0)
		return axis;
	if (!indices)
		return nn_node_fail(node, -EINVAL, "needs indices");
	gather->axis = axis;
	gather->count = indices->type == NN_ATTR_INTS ? indices->count : 1;
	gather->indices = nn_node_alloc(node, gather->count, sizeof(*gather->indices));
	if (!gather->indices)
		return -ENOMEM;
	nn_node_get_ints(node, "indices", gather->count, gather->indices);
	error = check_indices(node, gather, from->dims[axis]);
	if (error)
		return error;
	memcpy(dims, from->dims, sizeof(dims));
	dims[axis] = gather->count;
	error = nn_node_keep_quantization(node, 0, from);
	return error ? error : nn_node_infer_shape(node, 0, from, from->rank, dims);
}

/* Takes the indices by a constant of them. */
static int lower_scattered(struct nn_lowering *lowering, struct nn_node *node, uint32_t outer,
			   uint32_t inner)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct gather *gather = node->state;
	struct nn_program_op *op;
	int indices, error;
	void *data;

	indices = nn_lower_row(lowering, NN_TYPE_INT32, gather->count, &data);
	if (indices < 0)
		return indices;
	for (uint32_t i = 0; data && i < gather->count; i++)
		((int32_t *)data)[i] = (int32_t)gather->indices[i];
	error = nn_lower_unary(lowering, node, NN_OPCODE_TAKE, node->inputs[0], &node->outputs[0],
			       &op);
	if (error)
		return error;
	op->input[1] = indices;
	op->take = (struct nn_take_params){
		.depth = 1,
		.sizes = { from->dims[gather->axis], 1, 1, 1, 1, 1, 1 },
		.parts = outer,
		.run = inner,
	};
	return 0;
}

static int lower_gather(struct nn_lowering *lowering, struct nn_node *node)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct gather *gather = node->state;
	uint32_t outer, elements, length;
	int64_t inner;
	int error = 0;

	nn_info_around(from, gather->axis, &outer, &elements);
	inner = elements;
	if (are_scattered(gather))
		return lower_scattered(lowering, node, outer, inner);
	for (uint32_t i = 0; i < gather->count && !error; i += length) {
		const int64_t *at = &gather->indices[i];
		struct nn_moving moving = {
			.from_offset = at[0] * inner,
			.to_offset = i * inner,
		};

		length = measure_piece(gather, i);
		nn_moving_add(&moving, outer, from->dims[gather->axis] * inner,
			      gather->count * inner);
		nn_moving_add(&moving, length, length > 1 ? (at[1] - at[0]) * inner : 0, inner);
		nn_moving_add(&moving, inner, 1, 1);
		error = nn_lower_moving(lowering, node, &moving);
	}
	return error;
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "axis", .type = NN_ATTR_INT },
	{ .name = "indices", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_COUNT },
	{ 0 }
};

const struct nn_op nn_op_gather = {
	.name = "Gather",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_gather,
	.lower = lower_gather,
};
