/* SPDX-License-Identifier: MIT */
/*
 * What the vector kernels have in common that take one element after another.
 */
#ifndef NN_ELEMENTWISE_H
#define NN_ELEMENTWISE_H

#include "dsp/program/kernels.h"
#include "dsp/hvx/common/vector.h"

/*
 * `run`, which knows of no pixels, on all of a call: at once if its operands are dense. Else
 * pixels that lie apart are made dense in scratch memory, some at a time, and so are the results.
 */
int nn_elementwise_run(const struct nn_call *call, int (*run)(const struct nn_call *call));

/* Bytes of output between two reports of progress. */
#define ELEMENTWISE_TILE	(256u << 10)

/* `bytes` (1 .. 128) bytes at p, whole vectors faster. */
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
