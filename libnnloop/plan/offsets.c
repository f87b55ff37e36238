// SPDX-License-Identifier: MIT
/*
 * The sweep that gives blocks of memory their offsets: two lists of the blocks, by first and by
 * last use, and the free stretches of an arena.
 */
#include "offsets.h"

#include <errno.h>
#include <stdlib.h>

#include "arena.h"

static int compare(uint64_t a, uint64_t b)
{
	return (a > b) - (a < b);
}

/* Pointers into one array are in its order, which decides where the times are the same. */
static int by_first_use(const void *a, const void *b)
{
	const struct nn_lifetime *x = *(struct nn_lifetime *const *)a;
	const struct nn_lifetime *y = *(struct nn_lifetime *const *)b;
	int order = compare(x->first_use, y->first_use);

	return order ? order : compare((uintptr_t)x, (uintptr_t)y);
}

static int by_last_use(const void *a, const void *b)
{
	const struct nn_lifetime *x = *(struct nn_lifetime *const *)a;
	const struct nn_lifetime *y = *(struct nn_lifetime *const *)b;
	int order = compare(x->last_use, y->last_use);

	return order ? order : compare((uintptr_t)x, (uintptr_t)y);
}

static int sweep(struct nn_arena *arena, struct nn_lifetime *const *beginning,
		 struct nn_lifetime *const *ending, uint32_t count)
{
	uint32_t i, ended = 0;
	int error;

	for (i = 0; i < count; i++) {
		struct nn_lifetime *block = beginning[i];

		/* A block that has ended has also begun before, so its offset is known. */
		for (; ending[ended]->last_use < block->first_use; ended++) {
			error = nn_arena_give(arena, ending[ended]->offset, ending[ended]->size);
			if (error)
				return error;
		}
		error = nn_arena_take(arena, block->size, &block->offset);
		if (error)
			return error;
	}
	return 0;
}

int nn_assign_offsets(struct nn_lifetime *blocks, uint32_t count, uint64_t *bytes)
{
	struct nn_lifetime **beginning = calloc((size_t)count + 1, sizeof(*beginning));
	struct nn_lifetime **ending = calloc((size_t)count + 1, sizeof(*ending));
	struct nn_arena *arena = nn_arena_create();
	int error = -ENOMEM;
	uint32_t i;

	if (!beginning || !ending || !arena)
		goto free_lists;
	for (i = 0; i < count; i++)
		beginning[i] = ending[i] = &blocks[i];
	qsort(beginning, count, sizeof(*beginning), by_first_use);
	qsort(ending, count, sizeof(*ending), by_last_use);
	error = sweep(arena, beginning, ending, count);
	if (!error)
		*bytes = nn_arena_bytes(arena);
free_lists:
	nn_arena_destroy(arena);
	free(ending);
	free(beginning);
	return error;
}
