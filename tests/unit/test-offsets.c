// SPDX-License-Identifier: MIT
/*
 * Offsets of blocks with lifetimes: blocks that are needed at the same time never overlap. What is
 * expected beyond that comes from a model that looks at every unit of memory at every time, and for
 * a few blocks from a search of all orders for the least memory that there is.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "base/pool.h"
#include "plan/offsets.h"
#include "tap.h"

#define MOST_BLOCKS	64
#define UNITS		2048	/* of the model's memory */
#define FEW		6	/* blocks, of which all orders are tried */

/* ---- Memory that comes to an end: the linker puts these between the planner and the C library. */

static unsigned int until; /* the allocation that fails; 0: none does */

void *__real_calloc(size_t count, size_t size);
void *__real_nn_pool_alloc(struct nn_pool *pool, size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_nn_pool_alloc(struct nn_pool *pool, size_t size);

static bool fails(void)
{
	return until && !--until;
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fails() ? NULL : __real_calloc(count, size);
}

void *__wrap_nn_pool_alloc(struct nn_pool *pool, size_t size)
{
	return fails() ? NULL : __real_nn_pool_alloc(pool, size);
}

/* ---- What is always true */

static uint32_t draw(uint32_t below)
{
	static uint32_t seed = 1;

	seed = seed * 1664525 + 1013904223;
	return (uint32_t)(((uint64_t)(seed >> 8) * below) >> 24);
}

static bool live_together(const struct nn_lifetime *a, const struct nn_lifetime *b)
{
	return a->first_use <= b->last_use && b->first_use <= a->last_use;
}

static void check_apart(const struct nn_lifetime *blocks, uint32_t count, uint64_t bytes)
{
	uint64_t end = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t i_end = blocks[i].offset + blocks[i].size;

		if (i_end > end)
			end = i_end;
		for (uint32_t j = 0; j < i; j++) {
			if (!blocks[i].size || !blocks[j].size ||
			    !live_together(&blocks[i], &blocks[j]))
				continue;
			CHECK(i_end <= blocks[j].offset ||
			      blocks[j].offset + blocks[j].size <= blocks[i].offset);
		}
	}
	CHECK(bytes >= end);
}

/* `times` and `sizes`: how many of them there are. */
static void draw_blocks(struct nn_lifetime *blocks, uint32_t count, uint32_t times, uint32_t sizes)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t a = draw(times), b = draw(4) ? a + draw(4) : draw(times);

		blocks[i] = (struct nn_lifetime){
			.size = 1 + draw(sizes),
			.first_use = a < b ? a : b,
			.last_use = a < b ? b : a,
		};
	}
}

/* ---- Best fit, unit by unit */

/* The first of the smallest stretches of free units that the size fits into; else at the end. */
static uint32_t model_fit(const bool *used, uint32_t end, uint32_t size)
{
	uint32_t best = UINT32_MAX, best_size = UINT32_MAX, begin = 0;

	for (uint32_t i = 0; i <= end; i++) {
		if (i < end && !used[i])
			continue;
		if (i - begin >= size && i - begin < best_size) {
			best = begin;
			best_size = i - begin;
		}
		if (i == end)
			break;
		begin = i + 1;
	}
	return best != UINT32_MAX ? best : begin;
}

/* The offsets, by index. Returns the end. */
static uint32_t model(const struct nn_lifetime *blocks, uint32_t count, uint32_t *offsets)
{
	uint32_t end = 0, last = 0;

	for (uint32_t i = 0; i < count; i++)
		if (blocks[i].last_use > last)
			last = blocks[i].last_use;
	for (uint32_t time = 0; time <= last; time++) {
		for (uint32_t i = 0; i < count; i++) {
			bool used[UNITS] = { 0 };

			if (blocks[i].first_use != time)
				continue;
			for (uint32_t j = 0; j < count; j++) {
				bool placed = blocks[j].first_use < time ||
					      (blocks[j].first_use == time && j < i);

				if (placed && blocks[j].last_use >= time)
					memset(used + offsets[j], true, blocks[j].size);
			}
			offsets[i] = model_fit(used, end, (uint32_t)blocks[i].size);
			if (offsets[i] + blocks[i].size > end)
				end = offsets[i] + (uint32_t)blocks[i].size;
		}
	}
	return end;
}

static void test_best_fit(void)
{
	for (int i = 0; i < 400 && tap_good; i++) {
		uint32_t count = draw(MOST_BLOCKS + 1), offsets[MOST_BLOCKS] = { 0 }, end;
		struct nn_lifetime blocks[MOST_BLOCKS];
		uint64_t bytes = 0;

		draw_blocks(blocks, count, 1 + draw(30), i & 1 ? 3 : 30);
		end = model(blocks, count, offsets);
		CHECK(!nn_assign_offsets(blocks, count, &bytes));
		check_apart(blocks, count, bytes);
		CHECK(bytes == end);
		for (uint32_t j = 0; j < count; j++)
			if (!CHECK(blocks[j].offset == offsets[j]))
				printf("# plan %d, block %u of %u\n", i, j, count);
	}
}

