// SPDX-License-Identifier: GPL-2.0
/*
 * Address spaces: which buffer is where, and when what was taken away can be given back.
 * nnloop_space.h has the rules.
 */
#include <linux/scatterlist.h>
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "nnloop_drv.h"
#include "nnloop_gem.h"
#include "nnloop_job.h"
#include "nnloop_space.h"

#define NNLOOP_PAGE_SIZE	BIT(NNLOOP_PAGE_SHIFT)

static unsigned long nnloop_mapping_pages(const struct nnloop_mapping *mapping)
{
	return mapping->bo->base.base.size >> NNLOOP_PAGE_SHIFT;
}

/**
 * nnloop_space_init - make an empty space
 * @space: the space
 * @ndev: the device
 *
 * Return: 0 or -ENOMEM.
 */
int nnloop_space_init(struct nnloop_space *space, struct nnloop_device *ndev)
{
	int ret;

	ret = nnloop_pt_init(&space->pt, &ndev->board);
	if (ret)
		return ret;

	do {
		space->id = atomic_inc_return(&ndev->last_space);
	} while (!space->id);
	space->ndev = ndev;
	mutex_init(&space->lock);
	drm_mm_init(&space->mm, NNLOOP_WINDOW_BASE >> NNLOOP_PAGE_SHIFT,
		    (NNLOOP_WINDOW_END - NNLOOP_WINDOW_BASE) >> NNLOOP_PAGE_SHIFT);
	INIT_LIST_HEAD(&space->retired);
	init_rwsem(&space->submit_lock);
	spin_lock_init(&space->job_lock);
	INIT_LIST_HEAD(&space->jobs);

	mutex_lock(&ndev->spaces_lock);
	list_add_tail(&space->link, &ndev->spaces);
	mutex_unlock(&ndev->spaces_lock);
	return 0;
}

/**
 * nnloop_space_fini - free a space without jobs and handles
 * @space: the space
 */
void nnloop_space_fini(struct nnloop_space *space)
{
	struct nnloop_device *ndev = space->ndev;

	nnloop_space_reap(space);
	/* The removal of the device finds the space, or finds it gone for good. */
	mutex_lock(&ndev->spaces_lock);
	list_del(&space->link);
	if (nnloop_device_must_leak(ndev))
		atomic_long_add(nnloop_pt_leak(&space->pt), &ndev->leaked_pages);
	else
		nnloop_pt_fini(&space->pt);
	mutex_unlock(&ndev->spaces_lock);
	drm_mm_takedown(&space->mm);
	mutex_destroy(&space->lock);
}

/*
 * Has the transport take the memory of a mapping away, as far as @size. As in
 * nnloop_mapping_show(), only what the page table has can matter.
 */
static void nnloop_mapping_hide(struct nnloop_mapping *mapping, struct sg_table *sgt, size_t size,
				bool read_only)
{
	struct nnloop_board *board = &mapping->space->ndev->board;
	struct scatterlist *sg;
	unsigned int i;

	if (!nnloop_board_asks(board))
		return;
	for_each_sgtable_dma_sg(sgt, sg, i) {
		size_t length = min_t(size_t, size, sg_dma_len(sg));

		if (!length)
			break;
		nnloop_board_unmap(board, sg_dma_address(sg), length, read_only);
		size -= length;
	}
}

/* Has the transport let the DSP at the memory of a mapping; 0 or an error. */
static int nnloop_mapping_show(struct nnloop_mapping *mapping, struct sg_table *sgt, size_t size,
			       bool read_only)
{
	struct nnloop_board *board = &mapping->space->ndev->board;
	size_t left = size;
	struct scatterlist *sg;
	unsigned int i;
	int ret;

	if (!nnloop_board_asks(board))
		return 0;
	for_each_sgtable_dma_sg(sgt, sg, i) {
		size_t length = min_t(size_t, left, sg_dma_len(sg));

		if (!length)
			break;
		ret = nnloop_board_map(board, sg_dma_address(sg), length, read_only);
		if (ret) {
			nnloop_mapping_hide(mapping, sgt, size - left, read_only);
			return ret;
		}
		left -= length;
	}
	return 0;
}

/*
 * Gives back what a retired mapping had of the space, or leaks it. The mapping goes to the list
 * @freed, for nnloop_mappings_put().
 */
