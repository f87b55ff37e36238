// SPDX-License-Identifier: GPL-2.0
/*
 * Memory of files: whose memory a buffer is, which file_memory_mb limits and fdinfo counts.
 * nnloop_memory.h has the rules.
 */
#include <linux/slab.h>

#include <drm/drm_gem.h>

#include "nnloop_drv.h"
#include "nnloop_gem.h"
#include "nnloop_memory.h"

/**
 * nnloop_memory_create - for a new file
 *
 * Return: nothing charged, one reference; or NULL.
 */
struct nnloop_memory *nnloop_memory_create(void)
{
	struct nnloop_memory *memory = kzalloc(sizeof(*memory), GFP_KERNEL_ACCOUNT);

	if (!memory)
		return NULL;
	kref_init(&memory->ref);
	mutex_init(&memory->lock);
	INIT_LIST_HEAD(&memory->bos);
	return memory;
}

static void nnloop_memory_release(struct kref *ref)
{
	struct nnloop_memory *memory = container_of(ref, struct nnloop_memory, ref);

	mutex_destroy(&memory->lock);
	kfree(memory);
}

/**
 * nnloop_memory_put - drop a reference
 * @memory: the memory of a file
 */
void nnloop_memory_put(struct nnloop_memory *memory)
{
	kref_put(&memory->ref, nnloop_memory_release);
}

/**
 * nnloop_memory_charge - before a buffer is made
 * @memory: the memory of the file that makes it
 * @drm: the device
 * @size: bytes
 *
 * Return: 0, or -ENOSPC: the file has too much already.
 */
int nnloop_memory_charge(struct nnloop_memory *memory, struct drm_device *drm, u64 size)
{
	u64 limit = (u64)READ_ONCE(nnloop_file_memory_mb) << 20;
	u64 charged;
	bool fits;

	mutex_lock(&memory->lock);
	charged = memory->size;
	fits = !limit || charged + size <= limit;
	if (fits)
		memory->size += size;
	mutex_unlock(&memory->lock);

	if (fits)
		return 0;
	return nnloop_refuse(drm, -ENOSPC,
			     "size %#llx: with the file's %#llx more than file_memory_mb allows",
			     size, charged);
}

/**
 * nnloop_memory_uncharge - a buffer was not made, or its pages are gone
 * @memory: the memory of the file
 * @size: bytes, as charged
 */
void nnloop_memory_uncharge(struct nnloop_memory *memory, u64 size)
{
	mutex_lock(&memory->lock);
	memory->size -= size;
	mutex_unlock(&memory->lock);
}

/**
 * nnloop_memory_add_bo - this is what has been charged
 * @memory: the memory of the file; the buffer takes a reference
 * @bo: the buffer
 */
void nnloop_memory_add_bo(struct nnloop_memory *memory, struct nnloop_bo *bo)
{
	kref_get(&memory->ref);
	bo->memory = memory;
	mutex_lock(&memory->lock);
	list_add_tail(&bo->memory_link, &memory->bos);
	mutex_unlock(&memory->lock);
}

/**
 * nnloop_memory_remove_bo - before a buffer is freed, and its pages with it
 * @memory: the memory of the file; the reference is the caller's now
 * @bo: the buffer
 *
 * What it was charged stays charged until nnloop_memory_uncharge().
 */
void nnloop_memory_remove_bo(struct nnloop_memory *memory, struct nnloop_bo *bo)
{
	mutex_lock(&memory->lock);
	list_del(&bo->memory_link);
	mutex_unlock(&memory->lock);
}

/**
 * nnloop_memory_count - for fdinfo
 * @memory: the memory of a file
 * @total: bytes charged are added
 * @shared: bytes of buffers that others may have as well are added
 */
void nnloop_memory_count(struct nnloop_memory *memory, u64 *total, u64 *shared)
{
	struct nnloop_bo *bo;

	mutex_lock(&memory->lock);
	*total += memory->size;
	list_for_each_entry(bo, &memory->bos, memory_link) {
		if (nnloop_bo_is_shared(bo))
			*shared += bo->base.base.size;
	}
	mutex_unlock(&memory->lock);
}
