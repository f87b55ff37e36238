// SPDX-License-Identifier: MIT
/*
 * The arena that tensors are laid out in, against one that looks at every unit of its memory: what
 * is taken is where it fits best, and what is given back is joined with what is free beside it.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "libnnloop/plan/arena.h"
#include "tap.h"

#define UNITS	4096
#define TAKEN	60

static bool used[UNITS];
static uint32_t used_end;

static uint32_t draw(uint32_t below)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

/*
 * The smallest stretch of free units that is large enough, the first of several; else at the end,
 * with what is free there.
 */
static uint32_t find_place(uint32_t size)
{
	uint32_t best = used_end, best_size = UINT32_MAX, begin = 0;

	for (uint32_t i = 0; i <= used_end; i++) {
		if (i < used_end && !used[i])
			continue;
		if (i > begin && i - begin >= size && i - begin < best_size) {
			best = begin;
			best_size = i - begin;
		}
		/* What is free up to the end can grow. */
		if (i == used_end && best_size == UINT32_MAX)
			best = begin;
		begin = i + 1;
	}
	return best;
}

static void mark(uint32_t offset, uint32_t size, bool use)
{
	memset(used + offset, use, size * sizeof(*used));
	if (use && offset + size > used_end)
		used_end = offset + size;
}

/* Many of a few sizes, so that there are equal holes, or of any size. */
static void run(uint32_t sizes, uint32_t unit)
{
	struct nn_arena *arena = nn_arena_create();
	struct {
		uint64_t offset;
		uint32_t size;
	} taken[TAKEN];
	uint32_t count = 0;

	memset(used, 0, sizeof(used));
	used_end = 0;
	for (int i = 0; i < 3000; i++) {
		if (count < TAKEN && (!count || draw(2))) {
			uint32_t size = 1 + draw(sizes), want = find_place(size);

			if (!CHECK(!nn_arena_take(arena, (uint64_t)size * unit, &taken[count].offset)) ||
			    !CHECK(taken[count].offset == (uint64_t)want * unit)) {
				printf("# call %d: %u units at %u, not at %llu bytes\n", i, size, want,
				       (unsigned long long)taken[count].offset);
				break;
			}
			mark(want, size, true);
			taken[count++].size = size;
		} else {
			uint32_t which = draw(count);

			CHECK(!nn_arena_give(arena, taken[which].offset, (uint64_t)taken[which].size * unit));
			mark(taken[which].offset / unit, taken[which].size, false);
			taken[which] = taken[--count];
		}
		CHECK(nn_arena_bytes(arena) == (uint64_t)used_end * unit);
	}
	nn_arena_destroy(arena);
}

static void test_places(void)
{
	run(3, 1);
	run(3, 128);
	run(40, 1);
	run(1, 128);
}

static void test_ends(void)
{
	struct nn_arena *arena = nn_arena_create();
	uint64_t offset, first;

	CHECK(!nn_arena_bytes(arena));
	CHECK(!nn_arena_take(arena, 1, &first) && first == 0);
	CHECK(!nn_arena_give(arena, 0, 0));
	CHECK(!nn_arena_take(arena, 1, &offset) && offset == 1);
	CHECK(nn_arena_take(arena, UINT64_MAX - 1, &offset) == -EOVERFLOW);
	nn_arena_destroy(arena);
	nn_arena_destroy(NULL);
}

int main(void)
{
	tap_run("places", test_places);
	tap_run("nothing, and too much", test_ends);
	return tap_end();
}