static void nnloop_mapping_free(struct nnloop_mapping *mapping, struct list_head *freed)
{
	struct nnloop_space *space = mapping->space;
	struct nnloop_device *ndev = space->ndev;
	struct nnloop_bo *bo = mapping->bo;

	lockdep_assert_held(&space->lock);

	space->retired_size -= bo->base.base.size;
	drm_mm_remove_node(&mapping->node);
	/* In a dead space there is nothing that the transport, or the DSP, could reach. */
	if (!space->dead)
		nnloop_mapping_hide(mapping, bo->base.sgt, bo->base.base.size, mapping->read_only);
	if (nnloop_device_must_leak(ndev)) {
		atomic_long_add(nnloop_pt_leak_tables(&space->pt, &mapping->tables),
				&ndev->leaked_pages);
		nnloop_bo_leak(bo);
	} else {
		nnloop_pt_free_tables(&space->pt, &mapping->tables);
	}
	list_move_tail(&mapping->link, freed);
}

/*
 * Drops the buffers of mappings that were freed. The last reference of an import waits for its
 * exporter, so this is done without &nnloop_space.lock, which is taken inside of locks of all
 * clients.
 */
static void nnloop_mappings_put(struct list_head *freed)
{
	struct nnloop_mapping *mapping, *next;

	list_for_each_entry_safe(mapping, next, freed, link) {
		drm_gem_object_put(&mapping->bo->base.base);
		kfree(mapping);
	}
}

/**
 * nnloop_space_reap - give back what no job can use any more
 * @space: the space
 */
void nnloop_space_reap(struct nnloop_space *space)
{
	struct nnloop_mapping *mapping, *next;
	struct nnloop_job *job;
	LIST_HEAD(freed);
	u64 oldest;

	mutex_lock(&space->lock);
	spin_lock_irq(&space->job_lock);
	job = list_first_entry_or_null(&space->jobs, struct nnloop_job, space_link);
	oldest = job ? job->space_number : U64_MAX;
	spin_unlock_irq(&space->job_lock);

	list_for_each_entry_safe(mapping, next, &space->retired, link) {
		if (mapping->last_job >= oldest)
			break;
		nnloop_mapping_free(mapping, &freed);
	}
	mutex_unlock(&space->lock);
	nnloop_mappings_put(&freed);
}

/**
 * nnloop_space_dismantle - free what is in DMA memory, because the device goes
 * @space: the space; open files may still hold handles
 *
 * Every worker has been stopped, or is lost.
 */
void nnloop_space_dismantle(struct nnloop_space *space)
{
	struct nnloop_device *ndev = space->ndev;
	struct nnloop_mapping *mapping, *next;
	LIST_HEAD(freed);

	mutex_lock(&space->lock);
	list_for_each_entry_safe(mapping, next, &space->retired, link)
		nnloop_mapping_free(mapping, &freed);
	space->dead = true;
	if (nnloop_device_must_leak(ndev))
		atomic_long_add(nnloop_pt_leak(&space->pt), &ndev->leaked_pages);
	else
		nnloop_pt_fini(&space->pt);
	mutex_unlock(&space->lock);
	nnloop_mappings_put(&freed);
}

static void nnloop_mapping_fill(struct nnloop_mapping *mapping, struct sg_table *sgt)
{
	u64 flags = mapping->read_only ? NNLOOP_PTE_READ_ONLY : 0;
	unsigned long left = nnloop_mapping_pages(mapping);
	u64 iova = nnloop_mapping_iova(mapping);
	struct scatterlist *sg;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		unsigned long pages = min_t(unsigned long, left,
					    sg_dma_len(sg) >> NNLOOP_PAGE_SHIFT);

		nnloop_pt_set(&mapping->space->pt, iova, sg_dma_address(sg), pages, flags);
		iova += pages << NNLOOP_PAGE_SHIFT;
		left -= pages;
	}
}

/*
 * Says whether the DSP can map a table of memory: another driver's need not come in pages of ours.
 */
static bool nnloop_sgt_is_mappable(struct sg_table *sgt, size_t size)
{
	struct scatterlist *sg;
	size_t total = 0;
	unsigned int i;

	for_each_sgtable_dma_sg(sgt, sg, i) {
		if (!IS_ALIGNED(sg_dma_address(sg) | sg_dma_len(sg), NNLOOP_PAGE_SIZE))
			return false;
		total += sg_dma_len(sg);
	}
	return total >= size;
}

