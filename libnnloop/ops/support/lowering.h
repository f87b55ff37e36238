/* SPDX-License-Identifier: MIT */
/*
 * A program while it is written: by operators, through emit.h, and by who makes programs of them
 * (plan/lower.c), who owns it.
 */
#ifndef NN_LOWERING_H
#define NN_LOWERING_H

#include "dsp/program/nn_program.h"
#include "emit.h"
#include "graph/graph.h"

/* Regions of a plan: these two, then the inputs, then the outputs. While a program is written, its
 * tensors name them by these numbers. */
enum {
	NN_REGION_CONSTANTS = 0,
	NN_REGION_ARENA = 1,
	NN_REGION_INPUTS = 2,
};

/* A constant in the constant region. Large ones are made where the device needs them. */
struct nn_constant {
	struct nn_constant *next;
	uint64_t offset, bytes;
	const void *data;		/* NULL: `fill` makes it of the node's own */
	nn_fill_fp fill;
	const struct nn_node *node;
};

/* The constant region of all programs of a plan: what is in it. */
struct nn_constants {
	struct nn_pool pool;		/* of the list and of small data, until the device has it */
	struct nn_constant *first, *last;	/* empty if they were written before */
	uint64_t bytes;
	/* an earlier plan has written them: only their places are worked out */
	bool written_before;
};

/* All zero but the first four is an empty program. Both arrays are malloc()ed. */
struct nn_lowering {
	struct nn_graph *graph;		/* for errors */
	struct nn_constants *constants;
	uint32_t output_region;		/* of output 0 */
	uint32_t number;		/* of this program, from 1 */
	uint64_t constant_offset;	/* of the constant that was added last */

	struct nn_program_tensor *tensors;
	uint32_t tensor_count, tensor_room;
	struct nn_program_op *ops;
	uint32_t op_count, op_room;
};

#endif
