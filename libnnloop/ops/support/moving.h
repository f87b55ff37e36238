/* SPDX-License-Identifier: MIT */
/*
 * Moves of elements by strides, which Move, Gather and Pad share.
 */
#ifndef NN_MOVING_H
#define NN_MOVING_H

#include "graph/graph.h"

/*
 * For all indices i of count[0] x .. x count[rank - 1]: element to_offset + sum of i[k] * to[k] of
 * a row of the output is element from_offset + sum of i[k] * from[k] of that row of input 0. Both
 * are inside of their rows.
 */
struct nn_moving {
	uint32_t rank;
	uint32_t count[NN_MAX_RANK];
	int64_t from[NN_MAX_RANK], to[NN_MAX_RANK];
	int64_t from_offset, to_offset;
};

/* A dimension more, inside of those that are there. */
void nn_moving_add(struct nn_moving *moving, uint32_t count, int64_t from, int64_t to);
/* Writes the fewest operators that do it. */
int nn_lower_moving(struct nn_lowering *lowering, struct nn_node *node,
		    const struct nn_moving *moving);

#endif
