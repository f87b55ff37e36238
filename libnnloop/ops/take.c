// SPDX-License-Identifier: MIT
/*
 * Take: elements at places whose indices are computed.
 *
 * docs/operators.md:
 * | `Take` | x; indices, int32 or int64 | `axis` (1): the first dimension that an index is of; `depth`
 * (0: an index is one number; else so many, of as many dimensions, as the indices' last dimension);
 * `each` (0; 1: the indices begin with the dimensions that x has in front of `axis`, and are for
 * each of these); where one of the two has rows of a loop, the other can be one row | as x: its dimensions in front of `axis`, the other dimensions of the indices,
 * those of x behind; a number below 0 counts from the end; what is no index then makes zero points
 * |
 */
#include "ops/support/binary.h"
#include "ops/support/check.h"
#include "ops/support/emit.h"
#include "ops.h"
#include "ops/support/indices.h"

#include <errno.h>

static int check_take(struct nn_graph *graph, struct nn_node *node, void *opaque)
{
	struct nn_take_params *take = nn_node_make_state(node, sizeof(*take));
	uint32_t dims[NN_MAX_RANK] = { 0 }, rank;
	int error = take ? nn_check_indices(node, take, &rank, dims) : -ENOMEM;

	(void)graph;
	(void)opaque;
	if (!error)
		error = nn_node_keep_quantization(node, 0, &node->inputs[0]->info);
	return error ? error : nn_node_infer_shape(node, 0, nn_node_rows(node), rank, dims);
}

static int lower_take(struct nn_lowering *lowering, struct nn_node *node)
{
	struct nn_program_op *op;
	int error = nn_lower_two(lowering, node, NN_OPCODE_TAKE, &op);

	if (!error)
		op->take = *(const struct nn_take_params *)node->state;
	return error;
}

static const struct nn_attr_spec attrs[] = {
	NN_PLACES_ATTRS,
	{ 0 }
};

const struct nn_op nn_op_take = {
	.name = "Take",
	.min_inputs = 2,
	.max_inputs = 2,
	.takes_one_row = true,
	.outputs = 1,
	.attrs = attrs,
	.check = check_take,
	.lower = lower_take,
};