/*
 * Makes workers forget the translations whose entries were just taken away. A job that is given the
 * new generation must not have the old entries read again: they would be kept for the jobs behind
 * it. (nnloop_board_submit() sees to it that the generation is there before the ring's tail.)
 */
static void nnloop_space_bump(struct nnloop_space *space)
{
	dma_wmb();
	atomic64_inc(&space->generation);
}

/**
 * nnloop_mapping_create - put a buffer into a space
 * @mapping: memory for it, all 0
 * @space: the space
 * @bo: the buffer; &nnloop_bo.lock is held
 * @spares: tables for it
 *
 * The client allocates @mapping and @spares without a lock: it may have to wait for its memory.
 *
 * Return: 0, and there is the mapping, with one handle; or an error: -ENOSPC no room in the window,
 * -ENOMEM, -EINVAL memory of another driver that the DSP cannot map, -ENODEV; -EAGAIN: with what
 * @spares says that is missing it is to be tried again.
 */
int nnloop_mapping_create(struct nnloop_mapping *mapping, struct nnloop_space *space,
			  struct nnloop_bo *bo, struct nnloop_pt_spares *spares)
{
	unsigned long pages = bo->base.base.size >> NNLOOP_PAGE_SHIFT;
	struct drm_device *drm = &space->ndev->drm;
	struct sg_table *sgt;
	int ret;

	lockdep_assert_held(&bo->lock);

	mutex_lock(&space->lock);
	if (space->dead) {
		ret = -ENODEV;
		goto out_unlock;
	}
	sgt = nnloop_bo_pages(bo);
	if (IS_ERR(sgt)) {
		ret = PTR_ERR(sgt);
		goto out_unlock;
	}
	if (!nnloop_sgt_is_mappable(sgt, bo->base.base.size)) {
		ret = nnloop_refuse(drm, -EINVAL, "import of %#zx bytes: not all in pages of %lu",
				    bo->base.base.size, NNLOOP_PAGE_SIZE);
		goto out_unlock;
	}
	/*
	 * The guard page makes running over the end of a buffer a fault. User space knows of the
	 * kernel's pages only, which may be larger than the DSP's, and expects addresses to match.
	 */
	ret = drm_mm_insert_node_generic(&space->mm, &mapping->node, pages + 1,
					 PAGE_SIZE >> NNLOOP_PAGE_SHIFT, 0, DRM_MM_INSERT_BEST);
	if (ret) {
		ret = nnloop_refuse(drm, ret, "size %#zx: no gap in the window, %#zx are in use",
				    bo->base.base.size, space->mapped + space->retired_size);
		goto out_unlock;
	}
	ret = nnloop_pt_reserve_from(&space->pt, nnloop_mapping_iova(mapping), pages, spares);
	if (ret)
		goto err_remove_node;
	mapping->bo = bo;
	mapping->space = space;
	mapping->read_only = nnloop_bo_is_dsp_read_only(bo);
	ret = nnloop_mapping_show(mapping, sgt, bo->base.base.size, mapping->read_only);
	if (ret == -EINVAL)
		nnloop_refuse(drm, ret,
			      "import of %#zx bytes: not all is in this machine's RAM, and the board reaches nothing else",
			      bo->base.base.size);
	if (ret)
		goto err_remove_node;

	/* Nothing can fail from here on. */
	mapping->handles = 1;
	INIT_LIST_HEAD(&mapping->tables);
	space->mapped += bo->base.base.size;
	nnloop_mapping_fill(mapping, sgt);
	drm_gem_object_get(&bo->base.base);
	list_add(&mapping->bo_link, &bo->mappings);
	mutex_unlock(&space->lock);
	return 0;

err_remove_node:
	drm_mm_remove_node(&mapping->node);
out_unlock:
	mutex_unlock(&space->lock);
	return ret;
}

/**
 * nnloop_mapping_retire - take a buffer away from a space
 * @mapping: the mapping; &nnloop_bo.lock is held; it belongs to the space afterwards
 */
