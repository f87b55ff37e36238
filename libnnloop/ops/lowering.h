/* SPDX-License-Identifier: MIT */
/*
 * A program while it is written: by operators, through emit.h, and by who makes programs of them
 * (plan/lower.c), who owns it.
 */
#ifndef NN_LOWERING_H
#define NN_LOWERING_H

#include "dsp/nn_program.h"
#include "graph/graph.h"

/* Regions of a plan: these two, then the inputs, then the outputs. While a program is written, its
 * tensors name them by these numbers. */
enum {
	NN_REGION_CONSTANTS = 0,
	NN_REGION_ARENA = 1,
	NN_REGION_INPUTS = 2,
};

/* What is in the constant region, of all programs of a plan. */
struct nn_constants {
	uint8_t *data;			/* malloc()ed; NULL if they were written before */
	uint64_t bytes, room;
	/* an earlier plan has written them: only their places are worked out */
	bool written_before;
};

/* All zero but the first four is an empty program. Both arrays are malloc()ed. */
struct nn_lowering {
	struct nn_graph *graph;		/* for errors */
	struct nn_constants *constants;
	uint32_t output_region;		/* of output 0 */
	uint32_t number;		/* of this program, from 1 */

	struct nn_program_tensor *tensors;
	uint32_t tensor_count, tensor_room;
	struct nn_program_op *ops;
	uint32_t op_count, op_room;
};

#endif
