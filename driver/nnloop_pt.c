// SPDX-License-Identifier: GPL-2.0
/*
 * Page tables in the DSP's format (nnloop_hw.h). Tables are DMA-coherent pages, so an entry that is
 * written is seen. Each table has a shadow that knows its children and how many of its entries are
 * in use. Both are charged to the memory cgroup of the client that the table is made for. Tables of
 * the last level that fall empty are unhooked at once and handed to the caller, who knows when the
 * DSP can no longer be walking them.
 */
#include <linux/slab.h>

#include "nnloop_board.h"
#include "nnloop_pt.h"

#define NNLOOP_PT_PAGE		BIT(NNLOOP_PAGE_SHIFT)
#define NNLOOP_PT_SIZE		(NNLOOP_PT_ENTRIES * sizeof(__le64))

/**
 * struct nnloop_table - one table of a page table
 */
struct nnloop_table {
	/** @entries: what the DSP reads, NNLOOP_PT_ENTRIES */
	__le64 *entries;
	/** @dma: its DMA address */
	dma_addr_t dma;
	/** @used: valid entries */
	unsigned int used;
	/** @children: the tables that the entries point to; NULL in the last level */
	struct nnloop_table **children;
	/** @link: in a list of unhooked tables */
	struct list_head link;
};

static struct nnloop_table *nnloop_table_alloc(struct nnloop_board *board, unsigned int level)
{
	struct nnloop_table *table;

	table = kzalloc(sizeof(*table), GFP_KERNEL_ACCOUNT);
	if (!table)
		return NULL;
	if (level < NNLOOP_PT_LEVELS - 1) {
		table->children = kcalloc(NNLOOP_PT_ENTRIES, sizeof(*table->children),
					  GFP_KERNEL_ACCOUNT);
		if (!table->children)
			goto err_free_table;
	}
	table->entries = nnloop_board_alloc(board, NNLOOP_PT_SIZE, &table->dma,
					    GFP_KERNEL_ACCOUNT);
	if (!table->entries)
		goto err_free_children;
	return table;

err_free_children:
	kfree(table->children);
err_free_table:
	kfree(table);
	return NULL;
}

static void nnloop_table_free(struct nnloop_board *board, struct nnloop_table *table)
{
	unsigned int i;

	for (i = 0; table->children && i < NNLOOP_PT_ENTRIES; i++) {
		if (table->children[i])
			nnloop_table_free(board, table->children[i]);
	}
	nnloop_board_free(board, NNLOOP_PT_SIZE, table->entries, table->dma);
	kfree(table->children);
	kfree(table);
}

/* Frees the shadow of a table, and leaves its page, which the DSP may see, alone for ever. */
static unsigned long nnloop_table_leak(struct nnloop_table *table)
{
	unsigned long pages = 1;
	unsigned int i;

	for (i = 0; table->children && i < NNLOOP_PT_ENTRIES; i++) {
		if (table->children[i])
			pages += nnloop_table_leak(table->children[i]);
	}
	kfree(table->children);
	kfree(table);
	return pages;
}

/* Writes an entry, which the DSP may read at this very moment. */
static void nnloop_table_write(struct nnloop_table *table, unsigned int index, u64 entry)
{
	u64 old = le64_to_cpu(table->entries[index]);

	if (IS_ENABLED(CONFIG_64BIT))
		WRITE_ONCE(table->entries[index], cpu_to_le64(entry));
	else
		nnloop_pte_write_halves(&table->entries[index], entry);
	table->used += (entry & NNLOOP_PTE_VALID) - (old & NNLOOP_PTE_VALID);
}

/* Returns the table of @level that maps @iova, or NULL. */
static struct nnloop_table *nnloop_pt_table(const struct nnloop_pt *pt, u32 iova,
					    unsigned int level)
{
	struct nnloop_table *table = pt->root;
	unsigned int i;

	for (i = 0; table && i < level; i++)
		table = table->children[nnloop_pt_index(iova, i)];
	return table;
}

/**
 * nnloop_pt_init - make an empty page table
 * @pt: the page table
 * @board: the DSP
 *
 * Return: 0 or -ENOMEM.
 */
int nnloop_pt_init(struct nnloop_pt *pt, struct nnloop_board *board)
{
	pt->board = board;
	pt->root = nnloop_table_alloc(board, 0);
	return pt->root ? 0 : -ENOMEM;
}

/**
 * nnloop_pt_fini - free a page table that the DSP does not use any more
 * @pt: the page table; may be finished already
 */
void nnloop_pt_fini(struct nnloop_pt *pt)
{
	if (pt->root)
		nnloop_table_free(pt->board, pt->root);
	pt->root = NULL;
}

/**
 * nnloop_pt_leak - forget a page table that the DSP may still use
 * @pt: the page table; may be finished already
 *
 * Return: pages that are lost for good.
 */
