// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit suite of the page tables. What is in them is found out as the DSP does it, from the root's
 * DMA address and the format in nnloop_hw.h alone: with no IOMMU, as here, that address is a
 * physical one.
 */
#include <kunit/test.h>
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/io.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/sizes.h>

#include "nnloop_board.h"
#include "nnloop_pt.h"
#include "nnloop_transport.h"

#define BASE	NNLOOP_WINDOW_BASE
#define PAGE	BIT(NNLOOP_PAGE_SHIFT)

/* One table of the last level maps 2 MiB. */
#define TABLE_PAGES	512

struct pt_test {
	struct nnloop_board board;
	struct nnloop_pt pt;
};

static const struct nnloop_transport transport = {};

/* Returns the entry for an address, or 0 where a table is missing. */
static u64 walk(struct pt_test *test, u32 iova)
{
	u64 entry = nnloop_pt_root(&test->pt) | 1;
	int shift;

	for (shift = 30; shift >= 12; shift -= 9) {
		const __le64 *table = phys_to_virt(entry & GENMASK_ULL(51, 12));

		entry = le64_to_cpu(table[(iova >> shift) & 511]);
		if (!(entry & 1))
			return 0;
	}
	return entry;
}

static int pt_test_init(struct kunit *kunit)
{
	struct pt_test *test = kunit_kzalloc(kunit, sizeof(*test), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(kunit, test);
	kunit->priv = test;
	test->board.transport = &transport;
	/*
	 * The device has no owner, because suites run when the module has no folder in sysfs yet.
	 */
	test->board.dev = __root_device_register("nnloop-kunit", NULL);
	KUNIT_ASSERT_EQ(kunit, PTR_ERR_OR_ZERO(test->board.dev), 0);
	KUNIT_ASSERT_EQ(kunit, dma_coerce_mask_and_coherent(test->board.dev, DMA_BIT_MASK(64)), 0);
	KUNIT_ASSERT_EQ(kunit, nnloop_pt_init(&test->pt, &test->board), 0);
	return 0;
}

static void pt_test_exit(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;

	if (!test || IS_ERR_OR_NULL(test->board.dev))
		return;
	nnloop_pt_fini(&test->pt);
	root_device_unregister(test->board.dev);
}

static void pt_empty(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;

	KUNIT_EXPECT_EQ(kunit, walk(test, 0), 0ull);
	KUNIT_EXPECT_EQ(kunit, walk(test, BASE), 0ull);
	KUNIT_EXPECT_EQ(kunit, walk(test, U32_MAX), 0ull);
	KUNIT_EXPECT_EQ(kunit, nnloop_pt_lookup(&test->pt, BASE), 0ull);
}

/* Reserved tables map nothing until they are told to. */
static void pt_reserved_is_not_mapped(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;
	LIST_HEAD(unused);

	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, BASE, 3), 0);
	KUNIT_EXPECT_EQ(kunit, walk(test, BASE), 0ull);
	nnloop_pt_clear(&test->pt, BASE, 3, &unused);
	KUNIT_EXPECT_FALSE(kunit, list_empty(&unused));
	nnloop_pt_free_tables(&test->pt, &unused);
}

/* Tables are taken from what was made before, and from nowhere else. */
static void pt_spares(struct kunit *kunit)
{
	static const struct {
		u32 iova;
		unsigned long pages;
		unsigned int missing[NNLOOP_PT_LEVELS];
	} ranges[] = {
		{ BASE + SZ_2M - PAGE, 2, { 0, 1, 2 } },
		{ BASE, TABLE_PAGES - 1, { 0, 0, 0 } },
		{ BASE + SZ_2M, 3 * TABLE_PAGES, { 0, 0, 2 } },
		/* This takes all that there is, and half of the next one. */
		{ BASE, 512 * TABLE_PAGES + 256 * TABLE_PAGES, { 0, 1, 512 - 4 + 256 } },
		{ 0, 3 * TABLE_PAGES, { 0, 1, 3 } },
		/* This is the end of one table of tables, and the whole of another. */
		{ 0x40000000u - PAGE, 1 + 511 * TABLE_PAGES, { 0, 1, 512 } },
	};
	struct pt_test *test = kunit->priv;
	struct nnloop_pt_spares spares;
	unsigned int i, level;

	nnloop_pt_spares_init(&spares);
	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		u32 last = ranges[i].iova + (ranges[i].pages - 1) * PAGE;
		unsigned int total = 0;

		for (level = 0; level < NNLOOP_PT_LEVELS; level++)
			total += ranges[i].missing[level];
		KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve_from(&test->pt, ranges[i].iova,
							      ranges[i].pages, &spares),
				total ? -EAGAIN : 0);
		for (level = 0; level < NNLOOP_PT_LEVELS; level++)
			KUNIT_EXPECT_EQ(kunit, spares.missing[level], ranges[i].missing[level]);
		KUNIT_ASSERT_EQ(kunit, nnloop_pt_spares_fill(&spares, &test->board), 0);
		KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve_from(&test->pt, ranges[i].iova,
							      ranges[i].pages, &spares), 0);
		for (level = 0; level < NNLOOP_PT_LEVELS; level++)
			KUNIT_EXPECT_TRUE(kunit, list_empty(&spares.tables[level]));
		/* The last page of the range can be mapped, so no table was missing. */
		nnloop_pt_set(&test->pt, last, 0x123456000ull, 1, 0);
		KUNIT_EXPECT_EQ(kunit, walk(test, last), 0x123456001ull);
	}
	nnloop_pt_spares_fini(&spares, &test->board);
}

