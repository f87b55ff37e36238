/* SPDX-License-Identifier: MIT */
/*
 * Vectors of LANES float32 or 32-bit integers, which whoever includes this says: as many as the
 * processor has in a register, for the compiler makes poor code of wider ones.
 */
#ifndef NN_HOST_VECTOR_H
#define NN_HOST_VECTOR_H

#include <stdint.h>

typedef float floats __attribute__((vector_size(4 * LANES), may_alias));
typedef int32_t ints __attribute__((vector_size(4 * LANES), may_alias));
typedef uint32_t words __attribute__((vector_size(4 * LANES), may_alias));

static inline floats broadcast(float value)
{
	return value - (floats){ 0 };
}

/*
 * sum + a * b where the product is exact, so that it is the same whether that is one instruction or
 * two. By lanes, because there is no other way to ask for the one; the compiler puts them together.
 */
static inline floats multiply_add(floats sum, floats a, floats b)
{
#ifdef ONE_INSTRUCTION
	for (uint32_t i = 0; i < LANES; i++)
		sum[i] = __builtin_fmaf(a[i], b[i], sum[i]);
	return sum;
#else
	return sum + a * b;
#endif
}

#endif
