/* SPDX-License-Identifier: MIT */
/*
 * Operators of one element after another, whose vector kernels know of no pixels: how they run on
 * tensors that have a pitch, and accesses of up to a vector. add.c, add_float.c, binary.c, table.c
 * and reduce/softmax.c include it.
 */
#ifndef NN_ELEMENTWISE_H
#define NN_ELEMENTWISE_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/common/vector.h"

/*
 * Calls `run`, which knows of no pixels, for all of a call: at once if its operands are dense.
 * Otherwise pixels that have a pitch are made dense in scratch memory, some at a time, and so are
 * the results.
 */
int nn_elementwise_run(const struct nn_call *call, int (*run)(const struct nn_call *call));

/* The bytes of output between two reports of progress. */
#define ELEMENTWISE_TILE	(256u << 10)

/* Load and store `bytes` (1 .. 128) bytes at p, whole vectors faster. */
static inline HVX_Vector load_part(const uint8_t *p, uint32_t bytes)
{
	return bytes == VECTOR ? load(p) : load_bytes(p, bytes);
}

static inline void store_part(uint8_t *p, HVX_Vector v, uint32_t bytes)
{
	if (bytes == VECTOR)
		store(p, v);
	else
		store_bytes(p, v, bytes);
}

#endif
