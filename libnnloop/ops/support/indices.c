// SPDX-License-Identifier: MIT
/* Places of a tensor whose indices are another tensor. */
#include "check.h"
#include "indices.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

bool nn_fits_rows(const struct nn_value *value, const struct nn_tensor_info *rows)
{
	const struct nn_tensor_info *info = &value->info;

	return (info->level == rows->level && info->dims[0] == rows->dims[0]) ||
	       ((nn_value_is_const(value) || (rows->level && !info->level)) && info->dims[0] == 1);
}

static int read_attrs(struct nn_node *node, uint32_t *axis, uint32_t *depth, bool *each)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	int64_t first = nn_node_get_attr_int(node, "axis", 1);
	int64_t numbers = nn_node_get_attr_int(node, "depth", 0);

	if (numbers < 0 || numbers > NN_TAKE_DEPTH)
		return nn_node_fail(node, -EOPNOTSUPP, "depth is 0 to %d", NN_TAKE_DEPTH);
	if (first < 1 || first + (numbers ? numbers : 1) > from->rank)
		return nn_node_fail(node, -EINVAL,
				    "axis %" PRId64 " and the dimensions that an index is of are not "
				    "among the %" PRIu32 " of its input, but for the first",
				    first, from->rank);
	*axis = first;
	*depth = numbers;
	*each = nn_node_get_attr_int(node, "each", 0);
	return 0;
}

/* Returns how many dimensions of the indices are in front of those that the output has of them. */
static int match_front(struct nn_node *node, uint32_t axis, uint32_t depth, bool each,
		       uint32_t *front)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_tensor_info *indices = &node->inputs[1]->info;

	*front = each ? axis : 1;
	if (indices->rank < *front + (depth != 0) ||
	    memcmp(indices->dims + 1, from->dims + 1, (*front - 1) * sizeof(*from->dims)))
		return nn_node_fail(node, -EINVAL,
				    "the indices do not begin with the input's dimensions");
	if (depth && indices->dims[indices->rank - 1] != depth)
		return nn_node_fail(node, -EINVAL,
				    "the indices' last dimension is %" PRIu32 ", and depth %" PRIu32,
				    indices->dims[indices->rank - 1], depth);
	return 0;
}

static void find_params(const struct nn_tensor_info *from, uint32_t axis, uint32_t depth, bool each,
			struct nn_take_params *take)
{
	take->depth = depth ? depth : 1;
	take->each = each;
	take->parts = take->run = 1;
	for (uint32_t i = 0; i < NN_TAKE_DEPTH; i++)
		take->sizes[i] = i < take->depth ? from->dims[axis + i] : 1;
	for (uint32_t i = 1; i < axis; i++)
		take->parts *= from->dims[i];
	for (uint32_t i = axis + take->depth; i < from->rank; i++)
		take->run *= from->dims[i];
}

int nn_check_indices(struct nn_node *node, struct nn_take_params *take, uint32_t *rank,
		     uint32_t *dims)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info, *rows = nn_node_rows(node);
	const struct nn_tensor_info *indices = &node->inputs[1]->info;
	uint32_t axis = 1, depth = 0, front = 1;
	bool each = false;
	int error;

	if (indices->type != NN_INT32 && indices->type != NN_INT64)
		return nn_node_fail(node, -EINVAL, "the indices must be of int32 or int64, not %s",
				    nn_data_type_name(indices->type));
	if (from->scales)
		return nn_node_fail(node, -EOPNOTSUPP, "the input has more than one scale");
	for (uint32_t i = 0; i < node->input_count; i++) {
		if (!nn_fits_rows(node->inputs[i], rows))
			return nn_node_fail(node, -EINVAL,
					    "input and indices must have as many rows, unless one "
					    "is a constant of one row");
	}
	error = read_attrs(node, &axis, &depth, &each);
	if (!error)
		error = match_front(node, axis, depth, each, &front);
	if (error)
		return error;
	find_params(from, axis, depth, each, take);
	*rank = axis;
	memcpy(dims, from->dims, axis * sizeof(*dims));
	for (uint32_t i = front; i < indices->rank - (depth != 0) && *rank < NN_MAX_RANK; i++)
		dims[(*rank)++] = indices->dims[i];
	if (axis + indices->rank - (depth != 0) - front + from->rank - axis - take->depth >
	    NN_MAX_RANK)
		return nn_node_fail(node, -EOPNOTSUPP, "makes more than %d dimensions", NN_MAX_RANK);
	for (uint32_t i = axis + take->depth; i < from->rank; i++)
		dims[(*rank)++] = from->dims[i];
	return 0;
}
