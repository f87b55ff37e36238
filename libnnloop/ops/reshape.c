// SPDX-License-Identifier: MIT
/*
 * Reshape: the same elements in the same order, as a tensor of another shape.
 *
 * docs/operators.md:
 * | `Reshape` | x | `shape`: of one row or of all, see below | as x |
 */
#include "ops/support/alias.h"
#include "ops/support/check.h"
#include "ops.h"

#include <errno.h>

static int check_reshape(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	const struct nn_tensor_info *from = &node->inputs[0]->info;
	const struct nn_attr *shape = nn_node_get_attr(node, "shape");
	struct nn_tensor_info to = { .rank = NN_MAX_RANK, .level = from->level };
	uint32_t i, unknown = NN_MAX_RANK;
	int64_t wanted[NN_MAX_RANK] = { 0 };
	uint64_t elements, known = 1;
	char text[NN_SHAPE_TEXT];

	(void)graph;
	(void)opaque;
	if (!shape)
		return nn_node_fail(node, -EINVAL, "needs a shape");
	to.rank = shape->type == NN_ATTR_INTS ? shape->count : 1;
	nn_node_get_ints(node, "shape", to.rank, wanted);

	elements = nn_info_row_elements(from) * from->dims[0];
	for (i = 0; i < to.rank; i++) {
		if (wanted[i] < -1 || wanted[i] > UINT32_MAX || (wanted[i] == 0 && i >= from->rank))
			return nn_node_fail(node, -EINVAL, "dimension %u of the new shape is wrong",
					    i);
		if (wanted[i] == -1) {
			if (unknown < NN_MAX_RANK)
				return nn_node_fail(node, -EINVAL, "only one dimension can be -1");
			unknown = i;
			continue;
		}
		to.dims[i] = wanted[i] ? wanted[i] : from->dims[i];
		/* With no rows at all, the other dimensions say how long a row is. */
		if (to.dims[i] && __builtin_mul_overflow(known, to.dims[i], &known))
			return nn_node_fail(node, -EOVERFLOW, "the new shape is too large");
	}
	if (unknown == 0 && !elements)
		to.dims[0] = 0;
	else if (unknown < NN_MAX_RANK)
		to.dims[unknown] = (elements ? elements : nn_info_row_elements(from)) / known;

	/* A row must stay a row where rows are counted, and a batch of none tells nothing else. */
	if ((from->level || !from->dims[0]) && to.dims[0] != from->dims[0])
		return nn_node_fail(
			node, -EINVAL,
			"dimension 0 counts the rows of a loop and cannot change from %u to %u",
			from->dims[0], to.dims[0]);
	/* Where as many rows come out as there are elements for, none are rows of any length. */
	if ((elements || unknown || from->level) &&
	    nn_info_row_elements(&to) * (elements ? to.dims[0] : 1) !=
		    nn_info_row_elements(from) * (elements ? from->dims[0] : 1))
		return nn_node_fail(node, -EINVAL, "cannot make %s elements fit the new shape",
				    nn_info_format_shape(from, text, sizeof(text)));
	nn_node_default_quantization(node, 0, from);
	nn_node_alias(node, 0, 0);
	return nn_node_infer_shape(node, 0, &to, to.rank, to.dims);
}

static const struct nn_attr_spec attrs[] = {
	{ .name = "shape", .type = NN_ATTR_INTS, .min_count = 1, .max_count = NN_MAX_RANK },
	{ 0 }
};

const struct nn_op nn_op_reshape = {
	.name = "Reshape",
	.min_inputs = 1,
	.max_inputs = 1,
	.outputs = 1,
	.attrs = attrs,
	.check = check_reshape,
	.lower = nn_lower_aliases,
};
