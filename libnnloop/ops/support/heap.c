// SPDX-License-Identifier: MIT
/*
 * A heap of indices (heap.h), step by step as GNU's std::push_heap and std::pop_heap do it.
 */
#include "heap.h"

/* Puts an index into the hole, or above it, but not above `top`. */
static void rise(struct nn_heap *heap, uint32_t top, uint32_t hole, uint32_t index)
{
	while (hole > top) {
		uint32_t parent = (hole - 1) / 2;

		if (heap->keys[heap->at[parent]] <= heap->keys[index])
			break;
		heap->at[hole] = heap->at[parent];
		hole = parent;
	}
	heap->at[hole] = index;
}

/* Puts an index into the hole at `top`: the lesser child moves up, as far as there is one, and it
 * rises from there. */
static void sink(struct nn_heap *heap, uint32_t top, uint32_t index)
{
	uint32_t hole = top, child = 2 * top + 2;

	for (; child < heap->count; child = 2 * child + 2) {
		if (heap->keys[heap->at[child]] > heap->keys[heap->at[child - 1]])
			child--;
		heap->at[hole] = heap->at[child];
		hole = child;
	}
	if (child == heap->count) {
		heap->at[hole] = heap->at[child - 1];
		hole = child - 1;
	}
	rise(heap, top, hole, index);
}

void nn_heap_make(struct nn_heap *heap)
{
	for (uint32_t top = heap->count / 2; top-- > 0;)
		sink(heap, top, heap->at[top]);
}

void nn_heap_push(struct nn_heap *heap, uint32_t index)
{
	rise(heap, 0, heap->count++, index);
}

uint32_t nn_heap_pop(struct nn_heap *heap)
{
	uint32_t root = heap->at[0];

	if (--heap->count)
		sink(heap, 0, heap->at[heap->count]);
	return root;
}

void nn_heap_replace(struct nn_heap *heap, uint32_t index)
{
	sink(heap, 0, index);
}