/* Tables that were made for nothing go; so do those of a range that is not reserved after all. */
static void pt_spares_left_over(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;
	struct nnloop_pt_spares spares;

	nnloop_pt_spares_init(&spares);
	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve_from(&test->pt, BASE, 1, &spares), -EAGAIN);
	KUNIT_ASSERT_EQ(kunit, nnloop_pt_spares_fill(&spares, &test->board), 0);
	/* The range is another one now, and needs one more. */
	KUNIT_EXPECT_EQ(kunit, nnloop_pt_reserve_from(&test->pt, BASE + SZ_2M - PAGE, 2, &spares),
			-EAGAIN);
	KUNIT_EXPECT_EQ(kunit, spares.missing[1], 0u);
	KUNIT_EXPECT_EQ(kunit, spares.missing[2], 1u);
	/* Somebody else has made some of them meanwhile. */
	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, BASE, 1), 0);
	KUNIT_EXPECT_EQ(kunit, nnloop_pt_reserve_from(&test->pt, BASE + SZ_2M - PAGE, 2, &spares),
			0);
	KUNIT_EXPECT_FALSE(kunit, list_empty(&spares.tables[1]));
	KUNIT_EXPECT_TRUE(kunit, list_empty(&spares.tables[2]));
	nnloop_pt_spares_fini(&spares, &test->board);
}

/* A mapping can go over the end of a table of pages (2 MiB) and of a table of tables (1 GiB). */
static void pt_crosses_tables(struct kunit *kunit)
{
	static const u32 starts[] = { BASE + SZ_2M - 3 * PAGE, 0xc0000000u - 2 * PAGE };
	struct pt_test *test = kunit->priv;
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(starts); i++) {
		LIST_HEAD(unused);

		KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, starts[i], 6), 0);
		nnloop_pt_set(&test->pt, starts[i], 0x123456000ull, 6, 0);
		KUNIT_EXPECT_EQ(kunit, walk(test, starts[i] - PAGE), 0ull);
		for (k = 0; k < 6; k++)
			KUNIT_EXPECT_EQ(kunit, walk(test, starts[i] + k * PAGE),
					(0x123456000ull + k * PAGE) | 1);
		KUNIT_EXPECT_EQ(kunit, walk(test, starts[i] + 6 * PAGE), 0ull);

		nnloop_pt_clear(&test->pt, starts[i], 6, &unused);
		for (k = 0; k < 6; k++)
			KUNIT_EXPECT_EQ(kunit, walk(test, starts[i] + k * PAGE), 0ull);
		KUNIT_EXPECT_EQ(kunit, list_count_nodes(&unused), 2ul);
		nnloop_pt_free_tables(&test->pt, &unused);
	}
}

static void pt_last_page(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;
	u32 last = NNLOOP_WINDOW_END - PAGE;

	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, last, 1), 0);
	nnloop_pt_set(&test->pt, last, 0xffffffff000ull, 1, NNLOOP_PTE_READ_ONLY);
	KUNIT_EXPECT_EQ(kunit, walk(test, last), 0xffffffff000ull | 3);
	KUNIT_EXPECT_EQ(kunit, walk(test, NNLOOP_WINDOW_END), 0ull);
}

