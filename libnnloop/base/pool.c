// SPDX-License-Identifier: MIT
/*
 * Pools of memory (pool.h): allocations come from chunks, which are freed together.
 */
#include "pool.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef __has_feature
#define __has_feature(feature)	0
#endif

/* Sanitizers are told what of a chunk nobody has, and of a gap behind each allocation. */
#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
#include <sanitizer/asan_interface.h>
#define POISON(at, size)	ASAN_POISON_MEMORY_REGION(at, size)
#define UNPOISON(at, size)	ASAN_UNPOISON_MEMORY_REGION(at, size)
#define GAP			((size_t)16)
#else
#define POISON(at, size)	((void)(at), (void)(size))
#define UNPOISON(at, size)	((void)(at), (void)(size))
#define GAP			((size_t)0)
#endif

#define CHUNK_SIZE	((size_t)16 << 10)
#define ALIGNMENT	((size_t)16)

struct nn_pool_chunk {
	struct nn_pool_chunk *next;
	size_t size;
	size_t used;
	alignas(16) unsigned char data[];
};

void *nn_pool_alloc(struct nn_pool *pool, size_t size)
{
	struct nn_pool_chunk *chunk = pool->head;
	size_t asked = size, room;
	void *memory;

	if (size > SIZE_MAX / 2)
		return NULL;
	size = ((size + ALIGNMENT - 1) & ~(ALIGNMENT - 1)) + GAP;

	if (!chunk || chunk->size - chunk->used < size) {
		room = size > CHUNK_SIZE ? size : CHUNK_SIZE;
		chunk = calloc(1, sizeof(*chunk) + room);
		if (!chunk)
			return NULL;
		chunk->size = room;
		chunk->next = pool->head;
		pool->head = chunk;
		POISON(chunk->data, room);
	}
	memory = chunk->data + chunk->used;
	chunk->used += size;
	UNPOISON(memory, asked);
	return memory;
}

void *nn_pool_array(struct nn_pool *pool, size_t count, size_t size)
{
	size_t bytes;

	if (__builtin_mul_overflow(count, size, &bytes))
		return NULL;
	return nn_pool_alloc(pool, bytes);
}

void *nn_pool_copy(struct nn_pool *pool, const void *data, size_t size)
{
	void *copy = nn_pool_alloc(pool, size);

	if (copy && size)
		memcpy(copy, data, size);
	return copy;
}

char *nn_pool_string(struct nn_pool *pool, const char *string)
{
	return nn_pool_copy(pool, string, strlen(string) + 1);
}

struct nn_pool_mark nn_pool_get_mark(const struct nn_pool *pool)
{
	struct nn_pool_mark mark = { .head = pool->head };

	if (pool->head)
		mark.used = pool->head->used;
	return mark;
}

void nn_pool_rewind(struct nn_pool *pool, struct nn_pool_mark mark)
{
	while (pool->head != mark.head) {
		struct nn_pool_chunk *chunk = pool->head;

		pool->head = chunk->next;
		free(chunk);
	}
	if (!pool->head)
		return;
	/* Allocations are handed out zeroed. */
	UNPOISON(pool->head->data + mark.used, pool->head->used - mark.used);
	memset(pool->head->data + mark.used, 0, pool->head->used - mark.used);
	POISON(pool->head->data + mark.used, pool->head->used - mark.used);
	pool->head->used = mark.used;
}

void nn_pool_free(struct nn_pool *pool)
{
	nn_pool_rewind(pool, (struct nn_pool_mark){ 0 });
}