unsigned long nnloop_pt_leak(struct nnloop_pt *pt)
{
	unsigned long pages = pt->root ? nnloop_table_leak(pt->root) : 0;

	pt->root = NULL;
	return pages;
}

/**
 * nnloop_pt_root - where the DSP finds it
 * @pt: the page table
 */
dma_addr_t nnloop_pt_root(const struct nnloop_pt *pt)
{
	return pt->root->dma;
}

/**
 * nnloop_pt_spares_init - there are none, and none is needed
 * @spares: the tables
 */
void nnloop_pt_spares_init(struct nnloop_pt_spares *spares)
{
	unsigned int level;

	for (level = 0; level < NNLOOP_PT_LEVELS; level++) {
		INIT_LIST_HEAD(&spares->tables[level]);
		spares->missing[level] = 0;
	}
}

/**
 * nnloop_pt_spares_fini - free those that are left
 * @spares: the tables
 * @board: the DSP
 */
void nnloop_pt_spares_fini(struct nnloop_pt_spares *spares, struct nnloop_board *board)
{
	struct nnloop_table *table, *next;
	unsigned int level;

	for (level = 0; level < NNLOOP_PT_LEVELS; level++) {
		list_for_each_entry_safe(table, next, &spares->tables[level], link)
			nnloop_table_free(board, table);
	}
}

/**
 * nnloop_pt_spares_fill - make those that are missing
 * @spares: the tables
 * @board: the DSP
 *
 * Return: 0 or -ENOMEM.
 */
int nnloop_pt_spares_fill(struct nnloop_pt_spares *spares, struct nnloop_board *board)
{
	struct nnloop_table *table;
	unsigned int level;

	for (level = 0; level < NNLOOP_PT_LEVELS; level++) {
		for (; spares->missing[level]; spares->missing[level]--) {
			table = nnloop_table_alloc(board, level);
			if (!table)
				return -ENOMEM;
			list_add(&table->link, &spares->tables[level]);
		}
	}
	return 0;
}

/* Says whether there are enough tables for a range of addresses, and notes what is missing. */
static bool nnloop_pt_has_spares(const struct nnloop_pt *pt, u32 iova, unsigned long pages,
				 struct nnloop_pt_spares *spares)
{
	unsigned int needed[NNLOOP_PT_LEVELS] = {}, level;
	struct nnloop_table *spare;
	bool enough = true;

	while (pages) {
		unsigned int run = nnloop_pt_run(iova, pages);

		/*
		 * One table of level 1 is needed where the range begins, and one wherever it goes
		 * on into the next.
		 */
		if (!nnloop_pt_table(pt, iova, 1) &&
		    (!needed[1] || !nnloop_pt_index(iova, 1)))
			needed[1]++;
		if (!nnloop_pt_table(pt, iova, 2))
			needed[2]++;
		iova += run * NNLOOP_PT_PAGE;
		pages -= run;
	}
	for (level = 0; level < NNLOOP_PT_LEVELS; level++) {
		list_for_each_entry(spare, &spares->tables[level], link) {
			if (!needed[level])
				break;
			needed[level]--;
		}
		spares->missing[level] = needed[level];
		enough &= !needed[level];
	}
	return enough;
}

/**
 * nnloop_pt_reserve_from - give a range of addresses the tables that it needs
 * @pt: the page table
 * @iova: where it begins
 * @pages: 4 KiB pages
 * @spares: they are taken from here
 *
 * Return: 0, and nnloop_pt_set() of the range cannot fail; -EAGAIN, nothing has changed, and
 * nnloop_pt_spares_fill() makes what is missing.
 */
int nnloop_pt_reserve_from(struct nnloop_pt *pt, u32 iova, unsigned long pages,
			   struct nnloop_pt_spares *spares)
{
	if (!nnloop_pt_has_spares(pt, iova, pages, spares))
		return -EAGAIN;
	while (pages) {
		unsigned int run = nnloop_pt_run(iova, pages);
		struct nnloop_table *table = pt->root;
		unsigned int level;

		for (level = 0; level < NNLOOP_PT_LEVELS - 1; level++) {
			unsigned int index = nnloop_pt_index(iova, level);
			struct nnloop_table *child = table->children[index];

			if (!child) {
				child = list_first_entry(&spares->tables[level + 1],
							 struct nnloop_table, link);
				list_del_init(&child->link);
				/* The new table must be empty before the DSP can find it. */
				dma_wmb();
				table->children[index] = child;
				nnloop_table_write(table, index, nnloop_pte(child->dma, 0));
			}
			table = child;
		}
		iova += run * NNLOOP_PT_PAGE;
		pages -= run;
	}
	return 0;
}

/**
 * nnloop_pt_reserve - make the tables that a range of addresses needs
 * @pt: the page table
 * @iova: where it begins
 * @pages: 4 KiB pages
 *
 * Return: 0, and nnloop_pt_set() of the range cannot fail; -ENOMEM, and nothing has changed.
 */
