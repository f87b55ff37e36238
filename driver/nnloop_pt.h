/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NNLOOP_PT_H
#define NNLOOP_PT_H

#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include "nnloop_hw.h"

struct device;
struct nnloop_table;

/**
 * struct nnloop_pt - a page table as the DSP walks it
 *
 * Three levels, 4 KiB pages. The owner serializes all calls; the DSP reads at
 * any time.
 */
struct nnloop_pt {
	/** @dev: for DMA */
	struct device *dev;
	/** @root: the root table */
	struct nnloop_table *root;
};

/**
 * nnloop_pt_index - the entry that an address selects
 * @iova: address
 * @level: 0 is the root, 2 the level that has pages
 */
static inline unsigned int nnloop_pt_index(u32 iova, unsigned int level)
{
	return (iova >> NNLOOP_PT_SHIFT(level)) % NNLOOP_PT_ENTRIES;
}

/**
 * nnloop_pt_run - entries from an address to the end of its table
 * @iova: address
 * @pages: pages from there on
 *
 * Return: how many of @pages are in the same table of the last level.
 */
static inline unsigned int nnloop_pt_run(u32 iova, unsigned long pages)
{
	unsigned long room = NNLOOP_PT_ENTRIES - nnloop_pt_index(iova, 2);

	return min(pages, room);
}

/**
 * nnloop_pte - an entry
 * @dma: address of a page or table, 4 KiB aligned
 * @flags: 0 or NNLOOP_PTE_READ_ONLY
 */
static inline u64 nnloop_pte(dma_addr_t dma, u64 flags)
{
	return ((u64)dma & NNLOOP_PTE_ADDRESS) | flags | NNLOOP_PTE_VALID;
}

int nnloop_pt_init(struct nnloop_pt *pt, struct device *dev);
void nnloop_pt_fini(struct nnloop_pt *pt);
unsigned long nnloop_pt_leak(struct nnloop_pt *pt);
dma_addr_t nnloop_pt_root(const struct nnloop_pt *pt);

int nnloop_pt_reserve(struct nnloop_pt *pt, u32 iova, unsigned long pages);
void nnloop_pt_set(struct nnloop_pt *pt, u32 iova, dma_addr_t dma, unsigned long pages,
		   u64 flags);
void nnloop_pt_set_read_only(struct nnloop_pt *pt, u32 iova, unsigned long pages);
void nnloop_pt_clear(struct nnloop_pt *pt, u32 iova, unsigned long pages,
		     struct list_head *unused);
void nnloop_pt_free_tables(struct nnloop_pt *pt, struct list_head *unused);
unsigned long nnloop_pt_leak_tables(struct nnloop_pt *pt, struct list_head *unused);
u64 nnloop_pt_lookup(const struct nnloop_pt *pt, u32 iova);

#endif
