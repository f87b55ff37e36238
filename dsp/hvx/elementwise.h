/* SPDX-License-Identifier: MIT */
/*
 * What the vector kernels have in common that take one element after another.
 */
#ifndef NN_ELEMENTWISE_H
#define NN_ELEMENTWISE_H

#include "vector.h"

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