static void pt_read_only(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;
	unsigned int k;

	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, BASE, 8), 0);
	nnloop_pt_set(&test->pt, BASE, 0x40000000, 8, 0);
	nnloop_pt_set_read_only(&test->pt, BASE + 2 * PAGE, 3);
	for (k = 0; k < 8; k++)
		KUNIT_EXPECT_EQ(kunit, walk(test, BASE + k * PAGE),
				(0x40000000ull + k * PAGE) | (k >= 2 && k < 5 ? 3 : 1));
}

/* A table goes with the last of its pages, and not before. */
static void pt_tables_fall_empty(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;
	LIST_HEAD(unused);

	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, BASE, TABLE_PAGES), 0);
	nnloop_pt_set(&test->pt, BASE, 0x40000000, TABLE_PAGES, 0);
	nnloop_pt_clear(&test->pt, BASE, TABLE_PAGES - 1, &unused);
	KUNIT_EXPECT_TRUE(kunit, list_empty(&unused));
	KUNIT_EXPECT_NE(kunit, walk(test, BASE + (TABLE_PAGES - 1) * PAGE), 0ull);
	nnloop_pt_clear(&test->pt, BASE + (TABLE_PAGES - 1) * PAGE, 1, &unused);
	KUNIT_EXPECT_EQ(kunit, list_count_nodes(&unused), 1ul);

	/* What was put aside is not found any more, and the range can be used again. */
	KUNIT_EXPECT_EQ(kunit, walk(test, BASE), 0ull);
	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, BASE, 1), 0);
	nnloop_pt_set(&test->pt, BASE, 0x50000000, 1, 0);
	KUNIT_EXPECT_EQ(kunit, walk(test, BASE), 0x50000000ull | 1);
	nnloop_pt_free_tables(&test->pt, &unused);
	KUNIT_EXPECT_TRUE(kunit, list_empty(&unused));
	KUNIT_EXPECT_EQ(kunit, walk(test, BASE), 0x50000000ull | 1);
}

/*
 * An entry can become any other as 32-bit processors do it: one half at a time, and never with a
 * valid entry that is neither of the two.
 */
static void pt_halves(struct kunit *kunit)
{
	static const u64 entries[] = {
		0, 0x1000 | 1, 0x1000 | 3, 0x7fffff000 | 1, 0x7fffff000 | 3, 0x800001000 | 1,
		0xffffffff000 | 1, 0xfffff00001000 | 3, 0x800001000, 0x1000,
	};
	unsigned int i, k;

	for (i = 0; i < ARRAY_SIZE(entries); i++) {
		for (k = 0; k < ARRAY_SIZE(entries); k++) {
			u64 now = entries[i], next;
			unsigned int stores;
			__le64 entry;

			for (stores = 0; now != entries[k] && stores < 4; stores++, now = next) {
				next = nnloop_pte_next(now, entries[k]);
				KUNIT_EXPECT_TRUE_MSG(kunit, now >> 32 == next >> 32 ||
						      (u32)now == (u32)next,
						      "%#llx to %#llx: both halves", now, next);
				KUNIT_EXPECT_TRUE_MSG(kunit, !(next & 1) || next == entries[i] ||
						      next == entries[k],
						      "%#llx to %#llx: %#llx is valid", entries[i],
						      entries[k], next);
			}
			KUNIT_EXPECT_EQ(kunit, now, entries[k]);

			entry = cpu_to_le64(entries[i]);
			nnloop_pte_write_halves(&entry, entries[k]);
			KUNIT_EXPECT_EQ(kunit, le64_to_cpu(entry), entries[k]);
		}
	}
}

#define MODEL_PAGES	(4 * TABLE_PAGES)

