// SPDX-License-Identifier: MIT
/*
 * The free stretches of an arena, "holes", are in two search trees, one by offset, to join
 * neighbours, and one by size. Both are treaps: a hole's random weight is at most its parent's,
 * which keeps them as flat as trees that are filled in random order.
 */
#include "arena.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/pool.h"

enum order { BY_OFFSET, BY_SIZE, ORDERS };

struct hole {
	uint64_t offset, size;
	uint32_t weight;
	struct hole *child[ORDERS][2];	/* in each tree: what is before it, what is behind */
};

struct nn_arena {
	struct nn_pool pool;		/* of holes; the arena itself is in it */
	struct hole *unused;		/* a list by child[0][0] */
	/* Never adjacent; none reaches beyond `end`, above which all is free. */
	struct hole *root[ORDERS];
	uint64_t end;
	uint32_t random;
};

/* ---- Trees */

static bool is_before(const struct hole *a, const struct hole *b, enum order order)
{
	if (order == BY_SIZE && a->size != b->size)
		return a->size < b->size;
	return a->offset < b->offset;
}

/* Take a tree apart: what is before a hole, and what is behind. */
static void split(struct hole *tree, const struct hole *hole, enum order order,
		  struct hole **before, struct hole **behind)
{
	while (tree) {
		struct hole ***side = is_before(tree, hole, order) ? &before : &behind;

		**side = tree;
		*side = &tree->child[order][side == &before];
		tree = **side;
	}
	*before = NULL;
	*behind = NULL;
}

static void insert(struct nn_arena *arena, struct hole *hole, enum order order)
{
	struct hole **place = &arena->root[order];

	while (*place && (*place)->weight > hole->weight)
		place = &(*place)->child[order][is_before(*place, hole, order)];
	split(*place, hole, order, &hole->child[order][0], &hole->child[order][1]);
	*place = hole;
}

static void take_out(struct nn_arena *arena, const struct hole *hole, enum order order)
{
	struct hole **place = &arena->root[order], *before = hole->child[order][0],
		    *behind = hole->child[order][1];

	while (*place != hole)
		place = &(*place)->child[order][is_before(*place, hole, order)];
	while (before && behind) {
		struct hole **heavier = before->weight > behind->weight ? &before : &behind;

		*place = *heavier;
		place = &(*place)->child[order][heavier == &before];
		*heavier = *place;
	}
	*place = before ? before : behind;
}

/* The last hole before `key`, or with `behind` the first that is not. */
static struct hole *find(const struct nn_arena *arena, const struct hole *key, enum order order,
			 bool behind)
{
	struct hole *at = arena->root[order], *found = NULL;

	while (at) {
		bool before = is_before(at, key, order);

		if (before != behind)
			found = at;
		at = at->child[order][before];
	}
	return found;
}

/* ---- Holes */

static void remove_hole(struct nn_arena *arena, struct hole *hole)
{
	take_out(arena, hole, BY_OFFSET);
	take_out(arena, hole, BY_SIZE);
	hole->child[0][0] = arena->unused;
	arena->unused = hole;
}

static int add_hole(struct nn_arena *arena, uint64_t offset, uint64_t size)
{
	struct hole *hole = arena->unused;

	if (hole)
		arena->unused = hole->child[0][0];
	else
		hole = nn_pool_alloc(&arena->pool, sizeof(*hole));
	if (!hole)
		return -ENOMEM;
	arena->random = arena->random * 1664525 + 1013904223;
	*hole = (struct hole){ .offset = offset, .size = size, .weight = arena->random };
	insert(arena, hole, BY_OFFSET);
	insert(arena, hole, BY_SIZE);
	return 0;
}

/* ---- Taking and giving */

static int take_end(struct nn_arena *arena, uint64_t size, uint64_t *offset)
{
	struct hole *last = find(arena, &(struct hole){ .offset = UINT64_MAX }, BY_OFFSET, false);

	*offset = arena->end;
	/* A hole that reaches up to the end is the beginning of the new place. */
	if (last && last->offset + last->size == arena->end) {
		*offset = last->offset;
		remove_hole(arena, last);
	}
	return __builtin_add_overflow(*offset, size, &arena->end) ? -EOVERFLOW : 0;
}

int nn_arena_take(struct nn_arena *arena, uint64_t size, uint64_t *offset)
{
	struct hole *best = find(arena, &(struct hole){ .size = size }, BY_SIZE, true);
	uint64_t rest;

	if (!best)
		return take_end(arena, size, offset);
	*offset = best->offset;
	rest = best->size - size;
	remove_hole(arena, best);
	return rest ? add_hole(arena, *offset + size, rest) : 0;
}

int nn_arena_give(struct nn_arena *arena, uint64_t offset, uint64_t size)
{
	const struct hole key = { .offset = offset };
	struct hole *before = find(arena, &key, BY_OFFSET, false),
		    *behind = find(arena, &key, BY_OFFSET, true);

	if (!size)
		return 0;
	if (behind && behind->offset == offset + size) {
		size += behind->size;
		remove_hole(arena, behind);
	}
	if (before && before->offset + before->size == offset) {
		offset = before->offset;
		size += before->size;
		remove_hole(arena, before);
	}
	return add_hole(arena, offset, size);
}

/* ---- Life */

struct nn_arena *nn_arena_create(void)
{
	struct nn_pool pool = { 0 };
	struct nn_arena *arena = nn_pool_alloc(&pool, sizeof(*arena));

	if (arena)
		arena->pool = pool;
	return arena;
}

void nn_arena_destroy(struct nn_arena *arena)
{
	struct nn_pool pool;

	if (!arena)
		return;
	pool = arena->pool;
	nn_pool_free(&pool);
}

uint64_t nn_arena_bytes(const struct nn_arena *arena)
{
	return arena->end;
}
