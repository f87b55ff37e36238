// SPDX-License-Identifier: MIT
/*
 * Move: each element of the output is one of the input, whose place its index says.
 *
 * docs/operators.md:
 * | `Move` | x | `shape`: the output's, 0 for dimension 0; `strides` (all required): how many
 * elements of the input's row further an index more of each dimension is, 0 for dimension 0;
 * `offset` (0): where the first is, see below | as x |
 */
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops/support/moving.h"
#include "ops.h"

#include <errno.h>
#include <inttypes.h>

/* The node's state, which check leaves for lower, with strides and offset of the input. */
static struct nn_moving *read_attrs(struct nn_node *node, uint32_t *rank, uint32_t *dims)
{
	struct nn_moving *moving = nn_node_make_state(node, sizeof(*moving));
	const struct nn_attr *shape = nn_node_get_attr(node, "shape");
	const struct nn_attr *strides = nn_node_get_attr(node, "strides");
	int64_t sizes[NN_MAX_RANK] = { 0 }, distances[NN_MAX_RANK] = { 0 };
	uint64_t elements = 1;

	if (!moving)
		return NULL;
	*rank = shape && shape->type == NN_ATTR_INTS ? shape->count : 1;
	nn_node_get_ints(node, "shape", *rank, sizes);
	nn_node_get_ints(node, "strides", *rank, distances);
	if (!shape || !strides || (strides->type == NN_ATTR_INTS ? strides->count : 1) != *rank ||
	    sizes[0] || distances[0]) {
		nn_node_fail(node, -EINVAL,
			     "needs shape and strides, as many numbers each, the first 0");
		return NULL;
	}
	for (uint32_t i = 1; i < *rank; i++) {
		if (sizes[i] < 1 || sizes[i] > INT32_MAX || distances[i] < -INT32_MAX ||
		    distances[i] > INT32_MAX || (elements *= sizes[i]) > INT32_MAX) {
			nn_node_fail(node, -EINVAL, "dimension %" PRIu32
				     " of shape or strides is wrong, or too large", i);
			return NULL;
		}
		dims[i] = sizes[i];
		moving->count[i] = sizes[i];
		moving->from[i] = distances[i];
	}
	moving->from_offset = nn_node_get_attr_int(node, "offset", 0);
	return moving;
}

/* Whether all elements are the row's. Counts and strides have 31 bits, and there are 7. */
static bool is_inside(const struct nn_moving *moving, uint32_t rank, uint64_t elements)
{
	int64_t low = moving->from_offset, high = low;

	if (low < 0 || low > INT32_MAX)
		return false;
	for (uint32_t i = 1; i < rank; i++) {
		int64_t reach = moving->from[i] * (moving->count[i] - 1);

		if (reach < -INT32_MAX || reach > INT32_MAX)
			return false;
		low += reach < 0 ? reach : 0;
		high += reach > 0 ? reach : 0;
	}
	return low >= 0 && (uint64_t)high < elements;
}

static int check_move(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	uint32_t dims[NN_MAX_RANK] = { 0 }, rank;
	struct nn_moving *moving = read_attrs(node, &rank, dims);
	int64_t to = 1;
	int error;

	(void)opaque;
	if (!moving)
		return graph->error.code;
	if (!is_inside(moving, rank, nn_info_row_elements(from)))
		return nn_node_fail(node, -EINVAL,
				    "takes elements from outside of the input's rows");
	moving->rank = rank;
	moving->count[0] = 1;
	for (uint32_t i = rank; i-- > 1; to *= dims[i])
		moving->to[i] = to;
	error = nn_node_keep_quantization(node, 0, from);
	return error ? error : nn_node_infer_shape(node, 0, from, rank, dims);
}

static int lower_move(struct nn_lowering *lowering, struct nn_node *node)
{
	return nn_lower_moving(lowering, node, node->state);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "shape", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ .name = "strides", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ .name = "offset", .type = NN_ATTR_INT },
	{ 0 }
};

const struct nn_op nn_op_move = {
	.name = "Move",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_move,
	.lower = lower_move,
};