int nnloop_pt_reserve(struct nnloop_pt *pt, u32 iova, unsigned long pages)
{
	struct nnloop_pt_spares spares;
	int ret;

	nnloop_pt_spares_init(&spares);
	ret = nnloop_pt_reserve_from(pt, iova, pages, &spares);
	if (ret) {
		ret = nnloop_pt_spares_fill(&spares, pt->board);
		if (!ret)
			ret = nnloop_pt_reserve_from(pt, iova, pages, &spares);
	}
	nnloop_pt_spares_fini(&spares, pt->board);
	return ret;
}

/**
 * nnloop_pt_set - map a reserved range
 * @pt: the page table
 * @iova: where it begins
 * @dma: address of memory that is contiguous for the DSP
 * @pages: 4 KiB pages
 * @flags: 0 or NNLOOP_PTE_READ_ONLY
 */
void nnloop_pt_set(struct nnloop_pt *pt, u32 iova, dma_addr_t dma, unsigned long pages, u64 flags)
{
	while (pages) {
		struct nnloop_table *table = nnloop_pt_table(pt, iova, 2);
		unsigned int index = nnloop_pt_index(iova, 2);
		unsigned int run = nnloop_pt_run(iova, pages);
		unsigned int i;

		for (i = 0; i < run; i++, dma += NNLOOP_PT_PAGE)
			nnloop_table_write(table, index + i, nnloop_pte(dma, flags));
		iova += run * NNLOOP_PT_PAGE;
		pages -= run;
	}
}

/**
 * nnloop_pt_set_read_only - take the right to write from a mapped range
 * @pt: the page table
 * @iova: where it begins
 * @pages: 4 KiB pages
 *
 * The caller makes workers forget their translations.
 */
void nnloop_pt_set_read_only(struct nnloop_pt *pt, u32 iova, unsigned long pages)
{
	for (; pages; pages--, iova += NNLOOP_PT_PAGE) {
		struct nnloop_table *table = nnloop_pt_table(pt, iova, 2);
		unsigned int index = nnloop_pt_index(iova, 2);

		nnloop_table_write(table, index, le64_to_cpu(table->entries[index]) |
						 NNLOOP_PTE_READ_ONLY);
	}
}

/**
 * nnloop_pt_clear - take a range away
 * @pt: the page table
 * @iova: where it begins
 * @pages: 4 KiB pages, mapped or not
 * @unused: tables that fell empty are added to this list
 *
 * The caller makes workers forget their translations, and frees @unused when every
 * job that may be walking these tables has ended.
 */
void nnloop_pt_clear(struct nnloop_pt *pt, u32 iova, unsigned long pages,
		     struct list_head *unused)
{
	while (pages) {
		struct nnloop_table *parent = nnloop_pt_table(pt, iova, 1);
		struct nnloop_table *table = nnloop_pt_table(pt, iova, 2);
		unsigned int index = nnloop_pt_index(iova, 2);
		unsigned int run = nnloop_pt_run(iova, pages);
		unsigned int i;

		for (i = 0; table && i < run; i++)
			nnloop_table_write(table, index + i, 0);
		if (table && !table->used) {
			index = nnloop_pt_index(iova, 1);
			nnloop_table_write(parent, index, 0);
			parent->children[index] = NULL;
			list_add(&table->link, unused);
		}
		iova += run * NNLOOP_PT_PAGE;
		pages -= run;
	}
}

/**
 * nnloop_pt_free_tables - free what nnloop_pt_clear() put aside
 * @pt: the page table they came from
 * @unused: the list; empty afterwards
 */
void nnloop_pt_free_tables(struct nnloop_pt *pt, struct list_head *unused)
{
	struct nnloop_table *table, *next;

	list_for_each_entry_safe(table, next, unused, link)
		nnloop_table_free(pt->board, table);
	INIT_LIST_HEAD(unused);
}

/**
 * nnloop_pt_leak_tables - forget what nnloop_pt_clear() put aside
 * @pt: the page table they came from
 * @unused: the list; empty afterwards
 *
 * Return: pages that are lost for good.
 */
unsigned long nnloop_pt_leak_tables(struct nnloop_pt *pt, struct list_head *unused)
{
	struct nnloop_table *table, *next;
	unsigned long pages = 0;

	list_for_each_entry_safe(table, next, unused, link)
		pages += nnloop_table_leak(table);
	INIT_LIST_HEAD(unused);
	return pages;
}

/**
 * nnloop_pt_lookup - what the DSP finds at an address
 * @pt: the page table
 * @iova: address
 *
 * Return: the page entry, or 0.
 */
u64 nnloop_pt_lookup(const struct nnloop_pt *pt, u32 iova)
{
	struct nnloop_table *table = nnloop_pt_table(pt, iova, 2);

	return table ? le64_to_cpu(table->entries[nnloop_pt_index(iova, 2)]) : 0;
}