/* ---- The least memory */

/* The lowest offset at which a block is free of those that are placed. */
static uint64_t lowest(const struct nn_lifetime *blocks, const uint32_t *order, uint32_t placed,
		       const struct nn_lifetime *block)
{
	uint64_t offset = 0;

	for (bool moved = true; moved;) {
		moved = false;
		for (uint32_t i = 0; i < placed; i++) {
			const struct nn_lifetime *other = &blocks[order[i]];

			if (live_together(block, other) && offset < other->offset + other->size &&
			    other->offset < offset + block->size) {
				offset = other->offset + other->size;
				moved = true;
			}
		}
	}
	return offset;
}

/*
 * The least memory of any offsets. Whatever they are, blocks can be moved down, the lowest first,
 * until none can be: so placing each as low as possible, in every order, finds the least, too.
 */
static uint64_t search(struct nn_lifetime *blocks, uint32_t count, uint32_t *order,
		       uint32_t placed, uint64_t end)
{
	uint64_t least = UINT64_MAX;

	if (placed == count)
		return end;
	for (uint32_t i = 0; i < count; i++) {
		uint64_t found, block_end;
		bool taken = false;

		for (uint32_t j = 0; j < placed; j++)
			taken |= order[j] == i;
		if (taken)
			continue;
		blocks[i].offset = lowest(blocks, order, placed, &blocks[i]);
		block_end = blocks[i].offset + blocks[i].size;
		order[placed] = i;
		found = search(blocks, count, order, placed + 1, block_end > end ? block_end : end);
		if (found < least)
			least = found;
	}
	return least;
}

/* Returns the bytes that are needed at the time when most are. */
static uint64_t most_at_a_time(const struct nn_lifetime *blocks, uint32_t count)
{
	uint64_t most = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint64_t sum = 0;

		for (uint32_t j = 0; j < count; j++)
			if (blocks[j].first_use <= blocks[i].first_use &&
			    blocks[j].last_use >= blocks[i].first_use)
				sum += blocks[j].size;
		if (sum > most)
			most = sum;
	}
	return most;
}

static void test_least(void)
{
	unsigned int plans = 0, optimal = 0;

	for (int i = 0; i < 1000 && tap_good; i++) {
		uint32_t count = 1 + draw(FEW), order[FEW] = { 0 };
		struct nn_lifetime blocks[FEW], copy[FEW];
		uint64_t bytes = 0, least, sum = 0;

		draw_blocks(blocks, count, 8, i & 1 ? 3 : 30);
		memcpy(copy, blocks, sizeof(copy));
		least = search(copy, count, order, 0, 0);
		for (uint32_t j = 0; j < count; j++)
			sum += blocks[j].size;
		CHECK(!nn_assign_offsets(blocks, count, &bytes));
		check_apart(blocks, count, bytes);
		CHECK(least >= most_at_a_time(blocks, count));
		CHECK(bytes >= least && bytes <= sum);
		plans++;
		optimal += bytes == least;
	}
	printf("# %u of %u plans need no more than the least memory\n", optimal, plans);
	CHECK(optimal * 10 >= plans * 8);
}

/* ---- Known cases */

struct known {
	uint32_t count;
	uint64_t bytes;
	struct nn_lifetime blocks[5];	/* size, first and last use, offset */
};

static const struct known known_cases[] = {
	{ 0, 0, { { 0 } } },
	{ 1, 7, { { 7, 5, 5, 0 } } },
	/* A chain of equal blocks has two places. */
	{ 5, 20, { { 10, 0, 1, 0 }, { 10, 1, 2, 10 }, { 10, 2, 3, 0 }, { 10, 3, 4, 10 }, { 10, 4, 5, 0 } } },
	/* The last use is included: a block begins where another one has ended before, not with it. */
	{ 2, 20, { { 10, 0, 3, 0 }, { 10, 3, 4, 10 } } },
	{ 2, 10, { { 10, 0, 3, 0 }, { 10, 4, 5, 0 } } },
	/* All at once, in the order of the list. */
	{ 3, 60, { { 30, 1, 1, 0 }, { 20, 1, 1, 30 }, { 10, 1, 1, 50 } } },
	/* Listed later, but needed first. */
	{ 2, 10, { { 10, 8, 9, 0 }, { 10, 0, 1, 0 } } },
	{ 2, 15, { { 10, 1, 9, 5 }, { 5, 0, 1, 0 } } },
	/* The smallest stretch that is large enough: 20 at 0 and 10 at 25 are free. */
	{ 5, 40, { { 20, 0, 0, 0 }, { 5, 0, 9, 20 }, { 10, 0, 0, 25 }, { 5, 0, 9, 35 }, { 8, 1, 9, 25 } } },
	/* The first of two such stretches is taken. */
	{ 5, 30, { { 10, 0, 0, 0 }, { 5, 0, 9, 10 }, { 10, 0, 0, 15 }, { 5, 0, 9, 25 }, { 10, 1, 9, 0 } } },
	/* Neighbours that have ended are one stretch, whoever ended first. */
	{ 3, 30, { { 10, 0, 1, 0 }, { 20, 0, 0, 10 }, { 30, 2, 2, 0 } } },
	/* A stretch at the end grows, one in between does not. */
	{ 3, 45, { { 15, 0, 9, 0 }, { 10, 0, 1, 15 }, { 30, 2, 3, 15 } } },
	{ 3, 55, { { 10, 0, 1, 0 }, { 15, 0, 9, 10 }, { 30, 2, 3, 25 } } },
	/* Nothing has no place, and takes none. */
	{ 3, 10, { { 0, 0, 9, 0 }, { 10, 0, 1, 0 }, { 10, 2, 2, 0 } } },
	/* For ever: the clock's ends. */
	{ 3, 20, { { 10, 0, UINT32_MAX, 0 }, { 10, 0, 0, 10 }, { 10, UINT32_MAX, UINT32_MAX, 10 } } },
};

