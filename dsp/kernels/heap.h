/* SPDX-License-Identifier: MIT */
/*
 * A heap of indices by what their keys are, the least at the root. Of equal keys it leaves the one
 * in front that the C++ library's does with which TensorFlow Lite is built (GNU's std::push_heap
 * and std::pop_heap), step by step: which of equals comes first is a part of its results.
 *
 * Heaps that are `by_index` are ONNX Runtime's: of equal keys the least index is in front.
 *
 * It may be in memory that others write to meanwhile: an index that has no key counts as 0.
 */
#ifndef NN_HEAP_H
#define NN_HEAP_H

#include <stdbool.h>
#include <stdint.h>

struct nn_heap {
	uint32_t *at;		/* indices; the caller has room for all */
	const float *keys;	/* by index, */
	uint32_t key_count;	/* so many, at least one */
	uint32_t count;
};

static inline uint32_t nn_heap_at(const struct nn_heap *heap, uint32_t place)
{
	uint32_t index = heap->at[place];

	return index < heap->key_count ? index : 0;
}

/* Whether one of the two has to be behind the other. */
static inline bool nn_heap_is_behind(const struct nn_heap *heap, uint32_t index, uint32_t other,
				     bool by_index)
{
	float key = heap->keys[index], than = heap->keys[other];

	return key > than || (by_index && key == than && index > other);
}

/* Puts an index into the hole, or above it, but not above `top`. */
static inline void nn_heap_rise(struct nn_heap *heap, uint32_t top, uint32_t hole, uint32_t index,
				bool by_index)
{
	while (hole > top) {
		uint32_t parent = (hole - 1) / 2, above = nn_heap_at(heap, parent);

		if (!nn_heap_is_behind(heap, above, index, by_index))
			break;
		heap->at[hole] = above;
		hole = parent;
	}
	heap->at[hole] = index;
}

/*
 * Puts an index into the hole at `top`: the lesser child moves up, as far as there is one, and it
 * rises from there.
 */
static inline void nn_heap_sink(struct nn_heap *heap, uint32_t top, uint32_t index, bool by_index)
{
	uint32_t hole = top, child = 2 * top + 2;

	for (; child < heap->count; child = 2 * child + 2) {
		uint32_t right = nn_heap_at(heap, child), left = nn_heap_at(heap, child - 1);

		if (nn_heap_is_behind(heap, right, left, by_index)) {
			child--;
			right = left;
		}
		heap->at[hole] = right;
		hole = child;
	}
	if (child == heap->count) {
		heap->at[hole] = nn_heap_at(heap, child - 1);
		hole = child - 1;
	}
	nn_heap_rise(heap, top, hole, index, by_index);
}

/* Makes a heap of the first `count` of `at`, in any order. */
static inline void nn_heap_make(struct nn_heap *heap)
{
	for (uint32_t top = heap->count / 2; top-- > 0;)
		nn_heap_sink(heap, top, nn_heap_at(heap, top), false);
}

static inline void nn_heap_push(struct nn_heap *heap, uint32_t index, bool by_index)
{
	heap->count++;
	nn_heap_rise(heap, 0, heap->count - 1, index, by_index);
}

/* The root, which is taken away; there is one. */
static inline uint32_t nn_heap_pop(struct nn_heap *heap, bool by_index)
{
	uint32_t root = nn_heap_at(heap, 0);

	if (--heap->count)
		nn_heap_sink(heap, 0, nn_heap_at(heap, heap->count), by_index);
	return root;
}

/* Puts another in the root's place. */
static inline void nn_heap_replace(struct nn_heap *heap, uint32_t index)
{
	nn_heap_sink(heap, 0, index, false);
}

#endif
