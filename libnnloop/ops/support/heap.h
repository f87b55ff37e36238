/* SPDX-License-Identifier: MIT */
/*
 * A heap of indices by what their keys are, the least at the root. Of equal keys it leaves the one
 * in front that the C++ library's does with which TensorFlow Lite is built (GNU's std::push_heap
 * and std::pop_heap), step by step: which of equals comes first is a part of its results.
 */
#ifndef NN_HEAP_H
#define NN_HEAP_H

#include <stdint.h>

struct nn_heap {
	uint32_t *at;		/* indices; the caller has room for all */
	const float *keys;	/* by index */
	uint32_t count;
};

/* Makes a heap of the first `count` of `at`, in any order. */
void nn_heap_make(struct nn_heap *heap);
void nn_heap_push(struct nn_heap *heap, uint32_t index);
/* The root, which is taken away; there is one. */
uint32_t nn_heap_pop(struct nn_heap *heap);
/* Puts another in the root's place. */
void nn_heap_replace(struct nn_heap *heap, uint32_t index);

#endif