void nnloop_mapping_retire(struct nnloop_mapping *mapping)
{
	struct nnloop_space *space = mapping->space;

	lockdep_assert_held(&mapping->bo->lock);
	list_del(&mapping->bo_link);

	mutex_lock(&space->lock);
	if (!space->dead) {
		nnloop_pt_clear(&space->pt, nnloop_mapping_iova(mapping),
				nnloop_mapping_pages(mapping), &mapping->tables);
		nnloop_space_bump(space);
	}
	spin_lock_irq(&space->job_lock);
	mapping->last_job = space->last_job;
	spin_unlock_irq(&space->job_lock);
	list_add_tail(&mapping->link, &space->retired);
	space->mapped -= mapping->bo->base.base.size;
	space->retired_size += mapping->bo->base.base.size;
	mutex_unlock(&space->lock);
}

static bool nnloop_space_busy(struct nnloop_space *space)
{
	bool busy;

	spin_lock_irq(&space->job_lock);
	busy = !list_empty(&space->jobs);
	spin_unlock_irq(&space->job_lock);
	return busy;
}

/* Has the transport take the right to write from a mapping. */
static void nnloop_mapping_make_read_only(struct nnloop_mapping *mapping)
{
	struct sg_table *sgt = mapping->bo->base.sgt;
	size_t size = mapping->bo->base.base.size;

	/* The pages are there, so this does not fail. */
	nnloop_mapping_show(mapping, sgt, size, true);
	nnloop_mapping_hide(mapping, sgt, size, false);
	mapping->read_only = true;
}

/**
 * nnloop_mapping_seal - take the DSP's right to write
 * @mapping: the mapping; &nnloop_bo.lock is held
 *
 * Return: 0, or -EBUSY: there are jobs that might write.
 */
int nnloop_mapping_seal(struct nnloop_mapping *mapping)
{
	struct nnloop_space *space = mapping->space;
	int ret = 0;

	down_write(&space->submit_lock);
	mutex_lock(&space->lock);
	if (nnloop_space_busy(space)) {
		ret = nnloop_refuse(&space->ndev->drm, -EBUSY,
				    "the buffer at %#llx: jobs that might write have not ended",
				    nnloop_mapping_iova(mapping));
	} else if (!space->dead) {
		nnloop_pt_set_read_only(&space->pt, nnloop_mapping_iova(mapping),
					nnloop_mapping_pages(mapping));
		nnloop_space_bump(space);
		nnloop_mapping_make_read_only(mapping);
	}
	mutex_unlock(&space->lock);
	up_write(&space->submit_lock);
	return ret;
}

/**
 * nnloop_space_find_bo - which buffer is at an address?
 * @space: the space
 * @iova: the address
 * @offset: where it is in the buffer
 *
 * A buffer that was taken away and not given back yet is found, too.
 *
 * Return: the buffer, with a reference; or NULL.
 */
struct nnloop_bo *nnloop_space_find_bo(struct nnloop_space *space, u64 iova, u64 *offset)
{
	u64 page = iova >> NNLOOP_PAGE_SHIFT;
	struct nnloop_bo *bo = NULL;
	struct drm_mm_node *node;

	mutex_lock(&space->lock);
	drm_mm_for_each_node_in_range(node, &space->mm, page, page + 1) {
		struct nnloop_mapping *mapping = container_of(node, struct nnloop_mapping, node);

		*offset = iova - nnloop_mapping_iova(mapping);
		/* An address in the guard page is no buffer's. */
		if (*offset < mapping->bo->base.base.size) {
			bo = mapping->bo;
			drm_gem_object_get(&bo->base.base);
		}
	}
	mutex_unlock(&space->lock);
	return bo;
}

/**
 * nnloop_space_add_job - from now on @job may use what is in the space
 * @space: the space
 * @job: the job; &nnloop_space.submit_lock is held for reading
 */
void nnloop_space_add_job(struct nnloop_space *space, struct nnloop_job *job)
{
	spin_lock_irq(&space->job_lock);
	job->space_number = ++space->last_job;
	list_add_tail(&job->space_link, &space->jobs);
	spin_unlock_irq(&space->job_lock);
}

/**
 * nnloop_space_end_job - @job has ended; call nnloop_space_reap() later
 * @space: the space
 * @job: the job
 *
 * Context: any.
 */
void nnloop_space_end_job(struct nnloop_space *space, struct nnloop_job *job)
{
	unsigned long flags;

	spin_lock_irqsave(&space->job_lock, flags);
	list_del(&job->space_link);
	spin_unlock_irqrestore(&space->job_lock, flags);
}
