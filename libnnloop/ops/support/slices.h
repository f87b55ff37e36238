/* SPDX-License-Identifier: MIT */
/*
 * Slices: windows of a dimension, one for each iteration of a BatchLoop. docs/loops.md defines them.
 *
 * Windows of rows have the rows of their loop, as a batch's have. So have windows of another
 * dimension: each iteration has all rows of the input, and of each its window. Where windows of rows
 * are side by side, and all of them full or the last one short, they are views; else the body begins
 * with a copy of the window (NN_OPCODE_PIECE).
 */
#ifndef NN_SLICES_H
#define NN_SLICES_H

#include "graph/graph.h"

struct nn_lowering;

/* The ways to go about what is left at the end, which fills no window. */
enum nn_tail { NN_TAIL_SHORT, NN_TAIL_PAD, NN_TAIL_DROP };

/* The state of a BatchLoop with windows. */
struct nn_slices {
	uint32_t axis;
	uint32_t window, stride;
	enum nn_tail tail;
	bool copies;			/* its outputs are no views */
};

/* The state of a node, or NULL: it is no BatchLoop, or only hands out its rows in turn. */
const struct nn_slices *nn_slices_of(const struct nn_node *node);

/* Whether a BatchLoop has windows: it has one of their attributes. */
bool nn_slices_are_wanted(const struct nn_node *node);

/* The check, execute and lower functions of one that has. `rows`: of its inputs now; `before`: rows
 * that it has handed out. */
int nn_slices_check(struct nn_node *node);
int nn_slices_push(struct nn_node *node, uint32_t rows, uint32_t before);
int nn_slices_lower(struct nn_lowering *lowering, struct nn_node *node);

/* How many windows `size` elements have. Each begins before their end, unless there are none. */
uint64_t nn_slices_count(const struct nn_slices *slices, uint64_t size);
/* False: there is no such tail. */
bool nn_slices_read_tail(const char *text, enum nn_tail *tail);

/* Checks that the inputs have the same rows, and that none of them may change (batch_loop.c). */
int nn_batch_loop_check_inputs(struct nn_node *node);

#endif