/* Maps and unmaps at random, against a plain array of entries. */
static void pt_random(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;
	u64 *model = kunit_kcalloc(kunit, MODEL_PAGES, sizeof(*model), GFP_KERNEL);
	unsigned int round, i, k;
	struct rnd_state random;
	LIST_HEAD(unused);

	KUNIT_ASSERT_NOT_NULL(kunit, model);
	prandom_seed_state(&random, 1);
	for (round = 0; round < 400; round++) {
		unsigned int first = prandom_u32_state(&random) % MODEL_PAGES;
		unsigned int count = 1 + prandom_u32_state(&random) % 700;
		u64 flags = prandom_u32_state(&random) & 2;
		u32 iova = BASE + first * PAGE;
		u64 dma = (u64)(prandom_u32_state(&random) >> 4) << 12;

		count = min(count, MODEL_PAGES - first);
		if (prandom_u32_state(&random) & 1) {
			KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, iova, count), 0);
			nnloop_pt_set(&test->pt, iova, dma, count, flags);
			for (k = 0; k < count; k++)
				model[first + k] = (dma + k * PAGE) | flags | 1;
		} else {
			nnloop_pt_clear(&test->pt, iova, count, &unused);
			nnloop_pt_free_tables(&test->pt, &unused);
			memset(model + first, 0, count * sizeof(*model));
		}
		for (i = 0; i < MODEL_PAGES; i++) {
			if (walk(test, BASE + i * PAGE) != model[i] ||
			    nnloop_pt_lookup(&test->pt, BASE + i * PAGE) != model[i])
				break;
		}
		KUNIT_ASSERT_EQ_MSG(kunit, i, MODEL_PAGES, "round %u, page %u", round, i);
	}
}

/* Gives back what was leaked: the page at @dma, and those that its entries refer to. */
static unsigned int free_leaked(struct pt_test *test, dma_addr_t dma, unsigned int level)
{
	__le64 *entries = phys_to_virt(dma);
	unsigned int i, pages = 1;

	for (i = 0; level < 2 && i < NNLOOP_PT_ENTRIES; i++) {
		u64 entry = le64_to_cpu(entries[i]);

		if (entry & NNLOOP_PTE_VALID)
			pages += free_leaked(test, entry & NNLOOP_PTE_ADDRESS, level + 1);
	}
	dma_free_coherent(test->board.dev, PAGE, entries, dma);
	return pages;
}

/* What the DSP may still read stays as it is, and is counted: a root, two tables and three. */
static void pt_leak(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;
	dma_addr_t root = nnloop_pt_root(&test->pt);
	u32 first = 0xc0000000u - PAGE;

	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, first, TABLE_PAGES + 2), 0);
	nnloop_pt_set(&test->pt, first, 0x40000000, TABLE_PAGES + 2, 0);
	KUNIT_EXPECT_EQ(kunit, nnloop_pt_leak(&test->pt), 6ul);
	KUNIT_EXPECT_EQ(kunit, nnloop_pt_leak(&test->pt), 0ul);
	KUNIT_EXPECT_EQ(kunit, free_leaked(test, root, 0), 6u);
}

/* The same is true for tables that were put aside. */
static void pt_leak_tables(struct kunit *kunit)
{
	struct pt_test *test = kunit->priv;
	dma_addr_t tables[2];
	LIST_HEAD(unused);
	unsigned int i;

	KUNIT_ASSERT_EQ(kunit, nnloop_pt_reserve(&test->pt, BASE, TABLE_PAGES + 1), 0);
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		const __le64 *table = phys_to_virt(nnloop_pt_root(&test->pt));

		table = phys_to_virt(le64_to_cpu(table[BASE >> 30]) & NNLOOP_PTE_ADDRESS);
		tables[i] = le64_to_cpu(table[i]) & NNLOOP_PTE_ADDRESS;
	}
	nnloop_pt_clear(&test->pt, BASE, TABLE_PAGES + 1, &unused);
	KUNIT_EXPECT_EQ(kunit, nnloop_pt_leak_tables(&test->pt, &unused), 2ul);
	KUNIT_EXPECT_TRUE(kunit, list_empty(&unused));
	for (i = 0; i < ARRAY_SIZE(tables); i++)
		free_leaked(test, tables[i], 2);
}

static struct kunit_case pt_cases[] = {
	KUNIT_CASE(pt_empty),
	KUNIT_CASE(pt_reserved_is_not_mapped),
	KUNIT_CASE(pt_spares),
	KUNIT_CASE(pt_spares_left_over),
	KUNIT_CASE(pt_crosses_tables),
	KUNIT_CASE(pt_last_page),
	KUNIT_CASE(pt_read_only),
	KUNIT_CASE(pt_tables_fall_empty),
	KUNIT_CASE(pt_leak),
	KUNIT_CASE(pt_leak_tables),
	KUNIT_CASE(pt_halves),
	KUNIT_CASE(pt_random),
	{}
};

static struct kunit_suite pt_suite = {
	.name = "nnloop_pt",
	.init = pt_test_init,
	.exit = pt_test_exit,
	.test_cases = pt_cases,
};

kunit_test_suite(pt_suite);