static void test_known(void)
{
	for (uint32_t i = 0; i < sizeof(known_cases) / sizeof(known_cases[0]); i++) {
		const struct known *known = &known_cases[i];
		struct nn_lifetime blocks[5];
		uint64_t bytes = 1;

		memcpy(blocks, known->blocks, sizeof(blocks));
		for (uint32_t j = 0; j < known->count; j++)
			blocks[j].offset = 12345;
		CHECK(!nn_assign_offsets(blocks, known->count, &bytes));
		if (!CHECK(bytes == known->bytes))
			printf("# case %u: %llu bytes\n", i, (unsigned long long)bytes);
		for (uint32_t j = 0; j < known->count; j++)
			if (!CHECK(blocks[j].offset == known->blocks[j].offset))
				printf("# case %u: block %u is at %llu\n", i, j,
				       (unsigned long long)blocks[j].offset);
	}
}

/* ---- Limits */

/* What would look at each pair of blocks would take minutes. */
static void test_many(void)
{
	enum { MANY = 200000, ALIVE = 1000 };
	struct nn_lifetime *blocks = malloc(MANY * sizeof(*blocks));
	uint64_t bytes = 0;

	if (!CHECK(blocks))
		return;
	for (uint32_t i = 0; i < MANY; i++)
		blocks[i] = (struct nn_lifetime){ .size = 64, .first_use = i, .last_use = i + ALIVE - 1 };
	CHECK(!nn_assign_offsets(blocks, MANY, &bytes));
	CHECK(bytes == ALIVE * 64);
	free(blocks);
}

static void test_overflow(void)
{
	struct nn_lifetime blocks[] = {
		{ .size = UINT64_MAX / 2, .first_use = 0, .last_use = 1 },
		{ .size = UINT64_MAX / 2, .first_use = 1, .last_use = 2 },
		{ .size = 1, .first_use = 1, .last_use = 1 },
		{ .size = 1, .first_use = 1, .last_use = 1 },
	};
	uint64_t bytes = 0;

	CHECK(!nn_assign_offsets(blocks, 3, &bytes) && bytes == UINT64_MAX);
	CHECK(nn_assign_offsets(blocks, 4, &bytes) == -EOVERFLOW);
	/* Later there is room again. */
	blocks[3].first_use = 2;
	blocks[3].last_use = 2;
	CHECK(!nn_assign_offsets(blocks, 4, &bytes) && bytes == UINT64_MAX);
}

static void test_no_memory(void)
{
	struct nn_lifetime blocks[MOST_BLOCKS], want[MOST_BLOCKS];
	uint64_t bytes = 0, want_bytes = 0;
	unsigned int which;
	int error;

	draw_blocks(want, MOST_BLOCKS, 20, 30);
	memcpy(blocks, want, sizeof(blocks));
	CHECK(!nn_assign_offsets(want, MOST_BLOCKS, &want_bytes));
	for (which = 1;; which++) {
		until = which;
		error = nn_assign_offsets(blocks, MOST_BLOCKS, &bytes);
		if (until)
			break;
		if (!CHECK(error == -ENOMEM))
			return;
	}
	until = 0;
	printf("# %u allocations\n", which - 1);
	CHECK(which > 4);
	CHECK(!error && bytes == want_bytes && !memcmp(blocks, want, sizeof(blocks)));
}

int main(void)
{
	tap_run("known cases", test_known);
	tap_run("where best fit puts each", test_best_fit);
	tap_run("all orders of few find little better", test_least);
	tap_run("very many", test_many);
	tap_run("more than there are addresses for", test_overflow);
	tap_run("out of memory", test_no_memory);
	return tap_end();
}
