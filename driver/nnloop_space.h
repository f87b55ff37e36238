/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Address spaces (nnloop_space.c): where each buffer of a file is for the DSP, and when memory that
 * was taken away can be given back.
 */
#ifndef NNLOOP_SPACE_H
#define NNLOOP_SPACE_H

#include <linux/atomic.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rwsem.h>
#include <linux/spinlock.h>

#include <drm/drm_mm.h>

#include "nnloop_pt.h"

struct nnloop_bo;
struct nnloop_device;
struct nnloop_job;

/**
 * struct nnloop_space - the addresses that the jobs of one file see
 *
 * A buffer is taken away in two steps. At once, its entries are cleared and the generation is
 * bumped, so that no job that starts later can reach it. When every job submitted before then has
 * ended, its pages, its addresses and tables that fell empty are given back. In between the mapping
 * is on @retired.
 */
struct nnloop_space {
	/** @ndev: the device */
	struct nnloop_device *ndev;

	/** @id: names the space to the DSP, never 0 */
	u32 id;

	/**
	 * @generation: generation of the translations: a worker that gets a job with another one
	 * than before drops those that it remembers. Changed under @lock, read when a job starts.
	 */
	atomic64_t generation;

	/** @lock: protects what follows up to @retired_size; inside &nnloop_bo.lock */
	struct mutex lock;

	/** @mm: addresses in use, in pages */
	struct drm_mm mm;

	/** @pt: the page table */
	struct nnloop_pt pt;

	/** @dead: the hardware is gone and @pt with it */
	bool dead;

	/** @mapped: bytes of mappings that are there */
	size_t mapped;

	/** @retired: mappings taken away, oldest first */
	struct list_head retired;

	/** @retired_size: bytes of those */
	size_t retired_size;

	/**
	 * @submit_lock: held for reading by a submit, for writing by who must
	 * be sure that no job comes in between; outside @lock
	 */
	struct rw_semaphore submit_lock;

	/** @job_lock: protects @jobs and @last_job; taken in interrupts */
	spinlock_t job_lock;

	/** @jobs: submitted and not ended, oldest first */
	struct list_head jobs;

	/** @last_job: number of the newest job */
	u64 last_job;

	/** @link: in &nnloop_device.spaces */
	struct list_head link;
};

/**
 * struct nnloop_mapping - a buffer in a space
 */
struct nnloop_mapping {
	/** @bo: the buffer; holds a reference */
	struct nnloop_bo *bo;
	/** @space: the space */
	struct nnloop_space *space;
	/** @node: its pages in @space, and a guard page */
	struct drm_mm_node node;
	/** @read_only: its entries are; protected by &nnloop_space.lock */
	bool read_only;
	/** @handles: how many handles the file has; protected by &nnloop_bo.lock */
	unsigned int handles;
	/** @tables: tables that fell empty when it was taken away */
	struct list_head tables;
	/** @last_job: once retired: number of the newest job that may still use it */
	u64 last_job;
	/** @link: in &nnloop_space.retired */
	struct list_head link;
	/** @bo_link: in &nnloop_bo.mappings */
	struct list_head bo_link;
};

static inline u64 nnloop_mapping_iova(const struct nnloop_mapping *mapping)
{
	return mapping->node.start << NNLOOP_PAGE_SHIFT;
}

int nnloop_space_init(struct nnloop_space *space, struct nnloop_device *ndev);
void nnloop_space_fini(struct nnloop_space *space);
void nnloop_space_dismantle(struct nnloop_space *space);

int nnloop_mapping_create(struct nnloop_mapping *mapping, struct nnloop_space *space,
			  struct nnloop_bo *bo, struct nnloop_pt_spares *spares);
void nnloop_mapping_retire(struct nnloop_mapping *mapping);
int nnloop_mapping_seal(struct nnloop_mapping *mapping);

struct nnloop_bo *nnloop_space_find_bo(struct nnloop_space *space, u64 iova, u64 *offset);

void nnloop_space_add_job(struct nnloop_space *space, struct nnloop_job *job);
void nnloop_space_end_job(struct nnloop_space *space, struct nnloop_job *job);
void nnloop_space_reap(struct nnloop_space *space);

#endif
