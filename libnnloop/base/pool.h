/* SPDX-License-Identifier: MIT */
/*
 * Memory that is freed all at once: whatever a graph or a plan is made of lives in its pool, so
 * that dropping one is a single call and no error path has a list of things to free.
 */
#ifndef NN_POOL_H
#define NN_POOL_H

#include <stddef.h>

struct nn_pool_chunk;

/* All zero is an empty pool. */
struct nn_pool {
	struct nn_pool_chunk *head;
};

/* A moment in a pool's life, to go back to. */
struct nn_pool_mark {
	struct nn_pool_chunk *head;
	size_t used;
};

/* Zeroed, aligned to 16; NULL if there is no memory. Size 0 is legal. */
void *nn_pool_alloc(struct nn_pool *pool, size_t size);
/* The same for an array; also NULL when count * size overflows. */
void *nn_pool_array(struct nn_pool *pool, size_t count, size_t size);
/* A copy; NULL if there is no memory. */
void *nn_pool_copy(struct nn_pool *pool, const void *data, size_t size);
char *nn_pool_string(struct nn_pool *pool, const char *string);

struct nn_pool_mark nn_pool_get_mark(const struct nn_pool *pool);
/* Frees everything that was allocated since. */
void nn_pool_rewind(struct nn_pool *pool, struct nn_pool_mark mark);
void nn_pool_free(struct nn_pool *pool);

#endif
