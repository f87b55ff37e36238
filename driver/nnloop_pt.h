/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Page tables in the DSP's format (nnloop_pt.c), and how one entry is made and changed.
 */
#ifndef NNLOOP_PT_H
#define NNLOOP_PT_H

#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/minmax.h>
#include <linux/types.h>

#include <asm/barrier.h>
#include <asm/byteorder.h>

#include "nnloop_hw.h"

struct nnloop_board;
struct nnloop_table;

/**
 * struct nnloop_pt - a page table as the DSP walks it
 *
 * There are three levels and 4 KiB pages. The owner serializes all calls; the DSP reads at any
 * time.
 */
struct nnloop_pt {
	/** @board: the DSP, which has the memory of tables */
	struct nnloop_board *board;
	/** @root: the root table */
	struct nnloop_table *root;
};

/* The address space is 4 GiB: the root has four entries, its children all of theirs. */
#define NNLOOP_PT_LEVELS	3

/**
 * struct nnloop_pt_spares - tables that are in no page table yet
 *
 * Tables are charged to the client, whose memory cgroup may have it sleep for each: so they are
 * made where the owner of the page table has no lock.
 */
struct nnloop_pt_spares {
	/** @tables: &struct nnloop_table, by level; none for the root */
	struct list_head tables[NNLOOP_PT_LEVELS];
	/** @missing: how many more are needed, by level */
	unsigned int missing[NNLOOP_PT_LEVELS];
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

/**
 * nnloop_pte_next - from one entry to another, half by half
 * @now: the entry as it is
 * @target: what it is to become
 *
 * This is for processors that store 32 bits at a time, while the DSP may be reading. One half
 * differs from @now, and what is valid is either as it was or as it is to be: a valid entry becomes
 * invalid before its high half changes, and valid again after that.
 *
 * Return: the entry after the next store; @target if that is the last.
 */
static inline u64 nnloop_pte_next(u64 now, u64 target)
{
	const u64 high = GENMASK_ULL(63, 32);

	if (!((now ^ target) & high))
		return target;
	if (now & NNLOOP_PTE_VALID)
		return now & high;
	return (target & high) | (now & ~high);
}

/**
 * nnloop_pte_write_halves - change an entry in stores of 32 bits
 * @entry: the entry; the DSP may read it at any time
 * @target: what it is to become
 */
static inline void nnloop_pte_write_halves(__le64 *entry, u64 target)
{
	__le32 *half = (__le32 *)entry;
	u64 now = le64_to_cpu(*entry);

	while (now != target) {
		now = nnloop_pte_next(now, target);
		/* Storing the half that has not changed again shows nobody anything. */
		WRITE_ONCE(half[1], cpu_to_le32(upper_32_bits(now)));
		dma_wmb();
		WRITE_ONCE(half[0], cpu_to_le32(lower_32_bits(now)));
		dma_wmb();
	}
}

int nnloop_pt_init(struct nnloop_pt *pt, struct nnloop_board *board);
void nnloop_pt_fini(struct nnloop_pt *pt);
unsigned long nnloop_pt_leak(struct nnloop_pt *pt);
dma_addr_t nnloop_pt_root(const struct nnloop_pt *pt);

void nnloop_pt_spares_init(struct nnloop_pt_spares *spares);
void nnloop_pt_spares_fini(struct nnloop_pt_spares *spares, struct nnloop_board *board);
int nnloop_pt_spares_fill(struct nnloop_pt_spares *spares, struct nnloop_board *board);

int nnloop_pt_reserve_from(struct nnloop_pt *pt, u32 iova, unsigned long pages,
			   struct nnloop_pt_spares *spares);
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
