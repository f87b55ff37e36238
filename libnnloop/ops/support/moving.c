// SPDX-License-Identifier: MIT
/*
 * Moves of elements by strides (moving.h): loops are merged, and become COPY or MOVE.
 */
#include "moving.h"

#include <errno.h>

#include "emit.h"

void nn_moving_add(struct nn_moving *moving, uint32_t count, int64_t from, int64_t to)
{
	moving->count[moving->rank] = count;
	moving->from[moving->rank] = from;
	moving->to[moving->rank] = to;
	moving->rank++;
}

/* The same with dimensions of one index left out, and made one where they lie together. */
static struct nn_moving merge(const struct nn_moving *moving)
{
	struct nn_moving merged = {
		.from_offset = moving->from_offset, .to_offset = moving->to_offset
	};

	for (uint32_t i = 0; i < moving->rank; i++) {
		uint32_t count = moving->count[i], last = merged.rank - 1;

		if (count == 1)
			continue;
		if (merged.rank && merged.from[last] == moving->from[i] * count &&
		    merged.to[last] == moving->to[i] * count) {
			merged.count[last] *= count;
			merged.from[last] = moving->from[i];
			merged.to[last] = moving->to[i];
		} else {
			nn_moving_add(&merged, count, moving->from[i], moving->to[i]);
		}
	}
	return merged;
}

/* Blocks of elements, with one dimension of them at most. False: they are something else. */
static bool describe_copy(const struct nn_moving *moving, uint32_t size,
			  struct nn_copy_params *copy)
{
	uint32_t rank = moving->rank;
	bool blocks = rank && moving->from[rank - 1] == 1 && moving->to[rank - 1] == 1;
	uint32_t block = blocks ? moving->count[rank - 1] : 1, outer = rank - blocks;

	if (outer > 1 || (outer && (!blocks || moving->from[0] < 0 || moving->to[0] < block)))
		return false;
	*copy = (struct nn_copy_params){
		.count = outer ? moving->count[0] : 1,
		.block = block * size,
		.src_offset = moving->from_offset * size,
		.dst_offset = moving->to_offset * size,
		.src_stride = outer ? moving->from[0] * size : 0,
		.dst_stride = outer ? moving->to[0] * size : 0,
	};
	return true;
}

static void describe_move(const struct nn_moving *moving, struct nn_move_params *move)
{
	uint32_t unused = NN_MOVE_DIMS - moving->rank;

	*move = (struct nn_move_params){
		.src_offset = moving->from_offset,
		.dst_offset = moving->to_offset,
	};
	for (uint32_t k = 0; k < unused; k++)
		move->count[k] = 1;
	for (uint32_t k = 0; k < moving->rank; k++) {
		move->count[unused + k] = moving->count[k];
		move->src_stride[unused + k] = moving->from[k];
		move->dst_stride[unused + k] = moving->to[k];
	}
}

/* The part of it whose dimension 0 has index i. */
static struct nn_moving take_index(const struct nn_moving *moving, uint32_t i)
{
	struct nn_moving part = {
		.from_offset = moving->from_offset + moving->from[0] * i,
		.to_offset = moving->to_offset + moving->to[0] * i,
	};

	for (uint32_t k = 1; k < moving->rank; k++)
		nn_moving_add(&part, moving->count[k], moving->from[k], moving->to[k]);
	return part;
}

static int lower_merged(struct nn_lowering *lowering, struct nn_node *node,
			const struct nn_moving *moving)
{
	uint32_t size = nn_data_type_size(node->outputs[0].info.type);
	struct nn_copy_params copy;
	bool blocks = describe_copy(moving, size, &copy);
	struct nn_program_op *op;
	int error;

	error = nn_lower_unary(lowering, node, blocks ? NN_OPCODE_COPY : NN_OPCODE_MOVE,
			       node->inputs[0], &node->outputs[0], &op);
	if (error)
		return error;
	if (blocks)
		op->copy = copy;
	else
		describe_move(moving, &op->move);
	return 0;
}

int nn_lower_moving(struct nn_lowering *lowering, struct nn_node *node,
		    const struct nn_moving *moving)
{
	struct nn_moving merged = merge(moving);
	int error = 0;

	if (merged.rank <= NN_MOVE_DIMS)
		return lower_merged(lowering, node, &merged);
	/* With 8 dimensions, of which 0 is rows, one is too many for an operator. */
	for (uint32_t i = 0; i < merged.count[0] && !error; i++) {
		struct nn_moving part = take_index(&merged, i);

		error = lower_merged(lowering, node, &part);
	}
	return error;
}
